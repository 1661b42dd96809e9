"""Functions of floating numbers in several lanes: two units in the last place, NumPy's special values, the same bits
for every number of lanes, and vector instructions in the loop."""

from __future__ import annotations

import csv
import math
import pathlib
import re

import numpy as np
import pytest
import scipy.special
from mpmath import mp, mpf

from pellucid.compiler.targets.llvm.llvm import compile_program, lower
from pellucid.compiler.targets.llvm.vector_math import (
    circular,
    error,
    exponentials,
    host,
    inverse,
    logarithms,
    powers,
    roots,
)
from pellucid.compiler.targets.llvm.vector_math.library import FUNCTIONS, definitions, symbol
from pellucid.runtime import far_angles, llvm, native
from pellucid.runtime import targets as runtime_targets
from tests.harness import targets
from tests.harness.elementary import BINARY, NUMPY, apply, arguments, exact, loop, loop_text, worst_error
from tests.harness.loops_text import read_loops
from tests.harness.targets import LEVELS, PRESENT

LIMIT = 2.0
DTYPES = ("f64", "f32")
UNARY = sorted(set(FUNCTIONS) - BINARY)
own_functions = pytest.mark.skipif(not host.register_bytes(), reason="the C library is used without fused products")
each_function = pytest.mark.parametrize("name", sorted(FUNCTIONS))
each_dtype = pytest.mark.parametrize("dtype", DTYPES)


# --- accuracy ------------------------------------------------------------------------------------------------------


@pytest.mark.drawn(5)
@each_dtype
@each_function
def test_error(name, dtype):
    operands = arguments(name, dtype, 150, np.random.default_rng(17))
    worst, where = worst_error(name, dtype, *operands)
    assert worst <= LIMIT, where


TABLES = pathlib.Path(np.__file__).parent / "_core" / "tests" / "data"


@pytest.mark.parametrize("name", UNARY)
def test_validation_tables(name):
    """NumPy's own tables: numbers and correctly rounded results, as bits."""
    path = TABLES / f"umath-validation-set-{name}.csv"
    if not path.exists():
        pytest.skip("this NumPy comes without the table")
    rows = [row for row in csv.reader(path.read_text().splitlines()) if row and row[0].startswith("np.float")]
    for dtype, bits in (("f64", np.uint64), ("f32", np.uint32)):
        chosen = [row for row in rows if row[0] == f"np.{NUMPY[dtype].__name__}"]
        x, expected = (np.array([int(row[k], 16) for row in chosen], bits).view(NUMPY[dtype]) for k in (1, 2))
        got = apply(name, dtype, x)
        same = (got == expected) | (np.isnan(got) & np.isnan(expected))
        far = np.abs(got.view(bits).astype(np.int64) - expected.view(bits).astype(np.int64)) > LIMIT
        assert not np.any(far & ~same), (name, dtype, x[far & ~same][:3])


# The doubles and floats nearest to multiples of π/2, for their size and over all.
HARD_ANGLES = [6381956970095103.0 * 2.0**797, 5.319372648326541e255, 2.0**1023, 1e22, 884279719003555.0,
               2.0**30, 1686629713.0, 620393630.771422, 14671.237692264334, 0.7853981633974484,
               16367173.0 * 2.0**72, 1.5707963267948966, 3.141592653589793]  # fmt: skip


@each_dtype
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_angles_near_multiples_of_half_pi(name, dtype):
    with np.errstate(over="ignore"):
        x = np.array(HARD_ANGLES).astype(NUMPY[dtype])
    x = np.concatenate([x, -x])
    assert worst_error(name, dtype, x[np.isfinite(x)])[0] <= LIMIT


@each_dtype
def test_tanh_where_it_loses_most(dtype):
    """Around powers of two: what it is computed from has bits of twice the size there; and where it reaches a half."""
    near = np.concatenate([np.linspace(0.97, 1.0, 150) * 2.0**-k for k in range(6)] + [np.linspace(0.5, 0.6, 300)])
    assert worst_error("tanh", dtype, near.astype(NUMPY[dtype]))[0] <= LIMIT
    below = (np.linspace(1.0, 1.04, 300) * 2.0**-k for k in (3, 4, 5))
    assert worst_error("tanh", dtype, np.concatenate([*below]).astype(NUMPY[dtype]))[0] <= LIMIT


EXACT = {
    "exp2": (np.arange(-1074.0, 1024.0), lambda x: math.ldexp(1.0, int(x))),
    "cbrt": (np.arange(-50.0, 50.0) ** 3, lambda x: float(round(math.copysign(abs(x) ** (1 / 3), x)))),
    "log2": (np.exp2(np.arange(-1074.0, 1024.0)), math.log2),
    "log10": (10.0 ** np.arange(23.0), lambda x: float(len(str(int(x))) - 1)),
}


