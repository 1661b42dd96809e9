"""Say by whole arrays what the loops around a product do with its elements, where every turn has elements of its own.

    for i in range(n):
        for j in range(m):
            t = c[i, j]                                 t = c[:, :]
            t_1 = product[i, j]                         t_2 = multiply(1.5, product)
            t_2 = multiply(1.5, t_1)          ->        t_3 = add(t, t_2)
            t_3 = add(t, t_2)                           c[:, :] = t_3
            c[i, j] = t_3

What is stored into all of an array is a value, and its cotangent may be one number (`whole_stores`).  Loops that no
product was taken out of stay as they are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import gast

from ... import syntax
from ...analysis.integers.affine import Affine
from ...analysis.integers.nest_scope import NestScope
from ...analysis.integers.values import Integers
from ...builder import Builder
from ...ops.schema import row_of
from ...types import Array, Extent, Scalar
from .forms import counts_up


def in_whole(
    statements: Sequence[gast.stmt], products: AbstractSet[str], build: Builder, integers: Integers, scope: NestScope
) -> list[gast.stmt]:
    """The statements, with whole arrays in the place of loops; these names are products, as long as the loops go on."""
    made: list[gast.stmt] = []
    for statement in statements:
        whole = _Map(statement, products, build, integers).taken(scope) if isinstance(statement, gast.For) else None
        made += [statement] if whole is None else whole
    return made


class _Map:
    """One nest: its loops, outermost first, and what stands for the values of all turns."""

    def __init__(self, loop: gast.For, products: AbstractSet[str], build: Builder, integers: Integers) -> None:
        self.loops, self.lengths = [loop], list[gast.stmt]()
        while isinstance(inner := self.loops[-1].body[-1], gast.For) and all(map(_is_length, self.loops[-1].body[:-1])):
            self.lengths += self.loops[-1].body[:-1]
            self.loops.append(inner)
        self.products, self.build, self.integers = products, build, integers
        self.variables = [each.target.id for each in self.loops]
        ahead = {id(s) for s in self.lengths}
        self.bound = {n for s in syntax.walk([loop]) if id(s) not in ahead for n in syntax.names_bound(s)}
        self.values: dict[str, gast.expr] = {}

    def taken(self, scope: NestScope) -> list[gast.stmt] | None:
        body = self.loops[-1].body
        bounds = {n for each in self.loops for n in syntax.names_read(each.iter)}
        names = [name for s in body for name in syntax.names_bound(s)]
        bounds.update(n for s in self.lengths for n in syntax.names_read(s))
        if not all(map(self._is_whole, self.loops)) or not bounds.isdisjoint(self.bound) or len(names) > len({*names}):
            return None
        for each in self.loops:
            scope = scope.inside(self.integers.loop(each))
        build = self.build
        outer, build.body = build.body, [*self.lengths]
        span, inlined = build.span, build.inlined
        is_taken = all(self._statement(s, scope) for s in body)
        made, build.body, build.span, build.inlined = build.body, outer, span, inlined
        return made if is_taken else None

    def _is_whole(self, loop: gast.For) -> bool:
        return counts_up(loop) and self.integers.of(loop.iter.args[0]) == Affine(0)

    def _statement(self, statement: gast.stmt, scope: NestScope) -> bool:
        """Append what a statement does in all turns; False where that cannot be said."""
        self.build.span, self.build.inlined = getattr(statement, "span", None), getattr(statement, "inlined", ())
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                found = self._value(value, scope)
                if found is not None:
                    self.values[name] = found
                return found is not None
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=array)) as place], value=value):
                items, found = self._items(place, scope), self._atom(value)
                if items is None or found is None or self._inner(found) not in (None, self._inner(syntax.name(array))):
                    return False
                self.build.append(syntax.store(array, items, found))
                return True
        return False

    def _value(self, value: gast.expr, scope: NestScope) -> gast.expr | None:
        match value:
            case gast.Subscript(value=gast.Name(id=array)):
                items = self._items(value, scope)
                return None if items is None else self.build.load(array, items)
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=array)]):
                return None if array in self.bound else self.build.call("dim", array, **syntax.static_of(value))
            case gast.Call(args=args):
                row = row_of(syntax.operator_of(value))
                atoms = [found for a in args if (found := self._atom(a)) is not None]
                inner = {self._inner(atom) for atom in atoms} - {None}
                if row is None or row.kind != "elementwise" or len(atoms) < len(args) or len(inner) != 1:
                    return None
                return self.build.call(row.name, *atoms, **syntax.static_of(value))
        return None

    def _atom(self, atom: gast.expr) -> gast.expr | None:
        """What stands for an atom: for that of a turn those of all, or a number that stays the same."""
        if not isinstance(atom, gast.Name):
            return atom if isinstance(atom, gast.Constant) else None
        if atom.id in self.values:
            return self.values[atom.id]
        return atom if atom.id not in self.bound and isinstance(self.build.types[atom.id], Scalar) else None

    def _inner(self, atom: gast.expr) -> tuple[Extent, ...] | None:
        """The lengths of a value in one turn; None for a number that stays the same."""
        type_ = self.build.type_of(atom)
        return type_.dims[len(self.loops) :] if isinstance(type_, Array) else None

    def _items(self, place: gast.Subscript, scope: NestScope) -> list[gast.expr] | None:
        """What all turns reach of an array; None unless each has elements of its own, which are surely there."""
        array, items = place.value.id, place.slice.elts
        type_, count = self.build.types[array], len(self.loops)
        indices, rest = items[:count], items[count:]
        if array in self.bound or not isinstance(type_, Array) or len(items) > type_.ndim:
            return None
        if [getattr(item, "id", None) for item in indices] != self.variables or not all(map(_is_all, rest)):
            return None
        found: list[gast.expr] = []
        for loop, item, extent in zip(self.loops, indices, type_.dims):
            if array not in self.products and not self.integers.is_inside(item, extent, scope):
                return None
            stop = loop.iter.args[1]
            is_full = array in self.products or self.integers.of(stop) == self.integers.of_extent(extent)
            found.append(syntax.slice_() if is_full else syntax.slice_(None, stop))
        return [*found, *(syntax.slice_() for _ in range(type_.ndim - count))]


def _is_all(item: gast.expr) -> bool:
    return isinstance(item, gast.Slice) and item.lower is None and item.upper is None and item.step is None


def _is_length(statement: gast.stmt) -> bool:
    return isinstance(statement, gast.Assign) and syntax.operator_of(statement.value) == "dim"
