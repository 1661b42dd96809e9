"""Methods of dicts whose keys are known now, and `dict(...)`.

    d.get("rate", 0.0)     ->     the value that `d` holds under "rate" at present

A method with a dynamic key makes the dict a hash table from its allocation site on (`keyed.py`), unless the dict is
empty here, and the answer is known.
"""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import gast

from .. import protocol
from ..frame import Frame
from ..iterables import DictView, Items, Keys, Values
from ..library.static_python import no_key, stop
from ..objects import sites
from ..objects.heap import reachable
from ..objects.object_changes import change
from ..values import NONE, Mapping_, Ref, Sequence, Static, Value
from . import classes, containers, keyed, list_positions, sets

MOST_WRITTEN_OUT = 4  # so many items are put into a hash table one by one; more of them in a loop


def found_or_none(frame: Frame, target: Ref, key: Value, node: gast.AST) -> Value | None:
    """What a dict holds under a key."""
    held = protocol.held_as(frame, target, Mapping_)
    if not held.items and not keyed.is_known(frame, key):
        keyed.key_form(frame, key, node)
        return None
    return held.get(keyed.known_key(frame, target, key, node))


def open_given(frame: Frame, node: gast.AST, origin: sites.Site = ("argument",), first: int = 0) -> bool:
    """Let dicts that were not made here be hash tables, where an earlier walk looked up a dynamic key in them.

    Those are the objects after the first ones; whether there are any.
    """
    heap, is_one = frame.heap, False
    for number, held in list(heap.contents.items()):
        if number <= first or not isinstance(held, Mapping_):
            continue
        site: sites.Site = (*origin, number - first)
        if (columns := frame.task.learned.forms.get(site)) is not None:
            is_one = True
            made = keyed.made_dict(frame, columns, [(keyed.as_key(key), value) for key, value in held.items], node)
            heap.contents[number] = frame.held(made)
            heap.owners.update(dict.fromkeys(reachable([made], heap.contents), heap.owners[number]))
        heap.sites[number] = site, sites.WHOLE
    return is_one


def _get(frame: Frame, target: Ref, node: gast.AST, key: Value, default: Value = NONE) -> Value:
    found = found_or_none(frame, target, key, node)
    return default if found is None else found


def pop_key(frame: Frame, target: Ref, node: gast.AST, key: Value, default: Value | None = None) -> Value:
    items: dict[Any, Value] = dict(protocol.held_as(frame, target, Mapping_).items)
    if not items and not keyed.is_known(frame, key):
        return default if default is not None else containers.no_such_key(frame, key, node)
    name = keyed.known_key(frame, target, key, node)
    if name not in items:
        if default is None:
            no_key(frame, name, node)
        return default
    found = items.pop(name)
    _refill(frame, target, tuple(items.items()), node)
    return found


def _refill(frame: Frame, target: Ref, items: tuple[tuple[Any, Value], ...], node: gast.AST) -> None:
    """The same dict with these items."""
    change(frame, target, dataclasses.replace(protocol.held_as(frame, target, Mapping_), items=items), node)


def _pop_item(frame: Frame, target: Ref, node: gast.AST) -> Value:
    items = protocol.held_as(frame, target, Mapping_).items
    if not items:
        stop(frame, "KeyError", "popitem(): dictionary is empty", node)
    _refill(frame, target, items[:-1], node)
    return Sequence((keyed.as_key(items[-1][0]), items[-1][1]))


def _set_default(frame: Frame, target: Ref, node: gast.AST, key: Value, default: Value = NONE) -> Value:
    held, name = protocol.held_as(frame, target, Mapping_), keyed.known_key(frame, target, key, node, default)
    found = held.get(name)
    if found is None:
        _refill(frame, target, (*held.items, (name, default)), node)
    return default if found is None else found


def _update(frame: Frame, target: Ref, node: gast.AST, *others: Value, **named: Value) -> Value:
    for other in others:
        put_all(frame, other, target, node)
    if named:
        held = protocol.held_as(frame, target, Mapping_)
        _refill(frame, target, tuple({**dict(held.items), **named}.items()), node)
    return NONE


def _clear(frame: Frame, target: Ref, node: gast.AST) -> Value:
    _refill(frame, target, (), node)
    return NONE


