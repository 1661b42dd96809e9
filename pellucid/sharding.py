"""Meshes of devices, and how arrays are cut among them, under the names of `jax.sharding`."""

from .runtime.sharding import Mesh, NamedSharding, PartitionSpec, Sharding, SingleDeviceSharding
from .runtime.sharding.meshes import current_mesh as get_mesh
from .runtime.sharding.meshes import set_mesh

__all__ = [
    "Mesh", "NamedSharding", "PartitionSpec", "Sharding", "SingleDeviceSharding", "get_mesh", "set_mesh",
]  # fmt: skip
