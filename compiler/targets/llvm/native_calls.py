"""Calls between native functions: parameters, results, recursion, and returning from a function.

    x, y = f(a, k)    ->    status = f(context, a's owner, data, lengths, strides, k, results)
                            leave with the same status where it is not 0

The callee borrows arrays; results come with a reference.  A function that can reach itself counts its depth and
looks at the stack it has left, so that recursion without end is a RecursionError and never a crash.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gast

from ... import syntax
from ...analysis.integers.parameter_lengths import LengthAxis, axes_of, determining_axes, is_alone
from ...diagnostics import InternalError
from ...program import Function, Program, Reason
from ...types import Array, Dim, ListOf, Scalar, Type
from . import lists, memory_values, polls
from .abi import DEPTH, DEPTH_LIMIT, REGISTER, STACK_LIMIT, TRACE, TRACE_COUNT, TRACE_LENGTH, result_slots
from .arrays import View, bind, drop, keep, read, strides_of
from .expressions import convert, lower_as
from .frame import ArrayPlace, Emission, ListPlace, ScalarPlace, ScalarValue
from .operands import SsaValue, int_
from .text import identifier

CONTEXT, RESULTS = SsaValue("ptr", "%context"), SsaValue("ptr", "%results")
RECURSION_MESSAGE = "maximum recursion depth exceeded"


def native_name(function: Function) -> str:
    return f"pellucid.function.{identifier(function.name)}"


def _callees(function: Function, program: Program) -> set[str]:
    called = (str(syntax.operator_of(getattr(s, "value", None))) for s in syntax.walk(function.body))  # type: ignore[arg-type]
    return {name for name in called if name in program.functions}


def recursive_functions(program: Program) -> frozenset[str]:
    """The functions that can reach themselves."""
    reach = {name: _callees(function, program) for name, function in program.functions.items()}
    changed = True
    while changed:
        changed = False
        for found in reach.values():
            more = set().union(*(reach[n] for n in found), found)
            if more != found:
                found |= more
                changed = True
    return frozenset(name for name, found in reach.items() if name in found)


# --- parameters ----------------------------------------------------------------------------------------------------


def parameter_types(type_: Type) -> list[str]:
    """The LLVM types that a parameter of this type takes."""
    match type_:
        case Scalar(dtype=dtype):
            return [REGISTER[dtype]]
        case Array(ndim=ndim, layout=layout):
            return ["ptr", "ptr", *["i64"] * (ndim if layout == "C" else 2 * ndim)]
        case ListOf():
            return ["ptr"]
    raise InternalError("llvm", str(type_), "not a type of the loops stage")


def parameters_of(function: Function) -> list[str]:
    """The parameters of the native function, with their types."""
    parts = [str(CONTEXT)]
    for number, name in enumerate(function.parameters):
        kinds = parameter_types(function.types[name])
        parts += [f"{kind} %p{number}.{part}" for part, kind in enumerate(kinds)]
    return [*parts, str(RESULTS)]


def enter(frame: Emission) -> None:
    """Move parameters into their variables and check the lengths that their types promise."""
    if frame.function.name in frame.recursive:
        _go_deeper(frame)
    for number, name in enumerate(frame.function.parameters):
        place = frame.places[name]
        kinds = parameter_types(frame.function.types[name])
        values = [SsaValue(kind, f"%p{number}.{part}") for part, kind in enumerate(kinds)]
        match place:
            case ScalarPlace() | ScalarValue():
                frame.set_scalar(name, values[0])
            case ListPlace():
                frame.code.store(values[0], place.list)
                if place.owned:
                    lists.keep_list(frame, values[0])
            case ArrayPlace():
                for value, variable in zip(values, (place.owner, place.data, *place.dims, *place.strides), strict=True):
                    frame.code.store(value, variable)
                if place.owned:
                    keep(frame, values[0])
    _check_lengths(frame)


def _check_lengths(frame: Emission) -> None:
    """Every length is what the parameters' types say of it: ranges rely on it."""
    known: dict[str, SsaValue] = {}
    opaque: dict[Dim, LengthAxis] = {}
    determining = determining_axes(frame.function)
    for symbol, axis in determining.items():
        known[symbol] = _symbol_value(frame, symbol, axis, known)
    for axis in axes_of(frame.function):
        reason = frame.function.reasons.get((axis.name, axis.axis), Reason(None))
        frame.span, frame.inlined = reason.span, reason.inlined
        place = frame.array(axis.name).dims[axis.axis]
        length = frame.code.load("i64", place)
        if not isinstance(axis.extent, Dim):
            _require_equal(frame, length, int_(axis.extent), f"{_words(axis)}, but it was declared as {axis.extent}")
            frame.code.store(int_(axis.extent), place)
        elif not all(symbol in known for symbol in axis.extent.symbols()):
            first = opaque.setdefault(axis.extent, axis)
            other = frame.code.load("i64", frame.array(first.name).dims[first.axis])
            _require_same(frame, axis, length, first, other, reason)
        elif is_alone(axis.extent):
            symbol = axis.extent.terms[0][0]
            _require_same(frame, axis, length, determining[symbol], known[symbol], reason)
        else:
            expected = _expected(frame, axis.extent, known)
            _require_equal(frame, length, expected, f"{_words(axis)}, but {axis.extent} is {{}}", expected)
    frame.symbols.update(known)


