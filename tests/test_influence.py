"""What of a result changes by jumps: against NumPy for every row of the operator table, and through programs."""

import numpy as np
import pytest

from pellucid import GradientError, checkpoint, compile, custom_vjp, lax, linear_transpose
from pellucid.compiler import syntax
from pellucid.compiler.analysis.influence import influenced, jumped, jumping
from pellucid.compiler.program import Program

from .harness import operators as harness
from .harness.every import every
from .harness.typed_text import read_function


def is_float(value):
    return isinstance(value, float) or isinstance(value, np.ndarray | np.generic) and value.dtype.kind == "f"


def by_floats():
    """A sample of every row for every operand that is a float, where the row says nothing of jumps."""
    seen = set()
    for case in harness.operator_cases():
        for position, operand in enumerate(case.operands):
            key = case.row.name, position, np.ndim(operand) == 0
            if is_float(operand) and is_float(case.reference()) and key not in seen:
                seen.add(key)
                yield case, position


def jumps(case, position):
    values, atoms = harness.operand_atoms(case)
    types = {name: harness.type_of_value(value) for name, value in values.items()}
    types["out"] = harness.type_of_value(case.reference())
    return f"x{position}" in jumping(syntax.assign("out", syntax.call(case.row.name, *atoms), None), types)


@every(by_floats(), str, by=lambda pair: pair[0].row.name)
def test_what_has_one_slope_everywhere_is_affine_or_jumps(case, position):
    """Along a line: where short differences are the same at all points, the long ones are, or the row says why not."""
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

    places = [0.013, 0.37, 0.71, 1.9, 2.3, 5.1]
    single = any(np.asarray(o).dtype in (np.float16, np.float32) for o in (*case.operands, case.reference()))
    short = 1e-2 if single else 1e-5
    slopes = [(at(t + short) - at(t)) / short for t in places]
    tolerance = 2e-2 if single else 1e-4
    if not all(np.allclose(slopes[0], other, tolerance, tolerance) for other in slopes[1:]):
        return  # its slope depends on the operand
    is_affine = all(np.allclose(at(t) - at(0.013), (t - 0.013) * slopes[0], tolerance, tolerance) for t in places)
    assert is_affine or jumps(case, position)


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
    program = Program("f", {"f": function})
    assert jumped(program, ["x"]) & {*function.types} == {"z", "a", "t", "s"}
    assert influenced(program, ["x"]) & {*function.types} == {"x", "y", "z", "a", "b", "t", "s"}
    assert jumped(program, ["w"]) == set() and influenced(program, ["w"]) == {"w", "a", "b"}


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
    lambda x: (x, x[0] > 0.0), lambda x: x[x > 0.0], lambda x: np.sort(x), lambda x: np.nextafter(x, 9.0),
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
