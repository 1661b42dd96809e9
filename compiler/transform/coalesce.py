"""Out of SSA: give one name to the copies that meet at merges (copy coalescing).

    e_1 = e - delta        ->     e = e - delta
    e = e_1

Takes typed or loops functions and gives them with names assigned more than once wherever that reads best, so that it
is the last step before printing: the typed stage's rule of single assignment holds no longer.  Two names become one if
they have one type and are never live at the same time with different values.  The user's names win, without numbers
where they are free.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import gast

from .. import syntax
from ..analysis.live_ranges import LiveRanges, copied_name
from ..analysis.made_names import temporaries_of, user_words
from ..names import Names, base_of
from ..program import Function
from ..renaming import rename, splice
from ..types import Scalar, symbols_of


def coalesce(function: Function) -> Function:
    """The function with copies joined and names tidied; the same object where there is nothing to join."""
    while names := join_copies(function):
        joined = rename(function, names)
        function = joined.with_(body=tuple(splice(joined.body, lambda s: [] if is_self_copy(s) else None)))
    return rename_freely(function)


def join_copies(function: Function) -> dict[str, str]:
    """A new name for every name that is joined with another one."""
    ranges = cache(lambda: LiveRanges(function))  # they are computed only when two names may be joined
    hidden = temporaries_of(function)
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while name in parent:
            name = parent[name]
        return name

    parameters = frozenset(function.parameters)
    arrays = {p for p in parameters if not isinstance(function.types.get(p), Scalar)}

    def join(first: str, second: str) -> None:
        left, right = root(first), root(second)
        if left == right or function.types.get(left) != function.types.get(right):
            return
        if base_of(left) != base_of(right) and hidden.isdisjoint((left, right)):
            return  # two names that the user gave mean two things
        if left in parameters and right in parameters:
            return
        if not arrays.isdisjoint((left, right)):
            return  # an argument's elements are the caller's: its name is not used for what may be stored into
        if ranges().meet(left, right):
            return
        kept, gone = sorted((left, right), key=lambda n: preference(n, function.parameters, hidden))
        parent[gone] = kept
        ranges().join(kept, gone)

    for target, source in copied_names(function):
        join(target, source)
    for names in versions(function, hidden):
        if len(names) < 2:
            continue
        met: set[str] = set()
        starts = ranges().starts(names)
        for position, first in enumerate(names):
            if root(first) in met:
                continue  # what could not be joined with the others of its kind cannot be joined with it
            place: int | None = position
            while (place := ranges().next_apart(root(first), starts, place)) is not None:
                join(first, names[place])
            met.add(root(first))
    return {name: root(name) for name in parent}


def copied_names(function: Function) -> list[tuple[str, str]]:
    """Both sides of every copy."""
    return [
        (statement.targets[0].id, source)
        for statement in syntax.walk(function.body)
        if (source := copied_name(statement)) is not None
    ]


def versions(function: Function, hidden: frozenset[str]) -> Iterable[list[str]]:
    """The versions of each name of the user's; loop variables of one name."""
    found: dict[str, list[str]] = {}
    loops = {s.target.id for s in syntax.walk(function.body) if isinstance(s, gast.For)}
    for name in (*function.parameters, *_in_order(function)):
        if name in loops or name not in hidden:
            found.setdefault(base_of(name), []).append(name)
    return found.values()


def preference(name: str, parameters: Sequence[str], hidden: frozenset[str]) -> tuple[bool, bool, bool, int, str]:
    """Parameters first, then the user's names, then names without a number."""
    return name not in parameters, name in hidden, base_of(name) != name, len(name), name


def is_self_copy(statement: gast.stmt) -> bool:
    """Whether it is `x = x`."""
    copied = copied_name(statement)
    return copied is not None and statement.targets[0].id == copied


def rename_freely(function: Function) -> Function:
    """Number the names of each base in the order in which they appear: `x_3` is `x` where that is free.

    The user's names without a number keep theirs, and so do those that stand in the user's text.
    """
    bound, hidden = _in_order(function), temporaries_of(function)
    written = user_words(function)
    own = {n for n in bound if base_of(n) == n or n in written} - hidden
    fixed = own | {*function.parameters}
    symbols = {symbol for type_ in function.types.values() for symbol in symbols_of(type_)}
    names = Names(fixed | symbols | (written - hidden))  # a variable called as a symbol would pass for a length
    numbered = {name: names.fresh(base_of(name)) for name in bound if name not in fixed}
    return rename(function, {old: new for old, new in numbered.items() if old != new})


def _in_order(function: Function) -> list[str]:
    bound = [name for statement in syntax.walk(function.body) for name in syntax.names_bound(statement)]
    return list(dict.fromkeys(bound))
