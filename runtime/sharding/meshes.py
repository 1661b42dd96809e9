"""Devices in a grid with named axes.

    Mesh(np.array(devices()).reshape(2, 4), ("x", "y"))     ->     mesh.shape == {"x": 2, "y": 4}
    with mesh: shard_map(f, in_specs=..., out_specs=...)    the mesh that is meant where none is given
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from enum import Enum
from types import MappingProxyType, TracebackType
from typing import Any

import numpy as np

from ..devices import Device, default_kind, devices, named


class AxisType(Enum):
    """Who decides in JAX how results are cut along an axis of a mesh; here it changes nothing."""

    Auto = "auto"
    Explicit = "explicit"
    Manual = "manual"


class _Current(threading.local):
    """The meshes that hold in this thread, the innermost last."""

    def __init__(self) -> None:
        self.meshes: list[Mesh] = []


_CURRENT = _Current()


class Mesh:
    """Devices in a grid, whose axes have names.

    devices     an array of devices, with a dimension for each axis, or a list of them
    axis_names  a name for each axis

    It does not change, and is equal to another one with the same devices and names.  In a `with` block it is the mesh
    that is meant where none is given.  Raises ValueError where the names are not as many as there are axes, or one is
    there twice, or a device is.
    """

    __slots__ = ("_axis_names", "_devices", "_shape")
    __pellucid_constant__ = True

    def __init__(self, devices: Any, axis_names: str | Sequence[str], axis_types: Any = None) -> None:
        grid = np.array(devices, dtype=object)
        names = (axis_names,) if isinstance(axis_names, str) else tuple(axis_names)
        if grid.ndim != len(names):
            raise ValueError(f"the devices of a mesh of {grid.ndim} axes have {len(names)} names: {names}")
        if len({*names}) < len(names):
            raise ValueError(f"the axes of a mesh have different names, and there are {names}")
        flat = [named(device) for device in grid.flat]
        if len({*flat}) < len(flat):
            raise ValueError("a device is at most once in a mesh")
        self._devices = np.empty(grid.shape, dtype=object)
        self._devices[...] = np.array([*flat, None], dtype=object)[:-1].reshape(grid.shape)
        self._devices.setflags(write=False)
        self._axis_names = names
        self._shape = MappingProxyType(dict(zip(names, grid.shape, strict=True)))

    @property
    def devices(self) -> np.ndarray:
        """The devices, in an array that cannot be written to."""
        return self._devices

    @property
    def axis_names(self) -> tuple[str, ...]:
        """The names of the axes, in order."""
        return self._axis_names

    @property
    def axis_sizes(self) -> tuple[int, ...]:
        """How many devices there are along each axis."""
        return self._devices.shape

    @property
    def shape(self) -> Mapping[str, int]:
        """How many devices there are along each axis, by its name."""
        return self._shape

    @property
    def size(self) -> int:
        """How many devices there are."""
        return int(self._devices.size)

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return self._devices.ndim

    @property
    def empty(self) -> bool:
        """Whether it has no devices."""
        return self.size == 0

    @property
    def device_ids(self) -> np.ndarray:
        """The numbers of the devices."""
        return np.array([device.id for device in self._devices.flat], dtype=int).reshape(self.axis_sizes)

    def __pellucid_facts__(self) -> tuple[Any, ...]:
        return self._axis_names, self.axis_sizes, tuple(map(str, self._devices.flat))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mesh) and self.__pellucid_facts__() == other.__pellucid_facts__()

    def __hash__(self) -> int:
        return hash(self.__pellucid_facts__())

    def __reduce__(self) -> Any:
        names = np.array([*map(str, self._devices.flat)], dtype=object).reshape(self.axis_sizes)
        return Mesh, (names, self._axis_names)

    def __enter__(self) -> Mesh:
        _CURRENT.meshes.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _CURRENT.meshes.pop()

    def __repr__(self) -> str:
        return f"Mesh({', '.join(f'{name!r}: {size}' for name, size in self._shape.items())})"


class set_mesh:
    """Let a mesh be the one that is meant where none is given: from now on, or inside a `with` block."""

    def __init__(self, mesh: Mesh) -> None:
        self._before = [*_CURRENT.meshes]
        _CURRENT.meshes = [*self._before, mesh]
        self._mesh = mesh

    def __enter__(self) -> Mesh:
        return self._mesh

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _CURRENT.meshes = self._before


def current_mesh() -> Mesh | None:
    """The mesh that holds in this thread; None where there is none."""
    return _CURRENT.meshes[-1] if _CURRENT.meshes else None


def make_mesh(
    axis_shapes: Sequence[int], axis_names: str | Sequence[str], axis_types: Any = None,
    *, devices: Sequence[Device] | None = None,
) -> Mesh:  # fmt: skip
    """A mesh of the first devices that there are, or of these.

    axis_shapes  how many devices there are along each axis
    axis_names   the names of the axes
    axis_types   as in JAX, where it says who decides how results are cut; it changes nothing
    devices      the devices, in order: more than are needed may be given; None: those of the kind of the default device

    Raises ValueError where there are fewer devices than the mesh has.
    """
    given = list(_all() if devices is None else devices)
    shape = tuple(axis_shapes)
    needed = math.prod(shape)
    if needed > len(given):
        raise ValueError(f"a mesh of the shape {shape} has {needed} devices, and there are {len(given)}{_WAY_OUT}")
    grid = np.empty(needed, dtype=object)
    grid[:] = given[:needed]
    return Mesh(grid.reshape(shape), axis_names)


def _all() -> list[Device]:
    """The devices of a program that says nothing of them: those of the kind of the default device."""
    return devices(default_kind())


_WAY_OUT = ": PELLUCID_CPU_DEVICES in the environment says how many the processor counts for"
