"""Lengths of arrays as atoms that the backward sweep can read, without keeping the arrays for it.

    dim(z, axis=0)     with z: f64[n], features: f64[n, m]     ->     n        and, once, n = dim(features, axis=0)

A symbol of a type says which lengths are equal.  That holds throughout a run for the lengths of parameters and of what
the function's body makes once; a length that an iteration chooses is read where its array is made, and recorded like
any value.
"""

from __future__ import annotations

from collections.abc import Iterator

import gast

from ... import builder as building
from ... import syntax, types
from ...analysis.regions import ForwardValue, Regions
from ...diagnostics import Span
from ...names import Names, base_of
from ...types import INT, Array, Dim, Extent, ListOf, Type
from .declared import array_type

LATE = 10**9


class Lengths:
    """Finds lengths.  `early` statements belong at the start of the function, `late` ones before the backward sweep.

    Where nothing of the forward sweep lasts (`lasting` is false) all are late, and only parameters are asked.
    """

    def __init__(self, regions: Regions, table: dict[str, Type], names: Names, lasting: bool) -> None:
        self.regions, self.types, self.names, self.lasting = regions, table, names, lasting
        function = regions.function
        self.written = {base_of(name) for name in function.types if name not in function.temporaries}
        self.early: list[gast.stmt] = []
        self.late: list[gast.stmt] = []
        self.extents: dict[str, Extent] = {}
        self.opaque: set[str] = set()
        self.local: dict[tuple[str, int], ForwardValue] = {}
        self._known: dict[Extent, tuple[str, float]] = {}
        self._fixed, self._changing = self._symbols()
        self._read_ints()

    # --- what is known from the start

    def parameters(self) -> Iterator[str]:
        return (p for p in self.regions.function.parameters if isinstance(self.types[p], Array))

    def body_arrays(self) -> Iterator[str]:
        """Arrays that the function's body makes once."""
        if not self.lasting:
            return
        for name, region in self.regions.home.items():
            if region.parent is None and name not in self.regions.carried and isinstance(self.types[name], Array):
                yield name

    def _symbols(self) -> tuple[set[str], set[str]]:
        """The symbols that mean one length throughout, and those that a loop gives another in every iteration."""
        table = self.regions.function.types
        given = {s for p in self.parameters() for s in types.symbols_of(table[p])}
        changing = {s for name in self.regions.carried for s in types.symbols_of(table[name])}
        changing |= {s for type_ in table.values() if isinstance(type_, ListOf) for s in types.symbols_of(type_)}
        made = {s for name in self.body_arrays() for s in types.symbols_of(table[name])}
        changing -= given
        return given | {s for s in made if types.roots(s).isdisjoint(changing)}, changing

    def _read_ints(self) -> None:
        """The ints whose values are lengths: read off an array, affine in lengths, or given as one in a shape."""
        for statement in syntax.walk(self.regions.function.body):
            self._read_shape(statement)
            for name in syntax.names_bound(statement):
                if self.types[name] == INT and name not in self.regions.carried:
                    extent = self._extent_of(statement)
                    if isinstance(extent, Dim):
                        self.extents[name] = extent
        for name, extent in self.extents.items():
            body = self.regions.home[name].parent is None
            # `n - 2` as an int may be negative: as a length it is not
            same = types.is_plain(extent) or name in self.opaque or self._is_dim(name)
            there = self.lasting or name in self.regions.function.parameters
            if body and same and there and not self._changes(extent):
                self._known.setdefault(extent, (name, self._made_at(name)))

    def _changes(self, extent: Extent) -> bool:
        """Whether a loop may give a length another value from iteration to iteration."""
        symbols = extent.symbols() if isinstance(extent, Dim) else ()
        return any(not types.roots(s).isdisjoint(self._changing) for s in symbols)

    def _read_shape(self, statement: gast.stmt) -> None:
        """`zeros(shape=(k,))` tells which symbol the types have for `k`."""
        value = getattr(statement, "value", None)
        if value is None or not isinstance(statement, gast.Assign) or syntax.operator_of(value) in (None, "arange"):
            return  # `arange` takes a negative length for none
        shape = next((k.value for k in value.keywords if k.arg == "shape"), None)
        dims = array_type(self.types, syntax.names_bound(statement)[0]).dims if shape is not None else ()
        for element, extent in zip(getattr(shape, "elts", ()), dims):
            if isinstance(element, gast.Name) and element.id not in self.regions.carried and isinstance(extent, Dim):
                if element.id not in self.extents:
                    self.extents[element.id] = extent
                    self.opaque.add(element.id)

    def _made_at(self, name: str) -> float:
        """The position in the order of statements from which a name of the body is defined."""
        after = self.regions.values[name].after
        return -1 if after is None else self.regions.order[id(after)]

    def _is_dim(self, name: str) -> bool:
        origin = self.regions.values[name].origin
        return origin is not None and syntax.operator_of(origin.value) == "dim"

    def _extent_of(self, statement: gast.stmt) -> Extent | None:
        value = getattr(statement, "value", None)
        match value:
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=base)]):
                return array_type(self.types, base).dims[int(str(syntax.static_of(value)["axis"]))]
            case gast.Call(func=gast.Name(id=operator), args=[left, right]):
                sides = [a.value if isinstance(a, gast.Constant) else self.extents.get(a.id) for a in (left, right)]
                return building.affine_result(operator, *sides)
        return None

    # --- finding a length

    def of(self, array: str, axis: int) -> gast.expr:
        """The length of an array of the forward sweep; `array` is the key of a value."""
        extent = array_type(self.types, array).dims[axis]
        value = self.regions.values[array]
        stays = self.lasting and value.region.parent is None and value.name not in self.regions.carried
        stays = stays or (value.after is None and value.region.parent is None)
        found = self.fixed(extent, computed=not stays)
        if found is not None or isinstance(extent, int):
            return found or syntax.constant(extent)
        return self._late_dim(value.name, axis, extent) if stays else syntax.name(self._local(value, axis).key)

    def fixed(self, extent: Extent, before: float | None = None, computed: bool = True) -> gast.expr | None:
        """A length as an atom at hand throughout the backward sweep (and in the forward one from `before` on)."""
        if isinstance(extent, int):
            return syntax.constant(extent)
        if not set(extent.symbols()) <= self._fixed and extent not in self._known:
            return None
        if extent in self._known and (before is None or self._known[extent][1] < before):
            return syntax.name(self._known[extent][0])
        for parameter in self.parameters():
            dims = array_type(self.types, parameter).dims
            if extent in dims:
                return self._parameter_dim(parameter, dims.index(extent), extent)
        return self._computed(extent) if computed and self._is_sum(extent) else None

    def _parameter_dim(self, parameter: str, axis: int, extent: Dim) -> gast.expr:
        name = self._new(extent, str(extent) if len(extent.terms) == 1 and not extent.constant else "n")
        statement = syntax.assign(name, syntax.call("dim", parameter, axis=axis), _first_span(self.regions))
        (self.early if self.lasting else self.late).append(statement)
        return syntax.name(name)

    def _late_dim(self, array: str, axis: int, extent: Dim) -> gast.expr:
        name = self._new(extent, "n", LATE if set(extent.symbols()) <= self._fixed else None)
        self.late.append(syntax.assign(name, syntax.call("dim", array, axis=axis), _first_span(self.regions)))
        return syntax.name(name)

    def _new(self, extent: Dim, hint: str, order: int | None = -1) -> str:
        name = self.names.fresh(self._free(hint))
        self.types[name] = INT
        self.extents[name] = extent
        if order is not None:
            self._known[extent] = (name, order)
        return name

    def _free(self, hint: str) -> str:
        """A name for a length that does not look like one of the user's."""
        words = (hint, "n", "m", "length") if hint.isidentifier() else ("n", "m", "length")
        return next((word for word in words if word not in self.written), "size")

    def _is_sum(self, extent: Dim) -> bool:
        """Whether every symbol of a length is known at the start of the function, so that it can be computed there."""
        single = [types.symbol(s) for s in extent.symbols()]
        return extent not in single and all(self.fixed(s, before=0) is not None for s in single)

    def _computed(self, extent: Dim) -> gast.expr:
        """`max(0, constant + sum(factor * length))`, statement by statement."""
        target = self.early if self.lasting else self.late
        total: gast.expr | None = None
        for symbol, factor in sorted(extent.terms, key=lambda term: term[1] < 0):
            part: gast.expr = self.fixed(types.symbol(symbol), before=0)  # type: ignore[assignment]
            if abs(factor) != 1 or (total is None and factor < 0):
                part = self._int(target, "multiply", part, syntax.constant(factor if total is None else abs(factor)))
            if total is None:
                total = part
            else:
                total = self._int(target, "add" if factor > 0 else "subtract", total, part)
        assert total is not None
        if extent.constant:
            sign = "add" if extent.constant > 0 else "subtract"
            total = self._int(target, sign, total, syntax.constant(abs(extent.constant)))
        if not types.is_plain(extent):
            total = self.clamped(target, total, _first_span(self.regions))
        self.extents[total.id] = extent
        self._known[extent] = (total.id, -1)
        return total

    def clamped(self, target: list[gast.stmt], number: gast.expr, span: Span | None) -> gast.Name:
        """`number` or zero, whichever is greater, for what stands in this line."""
        positive = self.names.fresh("t")
        self.types[positive] = types.BOOL
        target.append(syntax.assign(positive, syntax.call("greater", number, 0), span))
        return self._named(target, syntax.call("where", positive, number, syntax.constant(0)), span)

    def _int(self, target: list[gast.stmt], operator: str, *operands: object) -> gast.Name:
        return self._named(target, syntax.call(operator, *operands), _first_span(self.regions))

    def _named(self, target: list[gast.stmt], value: gast.expr, span: Span | None) -> gast.Name:
        name = self.names.fresh("n")
        self.types[name] = INT
        target.append(syntax.assign(name, value, span))
        return syntax.name(name)

    def _local(self, value: ForwardValue, axis: int) -> ForwardValue:
        """A length that is read where the array is made; a value to be recorded like others."""
        if (value.key, axis) not in self.local:
            name = self.names.fresh("n")
            self.types[name] = INT
            self.extents[name] = array_type(self.types, value.key).dims[axis]
            span = getattr(value.after if value.after is not None else value.region.statement, "span", None)
            origin = syntax.assign(name, syntax.call("dim", value.name, axis=axis), span)
            mark = value.after if value.after is not None else value.region.statement
            # right after what makes the array
            self.regions.order[id(origin)] = (self.regions.order[id(mark)] if mark is not None else -1) + 0.5
            self.regions.place[id(origin)] = value.region
            self.regions.reads[id(origin)] = {value.name: value.key}
            made = ForwardValue(name, name, value.region, origin, origin)
            self.regions.values[name] = made
            self.local[value.key, axis] = made
        return self.local[value.key, axis]


def _first_span(regions: Regions) -> Span | None:
    return next((s.span for s in regions.body.block if getattr(s, "span", None) is not None), None)
