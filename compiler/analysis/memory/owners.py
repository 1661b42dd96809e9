"""An access to a view as one to the array that it is a view of.

    t = v[-2:]; u = v[::2]          t[i]    element s + i of v, where s is 0 or n - 2, whatever is more
                                    u[i]    element 2*i of v

Two views of one array have elements in common or not, and only their owner's indices tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

import gast

from ... import syntax
from ...records import dataclass
from ...types import Array
from ..integers.affine import Affine
from ..integers.nest_scope import NestScope
from ..integers.values import Integers
from .accesses import Access
from .elements import Element, elements_of

Axes = list[Sequence[Element]]


@dataclass(frozen=True, slots=True, eq=False)
class Owned:
    """The array that an access goes to in the end, its elements there, and the names that lead to it."""

    array: str
    axes: Axes
    names: frozenset[str]


class Owners:
    """Answers for one function, in the unknowns of its ints."""

    def __init__(self, integers: Integers) -> None:
        self.integers = integers
        self._found: dict[int, tuple[Access, Owned]] = {}
        self._starts: dict[tuple[str, int], Affine] = {}

    def of(self, access: Access) -> Owned:
        if id(access) not in self._found:
            self._found[id(access)] = access, self._follow(access)
        return self._found[id(access)][1]

    def in_common(self, first: Access, second: Access, varying: AbstractSet[str]) -> tuple[Axes, Axes] | None:
        """The elements of both accesses in one array; None where it is not known to be one."""
        one, two = self.of(first), self.of(second)
        if one.array != two.array or not varying.isdisjoint(one.names | two.names):
            return None
        return one.axes, two.axes

    def _follow(self, access: Access) -> Owned:
        array, axes = access.array, elements_of(access, self.integers)
        names = {array}
        while (value := self._view(array)) is not None:
            source = value.id if isinstance(value, gast.Name) else syntax.names_read(value)[0]
            axes = self._axes_of(array, value, source, axes)
            array = source
            names.add(array)
        return Owned(array, axes, frozenset(names))

    def _view(self, array: str) -> gast.expr | None:
        """What a name is given, if that is all of another array, or a part of it by ints and slices."""
        value = self.integers.facts.value_of(array)
        match value:
            case gast.Name(id=source) | gast.Subscript(value=gast.Name(id=source)):
                pass
            case gast.Call(func=gast.Name(id="transpose"), args=[gast.Name(id=source)]):
                pass
            case _:
                return None
        types = self.integers.types
        if not isinstance(types.get(array), Array) or not isinstance(types.get(source), Array):
            return None
        chosen = isinstance(value, gast.Subscript) and any(
            isinstance(i, gast.Name) and isinstance(types.get(i.id), Array) for i in _items(value)
        )
        return None if chosen else value

    def _axes_of(self, array: str, value: gast.expr, source: str, axes: Axes) -> Axes:
        if isinstance(value, gast.Name):
            return axes
        if isinstance(value, gast.Call):
            order = syntax.static_of(value)["axes"]
            return [axes[order.index(k)] for k in range(len(order))]
        found: Axes = []
        own = 0
        type_ = self.integers.types[source]
        assert isinstance(type_, Array) and isinstance(value, gast.Subscript)
        for item in _items(value):
            if isinstance(item, gast.Constant) and item.value is None:
                own += 1
                continue
            length = self.integers.exactly(type_.dims[len(found)])
            if isinstance(item, gast.Slice):
                found.append(self._sliced((array, len(found)), item, length, axes[own]))
                own += 1
            else:
                found.append(self._at(source, len(found), item))
        return [*found, *axes[own:]]

    def _at(self, source: str, axis: int, item: gast.expr) -> Sequence[Element]:
        """The element of an int, which the names in it say as long as they stay."""
        if not self._lasts(item):
            return ()
        type_ = self.integers.types[source]
        assert isinstance(type_, Array)
        items = tuple(item if k == axis else None for k in range(type_.ndim))
        return elements_of(Access(source, items, False, NestScope(), item), self.integers)[axis]

    def _lasts(self, item: gast.expr) -> bool:
        return all(self.integers.facts.is_constant(n) for n in syntax.names_read(item))

    def _sliced(
        self, key: tuple[str, int], item: gast.Slice, length: Affine, inner: Sequence[Element]
    ) -> Sequence[Element]:
        step = 1 if item.step is None else item.step.value if isinstance(item.step, gast.Constant) else 0
        step = 1 if step is None else step
        start = self._start(key, item, length, step) if step else None
        if start is None:
            return ()
        found = []
        for element in inner:
            place = start + element.place.times(step)
            facts = (*element.facts, place, (length - place).plus(-1))
            found.append(replace(element, place=place, facts=facts))
        return found

    def _start(self, key: tuple[str, int], item: gast.Slice, length: Affine, step: int) -> Affine | None:
        """Where a slice that has elements begins."""
        if item.lower is None or isinstance(item.lower, gast.Constant) and item.lower.value is None:
            return Affine(0) if step > 0 else length.plus(-1)
        form = self.integers.of(item.lower)
        if form is None or not self._lasts(item.lower):
            return None
        if step > 0 and self.integers.is_natural(form, NestScope()):
            return form
        if step < 0 or not self.integers.is_natural(form.times(-1).plus(-1), NestScope()):
            return None
        if self.integers.is_natural(form + length, NestScope()):
            return form + length
        if key not in self._starts:  # the axis may be shorter than what is counted from its end
            self._starts[key] = Affine(0, ((self.integers.fresh(f"start of {key[0]}"), 1),))
        return self._starts[key]


def _items(value: gast.Subscript) -> list[gast.expr]:
    return list(value.slice.elts) if isinstance(value.slice, gast.Tuple) else [value.slice]
