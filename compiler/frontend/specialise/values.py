"""Abstract values: what the specialiser knows of a Python value before the program runs.

A number that is known is `Static`, one that is not is a `Leaf` (a typed name); containers are taken apart, so that a
tuple of NamedTuples is a `Sequence` of `Record`s of leaves.  What can change is an object: names share a `Ref`, and
what a list or dict holds at present stands in the heap (`heap.py`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from collections.abc import Iterator as Walk
from typing import TYPE_CHECKING, Any, TypeAlias

from ...records import dataclass
from ...types import Type, type_of_number
from .kinds.record_classes import record_fields

if TYPE_CHECKING:
    import gast


@dataclass(frozen=True, slots=True)
class Static:
    """A Python object known now: a number, string, None, module, dtype, function, slice."""
    value: Any


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value known at run time only, held by a typed name."""
    name: str


@dataclass(frozen=True, slots=True)
class Typed:
    """A leaf that has a type and no name yet: an argument, a merged variable."""
    type: Type


@dataclass(frozen=True, slots=True)
class Out:
    """The leaf at this place among the values that a typed function returns."""
    index: int


@dataclass(frozen=True, slots=True)
class ListOut:
    """A list that grew, among the values that a function returns: its items in one array.

    `shapes` is None for a list of numbers.  Otherwise `data` holds the elements of all arrays one after the other, and
    each row of `shapes` the lengths of one of them.  `is_weak` says that the numbers are Python's.
    """
    data: Value
    shapes: Value | None = None
    is_weak: bool = True


UNKNOWN: Any = None  # whether the numbers of lists that are all empty are Python's


@dataclass(frozen=True, slots=True)
class Column:
    """What all items of a list have in one place, as an array along them; `is_weak` if they are Python's numbers."""
    values: Value
    is_weak: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """What a list of any length holds, or a tuple or text itself: the structure of one item, over `Column`s.

    [(1.0, 2.0), (3.0, 4.0)]   is   Rows(Sequence((Column([1.0, 3.0]), Column([2.0, 4.0]))))
    """
    item: Value
    kind: type = list


@dataclass(frozen=True, slots=True)
class Table:
    """What a list that grows holds whose items are containers: the structure of one, over growable lists (`tables.py`).

    [(1.0, 2.0), (3.0, 4.0)]   is   Table(Sequence((Leaf xs, Leaf ys)))
    """
    item: Value


@dataclass(frozen=True, slots=True)
class Ref:
    """A list or dict, by its number in the heap: two names of one number are one object."""
    number: int


@dataclass(frozen=True, slots=True)
class Lent:
    """An object that a function compiled on its own is given or gives back, by its place among those (`lending.py`)."""
    place: int


@dataclass(frozen=True, slots=True)
class Joined:
    """An object that is one of several where paths meet, and has no number yet.

    key       equal for names of one object
    contents  what it holds
    origins   the numbers of the objects that it may be
    """
    key: Any
    contents: Value
    origins: frozenset[int]


@dataclass(frozen=True, slots=True)
class Sequence:
    """A tuple, or what a list holds, of a length that is known now; `like` is a class below `tuple` or `list`."""
    items: tuple[Value, ...]
    kind: type = tuple
    like: type | None = None


@dataclass(frozen=True, slots=True)
class Mapping_:
    """What a dict holds; its keys are known now.  `like` is a class below `dict`, and what makes missing items."""
    items: tuple[tuple[Any, Value], ...]
    like: tuple[type, Any] | None = None

    def get(self, key: object) -> Value | None:
        return next((v for k, v in self.items if k == key and type(k) is type(key)), None)


