"""Taylor mode: `jet` against polynomials through the values of the function along a curve, and against mpmath.

The oracle knows no rules: Chebyshev interpolation on two intervals of different widths, whose difference says how far
either can be trusted.
"""

import math

import gast
import mpmath
import numpy as np
import pytest

from pellucid import GradientError, compile, custom_jvp, grad, jet, jvp, vjp, vmap
from pellucid.compiler.frontend.specialise.derivatives.rules import expand
from pellucid.compiler.ops.schema import TypeFault
from pellucid.compiler.ops.series import Curve
from pellucid.compiler.request import Jet
from tests.harness import operators as harness
from tests.harness.stages import Stages
from tests.test_operators import direction_like, is_real, smooth_positions, wide

pytestmark = pytest.mark.drawn(5)

ORDER = 5
WIDTHS = 0.16, 0.1
ENOUGH = 1000  # statements: by its parameters the incomplete beta function takes eight times as many for each order


# --- rows -------------------------------------------------------------------------------------------------------------


def interpolated(value, width):
    """The derivatives of value(t) at zero, orders 1 to ORDER, one after the other along the first axis."""
    nodes = np.cos(np.pi * (np.arange(19) + 0.5) / 19)
    values = np.array([np.ravel(value(width * t)) for t in nodes])
    fit = np.polynomial.chebyshev.chebfit(nodes, values, 18)
    slopes = [(k, np.polynomial.chebyshev.chebder(fit, k)) for k in range(1, ORDER + 1)]
    return np.array([np.polynomial.chebyshev.chebval(0.0, slope) / width**k for k, slope in slopes])


def assert_derivatives(found, value):
    """Hold derivatives against those of the function along the curve; the part of them that could be judged."""
    with np.errstate(all="ignore"):
        one, other = (interpolated(value, width) for width in WIDTHS)
    found = np.array([np.ravel(part) for part in found])
    one, other = one[: len(found)], other[: len(found)]
    doubt = 30.0 * np.abs(one - other)
    scale = np.maximum(np.abs(one), np.max(np.abs(one), axis=0, initial=1.0)[None])
    told = doubt < 1e-3 * scale
    noise = 10.0 ** (np.arange(1, len(found) + 1) - 10.0)[:, None] * scale
    assert np.all((np.abs(found - one) <= doubt + noise) | ~told), (found, one)
    return np.mean(told) if told.size else 1.0


def along(case, positions):
    """The derivatives of the result that follow from the row, run in CPython; and the function along the curve."""
    values, atoms = harness.operand_atoms(case)
    builder = harness.builder_for(values)
    builder.specialiser = expand
    out = builder.call(case.row.name, *atoms, hint="out", **case.static)
    statement, curve, rng, terms = builder.body[-1], Curve(builder), np.random.default_rng(5), {}
    for k in positions:
        terms[k] = [as_operand(0.4 * direction_like(case.operands[k], rng), case.operands[k]) for _ in range(ORDER)]
        names = []
        for order, term in enumerate(terms[k]):
            names.append(builder.names.take(f"{atoms[k].id}_dot{order}"))
            values[names[-1]], builder.types[names[-1]] = term, builder.types[atoms[k].id]
        curve.give(atoms[k], [atoms[k], *(gast.Name(n, gast.Load(), None, None) for n in names)])
    followed = curve.follow(statement)
    made = []
    while len(made) < ORDER and len(builder.body) < ENOUGH:
        made.append(followed[out.id].at(len(made) + 1) if followed else None)
    harness.run(builder.body, values, lambda name, value: None)
    zero = np.zeros(np.shape(values[out.id]))
    found = [zero if atom is None else harness.evaluate(atom, values) for atom in made]

    def value(t):
        operands = [wide(o) if is_real(o) else o for o in case.operands]
        for k, given in terms.items():
            moved = np.asarray(operands[k], float) + sum(
                np.asarray(d, float) * t**j / math.factorial(j) for j, d in enumerate(given, 1)
            )
            operands[k] = as_operand(moved, operands[k])
        return np.asarray(case.reference(*operands), float)

    return found, value


def as_operand(value, operand):
    made = np.asarray(value, np.asarray(operand).dtype)
    return made if isinstance(operand, np.ndarray) else type(operand)(made)


