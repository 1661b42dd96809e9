"""Distribute the loop over the examples over the statements of a function.

    for b in range(batch):             y = matmul(x, w.T)              one product for all examples
        y = matmul(w, x[b])            for b in range(0, batch, 1):
        while y[0] > 1.0: ...    ->        while ...                   stays in a loop: its test depends on the example
        out[b] = ...                       out[b] = ...

Takes the body of a typed function of one example and what varies in it; gives statements on the values of all examples.
What does not vary stays as it is, outside; a counted loop that is the same for all examples stays outermost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import gast

from ... import syntax
from ...analysis.def_use import def_use
from ...builder import Builder
from ...diagnostics import InternalError
from ...ops.batching import Examples, stacked
from ...ops.schema import Operator
from ...program import Decision, Function
from ...types import Array, Type
from .crossing import crossing
from .grouping import closing, groups
from .judging import Judge
from .lengths import Lengths
from .looping import ExampleLoop
from .stacking import Stacking, static_of, trial
from .varying import Varying

Made = TypeVar("Made", bound=gast.AST)


class Looped(Exception):
    """Statements would stay in a loop over the examples."""


class Distributor:
    """Writes the statements of one function of an example, for all examples, into a builder."""

    def __init__(
        self, function: Function, varying: Varying, builder: Builder, examples: Examples,
        axis_name: str | None = None, may_loop: bool = True,
    ) -> None:  # fmt: skip
        self.may_loop = may_loop
        self.function, self.varying, self.builder, self.examples = function, varying, builder, examples
        self.axis_name = axis_name
        self.lengths = Lengths(builder)
        self.stacking = Stacking(builder, varying, examples)
        self.judge = Judge(function, varying, trial(varying, examples), axis_name)
        self.definitions = def_use(function).definitions
        self.merged = self.judge.merged
        self.decisions: list[Decision] = []
        self.collected: set[str] = set()  # results whose lengths are one by now

    # --- blocks

    def block(self, statements: Sequence[gast.stmt], is_inner: bool = False) -> None:
        """Append the statements of a block, those that stay together in loops over the examples."""
        done, end = 0, closing(statements, self.judge, is_inner)
        for run in groups(statements, self.judge, is_inner):
            self._each(statements[done : run.first])
            last = run.last
            while last > run.forced and not self._tells_lengths(statements[run.first : last + 1]):
                last -= 1
            self._looped(statements[run.first : last + 1])
            done = last + 1
        self._each(statements[done : max(done, end)])
        self._updates(statements[max(done, end) :])

    def _tells_lengths(self, run: Sequence[gast.stmt]) -> bool:
        """Whether the lengths of what a run computes for others are known before it."""
        inside = list(syntax.walk(run))
        made = {n for s in inside for n in syntax.names_bound(s) if n not in self.merged}
        arrays = [n for n in made if n in self.varying.names and isinstance(self.varying.types.get(n), Array)]
        unknown = [n for n in arrays if not self.lengths.knows(self.varying.types[n])]
        return not any(self.judge.is_seen_outside(n, inside) for n in unknown)

    def _each(self, statements: Sequence[gast.stmt]) -> None:
        for statement in statements:
            self.statement(statement)

    def _updates(self, statements: Sequence[gast.stmt]) -> None:
        """The updates of merged names, which stay the last statements of a block: their values are made before."""
        made: list[gast.stmt] = []
        for statement in statements:
            self.at(statement)
            match statement:
                case gast.Assign(targets=[gast.Name(id=name)], value=value) if name in self.varying.names:
                    atom = self._laid_out(name, self._made(self.stacking.value(value, self.varying.types[name])))
                    made.append(syntax.at(syntax.assign(name, atom), self.builder.span, self.builder.inlined))
                case _:
                    made.append(statement)
        for statement in made:
            self.builder.append(statement)
            self._see(statement)

    def inner(self, statements: Sequence[gast.stmt]) -> list[gast.stmt]:
        """The statements of a block inside another one."""
        outside, self.builder.body = self.builder.body, []
        with self.lengths.block():
            self.block(statements, is_inner=True)
        made, self.builder.body = self.builder.body, outside
        return made

    # --- statements

    def at(self, statement: gast.stmt) -> None:
        self.builder.span, self.builder.inlined = getattr(statement, "span", None), getattr(statement, "inlined", ())

    def statement(self, statement: gast.stmt) -> None:
        """Append a statement for all examples at once."""
        self.at(statement)
        if isinstance(statement, gast.Assign) and (row := crossing(statement.value, self.axis_name)) is not None:
            self._collective(statement, row)
            return
        if not (self.judge.involves(statement) or self.judge.crosses(statement)):
            self._shared(statement)
            return
        made: gast.stmt
        match statement:
            case gast.For(body=body):
                head = syntax.rebuild(statement, iter=self.stacking.lengths(statement.iter))
                self._note(statement, "the loop stays, and each iteration is done for all examples")
                self.builder.append(syntax.rebuild(head, body=self.inner(body)))
            case gast.While(test=test, body=body):
                self._note(statement, "the loop stays, and each iteration is done for all examples")
                made = syntax.rebuild(statement, test=self.stacking.lengths(test), body=self.inner(body))
                self.builder.append(made)
            case gast.If(test=test, body=body, orelse=orelse):
                made = syntax.rebuild(statement, body=self.inner(body), orelse=self.inner(orelse))
                self.builder.append(made)
            case gast.Assign(targets=[gast.Subscript()]):
                self.builder.append(syntax.at(self._made(self.stacking.store(statement)), self.builder.span))
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                self._assignment(statement, name, value)
            case _:
                self.builder.append(statement)

    def _shared(self, statement: gast.stmt) -> None:
        """What is the same for all examples; lengths are asked of axes that are one further back."""
        if isinstance(statement, gast.Assign) and isinstance(statement.value, gast.Call):
            value = self.stacking.lengths(statement.value)
            statement = statement if value is statement.value else syntax.rebuild(statement, value=value)
        self.builder.append(statement)
        self._see(statement)

    def _see(self, statement: gast.stmt) -> None:
        for name in syntax.names_bound(statement):
            self.lengths.note(name)

    def _assignment(self, statement: gast.Assign, name: str, value: gast.expr) -> None:
        if name not in self.varying.names:
            self._shared(statement)
            return
        before = len(self.builder.body)
        atom = self._made(self.stacking.value(value, self.varying.types[name]))
        if self.judge.pays(statement):
            self._note(statement, "one product for all examples")
        is_new = len(self.builder.body) > before
        self.bind(name, atom, name in self.merged, is_new)

    def _collective(self, statement: gast.Assign, row: Operator) -> None:
        """What needs all examples: a value that all of them get, or one for each."""
        (name,) = syntax.names_bound(statement)
        result, before = self.varying.types[name], len(self.builder.body)
        operands = [self.stacking.operand(a) for a in statement.value.args]
        static = static_of(row, statement.value)
        atom = row.across(self.builder, row, operands, static, result, self.examples)  # type: ignore[misc]
        if name not in self.varying.names and isinstance(result, Array):
            atom = self.builder.call("copy", atom) if self.builder.type_of(atom).layout != "C" else atom
        wanted = stacked(result, self.examples.extent) if name in self.varying.names else result
        self._note(statement, f"`{row.name}` takes the values of all examples")
        self.name(name, atom, wanted, len(self.builder.body) > before)

    def _made(self, found: Made | None) -> Made:
        if found is None:
            raise InternalError("batch", "", "a statement that was judged to have a form has none")
        return found

    def bind(self, name: str, atom: gast.expr, is_merged: bool, is_new: bool = True) -> None:
        """Give the value of all examples its name; one that is merged has the layout that its type says."""
        if is_merged:
            laid_out = self._laid_out(name, atom)
            atom, is_new = laid_out, is_new or laid_out is not atom
        else:
            wanted = stacked(self.varying.types[name], self.examples.extent)
            self.name(name, atom, wanted, is_new)
            return
        self._give_name(name, atom, is_new)

    def name(self, name: str, atom: gast.expr, wanted: Type, is_new: bool) -> None:
        """Give a value the name of one that is not merged, in lengths that are known by now."""
        found = self.builder.type_of(atom)
        is_array = isinstance(wanted, Array) and isinstance(found, Array)
        self.builder.types[name] = Array(wanted.dtype, wanted.dims, found.layout) if is_array else found
        self._give_name(name, atom, is_new)

    def _give_name(self, name: str, atom: gast.expr, is_new: bool) -> None:
        builder = self.builder
        if is_new and isinstance(atom, gast.Name) and atom.id in syntax.names_bound(builder.body[-1]):
            builder.body[-1] = syntax.rebuild(builder.body[-1], targets=[syntax.target(name)])
            builder.types.pop(atom.id)
        else:
            builder.append(syntax.assign(name, atom))
        self.lengths.note(name)

    def _laid_out(self, name: str, atom: gast.expr) -> gast.expr:
        """The value of a merged name, in the layout that its type says; its type is that of all examples then."""
        wanted = stacked(self.varying.types[name], self.examples.extent)
        self.builder.types[name] = wanted
        is_other = wanted.layout == "C" and self.builder.type_of(atom).layout != "C"
        return self.builder.call("copy", atom) if is_other else atom

    # --- loops over the examples

    def _looped(self, run: Sequence[gast.stmt]) -> None:
        """A loop around a run; what is the same for all examples goes before it where it can."""
        if not self.may_loop:
            raise Looped
        bound: set[str] = set()
        kept: list[gast.stmt] = []
        for place, statement in enumerate(run):
            again = {n for s in syntax.walk(run[place + 1 :]) for n in syntax.names_bound(s)}
            is_free = bound.isdisjoint(_read_in(statement)) and again.isdisjoint(_bound_in(statement))
            if not self.judge.involves(statement) and is_free:
                self.statement(statement)
                continue
            bound |= {n for s in syntax.walk([statement]) for n in syntax.names_bound(s)}
            kept.append(statement)
        self.at(kept[0])
        self._note_shapes(kept, bound)
        loop = ExampleLoop(self, kept)
        loop.write()
        for name, extent in loop.lengths.items():
            if name in loop.outputs and name not in self.varying.names:
                self.builder.append(syntax.assign(name, self.lengths.atom(extent)))
        for statement in kept:
            reason = self.judge.reason(statement)
            if reason:
                self._note(statement, f"stays in a loop over the examples: {reason}")

    def _note_shapes(self, run: Sequence[gast.stmt], bound: set[str]) -> None:
        """The ints that a run makes arrays of, and does not compute itself, are lengths of its results."""
        for statement in run:
            value = getattr(statement, "value", None)
            made = self.varying.types.get(next(iter(syntax.names_bound(statement)), ""))
            shape = syntax.static_of(value).get("shape") if isinstance(value, gast.Call) else None
            if isinstance(shape, gast.Tuple) and isinstance(made, Array) and bound.isdisjoint(syntax.names_read(shape)):
                self.lengths.note_shape(made, shape)

    def _note(self, statement: gast.stmt, text: str) -> None:
        span = getattr(statement, "span", None)
        if span is not None:
            self.decisions.append(Decision("examples", f"line {span.line}: {text}"))


def _bound_in(statement: gast.stmt) -> set[str]:
    return {n for s in syntax.walk([statement]) for n in syntax.names_bound(s)}


def _read_in(statement: gast.stmt) -> set[str]:
    return {n for s in syntax.walk([statement]) for n in syntax.names_read(s)}

