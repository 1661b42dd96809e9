"""Device functions of complex numbers against NumPy's and Python's: special values in each part, and the last bits."""

import cmath
import itertools

import mpmath
import numpy as np
import pytest

import pellucid.support as support
from pellucid.runtime.lockstep import cuda, faults

from .test_device_functions import applied, kernel

EACH_COMPLEX = pytest.mark.parametrize("dtype", [np.complex64, np.complex128], ids=lambda dtype: dtype.__name__)
FUNCTIONS = """sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh
    arctanh rint conjugate reciprocal absolute""".split()
QUESTIONS = "isnan isinf isfinite".split()
LAST_BITS = 4  # units in the last place of each part; NumPy's own functions are off by one or two


def parts_of(dtype):
    """Numbers at which a formula goes wrong first."""
    of = np.finfo(dtype)
    sizes = [0.0, 0.3, 1.0, 1.5, 3.0, 12.0, 50.0, 1e10, of.eps / 3, 1 - of.epsneg, of.tiny * 4, of.max / 4, np.inf]
    return np.array([*sizes, *(-size for size in sizes), np.nan], of.dtype)


def made_of(real, imaginary, dtype):
    """Complex numbers of parts, exactly: a product with 1j would make nan of infinities."""
    made = np.empty(real.shape, dtype)
    made.real, made.imag = real, imaginary
    return made


def special(dtype):
    """Every pair of such parts."""
    parts = parts_of(dtype)
    return made_of(np.repeat(parts, parts.size), np.tile(parts, parts.size), dtype)


def pairs_of(x, y):
    return [np.array(part, x.dtype) for part in zip(*itertools.product(x, y), strict=True)]


def parts(x):
    return (x.real, x.imag) if x.dtype.kind == "c" else (x,)


def assert_close(found, wanted, units):
    """Each part: nan, infinite and zero where the other is, with its sign, and otherwise off by so many units."""
    assert found.dtype == wanted.dtype
    for one, other in zip(parts(found), parts(wanted), strict=True):
        np.testing.assert_array_equal(np.isnan(one), np.isnan(other))
        np.testing.assert_array_equal(np.isinf(one), np.isinf(other))
        is_plain = (other == 0) | np.isinf(other)
        np.testing.assert_array_equal(np.signbit(one)[is_plain], np.signbit(other)[is_plain])
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(
                one, other, rtol=units * np.finfo(other.dtype).eps, atol=np.finfo(other.dtype).tiny
            )


@EACH_COMPLEX
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, dtype):
    x = special(dtype)
    with np.errstate(all="ignore"):
        wanted = getattr(np, name)(x)
    assert_close(applied(getattr(support, f"complex_{name}"), x, dtype=wanted.dtype), wanted, LAST_BITS)


@EACH_COMPLEX
@pytest.mark.parametrize("name", QUESTIONS)
def test_questions(name, dtype):
    x = special(dtype)
    found = applied(getattr(support, f"complex_{name}"), x, dtype=np.bool_)
    np.testing.assert_array_equal(found, getattr(np, name)(x))


@EACH_COMPLEX
@pytest.mark.parametrize("name", ["less", "less_equal"])
def test_order(name, dtype):
    x, y = pairs_of(special(dtype)[::7], special(dtype)[::9])
    with np.errstate(all="ignore"):
        wanted = getattr(np, name)(x, y)
    np.testing.assert_array_equal(applied(getattr(support, f"complex_{name}"), x, y, dtype=np.bool_), wanted)


@EACH_COMPLEX
@pytest.mark.parametrize("name", ["divide", "maximum", "minimum", "fmax", "fmin"])
def test_of_two_numbers_the_same_bits(name, dtype):
    x, y = pairs_of(special(dtype)[::7], special(dtype)[::9])
    with np.errstate(all="ignore"):
        wanted = getattr(np, name)(x, y)
    assert_close(applied(getattr(support, f"complex_{name}"), x, y), wanted, 0)


WHOLE = [0, 1, -1, 2, 3, -2, 4, 7, -5, 100, -100, 99, 101]
EXPONENTS = [*WHOLE, 0.5, -0.5, 1.5, 1j, 2 + 1j, -1 - 1j, complex("inf"), complex("nan")]


@EACH_COMPLEX
def test_powers(dtype):
    """A power by the logarithm is off by as much as exp makes of the last bit of its argument."""
    x, y = pairs_of(special(dtype)[::3], np.array(EXPONENTS, dtype))
    with np.errstate(all="ignore"):
        wanted = np.array([base**exponent for base, exponent in zip(x, y)], dtype)
        found = applied(support.complex_power, x, y)
        size = np.abs(wanted.astype(np.complex128))
        steps = 8 + 4 * np.abs(y * np.log(x)).astype(np.float64)
    is_number = np.isfinite(wanted) & np.isfinite(steps)
    for one, other in ((found.real, wanted.real), (found.imag, wanted.imag)):
        np.testing.assert_array_equal(np.isnan(one), np.isnan(other))
        np.testing.assert_array_equal(np.isinf(one), np.isinf(other))
        off = np.abs(one.astype(np.float64) - other)[is_number]
        assert (off <= (steps * size)[is_number] * np.finfo(dtype).eps + np.finfo(dtype).tiny).all()


