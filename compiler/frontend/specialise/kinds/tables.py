"""Lists that grow: one growable list for numbers or arrays; tuples, records, lists and dicts as a struct of arrays.

    points = []                           xs = new_list(); ys = new_list()
    for v in x:                    ->     for v in x:
        points.append((v, f(v)))              append(xs, v); append(ys, f(v))

What a list holds is a leaf, or a `Table`: the structure of one item over such leaves, as its form has it (`forms.py`).
A list or dict that is put into a table is taken apart, so it may not be changed from there on (`absorbed` in the
heap), and what is read from a table can only be changed in place (`items_in_place.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gast

from .....runtime.nature import article
from .... import syntax, types
from ....ops.placeholders import placeholder
from ....types import Array, ListOf, Scalar
from .. import protocol
from ..frame import Frame
from ..joins.joined_types import can_hold, meanings_of, own_lengths
from ..joins.merging import coerce
from ..objects import pools, shared_items
from ..objects.heap import Owner, objects
from ..objects.object_changes import absorb
from ..values import (
    Column,
    Conflict,
    Leaf,
    OneOf,
    Optional,
    Ref,
    Rows,
    Sequence,
    Static,
    String,
    Table,
    Typed,
    Undefined,
    Value,
    as_optional,
    leaves,
    map_leaves,
    parts,
    with_parts,
)
from . import arrays, built_strings, containers, forms, structures
from .string_numbers import as_string

# --- making and filling ----------------------------------------------------------------------------------------------


def new(frame: Frame, form: Value, node: gast.AST, wish: str = "items") -> Value:
    """An empty list that grows, for items of this form."""

    def made(part: Value, _: tuple) -> Value:
        if not isinstance(part, Typed):
            return part
        return Leaf(frame.builder.bind(syntax.call("new_list"), part.type, wish).id)

    return map_leaves(forms.form_of_list(form), made)


def new_like(frame: Frame, held: Value, node: gast.AST) -> Value:
    """An empty list that grows, for items of the form that those of another list have."""
    form = forms.form_of_items(frame, held)
    assert form is not None
    return new(frame, form, node)


def converted(frame: Frame, held: Value, form: Value, node: gast.AST, contents: Mapping | None = None) -> Value:
    """A new list that grows, with the items of another list, in a form that holds them."""
    made = new(frame, form, node)
    if isinstance(held, Sequence):
        for item in held.items:
            if isinstance(made, Table):
                shared_items.note_if_read(frame, forms.structure(made), item)
            put(frame, made, item, node, contents)
    else:
        containers.append_all(frame, made, held, node)
    return made


def put(frame: Frame, held: Value, value: Value, node: gast.AST, contents: Mapping | None = None) -> None:
    """Append a value to a list that grows and whose form holds it."""
    _append(frame, held, atoms(frame, held, value, node, contents), node)


def put_nothing(frame: Frame, held: Value, node: gast.AST) -> None:
    """Append a placeholder for a missing item."""
    found: list[gast.expr] = []
    _nothing(frame, forms.structure(held), found)
    _append(frame, held, found, node)


def _append(frame: Frame, held: Value, atoms: list[gast.expr], node: gast.AST) -> None:
    for leaf, atom in zip(forms.lists_of(held), atoms, strict=True):
        frame.builder.append(syntax.expression(syntax.call("append", leaf.name, atom), frame.here(node)))


def atoms(
    frame: Frame, held: Value, value: Value, node: gast.AST, contents: Mapping | None = None
) -> list[gast.expr]:
    """A value as one atom for each of the lists."""
    found: list[gast.expr] = []
    contents = frame.heap.contents if contents is None else contents
    _taken_apart(frame, forms.structure(held), value, node, contents, found)
    return found


def _taken_apart(frame: Frame, wanted: Value, value: Value, node: gast.AST, contents: Mapping, found: list) -> None:
    if isinstance(value, Ref):
        shared_items.note_put(frame, wanted, value.number)
        absorb(frame, value.number)
        value = contents[value.number]
        pools.note_item(frame, value)
    if isinstance(wanted, Optional):
        return _with_flag(frame, wanted, value, node, contents, found)
    if isinstance(value, Undefined):
        return _nothing(frame, wanted, found)
    if isinstance(wanted, OneOf):
        value = structures.spread(frame, value, wanted, contents)
    if isinstance(wanted, String):
        value = as_string(frame, value)
    if isinstance(wanted, Rows):
        value = rows_of(frame, value, wanted, node, contents)
    if isinstance(wanted, Leaf):
        element = protocol.type_as(frame, wanted, ListOf).element
        if not can_hold(frame, element, frame.type_of(value)):
            message = f"a list of {element} cannot take {article(frame.describe(value))}"
            frame.fault("T002", message, node, "added here", ("start the list with a value of that type",))
        if isinstance(element, Scalar):
            note_item(frame, wanted.name, value)
        found.append(coerce(frame, value, element, node))
        return None
    pairs = zip(parts(wanted), parts(value), strict=True)
    for (_, into), (_, part) in pairs:
        _taken_apart(frame, into, part, node, contents, found)


def note_item(frame: Frame, name: str, value: Value) -> None:
    """Note that items of a list may have the type that Python has for this one."""
    builder, found = frame.builder, meanings_of(frame, value)
    if builder.widened or any(one.type != types.of_elements(builder.types[name]) for one in found):
        builder.widen(name, [builder.meanings_of(name), found])


def _with_flag(
    frame: Frame, wanted: Optional, value: Value, node: gast.AST, contents: Mapping, found: list
) -> None:
    """An item that may be None: whether it is, and a value, which is arbitrary if it is."""
    flagged = as_optional(value)
    _taken_apart(frame, wanted.absent, flagged.absent, node, contents, found)
    if flagged.absent != Static(True):
        _taken_apart(frame, wanted.inner, flagged.inner, node, contents, found)
    else:
        _nothing(frame, wanted.inner, found)


def _nothing(frame: Frame, wanted: Value, found: list) -> None:
    """Collect placeholders for a missing value."""
    for leaf in leaves(wanted):
        if isinstance(leaf, Leaf):
            made = protocol.type_as(frame, leaf, ListOf).element
            found.append(frame.builder.bind(placeholder(made), made, "nothing"))


def rows_of(frame: Frame, value: Value, wanted: Rows, node: gast.AST, contents: Mapping) -> Rows:
    """A list of any kind, or a tuple, as one array for each position in its items."""
    if wanted.kind is str:
        return built_strings.spelled(frame, value, node)
    if isinstance(value, Rows):
        if not forms.is_unknown(value) or forms.is_unknown(wanted):
            return _in_types(frame, value, wanted, node)
        value = Sequence((), list)
    if not forms.grows(frame, value):
        element = map_leaves(wanted.item, lambda part, _: part)
        value = converted(frame, value, _form_of_column(frame, element), node, contents)
    return Rows(arrays_of(frame, value, node).item, wanted.kind)


def _in_types(frame: Frame, value: Value, wanted: Value, node: gast.AST) -> Any:
    """The columns of a list, in the types of those of a table."""
    if isinstance(value, Column) and isinstance(wanted, Column):
        dtype = _of_column(frame, wanted).dtype
        same = protocol.type_as(frame, value.values, Array).dtype == dtype
        array = value.values if same else frame.emit("cast", value.values, node=node, dtype=dtype)
        return Column(array, wanted.is_weak)
    pairs = zip(parts(value), parts(wanted), strict=True)
    inner = tuple(_in_types(frame, a, b, node) for (_, a), (_, b) in pairs)
    return with_parts(value, inner) if inner else value


def _form_of_column(frame: Frame, value: Value) -> Value:
    """The form of an item of `Rows`, from the arrays of its columns or the lists of those."""
    if isinstance(value, Column):
        return Typed(forms.item_of_array(_of_column(frame, value), value.is_weak))
    inner = parts(value)
    return with_parts(value, tuple(_form_of_column(frame, part) for _, part in inner)) if inner else value


def _of_column(frame: Frame, column: Column) -> Any:
    """The type of the array in a column; a table has a list of such arrays."""
    values = column.values
    found = values.type if isinstance(values, Typed) else frame.type_of(values)
    return found.element if isinstance(found, ListOf) else found


def arrays_of(frame: Frame, held: Value, node: gast.AST) -> Rows:
    """The items of a list that grows, in one array for each position."""

    def column(part: Value, _: tuple) -> Value:
        if not isinstance(part, Leaf):
            return part
        element = protocol.type_as(frame, part, ListOf).element
        array = arrays.as_array(frame, part, node, types.dtype_of(element))
        return Column(array, isinstance(element, Scalar) and element.weak)

    return Rows(map_leaves(forms.structure(held), column))


# --- items -----------------------------------------------------------------------------------------------------------


def item(
    frame: Frame, held: Value, position: gast.expr, node: gast.AST, hint: str = "t",
    owner: Owner | None = shared_items.READ,
) -> Value:  # fmt: skip
    """The item at a position; `owner` says that it is read from the list and must not be changed."""
    return _read(frame, held, lambda leaf: syntax.index(leaf.name, position), hint, owner)


def popped(frame: Frame, held: Value, node: gast.AST) -> Value:
    return _read(frame, held, lambda leaf: syntax.call("pop", leaf.name), "t", shared_items.TAKEN_OUT)


def _read(frame: Frame, held: Value, read, hint: str, owner: Owner | None) -> Value:
    def loaded(part: Value, _: tuple) -> Value:
        if not isinstance(part, Leaf):
            return part
        element = protocol.type_as(frame, part, ListOf).element
        return Leaf(frame.builder.bind(read(part), own_lengths(frame, element), hint).id)

    found = map_leaves(forms.structure(held), loaded)
    return objects(found, frame.heap, "item", owner) if isinstance(held, Table) else found


def store(
    frame: Frame, held: Value, position: gast.expr, value: Value, node: gast.AST, is_put_back: bool = False
) -> None:  # fmt: skip
    """`held[position] = value`; `is_put_back`: it is the item that was read there."""
    for leaf, atom in zip(forms.lists_of(held), atoms(frame, held, value, node), strict=True):
        store_leaf(frame, leaf, position, atom, node, is_put_back)


def store_leaf(
    frame: Frame, leaf: Leaf, position: gast.expr, atom: gast.expr, node: gast.AST, is_put_back: bool
) -> None:  # fmt: skip
    statement = syntax.store(leaf.name, [position], atom, frame.here(node))
    statement.is_put_back = is_put_back
    frame.builder.append(statement)


def length(frame: Frame, held: Value) -> Leaf:
    return Leaf(frame.builder.bind(length_now(frame, held), types.INT, "count").id)


def length_now(frame: Frame, held: Value) -> gast.expr:
    return syntax.call("length", forms.lists_of(held)[0].name)


def widened(frame: Frame, held: Value, form: Value, node: gast.AST) -> Value:
    """The list itself where it can hold items of this form, else a new one with its items that can hold both."""
    now = forms.form_of_items(frame, held)
    wanted = form if now is None else forms.join_forms(frame, now, form)
    if isinstance(wanted, Conflict):
        frame.fault("T002", f"{wanted.left} cannot take an item of {wanted.right}", node, "added here",
                    ("let all items of a list be alike",))  # fmt: skip
    wanted = forms.with_room_for_tuples(frame, wanted)
    if now is not None and forms.grows(frame, held) and forms.fits(frame, now, wanted):
        return held
    alike = forms.relabelled(frame, held, wanted)
    return converted(frame, held, wanted, node) if alike is None else alike