def _copy(frame: Frame, target: Ref, node: gast.AST) -> Value:
    held = protocol.held_as(frame, target, Mapping_)
    copied = keyed.new_dict(frame, dict(held.items), node)
    if held.like is not None and issubclass(held.like[0], OrderedDict | defaultdict):  # others become a dict
        frame.heap.contents[copied.number] = dataclasses.replace(held)
    return copied


def made(frame: Frame, args: list[Value], named: dict[str, Value], node: gast.AST) -> Value:
    """`dict(...)`."""
    target = keyed.new_dict(frame, {}, node)
    for other in args:
        put_all(frame, other, target, node)
    for name, value in named.items():
        put(frame, target, Static(name), value, node)
    return target


def from_keys(frame: Frame, keys: Value, value: Value, node: gast.AST) -> Value:
    """`dict.fromkeys(keys, value)`: one value under all keys."""
    target = keyed.new_dict(frame, {}, node)
    source = sets.items_of(frame, keys, node)
    if sets.is_set(frame, keys):
        sets.refuse_order(frame, node)
    if protocol.is_unrolled(frame, source):
        put_each(frame, target, [(key, value) for key in protocol.items(frame, source, node)], node)
        return target
    if isinstance(value, Ref):
        frame.fault("R003", "all keys of this dict have one object, and a change of it would show under each", node,
                    "made here", ("make one for each key: `{key: [] for key in keys}`",))  # fmt: skip
    return keyed.in_language(frame, "python_dicts:put_keys", [target, source, value], node)


def put(frame: Frame, target: Ref, key: Value, value: Value, node: gast.AST) -> None:
    """`target[key] = value`."""
    held = frame.held(target)
    if not isinstance(held, Mapping_):
        classes.special_call(frame, target, "__setitem__", [key, value], node)
        return
    name = keyed.known_key(frame, target, key, node, value)
    _refill(frame, target, tuple({**dict(held.items), name: value}.items()), node)


def put_each(frame: Frame, target: Ref, pairs: list[tuple[Value, Value]], node: gast.AST) -> None:
    """`target[key] = value` for each of these; for many and a hash table, in a loop over a list."""
    listed = Sequence(tuple(Sequence(pair) for pair in pairs))
    is_of_run = not isinstance(frame.held(target), Mapping_)
    if is_of_run and len(pairs) > MOST_WRITTEN_OUT and list_positions.are_alike(frame, listed):
        items = containers.new_list(frame, listed.items)
        list_positions.let_numbers_grow(frame, items.number, node)
        keyed.in_language(frame, "python_dicts:put_pairs", [target, items], node)
        return
    for key, value in pairs:
        put(frame, target, key, value, node)


@protocol.lifted()
def put_all(frame: Frame, other: Value, target: Ref, node: gast.AST) -> None:
    """What `target.update(other)` does: items of a dict, or a sequence of pairs."""
    other = keyed.table_inside(frame, other)
    held = frame.held(other)
    if isinstance(held, Mapping_):
        put_each(frame, target, [(keyed.as_key(key), value) for key, value in held.items], node)
        return
    if keyed.dict_of(frame, other) is not None:
        other = Items((other,))
    source = classes.iterable(frame, other, node)
    if not protocol.is_unrolled(frame, source):
        keyed.in_language(frame, "python_dicts:put_pairs", [target, source], node)
        return
    pairs = []
    for pair in protocol.items(frame, source, node):
        both = protocol.items(frame, pair, node)
        if len(both) != 2:
            frame.fault("T001", f"dict() takes pairs, not {len(both)} items", node, "called here")
        pairs.append((both[0], both[1]))
    put_each(frame, target, pairs, node)


def _view(kind: type[DictView]) -> Callable[..., Value]:
    return lambda frame, target, node: kind((target,))


def merged(frame: Frame, left: Value, right: Value, node: gast.AST) -> Value:
    """`left | right`."""
    result = keyed.new_dict(frame, {}, node)
    for side in (left, right):
        put_all(frame, side, result, node)
    return result


METHODS: dict[str, Callable[..., Value]] = {
    "items": _view(Items), "values": _view(Values), "keys": _view(Keys), "get": _get, "copy": _copy,
    "pop": pop_key, "setdefault": _set_default, "update": _update, "popitem": _pop_item, "clear": _clear,
}  # fmt: skip
