"""What of a result bends and jumps: against NumPy for every row of the operator table, and through programs."""

import numpy as np
import pytest

from pellucid import GradientError, checkpoint, compile, custom_vjp, lax, linear_transpose
from pellucid.compiler import syntax
from pellucid.compiler.analysis.influence import influence, influenced
from pellucid.compiler.analysis.linearity import bending, jumping
from pellucid.compiler.frontend.specialise.derivatives.rules import expand
from pellucid.compiler.ops import OPERATORS, samples
from pellucid.compiler.program import Program

from .harness import operators as harness
from .harness.every import every
from .harness.typed_text import read_function, read_program


def is_float(value):
    return isinstance(value, float) or isinstance(value, np.ndarray | np.generic) and value.dtype.kind == "f"


def by_floats():
    """A sample of every row for every operand that is a float, where the row says nothing of jumps."""
    seen = set()
    for case in harness.operator_cases():
        for position, operand in enumerate(case.operands):
            key = case.row.name, position, np.ndim(operand) == 0
            halves = any(np.asarray(o).dtype == np.float16 for o in (operand, case.reference()))
            if is_float(operand) and is_float(case.reference()) and not halves and key not in seen:
                seen.add(key)
                yield case, position


def told(case, position):
    """Whether the result jumps where this operand changes, and whether it bends."""
    values, atoms = harness.operand_atoms(case)
    types = {name: harness.type_of_value(value) for name, value in values.items()}
    types["out"], name = harness.type_of_value(case.reference()), f"x{position}"
    statement = syntax.assign("out", syntax.call(case.row.name, *atoms, **case.static), None)
    return name in jumping(statement, types), name in bending(statement, {name}, types, expand)


@every(by_floats(), str, by=lambda pair: pair[0].row.name)
def test_what_neither_bends_nor_jumps_is_affine(case, position):
    """Along a line; and what has one slope everywhere but is not affine jumps."""
    operand, rng = case.operands[position], np.random.default_rng(position)
    along = rng.uniform(0.3, 0.9, np.shape(operand))

    def at(t):
        moved = np.asarray(operand + t * along, np.asarray(operand).dtype)
        given = moved if isinstance(operand, np.ndarray) else type(operand)(moved)
        changed = [given if k == position else other for k, other in enumerate(case.operands)]
        try:
            with np.errstate(all="ignore"):
                found = np.asarray(case.reference(*changed), np.float64)
        except (ValueError, ArithmeticError, np.linalg.LinAlgError):
            return np.nan
        return found if found.shape == np.shape(case.reference()) else np.nan

    places = [t for t in (0.013, 0.37, 0.71, 1.9, 2.3, 5.1) if np.all(np.isfinite(at(t)))]
    if len(places) < 2:
        return  # the length of a range
    single = any(np.asarray(o).dtype == np.float32 for o in (*case.operands, case.reference()))
    short, tolerance = (1e-2, 2e-2) if single else (1e-5, 1e-4)
    slopes = [(at(t + short) - at(t)) / short for t in places]
    first, slope = places[0], slopes[0]
    is_affine = all(np.allclose(at(t) - at(first), (t - first) * slope, tolerance, tolerance) for t in places)
    has_one_slope = all(np.allclose(slope, other, tolerance, tolerance) for other in slopes)
    jumps, bends = told(case, position)
    assert is_affine or jumps or bends and not has_one_slope


def test_what_is_linear_is_known_to_be():
    x, w, m = np.ones(3), np.full(3, 2.0), np.eye(3)
    for name, operands, static in [
        ("add", (x, w), {}), ("multiply", (x, w), {}), ("divide", (x, w), {}), ("negative", (x,), {}),
        ("where", (w > 0.0, x, w), {}), ("cast", (x,), {"dtype": "f32"}), ("sum", (x,), {"axis": None}),
        ("matmul", (x, m), {}), ("solve", (m, x), {}), ("concatenate", (x, w), {"axis": 0}), ("deg2rad", (x,), {}),
        ("full", (1.5,), {"shape": (2,)}), ("transpose", (m,), {"axes": (1, 0)}),
    ]:  # fmt: skip
        case = harness.OperatorCase(OPERATORS[name], 0, samples.Sample(operands, static))
        position = next(k for k, operand in enumerate(operands) if operand is x or len(operands) == 1)
        assert told(case, position) == (False, False), name


def test_through_a_program():
    function = read_function('''
def f(x: "f64", w: "f64[n]", k: "int"):
    y = x * 2.0
    z = floor(y)
    a = w * z
    b = w * y
    t = greater(x, 0.0)
    s = 1.0
    if t:
        s = 2.0
    n = dim(w, axis=0)
    return y, a, b, s, n
''')
    names, program = {*function.types}, Program("f", {"f": function})
    by_x, by_both = influence(program, ["x"], expand), influence(program, ["x", "w"], expand)
    assert by_x.changed & names == {"x", "y", "z", "a", "b", "t", "s"} == influenced(program, ["x"]) & names
    assert by_x.jumped & names == {"z", "a", "t", "s"} == by_x.bent & names
    assert by_both.bent & names == {"z", "a", "t", "s", "b"} and by_both.jumped == by_x.jumped


