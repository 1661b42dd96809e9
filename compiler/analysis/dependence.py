"""May a store change an element after a load has read it?

    for i in range(1, n, 1):
        r = y[i - 1]                no: a later store goes to y[i'] with i' >= i
        ...
        y[i] = t

Indices are taken as affine in loop variables and unknown ints.  For the iterations in which the store comes after the
load, one axis on which both indices are not negative and provably differ is enough.  Everything else is a "may".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

import gast

from .. import syntax
from ..dtypes import is_bool
from ..records import dataclass
from ..types import INT, Array, Scalar
from .regions import Region, Regions

LATER = ("", "later")
Term = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Affine:
    """`constant + sum(factor * term)`; a term is a name and the run it belongs to ("load", "store" or "both")."""

    terms: Mapping[Term, int] = field(default_factory=dict)
    constant: int = 0

    def plus(self, other: Affine, factor: int = 1) -> Affine:
        terms = dict(self.terms)
        for term, count in other.terms.items():
            terms[term] = terms.get(term, 0) + factor * count
        return Affine({t: c for t, c in terms.items() if c}, self.constant + factor * other.constant)

    def times(self, factor: int) -> Affine:
        return Affine({t: c * factor for t, c in self.terms.items()} if factor else {}, self.constant * factor)

    def without(self, term: Term, bound: Affine) -> Affine:
        factor = self.terms[term]
        rest = Affine({t: c for t, c in self.terms.items() if t != term}, self.constant)
        return rest.plus(bound, factor)


@dataclass(frozen=True, slots=True)
class _Side:
    """How one of the two accesses sees names: loops in `shared` run in step with the other access."""

    run: str
    shared: tuple[Region, ...]
    shifted: Mapping[str, Affine]

    def term(self, name: str, loops: tuple[Region, ...]) -> Affine:
        same = all(loop in self.shared for loop in loops)
        base = Affine({(name, "both" if same else self.run): 1})
        return self.shifted.get(name, base)


class Dependence:
    """Questions about one function."""

    def __init__(self, regions: Regions) -> None:
        self.regions = regions
        self.types = regions.function.types
        self.index_loop = {loop.index: loop for loop in regions.loops.values() if loop.index}

    def may_overwrite(self, load: gast.stmt, store: gast.stmt) -> bool:
        """Whether `store` may run after `load` and change an element that `load` reads (of the same array).

        `load` may be a store as well: then the question is whether what it stores may be changed.
        """
        places = [self.regions.place[id(s)] for s in (load, store)]
        common = tuple(a for a, b in zip(places[0].loops, places[1].loops) if a is b)
        order = self.regions.order
        if order[id(store)] > order[id(load)] and not self._apart(load, store, common, None):
            return True
        return any(not self._apart(load, store, common[:depth], common[depth]) for depth in range(len(common)))

    def _apart(self, load, store, shared: tuple[Region, ...], later: Region | None) -> bool:
        """Whether the accesses differ when `shared` loops are in step and the store is in a later round of `later`."""
        shifted: dict[str, Affine] = {}
        if later is not None and isinstance(later.statement, gast.For):
            step = self._constant(later.bounds[2])
            if step is not None:
                shifted[later.index] = Affine({(later.index, "load"): 1, LATER: step})
        sides = (_Side("load", shared, {}), _Side("store", shared, shifted))
        items = (_axes(_items_of(load), self.types), _axes(_items_of(store), self.types))
        for first, second in zip(*items):
            if first is None or second is None:
                continue
            a = self._affine(first, load, sides[0])
            b = self._affine(second, store, sides[1])
            if a is None or b is None:
                continue
            if self._differ(b.plus(a, -1), sides) and self._same_sign(a, b, sides):
                return True
        return False

    # --- what an index is

    def _affine(self, atom: gast.expr, reader: gast.stmt, side: _Side) -> Affine | None:
        if isinstance(atom, gast.Constant):
            return Affine({}, atom.value) if isinstance(atom.value, int) else None
        return self._of_value(self.regions.key(reader, atom.id), side)

    def _of_value(self, key: str, side: _Side) -> Affine | None:
        value = self.regions.values.get(key)
        if value is None or self.types[value.name] != INT:
            return None
        if value.origin is not None:
            made = self._of_origin(value.origin, side)
            if made is not None:
                return made
        return side.term(key, value.region.loops)

    def _of_origin(self, origin: gast.Assign, side: _Side) -> Affine | None:
        node = origin.value
        if syntax.is_atom(node):
            return self._affine(node, origin, side)
        operator = syntax.operator_of(node)
        if operator not in ("add", "subtract", "multiply", "negative"):
            return None
        parts = [part for a in node.args if (part := self._affine(a, origin, side)) is not None]
        if len(parts) < len(node.args):
            return None
        match operator, parts:
            case "add", [a, b]:
                return a.plus(b)
            case "subtract", [a, b]:
                return a.plus(b, -1)
            case "negative", [a]:
                return a.times(-1)
            case "multiply", [a, b] if not a.terms:
                return b.times(a.constant)
            case "multiply", [a, b] if not b.terms:
                return a.times(b.constant)
        return None

    def _constant(self, atom: gast.expr) -> int | None:
        if isinstance(atom, gast.Constant) and isinstance(atom.value, int) and atom.value:
            return atom.value
        return None

    # --- what is known of it

    def _differ(self, difference: Affine, sides: tuple[_Side, _Side]) -> bool:
        if not difference.terms:
            return difference.constant != 0
        if set(difference.terms) == {LATER}:
            rounds, rest = divmod(-difference.constant, difference.terms[LATER])
            return bool(rest) or rounds < 1
        return self._positive(difference, sides) or self._positive(difference.times(-1), sides)

    def _positive(self, form: Affine, sides: tuple[_Side, _Side]) -> bool:
        return self._at_least(form, 1, sides)

    def _same_sign(self, a: Affine, b: Affine, sides: tuple[_Side, _Side]) -> bool:
        """Whether neither index, or both, count from the end."""
        if not a.terms and not b.terms:
            return (a.constant < 0) == (b.constant < 0)
        return self._at_least(a, 0, sides) and self._at_least(b, 0, sides)

    def _at_least(self, form: Affine, least: int, sides: tuple[_Side, _Side]) -> bool:
        """Whether the form is never below `least`: loop variables give way to their bounds, innermost first."""
        for _ in range(32):
            term = self._innermost(form)
            if term is None:
                break
            bound = self._bound(term, form.terms[term] > 0, sides)
            if bound is None:
                return False
            form = form.without(term, bound)
        return form.constant >= least and all(c > 0 and self._is_length(t) for t, c in form.terms.items())

    def _innermost(self, form: Affine) -> Term | None:
        if LATER in form.terms and len(form.terms) == 1:
            return LATER
        indices = [t for t in form.terms if t[0] in self.index_loop]
        if not indices:
            return LATER if LATER in form.terms else None
        return max(indices, key=lambda t: (len(self.index_loop[t[0]].loops), t))

    def _bound(self, term: Term, lower: bool, sides: tuple[_Side, _Side]) -> Affine | None:
        """The least value of a loop variable (or its greatest), in terms of what stands further out."""
        if term == LATER:
            return Affine({}, 1) if lower else None
        loop = self.index_loop[term[0]]
        start, stop, step = loop.bounds
        size = self._constant(step)
        if size is None:
            return None
        side = sides[1] if term[1] == "store" else sides[0]
        first = (size > 0) == lower
        bound = self._affine(start if first else stop, loop.statement, side)
        if bound is None or first:
            return bound
        return bound.plus(Affine({}, -1 if size > 0 else 1))

    def _is_length(self, term: Term) -> bool:
        value = self.regions.values.get(term[0])
        return value is not None and value.origin is not None and syntax.operator_of(value.origin.value) == "dim"


def _items_of(access: gast.stmt) -> gast.Tuple:
    if isinstance(access, gast.Expr):
        return access.value.args[1]
    if isinstance(access.targets[0], gast.Subscript):
        return access.targets[0].slice
    return access.value.slice


def _axes(items: gast.Tuple, types: Mapping[str, object]) -> list[gast.expr | None]:
    """One entry per axis: the atom of an int index, None where there is none.  What follows a mask is left out."""
    axes: list[gast.expr | None] = []
    for item in items.elts:
        match item:
            case gast.Constant(value=None):
                continue
            case gast.Constant():
                axes.append(item)
            case gast.Name(id=name) if isinstance(type_ := types[name], Array):
                if is_bool(type_.dtype):
                    return axes
                axes.append(None)
            case gast.Name(id=name) if isinstance(types[name], Scalar):
                axes.append(item)
            case _:
                axes.append(None)
    return axes
