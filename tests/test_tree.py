"""`pellucid.tree`: on any objects, and inside compiled functions on containers of known structure."""

import collections
import dataclasses
from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from pellucid import compile, grad, tree


class Pair(NamedTuple):
    a: object
    b: object


@dataclasses.dataclass
class Layer:
    weights: object
    bias: object = None


@dataclasses.dataclass(frozen=True)
class Frozen:
    first: object
    second: object


NESTED = {"w": (1.0, [2.0, None]), "b": Pair(3.0, Layer(4.0, {"z": 5.0, "y": 6.0})), "f": Frozen(7.0, ())}


# --- on any objects ------------------------------------------------------------------------------------------------


def test_leaves_come_by_sorted_keys():
    leaves, structure = tree.flatten(NESTED)
    assert leaves == tree.leaves(NESTED) == [3.0, 4.0, 6.0, 5.0, 7.0, 1.0, 2.0]
    assert structure == tree.structure(NESTED) and hash(structure) == hash(tree.structure(NESTED))
    assert structure.num_leaves == 7
    assert tree.unflatten(structure, leaves) == NESTED
    assert list(tree.unflatten(structure, leaves)) == ["w", "b", "f"]
    assert str(structure) == (
        "{'b': Pair(a=*, b=Layer(weights=*, bias={'y': *, 'z': *})), 'f': Frozen(first=*, second=()), "
        "'w': (*, [*, None])}"
    )


def test_any_leaf():
    leaf = object()
    assert tree.leaves([leaf, "text", {1, 2}, np.sin]) == [leaf, "text", {1, 2}, np.sin]
    assert tree.map(type, [leaf, 1]) == [object, int]
    assert tree.flatten(leaf) == ([leaf], tree.structure(1))


def test_other_dicts():
    ordered = collections.OrderedDict([("b", 1), ("a", 2)])
    assert tree.leaves(ordered) == [1, 2]
    made = tree.map(lambda v: v + 1, collections.defaultdict(list, {"b": 1, "a": 2}))
    assert made == {"a": 3, "b": 2} and made.default_factory is list
    with pytest.raises(ValueError, match="the keys of a dict have no order: 'a', 1"):
        tree.leaves({"a": 1, 1: 2})


def test_map_over_several():
    doubled = tree.map(lambda a, b: a + b, NESTED, NESTED)
    assert tree.leaves(doubled) == [2.0 * v for v in tree.leaves(NESTED)]
    assert type(doubled["b"].b) is Layer and doubled["w"][1][1] is None
    assert tree.map(lambda a, b: (a, b), [1, 2], [[3], {"x": 4}]) == [(1, [3]), (2, {"x": 4})]  # what goes on there
    assert tree.tree_multimap is tree.map
    with pytest.raises(ValueError, match=r"made differently at tree\['w'\]: \(\*, \*\) and \(\*,\)"):
        tree.map(lambda a, b: a, {"w": (1, 2)}, {"w": (1,)})
    with pytest.raises(ValueError, match="made differently at tree: {'a': \\*} and int"):
        tree.map(lambda a, b: a, {"a": 1}, 1)


def test_is_leaf():
    assert tree.leaves([None, (1, 2)], is_leaf=lambda v: v is None) == [None, 1, 2]
    assert tree.map(len, {"a": (1, 2), "b": (3,)}, is_leaf=lambda v: type(v) is tuple) == {"a": 2, "b": 1}


def test_paths():
    told = tree.map_with_path(lambda path, leaf: "".join(map(str, path)), NESTED)
    assert tree.leaves(told) == [
        "['b'].a", "['b'].b.weights", "['b'].b.bias['y']", "['b'].b.bias['z']", "['f'].first", "['w'][0]",
        "['w'][1][0]",
    ]  # fmt: skip
    assert tree.map_with_path(lambda path, *leaves: (path, leaves), (1,), (2,)) == ((((tree.SequenceKey(0),)), (1, 2)),)