def _words(axis: LengthAxis) -> str:
    return f"`{axis.name}` has length {{}} along axis {axis.axis}"


def _affine(frame: Emission, extent: Dim, known: Mapping[str, SsaValue]) -> SsaValue:
    """The constant and the terms with known symbols, added up."""
    code, total = frame.code, int_(extent.constant)
    for symbol, factor in extent.terms:
        if symbol in known:
            part = known[symbol] if factor == 1 else code.binary("mul", known[symbol], int_(factor))
            total = part if total.text == "0" else code.binary("add", total, part)
    return total


def _not_negative(frame: Emission, value: SsaValue) -> SsaValue:
    return frame.code.select(frame.code.compare("slt", value, int_(0)), int_(0), value)


def _expected(frame: Emission, extent: Dim, known: Mapping[str, SsaValue]) -> SsaValue:
    return _not_negative(frame, _affine(frame, extent, known))


def _symbol_value(frame: Emission, symbol: str, axis: LengthAxis, known: Mapping[str, SsaValue]) -> SsaValue:
    """What a length says of the one symbol in it that is not known yet; of a clamped length, zero will do."""
    assert isinstance(axis.extent, Dim)
    length = frame.code.load("i64", frame.array(axis.name).dims[axis.axis])
    if is_alone(axis.extent):
        return length
    rest = _affine(frame, axis.extent, {s: v for s, v in known.items() if s != symbol})
    return _not_negative(frame, frame.code.binary("sub", length, rest))


def _require_same(
    frame: Emission, axis: LengthAxis, length: SsaValue, first: LengthAxis, other: SsaValue, reason: Reason
) -> None:
    if axis != first:
        message = f"{_words(first)}, but {_words(axis)}: {reason.words}"
        frame.fail_if(frame.code.compare("ne", length, other), "ValueError", message, other, length)


def _require_equal(frame: Emission, length: SsaValue, expected: SsaValue, message: str, *more: SsaValue) -> None:
    frame.fail_if(frame.code.compare("ne", length, expected), "ValueError", message, length, *more)


# --- recursion -----------------------------------------------------------------------------------------------------


def _context(frame: Emission, slot: int) -> SsaValue:
    return frame.code.offset("i64", CONTEXT, slot)


def _go_deeper(frame: Emission) -> None:
    code = frame.code
    polls.poll(frame)
    depth = code.binary("add nsw", code.load("i64", _context(frame, DEPTH)), int_(1))
    code.store(depth, _context(frame, DEPTH))
    deep = code.compare("sgt", depth, code.load("i64", _context(frame, DEPTH_LIMIT)))
    frame.fail_if(deep, "RecursionError", RECURSION_MESSAGE)
    frame.module.declare("llvm.frameaddress.p0", "declare ptr @llvm.frameaddress.p0(i32)")
    here = code.call("ptr", "llvm.frameaddress.p0", int_(0, "i32"))
    low = code.compare(
        "ult", code.convert("ptrtoint", here, "i64"), code.load("i64", _context(frame, STACK_LIMIT))
    )
    frame.fail_if(low, "RecursionError", RECURSION_MESSAGE)


def leave(frame: Emission) -> None:
    """The one way out: release everything, return the status."""
    code = frame.code
    lists.release_all(frame)
    if frame.function.name in frame.recursive:
        depth = code.load("i64", _context(frame, DEPTH))
        code.store(code.binary("sub nsw", depth, int_(1)), _context(frame, DEPTH))
    code.finish(f"ret {code.load('i64', frame.status)}")


# --- results -------------------------------------------------------------------------------------------------------


def give_results(frame: Emission, elements: Sequence[gast.expr]) -> None:
    slot = 0
    for node, type_ in zip(elements, frame.function.results, strict=True):
        _give(frame, node, type_, slot)
        slot += result_slots(type_)


