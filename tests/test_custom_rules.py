"""Derivatives that the user gives: `custom_vjp`, `custom_jvp`, `stop_gradient`, `checkpoint`, by JAX's conventions.

The rules here are right, so that differences of the function are what they are held to; where a rule is wrong on
purpose, its answer tells that it was called.
"""

import ast
import functools
import math
import tracemalloc
from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from pellucid import GradientError, checkpoint, compile, custom_jvp, custom_vjp, grad, jvp, stop_gradient
from pellucid.compiler.request import Gradient
from pellucid.numpy.schedules import turns_ahead

from .harness.stages import Stages, in_python

pytestmark = pytest.mark.drawn(5)

X = np.array([0.5, -1.0, 2.0])
Y = np.array([1.5, 0.3, -0.4])
WEIGHTS = (1.0, -2.0, 0.5)


def differences(function, x, *rest, step=1e-6):
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        moved = np.zeros_like(x)
        moved[place] = step
        found[place] = (function(x + moved, *rest) - function(x - moved, *rest)) / (2.0 * step)
    return found


def weighted(x):
    return x[0] * WEIGHTS[0] + x[1] * WEIGHTS[1] + x[2] * WEIGHTS[2]


# --- functions with rules ------------------------------------------------------------------------------------------


@custom_vjp
def softplus(x):
    return np.log1p(np.exp(x))


def softplus_forward(x):
    return softplus(x), {"x": x, "kind": "smooth", "times": 1}


def softplus_backward(saved, y_bar):
    return (saved["times"] * y_bar / (1.0 + np.exp(-saved["x"])),)


softplus.defvjp(softplus_forward, softplus_backward)


@custom_jvp
def wave(x, y):
    return np.sin(x) * y


@wave.defjvp
def wave_rule(primals, tangents):
    x, y = primals
    x_dot, y_dot = tangents
    total = np.cos(x) * y * x_dot
    return wave(x, y), total + np.sin(x) * y_dot


@custom_jvp
def product(x, y):
    return x * y


product.defjvps(lambda x_dot, out, x, y: y * x_dot, lambda y_dot, out, x, y: x * y_dot)


class Pair(NamedTuple):
    first: object
    second: object


@functools.partial(custom_vjp, nondiff_argnums=(0, 2))
def applied(f, pair, axis):
    return {"sum": np.sum(f(pair.first) * pair.second, axis=axis), "count": 3}


def applied_forward(f, pair, axis):
    value = f(pair.first)
    return {"sum": np.sum(value * pair.second, axis=axis), "count": 3}, (value, pair)


def applied_backward(f, axis, saved, bar):
    value, pair = saved
    assert bar["count"] is None  # an int has no cotangent
    return (Pair(None, value * bar["sum"]),)


applied.defvjp(applied_forward, applied_backward)


@custom_vjp
def rounded(x):
    return np.round(x)


rounded.defvjp(lambda x: (np.round(x), None), lambda _, bar: (bar,))


@checkpoint
def block(x, w):
    for _ in range(3):
        x = np.tanh(x * w) + 0.1 * x
    return x, np.sum(x) * w


class Scaler:
    @custom_vjp
    def scaled(self, x):
        return x * 3.0

    scaled.defvjp(lambda self, x: (x * 3.0, None), lambda _, bar: (None, bar * 3.0))


# --- programs ------------------------------------------------------------------------------------------------------


def in_a_line(x, y):
    return np.sum(softplus(x) * softplus(x * y))


def in_a_loop(x, y):
    s = 0.0
    for i in range(len(x)):
        s += softplus(x[i]) * softplus(s)
        if x[i] > 0.0:
            s = softplus(s * y[i])
    return s


def in_a_while(x, y):
    s = x[0]
    k = 0
    while k < 3:
        s = softplus(s) * wave(s, x[k])
        k += 1
    return s


def recursive(x, y):
    def down(s, k):
        if k == 0:
            return s
        return softplus(down(s * y[k - 1], k - 1))

    return down(x[0], 3) + down(x[1], 2)


def with_stores(x, y):
    a = np.zeros(3)
    for i in range(3):
        a[i] = softplus(x[i])
        a[0] = a[0] + wave(a[i], y[i])
    return np.sum(a * a)


def tangents(x, y):
    return np.sum(wave(x, y) * wave(product(x, y), x)) + product(x[0], 2.0)


def made_again(x, y):
    a, s = block(x, 1.5)
    a, t = block(a * y, 0.7)
    return np.sum(a) * s + t


def made_again_in_a_loop(x, y):
    s = 1.0
    for _ in range(3):
        x, t = block(x, s)
        s = 0.5 * t
    return np.sum(x * y) + s


