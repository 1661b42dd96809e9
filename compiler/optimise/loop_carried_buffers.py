"""Allocate what loops need ahead of them, once: temporaries, and the buffers of loop-carried arrays.

    for i in range(steps):                       t = empty(n)
        t = empty(n)                             for i in range(steps):
        ... t is made from x ...          ->         ... t is made from x ...
        x = t                                        x, t = t, x

Where every element of `t` depends on the same element of `x` alone, and the buffer of `x` is ours, `x` is updated in
place.  Where the first buffer belongs to another name it is never written: `t` and another buffer alternate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import count

import gast

from .. import syntax
from ..analysis.integers.shape_extents import extent_of, trees_of
from ..analysis.integers.values import Integers
from ..analysis.liveness import liveness
from ..analysis.memory.meeting import Meeting
from ..analysis.memory.storage import storage_classes
from ..names import Names
from ..program import Function
from ..records import dataclass
from ..renaming import nothing_in, with_blocks
from ..types import INT, Array, Dim, Extent, ListOf, Type, symbol, symbols_of
from .known import KnownNests
from .known import known as known_of
from .lengths import HoistedLengths
from .reuse import makes, may_take_place


def carry(function: Function) -> Function:
    """The function with allocations moved ahead of its loops."""
    loops = [s for s in syntax.walk(function.body) if isinstance(s, gast.For | gast.While)]
    if not any(makes(s) for loop in loops for s in loop.body):
        return function
    carrier = _Carrier(function, known_of(function))
    body = carrier.block(function.body, list(carrier.live.at_entry))
    if len(body) == len(function.body) and all(map(syntax.same, body, function.body)):
        return function
    return function.with_(body=tuple(body), types=carrier.types, wishes=carrier.wishes)


@dataclass(frozen=True, slots=True)
class _Cycle:
    """An array made in each iteration, the names that carry it along, and how many iterations it is needed for."""

    name: str
    carried: tuple[str, ...]
    turns: int


class _Carrier:
    def __init__(self, function: Function, known: KnownNests) -> None:
        self.function, self.known, self.wishes = function, known, dict(function.wishes)
        self.names = Names({*function.types, *function.parameters})
        self.types: dict[str, Type] = dict(function.types)
        self.live, self.classes = liveness(function), dict(storage_classes(function))
        self.meeting = Meeting(Integers(function))
        self.lengths = HoistedLengths(function, self.meeting.integers)
        self.bound = Counter(function.parameters)
        for statement in syntax.walk(function.body):
            self.bound.update(syntax.names_bound(statement))
        self.members: dict[str, list[str]] = {}
        self.own: dict[str, str] = {}
        for name, leader in self.classes.items():
            self.members.setdefault(leader, []).append(name)

    def block(self, statements: Sequence[gast.stmt], live: Sequence[str]) -> list[gast.stmt]:
        """`live` are the names with a meaning when the block begins."""
        result: list[gast.stmt] = []
        before: AbstractSet[str] = frozenset(live)
        for statement in statements:
            after = self.live.after(statement)
            made = self.statement(statement, before)
            current = self.own.get(_made_name(made[0]))
            if current is not None and result and _is_alias(result[-1], current) and _begins_with_copy(made, current):
                made = self._copied_at_once(made, current, result.pop().value.id)
            result += made
            before = after
        return result

    def statement(self, node: gast.stmt, before: AbstractSet[str]) -> list[gast.stmt]:
        if self.known.is_plain_nest(node, self.types):
            return [node]
        match node:
            case gast.If(body=body, orelse=orelse):
                parts = {"body": self.block(body, list(before)), "orelse": self.block(orelse, list(before))}
                return [syntax.rebuild(node, **parts)]
            case gast.While():
                return self.loop(node, before)
            case gast.For(iter=iter_) if syntax.operator_of(iter_) == "range":
                return self.loop(node, before)
        return [node]

    def loop(self, node: gast.For | gast.While, before: AbstractSet[str]) -> list[gast.stmt]:
        at_end = self.live.after(node.body[-1])
        changed = {n for s in syntax.walk([node]) for n in syntax.names_bound(s)}
        body = self.block(node.body, [*{*before, *at_end}])
        ahead: list[gast.stmt] = []
        for name in [s.targets[0].id for s in body if makes(s)]:
            made = next((s for s in body if isinstance(s, gast.Assign) and _made_name(s) == name), None)
            outside = None if made is None else self.lengths.outside(made, changed)
            if made is not None and outside is not None:
                group = {n for n in self._sharing(name) if n in at_end and (n in changed or self._is_list(n))}
                more, body = self._without(made, outside, body, group, before)
                ahead += more
        for name, makers in made_in_branches(body).items():
            found = self._common(makers, changed)
            is_handed_on = any(n in at_end for n in self._sharing(name))
            if found is not None and self.bound[name] == len(makers) and name not in before and not is_handed_on:
                ahead.append(found)
                body = without(body, makers)
        return [*ahead, syntax.rebuild(node, body=body or [nothing_in(node)])]

    def _common(self, makers: Sequence[gast.Assign], changed: set[str]) -> gast.stmt | None:
        """The one allocation ahead of the loop that stands for those in its branches."""
        first, *others = [self.lengths.outside(made, changed) for made in makers]
        return first if first is not None and all(o is not None and syntax.same(first, o) for o in others) else None

    def _without(
        self, made: gast.Assign, outside: gast.stmt, body: list[gast.stmt], carried: set[str], before: AbstractSet[str]
    ) -> tuple[list[gast.stmt], list[gast.stmt]]:
        """What stands ahead of the loop, and its body without the allocation; the same body where it must stay."""
        name = made.targets[0].id
        if name in carried:
            return self._made_directly(made, outside, body, carried, before)
        if self.bound[name] > 1 or name in before:
            return [], body
        kept = [s for s in body if s is not made]
        if not carried or self._is_overwritten(name, kept, carried):
            return [outside], kept
        cycle = self._cycle(name, body, carried)
        return ([], body) if cycle is None else self._turning(cycle, made, outside, body, before)

    def _made_directly(
        self, made: gast.Assign, outside: gast.stmt, body: list[gast.stmt], carried: set[str], before: AbstractSet[str]
    ) -> tuple[list[gast.stmt], list[gast.stmt]]:
        """`x = empty(n); ...` of a carried x, taken as `t = empty(n); ...; x = t`."""
        name = made.targets[0].id
        if self._assignments(name, body) != 1:
            return [], body
        position = next(k for k, s in enumerate(body) if s is made)
        other = self._another(name, "t")
        self.types[other] = self._as_allocated(outside, self.types[name])  # type: ignore[arg-type]
        new = syntax.rebuild(made, targets=[syntax.target(other)])
        behind = [self.known.renamed(s, {name: other}) for s in body[position + 1 :]]
        closing = self._placed(syntax.assign(name, syntax.name(other)), made)
        spelled = [*body[:position], new, *behind, closing]
        outside = syntax.rebuild(outside, targets=[syntax.target(other)])
        more, changed = self._without(new, outside, spelled, carried, before)
        return (more, changed) if changed is not spelled else ([], body)

    def _as_allocated(self, made: gast.stmt, type_: Array) -> Array:
        """The type of a new array: a carried one may have another length in each iteration, and this one has not."""
        found = [extent_of(tree, self.types, self._length_of) for tree in trees_of(made.value)]
        dims = (self._fresh_length() if extent is None else extent for extent in found)
        return Array(type_.dtype, tuple(dims), type_.layout)

    def _length_of(self, name: str) -> Extent | None:
        value = self.meeting.integers.facts.value_of(name)
        return None if value is None else extent_of(value, self.types, self._length_of)

    def _fresh_length(self) -> Dim:
        taken = {s for t in self.types.values() for s in symbols_of(t)}
        return symbol(next(w for k in count(1) if (w := f"length_{k}") not in taken))

    def _is_overwritten(self, name: str, body: Sequence[gast.stmt], carried: set[str]) -> bool:
        """Whether this iteration does not read what the last one carried: `t` is filled, then `x = t` for all x."""
        closing = [s for s in body if any(_is_alias(s, n) and s.value.id == name for n in carried)]
        if len(closing) < len(carried) or any(self._is_list(n) or self._assignments(n, body) != 1 for n in carried):
            return False
        others = [s for s in body if not any(s is c for c in closing)]
        group = set(self._sharing(name)) - {name}
        return all(group.isdisjoint(self.known.mentions(s).counts) for s in others)

    def _sharing(self, name: str) -> list[str]:
        """The names that may at some time alias an array, itself included."""
        return self.members[self.classes[name]]

    def _is_list(self, name: str) -> bool:
        return isinstance(self.types[name], ListOf)

    # --- what goes around

    def _cycle(self, name: str, body: Sequence[gast.stmt], carried: set[str]) -> _Cycle | None:
        """How the names that are carried pass the array on: by plain assignments at the end of each iteration."""
        if any(self._is_list(n) or self._assignments(n, body) != 1 for n in carried):
            return None
        source = {n: n for n in carried}
        for statement in body:
            match statement:
                case gast.Assign(targets=[gast.Name(id=to)], value=gast.Name(id=value)) if to in carried:
                    if value != name and value not in carried:
                        return None
                    source[to] = source.get(value, name)
        turns: dict[str, int] = {}
        for _ in carried:
            turns |= {n: 1 if s == name else turns[s] + 1 for n, s in source.items() if s == name or s in turns}
        if len(turns) < len(carried):
            return None
        return _Cycle(name, tuple(sorted(carried)), max(turns.values()))

    def _assignments(self, name: str, body: Sequence[gast.stmt]) -> int:
        """How often the body assigns a name, 2 where it does so in a nested block."""
        nested = sum(name in syntax.names_bound(s) for t in body for b in syntax.blocks_of(t) for s in syntax.walk(b))
        return 2 if nested else sum(name in syntax.names_bound(s) for s in body)

    def _turning(
        self, cycle: _Cycle, made: gast.Assign, outside: gast.stmt, body: list[gast.stmt], before: AbstractSet[str]
    ) -> tuple[list[gast.stmt], list[gast.stmt]]:
        """What stands ahead of the loop, and its body without the allocation."""
        name, kept = cycle.name, [s for s in body if s is not made]
        if len(cycle.carried) == 1 and self.types[cycle.carried[0]] == self.types[name]:
            (current,) = cycle.carried
            end = next(s for s in kept if _is_alias(s, current))
            is_ours = self._is_ours(current, name, before)
            if self._is_elementwise(kept, current, name, end):
                ahead = [] if is_ours else self._own_copy(current, outside)
                return ahead, [self.known.renamed(s, {name: current}) for s in kept if s is not end]
            if is_ours and name not in self._mentioned_behind(kept, end):
                swap = self._turned([current, name], [name, current], end)
                return [outside], [swap if s is end else s for s in kept]
        spares = [self._another(name, "spare") for _ in range(cycle.turns)]
        allocations = [syntax.rebuild(outside, targets=[syntax.target(s)]) for s in spares]
        turned = self._turned([name, *spares], [*spares, name], kept[-1])
        return [outside, *allocations], [*kept, turned]

    def _is_ours(self, current: str, name: str, before: AbstractSet[str]) -> bool:
        """Whether the buffer that a name holds when the loop begins has no alias."""
        group = set(self._sharing(name))
        if not group.isdisjoint(self.function.parameters):
            return False
        return not any(n in before or self._is_list(n) for n in group - {current, name})

    def _is_elementwise(self, body: Sequence[gast.stmt], current: str, name: str, end: gast.stmt) -> bool:
        """Whether each element of the new array may be written over the old array's one of the same index."""
        others = set(self._sharing(name)) - {current, name}
        first = next((k for k, s in enumerate(body) if name in self.known.elements(s)), None)
        last = next(k for k, s in enumerate(body) if s is end)
        if first is None or first >= last or any(not others.isdisjoint(self.known.mentions(s).counts) for s in body):
            return False
        if any(current in self.known.elements(s) for s in body[first + 1 : last]):
            return False
        if name in self._mentioned_behind(body, end):
            return False
        nest = body[first]
        if not self.known.is_plain_nest(nest, self.types):
            return False
        return may_take_place(nest, {current}, {name}, self.known, self.meeting)

    def _mentioned_behind(self, body: Sequence[gast.stmt], end: gast.stmt) -> set[str]:
        last = next(k for k, s in enumerate(body) if s is end)
        return {n for s in body[last + 1 :] for n in self.known.mentions(s).counts}

    # --- new statements

    def _another(self, name: str, wish: str) -> str:
        """A new name for arrays like this one, which may alias them."""
        made = self.names.fresh(wish)
        self.types[made], self.wishes[made] = self.types[name], wish
        self.classes[made] = self.classes[name]
        self.bound[made] = 1  # its allocation is its one assignment
        self._sharing(name).append(made)
        return made

    def _own_copy(self, current: str, outside: gast.stmt) -> list[gast.stmt]:
        """`own = empty(...); own[i, j] = current[i, j] for all i, j; current = own`"""
        copy, type_ = self._another(current, "own"), self.types[current]
        self.own[copy] = current
        counters = [self.names.fresh("i") for _ in type_.dims]  # type: ignore[union-attr]
        for counter, letter in zip(counters, "ijkl"):
            self.types[counter], self.wishes[counter] = INT, letter
        inner = [self._placed(syntax.store(copy, counters, syntax.index(current, *counters)), outside)]
        for axis in range(len(counters) - 1, -1, -1):
            kind = "range" if axis else "prange"
            bound = syntax.call("dim", current, axis=axis)
            inner = [self._placed(syntax.for_range(counters[axis], 0, bound, 1, inner, kind=kind), outside)]
        made = syntax.rebuild(outside, targets=[syntax.target(copy)])
        return [made, *inner, self._placed(syntax.assign(current, syntax.name(copy)), outside)]

    def _copied_at_once(self, made: list[gast.stmt], current: str, source: str) -> list[gast.stmt]:
        """`current = source` and then an own copy of it: the copy is made of the source and needs no other name."""
        allocation, nest, _, *rest = made
        own = allocation.targets[0].id
        copied = self.known.renamed(nest, {current: source, own: current})
        return [self.known.renamed(allocation, {own: current}), copied, *rest]

    def _turned(self, places: list[str], values: list[str], like: gast.stmt) -> gast.stmt:
        """The arrays are swapped: after the loop a name stands for another one than was allocated under it."""
        self.bound.update(places)
        return self._placed(syntax.assign(places, syntax.tuple_(values)), like)

    def _placed(self, statement: gast.stmt, like: gast.stmt) -> gast.stmt:
        return syntax.at(statement, getattr(like, "span", None), getattr(like, "inlined", ()))


