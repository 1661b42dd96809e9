"""What kernels call against NumPy, with special values, extremes and folds over rows of every shape."""

import itertools
import linecache
import math

import mpmath
import numpy as np
import pytest

import pellucid.support as support
from pellucid.runtime.kernels.loading import load
from pellucid.runtime.lockstep import LockstepError, cuda
from pellucid.support import elements, rows

FLOATS = [np.float32, np.float64]
INTEGERS = [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64]
EACH_FLOAT = pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.__name__)
EACH_INTEGER = pytest.mark.parametrize("dtype", INTEGERS, ids=lambda dtype: dtype.__name__)
PER_ELEMENT = """def apply({parameters}, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = {call}
"""


def kernel(text, **names):
    """A kernel made of a text, which the machine finds where Python keeps the lines of files."""
    file = f"<kernel {len(linecache.cache)}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    scope = {"cuda": cuda, "np": np, "math": math, **names}
    exec(compile(text, file, "exec"), scope)
    return cuda.jit(scope["apply"])


def applied(function, *arrays, dtype=None, spelling="function"):
    """The function of every element of some arrays, on the machine."""
    names = [f"x_{k}" for k in range(len(arrays))]
    call = f"{spelling}({', '.join(f'{name}[i]' for name in names)})"
    made = kernel(PER_ELEMENT.format(parameters=", ".join(names), call=call), function=function)
    out = cuda.device_array(arrays[0].shape, dtype or arrays[0].dtype)
    made[elements(arrays[0].size)](*map(cuda.to_device, arrays), out)
    return out.copy_to_host()


def every_pair(values, count=2):
    return [np.array(part, values.dtype) for part in zip(*itertools.product(values, repeat=count), strict=True)]


def special(dtype):
    """Numbers at which a formula goes wrong first."""
    of = np.finfo(dtype)
    values = [0.0, 0.1, 0.3, 0.5, 1, 1.5, 2, 2.5, 3.7, 7, 1e10, 1 - of.epsneg, 0.5 - of.epsneg / 2, 1 / of.eps - 0.5]
    values += [of.max, of.tiny, of.smallest_subnormal, np.inf]
    return np.array([*values, *(-v for v in values), np.nan], dtype)


def extremes(dtype):
    of = np.iinfo(dtype)
    values = [0, 1, 2, 3, 7, 13, 100, of.max, of.max - 1, of.min, of.min + 1, *([-1, -2, -3, -7] if of.min else [])]
    return np.array(values, dtype)


def same(found, wanted):
    """Equal to the sign of a zero; where one is nan the other is too."""
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)
    if found.dtype.kind == "f":
        is_number = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found)[is_number], np.signbit(wanted)[is_number])


@EACH_FLOAT
@pytest.mark.parametrize("name", "floor_divide remainder heaviside fmax fmin maximum minimum".split())
def test_two_floats(name, dtype):
    a, b = every_pair(special(dtype))
    with np.errstate(all="ignore"):
        wanted = getattr(np, name)(a, b)
    if "m" in name[:4] and name != "remainder":  # which zero is the greater one NumPy leaves to the processor
        np.testing.assert_array_equal(applied(getattr(support, name), a, b), wanted)
    else:
        same(applied(getattr(support, name), a, b), wanted)


@EACH_FLOAT
@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2"])
def test_logarithms_of_sums(name, dtype):
    a, b = every_pair(special(dtype))
    with np.errstate(all="ignore"):
        wanted = getattr(np, name)(a, b)
    eps = 4 * np.finfo(dtype).eps  # of the sum of a number and a logarithm, which may cancel
    np.testing.assert_allclose(applied(getattr(support, name), a, b), wanted, rtol=eps, atol=eps)


@EACH_FLOAT
@pytest.mark.parametrize("name", "sign rint square reciprocal signbit".split())
def test_one_float(name, dtype):
    x = special(dtype)
    with np.errstate(all="ignore"):
        wanted = getattr(np, name)(x)
    same(applied(getattr(support, name), x, dtype=wanted.dtype), wanted)


