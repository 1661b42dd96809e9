"""Loop fusion: merge nests that run over the same range and work on the same arrays.

    for i in prange(n):                      for i in prange(n):
        for j in range(m):                       for j in range(m):
            e[i, j] = exp(x[i, j])                   e[i, j] = exp(x[i, j])
    for i in prange(n):                ->            y[i, j] = e[i, j] * w[j]
        for j in range(m):
            y[i, j] = e[i, j] * w[j]

Two nests are merged where no iteration of the second needs what a later iteration of the first does.  What stands
between them and is needed by the second moves ahead of both, if it does not depend on the first.  Bodies are merged in
the same way, loop by loop.  Keeps errors and their order: no two things that may fail are reordered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import TypeGuard

import gast

from .. import syntax
from ..analysis.integers.nest_scope import NestScope
from ..analysis.lanes import arrays_handed_on, goes_by_rows, is_lanes
from ..analysis.liveness import liveness
from ..analysis.memory.accesses import Access, accesses
from ..analysis.memory.meeting import Meeting
from ..lower.remarks import Story
from ..ops.schema import row_of
from ..program import Function
from ..tuning import LARGEST_BODY, REACH
from ..types import Array, symbols_of
from .effects import Effects, ReadCollector, clash
from .known import KnownNests, mentions_of
from .known import known as known_of


def fuse(function: Function) -> Function:
    """The function with its nests merged; every nest has private scalars."""
    known = known_of(function)
    if sum(known.is_plain_nest(s, function.types) for s in syntax.walk(function.body)) < 2:
        return function
    fuser = _Fuser(function, hidden_counters(function), known)
    body = tuple(fuser.block(function.body, NestScope()))
    return function.with_(body=body, decisions=(*function.decisions, *fuser.story.decisions()))


class _Fuser:
    def __init__(self, function: Function, counters: AbstractSet[str], known: KnownNests) -> None:
        self.types, self.known = function.types, known
        self.reader = ReadCollector(function, known)
        self.integers = self.reader.integers
        self.meeting = Meeting(self.integers)
        self.counts = mentions_of(function, known)
        self.counters = counters
        self.carried = carried_arrays(function)
        self.story = Story()
        self.members: dict[str, list[str]] = {}
        for name, leader in self.reader.classes.items():
            self.members.setdefault(leader, []).append(name)
        self.depth = 0  # loops around what is merged
        self._visible: dict[int, Effects] = {}
        self._read: dict[int, frozenset[str]] = {}

    def is_plain_nest(self, statement: gast.stmt) -> TypeGuard[gast.For]:
        return self.known.is_plain_nest(statement, self.types)

    def block(self, statements: Sequence[gast.stmt], scope: NestScope) -> list[gast.stmt]:
        """The statements, their nests merged where that is right and pays."""
        placed: list[gast.stmt] = []
        for statement in statements:
            if self.is_plain_nest(statement):
                self._place(placed, statement, scope)
            else:
                placed.append(self._inside(statement, scope))
        return placed

    def _inside(self, statement: gast.stmt, scope: NestScope) -> gast.stmt:
        match statement:
            case gast.If(body=body, orelse=orelse):
                return syntax.rebuild(statement, body=self.block(body, scope), orelse=self.block(orelse, scope))
            case gast.While(body=body):
                return syntax.rebuild(statement, body=self._turn(body, scope))
            case gast.For(body=body):
                return syntax.rebuild(statement, body=self._turn(body, self._within(statement, scope)))
        return statement

    def _turn(self, body: Sequence[gast.stmt], scope: NestScope) -> list[gast.stmt]:
        self.depth += 1
        made = self.block(body, scope)
        self.depth -= 1
        return made

    def _within(self, loop: gast.For, scope: NestScope) -> NestScope:
        return scope.inside(self.integers.loop(loop))

    def _place(self, placed: list[gast.stmt], nest: gast.For, scope: NestScope) -> None:
        """Append a nest, or merge it with one of those before it."""
        if not self._takes_in(placed, nest, scope):
            placed.append(self._inside(nest, scope))

    def _takes_in(self, placed: list[gast.stmt], nest: gast.For, scope: NestScope) -> bool:
        """Merge a nest with one of those placed, and what comes of it with one before that: it reads more arrays now.

        False, and nothing changed, where it has to stand alone.
        """
        needed: list[int] = []
        moving = self._seen(nest, scope)
        for position in range(len(placed) - 1, max(-1, len(placed) - 1 - REACH), -1):
            other = placed[position]
            found = self._visible.get(id(other)) or self._seen(other, scope)
            pays = self.is_plain_nest(other) and self._shares_arrays(other, nest)
            if pays and not any(clash(found, self._seen(placed[k], scope)) for k in needed):
                merged = self.merged(other, nest, scope)  # type: ignore[arg-type]  # `pays` says so
                if merged is not None:
                    self.story.fused(merged, other, nest)
                    before = [*placed[:position], *(placed[k] for k in reversed(needed))]
                    behind = [placed[k] for k in range(position + 1, len(placed)) if k not in needed]
                    if not self._takes_in(before, merged, scope):
                        before.append(merged)
                    placed[:] = [*before, *behind]
                    return True
            if found.opaque or not self.carried.isdisjoint(found.binds):
                break  # nothing passes a call; and where an array gets other lengths, one symbol may mean two
            if clash(found, moving):
                needed.append(position)
                moving = _both(moving, found)
        return False

    def _seen(self, statement: gast.stmt, scope: NestScope) -> Effects:
        """The effects of a statement that others can see."""
        found = self.reader.of(statement, scope)  # the reader keeps the statement, so that its id stays taken
        if id(statement) not in self._visible:
            self._visible[id(statement)] = found.without(self._own(found))
        return self._visible[id(statement)]

    def _own(self, found: Effects) -> set[str]:
        """The names that are bound before they are read and mentioned nowhere else, and loop variables."""
        return {n for n in found.binds - found.exposed if n in self.counters or found.counts[n] == self.counts[n]}

    # --- two nests

    def merged(self, first: gast.For, second: gast.For, scope: NestScope) -> gast.For | None:
        """Two nests with a common array as one; None where that would be wrong or does not pay."""
        return self._joined(first, second, scope) if self._same_bounds(first, second) else None

    def _shares_arrays(self, first: gast.stmt, second: gast.stmt) -> bool:
        return not self._arrays(first).isdisjoint(self._arrays(second))

    def _arrays(self, nest: gast.stmt) -> frozenset[str]:
        if id(nest) not in self._read:  # `known` keeps the nest, so that its id stays taken
            reads = self.known.mentions(nest).reads
            self._read[id(nest)] = frozenset(n for n in reads if isinstance(self.types.get(n), Array))
        return self._read[id(nest)]

    def _same_bounds(self, first: gast.For, second: gast.For) -> bool:
        (start, stop, step), (start_2, stop_2, step_2) = first.iter.args, second.iter.args
        starts = self.integers.of(start), self.integers.of(start_2)
        stops = set(self.integers.ends(stop)), set(self.integers.ends(stop_2))
        return (
            starts[0] is not None and starts[0] == starts[1] and bool(stops[0]) and stops[0] == stops[1]
            and isinstance(step, gast.Constant) and isinstance(step_2, gast.Constant) and step.value == step_2.value
        )  # fmt: skip

    def _joined(self, first: gast.For, second: gast.For, scope: NestScope) -> gast.For | None:
        variable, other = first.target.id, second.target.id
        if variable != other:
            if variable in self.known.mentions(second).counts or not {variable, other} <= self.counters:
                return None
            second = self.known.renamed(second, {other: variable})  # type: ignore[assignment]
        effects = [self.reader.of(s, scope) for s in (first, second)]
        carried = [found.binds - self._own(found) for found in effects]
        kind = _kind(first, second, carried, self.depth)
        if kind == "lanes" and any(arrays_handed_on(s, self.types) for s in (first, second) if not is_lanes(s)):
            return None
        if kind is None or variable not in self.counters or (effects[0].fails and effects[1].fails):
            return None
        if _has_loops(second) and not _has_loops(first) and _computes_functions(first):
            return None  # in a loop without others they are taken in vectors
        for k in (0, 1):
            if not carried[k].isdisjoint(effects[1 - k].reads | effects[1 - k].binds):
                return None
        if sum(1 for _ in syntax.walk([*first.body, *second.body])) > LARGEST_BODY:
            return None
        inside = self._within(first, scope)
        if not self._independent(first, second, inside):
            self.story.kept_apart(first, second)
            return None
        body = self._turn([*first.body, *second.body], inside)
        bounds = syntax.rebuild(first.iter, func=syntax.name(kind))
        return syntax.rebuild(first, iter=bounds, body=body)

    def _independent(self, first: gast.For, second: gast.For, inside: NestScope) -> bool:
        """Whether no iteration of either nest touches an element that another iteration of the other one stores."""
        mine_here, theirs_here = self.reader.of(first, inside), self.reader.of(second, inside)
        touched = theirs_here.loads | theirs_here.stores
        shared = (mine_here.stores & touched) | (mine_here.loads & theirs_here.stores)
        if not shared:
            return True
        classes = self.reader.classes
        mine, others = (self._accesses(nest.body, inside, shared) for nest in (first, second))
        varying = self.known.mentions(first).binds | self.known.mentions(second).binds
        loop = inside.loops[-1]
        for theirs in others:
            group = classes[theirs.array]
            for access in mine:
                if classes[access.array] != group or not (access.is_store or theirs.is_store):
                    continue
                if self.meeting.meet_in_turns(access, theirs, loop, varying):
                    return False
        return True

    def _accesses(self, body: Sequence[gast.stmt], inside: NestScope, shared: AbstractSet[str]) -> list[Access]:
        """The accesses of the statements that mention an array of these storage classes."""
        names = {name for leader in shared for name in self.members[leader]}
        about = [s for s in body if not names.isdisjoint(self.known.mentions(s).counts.keys())]
        return list(accesses(about, inside, self.integers, self.known.loads))


def _has_loops(nest: gast.For) -> bool:
    return any(isinstance(s, gast.For) for s in nest.body)


def _computes_functions(nest: gast.For) -> bool:
    rows = (row_of(syntax.operator_of(node)) for node in gast.walk(nest) if isinstance(node, gast.Call))
    return any(row.work in ("function", "special") and row.precedence is None for row in rows if row is not None)


def _kind(first: gast.For, second: gast.For, carried: Sequence[AbstractSet[str]], depth: int) -> str | None:
    """The kind of the merged loop: what is loop-carried in a `range` is taken in order, which `lanes` would not.

    Outside of all loops a `range` may yet turn out to be one that runs on threads, iteration by iteration.  What takes
    elements of arrays together may do so in order, which is how a sum row by row is as fast as it can be.
    """
    nests = (first, second)
    kinds = ["range" if goes_by_rows(s) else str(syntax.operator_of(s.iter)) for s in nests]
    if kinds[0] == kinds[1]:
        return "lanes" if all(map(is_lanes, nests)) else kinds[0]
    if "prange" in kinds or not depth:
        return None
    return None if carried[kinds.index("range")] else "lanes"


def _both(first: Effects, second: Effects) -> Effects:
    """What clashes with either of two statements clashes with this."""
    return Effects(
        first.reads | second.reads, first.binds | second.binds, first.exposed | second.exposed, {},
        first.loads | second.loads, first.stores | second.stores, first.fails or second.fails,
        first.opaque or second.opaque,
    )  # fmt: skip


def hidden_counters(function: Function) -> set[str]:
    """The names that are loop variables and nothing else, and that nothing reads after their loops."""
    live = liveness(function)
    counters: set[str] = set()
    others: set[str] = set(function.parameters)
    for statement in syntax.walk(function.body):
        if isinstance(statement, gast.For):
            counters.add(statement.target.id)
            if statement.target.id in live.after(statement):
                others.add(statement.target.id)
        else:
            others.update(syntax.names_bound(statement))
    return counters - others


def carried_arrays(function: Function) -> set[str]:
    """The arrays that are assigned more than once and have a length that no argument has."""
    known = {s for p in function.parameters for s in symbols_of(function.types[p])}
    bound = Counter(function.parameters)
    for statement in syntax.walk(function.body):
        bound.update(syntax.names_bound(statement))
    return {n for n, count in bound.items() if count > 1 and not set(symbols_of(function.types[n])) <= known}
