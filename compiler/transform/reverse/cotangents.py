"""Cotangents while they are collected: which atom holds the cotangent of a name now, block by block.

    nothing yet            no name, no zeros
    bars["x"] = x_bar      a scalar or an array with single assignment; a scalar may stand for a constant array
    in place               x_bar[items] += g: one array for all the loads from x, stored into

A frame is the cotangents of one block while its backward form is written.  What belongs to a block outside is carried
by a backward loop (`x_bar` before it, `x_bar = x_bar_1` at the end of its body) or merged by a backward branch.  An
array whose elements are loaded or stored one by one has its cotangent in place, so that a load costs no more than a
load.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.regions import Region
from ...builder import Builder
from ...names import base_of
from ...ops.cotangents import as_type
from ...ops.type_rules import dims_of
from ...types import Array, Scalar, Type
from . import lists
from .declared import array_type, list_type

if TYPE_CHECKING:
    from .sweep import Sweep



class Emitter(Builder):
    """A builder that asks for lengths where they are at hand, and knows which arrays share elements."""

    def __init__(self, sweep: Sweep) -> None:
        super().__init__(sweep.names, sweep.types, sweep.lengths.extents, sweep.symbols)
        self.sweep = sweep
        self.beside = (sweep,)
        self.merged = sweep.merged
        self.specialiser = sweep.derivative.specialiser

    def call(self, operator: str, *operands: object, hint: str = "t", **static: object) -> gast.expr:
        if operator == "dim":
            found = self.sweep.length(syntax.atom(operands[0]), int(str(static["axis"])))
            if found is not None:
                return found
        return super().call(operator, *operands, hint=hint, **static)

    def bind(self, value: gast.expr, type_: Type, hint: str = "t") -> gast.Name:
        made = super().bind(value, type_, hint)
        if isinstance(type_, Array):
            self.sweep.note_array(made.id, value)
        return made


class Cotangents:
    """The cotangents of one block: `bars` of its own names, and of outer ones that it has touched."""

    def __init__(self, sweep: Sweep, region: Region, parent: Cotangents | None) -> None:
        self.sweep, self.region, self.parent = sweep, region, parent
        self.builder = Emitter(sweep)
        if parent is not None:
            self.builder.span, self.builder.inlined = parent.builder.span, parent.builder.inlined
        self.bars: dict[str, gast.expr] = {}
        self.carried: dict[str, str] = {}
        self.opened: dict[str, gast.expr] = {}  # out of their boxes, until this block ends or calls

    def owns(self, name: str) -> bool:
        """Whether the cotangent of a name starts in this block: it is defined here, or carried by this block's loop."""
        if self.parent is None:
            return True
        regions = self.sweep.regions
        return regions.home[name] is self.region or regions.carried.get(name) is self.region

    def chain(self) -> Iterator[Cotangents]:
        frame: Cotangents | None = self
        while frame is not None:
            yield frame
            frame = frame.parent

    # --- reading and adding

    def current(self, name: str) -> gast.expr | None:
        """The cotangent so far; a loop gives an outer name a carried cotangent at the first look."""
        if name in self.bars or self.owns(name):
            return self.bars.get(name)
        assert self.parent is not None
        if self.region.kind != "loop":
            return self.parent.current(name)
        made = self.sweep.merge_name(name)
        self.carried[name] = made
        self.bars[name] = syntax.name(made)
        return self.bars[name]

    def add(self, name: str, value: gast.expr, fresh: bool = False) -> None:
        """`name_bar += value`; a value that is `fresh`, used for nothing else, may be named after it."""
        if name in self.sweep.indexed and not self.owns(name):
            self.add_in_place(name, value)
            return
        before = self.current(name)
        if before is not None:
            value = self.builder.call("add", before, value, hint=self.hint(name))
        elif fresh:
            value = self.named(value, self.hint(name))
        self.bars[name] = value

    def named(self, value: gast.expr, hint: str) -> gast.expr:
        """The value, named after its primal if the last statement gave it a temporary name."""
        last = self.builder.body[-1] if self.builder.body else None
        if not isinstance(value, gast.Name) or base_of(value.id) not in ("t", "t_bar") or base_of(hint) == "t_bar":
            return value
        if last is None or list(syntax.names_bound(last)) != [value.id] or value.id in self.sweep.escaped:
            return value
        made = self.sweep.names.fresh(hint)
        self.sweep.types[made] = self.sweep.types.pop(value.id)
        own = self.sweep.base.pop(value.id, None)
        if own is not None:
            self.sweep.base[made] = made if own == value.id else own
        self.builder.body[-1] = syntax.rebuild(last, targets=[syntax.target(made)])
        return syntax.name(made)

    def add_in_place(self, name: str, value: gast.expr) -> None:
        base = self.in_place(name)
        items = [syntax.slice_()] * array_type(self.sweep.types, base.id).ndim
        total = self.builder.call("add", base, value, hint="t_bar")
        self.builder.append(syntax.store(base.id, items, total))

    def in_place(self, name: str) -> gast.expr:
        """The array that holds the cotangent of an array, one that may be stored into; zeros at first."""
        if not self.owns(name):
            assert self.parent is not None
            if name in self.sweep.ownership.closed:
                return self.sweep.ownership.opened(self, name)
            return self.parent.in_place(name)
        made = self.full(name, self.bars.get(name))
        if not self.owned(made):
            made = self.builder.call("copy", made, hint=self.hint(name))
        self.bars[name] = made
        return made

    def untouched(self, name: str) -> bool:
        """Whether nothing has been added to a cotangent yet, on any path to this point of the backward sweep."""
        if self.owns(name):
            return name not in self.bars and name not in self.sweep.ownership.closed
        return self.region.kind != "loop" and self.parent is not None and self.parent.untouched(name)

    def owned(self, atom: gast.expr) -> bool:
        """Whether an array was made in the backward sweep and no other cotangent is the same array."""
        sweep = self.sweep
        if not isinstance(atom, gast.Name) or atom.id in sweep.escaped:
            return False
        holders = [b for f in self.chain() for b in f.bars.values() if isinstance(b, gast.Name)]
        if atom.id in sweep.merged:  # a name of its own: where its first value is another's, `copies` copies that
            return sum(b.id == atom.id for b in holders) <= 1
        if sweep.base.get(atom.id) != atom.id:
            return False
        return sum(sweep.base.get(b.id, b.id) == atom.id and b.id not in sweep.parts for b in holders) <= 1

    # --- whole cotangents

    def hint(self, name: str) -> str:
        return f"{base_of(name)}_bar"

    def zero(self, name: str) -> gast.expr:
        return self.full(name, None)

    def full(self, name: str, value: gast.expr | None) -> gast.expr:
        """A cotangent with exactly the type of its primal (in C order); zeros for none."""
        type_ = self.sweep.primal_type(name)
        if isinstance(type_, Scalar):
            if value is None:
                return as_type(self.builder, syntax.constant(0.0), type_, self.hint(name))
            return as_type(self.builder, value, type_, self.hint(name))
        assert isinstance(type_, Array)
        if value is not None and isinstance(self.builder.type_of(value), Array):
            return self._fitted(name, value, type_)
        shape = syntax.tuple_(self.sweep.shape(name, self))
        if value is None or (isinstance(value, gast.Constant) and value.value == 0):
            made = self.builder.call("zeros", shape=shape, dtype=type_.dtype, hint=self.hint(name))
        else:
            made = self.builder.call("full", value, shape=shape, dtype=type_.dtype, hint=self.hint(name))
        return self._declared(made, type_)

    def fitted(self, name: str, value: gast.expr) -> gast.expr:
        """The cotangent of a merged name as that of one of its sources, whose lengths are known better."""
        type_ = self.sweep.primal_type(name)
        if not isinstance(type_, Array) or dims_of(self.builder.type_of(value)) in ((), type_.dims):
            return value
        return self.full(name, value)

    def _fitted(self, name: str, value: gast.expr, type_: Array) -> gast.expr:
        value = as_type(self.builder, value, type_, self.hint(name))
        given = dims_of(self.builder.type_of(value))
        if given != type_.dims:
            spreads = len(given) != len(type_.dims) or any(a == 1 != b for a, b in zip(given, type_.dims))
            if not spreads:
                value = self._in_order(name, value)  # the shape is the same, under other symbols
            shape = syntax.tuple_(self.sweep.shape(name, self))
            operator = "broadcast_to" if spreads else "reshape"
            value = self._declared(self.builder.call(operator, value, shape=shape, hint=self.hint(name)), type_)
        return self._in_order(name, value)

    def _in_order(self, name: str, value: gast.expr) -> gast.expr:
        given = array_type(self.sweep.types, value.id)
        if given.layout == "C":
            return value
        return self._declared(self.builder.call("copy", value, hint=self.hint(name)), given)

    def _declared(self, made: gast.expr, type_: Array) -> gast.expr:
        """State the lengths of a new array as those of its primal, which they are."""
        layout = array_type(self.sweep.types, made.id).layout
        self.sweep.types[made.id] = Array(type_.dtype, type_.dims, layout)
        return made

    # --- lists

    def list_in_place(self, name: str) -> gast.expr:
        """The list of cotangents of a list's elements; zeros for those that are left at its end."""
        if not self.owns(name):
            assert self.parent is not None
            return self.parent.list_in_place(name)
        if name not in self.bars:
            self.bars[name] = self._new_list(name)
        return self.bars[name]

    def _new_list(self, name: str) -> gast.Name:
        made = self.builder.bind(syntax.call("new_list"), list_type(self.sweep.types, name), self.hint(name))
        lists.zeros_for(self, name, made)
        return made