@pytest.mark.parametrize("name", EXACT)
def test_exact_results_are_exact(name):
    x, meaning = EXACT[name]
    assert apply(name, "f64", x).tolist() == [meaning(v) for v in x.tolist()]


def test_exact_powers_are_exact():
    pairs = [(b, e) for b in range(-30, 31) for e in range(0, 12) if abs(b) ** e < 2**53]
    base, exponent = (np.array(part, float) for part in zip(*pairs))
    assert apply("power", "f64", base, exponent).tolist() == [float(b**e) for b, e in pairs]
    assert apply("power", "f64", np.array([4.0, 2.25, 0.0625]), np.array([0.5, 1.5, 0.75])).tolist() == [
        2.0, 3.375, 0.125,
    ]  # fmt: skip
    assert apply("hypot", "f64", [3.0, 5e200, 8e-200], [4.0, 12e200, 15e-200]).tolist() == [5.0, 13e200, 17e-200]


# --- special values ------------------------------------------------------------------------------------------------

INF, NAN = math.inf, math.nan
SPECIAL = [0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, 5e-324, -5e-324, 1e-310, -1e-310, 1e-45,
           2.0**-126, 1e38, -1e38, 1e308, -1e308, 88.8, -88.8, -103.9, 709.8, -745.2, 710.5, 1.0000000000000002,
           0.9999999999999999, -1.0000000000000002, 30.0, 27.5, -27.5]  # fmt: skip


def reference(name, *operands):
    with np.errstate(all="ignore"):
        return getattr(scipy.special if name.startswith("erf") else np, name)(*operands)


@each_dtype
@each_function
def test_special_values(name, dtype):
    with np.errstate(all="ignore"):
        values = np.array(SPECIAL).astype(NUMPY[dtype])
    operands = [values] if name not in BINARY else [a.ravel() for a in np.meshgrid(values, values)]
    got, expected = apply(name, dtype, *operands), reference(name, *operands)
    special = np.isnan(expected) | np.isinf(expected) | (expected == 0)
    same = (got == expected) & (np.signbit(got) == np.signbit(expected)) | (np.isnan(got) & np.isnan(expected))
    assert np.all(same[special]), [(*o, g, e) for *o, g, e in zip(*operands, got, expected) if g != e][:5]
    close = np.isclose(got, expected, rtol=4 * np.finfo(got.dtype).eps, atol=4 * np.finfo(got.dtype).smallest_subnormal)
    assert np.all(close[~special])


@each_dtype
def test_symmetry_and_bounds(dtype):
    x = np.concatenate(arguments("sin", dtype, 300, np.random.default_rng(3)))
    for name in ("sin", "tan", "tanh", "sinh", "arcsinh", "arctan", "expm1", "cbrt", "erf"):
        if name != "expm1":
            assert np.array_equal(apply(name, dtype, -x), -apply(name, dtype, x)), name
    for name in ("cos", "cosh"):
        assert np.array_equal(apply(name, dtype, -x), apply(name, dtype, x)), name
    for name in ("sin", "cos", "tanh", "erf"):
        assert np.max(np.abs(apply(name, dtype, x))) <= 1.0, name
    dense = np.linspace(8, 25, 20000)
    assert np.max(apply("tanh", dtype, dense)) <= 1.0


# --- lanes ---------------------------------------------------------------------------------------------------------


@each_dtype
@each_function
def test_every_length_gives_the_same_bits(name, dtype):
    generator = np.random.default_rng(5)
    operands = [o[generator.permutation(len(o))[:67]] if name not in BINARY else o[:67]
                for o in arguments(name, dtype, 60, generator)]  # fmt: skip
    whole = apply(name, dtype, *operands).tobytes()
    size = NUMPY[dtype]().itemsize
    for length in range(1, len(operands[0]) + 1):
        assert apply(name, dtype, *[o[:length] for o in operands]).tobytes() == whole[: length * size]
        if length % 8 == 3:
            assert apply(name, dtype, *[o[length:] for o in operands]).tobytes() == whole[length * size :]


def optimised(name, dtype):
    return loop(name, dtype).llvm_text


def targets_with_own_functions():
    """The present processor with every function; those of other kinds with some of each body's."""
    every = sorted(FUNCTIONS)
    yield from ((name, PRESENT) for name in every if host.register_bytes())
    for target in LEVELS:
        yield from ((name, target) for name in every[::3] if runtime_targets.vector_bytes(target))


