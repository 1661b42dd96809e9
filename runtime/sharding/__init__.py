"""Arrays over many devices: meshes of devices, how the axes of an array are cut, and what each device has of it.

    mesh = make_mesh((2, 4), ("x", "y"))                 eight devices in two rows
    NamedSharding(mesh, P("x"))                          axis 0 in two parts, each on the four devices of its row
    put(values, NamedSharding(mesh, P("x"))).addressable_shards

    meshes      devices in a grid with named axes
    specs       which axes of a mesh cut which axis of an array
    shardings   both together: the parts of an array of one shape, and the devices that have them
    cuts        the same in the form in which calls read and make arrays
    sharded     `ShardedArray`: one buffer in the memory that devices of a processor share, whose shards are views
    picture     the devices that have each part, in a box of characters
"""

from __future__ import annotations

from .meshes import Mesh, make_mesh
from .shardings import NamedSharding, Shard, Sharding, SingleDeviceSharding
from .specs import PartitionSpec

__all__ = [
    "Mesh", "NamedSharding", "PartitionSpec", "Shard", "Sharding", "SingleDeviceSharding", "make_mesh",
]  # fmt: skip
