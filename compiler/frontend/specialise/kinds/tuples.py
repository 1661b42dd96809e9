"""Tuples of dynamic length: values of their own, over one array for each position in an item.

    tuple(path)          ->     Rows(Column(array of the items), tuple)
    path + (node,)       ->     the columns, concatenated
    (0,) or (0, 1)       ->     on two paths: such a tuple, if all items are of one type

They are immutable, so they are not objects: they are carried, returned and put into lists as arrays are.
"""

from __future__ import annotations

from typing import Any

import gast

from ....ops.python_names import NameBinding
from .. import protocol
from ..frame import Frame
from ..interpreter import comprehensions
from ..library import builtin_calls, library
from ..values import Column, Conflict, Rows, Sequence, Value, parts, with_parts
from . import classes, container_methods, containers, equality, forms, tables

ALIKE = ("let all items be of one type, or make a list: `list(...)`",)


def made(frame: Frame, value: Value, node: gast.AST) -> Value:
    """`tuple(value)`."""
    value = classes.iterable(frame, value, node)
    held = frame.held(value)
    if isinstance(held, Rows):
        return Rows(held.item, tuple)
    if not forms.grows(frame, held):
        if comprehensions.is_unrolled(frame, value, node) or protocol.has_known_length(frame, value):
            return Sequence(tuple(protocol.items(frame, value, node)))
        held = frame.held(builtin_calls.as_new_list(frame, value, node))
    if isinstance(held, Sequence):
        return Sequence(held.items)
    items = forms.form_of_items(frame, held)
    assert items is not None
    if isinstance(forms.as_rows(items, frame), Conflict) or forms.holds_objects(items):
        what = "a tuple whose length is only known at run time holds numbers, known strings, and tuples of them"
        frame.fault("U018", what, node, "made here", ("make a list: `list(...)`",))
    return Rows(tables.arrays_of(frame, held, node).item, tuple)


def of_run(frame: Frame, value: Sequence, node: gast.AST) -> Value:
    """A tuple with items of one kind as one of dynamic length."""
    listed = containers.new_list(frame, value.items)
    return made(frame, container_methods.as_growing(frame, listed, node), node)


def joined(frame: Frame, left: Value, right: Value, node: gast.AST) -> Value:
    """`left + right` of tuples."""
    sides = one, other = [equality.as_sequence(frame, side) for side in (left, right)]
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        return Sequence(one.items + other.items)
    found = [forms.form_of(frame, side) for side in sides]
    form = forms.join_forms(frame, *found)
    if isinstance(form, Conflict):
        what = f"a tuple whose length is only known at run time holds items of one type, not {_words(form)}"
        frame.fault("T002", what, node, "joined here", ALIKE)
    wanted = protocol.held_as(frame, form, Rows)
    first, second = (tables.rows_of(frame, side, wanted, node, frame.heap.contents) for side in sides)
    return end_to_end(frame, first, second, node)


def _words(form: Conflict) -> str:
    return f"{form.left} and {form.right}".replace("a list of ", "")


def end_to_end(frame: Frame, first: Value, second: Value, node: gast.AST) -> Any:
    """The columns of two tuples, concatenated."""
    if isinstance(first, Column) and isinstance(second, Column):
        arrays = Sequence((first.values, second.values))
        return Column(library.call(frame, CONCATENATE, [arrays], {}, node, "items"), first.is_weak)
    pairs = zip(parts(first), parts(second), strict=True)
    inner = tuple(end_to_end(frame, a, b, node) for (_, a), (_, b) in pairs)
    return with_parts(first, inner) if inner else first


CONCATENATE = NameBinding(function="joining:concatenate")


def repeated(frame: Frame, value: Rows | Sequence, count: Value, node: gast.AST) -> Value:
    """`value * count`."""
    if isinstance(value, Sequence):
        listed = containers.new_list(frame, value.items)
    else:
        listed = container_methods.copy(frame, value, node)
    return made(frame, container_methods.in_language(frame, "repeated", [listed, count], node), node)


def hash_of(frame: Frame, value: Rows, node: gast.AST) -> Value:
    """The hash of a tuple as a key."""
    return library.call(frame, NameBinding(function="python_dicts:hash_of_items"), [value], {}, node, "hash")
