"""Abstract values: what the specialiser knows of a Python value before the program runs.

A number that is known is `Static`, one that is not is a `Leaf` (a typed name); containers are taken apart, so that a
tuple of NamedTuples is a `Sequence` of `Record`s of leaves.  What can change is an object: names share a `Ref`, and
what a list or dict holds at present is in the heap (`heap.py`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from collections.abc import Iterator as Walk
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeGuard

from ...records import dataclass
from ...types import Type, type_of_number
from .kinds.record_classes import record_fields

if TYPE_CHECKING:
    from .functional import Bound, Closure, Derived, Partial, Super
    from .iterables import GeneratorCall, Iteration, Iterator, Range, Slice

Parts = tuple[tuple[Any, "Value"], ...]


class Kind:
    """What is known of a Python value: one class for each kind."""
    __slots__ = ()

    def inside(self) -> Parts:
        """The values that it is made of, each with its key."""
        return ()

    def around(self, new: tuple[Value, ...]) -> Value | Self:
        """The same made of other values."""
        return self

    def facts(self) -> Any:
        """What two of a kind with the same parts may differ in: the class of an instance, `list` or `tuple`."""
        return None


@dataclass(frozen=True, slots=True)
class Static(Kind):
    """A Python object known now: a number, string, None, module, dtype, function, slice."""
    value: Any


@dataclass(frozen=True, slots=True)
class Leaf(Kind):
    """A value known at run time only, held by a typed name."""
    name: str


@dataclass(frozen=True, slots=True)
class Typed(Kind):
    """A leaf that has a type and no name yet: an argument, a merged variable."""
    type: Type


@dataclass(frozen=True, slots=True)
class Out(Kind):
    """The leaf at this position among the values that a typed function returns."""
    index: int


@dataclass(frozen=True, slots=True)
class ListOut(Kind):
    """A list that grew, among the values that a function returns: its items in one array.

    `shapes` is None for a list of numbers.  Otherwise `data` holds the elements of all arrays one after the other, and
    each row of `shapes` the lengths of one of them.  `is_weak` says that the numbers are Python's.
    """
    data: Value
    shapes: Value | None = None
    is_weak: bool = True

    def inside(self) -> Parts:
        return (("data", self.data),) if self.shapes is None else (("data", self.data), ("shapes", self.shapes))

    def around(self, new: tuple[Value, ...]) -> Value:
        return ListOut(new[0], new[1] if len(new) > 1 else None, self.is_weak)

    def facts(self) -> Any:
        return self.is_weak


UNKNOWN: Any = None  # whether the numbers of lists that are all empty are Python's


@dataclass(frozen=True, slots=True)
class Column(Kind):
    """What all items of a list have at one position, as an array along them; `is_weak` if they are Python's numbers."""
    values: Value
    is_weak: bool = False

    def inside(self) -> Parts:
        return (("", self.values),)

    def around(self, new: tuple[Value, ...]) -> Value:
        return Column(new[0], self.is_weak)

    def facts(self) -> Any:
        return self.is_weak


@dataclass(frozen=True, slots=True)
class Rows(Kind):
    """What a list of any length holds, or a tuple or string itself: the structure of one item, over `Column`s.

    [(1.0, 2.0), (3.0, 4.0)]   is   Rows(Sequence((Column([1.0, 3.0]), Column([2.0, 4.0]))))
    """
    item: Value
    kind: type = list

    def inside(self) -> Parts:
        return (("", self.item),)

    def around(self, new: tuple[Value, ...]) -> Value:
        return Rows(new[0], self.kind)

    def facts(self) -> Any:
        return self.kind


@dataclass(frozen=True, slots=True)
class Table(Kind):
    """What a list that grows holds, for container items: the structure of one, over growable lists (`tables.py`).

    [(1.0, 2.0), (3.0, 4.0)]   is   Table(Sequence((Leaf xs, Leaf ys)))
    """
    item: Value

    def inside(self) -> Parts:
        return (("", self.item),)

    def around(self, new: tuple[Value, ...]) -> Value:
        return Table(new[0])


@dataclass(frozen=True, slots=True)
class Ref(Kind):
    """A list or dict, by its number in the heap: two names with one number are aliases."""
    number: int


