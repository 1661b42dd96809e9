"""The functions of `pellucid.tree` inside a function: on containers whose structure is known now.

    tree.map(f, {"b": v, "a": (w, x)}, other)     ->     {"a": (f(w, ...), f(x, ...)), "b": f(v, ...)}

The structure is known, so that nothing is left of these but the calls of `f`.  A list of any length is no such
container.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import gast
import numpy as np

from ....runtime.structures import (
    REGISTERED,
    DictKey,
    GetAttrKey,
    SequenceKey,
    Structure,
    meta_fields,
    sorted_keys,
    taken_apart,
)
from ... import syntax
from ...dtypes import NUMPY_DTYPE
from ...types import Array, ListOf
from . import apply, choices, classes, containers, evaluate, iteration, library, outside
from .frame import Frame
from .heap import object_of
from .record_classes import is_namedtuple_class, record_fields
from .values import (
    NONE,
    Iteration,
    Leaf,
    Mapping_,
    OneOf,
    Optional,
    Partial,
    Record,
    Rows,
    Sequence,
    Static,
    Table,
    Value,
    is_none,
)
from .values import (
    Iterator as IteratorValue,
)

LEAF = Structure()


# --- one level -----------------------------------------------------------------------------------------------------


def parts_of(frame: Frame, value: Value, is_leaf: Value, node: gast.AST) -> tuple[Structure, list[Value]] | None:
    """The structure of one level, and its parts; None for a leaf."""
    if not is_none(is_leaf) and evaluate.known(frame, apply.apply(frame, is_leaf, [value], {}, node), node, "is_leaf"):
        return None
    held = frame.held(value)
    _require_known(frame, held, node)
    match held:
        case Static(value=found) if (apart := taken_apart(found)) is not None:
            _require_no_own_way(frame, apart[0].kind, node)
            return apart[0], [outside.read(frame, part, "item", node) for part in apart[1]]
        case Sequence(items=items, kind=kind):
            return _level(kind, None, list(items))
        case Mapping_():
            order = tuple(key for key, _ in held.items)
            keys = _sorted(frame, order, node)
            return _level(dict, keys, [part for key in keys if (part := held.get(key)) is not None], order)
        case Record(cls=cls):
            _require_no_own_way(frame, cls, node)
            if is_namedtuple_class(cls) or dataclasses.is_dataclass(cls):
                return _of_record(held)
    return None


def _of_record(held: Record) -> tuple[Structure, list[Value]]:
    meta = meta_fields(held.cls)
    names = tuple(name for name in record_fields(held.cls) if name not in meta)
    aux = tuple(held.get(name) for name in meta) if held.cls in REGISTERED else None
    found = [part for name in names if (part := held.get(name)) is not None]
    return Structure(held.cls, names, (LEAF,) * len(found), aux=aux), found


def _require_no_own_way(frame: Frame, kind: type | None, node: gast.AST) -> None:
    """The functions that take an instance apart are Python's, and run outside alone."""
    own = None if kind is None else REGISTERED.get(kind)
    if own is not None and own.flatten is not None:
        message = f"instances of `{kind.__name__}`, which was registered with functions of its own, are not taken apart"
        frame.fault("U012", message, node, "taken apart here", ("make it a dataclass, and use `register_dataclass`",))


def _level(
    kind: type, keys: tuple[Any, ...] | None, found: list[Value], order: tuple[Any, ...] = ()
) -> tuple[Structure, list[Value]]:
    return Structure(kind, keys, (LEAF,) * len(found), order=order), found


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
    """A container of these parts; a list, a dict or an instance is a new object."""
    kind: Any = one.kind
    if kind is type(None):
        return NONE
    if kind in (tuple, list):
        return object_of(Sequence(tuple(parts), kind), frame.heap)
    named = dict(zip(one.keys or (), parts, strict=True))
    for name, value in zip(meta_fields(kind), one.aux or (), strict=True):
        named[name] = value if isinstance(value, Value) else outside.read(frame, value, name, frame.node)
    order = one.order or (one.keys if kind is dict else record_fields(kind)) or ()
    pairs = tuple((key, named[key]) for key in order)
    return object_of(Mapping_(pairs) if kind is dict else Record(kind, pairs), frame.heap)


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
    """A container like the first of these, with `visit(path, leaves)` for its leaves."""
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
        told = f"a {frame.describe(other)}" if found is None else str(found[0])
        message = f"the containers are made differently at tree{place}: {one} and {told}"
        frame.fault("T001", message, node, "mapped here")
    return found[1]


