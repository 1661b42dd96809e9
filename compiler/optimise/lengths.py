"""Allocations as they can stand ahead of a loop: their lengths are computed from what the loop does not change.

    t = empty((dim(x, axis=0),))  in a loop that assigns x      ->      t = empty((dim(u, axis=0),))

where `x` has the length that the argument `u` has.  A length that could be negative stays where it is, since a loop
that never runs must not raise.
"""

from __future__ import annotations

import gast

from .. import syntax
from ..analysis.integers.values import Integers
from ..program import Function
from ..types import Array, Dim, Extent, is_plain


class HoistedLengths:
    def __init__(self, function: Function, integers: Integers) -> None:
        self.types, self.integers = function.types, integers
        self.places: dict[str, gast.expr] = {}
        for name in function.parameters:
            type_ = function.types[name]
            # a name keeps its type, and so the length of an argument, whatever is assigned to it
            for axis, extent in enumerate(type_.dims if isinstance(type_, Array) else ()):
                if isinstance(extent, Dim) and extent.terms == ((extent.symbols()[0], 1),) and not extent.constant:
                    self.places.setdefault(extent.symbols()[0], syntax.call("dim", name, axis=axis))

    def outside(self, made: gast.Assign, changed: set[str]) -> gast.stmt | None:
        """The allocation as it can stand where none of the changed names has its value yet."""
        shape = next(k for k in made.value.keywords if k.arg == "shape")
        trees = shape.value.elts if isinstance(shape.value, gast.Tuple) else [shape.value]
        found = [self._lasting(tree, changed) for tree in trees]
        if any(tree is None or not self.integers.is_natural_int(tree) for tree in found):
            return None
        kept = [k for k in made.value.keywords if k is not shape]
        keywords = [syntax.rebuild(shape, value=syntax.tuple_(found)), *kept]
        return syntax.rebuild(made, value=syntax.rebuild(made.value, keywords=keywords))

    def _lasting(self, tree: gast.expr, changed: set[str]) -> gast.expr | None:
        if changed.isdisjoint(syntax.names_read(tree)):
            return tree
        match tree:
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=name)]):
                type_, axis = self.types[name], syntax.static_of(tree)["axis"]
                return self._told(type_.dims[axis]) if isinstance(type_, Array) else None
            case gast.Call(args=args):
                parts = [self._lasting(a, changed) for a in args]
                return None if None in parts else syntax.rebuild(tree, args=parts)
        return None

    def _told(self, extent: Extent) -> gast.expr | None:
        """A length as the sum of the lengths of arguments."""
        if not isinstance(extent, Dim):
            return syntax.constant(extent)
        total: gast.expr | None = None
        for symbol, factor in extent.terms:
            if symbol not in self.places:
                return None
            part = self.places[symbol] if factor == 1 else syntax.call("multiply", self.places[symbol], factor)
            total = part if total is None else syntax.call("add", total, part)
        if extent.constant:
            total = syntax.call("add" if extent.constant > 0 else "subtract", total, abs(extent.constant))
        return total if is_plain(extent) else syntax.call("maximum", total, 0)
