"""Write the products of a form ahead of its loops, and the loops without the one that adds up.

    for i, j:  t = A[i, :] @ B[:, j]              ->      whole = A @ B
                                                          for i, j:  t = whole[i, j]

Where each sum has other terms, blocks of rows have those that all of their rows share, and each row adds its own:

    for i, j:  t = A[i:, i] @ B[i:, j]            ->      left = A.T
                                                          for b in range(0, n, BAND):
                                                              e = min(b + BAND, n)
                                                              whole[b:e] = left[b:e, e - 1:] @ B[e - 1:]
                                                              for r in range(b, e):
                                                                  whole[r] += left[r, r:e - 1] @ B[r:e - 1]

so that nothing is multiplied that the loops would not multiply: what is outside of a triangle may be inf or nan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import gast

from ... import syntax
from ...builder import Builder
from ...records import dataclass
from ...tuning import BAND
from ...types import INT, Array
from .forms import Form, Product
from .hulls import FROM, Check, Hulls, Triangle, plus_number
from .sums import Kernel, leading_to


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """A product that stands ahead of the loops, and the variables along its axes."""

    product: Product
    name: str
    order: tuple[str, ...]


class Whole:
    """The products of one form; `idle` are statements that nothing else needs."""

    def __init__(self, form: Form, hulls: Hulls, build: Builder, idle: Sequence[gast.stmt]) -> None:
        self.form, self.hulls, self.build, self.idle = form, hulls, build, {id(s) for s in idle}
        self.made: list[Made] = []

    def make(self, checks: Sequence[Check]) -> None:
        """Append the products, with sums as long as what is checked."""
        self.hulls.shorten(self.build, checks)
        self.made += map(self._product, self.form.products)

    def _product(self, product: Product) -> Made:
        build, adding, triangle = self.build, self.form.adding, self.hulls.triangle
        sides = product.left, product.right
        if triangle is not None and triangle.variable in product.right.variables:
            sides = product.right, product.left
        names, others = ([v for v in side.variables if v != adding] for side in sides)
        left = self.hulls.part(build, sides[0], [*names, adding], sides[0].array)
        for scale in product.scales:
            left = build.call("multiply", left, self.hulls.part(build, scale, [adding], scale.array))
        right = self.hulls.part(build, sides[1], [adding, *others], sides[1].array)
        wish = self.form.kernel.target if isinstance(self.form.kernel.target, str) else "product"
        if triangle is None:
            made = build.call("matmul", left, right, hint=wish)
        else:
            made = self._bands(left, right, triangle, wish)
        assert isinstance(made, gast.Name)
        return Made(product, made.id, (*names, *others))

    # --- a triangle

    def _bands(self, left: gast.expr, right: gast.expr, triangle: Triangle, wish: str) -> gast.expr:
        build, every = self.build, syntax.slice_()
        type_ = build.type_of(left)
        assert isinstance(type_, Array)
        end = build.call("dim", left, axis=0, hint="rows")
        shape = end, build.call("dim", right, axis=1, hint="columns")
        whole = build.call("zeros", shape=shape, dtype=type_.dtype, hint=wish)
        with self._loop("b", 0, end, BAND) as first:
            last = build.call("minimum", build.call("add", first, BAND), end, hint="e")
            if triangle.kind == FROM:
                bound = plus_number(build, last, -1)
                shared = syntax.slice_(bound)
            else:
                bound = plus_number(build, first, triangle.more)
                shared = syntax.slice_(None, bound)
            rows = syntax.slice_(first, last)
            product = build.call("matmul", build.load(left, [rows, shared]), build.load(right, [shared, every]))
            build.append(syntax.store(whole.id, [rows, every], product))
            with self._loop("r", first, last, 1) as row:
                moving = plus_number(build, row, triangle.more)
                own = syntax.slice_(moving, bound) if triangle.kind == FROM else syntax.slice_(bound, moving)
                before = build.load(whole, [row, every])
                product = build.call("matmul", build.load(left, [row, own]), build.load(right, [own, every]))
                build.append(syntax.store(whole.id, [row, every], build.call("add", before, product)))
        return whole

    @contextmanager
    def _loop(self, wish: str, start: object, stop: object, step: int) -> Iterator[gast.Name]:
        """Append a loop with the statements that are appended meanwhile."""
        build, outer = self.build, self.build.body
        variable = build.names.fresh(wish)
        build.types[variable], build.body = INT, []
        yield syntax.name(variable)
        inner, build.body = build.body, outer
        build.append(syntax.for_range(variable, start, stop, step, inner))

    # --- what reads it

    def store(self) -> None:
        """Append what adds whole products to all that the loops add to."""
        place = self.form.place
        assert place is not None
        dims = getattr(self.build.types[place.array], "dims", ())
        items = [self.hulls.item(self.build, axis, extent) for axis, extent in zip(place.axes, dims, strict=True)]
        before = self.build.load(place.array, items)
        self.build.append(syntax.store(place.array, items, self._sum(before, place.variables)))

    def nest(self, depth: int = 0) -> list[gast.stmt]:
        """The loops from a level on, without the one that adds up."""
        kernel = self.form.kernel
        if depth == len(kernel.levels):
            return self._last()
        level, inner = kernel.levels[depth], self.nest(depth + 1)
        before, after = ([s for s in part if id(s) not in self.idle] for part in (level.before, level.after))
        if depth >= self.form.depth:
            bounds = {n for deeper in kernel.levels[depth + 1 :] for n in syntax.names_read(deeper.loop.iter)}
            before = leading_to(bounds, before)
        if level.is_slice or level.variable == self.form.adding:
            return [*before, *inner]
        return [syntax.rebuild(level.loop, body=[*before, *inner, *after])]

    def _last(self) -> list[gast.stmt]:
        """What adds elements of the products to what the kernel added to."""
        build, kernel, outer = self.build, self.form.kernel, self.build.body
        end = kernel.inner[-1]
        span, inlined = build.span, build.inlined
        build.body, build.span, build.inlined = [], end.span, getattr(end, "inlined", ())
        value = self._sum(start_of(kernel), ())
        made = build.body
        if kernel.is_dot:  # the load is of the product itself, and not of a name for it
            (*made, load) = made
            value = load.value
            self._keep_layout(load.targets[0].id, str(kernel.target))
        made.append(syntax.at(syntax.assign(kernel.target, value), build.span, build.inlined))
        build.body, build.span, build.inlined = outer, span, inlined
        return [*(needed(self.form) or ()), *made]

    def _keep_layout(self, loaded: str, target: str) -> None:
        new, old = self.build.types[loaded], self.build.types[target]
        if isinstance(new, Array) and isinstance(old, Array):
            self.build.types[target] = Array(old.dtype, old.dims, new.layout)

    def _sum(self, value: gast.expr, order: Sequence[str]) -> gast.expr:
        """Append a value and the products, whole with their axes in this order, or what one iteration has of them."""
        build = self.build
        for one in self.made:
            term: gast.expr = syntax.name(one.name)
            if not order:
                term = build.load(one.name, [self._place(variable) for variable in one.order])
            elif one.order != tuple(order):
                term = build.call("transpose", term, axes=tuple(one.order.index(variable) for variable in order))
            for factor in one.product.rest:
                term = build.call("multiply", factor, term)
            if one.product.sign < 0:
                value = build.call("subtract", value, term)
            elif isinstance(value, gast.Constant) and value.value == 0.0:
                value = term
            else:
                value = build.call("add", value, term)
        return value

    def _place(self, variable: str) -> gast.expr:
        """The position of a loop's iteration along the axis of the product; of a slice its bounds, None where idle."""
        start = self.hulls.starts[variable]
        first = plus_number(self.build, start.atom, start.plus)
        level = next(level for level in self.form.kernel.levels if level.variable == variable)
        if level.is_slice:
            ends = [None if self.hulls.is_ahead(bound) else bound for bound in level.loop.iter.args[:2]]
            return syntax.slice_(*(None if end is None else self._since(end, first) for end in ends))
        return self._since(syntax.name(variable), first)

    def _since(self, place: gast.expr, first: gast.expr) -> gast.expr:
        is_zero = isinstance(first, gast.Constant) and first.value == 0
        return place if is_zero else self.build.call("subtract", place, first)


