"""Write the program of one device of a mesh, given the function of one example: collectives become calls.

    def f(x):                           def f(devices, x):                           devices: i64[2]
        s = psum(x, axis_name="i")  ->      t = sum_of_devices(devices, x, along=0)
        k = axis_index(axis_name="i")       k = devices[0]
        n = axis_size(axis_name="i")        n = devices[1]

All devices of the mesh run the same program at the same time, each with a table of its own: for every axis of the mesh
its number along the axis, and how many there are.  So one program serves meshes of all lengths.

Takes a typed program whose collectives are over axes of the mesh, gives one without them.  That the devices come to
each collective together follows from the values that differ between them, as for the examples of a `vmap`; what follows
from shapes alone is the same everywhere, so passes after this one may rewrite the program as any other.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import gast

from .. import syntax
from ..builder import Builder
from ..diagnostics import BatchError, Diagnostic, Span
from ..dtypes import INT_WORD
from ..frontend.specialise.derivatives.rules import expand
from ..frontend.specialise.specialised import Specialised
from ..frontend.specialise.values import Leaf, Typed
from ..names import Names
from ..ops.collectives import length_of_axis, runs
from ..ops.cotangents import Atom
from ..ops.schema import row_of
from ..program import Function, Program
from ..renaming import with_blocks
from ..request import OnDevice
from ..types import Array, Scalar, with_lengths
from .batch.crossing import Divergent, crosses, require_together
from .batch.examples import require_in_sight
from .batch.varying import varying
from .bound_axes import inside_axes
from .common_results import differing, require_common
from .derivatives import Wanted
from .forward.pushforward import Arguments

FUNCTIONS = "pellucid.numpy.exchanges"


def of_device(transform: OnDevice, arguments: Arguments, below: inspect.Signature, where: Span) -> Arguments:
    """The arguments of the function itself: all but the table."""
    own = list(transform.signature(below).parameters)
    table = arguments[own[0]]
    if not isinstance(table, Typed) or not isinstance(table.type, Array) or table.type.dtype != INT_WORD:
        _fault(where, "the first argument of the program of one device is its table, i64[2 * axes]")
    return {name: value for name, value in arguments.items() if name != own[0]}


def on_device(made: Specialised, wanted: Wanted) -> Specialised:
    """The program of one device; raises a BatchError where the devices do not come to a collective together."""
    transform, main = wanted.transform, made.program.main
    for axis_name in transform.axes:
        require_in_sight(made.program, axis_name, wanted.where)
        _require_together(made, wanted, axis_name)
    require_common(made, wanted)
    table = next(iter(wanted.arguments))
    value = wanted.arguments[table]
    assert isinstance(value, Typed) and isinstance(value.type, Array)
    writer = _Writer(main, made.program, value.type, transform)
    changed = writer.written()
    functions = {**made.program.functions, changed.name: changed}
    arguments = {table: Leaf(writer.table.id), **made.arguments}
    program = inside_axes(made.program, Program(changed.name, functions), transform.axes)
    return replace(made, program=program, arguments=arguments)


def _require_together(made: Specialised, wanted: Wanted, axis_name: str) -> None:
    found = varying(made.program.main, differing(made, wanted, axis_name), axis_name)
    try:
        require_together(made.program.main.body, axis_name, found.reads)
    except Divergent as apart:
        reason = apart.reason.replace("the example", "the device")
        _fault(apart.span or wanted.where, f"`{apart.name}` over the axis `{axis_name}` takes the values of all "
               f"devices, and {reason}", "call it outside, and let `np.where` choose between the results")  # fmt: skip


def _fault(where: Span, message: str, *help_: str) -> None:
    raise BatchError(Diagnostic("B003", message, where, "called here", help=help_))


class _Writer:
    """The program being written."""

    def __init__(self, function: Function, program: Program, table: Array, transform: OnDevice) -> None:
        self.function, self.axes, self.library = function, transform.axes, transform.library
        names = Names({*function.types, *function.parameters, *program.functions})
        self.builder = Builder(names, {**function.types})
        self.builder.specialiser = expand
        self.table = syntax.name(names.fresh("devices"))
        self.builder.types[self.table.id] = table
        self.sizes: dict[str, gast.expr] = {}

    def written(self) -> Function:
        function, builder = self.function, self.builder
        builder.span = next((s.span for s in function.body if getattr(s, "span", None) is not None), None)
        lengths: dict[str, Any] = {}
        for axis_name in self.axes:
            if any(crosses(s, axis_name) for s in function.body):
                lengths |= self._sized(axis_name)
        builder.types.update({name: with_lengths(t, lengths) for name, t in builder.types.items()})
        body = (*builder.body, *self.block(function.body))
        used = syntax.names_of((self.table.id, *function.parameters), body)
        types = {name: builder.types[name] for name in used if name in builder.types}
        return function.with_(
            parameters=(self.table.id, *function.parameters), body=body, types=types,
            results=tuple(with_lengths(t, lengths) for t in function.results),
            temporaries=function.temporaries | ({*types} - {*function.types} - {self.table.id}),
        )  # fmt: skip

    def _sized(self, axis_name: str) -> dict[str, Any]:
        """Name how many devices there are along an axis; the length by which types know it."""
        size: Any = self._entry(axis_name, 1, "size")
        extent = self.builder.fresh_symbol("size")
        self.builder.extents[size.id] = extent
        self.sizes[axis_name] = size
        return {length_of_axis(axis_name).terms[0][0]: extent}

    def _entry(self, axis_name: str, which: int, hint: str) -> gast.expr:
        """What the table says of an axis."""
        place = syntax.constant(2 * self.axes.index(axis_name) + which)
        return self.builder.call("cast", self.builder.load(self.table, [place]), dtype=INT_WORD, weak=True, hint=hint)

    def block(self, statements: Sequence[gast.stmt]) -> list[gast.stmt]:
        before, self.builder.body = self.builder.body, []
        for statement in statements:
            self.statement(statement)
        made, self.builder.body = self.builder.body, before
        return made

    def statement(self, statement: gast.stmt) -> None:
        builder = self.builder
        builder.span = getattr(statement, "span", None) or builder.span
        builder.inlined = getattr(statement, "inlined", ())
        call = getattr(statement, "value", None)
        row = row_of(syntax.operator_of(call)) if isinstance(call, gast.Call) else None
        if row is None or row.kind != "collective" or syntax.static_of(call)["axis_name"] not in self.axes:
            blocks = [self.block(inner) for inner in syntax.blocks_of(statement)]
            builder.append(with_blocks(statement, blocks))
            return
        (name,) = syntax.names_bound(statement)
        value = self.collective(row.name, call.args, syntax.static_of(call))
        builder.append(syntax.assign(name, self._as_typed(value, builder.types[name])))

    def _as_typed(self, value: Atom, wanted: Any) -> Atom:
        found: Any = self.builder.type_of(value)
        is_weak = isinstance(wanted, Scalar) and wanted.weak
        if found.dtype != wanted.dtype or isinstance(found, Scalar) and found.weak != is_weak:
            value = self.builder.call("cast", value, dtype=wanted.dtype, weak=is_weak)
        if isinstance(wanted, Array) and wanted.layout == "C" and self.builder.type_of(value).layout != "C":
            value = self.builder.call("copy", value)
        return value

    def collective(self, name: str, operands: Sequence[Atom], static: dict[str, Any]) -> Atom:
        """The statements of one collective, and the atom of its result."""
        axis_name = static["axis_name"]
        if name == "axis_size":
            return self.sizes[axis_name]
        if name == "axis_index":
            return self._entry(axis_name, 0, "index")
        function = self.written_as(name)
        given = [operands[0], self.table]
        taken = inspect.signature(function).parameters
        if "size" in taken:
            given.append(self.sizes[axis_name])
        if name == "ppermute":
            given.append(self._source(axis_name, static["perm"]))
        kept: dict[str, Any] = {key: static[key] for key in ("axis", "split", "concat", "perm") if key in taken}
        (value,) = self.builder.expand(function, given, {"along": self.axes.index(axis_name), **kept})
        return value

    def written_as(self, name: str) -> Any:
        """The function that a collective is, in the form for the library that computes it where it has one."""
        functions = import_module(FUNCTIONS)
        return getattr(functions, f"{name}_by_{self.library}", None) or getattr(functions, name)

    def _source(self, axis_name: str, perm: Sequence[tuple[int, int]]) -> Atom:
        """The device that this one takes from; -1 where there is none.  Neighbours with one distance are one case."""
        index, call = self._entry(axis_name, 0, "index"), self.builder.call
        source: gast.expr = syntax.constant(-1)
        for sender, receiver, count in runs(perm):
            if count == 1:
                source = call("where", call("equal", index, receiver), sender, source, hint="source")
                continue
            is_own = call("logical_and", call("greater_equal", index, receiver),
                          call("less", index, receiver + count))  # fmt: skip
            source = call("where", is_own, call("add", index, sender - receiver), source, hint="source")
        return source

