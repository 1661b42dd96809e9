"""What the loops of a kernel run over, as far as that can be said ahead of them, and the parts of arrays they reach.

    for i in range(0, n, 1):                  i from 0 up to n, j from 0 up to n: all that the loops may reach
        for j in range(0, i + 1, 1):   ->

A part that is not surely inside of its array is given with the check that raises what the loops would have raised.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gast

from ... import syntax
from ...analysis.integers.affine import Affine
from ...analysis.integers.nest_scope import NestScope
from ...analysis.integers.values import Integers
from ...builder import Builder
from ...ops.indexing import INDEX_MESSAGE
from ...ops.schema import row_of
from ...records import dataclass
from ...types import Array
from .forms import Axis, Operand
from .kernels import Level


@dataclass(frozen=True, slots=True)
class End:
    """A bound of a loop: an atom that is known ahead of the loops plus a number, and both as a form."""

    atom: gast.expr
    plus: int
    form: Affine


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """An axis of an array that has to be as long as a loop goes on."""

    operand: Operand
    place: int
    axis: Axis


class Hulls:
    """The loops of one kernel, of which one may be `adding`; `scope` are the loops around them."""

    def __init__(self, levels: Sequence[Level], adding: str, integers: Integers, scope: NestScope) -> None:
        self.levels, self.adding, self.integers, self.scope = levels, adding, integers, scope
        self.made: dict[str, gast.expr] = {}
        self.starts: dict[str, End] = {}
        self.stops: dict[str, End] = {}
        self.bound = integers.bound_in(levels[0].loop)
        self.is_known = all(self._takes(level) for level in levels)

    def _takes(self, level: Level) -> bool:
        start, stop, _ = level.loop.iter.args
        first, last = self._end(start, self.starts, 0), self._end(stop, self.stops, -1)
        if first is None or last is None:
            return False
        if level.variable == self.adding and not (self.is_ahead(start) and self.is_ahead(stop)):
            return False  # not every sum has all terms
        self.starts[level.variable], self.stops[level.variable] = first, last
        return True

    def _end(self, atom: gast.expr, ends: dict[str, End], past: int) -> End | None:
        """The least start, or the greatest stop, where it is a number, or a loop's variable and a number."""
        form = self.integers.of(atom)
        if form is None:
            return None
        if self.is_ahead(atom):
            return End(atom, 0, form)
        for variable, end in ends.items():
            distance = form - self.integers.variable(variable)
            if not distance.terms:
                plus = distance.constant + past
                return End(end.atom, end.plus + plus, end.form.plus(plus))
        return None

    def is_ahead(self, atom: gast.expr) -> bool:
        """Whether an int can be had ahead of the loops: it is there, or a sum of what is."""
        if not isinstance(atom, gast.Name) or atom.id not in self.bound:
            return self.bound.isdisjoint(syntax.names_read(atom))
        value = self.integers.facts.value_of(atom.id)
        row = None if value is None else row_of(syntax.operator_of(value))
        if value is None or row is None or not (row.is_sum or row.name == "dim"):
            return False
        return all(self.is_ahead(operand) for operand in value.args)

    def prepare(self, build: Builder) -> None:
        """Have all bounds ahead of the loops, and of tests."""
        for end in (*self.starts.values(), *self.stops.values()):
            self.ahead(build, end.atom)

    def ahead(self, build: Builder, atom: gast.expr) -> gast.expr:
        """An int ahead of the loops, of which that can be said."""
        if isinstance(atom, gast.Call):
            return build.call("dim", atom.args[0], hint="size", **syntax.static_of(atom))
        if not isinstance(atom, gast.Name) or atom.id not in self.bound:
            return atom
        if atom.id not in self.made:
            value: Any = self.integers.facts.value_of(atom.id)
            operands = [self.ahead(build, operand) for operand in value.args]
            operator, static = syntax.operator_of(value) or "", syntax.static_of(value)
            self.made[atom.id] = build.call(operator, *operands, hint=atom.id, **static)
        return self.made[atom.id]

    # --- parts

    def is_full(self, axis: Axis, extent: object) -> bool:
        """Whether a loop reaches all of an axis."""
        start, stop = self.starts[axis.variable], self.stops[axis.variable]
        length = self.integers.of_extent(extent)
        return start.form.plus(axis.offset) == Affine(0) and stop.form.plus(axis.offset) == length

    def checks(self, operand: Operand) -> list[Check] | None:
        """The axes of an operand that may be too short for the loops; None where they may go below zero."""
        type_ = self.integers.types[operand.array]
        assert isinstance(type_, Array)
        found: list[Check] = []
        for place, (axis, extent) in enumerate(zip(operand.axes, type_.dims, strict=True)):
            if isinstance(axis.item, gast.Slice):
                continue
            if not axis.variable:
                if not self.integers.is_inside(axis.item, extent, self.scope):
                    return None
                continue
            start, stop = self.starts[axis.variable], self.stops[axis.variable]
            if not self.integers.is_natural(start.form.plus(axis.offset), self.scope):
                return None
            rest = self.integers.of_extent(extent) - stop.form.plus(axis.offset)
            if not self.integers.is_natural(rest, self.scope):
                found.append(Check(operand, place, axis))
        return found

    def is_exact(self, checks: Sequence[Check]) -> bool:
        """Whether it is known which error the loops raise first where one of these axes is too short."""
        variables = [check.axis.variable for check in checks]
        from_zero = (self.starts[v].form == Affine(0) for v in variables)
        plain = all(from_zero) and not any(check.axis.offset for check in checks)
        return plain and len({*variables}) == len(variables) and self._is_rectangular()

    def _is_rectangular(self) -> bool:
        return all(self.is_ahead(atom) for level in self.levels for atom in level.loop.iter.args)

    def part(self, build: Builder, operand: Operand, order: Sequence[str], wish: str) -> gast.expr:
        """The part of an operand that the loops reach, its axes in the order of these variables."""
        type_ = build.types[operand.array]
        assert isinstance(type_, Array)
        items = [self.item(build, axis, extent) for axis, extent in zip(operand.axes, type_.dims, strict=True)]
        whole = all(isinstance(item, gast.Slice) and item.lower is item.upper is None for item in items)
        found: gast.expr = syntax.name(operand.array)
        if not whole:
            found = build.load(operand.array, items, hint=wish)
        axes = tuple(operand.variables.index(variable) for variable in order)
        return found if axes == tuple(range(len(axes))) else build.call("transpose", found, axes=axes, hint=wish)

    def shorten(self, build: Builder, checks: Sequence[Check]) -> None:
        """Let the sums end where a checked axis ends: it is longer, unless the loops have no turns at all."""
        for check in checks:
            variable = check.axis.variable
            if variable == self.adding:
                size = build.call("dim", check.operand.array, axis=check.place, hint="size")
                stop = self.ahead(build, self.stops[variable].atom)
                least: Any = build.call("minimum", stop, size, hint=f"{variable}_end")
                self.stops[variable] = End(least, 0, self.integers.variable(least.id))

    def item(self, build: Builder, axis: Axis, extent: object) -> gast.expr:
        """What the loops reach of one axis."""
        if not axis.variable:
            return axis.item
        if self.is_full(axis, extent):
            return syntax.slice_()
        start, stop = self.starts[axis.variable], self.stops[axis.variable]
        lower = None if start.form.plus(axis.offset) == Affine(0) else self.at_least_zero(build, start, axis.offset)
        return syntax.slice_(lower, self.at_least_zero(build, stop, axis.offset))

    def at_least_zero(self, build: Builder, end: End, plus: int) -> gast.expr:
        """A bound and a number, where a slice would count from the end if it were below zero."""
        found = plus_number(build, self.ahead(build, end.atom), end.plus + plus)
        if isinstance(found, gast.Constant):
            return syntax.constant(max(found.value, 0))
        if self.integers.is_natural(end.form.plus(plus), self.scope):
            return found
        return build.call("maximum", found, 0)

    # --- checks

    def check(self, build: Builder, checks: Sequence[Check]) -> None:
        """Raise ahead of the loops what they would raise first: in the innermost loop, if all of them have turns."""
        variables = [level.variable for level in self.levels]
        for one in sorted(checks, key=lambda c: -variables.index(c.axis.variable)):
            type_ = build.types[one.operand.array]
            assert isinstance(type_, Array)
            span, inlined = build.span, build.inlined
            load = one.operand.load
            build.span, build.inlined = getattr(load, "span", None), getattr(load, "inlined", ())
            size = build.call("dim", one.operand.array, axis=one.place, hint="size")
            message = INDEX_MESSAGE.format(axis=one.place)
            start, index = self.starts[one.axis.variable], size
            if start.form != Affine(0):  # it has a turn, and may begin behind the end
                index = build.call("maximum", plus_number(build, self.ahead(build, start.atom), start.plus), size)
            error = syntax.at(syntax.raise_("IndexError", message, index, size), build.span, build.inlined)
            self._where(build, [*variables], one, size, error)
            build.span, build.inlined = span, inlined

    def is_short(self, build: Builder, checks: Sequence[Check]) -> gast.expr:
        """Whether one of the axes is too short."""
        tests: dict[object, gast.expr] = {}
        for check in checks:
            stop = self.stops[check.axis.variable]
            key = check.operand.array, check.place, stop.form.plus(check.axis.offset)
            if key not in tests:
                needed = plus_number(build, self.ahead(build, stop.atom), stop.plus + check.axis.offset)
                size = build.call("dim", check.operand.array, axis=check.place, hint="size")
                tests[key] = build.call("less", size, needed, hint="is_short")
        found, *others = tests.values()
        for test in others:
            found = build.call("logical_or", found, test, hint="is_short")
        return found

    def _where(
        self, build: Builder, variables: list[str], check: Check, size: gast.expr, error: gast.stmt
    ) -> None:
        """`error` where the loops have turns and the checked one goes too far."""
        if not variables:
            needed = self.ahead(build, self.stops[check.axis.variable].atom)
            test = build.call("less", size, needed, hint="is_short")
            build.append(syntax.at(syntax.if_(test, [error], []), build.span, build.inlined))
            return
        variable, *others = variables
        start, stop = self.starts[variable], self.stops[variable]
        if variable == check.axis.variable or self.integers.is_natural(stop.form - start.form.plus(1), self.scope):
            self._where(build, others, check, size, error)
            return
        ends = self.ahead(build, stop.atom), self.ahead(build, start.atom)
        test = build.call("greater", *ends, hint="has_turns")
        outer, build.body = build.body, []
        self._where(build, others, check, size, error)
        inner, build.body = build.body, outer
        build.append(syntax.at(syntax.if_(test, inner, []), build.span, build.inlined))


def plus_number(build: Builder, atom: gast.expr, number: int) -> gast.expr:
    if isinstance(atom, gast.Constant):
        return syntax.constant(atom.value + number)
    return build.call("add", atom, number, hint="n") if number else atom
