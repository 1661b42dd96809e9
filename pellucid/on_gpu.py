"""Calls of a function whose arguments are on a GPU: its driver launches kernels there, and results stay there.

    f(device_put(x, "cuda"))     ->     an Array on cuda:0, before the kernels have run

Arguments on the host are copied beside it.  What a kernel finds to fail is told by the program of the processor, which
is run on the same arguments when the result is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import entries, kernel_entries
from .compiler.frontend.specialise.derivatives.cotangents import cotangents_of, with_function
from .compiler.frontend.specialise.values import Static, Typed, Value
from .compiler.records import dataclass
from .compiler.request import Request, Vjp
from .compiler.targets.cuda import versions
from .compiler.targets.cuda.machine import Machine
from .compiler.types import Scalar
from .faults import first_line_of, tools_for
from .flatten import Flattened, rebuild
from .hidden import HiddenLeaves
from .runtime.array import Array
from .runtime.devices import Device
from .runtime.devices.cuda import driver as cuda
from .runtime.devices.cuda.driver import DeviceArray
from .runtime.devices.cuda.kernels import LoadedKernels
from .runtime.devices.cuda.platform import from_gpu, on_gpu
from .runtime.devices.cuda.routines import routines
from .runtime.guards import Findings, Guards

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
        return (rebuilt(code, code.kernels(*leaves, *hidden, device=device.id)),)


def _key_of(args: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """What the code depends on; None where that takes longer to tell, or where no argument says where it runs."""
    parts: list[Any] = []
    is_there = False
    for arg in args:
        kind = type(arg)
        if kind is Array:
            there = arg._there
            if there is None:
                return None
            is_there = True
            parts.append((there.dtype, tuple([n == 1 for n in there.shape]), there.is_contiguous, arg._device))
        elif kind is float or kind is bool or (kind is int and -(2**63) <= arg < 2**63):
            parts.append(kind)
        else:
            return None
    return tuple(parts) if is_there else None


def called(function: Function[..., Any], args: tuple[Any, ...] | None, flat: Flattened, device: Device) -> Any:
    """The results of a call, by kernels that are made for these types and this device where none are kept.

    args  the arguments by position, or None where some are given by name
    """
    key = (flat.key, device)
    code: KernelCode | None = function._on_gpu.get(key)
    findings = None if code is None else code.guards.hold()
    if code is None or findings is None:
        function._check_purity()
        function._latest = Flattened(flat.arguments, [], flat.key)
        code = function._on_gpu[key] = compiled(function, flat, device)
        findings = code.guards.findings
    elif args is not None and not function.__pellucid__.static:
        if function._known_on_gpu is None:
            function._known_on_gpu = KnownCalls()
        function._known_on_gpu.learn(args, flat, code, device)
    return call(code, flat, findings, device)


def call(code: KernelCode, flat: Flattened, findings: Findings, device: Device) -> Any:
    """The results of a call on a device of CUDA."""
    return rebuilt(code, code.kernels(*leaves_there(code, flat, findings, device), device=device.id))


def leaves_there(code: KernelCode, flat: Flattened, findings: Findings, device: Device) -> list[Any]:
    """What the driver is called with."""
    return [_there(leaf, device) for leaf in (*flat.leaves, *code.hidden.leaves(findings))]


def rebuilt(code: KernelCode, results: Any) -> Any:
    """The result of a call, put together from what the driver gives."""
    if type(code.result) is Typed:
        return _as_number(results) if code.are_numbers[0] else as_array(results)
    found = results if isinstance(results, tuple) else () if results is None else (results,)
    ways = [_as_number if is_number else as_array for is_number in code.are_numbers]
    return rebuild(code.result, [way(part) for way, part in zip(ways, found, strict=True)])


def _there(leaf: Any, device: Device) -> Any:
    """A leaf as the driver takes it; an array of the host is copied to the device."""
    if isinstance(leaf, Array):
        return on_gpu(leaf)
    return cuda.extension().to_device(leaf, device.id) if isinstance(leaf, np.ndarray) else leaf


def as_array(result: Any) -> Any:
    """A result of a driver as users get it."""
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
    place = first_line_of(request.python)
    capability = cuda.compute_capability(device.id)
    key = entries.key_of_kernels(request, flat.arguments, versions.environment(capability))
    made = kernel_entries.load(key, request) if key is not None else None
    if made is None:
        from . import compiling_kernels

        with tools_for(place):
            made = compiling_kernels.assembled(request, flat.arguments, capability)
        if key is not None:
            kernel_entries.save(key, made, entries.title_of(function, flat.arguments))
    late = {
        name: kernel_entries.of_width(key, name, tools_for(place)(_making(made, request, capability, name)))
        for name in made.late
    }
    called = libraries() if made.calls_routines else {}
    loaded = LoadedKernels(made.machines, made.text, explaining(function, flat), called, late)
    result = made.result
    transform = request.transforms[-1] if request.transforms else None
    if isinstance(transform, Vjp):
        half = transform.half(request, flat.arguments, cotangents_of(result, made.results), made.guards)
        result = with_function(result, Static(half))
    are_numbers = tuple(isinstance(type_, Scalar) and type_.weak for type_ in made.results)
    return KernelCode(loaded, result, are_numbers, made.guards, made.hidden)


def libraries() -> dict[str, Callable[..., Any]]:
    """What drivers call of libraries: a function of the device's, or else of the host."""
    from .compiler.ops.routines import ROUTINES

    return routines(ROUTINES.values(), _of_the_host)


def _of_the_host(name: str) -> Callable[..., Any]:
    """A routine as the host has it."""
    from . import support

    return getattr(support, name)


def _making(
    made: kernel_entries.Assembled, request: Request, capability: tuple[int, int], name: str
) -> Callable[[int], Machine]:
    def make(width: int) -> Machine:
        from . import compiling_kernels

        return compiling_kernels.of_width(made.text, request.fastmath, capability, name, width)

    return make


def explaining(function: Function[..., Any], flat: Flattened) -> Callable[..., None]:
    """What raises the error of a call: the program of the processor, on copies of the arguments."""
    kept = Flattened(flat.arguments, [], flat.key)

    def explain(*leaves: Any) -> None:
        on_host = [leaf.copy_to_host() if hasattr(leaf, "copy_to_host") else leaf for leaf in leaves]
        code, _, _ = function._code_for(kept)
        code.executable(on_host)

    return explain
