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
from .compiler.frontend.specialise.values import Static, Typed, Value
from .compiler.records import dataclass
from .compiler.request import Request, Vjp
from .compiler.targets.cuda import assemble as assembling
from .compiler.targets.cuda.kernels import kernels
from .compiler.targets.cuda.machine import Machine
from .compiler.targets.cuda.printed_kernels import read_kernels
from .compiler.types import Scalar, Type
from .compiling import hidden_leaves
from .deep import with_room
from .flatten import Flattened, rebuild
from .hidden import HiddenLeaves
from .runtime.array import Array
from .runtime.devices import Device
from .runtime.devices.cuda import driver as cuda
from .runtime.devices.cuda.driver import DeviceArray
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
    are_numbers: tuple[bool, ...]  # which results are Python's numbers
    guards: Guards
    hidden: HiddenLeaves


class KnownCalls:
    """The code of calls by position whose arguments are Arrays on one GPU and Python's numbers: such calls need not be
    taken apart again.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], tuple[KernelCode, Device]] = {}

    def learn(self, args: tuple[Any, ...], flat: Flattened, code: KernelCode, device: Device) -> None:
        """Keep the code for calls like this one, if its arguments are its leaves."""
        key = _key_of(args)
        if key is not None and len(flat.leaves) == len(args) and all(a is b for a, b in zip(args, flat.leaves)):
            self._known[key] = code, device

    def call(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """A tuple with the result, or an empty one where there is no code for such a call as the world is now."""
        found = self._known.get(_key_of(args))  # type: ignore[arg-type]
        if found is None:
            return ()
        code, device = found
        findings = code.guards.hold()
        if findings is None:
            return ()
        hidden = [_there(leaf, device) for leaf in code.hidden.leaves(findings)]
        leaves = [arg._there if type(arg) is Array else arg for arg in args]
        return (_rebuilt(code, code.kernels(*leaves, *hidden, device=device.id)),)


def _key_of(args: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """What the code depends on; None where that takes longer to tell."""
    parts: list[Any] = []
    for arg in args:
        kind = type(arg)
        if kind is Array:
            there = arg._there
            if there is None:
                return None
            parts.append((there.dtype, tuple([n == 1 for n in there.shape]), there.is_contiguous, arg._device))
        elif kind is float or kind is bool or (kind is int and -(2**63) <= arg < 2**63):
            parts.append(kind)
        else:
            return None
    return tuple(parts)


def called(function: Function[..., Any], args: tuple[Any, ...] | None, flat: Flattened, device: Device) -> Any:
    """The results of a call, by kernels that are made for these types and this device where none are kept.

    args  the arguments by position, or None where some are given by name
    """
    key = (flat.key, device)
    code: KernelCode | None = function._on_gpu.get(key)
    findings = None if code is None else code.guards.hold()
    if code is None or findings is None:
        function._check_purity()
        code = function._on_gpu[key] = compiled(function, flat, device)
        findings = code.guards.findings
    elif args is not None and not function.__pellucid__.static:
        if function._known_on_gpu is None:
            function._known_on_gpu = KnownCalls()
        function._known_on_gpu.learn(args, flat, code, device)
    return call(code, flat, findings, device)


def call(code: KernelCode, flat: Flattened, findings: Findings, device: Device) -> Any:
    """The results of a call on a device of CUDA."""
    leaves = [_there(leaf, device) for leaf in (*flat.leaves, *code.hidden.leaves(findings))]
    return _rebuilt(code, code.kernels(*leaves, device=device.id))


def _rebuilt(code: KernelCode, results: Any) -> Any:
    if type(code.result) is Typed:
        return _as_number(results) if code.are_numbers[0] else _as_array(results)
    found = results if isinstance(results, tuple) else () if results is None else (results,)
    ways = [_as_number if is_number else _as_array for is_number in code.are_numbers]
    return rebuild(code.result, [way(part) for way, part in zip(ways, found, strict=True)])


def _there(leaf: Any, device: Device) -> Any:
    """A leaf as the driver takes it; an array of the host is copied to the device."""
    if isinstance(leaf, Array):
        return on_gpu(leaf)
    return cuda.extension().to_device(leaf, device.id) if isinstance(leaf, np.ndarray) else leaf


def _as_array(result: Any) -> Any:
    return from_gpu(result, Array) if isinstance(result, DeviceArray) else result


def _as_number(result: Any) -> Any:
    """A result that is Python's number, which an array of no dimensions is not: beside float32 it stays in float32."""
    found = result.copy_to_host() if isinstance(result, DeviceArray) else result
    return found.item() if isinstance(found, np.ndarray | np.generic) else found


def compiled(function: Function[..., Any], flat: Flattened, device: Device) -> KernelCode:
    """The kernels of a function for these types, and for what this device runs.  Raises CompileError."""
    request = function.__pellucid__
    if request.mutates:
        names = ", ".join(request.mutates)
        raise ValueError(f"mutates= is for calls on the host, and arguments are on {device}: {names} cannot be changed")
    made = _assembled(request, flat.arguments, cuda.compute_capability(device.id))
    guards = Guards(made.specialised.guards)
    hidden = hidden_leaves(request, made.specialised, guards)
    libraries = routines(lambda name: getattr(support, name))
    loaded = LoadedKernels(made.machines, made.text, explaining(function, flat), libraries, made.late)
    result = made.specialised.result
    transform = request.transforms[-1] if request.transforms else None
    if isinstance(transform, Vjp):
        half = transform.half(request, flat.arguments, cotangents_of(result, made.results), guards)
        result = with_function(result, Static(half))
    are_numbers = tuple(isinstance(type_, Scalar) and type_.weak for type_ in made.results)
    return KernelCode(loaded, result, are_numbers, guards, hidden)


def explaining(function: Function[..., Any], flat: Flattened) -> Callable[..., None]:
    """What raises the error of a call: the program of the processor, on copies of the arguments."""
    kept = Flattened(flat.arguments, [], flat.key)

    def explain(*leaves: Any) -> None:
        on_host = [leaf.copy_to_host() if hasattr(leaf, "copy_to_host") else leaf for leaf in leaves]
        code, _, _ = function._code_for(kept)
        code.executable(on_host)

    return explain


@dataclass(frozen=True, slots=True, eq=False)
class Assembled:
    """A function for a GPU: its kernels stage, the machine code of kernels, and what makes that of the others, which is
    made for the blocks that they are launched with.
    """

    specialised: Specialised
    results: tuple[Type, ...]
    text: str
    machines: Mapping[str, Machine]
    late: Mapping[str, Callable[[int], Machine]]


@with_room
def _assembled(request: Request, arguments: Mapping[str, Value], capability: tuple[int, int]) -> Assembled:
    """The kernels of a function for these types, and for GPUs of this capability.  Raises CompileError."""
    with no_collection():
        made = driver.derive(request, arguments)
        program = driver.loops(made.program)
        found = kernels(driver.for_cuda(program))
        if not found.kernels:
            return Assembled(made, program.main.results, found.text, {}, {})
        printed = read_kernels(found.text, "<kernels>").kernels
        late = [name for name, kernel in printed.items() if kernel.goes_by_width]

        def making(name: str) -> Callable[[int], Machine]:
            return lambda width: assembling.assemble(
                found.text, capability, request.fastmath, [name], width=width
            )[name]  # fmt: skip

        at_once = [name for name in printed if name not in late]
        machines = assembling.assemble(found.text, capability, request.fastmath, at_once) if at_once else {}
    return Assembled(made, program.main.results, found.text, machines, {name: making(name) for name in late})