@dataclass(frozen=True, slots=True)
class Record:
    """An instance of a class and its attributes; one of a class that lets them change stands in the heap."""
    cls: type
    items: tuple[tuple[str, Value], ...]

    def get(self, field: str) -> Value | None:
        return next((v for k, v in self.items if k == field), None)

    @property
    def is_tuple(self) -> bool:
        return issubclass(self.cls, tuple)

    def with_attribute(self, name: str, value: Value | None) -> Record:
        """Another attribute, or without it; fields stand first, so that the order of assignments does not count."""
        found = {**dict(self.items), name: value}
        fields = record_fields(self.cls) if dataclasses.is_dataclass(self.cls) else ()
        names = [*(n for n in fields if n in found), *sorted(found.keys() - set(fields))]
        return Record(self.cls, tuple((n, v) for n in names if (v := found[n]) is not None))


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A function defined inside the compiled one: its tree and the frame it sees."""
    node: gast.AST
    frame: Any
    defaults: tuple[Value, ...] = ()
    keyword_defaults: tuple[Value | None, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Derived:
    """A derivative of a function defined inside the compiled one; `environment` is what the one of a pullback saw."""
    closure: Closure
    transforms: tuple[Any, ...]
    environment: Any = None


@dataclass(frozen=True, slots=True)
class Bound:
    """A method of a value, before it is called: `x.sum`."""
    receiver: Value
    method: str


@dataclass(frozen=True, slots=True)
class Partial:
    """A function with its first arguments and some by name: `functools.partial(f, 1.0)`, the method `lens.apply`."""
    function: Value
    args: tuple[Value, ...] = ()
    named: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Super:
    """`super()`: the attributes of a value, or of a class, as those behind `cls` in its order of classes have them."""
    cls: type
    receiver: Value


@dataclass(frozen=True, slots=True)
class Range:
    """`range(start, stop, step)` with parts that are `Static` or `Leaf`."""
    start: Value
    stop: Value
    step: Value
    segments: int | None = None  # into how many the backward sweep cuts a loop over it; 0: as it chooses
    budget: int | None = None  # how many bytes it may keep of that


@dataclass(frozen=True, slots=True)
class Slice:
    """`slice(start, stop, step)`, of which the run knows a part; one that is known now is `Static`."""
    start: Value
    stop: Value
    step: Value


@dataclass(frozen=True, slots=True)
class Iteration:
    """What a loop goes over that is made of other values: its items by position.  `kind` is Python's word for it."""
    parts: tuple[Value, ...]
    start: Value = Static(0)
    kind = ""


class Zip(Iteration):
    """`zip(a, b)`"""
    __slots__ = ()
    kind = "zip"


class Map(Iteration):
    """`map(f, a, b)`: the function, and what it is called with."""
    __slots__ = ()
    kind = "map"


class Enumerate(Iteration):
    """`enumerate(a, start)`"""
    __slots__ = ()
    kind = "enumerate"


class Reversed(Iteration):
    """`reversed(a)`; `start` is the length that it had."""
    __slots__ = ()
    kind = "reversed"


class Rest(Iteration):
    """What comes from the position `start` on."""
    __slots__ = ()
    kind = "rest"


class DequeItems(Iteration):
    """The items of a deque."""
    __slots__ = ()
    kind = "deque"


class DictView(Iteration):
    """A view of a dict, which shows what it holds when it is read."""
    __slots__ = ()


class Keys(DictView):
    """`d.keys()`"""
    __slots__ = ()
    kind = "keys"


class Values(DictView):
    """`d.values()`"""
    __slots__ = ()
    kind = "values"


class Items(DictView):
    """`d.items()`"""
    __slots__ = ()
    kind = "items"


@dataclass(frozen=True, slots=True)
class Optional:
    """`None` or a value: which of them, a bool of the run says.  `inner` means nothing where it is None."""
    absent: Value
    inner: Value


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of several structures: of the flags, bools of the run, one is true (`one_of.py`).

    `kinds` tells the structures apart, each by a word and what it takes beside that: ("Sphere", Sphere), ("tuple", 2).
    """
    flags: tuple[Value, ...]
    cases: tuple[Value, ...]
    kinds: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A text that only the run knows: the number of one of those that the program has (`texts.py`).

    `texts` are those texts, in what a program returns.
    """
    number: Value
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Caught:
    """The exception that is being handled: one of these, each with its number; `code` says which."""
    code: Value
    sites: tuple[tuple[int, Any], ...]


@dataclass(frozen=True, slots=True)
class Iterator:
    """What an iterator holds: what it goes over, and how many items are gone; `kind` is Python's word for it."""
    source: Value
    position: Value = Static(0)
    kind: str = "iterator"


@dataclass(frozen=True, slots=True)
class GeneratorCall:
    """A call of a generator function that has not begun, over its arguments by name (`generators.py`)."""
    function: Any
    args: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Undefined:
    """No value on some path; reading it is an UnboundLocalError."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A variable that liveness says nobody reads again: to read it is a fault of the compiler."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Values that cannot be one variable; an error only where it is read."""
    left: str
    right: str


Value: TypeAlias = (
    Static | Leaf | Typed | Out | ListOut | Column | Rows | Table | Ref | Lent | Joined | Sequence | Mapping_ | Record
    | Closure | Derived | Bound | Partial | Super | Range | Slice | Iteration | Iterator | GeneratorCall | Optional
    | OneOf | Text | Caught | Undefined | Dropped | Conflict
)  # fmt: skip
UNDEFINED, DROPPED, NONE = Undefined(), Dropped(), Static(None)


