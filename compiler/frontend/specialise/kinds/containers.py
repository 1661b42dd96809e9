"""Lists and dicts: their items, loads and stores.

    xs = [a]; ys = xs; ys[0] = b     ->     both names stand for one object, which now holds [b]

An object whose length is known holds its items; one that grows in a loop holds the leaf of a growable list, or several
(`tables.py`), and its changes become statements of the language.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NoReturn

import gast

from .... import syntax, types
from ....dtypes import INT_WORD, python_word
from ....types import Array, ListOf, Scalar
from .. import protocol
from ..exceptions import raising
from ..frame import Frame, Stopped
from ..interpreter import evaluate, subscript
from ..iterables import Iteration, Iterator
from ..joins.joined_types import join_types
from ..library.static_python import computed, no_key
from ..objects import shared_items, sites
from ..objects.heap import objects
from ..objects.object_changes import change
from ..values import (
    Column,
    Leaf,
    Mapping_,
    Record,
    Ref,
    Rows,
    Sequence,
    Static,
    Table,
    Value,
    map_leaves,
    parts,
    with_parts,
)
from . import classes, container_methods, forms, keyed, list_positions, rows, tables


@protocol.is_container.of(Sequence, Mapping_, Rows, Table, ListOf, Record)
def _(frame: Frame, value: Value) -> bool:
    return True


def new_list(frame: Frame, items: list[Value] | tuple[Value, ...], wish: str = "items") -> Ref:
    return frame.new(Sequence(tuple(items), list), wish)


# --- items ---------------------------------------------------------------------------------------------------------


def part_of_list(frame: Frame, base: Value, items: gast.Slice, node: gast.AST) -> Value:
    """`base[i:j]` of a list that grows."""
    held = frame.held(base)
    made = frame.new(picked(frame, held, slice_order(frame, held, items, node), node))
    if isinstance(held, Table):
        shared_items.note_taken_over(frame, forms.structure(held), base)
    return made


def item_of_dict(frame: Frame, base: Value, held: Mapping_, key: Value, node: gast.AST) -> Value:
    if not held.items and not keyed.is_known(frame, key):
        no_such_key(frame, key, node)
    known = keyed.known_key(frame, base, key, node)
    found = held.get(known)
    if found is None:
        no_key(frame, known, node)
    return found


def no_such_key(frame: Frame, key: Value, node: gast.AST) -> NoReturn:
    """`KeyError(key)` of a dict that is empty here, for a dynamic key."""
    keyed.key_form(frame, key, node)
    values: list[gast.expr] = []
    message = (raising.argument(frame, key, node, values),)
    frame.builder.append(syntax.raise_("KeyError", message, *values, span=frame.here(node)))
    raise Stopped


def whole(frame: Frame, position: Value, node: gast.AST) -> gast.expr:
    if not frame.is_integer(position):
        what = frame.describe(position)
        frame.fault("T001", f"list indices must be integers or slices, not {what}", node, "indexed here")
    if frame.type_of(position) == types.BOOL:
        position = frame.emit("cast", position, node=node, dtype=INT_WORD, weak=True)
    return frame.atom(position, node)


def bounds_of(frame: Frame, items: gast.Slice) -> slice:
    known = [None if b is None else evaluate.static(frame, b, "a slice of a tuple or list")
             for b in (items.lower, items.upper, items.step)]  # fmt: skip
    return slice(*known)


def slice_order(frame: Frame, held: Value, items: gast.Slice, node: gast.AST) -> Leaf:
    """The positions that a slice of a list selects: that slice of an array of all positions."""
    count = tables.length(frame, held)
    atoms = (frame.atom(count, node),)
    everywhere = frame.emit("arange", Static(0), count, Static(1), node=node, shape=atoms, dtype=INT_WORD)
    return subscript.element(frame, everywhere, [subscript.slice_item(frame, items)], node, "order")


def picked(frame: Frame, held: Value, order: Value, node: gast.AST) -> Value:
    """A list that grows with the items at these positions."""
    made = tables.new_like(frame, held, node)

    def taken(at: Value) -> None:
        tables.put(frame, made, tables.item(frame, held, frame.atom(at, node), node), node)

    _for_each(frame, order, node, taken)
    return made


def _for_each(frame: Frame, source: Value, node: gast.AST, run: Callable[[Value], None]) -> None:
    """Emit a loop that does something with every item of an array or list."""
    count = frame.atom(protocol.length(frame, source, node), node)
    variable = frame.builder.names.fresh("i")
    frame.builder.types[variable] = types.INT
    with frame.captured() as body:
        run(protocol.item(frame, source, Leaf(variable), node))
    frame.builder.append(syntax.for_range(variable, 0, count, 1, body, span=frame.here(node)))


def any_item(frame: Frame, source: Value, node: gast.AST) -> Value:
    """The form of the items of an iterable, at any position."""
    variable = frame.builder.names.fresh("i")
    frame.builder.types[variable] = types.INT
    with frame.captured():
        return protocol.item(frame, source, Leaf(variable), node)


def mapped(frame: Frame, source: Value, change: Callable[[Value], Value], node: gast.AST) -> Ref:
    """A list that grows of what is made of the items of another."""
    with frame.captured():
        form = forms.form_of(frame, change(any_item(frame, source, node)))
    made = tables.new(frame, form, node)
    _for_each(frame, source, node, lambda item: tables.put(frame, made, change(item), node))
    return frame.new(made)


def let_grow(frame: Frame, target: Ref, form: Value, node: gast.AST) -> None:
    """From here on a list of known length is one that grows, for items of this form."""
    held = frame.held(target)
    if isinstance(held, Sequence):
        frame.heap.contents[target.number] = tables.converted(frame, held, form, node)


def copy_of_list(frame: Frame, held: Value, node: gast.AST, apart: bool = False) -> Value:
    """A list that grows with the items of another; `apart`: with copies of them, where they are arrays."""
    made = tables.new_like(frame, held, node)
    append_all(frame, made, held, node, apart=apart)
    return made


def kept_apart(frame: Frame, value: Value, node: gast.AST) -> Value:
    """A value that is returned from inside a loop, as it is now: on other paths the loop may go on to change it."""

    def copied(part: Value, _: tuple) -> Value:
        if frame.is_list(part):
            return frame.new(copy_of_list(frame, part, node, apart=True), "result")
        return frame.emit("copy", part, node=node, hint="result") if frame.is_array(part) else part

    return objects(_with_copies(frame, frame.tree(value), copied, node), frame.heap)


def _with_copies(frame: Frame, value: Value, copied: Any, node: gast.AST) -> Value:
    if isinstance(value, Table):
        return copy_of_list(frame, value, node, apart=True)
    inner = parts(value)
    if not inner:
        return copied(value, ())
    return with_parts(value, tuple(_with_copies(frame, part, copied, node) for _, part in inner))


def converted_list(frame: Frame, held: Leaf, wanted: ListOf, node: gast.AST) -> Leaf:
    """A growable list with the numbers of another in a wider type."""
    made = Leaf(frame.builder.bind(syntax.call("new_list"), wanted, "items").id)
    append_all(frame, made, held, node)
    return made


def grown_from_array(frame: Frame, array: Leaf, is_weak: bool, node: gast.AST) -> Leaf:
    """A growable list of the numbers in an array, or of its rows."""
    found = protocol.type_as(frame, array, Array)
    dtype = python_word(found.dtype) if is_weak and found.ndim == 1 else found.dtype
    element = forms.item_of_array(Array(dtype, found.dims), is_weak)
    made = Leaf(frame.builder.bind(syntax.call("new_list"), ListOf(element), "items").id)
    append_all(frame, made, array, node, is_weak)
    return made


def make_room(frame: Frame, target: Ref, value: Value, node: gast.AST) -> Value:
    """What a list that grows holds, once it can hold this value."""
    sites.require_room(frame, target, forms.form_of(frame, value), node)
    held = tables.widened(frame, frame.held(target), forms.form_of(frame, value), node)
    frame.heap.contents[target.number] = held
    return held


def grow(frame: Frame, target: Ref, node: gast.AST) -> Value:
    """What a list holds, before it is changed."""
    held = frame.held(target)
    if isinstance(held, Rows):
        change(frame, target, None, node)  # refused where the change would be seen elsewhere
        empty = Sequence((), list)  # nothing has been put into any of the lists so far
        held = empty if forms.is_unknown(held) else rows.growable(frame, held, node)
        frame.heap.contents[target.number] = held
    return held


def append_all(
    frame: Frame, made: Value, source: Value, node: gast.AST, weaken: bool = False, apart: bool = False
) -> None:
    """Append the items of an array or a list, in a loop; `weaken` converts them to Python numbers."""

    puts, turn = len(frame.builder.puts), frame.heap.count

    def added(item: Value) -> None:
        if isinstance(made, Table) and isinstance(frame.held(source), Iteration | Iterator):
            shared_items.note_if_read(frame, forms.structure(made), item)
        if weaken:
            dtype = protocol.type_as(frame, item, Scalar).dtype
            item = frame.emit("cast", item, node=node, dtype=dtype, weak=True)
        if apart:
            copied = lambda v, _: frame.emit("copy", v, node=node) if frame.is_array(v) else v  # noqa: E731
            item = map_leaves(frame.tree(item), copied)
        tables.put(frame, made, item, node)

    _for_each(frame, source, node, added)
    shared_items.note_of_turns(frame, puts, turn)


def store_into_row(frame: Frame, base: Ref, items: gast.expr, value: Value, node: gast.AST) -> bool:
    """`base[i] = value` for a list whose numbers are in one array: a copy is changed; whether it was such a list."""
    column = rows.column_of_numbers(frame, frame.held(base))
    stored = frame.type_of(value)
    if column is None or isinstance(items, gast.Slice) or not isinstance(stored, Scalar):
        return False
    element = Scalar(protocol.type_as(frame, column.values, Array).dtype, column.is_weak)
    if forms.is_unknown(frame.held(base)) or join_types(frame, element, stored) != element:
        return False
    change(frame, base, None, node, keeps_length=True)  # refused where the change would be seen elsewhere
    copied = frame.emit("copy", column.values, node=node)
    position = whole(frame, evaluate.evaluate(frame, items), node)
    subscript.store_items(frame, copied, [position], value, node)
    frame.heap.contents[base.number] = Rows(Column(copied, column.is_weak))
    return True


def store(frame: Frame, base: Ref, items: gast.expr, value: Value, node: gast.AST) -> None:
    """`base[items] = value` for a list or dict."""
    if store_into_row(frame, base, items, value, node):
        return None
    held = grow(frame, base, node)
    match held:
        case Mapping_(items=old):
            key = keyed.known_key(frame, base, evaluate.evaluate(frame, items), node, value)
            return change(frame, base, dataclasses.replace(held, items=tuple({**dict(old), key: value}.items())), node)
        case Sequence(items=old) if isinstance(items, gast.Slice):
            changed = list(old)
            given = protocol.items(frame, classes.iterable(frame, value, node), node)
            computed(frame, changed.__setitem__, node, bounds_of(frame, items), given)
            return change(frame, base, Sequence(tuple(changed), list), node)
        case Sequence(items=old):
            at = list_positions.known_position(frame, base, held, items, "the position in a list", node, store=True)
            if at is not None:
                changed = [value if k == at % len(old) else item for k, item in enumerate(old)]
                return change(frame, base, Sequence(tuple(changed), list), node)
    if isinstance(items, gast.Slice):
        container_methods.set_slice(frame, base, items, value, node)
        return None
    position = whole(frame, evaluate.evaluate(frame, items), node)
    held = make_room(frame, base, value, node)
    change(frame, base, None, node, keeps_length=True)
    shared_items.note_if_read(frame, forms.structure(held), value)
    tables.store(frame, held, position, value, node)
    return None


@protocol.call_method.of(Sequence, Mapping_, Table, ListOf, Iterator)
def _(
    frame: Frame, receiver: Value, method: str, args: list[Value], named: protocol.Named, node: gast.AST, hint: str
) -> Value:
    return container_methods.call_method(frame, receiver, method, args, named, node)
