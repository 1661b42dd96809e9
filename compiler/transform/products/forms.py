"""Read a kernel as a product of two arrays: which loops are free, which one adds up, and where they stand in each.

    for i, j, p:  C[i, j] += alpha * A[i, p] * B[p, j]     ->     A by (i, p), B by (p, j), the rest is alpha

All loops of the kernel are taken; loops around them are up to the caller.
"""

from __future__ import annotations

import gast

from ... import syntax
from ...analysis.integers.affine import Affine
from ...analysis.integers.nest_scope import NestScope
from ...analysis.integers.values import Integers
from ...records import dataclass
from ...types import Array
from .sums import ADDED, ALONG, Kernel, Load, Term


@dataclass(frozen=True, slots=True)
class Axis:
    """How one axis of an operand is indexed: by a loop that is taken and a number added to it, or by what stays."""

    item: gast.expr
    variable: str = ""
    offset: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Operand:
    """An array and its axes, and what loads its elements."""

    array: str
    axes: tuple[Axis, ...]
    load: Load | None = None

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(axis.variable for axis in self.axes if axis.variable)


@dataclass(frozen=True, slots=True, eq=False)
class Product:
    """A term of a kernel: elements of `left` and `right`, vectors by which they are scaled, and the factors that stay
    with their sum."""

    sign: int
    left: Operand
    right: Operand
    scales: tuple[Operand, ...]
    rest: tuple[gast.expr, ...]

    @property
    def operands(self) -> tuple[Operand, ...]:
        return self.left, self.right, *self.scales


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """What the loops of a kernel multiply and add up over the loop of one variable.

    free     the variables of the products, in the order of their loops
    place    the target: the elements that are added to
    lengths  pairs of ints that are equal where the slices that are multiplied are equally long
    """

    kernel: Kernel
    adding: str
    free: tuple[str, ...]
    products: tuple[Product, ...]
    place: Operand | None
    lengths: tuple[tuple[gast.expr, int, gast.expr], ...]

    @property
    def operands(self) -> list[Operand]:
        return [operand for product in self.products for operand in product.operands]

    @property
    def rest(self) -> list[gast.expr]:
        return [factor for product in self.products for factor in product.rest]

    @property
    def depth(self) -> int:
        """The position of the loop that adds up."""
        return next(k for k, level in enumerate(self.kernel.levels) if level.variable == self.adding)


def form_of(kernel: Kernel, integers: Integers, scope: NestScope) -> Form | None:
    """The form of a kernel inside of other loops; None where it is none."""
    variables = [level.variable for level in kernel.levels]
    if len({*variables}) < len(variables) or not all(counts_up(level.loop) for level in kernel.levels):
        return None
    reader = _Reader(integers, kernel, scope)
    place = None if isinstance(kernel.target, str) else reader.place(kernel.target)
    adding = variables[-1:] if isinstance(kernel.target, str) else []
    if place is not None:
        adding = [v for v in variables if v not in place.variables]
    if len(adding) != 1:
        return None
    found = [reader.product(term, adding[0]) for term in kernel.terms]
    products = tuple(one for one in found if one is not None)
    seen = [sorted(v for side in (p.left, p.right) for v in side.variables if v != adding[0]) for p in products]
    if len(products) < len(found) or any(names != seen[0] for names in seen) or not seen[0]:
        return None
    if place is not None and seen[0] != sorted(place.variables):
        return None
    free = tuple(v for v in variables if v in seen[0])
    return Form(kernel, adding[0], free, products, place, tuple(reader.lengths)) if len(free) == len(seen[0]) else None


def counts_up(loop: gast.For) -> bool:
    step = loop.iter.args[2]
    return syntax.operator_of(loop.iter) == "range" and isinstance(step, gast.Constant) and step.value == 1


class _Reader:
    """The loops of a kernel, by the unknowns that stand for their variables."""

    def __init__(self, integers: Integers, kernel: Kernel, scope: NestScope) -> None:
        self.integers, self.variables = integers, [level.variable for level in kernel.levels]
        self.numbers = {integers.number_of(variable): variable for variable in self.variables}
        self.bound = integers.bound_in(kernel.levels[0].loop)
        self.slices = {level.variable: level.loop for level in kernel.levels if level.is_slice}
        self.lengths: list[tuple[gast.expr, int, gast.expr]] = []
        self.scope = scope
        for level in kernel.levels:
            if not level.is_slice:
                self.scope = self.scope.inside(integers.loop(level.loop))

    def place(self, place: gast.Subscript) -> Operand | None:
        slices = tuple(ALONG[0] for item in place.slice.elts if isinstance(item, gast.Slice))
        return self.operand(Load(place.value.id, tuple(place.slice.elts), slices, None))

    def product(self, term: Term, adding: str) -> Product | None:
        operands = [found for load in term.loads if (found := self.operand(load)) is not None]
        inner = [operand for operand in operands if adding in operand.variables]
        others = [operand for operand in operands if adding not in operand.variables]
        if len(operands) != len(term.loads) or any(ALONG[0] in operand.variables for operand in others):
            return None
        if ADDED not in self.slices:
            inner.sort(key=lambda operand: (-len(operand.variables), self.variables.index(operand.variables[0])))
        if len(inner) == 2 and len(inner[1].variables) > 2 and ALONG[0] not in inner[0].variables:
            inner.reverse()
        if len(inner) < 2 or len(inner[1].variables) > 2 or any(len(other.variables) > 1 for other in inner[2:]):
            return None
        rest = (syntax.name(operand.load.name) for operand in others if operand.load is not None)
        return Product(term.sign, inner[0], inner[1], tuple(inner[2:]), (*term.scalars, *rest))

    def operand(self, load: Load) -> Operand | None:
        type_ = self.integers.types[load.array] if load.array else None
        if not isinstance(type_, Array) or len(load.items) != type_.ndim:
            return None
        slices = iter(load.slices)
        axes: list[Axis] = []
        for item in load.items:
            is_slice = isinstance(item, gast.Slice)
            axis = self._along(item, load.array, len(axes), next(slices)) if is_slice else self._axis(item)
            if axis is None:
                return None
            axes.append(axis)
        found = Operand(load.array, tuple(axes), load)
        return found if len({*found.variables}) == len(found.variables) else None

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

    def _along(self, item: gast.Slice, array: str, axis: int, variable: str) -> Axis | None:
        """A slice that goes along with its loop, from a number of elements further on.

        No bound may be negative, as that would count from the end.
        """
        if variable not in self.slices or item.step is not None:
            return None
        first, last, _ = self.slices[variable].iter.args
        end = syntax.call("dim", syntax.name(array), axis=axis) if item.upper is None else item.upper
        bounds = (first, last, item.lower or syntax.constant(0), end)
        forms = [form for bound in bounds if (form := self.integers.of(bound)) is not None]
        if len(forms) < len(bounds) or not all(self.integers.is_natural(form, self.scope) for form in forms):
            return None
        start, stop, lower, upper = forms
        offset, rest = lower - start, upper - stop - (lower - start)
        if offset.terms or not (variable == ADDED or rest == Affine(0)):
            return None
        if not all(self.integers.is_natural(way, self.scope) for way in (rest, -rest)):
            self.lengths.append((last, offset.constant, end))
        return Axis(item, variable, offset.constant)
