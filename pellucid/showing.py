"""What `Function` asks of the compiler to be looked into, imported when something is to be shown or stepped through.

    text(request, "typed", arguments)    ->    the program at that stage, printed
"""

from __future__ import annotations

from bdb import BdbQuit
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import stepping
from .compiler import driver
from .compiler.frontend.source.read import read
from .compiler.frontend.specialise.specialised import Specialised
from .compiler.frontend.specialise.values import Mapping_, Sequence, Static, Value
from .compiler.program import Program
from .compiler.request import Request
from .compiler.stages import KERNELS, LOOPS, PTX, SOURCE, TYPED
from .compiler.targets.cuda.assemble import assemble
from .compiler.targets.cuda.kernels import Kernels
from .compiler.targets.cuda.kernels import kernels as kernels_of
from .compiler.targets.cuda.listing import sass
from .compiler.targets.python import definition as python_target
from .compiler.targets.python import printer
from .compiler.types import Scalar
from .compiling import hidden_leaves, mutated
from .deep import with_room
from .explanation import explanation
from .runtime.devices.cuda import driver as cuda
from .runtime.lockstep import in_lockstep

__all__ = [
    "BdbQuit", "arguments_within", "driver", "explain", "hidden_leaves", "mutated", "program", "python_target",
    "results_of", "stepping", "text", "untyped_text",
]  # fmt: skip


USUAL = (9, 0)  # the compute capability that a listing is for where there is no GPU


@with_room
def program(request: Request, stage: str, arguments: Mapping[str, Value]) -> tuple[Specialised, Program]:
    """The program at a typed stage, and how its leaves relate to Python's containers."""
    make = driver.typed if stage == TYPED else driver.derive
    made = make(request, arguments)
    return made, driver.loops(made.program) if stage == LOOPS else driver.settled(made.program)


def arguments_within(request: Request, arguments: Mapping[str, Any], kept: int) -> dict[str, Any]:
    """What the function behind its first transformations is called with, given what that behind all is called with."""
    held = {name: _held(argument) for name, argument in arguments.items()}
    if not all(transform.differentiates for transform in request.transforms[kept:]):
        raise ValueError("this stage is that of one example: debug `transformed` or `loops`, which have them all")
    return {name: _given(value) for name, value in driver.levels(request, held)[kept].items()}


def _held(argument: Any) -> Value:
    if type(argument) in (tuple, list):
        return Sequence(tuple(map(_held, argument)), type(argument))
    return Static(argument)


def _given(value: Value) -> Any:
    match value:
        case Sequence(items=items, kind=kind):
            return kind(map(_given, items))
        case Mapping_(items=items):
            return {key: _given(part) for key, part in items}
        case Static(value=argument):
            return argument
    raise TypeError(f"no argument: {value!r}")


@with_room
def kernels(request: Request, arguments: Mapping[str, Value]) -> tuple[Specialised, Program, Kernels]:
    """The program at the loops stage, and its kernels stage."""
    made = driver.derive(request, arguments)
    program = driver.loops(made.program)
    return made, program, kernels_of(driver.for_cuda(program))


@with_room
def machine_text(request: Request, stage: str, arguments: Mapping[str, Value]) -> str:
    """The kernels as PTX, or as a GPU's own instructions; for the first GPU there is, or for capability 9.0."""
    found = kernels(request, arguments)[2]
    if not found.kernels:
        return "// no part of it is a kernel\n"
    capability = cuda.compute_capability(0) if cuda.was_asked() and cuda.count() else USUAL
    machines = assemble(found.text, capability, request.fastmath).values()
    return "\n".join(machine.ptx if stage == PTX else sass(machine) or machine.ptx for machine in machines)


def loaded(
    request: Request, stage: str, arguments: Mapping[str, Value]
) -> tuple[Specialised, Program, Callable[..., Any]]:
    """The program at a stage, and what it is as a Python function, run by CPython from a file."""
    if stage != KERNELS:
        made, at_stage = program(request, stage, arguments)
        return made, at_stage, python_target.load(at_stage)
    made, at_stage, found = kernels(request, arguments)
    main = at_stage.main.with_(stage=KERNELS)
    path = python_target.write_stage(Program(at_stage.entry, {at_stage.entry: main}), found.printed)
    return made, at_stage, in_lockstep(python_target.execute(found.printed, path, found.entry))


def results_of(program: Program, results: Any) -> list[Any]:
    """What a stage gave, as a list.  Kernels leave numbers of NumPy where the program gives those of Python."""
    found = list(results) if isinstance(results, tuple) else [results]
    for place, type_ in enumerate(program.main.results):
        if isinstance(type_, Scalar) and type_.weak and isinstance(found[place], np.generic):
            found[place] = found[place].item()
    return found


@with_room
def untyped_text(request: Request, stage: str) -> str:
    """The program at a stage that needs no types."""
    if stage == SOURCE:
        return printer.print_core(read(request.python).tree)
    return stepping.core_text(request.python)


@with_room
def text(request: Request, stage: str, arguments: Mapping[str, Value]) -> str:
    """The printed program at a typed stage, at that of loops or of kernels."""
    if stage == KERNELS:
        return kernels(request, arguments)[2].text
    return printer.print_program(program(request, stage, arguments)[1])


@with_room
def explain(request: Request, arguments: Mapping[str, Value], took: Mapping[str, float]) -> str:
    """`took` are the seconds of the steps, where the function was compiled for these types."""
    made = driver.derive(request, arguments)
    loops = driver.loops(made.program)
    return explanation(made.program, loops, guards=made.guards, versions=driver.for_llvm(loops), took=took)
