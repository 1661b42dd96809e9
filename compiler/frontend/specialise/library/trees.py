"""The functions of `pellucid.tree` inside a function: on containers whose structure is known now.

    tree.map(f, {"b": v, "a": (w, x)}, other)     ->     {"a": (f(w, ...), f(x, ...)), "b": f(v, ...)}

The structure is known, so only the calls of `f` are left in the program.  A list of any length is not such a
container.
"""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import gast

from .....runtime.nature import article
from .....runtime.structures import (
    DictKey,
    GetAttrKey,
    SequenceKey,
    Structure,
    meta_fields,
    registered,
    sorted_keys,
    taken_apart,
)
from ....types import ListOf
from .. import protocol
from ..frame import Frame
from ..interpreter import apply
from ..iterables import Iteration
from ..iterables import Iterator as IteratorValue
from ..kinds import classes, containers
from ..kinds.record_classes import is_namedtuple_class, record_fields
from ..objects.heap import object_of
from ..values import NONE, Leaf, Mapping_, OneOf, Optional, Record, Rows, Sequence, Static, Table, Value, is_none
from ..world import outside
from . import tree_vectors

LEAF = Structure()


# --- one level -----------------------------------------------------------------------------------------------------


def parts_of(frame: Frame, value: Value, is_leaf: Value, node: gast.AST) -> tuple[Structure, list[Value]] | None:
    """The structure of one level, and its parts; None for a leaf."""
    if not is_none(is_leaf):
        answer = protocol.call(frame, is_leaf, [value], {}, node)
        if protocol.known(frame, answer, node, "is_leaf"):
            return None
    held = frame.held(value)
    _require_known(frame, held, node)
    match held:
        case Static(value=found) if (apart := taken_apart(found)) is not None:
            _require_no_own_way(frame, apart[0].kind, node)
            return apart[0], [outside.read(frame, part, "item", node) for part in apart[1]]
        case Sequence(items=items, kind=kind, like=like):
            return _level(like or kind, None, list(items))
        case Mapping_(like=like):
            cls, made_by = like or (dict, None)
            order = tuple(key for key, _ in held.items)
            keys = order if cls is OrderedDict else _sorted(frame, order, node)
            return _level(cls, keys, [part for key in keys if (part := held.get(key)) is not None], order, made_by)
        case Record(cls=cls):
            _require_no_own_way(frame, cls, node)
            if is_namedtuple_class(cls) or dataclasses.is_dataclass(cls):
                return _of_record(held)
            if apply.is_users_class(cls) or cls is SimpleNamespace:
                return _level(cls, tuple(name for name, _ in held.items), [part for _, part in held.items])
    return None


def _of_record(held: Record) -> tuple[Structure, list[Value]]:
    meta = meta_fields(held.cls)
    names = tuple(name for name in record_fields(held.cls) if name not in meta)
    aux = tuple(held.get(name) for name in meta) if registered(held.cls) is not None else None
    found = [part for name in names if (part := held.get(name)) is not None]
    return Structure(held.cls, names, (LEAF,) * len(found), aux=aux), found


def _require_no_own_way(frame: Frame, kind: type | None, node: gast.AST) -> None:
    """Refuse a class with functions of its own that take it apart: those are Python's, and run only outside."""
    own = None if kind is None else registered(kind)
    if kind is not None and own is not None and own.flatten is not None:
        message = f"instances of `{kind.__name__}`, which was registered with functions of its own, are not taken apart"
        frame.fault("U012", message, node, "taken apart here", ("make it a dataclass, and use `register_dataclass`",))


def _level(
    kind: type, keys: tuple[Any, ...] | None, found: list[Value], order: tuple[Any, ...] = (), made_by: Any = None
) -> tuple[Structure, list[Value]]:
    return Structure(kind, keys, (LEAF,) * len(found), made_by, order), found


def _require_known(frame: Frame, held: Value, node: gast.AST) -> None:
    is_list = isinstance(held, Leaf) and isinstance(frame.builder.types[held.name], ListOf)
    if is_list or isinstance(held, Rows | Table):
        what = "a list of any length"
    elif isinstance(held, OneOf):
        what = "what has one of several structures"
    elif isinstance(held, Optional):
        what = "what may be None"
    elif isinstance(held, Iteration | IteratorValue):
        what = f"a `{held.kind}`"
    else:
        return
    frame.fault("T001", f"the structure of {what} is not known when the function is compiled", node, "taken apart here",
                ("use tuples, dicts or dataclasses",))  # fmt: skip