@EACH_FLOAT
def test_cube_roots_are_right_to_the_last_bits(dtype):
    x = np.concatenate([special(dtype), np.geomspace(1e-30, 1e30, 200).astype(dtype)])
    found = applied(support.cbrt, x)
    same(found[~np.isfinite(x)], x[~np.isfinite(x)])
    for root, cube in zip(found[np.isfinite(x)], x[np.isfinite(x)]):
        exact = mpmath.sign(cube) * mpmath.cbrt(abs(mpmath.mpf(float(cube))))
        assert abs(mpmath.mpf(float(root)) - exact) <= 2 * np.finfo(dtype).eps * abs(exact)


@EACH_FLOAT
def test_bounds_that_cross(dtype):
    x, low, high = every_pair(np.array([np.nan, -np.inf, -1, 0.5, 2, np.inf], dtype), 3)
    np.testing.assert_array_equal(applied(support.clip, x, low, high), np.clip(x, low, high))


OF_INTEGERS = {
    "floor_divide_integer": np.floor_divide,
    "remainder_integer": np.remainder,
    "fmod_integer": np.fmod,
    "left_shift": np.left_shift,
    "right_shift": np.right_shift,
    "maximum": np.maximum,
    "minimum": np.minimum,
}


@EACH_INTEGER
@pytest.mark.parametrize("name", OF_INTEGERS)
def test_two_integers(name, dtype):
    a, b = every_pair(extremes(dtype))
    with np.errstate(all="ignore"):
        wanted = OF_INTEGERS[name](a, b)
    same(applied(getattr(support, name), a, b), wanted)


@EACH_INTEGER
def test_powers_and_signs_of_integers(dtype):
    a, b = every_pair(extremes(dtype))
    a, b = a[b >= 0], b[b >= 0]
    same(applied(support.power_integer, a, b), np.power(a, b))
    for name in ("sign", "square"):
        same(applied(getattr(support, name), a), getattr(np, name)(a))


# --- math ------------------------------------------------------------------------------------------------------------

OF_MATH = {
    "acos": np.arccos, "atan2": np.arctan2, "ceil": np.ceil, "copysign": np.copysign, "exp": np.exp, "expm1": np.expm1,
    "floor": np.floor, "fmod": np.fmod, "hypot": np.hypot, "log": np.log, "log1p": np.log1p, "nextafter": np.nextafter,
    "pow": np.power, "sqrt": np.sqrt, "tanh": np.tanh, "trunc": np.trunc,
}  # fmt: skip


@EACH_FLOAT
@pytest.mark.parametrize("name", OF_MATH)
def test_math_stays_in_its_dtype_and_raises_nothing(name, dtype):
    count = OF_MATH[name].nin
    arrays = every_pair(special(dtype), count)
    with np.errstate(all="ignore"):
        wanted = OF_MATH[name](*arrays)
    same(applied(None, *arrays, spelling=f"math.{name}"), wanted)


@EACH_FLOAT
def test_functions_that_numpy_has_not(dtype):
    x = np.array([0.5, -0.0, 0.0, 2.5, -1.0, 1e30, np.inf, np.nan], dtype)
    found = applied(None, x, spelling="math.gamma")
    wanted = [math.gamma(0.5), -np.inf, np.inf, math.gamma(2.5), np.nan, np.inf, np.inf, np.nan]
    np.testing.assert_allclose(found, wanted)
    assert applied(None, x, spelling="math.lgamma")[4] == np.inf
    np.testing.assert_allclose(applied(None, x, spelling="math.erf"), [math.erf(v) for v in x], rtol=1e-6)


def test_math_of_integers_is_float64():
    x = np.array([0, 1, 2, 100], np.int8)
    same(applied(None, x, dtype=np.float64, spelling="math.exp"), np.exp(x.astype(np.float64)))


