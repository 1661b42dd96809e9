"""Add to an element all that neighbours give it in one pass.

    for j in prange(n):                       for j in range(1):
        b[j + 1] = b[j + 1] + t[j]                if j < n: b[j] = b[j] + t[j]
    for j in prange(n):               ->      for j in range(maximum(n, 1), n + 1):
        b[j] = b[j] + t[j]                        if j - 1 < n: b[j] = b[j] + t[j - 1]
                                              for j in prange(n - 1):
                                                  b[j + 1] = b[j + 1] + t[j] + t[j + 1]

Nests that stand one after the other, over the same ranges, and add to one array at indices that differ by constants, as
the backward sweep of a stencil does.  Elements near the ends, which not all of them reach, are added to by a nest for
each end, which asks of every term whether it reaches as far: code for each term, end and row there would be most of a
stencil's.  Every element gets what it got, in the same order: values stay the same to the bit.  Takes and gives
functions of the loops stage; leaves nests that can fail, or whose terms read the array that they add to, and terms
whose indices differ along more than two axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import gast

from .. import syntax
from ..analysis.integers.nest_scope import NestScope
from ..lower.arithmetic import ZERO, minus, plus
from ..lower.remarks import lines_of, told
from ..program import Decision, Function
from ..renaming import placed
from ..tuning import MOST_EDGES, MOST_NEIGHBOURS, WIDEST_EDGE
from .effects import ReadCollector
from .known import known as known_of
from .scattered_terms import Term, greatest, moved, nest_over, same_ranges, stop_of, term_of, whole


def gather(function: Function) -> Function:
    """The function with one pass for what several nests add to one array; the same object where there are none."""
    if not any(_neighbours(block) for block in _blocks(function.body)):
        return function
    gatherer = _Gatherer(function)
    body = gatherer.block(function.body, NestScope())
    if not gatherer.gathered:
        return function
    return function.with_(body=tuple(body), decisions=(*function.decisions, *gatherer.decisions()))


def _blocks(body: Sequence[gast.stmt]) -> list[Sequence[gast.stmt]]:
    return [body, *(block for statement in syntax.walk(body) for block in syntax.blocks_of(statement))]


def _neighbours(block: Sequence[gast.stmt]) -> bool:
    """Whether two terms of one pattern and other moves stand one after the other."""
    terms = [term_of(statement) for statement in block]
    pairs = [(a, b) for a, b in pairwise(terms) if a is not None and b is not None]
    return any(a.pattern == b.pattern and a.moves != b.moves for a, b in pairs)


class _Gatherer:
    def __init__(self, function: Function) -> None:
        self.reader = ReadCollector(function, known_of(function), in_place=True)
        self.integers = self.reader.integers
        self.gathered: list[gast.stmt] = []

    def decisions(self) -> list[Decision]:
        lines = dict.fromkeys(told(lines_of(nest)) for nest in self.gathered)
        return [Decision("loops", f"what {where} adds to neighbours is taken in one pass") for where in lines]

    def block(self, statements: Sequence[gast.stmt], scope: NestScope) -> list[gast.stmt]:
        made: list[gast.stmt] = []
        run: list[Term] = []
        for statement in statements:
            term = self._term(statement, scope)
            if run and (term is None or not self._joins(run, term)):
                made += self._finished(run)
                run = []
            if term is None:
                made.append(self._inside(statement, scope))
            else:
                run.append(term)
            scope = self.integers.behind(scope, statement)
        return [*made, *self._finished(run)]

    def _inside(self, statement: gast.stmt, scope: NestScope) -> gast.stmt:
        match statement:
            case gast.If(body=body, orelse=orelse):
                return syntax.rebuild(statement, body=self.block(body, scope), orelse=self.block(orelse, scope))
            case gast.While(body=body):
                return syntax.rebuild(statement, body=self.block(body, self.integers.within(scope, statement)))
            case gast.For(body=body):
                return syntax.rebuild(statement, body=self.block(body, self.integers.within(scope, statement)))
        return statement

    def _term(self, statement: gast.stmt, scope: NestScope) -> Term | None:
        """The statement as a term that may be added later: it cannot fail, and reads nothing that it adds to."""
        term = term_of(statement)
        if term is None:
            return None
        found = self.reader.of(statement, scope)
        classes = self.reader.classes
        read = {classes[name] for name in syntax.names_read(term.value) if name in classes}
        return None if found.fails or found.opaque or classes[term.array] in read else term

    def _joins(self, run: Sequence[Term], term: Term) -> bool:
        if len(run) >= MOST_NEIGHBOURS or any(map(_is_short, term.loops)):
            return False
        if not same_ranges(run[0], term, self._same_range):
            return False
        spreads = [s for s in _spreads([*run, term]) if s]
        return len(spreads) <= 2 and max(spreads, default=0) <= WIDEST_EDGE

    def _same_range(self, first: gast.For, second: gast.For) -> bool:
        ends = set(self.integers.ends(stop_of(first))), set(self.integers.ends(stop_of(second)))
        return bool(ends[0]) and ends[0] == ends[1]

    def _finished(self, run: Sequence[Term]) -> list[gast.stmt]:
        """The nests of the terms, or what takes their place."""
        spread = [axis for axis, width in enumerate(_spreads(run)) if width] if run else []
        if not spread or 2 * len(spread) * len(run) > MOST_EDGES:
            return [term.nest for term in run]
        self.gathered += [term.nest for term in run]
        edges = [nest for axis in spread for nest in _edges(run, axis, spread)]
        return [*edges, _gathered(run)]


def _is_short(loop: gast.For) -> bool:
    """Whether a loop is known to have few iterations, as those of edges have."""
    match stop_of(loop):
        case gast.Constant(value=turns) | gast.Call(func=gast.Name(id="minimum"), args=[_, gast.Constant(value=turns)]):
            return bool(turns <= WIDEST_EDGE)
    return False


def _spreads(run: Sequence[Term]) -> list[int]:
    """How far the targets of the terms are from each other, along each loop."""
    return [max(moves) - min(moves) for moves in zip(*(term.moves for term in run))]


def _gathered(run: Sequence[Term]) -> gast.For:
    """The nest over the elements that all terms reach: its counters begin where the first of them does."""
    first = run[0]
    last = [max(moves) for moves in zip(*(term.moves for term in run))]
    counters = [syntax.name(name) for name in first.counters]
    place = _place(first, [plus(counter, far - move) for counter, far, move in zip(counters, last, first.moves)])
    value: gast.expr = syntax.rebuild(place, ctx=syntax.LOAD)
    for term in run:
        at = [plus(counter, far - move) for counter, far, move in zip(counters, last, term.moves)]
        value = syntax.call(term.operator, value, moved(term.value, dict(zip(term.counters, at))))
    bounds = [(ZERO, minus(stop_of(loop), width)) for loop, width in zip(first.loops, _spreads(run))]
    return nest_over(first.loops, bounds, [_store(first, place, value)])


def _place(term: Term, counters: Sequence[gast.expr]) -> gast.expr:
    return moved(_statement(term).targets[0], dict(zip(term.counters, counters)))


def _statement(term: Term) -> gast.Assign:
    statement = term.loops[-1].body[0]
    assert isinstance(statement, gast.Assign)
    return statement


def _store(term: Term, place: gast.expr, value: gast.expr) -> gast.stmt:
    return syntax.rebuild(_statement(term), targets=[place], value=value)


def _edges(run: Sequence[Term], axis: int, spread: Sequence[int]) -> list[gast.stmt]:
    """What the terms give to the elements at both ends of an axis; along those before it, where all of them reach.

    A nest for each end: its loop along the axis asks of every term whether it reaches as far, and runs it there.
    """
    loops, width = run[0].loops, _spreads(run)
    bounds = [whole(loop) for loop in loops[: axis + 1]]
    for other in spread[: spread.index(axis)]:
        bounds[other] = ZERO, minus(stop_of(loops[other]), width[other])
    stop = stop_of(loops[axis])
    low, high = (ZERO, syntax.constant(width[axis])), (greatest(stop, width[axis]), plus(stop, width[axis]))
    made: list[gast.stmt] = []
    for end, bounds[axis] in enumerate((low, high)):
        reaching = [term for term in run if _reach(run, term, axis)[end]]
        body = [statement for term in reaching for statement in _where_reached(run, term, axis, end == 0)]
        made.append(nest_over(loops[: axis + 1], bounds, body, "range"))
    return made


def _where_reached(run: Sequence[Term], term: Term, axis: int, is_low: bool) -> list[gast.stmt]:
    """What a term gives to elements at one place of an axis, if it reaches that far."""
    counters = [syntax.name(name) for name in run[0].counters]
    place = [plus(counter, _reach(run, term, other)[0]) for other, counter in enumerate(counters[:axis])]
    behind = _reach(run, term, axis)[1]
    at = dict(zip(term.counters, [*place, minus(counters[axis], behind), *counters[axis + 1 :]]))
    tests = [syntax.call("less", minus(counters[axis], behind), stop_of(term.loops[axis]))]
    if is_low and behind:
        tests.insert(0, syntax.call("greater_equal", counters[axis], syntax.constant(behind)))
    target = moved(_statement(term).targets[0], at)
    value = syntax.call(term.operator, syntax.rebuild(target, ctx=syntax.LOAD), moved(term.value, at))
    made: gast.stmt = _store(term, target, value)
    inside = run[0].loops[axis + 1 :]
    if inside:
        made = nest_over(inside, [whole(loop) for loop in inside], [made], "range")
    test = tests[0] if len(tests) == 1 else gast.BoolOp(gast.And(), tests)
    return placed([syntax.if_(test, [made])], term.nest)


def _reach(run: Sequence[Term], term: Term, axis: int) -> tuple[int, int]:
    """How far this term begins before the last of them, and how far it ends after the first, along an axis."""
    moves = [other.moves[axis] for other in run]
    return max(moves) - term.moves[axis], term.moves[axis] - min(moves)