@dataclass(frozen=True, slots=True)
class Lent(Kind):
    """An object that is copied into or out of a function compiled on its own, by its position (`lending.py`)."""
    place: int


@dataclass(frozen=True, slots=True)
class Joined(Kind):
    """An object that is one of several where paths meet, and has no number yet.

    key       equal for names of one object
    contents  what it holds
    origins   the numbers of the objects that it may be
    """
    key: Any
    contents: Value
    origins: frozenset[int]


@dataclass(frozen=True, slots=True)
class Sequence(Kind):
    """A tuple, or what a list holds, of a length that is known now; `like` is a subclass of `tuple` or `list`."""
    items: tuple[Value, ...]
    kind: type = tuple
    like: type | None = None

    def inside(self) -> Parts:
        return tuple(enumerate(self.items))

    def around(self, new: tuple[Value, ...]) -> Value:
        return Sequence(new, self.kind, self.like)

    def facts(self) -> Any:
        return self.kind, self.like


@dataclass(frozen=True, slots=True)
class Mapping_(Kind):
    """What a dict holds; its keys are known now.  `like` is a subclass of `dict`, with the factory of missing items."""
    items: tuple[tuple[Any, Value], ...]
    like: tuple[type, Any] | None = None

    def get(self, key: object) -> Value | None:
        return next((v for k, v in self.items if k == key and type(k) is type(key)), None)

    def inside(self) -> Parts:
        return self.items

    def around(self, new: tuple[Value, ...]) -> Value:
        return Mapping_(renewed(self.items, new), self.like)

    def facts(self) -> Any:
        return self.like


@dataclass(frozen=True, slots=True)
class Record(Kind):
    """An instance of a class and its attributes; one with mutable attributes is in the heap."""
    cls: type
    items: tuple[tuple[str, Value], ...]

    def get(self, field: str) -> Value | None:
        return next((v for k, v in self.items if k == field), None)

    @property
    def is_tuple(self) -> bool:
        return issubclass(self.cls, tuple)

    def with_attribute(self, name: str, value: Value | None) -> Record:
        """With an attribute changed or removed; fields come first, so that the order of assignments does not count."""
        found = {**dict(self.items), name: value}
        fields = record_fields(self.cls) if dataclasses.is_dataclass(self.cls) else ()
        names = [*(n for n in fields if n in found), *sorted(found.keys() - set(fields))]
        return Record(self.cls, tuple((n, v) for n in names if (v := found[n]) is not None))

    def inside(self) -> Parts:
        return self.items

    def around(self, new: tuple[Value, ...]) -> Value:
        return Record(self.cls, renewed(self.items, new))

    def facts(self) -> Any:
        return self.cls


@dataclass(frozen=True, slots=True)
class Optional(Kind):
    """`None` or a value: a dynamic bool says which.  `inner` means nothing where it is None."""
    absent: Value
    inner: Value

    def inside(self) -> Parts:
        return ("is None", self.absent), ("", self.inner)

    def around(self, new: tuple[Value, ...]) -> Value:
        return Optional(*new)


@dataclass(frozen=True, slots=True)
class OneOf(Kind):
    """One of several structures, a tagged union: one of the flags, which are dynamic bools, is true (`one_of.py`).

    `kinds` identifies the structures, each by a word and a parameter of that kind: ("Sphere", Sphere), ("tuple", 2).
    """
    flags: tuple[Value, ...]
    cases: tuple[Value, ...]
    kinds: tuple[tuple[Any, ...], ...]

    def inside(self) -> Parts:
        words = [kind[0] for kind in self.kinds]
        return *((f"is {word}", flag) for word, flag in zip(words, self.flags)), *zip(words, self.cases)

    def around(self, new: tuple[Value, ...]) -> Value:
        return OneOf(new[: len(self.kinds)], new[len(self.kinds) :], self.kinds)

    def facts(self) -> Any:
        return self.kinds


@dataclass(frozen=True, slots=True)
class String(Kind):
    """A string known only at run time: the number of one of the strings of the program (`strings.py`).

    `strings` has those strings, in what a program returns.
    """
    number: Value
    strings: tuple[str, ...] = ()

    def inside(self) -> Parts:
        return (("", self.number),)

    def around(self, new: tuple[Value, ...]) -> Value:
        return String(new[0], self.strings)

    def facts(self) -> Any:
        return self.strings


