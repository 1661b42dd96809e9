"""`pellucid.Array`: immutable, and otherwise what NumPy's array is."""

import copy
import operator
import pickle
import warnings

import numpy as np
import optree
import pytest

from pellucid import Array, compile
from pellucid.runtime import operators

DTYPES = ["bool", "int32", "int64", "float32", "float64"]
UNARY = ["negative", "positive", "absolute", "invert"]
BINARY = [name for name in operators.PYTHON if name not in UNARY and name != "matmul"]
SPECIAL = np.array([1.0, -2.0, 0.0, -0.0, np.nan, np.inf, -np.inf, 3.5])


def values(dtype, shape, seed=0):
    random = np.random.default_rng(seed)
    if dtype == "bool":
        return random.random(shape) < 0.5
    if dtype.startswith("int"):
        return random.integers(-5, 6, shape).astype(dtype)
    return random.uniform(-3.0, 3.0, shape).astype(dtype)


def outcome(function, *operands):
    """What a function gives, or the exception it raises."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*operands)
        except Exception as error:
            return error


def agrees(function, *operands):
    """Hold a function of Arrays to the same function of NumPy's arrays: value, dtype, shape, error."""
    want = outcome(function, *(np.asarray(o) if isinstance(o, Array) else o for o in operands))
    found = outcome(function, *operands)
    if isinstance(want, Exception):
        assert type(found) is type(want) and str(found) == str(want)
        return
    assert not isinstance(found, Exception), found
    assert type(found) is (Array if isinstance(want, np.ndarray) else type(want))
    assert found.dtype == want.dtype and found.shape == want.shape
    rounding = 1e-6 if want.dtype == np.float32 else 1e-14
    np.testing.assert_allclose(np.asarray(found), want, rtol=rounding, atol=0.0, equal_nan=True)


# --- what it is ----------------------------------------------------------------------------------------------------


def test_it_takes_an_array_without_a_copy_and_does_not_let_it_change():
    x = np.arange(6.0).reshape(2, 3)
    a = Array(x)
    assert np.shares_memory(np.asarray(a), x)
    assert np.shares_memory(np.asarray(a), np.asarray(a))
    assert x.flags.writeable and not np.asarray(a).flags.writeable
    with pytest.raises(ValueError):
        np.asarray(a)[0, 0] = 1.0
    assert np.array(a).flags.writeable and not np.shares_memory(np.array(a), x)


def test_attributes_are_those_of_numpy():
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    a = Array(x)
    for name in ("shape", "dtype", "ndim", "size", "itemsize", "nbytes", "strides"):
        assert getattr(a, name) == getattr(x, name)
    assert a.device == "cpu" and a.block_until_ready() is a and a.to_device("cpu") is a
    assert (np.asarray(a.T) == x.T).all() and (np.asarray(a.mT) == x.mT).all()
    with pytest.raises(AttributeError):
        a.shape = (6,)
    with pytest.raises(ValueError, match="no device 'gpu'"):
        a.to_device("gpu")


@pytest.mark.parametrize(
    "x",
    [
        np.array([1.0, 2.0]), np.array(1.5), np.array([], np.float32), np.array([[1, 2], [3, 4]], np.int32),
        np.array([True, False]), np.arange(2000.0), np.eye(3, dtype=np.float32), np.array([np.nan, -np.inf]),
    ],
)  # fmt: skip
def test_it_is_shown_as_numpy_shows_it(x):
    assert repr(Array(x)) == "Array" + repr(x)[len("array") :]
    assert str(Array(x)) == str(x) and f"{Array(x)}" == f"{x}"


def test_numbers_format_as_numbers():
    assert f"{Array(np.array(1.23456)):.2f}" == "1.23"


def test_python_conversions():
    one = Array(np.array(2.5))
    assert (float(one), int(one), complex(one), bool(one)) == (2.5, 2, 2.5 + 0j, True)
    assert [10, 20, 30][Array(np.array(1))] == 20
    assert one.item() == 2.5 and type(one.item()) is float and Array([[1, 2]]).tolist() == [[1, 2]]
    for convert in (float, int, bool, operator.index):
        agrees_on_error(convert, np.array([1.0, 2.0]))
    agrees_on_error(operator.index, np.array(1.5))
    agrees_on_error(len, np.array(1.5))
    agrees_on_error(iter, np.array(1.5))


def agrees_on_error(function, x):
    want, found = outcome(function, x), outcome(function, Array(x))
    assert isinstance(want, Exception)
    assert type(found) is type(want) and str(found) == str(want)


