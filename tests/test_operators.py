"""Tests generated from the operator table: types against NumPy, derivatives against differences.

Every row is run on every sample that it names (`compiler/ops/samples.py`), so that a new row brings its own tests.
"""

import itertools
import math

import gast
import numpy as np
import pytest

from pellucid.compiler import types
from pellucid.compiler.dtypes import DTYPE_OF_NUMPY, DTYPES, NUMPY_DTYPE
from pellucid.compiler.frontend.specialise.derivatives.rules import expand
from pellucid.compiler.ops import OPERATORS, samples
from pellucid.compiler.ops.cotangents import cotangent
from pellucid.compiler.ops.schema import TypeFault
from pellucid.compiler.ops.special_functions import Refused
from pellucid.compiler.ops.tangents import tangent
from pellucid.compiler.types import Array, Scalar, of_complex

from .harness import operators as harness
from .harness.every import every
from .harness.operators import is_one_of_many

CASES = list(harness.operator_cases())
WEAK = {"bool": bool, "i64": int, "f64": float, "c128": complex}


# --- the table -----------------------------------------------------------------------------------------------------


# Collectives have no meaning for one example or device: `test_collectives.py`, `test_on_devices.py`.
ROWS = [row for row in OPERATORS.values() if row.results == 1 and row.samples != "collectives"]


def test_every_row_has_samples_that_python_accepts():
    assert {case.row.name for case in CASES} == {row.name for row in ROWS}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_spelling_means_the_row(row):
    """The printed form, filled with names and evaluated, is the row's meaning."""
    case = next(c for c in CASES if c.row is row)
    names = [f"x{k}" for k in range(len(case.operands))]
    fields = dict(zip(row.operands, names))
    if row.operands and row.operands[-1].startswith("*"):
        fields[row.operands[-1][1:]] = ", ".join(names) + ","
    static = {k: repr(v) for k, v in case.static.items() if k != "dtype"}
    if "dtype" in case.static:
        weak = case.static.get("weak")
        dtype = case.static["dtype"]
        static["dtype"] = WEAK[dtype].__name__ if weak else f"np.{NUMPY_DTYPE[dtype].name}"
    scalar = row.scalar_spelling and all(np.ndim(o) == 0 for o in case.operands)
    text = (row.scalar_spelling if scalar else row.spelling).format(**fields, **static)
    import scipy.linalg

    import pellucid.support

    with np.errstate(all="ignore"):
        modules = {"np": np, "math": math, "scipy": scipy, "pellucid": pellucid}
        printed = eval(text, modules, dict(zip(names, case.operands)))
    if row.name != "empty":
        np.testing.assert_array_equal(printed, case.reference())


# --- types ---------------------------------------------------------------------------------------------------------


@every(CASES, by=lambda case: case.row.name, is_long=is_one_of_many)
def test_type_is_what_numpy_gives(case):
    """With lengths that are known, and with symbols for them."""
    for symbolic in (False, True):
        given = [harness.type_of_value(o, symbolic) for o in case.operands]
        found = case.row.type_rule(tuple(given), **harness.static_types(case, symbolic))
        lengths = harness.symbol_lengths(dict(enumerate(case.operands)))
        lengths |= {f"n{d}": d for d in case.static.get("shape", ())}
        assert not harness.mismatch(case.reference(), found, lengths), symbolic


KINDS_OF_OPERAND = [
    *(Scalar(dtype, True) for dtype in WEAK),
    *(Scalar(dtype) for dtype in DTYPES),
    *(Array(dtype, (2,)) for dtype in DTYPES),
]


def value_like(type_, wanted):
    """A value of this type that is close to a sample's."""
    number = np.ravel(wanted)[:1].tolist()[0]
    if isinstance(number, complex) and not of_complex(type_):
        number = number.real
    if isinstance(type_, Scalar) and type_.weak:
        return WEAK[type_.dtype](number)
    value = np.array([number]).astype(NUMPY_DTYPE[type_.dtype])[0]
    return value if isinstance(type_, Scalar) else np.full(2, value)


ELEMENTWISE = [row for row in OPERATORS.values() if row.kind == "elementwise" and row.name != "cast"]


FEW_KINDS = [Scalar("i64", True), Scalar("f64", True), Scalar("f16"), Scalar("i32"), Array("f32", (2,)),
             Array("f64", (2,)), Array("bool", (2,))]  # fmt: skip