def made_in_branches(body: Sequence[gast.stmt]) -> dict[str, list[gast.Assign]]:
    """The allocations in the branches of a body, by name; those in loops inside are for these loops."""
    found: dict[str, list[gast.Assign]] = {}
    for statement in body:
        for block in syntax.blocks_of(statement) if isinstance(statement, gast.If) else ():
            for made in block:
                if makes(made):
                    found.setdefault(_made_name(made), []).append(made)  # type: ignore[arg-type]
            for name, inner in made_in_branches(block).items():
                found.setdefault(name, []).extend(inner)
    return found


def without(body: Sequence[gast.stmt], gone: Sequence[gast.stmt]) -> list[gast.stmt]:
    """A body without some statements of its branches."""
    made: list[gast.stmt] = []
    for statement in body:
        if any(statement is one for one in gone):
            continue
        if isinstance(statement, gast.If):
            blocks = [without(block, gone) for block in syntax.blocks_of(statement)]
            if not blocks[0]:
                blocks[0] = [nothing_in(statement)]
            statement = with_blocks(statement, blocks)
        made.append(statement)
    return made


def _made_name(statement: gast.stmt) -> str:
    return statement.targets[0].id if makes(statement) else ""


def _begins_with_copy(statements: Sequence[gast.stmt], current: str) -> bool:
    """`own = empty(...)`, a nest that fills it, `current = own`; an outer loop may have taken one of them ahead."""
    alias = statements[2] if len(statements) > 2 else None
    return alias is not None and _is_alias(alias, current) and alias.value.id == _made_name(statements[0])


def _is_alias(statement: gast.stmt, name: str) -> bool:
    match statement:
        case gast.Assign(targets=[gast.Name(id=id_)], value=gast.Name()):
            return id_ == name
    return False

