"""`vjp`: values, pullbacks and what becomes of them, outside and inside compiled functions."""

import dataclasses
import math
import pickle
from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from pellucid import GradientError, Pullback, compile, grad, vjp


class Pair(NamedTuple):
    a: object
    b: object


@dataclasses.dataclass
class State:
    x: object
    name: str = "s"


def sines(x):
    return np.sin(x) * x


def slope_of_sines(x):
    return np.cos(x) * x + np.sin(x)


def several(p, k):
    """Numbers, arrays and an int, in containers."""
    w = p["w"] * k
    total = np.sum(w * w)
    return Pair(total, (w[1:], k)), {"state": State(p["b"] * w[0])}


X = np.array([0.3, -1.2, 2.0])

# --- outside -------------------------------------------------------------------------------------------------------


def test_value_and_cotangents():
    out, pullback = vjp(sines, X)
    np.testing.assert_allclose(out, sines(X))
    assert isinstance(pullback, Pullback)
    for v in (np.ones(3), np.array([1.0, -2.0, 0.5])):  # as often as wanted
        got = pullback(v)
        assert type(got) is tuple and len(got) == 1
        np.testing.assert_allclose(got[0], v * slope_of_sines(X), rtol=1e-14)


def test_containers_on_both_sides():
    params = {"w": X, "b": 2.0}
    out, pullback = vjp(several, params, 3)
    bar = (Pair(0.5, (np.array([1.0, 2.0]), None)), {"state": State(4.0, None)})
    (slope, of_k) = pullback(bar)
    assert of_k is None  # an int has no cotangent
    w = X * 3

    def weighted(p, k):
        (pair, rest) = several(p, k)
        return 0.5 * pair.a + pair.b[0][0] + 2.0 * pair.b[0][1] + 4.0 * rest["state"].x

    want = grad(weighted)(params, 3)
    np.testing.assert_allclose(slope["w"], want["w"])
    assert slope["b"] == pytest.approx(4.0 * w[0]) and type(slope["b"]) is float
    assert out[0].b[1] == 3


def test_has_aux_and_argnums():
    def f(x, w, *, scale):
        return x * w * scale, {"n": 3, "x": x}

    out, pullback, auxiliary = vjp(lambda x, w: f(x, w, scale=2.0), 3.0, 4.0, has_aux=True)
    assert out == 24.0 and auxiliary == {"n": 3, "x": 3.0}
    assert pullback(1.0) == (8.0, 6.0)
    assert vjp(lambda x, w: x * w, 3.0, 4.0, argnums="w")[1](1.0) == (3.0,)
    assert vjp(lambda x, w: x * w, 3.0, 4.0, argnums=(1, 0))[1](2.0) == (6.0, 8.0)


def test_later_changes_of_the_arguments_do_not_reach_it():
    x = X.copy()
    _, pullback = vjp(sines, x)
    x[:] = 0.0
    np.testing.assert_allclose(pullback(np.ones(3))[0], slope_of_sines(X))


def test_results_share_no_memory_with_the_cotangent():
    v = np.ones(3)
    _, pullback = vjp(lambda x, y: x + y, X, X)
    a, b = pullback(v)
    assert not np.shares_memory(np.asarray(a), v) and not np.shares_memory(np.asarray(a), np.asarray(b))
    v[:] = 7.0
    np.testing.assert_array_equal(a, np.ones(3))


RATE = 2.0


def test_it_stays_with_the_world_it_was_made_in():
    global RATE
    made = []
    for RATE in (2.0, 3.0):  # noqa: B020
        made.append(vjp(lambda x: RATE * x, 5.0)[1])
    assert [pullback(1.0) for pullback in made] == [(2.0,), (3.0,)]


def test_lists_that_grow_are_residuals():
    def halvings(x):
        kept = []
        while x > 1.0:
            x = 0.8 * math.sin(x) + 0.3 * x
            kept.append(x)
        return x, sum(kept)

    out, pullback = vjp(halvings, 2.5)
    weighted = lambda x: halvings(x)[0] - 0.7 * halvings(x)[1]  # noqa: E731
    for _ in range(2):
        (got,) = pullback((1.0, -0.7))
        assert got == pytest.approx((weighted(2.5 + 1e-6) - weighted(2.5 - 1e-6)) / 2e-6, rel=1e-7)
    assert out == pytest.approx(halvings(2.5))


