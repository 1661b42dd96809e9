"""One program in many processes, which talk by MPI: under the names of `jax.distributed` and its multi-host functions.

    mpiexec -n 4 python train.py        where train.py has

    pellucid.distributed.initialize()
    pellucid.process_index(), pellucid.process_count(), pellucid.devices(), pellucid.local_devices()
    mesh = pellucid.make_mesh((4,), ("i",))                 over the devices of all processes
    step = pellucid.shard_map(f, mesh=mesh, ...)            called in all of them, in the same order
    pellucid.distributed.process_allgather(x, tiled=True)   the whole array, in each

A process that ends with an exception that nobody caught ends all others, after its traceback is printed.
"""

from __future__ import annotations

import atexit
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np

from . import tree
from .checkpoints import load, save
from .runtime import cores, mpi, processes, threads
from .runtime.array import Array
from .runtime.devices import forget_devices
from .runtime.mpi import ProcessError
from .runtime.sharding import NamedSharding
from .runtime.sharding.sharded import ShardedArray, of_blocks
from .runtime.sharding.shardings import Index

__all__ = [
    "ProcessError", "broadcast_one_to_all", "initialize", "is_initialized", "load", "process_allgather", "save",
    "shutdown", "sync_global_devices",
]  # fmt: skip

GRACE = 2.0  # seconds in which the process that has failed prints its error before another one ends all


def initialize(
    num_processes: int | None = None, process_id: int | None = None, cluster_detection_method: str | None = None, *,
    comm: Any = None,
) -> None:  # fmt: skip
    """Join the processes that `mpiexec` has started: each of them calls this, before it makes meshes.

    num_processes  how many there have to be; None: as many as there are
    process_id     the number that this one has to have; None: any
    cluster_detection_method  "mpi4py", or None, which means the same
    comm           an intra-communicator of mpi4py with the processes; None: `MPI.COMM_WORLD`

    `pellucid.devices()` has the devices of all processes from now on.  Large loops, and BLAS, use this process's share
    of the cores, unless PELLUCID_NUM_THREADS says how many threads.  Without `mpiexec` there is one process.

    Raises RuntimeError where it has been called already or MPI does not allow threads, ImportError without mpi4py, and
    ValueError where there are other processes than asked for.
    """
    if processes.are_joined():
        raise RuntimeError("pellucid.distributed.initialize() is called once in a process")
    if cluster_detection_method not in (None, "mpi4py"):
        raise ValueError(f"MPI finds the processes: 'mpi4py' is known, and not {cluster_detection_method!r}")
    world = mpi.start(comm)
    for what, wanted, found in (("num_processes", num_processes, world.count), ("process_id", process_id, world.index)):
        if wanted not in (None, found):
            world.close()
            raise ValueError(f"{what} is {wanted}, and MPI says {found}")
    with _share_of_cores():
        processes.join(world.index, world.devices, world.sharers())
    forget_devices()
    atexit.register(shutdown)
    if world.count > 1:
        sys.excepthook = EndsAll(world, sys.excepthook)


@contextmanager
def _share_of_cores() -> Iterator[None]:
    """A change of how many processes there are: large loops get their share, if nobody has said how many threads."""
    is_usual = threads.thread_count() == cores.default_threads()
    yield
    if is_usual:
        threads.threads(cores.default_threads())


