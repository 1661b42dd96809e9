"""Say by slices what the loops around a product do with its elements, where every iteration has elements of its own.

    for i in range(n):
        for j in range(m):
            t = c[i, j]                                 t = c[:, :]
            t_1 = product[i, j]                         t_2 = multiply(1.5, product)
            t_2 = multiply(1.5, t_1)          ->        t_3 = add(t, t_2)
            t_3 = add(t, t_2)                           c[:, :] = t_3
            c[i, j] = t_3

A loop may begin anywhere, and its variable stand at any axis: what `a[:, j]` is in each iteration from k on is `a[:,
k:]`.  What is stored into all of an array is a value, and its cotangent may be one number (`whole_stores`).  Loops that
no product was taken out of stay as they are written.
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
from ...records import dataclass
from ...types import Array, Extent, Scalar
from .forms import counts_up

Long: TypeAlias = AbstractSet[tuple[str, int, str]]  # an array, one of its axes, and a variable that stays inside


def in_whole(
    statements: Sequence[gast.stmt], products: AbstractSet[str], build: Builder, integers: Integers, scope: NestScope,
    long: Long = frozenset(),
) -> list[gast.stmt]:  # fmt: skip
    """The statements, with slices in place of loops; these names are products, as long as the loops go on."""
    made: list[gast.stmt] = []
    for statement in statements:
        whole = None
        if isinstance(statement, gast.For):
            whole = _Map(statement, products, build, integers, scope, long).taken()
        made += [statement] if whole is None else whole
    return made


@dataclass(frozen=True, slots=True)
class Value:
    """What stands for a value of all iterations, and what its axes go along: loops, or axes of one iteration, counted
    from the last one, -1."""

    atom: gast.expr
    axes: tuple[str | int, ...] = ()


class _Map:
    """One nest: its loops, outermost first, and what stands for the values of all iterations."""

    def __init__(
        self, loop: gast.For, products: AbstractSet[str], build: Builder, integers: Integers, scope: NestScope,
        long: Long,
    ) -> None:  # fmt: skip
        self.loops, self.lengths = [loop], list[gast.stmt]()
        while isinstance(inner := self.loops[-1].body[-1], gast.For) and all(map(_is_length, self.loops[-1].body[:-1])):
            self.lengths += self.loops[-1].body[:-1]
            self.loops.append(inner)
        self.products, self.build, self.integers, self.long = products, build, integers, long
        inside = list(syntax.walk([loop]))
        ahead = {id(s) for s in self.lengths}
        self.bound = {n for s in inside if id(s) not in ahead for n in syntax.names_bound(s)}
        self.outer = self.scope = scope
        for each in self.loops:
            self.scope = self.scope.inside(integers.loop(each))
        self.slices: dict[str, gast.Slice] = {}
        self.turns = {each.target.id: each.target.id for each in self.loops}  # also its position in a product
        self.stored: dict[str, tuple[str | int, ...]] = {}  # the axes of the arrays that are stored into
        self.order: tuple[str | int, ...] = ()
        self.values: dict[str, Value] = {}

    def taken(self) -> list[gast.stmt] | None:
        body = self.loops[-1].body
        bounds = {n for s in (*(each.iter for each in self.loops), *self.lengths) for n in syntax.names_read(s)}
        names = [name for s in body for name in syntax.names_bound(s)]
        if not all(map(counts_up, self.loops)) or not bounds.isdisjoint(self.bound) or len(names) > len({*names}):
            return None
        self.turns.update((n, v) for s in body for n, v in self._places_of_turns(s))
        for place in (s.targets[0] for s in body if syntax.stored_base(s) is not None):
            self.stored.setdefault(place.value.id, self._axes(place))
        most = max(self.stored.values(), key=lambda axes: len({*axes} - {""}), default=())
        self.order = tuple(axis for axis in most if axis != "")
        build = self.build
        outer, build.body = build.body, [*self.lengths]
        span, inlined = build.span, build.inlined
        is_taken = all(map(self._counts, self.loops)) and all(map(self._statement, body))
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
        self.slices[loop.target.id] = syntax.slice_(None if first == Affine(0) else start, stop)
        return True

    # --- statements

    def _statement(self, statement: gast.stmt) -> bool:
        """Append what a statement does in all iterations; False where that cannot be said."""
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
        """The name of how many iterations a loop has done, and the variable of the loop."""
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
        if found is None or items is None or not {*self.turns.values()} <= {*self.stored[array]}:
            return False
        axes, dims = self.stored[array], self.build.types[array].dims
        inner = {axis: extent for axis, extent in zip(axes, dims, strict=True) if isinstance(axis, int)}
        is_whole = all(_is_all(item) for item, axis in zip(items, axes, strict=True) if isinstance(axis, int))
        own = dict(self._inner(found))
        if not is_whole or own not in ({}, inner) or not {*found.axes} <= {*axes}:
            return False
        self.build.append(syntax.store(array, items, self._along(found, [axis for axis in axes if axis != ""])))
        return True

    def _value(self, value: gast.expr) -> Value | None:
        match value:
            case gast.Subscript(value=gast.Name(id=array)):
                items = self._items(value)
                if items is None:
                    return None
                is_product = array in self.products and all(map(_is_all, items))
                atom = syntax.name(array) if is_product else self.build.load(array, items)
                return Value(atom, tuple(axis for axis in self._axes(value) if axis != ""))
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=array)]):
                if array in self.bound:
                    return None
                return Value(self.build.call("dim", array, **syntax.static_of(value)))
            case gast.Call(args=args):
                return self._elementwise(value, [found for a in args if (found := self._atom(a)) is not None])
        return self._atom(value)

    def _elementwise(self, value: gast.Call, found: Sequence[Value]) -> Value | None:
        row = row_of(syntax.operator_of(value))
        inner = {tuple(own) for one in found if (own := self._inner(one))}
        axes = tuple(axis for axis in self.order if any(axis in one.axes for one in found))
        known = {axis for one in found for axis in one.axes}
        if row is None or row.kind != "elementwise" or len(found) < len(value.args):
            return None
        if len(inner) > 1 or not known <= {*axes}:
            return None
        atoms = [self._along(one, axes) for one in found]
        return Value(self.build.call(row.name, *atoms, **syntax.static_of(value)), axes)

    def _atom(self, atom: gast.expr) -> Value | None:
        """What stands for an atom: for that of an iteration those of all, or a number that stays the same."""
        if not isinstance(atom, gast.Name):
            return Value(atom) if isinstance(atom, gast.Constant) else None
        if atom.id in self.values:
            return self.values[atom.id]
        is_still = atom.id not in self.bound and isinstance(self.build.types[atom.id], Scalar)
        return Value(atom) if is_still else None

    def _inner(self, value: Value) -> list[tuple[int, Extent]]:
        """The lengths of a value in one iteration."""
        dims = getattr(self.build.type_of(value.atom), "dims", ())
        found = [(axis, extent) for axis, extent in zip(value.axes, dims, strict=True) if isinstance(axis, int)]
        return sorted(found, key=lambda one: one[0])

    def _along(self, value: Value, axes: Sequence[str | int]) -> gast.expr:
        """A value with its axes in this order, and axes of length one for those that it has not."""
        atom, own = value.atom, [axis for axis in axes if axis in value.axes]
        if tuple(own) != value.axes:
            atom = self.build.call("transpose", atom, axes=tuple(value.axes.index(axis) for axis in own))
        if not own:
            return atom
        missing = [syntax.slice_() if axis in own else syntax.constant(None) for axis in axes[axes.index(own[0]) :]]
        return self.build.load(atom, missing) if len(missing) > len(own) else atom

    # --- places

    def _axes(self, place: gast.Subscript) -> tuple[str | int, ...]:
        """What each axis of a target goes along; empty where it stays."""
        items = place.slice.elts
        slices = [k for k, item in enumerate(items) if isinstance(item, gast.Slice)]
        inner = {k: number - len(slices) for number, k in enumerate(slices)}
        return tuple(inner.get(k, self.turns.get(getattr(item, "id", ""), "")) for k, item in enumerate(items))

    def _items(self, place: gast.Subscript) -> list[gast.expr] | None:
        """What all iterations reach of an array; None unless it is surely there, and none reads what another stores."""
        array, items, axes = place.value.id, place.slice.elts, self._axes(place)
        type_, turns = self.build.types[array], [axis for axis in axes if axis in self.slices]
        if array in self.bound or not isinstance(type_, Array) or len(items) != type_.ndim:
            return None
        if len({*turns}) < len(turns) or self.stored.get(array, axes) != axes:
            return None
        found = [self._item(array, k, i, v, type_.dims[k]) for k, (i, v) in enumerate(zip(items, axes, strict=True))]
        return None if None in found else found  # type: ignore[return-value]

    def _item(self, array: str, axis: int, item: gast.expr, along: str | int, extent: Extent) -> gast.expr | None:
        if not isinstance(along, str) or not along:
            is_inside = isinstance(item, gast.Slice) or self.integers.is_inside(item, extent, self.outer)
            return item if is_inside and self.bound.isdisjoint(syntax.names_read(item)) else None
        if array in self.products:
            return syntax.slice_()
        is_inside = self.integers.is_inside(item, extent, self.scope) or (array, axis, along) in self.long
        if getattr(item, "id", "") != along or not is_inside:
            return None
        found = self.slices[along]
        is_full = found.lower is None and self.integers.of(found.upper) == self.integers.of_extent(extent)
        return syntax.slice_() if is_full else found


def _is_all(item: gast.expr) -> bool:
    return isinstance(item, gast.Slice) and item.lower is None and item.upper is None and item.step is None


def _is_length(statement: gast.stmt) -> bool:
    return isinstance(statement, gast.Assign) and syntax.operator_of(statement.value) == "dim"