def of_a_gradient(x, y):
    return np.sum(grad(lambda z: np.sum(softplus(z * y) * wave(z, y)))(x) ** 2)


PROGRAMS = [
    in_a_line, in_a_loop, in_a_while, recursive, with_stores, tangents, made_again, made_again_in_a_loop, of_a_gradient,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_gradient_at_all_stages(program):
    plain, slope = Stages(program), Stages(program, [Gradient(0)])
    expected = in_python(program, X, Y).value if program is not of_a_gradient else None
    slopes = differences(pellucid.compile(program), X, Y)
    for stage in ("raw", "typed", "loops", "llvm"):
        if expected is not None:
            np.testing.assert_allclose(plain.run(stage, X, Y).value, expected, rtol=1e-12)
        if stage != "raw":
            np.testing.assert_allclose(slope.run(stage, X, Y).value, slopes, rtol=1e-6, atol=1e-8)


LONG = [pytest.param(program, marks=pytest.mark.long) for program in (in_a_loop, made_again)]


@pytest.mark.parametrize("program", [in_a_line, tangents, *LONG], ids=lambda p: p.__name__)
def test_second_derivatives(program):
    def slope(x, y):
        return weighted(grad(program)(x, y))

    np.testing.assert_allclose(grad(slope)(X, Y), differences(grad_of(program), X, Y), rtol=1e-5, atol=1e-7)


def grad_of(program):
    compiled = grad(program)
    return lambda x, y: weighted(compiled(x, y))


def test_forward_mode_takes_rules_of_tangents():
    value, tangent = jvp(tangents, (X, Y), (Y, X))
    step = 1e-6
    expected = (tangents(X + step * Y, Y + step * X) - tangents(X - step * Y, Y - step * X)) / (2.0 * step)
    np.testing.assert_allclose([value, tangent], [tangents(X, Y), expected], rtol=1e-6)
    _, over_reverse = jvp(grad(tangents), (X, Y), (Y, X))
    slope = grad(tangents)
    moved = [slope(X + sign * step * Y, Y + sign * step * X) for sign in (1.0, -1.0)]
    np.testing.assert_allclose(over_reverse, (moved[0] - moved[1]) / (2.0 * step), rtol=1e-5)


def test_forward_mode_refuses_rules_that_go_backwards():
    with pytest.raises(GradientError, match="G006"):
        jvp(in_a_line, (X, Y), (X, Y))


def test_rules_are_there_behind_vmap():
    def loss(x):
        return np.sum(rounded(x) * x)

    rows = np.stack([X, Y])
    expected = np.round(rows) + rows
    np.testing.assert_allclose(pellucid.vmap(grad(loss))(rows), expected)
    np.testing.assert_allclose(grad(lambda r: np.sum(pellucid.vmap(loss)(r)))(rows), expected)


# --- conventions ---------------------------------------------------------------------------------------------------


def test_arguments_without_a_derivative_come_first():
    def loss(pair, k):
        def doubled(v):
            return v * 2.0 + k

        return applied(doubled, pair, 0)["sum"]

    slope = grad(loss)(Pair(X, Y), 1)
    np.testing.assert_allclose(slope.first, np.zeros(3))  # the rule says so
    np.testing.assert_allclose(slope.second, 2.0 * X + 1.0)


def test_a_rule_decides_where_the_function_has_no_slope():
    np.testing.assert_array_equal(grad(lambda x: np.sum(rounded(x) * x))(X), np.round(X) + X)


def test_a_rule_of_the_identity_counts():
    clipped = custom_vjp(lambda x: x)
    clipped.defvjp(lambda x: (x, None), lambda _, bar: (np.clip(bar, -0.1, 0.1),))
    np.testing.assert_allclose(grad(lambda x: np.sum(clipped(x) ** 2))(X), 0.1 * np.sign(X))
    np.testing.assert_allclose(grad(lambda x: np.sum(clipped(x) * x))(X), X + np.clip(X, -0.1, 0.1))


def test_the_rule_stays_while_it_is_not_needed():
    def loss(x, y):
        return np.sum(x * stop_gradient(softplus(y)))

    np.testing.assert_allclose(grad(loss)(X, Y), np.log1p(np.exp(Y)))
    assert pellucid.compile(softplus)(0.5) == softplus(0.5)
    np.testing.assert_allclose(grad(softplus)(0.5), 1.0 / (1.0 + np.exp(-0.5)))


def test_rules_of_methods():
    scaler = Scaler()
    assert scaler.scaled(2.0) == 6.0
    np.testing.assert_allclose(grad(lambda x: np.sum(Scaler().scaled(x) * x))(X), 6.0 * X)


def test_a_rule_given_later_counts():
    @custom_vjp
    def f(x):
        return x * x

    slope = grad(lambda x: f(x) + 0.0)
    f.defvjp(lambda x: (x * x, x), lambda x, bar: (10.0 * bar,))
    assert slope(2.0) == 10.0
    f.defvjp(lambda x: (x * x, x), lambda x, bar: (20.0 * bar,))
    assert slope(2.0) == 20.0


def test_gradients_stop_in_containers():
    def loss(x, p):
        held = stop_gradient({"a": p[0], "b": [p[1], 3], "c": x})
        return np.sum(x * held["c"]) * held["a"] * held["b"][0] + p[1] * held["b"][1]

    slope = Stages(loss, [Gradient((0, 1))])
    for stage in ("typed", "loops", "llvm"):
        by_x, by_p = slope.run(stage, X, (2.0, 4.0)).value
        np.testing.assert_allclose(by_x, 8.0 * X)
        assert by_p == (0.0, 3.0)
    plain = Stages(loss)
    for stage in ("core", "raw", "typed", "loops", "llvm"):
        np.testing.assert_allclose(plain.run(stage, X, (2.0, 4.0)).value, loss(X, (2.0, 4.0)))


def test_what_is_made_again_is_not_kept():
    """Between the sweeps nothing of the inside is there: it is a function of its own, called on the way back."""
    text = grad(made_again).source("reverse", X, Y)
    entry, again = text.split("def block_again")
    assert "_saved" not in entry and entry.count("block_again(") == 2
    assert "np.tanh" in again
    assert "block_again" not in grad(made_again_in_a_loop, argnums=1).source("reverse", X, Y)  # its values are enough


# --- loops in segments -----------------------------------------------------------------------------------------


def recurrence(x, n):
    s, c = x, 0.0
    for t in checkpoint(range(n)):
        s = np.sin(s * 1.1) + 0.01 * x * t
        c = c + s[0] * s[1]
    return np.sum(s) + c


def in_place(x, n):
    u = x.copy()
    for _ in checkpoint(range(1, n), segments=3):
        u[1:] = u[1:] + 0.1 * (u[:-1] - u[1:]) * u[0]
        if u[2] > 0.5:
            u[0] = u[0] * 0.9
    return np.sum(u**2)


def nested(x, n):
    total = 0.0
    for _ in range(2):
        s = x
        for i in checkpoint(range(n)):
            for _ in checkpoint(range(i), segments=2):
                s = np.tanh(s * 1.05 + total)
        total = total + np.sum(s)
    return total


def within_a_budget(x, n):
    s, u = 0.5, x.copy()
    for t in checkpoint(range(n), memory=200):
        s = np.sin(s + u[0]) + 0.01 * t
        u[1:] = u[1:] + 0.1 * s * u[:-1]
    return np.sum(u**2) + s


def until_small(x, n):
    s, error = x, 1.0
    while checkpoint(error > 0.5**n):
        s = np.sin(s) + 0.1 * error
        error = error * 0.7
    return np.sum(s)


def recurrent_network(x, n):
    w = np.outer(x, x) + 0.1
    h = x
    for _ in checkpoint(range(n)):
        h = np.tanh(w @ h)
    return h @ h


def of_changing_lengths(x, n):
    h, g = x, np.concatenate((x, x))
    for t in checkpoint(range(n), memory="1 kB"):
        h, g = g[:-1] * 0.5, np.concatenate((h, h[:1] * t))
    return np.sum(h) + np.sum(g**2)


def halved_until_short(x, n):
    h = np.concatenate((x, x, x))
    while checkpoint(len(h) > 10 - n):
        h = h[1:] * 1.5
    return h @ h


def of_a_local_function(x, n):
    def step(v):
        return np.tanh(v * x[0])

    return np.sum(checkpoint(step)(x * n))


SEGMENTED = [
    recurrence, in_place, nested, within_a_budget, until_small, recurrent_network, of_changing_lengths,
    halved_until_short, of_a_local_function,
]  # fmt: skip


@pytest.mark.parametrize("program", SEGMENTED, ids=lambda p: p.__name__)
def test_loops_in_segments(program):
    slope = Stages(program, [Gradient(0)])
    compiled = pellucid.compile(program)
    for n in (0, 1, 2, 7):
        expected = differences(compiled, X, n)
        np.testing.assert_allclose(slope.run("llvm", X, n).value, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.long
def test_a_gradient_of_a_gradient_of_a_loop_in_segments():
    def slope(x, n):
        return weighted(grad(recurrence)(x, n))

    np.testing.assert_allclose(grad(slope)(X, 5), differences(pellucid.compile(slope), X, 5), rtol=1e-5, atol=1e-7)


def long_recurrence(x):
    s = x
    for _ in checkpoint(range(20), memory="1 kB"):
        s = np.sin(s) * x + s * 0.5
    return np.sum(s)


def test_a_gradient_within_a_budget_has_a_gradient():
    """Every list of states that the first one keeps is empty in the end, on whichever path it was filled."""
    slope, step = grad(long_recurrence), 1e-6

    def along(x):
        return np.sum(slope(x) * x)

    found = grad(along)(X)
    sides = [[along(X + sign * step * e) for sign in (1.0, -1.0)] for e in np.eye(len(X))]
    np.testing.assert_allclose(found, [(a - b) / (2.0 * step) for a, b in sides], rtol=1e-6)


def test_the_record_of_a_loop_in_segments_grows_with_the_square_root():
    """Counted in CPython: the elements of all arrays that are made for records, in the sweeps as they are printed."""
    text = grad(recurrence).source("reverse", X, 5)
    for n in (16, 1600):
        counted = Counting()
        namespace = {"__name__": "counted"}
        exec(text.replace("import numpy as np", ""), namespace | {"np": counted}, namespace)
        slope = namespace["recurrence_grad"]
        slope.__globals__.update(namespace, np=counted)
        np.testing.assert_allclose(slope(X, n), grad(recurrence)(X, n), rtol=1e-9)
        assert counted.largest <= 4 * (n**0.5 + 1)
    assert "2 forward runs in all" in str(grad(recurrence).explain(X, 5))


def test_the_binomial_schedule():
    """As many turns as Revolve: no part is run more often than r times, where C(s + r, s) parts can be gone through."""

    def runs(turns, slots):
        if turns == 1:
            return 0, 0  # how often a turn is run again at most, how many states are kept
        ahead = turns_ahead(turns, slots, 1)
        (left, kept), (right, more) = runs(ahead, slots), runs(turns - ahead, slots - 1)
        return max(1 + left, right), max(kept, 1 + more)

    for slots in (1, 2, 5):
        for turns in (1, 2, 3, 10, 50, 200):
            repeats = next(r for r in range(turns + 1) if math.comb(slots + r, slots) >= turns)
            assert runs(turns, slots) <= (repeats, slots)


def test_a_budget_holds():
    """The arrays that are alive at a time, in the sweeps as they are printed."""
    def program(x, n):
        for t in checkpoint(range(n), memory="20 kB"):
            x = np.sin(x * 1.1) + 0.01 * t
        return np.sum(x)

    x = np.linspace(0.1, 1.0, 100)
    np.testing.assert_allclose(grad(program)(x, 400), grad(plain_sines)(x, 400), rtol=1e-12)
    text = grad(program).source("reverse", x, 5)
    namespace = {"__name__": "measured"}
    exec(text, namespace, namespace)
    peaks = []
    for n in (100, 1000):
        tracemalloc.start()
        namespace["program_grad"](x, n)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.6 * peaks[0]
    assert peaks[1] < 60_000  # what is kept, twice over, and what a turn makes
    assert "within 0.02 MB" in str(grad(program).explain(x, 5))


def plain_sines(x, n):
    for t in range(n):
        x = np.sin(x * 1.1) + 0.01 * t
    return np.sum(x)


class Counting:
    """NumPy, which notes how large the arrays are that are made empty."""

    largest = 0

    def __getattr__(self, name):
        return getattr(np, name)

    def empty(self, shape, dtype=float):
        made = np.empty(shape, dtype)
        self.largest = max(self.largest, made.size)
        return made


def test_what_segments_cannot_do_is_refused():
    def stepping(x, n):
        for t in checkpoint(range(0, n, 2)):
            x = x * t
        return np.sum(x)

    def listing(x, n):
        xs = []
        for t in checkpoint(range(n)):
            xs.append(x[0] * t)
        return xs[0]

    for program in (stepping, listing):
        with pytest.raises(GradientError, match="G004"):
            grad(program)(X, 4)
    with pytest.raises(pellucid.TypeMismatchError, match="segments"):
        pellucid.compile(lambda n: sum(t for t in checkpoint(range(n), segments=0)))(3)
    with pytest.raises(pellucid.TypeMismatchError, match="an amount such as"):
        pellucid.compile(lambda n: sum(t for t in checkpoint(range(n), memory="64 apples")))(3)
    with pytest.raises(TypeError, match="an amount such as"):
        checkpoint(range(3), memory=-1)
    with pytest.raises(TypeError, match="number of segments, not 0"):
        checkpoint(range(3), segments=0)


# --- the wrong way round -------------------------------------------------------------------------------------------


def ruled(forward, backward, function=lambda x: np.sum(x)):
    made = custom_vjp(function)
    made.defvjp(forward, backward)
    return made


WRONG = {
    "no pair": (ruled(lambda x: np.sum(x), lambda r, b: (b,)), "returns a pair"),
    "other result": (ruled(lambda x: ((np.sum(x), 1.0), x), lambda r, b: (b * r,)), "forward rule"),
    "array for a number": (ruled(lambda x: (x, x), lambda r, b: (b * r,)), "an array of 1 axes, where a number"),
    "no tuple": (ruled(lambda x: (np.sum(x), x), lambda r, b: b * r), "one cotangent for each of `x`"),
    "too many": (ruled(lambda x: (np.sum(x), x), lambda r, b: (b * r, b)), "one cotangent for each of `x`"),
    "number for an array": (ruled(lambda x: (np.sum(x), x), lambda r, b: (b,)), "a number, where an array of 1 axes"),
    "container": (ruled(lambda x: (np.sum(x), x), lambda r, b: ({"x": b},)), "gives for `x`"),
    "no rule": (custom_vjp(lambda x: np.sum(x)), "has no rule"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_rules_are_refused(name):
    function, message = WRONG[name]
    with pytest.raises(GradientError, match="G006") as caught:
        grad(function)(X)
    assert message in str(caught.value)


def test_wrong_lengths_are_an_error_of_the_run():
    function = ruled(lambda x: (np.sum(x), x), lambda r, b: (b * r[1:],))
    with pytest.raises(ValueError, match="gives for `x` an array with 2 elements along axis 0, where 3 are wanted"):
        grad(function)(X)


def test_what_the_rule_says_nothing_of_has_no_derivative():
    def by_number(x, k):
        return np.sum(applied(lambda v: v, Pair(x, x), 0)["sum"]) * k

    assert np.all(np.isfinite(grad(by_number)(X, 2.0)))

    def seen(x, k):
        return applied(lambda v: v * k, Pair(x, x), 0)["sum"]

    with pytest.raises(GradientError, match="`k` has a derivative here"):
        grad(seen, argnums=1)(X, 2.0)


def test_tangents_that_are_not_linear_are_refused():
    bad = custom_jvp(lambda x: x * x)
    bad.defjvp(lambda primals, tangents: (primals[0] ** 2, tangents[0] ** 2))
    with pytest.raises(GradientError, match="not linear"):
        grad(lambda x: np.sum(bad(x)))(X)


def test_options_are_checked_at_once():
    with pytest.raises(ValueError, match="names no argument"):
        custom_vjp(lambda x: x, nondiff_argnums=(1,))
    with pytest.raises(TypeError, match="takes a Python function"):
        custom_jvp(3.0)


@custom_jvp
def stepped(x):
    return np.floor(x)


@stepped.defjvp
def of_steps(primals, tangents):
    return stepped(primals[0]), 3.0 * tangents[0]


def test_a_rule_for_a_function_that_has_no_slope_of_its_own():
    x = np.array([0.5, 1.5])
    assert jvp(stepped, (x,), (x,))[1].tolist() == (3.0 * x).tolist()
    assert jvp(lambda x: 2.0 * stepped(x), (x,), (x,))[1].tolist() == (6.0 * x).tolist()
    assert grad(lambda x: np.sum(stepped(x)))(x).tolist() == [3.0, 3.0]


def waves(x):
    step = checkpoint(lambda y: np.sin(y) * x, segments=3)
    return step(step(x))


of_a_lambda = checkpoint(lambda y: np.sin(y) * np.cos(y))


def test_checkpoint_of_a_function_takes_the_options_of_a_loop():
    np.testing.assert_allclose(grad(waves)(0.7), grad(lambda x: np.sin(np.sin(x) * x) * x)(0.7))


def test_functions_without_a_name_have_one_in_the_printed_stage():
    text = grad(lambda x: of_a_lambda(of_a_lambda(x))).source("reverse", 0.3)
    assert "_again(" in text
    ast.parse(text)


def test_a_gradient_is_stopped_at_a_view_of_another_order():
    x = np.arange(12.0).reshape(3, 4)

    def f(x):
        return np.sum(stop_gradient(x[:, ::2]) * x[:, ::2] + stop_gradient(x.T)[:2].sum())

    wanted = np.zeros((3, 4))
    wanted[:, ::2] = x[:, ::2]
    assert np.array_equal(grad(f)(x), wanted) and compile(f)(x) == f(x)
