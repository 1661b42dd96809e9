"""Kernels as a listing: PTX, or a GPU's own instructions, for the first GPU there is or for capability 9.0.

    machine_text("@cuda.jit def poly_1(x): ...", "<kernels>", "ptx", place)    ->    ".visible .entry poly_1(..."
"""

from __future__ import annotations

from .compiler.diagnostics import Span
from .compiler.stages import PTX
from .compiler.targets.cuda.assemble import assemble
from .compiler.targets.cuda.listing import sass
from .faults import tools_for
from .runtime.devices.cuda import driver

USUAL = (9, 0)
NO_KERNELS = "// no part of it is a kernel\n"


def machine_text(text: str, path: str, stage: str, place: Span, fastmath: bool = False) -> str:
    """The machine code of the kernels of a text; `place` is that of the function, for what is missing."""
    capability = driver.compute_capability(0) if driver.was_asked() and driver.count() else USUAL
    with tools_for(place):
        machines = assemble(text, capability, fastmath, path=path).values()
        return "\n".join(machine.ptx if stage == PTX else sass(machine) or machine.ptx for machine in machines)
