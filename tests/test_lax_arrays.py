"""Array functions in the spellings of `jax.lax`: what NumPy gives for them, with slopes, and for many examples."""

import numpy as np
import pytest
import scipy.signal
import scipy.special

import pellucid
from pellucid import compile, grad, lax, vmap
from pellucid.compiler.ops import python_names
from tests.harness.draws import some

pytestmark = pytest.mark.drawn(5)

X = np.array([[0.3, -1.2, 2.0, 0.3], [1.5, 0.2, -0.7, 2.0], [0.1, 0.9, 2.0, -3.0]])
I = np.array([[7, -7, 3], [-8, 2, 0]], np.int32)


def placed(x, block, i, j):
    out = x.copy()
    out[i : i + block.shape[0], j : j + block.shape[1]] = block
    return out


def correlated(x, windows):
    """Images (N, C, H, W) with windows (O, C, H, W), as SciPy correlates them."""
    planes = [[sum(map(valid, image, window)) for window in windows] for image in x]
    return np.array(planes)


def valid(plane, window):
    return scipy.signal.correlate2d(plane, window, "valid")


# What each is in NumPy, at a start `i` where it has one.
CASES = {
    "dynamic_slice": (lambda x, i: lax.dynamic_slice(x, (i, 1), (2, 2)), lambda x, i: x[i : i + 2, 1:3]),
    "dynamic_slice_in_dim": (lambda x, i: lax.dynamic_slice_in_dim(x, i, 2, axis=1), lambda x, i: x[:, i : i + 2]),
    "dynamic_index_in_dim": (lambda x, i: lax.dynamic_index_in_dim(x, i), lambda x, i: x[i : i + 1]),
    "without keepdims": (lambda x, i: lax.dynamic_index_in_dim(x, i, 1, keepdims=False), lambda x, i: x[:, i]),
    "dynamic_update_slice": (
        lambda x, i: lax.dynamic_update_slice(x, x[:2, :2] * 3.0, (i, i)), lambda x, i: placed(x, x[:2, :2] * 3.0, i, i)
    ),
    "dynamic_update_slice_in_dim": (
        lambda x, i: lax.dynamic_update_slice_in_dim(x, x[:, :2] * 3.0, i, axis=1),
        lambda x, i: placed(x, x[:, :2] * 3.0, 0, i),
    ),
    "dynamic_update_index_in_dim": (
        lambda x, i: lax.dynamic_update_index_in_dim(x, x[0] * 2.0, i, 0),
        lambda x, i: placed(x, x[:1] * 2.0, i, 0),
    ),
    "slice": (lambda x, i: lax.slice(x, (0, 1), (3, 4), (2, 1)), lambda x, i: x[0:3:2, 1:4]),
    "slice_in_dim": (lambda x, i: lax.slice_in_dim(x, 1, 4, 2, axis=1), lambda x, i: x[:, 1:4:2]),
    "index_in_dim": (lambda x, i: lax.index_in_dim(x, -1, 1), lambda x, i: x[:, -1:]),
    "split": (lambda x, i: lax.split(x, (1, 3), 1)[1] * 2.0, lambda x, i: x[:, 1:] * 2.0),
    "concatenate": (lambda x, i: lax.concatenate([x, x * 2.0], 1), lambda x, i: np.hstack([x, x * 2.0])),
    "expand_dims": (lambda x, i: lax.expand_dims(x, (0, 2)), lambda x, i: x[None, :, None]),
    "squeeze": (lambda x, i: lax.squeeze(x[None, :, None], (2,)), lambda x, i: x[None]),
    "reshape": (lambda x, i: lax.reshape(x, (2, 6), (1, 0)), lambda x, i: x.T.reshape(2, 6)),
    "transpose": (lambda x, i: lax.transpose(x, (1, 0)), lambda x, i: x.T),
    "rev": (lambda x, i: lax.rev(x, (0, 1)), lambda x, i: x[::-1, ::-1]),
    "collapse": (lambda x, i: lax.collapse(x[None], 0, 2), lambda x, i: x),
    "broadcast": (lambda x, i: lax.broadcast(x, (2,)), lambda x, i: np.stack([x, x])),
    "broadcast_in_dim": (
        lambda x, i: lax.broadcast_in_dim(x, (3, 2, 4), (0, 2)), lambda x, i: np.stack([x, x], axis=1)
    ),
    "pad": (
        lambda x, i: lax.pad(x, 0.5, ((1, 2, 0), (-1, 1, 0))),
        lambda x, i: np.pad(x[:, 1:], ((1, 2), (0, 1)), constant_values=0.5),
    ),
    "pad between": (
        lambda x, i: lax.pad(x, 0.5, ((0, 0, 1), (0, 0, 0))), lambda x, i: np.insert(x, [1, 2], 0.5, axis=0)
    ),
    "full_like": (lambda x, i: lax.full_like(x, 2.0) * x, lambda x, i: 2.0 * x),
    "full": (lambda x, i: lax.full((2, 3), 1.5) * x[0, 0], lambda x, i: np.full((2, 3), 1.5 * x[0, 0])),
    "iota": (lambda x, i: x[0] * lax.iota(np.float64, 4), lambda x, i: x[0] * np.arange(4.0)),
    "broadcasted_iota": (
        lambda x, i: x * lax.broadcasted_iota(np.float64, (3, 4), 1), lambda x, i: x * np.arange(4.0)
    ),
    "clamp": (lambda x, i: lax.clamp(-1.0, x, 1.0), lambda x, i: np.clip(x, -1.0, 1.0)),
    "rsqrt": (lambda x, i: lax.rsqrt(lax.abs(x) + 0.5), lambda x, i: (np.abs(x) + 0.5) ** -0.5),
    "integer_pow": (lambda x, i: lax.integer_pow(x, 3) + lax.integer_pow(x, -2), lambda x, i: x**3 + x**-2.0),
    "div": (lambda x, i: lax.div(x, x + 9.0), lambda x, i: x / (x + 9.0)),
    "select": (lambda x, i: lax.select(x > 0.5, x, x * x), lambda x, i: np.where(x > 0.5, x, x * x)),
    "select_n": (lambda x, i: lax.select_n(x > 0.5, x, x * x), lambda x, i: np.where(x > 0.5, x * x, x)),
    "reduce_sum": (lambda x, i: lax.reduce_sum(x, (0,)), lambda x, i: x.sum(axis=0)),
    "reduce_prod": (lambda x, i: lax.reduce_prod(x, (0, 1)), lambda x, i: x.prod()),
    "reduce_max": (lambda x, i: lax.reduce_max(x[:2], (1,)), lambda x, i: x[:2].max(axis=1)),
    "reduce_min": (lambda x, i: lax.reduce_min(x, (0, 1)), lambda x, i: x.min()),
    "cumsum": (lambda x, i: lax.cumsum(x, 1), lambda x, i: np.cumsum(x, axis=1)),
    "cumsum from the end": (
        lambda x, i: lax.cumsum(x, reverse=True), lambda x, i: np.stack([x.sum(0), x[1:].sum(0), x[2]])
    ),
    "cumprod": (lambda x, i: lax.cumprod(x, 1), lambda x, i: np.cumprod(x, axis=1)),
    "cummax": (lambda x, i: lax.cummax(x[:2], 0), lambda x, i: np.stack([x[0], np.maximum(x[0], x[1])])),
    "cummin": (lambda x, i: lax.cummin(x[:2], 0), lambda x, i: np.stack([x[0], np.minimum(x[0], x[1])])),
    "cumlogsumexp": (lambda x, i: lax.cumlogsumexp(x, 1), lambda x, i: np.log(np.cumsum(np.exp(x), axis=1))),
    "top_k": (lambda x, i: lax.top_k(x[1:2], 3)[0], lambda x, i: np.sort(x[1:2], axis=1)[:, :0:-1]),
    "sort": (lambda x, i: lax.sort(x[1:], 0), lambda x, i: np.sort(x[1:], axis=0)),
    "sort_key_val": (
        lambda x, i: lax.sort_key_val(x[1:], x[1:] ** 2, 0)[1], lambda x, i: np.sort(x[1:], axis=0) ** 2
    ),
    "logistic": (lambda x, i: lax.logistic(x), lambda x, i: scipy.special.expit(x)),
    "erf": (lambda x, i: lax.erf(x), lambda x, i: scipy.special.erf(x)),
    "erfc": (lambda x, i: lax.erfc(x * 2.0), lambda x, i: scipy.special.erfc(x * 2.0)),
    "lgamma": (
        lambda x, i: lax.lgamma(x * x + 1.0) * lax.digamma(x * x + 1.0),
        lambda x, i: scipy.special.gammaln(x * x + 1.0) * scipy.special.digamma(x * x + 1.0),
    ),
    "atan2": (lambda x, i: lax.atan2(x, lax.add(x, 4.0)), lambda x, i: np.arctan2(x, x + 4.0)),
    "dot_general": (lambda x, i: lax.dot_general(x, x, (((1,), (1,)), ((), ()))), lambda x, i: x @ x.T),
    "dot_general of a batch": (
        lambda x, i: lax.dot_general(x[:, None], x[:, :, None], (((2,), (1,)), ((0,), (0,)))),
        lambda x, i: (x[:, None] @ x[:, :, None]),
    ),
    "conv_general_dilated": (
        lambda x, i: lax.conv_general_dilated(
            np.stack([x, x * x])[None], np.reshape(x[:2], (1, 2, 2, 2)), (1, 1), [(1, 0), (0, 0)]
        ),
        lambda x, i: correlated(
            np.pad(np.stack([x, x * x])[None], ((0, 0), (0, 0), (1, 0), (0, 0))), np.reshape(x[:2], (1, 2, 2, 2))
        ),
    ),
    "conv_general_dilated, same": (
        lambda x, i: lax.conv_general_dilated(x[None, None], x[None, None, :2, :3], (2, 1), "SAME"),
        lambda x, i: correlated(np.pad(x, ((0, 1), (1, 1)))[None, None], x[None, None, :2, :3])[:, :, ::2],
    ),
    "conv_general_dilated of a line": (
        lambda x, i: lax.conv_general_dilated(x[:, None], x[:1, None, :2], (1,), "VALID", rhs_dilation=(2,)),
        lambda x, i: (x[:, :2] * x[0, 0] + x[:, 2:] * x[0, 1])[:, None],
    ),
    "conv_general_dilated, channels last, in groups": (
        lambda x, i: lax.conv_general_dilated(
            x[None, :, None], x[None, None, :2, :], (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"),
            feature_group_count=2,
        ),
        lambda x, i: np.stack(
            [x[:, 0] * x[0, 0] + x[:, 1] * x[1, 0], x[:, 0] * x[0, 1] + x[:, 1] * x[1, 1],
             x[:, 2] * x[0, 2] + x[:, 3] * x[1, 2], x[:, 2] * x[0, 3] + x[:, 3] * x[1, 3]], axis=-1,
        )[None, :, None],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_values(name):
    program, formula = CASES[name]
    want = formula(X, 1)
    for got in (program(X, 1), compile(program)(X, 1)):
        assert np.shape(got) == want.shape and np.asarray(got).dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-13)


@pytest.mark.parametrize("name", CASES)
def test_slopes(name):
    program, formula = CASES[name]
    weights = np.cos(np.arange(formula(X, 1).size)).reshape(formula(X, 1).shape)
    direction, step = np.sin(np.arange(12.0)).reshape(3, 4), 1e-5
    slope = grad(lambda x, i, weights: np.sum(program(x, i) * weights))(X, 1, weights)
    change = (formula(X + step * direction, 1) - formula(X - step * direction, 1)) / (2.0 * step)
    assert np.sum(slope * direction) == pytest.approx(np.sum(change * weights), rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("name", some(list(CASES), 2))
def test_many_examples(name):
    program, formula = CASES[name]
    xs, starts = np.stack([X, X * 0.5]), np.array([1, 0])
    np.testing.assert_allclose(vmap(program)(xs, starts), np.stack(list(map(formula, xs, starts))), rtol=1e-13)


# The starts count from the end if negative, and are moved to where the block is all there.
STARTS = {-9: 0, -4: 0, -2: 1, 0: 0, 1: 1, 2: 1, 9: 1}


@pytest.mark.parametrize("start", STARTS)
def test_starts_are_moved_into_the_array(start):
    moved = STARTS[start]
    first = X[:, :3]  # square, so that both dimensions move alike

    def sliced(x, i):
        return lax.dynamic_slice(x, (i, i), (2, 2)), lax.dynamic_update_slice(x, x[:2, :2], (i, i))

    for got, updated in (sliced(first, start), compile(sliced)(first, start)):
        np.testing.assert_array_equal(got, first[moved : moved + 2, moved : moved + 2])
        np.testing.assert_array_equal(updated, placed(first, first[:2, :2], moved, moved))


def test_a_block_that_is_larger_than_the_array_is_refused():
    with pytest.raises(TypeError, match="slice sizes"):
        compile(lambda x, i: lax.dynamic_slice(x, (i,), (5,)))(np.zeros(4), 0)


# Known answers of ints: the dtype stays, and quotients are rounded towards zero.
OF_INTS = {
    "div": (lambda a: lax.div(a, lax.full_like(a, 3)), np.array([[2, -2, 1], [-2, 0, 0]], np.int32)),
    "rem": (lambda a: lax.rem(a, lax.full_like(a, 3)), np.array([[1, -1, 0], [-2, 2, 0]], np.int32)),
    "reduce_sum": (lambda a: lax.reduce_sum(a, (0,)), np.array([-1, -5, 3], np.int32)),
    "reduce_prod": (lambda a: lax.reduce_prod(a, (0,)), np.array([-56, -14, 0], np.int32)),
    "cumsum": (lambda a: lax.cumsum(a, 1), np.array([[7, 0, 3], [-8, -6, -6]], np.int32)),
    "argmax": (lambda a: lax.argmax(a, 1, np.int32), np.array([0, 1], np.int32)),
    "argmin": (lambda a: lax.argmin(a, 0, np.int64), np.array([1, 0, 1])),
    "top_k": (lambda a: lax.top_k(a, 2)[1], np.array([[0, 2], [1, 2]], np.int32)),
    "sort": (lambda a: lax.sort((a, a * a), 1)[1], np.array([[49, 9, 49], [64, 0, 4]], np.int32)),
    "shift_left": (lambda a: lax.shift_left(a, lax.full_like(a, 2)), I * 4),
    "iota": (lambda a: lax.iota(np.int8, 3), np.array([0, 1, 2], np.int8)),
    "reduce_and": (lambda a: lax.reduce_and(a > -8, (1,)), np.array([True, False])),
    "reduce_or": (lambda a: lax.reduce_or(a > 3, (0,)), np.array([True, False, False])),
    "convert_element_type": (lambda a: lax.convert_element_type(a, np.float32), I.astype(np.float32)),
}


@pytest.mark.parametrize("name", OF_INTS)
def test_ints(name):
    program, want = OF_INTS[name]
    for got in (program(I), compile(program)(I)):
        assert np.asarray(got).dtype == want.dtype
        np.testing.assert_array_equal(got, want)


def test_of_equals_the_first_is_on_top():
    values, places = compile(lambda x: lax.top_k(x, 4))(np.array([1.0, 3.0, np.nan, 3.0, 2.0]))
    np.testing.assert_array_equal(values, [np.nan, 3.0, 3.0, 2.0])
    np.testing.assert_array_equal(places, [2, 1, 3, 4])


def test_what_a_convolution_does_not_take():
    with pytest.raises(NotImplementedError, match="one or two dimensions"):
        lax.conv_general_dilated(np.zeros((1, 1, 2, 2, 2)), np.zeros((1, 1, 1, 1, 1)), (1, 1, 1), "SAME")
    with pytest.raises(ValueError, match="SAME"):
        lax.conv_general_dilated(np.zeros((1, 1, 2, 2)), np.zeros((1, 1, 1, 1)), (1, 1), "other")


@pytest.mark.parametrize("table", [lax._NUMPY, lax._SPECIAL], ids=["numpy", "special"])
def test_functions_of_elements_are_in_the_language(table):
    missing = [name for name in table if python_names.binding_of(getattr(lax, name)) is None]
    assert not missing


def test_every_name_of_the_module_is_there():
    assert dir(lax) == sorted(lax.__all__)
    for name in lax.__all__:
        assert callable(getattr(lax, name)), name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        lax.nothing
    assert pellucid.lax is lax


@pytest.mark.parametrize("k", [-1, 4])
def test_more_than_there_are_is_refused(k):
    with pytest.raises(ValueError, match="length of the axis"):
        compile(lambda x: lax.top_k(x, k))(np.ones(3))
