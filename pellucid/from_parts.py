"""Arrays on many devices, made of what each of them has, under JAX's names.

    make_array_from_callback((8,), NamedSharding(mesh, P("x")), lambda index: values[index])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .placing import device_put
from .runtime.array import Array
from .runtime.sharding.shardings import Index, Sharding


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
    whole = tuple(shape)
    made: dict[Any, Any] = {}
    for index in sharding.devices_indices_map(whole).values():
        key = tuple((part.start, part.stop) for part in index)
        if key not in made:
            made[key] = index, np.asarray(data_callback(index))
    return _joined(whole, sharding, list(made.values()), dtype)


def make_array_from_single_device_arrays(
    shape: Sequence[int], sharding: Sharding, arrays: Sequence[Any], dtype: Any = None
) -> Array:
    """The array of this shape of which there is one part for each device, in the order of the mesh.

    shape     of the whole array
    sharding  which device has which part
    arrays    the parts; copies of a part are equal
    dtype     of the elements; None: that of the parts

    Raises ValueError for parts that are not as many as devices, or of another shape than the sharding says.
    """
    indices = sharding.devices_indices_map(tuple(shape))
    if len(arrays) != len(indices):
        raise ValueError(f"there are {len(arrays)} arrays for {len(indices)} devices")
    parts = [(index, np.asarray(part)) for index, part in zip(indices.values(), arrays, strict=True)]
    return _joined(tuple(shape), sharding, parts, dtype)


def _joined(shape: tuple[int, ...], sharding: Sharding, parts: Sequence[Any], dtype: Any) -> Array:
    found = parts[0][1].dtype if dtype is None else dtype
    whole = np.empty(shape, found)
    wanted = sharding.shard_shape(shape)
    for index, part in parts:
        if part.shape != wanted:
            raise ValueError(f"a part has the shape {part.shape}, and each device has {wanted} of {shape}")
        whole[index] = part
    array: Array = device_put(Array(whole), sharding)
    return array
