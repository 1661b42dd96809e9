"""Buffer reuse: an array takes the buffer of one that is read for the last time where the new one is stored.

    e = empty(n); y = empty(n)               y = empty(n)
    for i in prange(n): e[i] = exp(x[i])     for i in prange(n): y[i] = exp(x[i])
    s = ...e...                        ->    s = ...y...
    for i in prange(n): y[i] = e[i] / s      for i in prange(n): y[i] = y[i] / s

Every element of the old array must have been read when the new one's element of that index is stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

import gast

from .. import syntax
from ..analysis.integers.nest_scope import NestScope
from ..analysis.integers.values import Integers
from ..analysis.memory.accesses import Access, accesses
from ..analysis.memory.meeting import Meeting, common_loops
from ..analysis.memory.storage import storage_classes
from ..program import Function
from .contract import decided_anew
from .known import KnownNests
from .known import known as known_of


def reuse(function: Function) -> Function:
    """The function whose arrays take the buffers of arrays that are read for the last time."""
    if not any(makes(s) for s in syntax.walk(function.body)):
        return function
    reuser = _Reuser(function, known_of(function))
    body = tuple(reuser.block(function.body))
    if not reuser.places:
        return function
    return function.with_(body=body, decisions=decided_anew(function.decisions, reuser.places))


class _Reuser:
    def __init__(self, function: Function, known: KnownNests) -> None:
        self.function, self.types, self.known = function, function.types, known
        self.meeting = Meeting(Integers(function))
        self.bound = Counter(function.parameters)
        for statement in syntax.walk(function.body):
            self.bound.update(syntax.names_bound(statement))
        classes = storage_classes(function)
        members = Counter(classes.values())
        self.places: dict[str, str] = {}
        self.alone = {n for n, leader in classes.items() if members[leader] == 1}

    def block(self, statements: Sequence[gast.stmt]) -> list[gast.stmt]:
        block = _Block([self._inside(s) for s in statements], self.known)
        for name in list(block.makers):
            old = self._replaceable(block, name) if self.bound[name] == 1 else None
            if old is not None:
                block.replace(old, name)
                self.places[old] = "the array that is made from it takes its place, element by element"
        return block.rewritten()

    def _inside(self, statement: gast.stmt) -> gast.stmt:
        if self.known.is_plain_nest(statement, self.types) or not syntax.blocks_of(statement):
            return statement
        parts = {"body": self.block(statement.body)}
        if isinstance(statement, gast.If):
            parts["orelse"] = self.block(statement.orelse)
        return syntax.rebuild(statement, **parts)

    def _replaceable(self, block: _Block, name: str) -> str | None:
        """The array of this block whose last use is where `name` is first stored."""
        first = block.first_touch(name) if name in block.makers else None
        if first is None or not self.known.is_plain_nest(block.statements[first], self.types):
            return None
        nest, makers = block.statements[first], block.makers
        here = {block.current(n) for n in self.known.elements(nest)}
        for old in sorted((n for n in here if makers.get(n, first) < first), key=makers.__getitem__):
            if old != name and self._fits(old, name) and block.users[old][-1] <= first:
                if may_take_place(nest, block.merged[old], {name}, self.known, self.meeting):
                    return old
        return None

    def _fits(self, old: str, name: str) -> bool:
        return self.bound[old] == 1 and old in self.alone and self.types[old] == self.types[name]


class _Block:
    """The statements of one block as they were, and what became of the arrays that are made in it.

    `makers` has the allocation sites of arrays and `users` the statements that mention them, `merged` the names that an
    array stands for by now.  All names are replaced together in the end.
    """

    def __init__(self, statements: Sequence[gast.stmt], known: KnownNests) -> None:
        self.statements, self.known = statements, known
        self.makers: dict[str, int] = {}
        for place, statement in enumerate(statements):
            if makes(statement):
                self.makers.setdefault(statement.targets[0].id, place)
        self.users: dict[str, list[int]] = {name: [] for name in self.makers}
        for place, statement in enumerate(statements if self.makers else ()):
            for name in self.makers.keys() & known.mentions(statement).counts.keys():
                self.users[name].append(place)
        self.merged = {name: {name} for name in self.makers}
        self._stands: dict[str, str] = {}
        self._gone: set[int] = set()

    def first_touch(self, name: str) -> int | None:
        """The statement that first accesses elements of an array allocated here."""
        later = (place for place in self.users[name] if place > self.makers[name])
        return next((place for place in later if name in self.known.elements(self.statements[place])), None)

    def current(self, name: str) -> str:
        """The array that stands for this one by now."""
        last = name
        while last in self._stands:
            last = self._stands[last]
        while name != last:  # the next question takes one step
            self._stands[name], name = last, self._stands[name]
        return last

    def replace(self, old: str, name: str) -> None:
        """Let `name` be made where `old` was, and stand for both."""
        self._gone.add(self.makers[name])
        self._stands[old] = name
        self.makers[name] = self.makers.pop(old)
        self.merged[name] = self.merged.pop(old)
        self.merged[name].add(name)

    def rewritten(self) -> list[gast.stmt]:
        names = {name: self.current(name) for name in list(self._stands)}
        kept = [s for place, s in enumerate(self.statements) if place not in self._gone]
        return [self.known.renamed(s, names) for s in kept] if names else kept


def makes(statement: gast.stmt) -> bool:
    return isinstance(statement, gast.Assign) and syntax.operator_of(statement.value) == "empty"


# --- in one nest ---------------------------------------------------------------------------------------------------


def may_take_place(
    nest: gast.stmt, old: AbstractSet[str], new: AbstractSet[str], known: KnownNests, meeting: Meeting
) -> bool:
    """Whether no element of an old array is touched in a nest once the new one's of its index has been stored."""
    touched = accesses([nest], NestScope(), meeting.integers, known.loads)
    seen = [access for access in touched if access.array in old or access.array in new]
    for position, store in enumerate(seen):
        for later, other in enumerate(seen) if store.array in new and store.is_store else ():
            if other.array in old:
                if later > position or not _only_in_step(store, other, known, meeting):
                    return False
    return True


def _only_in_step(store: Access, other: Access, known: KnownNests, meeting: Meeting) -> bool:
    """Whether no old element is touched in a later iteration than the one that stores the new one in its place."""
    same = replace(other, array=store.array)  # both arrays have the same lengths
    loops = common_loops(store, other)
    return not any(meeting.meet_in_turns(store, same, loop, known.mentions(loop.statement).binds) for loop in loops)
