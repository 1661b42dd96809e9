"""The way into the compiler: what `Function` asks of it, imported when something has to be compiled or shown.

    compiled(request, arguments, frozen, options)    ->    Compiled: machine code, and how to put results together
"""

from __future__ import annotations

from bdb import BdbQuit
from collections.abc import Mapping
from typing import Any

from . import stepping
from .compiler import pipeline, printer
from .compiler.backend import llvm
from .compiler.backend import python as python_backend
from .compiler.backend.abi import Options
from .compiler.frontend.decoration import check
from .compiler.frontend.frame import Specialised
from .compiler.frontend.read import read
from .compiler.frontend.values import Value
from .compiler.program import Program
from .compiler.request import Request
from .entries import Compiled
from .explanation import explanation
from .flatten import runtime_leaves

__all__ = ["BdbQuit", "check", "compiled", "explain", "program", "python_backend", "stepping", "text", "untyped_text"]

Frozen = Mapping[str, tuple[Any, Value]]


def compiled(request: Request, arguments: Mapping[str, Value], frozen: Frozen, options: Options) -> Compiled:
    """The machine code of a function for these types."""
    made = pipeline.derive(request, arguments, frozen)
    return Compiled(llvm.compile_program(pipeline.loops(made.program), options), made.result, mutated(made))


def mutated(made: Specialised) -> tuple[tuple[str, int], ...]:
    """The names of the arguments that are written back, and their places among the leaves."""
    places = {leaf.name: place for place, leaf in enumerate(runtime_leaves(made.arguments))}
    return tuple((name, places[name]) for name in made.mutated)


def program(
    request: Request, stage: str, arguments: Mapping[str, Value], frozen: Frozen
) -> tuple[Specialised, Program]:
    """The program at a typed stage, and how its leaves relate to Python's containers."""
    make = pipeline.typed if stage == pipeline.TYPED else pipeline.derive
    made = make(request, arguments, frozen)
    return made, pipeline.loops(made.program) if stage == pipeline.LOOPS else pipeline.settled(made.program)


def untyped_text(request: Request, stage: str) -> str:
    """The program at a stage that needs no types."""
    if stage == pipeline.SOURCE:
        return printer.print_core(read(request.python).tree)
    return stepping.core_text(request.python)


def text(request: Request, stage: str, arguments: Mapping[str, Value], frozen: Frozen) -> str:
    """The printed program at a typed stage."""
    return printer.print_program(program(request, stage, arguments, frozen)[1])


def explain(request: Request, arguments: Mapping[str, Value], frozen: Frozen) -> str:
    made = pipeline.derive(request, arguments, frozen)
    return explanation(made.program, pipeline.loops(made.program))