# --- the functions -------------------------------------------------------------------------------------------------


def _option(args: list[Value], kwargs: dict[str, Value], place: int, name: str = "is_leaf") -> Value:
    return args[place] if len(args) > place else kwargs.get(name, NONE)


def _flatten(frame: Frame, args, kwargs, node, hint) -> Value:
    leaves: list[Value] = []
    structure = flattened(frame, args[0], _option(args, kwargs, 1), leaves, node)
    return Sequence((containers.new_list(frame, leaves), Static(structure)))


def _leaves(frame: Frame, args, kwargs, node, hint) -> Value:
    return _flatten(frame, args, kwargs, node, hint).items[0]


def _structure(frame: Frame, args, kwargs, node, hint) -> Value:
    return _flatten(frame, args, kwargs, node, hint).items[1]


def _unflatten(frame: Frame, args, kwargs, node, hint) -> Value:
    structure = evaluate.known(frame, args[0], node, "the structure")
    leaves = iteration.static_items(frame, classes.iterable(frame, args[1], node), node)
    if len(leaves) != structure.num_leaves:
        message = f"this structure has {structure.num_leaves} leaves, and {len(leaves)} were given: {structure}"
        frame.fault("T001", message, node, "put together here")
    return unflattened(frame, structure, iter(leaves))


def _flatten_with_path(frame: Frame, args, kwargs, node, hint) -> Value:
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
        total = apply.apply(frame, args[0], [total, leaf], {}, node, hint)
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
    visit = lambda _, leaves: apply.apply(frame, function, leaves, {}, node, hint)  # noqa: E731
    return mapped(frame, visit, (), values, kwargs.get("is_leaf", NONE), node)


def _map_with_path(frame: Frame, args, kwargs, node, hint) -> Value:
    function, *values = args

    def visit(path: tuple, leaves: list[Value]) -> Value:
        steps = Sequence(tuple(map(_step, path)))
        return apply.apply(frame, function, [steps, *leaves], {}, node, hint)

    return mapped(frame, visit, (), values, kwargs.get("is_leaf", NONE), node)


def _step(step: DictKey | SequenceKey | GetAttrKey) -> Value:
    return Record(type(step), tuple((f.name, Static(getattr(step, f.name))) for f in dataclasses.fields(step)))


def _transpose(frame: Frame, args, kwargs, node, hint) -> Value:
    outer = evaluate.known(frame, args[0], node, "the outer structure")
    inner = evaluate.known(frame, args[1], node, "the inner structure")
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


# --- vectors -------------------------------------------------------------------------------------------------------


def _ravel(way_back: Any) -> Callable:
    def ravel(frame: Frame, args, kwargs, node, hint) -> Value:
        found: list[Value] = []
        structure = flattened(frame, args[0], NONE, found, node)
        made = [_array(frame, leaf, node) for leaf in found]
        shapes = Sequence(tuple(Sequence(tuple(_lengths(frame, one, node))) for one in made))
        dtypes = Sequence(tuple(Static(NUMPY_DTYPE[_type(frame, one).dtype]) for one in made))
        flat = [apply.apply(frame, Static(np.ravel), [one], {}, node, hint) for one in made]
        joined = Static(np.concatenate) if flat else Static(np.zeros)
        given: Value = Sequence(tuple(flat)) if flat else Static(0)
        vector = apply.apply(frame, joined, [given], {}, node, hint)
        return Sequence((vector, Partial(Static(way_back), (Static(structure), shapes, dtypes))))

    return ravel


