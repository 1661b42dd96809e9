"""What is read at several places is kept whole, and a stack of matrices times a vector is one product."""

import numpy as np
import pytest

import pellucid

RNG = np.random.default_rng(11)


def limited(x, y, i):
    slope = x[1:, 1:i] - x[:-1, 1:i]
    flux = np.where(slope * (y[1:] - y[:-1]) > 0, 0, slope)
    return flux[1:] - flux[:-1]


def weighted(x, w, i):
    """The weights are of another shape, and are kept without the rows."""
    e = np.exp(w)[:, None] * x[:, 1:i]
    return e[1:] - e[:-1]


def read_twice(x, y, i):
    """The logarithm is read for more than what is kept."""
    a = np.log(x[:, 1:i] + 1.0)
    b = a * y + np.sqrt(a)
    return b[1:] - b[:-1] + a[1:]


ARGUMENTS = {
    limited: (RNG.standard_normal((7, 6)), RNG.standard_normal((7, 4)), 5),
    weighted: (RNG.random((5, 6)), RNG.random(5), 5),
    read_twice: (RNG.random((5, 6)), RNG.random((5, 4)), 5),
}


@pytest.mark.parametrize("function", ARGUMENTS)
def test_values(function):
    arguments = ARGUMENTS[function]
    np.testing.assert_allclose(pellucid.compile(function)(*arguments), function(*arguments), rtol=1e-14)


@pytest.mark.parametrize("function", ARGUMENTS)
def test_one_array_is_kept(function):
    source = pellucid.compile(function).source("loops", *ARGUMENTS[function])
    wanted = 3 if function is read_twice else 2  # the result is one of them
    assert source.count("np.empty(") == wanted, source


def test_a_condition_is_tested_where_it_chooses():
    source = pellucid.compile(limited).source("loops", *ARGUMENTS[limited])
    assert source.count("in prange(") == 4 and source.count("> 0.0 else slope") == 1, source


# --- stacks of matrices and a vector

SHAPES = ((5, 4, 3), (0, 4, 3), (5, 0, 3), (5, 4, 0), (1, 1, 1), (2, 3, 4, 3))


def times(a, v):
    return a @ v


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128, np.int64])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_stack_times_a_vector(shape, dtype):
    a = RNG.integers(-9, 9, shape).astype(dtype)
    v = RNG.integers(-9, 9, shape[-1]).astype(dtype)
    compiled = pellucid.compile(times)
    for one in (a, a.swapaxes(0, 1), a[::-1], np.asfortranarray(a)):
        found = np.asarray(compiled(one, v))
        np.testing.assert_array_equal(found, one @ v)
        assert found.dtype == dtype


def test_it_is_one_product():
    compiled = pellucid.compile(times)
    a, v = RNG.random((5, 4, 3)), RNG.random(3)
    source = compiled.source("loops", a, v)
    assert source.count("gemv(") == 1 and "range" not in source, source
    with pytest.raises(ValueError, match="equal"):
        compiled(a, RNG.random(4))


def test_its_derivatives():
    a, v = RNG.random((5, 4, 3)), RNG.random(3)
    a_bar, v_bar = pellucid.grad(lambda a, v: np.sum((a @ v) ** 2), argnums=(0, 1))(a, v)
    np.testing.assert_allclose(a_bar, 2.0 * (a @ v)[..., None] * v, rtol=1e-12)
    np.testing.assert_allclose(v_bar, 2.0 * np.einsum("ijk,ij->k", a, a @ v), rtol=1e-12)
    np.testing.assert_allclose(pellucid.vmap(times, (0, None))(a, v), a @ v, rtol=1e-12)
