"""How the axes of an array are cut among the devices of a mesh: which part each of them has.

    NamedSharding(mesh, P("x")).shard_shape((8, 3))               (4, 3), where "x" is 2 long
    NamedSharding(mesh, P("x")).devices_indices_map((8, 3))       {cpu:0: (slice(0, 4), slice(None)), ...}
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..devices import Device, named
from .meshes import Mesh
from .specs import PartitionSpec

Index = tuple[slice, ...]


@dataclass(frozen=True, eq=False)
class Shard:
    """What one device has of an array.

    device      the device
    index       the slices of the array that it has
    replica_id  which of the copies of that part: 0 for the first
    data        the part
    """

    device: Device
    index: Index
    replica_id: int
    data: Any


class Sharding:
    """Where the parts of an array are."""

    __slots__ = ()
    __pellucid_constant__ = True

    @property
    def device_set(self) -> set[Device]:
        """The devices that have a part."""
        raise NotImplementedError

    @property
    def num_devices(self) -> int:
        """How many devices have a part."""
        return len(self.device_set)

    @property
    def addressable_devices(self) -> set[Device]:
        """The devices of this process that have a part."""
        return {device for device in self.device_set if device.is_here()}

    @property
    def is_fully_addressable(self) -> bool:
        """Whether this process has all parts."""
        return all(device.is_here() for device in self.device_set)

    @property
    def is_fully_replicated(self) -> bool:
        """Whether every device has all of the array."""
        raise NotImplementedError

    def shard_shape(self, global_shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of the part that one device has of an array of this shape."""
        raise NotImplementedError

    def devices_indices_map(self, global_shape: Sequence[int]) -> dict[Device, Index]:
        """What each device has of an array of this shape: slices, one for each axis."""
        raise NotImplementedError

    def addressable_devices_indices_map(self, global_shape: Sequence[int]) -> dict[Device, Index]:
        """What each device of this process has of an array of this shape."""
        found = self.devices_indices_map(global_shape).items()
        return {device: index for device, index in found if device.is_here()}


class SingleDeviceSharding(Sharding):
    """All of an array on one device."""

    __slots__ = ("_device",)

    def __init__(self, device: Device | str) -> None:
        self._device = named(device)

    @property
    def device_set(self) -> set[Device]:
        return {self._device}

    @property
    def is_fully_replicated(self) -> bool:
        return True

    def shard_shape(self, global_shape: Sequence[int]) -> tuple[int, ...]:
        return tuple(global_shape)

    def devices_indices_map(self, global_shape: Sequence[int]) -> dict[Device, Index]:
        return {self._device: (slice(None),) * len(global_shape)}

    def is_equivalent_to(self, other: Sharding, ndim: int) -> bool:
        """Whether both put the same on the same device."""
        return self == other

    def __pellucid_facts__(self) -> tuple[Any, ...]:
        return (str(self._device),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SingleDeviceSharding) and self._device == other._device

    def __hash__(self) -> int:
        return hash(self._device)

    def __reduce__(self) -> Any:
        return SingleDeviceSharding, (str(self._device),)

    def __repr__(self) -> str:
        return f"SingleDeviceSharding({self._device})"


