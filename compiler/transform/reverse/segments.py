"""Cut loops that `checkpoint` marks into segments: functions of their own, of which only the start is kept.

    for t in checkpoint(range(n)):               for k in range(pieces):
        s = step(s, x[t])               ->           first, last = k * size, minimum((k + 1) * size, n)
                                                     s = t_segment(first, last, s, x)

The backward sweep keeps what a segment begins with, and runs each segment once more before it goes back through it.
With segments of about the square root of n turns it keeps about two square roots of n states in place of n.

Source: A. Griewank and A. Walther, Evaluating Derivatives (2008), chapter 12.
Takes and gives typed programs.  Keeps values; of the loop inside a segment nothing is said any more.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ... import syntax
from ...builder import Builder
from ...dtypes import FLOAT_WORD
from ...names import Names
from ...ops.forms import CHANGES_FIRST
from ...program import Decision, Function, Program, Rule
from ...types import INT, Array, ListOf, Type, is_floating, rank
from .refuse import refuse
from .settle import assigned


def segmented(program: Program) -> Program:
    """The program with its marked loops in segments; the same object where there are none."""
    if not any(_is_marked(s) for f in program.functions.values() for s in syntax.walk(f.body)):
        return program
    cutter = _Cutter(program)
    functions = {name: cutter.function(function) for name, function in program.functions.items()}
    return Program(program.entry, {**functions, **cutter.made})


def _is_marked(statement: gast.stmt) -> bool:
    return isinstance(statement, gast.For) and getattr(statement, "segments", None) is not None


class _Cutter:
    def __init__(self, program: Program) -> None:
        self.names = Names(program.functions)
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

    def _cut(self, function: Function, builder: Builder, loop: gast.For, before: set[str]) -> list[gast.stmt]:
        state = _State(function, loop, before)
        name = self.names.fresh(f"{loop.target.id}_segment")
        self.made[name] = state.segment(name)
        outer, builder.body, builder.span = builder.body, [], loop.span
        start, stop, step = loop.iter.args
        if not (isinstance(step, gast.Constant) and step.value == 1):
            raise refuse(loop, "G004", "a loop in segments counts up by one", "write `range(start, stop)`")
        pieces, size = _sizes(builder, start, stop, loop.segments)
        ahead, builder.body = builder.body, []
        index = builder.names.fresh("k")
        builder.types[index] = INT
        first = builder.call("add", start, builder.call("multiply", index, size), hint="first")
        end = builder.call("add", first, size)
        last = builder.call("where", builder.call("less", end, stop), end, stop, hint="last")
        atoms = [first, last, *(syntax.name(n) for n in state.callers)]
        results = []
        for one in (*state.carried, *state.stored):
            results.append(builder.names.fresh(one))
            builder.types[results[-1]] = builder.types[one]
        builder.append(syntax.assign(results if len(results) > 1 else results[0], syntax.call(name, *atoms)))
        for one, value in zip(state.stored, results[len(state.carried) :]):
            whole = [syntax.slice_()] * rank(builder.types[one])
            builder.append(syntax.store(one, whole, syntax.name(value)))
        for one, value in zip(state.carried, results):
            builder.append(syntax.assign(one, syntax.name(value)))
        body, builder.body = builder.body, outer
        around = syntax.for_range(index, 0, pieces, 1, body)
        return [syntax.at(s, loop.span, getattr(loop, "inlined", ())) for s in (*ahead, around)]


def _sizes(builder: Builder, start: gast.expr, stop: gast.expr, segments: int) -> tuple[gast.expr, gast.expr]:
    """How many segments there are, and how many turns each has but for the last."""
    turns = builder.call("subtract", stop, start)
    trips = builder.call("where", builder.call("less", 1, turns), turns, 1, hint="trips")
    if segments:
        size = builder.call("floor_divide", builder.call("add", trips, segments - 1), segments, hint="size")
    else:
        root = builder.call("math_sqrt", builder.call("cast", trips, dtype=FLOAT_WORD, weak=True))
        size = builder.call("math_ceil", root, hint="size")
    more = builder.call("add", turns, builder.call("subtract", size, 1))
    return builder.call("floor_divide", more, size, hint="pieces"), size


def _decision(loop: gast.For) -> Decision:
    how = f"{loop.segments} segments" if loop.segments else "segments of about the square root of its turns"
    text = f"line {loop.span.line}: in {how}; the backward sweep keeps what each begins with and runs each turn again: "
    return Decision("checkpoint", f"{text}2 forward runs in all")


def _changed(statement: gast.stmt) -> str | None:
    """The array or list that a statement changes."""
    value = statement.value if isinstance(statement, gast.Expr) else None
    if value is not None and syntax.operator_of(value) in CHANGES_FIRST:
        return str(value.args[0].id)
    return syntax.stored_base(statement)


class _State:
    """What a loop hands on from turn to turn, and what it reads."""

    def __init__(self, function: Function, loop: gast.For, before: set[str]) -> None:
        self.function, self.loop = function, loop
        inside = assigned(loop.body)
        own = {n for s in syntax.walk(loop.body) if isinstance(s, gast.For) for n in syntax.names_bound(s)}
        self.carried = [n for n in inside if n in before]
        bases = [b for s in syntax.walk(loop.body) if (b := _changed(s)) and b not in inside]
        self.stored = list(dict.fromkeys(bases))
        read = [n for s in syntax.walk(loop.body) for n in syntax.names_read(s)]
        apart = {*inside, *own, *self.stored, loop.target.id}
        self.read = [n for n in dict.fromkeys(read) if n not in apart and n in function.types]
        for name in (*self.stored, *self.carried, *self.read):
            if isinstance(function.types[name], ListOf):
                raise refuse(loop, "G004", "a loop in segments hands on numbers and arrays, and no list that grows",
                             "store into an array that is made before the loop")  # fmt: skip
        if not self.carried and not self.stored:
            message = "a loop in segments hands something on from turn to turn"
            raise refuse(loop, "G004", message, "leave `checkpoint` out")

    def segment(self, name: str) -> Function:
        """The function that runs some of the turns."""
        function, loop = self.function, self.loop
        table: dict[str, Type] = dict(function.types)
        names = Names(table)
        first, last = names.fresh("first"), names.fresh("last")
        table[first] = table[last] = INT
        made: list[gast.stmt] = []
        parameters = [first, last]
        given = {one: one for one in self.read}
        for one in (*self.carried, *self.stored):
            type_ = table[one]
            start = names.fresh(f"{one}_start")
            table[start] = Array(type_.dtype, type_.dims, "A") if isinstance(type_, Array) else type_
            value = syntax.call("copy", start) if isinstance(type_, Array) else syntax.name(start)
            if isinstance(type_, Array):
                table[one] = Array(type_.dtype, type_.dims)
            made.append(syntax.assign(one, value))
            given[start] = one
        parameters += list(given)
        self.callers = tuple(given.values())
        turns = syntax.rebuild(loop, iter=syntax.call("range", first, last, 1), segments=None)
        returned = [*self.carried, *self.stored]
        made += [turns, syntax.return_([syntax.name(n) for n in returned])]
        body = tuple(syntax.at(s, loop.span, getattr(s, "inlined", ()) or getattr(loop, "inlined", ())) for s in made)
        used = syntax.names_of(parameters, body)
        results = tuple(table[n] for n in returned)
        rule = Rule(
            "checkpoint", (), tuple(k for k, p in enumerate(parameters) if is_floating(table[p])),
            tuple(k for k, type_ in enumerate(results) if is_floating(type_)), (), len(parameters),
        )  # fmt: skip
        return Function(
            name, tuple(parameters), body, "typed", function.origin, {n: table[n] for n in used if n in table}, results,
            temporaries=function.temporaries & set(used), rule=rule,
        )  # fmt: skip

