"""The way into the compiler: what `Function` asks of it to be called, imported when something has to be compiled.

    compiled(request, arguments, frozen, options)    ->    Compiled: machine code, and how to put results together
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .compiler import driver
from .compiler.frontend import decoration
from .compiler.frontend.specialise.frame import Specialised
from .compiler.frontend.specialise.values import Value
from .compiler.request import Request
from .compiler.targets.llvm import llvm
from .compiler.targets.llvm.abi import EmitOptions
from .deep import with_room
from .entries import Compiled
from .flatten import runtime_leaves
from .runtime.guards import Guards
from .starting import no_collection

__all__ = ["check", "compiled", "mutated"]

Frozen = Mapping[str, tuple[Any, Value]]


@with_room
def check(request: Request) -> bool:
    """Raise the faults of a function, if it has any: a PurityError, UnsupportedError or CompileError.

    Gives whether all functions that it reaches were there to be judged.
    """
    with no_collection():
        return decoration.check(request)


@with_room
def compiled(request: Request, arguments: Mapping[str, Value], frozen: Frozen, options: EmitOptions) -> Compiled:
    """The machine code of a function for these types."""
    with no_collection():
        made = driver.derive(request, arguments, frozen)
        options = replace(options, exceptions=made.exceptions)
        executable = llvm.compile_program(driver.loops(made.program), options, driver.for_llvm)
    return Compiled(executable, made.result, mutated(made), Guards(made.guards))


def mutated(made: Specialised) -> tuple[tuple[str, int], ...]:
    """The names of the arguments that are written back, and their places among the leaves."""
    places = {leaf.name: place for place, leaf in enumerate(runtime_leaves(made.arguments))}
    return tuple((name, places[name]) for name in made.mutated)
