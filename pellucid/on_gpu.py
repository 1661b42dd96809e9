"""Calls of a function whose arguments are on a GPU: its driver launches kernels there, and results stay there.

    f(device_put(x, "cuda"))     ->     an Array on cuda:0, before the kernels have run

Arguments on the host are copied beside it.  What a kernel finds to fail is told by the program of the processor, which
is run on the same arguments when the result is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import support
from .compiler import driver
from .compiler.frontend.specialise.cotangents import cotangents_of, with_function
from .compiler.frontend.specialise.specialised import Specialised
from .compiler.frontend.specialise.values import Static, Value
from .compiler.program import Program
from .compiler.records import dataclass
from .compiler.request import Request, Vjp
from .compiler.targets.cuda.assemble import assemble
from .compiler.targets.cuda.kernels import kernels
from .compiler.targets.cuda.machine import Machine
from .compiling import hidden_leaves
from .deep import with_room
from .flatten import Flattened, rebuild
from .hidden import HiddenLeaves
from .runtime.array import Array
from .runtime.devices import Device
from .runtime.devices.cuda import driver as cuda
from .runtime.devices.cuda.kernels import LoadedKernels
from .runtime.devices.cuda.libraries import routines
from .runtime.devices.cuda.platform import from_gpu, on_gpu
from .runtime.guards import Findings, Guards
from .starting import no_collection

if TYPE_CHECKING:
    from .function import Function


@dataclass(frozen=True, slots=True, eq=False)
class KernelCode:
    """One specialisation for a GPU: the driver with its kernels, and how to put results together."""

    kernels: LoadedKernels
    result: Value
    guards: Guards
    hidden: HiddenLeaves


def called(function: Function[..., Any], flat: Flattened, device: Device) -> Any:
    """The results of a call, by kernels that are made for these types and this device where none are kept."""
    key = (flat.key, device)
    code: KernelCode | None = function._on_gpu.get(key)
    findings = None if code is None else code.guards.hold()
    if code is None or findings is None:
        function._check_purity()
        code = function._on_gpu[key] = compiled(function, flat, device)
        findings = code.guards.findings
    return call(code, flat, findings, device)


def call(code: KernelCode, flat: Flattened, findings: Findings, device: Device) -> Any:
    """The results of a call on a device of CUDA."""
    leaves = [_there(leaf, device) for leaf in (*flat.leaves, *code.hidden.leaves(findings))]
    results = code.kernels(*leaves, device=device.id)
    found = results if isinstance(results, tuple) else () if results is None else (results,)
    return rebuild(code.result, [_as_array(part) for part in found])


def _there(leaf: Any, device: Device) -> Any:
    """A leaf as the driver takes it; an array of the host is copied to the device."""
    if isinstance(leaf, Array):
        return on_gpu(leaf)
    return cuda.extension().to_device(leaf, device.id) if isinstance(leaf, np.ndarray) else leaf


def _as_array(result: Any) -> Any:
    return from_gpu(result, Array) if isinstance(result, cuda.extension().DeviceArray) else result


def compiled(function: Function[..., Any], flat: Flattened, device: Device) -> KernelCode:
    """The kernels of a function for these types, and for what this device runs.  Raises CompileError."""
    request = function.__pellucid__
    if request.mutates:
        names = ", ".join(request.mutates)
        raise ValueError(f"mutates= is for arrays of the host ({names}): Arrays on {device} cannot be changed")
    made, program, text, machines = _assembled(request, flat.arguments, cuda.compute_capability(device.id))
    guards = Guards(made.guards)
    hidden = hidden_leaves(request, made, guards)
    loaded = LoadedKernels(machines, text, explaining(function, flat), routines(lambda name: getattr(support, name)))
    result = made.result
    transform = request.transforms[-1] if request.transforms else None
    if isinstance(transform, Vjp):
        half = transform.half(request, flat.arguments, cotangents_of(result, program.main.results), guards)
        result = with_function(result, Static(half))
    return KernelCode(loaded, result, guards, hidden)


def explaining(function: Function[..., Any], flat: Flattened) -> Callable[..., None]:
    """What raises the error of a call: the program of the processor, on copies of the arguments."""
    kept = Flattened(flat.arguments, [], flat.key)

    def explain(*leaves: Any) -> None:
        on_host = [leaf.copy_to_host() if hasattr(leaf, "copy_to_host") else leaf for leaf in leaves]
        code, _, _ = function._code_for(kept)
        code.executable(on_host)

    return explain


@with_room
def _assembled(
    request: Request, arguments: Mapping[str, Value], capability: tuple[int, int]
) -> tuple[Specialised, Program, str, Mapping[str, Machine]]:
    """The program, the text of its kernels stage, and the machine code of the kernels.  Raises CompileError."""
    with no_collection():
        made = driver.derive(request, arguments)
        program = driver.loops(made.program)
        found = kernels(program)
        machines = assemble(found.text, capability, request.fastmath) if found.kernels else {}
    return made, program, found.text, machines
