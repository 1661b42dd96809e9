"""Read a kernel as a product of two arrays: which loops are free, which one adds up, and where they stand in each.

    for i, j, p:  C[i, j] += alpha * A[i, p] * B[p, j]     ->     A by (i, p), B by (p, j), the rest is alpha

All loops of the kernel are taken; loops around them are for who asks.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ... import syntax
from ...analysis.integers.affine import Affine
from ...analysis.integers.nest_scope import NestScope
from ...analysis.integers.values import Integers
from ...records import dataclass
from ...types import Array, Extent
from .kernels import ALONG, Kernel, Term


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
class Product:
    """A term of a kernel: elements of `left` and `right`, and the factors that stay with their sum."""

    sign: int
    left: Operand
    right: Operand
    rest: tuple[gast.expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """What the loops of a kernel multiply and add up over the loop of one variable.

    free    the variables of the other loops, in their order
    place   the place of the array that is added to
    """

    kernel: Kernel
    adding: str
    free: tuple[str, ...]
    products: tuple[Product, ...]
    place: Operand | None

    @property
    def operands(self) -> list[Operand]:
        return [operand for product in self.products for operand in (product.left, product.right)]

    @property
    def rest(self) -> list[gast.expr]:
        return [factor for product in self.products for factor in product.rest]

    @property
    def is_slice(self) -> bool:
        """Whether a slice is one of the loops."""
        return self.kernel.levels[-1].is_slice


def form_of(kernel: Kernel, integers: Integers) -> Form | None:
    """The form of a kernel; None where it is none."""
    variables = [level.variable for level in kernel.levels]
    if len({*variables}) < len(variables) or not all(counts_up(level.loop) for level in kernel.levels):
        return None
    reader = _Reader(integers, kernel)
    free = reader.free(kernel)
    adding = [v for v in variables if free is not None and v not in free]
    if not free or len(adding) != 1:
        return None
    found = [reader.product(term, adding[0], free) for term in kernel.terms]
    products = tuple(one for one in found if one is not None)
    if len(products) < len(found):
        return None
    place = None if isinstance(kernel.target, str) else kernel.target
    axes = () if place is None else reader.axes(place) or ()
    stored = None if place is None else Operand(place.value.id, axes, None)
    return Form(kernel, adding[0], tuple(v for v in variables if v in free), products, stored)


def counts_up(loop: gast.For) -> bool:
    step = loop.iter.args[2]
    return syntax.operator_of(loop.iter) == "range" and isinstance(step, gast.Constant) and step.value == 1


class _Reader:
    """The loops of a kernel, by the unknowns that stand for their variables."""

    def __init__(self, integers: Integers, kernel: Kernel) -> None:
        self.integers, self.variables = integers, [level.variable for level in kernel.levels]
        self.numbers = {integers.number_of(variable): variable for variable in self.variables}
        self.bound = integers.bound_in(kernel.levels[0].loop)
        self.along = kernel.levels[-1].loop if kernel.levels[-1].is_slice else None
        self.scope = NestScope()
        for level in kernel.levels:
            if not level.is_slice:
                self.scope = self.scope.inside(integers.loop(level.loop))

    def free(self, kernel: Kernel) -> list[str] | None:
        """The variables that say which sum an element is of."""
        if isinstance(kernel.target, str):
            return self.variables[:-1]
        axes = self.axes(kernel.target)
        found = [axis.variable for axis in axes or () if axis.variable]
        return found if axes is not None and len({*found}) == len(found) else None

    def product(self, term: Term, adding: str, free: Sequence[str]) -> Product | None:
        operands = [found for load in term.loads if (found := self.operand(load)) is not None]
        if len(operands) != len(term.loads):
            return None
        inner = [operand for operand in operands if adding in operand.variables]
        others = [operand for operand in operands if adding not in operand.variables]
        if len(inner) != 2 or any(ALONG in operand.variables for operand in others):
            return None
        inner.sort(key=lambda operand: (-len(operand.variables), self.variables.index(operand.variables[0])))
        left, right = inner
        seen = [v for operand in inner for v in operand.variables if v != adding]
        if sorted(seen) != sorted(free) or len(right.variables) > 2:
            return None
        loads = (load.targets[0].id for load in term.loads if load not in (left.load, right.load))
        return Product(term.sign, left, right, (*term.scalars, *map(syntax.name, loads)))

    def operand(self, load: gast.Assign) -> Operand | None:
        array = load.value.value.id
        axes = self.axes(load.value)
        if axes is None:
            return None
        found = Operand(array, axes, load)
        return found if len({*found.variables}) == len(found.variables) else None

    def axes(self, place: gast.Subscript) -> tuple[Axis, ...] | None:
        type_ = self.integers.types[place.value.id]
        items = place.slice.elts
        if not isinstance(type_, Array) or len(items) != type_.ndim:
            return None
        found = [axis for item, extent in zip(items, type_.dims) if (axis := self._axis(item, extent)) is not None]
        return tuple(found) if len(found) == len(items) else None

    def _axis(self, item: gast.expr, extent: Extent) -> Axis | None:
        if isinstance(item, gast.Slice):
            return self._along(item, extent)
        form = self.integers.of(item) if syntax.is_atom(item) else None
        if form is None:
            return None
        if not any(unknown in self.numbers for unknown, _ in form.terms):
            return Axis(item) if self.bound.isdisjoint(syntax.names_read(item)) else None
        match form:
            case Affine(terms=((unknown, 1),), constant=offset):
                return Axis(item, self.numbers[unknown], offset)
        return None

    def _along(self, item: gast.Slice, extent: Extent) -> Axis | None:
        """A slice that goes along with the one that is added to, from a number of elements further on.

        No bound may be negative, as that would count from the end.
        """
        if self.along is None or item.step is not None:
            return None
        start, stop = map(self.integers.of, self.along.iter.args[:2])
        lower = Affine(0) if item.lower is None else self.integers.of(item.lower)
        upper = self.integers.exactly(extent) if item.upper is None else self.integers.of(item.upper)
        if start is None or stop is None or lower is None or upper is None:
            return None
        if not all(self.integers.is_natural(bound, self.scope) for bound in (start, stop, lower, upper)):
            return None
        offset = lower - start
        return Axis(item, ALONG, offset.constant) if not offset.terms and upper - stop == offset else None
