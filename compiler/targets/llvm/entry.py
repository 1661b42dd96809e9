"""The native function that Python calls: it unpacks slots into parameters and calls the entry function.

    i64 pellucid_entry(ptr slots)          slots: context, arguments, results (`abi.py`)
"""

from __future__ import annotations

from ...program import Function
from ...types import Array, ListOf, Scalar, Type
from . import memory_values
from .abi import ARGUMENTS, ENTRY, GUARDED, STACK_LIMIT, argument_slots
from .native_calls import CONTEXT, native_name
from .operands import NULL, SsaValue, int_
from .text import Code, Module


def write_entry(module: Module, function: Function) -> None:
    """Write the entry; beside a function that LLVM leaves as it is, it stays as it is too."""
    code = Code(module)
    if module.line_writer is not None:  # LLVM keeps the lines of what it inlines only where the caller has some
        module.line_writer.enter(code, function.name, ENTRY)
    _fix_stack_limit(code)
    if function.in_place:  # no signal ends the call when a part of an argument has changed
        code.store(int_(0), code.offset("i64", CONTEXT, GUARDED))
    operands = [CONTEXT]
    slot = ARGUMENTS
    for name in function.parameters:
        type_ = function.types[name]
        operands += _unpacked(code, type_, slot)
        slot += argument_slots(type_)
    results = code.offset("i64", CONTEXT, slot)
    status = code.call("i64", native_name(function), *operands, results)
    code.finish(f"ret {status}")
    attributes = module.definitions[native_name(function)].attributes
    module.define(code.function(ENTRY, "i64", [str(CONTEXT)], attributes, linkage=""))


def _fix_stack_limit(code: Code) -> None:
    """A limit below zero counts from here: the system did not say how large the stack is."""
    place = code.offset("i64", CONTEXT, STACK_LIMIT)
    limit = code.load("i64", place)
    code.module.declare("llvm.frameaddress.p0", "declare ptr @llvm.frameaddress.p0(i32)")
    frame = code.convert("ptrtoint", code.call("ptr", "llvm.frameaddress.p0", int_(0, "i32")), "i64")
    relative = code.compare("slt", limit, int_(0))
    code.store(code.select(relative, code.binary("add", frame, limit), limit), place)


def _unpacked(code: Code, type_: Type, slot: int) -> list[SsaValue]:
    """A parameter from its slots; an array of Python's has no owner here, so that nothing releases it."""
    first = code.offset("i64", CONTEXT, slot)
    if isinstance(type_, Scalar):
        return [memory_values.load(code, type_.dtype, first)]
    if isinstance(type_, ListOf):
        return [code.load("ptr", first)]
    assert isinstance(type_, Array)
    count = type_.ndim if type_.layout == "C" else 2 * type_.ndim
    numbers = [code.load("i64", code.offset("i64", CONTEXT, slot + 1 + k)) for k in range(count)]
    return [NULL, code.load("ptr", first), *numbers]