def test_transpose():
    outer, inner = tree.structure([0, 0]), tree.structure({"a": 0, "b": (0,)})
    rows = [{"a": 1, "b": (2,)}, {"a": 3, "b": (4,)}]
    assert tree.transpose(outer, inner, rows) == {"a": [1, 3], "b": ([2, 4],)}
    assert tree.transpose(outer, None, rows) == {"a": [1, 3], "b": ([2, 4],)}
    with pytest.raises(ValueError, match="the inner containers are made differently"):
        tree.transpose(outer, inner, [rows[0], {"a": 1}])


def test_ravel():
    given = {"w": np.arange(6.0).reshape(2, 3), "k": 7, "f": np.array([0.5], dtype=np.float32)}
    flat, back = tree.ravel(given)
    np.testing.assert_array_equal(flat, [0.5, 7.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    again = back(2.0 * flat)
    np.testing.assert_array_equal(again["w"], 2.0 * given["w"])
    assert again["k"] == 14 and again["k"].dtype == np.int64 and again["f"].dtype == np.float32
    with pytest.raises(ValueError, match=r"a vector of 8 numbers, not an array of the shape \(7,\)"):
        back(np.zeros(7))
    assert tree.ravel({})[0].shape == (0,)


# --- inside compiled functions -------------------------------------------------------------------------------------


def step(params, slopes):
    return tree.map(lambda w, g: w - 0.1 * g, params, slopes)


def several(p):
    leaves, structure = tree.flatten(p)
    turned = tree.unflatten(structure, leaves[::-1])
    named = tree.map_with_path(lambda path, leaf: leaf * len(path), p)
    total = 0.0
    for leaf in tree.leaves(p):
        total = total + np.sum(leaf)
    return turned, named, total


def paths(p):
    return tree.map_with_path(lambda path, leaf: leaf * 2.0 if path[0].key == "w" else leaf, p)


def vector(p):
    flat, back = tree.ravel(p)
    return flat, back(flat * 2.0)


def inside_out(p):
    outer = tree.structure((0, 0))
    return tree.transpose(outer, None, (p, tree.map(lambda v: v + 1.0, p)))


def some(p):
    return tree.map(lambda pair: pair[0], p, is_leaf=lambda v: isinstance(v, tuple))


A = np.arange(6.0).reshape(2, 3)
PLAIN = {"w": Layer(A, 2.0), "b": (np.ones(3), None)}
ALIKE = {"w": [1.0, {"k": 2.0}], "b": Frozen(3.0, (4.0,))}
CASES = [
    (step, (PLAIN, PLAIN)), (step, (ALIKE, ALIKE)), (several, (ALIKE,)), (paths, (PLAIN,)), (vector, (PLAIN,)),
    (vector, ({"a": 1, "b": np.float32(2.0), "c": np.arange(3, dtype=np.int32)},)), (inside_out, (ALIKE,)),
    (some, ({"a": (1.0, 2.0), "b": (3.0,)},)),
]  # fmt: skip


@pytest.mark.parametrize("function, arguments", CASES, ids=[f"{f.__name__}-{k}" for k, (f, _) in enumerate(CASES)])
def test_inside_as_outside(function, arguments):
    assert_alike(compile(function)(*arguments), function(*arguments))


def assert_alike(got, want):
    mine, theirs = tree.flatten(got), tree.flatten(want)
    assert mine[1] == theirs[1]
    for one, other in zip(mine[0], theirs[0], strict=True):
        np.testing.assert_array_equal(one, other)
        assert np.asarray(one).dtype == np.asarray(other).dtype
        assert isinstance(one, float) is isinstance(other, float)
    dicts = lambda v: [list(v), *map(dicts, v.values())] if isinstance(v, dict) else []  # noqa: E731
    assert dicts(got) == dicts(want)


def test_training_with_trees():
    def loss(params, x):
        return np.sum((x @ params["w"] + params["b"]) ** 2)

    @compile
    def train(params, x):
        for _ in range(3):
            params = tree.map(lambda w, g: w - 0.01 * g, params, grad(loss)(params, x))
        return params

    params, x = {"w": np.ones(3), "b": 0.5}, A
    got, want = train(params, x), params
    for _ in range(3):
        r = 2.0 * (x @ want["w"] + want["b"])
        want = {"w": want["w"] - 0.01 * x.T @ r, "b": want["b"] - 0.01 * np.sum(r)}
    np.testing.assert_allclose(got["w"], want["w"])
    assert got["b"] == pytest.approx(want["b"])


def test_gradient_through_a_vector():
    def f(flat, p):
        _, back = tree.ravel(p)
        made = back(flat)
        return np.sum(made["w"].weights ** 2) * made["w"].bias

    flat, _ = tree.ravel(PLAIN)
    slope = grad(f)(flat, PLAIN)
    want = np.concatenate([np.zeros(3), 2.0 * A.ravel() * 2.0, [np.sum(A**2)]])
    np.testing.assert_allclose(slope, want)


FAULTS = [
    (lambda p: tree.map(lambda a, b: a, p, (1.0,)), ((1.0, 2.0),), r"made differently at tree: \(\*, \*\) and \(\*,\)"),
    (lambda p: tree.map(lambda a: a, p), ([1.0] * 20,), "the structure of a list of any length is not known"),
    (lambda p: tree.unflatten(tree.structure(p), [1.0]), ((1.0, 2.0),), "has 2 leaves, and 1 were given"),
]


@pytest.mark.parametrize("function, arguments, message", FAULTS, ids=["map", "long list", "unflatten"])
def test_faults_inside(function, arguments, message):
    with pytest.raises(pellucid.CompileError, match=message):
        compile(function)(*arguments)


def test_a_vector_of_another_length():
    with pytest.raises(ValueError, match=r"a vector of 2 numbers, not an array of the shape \(3,\)"):
        compile(lambda x: tree.ravel((1.0, 2.0))[1](x))(np.ones(3))


# --- as jax.tree has them ------------------------------------------------------------------------------------------


def summed_up(t):
    doubled = tree.map(lambda v: v * 2.0, t)
    pairs, structure = tree.flatten_with_path(doubled)
    total = tree.reduce(lambda a, b: a + np.sum(b), doubled, 1.0)
    first = tree.reduce(lambda a, b: a * b, {"a": 2.0, "b": (3.0, 4.0)})
    again = tree.unflatten(structure, [leaf for _, leaf in pairs])
    return total, first, again, tree.broadcast({"a": 1.0, "b": 2.0}, t), len(tree.leaves_with_path(t))


def test_reduce_paths_and_broadcast():
    value = {"a": [1.0, np.arange(3.0)], "b": (3.0,)}
    for f in (summed_up, compile(summed_up)):
        total, first, again, spread, count = f(value)
        assert (total, first, count) == (15.0, 24.0, 3)
        np.testing.assert_array_equal(again["a"][1], [0.0, 2.0, 4.0])
        assert spread == {"a": [1.0, 1.0], "b": (2.0,)}
    assert [tuple(map(str, path)) for path, _ in tree.leaves_with_path(value)] == [
        ("['a']", "[0]"), ("['a']", "[1]"), ("['b']", "[0]"),
    ]  # fmt: skip
    np.testing.assert_array_equal(grad(lambda t: summed_up(t)[0])(value)["a"][1], [2.0, 2.0, 2.0])


def test_all_leaves():
    for f in (tree.all, compile(lambda t: tree.all(t))):
        assert f((1, [2.0], {"a": True})) and not f((1, [0.0]))
    assert tree.all(())


def test_nothing_to_reduce():
    with pytest.raises(TypeError, match="empty"):
        tree.reduce(lambda a, b: a + b, ())
    with pytest.raises(pellucid.TypeMismatchError, match="empty iterable"):
        compile(lambda x: tree.reduce(lambda a, b: a + b, ()) + x)(1.0)
    assert tree.reduce(lambda a, b: a + b, (), 3) == 3


@tree.register_dataclass
@dataclasses.dataclass
class Network:
    weights: object
    turns: int = dataclasses.field(metadata={"static": True})
    bias: object = 0.0


def applied(network, x):
    """The number of turns is an axis as well: it has to be known."""
    for _ in range(network.turns):
        x = np.tanh(x * network.weights)
    return np.sum(x) + network.bias * np.zeros((2, 3)).shape[network.turns - 1]


NETWORK = Network(np.array([0.5, -0.3]), 2, 1.5)


def test_fields_that_are_no_leaves():
    assert tree.structure(NETWORK) != tree.structure(Network(0.0, 3))
    assert str(tree.structure(NETWORK)) == "Network(weights=*, bias=*, turns=2)"
    assert len(tree.leaves(NETWORK)) == 2
    x = np.array([1.0, 2.0])
    f = compile(applied)
    for turns in (1, 2, 1):
        network = Network(NETWORK.weights, turns, NETWORK.bias)
        assert f(network, x) == pytest.approx(applied(network, x), rel=1e-15)


def test_slopes_keep_these_fields():
    x = np.array([1.0, 2.0])
    slope = grad(applied)(NETWORK, x)
    assert slope.turns == 2 and slope.bias == 3.0
    step = tree.map(lambda value, change: value - 0.1 * change, NETWORK, slope)

    def stepped(network, x):
        return tree.map(lambda value, change: value - 0.1 * change, network, grad(applied)(network, x))

    np.testing.assert_allclose(compile(stepped)(NETWORK, x).weights, step.weights, rtol=1e-15)
    change = Network(np.array([1.0, 0.0]), 2, 0.0)
    assert pellucid.jvp(applied, (NETWORK, x), (change, np.zeros(2)))[1] == pytest.approx(slope.weights[0])
    _, pullback = pellucid.vjp(lambda n: tree.map(lambda v: v * 3.0, n), NETWORK)
    np.testing.assert_array_equal(pullback(change)[0].weights, [3.0, 0.0])
    rows = Network(np.ones((4, 2)), 2, np.zeros(4))
    assert pellucid.vmap(applied, in_axes=(0, None))(rows, x).shape == (4,)


def test_what_is_registered_wrongly():
    class Pairs:
        """An ordinary class."""

    @dataclasses.dataclass
    class Two:
        a: object
        b: object

    with pytest.raises(ValueError, match="constructor takes: see b"):
        tree.register_dataclass(Two, data_fields=["a"], meta_fields=[])
    with pytest.raises(TypeError, match="both"):
        tree.register_dataclass(Two, data_fields=["a"])
    with pytest.raises(ValueError, match="a container already"):
        tree.register_pytree_node(dict, None, None)
    tree.register_pytree_node(Pairs, lambda p: ((), None), lambda aux, parts: Pairs())
    with pytest.raises(ValueError, match="a container already"):
        tree.register_pytree_node(Pairs, None, None)


class Tagged:
    def __init__(self, parts, tag):
        self.parts, self.tag = parts, tag


tree.register_pytree_node(Tagged, lambda t: (t.parts, t.tag), lambda tag, parts: Tagged(list(parts), tag))


def test_classes_with_functions_of_their_own():
    value = [Tagged([1.0, (2.0, 3.0)], "k"), 4.0]
    doubled = tree.map(lambda v: v * 2.0, value)
    assert (doubled[0].parts, doubled[0].tag, doubled[1]) == ([2.0, (4.0, 6.0)], "k", 8.0)
    assert str(tree.structure(value)) == "[Tagged['k'](*, (*, *)), *]"
    with pytest.raises(ValueError, match="made differently"):
        tree.map(lambda a, b: a, value[0], Tagged([1.0, (2.0, 3.0)], "other"))
    tagged = Tagged([1.0], "k")

    def inside(x):
        made = Tagged([x], "k")
        return tree.map(lambda v: v * 2.0, made).parts[0]

    with pytest.raises(pellucid.UnsupportedError, match="registered with functions of its own"):
        compile(inside)(1.0)
    assert tree.leaves(tagged) == [1.0]