def _sorted(frame: Frame, keys: tuple[Any, ...], node: gast.AST) -> tuple[Any, ...]:
    try:
        return sorted_keys(keys)
    except ValueError as wrong:
        frame.fault("T001", str(wrong), node, "taken apart here")


def filled(frame: Frame, one: Structure, parts: list[Value]) -> Value:
    """A container with these parts; a list, a dict or an instance is a new object."""
    kind: Any = one.kind
    if kind is type(None):
        return NONE
    if one.keys is None:
        base = list if issubclass(kind, list) else tuple
        return object_of(Sequence(tuple(parts), base, None if kind is base else kind), frame.heap)
    named = dict(zip(one.keys or (), parts, strict=True))
    for name, value in zip(meta_fields(kind), one.aux or (), strict=True):
        node = frame.node or frame.source.tree
        named[name] = value if isinstance(value, Value) else outside.read(frame, value, name, node)
    is_dict = issubclass(kind, dict)
    has_fields = is_namedtuple_class(kind) or dataclasses.is_dataclass(kind)
    order = one.order or (record_fields(kind) if has_fields else one.keys) or ()
    pairs = tuple((key, named[key]) for key in order)
    if not is_dict:
        return object_of(Record(kind, pairs), frame.heap)
    return object_of(Mapping_(pairs, None if kind is dict else (kind, one.made_by)), frame.heap)


# --- whole containers ----------------------------------------------------------------------------------------------


def flattened(frame: Frame, value: Value, is_leaf: Value, leaves: list[Value], node: gast.AST) -> Structure:
    found = parts_of(frame, value, is_leaf, node)
    if found is None:
        leaves.append(value)
        return LEAF
    one, parts = found
    children = tuple(flattened(frame, part, is_leaf, leaves, node) for part in parts)
    return dataclasses.replace(one, children=children)


def unflattened(frame: Frame, structure: Structure, leaves: Iterator[Value]) -> Value:
    if structure.kind is None:
        return next(leaves)
    return filled(frame, structure, [unflattened(frame, child, leaves) for child in structure.children])


def mapped(frame: Frame, visit: Callable, path: tuple, values: list[Value], is_leaf: Value, node: gast.AST) -> Value:
    """A container like the first, with `visit(path, leaves)` for its leaves; a part is kept where another is None."""
    if not is_none(values[0]) and any(map(is_none, values[1:])):
        return values[0]
    found = parts_of(frame, values[0], is_leaf, node)
    if found is None:
        made: Value = visit(path, values)
        return made
    one, parts = found
    columns = [parts, *(_parts_like(frame, one, other, path, node) for other in values[1:])]
    rows = zip(one.steps(), *columns, strict=True)
    return filled(frame, one, [mapped(frame, visit, (*path, step), row, is_leaf, node) for step, *row in rows])


def _parts_like(frame: Frame, one: Structure, other: Value, path: tuple, node: gast.AST) -> list[Value]:
    found = parts_of(frame, other, NONE, node)
    if found is None or found[0] != one:
        place = "".join(map(str, path))
        told = f"{article(frame.describe(other))}" if found is None else str(found[0])
        message = f"the containers are made differently at tree{place}: {one} and {told}"
        frame.fault("T001", message, node, "mapped here")
    return found[1]


# --- the functions -------------------------------------------------------------------------------------------------


def _option(args: list[Value], kwargs: dict[str, Value], place: int, name: str = "is_leaf") -> Value:
    return args[place] if len(args) > place else kwargs.get(name, NONE)


def _flatten(frame: Frame, args, kwargs, node, hint) -> Sequence:
    leaves: list[Value] = []
    structure = flattened(frame, args[0], _option(args, kwargs, 1), leaves, node)
    return Sequence((containers.new_list(frame, leaves), Static(structure)))


def _leaves(frame: Frame, args, kwargs, node, hint) -> Value:
    return _flatten(frame, args, kwargs, node, hint).items[0]


def _structure(frame: Frame, args, kwargs, node, hint) -> Value:
    return _flatten(frame, args, kwargs, node, hint).items[1]


def _unflatten(frame: Frame, args, kwargs, node, hint) -> Value:
    structure = protocol.known(frame, args[0], node, "the structure")
    leaves = protocol.items(frame, classes.iterable(frame, args[1], node), node)
    if len(leaves) != structure.num_leaves:
        message = f"this structure has {structure.num_leaves} leaves, and {len(leaves)} were given: {structure}"
        frame.fault("T001", message, node, "put together here")
    return unflattened(frame, structure, iter(leaves))


