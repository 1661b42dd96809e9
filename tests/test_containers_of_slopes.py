"""Containers come back in their class; leaves without a derivative have the slope None and forbid nothing."""

import dataclasses
from collections import OrderedDict, defaultdict
from collections.abc import Callable

import numpy as np
import pytest

from pellucid import Array, GradientError, compile, grad, hessian, jacfwd, jacrev, jvp, tree, value_and_grad, vjp, vmap


class OfDict(dict):
    pass


class OfList(list):
    pass


class OfTuple(tuple):
    pass


def loss(p):
    return np.sum(p["w"] ** 2) * p["b"]


PARTS = {"w": np.array([1.0, 2.0]), "b": 3.0}
DICTS = [dict(PARTS), OrderedDict(PARTS), defaultdict(float, PARTS), OfDict(PARTS)]


@pytest.mark.parametrize("p", DICTS, ids=lambda p: type(p).__name__)
def test_a_dict_keeps_its_class(p):
    slope = grad(loss)
    for _ in range(3):  # by Python, and natively
        found = slope(p)
        assert type(found) is type(p) and list(found) == ["w", "b"]
        assert getattr(found, "default_factory", None) is getattr(p, "default_factory", None)
        np.testing.assert_array_equal(np.asarray(found["w"]), 6.0 * PARTS["w"])
    step = compile(lambda p: tree.map(lambda a, b: a - 0.1 * b, p, grad(loss)(p)))
    outside = tree.map(lambda a, b: a - 0.1 * b, p, found)
    for made in (step(p), step(p), outside):
        assert type(made) is type(p) and made["b"] == pytest.approx(3.0 - 0.1 * 5.0)
    for made in (compile(lambda p: p)(p), tree.unflatten(tree.structure(p), tree.leaves(p))):
        assert type(made) is type(p)


@pytest.mark.parametrize("p", DICTS, ids=lambda p: type(p).__name__)
def test_what_is_made_of_a_dict_has_pythons_class(p):
    def made(p):
        copied, plain = p.copy(), dict(p)
        copied["c"] = 1.0
        return copied, plain, {**p}, isinstance(p, dict), type(p) is dict

    expected, found = made(p), compile(made)(p)
    assert [type(part) for part in found] == [type(part) for part in expected]
    assert found[3:] == expected[3:] and list(found[0]) == ["w", "b", "c"]


@pytest.mark.parametrize("cls", [list, tuple, OfList, OfTuple])
def test_a_sequence_keeps_its_class(cls):
    def product(p):
        return p[0] * p[1]

    p, slope = cls([2.0, 3.0]), grad(product)
    for _ in range(3):
        found = slope(p)
        assert type(found) is cls and list(found) == [3.0, 2.0]
    assert type(tree.map(lambda a, b: a - b, p, found)) is cls
    made = compile(lambda p: (p + p, p[:1]))
    assert [type(part) for part in made(p)] == [type(part) for part in (p + p, p[:1])]


@dataclasses.dataclass
class Model:
    weight: np.ndarray
    bias: float
    act: Callable
    name: str = "dense"
    steps: int = 2

    def __call__(self, x):
        for _ in range(self.steps):
            x = self.act(self.weight @ x) + self.bias
        return np.sum(x)


def model(act):
    return Model(np.array([[0.5, 0.25], [0.125, 1.0]]), 0.5, act)


def of(m, x):
    return m(x)


@pytest.mark.parametrize("act", [np.tanh, np.sin, lambda x: x * x])
def test_a_model_holds_its_activation(act):
    x, m, step = np.array([1.0, -2.0]), model(act), 1e-6
    found = grad(of)(m, x)
    assert (found.act, found.name, found.steps) == (None, None, None)
    ahead = [of(dataclasses.replace(m, bias=m.bias + side), x) for side in (step, -step)]
    assert found.bias == pytest.approx((ahead[0] - ahead[1]) / (2 * step), rel=1e-6)
    value, again = value_and_grad(of)(m, x)
    assert value == pytest.approx(of(m, x)) and again.bias == found.bias
    pulled = vjp(of, m, x)[1](1.0)[0]
    for other in (jacrev(of)(m, x), jacfwd(of)(m, x), pulled):
        np.testing.assert_allclose(np.asarray(other.weight), np.asarray(found.weight))
        assert other.act is None
    moved = tree.map(lambda w, g: w - 0.1 * g, m, found)
    assert moved.act is act and moved.name == "dense" and moved.bias == pytest.approx(0.5 - 0.1 * found.bias)


def test_a_training_step_is_compiled_whole():
    @compile
    def step(m, x):
        return tree.map(lambda w, g: w - 0.1 * g, m, grad(of)(m, x))

    x, m = np.array([1.0, -2.0]), model(np.tanh)
    expected = tree.map(lambda w, g: w - 0.1 * g, m, grad(of)(m, x))
    found = step(m, x)
    np.testing.assert_allclose(np.asarray(found.weight), np.asarray(expected.weight))
    assert (found.act, found.name, found.steps) == (np.tanh, "dense", 2)


def test_second_derivatives_and_examples_leave_out_what_has_none():
    p = {"w": np.array([1.0, 2.0]), "k": 2, "act": np.tanh}

    def total(p):
        return np.sum(p["act"](p["w"])) * p["k"]

    second = hessian(total)(p)
    assert second["k"] is None and second["w"]["act"] is None
    tanh = np.tanh(p["w"])
    np.testing.assert_allclose(np.asarray(second["w"]["w"]), np.diag(-4.0 * tanh * (1 - tanh**2)))
    many = vmap(grad(lambda s, p: s * total(p), 1), in_axes=(0, None))(np.array([1.0, 2.0]), p)
    assert many["k"] is None and isinstance(many["w"], Array) and many["w"].shape == (2, 2)
    assert jvp(total, (p,), ({"w": np.ones(2), "k": None, "act": None},))[1] == pytest.approx(
        np.sum(2.0 * (1 - tanh**2))
    )


def test_an_argument_without_any_derivative_is_refused():
    for argument in (3, True, np.array([1, 2]), {"k": 3}, [np.tanh, "name"]):
        with pytest.raises(GradientError, match="G001"):
            grad(lambda p: 1.0)(argument)


def test_a_part_stays_where_another_tree_has_none():
    first = {"a": 1.0, "b": [2.0, 3.0], "c": None}
    assert tree.map(lambda x, y: x + y, first, {"a": None, "b": None, "c": None}) == first
    assert tree.map(lambda x, y: x + y, first, {"a": 1.0, "b": [None, 1.0], "c": None}) == {
        "a": 2.0, "b": [2.0, 4.0], "c": None
    }  # fmt: skip
