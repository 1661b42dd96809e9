"""What `StageFunction` asks of the compiler, imported when a stage is read.

    read(text, path, "typed")    ->    Program        compiled(program)    ->    Executable
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import arguments, stepping
from .compiler import driver, edited, syntax
from .compiler.diagnostics import Span, StageError
from .compiler.languages import files
from .compiler.program import Program
from .compiler.stages import KERNELS, LOOPS, TYPED
from .compiler.targets.cuda.kernels import kernels
from .compiler.targets.llvm import llvm
from .compiler.targets.llvm.abi import EmitOptions
from .compiler.targets.llvm.executable import Executable
from .compiler.targets.python import definition as python_target
from .compiler.targets.python import printer
from .deep import with_room
from .explanation import explanation
from .gpu_listing import NO_KERNELS, machine_text
from .starting import no_collection

if TYPE_CHECKING:
    from .stage_function import StageFunction

__all__ = ["compiled", "explain", "for_gpu", "lowered", "made_up", "read", "run", "stage_of", "text"]

lowered = with_room(edited.lowered)
text = with_room(printer.print_program)


@with_room
def read(text: str, path: str, stage: str) -> Program:
    with no_collection():
        return edited.read_stage(text, path, stage)


@with_room
def compiled(program: Program) -> Executable:
    """The machine code of a program that was read."""
    with no_collection():
        options = EmitOptions(exceptions=exceptions_of(program))
        return llvm.compile_program(edited.lowered(program), options, driver.for_llvm)


@with_room
def for_gpu(program: Program, stage: str, path: str) -> str:
    """The kernels of a program that was read, or their machine code."""
    loops = edited.lowered(program).map(lambda function: edited.with_stage_in_notes(function, LOOPS, KERNELS))
    found = kernels(driver.for_cuda(loops))
    if stage == KERNELS:
        return found.text
    if not found.kernels:
        return NO_KERNELS
    line = program.main.origin.line if program.main.origin is not None else 1
    return machine_text(found.text, "<kernels>", stage, Span(path, line, 0, line, 0))


def exceptions_of(program: Program) -> dict[str, type[BaseException]]:
    """Stand-ins for exception classes that the file defines."""
    found = {}
    for function in program.functions.values():
        for statement in syntax.walk(function.body):
            base = getattr(statement, "base", None)
            if base is not None:
                name = statement.exc.func.id
                found[name] = type(name, (getattr(builtins, base),), {})
    return found


def stage_of(path: str) -> str:
    """The stage that a file looks like; Python that is of both languages is read as typed."""
    text = Path(path).read_text(encoding="utf-8")
    said = files.stage_of(text)
    return said or next((stage for stage in (TYPED, LOOPS) if _is_in(text, path, stage)), TYPED)


def _is_in(text: str, path: str, stage: str) -> bool:
    try:
        read(text, path, stage)
    except StageError:
        return False
    return True


def made_up(function: StageFunction, size: str | None) -> list[Any]:
    """Arguments of the types in the header; the same on every run."""
    types = [str(type_) for type_ in function.types]
    return list(arguments.values_of(arguments.read_arguments(", ".join(types), {}), arguments.read_lengths(size)))


def run(program: Program, leaves: list[Any], call: Callable[..., Any] | None) -> Any:
    """The program in CPython, under a debugger if `call` is one."""
    return stepping.run(python_target.load(program), leaves, call)


@with_room
def explain(program: Program) -> str:
    loops = edited.lowered(program)
    return explanation(program, loops, versions=driver.for_llvm(loops))
