"""Methods of lists, tuples and dicts.

    xs.append(v)     ->     the object holds one more item, or a statement of the language for a list that grows

What a list that grows can do beyond `append` and `pop` is written in the language (`pellucid/numpy/python_lists.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from ....messages import escaped
from ....ops.python_names import NameBinding
from .. import protocol
from ..frame import Frame
from ..interpreter import comprehensions, evaluate, refusals
from ..library import library
from ..library.static_python import computed, stop
from ..objects import shared_items
from ..objects.object_changes import change, is_unheld
from ..values import (
    NONE,
    Conflict,
    Leaf,
    Mapping_,
    Ref,
    Rows,
    Sequence,
    Static,
    Table,
    Typed,
    Value,
    are_known,
    is_none,
    leaves,
)
from . import classes, containers, dict_methods, forms, list_positions, sets, tables, tuples


def in_language(
    frame: Frame, name: str, args: list[Value], node: gast.AST, hint: str = "t", source: Value = NONE
) -> Value:  # fmt: skip
    """A function on lists that is written in the language; `source` has each item of its result once."""
    made = library.call(frame, NameBinding(function=f"python_lists:{name}"), args, {}, node, hint)
    held = frame.held(made)
    if isinstance(held, Table):
        shared_items.note_taken_over(frame, forms.structure(held), source)
    return made


def call_method(frame: Frame, receiver: Value, method: str, args: list, kwargs: dict, node: gast.AST) -> Value:
    """A method of a list, tuple or dict."""
    held = frame.held(receiver)
    if isinstance(receiver, Ref) and method in CHANGING:
        held = containers.grow(frame, receiver, node)
    kind = "dict" if isinstance(held, Mapping_) else "list" if isinstance(receiver, Ref) else "tuple"
    kind = "set" if sets.known_items(frame, receiver) is not None else kind
    methods: dict[str, dict[str, Callable[..., Value]]] = {
        "set": sets.METHODS, "dict": dict_methods.METHODS, "list": LIST_METHODS | COMMON_METHODS,
        "tuple": COMMON_METHODS,
    }  # fmt: skip
    found = methods[kind].get(method)
    if found is None and kind == "set":
        sets.refuse_method(frame, method, node)
    if found is None:
        refusals.refuse_method(frame, f"a {kind} has", method, node)
    least, most, names = (0, 10**9, None) if kind == "set" else ARGUMENTS.get(method, (0, 10**9, None))
    if not least <= len(args) <= most or names is not None and not set(kwargs) <= set(names.split()):
        frame.fault("T004", f"`{kind}.{method}()` does not take these arguments", node, "called here")
    return found(frame, receiver, node, *args, **kwargs)


def append(frame: Frame, target: Ref, node: gast.AST, value: Value) -> Value:
    held = frame.held(target)
    if isinstance(held, Sequence):
        change(frame, target, Sequence((*held.items, value), list), node)
        return NONE
    held = containers.make_room(frame, target, value, node)
    change(frame, target, None, node)
    shared_items.note_if_read(frame, forms.structure(held), value, target.number)
    tables.put(frame, held, value, node)
    return NONE


def extend(frame: Frame, target: Ref, node: gast.AST, values: Value) -> Value:
    """`xs.extend(values)`, and what `xs += values` does."""
    values = classes.iterable(frame, values, node)
    held = containers.grow(frame, target, node)
    if comprehensions.is_unrolled(frame, values, node):
        for item in protocol.items(frame, values, node):
            append(frame, target, node, item)
        return NONE
    form = forms.form_of(frame, containers.any_item(frame, frame.held(values), node))
    held = frame.heap.contents[target.number] = tables.widened(frame, held, form, node)
    change(frame, target, None, node)
    if frame.held(values) == held:
        frame.fault("R003", "a list cannot be extended by itself while it grows", node, "extended here",
                    ("extend it by a copy: `list(...)`",))  # fmt: skip
    is_named = frame.held(values) in [frame.held(v) for v in frame.variables.values()]
    if isinstance(held, Table) and is_named:
        shared_items.note(frame, forms.structure(held))
    containers.append_all(frame, held, values, node)
    return NONE



def pop(frame: Frame, target: Ref, node: gast.AST, position: Value | None = None) -> Value:
    held = _growing_if_moved(frame, target, position, node)
    if forms.grows(frame, held):
        change(frame, target, None, node)
        if position not in (None, Static(-1)):
            return in_language(frame, "pop_at", [target, position], node)
        return tables.popped(frame, held, node)
    items = list(protocol.held_as(frame, held, Sequence).items)
    at = -1 if position is None else protocol.known(frame, position, node, "the position")
    if not items:
        stop(frame, "IndexError", "pop from empty list", node)
    if not -len(items) <= at < len(items):
        stop(frame, "IndexError", "pop index out of range", node)
    found = items.pop(at)
    change(frame, target, Sequence(tuple(items), list), node)
    return found


def repeat(frame: Frame, target: Ref, count: Value, node: gast.AST) -> None:
    """`xs *= count`"""
    held = frame.held(target)
    if isinstance(held, Sequence) and isinstance(count, Static):
        return change(frame, target, Sequence(held.items * count.value, list), node)
    in_language(frame, "repeat", [target, count], node)
    held = frame.held(target)
    if isinstance(held, Table):
        shared_items.note(frame, forms.structure(held))
    return None


def repeated(frame: Frame, sequence: Value, count: Value, node: gast.AST) -> Value:
    """`sequence * count`"""
    held, is_known = frame.held(sequence), isinstance(count, Static)
    is_list = protocol.sequence_kind(frame, held) is list
    if not isinstance(held, Sequence) or not is_known and _is_of_any_length(frame, held):
        if not is_list and isinstance(held, Rows | Sequence):
            return tuples.repeated(frame, held, count, node)
        return in_language(frame, "repeated", [sequence, count], node)
    items = held.items * protocol.known(frame, count, node, "the length of a list")
    return containers.new_list(frame, items) if is_list else Sequence(items)


def _is_of_any_length(frame: Frame, held: Sequence) -> bool:
    """Whether a list or tuple may have a dynamic length; one of ints is mostly a shape, and its rank must be known."""
    is_shape = held.kind is tuple and all(map(frame.is_integer, held.items))
    return list_positions.are_alike(frame, held) and not is_shape


def set_slice(frame: Frame, target: Ref, items: gast.Slice, value: Value | None, node: gast.AST) -> None:
    """`target[a:b] = value` of a list that grows; None: `del target[a:b]`."""
    if items.step is not None and evaluate.static(frame, items.step, "the step of a slice of a list") not in (None, 1):
        frame.fault("U018", "to change every so many items of a list that grows is not in the language", node,
                    "changed here", ("change the items in a loop",))  # fmt: skip
    bounds = [NONE if b is None else evaluate.evaluate(frame, b) for b in (items.lower, items.upper)]
    if value is None:
        in_language(frame, "delete_slice", [target, *bounds], node)
    else:
        given = classes.iterable(frame, value, node)
        in_language(frame, "set_slice", [target, *bounds, given], node)


def delete(frame: Frame, target: Ref, items: gast.expr, node: gast.AST) -> None:
    """`del target[items]` of a list or dict."""
    held = containers.grow(frame, target, node)
    if isinstance(held, Mapping_):
        dict_methods.pop_key(frame, target, node, evaluate.evaluate(frame, items))
    elif isinstance(items, gast.Slice) and isinstance(held, Sequence):
        left = list(held.items)
        computed(frame, left.__delitem__, node, containers.bounds_of(frame, items))
        change(frame, target, Sequence(tuple(left), list), node)
    elif isinstance(items, gast.Slice):
        set_slice(frame, target, items, None, node)
    elif (position := _place(frame, target, held, items, node)) is None:
        in_language(frame, "delete", [target, evaluate.evaluate(frame, items)], node)
    else:
        left = list(protocol.held_as(frame, held, Sequence).items)
        del left[position]
        change(frame, target, Sequence(tuple(left), list), node)


def _place(frame: Frame, target: Ref, held: Value, items: gast.expr, node: gast.AST) -> int | None:
    if not isinstance(held, Sequence):
        return None
    return list_positions.known_position(frame, target, held, items, "the position in a list", node, store=True)


def _growing_if_moved(frame: Frame, target: Ref, position: Value | None, node: gast.AST) -> Value:
    """What a list holds; one of known length becomes one that grows if the position of a change is dynamic."""
    if isinstance(frame.held(target), Sequence) and isinstance(position, Leaf):
        let_grow(frame, target, node)
    return frame.held(target)


def let_grow(frame: Frame, target: Ref, node: gast.AST) -> None:
    """From here on a list is one that grows; refused where its items are not of one kind."""
    held = frame.held(target)
    if not isinstance(held, Sequence):
        return
    form = forms.form_of_items(frame, held)
    form = form if form is None else forms.with_room(frame, form)
    if form is None or isinstance(form, Conflict) or not any(isinstance(leaf, Typed) for leaf in leaves(form)):
        frame.fault("R001", "this needs a list whose items are alike, and at least one", node, "used here",
                    ("let all items have one type",))  # fmt: skip
    containers.let_grow(frame, target, form, node)


def _rebuilt(name: str, edit: Callable[[list], None]) -> Callable[..., Value]:
    """A method that changes a list of any kind and returns None."""

    def method(frame: Frame, target: Ref, node: gast.AST) -> Value:
        held = frame.held(target)
        if forms.grows(frame, held):
            change(frame, target, None, node)
            return in_language(frame, name, [target], node)
        items = list(protocol.held_as(frame, held, Sequence).items)
        edit(items)
        change(frame, target, Sequence(tuple(items), list), node)
        return NONE

    return method


def _insert(frame: Frame, target: Ref, node: gast.AST, position: Value, value: Value) -> Value:
    held = _growing_if_moved(frame, target, position, node)
    if forms.grows(frame, held):
        containers.make_room(frame, target, value, node)
        change(frame, target, None, node)
        return in_language(frame, "insert", [target, position, value], node)
    items = list(protocol.held_as(frame, held, Sequence).items)
    items.insert(protocol.known(frame, position, node, "the position"), value)
    change(frame, target, Sequence(tuple(items), list), node)
    return NONE


def _remove(frame: Frame, target: Ref, node: gast.AST, value: Value) -> Value:
    held = frame.held(target)
    if isinstance(held, Sequence) and are_known(held.items) and isinstance(value, Static):
        items = list(held.items)
        at = items.index(value) if value in items else -1
        if at < 0:
            stop(frame, "ValueError", "list.remove(x): x not in list", node)
        del items[at]
        change(frame, target, Sequence(tuple(items), list), node)
        return NONE
    let_grow(frame, target, node)
    change(frame, target, None, node)
    return in_language(frame, "remove", [target, value], node)


def is_known(frame: Frame, target: Value) -> bool:
    """Whether all items of a list or tuple are numbers and strings known now."""
    held = frame.held(target)
    return isinstance(held, Sequence) and are_known(held.items)


def sort(frame: Frame, target: Ref, node: gast.AST, key: Value = NONE, reverse: Value = Static(False)) -> Value:  # noqa: B008
    """`xs.sort(key=..., reverse=...)`: stable."""
    made = in_order(frame, frame.new(frame.held(target)), key, reverse, node)
    change(frame, target, frame.held(made), node)
    return NONE


def in_order(frame: Frame, source: Ref, key: Value, reverse: Value, node: gast.AST) -> Value:
    """A new list with the items of a list, sorted by their keys."""
    descending = protocol.truth(frame, reverse, node)
    held = frame.held(source)
    if isinstance(held, Sequence):
        keys = list(held.items) if is_none(key) else [protocol.call(frame, key, [v], {}, node) for v in held.items]
        if are_known(keys) and isinstance(descending, Static):
            places = computed(frame, _order_of, node, [k.value for k in keys], descending.value)
            return containers.new_list(frame, [held.items[k] for k in places])
        if len(keys) < 2:
            return containers.new_list(frame, held.items)
        ordered = containers.new_list(frame, keys)
        let_grow(frame, ordered, node)
        source = containers.new_list(frame, held.items)
        let_grow(frame, source, node)
        return in_language(frame, "in_order", [source, ordered, descending], node, source=source)
    by = source if is_none(key) else in_language(frame, "keys_of", [source, key], node)
    return in_language(frame, "in_order", [source, by, descending], node, source=source)


def _order_of(keys: list[Any], descending: bool) -> list[int]:
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=descending)


def copy(frame: Frame, target: Value, node: gast.AST) -> Ref:
    held = frame.held(target)
    if isinstance(target, Ref) and forms.grows(frame, held) and is_unheld(frame, target):
        return target
    if forms.grows(frame, held):
        made = frame.new(containers.copy_of_list(frame, held, node))
        if isinstance(held, Table):
            shared_items.note_taken_over(frame, forms.structure(held), target)
        return made
    return frame.new(Rows(held.item) if isinstance(held, Rows) else held)


def _index(frame: Frame, target: Value, node: gast.AST, value: Value) -> Value:
    if not is_known(frame, target) or not isinstance(value, Static):
        name = "index" if isinstance(target, Ref) else "index_in_tuple"
        return in_language(frame, name, [as_growing(frame, target, node), value], node)
    items, wanted = protocol.known(frame, target, node), value.value
    if wanted not in items:
        what = f"{wanted!r} is not in list" if isinstance(items, list) else "tuple.index(x): x not in tuple"
        stop(frame, "ValueError", escaped(what), node)
    return Static(items.index(wanted))


def _count(frame: Frame, target: Value, node: gast.AST, value: Value) -> Value:
    if not is_known(frame, target) or not isinstance(value, Static):
        return in_language(frame, "count", [as_growing(frame, target, node), value], node)
    return Static(protocol.known(frame, target, node).count(value.value))


def as_growing(frame: Frame, source: Value, node: gast.AST) -> Value:
    """A list or tuple as a list whose items can be read at any position; one of known length is copied."""
    held = frame.held(source)
    if not isinstance(held, Sequence):
        return source
    made = containers.new_list(frame, held.items)
    let_grow(frame, made, node)
    return made


CHANGING = frozenset("append extend pop insert reverse clear remove sort".split())
COMMON_METHODS: dict[str, Callable[..., Value]] = {"index": _index, "count": _count}
LIST_METHODS: dict[str, Callable[..., Value]] = {
    "append": append, "extend": extend, "pop": pop, "copy": copy, "insert": _insert, "remove": _remove, "sort": sort,
    "reverse": _rebuilt("reverse", list.reverse), "clear": _rebuilt("clear", list.clear),
}  # fmt: skip
# For methods of lists: the least and the greatest number of arguments, and the names of keyword arguments.
ARGUMENTS: dict[str, tuple[int, int, str | None]] = {
    "append": (1, 1, ""), "extend": (1, 1, ""), "insert": (2, 2, ""), "remove": (1, 1, ""),
    "sort": (0, 0, "key reverse"), "reverse": (0, 0, ""), "clear": (0, 0, ""), "index": (1, 1, ""), "count": (1, 1, ""),
}  # fmt: skip
