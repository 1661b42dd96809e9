"""The form of an item of a list that grows: its structure over `Typed`.

    (1.0, x)                   ->     Sequence((Typed(float), Typed(f64)))
    [1.0, 2.0] and [3.0]       ->     Rows(Column(Typed(f64[length])))

A list of fixed length is its items; one whose length differs from item to item is `Rows`, with an array per position.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial, reduce
from typing import Any, overload

from ....dtypes import BOOL_WORD
from ....types import BOOL, Array, ListOf, Scalar, dtype_of
from .. import protocol
from ..frame import Frame
from ..functional import Closure
from ..joins.joined_types import can_hold, join_types, own_length, own_lengths
from ..joins.merge import identical
from ..values import (
    NONE,
    UNKNOWN,
    Column,
    Conflict,
    Handle,
    Leaf,
    Mapping_,
    OneOf,
    Optional,
    Record,
    Ref,
    Rows,
    Sequence,
    Static,
    String,
    Table,
    Typed,
    Value,
    leaves,
    map_leaves,
    parts,
    same_structure,
    with_parts,
)
from . import string_numbers, structures
from .library_classes import is_of_library
from .record_classes import can_change


def grows(frame: Frame, held: Value) -> bool:
    """Whether a list is one that grows."""
    return isinstance(held, Table) or frame.is_list(held)


def structure(held: Value) -> Value:
    """One item of a list that grows, over the leaves of growable lists."""
    return held.item if isinstance(held, Table) else held


def lists_of(held: Value) -> list[Leaf]:
    return [leaf for leaf in leaves(structure(held)) if isinstance(leaf, Leaf)]


def form_of(frame: Frame, value: Value, contents: Mapping[int, Value] | None = None) -> Value:
    """The form of an item; a Conflict where no list that grows can hold it."""
    contents = frame.heap.contents if contents is None else contents
    if isinstance(value, Ref):
        value = contents[value.number]
    if isinstance(value, Table):
        return as_rows(form_of_items(frame, value), frame)
    if isinstance(value, Optional) and value.absent == Static(True):
        return NONE
    if isinstance(value, Record) and is_of_library(value.cls):
        what = frame.describe(value)
        return Conflict(f"a list of {what}", "a list that grows, of numbers, arrays, tuples or lists,")
    if isinstance(value, Record) and (depth := _depth(value, value.cls, contents)) > MOST_INSIDE:
        inside = " in ".join([f"a {value.cls.__name__}"] * depth)
        return Conflict("a list that grows", inside)
    if isinstance(value, Sequence | Mapping_ | Record | Rows | Column | Optional | OneOf | String | Handle):
        inner = tuple(form_of(frame, part, contents) for _, part in parts(value))
        return next((part for part in inner if isinstance(part, Conflict)), with_parts(value, inner))
    found = frame.type_of(value)
    if isinstance(found, ListOf):
        return as_rows(Typed(found.element), frame)
    if found is not None:
        return Typed(own_lengths(frame, found))
    plain = isinstance(value, Static) and not isinstance(value.value, slice)
    return value if plain or isinstance(value, Closure) else Conflict(f"a list of {frame.describe(value)}", "a list")


MOST_INSIDE = 3


def _depth(value: Value, cls: type, contents: Mapping[int, Value]) -> int:
    """How deeply objects of a class are nested."""
    if isinstance(value, Ref):
        value = contents[value.number]
    inner = max((_depth(part, cls, contents) for _, part in parts(value)), default=0)
    return inner + (isinstance(value, Record) and value.cls is cls)


@overload
def form_of_items(frame: Frame, held: Table | Rows, contents: Mapping[int, Value] | None = None) -> Value: ...
@overload
def form_of_items(frame: Frame, held: Value, contents: Mapping[int, Value] | None = None) -> Value | None: ...
def form_of_items(frame: Frame, held: Value, contents: Mapping[int, Value] | None = None) -> Value | None:
    """The common form of the items of a list; None for an empty list."""
    if isinstance(held, Sequence):
        forms = [form_of(frame, item, contents) for item in held.items]
        return reduce(partial(join_forms, frame), forms) if forms else None
    if isinstance(held, Rows):
        return _form_of_row(frame, held.item)
    return map_leaves(structure(held), lambda part, _: _element_of(frame, part))


def _element_of(frame: Frame, part: Value) -> Value:
    found = part.type if isinstance(part, Typed) else frame.type_of(part)
    return Typed(found.element) if isinstance(found, ListOf) else part


def item_of_array(array: Array, is_weak: bool) -> Scalar | Array:
    """The type of the items of an array along its first axis."""
    return Scalar(array.dtype, is_weak) if array.ndim == 1 else Array(array.dtype, array.dims[1:], "C")


def _form_of_row(frame: Frame, value: Value) -> Value:
    if isinstance(value, Column):
        return Typed(item_of_array(protocol.type_as(frame, value.values, Array), value.is_weak))
    inner = parts(value)
    return with_parts(value, tuple(_form_of_row(frame, part) for _, part in inner)) if inner else value


def join_forms(frame: Frame, left: Value, right: Value) -> Value:
    """The form that holds both items."""
    for side in (left, right):
        if isinstance(side, Conflict):
            return side
    if isinstance(left, Typed) and isinstance(right, Typed):
        joined = join_types(frame, left.type, right.type)
        return Conflict(f"a list of {left.type}", f"a list of {right.type}") if joined is None else Typed(joined)
    sides = left, right
    if not identical(left, right) and any(side == NONE or isinstance(side, Optional) for side in sides):
        return _join_optional(frame, left, right)
    if any(map(is_unknown, sides)) and left != right:
        return _join_rows(frame, left, right)
    kinds = [side.kind if isinstance(side, Rows | Sequence) else None for side in sides]
    if kinds in ([list, list], [tuple, tuple]):
        lengths = {len(side.items) if isinstance(side, Sequence) else -1 for side in sides}
        if len(lengths) > 1:
            return _join_rows(frame, left, right)
    if isinstance(left, Column) and isinstance(right, Column):
        return _join_columns(frame, left, right)
    if identical(left, right):
        return left
    if (text := string_numbers.joined(frame, left, right)) is not None:
        return text
    if same_structure(left, right):
        inner = [join_forms(frame, a, b) for (_, a), (_, b) in zip(parts(left), parts(right), strict=True)]
        return next((part for part in inner if isinstance(part, Conflict)), with_parts(left, tuple(inner)))
    made = structures.joined_forms(frame, left, right, partial(join_forms, frame))
    if made is not None:
        return made
    return Conflict(f"a list of {_described(frame, left)}", f"a list of {_described(frame, right)}")


def _join_optional(frame: Frame, left: Value, right: Value) -> Value:
    """None in one item, a value in another: a flag says which it is."""
    inner = [side.inner if isinstance(side, Optional) else side for side in (left, right) if side != NONE]
    both = join_forms(frame, *inner) if len(inner) == 2 else inner[0]
    return both if isinstance(both, Conflict) else Optional(Typed(BOOL), both)


def with_room(frame: Frame, form: Value) -> Value:
    """The form with room for items of lists that are empty so far, whose kind is not known yet.

    Where the form has only strings, other items will have other strings.
    """
    made = _with_room(frame, form, list)
    return made if any(isinstance(leaf, Typed) for leaf in leaves(made)) else string_numbers.as_dynamic(made)


def with_room_for_tuples(frame: Frame, form: Value) -> Value:
    """The same where the form has only empty tuples: other items may have longer ones."""
    return form if any(isinstance(leaf, Typed) for leaf in leaves(form)) else _with_room(frame, form, tuple)


def _with_room(frame: Frame, form: Value, kind: type) -> Value:
    if form == Sequence((), kind):
        return Rows(Column(Typed(Array(BOOL_WORD, (own_length(frame),), "C")), UNKNOWN), kind)
    inner = parts(form)
    return with_parts(form, tuple(_with_room(frame, part, kind) for _, part in inner)) if inner else form


def is_unknown(form: Value) -> bool:
    return isinstance(form, Rows) and isinstance(form.item, Column) and form.item.is_weak is UNKNOWN


def _described(frame: Frame, form: Value) -> str:
    return str(form.type) if isinstance(form, Typed) else frame.describe(form)


def _join_rows(frame: Frame, left: Any, right: Any) -> Value:
    """The form of lists or tuples of different lengths.  The numbers in tuples keep their types."""
    kind = left.kind
    sides = [as_rows(_joined_items(frame, s), frame, kind) if isinstance(s, Sequence) else s for s in (left, right)]
    known = [side for side in sides if side is not None]
    if not known:
        return left
    if len(known) == 1 or any(isinstance(side, Conflict) for side in known):
        return next((side for side in known if isinstance(side, Conflict)), known[0])
    for side, other in (known, known[::-1]):
        if is_unknown(side):
            return other
    if not same_structure(*known):
        return Conflict(f"a list of {_described(frame, left)}", f"a list of {_described(frame, right)}")
    made = join_forms(frame, *known)
    if kind is tuple and (holds_objects(made) or not all(_is_of_one_type(side, made) for side in known)):
        return Conflict(f"a list of {_described(frame, left)}", f"a list of {_described(frame, right)}")
    return made


def holds_objects(form: Value) -> bool:
    """Whether items hold mutable objects, so that a tuple of them would be an alias."""
    is_object = isinstance(form, Mapping_ | Table) or isinstance(form, Record) and can_change(form.cls)
    is_object = is_object or isinstance(form, Sequence | Rows) and form.kind in (list, set)
    return is_object or any(holds_objects(part) for _, part in parts(form))


def _is_of_one_type(left: Value, right: Value) -> bool:
    """Whether two forms hold numbers of the same types."""
    pairs = zip(leaves(left), leaves(right))
    return all(dtype_of(a.type) == dtype_of(b.type) for a, b in pairs if isinstance(a, Typed) and isinstance(b, Typed))


def _join_columns(frame: Frame, left: Column, right: Column) -> Value:
    """Numbers at one position of lists: of the type that holds both."""
    sides = [_array_of(side) for side in (left, right)]
    if any(array.ndim != 1 for array in sides):
        return left if sides[0].dtype == sides[1].dtype else Conflict(f"a list of {sides[0]}", f"{sides[1]}")
    if sides[0].dtype == sides[1].dtype and left.is_weak == right.is_weak:
        return left
    number = join_types(frame, *(Scalar(a.dtype, side.is_weak) for a, side in zip(sides, (left, right))))
    assert isinstance(number, Scalar)
    return Column(Typed(Array(number.dtype, (own_length(frame),), "C")), number.weak)


def _array_of(column: Column) -> Array:
    """The type of the array that a column of a form stands for."""
    assert isinstance(column.values, Typed) and isinstance(column.values.type, Array)
    return column.values.type


def _joined_items(frame: Frame, form: Sequence) -> Value | None:
    if not form.items:
        return None
    result = form.items[0]
    for other in form.items[1:]:
        joined = join_forms(frame, result, other)
        if form.kind is tuple and not (_is_of_one_type(result, joined) and _is_of_one_type(other, joined)):
            return Conflict(f"a list of {_described(frame, result)}", f"a list of {_described(frame, other)}")
        result = joined
    return result


@overload
def as_rows(item: Value, frame: Frame, kind: type = list) -> Value: ...
@overload
def as_rows(item: None, frame: Frame, kind: type = list) -> None: ...
def as_rows(item: Value | None, frame: Frame, kind: type = list) -> Value | None:
    """The form of a list or tuple of any length with items of this form: an array for each number in an item."""

    def column(part: Value, _: tuple) -> Value:
        if not isinstance(part, Typed):
            return part
        if not isinstance(part.type, Scalar):
            return Conflict("a list of lists of arrays", "a list")
        return Column(Typed(Array(part.type.dtype, (own_length(frame),), "C")), part.type.weak)

    if item is None or isinstance(item, Conflict):
        return item
    made = map_leaves(item, column) if not isinstance(item, Rows) else Conflict("a list of lists of lists", "a list")
    return next((part for part in leaves(made) if isinstance(part, Conflict)), Rows(made, kind))


def form_of_list(form: Value) -> Value:
    """What a list that grows holds, over `Typed`, for items of this form."""

    def list_of(part: Value, _: tuple) -> Value:
        return Typed(ListOf(part.type)) if isinstance(part, Typed) and not isinstance(part.type, ListOf) else part

    made = map_leaves(form, list_of)
    return made if isinstance(made, Typed) else Table(made)


def joined_tuples(
    frame: Frame, left: Value, right: Value, before: Mapping[int, Value], after: Mapping[int, Value]
) -> Value | None:  # fmt: skip
    """The tuple that has one length on one path and another on the other; None for anything else."""
    are_tuples = all(protocol.sequence_kind(frame, side) is tuple for side in (left, right))
    if not are_tuples or same_structure(left, right):
        return None
    sides = form_of(frame, left, before), form_of(frame, right, after)
    made = join_forms(frame, *sides)
    return Conflict(*(_described_tuple(frame, side) for side in sides)) if isinstance(made, Conflict) else made


def _described_tuple(frame: Frame, form: Value) -> str:
    """`a tuple of float and int`."""
    items = [form.item] if isinstance(form, Rows) else [part for _, part in parts(form)]
    numbers = [_array_of(item).dtype if isinstance(item, Column) else _described(frame, item) for item in items]
    return f"a tuple of {' and '.join(dict.fromkeys(numbers))}" if numbers else "a tuple"


def joined_list(frame: Frame, left: Value, right: Value, before: Mapping, after: Mapping) -> Value:
    """The contents of a list that is one of two on two paths, with items of any kind."""
    forms = [form_of_items(frame, left, before), form_of_items(frame, right, after)]
    known = [form for form in forms if form is not None]
    if not known:
        return Conflict("an empty list", "a list")
    form = known[0] if len(known) == 1 else join_forms(frame, *known)
    if isinstance(form, Conflict):
        return form
    form = with_room(frame, form)
    if not any(isinstance(leaf, Typed) for leaf in leaves(form)):
        return Conflict(f"a list of {frame.describe(form)} alone", "a list that grows")
    sides = [relabelled(frame, side, form) for side in (left, right)]
    return sides[0] if sides[0] is not None and sides[0] == sides[1] else form_of_list(form)


def relabelled(frame: Frame, held: Value, form: Value) -> Value | None:
    """The same lists in a form that differs only in whose numbers they have, Python's or NumPy's; None for others."""

    def joined(now: Value, wanted: Value) -> Value | None:
        if isinstance(now, Leaf) and isinstance(wanted, Typed):
            return now if can_hold(frame, protocol.type_as(frame, now, ListOf).element, wanted.type) else None
        if not parts(now):
            return now if now == wanted else None
        if type(now) is not type(wanted) or [k for k, _ in parts(now)] != [k for k, _ in parts(wanted)]:
            return None
        inner = tuple(joined(a, b) for (_, a), (_, b) in zip(parts(now), parts(wanted), strict=True))
        found = [part for part in inner if part is not None]
        return with_parts(wanted, tuple(found)) if len(found) == len(inner) else None

    made = joined(structure(held), form) if isinstance(held, Table) else None
    return None if made is None else Table(made)


def fits(frame: Frame, now: Value, wanted: Value) -> bool:
    """Whether lists for items of one form can hold those of another."""

    def blank(value: Value) -> Value:
        return map_leaves(value, lambda part, _: NONE if isinstance(part, Typed) else part)

    pairs = zip(leaves(now), leaves(wanted))
    return blank(now) == blank(wanted) and all(
        can_hold(frame, a.type, b.type) for a, b in pairs if isinstance(a, Typed) and isinstance(b, Typed)
    )
