"""Arrays on many devices, made of what each of them has, under JAX's names.

    make_array_from_callback((8,), NamedSharding(mesh, P("x")), lambda index: values[index])

In a mesh of many processes each process gives the parts of its own devices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .placing import device_put
from .runtime.array import Array
from .runtime.sharding.sharded import of_blocks
from .runtime.sharding.shardings import Index, NamedSharding, Sharding


def make_array_from_callback(
    shape: Sequence[int], sharding: Sharding, data_callback: Callable[[Index], Any], dtype: Any = None
) -> Array:
    """The array of this shape whose parts a function gives, called once for each part that is different.

    shape          of the whole array
    sharding       which device has which part
    data_callback  gives a part, for the slices that it has of the whole
    dtype          of the elements; None: that of the parts

    Raises ValueError for a part of another shape than the slices say.
    """
    indices: dict[Any, Index] = {}
    for index in sharding.addressable_devices_indices_map(tuple(shape)).values():
        indices.setdefault(_key(index), index)
    return _joined(shape, sharding, [(index, data_callback(index)) for index in indices.values()], dtype)


def make_array_from_single_device_arrays(
    shape: Sequence[int], sharding: Sharding, arrays: Sequence[Any], dtype: Any = None
) -> Array:
    """The array of this shape of which there is one part for each device of this process, in the order of the mesh.

    shape     of the whole array
    sharding  which device has which part
    arrays    the parts; copies of a part are equal
    dtype     of the elements; None: that of the parts

    Raises ValueError for parts that are not as many as devices, or of another shape than the sharding says.
    """
    indices = sharding.addressable_devices_indices_map(tuple(shape))
    if len(arrays) != len(indices):
        raise ValueError(f"there are {len(arrays)} arrays for {len(indices)} devices")
    return _joined(shape, sharding, list(zip(indices.values(), arrays, strict=True)), dtype)


def _joined(shape: Sequence[int], sharding: Sharding, given: Sequence[tuple[Index, Any]], dtype: Any) -> Array:
    whole, wanted = tuple(shape), sharding.shard_shape(tuple(shape))
    parts = [(index, np.asarray(part)) for index, part in given]
    for _, part in parts:
        if part.shape != wanted:
            raise ValueError(f"a part has the shape {part.shape}, and each device has {wanted} of {whole}")
    found = (np.result_type(*(part for _, part in parts)) if parts else float) if dtype is None else dtype
    if isinstance(sharding, NamedSharding) and not sharding.is_fully_addressable:
        of_index = {_key(index): part.astype(found) for index, part in parts}
        return of_blocks(whole, sharding, lambda index: of_index[_key(index)])
    made = np.empty(whole, found)
    for index, part in parts:
        made[index] = part
    array: Array = device_put(Array(made), sharding)
    return array


def _key(index: Index) -> Any:
    return tuple((part.start, part.stop) for part in index)
