"""Read a product of slices that a nest of loops makes in every turn as a part of one product of two arrays.

    for i, j:  t = A[i + 1:, i] @ B[i + 1:, j]     ->     A by (p, i), B by (p, j), added up over p from i + 1 on

An index by a loop's variable is an axis of the whole; so is a slice that stays as it is.  The axis that is added up is
whole, the same slice in all turns, or a slice that begins or ends where a variable stands: a triangle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import gast

from ... import syntax
from ...analysis.def_use import DefUse
from ...analysis.integers.affine import Affine
from ...analysis.integers.values import Integers
from ...records import dataclass
from ...types import Array, Extent
from .forms import Axis, Operand, counts_up
from .hulls import Hulls

WHOLE, AHEAD, FROM, TO = "whole", "ahead", "from", "to"
FEW = 8  # elements at one end of an axis that no turn reaches, and that a product may have nevertheless.  No row


@dataclass(frozen=True, slots=True)
class Reach:
    """What a slice takes of its axis: all, what can be said ahead, or from or up to a variable plus a number."""

    kind: str
    variable: str = ""
    offset: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Dot:
    """A statement `t = left @ right` in loops, outermost first; `is_turned` if its operands have changed places."""

    loops: tuple[gast.For, ...]
    statement: gast.Assign
    left: Operand
    right: Operand
    is_turned: bool

    @property
    def reach(self) -> tuple[gast.expr, gast.expr]:
        """What the two operands have of the axis that is added up."""
        return self.left.axes[self.left.along].item, self.right.axes[self.right.along].item


def dots(loop: gast.For, facts: DefUse, integers: Integers) -> Iterator[Dot]:
    """The products of slices in a nest that are parts of a product of matrices."""
    for loops, statement in _products((loop,)):
        found = _Reader(loops, facts, integers).dot(statement)
        if found is not None:
            yield found


def _products(loops: tuple[gast.For, ...]) -> Iterator[tuple[tuple[gast.For, ...], gast.Assign]]:
    for statement in loops[-1].body:
        if isinstance(statement, gast.For):
            yield from _products((*loops, statement))
        elif isinstance(statement, gast.Assign) and syntax.operator_of(statement.value) == "matmul":
            yield loops, statement


class _Reader:
    def __init__(self, loops: tuple[gast.For, ...], facts: DefUse, integers: Integers) -> None:
        self.loops, self.facts, self.integers = loops, facts, integers
        self.variables = {integers.number_of(loop.target.id): loop.target.id for loop in loops}
        self.bound = integers.bound_in(loops[0])

    def dot(self, statement: gast.Assign) -> Dot | None:
        if len(self.variables) < len(self.loops) or not all(map(counts_up, self.loops)):
            return None
        left, right = (self.factor(atom, is_left) for atom, is_left in zip(statement.value.args, (True, False)))
        if left is None or right is None:
            return None
        seen = (*left.variables, *right.variables)
        if not seen or len({*seen}) < len(seen):
            return None
        if len(right.free) == 1 and len(left.free) < 3:
            return Dot(self.loops, statement, left, right, False)
        slices = [any(not f.axes[k].variable for k in f.free) for f in (left, right)]
        return Dot(self.loops, statement, right, left, True) if len(left.free) == 1 and not all(slices) else None

    def factor(self, atom: gast.expr, is_left: bool) -> Operand | None:
        """An operand; None where it is not a slice of an array that is there ahead of the loops."""
        array, items, load = self._source(atom)
        type_ = self.integers.types.get(array)
        if array in self.bound or not isinstance(type_, Array) or len(items) != type_.ndim:
            return None
        axes = [axis for item in items if (axis := self._axis(item)) is not None]
        slices = [k for k, axis in enumerate(axes) if isinstance(axis.item, gast.Slice)]
        if len(axes) < len(items) or not 0 < len(slices) < 3:
            return None
        return Operand(array, tuple(axes), load, slices[-1] if is_left or len(slices) == 1 else slices[-2])

    def _source(self, atom: gast.expr) -> tuple[str, Sequence[gast.expr], gast.Assign | None]:
        assert isinstance(atom, gast.Name)
        if atom.id not in self.bound:
            type_ = self.integers.types[atom.id]
            return atom.id, [syntax.slice_() for _ in getattr(type_, "dims", ())], None
        if self.facts.is_single(atom.id):
            (made,) = self.facts.definitions[atom.id]
            if isinstance(made, gast.Assign) and isinstance(made.value, gast.Subscript):
                return made.value.value.id, made.value.slice.elts, made
        return "", (), None

    def _axis(self, item: gast.expr) -> Axis | None:
        if isinstance(item, gast.Slice):
            return Axis(item) if item.step is None else None
        form = self.integers.of(item) if syntax.is_atom(item) else None
        if form is None:
            return None
        match form:
            case Affine(terms=((unknown, 1),), constant=offset) if unknown in self.variables:
                return Axis(item, self.variables[unknown], offset)
        return Axis(item) if self.bound.isdisjoint(syntax.names_read(item)) else None


class Reaches:
    """What the slices of one product take of their axes."""

    def __init__(self, dot: Dot, integers: Integers, hulls: Hulls) -> None:
        self.dot, self.integers, self.hulls = dot, integers, hulls

    def reach(self, item: gast.expr) -> Reach | None:
        """What a slice takes; None where nothing is known."""
        assert isinstance(item, gast.Slice)
        lower = None if item.lower is None or self.integers.of(item.lower) == Affine(0) else self._bound(item.lower)
        upper = None if item.upper is None else self._bound(item.upper)
        if lower is None and upper is None:
            return Reach(WHOLE)
        if lower is not None and lower.kind == FROM and upper is None:
            return lower
        if upper is not None and upper.kind == FROM and lower is None:
            return Reach(TO, upper.variable, upper.offset)
        return Reach(AHEAD) if all(b is None or b.kind == AHEAD for b in (lower, upper)) else None

    def _bound(self, atom: gast.expr) -> Reach:
        """A variable and a number, or what is known ahead; the kind is empty where it is neither."""
        form = self.integers.of(atom)
        numbers = {self.integers.number_of(v): v for v in self.hulls.starts}
        match form:
            case Affine(terms=((unknown, 1),), constant=offset) if unknown in numbers:
                return Reach(FROM, numbers[unknown], offset)
        return Reach(AHEAD if form is not None and self.hulls.is_ahead(atom) else "")

    def added(self) -> Reach | None:
        """What is added up; None where that is not the same of both operands."""
        left, right = map(self.reach, self.dot.reach)
        if left is None or right is None:
            return None
        if left.kind in (FROM, TO) or right.kind in (FROM, TO):
            return left if left == right and self._is_triangle(left) else None
        return left if left == right == Reach(WHOLE) else Reach(AHEAD)

    def _is_triangle(self, reach: Reach) -> bool:
        """Whether one operand has nothing but the variable, counted from zero, and the other one axis as well."""
        sides = self.dot.left, self.dot.right
        starts_at_zero = self.hulls.starts[reach.variable].form == Affine(0)
        is_own = any(reach.variable in side.variables for side in sides)
        return is_own and all(len(side.free) == 1 for side in sides) and starts_at_zero and reach.offset >= 0

    def are_equal(self) -> bool:
        """Whether the slices are equally long by their types."""
        left, right = (self.integers.types[atom.id] for atom in self.dot.statement.value.args)
        assert isinstance(left, Array) and isinstance(right, Array)
        return left.dims[-1] == right.dims[-2 if right.ndim > 1 else 0]

    def is_modest(self, factor: Operand) -> bool:
        """Whether the slices that stay slices leave out little of their axes that no turn needs."""
        type_ = self.integers.types[factor.array]
        assert isinstance(type_, Array)
        for place in factor.free:
            axis = factor.axes[place]
            if not axis.variable and not self._is_modest(self.reach(axis.item), type_.dims[place]):
                return False
        return True

    def _is_modest(self, reach: Reach | None, extent: Extent) -> bool:
        if reach is None or reach.kind in (WHOLE, AHEAD):
            return reach is not None
        if reach.kind == FROM:
            left_out = self.hulls.starts[reach.variable].form.plus(reach.offset)
        else:
            left_out = self.integers.of_extent(extent) - self.hulls.stops[reach.variable].form.plus(reach.offset - 1)
        return not left_out.terms and left_out.constant <= FEW
