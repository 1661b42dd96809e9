"""A store through views, one after the other, as one store into the array that they are views of.

    b = a[2:, j]; b[k] = v                          a[2 + k, j] = v, if k is inside of b
    t = transpose(a, axes=(1, 0)); t[i, :] = v      a[:, i] = v
    f = reshape(a, shape=(6,)); f[k] = v            a[k // 3, k % 3] = v, if k is inside of f
    b = a[::-2]; b[lo:hi] = v                       t = copy(a[::-2]); t[lo:hi] = v; a[::-2] = t

The last is what is done where items and a view do not come to items again.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

import gast

from .. import syntax
from ..analysis.memory.places import Place, ViewStep, items_of
from ..builder import Builder
from ..ops.slices import bounds, constant_of, is_full
from ..types import Array, Scalar
from .int_atoms import IntAtoms

Items = list[gast.expr]
FULL = gast.Slice(None, None, None)


def replay(builder: Builder, place: Place, hint: str = "t") -> str:
    """The part of an array as it is now, under a new name."""
    current = place.root
    for step in place.steps:
        names = {step.operand: current}
        made = syntax.map_names(_expression(builder, step), lambda n, names=names: names.get(n, n))  # type: ignore[misc]
        current = builder.bind(made, step.type, hint).id
    return current


def _expression(builder: Builder, step: ViewStep) -> gast.expr:
    """What gives the view, with the ends of its slices."""
    if not step.lengths_of:
        return step.value
    items = items_of(step.value)
    return syntax.index(step.operand, *(_with_end(builder, step, item, axis) for axis, item in enumerate(items)))


def _with_end(builder: Builder, step: ViewStep, item: gast.expr, axis: int) -> gast.expr:
    """A slice of a view, which ends where the view does."""
    if not step.lengths_of or is_full(item):
        return item
    length = builder.call("dim", step.lengths_of, axis=axis, hint="n")
    return syntax.slice_(item.lower, IntAtoms(builder).plus(item.lower, length))


def write(builder: Builder, place: Place, items: Items, value: gast.expr, adds: bool = False) -> None:
    """Store, or add, what goes to items of a part."""
    inside: list[gast.expr] = []  # what is known to be in bounds, as it comes from what was checked
    for depth in reversed(range(len(place.steps))):
        step, base = place.steps[depth], replace(place, steps=place.steps[:depth])
        composed = _Composed(builder, base, step, inside).of(items, value)
        if composed is None:
            own = builder.call("copy", replay(builder, replace(place, steps=place.steps[: depth + 1])))
            _emit(builder, own.id, items, value, adds)
            composed, adds = _put_back(builder, base, step, own), False
        items, value = composed
    _emit(builder, place.root, items, value, adds)


def within(
    builder: Builder, place: Place, items: Items, value: gast.expr, natural: AbstractSet[str]
) -> tuple[Items, gast.expr] | None:
    """Items that are known to be inside of a part, and a value for them, as those of the array; None for none.

    `natural` are names of ints that are never negative.
    """
    inside: list[gast.expr] = []
    for depth in reversed(range(len(place.steps))):
        step, base = place.steps[depth], replace(place, steps=place.steps[:depth])
        composed = _Composed(builder, base, step, inside, natural).of(items, value)
        if composed is None:
            return None
        items, value = composed
    return items, value


def _emit(builder: Builder, array: str, items: Items, value: gast.expr, adds: bool) -> None:
    if adds:
        builder.append(syntax.expression(syntax.call("add_at", array, syntax.tuple_(items), value)))
    else:
        builder.append(syntax.store(array, items, value))


def _put_back(builder: Builder, base: Place, step: ViewStep, own: gast.expr) -> tuple[Items, gast.expr]:
    """The store that gives a whole part other elements."""
    if isinstance(step.value, gast.Subscript):
        return items_of(step.value), own
    inner = _type_at(builder, base)
    everything: Items = [FULL] * inner.ndim
    if syntax.operator_of(step.value) == "transpose":
        axes = syntax.static_of(step.value)["axes"]
        return everything, builder.call("transpose", own, axes=tuple(axes.index(k) for k in range(len(axes))))
    whole = replay(builder, base) if base.steps else base.root
    lengths = tuple(_length(builder, whole, k) for k in range(inner.ndim))
    return everything, builder.call("reshape", own, shape=lengths)


def _type_at(builder: Builder, place: Place) -> Array:
    found = place.steps[-1].type if place.steps else builder.types[place.root]
    assert isinstance(found, Array)
    return found


def _length(builder: Builder, array: str, axis: int) -> gast.expr:
    extent = builder.types[array].dims[axis]
    return syntax.constant(extent) if isinstance(extent, int) else builder.call("dim", array, axis=axis, hint="n")


class _Composed:
    """Items of a view as items of what it is a view of."""

    def __init__(
        self, builder: Builder, base: Place, step: ViewStep, inside: list[gast.expr],
        natural: AbstractSet[str] | None = None,
    ) -> None:  # fmt: skip
        self.builder, self.base, self.step, self.inside = builder, base, step, inside
        self.ints = IntAtoms(builder)
        self.is_checked, self.natural = natural is not None, natural or frozenset()
        self._whole: str | None = None

    def of(self, items: Items, value: gast.expr) -> tuple[Items, gast.expr] | None:
        """The items and the value to be stored there; None where there are no such items."""
        through = items_of(self.step.value) if isinstance(self.step.value, gast.Subscript) else []
        if not all(isinstance(i, gast.Slice) or _is_new_axis(i) or self._is_int(i) for i in through):
            return None
        if not all(isinstance(i, gast.Slice) or self._is_int(i) for i in items):
            return None
        items = items + [FULL] * (self.step.type.ndim - len(items))
        match self.step.value:
            case gast.Subscript():
                return self._of_part(items_of(self.step.value), items, value)
            case gast.Call(func=gast.Name(id="transpose")):
                return self._of_transpose(items, value)
        return self._of_shape(items, value)

    def _is_int(self, item: gast.expr) -> bool:
        if isinstance(item, gast.Name):
            return isinstance(self.builder.types[item.id], Scalar)
        return isinstance(item, gast.Constant) and item.value is not None

    # --- parts

    def _of_part(self, outer: Items, items: Items, value: gast.expr) -> tuple[Items, gast.expr] | None:
        if not self._can_part(outer, items, value):
            return None
        found: Items = []
        axis, own = 0, 0
        for item in outer:
            if _is_new_axis(item):
                own += 1
                continue
            if isinstance(item, gast.Slice):
                found.append(self._inner(item, axis, items[own], own))
                own += 1
            else:
                found.append(item)
            axis += 1
        return [*found, *items[own:]], value

    def _can_part(self, outer: Items, items: Items, value: gast.expr) -> bool:
        """Whether there are such items, before anything is emitted."""
        places = [i for i in outer if isinstance(i, gast.Slice) or _is_new_axis(i)]
        for place, item in zip(places, items):
            if _is_new_axis(place):
                single = constant_of(item) in (0, -1) and not isinstance(item, gast.Slice)
                if not single and not (is_full(item) and not self._is_array(value)):
                    return False
            elif isinstance(item, gast.Slice) and not (is_full(place) or is_full(item)):
                if not (_goes_up(place) and _goes_up(item)):
                    return False
        return True

    def _is_array(self, value: gast.expr) -> bool:
        return isinstance(self.builder.type_of(value), Array)

    def _inner(self, outer: gast.Slice, axis: int, item: gast.expr, own: int) -> gast.expr:
        """An item of a slice as an item of the axis: no longer out of its bounds."""
        if is_full(outer):
            return item
        if is_full(item):
            return _with_end(self.builder, self.step, outer, axis)
        if self.step.lengths_of:
            count = self.builder.call("dim", self.step.lengths_of, axis=axis, hint="n")
            return self._from(outer, item, own, (outer.lower, count, syntax.constant(1)))
        length = self._axis_length(axis)
        start, count, step = bounds(outer, length)
        if self.is_checked and constant_of(step) == 1 and outer.upper is None and (constant_of(item) or 0) < 0:
            return self.ints.plus(length, item)
        return self._from(outer, item, own, (start, count, step))

    def _from(
        self, outer: gast.Slice, item: gast.expr, own: int, shown: tuple[gast.expr, gast.expr, gast.expr]
    ) -> gast.expr:
        """The item of a slice that shows so many elements from a start on, so far apart."""
        start, count, step = shown
        if not isinstance(item, gast.Slice):
            at = self._inside(item, count, own)
            if self.is_checked and constant_of(step) > 0 and self._is_natural(outer.lower):  # type: ignore[operator]
                start = outer.lower  # there is an element, so that the axis does not end before
            if constant_of(step) == -1:
                found = self.ints.minus(start, at)
            else:
                found = self.ints.plus(start, self.ints.times(at, step))
            self.inside.append(found)
            return found
        size = self.ints.atom(count)
        first, number, stride = bounds(item, size)
        lower = self.ints.plus(start, self.ints.times(first, step))
        pace = constant_of(step) * constant_of(stride)  # type: ignore[operator]
        upper = self.ints.plus(lower, self.ints.times(number, syntax.constant(pace)))
        return syntax.slice_(lower, upper, None if pace == 1 else pace)

    def _axis_length(self, axis: int) -> gast.expr:
        if self._whole is None:
            self._whole = replay(self.builder, self.base) if self.base.steps else self.base.root
        return _length(self.builder, self._whole, axis)

    def _is_natural(self, item: gast.expr | None) -> bool:
        if isinstance(item, gast.Name):
            return item.id in self.natural
        return isinstance(item, gast.Constant) and item.value is not None and item.value >= 0

    def _inside(self, item: gast.expr, size: gast.expr, axis: int) -> gast.expr:
        """The index from the front, after the check that the view would make."""
        if any(item is known for known in self.inside) or self.is_checked and self._is_natural(item):
            return item
        item, size = self.ints.atom(item), self.ints.atom(size)
        if isinstance(size, gast.Constant) and (at := constant_of(item)) is not None and -size.value <= at < size.value:
            return syntax.constant(at + size.value if at < 0 else at)
        if not self.is_checked:
            self._check(item, size, axis)
        if (at := constant_of(item)) is not None:
            return item if at >= 0 else self.ints.plus(size, item)
        is_back = self.builder.call("less", item, 0)
        return self.builder.call("where", is_back, self.ints.plus(item, size), item)

    def _check(self, item: gast.expr, size: gast.expr, axis: int) -> None:
        below = self.builder.call("less", item, self.ints.atom(syntax.call("negative", size)))
        wrong = self.builder.call("logical_or", below, self.builder.call("greater_equal", item, size))
        message = f"index {{}} is out of bounds for axis {axis} with size {{}}"
        error = syntax.raise_("IndexError", message, item, size, span=self.builder.span)
        self.builder.append(syntax.if_(wrong, [error], span=self.builder.span))

    # --- other shapes

    def _of_transpose(self, items: Items, value: gast.expr) -> tuple[Items, gast.expr]:
        axes = syntax.static_of(self.step.value)["axes"]
        found = [items[axes.index(k)] for k in range(len(axes))]
        slices = [k for k, item in enumerate(items) if isinstance(item, gast.Slice)]
        order = [slices.index(axes.index(k)) for k in range(len(axes)) if axes.index(k) in slices]
        type_ = self.builder.type_of(value)
        if isinstance(type_, Array) and order != sorted(order):
            if type_.ndim < len(order):
                new = [syntax.constant(None)] * (len(order) - type_.ndim)
                value = self.builder.load(value, [*new, *[FULL] * type_.ndim])
            value = self.builder.call("transpose", value, axes=tuple(order))
        return found, value

    def _of_shape(self, items: Items, value: gast.expr) -> tuple[Items, gast.expr] | None:
        """One element of another shape, by its number in the order of memory."""
        if any(isinstance(item, gast.Slice) for item in items):
            return None
        whole = replay(self.builder, self.base) if self.base.steps else self.base.root
        lengths = self._shape()
        number: gast.expr = syntax.constant(0)
        for axis, (item, size) in enumerate(zip(items, lengths)):
            number = self.ints.plus(self.ints.times(number, size), self._inside(item, size, axis))
        found: Items = []
        for axis in reversed(range(1, _type_at(self.builder, self.base).ndim)):
            size = _length(self.builder, whole, axis)
            found.insert(0, self.builder.call("remainder", number, size))
            number = self.builder.call("floor_divide", number, size)
        self.inside += [number, *found]
        return [number, *found] if _type_at(self.builder, self.base).ndim else [], value

    def _shape(self) -> Sequence[gast.expr]:
        """The lengths of the view."""
        if self.is_checked and (given := next((k.value for k in self.step.value.keywords if k.arg == "shape"), None)):
            return given.elts
        shape = replay(self.builder, replace(self.base, steps=(*self.base.steps, self.step)))
        return [_length(self.builder, shape, axis) for axis in range(self.step.type.ndim)]


def _is_new_axis(item: gast.expr) -> bool:
    return isinstance(item, gast.Constant) and item.value is None


def _goes_up(item: gast.Slice) -> bool:
    return item.step is None or isinstance(item.step, gast.Constant) and (item.step.value or 1) > 0


# --- elements in an expression -------------------------------------------------------------------------------------


def is_composable(place: Place, items: Sequence[gast.expr]) -> bool:
    """Whether an element of a part is an element of the array that can be written down without another statement."""
    return all(
        isinstance(step.value, gast.Subscript)
        and all(is_full(i) if isinstance(i, gast.Slice) else not _is_new_axis(i) for i in items_of(step.value))
        for step in place.steps
    ) and not any(isinstance(item, gast.Slice) or _is_new_axis(item) for item in items)


def compose_load(place: Place, items: Items) -> gast.expr:
    """The element of a part as an element of the array."""
    for step in reversed(place.steps):
        assert isinstance(step.value, gast.Subscript)
        rest = iter(items)
        items = [next(rest) if isinstance(i, gast.Slice) else i for i in items_of(step.value)] + list(rest)
    return syntax.index(place.root, *items)
