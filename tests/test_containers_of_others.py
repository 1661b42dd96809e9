"""Kinds of containers with parameters: arguments, slopes, results; the table of `docs/neural-networks.md`."""

import collections
import dataclasses
import pathlib
import re
import types
import typing

import numpy as np
import pytest

import pellucid
from pellucid import compile, grad, tree, vmap

W, B = np.arange(6.0).reshape(3, 2) / 5.0, np.array([0.5, -0.25])
X = np.linspace(-1.0, 1.0, 12).reshape(4, 3)
DOCUMENT = pathlib.Path(__file__).parents[1] / "docs" / "neural-networks.md"


@dataclasses.dataclass
class Plain:
    w: typing.Any
    b: typing.Any


@dataclasses.dataclass(frozen=True)
class Frozen:
    w: typing.Any
    b: typing.Any


@dataclasses.dataclass(slots=True)
class Slots:
    w: typing.Any
    b: typing.Any


class Named(typing.NamedTuple):
    w: typing.Any
    b: typing.Any


class Ordinary:
    def __init__(self, w, b):
        self.w, self.b = w, b


class InSlots:
    __slots__ = ("w", "b")

    def __init__(self, w, b):
        self.w, self.b = w, b


class LikeAttrs(InSlots):
    """As `attrs.frozen` makes them: slots of its own, and no assignment but by `object.__setattr__`."""

    __slots__ = ("__weakref__",)

    def __init__(self, w, b):
        object.__setattr__(self, "w", w)
        object.__setattr__(self, "b", b)

    def __setattr__(self, name, value):
        raise AttributeError(name)


@dataclasses.dataclass(frozen=True)
class LikeFlax:
    """As `flax.struct.dataclass` makes them: fields that are no parts say so in their metadata."""

    w: typing.Any
    b: typing.Any
    axis: int = dataclasses.field(default=0, metadata={"pytree_node": False})


@dataclasses.dataclass(frozen=True)
class LikeEquinox:
    """As `eqx.Module` is: fields that are no parts, and a constructor that takes no fields."""

    w: typing.Any
    b: typing.Any
    axis: int = dataclasses.field(metadata={"static": True})

    def __init__(self, parts):
        for name, value in {**parts, "axis": 0}.items():
            object.__setattr__(self, name, value)


def by_attributes(model, x):
    return np.sum(np.tanh(x @ model.w + model.b))


def by_axis(model, x):
    return np.sum(np.sum(np.tanh(x @ model.w + model.b), axis=model.axis))


def by_keys(model, x):
    return np.sum(np.tanh(x @ model["w"] + model["b"]))


def by_places(model, x):
    return np.sum(np.tanh(x @ model[0] + model[1]))


def by_call(model, x):
    return np.sum(model(x))


def equinox(is_static=False):
    eqx = pytest.importorskip("equinox")

    class Model(eqx.Module):
        w: typing.Any
        b: typing.Any
        axis: int = eqx.field(static=True, default=0)

        def __call__(self, x):
            return np.sum(np.tanh(x @ self.w + self.b), axis=self.axis)

    return Model(W, B)


def of_equinox():
    eqx, jax = pytest.importorskip("equinox"), pytest.importorskip("jax")
    layer = tree.map(np.asarray, eqx.nn.Linear(3, 2, key=jax.random.key(0)))
    return eqx.tree_at(lambda one: (one.weight, one.bias), layer, (np.ascontiguousarray(W.T), B))


def flax_dataclass():
    struct = pytest.importorskip("flax.struct")

    class Model:
        w: typing.Any
        b: typing.Any
        axis: int = struct.field(pytree_node=False, default=0)

    Model.__annotations__ = {"w": typing.Any, "b": typing.Any, "axis": int}
    return struct.dataclass(Model)(W, B)


def state_of_nnx():
    nnx = pytest.importorskip("flax.nnx")

    class Model(nnx.Module):
        def __init__(self):
            self.w, self.b = nnx.Param(W), nnx.Param(B)

    return tree.map(np.asarray, nnx.to_pure_dict(nnx.state(Model())))


def of_chex():
    chex = pytest.importorskip("chex")

    class Model:
        w: typing.Any
        b: typing.Any

    return chex.dataclass(Model)(w=W, b=B)


def of_attrs(frozen):
    attrs = pytest.importorskip("attrs")
    return attrs.make_class("Model", ["w", "b"], frozen=frozen, slots=True)(W, B)


def of_pydantic():
    pydantic = pytest.importorskip("pydantic")
    config = pydantic.ConfigDict(arbitrary_types_allowed=True)
    return pydantic.create_model("Model", __config__=config, w=(np.ndarray, ...), b=(np.ndarray, ...))(w=W, b=B)