@pytest.mark.parametrize("row", [
    pytest.param(row, id=row.name, marks=[pytest.mark.long] * is_one_of_many(row.name)) for row in ELEMENTWISE
])  # fmt: skip
@pytest.mark.filterwarnings("ignore:non-integer arg n:DeprecationWarning")
def test_every_combination_of_dtypes(row):
    """Python and NumPy decide: the same dtype, or refused where they refuse or leave our dtypes."""
    sample = next(s for s in samples.SAMPLES[row.samples] if all(np.size(o) for o in s.operands))
    math_only = row.name.startswith("math_") or row.name == "round_half_even"
    kinds = FEW_KINDS if len(row.operands) > 2 and row.name != "where" else KINDS_OF_OPERAND
    for operand_types in itertools.product(kinds, repeat=len(row.operands)):
        values = [value_like(t, o) for t, o in zip(operand_types, sample.operands)]
        try:
            with np.errstate(all="ignore"):
                expected = row.meaning(*values)
        except (ValueError, ArithmeticError):
            continue  # the value is at fault, not its type
        except TypeError:
            expected = None
        if math_only and any(isinstance(t, Array) for t in operand_types):
            expected = None
        if isinstance(expected, np.ndarray | np.generic) and expected.dtype not in DTYPE_OF_NUMPY:
            expected = None
        if row.name.startswith("logical_") and any(t.dtype != "bool" for t in operand_types):
            expected = None  # the truth of other values is taken before
        if not row.of_complex and any(map(of_complex, operand_types)):
            expected = None  # of which NumPy may take the real part, with a warning
        if row.name == "where" and operand_types[0].dtype != "bool":
            expected = None
        try:
            found = row.type_rule(operand_types)
        except TypeFault:
            assert expected is None, f"{row.name} of {operand_types} is {expected!r} in Python but was refused"
            continue
        assert expected is not None, f"{row.name} of {operand_types} is {found} but Python refuses it"
        assert not harness.mismatch(expected, found), f"{row.name} of {operand_types}"


@pytest.mark.parametrize(
    ("code", "name", "operands", "static"),
    [
        ("T001", "invert", ["f16[n]"], {}),
        ("T001", "subtract", ["bool[n]", "bool[n]"], {}),
        ("T001", "left_shift", ["f64[n]", "int"], {}),
        ("T001", "add", ["[f64]", "float"], {}),
        ("T001", "math_sin", ["f64[n]"], {}),
        ("S002", "matmul", ["f64", "f64[n]"], {}),
        ("T001", "where", ["f64[n]", "f64", "f64"], {}),
        ("T001", "cast", ["f64[n]"], {"dtype": "f64", "weak": True}),
        ("S001", "add", ["f64[n, 3]", "f64[4]"], {}),
        ("S001", "broadcast_to", ["f64[3]"], {"shape": (2,)}),
        ("S001", "broadcast_to", ["f64[n, 3]"], {"shape": (3,)}),
        ("S002", "sum", ["f64[n]"], {"axis": 1}),
        ("S002", "sum", ["f64[n, m]"], {"axis": (0, 0)}),
        ("S002", "transpose", ["f64[n, m]"], {"axes": (0, 0)}),
        ("S002", "concatenate", ["f64[n]", "f64[n, m]"], {"axis": 0}),
        ("S002", "einsum", ["f64[n, m]", "f64[n]"], {"subscripts": "ij,jk->ik"}),
        ("S002", "eye", [], {"shape": (3,)}),
        ("S003", "concatenate", ["f64[n, 2]", "f64[n, 3]"], {"axis": 0}),
        ("S003", "max", ["f64[0]"], {}),
        ("S003", "matmul", ["f64[n, 2]", "f64[3]"], {}),
        ("S003", "einsum", ["f64[n, 2]", "f64[3, n]"], {"subscripts": "ij,jk->ik"}),
        ("S003", "reshape", ["f64[2, 3]"], {"shape": (7,)}),
        ("R001", "argmax", ["f64[n, m]"], {"axis": (0, 1)}),
        ("R001", "sum", ["f64[n]"], {"axis": "rows"}),
    ],
)
def test_certain_faults_are_refused(code, name, operands, static):
    row = OPERATORS[name]
    full = {**{k: v for k, v in row.static.items() if v is not ...}, **static}
    with pytest.raises(TypeFault) as caught:
        row.type_rule(tuple(types.parse(o) for o in operands), **full)
    assert caught.value.code == code
    assert caught.value.message