@EACH_COMPLEX
def test_logarithms_near_the_unit_circle(dtype):
    """Where x*x + y*y is nearly 1, what is left of it is right."""
    angles = np.random.default_rng(5).uniform(0, 7, 300)
    x = (np.exp(1j * angles) * (1 + np.random.default_rng(6).choice([0, 1e-12, -1e-9, 1e-5], 300))).astype(dtype)
    found = applied(support.complex_log, x)
    mpmath.mp.prec = 200
    for number, log in zip(x, found):
        exact = mpmath.log(mpmath.mpc(float(number.real), float(number.imag)))
        assert abs(mpmath.mpf(float(log.real)) - exact.real) <= LAST_BITS * np.finfo(dtype).eps * abs(exact.real)


# --- Python's numbers, which raise -----------------------------------------------------------------------------------

OF_PYTHON = {
    "checked_complex_divide": (lambda x, y: x / y, 2),
    "checked_complex_power": (lambda x, y: x**y, 2),
    "checked_complex_absolute": (abs, 1),
}


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except ArithmeticError:
        return None


@pytest.mark.parametrize("name", OF_PYTHON)
def test_what_python_raises_for_is_noted(name):
    function, count = OF_PYTHON[name]
    x = special(np.complex128)[::5]
    y = np.array([0, 1, 2, 3, -1, 5, 0.5, 2 + 1j, -0.3, 400])
    operands = pairs_of(x, y) if count == 2 else [x]
    names = ["x", "y"][:count]
    call = f"function({', '.join(f'{name}[0]' for name in names)}, failed)"
    text = f"def apply({', '.join(names)}, out, failed):\n    out[0] = {call}\n"
    made = kernel(text, function=getattr(support, name))
    for given in zip(*operands):
        if not all(map(cmath.isfinite, given)):
            continue  # Python's errors for these depend on how it gets to the result
        failed, out = faults(), cuda.device_array(1, np.complex128 if count == 2 else np.float64)
        made[1, 1](*(cuda.to_device(np.array([one])) for one in given), out, failed)
        wanted = outcome(function, *map(complex, given))
        assert (failed.copy_to_host()[0] != 0) == (wanted is None), given
        if wanted is not None and cmath.isfinite(wanted):
            assert abs(out.copy_to_host()[0] - wanted) <= 1e-12 * abs(wanted), given


@EACH_COMPLEX
@pytest.mark.parametrize("name", ["sum", "prod"])
def test_what_the_threads_before_have(name, dtype):
    word = "c64" if dtype == np.complex64 else "c128"
    draws = np.random.default_rng(7)
    x = np.exp(1j * draws.uniform(0, 7, 256)).astype(dtype)
    text = "def apply(x, out, whole):\n    i = cuda.threadIdx.x\n    before, total = scan(x[i])\n"
    text += "    out[i] = before\n    whole[i] = total\n"
    out, whole = cuda.device_array(256, dtype), cuda.device_array(256, dtype)
    kernel(text, scan=getattr(support, f"block_scan_{name}_{word}"))[1, 256](cuda.to_device(x), out, whole)
    exact = (np.cumsum if name == "sum" else np.cumprod)(x.astype(np.clongdouble))
    tolerance = 300 * np.finfo(dtype).eps
    np.testing.assert_allclose(out.copy_to_host(), [name == "prod", *exact[:-1]], rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(whole.copy_to_host(), np.full(256, exact[-1]), rtol=tolerance, atol=tolerance)


@EACH_COMPLEX
@pytest.mark.parametrize("name", ["sum", "prod"])
def test_folds_over_columns(name, dtype):
    word = "c64" if dtype == np.complex64 else "c128"
    x = np.exp(1j * np.random.default_rng(8).uniform(0, 7, (8, 32))).astype(dtype)
    text = "def apply(x, out):\n    i, j = cuda.threadIdx.y, cuda.threadIdx.x\n    out[i, j] = fold(x[i, j])\n"
    out = cuda.device_array((8, 32), dtype)
    kernel(text, fold=getattr(support, f"column_{name}_{word}"))[1, (32, 8)](cuda.to_device(x), out)
    wanted = np.broadcast_to(getattr(np, name)(x, axis=0), (8, 32))
    tolerance = 100 * np.finfo(dtype).eps
    np.testing.assert_allclose(out.copy_to_host(), wanted, rtol=tolerance, atol=tolerance)