# By the words of the table in the document: what makes one, and how a function uses it.
KINDS = {
    "tuple": (lambda: (W, B), by_places),
    "list": (lambda: [W, B], by_places),
    "dict": (lambda: {"w": W, "b": B}, by_keys),
    "OrderedDict": (lambda: collections.OrderedDict(w=W, b=B), by_keys),
    "defaultdict": (lambda: collections.defaultdict(list, w=W, b=B), by_keys),
    "NamedTuple": (lambda: Named(W, B), by_attributes),
    "dataclass": (lambda: Plain(W, B), by_attributes),
    "frozen dataclass": (lambda: Frozen(W, B), by_attributes),
    "dataclass with slots": (lambda: Slots(W, B), by_attributes),
    "class of one's own": (lambda: Ordinary(W, B), by_attributes),
    "class with slots": (lambda: InSlots(W, B), by_attributes),
    "SimpleNamespace": (lambda: types.SimpleNamespace(w=W, b=B), by_attributes),
    "eqx.Module": (equinox, by_call),
    "eqx.nn layers": (of_equinox, lambda m, x: np.sum(np.tanh(x @ m.weight.T + m.bias))),
    "flax.struct.dataclass": (flax_dataclass, by_axis),
    "flax.nnx.Module": (state_of_nnx, by_keys),
    "chex.dataclass": (of_chex, by_attributes),
    "attrs class": (lambda: of_attrs(False), by_attributes),
    "frozen attrs class": (lambda: of_attrs(True), by_attributes),
    "pydantic model": (of_pydantic, by_attributes),
}
ALIKE = {
    "like attrs": (lambda: LikeAttrs(W, B), by_attributes),
    "like flax": (lambda: LikeFlax(W, B), by_axis),
    "like equinox": (lambda: LikeEquinox({"w": W, "b": B}), by_axis),
}
OUTER = 1.0 - np.tanh(X @ W + B) ** 2


@pytest.mark.parametrize("name", [*KINDS, *ALIKE])
def test_a_kind_of_container_goes_in_and_comes_out(name):
    make, function = {**KINDS, **ALIKE}[name]
    model = make()
    compiled = compile(function)
    for _ in range(3):  # later calls are made by machine code
        assert float(compiled(model, X)) == pytest.approx(float(np.sum(np.tanh(X @ W + B))), rel=1e-12)
    slopes = grad(function)(model, X)
    assert type(slopes) is type(model)
    found = {leaf.ndim: np.asarray(leaf) for leaf in tree.leaves(slopes)}
    expected = X.T @ OUTER
    np.testing.assert_allclose(found[2], expected.T if name == "eqx.nn layers" else expected, rtol=1e-12)
    np.testing.assert_allclose(found[1], OUTER.sum(axis=0), rtol=1e-12)
    moved = compile(lambda m, s: tree.map(lambda p, g: p - 0.1 * g, m, s))(model, slopes)
    assert type(moved) is type(model) and len(tree.leaves(moved)) == 2
    assert float(compiled(moved, X)) < float(compiled(model, X))
    each = vmap(function, in_axes=(None, 0))(model, X[:, None])
    np.testing.assert_allclose(np.sum(np.asarray(each)), np.sum(np.tanh(X @ W + B)), rtol=1e-12)


def test_the_document_has_these_kinds():
    rows = re.findall(r"^\| `?([^`|]+?)`? +\|", DOCUMENT.read_text("utf-8").split("## Models of other libraries")[1],
                      re.MULTILINE)  # fmt: skip
    assert set(KINDS) <= set(rows), set(KINDS) - set(rows)


@pytest.mark.parametrize("kind", [LikeFlax, LikeEquinox])
def test_fields_that_are_no_parts_are_known(kind):
    model = LikeFlax(W, B) if kind is LikeFlax else LikeEquinox({"w": W, "b": B})
    assert len(tree.leaves(model)) == 2
    assert type(grad(by_axis)(model, X).axis) is int and tree.map(np.sin, model).axis == 0
    other = tree.map(lambda leaf: leaf, model)
    object.__setattr__(other, "axis", 1)
    assert tree.structure(other) != tree.structure(model)
    np.testing.assert_allclose(float(compile(by_axis)(other, X)), by_axis(other, X), rtol=1e-12)


def test_what_is_missing_in_a_slot_is_no_part():
    model = InSlots(W, B)
    del model.b
    assert len(tree.leaves(model)) == 1
    assert float(compile(lambda m: np.sum(m.w))(model)) == np.sum(W)
    with pytest.raises(pellucid.CompileError):
        compile(by_attributes)(model, X)


def test_arrays_of_jax_are_refused_with_a_way_out():
    jnp = pytest.importorskip("jax.numpy")
    with pytest.raises(pellucid.CompileError, match="np.asarray"):
        compile(by_attributes)(Plain(jnp.asarray(W), jnp.asarray(B)), X)


def test_a_module_of_nnx_is_refused_with_a_line():
    nnx = pytest.importorskip("flax.nnx")

    class Model(nnx.Module):
        def __init__(self):
            self.w, self.b = nnx.Param(W), nnx.Param(B)

    with pytest.raises(pellucid.CompileError, match="Param"):
        compile(by_attributes)(Model(), X)