@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda dtype: dtype.__name__)
def test_casts_to_integers_cut_off_what_does_not_fit(dtype):
    x = np.array([0, -1, 300, -300, 2**31, 2**40 + 5, -(2**63), 2**63 - 1])
    same(applied(None, x, dtype=dtype, spelling=f"np.{dtype.__name__}"), x.astype(dtype))
    same(applied(None, x, dtype=dtype, spelling=f"np.{dtype.__name__}(2**70) + np.{dtype.__name__}"), x.astype(dtype))
    floats = np.array([0.0, 1.9, 100.5])
    same(applied(None, floats, dtype=dtype, spelling=f"np.{dtype.__name__}"), floats.astype(dtype))


def test_integers_wrap_and_division_by_zero_is_silent():
    x = np.array([2**63 - 1, -(2**63), 0])
    made = kernel(PER_ELEMENT.format(parameters="x", call="x[i] + x[i] + x[i] // np.int64(0)"))
    out = cuda.device_array(3, np.int64)
    made[1, 3](cuda.to_device(x), out)
    np.testing.assert_array_equal(out.copy_to_host(), [-2, 0, 0])


# --- folds -----------------------------------------------------------------------------------------------------------

FOLD = """def apply(x, out, first):
    i = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    value = first
    if i < x.shape[0]:
        for j in range(cuda.threadIdx.x, x.shape[1], cuda.blockDim.x):
            value = two(value, x[i, j])
    value = fold(value)
    if i < x.shape[0]:
        out[i, cuda.threadIdx.x] = value
"""
PLACE = """def apply(x, out, first):
    i = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    value = first
    place = np.int64(2**62)
    if i < x.shape[0]:
        for j in range(cuda.threadIdx.x, x.shape[1], cuda.blockDim.x):
            if place == 2**62 or is_before(x[i, j], np.int64(j), value, place):
                value = x[i, j]
                place = np.int64(j)
    value, place = fold(value, place)
    if i < x.shape[0]:
        out[i, cuda.threadIdx.x] = place
"""
DTYPES = {
    "f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32, "u64": np.uint64, "u8": np.uint8,
    "c128": np.complex128, "c64": np.complex64,
}  # fmt: skip
SHAPES = [(1, 1), (5, 31), (3, 32), (2, 600), (1, 1500)]
ROWS = [name for name in load(cuda) if name.startswith("row_")]
FOLDS = [name for name in ROWS if name.count("_") == 2]


def folded(name, text, x, first, **names):
    """What each thread of the rows has after the fold, (rows, threads)."""
    launch = rows(*x.shape)
    made = kernel(text, fold=getattr(support, name), **names)
    out = cuda.device_array((x.shape[0], launch[1][0]), np.int64 if "arg" in name else x.dtype)
    made[launch](cuda.to_device(x), out, first)
    return out.copy_to_host()


def drawn(dtype, shape):
    draws = np.random.default_rng(3)
    if np.dtype(dtype).kind == "c":
        return (draws.standard_normal(shape) + 1j * draws.standard_normal(shape)).astype(dtype)
    if np.dtype(dtype).kind == "f":
        return draws.standard_normal(shape).astype(dtype)
    return draws.integers(0, 200, shape).astype(dtype)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", [name for name in FOLDS if "arg" not in name])