@dataclass(frozen=True, slots=True)
class Handle(Kind):
    """An instance by its position among those of its class: two values with one position are aliases (`pools.py`)."""
    number: Value
    cls: type

    def inside(self) -> Parts:
        return (("", self.number),)

    def around(self, new: tuple[Value, ...]) -> Value:
        return Handle(new[0], self.cls)

    def facts(self) -> Any:
        return self.cls


@dataclass(frozen=True, slots=True)
class Caught(Kind):
    """The exception that is being handled: one of these, each with its number; `code` says which."""
    code: Value
    sites: tuple[tuple[int, Any], ...]


@dataclass(frozen=True, slots=True)
class Undefined(Kind):
    """No value on some path; reading it is an UnboundLocalError."""


@dataclass(frozen=True, slots=True)
class Dropped(Kind):
    """A variable that is dead by liveness: reading it is a fault of the compiler."""


@dataclass(frozen=True, slots=True)
class Conflict(Kind):
    """Values that cannot be one variable; an error only where it is read."""
    left: str
    right: str


if TYPE_CHECKING:
    Value: TypeAlias = (
        Static | Leaf | Typed | Out | ListOut | Column | Rows | Table | Ref | Lent | Joined | Sequence | Mapping_
        | Record | Closure | Derived | Bound | Partial | Super | Range | Slice | Iteration | Iterator | GeneratorCall
        | Optional | OneOf | String | Handle | Caught | Undefined | Dropped | Conflict
    )
else:
    Value = Kind
UNDEFINED, DROPPED, NONE = Undefined(), Dropped(), Static(None)


def is_none(value: Value) -> TypeGuard[Static]:
    return type(value) is Static and value.value is None


def as_optional(value: Value) -> Optional:
    """A value as one that may be None."""
    if isinstance(value, Optional):
        return value
    return Optional(Static(True), UNDEFINED) if is_none(value) else Optional(Static(False), value)


def is_number(value: Value | None) -> TypeGuard[Static]:
    """Whether a value is a number that is known, of Python's or of NumPy's."""
    return isinstance(value, Static) and type_of_number(value.value) is not None


def are_known(values: Iterable[Value]) -> TypeGuard[Iterable[Static]]:
    """Whether all of these are Python objects known now."""
    return all(type(value) is Static for value in values)


def is_sequence(value: object, kind: type) -> TypeGuard[Sequence]:
    """Whether a value is a tuple, or what a list or set (`kind`) holds, whose items are known one by one."""
    return isinstance(value, Sequence) and value.kind is kind


def parts(value: Value) -> Parts:
    """The (key, value) parts of a container, nothing for other values."""
    return value.inside()


def with_parts(value: Value, new: tuple[Value, ...]) -> Value:
    """The same container around other parts."""
    return value.around(new)


def renewed(named: tuple[tuple[Any, Value], ...], new: tuple[Value, ...]) -> tuple[tuple[Any, Value], ...]:
    return tuple((key, value) for (key, _), value in zip(named, new, strict=True))


def same_structure(left: Value, right: Value) -> bool:
    """Whether two containers of one kind have the same keys."""
    if type(left) is not type(right) or not parts(left) and not isinstance(left, Sequence | Mapping_ | Record):
        return False
    if [k for k, _ in parts(left)] != [k for k, _ in parts(right)]:
        return False
    return left.facts() == right.facts()


def map_leaves(value: Value, change: Callable[[Value, tuple[object, ...]], Value], path: tuple = ()) -> Value:
    """Rebuild a value with each part that is not a container replaced by `change(part, path)`; itself if none was."""
    if not (inner := parts(value)):
        return change(value, path)
    changed = tuple([map_leaves(v, change, (*path, k)) for k, v in inner])
    return value if all(new is old for new, (_, old) in zip(changed, inner)) else with_parts(value, changed)


def leaves(value: Value) -> Walk[Value]:
    if not (inner := parts(value)):
        yield value
    for _, part in inner:
        yield from leaves(part)
