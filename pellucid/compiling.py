"""The way into the compiler: what `Function` asks of it to be called, imported when something has to be compiled.

    compiled(request, arguments, options)    ->    Compiled: machine code, and how to put results together
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from . import recording
from .compiler import driver, steps
from .compiler.frontend import decoration
from .compiler.frontend.specialise.specialised import Specialised
from .compiler.frontend.specialise.values import Value
from .compiler.own_faults import named
from .compiler.request import Request
from .compiler.targets.llvm import llvm
from .compiler.targets.llvm.abi import EmitOptions
from .compiler.transform.batch import followed_values as following
from .deep import with_room
from .entries import Compiled
from .flatten import runtime_leaves
from .hidden import HiddenLeaves
from .runtime import memory
from .runtime.guards import Guards
from .starting import no_collection
from .stopwatch import MACHINE_CODE, timed

__all__ = ["check", "compiled", "follows_values", "hidden_leaves", "mutated"]

@with_room
def check(request: Request) -> bool:
    """Raise the faults of a function, if it has any: a PurityError, UnsupportedError or CompileError.

    Gives whether all functions that it reaches were there to be judged.
    """
    with no_collection(), named("check"):
        return decoration.check(request)


@with_room
def compiled(request: Request, arguments: Mapping[str, Value], options: EmitOptions) -> Compiled:
    """The machine code of a function for these types."""
    with no_collection(), named("LLVM"), timed() as watch, _steps_told(request):
        made = driver.derive(request, arguments)
        options = replace(options, exceptions=made.exceptions)
        loops = driver.loops(made.program)
        memory.pool()
        watch.lap("the runtime's own code")
        executable = llvm.compile_program(loops, options, driver.for_llvm)
    guards = Guards(made.guards)
    hidden, in_place = hidden_leaves(request, made, guards), loops.main.in_place
    return Compiled(executable, made.result, mutated(made), guards, hidden, watch.took, in_place)


@contextmanager
def _steps_told(request: Request) -> Iterator[None]:
    """Those who listen hear of the steps inside; what is no step counts for the one after it, or for machine code."""
    if not recording.LISTENING:
        yield
        return
    heard = recording.Steps(request)
    steps.observers.append(heard)
    try:
        yield
    finally:
        steps.observers.remove(heard)
    heard(MACHINE_CODE)


@with_room
def follows_values(
    request: Request, arguments: Mapping[str, Value], names: Iterable[str]
) -> tuple[bool, Guards]:
    """Whether what depends on what follows the values of these arguments, and what holds as long as that is known."""
    with no_collection():
        made = driver.derive(request, arguments)
    return following.follows_values(made, names), Guards(made.guards)


def hidden_leaves(request: Request, made: Specialised, guards: Guards) -> HiddenLeaves:
    """Where the arguments are found that the caller does not pass."""
    return HiddenLeaves([(hidden.place, hidden.index) for hidden in made.hidden], guards, request.frozen)


def mutated(made: Specialised) -> tuple[tuple[str, int], ...]:
    """The names of the arguments that are written back, and their places among the leaves."""
    places = {leaf.name: place for place, leaf in enumerate(runtime_leaves(made.arguments))}
    return tuple((name, places[name]) for name in made.mutated)
