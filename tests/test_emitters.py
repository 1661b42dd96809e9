"""Every scalar emitter against NumPy, SciPy and Python, on awkward numbers: nan, infinities, -0.0, extreme ints."""

from __future__ import annotations

import itertools
import math
import operator
import warnings

import numpy as np
import pytest
import scipy.special

import pellucid.compiler.ops  # noqa: F401  (fills the table)
from pellucid.compiler.dtypes import DTYPE, DTYPE_OF_NUMPY, NUMPY_DTYPE, holds
from pellucid.compiler.ops import schema, type_rules
from pellucid.compiler.ops.works_in import as_floats
from pellucid.compiler.targets.llvm.complex_emitters import OF_COMPLEX
from pellucid.compiler.targets.llvm.conversions import SATURATES
from pellucid.compiler.targets.llvm.emitters import EMITTERS
from pellucid.compiler.targets.llvm.llvm import compile_program
from pellucid.compiler.types import Scalar
from tests.harness.loops_text import read_loops

NUMPY = {word: dtype.type for word, dtype in NUMPY_DTYPE.items()}
FLOATS = [word for word, row in DTYPE.items() if row.kind == "float"]
PAIRS = [word for word, row in DTYPE.items() if row.kind == "complex"]
WHOLE = [word for word, row in DTYPE.items() if row.kind == "int"]
INF, NAN = float("inf"), float("nan")
REALS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 2.0, -2.0, 3.0, 10.0, -10.0, 1e-300, -1e-300, 1e-8,
         0.1, -0.7, 100.25, -100.75, 1e10, -1e10, 700.0, 1e300, -1e300, INF, -INF, NAN]  # fmt: skip
INTS = [0, 1, -1, 2, -2, 3, -3, 5, -5, 7, -7, 31, 32, 63, 64, 65, -64, 1000, -1000]
WIDE_INTS = {"i64": [2**62, -(2**62), 2**31, 2**53 + 1, -(2**53) - 1], "u64": [2**63, 2**63 + 1, 2**53 + 1, 2**32]}