def double_rows():
    """The first smooth sample of every row, in doubles."""
    found = {}
    for case, positions in smooth_positions():
        is_double = all(np.asarray(o).dtype not in (np.float32, np.float16) for o in case.operands)
        if is_double and case.row.kind != "creation":  # the length of a progression changes along the curve
            found.setdefault(case.row.name, (case, positions))
    return list(found.values())


@pytest.mark.parametrize("part", range(4))
def test_rows(part):
    judged = []
    for case, positions in double_rows()[part::4]:
        try:
            found, value = along(case, positions)
        except TypeFault as refused:
            assert refused.code == "G003", case
            continue
        try:
            judged.append(assert_derivatives(found, value))
        except ValueError:
            assert case.row.domain, case  # the interval leaves the domain of a function of Python's
    assert len(judged) > 15 and np.mean(judged) > 0.85


def test_high_orders():
    """To order 9, of functions whose derivatives mpmath knows."""
    for function, told, x in [
        (lambda x: np.tan(x) / (1.0 + x * x), lambda x: mpmath.tan(x) / (1 + x * x), 0.3),
        (lambda x: np.exp(np.sin(x)) ** 1.5, lambda x: mpmath.exp(mpmath.sin(x)) ** 1.5, 0.7),
    ]:
        value, terms = jet(function, (x,), ((1.0, *[0.0] * 8),))
        with mpmath.workdps(40):
            expected = [float(mpmath.diff(told, mpmath.mpf(x), k)) for k in range(10)]
        np.testing.assert_allclose([value, *terms], expected, rtol=1e-11)


# --- programs ---------------------------------------------------------------------------------------------------------


def spiral(x, n):
    """A loop, a list, a store, a branch and a product."""
    a = np.zeros(4)
    terms = [x]
    for i in range(n):
        a[i % 4] = np.sin(terms[-1]) + a[i % 4] * x
        if i % 2 == 0:
            terms.append(a[i % 4] / (1.0 + x * x))
        else:
            terms.append(np.exp(-terms[-1]))
    return np.prod(a) + terms[-1]


def until_small(x):
    y, k = x, 0
    while y * y > 0.5:
        y = y - 0.5 * np.tanh(y)
        k += 1
    return y * k


def folded(x, k):
    return np.cos(x) if k == 0 else folded(x * x + 0.2, k - 1) * x


def solved(x):
    a = np.array([[2.0 + x, 0.3], [np.sin(x), 3.0]])
    w, v = np.linalg.eigh(a @ a.T)
    return np.linalg.solve(a, v * v) @ w + np.linalg.cholesky(a.T @ a)[:, 0]


def joined(x):
    m = np.stack((x * np.arange(3.0), x / (1.0 + np.arange(3.0))))
    return np.concatenate((np.einsum("ij,kj->ik", m, np.sin(m)).ravel(), np.where(m > 0.3, m * m, m).sum(axis=0)))


PROGRAMS = [
    (spiral, (0.6, 7), 5), (until_small, (1.3,), 5), (folded, (0.6, 3), 5), (solved, (0.4,), 2), (joined, (0.5,), 3)
]  # fmt: skip


@pytest.mark.parametrize(("function", "args", "order"), PROGRAMS, ids=lambda value: getattr(value, "__name__", ""))
def test_programs(function, args, order):
    series = ((0.8, -0.5, 0.3, 1.0, 0.7)[:order], *[None] * (len(args) - 1))

    def value(t):
        x = args[0] + sum(d * t**k / math.factorial(k) for k, d in enumerate(series[0], 1))
        return np.asarray(function(x, *args[1:]))

    out, found = jet(function, args, series)
    np.testing.assert_allclose(out, function(*args), rtol=1e-13)
    assert assert_derivatives(found, value) > 0.75


@pytest.mark.parametrize("stage", ["typed", "loops", "llvm"])
def test_stages(stage):
    outcome = Stages(spiral, (Jet(),)).run(stage, (0.6, 7), ((1.0, 0.5, 0.25), None))
    assert outcome.error is None
    np.testing.assert_allclose(outcome.value[1], jet(spiral, (0.6, 7), ((1.0, 0.5, 0.25), None))[1], rtol=1e-12)


