"""Say by slices what the loops around a product do with its elements, where every turn has elements of its own.

    for i in range(n):
        for j in range(m):
            t = c[i, j]                                 t = c[:, :]
            t_1 = product[i, j]                         t_2 = multiply(1.5, product)
            t_2 = multiply(1.5, t_1)          ->        t_3 = add(t, t_2)
            t_3 = add(t, t_2)                           c[:, :] = t_3
            c[i, j] = t_3

A loop may begin anywhere, and its variable stand at any axis: what `a[:, j]` is in each turn from k on is `a[:, k:]`.
What is stored into all of an array is a value, and its cotangent may be one number (`whole_stores`).  Loops that no
product was taken out of stay as they are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

import gast

from ... import syntax
from ...analysis.integers.affine import Affine
from ...analysis.integers.nest_scope import NestScope
from ...analysis.integers.values import Integers
from ...builder import Builder
from ...ops.schema import row_of
from ...types import Array, Extent, Scalar
from .forms import counts_up

Long: TypeAlias = AbstractSet[tuple[str, int, str]]  # an array, one of its axes, and a variable that stays inside


def in_whole(
    statements: Sequence[gast.stmt], products: AbstractSet[str], build: Builder, integers: Integers, scope: NestScope,
    long: Long = frozenset(),
) -> list[gast.stmt]:  # fmt: skip
    """The statements, with slices in the place of loops; these names are products, as long as the loops go on."""
    made: list[gast.stmt] = []
    for statement in statements:
        whole = None
        if isinstance(statement, gast.For):
            whole = _Map(statement, products, build, integers, scope, long).taken()
        made += [statement] if whole is None else whole
    return made


class _Map:
    """One nest: its loops, outermost first, and what stands for the values of all turns.

    Such a value has the axes of the loops, and ahead of them, or behind them, inner ones, which it has in every turn.
    """

    def __init__(
        self, loop: gast.For, products: AbstractSet[str], build: Builder, integers: Integers, scope: NestScope,
        long: Long,
    ) -> None:  # fmt: skip
        self.loops, self.lengths = [loop], list[gast.stmt]()
        while isinstance(inner := self.loops[-1].body[-1], gast.For) and all(map(_is_length, self.loops[-1].body[:-1])):
            self.lengths += self.loops[-1].body[:-1]
            self.loops.append(inner)
        self.products, self.build, self.integers, self.long = products, build, integers, long
        self.variables = [each.target.id for each in self.loops]
        inside = list(syntax.walk([loop]))
        ahead = {id(s) for s in self.lengths}
        self.bound = {n for s in inside if id(s) not in ahead for n in syntax.names_bound(s)}
        self.stored = {base for s in inside if (base := syntax.stored_base(s)) is not None}
        self.outer = self.scope = scope
        for each in self.loops:
            self.scope = self.scope.inside(integers.loop(each))
        self.places: dict[str, list[int]] = {}
        self.turns = {variable: variable for variable in self.variables}  # names of where a turn stands in a product
        self.values: dict[str, gast.expr] = {}
        self.still: set[str] = set()  # arrays that are the same in all turns
        self.slices: list[gast.Slice] = []
        self.inner_first = False

    def taken(self) -> list[gast.stmt] | None:
        body = self.loops[-1].body
        bounds = {n for s in (*(each.iter for each in self.loops), *self.lengths) for n in syntax.names_read(s)}
        names = [name for s in body for name in syntax.names_bound(s)]
        if not all(map(counts_up, self.loops)) or not bounds.isdisjoint(self.bound) or len(names) > len({*names}):
            return None
        self.turns.update((n, v) for s in body for n, v in self._places_of_turns(s))
        build, ways = self.build, {way for s in body for place in _places(s) for way in self._ways(place)}
        self.inner_first = ways == {True}
        outer, build.body = build.body, [*self.lengths]
        span, inlined = build.span, build.inlined
        is_taken = len(ways) < 2 and all(map(self._counts, self.loops)) and all(map(self._statement, body))
        made, build.body, build.span, build.inlined = build.body, outer, span, inlined
        return made if is_taken else None

    def _counts(self, loop: gast.For) -> bool:
        """Remember what a loop counts as a slice; False where it may begin below zero."""
        start, stop, _ = loop.iter.args
        first, last = self.integers.of(start), self.integers.of(stop)
        if first is None or not self.integers.is_natural(first, self.outer):
            return False
        if last is None or not self.integers.is_natural(last, self.outer):
            stop = self.build.call("maximum", stop, 0)
        self.slices.append(syntax.slice_(None if first == Affine(0) else start, stop))
        return True

    # --- statements

    def _statement(self, statement: gast.stmt) -> bool:
        """Append what a statement does in all turns; False where that cannot be said."""
        self.build.span, self.build.inlined = getattr(statement, "span", None), getattr(statement, "inlined", ())
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)]) if name in self.turns:
                return True
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                found = self._value(value)
                if found is not None:
                    self.values[name] = found
                return found is not None
            case gast.Assign(targets=[gast.Subscript() as place], value=value):
                return self._store(place, value)
        return False

    def _places_of_turns(self, statement: gast.stmt) -> Iterator[tuple[str, str]]:
        """The name of how many turns a loop has done, and the variable of the loop."""
        match statement:
            case gast.Assign(
                targets=[gast.Name(id=name)],
                value=gast.Call(func=gast.Name(id="subtract"), args=[gast.Name(id=variable), start]),
            ):
                for loop in self.loops:
                    if loop.target.id == variable and syntax.same(start, loop.iter.args[0]):
                        yield name, variable

    def _store(self, place: gast.Subscript, value: gast.expr) -> bool:
        array, found, items = place.value.id, self._atom(value), self._items(place)
        if found is None or items is None or getattr(found, "id", "") in self.still:
            return False
        inner = [k for k, item in enumerate(place.slice.elts) if isinstance(item, gast.Slice)]
        dims = tuple(self.build.types[array].dims[k] for k in inner)
        if not all(_is_all(items[k]) for k in inner) or self._inner(found) not in (None, dims):
            return False
        self.build.append(syntax.store(array, items, found))
        return True

    def _value(self, value: gast.expr) -> gast.expr | None:
        match value:
            case gast.Subscript(value=gast.Name(id=array)):
                is_still = self._is_still(value)
                items = [*value.slice.elts] if is_still else self._items(value)
                if items is None:
                    return None
                if array in self.products and all(map(_is_all, items)):
                    return syntax.name(array)
                loaded = self.build.load(array, items)
                return self._note(loaded) if is_still else loaded
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=array)]):
                return None if array in self.bound else self.build.call("dim", array, **syntax.static_of(value))
            case gast.Call(args=args):
                row = row_of(syntax.operator_of(value))
                atoms = [found for a in args if (found := self._atom(a)) is not None]
                inner = {self._inner(atom) for atom in atoms} - {None}
                if row is None or row.kind != "elementwise" or len(atoms) < len(args) or len(inner - {()}) > 1:
                    return None
                deepest = max(map(len, inner), default=0)
                made = self.build.call(row.name, *(self._deep(a, deepest) for a in atoms), **syntax.static_of(value))
                is_still = all(self._inner(a) is None or getattr(a, "id", "") in self.still for a in atoms)
                return self._note(made) if is_still else made
        return None

    def _note(self, atom: gast.expr) -> gast.expr:
        """Remember that a value is the same in all turns."""
        if isinstance(self.build.type_of(atom), Array):
            self.still.add(atom.id)
        return atom

    def _atom(self, atom: gast.expr) -> gast.expr | None:
        """What stands for an atom: for that of a turn those of all, or a number that stays the same."""
        if not isinstance(atom, gast.Name):
            return atom if isinstance(atom, gast.Constant) else None
        if atom.id in self.values:
            return self.values[atom.id]
        return atom if atom.id not in self.bound and isinstance(self.build.types[atom.id], Scalar) else None

    def _inner(self, atom: gast.expr) -> tuple[Extent, ...] | None:
        """The lengths of a value in one turn; None for a number that stays the same."""
        type_, count = self.build.type_of(atom), len(self.loops)
        if not isinstance(type_, Array) or getattr(atom, "id", "") in self.still:
            return type_.dims if isinstance(type_, Array) else None
        return type_.dims[:-count] if self.inner_first else type_.dims[count:]

    def _deep(self, atom: gast.expr, deepest: int) -> gast.expr:
        """A value with axes of length one behind its own, where others have axes that it has not."""
        type_ = self.build.type_of(atom)
        is_still = getattr(atom, "id", "") in self.still
        if not isinstance(type_, Array) or not deepest or is_still != self.inner_first:
            return atom
        missing = len(self.loops) if is_still else deepest - len(self._inner(atom) or ())
        items = [*[syntax.slice_()] * type_.ndim, *[syntax.constant(None)] * missing]
        return self.build.load(atom, items) if missing else atom

    # --- places

    def _is_still(self, place: gast.Subscript) -> bool:
        """Whether a place is the same in all turns, and nothing is stored there; its ints are surely inside."""
        array, items = place.value.id, place.slice.elts
        type_ = self.build.types[array]
        if not isinstance(type_, Array) or len(items) != type_.ndim or array in self.bound | self.stored:
            return False
        parts = zip(items, type_.dims)
        is_inside = (isinstance(i, gast.Slice) or self.integers.is_inside(i, extent, self.outer) for i, extent in parts)
        return self.bound.isdisjoint(syntax.names_read(place.slice)) and all(is_inside)

    def _turns_of(self, place: gast.Subscript) -> list[str]:
        """The variable that each axis of a place goes along; empty where it stays."""
        return [self.turns.get(getattr(item, "id", ""), "") for item in place.slice.elts]

    def _ways(self, place: gast.Subscript) -> Iterator[bool]:
        """Whether the inner axes of a place come first; both ways where it has the axes in another order."""
        turns = self._turns_of(place)
        axes = [k for k, variable in enumerate(turns) if variable]
        inner = [k for k, item in enumerate(place.slice.elts) if isinstance(item, gast.Slice)]
        if axes and inner:
            yield from {inner[0] < axes[-1], inner[-1] < axes[0]}
        if [turns[k] for k in axes] != [v for v in self.variables if v in turns]:
            yield from (True, False)

    def _items(self, place: gast.Subscript) -> list[gast.expr] | None:
        """What all turns reach of an array; None unless each has elements of its own, which are surely there."""
        array, items = place.value.id, place.slice.elts
        type_, turns = self.build.types[array], self._turns_of(place)
        if array in self.bound or not isinstance(type_, Array) or len(items) != type_.ndim:
            return None
        axes = [turns.index(variable) for variable in self.variables if turns.count(variable) == 1]
        if len(axes) < len(self.variables) or self.places.setdefault(array, axes) != axes:
            return None
        found = [self._item(array, k, i, v, type_.dims[k]) for k, (i, v) in enumerate(zip(items, turns, strict=True))]
        return None if None in found else found  # type: ignore[return-value]

    def _item(self, array: str, axis: int, item: gast.expr, variable: str, extent: Extent) -> gast.expr | None:
        if array in self.products and variable:
            return syntax.slice_()
        if isinstance(item, gast.Slice) or not variable:
            is_inside = isinstance(item, gast.Slice) or self.integers.is_inside(item, extent, self.outer)
            return item if is_inside and self.bound.isdisjoint(syntax.names_read(item)) else None
        is_inside = self.integers.is_inside(item, extent, self.scope) or (array, axis, variable) in self.long
        if item.id != variable or not is_inside:
            return None
        found = self.slices[self.variables.index(variable)]
        is_full = found.lower is None and self.integers.of(found.upper) == self.integers.of_extent(extent)
        return syntax.slice_() if is_full else found


def _places(statement: gast.stmt) -> list[gast.Subscript]:
    parts = (*statement.targets, statement.value) if isinstance(statement, gast.Assign) else ()
    return [part for part in parts if isinstance(part, gast.Subscript)]


def _is_all(item: gast.expr) -> bool:
    return isinstance(item, gast.Slice) and item.lower is None and item.upper is None and item.step is None


def _is_length(statement: gast.stmt) -> bool:
    return isinstance(statement, gast.Assign) and syntax.operator_of(statement.value) == "dim"