def _flatten_with_path(frame: Frame, args, kwargs, node, hint) -> Sequence:
    found: list[Value] = []
    is_leaf = _option(args, kwargs, 1)

    def visit(path: tuple, leaves: list[Value]) -> Value:
        found.append(Sequence((Sequence(tuple(map(_step, path))), leaves[0])))
        return leaves[0]

    mapped(frame, visit, (), [args[0]], is_leaf, node)
    structure = flattened(frame, args[0], is_leaf, [], node)
    return Sequence((containers.new_list(frame, found), Static(structure)))


def _leaves_with_path(frame: Frame, args, kwargs, node, hint) -> Value:
    return _flatten_with_path(frame, args, kwargs, node, hint).items[0]


def _reduce(frame: Frame, args, kwargs, node, hint) -> Value:
    leaves: list[Value] = []
    flattened(frame, args[1], _option(args, kwargs, 3), leaves, node)
    first = args[2] if len(args) > 2 else kwargs.get("initializer")
    if first is not None:
        leaves = [first, *leaves]
    if not leaves:
        frame.fault("T001", "reduce() of empty iterable with no initial value", node, "called here")
    total = leaves[0]
    for leaf in leaves[1:]:
        total = protocol.call(frame, args[0], [total, leaf], {}, node, hint)
    return total


def _all(frame: Frame, args, kwargs, node, hint) -> Value:
    leaves: list[Value] = []
    flattened(frame, args[0], kwargs.get("is_leaf", NONE), leaves, node)
    return apply.call_object(frame, all, [Sequence(tuple(leaves))], {}, node, hint)


def _broadcast(frame: Frame, args, kwargs, node, hint) -> Value:
    def above(_: tuple, values: list[Value]) -> Value:
        return mapped(frame, lambda _, below: values[0], (), [values[1]], NONE, node)

    return mapped(frame, above, (), list(args[:2]), _option(args, kwargs, 2), node)


def _map(frame: Frame, args, kwargs, node, hint) -> Value:
    function, *values = args
    visit = lambda _, leaves: protocol.call(frame, function, leaves, {}, node, hint)  # noqa: E731
    return mapped(frame, visit, (), values, kwargs.get("is_leaf", NONE), node)


def _map_with_path(frame: Frame, args, kwargs, node, hint) -> Value:
    function, *values = args

    def visit(path: tuple, leaves: list[Value]) -> Value:
        steps = Sequence(tuple(map(_step, path)))
        return protocol.call(frame, function, [steps, *leaves], {}, node, hint)

    return mapped(frame, visit, (), values, kwargs.get("is_leaf", NONE), node)


def _step(step: DictKey | SequenceKey | GetAttrKey) -> Value:
    return Record(type(step), tuple((f.name, Static(getattr(step, f.name))) for f in dataclasses.fields(step)))


def _transpose(frame: Frame, args, kwargs, node, hint) -> Value:
    outer = protocol.known(frame, args[0], node, "the outer structure")
    inner = protocol.known(frame, args[1], node, "the inner structure")
    rows: list[list[Value]] = []
    for part in _parts_at(frame, outer, args[2], node):
        rows.append([])
        found = flattened(frame, part, NONE, rows[-1], node)
        inner = found if inner is None else inner
        if found != inner:
            message = f"the inner containers are made differently: {found} and {inner}"
            frame.fault("T001", message, node, "turned inside out here")
    columns = [unflattened(frame, outer, iter(column)) for column in zip(*rows, strict=True)]
    return unflattened(frame, inner, iter(columns))


def _parts_at(frame: Frame, outer: Structure, value: Value, node: gast.AST) -> list[Value]:
    if outer.kind is None:
        return [value]
    one = dataclasses.replace(outer, children=(LEAF,) * len(outer.children))
    parts = _parts_like(frame, one, value, (), node)
    return [found for child, part in zip(outer.children, parts) for found in _parts_at(frame, child, part, node)]


FUNCTIONS = (
    _flatten, _leaves, _structure, _unflatten, _map, _map_with_path, _flatten_with_path, _leaves_with_path, _reduce,
    _all, _broadcast, _transpose,
)  # fmt: skip
KNOWN: dict[str, Any] = {function.__name__.removeprefix("_"): function for function in FUNCTIONS}


def find(word: str, function: Any) -> Any:
    """The implementation of a function of `pellucid.tree`."""
    if word == "ravel":
        return tree_vectors.ravel_with(function.__pellucid_way_back__)
    return tree_vectors.unravel if word == "unravel" else KNOWN[word]
