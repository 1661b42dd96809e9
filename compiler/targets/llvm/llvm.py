"""Loops to LLVM: every function of a program in the loops language becomes a native function.

    for i in range(dim(x, axis=0)):        ->      head:  %i = ...; br %more, body, done
        y[i] = multiply(x[i], 2.0)                 body:  load, fmul, store; br head

Takes programs at stage `loops`; gives one LLVM module as text, with an entry that Python calls (`entry.py`).
Keeps every check that `analysis/integers/ranges.py` does not prove idle.  Leaves optimisation to LLVM.

A name is a variable on the stack, which LLVM turns into registers.  A buffer counts its references: assigning an array
takes one, `Delete` and the end of the function release it, whichever way the function ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import gast

from ....runtime import machine_code, memory
from ....runtime.sources import Source
from ... import syntax
from ...analysis.integers.ranges import ranges
from ...analysis.liveness import liveness
from ...analysis.memory.storage import storage_classes
from ...diagnostics import InternalError
from ...ops.routines import ROUTINES
from ...optimise.small_arrays import small_arrays
from ...program import Function, Program
from ...types import Array, ListOf, Scalar
from . import cold_functions, control, laps, lists, native_calls, reassociation, tables, views
from .abi import EmitOptions
from .arrays import View, allocate, bind, change_places, drop, element_pointer, read, release, store_at, tags_of
from .effort import write_effort
from .entry import write_entry
from .executable import Executable
from .expressions import convert, index_of_list, lower_as, lower_int, scalar_type
from .frame import ArrayPlace, Emission, ListPlace, ScalarPlace, ScalarValue, Sites, places_of
from .lengths import lengths_of
from .library import call_library
from .operands import SsaValue, int_
from .own_places import allocate_result, numbers_of_results
from .small_room import take_room
from .split_module import Division
from .ssa_values import certain_names
from .storage import alias_tags
from .sums import take_sums
from .text import Code, LlvmDefinition, Module

__all__ = ["EmitOptions", "Executable", "compile_program", "lower", "lower_program"]

Prepare = Callable[[Program], Program]
FAST_FLAGS = "reassoc nsz arcp contract afn "  # not nnan and ninf: `isnan` keeps its meaning


def lower_program(program: Program, options: EmitOptions | None = None) -> tuple[Source, Sites]:
    """A loops program as an LLVM module, and the error sites that its statuses number."""
    module = Module()
    sites = write_module(module, program, options or EmitOptions())
    return module.finished(), sites


def write_module(module: Module, program: Program, options: EmitOptions, prepare: Prepare = take_sums) -> Sites:
    """Write every function of a program into a module, and the entry; the error sites that its statuses number.

    `prepare` is what comes after the printed loops stage, whose lines the statements keep (`line_tables.py`).
    """
    sites = Sites()
    if options.line_tables:
        from .line_tables import LineWriter, with_lines

        program, table = with_lines(program)
        module.line_writer = LineWriter(module, table)
    program = prepare(program)
    recursive = native_calls.recursive_functions(program)
    for function in program.functions.values():
        module.define(write_function(module, program, function, sites, options, recursive))
    write_entry(module, program.main)
    write_effort(module, program)
    return sites


def lower(program: Program, *, fastmath: bool = False) -> str:
    """LLVM text of a loops program, before LLVM optimises it."""
    return str(lower_program(program, EmitOptions(fastmath=fastmath))[0])


def compile_program(program: Program, options: EmitOptions | None = None, prepare: Prepare = take_sums) -> Executable:
    """Machine code for a loops program, ready to be called with the leaves of its arguments."""
    options = options or EmitOptions()
    main = program.main
    parameters = tuple(main.types[name] for name in main.parameters)
    memory.pool()
    module = Module()
    with machine_code.Making() as making:
        division = Division(module, making.begin)
        sites = write_module(module, program, options, prepare)
        rest = division.rest()
        library = making.library(rest)
    sources = (*making.parts, rest)
    return Executable(parameters, main.results, library, tuple(sites.found), options, sources, making.target)


def write_function(
    module: Module, program: Program, function: Function, sites: Sites, options: EmitOptions, recursive: frozenset[str]
) -> LlvmDefinition:
    flags = FAST_FLAGS if options.fastmath else "contract " if options.contract else ""
    code = Code(module, flags)
    if module.line_writer is not None:
        module.line_writer.enter(code, function.name, native_calls.native_name(function))
    assigned = {n for s in syntax.walk(function.body) for n in syntax.names_changed(s)}
    tags = alias_tags(module, storage_classes(function))
    owned = frozenset(n for n in function.types if n not in function.parameters or n in assigned)
    places = places_of(code, function.types, sorted(function.types), owned, tags, certain_names(function))
    frame = Emission(
        module, code, program, function, ranges(function), sites, options, recursive, places,
        code.variable("i64", "status", int_(0)), cache(lambda: liveness(function)),
        cache(lambda: cold_functions.values_of(function)),
    )  # fmt: skip
    frame.lengths = cache(lambda: lengths_of(function))
    frame.is_glue = cold_functions.is_glue(function, recursive)
    if options.is_of_device and function is program.main and function.name not in recursive:
        frame.own_results = numbers_of_results(function)
    native_calls.enter(frame)
    if options.laps is not None:
        options.laps.choose(function, program.functions)
    lower_block(frame, function.body)
    native_calls.leave(frame)
    parameters = native_calls.parameters_of(function)
    return code.function(native_calls.native_name(function), "i64", parameters, cold_functions.attributes(frame))


# --- statements ----------------------------------------------------------------------------------------------------


def lower_block(frame: Emission, body: Sequence[gast.stmt]) -> None:
    for statement in body:
        if frame.module.line_writer is not None:
            frame.module.line_writer.at(frame.code, statement)
        if frame.options.laps is not None:
            laps.lap(frame, frame.options.laps, statement)
        frame.span = getattr(statement, "span", None)
        frame.inlined = tuple(getattr(statement, "inlined", ()))
        lower_statement(frame, statement)


def lower_statement(frame: Emission, node: gast.stmt) -> None:
    match node:
        case gast.Assign(targets=[place], value=value):
            _assign(frame, place, value)
        case gast.Expr(value=gast.Call() as call):
            _call_statement(frame, call)
        case gast.If():
            control.lower_if(frame, node, lower_block)
        case gast.For():
            control.lower_for(frame, node, lower_block)
        case gast.While():
            control.lower_while(frame, node, lower_block)
        case gast.Raise():
            _raise(frame, node)
        case gast.Delete(targets=targets):
            for target in targets:
                _release(frame, target.id)
        case gast.Return(value=gast.Tuple(elts=elements)):
            native_calls.give_results(frame, elements)
        case gast.Pass():
            pass
        case _:
            raise InternalError("llvm", gast.dump(node), "not a statement of the loops stage")


def _release(frame: Emission, name: str) -> None:
    match frame.places[name]:
        case ArrayPlace() as place:
            release(frame, place)
        case ListPlace() as place:
            lists.release_list(frame, place)
        case ScalarPlace() | ScalarValue():
            pass


def _assign(frame: Emission, place: gast.expr, value: gast.expr) -> None:
    callee = syntax.operator_of(value)
    match place:
        case gast.Tuple(elts=elements) if isinstance(value, gast.Tuple):
            change_places(frame, [e.id for e in elements], [v.id for v in value.elts])
        case gast.Tuple(elts=elements):
            native_calls.call_function(frame, value, [e.id for e in elements])  # type: ignore[arg-type]
        case gast.Name(id=id_) if callee in frame.program.functions:
            native_calls.call_function(frame, value, [id_])  # type: ignore[arg-type]
        case gast.Name(id=id_):
            _assign_name(frame, id_, value)
        case gast.Subscript(value=gast.Name(id=base)):
            _store(frame, place, base, value)
        case _:
            raise InternalError("llvm", gast.dump(place), "not a place to assign to")


def _assign_name(frame: Emission, name: str, value: gast.expr) -> None:
    match frame.places[name]:
        case ScalarPlace(type=type_) | ScalarValue(type=type_):
            taken = reassociation.accumulated(frame, name, value) if frame.in_lanes else None
            frame.set_scalar(name, taken or _scalar_value(frame, value, type_))
        case ArrayPlace() as place if name in small_arrays(frame.function):
            take_room(frame, place)
            if syntax.operator_of(value) == "table":
                tables.fill(frame, value, frame.code.load("ptr", place.data))  # type: ignore[arg-type]
        case ArrayPlace():
            view, fresh = _array_value(frame, value, frame.own_results.get(name))
            bind(frame, name, view, fresh)
        case ListPlace(type=type_):
            if syntax.operator_of(value) == "new_list":
                lists.bind_list(frame, name, lists.new_list(frame, type_), fresh=True)
            elif isinstance(value, gast.Name):
                lists.bind_list(frame, name, frame.code.load("ptr", frame.list_place(value.id).list), fresh=False)
            else:
                raise InternalError("llvm", gast.dump(value), "not a list")


def _scalar_value(frame: Emission, value: gast.expr, type_: Scalar) -> SsaValue:
    if isinstance(value, gast.Call) and syntax.operator_of(value) in ROUTINES:
        result = ROUTINES[str(syntax.operator_of(value))].results[0]
        dtype = result.dtype(frame.array(value.args[-1].id).type.dtype)
        return convert(frame, call_library(frame, value), Scalar(dtype), type_)  # type: ignore[arg-type]
    return lower_as(frame, value, type_.dtype)


def _array_value(frame: Emission, value: gast.expr, result: int | None = None) -> tuple[View, bool]:
    """An array, and whether it brings a reference of its own; `result` is its number where it may have a place."""
    match value:
        case gast.Name(id=id_):
            return read(frame, id_), False
        case gast.Subscript(value=gast.Name(id=base)):
            if isinstance(frame.function.types[base], ListOf):
                return lists.load_array(frame, base, index_of_list(frame, value)), False
            return views.index_view(frame, value), False
    match syntax.operator_of(value):
        case "empty":
            return _empty(frame, value, result), True  # type: ignore[arg-type]
        case "table":
            return tables.table(frame, value), True  # type: ignore[arg-type]
        case "pop":
            return lists.pop_array(frame, value.args[0].id), True
        case "transpose":
            return views.transposed(frame, value), False  # type: ignore[arg-type]
        case "reshape":
            return views.reshaped(frame, value), False  # type: ignore[arg-type]
    raise InternalError("llvm", gast.dump(value), "not an array of the loops stage")


def _empty(frame: Emission, value: gast.Call, result: int | None) -> View:
    keywords = {k.arg: k.value for k in value.keywords}
    shape = keywords["shape"]
    elements = shape.elts if isinstance(shape, gast.Tuple) else [shape]
    dims = [lower_int(frame, e) for e in elements]
    dtype = keywords["dtype"].value
    return allocate(frame, dtype, dims) if result is None else allocate_result(frame, dtype, dims, result)


def _store(frame: Emission, place: gast.Subscript, base: str, value: gast.expr) -> None:
    type_ = frame.function.types[base]
    if isinstance(type_, ListOf):
        if isinstance(type_.element, Array):
            view, fresh = _array_value(frame, value)
            lists.store_array(frame, base, index_of_list(frame, place), view)
            assert not fresh
        else:
            item = lower_as(frame, value, type_.element.dtype)
            lists.store_scalar(frame, base, index_of_list(frame, place), item)
        return
    array = frame.array(base)
    item = lower_as(frame, value, array.type.dtype)
    items = place.slice.elts if isinstance(place.slice, gast.Tuple) else [place.slice]
    if len(items) != array.type.ndim:
        raise InternalError("llvm", gast.dump(place), "an element store needs one index per axis")
    pointer = element_pointer(frame, place, [lower_int(frame, i) for i in items])
    store_at(frame, array.type.dtype, item, pointer, tags_of(frame, place))


def _call_statement(frame: Emission, node: gast.Call) -> None:
    operator = syntax.operator_of(node)
    match operator:
        case "append":
            _append(frame, node)
        case "pop":
            _discard(frame, node)
        case _ if operator in ROUTINES:
            call_library(frame, node)
        case _ if operator in frame.program.functions:
            native_calls.call_function(frame, node, [])
        case _:
            raise InternalError("llvm", gast.dump(node), "not a statement of the loops stage")


def _append(frame: Emission, node: gast.Call) -> None:
    name, value = node.args[0].id, node.args[1]
    element = frame.list_place(name).type.element
    if isinstance(element, Array):
        lists.append_array(frame, name, _array_value(frame, value)[0])
    else:
        lists.append_scalar(frame, name, lower_as(frame, value, element.dtype))


def _discard(frame: Emission, node: gast.Call) -> None:
    name = node.args[0].id
    if isinstance(frame.list_place(name).type.element, Array):
        drop(frame, lists.pop_array(frame, name).owner)
    else:
        lists.pop_scalar(frame, name)


def _raise(frame: Emission, node: gast.Raise) -> None:
    exc = node.exc
    if isinstance(exc, gast.Name):
        frame.fail(exc.id, "", (), ())
        return
    message = exc.args[0].value if exc.args else ""
    types = [scalar_type(frame, a) for a in exc.args[1:]]
    values = [lower_as(frame, a, t.dtype) for a, t in zip(exc.args[1:], types)]
    frame.fail(exc.func.id, message, values, types)
