"""Containers of arrays in files of Zarr: each process writes and reads the parts that its own devices have.

    distributed.save("run/step_100", {"w": w, "step": 100})     all processes call it
    distributed.load("run/step_100", {"w": sharding, "step": None})

A part is a chunk of a file of its own, so that processes do not wait for each other.  How an array was cut when it was
saved says nothing of how it is cut when it is loaded: other processes, and another number of them, read what they need.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import tree as trees
from .runtime import mpi
from .runtime.array import Array
from .runtime.processes import process_index
from .runtime.sharding import NamedSharding
from .runtime.sharding.sharded import ShardedArray, of_blocks

PATHS = "pellucid_paths"


def save(directory: str | os.PathLike[str], tree: Any) -> None:
    """Write the arrays and numbers of a container into a directory, in place of what is there; all processes call this.

    It returns when all have written.  Raises ImportError without `zarr`, and TypeError for what is no array of numbers.
    """
    zarr = _zarr()
    found = trees.leaves_with_path(tree)
    if process_index() == 0:
        group = zarr.open_group(os.fspath(directory), mode="w")
        for number, (_, leaf) in enumerate(found):
            _create(group, str(number), leaf)
    _wait()
    group = zarr.open_group(os.fspath(directory), mode="r+")
    for number, (_, leaf) in enumerate(found):
        _write(group[str(number)], leaf)
    _wait()
    if process_index() == 0:  # without it nothing is loaded: what has not been written would be zeros
        group.attrs[PATHS] = [str(path) for path, _ in found]
    _wait()


def _create(group: Any, name: str, leaf: Any) -> None:
    held = leaf if isinstance(leaf, ShardedArray) else np.asarray(leaf)
    if held.dtype.kind not in "biufc":
        raise TypeError(f"arrays of numbers are saved, not {type(leaf).__name__}")
    part = held.sharding.shard_shape(held.shape) if isinstance(held, ShardedArray) else held.shape
    group.create_array(name, shape=held.shape, chunks=tuple(max(length, 1) for length in part), dtype=held.dtype)


def _write(file: Any, leaf: Any) -> None:
    if not isinstance(leaf, ShardedArray):
        if process_index() == 0:
            file[...] = np.asarray(leaf)
        return
    for shard in leaf.addressable_shards:
        if shard.replica_id == 0:
            file[shard.index] = np.asarray(shard.data)


def load(directory: str | os.PathLike[str], like: Any) -> Any:
    """The container that was saved in a directory, with Arrays; all processes call this.

    like  a container built as the one that was saved: for each array a `NamedSharding`, an array that is cut as this
          one is to be, and has its shape and dtype, or None for all of it in each process

    Raises ValueError where `like` is built differently or an array is another one, and ImportError without `zarr`.
    """
    group = _zarr().open_group(os.fspath(directory), mode="r")
    found, structure = trees.flatten_with_path(like, is_leaf=lambda part: part is None)
    paths = [str(path) for path, _ in found]
    saved = group.attrs.get(PATHS)
    if saved is None:
        raise ValueError(f"nothing has been saved in {os.fspath(directory)!r}, or not to the end")
    if paths != saved:
        raise ValueError(f"what was saved has arrays at {saved}, and `like` has them at {paths}")
    return structure.unflatten([_read(group[str(number)], leaf, path) for number, (path, leaf) in enumerate(found)])


def _read(file: Any, like: Any, path: Any) -> Array:
    if isinstance(like, NamedSharding):
        return of_blocks(file.shape, like, lambda index: file[index])
    if like is not None:
        wanted = (tuple(like.shape), like.dtype) if hasattr(like, "dtype") else ((), np.result_type(like))
        if wanted != (file.shape, file.dtype):
            raise ValueError(
                f"at {path} what was saved has the shape {file.shape} and the dtype {file.dtype}, and `like` has "
                f"{wanted[0]} and {wanted[1]}"
            )
    if isinstance(like, ShardedArray):
        return _read(file, like.sharding, path)
    return Array(np.asarray(file[...]))


def _wait() -> None:
    world = mpi.world()
    if world is not None:
        world.wait_for_all()


def _zarr() -> Any:
    try:
        import zarr
    except ImportError as missing:
        raise ImportError("arrays are saved by Zarr, which is not installed: `pip install zarr`") from missing
    return zarr