def test_residuals_stay_where_the_backward_sweep_stores_into_them():
    """It undoes the stores into `y`, which begins as it was left by the forward sweep: of another pullback as well."""

    def swept(x):
        y = x * 1.0
        for _ in range(3):
            for i in range(1, x.shape[0]):
                y[i] = math.sin(y[i - 1] * y[i])
        return y

    _, pullback = vjp(swept, X)
    assert "_saved" in pullback.source("reverse")
    want = np.array([(swept(X + h) - swept(X - h)) @ np.ones(X.size) / 2e-6 for h in 1e-6 * np.eye(X.size)])
    for _ in range(2):
        np.testing.assert_allclose(pullback(np.ones(X.size))[0], want, rtol=1e-7)


def test_pickles():
    _, pullback = vjp(sines, X)
    again = pickle.loads(pickle.dumps(pullback))
    np.testing.assert_array_equal(again(np.ones(3))[0], pullback(np.ones(3))[0])


def test_what_is_taken_of_a_function_is_made_once():
    pullbacks = [vjp(sines, x)[1] for x in (X, X + 1.0)]
    assert pullbacks[0].func is pullbacks[1].func


@dataclasses.dataclass
class Lens:
    power: float = 2.0

    def bend(self, x):
        return self.power * np.sin(x)


def test_methods_and_derivatives():
    np.testing.assert_allclose(vjp(Lens().bend, X)[1](np.ones(3))[0], 2.0 * np.cos(X))
    (second,) = vjp(grad(np_cube), 2.0)[1](1.0)
    assert second == pytest.approx(12.0)


def np_cube(x):
    return x**3


def test_its_source():
    _, pullback = vjp(sines, X)
    text = pullback.source("reverse")
    assert "def sines_pullback(x, " in text and "x_bar" in text
    assert "np.cos(x)" in text
    assert "sines_pullback" in pullback.source("loops") and "backward sweep" not in pullback.source("reverse")
    assert isinstance(pullback.explain(), str)


# --- what does not fit ---------------------------------------------------------------------------------------------

BAD = [
    (1.0, "`out` is a tuple of 2"),
    ((1.0, {"b": np.ones(2)}), r"`out\[1\]` is a dict with the keys 'a'"),
    ((1.0, {"a": np.ones((2, 2))}), r"`out\[1\]\['a'\]` is f64\[_\], and its cotangent is f64\[_, _\]"),
    ((1.0, {"a": None}), "its cotangent is None"),
    ((1, {"a": np.ones(2)}), r"`out\[0\]` is f64, and its cotangent is int"),
    ((1.0, {"a": np.ones(2, dtype=np.float32)}), "its cotangent is f32"),
]


@pytest.mark.parametrize("bar, message", BAD, ids=str)
def test_cotangents_that_do_not_fit(bar, message):
    _, pullback = vjp(lambda x: (np.sum(x), {"a": x[1:]}), X)
    with pytest.raises(GradientError, match="G007") as raised:
        pullback(bar)
    raised.match(message)
    with pytest.raises(GradientError, match=message):
        compile(lambda x, b: vjp(lambda x: (np.sum(x), {"a": x[1:]}), x)[1](b))(X, bar)


def test_a_cotangent_of_another_length():
    _, pullback = vjp(sines, X)
    with pytest.raises(ValueError, match="the cotangent of `out` has length 4 along axis 0, where `out` has length 3"):
        pullback(np.ones(4))
    with pytest.raises(ValueError, match="has length 1 along axis 0"):
        compile(lambda x, v: vjp(sines, x)[1](v))(X, np.ones(1))


def test_results_without_cotangents_are_refused():
    def perhaps(x):
        return None if x > 2.0 else x * 0.5

    with pytest.raises(GradientError, match="may be None: it has no cotangent"):
        vjp(perhaps, 1.0)


