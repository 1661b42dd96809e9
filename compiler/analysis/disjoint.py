"""Whether two indices of one array can meet: simple, and right under Python's negative indices.

    a[i - 1] and a[i]     apart where i is at least 1          a[0] and a[3]       apart
    a[:2]    and a[2:]    apart                                a[0] and a[-1]      may meet: a may have one row

An index is affine, `base + constant`; the base is a name that keeps its value between the two, or None.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import gast

from .. import syntax
from ..program import Function
from ..records import dataclass
from ..types import Scalar, Type
from .def_use import DefUse

if TYPE_CHECKING:
    from .alias import Link


@dataclass(frozen=True, slots=True)
class Affine:
    """`base + constant`, or the constant alone."""

    base: str | None
    constant: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """A slice with constant bounds counted from the front; `upper` None is the end."""

    lower: int
    upper: int | None


@dataclass(frozen=True, slots=True)
class Places:
    """Where an index points, by axis of the array; None where nothing is known."""

    axes: tuple[Affine | Stretch | None, ...]

    def depends_on(self, name: str) -> bool:
        return any(isinstance(axis, Affine) and axis.base == name for axis in self.axes)


def places_of(items: gast.expr, facts: DefUse, types: Mapping[str, Type]) -> Places:
    elements = items.elts if isinstance(items, gast.Tuple) else [items]
    places: list[Affine | Stretch | None] = []
    for element in elements:
        if isinstance(element, gast.Name) and not isinstance(types.get(element.id), Scalar):
            break  # a mask stands for several axes: those behind it are not counted
        if not (isinstance(element, gast.Constant) and element.value is None):
            places.append(_place(element, facts))
    return Places(tuple(places))


def _place(item: gast.expr, facts: DefUse) -> Affine | Stretch | None:
    if not isinstance(item, gast.Slice):
        return affine(item, facts)
    bounds = [0 if item.lower is None else _natural(item.lower), None if item.upper is None else _natural(item.upper)]
    if item.step is not None or bounds[0] is None or (item.upper is not None and bounds[1] is None):
        return None
    return Stretch(bounds[0], bounds[1])


def _natural(bound: gast.expr) -> int | None:
    constant = bound.value if isinstance(bound, gast.Constant) and isinstance(bound.value, int) else -1
    return constant if constant >= 0 else None


def affine(item: gast.expr, facts: DefUse) -> Affine | None:
    """Follow `j = i + 1` through names that are assigned once."""
    match item:
        case gast.Constant(value=bool()):
            return None
        case gast.Constant(value=int(constant)):
            return Affine(None, constant)
        case gast.Name(id=id_):
            value = facts.value_of(id_)
            inner = None if value is None else affine(value, facts)
            return inner or Affine(id_, 0)
        case gast.Call(func=gast.Name(id="add" | "subtract" as operator), args=[left, right]):
            first, second = affine(left, facts), affine(right, facts)
            if first is None or second is None:
                return None
            if second.base is None:
                sign = 1 if operator == "add" else -1
                return Affine(first.base, first.constant + sign * second.constant)
            if first.base is None and operator == "add":
                return Affine(second.base, first.constant + second.constant)
    return None


def bounded_variables(function: Function, facts: DefUse) -> dict[str, int]:
    """The least value of each loop variable that counts from, or down to, a constant."""
    least: dict[str, int] = {}
    for statement in syntax.walk(function.body):
        if isinstance(statement, gast.For) and facts.is_single(statement.target.id):
            start, stop, step = (affine(bound, facts) for bound in statement.iter.args)
            if step is None or step.base is not None or step.constant == 0:
                continue
            bound = start if step.constant > 0 else stop
            if bound is not None and bound.base is None:
                least[statement.target.id] = bound.constant + (0 if step.constant > 0 else 1)
    return least


def are_disjoint(
    link: Link, store: gast.stmt, stored: str, facts: DefUse, types: Mapping[str, Type], least: Mapping[str, int]
) -> bool:
    """Whether a store into the owner of a view misses all elements that the view shows."""
    if link.owner != stored or link.places is None or not isinstance(store, gast.Assign):
        return False
    written = places_of(store.targets[0].slice, facts, types)
    return any(apart(a, b, least) for a, b in zip(link.places.axes, written.axes))


def apart(left: Affine | Stretch | None, right: Affine | Stretch | None, least: Mapping[str, int]) -> bool:
    """Whether two places on one axis can never be the same element."""
    match left, right:
        case Affine(), Affine():
            if left.base != right.base or left.constant == right.constant:
                return False
            constants = (left.constant, right.constant)
            if left.base is None:
                # counted from one end both; from different ends they meet in a short array
                return min(constants) >= 0 or max(constants) < 0
            return least.get(left.base, -1) >= 0 and least[left.base] + min(constants) >= 0
        case Affine(base=None, constant=place), Stretch() if place >= 0:
            return place < right.lower or (right.upper is not None and place >= right.upper)
        case Stretch(), Affine():
            return apart(right, left, least)
        case Stretch(), Stretch():
            first, second = sorted((left, right), key=lambda s: s.lower)
            return first.upper is not None and first.upper <= second.lower
    return False