def test_folds(name, shape):
    _, kind, dtype = name.split("_")
    x = drawn(DTYPES[dtype], shape)
    if x.dtype.kind == "c" and kind == "prod":
        x /= abs(x)  # of many numbers of other sizes no product is left
    two = {"sum": lambda a, b: a + b, "prod": lambda a, b: a * b, "max": max, "min": min}[kind]
    first = x.dtype.type({"sum": 0, "prod": 1, "max": x.min(), "min": x.max()}[kind])
    is_single = dtype in ("f32", "c64")
    with np.errstate(all="ignore"):
        wanted = getattr(np, kind)(x, axis=1).astype(x.dtype)
    found = folded(name, FOLD, x, first, two=two)
    assert (found.T == found[:, 0]).all()  # every thread has the same
    rtol = 0 if x.dtype.kind in "iu" or kind in ("max", "min") else 1e-4 if is_single else 1e-12
    np.testing.assert_allclose(found[:, 0], wanted, rtol=rtol, atol=1e-4 if is_single and rtol else 0)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", [name for name in FOLDS if "arg" in name])
def test_places_of_extremes(name, shape):
    _, kind, dtype = name.split("_")
    x = drawn(DTYPES[dtype], shape)
    draws = np.random.default_rng(4)
    if x.dtype.kind == "f":
        x[0, draws.integers(0, shape[1], 3)] = np.nan  # the first nan
        x[-1, draws.integers(0, shape[1], 3)] = np.inf if kind == "argmax" else -np.inf
    is_maximum = kind == "argmax"
    ends = (-np.inf, np.inf) if x.dtype.kind == "f" else (np.iinfo(x.dtype).min, np.iinfo(x.dtype).max)
    first = x.dtype.type(ends[0] if is_maximum else ends[1])  # of threads without terms

    def is_before(a, i, b, j):
        if a != a or b != b:
            return a != a and b == b
        return a > b if is_maximum else a < b

    found = folded(name, PLACE, x, first, is_before=is_before)
    assert (found.T == found[:, 0]).all()
    np.testing.assert_array_equal(found[:, 0], getattr(np, kind)(x, axis=1))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", [name for name in ROWS if name.startswith("row_last")])
def test_places_of_the_last_of_equal_extremes(name, shape):
    _, _, kind, dtype = name.split("_")
    x = drawn(DTYPES[dtype], shape)
    x = np.round(x) if x.dtype.kind == "f" else x % 5
    is_maximum = kind == "argmax"
    ends = (-np.inf, np.inf) if x.dtype.kind == "f" else (np.iinfo(x.dtype).min, np.iinfo(x.dtype).max)
    first = x.dtype.type(ends[0] if is_maximum else ends[1])
    found = folded(name, PLACE, x, first, is_before=lambda a, i, b, j: a >= b if is_maximum else a <= b)
    assert (found.T == found[:, 0]).all()
    np.testing.assert_array_equal(found[:, 0], x.shape[1] - 1 - getattr(np, kind)(x[:, ::-1], axis=1))


COLUMN = """def apply(x, out, first):
    value = first
    for i in range(cuda.threadIdx.y, x.shape[0], cuda.blockDim.y):
        value = two(value, x[i, cuda.threadIdx.x])
    out[cuda.threadIdx.y, cuda.threadIdx.x] = fold(value)
"""
COLUMNS = [name for name in load(cuda) if name.startswith("column_") and name != "column_fold"]


@pytest.mark.parametrize("name", COLUMNS)
def test_folds_of_columns(name):
    _, kind, *dtype = name.split("_")
    x = drawn(DTYPES[dtype[0]], (20, 32)) if dtype else np.random.default_rng(5).uniform(size=(20, 32)) < 0.06
    x = x if dtype or kind == "any" else ~x
    two = {"sum": lambda a, b: a + b, "prod": lambda a, b: a * b, "max": max, "min": min,
           "any": lambda a, b: a or b, "all": lambda a, b: a and b}[kind]  # fmt: skip
    starts = {"sum": 0, "prod": 1, "max": x.min(), "min": x.max(), "any": False, "all": True}
    made = kernel(COLUMN, fold=getattr(support, name), two=two)
    out = cuda.device_array((8, 32), x.dtype)
    with np.errstate(all="ignore"):
        made[1, (32, 8)](cuda.to_device(x), out, x.dtype.type(starts[kind]))
        wanted = getattr(np, kind)(x, axis=0).astype(x.dtype)
    rtol = {"f64": 1e-12, "c128": 1e-12, "f32": 1e-4, "c64": 1e-4}.get("".join(dtype), 0)
    np.testing.assert_allclose(out.copy_to_host(), np.tile(wanted, (8, 1)), rtol=rtol, atol=rtol)


