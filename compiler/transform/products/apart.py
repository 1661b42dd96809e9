"""Take the products of a nest that does something else as well, each out of loops of its own (`distribute`).

    for i in range(n):                                  for i in range(n):
        for j in range(m):                                  for j in range(m):
            c[:i, j] += b[i, j] * a[i, :i]     ->               c[i, j] = 1.2 * c[i, j]
            c[i, j] = 1.2 * c[i, j]                     c[:n - 1] += (the triangle of a below its diagonal).T @ b

Where an element may not be there, the nest stays beside what is made of it, for the error that it raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.integers.affine import Affine
from ...analysis.integers.nest_scope import NestScope
from ...analysis.integers.values import Integers
from ...analysis.memory.accesses import Access, accesses
from ...ops.schema import row_of
from ...records import dataclass
from ...renaming import renamed
from ...types import Array
from .distribute import splits
from .forms import Axis, Form, Operand, form_of
from .hulls import Check, Hulls
from .kernels import ALONG, Level, kernels
from .slices import FROM, Dot, Reach, Reaches
from .versions import either, hands_on, versions
from .whole import Whole

if TYPE_CHECKING:
    from .products import Taking


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A product, what its loops run over, and what each sum of a triangle has: terms from a place on."""

    form: Form
    hulls: Hulls
    from_: Reach | None


class Apart:
    """The nests of one function, whose products `taking` takes."""

    def __init__(self, taking: Taking) -> None:
        self.taking, self.build, self.integers = taking, taking.build, taking.integers

    def of_loop(self, loop: gast.For, scope: NestScope) -> list[gast.stmt] | None:
        """What comes in the place of a nest; None where it holds no product beside something else."""
        if hands_on(loop, self.taking.facts):
            return None
        first: list[Found | gast.For] = []
        last: list[Found | gast.For] = []
        rest = loop
        while (taken := self._next(rest, scope)) is not None:
            found, rest, is_first = taken
            (first if is_first else last).append(found)
        if not first and not last or not self._is_quiet(rest):
            return None
        parts = [*first, self._product_in(rest, scope) or rest, *reversed(last)]
        return self._taken(loop, scope, parts)

    def _next(self, loop: gast.For, scope: NestScope) -> tuple[Found, gast.For, bool] | None:
        facts, dependences = self.taking.facts, self.taking.dependences
        for split in splits(loop, scope, facts, dependences, lambda part: self._product_in(part, scope)):
            return split.found, split.rest, split.is_first
        return None

    def _is_quiet(self, loop: gast.For) -> bool:
        """Whether nothing in a nest raises but an element that is not there."""
        for statement in syntax.walk([loop]):
            value = getattr(statement, "value", None)
            row = None if value is None else row_of(syntax.operator_of(value))
            if row is not None and row.raises([self.build.type_of(a) for a in value.args], syntax.static_of(value)):
                return False
        return True

    def _product_in(self, part: gast.For, scope: NestScope) -> Found | None:
        """The product that the loops of one store are."""
        for kernel in kernels(part, self.taking.facts, self.integers.types):
            form = form_of(kernel, self.integers)
            if form is None or form.place is None or not self.taking.fits(form):
                continue
            if scope.loops and len(form.free) < 2:
                continue
            from_ = _triangle(form, self.integers)
            hulls = Hulls(kernel.levels, form.adding, self.integers, scope)
            if not hulls.is_known or None in map(hulls.checks, _places(form)):
                continue
            if not self.taking.is_small(hulls) and (from_ is not None or self.taking.stays(form, is_apart=True)):
                return Found(form, hulls, from_)
        return None

    # --- taking them

    def _taken(
        self, loop: gast.For, scope: NestScope, parts: Sequence[Found | gast.For]
    ) -> list[gast.stmt] | None:
        build = self.build
        build.body, build.span, build.inlined = [], loop.span, getattr(loop, "inlined", ())
        needed = self._needed(loop, scope)
        if needed is None:
            return None
        tests: list[gast.expr] = []
        for part in parts:
            if isinstance(part, Found):
                part.hulls.prepare(build)
                checks = [check for operand in _places(part.form) for check in part.hulls.checks(operand) or ()]
                tests += self.taking.idle(part.form, part.hulls, checks)
                needed += [(part.hulls, check) for check in checks]
        tests += self._too_short(needed)
        ahead = build.body
        made = [statement for part in parts for statement in self._made(part, loop)]
        test = either(build, tests, ahead)
        if test is not None:
            self.taking.left.append(loop)
        return [*ahead, *versions(build, self.integers, loop, test, made)]

    def _too_short(self, needed: Sequence[tuple[Hulls, Check]]) -> list[gast.expr]:
        """What tells that an axis is too short, once for each."""
        tests: dict[object, gast.expr] = {}
        for hulls, check in needed:
            key = check.operand.array, check.place, hulls.stops[check.axis.variable].form.plus(check.axis.offset)
            if key not in tests:
                tests[key] = hulls.is_short(self.build, [check])
        return [*tests.values()]

    def _needed(self, loop: gast.For, scope: NestScope) -> list[tuple[Hulls, Check]] | None:
        """The axes that may be too short for the elements of the nest; None where that cannot be told ahead of it."""
        found: list[tuple[Hulls, Check]] = []
        for access in accesses([loop], scope, self.integers):
            levels = [Level(inner.statement, (), ()) for inner in access.scope.loops[len(scope.loops) :]]
            operand = self._operand(access, [level.variable for level in levels])
            hulls = Hulls(levels, "", self.integers, scope) if levels else None
            if operand is None or hulls is None or not hulls.is_known:
                return None
            checks = hulls.checks(operand)
            if checks is None:
                return None
            found += [(hulls, check) for check in checks]
        return found

    def _operand(self, access: Access, variables: Sequence[str]) -> Operand | None:
        """What is accessed, by loops; an index that is surely inside is no matter, and neither is a slice."""
        dims = getattr(self.build.types[access.array], "dims", ())
        numbers = {self.integers.number_of(variable): variable for variable in variables}
        axes = []
        for item, extent in zip(access.items, dims, strict=True):
            if item is None:
                return None
            if isinstance(item, gast.Slice) or self.integers.is_inside(item, extent, access.scope):
                axes.append(Axis(syntax.slice_()))
                continue
            match self.integers.of(item):
                case Affine(terms=((unknown, 1),), constant=offset) if unknown in numbers:
                    axes.append(Axis(item, numbers[unknown], offset))
                case _:
                    return None
        return Operand(access.array, tuple(axes), None)

    def _made(self, part: Found | gast.For, loop: gast.For) -> list[gast.stmt]:
        if not isinstance(part, Found):
            return [part]
        self.taking.tell(part.form)
        self.build.body = []
        made = self.taking.product(part.form, part.hulls, ()) if part.from_ is None else self._of_triangle(part)
        names = {n for s in syntax.walk(made) for n in syntax.names_bound(s)} & self.integers.bound_in(loop)
        fresh = {name: self.build.names.fresh(name) for name in sorted(names)}
        self.build.types.update({new: self.build.types[old] for old, new in fresh.items()})
        return [renamed(statement, fresh) for statement in made]

    # --- a triangle

    def _of_triangle(self, found: Found) -> list[gast.stmt]:
        """What is added to, and the product of the triangle, where each sum begins with a turn of its own."""
        build, form, hulls = self.build, found.form, found.hulls
        place, (product,) = form.place, form.products
        assert place is not None and found.from_ is not None
        outer, build.body = build.body, []
        left, right = (self._cut(side, form.adding, hulls) for side in (product.left, product.right))
        dot = Dot((), syntax.assign("product", left.array), left, right, False)
        whole: gast.expr = syntax.name(Whole(dot, found.from_, build, hulls, Reaches(dot, self.integers, hulls)).make())
        if place.variables[0] != ALONG:
            whole = build.call("transpose", whole, axes=(1, 0))
        for factor in product.rest:
            whole = build.call("multiply", factor, whole)
        dims = getattr(build.types[place.array], "dims", ())
        items = [hulls.item(build, axis, extent) for axis, extent in zip(place.axes, dims, strict=True)]
        before = build.load(place.array, items)
        total = build.call("add" if product.sign > 0 else "subtract", before, whole)
        build.append(syntax.store(place.array, items, total))
        made, build.body = build.body, outer
        return made

    def _cut(self, side: Operand, adding: str, hulls: Hulls) -> Operand:
        """An operand as long as the loop that adds up, along that axis."""
        build, along = self.build, next(k for k, axis in enumerate(side.axes) if axis.variable == adding)
        type_ = build.types[side.array]
        assert isinstance(type_, Array)
        item = hulls.item(build, side.axes[along], type_.dims[along])
        items = [item if k == along else syntax.slice_() for k in range(type_.ndim)]
        array = side.array
        if isinstance(item, gast.Slice) and item.upper is not None:
            array = str(build.load(array, items, hint=array).id)
        return Operand(array, side.axes, None, along)


