"""Bring the values of a variable on two paths together under one name and one type.

    if c: acc = 0            both become the leaf `acc: float`, and the branches end in
    else: acc = x[0]   ->    `acc = 0.0` and `acc = t`
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import field
from typing import Any

from ....names import from_path
from ....records import dataclass
from ....types import Array, ListOf, Scalar, Type
from .. import protocol
from ..describing import KEEPING
from ..frame import Frame
from ..functions.local_functions import joined_functions, keeps_own_numbers
from ..kinds import string_numbers, structures
from ..values import (
    DROPPED,
    NONE,
    UNDEFINED,
    UNKNOWN,
    Column,
    Conflict,
    Dropped,
    Joined,
    Leaf,
    OneOf,
    Optional,
    Ref,
    Rows,
    Sequence,
    Static,
    Table,
    Typed,
    Undefined,
    Value,
    as_optional,
    is_number,
    map_leaves,
    parts,
    same_structure,
    with_parts,
)
from .joined_types import join_numbers, join_types, own_lengths, without_dimensions


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """Two paths that meet, with what the objects hold at the end of each.

    `pairs` says what a name is after two paths that left different objects in it; each pair has one answer, so that
    aliases stay aliases.  The head of a loop has another rule for objects.  Of the objects in `apart` a name remains
    one or the other, because the program changes one of them and reads both.
    """

    frame: Frame
    left: Mapping[int, Value]
    right: Mapping[int, Value]
    rule: Callable[[Ref | Undefined, Ref | Undefined], Value] | None = None
    pairs: dict[Any, Value] = field(default_factory=dict)
    apart: Collection[int] = ()

    def join(self, left: Value, right: Value, in_object: bool = False) -> Value:
        """What a variable is after two paths; `Typed` and `Joined` where a name has to be assigned on both.

        The contents of one object have one structure, whichever path was taken.
        """
        if isinstance(left, Dropped) or isinstance(right, Dropped):
            return DROPPED
        if isinstance(left, Conflict) or isinstance(right, Conflict):
            return left if isinstance(left, Conflict) else right
        if isinstance(left, Ref | Undefined) and isinstance(right, Ref | Undefined):
            return self._join_objects(left, right)
        if isinstance(left, Undefined) or isinstance(right, Undefined):
            known = right if isinstance(left, Undefined) else left
            if keeps_own_numbers(self.frame, known):
                return Conflict(KEEPING, "not assigned")
            return map_leaves(known, lambda v, _: self._widened(v))
        if identical(left, right):
            return left
        if NONE in (left, right) or isinstance(left, Optional) or isinstance(right, Optional):
            return self._join_optional(as_optional(left), as_optional(right))
        if isinstance(left, OneOf) or isinstance(right, OneOf):
            return self._join_structures(left, right)
        made = self._join_alike(left, right)
        if isinstance(made, Conflict) and not in_object and self._are_unlike(left, right):
            return self._join_structures(left, right)
        return made

    def _join_alike(self, left: Value, right: Value) -> Value:
        """Two values of one structure; a Conflict for others."""
        frame = self.frame
        if (text := string_numbers.joined(frame, left, right)) is not None:
            return text
        if (tuples := _joined_tuples(self, left, right)) is not None:
            return tuples
        if (function := joined_functions(left, right)) is not None:
            return function
        if _grows(frame, left, right):
            return grown(frame, left, right, self.left, self.right)
        if same_structure(left, right):
            pairs = zip(parts(left), parts(right), strict=True)
            return with_parts(left, tuple(self.join(a, b) for (_, a), (_, b) in pairs))
        first, second = frame.type_of(left), frame.type_of(right)
        joined: Type | None = None
        if isinstance(first, Scalar) and isinstance(second, Scalar):
            joined = join_numbers(frame, left, right)
        elif first is not None and second is not None:
            joined = join_types(frame, first, second)
        if joined is None and not frame.task.single_stores:
            joined = without_dimensions(first, second)
            frame.task.single_numbers = frame.task.single_numbers or joined is not None
        if joined is None:
            return Conflict(self._describe(left, self.left), self._describe(right, self.right))
        return Typed(joined)

    def _join_structures(self, left: Value, right: Value) -> Value:
        """One structure on one path, another on the other: flags say which it is."""
        kinds = [kind for side in (left, right) if isinstance(side, OneOf) for kind in side.kinds]
        given = (left, self.left), (right, self.right)
        one, other = (structures.as_one_of(self.frame, *side, among=tuple(kinds)) for side in given)
        if one is None or other is None:
            return Conflict(self._describe(left, self.left), self._describe(right, self.right))
        return structures.joined(self.join, one, other)

    def _are_unlike(self, left: Value, right: Value) -> bool:
        return structures.are_unlike(self.frame, left, right, self.left, self.right)

    def _join_objects(self, left: Ref | Undefined, right: Ref | Undefined) -> Value:
        """The object that a name stands for, or one of two objects of different structure."""
        if isinstance(left, Ref) and isinstance(right, Ref) and left != right:
            if left.number in self.apart and right.number in self.apart:
                return structures.kept_apart(self.join, left, right)
            is_known = left.number in self.left and right.number in self.right
            if is_known and self._are_unlike(left, right):
                if isinstance(self.join_contents(left.number, right.number), Conflict):
                    return self._join_structures(left, right)
        return (self.rule or self.join_objects)(left, right)

    def _join_optional(self, left: Optional, right: Optional) -> Value:
        """None on one path, a value on the other: a flag says which it is."""
        value = self.join(left.inner, right.inner)
        return value if isinstance(value, Conflict) else Optional(self.join(left.absent, right.absent), value)

    def join_objects(self, left: Ref | Undefined, right: Ref | Undefined) -> Value:
        """The object that a name stands for: one that both paths know, or one that may be either."""
        if left == right or isinstance(left, Undefined) or isinstance(right, Undefined):
            return right if isinstance(left, Undefined) else left
        pair = (left.number, right.number)
        if pair not in self.pairs:
            contents = self.join_contents(left.number, right.number)
            self.pairs[pair] = Joined(pair, contents, frozenset(pair))
        return self.pairs[pair]

    def join_contents(self, left: int, right: int) -> Value:
        """What an object holds that is one of two, or the same on two paths."""
        sides = self.left[left], self.right[right]
        joined = self.join(*sides, in_object=True)
        if isinstance(joined, Conflict):
            from ..objects import reconciling  # a local import, as that module depends on this one

            reconciling.learn_from(self, (left, right), sides)
        return joined

    def _widened(self, value: Value) -> Value:
        """A part of a value that is missing on one path: an object is itself, a number needs a name.

        Its placeholder on that path has no meaningful length.
        """
        if isinstance(value, Ref):
            return (self.rule or self.join_objects)(UNDEFINED, value)
        if (function := joined_functions(value, value)) is not None:
            return function
        found = self.frame.type_of(value)
        return value if found is None else Typed(own_lengths(self.frame, found))

    def _describe(self, value: Value, contents: Mapping[int, Value]) -> str:
        return self.frame.describe(contents.get(value.number, value) if isinstance(value, Ref) else value)


def _joined_tuples(join: Join, left: Value, right: Value) -> Value | None:
    from ..kinds import forms  # a local import, as that module depends on this one

    return forms.joined_tuples(join.frame, left, right, join.left, join.right)


def _grows(frame: Frame, left: Value, right: Value) -> bool:
    """Whether two lists differ in length, so that only a growable list holds both."""
    if not all(protocol.sequence_kind(frame, v) is list for v in (left, right)):
        return False
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        return len(left.items) != len(right.items)
    if isinstance(left, Rows) and isinstance(right, Rows):
        return left != right and all(list_of_column(frame, v) is not None for v in (left, right))
    return not (frame.is_list(left) and frame.is_list(right))


def list_of_column(frame: Frame, value: Value) -> ListOf | None:
    """The growable list that a list of any length can become: one of numbers."""
    item = value.item if isinstance(value, Rows) else None
    if not isinstance(item, Column) or item.is_weak is UNKNOWN:
        return None
    found = frame.type_of(item.values)
    return ListOf(Scalar(found.dtype, item.is_weak)) if isinstance(found, Array) and found.ndim == 1 else None


def grown(
    frame: Frame, left: Value, right: Value, before: Mapping[int, Value], after: Mapping[int, Value]
) -> Value:
    from ..kinds import forms  # a local import, as that module depends on this one

    if any(_is_of_containers(frame, side) for side in (left, right)):
        return forms.joined_list(frame, left, right, before, after)
    element: Scalar | Array | None = None
    for side in (left, right):
        found = list_of_column(frame, side) or frame.type_of(side)
        kinds = [found.element] if isinstance(found, ListOf) else [frame.type_of(v) for _, v in parts(side)]
        for kind in kinds:
            if kind is None:
                return Conflict("a list of tuples, lists or dicts", "a list that grows, of numbers or arrays,")
            joined = kind if element is None else join_types(frame, element, kind)
            if not isinstance(joined, Scalar | Array):
                return Conflict(f"a list of {element}", f"a list of {kind}")
            element = joined
    if element is None:
        return Conflict("an empty list", "a list")
    if isinstance(element, Array) and not any(isinstance(frame.type_of(side), ListOf) for side in (left, right)):
        element = own_lengths(frame, element)
    return Typed(ListOf(element))


def _is_of_containers(frame: Frame, side: Value) -> bool:
    if isinstance(side, Sequence):
        return any(frame.type_of(item) is None for item in side.items)
    return isinstance(side, Table) or isinstance(side, Rows) and list_of_column(frame, side) is None


def identical(left: Value, right: Value) -> bool:
    if left is right:
        return True
    if isinstance(left, Static) and isinstance(right, Static):
        a, b = left.value, right.value
        if a is b:
            return True
        comparable = is_number(left) or isinstance(a, str | bytes | None)
        return comparable and type(a) is type(b) and (repr(a) == repr(b))
    return type(left) is type(right) and left == right


def named(frame: Frame, variable: str, value: Value, made: dict[Any, Ref] | None = None) -> Value:
    """Give every merged part a fresh name, and every object that may be one of several a number.

    `made` maps keys to the objects numbered so far, for several values that are named together.
    """
    made = {} if made is None else made

    def name(part: Value, path: tuple[object, ...]) -> Value:
        if isinstance(part, Joined):
            if part.key not in made:
                contents = named(frame, from_path(variable, *path), part.contents, made)
                made[part.key] = frame.new(contents, from_path(variable, *path))
                frame.heap.origins[made[part.key].number] = part.origins
            return made[part.key]
        if not isinstance(part, Typed):
            return part
        fresh = frame.builder.names.fresh(from_path(variable, *path))
        frame.builder.types[fresh] = part.type
        frame.builder.merged.add(fresh)
        frame.builder.widened.pop(fresh, None)
        return Leaf(fresh)

    return map_leaves(value, name)


def leaf_names(value: Value, contents: Mapping[int, Value]) -> list[str]:
    """The names of leaves in a value, and in the objects of which `contents` says what they hold."""
    match value:
        case Leaf(name=name):
            return [name]
        case Ref(number=number):
            return leaf_names(contents[number], contents) if number in contents else []
    return [n for _, part in parts(value) for n in leaf_names(part, contents)]
