"""Nested containers as trees: apply a function to all leaves, take them apart, put them together.

    tree.map(lambda w, g: w - 0.1 * g, params, slopes)
    leaves, structure = tree.flatten(params)
    flat, unravel = tree.ravel(params)

Containers are tuples, lists, dicts, NamedTuples, dataclasses and None, which holds nothing; all else is a leaf, of any
kind.  These need no registration; `register_dataclass` says of fields that they are no leaves, and
`register_pytree_node` how other classes are taken apart.  Inside compiled functions these work on containers whose
structure is known when the function is compiled.
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .runtime.array import Array
from .runtime.structures import (
    REGISTERED,
    DictKey,
    GetAttrKey,
    IsLeaf,
    Registered,
    SequenceKey,
    Structure,
    flattened,
    taken_apart,
)

_NOTHING = object()
Path = tuple[DictKey | SequenceKey | GetAttrKey, ...]

__all__ = [
    "DictKey", "GetAttrKey", "SequenceKey", "Structure", "all", "broadcast", "flatten", "flatten_with_path", "leaves",
    "leaves_with_path", "map", "map_with_path", "ravel", "reduce", "register_dataclass", "register_pytree_node",
    "structure", "transpose", "tree_multimap", "unflatten",
]  # fmt: skip


def flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], Structure]:
    """The leaves of a container from left to right, and its structure.

    is_leaf  says of what is taken for a leaf although it is a container

    The items of a dict come in the order of its sorted keys; a dict that is put together has its keys in the order that
    they had.  Raises ValueError where these have no order.
    """
    found: list[Any] = []
    made = flattened(tree, is_leaf, found)
    return found, made


def unflatten(structure: Structure, leaves: Iterable[Any]) -> Any:
    """The container of this structure with these leaves.  Raises ValueError for another number of leaves."""
    return structure.unflatten(leaves)


def leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """The leaves of a container, as `flatten` gives them."""
    return flatten(tree, is_leaf)[0]


def structure(tree: Any, is_leaf: IsLeaf = None) -> Structure:
    """The structure of a container, as `flatten` gives it."""
    return flatten(tree, is_leaf)[1]


def map(f: Callable[..., Any], tree: Any, *rest: Any, is_leaf: IsLeaf = None) -> Any:
    """A container like `tree` with f(leaf, ...) for every leaf.

    rest  containers that are made like `tree`, and may go on where it has leaves: f gets what they have there.  Where
          one has None, the part of `tree` stays as it is: what has no slope is not changed by one

    Raises ValueError where one of them is made differently.
    """
    return map_with_path(lambda _, *parts: f(*parts), tree, *rest, is_leaf=is_leaf)


def map_with_path(f: Callable[..., Any], tree: Any, *rest: Any, is_leaf: IsLeaf = None) -> Any:
    """The same with f(path, leaf, ...), where the path is the tuple of the steps that lead to the leaf.

    A step is a `DictKey` with `key`, a `SequenceKey` with `idx` or a `GetAttrKey` with `name`.
    """
    return _mapped(f, (), tree, rest, is_leaf)


def _mapped(f: Callable[..., Any], path: Path, tree: Any, rest: tuple[Any, ...], is_leaf: IsLeaf) -> Any:
    if tree is not None and any(other is None for other in rest):
        return tree
    found = None if is_leaf is not None and is_leaf(tree) else taken_apart(tree)
    if found is None:
        return f(path, tree, *rest)
    one, parts = found
    others = [_parts_like(one, other, path) for other in rest]
    inner = zip(one.steps(), parts, *others, strict=True)
    return one.filled([_mapped(f, (*path, step), part, tuple(more), is_leaf) for step, part, *more in inner])


def _parts_like(one: Structure, other: Any, path: Path) -> list[Any]:
    found = taken_apart(other)
    if found is None or found[0] != one:
        place = "".join(str(step) for step in path)
        told = type(other).__name__ if found is None else str(found[0])
        raise ValueError(f"the containers are made differently at tree{place}: {one} and {told}")
    return found[1]


def leaves_with_path(tree: Any, is_leaf: IsLeaf = None) -> list[tuple[Path, Any]]:
    """The leaves of a container with the path to each: pairs, as `jax.tree.leaves_with_path` has them."""
    return flatten_with_path(tree, is_leaf)[0]


def flatten_with_path(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[tuple[Path, Any]], Structure]:
    """Pairs of a path and the leaf that it leads to, and the structure of the container."""
    found: list[tuple[Path, Any]] = []
    _collect((), tree, is_leaf, found)
    return found, structure(tree, is_leaf)


def _collect(path: Path, tree: Any, is_leaf: IsLeaf, found: list[tuple[Path, Any]]) -> None:
    apart = None if is_leaf is not None and is_leaf(tree) else taken_apart(tree)
    if apart is None:
        found.append((path, tree))
        return
    for step, part in zip(apart[0].steps(), apart[1], strict=True):
        _collect((*path, step), part, is_leaf, found)


def reduce(function: Callable[[Any, Any], Any], tree: Any, initializer: Any = _NOTHING, is_leaf: IsLeaf = None) -> Any:
    """function(function(first, second), third), ... of the leaves, beginning with `initializer` if there is one.

    Raises TypeError where there is neither that nor a leaf.
    """
    found = leaves(tree, is_leaf)
    return functools.reduce(function, found if initializer is _NOTHING else [initializer, *found])


def all(tree: Any, *, is_leaf: IsLeaf = None) -> bool:
    """Whether every leaf is true."""
    return builtins.all(leaves(tree, is_leaf))


def broadcast(prefix_tree: Any, full_tree: Any, is_leaf: IsLeaf = None) -> Any:
    """A container like `full_tree` with, for each leaf, the leaf of `prefix_tree` above it.

    broadcast({"w": 1, "b": 2}, {"w": [x, y], "b": z})    ->    {"w": [1, 1], "b": 2}
    """
    return map(lambda above, below: map(lambda _: above, below), prefix_tree, full_tree, is_leaf=is_leaf)


def register_pytree_node(
    nodetype: type, flatten_func: Callable[[Any], tuple[Any, Any]], unflatten_func: Callable[[Any, Any], Any],
    flatten_with_keys_func: Any = None,
) -> None:  # fmt: skip
    """Say how instances of a class are taken apart, as `jax.tree_util.register_pytree_node` does.

    flatten_func    gives (parts, auxiliary): the parts may be containers, and what is auxiliary tells structures apart
    unflatten_func  makes an instance of (auxiliary, parts)

    This holds for the functions of this module when Python calls them.  Raises ValueError for a class that is a
    container already.
    """
    if nodetype in REGISTERED or nodetype in (tuple, list, dict, type(None)):
        raise ValueError(f"`{nodetype.__name__}` is a container already")
    REGISTERED[nodetype] = Registered(flatten_func, unflatten_func)


def register_dataclass(
    nodetype: type | None = None, data_fields: Sequence[str] | None = None, meta_fields: Sequence[str] | None = None,
    drop_fields: Sequence[str] = (),
) -> Any:  # fmt: skip
    """Say which fields of a dataclass are parts, as `jax.tree_util.register_dataclass` does; gives the class back.

    data_fields  the fields that are parts
    meta_fields  the fields that are no parts: they are known values, of which compiled code is made, and the same in
                 slopes.  Where neither is given, those whose `metadata` has `static=True`
    drop_fields  the fields that the constructor does not take

    Raises ValueError where the fields that the constructor takes are not these.
    """
    if nodetype is None:
        return functools.partial(
            register_dataclass, data_fields=data_fields, meta_fields=meta_fields, drop_fields=drop_fields
        )
    if (data_fields is None) != (meta_fields is None):
        raise TypeError("register_dataclass takes both of data_fields and meta_fields, or neither")
    taken = [field for field in dataclasses.fields(nodetype) if field.init and field.name not in drop_fields]
    if data_fields is None or meta_fields is None:
        meta_fields = [field.name for field in taken if field.metadata.get("static", False)]
        data_fields = [field.name for field in taken if field.name not in meta_fields]
    if {field.name for field in taken} != {*data_fields, *meta_fields}:
        told = ", ".join(sorted({field.name for field in taken} ^ {*data_fields, *meta_fields}))
        raise ValueError(f"data_fields and meta_fields are not the fields that the constructor takes: see {told}")
    REGISTERED[nodetype] = Registered(data=tuple(data_fields), meta=tuple(meta_fields))
    return nodetype


def transpose(outer: Structure, inner: Structure | None, tree: Any) -> Any:
    """A tree of the outer structure with trees of the inner one for leaves, turned inside out.

    inner  may be None: then it is that of the first leaf of the outer structure

    transpose(structure([0, 0]), structure({"a": 0}), [{"a": 1}, {"a": 2}])    ->    {"a": [1, 2]}

    Raises ValueError where the tree is made differently.
    """
    parts = _parts_at(outer, tree)
    if inner is None:
        inner = structure(parts[0])
    columns = [flatten(part) for part in parts]
    for _, found in columns:
        if found != inner:
            raise ValueError(f"the inner containers are made differently: {found} and {inner}")
    rows = zip(*(found for found, _ in columns), strict=True)
    return inner.unflatten([outer.unflatten(row) for row in rows])


def _parts_at(outer: Structure, tree: Any) -> list[Any]:
    """What a tree has at the leaves of a structure."""
    if outer.kind is None:
        return [tree]
    shallow = replace(outer, children=(Structure(),) * len(outer.children))
    parts = _parts_like(shallow, tree, ())
    return [found for child, part in zip(outer.children, parts) for found in _parts_at(child, part)]


def ravel(tree: Any) -> tuple[Any, Callable[[Any], Any]]:
    """All numbers of a container in one vector, and the function that puts such a vector back into containers.

    The dtype of the vector is the common one of all leaves; the way back gives each leaf its shape and dtype again.
    """
    found, made = flatten(tree)
    arrays = [np.asarray(leaf) for leaf in found]
    flat = np.concatenate([np.ravel(one) for one in arrays]) if arrays else np.zeros(0)
    shapes, dtypes = tuple(one.shape for one in arrays), tuple(one.dtype for one in arrays)
    return Array(flat), functools.partial(unravel, made, shapes, dtypes)


def unravel(structure: Structure, shapes: tuple[Any, ...], dtypes: tuple[Any, ...], flat: Any) -> Any:
    """The container of this structure with leaves of these shapes and dtypes.  Raises ValueError for another length."""
    values = np.asarray(flat)
    sizes = [math.prod(shape) for shape in shapes]
    if values.shape != (sum(sizes),):
        raise ValueError(f"this takes a vector of {sum(sizes)} numbers, not an array of the shape {values.shape}")
    pieces = np.split(values, np.cumsum(sizes)[:-1]) if sizes else []
    made = [
        piece.reshape(shape).astype(dtype)[()] for piece, shape, dtype in zip(pieces, shapes, dtypes, strict=True)
    ]
    return structure.unflatten([Array(one) if isinstance(one, np.ndarray) else one for one in made])


tree_multimap = map

# Inside a compiled function these are known by their names.
_known: tuple[Any, ...] = (
    flatten, unflatten, leaves, structure, map, map_with_path, transpose, ravel, unravel, flatten_with_path,
    leaves_with_path, reduce, all, broadcast,
)  # fmt: skip
for _public in _known:
    _public.__pellucid_tree__ = _public.__name__
ravel.__pellucid_way_back__ = unravel  # type: ignore[attr-defined]
