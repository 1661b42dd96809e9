"""Lists that grow: of numbers or arrays one growable list, of tuples, records, lists and dicts one for each place.

    points = []                           xs = new_list(); ys = new_list()
    for v in x:                    ->     for v in x:
        points.append((v, f(v)))              append(xs, v); append(ys, f(v))

What a list holds is a leaf, or a `Table`: the structure of one item over such leaves.  The *form* of an item is its
structure over `Typed`: a list of one length is its items, one whose length differs from item to item is `Rows` over
one array for each place.  A list or dict that is put into a table is taken apart, so that nobody may change it from
there on (`absorbed` in the heap), and what is read from a table cannot be changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gast

from ... import syntax, types
from ...dtypes import BOOL_WORD
from ...types import Array, ListOf, Scalar
from . import arrays, containers
from .frame import Frame
from .heap import Owner, objects
from .merge import can_hold, coerce, identical, join_types, own_length, own_lengths
from .object_changes import absorb
from .values import (
    NONE,
    Closure,
    Column,
    Conflict,
    Leaf,
    Mapping_,
    Record,
    Ref,
    Rows,
    Sequence,
    Static,
    Table,
    Typed,
    Value,
    leaves,
    map_leaves,
    parts,
    same_structure,
    with_parts,
)

# Whether the numbers of lists that are all empty are Python's.
UNKNOWN: Any = None


def grows(frame: Frame, held: Value) -> bool:
    """Whether a list is one that grows."""
    return isinstance(held, Table) or frame.is_list(held)


def structure(held: Value) -> Value:
    """One item of a list that grows, over the leaves of growable lists."""
    return held.item if isinstance(held, Table) else held


def lists_of(held: Value) -> list[Leaf]:
    return [leaf for leaf in leaves(structure(held)) if isinstance(leaf, Leaf)]


# --- forms -----------------------------------------------------------------------------------------------------------


def form_of(frame: Frame, value: Value, contents: Mapping[int, Value] | None = None) -> Value:
    """What an item is like; a Conflict where no list that grows can hold it."""
    contents = frame.heap.contents if contents is None else contents
    if isinstance(value, Ref):
        value = contents[value.number]
    if isinstance(value, Table):
        return _as_rows(form_of_items(frame, value), frame)
    if isinstance(value, Sequence | Mapping_ | Record | Rows | Column):
        inner = tuple(form_of(frame, part, contents) for _, part in parts(value))
        return next((part for part in inner if isinstance(part, Conflict)), with_parts(value, inner))
    found = frame.type_of(value)
    if isinstance(found, ListOf):
        return _as_rows(Typed(found.element), frame)
    if found is not None:
        return Typed(own_lengths(frame, found))
    plain = isinstance(value, Static) and not isinstance(value.value, slice)
    return value if plain or isinstance(value, Closure) else Conflict(f"a list of {frame.describe(value)}", "a list")


def form_of_items(frame: Frame, held: Value, contents: Mapping[int, Value] | None = None) -> Value | None:
    """What the items of a list are like, one as the other; None for an empty list."""
    if isinstance(held, Sequence):
        forms = [form_of(frame, item, contents) for item in held.items]
        result = forms[0] if forms else None
        for other in forms[1:]:
            result = join_forms(frame, result, other)
        return result
    if isinstance(held, Rows):
        return _form_of_row(frame, held.item)
    return map_leaves(structure(held), lambda part, _: _element_of(frame, part))


def _element_of(frame: Frame, part: Value) -> Value:
    found = part.type if isinstance(part, Typed) else frame.type_of(part)
    return Typed(found.element) if isinstance(found, ListOf) else part


def _form_of_row(frame: Frame, value: Value) -> Value:
    if isinstance(value, Column):
        found = frame.type_of(value.values)
        return Typed(Scalar(found.dtype, value.is_weak) if found.ndim == 1 else Array(found.dtype, found.dims[1:], "C"))
    inner = parts(value)
    return with_parts(value, tuple(_form_of_row(frame, part) for _, part in inner)) if inner else value


def join_forms(frame: Frame, left: Value, right: Value) -> Value:
    """What both items are like."""
    for side in (left, right):
        if isinstance(side, Conflict):
            return side
    if isinstance(left, Typed) and isinstance(right, Typed):
        joined = join_types(frame, left.type, right.type)
        return Conflict(f"a list of {left.type}", f"a list of {right.type}") if joined is None else Typed(joined)
    sides = left, right
    if any(map(_is_unknown, sides)) and left != right:
        return _join_rows(frame, left, right)
    if all(isinstance(side, Rows) or isinstance(side, Sequence) and side.kind is list for side in sides):
        lengths = {len(side.items) if isinstance(side, Sequence) else -1 for side in sides}
        if len(lengths) > 1:
            return _join_rows(frame, left, right)
    if isinstance(left, Column) and isinstance(right, Column):
        return _join_columns(frame, left, right)
    if identical(left, right):
        return left
    if same_structure(left, right):
        inner = [join_forms(frame, a, b) for (_, a), (_, b) in zip(parts(left), parts(right), strict=True)]
        return next((part for part in inner if isinstance(part, Conflict)), with_parts(left, tuple(inner)))
    return Conflict(f"a list of {_described(frame, left)}", f"a list of {_described(frame, right)}")


def _with_room(frame: Frame, form: Value) -> Value:
    """The form with a place for what is put into lists that are empty so far, of a kind that is not known yet."""
    if form == Sequence((), list):
        return Rows(Column(Typed(Array(BOOL_WORD, (own_length(frame),), "C")), UNKNOWN))
    inner = parts(form)
    return with_parts(form, tuple(_with_room(frame, part) for _, part in inner)) if inner else form


def _is_unknown(form: Value) -> bool:
    return isinstance(form, Rows) and isinstance(form.item, Column) and form.item.is_weak is UNKNOWN


def _described(frame: Frame, form: Value) -> str:
    return str(form.type) if isinstance(form, Typed) else frame.describe(form)


def _join_rows(frame: Frame, left: Value, right: Value) -> Value:
    """Lists of different lengths: one item of them."""
    sides = [_as_rows(_joined_items(frame, s), frame) if isinstance(s, Sequence) else s for s in (left, right)]
    known = [side for side in sides if side is not None]
    if not known:
        return left
    if len(known) == 1 or any(isinstance(side, Conflict) for side in known):
        return next((side for side in known if isinstance(side, Conflict)), known[0])
    for side, other in (known, known[::-1]):
        if _is_unknown(side):
            return other
    if not same_structure(*known):
        return Conflict(f"a list of {_described(frame, left)}", f"a list of {_described(frame, right)}")
    return join_forms(frame, *known)


def _join_columns(frame: Frame, left: Column, right: Column) -> Value:
    """Numbers in one place of lists: of the type that holds both."""
    sides = [side.values.type for side in (left, right)]
    if any(array.ndim != 1 for array in sides):
        return left if sides[0].dtype == sides[1].dtype else Conflict(f"a list of {sides[0]}", f"{sides[1]}")
    if sides[0].dtype == sides[1].dtype and left.is_weak == right.is_weak:
        return left
    number = join_types(frame, *(Scalar(a.dtype, side.is_weak) for a, side in zip(sides, (left, right))))
    assert isinstance(number, Scalar)
    return Column(Typed(Array(number.dtype, (own_length(frame),), "C")), number.weak)


def _joined_items(frame: Frame, form: Sequence) -> Value | None:
    result = form.items[0] if form.items else None
    for other in form.items[1:]:
        result = join_forms(frame, result, other)
    return result


def _as_rows(item: Value | None, frame: Frame) -> Value | None:
    """The form of a list of any length whose items are like this: an array for each number of them."""

    def column(part: Value, _: tuple) -> Value:
        if not isinstance(part, Typed):
            return part
        if not isinstance(part.type, Scalar):
            return Conflict("a list of lists of arrays", "a list")
        return Column(Typed(Array(part.type.dtype, (own_length(frame),), "C")), part.type.weak)

    if item is None or isinstance(item, Conflict):
        return item
    made = map_leaves(item, column) if not isinstance(item, Rows) else Conflict("a list of lists of lists", "a list")
    return next((part for part in leaves(made) if isinstance(part, Conflict)), Rows(made))


def form_of_list(form: Value) -> Value:
    """What a list that grows holds, over `Typed`, for items of this form."""
    made = map_leaves(form, lambda part, _: Typed(ListOf(part.type)) if isinstance(part, Typed) else part)
    return made if isinstance(made, Typed) else Table(made)


def joined_list(frame: Frame, left: Value, right: Value, before: Mapping, after: Mapping) -> Value:
    """What a list holds that is one of two on two paths, of items of any kind."""
    forms = [form_of_items(frame, left, before), form_of_items(frame, right, after)]
    known = [form for form in forms if form is not None]
    if not known:
        return Conflict("an empty list", "a list")
    form = known[0] if len(known) == 1 else join_forms(frame, *known)
    if isinstance(form, Conflict):
        return form
    form = _with_room(frame, form)
    if not any(isinstance(leaf, Typed) for leaf in leaves(form)):
        return Conflict(f"a list of {frame.describe(form)} alone", "a list that grows")
    return form_of_list(form)


# --- making and filling ----------------------------------------------------------------------------------------------


def new(frame: Frame, form: Value, node: gast.AST) -> Value:
    """An empty list that grows, for items of this form."""

    def made(part: Value, _: tuple) -> Value:
        if not isinstance(part, Typed):
            return part
        return Leaf(frame.builder.bind(syntax.call("new_list"), part.type, "items").id)

    return map_leaves(form_of_list(form), made)


def converted(frame: Frame, held: Value, form: Value, node: gast.AST, contents: Mapping | None = None) -> Value:
    """A new list that grows, with the items of another, in a form that holds them."""
    made = new(frame, form, node)
    if isinstance(held, Sequence):
        for item in held.items:
            put(frame, made, item, node, contents)
    else:
        containers.append_all(frame, made, held, node)
    return made


def put(frame: Frame, held: Value, value: Value, node: gast.AST, contents: Mapping | None = None) -> None:
    """Append a value to a list that grows and has a form for it."""
    for leaf, atom in zip(lists_of(held), atoms(frame, held, value, node, contents), strict=True):
        frame.builder.append(syntax.expression(syntax.call("append", leaf.name, atom), frame.here(node)))


def atoms(
    frame: Frame, held: Value, value: Value, node: gast.AST, contents: Mapping | None = None
) -> list[gast.expr]:
    """A value as one atom for each of the lists."""
    found: list[gast.expr] = []
    _taken_apart(frame, structure(held), value, node, frame.heap.contents if contents is None else contents, found)
    return found


def _taken_apart(frame: Frame, wanted: Value, value: Value, node: gast.AST, contents: Mapping, found: list) -> None:
    if isinstance(value, Ref):
        absorb(frame, value.number)
        value = contents[value.number]
    if isinstance(wanted, Rows):
        value = _rows_of(frame, value, wanted, node, contents)
    if isinstance(wanted, Leaf):
        element = frame.type_of(wanted).element
        if not can_hold(frame, element, frame.type_of(value)):
            message = f"a list of {element} cannot take a {frame.describe(value)}"
            frame.fault("T002", message, node, "added here", ("start the list with a value of that type",))
        found.append(coerce(frame, value, element, node))
        return
    pairs = zip(parts(wanted), parts(value), strict=True)
    for (_, into), (_, part) in pairs:
        _taken_apart(frame, into, part, node, contents, found)


def _rows_of(frame: Frame, value: Value, wanted: Rows, node: gast.AST, contents: Mapping) -> Rows:
    """A list of any kind as one array for each place in its items."""
    if isinstance(value, Rows):
        if not _is_unknown(value) or _is_unknown(wanted):
            return _in_types(frame, value, wanted, node)
        value = Sequence((), list)
    if not grows(frame, value):
        element = map_leaves(wanted.item, lambda part, _: part)
        value = converted(frame, value, _form_of_column(frame, element), node, contents)
    return arrays_of(frame, value, node)


def _in_types(frame: Frame, value: Value, wanted: Value, node: gast.AST) -> Any:
    """The columns of a list, in the types of those of a table."""
    if isinstance(value, Column) and isinstance(wanted, Column):
        dtype = frame.type_of(wanted.values).element.dtype
        same = frame.type_of(value.values).dtype == dtype
        array = value.values if same else frame.emit("cast", value.values, node=node, dtype=dtype)
        return Column(array, wanted.is_weak)
    pairs = zip(parts(value), parts(wanted), strict=True)
    inner = tuple(_in_types(frame, a, b, node) for (_, a), (_, b) in pairs)
    return with_parts(value, inner) if inner else value


def _form_of_column(frame: Frame, value: Value) -> Value:
    """The form of what stands in the lists of a table inside `Rows`: numbers."""
    if isinstance(value, Column):
        found = frame.type_of(value.values).element
        return Typed(Scalar(found.dtype, value.is_weak))
    inner = parts(value)
    return with_parts(value, tuple(_form_of_column(frame, part) for _, part in inner)) if inner else value


def arrays_of(frame: Frame, held: Value, node: gast.AST) -> Rows:
    """The items of a list that grows in arrays, one for each place."""

    def column(part: Value, _: tuple) -> Value:
        if not isinstance(part, Leaf):
            return part
        element = frame.type_of(part).element
        array = arrays.as_array(frame, part, node)
        return Column(array, isinstance(element, Scalar) and element.weak)

    return Rows(map_leaves(structure(held), column))


# --- items -----------------------------------------------------------------------------------------------------------


def item(frame: Frame, held: Value, position: gast.expr, node: gast.AST, hint: str = "t") -> Value:
    """The item at a position."""
    return _read(frame, held, lambda leaf: syntax.index(leaf.name, position), hint)


def popped(frame: Frame, held: Value, node: gast.AST) -> Value:
    return _read(frame, held, lambda leaf: syntax.call("pop", leaf.name), "t")


def _read(frame: Frame, held: Value, read, hint: str) -> Value:
    def loaded(part: Value, _: tuple) -> Value:
        if not isinstance(part, Leaf):
            return part
        return Leaf(frame.builder.bind(read(part), own_lengths(frame, frame.type_of(part).element), hint).id)

    found = map_leaves(structure(held), loaded)
    return objects(found, frame.heap, "item", Owner("item", "item")) if isinstance(held, Table) else found


def store(frame: Frame, held: Value, position: gast.expr, value: Value, node: gast.AST) -> None:
    for leaf, atom in zip(lists_of(held), atoms(frame, held, value, node), strict=True):
        frame.builder.append(syntax.store(leaf.name, [position], atom, frame.here(node)))


def length(frame: Frame, held: Value) -> Leaf:
    return Leaf(frame.builder.bind(length_now(frame, held), types.INT, "count").id)


def length_now(frame: Frame, held: Value) -> gast.expr:
    return syntax.call("length", lists_of(held)[0].name)


def widened(frame: Frame, held: Value, form: Value, node: gast.AST) -> Value:
    """The list itself where it can hold items of this form, else a new one with its items that can hold both."""
    now = form_of_items(frame, held)
    wanted = form if now is None else join_forms(frame, now, form)
    if isinstance(wanted, Conflict):
        frame.fault("T002", f"{wanted.left} cannot take an item of {wanted.right}", node, "added here",
                    ("let all items of a list be alike",))  # fmt: skip
    return held if grows(frame, held) and _fits(frame, now, wanted) else converted(frame, held, wanted, node)


def _fits(frame: Frame, now: Value, wanted: Value) -> bool:
    """Whether lists for items of one form can hold those of another."""

    def blank(value: Value) -> Value:
        return map_leaves(value, lambda part, _: NONE if isinstance(part, Typed) else part)

    pairs = zip(leaves(now), leaves(wanted))
    return blank(now) == blank(wanted) and all(
        can_hold(frame, a.type, b.type) for a, b in pairs if isinstance(a, Typed) and isinstance(b, Typed)
    )