@dataclass(frozen=True)
class EndsAll:
    """Ends all processes after an exception that nobody has caught in this one."""

    world: mpi.World
    former: Callable[..., Any]

    def __call__(self, kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        if isinstance(error, ProcessError):
            time.sleep(GRACE)
        self.former(kind, error, traceback)
        self.world.abort()


def is_initialized() -> bool:
    """Whether `initialize` has been called, and `shutdown` not since."""
    return processes.are_joined()


def shutdown() -> None:
    """Leave the other processes: what they still wait for in this one fails there.  A process does it when it ends."""
    world = mpi.world()
    if world is None:
        return
    world.close()
    with _share_of_cores():
        processes.leave()
    forget_devices()
    atexit.unregister(shutdown)
    if isinstance(sys.excepthook, EndsAll):
        sys.excepthook = sys.excepthook.former


# --- between processes -----------------------------------------------------------------------------------------------


def process_allgather(in_tree: Any, tiled: bool = False) -> Any:
    """The same container with what all processes have of its arrays, as arrays of NumPy's; all of them call this.

    in_tree  arrays of this process: NumPy's, numbers, Arrays; or Arrays that other processes have parts of
    tiled    whether arrays of the processes are joined along their first axis; False: along a new one before it

    An array that other processes have parts of becomes whole.  Raises ValueError for one with `tiled=False`, since
    there is nothing to be put one after the other.
    """
    return tree.map(lambda leaf: _gathered(leaf, tiled), in_tree)


def _gathered(leaf: Any, tiled: bool) -> np.ndarray:
    if isinstance(leaf, ShardedArray) and not leaf.is_fully_addressable:
        if not tiled:
            raise ValueError("an array that other processes have parts of becomes whole: pass `tiled=True`")
        return np.asarray(leaf) if leaf.is_fully_replicated else _whole(leaf)
    own = np.asarray(leaf)
    every = [own] if mpi.world() is None else _world().all_of(own)
    return np.concatenate(every) if tiled and own.ndim else np.stack(every)


def _whole(array: ShardedArray) -> np.ndarray:
    """All elements of an array, each from the first device that has it."""
    own = [(shard.index, np.asarray(shard.data)) for shard in array.addressable_shards if shard.replica_id == 0]
    made = np.empty(array.shape, array.dtype)
    for parts in _world().all_of(own):
        for index, values in parts:
            made[index] = values
    return made


def broadcast_one_to_all(in_tree: Any, is_source: bool | None = None) -> Any:
    """The container of one process, in all of them: that which says `is_source=True`, or the first; all call this."""
    world = mpi.world()
    if world is None:
        return tree.map(np.asarray, in_tree)
    sources = world.all_of(world.index == 0 if is_source is None else is_source)
    if sources.count(True) != 1:
        raise ValueError(f"one process is the source, and {sources.count(True)} say that they are")
    return world.of_one(tree.map(np.asarray, in_tree), sources.index(True))


def sync_global_devices(name: str) -> None:
    """Returns once all processes have come here.  Raises ValueError where they say different names."""
    world = mpi.world()
    names = [name] if world is None else world.all_of(name)
    if len({*names}) > 1:
        raise ValueError(f"processes wait for each other at different places: {names}")


def _world() -> mpi.World:
    found = mpi.world()
    if found is None:
        raise RuntimeError("there are no other processes: `pellucid.distributed.initialize()` joins them")
    return found


# --- arrays of all processes -----------------------------------------------------------------------------------------


def make_array_from_process_local_data(
    sharding: NamedSharding, local_data: Any, global_shape: Sequence[int] | None = None
) -> Array:
    """An array of the devices of a sharding, of which each process gives what its own devices have.

    local_data    the elements of the devices of this process, put together; along an axis also those of all
    global_shape  the shape of the whole; None: what follows if each process gives its own part alone

    Raises ValueError where the lengths do not fit.
    """
    data = np.asarray(local_data)
    ranges = _ranges_of_process(sharding, data.ndim)
    counts = sharding.parts(data.ndim)
    if global_shape is None:
        global_shape = [length * count // (stop - start)
                        for length, count, (start, stop) in zip(data.shape, counts, ranges, strict=True)]  # fmt: skip
    part = sharding.shard_shape(global_shape)
    starts = [_start(axis, *one) for axis, one in enumerate(zip(data.shape, global_shape, part, ranges, strict=True))]

    def block(index: Index) -> np.ndarray:
        return data[tuple(
            slice((one.start or 0) - start, (one.start or 0) - start + length)
            for one, start, length in zip(index, starts, part, strict=True)
        )]  # fmt: skip

    return of_blocks(tuple(global_shape), sharding, block)


def _ranges_of_process(sharding: NamedSharding, ndim: int) -> list[tuple[int, int]]:
    """Along each axis of an array the parts that devices of this process have: the first, and where they end."""
    counts = sharding.parts(ndim)
    found = [
        tuple((one.start or 0, one.stop or count) for one, count in zip(index, counts, strict=True))
        for index in sharding.addressable_devices_indices_map(counts).values()
    ]
    if not found:
        raise ValueError("no device of this process is in the mesh of the array")
    ranges = [(min(axis)[0], max(axis)[1]) for axis in zip(*found, strict=True)]
    if len({*found}) < math.prod(stop - start for start, stop in ranges):
        raise ValueError(
            "the parts of this process do not lie side by side: `make_array_from_callback` makes an array of them"
        )
    return ranges


def _start(axis: int, own: int, whole: int, part: int, parts: tuple[int, int]) -> int:
    """Where the elements that a process gives begin."""
    first, after = parts
    if own == (after - first) * part:
        return first * part
    if own == whole:
        return 0
    raise ValueError(
        f"along axis {axis} the devices of this process have {(after - first) * part} of {whole} elements, and "
        f"local_data has {own}"
    )