def ints_of(dtype):
    """Ints that the dtype holds, its ends among them."""
    least, greatest = int(DTYPE[dtype].least), int(DTYPE[dtype].greatest)
    wanted = [*INTS, least, least + 1, greatest, greatest - 1, greatest // 2 + 1, *WIDE_INTS.get(dtype, ())]
    return list(dict.fromkeys(v for v in wanted if holds(dtype, v)))


COMPLEX = [complex(a, b) for a in (0.0, -0.0, 1.5, -2.5, 100.25, NAN, INF) for b in (0.0, 1.0, -0.75, NAN, -INF)]
VALUES = {**{d: REALS for d in FLOATS}, **{d: ints_of(d) for d in WHOLE}, "bool": [False, True]}
VALUES |= dict.fromkeys(PAIRS, COMPLEX)
SPECIAL = {"erf", "erfc", "gamma", "gammaln", "digamma"}
OF_SCIPY = [row for row in schema.OPERATORS.values() if row.cpu.startswith("scipy ")]
UNARY_FLOAT = """negative positive absolute sign square reciprocal sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos
    tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh rint floor ceil trunc deg2rad rad2deg erf erfc gamma
    gammaln digamma isnan isinf isfinite signbit stop_gradient drawn given tangent_of real imag conjugate""".split()
UNARY_INT = "negative positive absolute sign square reciprocal floor ceil trunc invert".split()
BINARY_FLOAT = """add subtract multiply divide floor_divide remainder power fmod maximum minimum fmax fmin copysign
    heaviside hypot arctan2 logaddexp logaddexp2 nextafter equal not_equal less less_equal greater greater_equal
    float_power with_tangent complex_of""".split()
BINARY_INT = """add subtract multiply divide floor_divide remainder fmod maximum minimum fmax fmin equal not_equal less
    less_equal greater greater_equal bitwise_and bitwise_or bitwise_xor left_shift right_shift""".split()
BINARY_BOOL = """add multiply maximum minimum equal not_equal less less_equal greater greater_equal bitwise_and
    bitwise_or bitwise_xor logical_and logical_or logical_xor""".split()
STOPPED = "stop_gradient drawn given tangent_of with_tangent".split()
# The C library's and NumPy's own implementations of these differ by more than the last place.
ULPS = {"f64": 4, "f32": 4, "f16": 1}
LOOSE = {"gamma": 40, "gammaln": 40, "digamma": 40, "logaddexp": 8, "logaddexp2": 8, "reciprocal": 0}


def reference(name):
    if name in STOPPED or name in ("complex_of", "bits", "of_bits"):
        return schema.OPERATORS[name].meaning
    return getattr(scipy.special, {"digamma": "psi"}.get(name, name)) if name in SPECIAL else getattr(np, name)


def elementwise_program(names, dtype, count):
    """A program that applies each operator to whole arrays, one loop per operator."""
    operands = ["x", "y", "z"][:count]
    parameters = ", ".join(f"{o}: '{dtype}[n]'" for o in operands)
    lines = [f"def main({parameters}):"]
    for name in names:
        result = result_dtype(name, dtype, count)
        lines += [
            f"    out_{name} = empty(dim(x, 0), '{result}')",
            "    for i in range(dim(x, 0)):",
            f"        out_{name}[i] = {name}({', '.join(f'{o}[i]' for o in operands)})",
        ]
    lines.append(f"    return {', '.join(f'out_{name}' for name in names)}")
    return compile_program(read_loops("\n".join(lines)))


def result_dtype(name, dtype, count):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answer = reference(name)(*[np.ones(1, NUMPY[dtype])] * count).dtype
    return next(k for k, t in NUMPY.items() if t == answer)


def check(name, dtype, got, expected, operands):
    assert got.dtype == expected.dtype, name
    if expected.dtype.kind == "c":
        pairs = (got.real, expected.real), (got.imag, expected.imag)
        return [check(name, dtype, *parts, operands) for parts in pairs]
    if expected.dtype.kind != "f":
        wrong = got != expected
    else:
        places = LOOSE.get(name, ULPS[DTYPE_OF_NUMPY[expected.dtype]])
        close = np.abs(got - expected) <= places * np.spacing(np.abs(expected))
        same = (got == expected) & (np.signbit(got) == np.signbit(expected))
        if name in ("maximum", "minimum", "fmax", "fmin"):
            same = got == expected  # which of two zeros wins is left open by NumPy
        wrong = ~(same | (close & (expected != 0)) | (np.isnan(got) & np.isnan(expected)))
    where = np.flatnonzero(wrong)
    assert not len(where), [(name, *(o[k] for o in operands), got[k], expected[k]) for k in where[:5]]


def array_of(values, dtype):
    with np.errstate(over="ignore"):  # the largest doubles are infinite as singles
        return np.array(values).astype(NUMPY[dtype])


def is_defined(value, target):
    """Whether C says what a float is as an int, or x86 goes by its signed conversions to 32 and 64 bits."""
    row, whole = DTYPE[target], int(value) if math.isfinite(value) else None
    if row.kind != "int" or (row.signed and row.bits >= 32):
        return True  # what does not fit is what the processor gives
    if whole is None or SATURATES:
        return whole is not None and holds(target, whole)
    between = 32 if row.bits <= 32 else 64
    return -(2 ** (between - 1)) <= whole < 2 ** max(between - 1, row.bits)


def run(names, dtype, count, values=None):
    values = array_of(VALUES[dtype] if values is None else values, dtype)
    grids = [g.ravel() for g in np.meshgrid(*[values] * count)]
    results = elementwise_program(names, dtype, count)(grids)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, got in zip(names, results):
            check(name, dtype, got, reference(name)(*grids), grids)


@pytest.mark.parametrize("dtype", FLOATS)
def test_functions_of_one_float(dtype):
    with np.errstate(all="ignore"):
        run(UNARY_FLOAT, dtype, 1)


@pytest.mark.parametrize("dtype", WHOLE)
def test_functions_of_one_int(dtype):
    run(UNARY_INT, dtype, 1)


@pytest.mark.parametrize("dtype", FLOATS)
def test_functions_of_two_floats(dtype):
    run(BINARY_FLOAT, dtype, 2)


@pytest.mark.parametrize("dtype", WHOLE)
def test_functions_of_two_ints(dtype):
    run(BINARY_INT, dtype, 2)


def test_functions_of_bools():
    run(BINARY_BOOL, "bool", 2)
    run(["absolute", "logical_not", "invert"], "bool", 1)


@pytest.mark.parametrize("dtype", WHOLE)
def test_powers_of_ints_wrap(dtype):
    program = elementwise_program(["power"], dtype, 2)
    bases = np.array(VALUES[dtype], NUMPY[dtype])
    for exponent in (0, 1, 2, 3, 5, 31, 62, 63, 64, 101):  # all of which an int8 holds
        exponents = np.full(len(bases), exponent, NUMPY[dtype])
        assert np.array_equal(program([bases, exponents])[0], np.power(bases, exponents))
    if not DTYPE[dtype].signed:
        return
    with pytest.raises(ValueError, match="Integers to negative integer powers are not allowed"):
        program([bases, np.full(len(bases), -1, NUMPY[dtype])])


@pytest.mark.parametrize("source", list(NUMPY))
def test_casts(source):
    targets = [t for t in NUMPY if t != source]
    lines = [f'def main(x: "{source}[n]"):']
    for target in targets:
        lines += [
            f"    out_{target} = empty(dim(x, 0), '{target}')",
            "    for i in range(dim(x, 0)):",
            f"        out_{target}[i] = cast(x[i], dtype='{target}')",
        ]
    lines.append(f"    return {', '.join(f'out_{t}' for t in targets)}")
    more = [2147483647.5, 2147483648.0, -2147483648.5, -2147483649.0, 9.3e18, -9.3e18, 9223372036854774784.0,
            1.8e19, 1.0 + 2.0**-11, 1.0 + 2.0**-11 + 2.0**-40, 1.0 + 3.0 * 2.0**-11, 2.0**-24, 2.0**-25,
            2.0**-25 + 2.0**-60,
            65504.0, 65519.999, 65520.0, -65520.0, 2049.0, 2051.0, 255.9, 256.0, 65535.5, -0.9, -128.9, -129.0]
    values = array_of([*VALUES[source], *(more if source[0] == "f" else [])], source)
    results = compile_program(read_loops("\n".join(lines)))([values])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for target, got in zip(targets, results):
            kept = np.array([source in WHOLE or is_defined(float(v.real), target) for v in values])
            np.testing.assert_array_equal(got[kept], values.astype(NUMPY[target])[kept], f"{source} to {target}")


def test_zeta():
    orders = [1.0, 0.5, 1.0001, 1.5, 2.0, 3.0, 7.5, 30.0, 200.0, 1e6, INF, NAN]
    places = [1e-3, 0.25, 1.0, 2.5, 10.0, 100.0, 1e4, 0.0, -1.0, -2.5, -7.25, NAN]
    s, x = (g.ravel() for g in np.meshgrid(orders, places))
    keep = ~((x < 0) & (s > 100))
    s, x = s[keep], x[keep]
    program = compile_program(read_loops("""
def main(s: "f64[n]", x: "f64[n]"):
    out = empty(dim(x, 0), "f64")
    for i in range(dim(x, 0)):
        out[i] = zeta(s[i], x[i])
    return out
"""))
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(program([s, x])[0], scipy.special.zeta(s, x), rtol=3e-14)


def test_where():
    program = compile_program(read_loops("""
def main(c: "bool[n]", x: "f64[n]", y: "f64[n]"):
    a = empty(dim(x, 0), "f64")
    for i in range(dim(x, 0)):
        a[i] = where(c[i], x[i], y[i])
    return a
"""))
    x, y = (g.ravel() for g in np.meshgrid(REALS, REALS))
    chosen = (np.arange(len(x)) % 2).astype(bool)
    (a,) = program([chosen, x, y])
    np.testing.assert_array_equal(a, np.where(chosen, x, y))


# --- Python's own arithmetic ---------------------------------------------------------------------------------------


def scalar_program(expression, kinds):
    parameters = ", ".join(f'{n}: "{k}"' for n, k in zip("xyz", kinds))
    return compile_program(read_loops(f"def main({parameters}):\n    return {expression}\n"))


def same_number(got, expected):
    if isinstance(expected, float):
        return type(got) is float and (
            (math.isnan(got) and math.isnan(expected))
            or got == expected
            or abs(got - expected) <= 4 * math.ulp(expected)
        )
    return type(got) is type(expected) and got == expected


def compare_with_python(program, meaning, *operands):
    """The same number, or the same error in the same words; an int that does not fit raises OverflowError here."""
    try:
        expected = meaning(*operands)
    except (ArithmeticError, ValueError) as error:
        with pytest.raises(type(error)) as caught:
            program(operands)
        assert str(caught.value) == str(error), operands
        return
    if isinstance(expected, int) and not -(2**63) <= expected < 2**63:
        with pytest.raises(OverflowError):
            program(operands)
    else:
        (got,) = program(operands)
        assert same_number(got, expected), (operands, got, expected)


PYTHON_INFIX = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
SMALL_INTS = [0, 1, -1, 2, -2, 3, 7, -7, 10, 2**31, 2**53 + 1, 2**62, -(2**62), 2**63 - 1, -(2**63), 2**61 + 12345]


@pytest.mark.parametrize("sign", PYTHON_INFIX)
def test_python_floats(sign):
    program = scalar_program(f"x {sign} y", ["float", "float"])
    for x in REALS:
        for y in REALS:
            compare_with_python(program, PYTHON_INFIX[sign], x, y)


@pytest.mark.parametrize("sign", PYTHON_INFIX)
def test_python_ints(sign):
    program = scalar_program(f"x {sign} y", ["int", "int"])
    for x in SMALL_INTS:
        for y in SMALL_INTS:
            compare_with_python(program, PYTHON_INFIX[sign], x, y)


def test_python_division_of_ints_rounds_once():
    program = scalar_program("x / y", ["int", "int"])
    rng = np.random.default_rng(0)
    for size_x, size_y in ((62, 62), (62, 10), (10, 62), (62, 55), (54, 62)):
        xs, ys = rng.integers(1, 2**size_x, 60), rng.integers(1, 2**size_y, 60)
        for x, y in zip(xs.tolist(), ys.tolist()):
            assert program([x, -y])[0] == x / -y


def test_python_powers():
    floats = scalar_program("x ** y", ["float", "float"])
    for x in REALS:
        for y in REALS:
            if x < 0 and math.isfinite(x) and math.isfinite(y) and y != int(y):
                with pytest.raises(ValueError, match="complex"):  # Python gives a complex number
                    floats([x, y])
            else:
                compare_with_python(floats, operator.pow, x, y)
    ints = scalar_program("x ** y", ["int", "int"])
    for x in SMALL_INTS:
        for y in (0, 1, 2, 3, 20, 61, 62, 63, 64, 200):
            compare_with_python(ints, operator.pow, x, y)
        with pytest.raises(ValueError, match="negative integer powers"):
            ints([x, -1])


def test_python_bits_and_shifts():
    for sign, meaning in {"&": operator.and_, "|": operator.or_, "^": operator.xor}.items():
        program = scalar_program(f"x {sign} y", ["int", "int"])
        for x in SMALL_INTS:
            for y in SMALL_INTS:
                compare_with_python(program, meaning, x, y)
    for sign, meaning in {"<<": operator.lshift, ">>": operator.rshift}.items():
        program = scalar_program(f"x {sign} y", ["int", "int"])
        for x in SMALL_INTS:
            for y in (0, 1, 2, 31, 62, 63, 64, 65, 1000, -1):
                compare_with_python(program, meaning, x, y)


def test_python_signs():
    for expression, meaning in {"-x": operator.neg, "abs(x)": abs, "~x": operator.invert, "+x": operator.pos}.items():
        program = scalar_program(expression, ["int"])
        for x in SMALL_INTS:
            compare_with_python(program, meaning, x)
    for expression, meaning in {"-x": operator.neg, "abs(x)": abs}.items():
        program = scalar_program(expression, ["float"])
        for x in REALS:
            compare_with_python(program, meaning, x)


def test_python_bools_are_ints():
    for sign in ("+", "-", "*", "//", "**"):
        program = scalar_program(f"x {sign} y", ["bool", "bool"])
        meaning = {**PYTHON_INFIX, "**": operator.pow}[sign]
        for x in (False, True):
            for y in (False, True):
                if not (sign == "**" and meaning is None):
                    compare_with_python(program, meaning, x, y)


def test_python_conversions():
    to_int = scalar_program("cast(x, dtype='i64', weak=True)", ["float"])
    for x in REALS:
        compare_with_python(to_int, int, x)
    to_float = scalar_program("cast(x, dtype='f64', weak=True)", ["int"])
    for x in SMALL_INTS:
        compare_with_python(to_float, float, x)
    to_i32 = scalar_program("cast(x, dtype='i32')", ["int"])
    assert to_i32([-5]) == [np.int32(-5)]
    with pytest.raises(OverflowError, match="Python integer 2147483648 out of bounds for int32"):
        to_i32([2**31])


def test_python_round():
    program = scalar_program("round_half_even(x)", ["float"])
    for x in REALS:
        compare_with_python(program, round, x)


MATH_UNARY = """sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh
    atanh erf erfc gamma lgamma fabs degrees radians floor ceil trunc isnan isinf isfinite""".split()


@pytest.mark.parametrize("name", MATH_UNARY)
def test_math_functions(name):
    program = scalar_program(f"math.{name}(x)", ["float"])
    meaning = getattr(math, name)
    for x in REALS:
        if name in ("gamma", "lgamma") and math.isfinite(x) and abs(x) > 0:
            continue
        compare_with_python(program, meaning, x)
    if name in ("gamma", "lgamma"):
        for x in (0.5, 1.0, 2.5, 10.0, 171.0, -0.5, -2.5, 1e-3):
            assert program([x])[0] == pytest.approx(meaning(x), rel=1e-13)
        for x in (-1.0, -3.0, *((200.0,) if name == "gamma" else (1e307,))):
            compare_with_python(program, meaning, x)


@pytest.mark.parametrize("name", ["atan2", "hypot", "copysign", "fmod", "remainder", "pow"])
def test_math_functions_of_two(name):
    program = scalar_program(f"math.{name}(x, y)", ["float", "float"])
    for x in REALS:
        for y in REALS:
            compare_with_python(program, getattr(math, name), x, y)


def test_operators_work_in_the_dtypes_of_numpys_loops():
    """What a row says of its operands is what the ufunc converts them to."""
    scalars = [Scalar(d) for d in NUMPY]
    rows = [r for r in schema.OPERATORS.values() if r.kind == "elementwise" and r.name != "cast"]
    assert all(row.name in EMITTERS for row in rows)
    assert {row.name for row in rows if row.of_complex} == set(OF_COMPLEX)
    compared = 0
    for row in rows:
        ufunc = getattr(np, row.name, None)
        if not isinstance(ufunc, np.ufunc):
            continue
        for operands in itertools.product(scalars, repeat=len(row.operands)):
            try:
                loop = type_rules.loop_dtypes(ufunc, operands)
                result = row.type_rule(operands)
            except (schema.TypeFault, TypeError):
                continue
            compared += 1
            works_in = tuple(NUMPY_DTYPE[d] for d in row.works_in(operands, result))
            # of numbers NumPy takes the truth itself, and it knows that no int is nan
            if not row.name.startswith("logical") and row.works_in is not as_floats:
                assert works_in == loop[: len(operands)], (row.name, operands)
    assert compared > 500


@pytest.mark.parametrize(("name", "dtype"), [("bits", "f64"), ("bits", "f32"), ("of_bits", "i64"), ("of_bits", "i32")])
def test_bits_of_floats(name, dtype):
    values = array_of(VALUES[dtype], dtype)
    (found,) = elementwise_program([name], dtype, 1)([values])
    np.testing.assert_array_equal(found.view(f"i{found.itemsize}"), values.view(f"i{found.itemsize}"))
    assert found.dtype.kind == ("i" if name == "bits" else "f")


def test_every_emitter_is_tested():
    """A new emitter has to appear in one of the tables above."""
    tested = {*UNARY_FLOAT, *UNARY_INT, *BINARY_FLOAT, *BINARY_INT, *BINARY_BOOL, "logical_not", "cast"} | {
        "where", "power", "zeta", "bits", "of_bits",
    }  # fmt: skip
    tested |= {row.name for row in OF_SCIPY}
    python = {f"math_{n}" for n in (*MATH_UNARY, "atan2", "hypot", "copysign", "pow", "fmod", "remainder")}
    assert set(EMITTERS) == tested | python | {"round_half_even"}