def is_none(value: Value) -> bool:
    return type(value) is Static and value.value is None


def as_optional(value: Value) -> Optional:
    """A value as one that may be None."""
    if isinstance(value, Optional):
        return value
    return Optional(Static(True), UNDEFINED) if is_none(value) else Optional(Static(False), value)


def is_number(value: Value) -> bool:
    """Whether a value is a number that is known, of Python's or of NumPy's."""
    return isinstance(value, Static) and type_of_number(value.value) is not None


def parts(value: Value) -> tuple[tuple[object, Value], ...]:
    """The (key, value) parts of a container, nothing for other values."""
    match value:
        case Sequence(items=items):
            return tuple(enumerate(items))
        case Mapping_(items=items) | Record(items=items) | GeneratorCall(args=items):
            return items
        case Partial(function=function, args=args, named=named):
            return (("function", function), *enumerate(args), *named)
        case Super(receiver=receiver) | Bound(receiver=receiver):
            return (("receiver", receiver),)
        case Range(start=start, stop=stop, step=step) | Slice(start=start, stop=stop, step=step):
            return (("start", start), ("stop", stop), ("step", step))
        case Iteration(parts=inner, start=start):
            return (*enumerate(inner), ("start", start))
        case Optional(absent=absent, inner=inside):
            return (("is None", absent), ("", inside))
        case OneOf(flags=flags, cases=cases, kinds=kinds):
            words = [kind[0] for kind in kinds]
            return (*((f"is {word}", flag) for word, flag in zip(words, flags)), *zip(words, cases))
        case Iterator(source=source, position=position):
            return (("source", source), ("position", position))
        case Column(values=only) | Text(number=only) | Rows(item=only) | Table(item=only):
            return (("", only),)
        case ListOut(data=data, shapes=shapes):
            return (("data", data),) if shapes is None else (("data", data), ("shapes", shapes))
    return ()


def with_parts(value: Value, new: tuple[Value, ...]) -> Value:
    """The same container around other parts."""
    match value:
        case Sequence(kind=kind, like=like):
            return Sequence(new, kind, like)
        case Mapping_(items=items, like=like):
            return Mapping_(tuple((k, v) for (k, _), v in zip(items, new, strict=True)), like)
        case Record(cls=cls, items=items):
            return Record(cls, tuple((k, v) for (k, _), v in zip(items, new, strict=True)))
        case GeneratorCall(function=function, args=items):
            return GeneratorCall(function, tuple((k, v) for (k, _), v in zip(items, new, strict=True)))
        case Partial(args=args, named=named):
            count = 1 + len(args)
            return Partial(new[0], new[1:count], tuple((k, v) for (k, _), v in zip(named, new[count:], strict=True)))
        case Super() | Bound():
            return dataclasses.replace(value, receiver=new[0])
        case Range() | Slice():
            return dataclasses.replace(value, start=new[0], stop=new[1], step=new[2])
        case Iteration():
            return type(value)(new[:-1], new[-1])
        case Optional():
            return Optional(*new)
        case OneOf(kinds=kinds):
            return OneOf(new[: len(kinds)], new[len(kinds) :], kinds)
        case Iterator(kind=kind):
            return Iterator(new[0], new[1], kind)
        case Column():
            return dataclasses.replace(value, values=new[0])
        case Text():
            return dataclasses.replace(value, number=new[0])
        case Rows() | Table():
            return dataclasses.replace(value, item=new[0])
        case ListOut(is_weak=is_weak):
            return ListOut(new[0], new[1] if len(new) > 1 else None, is_weak)
    return value


def same_structure(left: Value, right: Value) -> bool:
    """Whether two containers of one kind have the same keys."""
    if type(left) is not type(right) or not parts(left) and not isinstance(left, Sequence | Mapping_ | Record):
        return False
    if [k for k, _ in parts(left)] != [k for k, _ in parts(right)]:
        return False
    facts = ("cls", "kind", "is_weak", "kinds", "like")
    return all(getattr(left, name, None) == getattr(right, name, None) for name in facts)


def map_leaves(value: Value, change: Callable[[Value, tuple[object, ...]], Value], path: tuple = ()) -> Value:
    """Rebuild a value with every part that is no container replaced by `change(part, path)`; itself if none was."""
    if not (inner := parts(value)):
        return change(value, path)
    changed = tuple([map_leaves(v, change, (*path, k)) for k, v in inner])
    return value if all(new is old for new, (_, old) in zip(changed, inner)) else with_parts(value, changed)


def leaves(value: Value) -> Walk[Value]:
    if not (inner := parts(value)):
        yield value
    for _, part in inner:
        yield from leaves(part)
