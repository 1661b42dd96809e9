"""What a compiled function found outside, and whether it is still there.

    RATE = 0.1; def f(x): return RATE * x    ->    Guard("global", f, "RATE", 0.1), asked on every call

A guard says where to look and what was found.  Objects that were found cannot change themselves (numbers, strings,
tuples of them) or are guarded where they were looked into (functions, classes, modules), so identity decides.  A number
that is another object of the same value counts as the same, and is what native code compares with from then on.  So
does an array of the same type: the program takes its elements for an argument, from wherever it was found.  A
container of numbers is held as a copy, and compared by value.

Threads call while others change the world, so all that depends on what was found (arrays, words for native code) is
made from one `Findings`, which never changes; the newest one replaces the former by a single store.
"""

from __future__ import annotations

import builtins
import dataclasses
import operator
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import BuiltinMethodType, MethodType
from typing import Any

import numpy as np

from .values import CHANGING, HeldValues

NAMES = {"global": "the global", "builtin": "the builtin", "cell": "the variable", "keyword": "the default of"}
# Attributes of a class that say how a NamedTuple or a dataclass is made.
WAYS_OF_MAKING = ("__new__", "__init__", "__post_init__", "_field_defaults", "__dataclass_fields__")


class _Absent:
    """Nothing goes by that name."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Any = _Absent()


@dataclass(slots=True, eq=False)
class Guard:
    """One thing that was looked up.

    kind     global, builtin, cell, keyword: a variable as a function sees it; attribute: an entry of `vars(owner)`;
             field: `__code__`, `__defaults__`, `__kwdefaults__` of a function, `__mro__` of a class;
             computed: an attribute that only `getattr` finds
    """

    kind: str
    owner: Any
    name: str
    found: Any

    def holds(self) -> bool:
        """Whether the same is found now."""
        return same(look_up(self.kind, self.owner, self.name), self.found)

    def __str__(self) -> str:
        """In words, for `explain`."""
        value = self.found
        shown = "is not defined" if value is ABSENT else f"is {_shown(value)}"
        return f"{_place(self)} {shown}"


def key_of(kind: str, owner: Any, name: str) -> tuple[str, int, str]:
    """What distinguishes guards: functions of one module see the same globals."""
    return kind, id(owner.__globals__ if kind == "global" else owner), name


def look_up(kind: str, owner: Any, name: str) -> Any:
    """What is there now; ABSENT if nothing is."""
    return _WAYS[kind](owner, name)


def cell_of(function: Any, name: str) -> Any:
    """The cell of a variable that a function closes over; None if it has none."""
    return dict(zip(function.__code__.co_freevars, function.__closure__ or ())).get(name)


def _in_cell(function: Any, name: str) -> Any:
    try:
        return cell_of(function, name).cell_contents
    except (ValueError, AttributeError):
        return ABSENT


_WAYS: dict[str, Callable[[Any, str], Any]] = {
    "global": lambda function, name: function.__globals__.get(name, ABSENT),
    "builtin": lambda _, name: vars(builtins).get(name, ABSENT),
    "cell": _in_cell,
    "keyword": lambda function, name: (function.__kwdefaults__ or {}).get(name, ABSENT),
    "attribute": lambda owner, name: vars(owner).get(name, ABSENT),
    "field": getattr,
    "computed": lambda owner, name: getattr(owner, name, ABSENT),
}


def same(left: Any, right: Any) -> bool:
    """Whether two objects mean the same to a program: constants of one type and value, bit by bit."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    match left:
        case float():
            return struct.pack("d", left) == struct.pack("d", right)
        case complex():
            return same(left.real, right.real) and same(left.imag, right.imag)
        case np.generic():
            return bool(left.dtype == right.dtype) and left.tobytes() == right.tobytes()
        case HeldValues():
            return array_type(left._values) == array_type(right._values)
        case bool() | int() | str() | bytes():
            return bool(left == right)
        case np.ndarray():
            return array_type(left) == array_type(right)
        case dict():
            return len(left) == len(right) and same([*left.items()], [*right.items()])
        case set() | frozenset():
            return bool(left == right) and _typed(left) == _typed(right)
        case tuple() | list():
            return len(left) == len(right) and all(map(same, left, right))
        case MethodType() | BuiltinMethodType():
            return bool(left == right)  # `np.add.at` is another object each time it is read
    if getattr(type(left), "__pellucid_constant__", False):
        return bool(left == right)
    if getattr(getattr(type(left), "__dataclass_params__", None), "frozen", False):
        names = [field.name for field in dataclasses.fields(left)]
        return all(same(getattr(left, name, ABSENT), getattr(right, name, ABSENT)) for name in names)
    return False


def _typed(members: set[Any] | frozenset[Any]) -> set[Any]:
    """The members with their types, as 1, 1.0 and True are equal; a set has no two of these."""
    return {(type(member), member) for member in members}


def array_type(values: np.ndarray) -> tuple[Any, ...]:
    """What code for an array depends on: its dtype, which lengths are 1, whether it is contiguous."""
    return values.dtype.str, tuple(n == 1 for n in values.shape), bool(values.flags.c_contiguous)


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """What the guards of one piece of machine code found together, in their order."""

    objects: tuple[Any, ...]


class Guards:
    """All guards of one piece of machine code, and what they found last."""

    def __init__(self, guards: Iterable[Guard] = ()) -> None:
        self._guards = tuple(guards)
        self.findings = Findings(tuple(guard.found for guard in self._guards))
        # a quicker way to hold, that may give None where there is an answer
        self.ask: Callable[[], Findings | None] | None = None

    def __iter__(self) -> Iterator[Guard]:
        return iter(self._guards)

    def hold(self) -> Findings | None:
        """What is found now; None where the world is not as it was when the code was made.

        A call goes on with this answer and not with `findings`, which another thread may replace meanwhile.
        """
        if self.ask is not None and (answer := self.ask()) is not None:
            return answer
        before, now = self.findings, list[Any]()
        for guard, former in zip(self._guards, before.objects, strict=True):
            found = look_up(guard.kind, guard.owner, guard.name)
            if found is not former and not same(found, former):
                return None
            now.append(former if type(former) in CHANGING else found)  # the former one is the copy that was made
        if all(map(operator.is_, now, before.objects)):
            return before
        return self._replace(Findings(tuple(now)))

    def _replace(self, findings: Findings) -> Findings:
        for guard, found in zip(self._guards, findings.objects, strict=True):
            guard.found = found  # an array which the world has dropped can go then
        self.findings = findings
        return findings


def _shown(value: Any) -> str:
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if isinstance(name, str) and not isinstance(value, type(ABSENT)):
        return f"`{name}`"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _place(guard: Guard) -> str:
    owner = getattr(guard.owner, "__qualname__", None) or getattr(guard.owner, "__name__", "")
    if guard.kind == "keyword":
        return f"the default of `{guard.name}` of `{owner}`"
    if guard.kind in NAMES:
        return f"{NAMES[guard.kind]} `{guard.name}`"
    return f"`{owner}.{guard.name}`"