class NamedSharding(Sharding):
    """An array cut by the axes of a mesh.

    mesh  the devices
    spec  for each axis of the array, which axes of the mesh cut it: a `PartitionSpec`, or a tuple like one

    Axes of the mesh that are not named have a copy each.  Raises ValueError where the spec names an axis that the mesh
    has not got; for an array whose axes are not so many, or do not divide, when it meets one.
    """

    __slots__ = ("_mesh", "_spec")

    def __init__(self, mesh: Mesh, spec: PartitionSpec | tuple[Any, ...], **_: Any) -> None:
        if not isinstance(mesh, Mesh):
            raise TypeError(f"a NamedSharding takes a Mesh, not {type(mesh).__name__}")
        self._mesh = mesh
        self._spec = spec if isinstance(spec, PartitionSpec) else PartitionSpec(*spec)
        require_names(self._spec, mesh.axis_names)

    def with_spec(self, spec: PartitionSpec | tuple[Any, ...]) -> NamedSharding:
        """The sharding of another spec on the same devices."""
        return NamedSharding(self._mesh, spec)

    @property
    def mesh(self) -> Mesh:
        """The devices."""
        return self._mesh

    @property
    def spec(self) -> PartitionSpec:
        """Which axes of the mesh cut which axis of the array."""
        return self._spec

    @property
    def device_set(self) -> set[Device]:
        return {*self._mesh.devices.flat}

    @property
    def is_fully_replicated(self) -> bool:
        return all(self._mesh.shape[name] == 1 for name in self._spec.names)

    def parts(self, ndim: int) -> tuple[int, ...]:
        """In how many parts each axis of an array is cut.  Raises ValueError where it has fewer axes."""
        require_rank(self._spec, ndim)
        cut = [math.prod(self._mesh.shape[name] for name in names) for names in self._spec.names_by_axis]
        return (*cut, *[1] * (ndim - len(cut)))

    def shard_shape(self, global_shape: Sequence[int]) -> tuple[int, ...]:
        shape = tuple(global_shape)
        cut = self.parts(len(shape))
        for axis, (length, count) in enumerate(zip(shape, cut, strict=True)):
            if length % count:
                told = ", ".join(repr(name) for name in self._spec.names_by_axis[axis])
                raise ValueError(not_divided(axis, length, count, told, shape))
        return tuple(length // count for length, count in zip(shape, cut, strict=True))

    def devices_indices_map(self, global_shape: Sequence[int]) -> dict[Device, Index]:
        part = self.shard_shape(global_shape)
        return {device: self._index(place, part) for place, device in self._placed()}

    def replica_id(self, device: Device) -> int:
        """Which of the copies of its part a device has."""
        place = next(place for place, one in self._placed() if one == device)
        free = [k for k, name in enumerate(self._mesh.axis_names) if name not in self._spec.names]
        return self._number([place[k] for k in free], [self._mesh.axis_sizes[k] for k in free])

    def _placed(self) -> list[tuple[tuple[int, ...], Device]]:
        grid = self._mesh.devices
        return [(tuple(map(int, place)), grid[place]) for place in _places(grid.shape)]

    def _index(self, place: tuple[int, ...], part: tuple[int, ...]) -> Index:
        at = dict(zip(self._mesh.axis_names, place, strict=True))
        found = []
        for axis, length in enumerate(part):
            names = self._spec.names_by_axis[axis] if axis < len(self._spec) else ()
            number = self._number([at[name] for name in names], [self._mesh.shape[name] for name in names])
            is_whole = all(self._mesh.shape[name] == 1 for name in names)
            found.append(slice(None) if is_whole else slice(number * length, (number + 1) * length))
        return tuple(found)

    @staticmethod
    def _number(places: Sequence[int], sizes: Sequence[int]) -> int:
        number = 0
        for place, size in zip(places, sizes, strict=True):
            number = number * size + place
        return number

    def is_equivalent_to(self, other: Sharding, ndim: int) -> bool:
        """Whether both cut an array with so many axes in the same parts, on the same devices."""
        lengths = tuple(self.parts(ndim))
        if not isinstance(other, NamedSharding) or other.parts(ndim) != lengths:
            return False
        return self.devices_indices_map(lengths) == other.devices_indices_map(lengths)

    def __pellucid_facts__(self) -> tuple[Any, ...]:
        return self._mesh, self._spec

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NamedSharding) and (self._mesh, self._spec) == (other._mesh, other._spec)

    def __hash__(self) -> int:
        return hash((self._mesh, self._spec))

    def __reduce__(self) -> Any:
        return NamedSharding, (self._mesh, self._spec)

    def __repr__(self) -> str:
        return f"NamedSharding({self._mesh!r}, {self._spec!r})"


def _places(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [()]
    for length in shape:
        found = [(*place, k) for place in found for k in range(length)]
    return found


# --- messages --------------------------------------------------------------------------------------------------------


def require_names(spec: PartitionSpec, names: Sequence[str]) -> None:
    """Raise a ValueError where a spec names an axis that the mesh has not got."""
    for name in spec.names:
        if name not in names:
            told = ", ".join(map(repr, names))
            raise ValueError(f"{spec} names the mesh axis {name!r}, and the axes of the mesh are {told}")


def require_rank(spec: PartitionSpec, ndim: int) -> None:
    """Raise a ValueError where a spec has more entries than an array has axes."""
    if len(spec) > ndim:
        raise ValueError(f"{spec} has {len(spec)} entries, and the array has {ndim} axes; P() cuts none of them")


def not_divided(axis: int, length: Any, count: Any, names: str, shape: Any) -> str:
    """The words for an axis that is not cut evenly."""
    return (
        f"axis {axis} of an array of the shape {shape} has the length {length}, which is not divided by the {count} "
        f"devices along {names}: fill it up to a multiple of {count} (np.pad), or leave this axis whole (None)"
    )
