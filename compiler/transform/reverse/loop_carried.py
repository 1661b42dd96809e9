"""The loop-carried state of a loop that is cut into segments, and the functions that run some of its iterations.

    for t in range(n): s = step(s, x[t])     ->     def t_segment(first, last, s_start, x): ...; return s

Takes typed loops; gives typed functions with a rule: of a call of them only the arguments are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gast

from ... import syntax
from ...analysis.length_owners import owners
from ...analysis.memory.alias import stored_names
from ...builder import Builder, Specialiser
from ...dtypes import NUMPY_DTYPE
from ...names import Names
from ...ops.rules import schedule
from ...program import Function, Rule
from ...types import INT, Array, ListOf, Type, is_floating, rank, symbols_of, with_lengths
from .refuse import refuse
from .settle import assigned


class LoopState:
    """The loop-carried state, and what the loop reads."""

    def __init__(self, function: Function, loop: gast.stmt, before: set[str]) -> None:
        self.function, self.loop = function, loop
        self.hint = loop.target.id if isinstance(loop, gast.For) else "while"
        inside = assigned(loop.body)
        own = {n for s in syntax.walk(loop.body) if isinstance(s, gast.For) for n in syntax.names_bound(s)}
        self.carried = [n for n in inside if n in before]
        bases = [b for s in syntax.walk(loop.body) for b in stored_names(s) if b not in inside]
        self.stored = list(dict.fromkeys(bases))
        handed = {*self.carried, *self.stored}
        self.own_lengths = {symbol for symbol, owner in owners(function).items() if owner in handed}
        read = [n for s in syntax.walk(loop.body) for n in syntax.names_read(s)]
        if isinstance(loop, gast.While):
            read += [n.id for n in syntax.nodes_of(loop.test) if isinstance(n, gast.Name)]
        apart = {*inside, *own, *self.stored, self.hint}
        self.read = [n for n in dict.fromkeys(read) if n not in apart and n in function.types]
        for name in (*self.stored, *self.carried, *self.read):
            if isinstance(function.types[name], ListOf):
                raise refuse(loop, "G004", "a loop in segments hands on numbers and arrays, and no list that grows",
                             "store into an array that is made before the loop")  # fmt: skip
        if not self.carried and not self.stored:
            message = "a loop in segments hands something on from iteration to iteration"
            raise refuse(loop, "G004", message, "leave `checkpoint` out")

    def bounds(self) -> tuple[gast.expr, gast.expr]:
        start, stop, step = self.loop.iter.args
        if not (isinstance(step, gast.Constant) and step.value == 1):
            raise refuse(self.loop, "G004", "a loop in segments counts up by one", "write `range(start, stop)`")
        return start, stop

    def with_other_lengths(self, builder: Builder, names: Sequence[str]) -> list[Type]:
        """The types of the state where it is another value than in the loop: its lengths may be others."""
        found = {s for name in names for s in symbols_of(builder.types[name]) if s in self.own_lengths}
        lengths = {symbol: builder.fresh_symbol(symbol) for symbol in sorted(found)}
        return [with_lengths(builder.types[name], lengths) for name in names]

    def bytes(self, builder: Builder) -> gast.expr:
        """How much memory one state takes."""
        total: gast.expr = syntax.constant(8 * len(self.carried))
        for name in (*self.carried, *self.stored):
            type_ = self.function.types[name]
            if isinstance(type_, Array):
                size: gast.expr = syntax.constant(NUMPY_DTYPE[type_.dtype].itemsize)
                for axis in range(type_.ndim):
                    size = builder.call("multiply", size, builder.call("dim", name, axis=axis))
                total = builder.call("add", total, size)
        return total

    # --- the functions

    def segment(self, name: str) -> Function:
        """Some iterations of a loop that counts."""
        return _Part(self, name, ("first", "last")).done(lambda part: [part.counted()])

    def some_turns(self, name: str) -> Function:
        """At most so many iterations of a `while`."""
        part = _Part(self, name, ("size",))
        (size,) = part.numbers
        count = part.builder.names.fresh("k")
        part.builder.types[count] = INT
        part.builder.merged.add(count)

        def body(part: _Part) -> list[gast.stmt]:
            part.builder.body = []
            more = part.builder.call("add", count, 1)
            ahead, part.builder.body = part.builder.body, []
            part.builder.append(syntax.assign(count, more))
            turn = [*ahead, *self.loop.body, *part.builder.body]
            test = gast.BoolOp(gast.And(), [syntax.call("less", count, size), self.loop.test])
            return [syntax.assign(count, syntax.constant(0)), syntax.while_(test, turn)]

        return part.done(body)

    def turns(self, name: str, halves: str) -> Function:
        """Some iterations of a loop that counts, which are recomputed in two parts."""
        part = _Part(self, name, ("first", "last", "slots", "leaf"))
        return part.done(lambda part: [part.counted()], (halves,))

    def bisected(self, name: str, turns: str, leaves: str, specialiser: Specialiser | None) -> Function:
        """The same iterations, where they are more than `leaf` as two calls: after the first a state is kept."""
        part = _Part(self, name, ("first", "last", "slots", "leaf"))
        first, last, slots, leaf = part.numbers
        builder = part.builder
        builder.specialiser = specialiser

        def body(part: _Part) -> list[gast.stmt]:
            builder.body = []
            count = builder.call("subtract", last, first)
            test = builder.call("less_equal", count, leaf)
            ahead, builder.body = builder.body, []
            (left,) = builder.expand(schedule("turns_ahead"), [syntax.atom(a) for a in (count, slots, leaf)], {})
            middle = builder.call("add", first, left, hint="middle")
            fewer = builder.call("subtract", slots, 1)
            atoms = [syntax.name(n) for n in (first, last, slots, leaf)]
            half = self.call(builder, turns, atoms[0], middle, *atoms[2:], state=part.starts)
            whole = self.call(builder, turns, middle, atoms[1], fewer, atoms[3], state=half)
            for end, value in zip(part.returned, whole):
                builder.append(syntax.assign(end, syntax.name(value)))
            more, builder.body = builder.body, []
            for end, value in zip(part.returned, self.call(builder, leaves, *atoms[:2], state=part.starts)):
                builder.append(syntax.assign(end, syntax.name(value)))
            return [*ahead, syntax.if_(test, builder.body, more)]

        handed = [*self.carried, *self.stored]
        part.returned = [builder.names.fresh(one) for one in handed]
        builder.types.update(zip(part.returned, self.with_other_lengths(builder, handed)))
        builder.merged.update(part.returned)
        return part.done(body, copies=())

    def call(self, builder: Builder, name: str, *numbers: gast.expr, state: Sequence[str] = ()) -> list[str]:
        """Pass the state to one of these functions: the names of its results."""
        handed = [*self.carried, *self.stored]
        atoms = [*numbers, *(syntax.name(n) for n in (*(state or handed), *self.read))]
        results = [builder.names.fresh(one) for one in handed]
        builder.types.update(zip(results, self.with_other_lengths(builder, handed)))
        builder.append(syntax.assign(results if len(results) > 1 else results[0], syntax.call(name, *atoms)))
        return results

    def take(self, builder: Builder, results: Sequence[str]) -> None:
        """Make the results the state; what is loop-carried is assigned last."""
        for one, value in zip(self.stored, results[len(self.carried) :]):
            whole = [syntax.slice_()] * rank(builder.types[one])
            builder.append(syntax.store(one, whole, syntax.name(value)))
        for one, value in zip(self.carried, results):
            builder.append(syntax.assign(one, syntax.name(value)))


class _Part:
    """A function of some of the iterations: of some numbers, the state, and what the loop reads."""

    def __init__(self, state: LoopState, name: str, numbers: Sequence[str]) -> None:
        self.state, self.name = state, name
        table: dict[str, Type] = dict(state.function.types)
        self.builder = Builder(Names(table), table)
        self.builder.span, self.builder.inlined = state.loop.span, getattr(state.loop, "inlined", ())
        self.numbers = [self.builder.names.fresh(n) for n in numbers]
        table.update((n, INT) for n in self.numbers)
        self.starts: list[str] = []
        self.copies: list[gast.stmt] = []
        self.parameters = list(self.numbers)
        self.returned = handed = [*state.carried, *state.stored]
        for one, type_ in zip(handed, state.with_other_lengths(self.builder, handed)):
            start = self.builder.names.fresh(f"{one}_start")
            table[start] = Array(type_.dtype, type_.dims, "A") if isinstance(type_, Array) else type_
            value = syntax.call("copy", start) if isinstance(type_, Array) else syntax.name(start)
            if isinstance(table[one], Array):
                table[one] = Array(table[one].dtype, table[one].dims)
            self.copies.append(syntax.assign(one, value))
            self.starts.append(start)
        self.parameters += [*self.starts, *state.read]

    def counted(self) -> gast.stmt:
        """The iterations from `first` to `last`."""
        first, last = self.numbers[:2]
        return syntax.rebuild(self.state.loop, iter=syntax.call("range", first, last, 1), segments=None)

    def done(
        self, body: Callable[[_Part], list[gast.stmt]], again: tuple[str, ...] = (),
        copies: Sequence[gast.stmt] | None = None,
    ) -> Function:  # fmt: skip
        """The function, of which only the arguments are kept: `again` is what the pullback runs in its place."""
        table, function, loop, returned = self.builder.types, self.state.function, self.state.loop, self.returned
        start = self.copies if copies is None else copies
        made = [*start, *body(self), syntax.return_([syntax.name(n) for n in returned])]
        inlined = getattr(loop, "inlined", ())
        placed = tuple(syntax.at(s, loop.span, getattr(s, "inlined", ()) or inlined) for s in made)
        used = syntax.names_of(self.parameters, placed)
        results = tuple(table[n] for n in returned)
        rule = Rule(
            "checkpoint", again, tuple(k for k, p in enumerate(self.parameters) if is_floating(table[p])),
            tuple(k for k, type_ in enumerate(results) if is_floating(type_)), (), len(self.parameters),
        )  # fmt: skip
        return Function(
            self.name, tuple(self.parameters), placed, "typed", function.origin,
            {n: table[n] for n in used if n in table}, results,
            temporaries=function.temporaries & set(used), rule=rule,
        )  # fmt: skip