@each_dtype
@pytest.mark.parametrize("name, target", list(targets_with_own_functions()))
def test_loops_have_vector_instructions(name, target, dtype, monkeypatch):
    text = targets.optimised(loop_text(name, dtype), targets.on(monkeypatch, target))
    size = NUMPY[dtype]().itemsize
    kind, lanes = {"f64": "double", "f32": "float"}[dtype], targets.lanes(target, size)
    assert re.search(rf"f\w+ <{lanes} x {kind}>|fptrunc <{lanes} x double>", text), "the loop is not vectorised"
    assert not re.search(rf"call <\d+ x \w+> @{symbol(name, dtype)}", text), "a variant is called, not inlined"
    assert not re.search(rf"@{FUNCTIONS[name].alone or 'none'}f?\(", text), "the C library is called"


def test_a_processor_without_fused_products_calls_the_c_library(monkeypatch):
    text = targets.optimised(loop_text("tanh", "f64"), targets.on(monkeypatch, "x86-64-v2"))
    assert "@tanh(" in text and "pellucid_math" not in text


@own_functions
def test_a_scalar_and_a_loop_agree_in_one_program():
    program = compile_program(
        read_loops("""
def f(x: "f64[n]", y: "f64"):
    out = empty(dim(x, 0))
    for i in range(dim(x, 0)):
        out[i] = exp(x[i]) + sin(x[i]) + log(x[i])
    return out, exp(y) + sin(y) + log(y)
""")
    )
    x = np.random.default_rng(2).uniform(0.1, 20, 50)
    for value in x.tolist():
        whole, single = program([x, value])
        assert np.asarray(whole)[x == value][0] == single


@own_functions
def test_code_without_loops_calls_the_c_library_where_that_is_faster():
    program = compile_program(read_loops('def f(x: "f64"):\n    return exp(x)\n'))
    assert "@exp(" in program.llvm_text and program([0.5])[0] == math.exp(0.5)
    program = compile_program(read_loops('def f(x: "f64"):\n    return tanh(x)\n'))
    assert "@tanh(" not in program.llvm_text


@own_functions
def test_what_is_called_often_is_written_once():
    """Elements that wait for one function after the other are computed beside others; the functions are calls then."""
    program = compile_program(
        read_loops("""
def f(x: "f64[n]"):
    for i in range(dim(x, 0)):
        x[i] = tanh(tanh(tanh(tanh(x[i]))))
    return x
""")
    )
    calls = re.findall(r"call <\d+ x double> @(pellucid_math_tanh_f64x\d+)\(", program.llvm_text)
    assert len(calls) >= 16 and len(set(calls)) == 1
    x = np.random.default_rng(4).normal(size=37)
    expected = x
    for _ in range(4):
        expected = apply("tanh", "f64", expected)
    assert np.array_equal(np.asarray(program([x.copy()])[0]), expected)


@own_functions
def test_only_what_is_called_is_defined():
    text = optimised("sin", "f32")
    defined = {line for line in text.splitlines() if line.startswith("define") and "pellucid_math" in line}
    assert all("available_externally" in line or "linkonce_odr hidden" in line for line in defined)
    assert len([line for line in defined if "linkonce_odr" in line]) <= 1


def test_without_fused_products_the_c_library_is_called(monkeypatch):
    monkeypatch.setattr(host, "register_bytes", lambda: 0)
    program = read_loops("""
def f(x: "f64[n]"):
    for i in range(dim(x, 0)):
        x[i] = exp(x[i]) + tanh(x[i]) + power(x[i], 1.5) + log1p(x[i])
    return x
""")
    text = lower(program)
    assert "pellucid_math" not in text and "@llvm.exp.f64" in text and "@tanh" in text and "@llvm.pow.f64" in text


@pytest.mark.parametrize(
    "processor, name, width",
    [
        (b"flags : fma avx2 sse4_1", "haswell", 32),
        (b"flags : fma avx2 avx512f avx512dq avx512vl", "znver4", 64),
        (b"flags : fma avx2 avx512f avx512dq avx512vl", "skylake-avx512", 32),
        (b"flags : avx sse2", "sandybridge", 0),
        (b"Features : fp asimd evtstrm", "neoverse-n1", 16),
        (b"arm64-apple-darwin apple-m1 +neon,+fp-armv8", "apple-m1", 16),
    ],
)
def test_width_of_the_host(processor, name, width, monkeypatch):
    monkeypatch.setattr(runtime_targets, "processor", lambda: processor)
    monkeypatch.setattr(runtime_targets, "_host", lambda: ("", name, ""))
    assert runtime_targets.vector_bytes(PRESENT) == width