def test_orders_cost_a_square():
    """Statements of the program of order k: iterated forward mode has twice as many for each order."""

    def chain(x):
        return np.sin(x) * np.exp(x) / (2.0 + np.cos(x * x))

    lines = [len(jet(chain).source("transformed", (0.3,), ((1.0,) * k,)).splitlines()) for k in (4, 8)]
    assert lines[1] < 6 * lines[0]


# --- with others ------------------------------------------------------------------------------------------------------


def wave(x):
    return np.sin(x) * x


def third(x):
    return jet(wave, (x,), ((1.0, 0.0, 0.0),))[1][2]


def third_of_wave(x):
    return -3.0 * np.sin(x) - x * np.cos(x)


def fourth_of_wave(x):
    return -4.0 * np.cos(x) + x * np.sin(x)


def test_with_other_transformations():
    x, xs = 0.4, np.linspace(-1.0, 1.0, 5)
    assert third(x) == pytest.approx(third_of_wave(x), rel=1e-12)
    assert compile(third)(x) == pytest.approx(third_of_wave(x), rel=1e-12)
    np.testing.assert_allclose(vmap(third)(xs), third_of_wave(xs), rtol=1e-12)
    assert grad(third)(x) == pytest.approx(fourth_of_wave(x), rel=1e-12)
    assert jvp(third, (x,), (1.0,))[1] == pytest.approx(fourth_of_wave(x), rel=1e-12)
    assert vjp(third, x)[1](1.0)[0] == pytest.approx(fourth_of_wave(x), rel=1e-12)
    second = jet(grad(wave), (x,), ((1.0, 0.0),))[1]
    np.testing.assert_allclose(second, [2.0 * np.cos(x) - x * np.sin(x), third_of_wave(x)], rtol=1e-12)
    twice = jet(lambda x: jet(wave, (x,), ((1.0, 0.0),))[1][1], (x,), ((1.0, 0.0),))[1]
    np.testing.assert_allclose(twice, [third_of_wave(x), fourth_of_wave(x)], rtol=1e-12)
    values, terms = vmap(jet(wave))((xs,), ((np.ones(5), np.zeros(5), np.zeros(5)),))
    np.testing.assert_allclose(terms[2], third_of_wave(xs), rtol=1e-12)


@custom_jvp
def cubed(x, scale):
    return scale * x**3


@cubed.defjvp
def cubed_rule(primals, tangents):
    (x, scale), (x_dot, scale_dot) = primals, tangents
    return cubed(x, scale), 3.0 * scale * x * x * x_dot + x**3 * scale_dot


def test_a_rule_of_tangents_is_derived_further():
    series = ((1.0, 0.5, 0.2, 0.1), (0.3, 0.2, 0.1, 0.4))
    found = jet(lambda x, s: np.sin(cubed(x, s)), (0.7, 1.2), series)
    expected = jet(lambda x, s: np.sin(s * x**3), (0.7, 1.2), series)
    np.testing.assert_allclose([found[0], *found[1]], [expected[0], *expected[1]], rtol=1e-12)


# --- as users call it -------------------------------------------------------------------------------------------------


def test_containers_and_what_does_not_change():
    def product(parts, power):
        return {"all": parts["x"] * parts["k"], "power": power}

    primals = ({"x": np.array([1.0, 2.0]), "k": 3}, 2)
    value, terms = jet(product, primals, ([{"x": np.ones(2), "k": None}, {"x": None, "k": None}], None))
    assert terms["power"] is None and value["power"] == 2
    np.testing.assert_array_equal(terms["all"], [[3.0, 3.0], [0.0, 0.0]])
    assert jet(lambda x: (x * x, "square"), (3.0,), ((1.0, 0.0),), has_aux=True) == (9.0, [6.0, 2.0], "square")
    assert len(jet(lambda x: x * x, (0.5,), ([1.0] + [0.0] * 11,))[1]) == 12


@pytest.mark.parametrize(("series", "message"), [
    (((1.0,), (1.0, 2.0)), "different lengths: 1, 2"),
    ((1.0, 2.0), "a tuple of its derivatives"),
    (((1.0,),), "one for each of the 2 primals"),
    ((None, ()), "no derivative of any primal"),
    (((1.0,), (np.ones(3),)), "primal 1 is float"),
    (((1,), None), "primal 0 is float, and its tangent"),
])  # fmt: skip
def test_refusals(series, message):
    with pytest.raises(GradientError, match=message):
        jet(lambda x, y: x * y, (1.0, 2.0), series)
