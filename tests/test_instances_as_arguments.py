"""Instances of ordinary classes are arguments: attributes are the leaves, methods and `__call__` compile."""

import threading

import numpy as np
import pytest

from pellucid import CompileError, compile, grad, hessian, jacfwd, tree, value_and_grad, vmap


class Linear:
    scale = 2.0

    def __init__(self, inputs, outputs, random):
        self.weight = random.normal(size=(outputs, inputs))
        self.bias = np.zeros(outputs)

    def __call__(self, x):
        return self.scale * (self.weight @ x + self.bias)


class Network:
    def __init__(self, sizes, act=np.tanh):
        random = np.random.default_rng(0)
        self.layers = [Linear(i, o, random) for i, o in zip(sizes, sizes[1:])]
        self.act = act
        self.lock = threading.Lock()

    @property
    def depth(self):
        return len(self.layers)

    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = self.act(layer(x))
        return self.layers[-1](x)


def loss(network, x, y):
    return np.mean((network(x) - y) ** 2) * network.depth


X, Y = np.array([0.5, -1.0, 2.0]), np.array([1.0, -1.0])


def test_an_instance_is_called_and_its_attributes_are_read():
    network, function = Network([3, 4, 2]), compile(loss)
    for _ in range(3):
        assert function(network, X, Y) == pytest.approx(loss(network, X, Y), rel=1e-12)
    network.layers[0].weight[0, 0] = 7.0
    assert function(network, X, Y) == pytest.approx(loss(network, X, Y), rel=1e-12)
    network.act = np.sin
    assert function(network, X, Y) == pytest.approx(loss(network, X, Y), rel=1e-12)


def test_a_changed_class_is_seen(monkeypatch):
    network, function = Network([3, 4, 2]), compile(loss)
    function(network, X, Y)
    monkeypatch.setattr(Linear, "scale", 3.0)
    assert function(network, X, Y) == pytest.approx(loss(network, X, Y), rel=1e-12)
    monkeypatch.setattr(Network, "__call__", lambda self, x: self.layers[0](x)[:2])
    assert function(network, X, Y) == pytest.approx(loss(network, X, Y), rel=1e-12)


def test_slopes_come_back_in_an_instance():
    network, step = Network([3, 4, 2]), 1e-6
    found = grad(loss)(network, X, Y)
    assert type(found) is Network and type(found.layers[0]) is Linear
    assert (found.act, found.lock) == (None, None)
    bias = network.layers[0].bias
    for k in range(4):
        values = []
        for side in (step, -step):
            bias[k] += side
            values.append(loss(network, X, Y))
            bias[k] -= side
        assert found.layers[0].bias[k] == pytest.approx((values[0] - values[1]) / (2 * step), rel=1e-5, abs=1e-8)
    assert value_and_grad(loss)(network, X, Y)[0] == pytest.approx(loss(network, X, Y))
    forward = jacfwd(loss)(network, X, Y)
    np.testing.assert_allclose(np.asarray(forward.layers[1].weight), np.asarray(found.layers[1].weight))
    assert hessian(loss)(network, X, Y).layers[0].bias.layers[1].bias.shape == (4, 2)


@pytest.mark.parametrize("compiled", [False, True])
def test_an_instance_is_trained(compiled):
    def step(network, x, y):
        return tree.map(lambda p, s: p - 0.05 * s, network, grad(loss)(network, x, y))

    network = Network([3, 4, 2])
    run = compile(step) if compiled else step
    before = loss(network, X, Y)
    for _ in range(30):
        network = run(network, X, Y)
    assert type(network) is Network and network.act is np.tanh
    assert loss(network, X, Y) < 0.5 * before


def test_examples_share_an_instance_or_have_one_each():
    network = Network([3, 4, 2])
    shared = vmap(lambda n, x: n(x), in_axes=(None, 0))(network, np.stack([X, 2 * X]))
    np.testing.assert_allclose(np.asarray(shared), np.stack([network(X), network(2 * X)]))
    layers = [Linear(3, 2, np.random.default_rng(k)) for k in range(3)]
    stacked = tree.map(lambda *parts: np.stack(parts), *layers)
    each = vmap(lambda layer, x: layer(x), in_axes=(0, None))(stacked, X)
    np.testing.assert_allclose(np.asarray(each), np.stack([layer(X) for layer in layers]))


class Base:
    def __init__(self, k):
        self.k = k

    def times(self, x):
        return x * self.k


class Below(Base):
    def __init__(self, k, w):
        super().__init__(k)
        self.w = w

    def times(self, x):
        return super().times(x) * self.w

    def __add__(self, other):
        return Below(self.k + other.k, self.w * other.w)


def test_inheritance_and_operators():
    one, two = Below(2.0, np.array([1.0, 3.0])), Below(0.5, np.array([2.0, 2.0]))

    def both(a, b, x):
        total = a + b
        return a.times(x) + total.k * total.w, isinstance(a, Base), hasattr(a, "nothing")

    found, expected = compile(both)(one, two, 3.0), both(one, two, 3.0)
    np.testing.assert_array_equal(np.asarray(found[0]), expected[0])
    assert found[1:] == expected[1:]


def test_a_bound_method_is_compiled_with_its_instance():
    one = Below(2.0, np.array([1.0, 3.0]))
    np.testing.assert_array_equal(np.asarray(compile(one.times)(3.0)), one.times(3.0))
    one.k = 4.0
    np.testing.assert_array_equal(np.asarray(compile(one.times)(3.0)), one.times(3.0))


def test_what_cannot_be_is_said():
    class Node:
        def __init__(self):
            self.value, self.own = 1.0, self

    class Counter:
        def __init__(self):
            self.n = np.zeros(2)

        def hit(self, x):
            self.n = self.n + x
            return self.n

    with pytest.raises(CompileError, match="holds itself"):
        compile(lambda node: node.value)(Node())
    counter = Counter()
    with pytest.raises(CompileError, match="P014"):
        compile(lambda c: c.hit(1.0))(counter)
    assert not counter.n.any()
    with pytest.raises(CompileError, match="has no attribute `zz`"):
        compile(lambda c: c.zz)(counter)


def test_trees_know_instances():
    one = Below(2.0, np.array([1.0, 3.0]))
    leaves, structure = tree.flatten(one)
    assert len(leaves) == 2 and str(structure) == "Below(k=*, w=*)"
    again = tree.unflatten(structure, [3.0, np.zeros(2)])
    assert type(again) is Below and again.k == 3.0
    flat, back = tree.ravel(one)
    assert list(flat) == [2.0, 1.0, 3.0] and back(flat).k == 2.0