def needed(form: Form) -> list[gast.stmt] | None:
    """The statements inside of the adding loop that the rest of the factors needs; None where they depend on it."""
    kernel, deeper = form.kernel, form.kernel.levels[form.depth + 1 :]
    inside = [s for level in kernel.levels[form.depth :] for s in level.before]
    inside += kernel.inner
    wanted = {n for atom in form.rest for n in syntax.names_read(atom)}
    bounds = {n for level in deeper for n in syntax.names_read(level.loop.iter)}
    if kernel.load is not None:
        wanted.add(kernel.load.targets[0].id)
        wanted |= {*syntax.names_read(kernel.target.slice)}
    found = leading_to(wanted, inside)
    reads = {n for s in (*found, *leading_to(bounds, inside)) for n in syntax.names_read(s)}
    return None if form.adding in wanted | bounds | reads else found


def start_of(kernel: Kernel) -> gast.expr:
    """What the sum is added to: the element that was there, or what its name was given right before the loop."""
    if kernel.load is not None:
        return syntax.name(kernel.load.targets[0].id)
    if kernel.is_dot:
        return syntax.constant(0.0)
    (given,) = starts_of(kernel)
    start: gast.expr = given.value
    return start


def starts_of(kernel: Kernel) -> list[gast.stmt]:
    """Where the name of a sum gets the value with which it begins."""
    return [s for s in kernel.levels[-2].before if kernel.target in syntax.names_bound(s)]