def test_through_functions():
    """A product of two parameters bends where both change, of which one call is enough."""
    program = read_program('''
def f(x: "f64", w: "f64"):
    a = g(x, w)
    b = g(x, 2.0)
    return a, b


def g(x: "f64", w: "f64"):
    a = x * w
    return a
''')
    assert not influence(program, ["x"], expand).bent and not influence(program, ["w"], expand).bent
    assert "a" in influence(program, ["x", "w"], expand).bent


X = np.array([0.3, -1.2, 2.0])


def shifted_by_a_branch(x):
    y = 0.0
    if x[0] > 5.0:
        y = 1.0
    return x + y


def counted(x):
    n = 0
    while n < np.sum(x):
        n += 1
    return x * 1.0 + n


def in_a_list(x):
    items = [x[0]]
    for i in range(1, len(x)):
        items.append(np.sign(items[-1]))
    return items[-1] + 0.0 * x


def by_recursion(x):
    return _rounded(x, 2)


def _rounded(x, k):
    return np.round(x) if k == 0 else _rounded(x, k - 1) + x


def stored(x):
    y = np.zeros(3, np.int64)
    y[0] = int(x[0])
    return x + y


def halved_until_it_is_small(x):
    while np.sum(x) > 10.0:
        x = x * 0.5
    return x


@checkpoint
def made_again(x):
    return x + np.trunc(x)


@pytest.mark.parametrize("function", [
    lambda x: x + np.floor(x), lambda x: x % 2.0, lambda x: np.fmod(x, 2.0), lambda x: x - lax.stop_gradient(x),
    lambda x: (x, x[0] > 0.0), lambda x: x[x > 0.0], lambda x: np.nextafter(x, 9.0),
    lambda x: x + x.astype(np.int64), lambda x: np.where(x > 0.0, x, 2.0 * x),
    lambda x: x * (x == x), lambda x: x - x // 1.0,
    shifted_by_a_branch, counted, in_a_list, by_recursion, stored, made_again, halved_until_it_is_small,
    lambda x: x * 2.0 + np.arange(3.0)[np.argmax(x)],
])  # fmt: skip
def test_what_jumps_is_not_linear(function):
    with pytest.raises(GradientError, match="where its arguments change, its result may jump"):
        linear_transpose(function, X)
    with pytest.raises(GradientError, match="where its arguments change, its result may jump"):
        compile(lambda x: linear_transpose(function, x)(function(x))[0])(X)


def test_what_is_put_in_order_is_not_linear():
    with pytest.raises(GradientError, match="is not linear: its derivative depends on the value of"):
        linear_transpose(lambda x: np.sort(x), X)


def moved_by_another(x, weights):
    y = np.zeros(3)
    for k in range(3):
        if weights[k] > 0.0:
            y[int(weights[k])] += x[k] * np.floor(weights[k])
    return y


def test_what_depends_on_others_may_jump():
    weights = np.array([2.5, -1.0, 1.5])
    matrix = np.array([moved_by_another(e, weights) for e in np.eye(3)]).T
    transpose = linear_transpose(lambda x: moved_by_another(x, np.array([2.5, -1.0, 1.5])), X)
    np.testing.assert_allclose(transpose(X)[0], matrix.T @ X)


@custom_vjp
def solved_by_steps(b):
    x = 0.0 * b
    while np.max(np.abs(b - 4.0 * x)) > 1e-12:
        x = x + 0.2 * (b - 4.0 * x)
    return x


solved_by_steps.defvjp(lambda b: (solved_by_steps(b), None), lambda _, x_bar: (x_bar / 4.0,))


def test_a_rule_says_how_linear_it_is():
    np.testing.assert_allclose(linear_transpose(lambda b: 2.0 * solved_by_steps(b), X)(X)[0], X / 2.0)


def test_what_is_no_float_keeps_its_value():
    def scaled(x, n, places):
        return x[places] * n

    transpose = linear_transpose(scaled, X, 3, np.array([2, 1]))
    by_x, by_n, by_places = transpose(np.array([1.0, 2.0]))
    np.testing.assert_allclose(by_x, [0.0, 6.0, 3.0])
    assert by_n is None and by_places is None
    inside = compile(lambda x: linear_transpose(scaled, x, 3, np.array([2, 1]))(np.array([1.0, 2.0]))[0])
    np.testing.assert_allclose(inside(X), by_x)