@each_dtype
@pytest.mark.parametrize("count", [1, 2, 4, 8, 16])
def test_every_width_is_valid_llvm(dtype, count):
    with llvm.LOCK:
        for name in FUNCTIONS:
            llvm.parse("\n".join(made.text for made in definitions(name, dtype, count)), native.machine(3))


def test_lanes_write_an_instruction_once():
    text = next(made.text for made in definitions("exp", "f64", 4) if made.name == symbol("exp", "f64", 4))
    instructions = re.findall(r"= (.*)", text)
    assert len(instructions) == len(set(instructions))


# --- parts ---------------------------------------------------------------------------------------------------------


def relative_error(coefficients, meaning, low, high, value):
    """The largest |value(x) - meaning(x)| / |meaning(x)| of exact arithmetic, as a power of two."""
    points = [mpf(low) + (mpf(high) - mpf(low)) * k / 200 for k in range(201)]
    points = [x for x in points if x]

    def polynomial(v):
        return sum(mpf(c) * v**k for k, c in enumerate(coefficients))

    errors = [abs(value(x, polynomial) / meaning(x) - 1) for x in points]
    return float(mp.log(max(errors), 2))


HALF_LN2 = 0.34657
POLYNOMIALS = {
    "exp": (exponentials.EXP["f64"], mp.exp, -HALF_LN2, HALF_LN2, lambda r, p: 1 + r + r * r * p(r), -57),
    "exp f32": (exponentials.EXP["f32"], mp.exp, -HALF_LN2, HALF_LN2, lambda r, p: 1 + r + r * r * p(r), -28),
    "log": (logarithms.LOG, lambda s: 2 * mp.atanh(s), -0.1716, 0.1716, lambda s, p: 2 * s + s**3 * p(s * s), -59),
    "log f32": (logarithms.SINGLE_LOG, mp.log1p, -0.2929, 0.4142, lambda f, p: f - f * f / 2 + f**3 * p(f), -27),
    "sin": (circular.SIN["f64"], mp.sin, 0, 1.5708, lambda r, p: r + r**3 * p(r * r), -61),
    "sin f32": (circular.SIN["f32"], mp.sin, 0, 1.5708, lambda r, p: r + r**3 * p(r * r), -26.5),
    "sin to π/4": (circular.SHORT_SIN, mp.sin, 0, 0.7854, lambda r, p: r + r**3 * p(r * r), -57),
    "cos to π/4": (circular.SHORT_COS, mp.cos, 0, 0.7854, lambda r, p: 1 - r * r / 2 + r**4 * p(r * r), -63),
    "arcsin": (inverse.ARCSIN, mp.asin, 0, 0.5, lambda s, p: s + s**3 * p(s * s), -55.5),
    "arctan": (inverse.ARCTAN, mp.atan, 0, 1, lambda t, p: t + t**3 * p(t * t), -57),
    "cbrt": (roots.INVERSE_CBRT, lambda m: m ** (-mpf(1) / 3), 1, 2, lambda m, p: p(m), -14.5),
    "erf": (error.ERF, mp.erf, 0, 1, lambda x, p: x + x * p(x * x), -56),
    "erfc": (
        error.ERFC,
        lambda a: (1 + 2 * a) * mp.exp(a * a) * mp.erfc(a),
        0,
        27.3,
        lambda a, p: p((a - error.MIDDLE) / (a + error.MIDDLE)),
        -55.5,
    ),
    "power": (
        powers.POWER_LOG,
        lambda s: 2 * mp.atanh(s),
        -0.1716,
        0.1716,
        lambda s, p: s * (2 + s * s * (mpf(2) / 3 + s * s * p(s * s))),
        -73,
    ),
}


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomial(name):
    coefficients, meaning, low, high, value, bits = POLYNOMIALS[name]
    with mp.workprec(200):
        assert relative_error(coefficients, meaning, low, high, value) < bits


def test_digits_of_the_inverse_of_pi():
    with mp.workprec(1400):
        assert far_angles.inverse_of_pi(1280) == int(mp.floor(mpf(2) ** 1280 / mp.pi))


@own_functions
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_far_angles_beside_near_ones(name):
    """Each lane has its own value, whether its neighbours are far or near, nan or infinite."""
    x = np.array([1.0, 1e300, 2.0, NAN, INF, 3.0, -1e18, 0.1, -INF, -0.0, 1e22, 5.0])
    got = apply(name, "f64", x)
    for value, result in zip(x.tolist(), got.tolist()):
        if math.isfinite(value):
            assert abs(mpf(result) - exact(name, value)) <= LIMIT * abs(math.ulp(result))
        else:
            assert math.isnan(result)