# --- derivatives ---------------------------------------------------------------------------------------------------


def is_real(value):
    return isinstance(value, float | np.floating) or isinstance(value, np.ndarray) and value.dtype.kind == "f"


def named(pair):
    """A case and the operands it is about."""
    return f"{pair[0]}-{pair[1]}"


# A slope that there is and that is refused, and one that stands for the matrix's: other tests ask for them.
REFUSED = {("drawn", 0), ("solve_by_factors", 0)}


def differentiable():
    for case in CASES:
        if case.sample.smooth and is_real(case.reference()):
            rules = case.row.partials or case.row.vjp
            for position, operand in enumerate(case.operands):
                rule = rules[min(position, len(rules) - 1)]
                is_refused = isinstance(rule, Refused) or (case.row.name, position) in REFUSED
                if is_real(operand) and rule is not None and not is_refused:
                    yield case, position


def wide(value):
    """Single precision has too few digits for differences."""
    if type(value) is float:
        return value
    return np.float64(value) if isinstance(value, np.generic) else np.asarray(value, np.float64)


def differences(case, position, weight):
    """d <weight, f(operands)> / d operand, by central differences in float64."""
    operands = [wide(o) if is_real(o) else o for o in case.operands]
    result = np.zeros(np.shape(operands[position]))
    step = 1e-6
    for at in np.ndindex(result.shape):
        sides = []
        for sign in (1.0, -1.0):
            moved = np.array(operands[position], np.float64)
            moved[at] += sign * step
            changed = list(operands)
            scalar = np.ndim(operands[position]) == 0 and not isinstance(operands[position], np.ndarray)
            changed[position] = type(operands[position])(moved) if scalar else moved
            sides.append(np.sum(weight * np.asarray(case.reference(*changed), np.float64)))
        result[at] = (sides[0] - sides[1]) / (2.0 * step)
    return result


def emitted_cotangent(case, position, weight, symbolic):
    """The cotangent that the row emits, run in CPython; the types inferred on the way must be true."""
    values, atoms = harness.operand_atoms(case)
    builder = harness.builder_for(values, symbolic)
    builder.specialiser = expand
    lengths = harness.symbol_lengths(values)
    static = dict(case.static)
    out = builder.call(case.row.name, *atoms, hint="out", **static)
    values["out_bar"] = weight
    builder.types[builder.names.take("out_bar")] = (
        builder.types[out.id] if np.ndim(weight) else harness.type_of_value(weight)
    )
    out_bar = gast.Name("out_bar", gast.Load(), None, None)
    result = cotangent(builder, case.row, position, atoms, static, out, out_bar)

    def check(name, value):
        assert not harness.mismatch(value, builder.types[name], lengths), name

    harness.run(builder.body, values, check)
    return harness.evaluate(result, values), builder.type_of(result)


@every(differentiable(), named, by=lambda pair: pair[0].row.name, is_long=is_one_of_many)
def test_cotangent_against_differences(case, position):
    reference, operand = case.reference(), case.operands[position]
    rng = np.random.default_rng(3)
    weights = [rng.uniform(0.5, 1.5, np.shape(reference)).astype(np.asarray(reference).dtype), 1.25]
    if np.ndim(reference) == 0:
        weights = [type(reference)(1.25) if not isinstance(reference, np.ndarray) else np.float64(1.25)]
    for weight, symbolic in itertools.product(weights, (False, True)):
        value, type_ = emitted_cotangent(case, position, weight, symbolic)
        expected = differences(case, position, weight)
        single = any(np.asarray(o).dtype == np.float32 for o in (*case.operands, reference))
        tolerance = 2e-5 if single else 1e-7
        scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
        found = np.broadcast_to(value, np.shape(operand))
        np.testing.assert_allclose(found, expected, rtol=20 * tolerance, atol=tolerance * scale)
        wanted = harness.type_of_value(operand)
        if np.ndim(operand) == 0 and not isinstance(operand, np.ndarray):
            assert type_ == wanted
        else:
            assert type_.dtype == wanted.dtype or isinstance(type_, Scalar) and type_.weak