def test_an_int_has_no_cotangent():
    out, pullback = vjp(lambda x, k: (x[k], k), X, 1)
    slope, of_k = pullback((1.0, None))
    np.testing.assert_array_equal(slope, [0.0, 1.0, 0.0])
    assert of_k is None and out[1] == 1
    with pytest.raises(GradientError, match=r"`out\[1\]` is no float: its cotangent is None"):
        pullback((1.0, 1.0))


# --- inside compiled functions -------------------------------------------------------------------------------------


@compile
def product(x, v):
    out, pullback = vjp(sines, x)
    return out, pullback(v)[0], pullback(2.0 * v)[0]


def test_inside():
    out, once, twice = product(X, np.ones(3))
    np.testing.assert_allclose(out, sines(X))
    np.testing.assert_allclose(once, slope_of_sines(X))
    np.testing.assert_allclose(twice, 2.0 * slope_of_sines(X))


def test_arguments_are_chosen_inside():
    by_number, by_name = compile(lambda x, y: [vjp(times, x, y, argnums=k)[1](1.0) for k in (1, "x")])(2.0, 3.0)
    assert (by_number, by_name) == ((2.0,), (3.0,))


def times(x, y):
    return x * y


def test_passed_in_and_given_out():
    taken = compile(lambda pullback, v: pullback(v)[0] * 2.0)
    given = compile(lambda x: vjp(sines, x))
    out, pullback = given(X)
    assert isinstance(pullback, Pullback)
    for one in (pullback, vjp(sines, X)[1]):
        np.testing.assert_allclose(one(np.ones(3))[0], slope_of_sines(X))
        np.testing.assert_allclose(taken(one, np.ones(3)), 2.0 * slope_of_sines(X))


def test_a_local_function_is_pulled_back_as_it_was():
    @compile
    def f(x, v):
        k = x[1]

        def g(y):
            return y * k * y

        _, pullback = vjp(g, x)
        k = x[2]
        return pullback(v)[0], vjp(g, x)[1](v)[0]

    before, after = f(X, np.ones(3))
    np.testing.assert_allclose(before, 2.0 * X[1] * X)
    np.testing.assert_allclose(after, 2.0 * X[2] * X)


def test_a_local_one_does_not_leave():
    with pytest.raises(pellucid.CompileError, match="cannot be returned"):
        compile(lambda x: vjp(lambda y: y * x, x)[1])(2.0)


def test_derivatives_through_it():
    def value(x, v):
        return np.sum(vjp(sines, x)[1](v)[0] ** 2)

    v = np.array([1.0, 0.5, -2.0])
    want = 2.0 * v**2 * slope_of_sines(X) * (2.0 * np.cos(X) - X * np.sin(X))
    np.testing.assert_allclose(grad(value)(X, v), want, rtol=1e-12)
    np.testing.assert_allclose(grad(value, 1)(X, v), 2.0 * v * slope_of_sines(X) ** 2, rtol=1e-12)
    out, pullback = vjp(lambda x, v: vjp(sines, x)[1](v)[0], X, v)  # of a pullback's result
    np.testing.assert_allclose(pullback(np.ones(3))[0], v * (2.0 * np.cos(X) - X * np.sin(X)))


def test_a_world_that_changed_is_refused_inside():
    global RATE
    RATE = 2.0
    _, pullback = vjp(lambda x: RATE * x, 5.0)
    taken = compile(lambda pull, v: pull(v)[0])
    assert taken(pullback, 1.0) == 2.0
    RATE = 3.0
    with pytest.raises(GradientError, match="has changed since its `vjp` was taken"):
        taken(pullback, 1.0)
    assert pullback(1.0) == (2.0,)


class Model:
    scale = 2.0

    @classmethod
    def scaled(cls, x):
        return x * cls.scale


def added_and_scaled(x):
    y = np.zeros(len(x))
    np.add.at(y, np.array([1, 1, 2]), x)
    return Model.scaled(y)


def test_methods_that_are_made_when_they_are_read_have_not_changed():
    _, pullback = vjp(added_and_scaled, np.ones(3))
    np.testing.assert_array_equal(pullback(np.array([1.0, 2.0, 3.0]))[0], [4.0, 4.0, 6.0])
