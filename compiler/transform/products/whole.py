"""Write one product of two arrays for the products of slices that a nest of loops makes.

    for i, j:  t = A[i, :] @ B[:, j]              ->      whole = A @ B
                                                          for i, j:  t = whole[i, j]

Where each sum has other terms, blocks of rows have those that all of their rows share, and each row adds its own:

    for i, j:  t = A[i + 1:, i] @ B[i + 1:, j]    ->      for b in range(0, n, BAND):
                                                              e = min(b + BAND, n)
                                                              whole[b:e] = A[e:, b:e].T @ B[e:]
                                                              for r in range(b, e):
                                                                  whole[r] += A[r + 1:e, r] @ B[r + 1:e]

so that nothing is multiplied that the loops would not multiply: what is outside of a triangle may be inf or nan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import gast

from ... import syntax
from ...analysis.integers.affine import Affine
from ...builder import Builder
from ...tuning import BAND
from ...types import INT, Array
from .forms import Operand
from .hulls import Check, Hulls, plus_number
from .slices import AHEAD, FROM, TO, WHOLE, Dot, Reach, Reaches


class Whole:
    """The product of one statement in loops."""

    def __init__(self, dot: Dot, added: Reach, build: Builder, hulls: Hulls, reaches: Reaches) -> None:
        self.dot, self.added, self.build, self.hulls, self.reaches = dot, added, build, hulls, reaches
        self.left, self.right = dot.left, dot.right
        if added.variable in self.right.variables:
            self.left, self.right = self.right, self.left

    def tests(self, checks: Sequence[Check] = ()) -> list[gast.expr]:
        """What tells, ahead of the loops, that a slice is not as long as the sums are; none where that cannot be.

        Axes that are checked are as long as the loops go on, or what is made is not used.
        """
        sides = [(side, self._type(side).dims[side.along]) for side in (self.left, self.right)]
        lengths = [self.build.call("dim", side.array, axis=side.along, hint="size") for side, _ in sides]
        found = []
        if self.added.kind in (WHOLE, FROM) and sides[0][1] != sides[1][1]:
            found.append(self.build.call("not_equal", *lengths, hint="is_short"))
        if self.added.kind == AHEAD and not self.reaches.are_equal() and not self._reach_alike(checks):
            parts = self._sides()
            axes = len(self.left.free), 0
            lengths = [self.build.call("dim", part, axis=axis, hint="size") for part, axis in zip(parts, axes)]
            found.append(self.build.call("not_equal", *lengths, hint="is_short"))
        if self.added.kind in (FROM, TO):
            stop, integers = self.hulls.stops[self.added.variable], self.hulls.integers
            plus = self.added.offset - 1
            for (_, extent), length in zip(sides, lengths, strict=True):
                rest = integers.of_extent(extent) - stop.form.plus(plus)
                if not integers.is_natural(rest, self.hulls.scope):
                    needed = plus_number(self.build, self.hulls.ahead(self.build, stop.atom), stop.plus + plus)
                    found.append(self.build.call("less", length, needed, hint="is_short"))
        return found

    def _reach_alike(self, checks: Sequence[Check]) -> bool:
        """Whether both slices end at one place, and both axes go on as far."""
        (first, last), integers = self.dot.reach, self.hulls.integers
        end = None if first.upper is None else integers.of(first.upper)
        if end is None or not syntax.same(first, last) or first.lower is not None:
            return False
        if not integers.is_natural(end, self.hulls.scope):
            return False
        return all(self._goes_on(side, end, checks) for side in (self.left, self.right))

    def _goes_on(self, side: Operand, end: Affine, checks: Sequence[Check]) -> bool:
        """Whether the axis that is added up is as long as this, surely or behind a check."""
        integers, scope = self.hulls.integers, self.hulls.scope
        own = [c for c in checks if (c.operand.array, c.place) == (side.array, side.along)]
        ends = [self.hulls.stops[c.axis.variable].form.plus(c.axis.offset) for c in own]
        ends.append(integers.of_extent(self._type(side).dims[side.along]))
        return any(integers.is_natural(length - end, scope) for length in ends)

    def make(self) -> str:
        """Append the product and give its name."""
        wish = self.dot.statement.targets[0].id
        if self.added.variable:
            return self._triangle(wish)
        product = self.build.call("matmul", *self._sides(), hint=wish)
        assert isinstance(product, gast.Name)
        return str(product.id)

    def read(self, whole: str) -> gast.expr:
        """Append what the statement's turn has of the product; its axes are in the order of the operands."""
        items = [self._place(side, place) for side in (self.left, self.right) for place in side.free]
        return self.build.load(whole, items)

    def _place(self, side: Operand, place: int) -> gast.expr:
        axis = side.axes[place]
        if axis.variable:
            start = self.hulls.starts[axis.variable]
            first = plus_number(self.build, start.atom, start.plus)
            if isinstance(first, gast.Constant) and first.value == 0:
                return syntax.name(axis.variable)
            return self.build.call("subtract", syntax.name(axis.variable), first)
        reach = self.reaches.reach(axis.item)
        return syntax.slice_() if reach is None or reach.kind in (WHOLE, AHEAD) else axis.item

    # --- a triangle

    def _triangle(self, wish: str) -> str:
        build, stop = self.build, self.hulls.stops[self.added.variable]
        end = plus_number(build, self.hulls.ahead(build, stop.atom), stop.plus)
        if not self.hulls.integers.is_natural(stop.form, self.hulls.scope):
            end = build.call("maximum", end, 0)
        columns = self._columns()
        whole = build.call("zeros", shape=(end, columns), dtype=self._type(self.left).dtype, hint=wish)
        assert isinstance(whole, gast.Name)
        with self._loop("b", 0, end, BAND) as block:
            last = build.call("minimum", build.call("add", block, BAND), end, hint="e")
            shared, own = self._shared(block, last)
            rows = syntax.slice_(block, last)
            left = self._part(self.left, {self.added.variable: rows}, shared)
            product = build.call("matmul", left, self._part(self.right, {}, shared, along_first=True))
            build.append(syntax.store(whole.id, [rows, syntax.slice_()], product))
            with self._loop("r", block, last, 1) as row:
                self._add_own(whole.id, row, own)
        return str(whole.id)

    def _columns(self) -> gast.expr:
        (place,) = self.right.free
        whole = self._part(self.right, {}, along_first=True)
        assert isinstance(whole, gast.Name) and place >= 0
        return self.build.call("dim", whole, axis=1, hint="columns")

    def _shared(self, block: gast.expr, last: gast.expr) -> tuple[gast.Slice, gast.expr]:
        """The terms that all rows of a block have, and the bound of those that only some of them have."""
        if self.added.kind == FROM:
            end = plus_number(self.build, last, self.added.offset - 1)
            return syntax.slice_(end), end
        start = plus_number(self.build, block, self.added.offset)
        return syntax.slice_(None, start), start

    def _add_own(self, whole: str, row: gast.Name, bound: gast.expr) -> None:
        build = self.build
        moving = plus_number(build, row, self.added.offset)
        own = syntax.slice_(moving, bound) if self.added.kind == FROM else syntax.slice_(bound, moving)
        items = [row, syntax.slice_()]
        before = build.load(whole, items)
        left = self._part(self.left, {self.added.variable: row}, own)
        product = build.call("matmul", left, self._part(self.right, {}, own, along_first=True))
        build.append(syntax.store(whole, items, build.call("add", before, product)))

    @contextmanager
    def _loop(self, wish: str, start: object, stop: object, step: int) -> Iterator[gast.Name]:
        """Append a loop with the statements that are appended meanwhile."""
        build, outer = self.build, self.build.body
        variable = build.names.fresh(wish)
        build.types[variable], build.body = INT, []
        yield syntax.name(variable)
        inner, build.body = build.body, outer
        build.append(syntax.for_range(variable, start, stop, step, inner))

    # --- parts of operands

    def _sides(self) -> tuple[gast.expr, gast.expr]:
        return self._part(self.left, {}), self._part(self.right, {}, along_first=True)

    def _part(
        self, side: Operand, turns: Mapping[str, gast.expr], added: gast.Slice | None = None, along_first: bool = False
    ) -> gast.expr:
        """The part of an operand that the loops reach, the axis that is added up last or first."""
        items = [self._item(side, place, turns, added) for place in range(len(side.axes))]
        found: gast.expr = syntax.name(side.array)
        if not all(isinstance(i, gast.Slice) and i.lower is i.upper is None for i in items):
            found = self.build.load(side.array, items, hint=side.array)
        left = [place for place, item in enumerate(items) if isinstance(item, gast.Slice)]
        order = [place for place in left if place != side.along]
        order.insert(0 if along_first else len(order), side.along)
        axes = tuple(left.index(place) for place in order)
        if axes == tuple(range(len(axes))):
            return found
        return self.build.call("transpose", found, axes=axes, hint=side.array)

    def _item(
        self, side: Operand, place: int, turns: Mapping[str, gast.expr], added: gast.Slice | None
    ) -> gast.expr:
        axis, extent = side.axes[place], self._type(side).dims[place]
        if place == side.along and added is not None:
            return added
        if axis.variable in turns:
            return self._moved(turns[axis.variable], axis.offset)
        if axis.variable:
            return self.hulls.item(self.build, axis, extent)
        if not isinstance(axis.item, gast.Slice):
            return axis.item
        reach = self.reaches.reach(axis.item)
        if reach is not None and reach.kind == AHEAD:
            bounds: Sequence[gast.expr | None] = (axis.item.lower, axis.item.upper)
            return syntax.slice_(*(None if b is None else self.hulls.ahead(self.build, b) for b in bounds))
        return syntax.slice_()

    def _moved(self, turn: gast.expr, offset: int) -> gast.expr:
        if isinstance(turn, gast.Slice):
            return syntax.slice_(*(plus_number(self.build, bound, offset) for bound in (turn.lower, turn.upper)))
        return plus_number(self.build, turn, offset)

    def _type(self, side: Operand) -> Array:
        type_ = self.build.types[side.array]
        assert isinstance(type_, Array)
        return type_