def test_iteration_and_length():
    a = Array(np.arange(6.0).reshape(3, 2))
    rows = list(a)
    assert len(a) == 3 and all(type(row) is Array for row in rows)
    assert [type(v) for v in Array(np.arange(2.0))] == [np.float64, np.float64]
    assert 4.0 in a and 7.0 not in a


def test_it_has_no_hash_and_is_a_leaf():
    a = Array([1.0])
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)
    assert optree.tree_leaves({"a": a, "b": (a,)}) == [a, a] and optree.tree_leaves(a)[0] is a


def test_copies_and_pickles():
    x = np.arange(6.0)[::2]
    a = Array(x)
    assert copy.copy(a) is a
    for other in (copy.deepcopy(a), pickle.loads(pickle.dumps(a)), a.copy()):
        assert type(other) is Array and np.array_equal(other, a) and not np.shares_memory(np.asarray(other), x)
        assert not np.asarray(other).flags.writeable


def test_what_is_not_numeric_is_refused():
    for wrong in (["a"], [None], [object()], np.array(["2020"], "datetime64[Y]")):
        with pytest.raises(TypeError, match="an Array holds numbers"):
            Array(wrong)
    with pytest.raises(TypeError, match="no mask"):
        Array(np.ma.masked_array([1.0], [True]))


def test_it_can_be_made_of_lists_and_arrays():
    a = Array([1.0, 2.0])
    assert Array(a).dtype == np.float64 and Array([a, a]).shape == (2, 2) and Array(3).shape == ()


# --- elements ------------------------------------------------------------------------------------------------------

INDICES = [
    0, -1, (1, 2), slice(1, None), (slice(None), 1), ..., (..., 0), None, (None, 1), slice(None, None, -2), [0, 1, 1],
    np.array([1, 0]), np.array([True, False]), (np.array([0, 1]), np.array([2, 2])), (slice(None), [0, 2]), (), True,
    np.int64(1), 2, (0, 3), [5], np.array([True, False, True]), 1.5, "x",
]  # fmt: skip


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indexing_is_numpys(index):
    x = np.arange(6.0).reshape(2, 3)
    want, found = outcome(lambda v: v[index], x), outcome(lambda v: v[index], Array(x))
    if isinstance(want, Exception):
        assert type(found) is type(want) and str(found) == str(want)
        return
    assert type(found) is (Array if isinstance(want, np.ndarray) else type(want))
    assert np.array_equal(found, want) and found.dtype == want.dtype


def test_arrays_index_arrays():
    a = Array(np.arange(6.0))
    assert a[Array([1, 3])].tolist() == [1.0, 3.0] and a[a > 3.0].tolist() == [4.0, 5.0]
    assert np.arange(6.0)[Array([1, 3])].tolist() == [1.0, 3.0]


@pytest.mark.parametrize("change", ["a[0] = 1.0", "a[:2] += 1.0", "a[0, 1] *= 2.0", "del a[0]"])
def test_elements_cannot_be_changed(change):
    a = Array(np.zeros((2, 2)))
    with pytest.raises(TypeError, match=r"\.at\[index\]\.set"):
        exec(change)
    assert not np.asarray(a).any()


def test_names_are_bound_anew_by_augmented_assignment():
    x = np.ones(2)
    a = b = Array(x)
    a += 1.0
    assert a.tolist() == [2.0, 2.0] and b.tolist() == [1.0, 1.0] and x.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("name", ["fill", "sort", "partition", "put", "resize", "setflags"])
def test_methods_that_change_an_array_are_not_there(name):
    a = Array([1.0])
    assert not hasattr(a, name)
    with pytest.raises(AttributeError, match="cannot be changed; use "):
        getattr(a, name)


AT = {
    "set": lambda x, i, v: x.__setitem__(i, v),
    "add": np.add.at, "subtract": np.subtract.at, "multiply": np.multiply.at, "divide": np.divide.at,
    "power": np.power.at, "min": np.minimum.at, "max": np.maximum.at,
}  # fmt: skip


@pytest.mark.parametrize("index", [0, (1, 2), slice(1, None), (slice(None), 1), [0, 0, 1], ..., (..., [0, 2])], ids=str)
@pytest.mark.parametrize("method", list(AT))
def test_at_gives_a_changed_copy(method, index):
    x = np.arange(1.0, 7.0).reshape(2, 3)
    want = x.copy()
    AT[method](want, index, 2.5)
    a = Array(x)
    found = getattr(a.at[index], method)(2.5)
    assert type(found) is Array and np.array_equal(found, want) and np.array_equal(a, np.arange(1.0, 7.0).reshape(2, 3))


