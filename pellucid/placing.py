"""Arrays on devices: putting them there, taking them from there, and what runs where.

    device_put({"w": w}, devices()[1])    ->    the same container, for calls on that device
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from . import tree as trees
from .compiler.frontend.specialise.world.taking_apart import from_python
from .compiler.request import Request
from .faults import device_fault
from .runtime import asynchronous, devices
from .runtime.array import Array
from .runtime.devices import Device
from .runtime.devices.cuda import driver
from .runtime.sharding import NamedSharding, PartitionSpec, SingleDeviceSharding, sharded
from .runtime.sharding.meshes import current_mesh
from .runtime.sharding.sharded import ShardedArray

WITHOUT_GPU = (
    "leave `target` out: calls run where their arguments are",
    'f.source("kernels", ...) and f.debug("kernels") show and run the kernels without a GPU',
)


def device_put(x: Any, device: Any = None) -> Any:
    """The same container with its arrays on a device: calls with them run there.

    x       arrays, NumPy's or Arrays, in containers
    device  a device or its name; a sharding, for many devices, or a container of shardings built like `x`, or like a
            part of it around more; None: where each is, or the default device

    NumPy arrays and scalars are copied, and so are Arrays that go to a device of CUDA.  Python numbers stay: they run
    anywhere.  Raises ValueError where there is no such device.
    """
    if device is not None and not isinstance(device, Device | str):
        return _by_shardings(x, device)
    wanted = None if device is None else devices.named(device)

    def put(leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray | np.generic):
            leaf = Array(np.array(leaf) if wanted is None or wanted.platform == "cpu" else leaf)
        if not isinstance(leaf, Array) or leaf._is_number:
            return leaf
        if isinstance(leaf, ShardedArray):
            return leaf if wanted is None else wanted.put(leaf.whole)
        return (leaf.device if wanted is None else wanted).put(leaf)

    return trees.map(put, x)


def sharding_of(given: Any) -> Any:
    """A sharding, or that of a `PartitionSpec` on the mesh of the `with` block around."""
    if not isinstance(given, PartitionSpec):
        return given
    mesh = current_mesh()
    if mesh is None:
        raise ValueError(f"{given} says nothing of the mesh: give a NamedSharding(mesh, {given}), or call `with mesh:`")
    return NamedSharding(mesh, given)


def with_sharding_constraint(x: Any, shardings: Any) -> Any:
    """The same arrays, on the devices of a mesh: `device_put`; inside a compiled function, what says where results are.

    x          an array, or a container of them
    shardings  a `NamedSharding` or a `PartitionSpec`, or a container of them built like `x`, or like a part of it
               around more

    Inside it is the identity, also for derivatives and batches, and is printed.  It says where the result of a call is
    whose arguments are on many devices.
    """
    return device_put(x, shardings)


def _by_shardings(x: Any, shardings: Any) -> Any:
    """A container with its arrays where the shardings above them say."""

    def put(sharding: Any, leaf: Any) -> Any:
        sharding = sharding_of(sharding)
        if sharding is None or isinstance(sharding, Device | str):
            return device_put(leaf, sharding)
        if isinstance(sharding, SingleDeviceSharding):
            return device_put(leaf, next(iter(sharding.device_set)))
        if not isinstance(sharding, NamedSharding):
            raise TypeError(f"device_put takes a device or a sharding, not {type(sharding).__name__}")
        return sharded.put(leaf, sharding)

    def put_all(sharding: Any, part: Any) -> Any:
        return trees.map(lambda leaf: put(sharding, leaf), part)

    return trees.map(put_all, shardings, x, is_leaf=lambda sharding: sharding is None)


def device_get(x: Any) -> Any:
    """The same container with NumPy arrays for Arrays, once they are computed.

    An Array that stands for a number, the result of a call that went on after it had returned, becomes the number.
    """

    def get(leaf: Any) -> Any:
        if not isinstance(leaf, Array):
            return leaf
        return leaf._plain if leaf._is_number else np.asarray(leaf)

    return trees.map(get, x)


def device_of_call(request: Request, arguments: Callable[[], Iterable[Any]]) -> int:
    """The number of the device that a call runs on; -1: on that of the processor that others run on.

    Raises DeviceError where the target of the function is not there, and ValueError where arguments are on several.
    """
    if request.target:
        return _on_target(request, common_device(arguments(), devices.is_on_gpu))
    if not devices.are_several():
        return -1
    found, default = common_device(arguments()), asynchronous.default_device()
    # what a call changes in place is of the host
    return default if found < 0 and devices.is_on_gpu(default) and not request.mutates else found


def is_for_gpu(request: Request, given: Iterable[Any]) -> bool:
    """Whether a call with these arguments runs on a GPU, or would if there were one."""
    return bool(request.target) or devices.is_on_gpu(device_of_call(request, lambda: given))


def _on_target(request: Request, there: int) -> int:
    """The GPU that a function is compiled for; `there` is the one that arguments are on, or -1."""
    try:
        wanted = devices.named(request.target).number
    except ValueError as missing:
        told = f"the function is compiled for {request.target!r}, and {driver.why_not() or missing}"
        raise device_fault(request.python, "D001", told, WITHOUT_GPU) from None
    if ":" in request.target:
        if there not in (-1, wanted):
            raise ValueError(
                f"arguments are on {devices.by_number(there)}, and the function is compiled for {request.target}; "
                "`pellucid.device_put` brings them there"
            )
        return wanted
    default = asynchronous.default_device()
    return there if there >= 0 else default if devices.is_on_gpu(default) else wanted


def common_device(arguments: Iterable[Any], counts: Callable[[int], bool] = lambda _: True) -> int:
    """The number of the device that arguments are on; -1 where they are on none of those that count.

    Raises ValueError where they are on several.
    """
    found: list[int] = []

    def note(value: Any) -> None:
        if isinstance(value, Array) and value._device >= 0 and counts(value._device):
            found.append(value._device)

    for argument in arguments:
        from_python(argument, note)
    other = next((number for number in found if number != found[0]), None)
    if other is not None:
        raise ValueError(
            f"arguments are on different devices, {devices.by_number(found[0])} and {devices.by_number(other)}; "
            "`pellucid.device_put` brings them together"
        )
    return found[0] if found else -1


def on_device(result: Any, number: int) -> Any:
    """The result of a call that ran on a device; -1: on none in particular."""
    if number < 0:
        return result
    return trees.map(lambda leaf: leaf._on(number) if isinstance(leaf, Array) else leaf, result)