def _array(frame: Frame, leaf: Value, node: gast.AST) -> Value:
    if frame.type_of(leaf) is None:
        frame.fault("T001", f"a {frame.describe(leaf)} has no place in a vector", node, "taken apart here")
    return leaf if frame.is_array(leaf) else apply.apply(frame, Static(np.asarray), [leaf], {}, node)


def _type(frame: Frame, value: Value) -> Array:
    found = frame.type_of(value)
    assert isinstance(found, Array)
    return found


def _lengths(frame: Frame, value: Value, node: gast.AST) -> list[Value]:
    assert isinstance(value, Leaf)
    return [evaluate.length_of(frame, value, axis, node) for axis in range(_type(frame, value).ndim)]


def _unravel(frame: Frame, args, kwargs, node, hint) -> Value:
    known, shapes, dtypes, flat = args
    structure = evaluate.known(frame, known, node, "the structure")
    if not frame.is_array(flat) or _type(frame, flat).ndim != 1:
        frame.fault("T001", f"this takes a vector, not a {frame.describe(flat)}", node, "given here")
    lengths = [frame.held(shape).items for shape in frame.held(shapes).items]
    sizes = [_product(frame, list(shape), node) for shape in lengths]
    ends: list[Value] = [Static(0)]
    for size in sizes:
        ends.append(evaluate.binary(frame, gast.Add, ends[-1], size, node))
    _require_length(frame, flat, ends[-1], node)
    leaves = []
    for start, stop, shape, dtype in zip(ends, ends[1:], lengths, frame.held(dtypes).items, strict=False):
        leaves.append(_piece(frame, flat, (start, stop), list(shape), dtype, node))
    return unflattened(frame, structure, iter(leaves))


def _product(frame: Frame, lengths: list[Value], node: gast.AST) -> Value:
    size: Value = Static(1)
    for length in lengths:
        size = evaluate.binary(frame, gast.Mult, size, length, node)
    return size


def _require_length(frame: Frame, flat: Value, total: Value, node: gast.AST) -> None:
    (given,) = _lengths(frame, flat, node)
    differs = choices.compare(frame, gast.NotEq, given, total, node, "differs")
    words = "this takes a vector of {} numbers, not an array of the shape ({},)"
    if isinstance(differs, Static) and not differs.value:
        return
    error = syntax.raise_("ValueError", words, frame.atom(total, node), frame.atom(given, node), span=frame.here(node))
    frame.builder.append(syntax.if_(frame.atom(differs, node), [error]))


def _piece(
    frame: Frame, flat: Value, ends: tuple[Value, Value], shape: list[Value], dtype: Value, node: gast.AST
) -> Value:
    assert isinstance(flat, Leaf)
    start, stop = (frame.atom(end, node) for end in ends)
    word = library.dtype_word(frame, dtype, node)
    if not shape:
        number = frame.builder.load(flat.name, [start], hint="t")
        return frame.emit("cast", Leaf(number.id), node=node, dtype=word)
    part = frame.builder.load(flat.name, [syntax.slice_(start, stop)], hint="t")
    whole = frame.emit("reshape", Leaf(part.id), node=node, shape=tuple(frame.atom(n, node) for n in shape))
    if _type(frame, whole).dtype == word:
        return whole
    return frame.emit("cast", whole, node=node, dtype=word)


FUNCTIONS = (
    _flatten, _leaves, _structure, _unflatten, _map, _map_with_path, _flatten_with_path, _leaves_with_path, _reduce,
    _all, _broadcast, _transpose, _unravel,
)  # fmt: skip
KNOWN: dict[str, Any] = {function.__name__.removeprefix("_"): function for function in FUNCTIONS}


def find(word: str, function: Any) -> Any:
    """What a function of `pellucid.tree` means here."""
    return _ravel(function.__pellucid_way_back__) if word == "ravel" else KNOWN[word]
