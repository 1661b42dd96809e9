"""`ShardedArray`: an Array whose elements are on many devices.

    x = device_put(np.arange(8.0), NamedSharding(mesh, P("x")))
    [shard.data for shard in x.addressable_shards]      ->     [Array([0., 1.]), Array([2., 3.]), ...]

Devices of a processor have one memory: the elements are in one buffer, and what a device has is a view.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..array import Array
from ..devices import Device
from ..values import HeldValues
from .shardings import Index, NamedSharding, Shard


class ShardedArray(Array):
    """An Array whose elements are on the devices of a mesh.  It is made by `device_put` and by calls."""

    __slots__ = ("_sharding",)

    _sharding: NamedSharding

    def __init__(self, values: Any, sharding: NamedSharding) -> None:
        super().__init__(values)
        sharding.shard_shape(self.shape)
        self._sharding = sharding

    @property
    def sharding(self) -> NamedSharding:
        """How it is cut, and which devices have the parts."""
        return self._sharding

    @property
    def whole(self) -> Array:
        """The Array of its one buffer."""
        return Array(self._values)

    @property
    def addressable_shards(self) -> list[Shard]:
        """What each device has, in the order of the devices of the mesh."""
        return [self._shard(*found) for found in self._sharding.devices_indices_map(self.shape).items()]

    def _shard(self, device: Device, index: Index) -> Shard:
        part = Array(np.asarray(self._values[index]))
        return Shard(device, index, self._sharding.replica_id(device), part._on(device.number))

    def devices(self) -> set[Device]:
        """The devices that have a part."""
        return self._sharding.device_set

    def to_device(self, device: Device | str, /, *, stream: None = None) -> Array:
        """The whole array on one device."""
        return Array(self._values).to_device(device, stream=stream)

    def __copy__(self) -> Self:
        return self


def put(values: Any, sharding: NamedSharding) -> ShardedArray:
    """An array on the devices of a mesh; NumPy's arrays and scalars are copied, as they may change."""
    held = values._values if isinstance(values, HeldValues) else np.array(values)
    return ShardedArray(held, sharding)
