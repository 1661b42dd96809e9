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
from .compiler.program import Function, Program
from .compiler.request import Request
from .compiler.stages import KERNELS, LOOPS, SOURCE, TYPED
from .compiler.targets.cuda.kernels import Kernels
from .compiler.targets.cuda.kernels import kernels as kernels_of
from .compiler.targets.python import definition as python_target
from .compiler.targets.python import printer
from .compiler.types import Array, Scalar
from .compiling import hidden_leaves, mutated
from .deep import with_room
from .explanation import explanation
from .faults import first_line_of
from .flatten import Flattened
from .gpu_explanation import topics_on_gpu
from .gpu_listing import NO_KERNELS
from .gpu_listing import machine_text as listed
from .placing import is_for_gpu
from .runtime.lockstep import in_lockstep

__all__ = [
    "BdbQuit", "arguments_within", "driver", "explain", "explained", "hidden_leaves", "mutated", "program",
    "python_target", "results_of", "stepping", "text", "untyped_text",
]  # fmt: skip


@with_room
def program(request: Request, stage: str, arguments: Mapping[str, Value]) -> tuple[Specialised, Program]:
    """The program at a typed stage, and how its leaves relate to Python's containers."""
    make = driver.typed if stage == TYPED else driver.derive
    made = make(request, arguments)
    return made, driver.loops(made.program) if stage == LOOPS else driver.settled(made.program)


def arguments_within(request: Request, arguments: Mapping[str, Any], kept: int) -> dict[str, Any]:
    """What the function after its first transformations is called with, given what that after all is called with."""
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
        return NO_KERNELS
    return listed(found.text, "<kernels>", stage, first_line_of(request.python), request.fastmath)


def loaded(
    request: Request, stage: str, arguments: Mapping[str, Value], call: Callable[..., Any] | None
) -> tuple[Specialised, Program, Callable[..., Any]]:
    """The program at a stage, and what runs it as a Python function of a file, under a debugger if `call` is one."""

    def running(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *leaves: stepping.run(function, list(leaves), call)

    if stage != KERNELS:
        made, at_stage = program(request, stage, arguments)
        return made, at_stage, running(python_target.load(at_stage))
    made, at_stage, found = kernels(request, arguments)
    main = at_stage.main.with_(stage=KERNELS)
    path = python_target.write_stage(Program(at_stage.entry, {at_stage.entry: main}), found.printed)
    return made, at_stage, in_lockstep(running(python_target.execute(found.printed, path, found.entry)))


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


def explained(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """What is said of a function for these arguments; for a GPU where they, its target or the last call are of one."""
    flat = function._asked(args, kwargs)
    found = function._compiled.get(flat.key)
    was_on_gpu = not args and not kwargs and any(key == flat.key for key, _ in function._on_gpu)
    on_gpu = was_on_gpu or is_for_gpu(function.__pellucid__, (*args, *kwargs.values()))
    return explain(function.__pellucid__, flat, {} if found is None else found.took, on_gpu)


@with_room
def explain(request: Request, flat: Flattened, took: Mapping[str, float], is_on_gpu: bool) -> str:
    """`took` are the seconds of the steps, where the function was compiled for these types."""
    made = driver.derive(request, flat.arguments)
    loops = driver.loops(made.program)
    if not is_on_gpu:
        return explanation(made.program, loops, guards=made.guards, versions=driver.for_llvm(loops), took=took)
    text = kernels_of(driver.for_cuda(loops)).text
    topics = topics_on_gpu(text, from_host=_from_host(flat, made, loops.main))
    return explanation(made.program, loops, guards=made.guards, on_gpu=topics)


def _from_host(flat: Flattened, made: Specialised, main: Function) -> list[str]:
    """The parameters of the program that are arrays of the host, those that it finds outside too."""
    outside = main.parameters[len(main.parameters) - len(made.hidden) :]
    given = [name for name, leaf in zip(main.parameters, flat.leaves) if isinstance(leaf, np.ndarray)]
    return [*given, *(name for name in outside if isinstance(main.types[name], Array))]
