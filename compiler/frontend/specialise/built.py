"""What a trial builds, as one record: what is undone together goes back together.

    before = frame.built
    unroll(...)                    an attempt, which changes types, names, statements, objects, variables, ...
    frame.built = before           undone: all of it is as it was

Everything that these records hold goes back, unless SURVIVES lists it: a new field of theirs is undone until somebody
has a reason against it.  `Learned` is what one walk through the whole program passes on to the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ...own_faults import is_verifying
from ...records import dataclass
from . import undoing
from .values import Value

if TYPE_CHECKING:
    from .frame import Frame

# What outlives an attempt, by the class whose fields they are.
SURVIVES = {
    # a length's name is never given twice: the types at the head of a loop mention those of its earlier rounds
    "Builder": {"symbols", "specialiser"},
    "Task": {
        "learned", "freeze", "frozen", "derive", "judge", "differentiate",  # constants of the compilation
        # read, and the same whenever it is asked for
        "world", "outside", "sources", "spans", "recursive", "of_items",
        # Functions compiled on their own depend on nothing but their signature, so the next attempt calls them again.
        # What was noted while they were compiled holds as long as they do.
        "functions", "instances", "function_names", "derived", "hidden", "hidden_of", "exceptions", "walked_into",
        "unjudged", "lent_strings", "has_tables",
        # notes of what the program may do: one in vain makes the compiler more careful, and nothing wrong
        "shared_items", "changed_by_functions", "single_numbers", "single_stores",
    },
    "Frame": {"source", "namespace"},  # what it is a walk through
}  # fmt: skip
COLLECTIONS = (dict, list, set)


@dataclass(slots=True, eq=False)
class Learned:
    """What walks through a program have learned of it; the walk that learns something more ends, and another begins.

    `forms` says for each allocation site of a dict, set or deque what it is to hold (`sites.py`), `positions` where an
    item of a tuple, or of a list that is empty at first, is chosen at run time, `kept_apart` where a name that may be
    one of two objects is one or the other.  `strings` numbers the strings that may be chosen at run time.
    `shareable` has the classes that may be kept in pools, and whether their instances are put into lists, `pools` those
    that are, with their attributes (`pools.py`).
    """

    forms: dict[Any, tuple[Value, ...]] = field(default_factory=dict)
    positions: set[Any] = field(default_factory=set)
    kept_apart: set[Any] = field(default_factory=set)
    strings: dict[str, int] = field(default_factory=dict)
    shareable: dict[type, bool] = field(default_factory=dict)
    pools: dict[type, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Share:
    """The fields of one record: their values, and what those of them hold that can change in place."""

    owner: Any
    names: tuple[str, ...]
    values: tuple[Any, ...]
    held: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Built:
    """All that an attempt may change, as it was at one time; `seen` is the same as the verifier sees it."""

    shares: tuple[Share, ...]
    seen: dict[str, Any] | None


def built_by(frame: Frame) -> Built:
    """What is built so far."""
    shares = tuple([_share(owner) for owner in owners(frame)])
    return Built(shares, undoing.seen(frame, SURVIVES) if is_verifying() else None)


def build_again(frame: Frame, before: Built) -> None:
    """Go back to what was built then.  Collections keep their identity, as others may hold them."""
    for share in before.shares:
        owner = share.owner
        for name, value, held in zip(share.names, share.values, share.held):
            if held is not None and type(value) is list:
                value[:] = held
            elif held is not None:
                value.clear()
                value.update(held)
            if getattr(owner, name) is not value:
                setattr(owner, name, value)
    if before.seen is not None:
        undoing.require_same(before.seen, undoing.seen(frame, SURVIVES))


def owners(frame: Frame) -> Iterator[Any]:
    """The records that an attempt changes in place."""
    builder = frame.builder
    yield from (frame, frame.task, builder, builder.names, builder.heap, *builder.beside)
    if builder.protection is not None:
        yield from (builder.protection, *builder.protection.tries, *builder.protection.blocks)


def _share(owner: Any) -> Share:
    cls: Any = type(owner)
    names, values_of = _fields(cls, getattr(cls, "__slots__", None) or tuple(vars(owner)))
    values = values_of(owner)
    return Share(owner, names, values, tuple([v.copy() if type(v) in COLLECTIONS else None for v in values]))


@cache
def _fields(cls: type, names: tuple[str, ...]) -> tuple[tuple[str, ...], Any]:
    """The names of the fields that are undone, and a function that gives their values."""
    found = tuple(name for name in names if name not in SURVIVES.get(cls.__name__, ()))
    return found, attrgetter(*found)