@pytest.mark.parametrize("threads", [32, 64, 256, 1024])
@pytest.mark.parametrize("name", [name for name in ROWS if "before" in name])
def test_what_the_threads_before_have(name, threads):
    _, kind, _, dtype = name.split("_")
    x = drawn(DTYPES[dtype], threads)
    text = "def apply(x, out):\n    i = cuda.threadIdx.x\n    out[i] = scan(x[i])\n"
    made = kernel(text, scan=getattr(support, name))
    out = cuda.device_array(threads, x.dtype)
    made[1, threads](cuda.to_device(x), out)
    whole = (np.cumsum if kind == "sum" else np.cumprod)(x.astype(np.longdouble) if x.dtype.kind == "f" else x)
    wanted = np.concatenate([[kind == "prod"], whole[:-1]]).astype(x.dtype)
    rtol = {"f": 1e-12 if dtype == "f64" else 1e-4}.get(x.dtype.kind, 0)
    np.testing.assert_allclose(out.copy_to_host(), wanted, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("name", ["row_any", "row_all"])
@pytest.mark.parametrize("threads", [32, 128])
def test_whether_any_or_all(name, threads):
    made = kernel(
        "def apply(x, out):\n    out[cuda.threadIdx.x] = fold(x[cuda.threadIdx.x])\n", fold=getattr(support, name)
    )
    for x in (np.zeros(threads, bool), np.ones(threads, bool), np.arange(threads) == threads - 1):
        out = cuda.device_array(threads, bool)
        made[1, threads](cuda.to_device(x), out)
        np.testing.assert_array_equal(out.copy_to_host(), np.full(threads, getattr(np, name[4:])(x)))


@pytest.mark.parametrize("name", ["row_max_f64", "row_min_f64"])
def test_of_two_zeros_every_thread_has_the_same(name):
    x = np.where(np.arange(64) % 2, 0.0, -0.0).reshape(2, 32)
    found = folded(name, FOLD, x, np.float64(0.0), two=lambda a, b: b)
    assert len(set(np.signbit(found[0]))) == 1


def test_a_shuffle_carries_no_narrow_integers():
    made = kernel("def apply(x):\n    cuda.shfl_xor_sync(0xFFFFFFFF, x[cuda.threadIdx.x], 1)\n")
    with pytest.raises(LockstepError, match="carries int32, int64, float32 and float64, not np.uint8"):
        made[1, 32](cuda.to_device(np.zeros(32, np.uint8)))


# --- shapes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 31, 255, 256, 257, 8192, 8193, 10**6])
def test_launches_cover_all_and_are_possible(n):
    blocks, threads = support.elements(n)
    assert blocks >= 1 and 0 <= blocks * threads - n < threads or n == 0
    for m in (70, 3, 0):
        (across, down, *layers), (x, y) = support.tiles(n, m)
        assert across * x >= m and down * (layers or [1])[0] * y >= n and min(across, down) >= 1 and down <= 65535
        assert x * y == 256 and x >= min(m, 32)
    blocks, (threads, _) = support.parts(n)
    assert max(blocks - 1, 0) * 8192 < max(n, 1) <= blocks * 8192


@pytest.mark.parametrize("m", [0, 1, 512, 513, 2000, 4095, 4096, 10**6])
def test_a_warp_lies_in_one_row(m):
    blocks, (x, y) = support.rows(1000, m)
    assert x % 32 == 0 and x * y <= 1024 and blocks * y >= 1000
    assert y == 1 or x == 32