def emitted_tangent(case, directions, symbolic):
    """The tangent of the result that the row emits, run in CPython, given those of operands (None: zero)."""
    values, atoms = harness.operand_atoms(case)
    builder = harness.builder_for(values, symbolic)
    builder.specialiser = expand
    lengths = harness.symbol_lengths(values)
    out = builder.call(case.row.name, *atoms, hint="out", **case.static)
    tangents = []
    for atom, direction in zip(atoms, directions):
        name = None if direction is None else builder.names.take(f"{atom.id}_dot")
        if name is not None:
            values[name], builder.types[name] = direction, builder.types[atom.id]
        tangents.append(None if name is None else gast.Name(name, gast.Load(), None, None))
    result = tangent(builder, case.row, atoms, tangents, case.static, out)

    def check(name, value):
        assert not harness.mismatch(value, builder.types[name], lengths), name

    harness.run(builder.body, values, check)
    return harness.evaluate(result, values), builder.type_of(result)


def direction_like(operand, rng):
    made = np.asarray(rng.uniform(0.5, 1.5, np.shape(operand)), np.asarray(operand).dtype)
    return made if isinstance(operand, np.ndarray) else type(operand)(made)


def smooth_positions():
    """Some samples of every row that has a derivative, with the operands that it has one by."""
    found = {}
    for case, position in differentiable():
        found.setdefault(case.row.name, {}).setdefault(case.number, (case, []))[1].append(position)
    for samples_ in found.values():
        chosen = list(samples_.values())
        yield from chosen[:: max(1, len(chosen) // 3)]


@every(smooth_positions(), named, by=lambda pair: pair[0].row.name, is_long=is_one_of_many)
def test_tangent_against_cotangents(case, positions):
    """<u, jvp v> = <vjp u, v> for the tangents of all operands at once, in the type of the result."""
    reference, rng = case.reference(), np.random.default_rng(4)
    weight = direction_like(reference, rng)
    along = {k: direction_like(case.operands[k], rng) for k in positions}
    bars = {k: emitted_cotangent(case, k, weight, symbolic=True)[0] for k in positions}
    expected = sum(np.sum(np.broadcast_to(bars[k], np.shape(v)) * v) for k, v in along.items())
    value, type_ = emitted_tangent(case, [along.get(k) for k in range(len(case.operands))], symbolic=True)
    assert np.shape(value) == np.shape(reference)
    wanted = harness.type_of_value(reference)
    assert type_.dtype == wanted.dtype and getattr(type_, "weak", False) == getattr(wanted, "weak", False)
    single = any(np.asarray(o).dtype == np.float32 for o in (*case.operands, reference))
    np.testing.assert_allclose(np.sum(weight * np.asarray(value)), expected, rtol=1e-4 if single else 1e-9)


# --- ties, kinks and singular points: as in JAX -------------------------------------------------------------------

nan, inf = np.nan, np.inf
T, Z = np.array([-1.0, 0.0, 2.0]), np.zeros(3)
KINKS = [
    ("absolute", (T,), {}, 0, [-1.0, 0.0, 1.0]),
    ("absolute", (0.0,), {}, 0, 0.0),
    ("math_fabs", (0.0,), {}, 0, 0.0),
    ("maximum", (T, Z), {}, 0, [0.0, 0.5, 1.0]),
    ("maximum", (T, Z), {}, 1, [1.0, 0.5, 0.0]),
    ("minimum", (T, Z), {}, 0, [1.0, 0.5, 0.0]),
    ("fmax", (np.array([1.0, nan, 2.0]), np.array([nan, 1.0, 2.0])), {}, 0, [1.0, 0.0, 0.5]),
    ("max", (np.array([3.0, 1.0, 3.0]),), {"axis": None, "keepdims": False}, 0, [0.5, 0.0, 0.5]),
    ("min", (np.array([[3.0, 1.0], [1.0, 1.0]]),), {"axis": 1, "keepdims": False}, 0, [[0.0, 1.0], [0.5, 0.5]]),
    ("prod", (np.array([0.0, 2.0, 3.0]),), {"axis": None, "keepdims": False}, 0, [6.0, 0.0, 0.0]),
    ("prod", (np.array([0.0, 0.0, 3.0]),), {"axis": None, "keepdims": False}, 0, [0.0, 0.0, 0.0]),
    ("prod", (np.array([[0.0, 2.0], [4.0, 3.0]]),), {"axis": 0, "keepdims": False}, 0, [[4.0, 3.0], [0.0, 2.0]]),
    ("hypot", (0.0, 0.0), {}, 0, 0.0),
    ("math_hypot", (0.0, 0.0), {}, 1, 0.0),
    ("hypot", (np.array([0.0, 3.0]), np.array([0.0, 4.0])), {}, 0, [0.0, 0.6]),
    ("power", (np.array([0.0, 0.0, 2.0]), np.array([2.0, 0.0, 0.0])), {}, 0, [0.0, 0.0, 0.0]),
    ("power", (np.array([0.0, 0.0, 2.0]), np.array([2.0, 1.0, 0.0])), {}, 1, [0.0, 0.0, math.log(2.0)]),
    ("power", (0.0, 2.0), {}, 1, 0.0),
    ("power", (0.0, 0.0), {}, 0, 0.0),
    ("power", (np.array([-2.0, 0.0, 3.0]), 3), {}, 0, [12.0, 0.0, 27.0]),
    ("power", (np.array([-2.0, 0.0, 3.0]), np.array([3, 0, 1])), {}, 0, [12.0, 0.0, 1.0]),
    ("float_power", (np.array([0.0, 2.0]), np.array([1.0, 0.0])), {}, 0, [1.0, 0.0]),
    ("math_pow", (0.0, 2.0), {}, 0, 0.0),
    ("copysign", (np.array([-2.0, 0.0, 3.0]), np.array([1.0, -1.0, -1.0])), {}, 0, [-1.0, 0.0, -1.0]),
    ("math_copysign", (0.0, -1.0), {}, 0, 0.0),
    ("heaviside", (T, Z + 0.5), {}, 1, [0.0, 1.0, 0.0]),
    ("sqrt", (np.array([0.0, 4.0]),), {}, 0, [inf, 0.25]),
    ("logaddexp", (np.array([-800.0, 800.0]), np.array([800.0, 800.0])), {}, 0, [0.0, 0.5]),
    ("where", (np.array([True, False]), np.array([1.0, nan]), np.array([nan, 1.0])), {}, 1, [1.0, 0.0]),
    ("tanh", (np.array([-400.0, 0.0, 400.0]),), {}, 0, [0.0, 1.0, 0.0]),
    ("arctan2", (np.array([1e-200, 3.0]), np.array([1e-200, -4.0])), {}, 0, [5e199, -0.16]),
]


@pytest.mark.parametrize(("name", "operands", "static", "position", "expected"), KINKS)
def test_slope_where_it_needs_a_convention(name, operands, static, position, expected):
    case = harness.OperatorCase(OPERATORS[name], 0, samples.Sample(operands, static))
    reference = case.reference()
    weight = 1.0 if isinstance(reference, float) and not isinstance(reference, np.generic) else np.ones_like(reference)
    value, _ = emitted_cotangent(case, position, weight, symbolic=True)
    np.testing.assert_allclose(np.broadcast_to(value, np.shape(expected)), expected, rtol=1e-12)
    along = np.ones_like(operands[position]) if isinstance(operands[position], np.ndarray) else 1.0
    directions = [along if k == position else None for k in range(len(operands))]
    moved, _ = emitted_tangent(case, directions, symbolic=True)
    np.testing.assert_allclose(np.sum(moved), np.sum(expected), rtol=1e-12)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, -1, 0.5, 2.5, -1.5])
@pytest.mark.parametrize("base", [1.5, np.float32(1.5), np.array([0.5, 2.0])], ids=["weak", "single", "array"])
def test_power_of_a_constant_exponent(base, exponent):
    """A constant exponent shows in the derivative as a constant."""
    values = {"x": base}
    builder = harness.builder_for(values)
    out = builder.call("power", "x", exponent, hint="out")
    operands = [gast.Name("x", gast.Load(), None, None), gast.Constant(exponent, None)]
    one = gast.Constant(1.0, None)
    slope = cotangent(builder, OPERATORS["power"], 0, operands, {}, out, one)
    harness.run(builder.body, values)
    if exponent == 0:
        assert slope is None
        return
    expected = exponent * np.asarray(base, np.float64) ** (exponent - 1.0)
    np.testing.assert_allclose(harness.evaluate(slope, values), np.broadcast_to(expected, np.shape(base)), rtol=1e-6)
    assert len(builder.body) <= 6
