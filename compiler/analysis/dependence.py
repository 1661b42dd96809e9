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

import gast

from .. import syntax
from ..dtypes import is_bool
from ..records import dataclass
from ..types import INT, Array, Scalar
from .forms import Form, form_of, unknown
from .regions import Region, Regions, stored_array

LATER = ("", "later")
Term = tuple[str, str]  # a name, and the run it belongs to: "load", "store" or "both"


@dataclass(frozen=True, slots=True)
class _Side:
    """How one of the two accesses sees names: loops in `shared` run in step with the other access."""

    run: str
    shared: tuple[Region, ...]
    shifted: Mapping[str, Form]

    def term(self, name: str, loops: tuple[Region, ...]) -> Form:
        same = all(loop in self.shared for loop in loops)
        return self.shifted.get(name, unknown((name, "both" if same else self.run)))


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
        # a loop in which the array is made makes another one in every round
        array = stored_array(store)
        outer = 0 if array is None else len(self.regions.home[array].loops)
        return any(not self._apart(load, store, common[:depth], common[depth]) for depth in range(outer, len(common)))

    def _apart(self, load, store, shared: tuple[Region, ...], later: Region | None) -> bool:
        """Whether the accesses differ when `shared` loops are in step and the store is in a later round of `later`."""
        shifted: dict[str, Form] = {}
        if later is not None and isinstance(later.statement, gast.For):
            step = self._constant(later.bounds[2])
            if step is not None:
                shifted[later.index] = unknown((later.index, "load")) + unknown(LATER).times(step)
        sides = (_Side("load", shared, {}), _Side("store", shared, shifted))
        items = (_axes(_items_of(load), self.types), _axes(_items_of(store), self.types))
        for first, second in zip(*items):
            if first is None or second is None:
                continue
            a = self._form(first, load, sides[0])
            b = self._form(second, store, sides[1])
            if a is None or b is None:
                continue
            if self._differ(b - a, sides) and self._same_sign(a, b, sides):
                return True
        return False

    # --- what an index is

    def _form(self, tree: gast.expr, reader: gast.stmt, side: _Side) -> Form | None:
        return form_of(tree, lambda atom: self._of_atom(atom, reader, side))

    def _of_atom(self, atom: gast.expr, reader: gast.stmt, side: _Side) -> Form | None:
        if not isinstance(atom, gast.Name):
            return None
        key = self.regions.key(reader, atom.id)
        value = self.regions.values.get(key)
        if value is None or self.types[value.name] != INT:
            return None
        made = None if value.origin is None else self._form(value.origin.value, value.origin, side)
        return side.term(key, value.region.loops) if made is None else made

    def _constant(self, atom: gast.expr) -> int | None:
        if isinstance(atom, gast.Constant) and isinstance(atom.value, int) and atom.value:
            return atom.value
        return None

    # --- what is known of it

    def _differ(self, difference: Form, sides: tuple[_Side, _Side]) -> bool:
        if not difference.terms:
            return difference.constant != 0
        if [term for term, _ in difference.terms] == [LATER]:
            rounds, rest = divmod(-difference.constant, difference.factor_of(LATER))
            return bool(rest) or rounds < 1
        return self._at_least(difference, 1, sides) or self._at_least(-difference, 1, sides)

    def _same_sign(self, a: Form, b: Form, sides: tuple[_Side, _Side]) -> bool:
        """Whether neither index, or both, count from the end."""
        if not a.terms and not b.terms:
            return (a.constant < 0) == (b.constant < 0)
        return self._at_least(a, 0, sides) and self._at_least(b, 0, sides)

    def _at_least(self, form: Form, least: int, sides: tuple[_Side, _Side]) -> bool:
        """Whether the form is never below `least`: loop variables give way to their bounds, innermost first."""
        for _ in range(32):
            term = self._innermost(form)
            if term is None:
                break
            bound = self._bound(term, form.factor_of(term) > 0, sides)
            if bound is None:
                return False
            form = form.with_value(term, bound)
        return form.constant >= least and all(c > 0 and self._is_length(t) for t, c in form.terms)

    def _innermost(self, form: Form) -> Term | None:
        terms = [term for term, _ in form.terms]
        if terms == [LATER]:
            return LATER
        indices = [t for t in terms if t[0] in self.index_loop]
        if not indices:
            return LATER if LATER in terms else None
        return max(indices, key=lambda t: (len(self.index_loop[t[0]].loops), t))

    def _bound(self, term: Term, lower: bool, sides: tuple[_Side, _Side]) -> Form | None:
        """The least value of a loop variable (or its greatest), in terms of what stands further out."""
        if term == LATER:
            return Form(1) if lower else None
        loop = self.index_loop[term[0]]
        start, stop, step = loop.bounds
        size = self._constant(step)
        if size is None:
            return None
        side = sides[1] if term[1] == "store" else sides[0]
        first = (size > 0) == lower
        bound = self._form(start if first else stop, loop.statement, side)
        if bound is None or first:
            return bound
        return bound.plus(-1 if size > 0 else 1)

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
