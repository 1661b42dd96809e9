"""Read a kernel as a product of two arrays: which loops are free, which one adds up, and where they stand in each.

    for i, j, p:  C[i, j] += alpha * A[i, p] * B[p, j]     ->     A by (i, p), B by (p, j), the rest is alpha

All loops of the kernel are taken; loops around them are for who asks.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ... import syntax
from ...analysis.integers.affine import Affine
from ...analysis.integers.values import Integers
from ...records import dataclass
from ...types import Array
from .kernels import Kernel


@dataclass(frozen=True, slots=True)
class Axis:
    """How one axis of an operand is indexed: by a loop that is taken and a number added to it, or by what stays.

    An item that stays may be a slice, whose bounds may yet depend on the loops.
    """

    item: gast.expr
    variable: str = ""
    offset: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Operand:
    """An array and its axes, and the statement that loads its elements, or a slice; none loads all of an array.

    along   the place of the axis that is added up, where what is loaded is a slice
    """

    array: str
    axes: tuple[Axis, ...]
    load: gast.Assign | None
    along: int = -1

    @property
    def free(self) -> tuple[int, ...]:
        """The places of the axes that a product of slices has from here."""
        kept = (k for k, a in enumerate(self.axes) if a.variable or isinstance(a.item, gast.Slice))
        return tuple(k for k in kept if k != self.along)

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(axis.variable for axis in self.axes if axis.variable)


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """What the loops of a kernel multiply: elements of `left` and `right`, added up over the loop of one variable.

    free   the variables of the other loops, in their order
    rest   the factors that stay with the sum: all but the two elements
    """

    kernel: Kernel
    adding: str
    free: tuple[str, ...]
    left: Operand
    right: Operand
    rest: tuple[gast.expr, ...]


def form_of(kernel: Kernel, integers: Integers) -> Form | None:
    """The form of a kernel; None where it is none."""
    variables = [level.variable for level in kernel.levels]
    if len({*variables}) < len(variables) or not all(counts_up(level.loop) for level in kernel.levels):
        return None
    reader = _Reader(integers, kernel)
    free = reader.free(kernel)
    adding = [v for v in variables if free is not None and v not in free]
    operands = [found for load in kernel.loads if (found := reader.operand(load)) is not None]
    if free is None or len(adding) != 1 or len(operands) != len(kernel.loads):
        return None
    inner = [operand for operand in operands if adding[0] in operand.variables]
    if len(inner) != 2:
        return None
    inner.sort(key=lambda operand: (-len(operand.variables), variables.index(operand.variables[0])))
    left, right = inner
    seen = [v for operand in inner for v in operand.variables if v != adding[0]]
    if sorted(seen) != sorted(free) or not free or len(right.variables) > 2:
        return None
    others = (load.targets[0].id for load in kernel.loads if load not in (left.load, right.load))
    rest = (*kernel.scalars, *map(syntax.name, others))
    return Form(kernel, adding[0], tuple(v for v in variables if v in free), left, right, rest)


def counts_up(loop: gast.For) -> bool:
    step = loop.iter.args[2]
    return syntax.operator_of(loop.iter) == "range" and isinstance(step, gast.Constant) and step.value == 1


class _Reader:
    """The loops of a kernel, by the unknowns that stand for their variables."""

    def __init__(self, integers: Integers, kernel: Kernel) -> None:
        self.integers, self.variables = integers, [level.variable for level in kernel.levels]
        self.numbers = {integers.number_of(variable): variable for variable in self.variables}
        self.bound = integers.bound_in(kernel.levels[0].loop)

    def free(self, kernel: Kernel) -> list[str] | None:
        """The variables that say which sum an element is of."""
        if isinstance(kernel.target, str):
            return self.variables[:-1]
        axes = self.axes(kernel.target.slice.elts)
        found = [axis.variable for axis in axes or () if axis.variable]
        return found if axes is not None and len({*found}) == len(found) else None

    def operand(self, load: gast.Assign) -> Operand | None:
        array = load.value.value.id
        type_ = self.integers.types[array]
        axes = self.axes(load.value.slice.elts)
        if axes is None or not isinstance(type_, Array) or len(axes) != type_.ndim:
            return None
        found = Operand(array, axes, load)
        return found if len({*found.variables}) == len(found.variables) else None

    def axes(self, items: Sequence[gast.expr]) -> tuple[Axis, ...] | None:
        found = [axis for item in items if (axis := self._axis(item)) is not None]
        return tuple(found) if len(found) == len(items) else None

    def _axis(self, item: gast.expr) -> Axis | None:
        form = self.integers.of(item) if syntax.is_atom(item) else None
        if form is None:
            return None
        if not any(unknown in self.numbers for unknown, _ in form.terms):
            return Axis(item) if self.bound.isdisjoint(syntax.names_read(item)) else None
        match form:
            case Affine(terms=((unknown, 1),), constant=offset):
                return Axis(item, self.numbers[unknown], offset)
        return None
