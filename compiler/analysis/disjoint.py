"""Whether two indices of one array can meet: simple, and right under Python's negative indices.

    a[i - 1] and a[i]     apart where i is at least 1          a[0] and a[3]       apart
    a[:2]    and a[2:]    apart                                a[0] and a[-1]      may meet: a may have one row

An index is an affine form over names that keep their values between the two.
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
from .forms import Form, form_of, unknown

if TYPE_CHECKING:
    from .alias import Link


@dataclass(frozen=True, slots=True)
class Stretch:
    """A slice with constant bounds counted from the front; `upper` None is the end."""

    lower: int
    upper: int | None


@dataclass(frozen=True, slots=True)
class Places:
    """Where an index points, by axis of the array; None where nothing is known."""

    axes: tuple[Form | Stretch | None, ...]

    def depends_on(self, name: str) -> bool:
        return any(isinstance(axis, Form) and axis.factor_of(name) for axis in self.axes)


def places_of(items: gast.expr, facts: DefUse, types: Mapping[str, Type]) -> Places:
    elements = items.elts if isinstance(items, gast.Tuple) else [items]
    places: list[Form | Stretch | None] = []
    for element in elements:
        if isinstance(element, gast.Name) and not isinstance(types.get(element.id), Scalar):
            break  # a mask stands for several axes: those behind it are not counted
        if not (isinstance(element, gast.Constant) and element.value is None):
            places.append(_place(element, facts))
    return Places(tuple(places))


def _place(item: gast.expr, facts: DefUse) -> Form | Stretch | None:
    if not isinstance(item, gast.Slice):
        return index_form(item, facts)
    bounds = [0 if item.lower is None else _natural(item.lower), None if item.upper is None else _natural(item.upper)]
    if item.step is not None or bounds[0] is None or (item.upper is not None and bounds[1] is None):
        return None
    return Stretch(bounds[0], bounds[1])


def _natural(bound: gast.expr) -> int | None:
    constant = bound.value if isinstance(bound, gast.Constant) and isinstance(bound.value, int) else -1
    return constant if constant >= 0 else None


def index_form(item: gast.expr, facts: DefUse) -> Form | None:
    """Follow `j = i + 1` through names that are assigned once."""

    def of_atom(atom: gast.expr) -> Form | None:
        if not isinstance(atom, gast.Name):
            return None
        value = facts.value_of(atom.id)
        inner = None if value is None else form_of(value, of_atom)
        return unknown(atom.id) if inner is None else inner

    return form_of(item, of_atom)


def bounded_variables(function: Function, facts: DefUse) -> dict[str, int]:
    """The least value of each loop variable that counts from, or down to, a constant."""
    least: dict[str, int] = {}
    for statement in syntax.walk(function.body):
        if isinstance(statement, gast.For) and facts.is_single(statement.target.id):
            start, stop, step = (index_form(bound, facts) for bound in statement.iter.args)
            if step is None or step.terms or step.constant == 0:
                continue
            bound = start if step.constant > 0 else stop
            if bound is not None and not bound.terms:
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


def apart(left: Form | Stretch | None, right: Form | Stretch | None, least: Mapping[str, int]) -> bool:
    """Whether two places on one axis can never be the same element."""
    match left, right:
        case Form(), Form():
            if left.terms != right.terms or left.constant == right.constant:
                return False
            if not left.terms and max(left.constant, right.constant) < 0:
                return True  # both counted from the end; from different ends they meet in a short array
            lower = left if left.constant < right.constant else right
            return all(f > 0 and name in least for name, f in lower.terms) and (
                lower.constant + sum(f * least[name] for name, f in lower.terms) >= 0
            )
        case Form(terms=(), constant=place), Stretch() if place >= 0:
            return place < right.lower or (right.upper is not None and place >= right.upper)
        case Stretch(), Form():
            return apart(right, left, least)
        case Stretch(), Stretch():
            first, second = sorted((left, right), key=lambda s: s.lower)
            return first.upper is not None and first.upper <= second.lower
    return False