def test_at_takes_arrays_and_functions():
    a = Array(np.arange(4.0))
    assert a.at[Array([0, 0, 3])].add(Array([1.0, 1.0, 5.0])).tolist() == [2.0, 1.0, 2.0, 8.0]
    assert a.at[1:3].apply(lambda part: part * 10.0).tolist() == [0.0, 10.0, 20.0, 3.0]
    assert a.at[a > 1.0].set(0.0).tolist() == [0.0, 1.0, 0.0, 0.0]
    assert a.at[2].get() == 2.0 and a.at[1:].get().tolist() == [1.0, 2.0, 3.0]
    assert Array(np.array(1.0)).at[()].add(2.0).tolist() == 3.0


def test_at_keeps_the_dtype_and_takes_python_numbers_as_weak():
    third = Array(np.ones(2, np.float32)).at[0].add(0.1)
    assert third.dtype == np.float32 and third[0] == np.float32(1.0) + np.float32(0.1)
    assert Array(np.ones(2, np.int32)).at[0].set(2.7).tolist() == [2, 1]
    with pytest.raises(OverflowError):
        Array(np.ones(2, np.int32)).at[0].add(2**40)
    with pytest.raises(TypeError, match="same_kind"):
        Array(np.ones(2, np.int64)).at[0].add(0.5)
    with pytest.raises(IndexError, match="out of bounds"):
        Array(np.ones(2)).at[2].set(0.0)
    with pytest.raises(ValueError, match="broadcast"):
        Array(np.ones(2)).at[:].set([1.0, 2.0, 3.0])


def test_at_min_and_max_keep_nan():
    a = Array([np.nan, 1.0])
    with np.errstate(invalid="ignore"):
        assert np.isnan(a.at[0].min(0.0)[0]) and np.isnan(a.at[1].max(np.nan)[1])


# --- operators -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_unary_operators(name, dtype):
    for shape in ((4,), ()):
        agrees(operators.PYTHON[name], Array(values(dtype, shape)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", BINARY)
def test_binary_operators(name, dtype):
    """With an array of the same dtype, an array of NumPy's on either side, and a Python number on either side."""
    function = operators.PYTHON[name]
    left, right = values(dtype, (3, 4)), values(dtype, (4,), seed=1)
    agrees(function, Array(left), Array(right))
    agrees(function, left, Array(right))
    agrees(function, Array(left), right)
    agrees(function, Array(right), 2)
    agrees(function, 2, Array(right))


@pytest.mark.parametrize("other", [True, -1, 2.5, 1j, np.float32(2.0), np.int64(3), [1, 2, 3, 4], (0.5,)], ids=repr)
@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_promote_as_in_numpy(dtype, other):
    a = Array(values(dtype, (4,)))
    for function in (operator.add, operator.lt):
        agrees(function, a, other)
        agrees(function, other, a)


@pytest.mark.parametrize("left", DTYPES)
def test_arrays_promote_as_in_numpy(left):
    for right in DTYPES:
        agrees(operator.mul, Array(values(left, (3,))), Array(values(right, (3,))))


SHAPES = [
    ((3, 1), (1, 4)), ((0,), (1,)), ((), (3,)), ((), ()), ((2, 3), (3, 2)), ((1,), (5,)), ((2, 1, 3), (4, 1)),
    ((3,), (0,)), ((0, 3), (3,)), ((1, 1), ()),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), SHAPES, ids=str)
def test_shapes_broadcast_or_fail_as_in_numpy(left, right):
    x, y = values("float64", left), values("float64", right, seed=1)
    agrees(operator.add, Array(x), Array(y))
    agrees(operator.ge, x, Array(y))


PRODUCTS = [
    ((3, 4), (4, 2)), ((3, 4), (4,)), ((4,), (4, 2)), ((4,), (4,)), ((2, 3, 4), (4, 2)), ((2, 3, 4), (2, 4, 1)),
    ((3, 4), (3, 4)), ((), (3,)), ((0, 4), (4, 2)), ((3, 0), (0, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), PRODUCTS, ids=str)
def test_matrix_products(left, right):
    x, y = values("float64", left), values("float64", right, seed=1)
    agrees(operator.matmul, Array(x), Array(y))
    agrees(operator.matmul, x, Array(y))


def test_views_of_any_strides():
    x = values("float64", (6, 8))
    agrees(operator.add, Array(x[:, ::2]), Array(x.T[::2, ::-1]))
    agrees(operator.matmul, Array(x[:, ::2]), Array(x.T[::-2]))
    agrees(operator.sub, Array(x[0, ::-1]), Array(np.broadcast_to(np.float64(3.0), (8,))))


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, -0.0, 0.0, 5e-324, 2.0, 0.5, -1.0], ids=repr)
@pytest.mark.parametrize("name", ["add", "divide", "floor_divide", "remainder", "power", "less", "equal"])
def test_special_values(name, number):
    agrees(operators.PYTHON[name], Array(SPECIAL), number)
    agrees(operators.PYTHON[name], number, Array(SPECIAL))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_integers_wrap_as_in_numpy(dtype):
    edges = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, -1, 0, 1], dtype)
    for name in ("add", "multiply", "subtract", "floor_divide", "remainder"):
        for edge in edges:
            agrees(operators.PYTHON[name], Array(edges), edge)
    agrees(operator.neg, Array(edges))
    agrees(operator.abs, Array(edges))
    agrees(operator.pow, Array(edges), -1)


