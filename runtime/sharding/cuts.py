"""How an array is cut among the devices of a mesh, in the form in which calls read and make it.

    cut_by(mesh, P("x"))       blocks of an axis, as `shard_map` takes and makes them
    cut_by(mesh, P("x"), 0)    examples along an axis, which a block lacks, as for `pmap`

There is one `Cut` for each of them, so that two arrays are cut alike where they have the same object.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from .. import native_part
from ..asynchronous import cpu_devices
from .meshes import Mesh
from .shardings import NamedSharding
from .specs import PartitionSpec


class Cut:
    """A sharding, and the axis along which each device has one example; None where it has a block.

    words  the same as native calls read it; None without the native part, and where a mesh is larger than the processor
    """

    __slots__ = ("sharding", "stacked", "words")

    def __init__(self, sharding: NamedSharding, stacked: int | None) -> None:
        self.sharding, self.stacked = sharding, stacked
        native = native_part.extension()
        self.words: Any = None
        if native is not None and sharding.mesh.size <= cpu_devices():
            self.words = native.make_cut(_axes(sharding), len(sharding.spec), stacked is not None)


@lru_cache(maxsize=256)
def cut_by(mesh: Mesh, spec: PartitionSpec, stacked: int | None = None) -> Cut:
    """The cut of arrays by a spec; `stacked` is the one axis that it cuts, where devices have one example each."""
    return Cut(NamedSharding(mesh, spec), stacked)


def _axes(sharding: NamedSharding) -> tuple[tuple[int, int, tuple[int, ...]], ...]:
    """For each axis that is cut: which one, in how many parts, and which of them each device has."""
    parts = sharding.parts(len(sharding.spec))
    places = list(sharding.devices_indices_map(parts).values())
    cut = [axis for axis, count in enumerate(parts) if count > 1]
    return tuple((axis, parts[axis], tuple(index[axis].start or 0 for index in places)) for axis in cut)
