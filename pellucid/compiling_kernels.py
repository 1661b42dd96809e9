"""The way into the compiler for a GPU, imported when something has to be compiled.

    assembled(request, arguments, (9, 0))    ->    Assembled: a kernels stage, and machine code
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .compiler import driver
from .compiler.frontend.specialise.values import Value
from .compiler.ops.routines import ROUTINES
from .compiler.request import Request
from .compiler.targets.cuda import assemble as assembling
from .compiler.targets.cuda.kernels import kernels
from .compiler.targets.cuda.machine import Machine
from .compiling import hidden_leaves
from .deep import with_room
from .kernel_entries import Assembled
from .runtime.guards import Guards
from .starting import no_collection


@with_room
def assembled(request: Request, arguments: Mapping[str, Value], capability: tuple[int, int]) -> Assembled:
    """The kernels of a function for these types, and for GPUs of this capability.  Raises CompileError."""
    with no_collection():
        made = driver.derive(request, arguments)
        program = driver.loops(made.program)
        found = kernels(driver.for_cuda(program))
        machines: dict[str, Machine] = {}
        late: Iterable[str] = ()
        if found.kernels:
            machines, late = assembling.as_launched(found.text, capability, request.fastmath)
    guards = Guards(made.guards)
    hidden = hidden_leaves(request, made, guards)
    names = (name for row in ROUTINES.values() for name in (row.name, row.batched) if name)
    calls_routines = any(f"{name}(" in found.text for name in names)
    results, result = program.main.results, made.result
    return Assembled(found.text, machines, tuple(late), results, calls_routines, result, guards, hidden)


@with_room
def of_width(text: str, fastmath: bool, capability: tuple[int, int], name: str, width: int) -> Machine:
    """One kernel of a text for blocks of this width alone."""
    with no_collection():
        return assembling.assemble(text, capability, fastmath, [name], width=width)[name]
