"""Lengths as atoms, for buffers that are made before the loop in which their rows are computed.

    y: f64[n - 1] of every example     ->     n = dim(x, axis=1); n_1 = subtract(n, 1)     with x: f64[batch, n]

A symbol of a type is read off an array that has it and is there already, or is an int that the shape was made of.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import gast

from ... import syntax
from ...builder import Builder
from ...types import Array, Dim, Extent, is_plain


class Unknown(Exception):
    """A length that nothing tells before the examples are computed."""


class Lengths:
    """The arrays in sight, by the symbols that their axes have as lengths."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.scopes: list[dict[str, gast.expr | tuple[str, int]]] = [{}]

    @contextmanager
    def block(self) -> Iterator[None]:
        """What is made in a block is not there after it."""
        self.scopes.append({})
        yield
        self.scopes.pop()

    def note(self, name: str) -> None:
        """An array is there from now on."""
        type_ = self.builder.types.get(name)
        for axis, extent in enumerate(type_.dims if isinstance(type_, Array) else ()):
            if isinstance(extent, Dim) and extent == Dim(((extent.terms[0][0], 1),)):
                self.scopes[-1].setdefault(extent.terms[0][0], (name, axis))

    def note_shape(self, type_: Array, shape: object) -> None:
        """The ints that an array's shape is made of are its lengths."""
        for extent, length in zip(type_.dims, shape.elts if isinstance(shape, gast.Tuple) else ()):
            if isinstance(extent, Dim) and extent == Dim(((extent.terms[0][0], 1),)) and isinstance(length, gast.Name):
                self.scopes[-1].setdefault(extent.terms[0][0], length)

    def knows(self, type_: Array) -> bool:
        """Whether all lengths of a type can be found."""
        return all(map(self.knows_length, type_.dims))

    def knows_length(self, extent: Extent) -> bool:
        symbols = extent.symbols() if isinstance(extent, Dim) else ()
        return all(any(s in scope for scope in self.scopes) for s in symbols)

    def atom(self, extent: Extent) -> gast.expr:
        """The length as an atom; raises Unknown."""
        if isinstance(extent, int):
            return syntax.constant(extent)
        builder, total = self.builder, None
        for symbol, factor in sorted(extent.terms, key=lambda term: term[1] < 0):
            part = self._symbol(symbol)
            if abs(factor) != 1 or (total is None and factor < 0):
                part = builder.call("multiply", part, factor if total is None else abs(factor), hint="n")
            total = part if total is None else builder.call("add" if factor > 0 else "subtract", total, part, hint="n")
        if extent.constant:
            sign = "add" if extent.constant > 0 else "subtract"
            total = builder.call(sign, total, abs(extent.constant), hint="n")
        assert total is not None
        if not is_plain(extent):
            total = builder.call("where", builder.call("greater", total, 0), total, 0, hint="n")
        if isinstance(total, gast.Name):
            builder.extents[total.id] = extent
        return total

    def _symbol(self, symbol: str) -> gast.expr:
        for scope in reversed(self.scopes):
            found = scope.get(symbol)
            if isinstance(found, tuple):
                return self.builder.call("dim", found[0], axis=found[1], hint="n")
            if found is not None:
                return found
        raise Unknown(symbol)
