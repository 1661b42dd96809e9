"""Let each turn of a recurrence add to the sums of the turns behind it, where its own dot would go down a column.

    for j in range(n):                            s = zeros(n)
        t = x[:j] @ a[:j, j]                      for j in range(n):
        x[j] = (b[j] - t) / a[j, j]       ->          t = s[j]
                                                      x[j] = (b[j] - t) / a[j, j]
                                                      s[j + 1:] += x[j] * a[j, j + 1:]

The terms and their order stay the same; the matrix is read by rows, of which all elements are used, and so it is in the
derivative.  Where lengths may not fit, the loop stays beside what is made of it, for the error that it raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.integers.affine import Affine
from ...analysis.integers.nest_scope import NestScope
from ...analysis.memory.accesses import accesses
from ...program import Decision
from ...types import Array
from .forms import Axis, Operand
from .hulls import Check, Hulls, plus_number
from .kernels import Level
from .slices import TO, Dot, Reach, Reaches, dots
from .telling import sums_told
from .versions import either, hands_on, versions

if TYPE_CHECKING:
    from .dots import Dots


class RunningSums:
    """The recurrences of one function, whose dots `products` reads."""

    def __init__(self, products: Dots) -> None:
        self.products, self.facts, self.build = products, products.facts, products.build
        self.integers = products.integers

    def of_loop(self, loop: gast.For, scope: NestScope) -> list[gast.stmt] | None:
        """What comes in the place of a loop; None where it makes no such dot."""
        for dot in dots(loop, self.facts, self.integers):
            hulls = Hulls([Level(loop, (), ())], "", self.integers, scope)
            if len(dot.loops) == 1 and hulls.is_known and self._may(dot, hulls, scope):
                return self._taken(dot, hulls)
        return None

    def told(self, loop: gast.For) -> Decision:
        return sums_told(loop)

    # --- whether it may be taken

    def _may(self, dot: Dot, hulls: Hulls, scope: NestScope) -> bool:
        """Whether a dot multiplies what the turns before have stored last by elements of a column that none stores."""
        vector, matrix = _sides(dot)
        loop, variable = dot.loops[0], dot.loops[0].target.id
        if vector.free or len(matrix.free) != 1 or matrix.free < (matrix.along,):
            return False
        reaches, end = Reaches(dot, self.integers, hulls), Reach(TO, variable)
        if any(reaches.reach(item) != end for item in dot.reach) or hulls.starts[variable].form != Affine(0):
            return False
        if matrix.axes[matrix.free[0]].offset or not self.products.fits(dot) or vector.load is None:
            return False
        touched = list(accesses([loop], scope, self.integers))
        return self._is_made(vector, loop) and self.products.is_old(matrix, scope, touched)

    def _is_made(self, vector: Operand, loop: gast.For) -> bool:
        """Whether each turn stores the element behind those that its dot reads, and no other one of that array."""
        places = [s.targets[0] for s in syntax.walk([loop]) if syntax.stored_base(s) == vector.array]
        wanted = syntax.index(vector.array, *_items(vector, syntax.name(loop.target.id)))
        is_plain = all(isinstance(s, gast.Assign) for s in loop.body)
        return is_plain and bool(places) and all(syntax.same(place.slice, wanted.slice) for place in places)

    # --- taking it

    def _taken(self, dot: Dot, hulls: Hulls) -> list[gast.stmt] | None:
        build, loop, (_, matrix) = self.build, dot.loops[0], _sides(dot)
        checks = self._checks(dot, hulls)
        if checks is None:
            return None
        build.body, build.span, build.inlined = [], loop.span, getattr(loop, "inlined", ())
        hulls.prepare(build)
        tests = self._too_few_rows(matrix, hulls)
        if checks and not tests and self.products.fails_there_alone(dot, hulls, checks):
            hulls.check(build, checks)
        elif checks:
            tests.append(hulls.is_short(build, checks))
        if tests and hands_on(loop, self.facts):
            return None
        ahead, build.body = build.body, []
        made = self._with_sums(dot, loop, loop.iter.args[1])
        test = either(build, tests, ahead)
        return [*ahead, *versions(build, self.integers, loop, test, made)]

    def _checks(self, dot: Dot, hulls: Hulls) -> list[Check] | None:
        """The axes that may be too short: of what is stored, and of the columns; each once."""
        vector, matrix = _sides(dot)
        turn = dot.loops[0].target.id
        axes = tuple(Axis(syntax.name(turn), turn) if k == vector.along else a for k, a in enumerate(vector.axes))
        found: dict[tuple[str, int], Check] = {}
        for side in (replace(vector, axes=axes), matrix):
            checks = hulls.checks(side)
            if checks is None:
                return None
            for check in checks:
                found.setdefault((check.operand.array, check.place), check)
        return [*found.values()]

    def _too_few_rows(self, matrix: Operand, hulls: Hulls) -> list[gast.expr]:
        """What tells that a column is shorter than the last sum; nothing where that cannot be."""
        build, stop = self.build, hulls.stops[matrix.variables[0]]
        type_ = build.types[matrix.array]
        assert isinstance(type_, Array)
        rest = self.integers.of_extent(type_.dims[matrix.along]) - stop.form.plus(-1)
        if self.integers.is_natural(rest, hulls.scope):
            return []
        needed = plus_number(build, hulls.ahead(build, stop.atom), stop.plus - 1)
        length = build.call("dim", matrix.array, axis=matrix.along, hint="size")
        return [build.call("less", length, needed, hint="is_short")]

    def _with_sums(self, dot: Dot, loop: gast.For, stop: gast.expr) -> list[gast.stmt]:
        build, turn = self.build, syntax.name(loop.target.id)
        type_ = build.types[dot.left.array]
        assert isinstance(type_, Array)
        length = build.call("maximum", stop, 0)
        sums = build.call("zeros", shape=(length,), dtype=type_.dtype, hint=dot.statement.targets[0].id)
        ahead, build.body = build.body, []
        idle = [side.load for side in (dot.left, dot.right) if self.products.is_idle(side)]
        for statement in loop.body:
            if statement is dot.statement:
                read = syntax.assign(statement.targets[0].id, syntax.index(sums.id, turn))
                build.append(syntax.at(read, statement.span, getattr(statement, "inlined", ())))
            elif not any(statement is load for load in idle):
                build.append(statement)
        self._add_on(dot, sums, turn, stop)
        body, build.body = build.body, []
        return [*ahead, syntax.rebuild(loop, body=body)]

    def _add_on(self, dot: Dot, sums: gast.Name, turn: gast.Name, stop: gast.expr) -> None:
        """Append what a turn adds to the sums of those behind it."""
        build, (vector, matrix) = self.build, _sides(dot)
        build.span, build.inlined = dot.statement.span, getattr(dot.statement, "inlined", ())
        behind = syntax.slice_(build.call("add", turn, 1), stop)
        row = [axis.item for axis in matrix.axes]
        row[matrix.along], row[matrix.free[0]] = turn, behind
        factor = build.load(vector.array, _items(vector, turn))
        term = build.call("multiply", factor, build.load(matrix.array, row, hint=matrix.array))
        total = build.call("add", build.load(sums, [behind]), term)
        build.append(syntax.store(sums.id, [behind], total))


def _items(vector: Operand, turn: gast.expr) -> Sequence[gast.expr]:
    """The place of the element of a turn."""
    return [turn if place == vector.along else axis.item for place, axis in enumerate(vector.axes)]


def _sides(dot: Dot) -> tuple[Operand, Operand]:
    """The vector and the matrix of a dot."""
    return (dot.right, dot.left) if dot.left.free else (dot.left, dot.right)
