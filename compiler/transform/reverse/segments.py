"""Cut loops that `checkpoint` marks into segments: functions of their own, of which only the start is kept.

    for t in checkpoint(range(n)):               for k in range(pieces):
        s = step(s, x[t])               ->           first, last = k * size, minimum((k + 1) * size, n)
                                                     s = t_segment(first, last, s, x)

    while checkpoint(s > x):                     while s > x:
        s = step(s, x)                  ->           s = s_segment(size, s, x)           at most `size` iterations
                                                     size = size + 1

    for t in checkpoint(range(n), memory=...)    s = t_turns(0, n, slots, leaf, s, x)    recomputed by t_halves
        s = step(s, x[t])               ->

The backward sweep keeps what a segment begins with, and runs each segment once more before it goes back through it.
With segments of about the square root of n iterations it keeps about two square roots of n states in place of n; so it
does with segments that are one iteration longer each, where n is unknown.  With a budget the two parts of a loop are
cut again when they are recomputed, by the binomial schedule: with `slots` states kept at a time, and C(slots + r,
slots) times `leaf` iterations, each iteration is run at most r + 1 times.

Source: A. Griewank and A. Walther, Evaluating Derivatives (2008), chapter 12; Algorithm 799: Revolve (2000).
Takes and gives typed programs.  Keeps values; of the loop inside a segment nothing is said any more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gast

from ... import syntax
from ...builder import Builder, Specialiser
from ...dtypes import FLOAT_WORD
from ...names import Names
from ...ops.rules import schedule
from ...program import Decision, Function, Program
from ...types import INT
from .loop_carried import LoopState
from .settle import assigned


def segmented(program: Program, specialiser: Specialiser | None) -> Program:
    """The program with its marked loops in segments; the same object where there are none."""
    if not any(_is_marked(s) for f in program.functions.values() for s in syntax.walk(f.body)):
        return program
    cutter = _Cutter(program, specialiser)
    functions = {name: cutter.function(function) for name, function in program.functions.items()}
    return Program(program.entry, {**functions, **cutter.made})


def _is_marked(statement: gast.stmt) -> bool:
    return isinstance(statement, gast.For | gast.While) and getattr(statement, "segments", None) is not None


class _Cutter:
    def __init__(self, program: Program, specialiser: Specialiser | None) -> None:
        self.names, self.specialiser = Names(program.functions), specialiser
        self.made: dict[str, Function] = {}

    def function(self, function: Function) -> Function:
        if not any(map(_is_marked, syntax.walk(function.body))):
            return function
        table = dict(function.types)
        builder = Builder(Names({*table, *function.parameters}), table)
        decisions: list[Decision] = []
        body = self._block(function, builder, function.body, {*function.parameters}, decisions)
        return function.with_(body=tuple(body), types=table, decisions=(*function.decisions, *decisions))

    def _block(
        self, function: Function, builder: Builder, body: Sequence[gast.stmt], before: set[str],
        decisions: list[Decision],
    ) -> list[gast.stmt]:  # fmt: skip
        made: list[gast.stmt] = []
        for statement in body:
            if _is_marked(statement):
                made += self._cut(function, builder, statement, before)
                decisions.append(_decision(statement))
            elif syntax.blocks_of(statement):
                inside = before | set(syntax.names_bound(statement))  # what a loop carries is assigned before it
                blocks = syntax.blocks_of(statement)
                parts = [self._block(function, builder, block, inside, decisions) for block in blocks]
                made.append(syntax.rebuild(statement, **dict(zip(("body", "orelse"), parts))))
            else:
                made.append(statement)
            before = before | set(assigned([statement]))
        return made

    def _cut(self, function: Function, builder: Builder, loop: gast.stmt, before: set[str]) -> list[gast.stmt]:
        state = LoopState(function, loop, before)
        outer, builder.body, builder.span = builder.body, [], loop.span
        if isinstance(loop, gast.While):
            self._while(builder, state)
        elif loop.budget is not None:
            self._within(builder, state, loop.budget)
        else:
            self._pieces(builder, state)
        made, builder.body = builder.body, outer
        return [syntax.at(s, loop.span, getattr(loop, "inlined", ())) for s in made]

    def _pieces(self, builder: Builder, state: LoopState) -> None:
        """A loop over the segments, all of the same length but for the last."""
        name = self._add(f"{state.hint}_segment", state.segment)
        start, stop = state.bounds()
        pieces, size = _sizes(builder, start, stop, state.loop.segments)
        ahead, builder.body = builder.body, []
        index = builder.names.fresh("k")
        builder.types[index] = INT
        first = builder.call("add", start, builder.call("multiply", index, size), hint="first")
        end = builder.call("add", first, size)
        last = builder.call("where", builder.call("less", end, stop), end, stop, hint="last")
        state.take(builder, state.call(builder, name, first, last))
        builder.body = [*ahead, syntax.for_range(index, 0, pieces, 1, builder.body)]

    def _while(self, builder: Builder, state: LoopState) -> None:
        """Segments that are one iteration longer each."""
        name = self._add(f"{state.hint}_segment", state.some_turns)
        size = builder.names.fresh("size")
        builder.types[size] = INT
        builder.merged.add(size)
        ahead, builder.body = [*builder.body, syntax.assign(size, syntax.constant(1))], []
        results = state.call(builder, name, syntax.name(size))
        longer = builder.call("add", size, 1)
        state.take(builder, results)
        builder.append(syntax.assign(size, longer))
        builder.body = [*ahead, syntax.while_(state.loop.test, builder.body)]

    def _within(self, builder: Builder, state: LoopState, budget: int) -> None:
        """One call, whose iterations are recomputed in two parts."""
        turns = self.names.fresh(f"{state.hint}_turns")
        leaves = self._add(f"{state.hint}_leaf", state.segment)
        halves = self._add(f"{state.hint}_halves", lambda name: state.bisected(name, turns, leaves, self.specialiser))
        self.made[turns] = state.turns(turns, halves)
        builder.specialiser = self.specialiser
        slots, leaf = builder.expand(schedule("slots_and_leaf"), [syntax.constant(budget), state.bytes(builder)], {})
        state.take(builder, state.call(builder, turns, *state.bounds(), slots, leaf))

    def _add(self, hint: str, make: Callable[[str], Function]) -> str:
        name = self.names.fresh(hint)
        self.made[name] = make(name)
        return name


def _sizes(builder: Builder, start: gast.expr, stop: gast.expr, segments: int) -> tuple[gast.expr, gast.expr]:
    """How many segments there are, and how many iterations each has but for the last."""
    turns = builder.call("subtract", stop, start)
    trips = builder.call("where", builder.call("less", 1, turns), turns, 1, hint="trips")
    if segments:
        size = builder.call("floor_divide", builder.call("add", trips, segments - 1), segments, hint="size")
    else:
        root = builder.call("math_sqrt", builder.call("cast", trips, dtype=FLOAT_WORD, weak=True))
        size = builder.call("math_ceil", root, hint="size")
    more = builder.call("add", turns, builder.call("subtract", size, 1))
    return builder.call("floor_divide", more, size, hint="pieces"), size


def _decision(loop: gast.stmt) -> Decision:
    if isinstance(loop, gast.While):
        how = "segments of one iteration, two, three, ..."
    elif loop.budget is not None:
        how = (
            f"line {loop.span.line}: within {loop.budget / 1e6:g} MB; the backward sweep keeps s states, as many as "
            "half of that holds, and runs each iteration again: r + 1 forward runs in all, r the least for which "
            "there are no more than C(s + r, s) times s / 4 iterations"
        )
        return Decision("checkpoint", how)
    elif loop.segments:
        how = f"{loop.segments} segments"
    else:
        how = "segments of about the square root of its iterations"
    what = "the backward sweep keeps what each begins with and runs each iteration again: 2 forward runs in all"
    return Decision("checkpoint", f"line {loop.span.line}: in {how}; {what}")
