"""Meshes of devices, and how arrays are cut among them, under the names of `jax.sharding`."""

from .runtime.sharding import Mesh, NamedSharding, PartitionSpec, Sharding, SingleDeviceSharding
from .runtime.sharding.meshes import AxisType, set_mesh
from .runtime.sharding.meshes import current_mesh as get_mesh

__all__ = [
    "AxisType", "Mesh", "NamedSharding", "PartitionSpec", "Sharding", "SingleDeviceSharding", "get_mesh", "set_mesh",
]  # fmt: skip
