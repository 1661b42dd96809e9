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
from .sums import ADDED, Level

FROM, TO = "from", "to"
FEW = 8  # elements at the beginning of an axis that no iteration reaches, but that a product may have.  No row


@dataclass(frozen=True, slots=True)
class End:
    """A bound of a loop: an atom that is known ahead of the loops plus a number, and both as a form."""

    atom: gast.expr
    plus: int
    form: Affine

    def moved(self, plus: int) -> End:
        return End(self.atom, self.plus + plus, self.form.plus(plus))


@dataclass(frozen=True, slots=True)
class Triangle:
    """The sum of each iteration of a variable begins, or ends, where that iteration is.

    Counted from the first iteration and the first term, iteration r has all terms from r on, or those before r +
    `more`.
    """

    kind: str
    variable: str
    more: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """An axis of an array that has to be as long as a loop goes on, up to `end`, or to have an element that stays."""

    operand: Operand
    place: int
    axis: Axis
    end: End

    @property
    def is_slice(self) -> bool:
        """Whether loops raise no error where it is too short, but go on with less."""
        return isinstance(self.axis.item, gast.Slice)

    @property
    def key(self) -> tuple[str, int, Affine]:
        return self.operand.array, self.place, self.end.form


class Hulls:
    """The loops of one kernel, of which one may be `adding`; `scope` are the loops around them."""

    def __init__(self, levels: Sequence[Level], adding: str, integers: Integers, scope: NestScope) -> None:
        self.levels, self.adding, self.integers, self.scope = levels, adding, integers, scope
        self.made: dict[str, gast.expr] = {}
        self.starts: dict[str, End] = {}
        self.stops: dict[str, End] = {}
        self.bound = integers.bound_in(levels[0].loop)
        self.triangle: Triangle | None = None
        self.turned = ""  # the variable of a loop inside of the one that adds up, whose bound makes the triangle
        self.is_known = all(map(self._takes, levels)) and (not self.turned or self._is_rectangular(self.turned))

    def _takes(self, level: Level) -> bool:
        start, stop, _ = level.loop.iter.args
        first, last = self._end(start, self.starts, 0), self._end(stop, self.stops, -1)
        if first is None or last is None:
            return False
        if level.is_slice and level.variable != self.adding == ADDED and not self.is_ahead(start):
            if not first.form.terms and 0 < first.form.constant <= FEW:  # rows of a whole array are aligned
                first = End(syntax.constant(0), 0, Affine(0))
        self.starts[level.variable], self.stops[level.variable] = first, last
        moving = [bound for bound in (start, stop) if not self.is_ahead(bound)]
        if level.variable == self.adding:
            return not moving or self._is_triangle(level.variable, start, stop)
        inner = self.integers.variable(self.adding) if self.adding in self.starts else None
        if inner is None or all(self._distance(bound, inner) is None for bound in moving):
            return True
        return self._turns(level.variable, start, stop, inner)

    def _distance(self, bound: gast.expr, variable: Affine) -> int | None:
        form = self.integers.of(bound)
        distance = None if form is None else form - variable
        return distance.constant if distance is not None and not distance.terms else None

    def _is_triangle(self, adding: str, start: gast.expr, stop: gast.expr) -> bool:
        """Whether one bound of the sums is a variable and a number, and the other one can be said ahead."""
        for variable in self.starts:
            form = self.integers.variable(variable)
            if self.is_ahead(stop) and self._distance(start, form) is not None:
                self.triangle = Triangle(FROM, variable)
                return True
            more = self.starts[variable].form - self.starts[adding].form
            plus = self._distance(stop, form)
            if self.is_ahead(start) and plus is not None and not more.terms and more.constant + plus >= 0:
                self.triangle = Triangle(TO, variable, more.constant + plus)
                return True
        return False

    def _turns(self, variable: str, start: gast.expr, stop: gast.expr, inner: Affine) -> bool:
        """Say by the sums what is said by a loop inside of the one that adds up: that goes up to it, or on from it."""
        first, last = self.starts[self.adding], self.stops[self.adding]
        own_first, own_last = self.starts[variable], self.stops[variable]
        until, since = self._distance(stop, inner), self._distance(start, inner)
        if self.triangle is not None:
            return False
        self.turned = variable
        if until is not None and self.is_ahead(start):
            self.triangle, self.starts[self.adding] = Triangle(FROM, variable), own_first.moved(1 - until)
            return self.integers.is_natural(self.starts[self.adding].form - first.form, self.scope)
        if since is not None and self.is_ahead(stop):
            self.triangle, self.stops[self.adding] = Triangle(TO, variable, 1), own_last.moved(-since)
            return self.integers.is_natural(last.form - self.stops[self.adding].form, self.scope)
        return False

    def _end(self, atom: gast.expr, ends: dict[str, End], past: int) -> End | None:
        """The least start, or the greatest stop, where it is a number, or a loop's variable and a number."""
        form = self.integers.of(atom)
        if form is None:
            return None
        if self.is_ahead(atom):
            return End(atom, 0, form)
        for variable, end in ends.items():
            distance = self._distance(atom, self.integers.variable(variable))
            if distance is not None:
                return end.moved(distance + past)
        return None

    def is_ahead(self, atom: gast.expr) -> bool:
        """Whether an int is available ahead of the loops: it is defined there, or a sum of such ints."""
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

    def checks(self, operand: Operand, with_slices: bool = False) -> list[Check] | None:
        """The axes of an operand that may be too short for the loops; None where they may go below zero.

        A slice that is too short is so in what is made as well, but where it is multiplied, up to a place.
        """
        type_ = self.integers.types[operand.array]
        assert isinstance(type_, Array)
        found: list[Check] = []
        for place, (axis, extent) in enumerate(zip(operand.axes, type_.dims, strict=True)):
            if isinstance(axis.item, gast.Slice) and not with_slices:
                if not axis.variable or axis.variable != self.adding or axis.item.upper is None:
                    continue
            if not axis.variable and isinstance(axis.item, gast.Slice):
                continue
            start, end = self._range(axis)
            if not self.integers.is_natural(start, self.scope):
                return None
            if not self.integers.is_natural(self.integers.of_extent(extent) - end.form, self.scope):
                found.append(Check(operand, place, axis, end))
        return found

    def _range(self, axis: Axis) -> tuple[Affine, End]:
        """Where what is reached of an axis begins and ends."""
        if axis.variable:
            return self.starts[axis.variable].form.plus(axis.offset), self.stops[axis.variable].moved(axis.offset)
        form = self.integers.of(axis.item)
        assert form is not None
        return form, End(axis.item, 1, form.plus(1))

    def needed(self, operands: Sequence[Operand], with_slices: bool = False) -> list[Check] | None:
        """The checks of all operands, but for slices that are long enough where another check says so."""
        checks: list[Check] = []
        for operand in operands:
            own = self.checks(operand, with_slices)
            if own is None:
                return None
            checks += own
        found: dict[object, Check] = {}
        for check in checks:
            if not (check.is_slice and self._follows(check, checks)):
                found.setdefault(check.key, check)
        return [*found.values()]

    def _follows(self, check: Check, others: Sequence[Check]) -> bool:
        for other in others:
            if other.key[:2] == check.key[:2] and not other.is_slice:
                if self.integers.is_natural(other.end.form - check.end.form, self.scope):
                    return True
        return False

    def is_exact(self, checks: Sequence[Check]) -> bool:
        """Whether it is known which error the loops raise first where one of these axes is too short."""
        variables = [check.axis.variable for check in checks]
        from_zero = (v in self.starts and self.starts[v].form == Affine(0) for v in variables)
        plain = all(from_zero) and not any(check.axis.offset or check.is_slice for check in checks)
        return plain and len({*variables}) == len(variables) and self._is_rectangular()

    def _is_rectangular(self, but: str = "") -> bool:
        levels = [level for level in self.levels if level.variable != but]
        return all(self.is_ahead(atom) for level in levels for atom in level.loop.iter.args)

    def has_turns(self, variable: str) -> bool:
        start, stop = self.starts[variable], self.stops[variable]
        return self.integers.is_natural(stop.form - start.form.plus(1), self.scope)

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
        """Let the sums end where a checked axis ends: it is longer, unless the loops have no iterations at all."""
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
        """Raise ahead of the loops what they would raise first: in the innermost loop, if every loop runs."""
        variables = [level.variable for level in self.levels if not level.is_slice]
        for one in sorted(checks, key=lambda c: -variables.index(c.axis.variable)):
            span, inlined = build.span, build.inlined
            load = None if one.operand.load is None else one.operand.load.statement
            build.span, build.inlined = getattr(load, "span", None), getattr(load, "inlined", ())
            size = build.call("dim", one.operand.array, axis=one.place, hint="size")
            message = INDEX_MESSAGE.format(axis=one.place)
            start, index = self.starts[one.axis.variable], size
            if start.form != Affine(0):  # it has an iteration, and may begin past the end
                index = build.call("maximum", plus_number(build, self.ahead(build, start.atom), start.plus), size)
            error = syntax.at(syntax.raise_("IndexError", message, index, size), build.span, build.inlined)
            self._where(build, [*variables], one, size, error)
            build.span, build.inlined = span, inlined

    def is_short(
        self, build: Builder, checks: Sequence[Check], known: dict[object, gast.expr] | None = None
    ) -> list[gast.expr]:
        """What tells that an axis is too short, once for each."""
        tests = {} if known is None else known
        for check in checks:
            if check.key not in tests:
                needed = plus_number(build, self.ahead(build, check.end.atom), check.end.plus)
                size = build.call("dim", check.operand.array, axis=check.place, hint="size")
                tests[check.key] = build.call("less", size, needed, hint="is_short")
        return [*tests.values()]

    def _where(
        self, build: Builder, variables: list[str], check: Check, size: gast.expr, error: gast.stmt
    ) -> None:
        """`error` where the loops have iterations and the checked one goes too far."""
        if not variables:
            needed = self.ahead(build, self.stops[check.axis.variable].atom)
            test = build.call("less", size, needed, hint="is_short")
            build.append(syntax.at(syntax.if_(test, [error], []), build.span, build.inlined))
            return
        variable, *others = variables
        if variable == check.axis.variable or self.has_turns(variable):
            self._where(build, others, check, size, error)
            return
        ends = self.ahead(build, self.stops[variable].atom), self.ahead(build, self.starts[variable].atom)
        test = build.call("greater", *ends, hint="has_turns")
        outer, build.body = build.body, []
        self._where(build, others, check, size, error)
        inner, build.body = build.body, outer
        build.append(syntax.at(syntax.if_(test, inner, []), build.span, build.inlined))


def plus_number(build: Builder, atom: gast.expr, number: int) -> gast.expr:
    if isinstance(atom, gast.Constant):
        return syntax.constant(atom.value + number)
    return build.call("add", atom, number, hint="n") if number else atom
