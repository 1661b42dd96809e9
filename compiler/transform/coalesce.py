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

import gast

from .. import syntax
from ..analysis.def_use import reads_of
from ..analysis.liveness import Liveness, liveness
from ..analysis.made_names import temporaries_of, user_words
from ..names import Names, base_of
from ..program import Function
from ..renaming import rename, splice
from ..types import Scalar, symbols_of

Interference = dict[str, set[str]]


def coalesce(function: Function) -> Function:
    """The function with copies joined and names tidied; the same object where there is nothing to join."""
    while names := join_copies(function):
        joined = rename(function, names)
        function = joined.with_(body=tuple(splice(joined.body, lambda s: [] if is_self_copy(s) else None)))
    return rename_freely(function)


def join_copies(function: Function) -> dict[str, str]:
    """A new name for every name that is joined with another one."""
    interference: Interference | None = None  # it is computed only when all else allows two names to be joined
    joined: dict[str, set[str]] = {}  # by root, the names that were joined
    hidden = temporaries_of(function)
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while name in parent:
            name = parent[name]
        return name

    parameters = frozenset(function.parameters)
    arrays = {p for p in parameters if not isinstance(function.types.get(p), Scalar)}

    def join(first: str, second: str) -> None:
        nonlocal interference
        left, right = root(first), root(second)
        if left == right or function.types.get(left) != function.types.get(right):
            return
        if base_of(left) != base_of(right) and hidden.isdisjoint((left, right)):
            return  # two names that the user gave mean two things
        if left in parameters and right in parameters:
            return
        if not arrays.isdisjoint((left, right)):
            return  # an argument's elements are the caller's: its name is not used for what may be stored into
        if interference is None:
            interference = interferences(function, liveness(function))
        mine, others = joined.get(left, {left}), joined.get(right, {right})
        if not (mine.isdisjoint(interference.get(right, ())) and others.isdisjoint(interference.get(left, ()))):
            return
        kept, gone = sorted((left, right), key=lambda n: preference(n, function.parameters, hidden))
        parent[gone] = kept
        joined[kept] = mine | others
        interference[kept] = interference.get(left, set()) | interference.get(right, set())

    for target, source in copied_names(function):
        join(target, source)
    for names in versions(function, hidden):
        met: set[str] = set()
        for position, first in enumerate(names):
            if root(first) in met:
                continue  # what could not be joined with the others of its kind cannot be joined with it
            for second in names[position + 1 :]:
                join(first, second)
            met.add(root(first))
    return {name: root(name) for name in parent}


def copied_names(function: Function) -> list[tuple[str, str]]:
    """Both sides of every copy."""
    return [
        (statement.targets[0].id, source)
        for statement in syntax.walk(function.body)
        if (source := _copied(statement)) is not None
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


def interferences(function: Function, live: Liveness) -> Interference:
    """For each name, those that are live where it gets another value, unless it is a copy of them."""
    found: Interference = {name: {*function.parameters, *live.at_entry} for name in function.parameters}
    for statement in syntax.walk(function.body):
        bound = syntax.names_bound(statement)
        if not bound:
            continue
        after = {*live.after(statement), *bound}
        if isinstance(statement, gast.For) and statement.body:
            # the variable is assigned before each iteration: it meets what is live in the body and after the loop
            after |= live_in(statement.body, live)
            after |= {s.target.id for s in syntax.walk(statement.body) if isinstance(s, gast.For)}
        after.discard(_copied(statement) or "")
        for name in bound:
            found[name] = found[name] | after if name in found else after
    return found


def live_in(body: Sequence[gast.stmt], live: Liveness) -> frozenset[str]:
    """The names live at the start of a loop's body, an upper bound."""
    first = body[0]
    inner = frozenset(reads_of(first)) | live.after(first)
    for block in syntax.blocks_of(first):
        if block:
            inner |= live_in(block, live)
    return inner


def is_self_copy(statement: gast.stmt) -> bool:
    """Whether it is `x = x`."""
    copied = _copied(statement)
    return copied is not None and statement.targets[0].id == copied


def _copied(statement: gast.stmt) -> str | None:
    if type(statement) is not gast.Assign or type(statement.value) is not gast.Name:
        return None
    return statement.value.id if type(statement.targets[0]) is gast.Name else None


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