def _places(form: Form) -> list[Operand]:
    """All that a product reads and adds to, slices by the places that they reach."""
    assert form.place is not None
    return [
        replace(side, axes=tuple(replace(a, item=syntax.name(a.variable)) if a.variable else a for a in side.axes))
        for side in (*form.operands, form.place)
    ]


def _triangle(form: Form, integers: Integers) -> Reach | None:
    """From which turn on each sum has its terms, where what is added to is a slice that ends where that turn stands."""
    *outer, along = form.kernel.levels
    if not along.is_slice or len(form.products) != 1 or len(form.free) != 2 or any(level.after for level in outer):
        return None
    start, stop, _ = along.loop.iter.args
    (product,) = form.products
    part = form.kernel.levels[0].loop
    bound = integers.bound_in(part)
    stored = {syntax.stored_base(s) for s in syntax.walk([part])}
    sides = product.left, product.right
    if any(side.array in bound | stored or len(side.variables) != 2 or len(side.axes) != 2 for side in sides):
        return None
    if integers.of(start) != Affine(0) or not all(bound.isdisjoint(syntax.names_read(f)) for f in product.rest):
        return None
    match integers.of(stop):
        case Affine(terms=((unknown, 1),), constant=0 | 1 as offset) if unknown == integers.number_of(form.adding):
            return Reach(FROM, ALONG, 1 - offset)
    return None