def _give(frame: Emission, node: gast.expr, type_: Type, slot: int) -> None:
    code = frame.code
    place = code.offset("i64", RESULTS, slot)
    if isinstance(type_, Scalar):
        memory_values.store_in_slot(code, type_.dtype, lower_as(frame, node, type_.dtype), place)
    elif isinstance(type_, ListOf):
        list_ = code.load("ptr", frame.list_place(node.id).list)
        lists.keep_list(frame, list_)
        code.store(list_, place)
    else:
        view = read(frame, node.id)
        keep(frame, view.owner)
        code.store(view.owner, place)
        code.store(view.data, code.offset("i64", RESULTS, slot + 1))
        for number, value in enumerate((*view.dims, *strides_of(frame, view))):
            code.store(value, code.offset("i64", RESULTS, slot + 2 + number))


# --- calls ---------------------------------------------------------------------------------------------------------


def call_function(frame: Emission, node: gast.Call, targets: Sequence[str]) -> None:
    """Call another function of the program and bind its results."""
    callee = frame.program.functions[str(syntax.operator_of(node))]
    code = frame.code
    operands = [CONTEXT]
    for argument, parameter in zip(node.args, callee.parameters, strict=True):
        operands += _passed(frame, argument, callee.types[parameter])
    slots = sum(map(result_slots, callee.results))
    results = code.variable(f"[{max(1, slots)} x i64]", "results")
    status = code.call("i64", native_name(callee), *operands, results)
    _follow_error(frame, status)
    slot = 0
    for number, type_ in enumerate(callee.results):
        place = code.offset("i64", results, slot)
        _take(frame, targets[number] if number < len(targets) else None, type_, place)
        slot += result_slots(type_)
    for name in targets:
        _check_result(frame, name)


def _check_result(frame: Emission, name: str) -> None:
    """An array that a function gave has the lengths that its type says: ranges rely on it."""
    type_ = frame.function.types.get(name)
    for axis, extent in enumerate(type_.dims if isinstance(type_, Array) else ()):
        if not isinstance(extent, Dim) or all(symbol in frame.symbols for symbol in extent.symbols()):
            expected = _expected(frame, extent, frame.symbols) if isinstance(extent, Dim) else int_(extent)
            length = frame.code.load("i64", frame.array(name).dims[axis])
            words = _words(LengthAxis(name, axis, extent))
            _require_equal(frame, length, expected, f"{words}, but its type says {{}}", expected)


def _passed(frame: Emission, argument: gast.expr, type_: Type) -> list[SsaValue]:
    if isinstance(type_, Scalar):
        return [lower_as(frame, argument, type_.dtype)]
    if isinstance(type_, ListOf):
        return [frame.code.load("ptr", frame.list_place(argument.id).list)]
    view = read(frame, argument.id)
    if type_.layout != "C":
        return [view.owner, view.data, *view.dims, *strides_of(frame, view)]
    if view.strides is not None:
        raise InternalError("llvm", gast.dump(argument), "an array of any layout passed where C order is needed")
    return [view.owner, view.data, *view.dims]


def _follow_error(frame: Emission, status: SsaValue) -> None:
    """Leave with the callee's status, adding this call to the trace."""
    code = frame.code
    failed, fine = code.label("failed"), code.label("returned")
    code.branch(code.compare("ne", status, int_(0)), failed, fine, unlikely=True)
    code.start(failed)
    code.store(status, frame.status)
    length_place = _context(frame, TRACE_LENGTH)
    length = code.load("i64", length_place)
    room, full = code.label("room"), code.label("full")
    code.branch(code.compare("ult", length, int_(TRACE_COUNT)), room, full)
    code.start(room)
    link = frame.site("", "", ())
    code.store(int_(link - 1), code.offset("i64", _context(frame, TRACE), length))
    code.store(code.binary("add", length, int_(1)), length_place)
    code.start(full)
    code.jump("leave")
    code.start(fine)


def _take(frame: Emission, target: str | None, type_: Type, place: SsaValue) -> None:
    code = frame.code
    if isinstance(type_, Scalar):
        if target is not None:
            variable = frame.places[target]
            assert isinstance(variable, ScalarPlace | ScalarValue)
            value = memory_values.load(code, type_.dtype, place)
            frame.set_scalar(target, convert(frame, value, type_, variable.type))
        return
    if isinstance(type_, ListOf):
        list_ = code.load("ptr", place)
        if target is None:
            lists.drop_list(frame, list_)
        else:
            lists.bind_list(frame, target, list_, fresh=True)
        return
    _take_array(frame, target, type_, place)


def _take_array(frame: Emission, target: str | None, type_: Array, place: SsaValue) -> None:
    code, rank = frame.code, type_.ndim
    owner = code.load("ptr", place)
    if target is None:
        drop(frame, owner)
        return
    data = code.load("ptr", code.offset("i64", place, 1))
    numbers = [code.load("i64", code.offset("i64", place, 2 + k)) for k in range(2 * rank)]
    strides = None if type_.layout == "C" else tuple(numbers[rank:])
    bind(frame, target, View(type_.dtype, owner, data, tuple(numbers[:rank]), strides), fresh=True)