@pytest.mark.parametrize("number", [2**40, 2**63, -(2**70), 10**400], ids=["2**40", "2**63", "-2**70", "10**400"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_integers_that_do_not_fit(dtype, number):
    agrees(operator.add, Array(values(dtype, (3,))), number)
    agrees(operator.lt, Array(values(dtype, (3,))), number)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float16", "complex128", ">f8"])
def test_dtypes_without_a_kernel_are_computed_by_numpy(dtype):
    x = np.arange(1, 4).astype(dtype)
    agrees(operator.add, Array(x), np.ones(3))
    agrees(operator.mul, Array(x), 2)
    agrees(operator.neg, Array(x))


def test_powers_of_bools_have_the_dtype_that_numpy_gives_them():
    for exponent in (2, 3, True):
        agrees(operator.pow, Array(np.array([True, False])), exponent)


def test_operators_are_compiled(monkeypatch):
    used = []
    find = operators._find
    monkeypatch.setattr(operators, "_find", lambda name: used.append(name) or find(name))
    a = Array([1.0, 2.0])
    _ = a + a, 1 - a, np.ones(2) * a, np.float64(2.0) / a, a @ a, -a, a < 2, a == a, np.add(a, 1)
    assert used == [
        "add", "subtract", "multiply", "divide", "matmul", "negative", "less", "equal", "add",
    ]  # fmt: skip


def test_comparison_with_other_objects():
    a = Array([1.0, 2.0])
    assert (a == None).tolist() == [False, False] and (a != "x").tolist() == [True, True]  # noqa: E711
    for function in (operator.add, operator.lt, operator.matmul):
        for other in (None, "x", {}, object()):
            with pytest.raises(TypeError):
                function(a, other)


def test_another_class_may_decide():
    class Unit:
        __array_ufunc__ = None

        def __rmul__(self, other):
            return "mine", other

    class Tagged:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return "tagged", ufunc.__name__

    a = Array([1.0])
    assert (a * Unit())[0] == "mine" and a + Tagged() == ("tagged", "add") and np.sin(a).tolist() == [np.sin(1.0)]


def test_other_kinds_of_numpy_arrays_keep_their_rules():
    a = Array(np.arange(3.0))
    masked = np.ma.masked_array([1.0, 2.0, 3.0], [True, False, False])
    for sum_ in (a + masked, masked + a):
        assert type(sum_) is np.ma.MaskedArray and sum_.tolist() == [None, 3.0, 5.0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        column, row = a.reshape(3, 1), np.matrix([1.0, 2.0, 3.0])
        assert (column * row).shape == (3, 3) and (row * column).shape == (1, 1)


def test_divmod():
    x, y = np.array([7.0, -7.0]), np.array([2.0, 2.0])
    for want, found in zip(divmod(x, y), divmod(Array(x), Array(y))):
        assert np.array_equal(want, found)
    assert divmod(7, Array([2]))[1].tolist() == [1]


# --- NumPy's functions ---------------------------------------------------------------------------------------------

FUNCTIONS = {
    "sin": np.sin,
    "sum": np.sum,
    "mean of rows": lambda x: np.mean(x, axis=1, keepdims=True),
    "concatenate": lambda x: np.concatenate([x, x]),
    "stack": lambda x: np.stack((x, x), axis=-1),
    "where": lambda x: np.where(x > 1.0, x, 0.0),
    "einsum": lambda x: np.einsum("ij,kj->ik", x, x),
    "outer": lambda x: np.multiply.outer(x, x),
    "reduce": lambda x: np.add.reduce(x, axis=0),
    "accumulate": lambda x: np.maximum.accumulate(x),
    "norm": np.linalg.norm,
    "modf": np.modf,
    "nonzero": np.nonzero,
    "split": lambda x: np.split(x, 3, axis=1),
    "svd": np.linalg.svd,
    "zeros_like": np.zeros_like,
    "argsort": np.argsort,
    "shape": np.shape,
    "allclose": lambda x: np.allclose(x, x),
    "any": np.any,
    "astype": lambda x: x.astype(np.float32),
    "reshape": lambda x: x.reshape(3, -1),
    "ravel": lambda x: x.ravel(),
    "flatten": lambda x: x.flatten(),
    "transpose": lambda x: x.transpose(1, 0),
    "dot": lambda x: x.dot(x.T),
    "round": lambda x: x.round(1),
    "clip": lambda x: x.clip(0.0, 1.0),
    "std": lambda x: x.std(axis=0, ddof=1),
    "var": lambda x: x.var(),
    "cumsum": lambda x: x.cumsum(axis=1),
    "prod": lambda x: x.prod(),
    "max": lambda x: x.max(axis=1),
    "argmin": lambda x: x.argmin(axis=0),
    "all": lambda x: x.all(),
    "squeeze": lambda x: x[None].squeeze(),
    "take": lambda x: x.take([0, 1], axis=1),
    "searchsorted": lambda x: np.searchsorted(np.arange(3.0), x),
}


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_functions_of_numpy_give_arrays(name):
    x = values("float64", (2, 3))
    same(FUNCTIONS[name](Array(x)), FUNCTIONS[name](x))


def same(found, want):
    if isinstance(want, tuple | list):
        assert type(found) is type(want) and len(found) == len(want)
        for f, w in zip(found, want):
            same(f, w)
    elif isinstance(want, np.ndarray):
        assert type(found) is Array and found.dtype == want.dtype
        np.testing.assert_array_equal(found, want)
    else:
        assert type(found) is type(want) and found == want


def test_nothing_is_written_into_an_array():
    a, x = Array(np.zeros(3)), np.ones(3)
    for write in (
        lambda: np.add(x, 1.0, out=a),
        lambda: np.sin(x, out=(a,)),
        lambda: np.sum(np.ones((3, 2)), axis=1, out=a),
        lambda: x.sum(out=a),
        lambda: np.add.at(a, 0, 1.0),
        lambda: np.copyto(a, x),
        lambda: np.copyto(dst=a, src=x),
        lambda: np.put(a, [0], 1.0),
        lambda: np.putmask(a, x > 0, x),
        lambda: np.fill_diagonal(a.reshape(1, 3), 1.0),
        lambda: np.add.reduce(np.ones((2, 3)), out=a),
        lambda: a.cumsum(out=a),
    ):
        with pytest.raises(TypeError, match="cannot be changed|cannot be written|read-only|must be an array"):
            write()
    with pytest.raises(TypeError, match="cannot be changed"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.random.default_rng(0).shuffle(a)
    assert not np.asarray(a).any()


def test_numpy_arrays_take_results():
    a, out = Array([1.0, 2.0]), np.empty(2)
    assert np.add(a, 1.0, out=out) is out and out.tolist() == [2.0, 3.0]
    assert a.cumsum(out=out) is out and np.cumsum(a, out=out) is out and out.tolist() == [1.0, 3.0]
    out += a
    assert type(out) is np.ndarray and out.tolist() == [2.0, 5.0]
    out[:] = a
    assert out.tolist() == [1.0, 2.0]


def test_conversion_by_numpy():
    a = Array([1.0, 2.0])
    assert np.asarray(a, np.float32).dtype == np.float32 and np.array(a, copy=True).flags.writeable
    assert np.shares_memory(np.asarray(a, copy=False), np.asarray(a))
    with pytest.raises(ValueError, match="copy"):
        np.asarray(a, np.float32, copy=False)


def test_dlpack():
    a = Array(np.arange(3.0))
    back = np.from_dlpack(a)
    assert np.shares_memory(back, np.asarray(a)) and not back.flags.writeable


# --- together with compiled functions ------------------------------------------------------------------------------


def test_compiled_functions_give_and_take_arrays():
    f = compile(lambda x: x * 2.0)
    once = f(np.arange(3.0))
    twice = f(once)
    assert type(once) is type(twice) is Array and twice.tolist() == [0.0, 4.0, 8.0]
    assert f(Array(np.array(1.0))) == 2.0


def test_results_outlive_their_function():
    kept = [compile(lambda x, k=k: x + k)(np.zeros(100)) for k in range(3)]
    assert [float(a.sum()) for a in kept] == [0.0, 100.0, 200.0]
