"""Functions of elements on sharded arrays: the result is cut as the operands are, if no device needs another's part.

    x + 2.0 * y     with x and y cut alike      ->      cut so, too
    x + z           with z cut otherwise        ->      ValueError, which says how to put them together

An operand that every device has whole, or that was put nowhere, goes with any.  Of operands that are broadcast, axes
are counted from the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..values import HeldValues
from .shardings import NamedSharding
from .specs import Entry, PartitionSpec


def common_sharding(operands: Sequence[Any], what: str) -> NamedSharding | None:
    """How the result of a function of elements is cut; None where that is not known of any operand.

    Raises ValueError where operands are cut differently.
    """
    cut = [one for one in operands if isinstance(getattr(one, "sharding", None), NamedSharding)]
    if not cut:
        return None
    shape = np.broadcast_shapes(*(np.shape(one) for one in operands))
    mesh = cut[0].sharding.mesh
    entries: list[Entry] = [None] * len(shape)
    for one in cut:
        if one.sharding.mesh != mesh:
            raise ValueError(told(what, cut))
        for place, entry in _entries(one, len(shape)):
            if entry is not None and entries[place] not in (None, entry):
                raise ValueError(told(what, cut))
            entries[place] = entry if entries[place] is None else entries[place]
    for one in operands:
        if np.ndim(one) and not _fits(one, shape, entries):
            raise ValueError(told(what, cut))
    return NamedSharding(mesh, PartitionSpec(*entries))


def item_sharding(sharding: NamedSharding, ndim: int, index: Any) -> NamedSharding | None:
    """How a part of an array is cut: as the array, where all of an axis that is cut is taken; None for others."""
    items = list(index) if isinstance(index, tuple) else [index]
    if not all(item is None or item is ... or isinstance(item, slice | int | np.integer) for item in items):
        return None
    taken = sum(item is not None and item is not ... for item in items)
    place = next((k for k, item in enumerate(items) if item is ...), len(items))
    items[place : place + 1] = [slice(None)] * (ndim - taken)
    axes = iter([*sharding.spec, *[None] * (ndim - len(sharding.spec))])
    entries: list[Entry] = []
    for item in items:
        entry = None if item is None else next(axes)
        if entry is not None and item != slice(None):
            return None
        entries += [entry] if item is None or isinstance(item, slice) else []
    return NamedSharding(sharding.mesh, PartitionSpec(*entries))


def _entries(array: Any, ndim: int) -> list[tuple[int, Entry]]:
    """The axes of a result, with the mesh axes that cut the operand there."""
    own = [*array.sharding.spec, *[None] * (array.ndim - len(array.sharding.spec))]
    return [(ndim - array.ndim + k, entry) for k, entry in enumerate(own) if array.shape[k] > 1]


def _fits(operand: Any, shape: tuple[int, ...], entries: list[Entry]) -> bool:
    """Whether each device has what it needs of an operand: where the result is cut, it is so, or whole everywhere."""
    sharding = getattr(operand, "sharding", None)
    if not isinstance(operand, HeldValues) or operand._device < 0 and not isinstance(sharding, NamedSharding):
        return True  # it was put nowhere, so it goes with the others
    if not isinstance(sharding, NamedSharding):
        return False
    own = _entries(operand, len(shape))
    return sharding.is_fully_replicated or all(entries[place] == entry for place, entry in own)


def told(what: str, cut: Sequence[Any]) -> str:
    """The words for arrays that are on other devices than one another."""
    specs = ", ".join(str(one.sharding.spec) for one in cut)
    return (
        f"{what}: the operands are not on the devices in the same way (those that are cut have {specs}).  "
        "`pellucid.device_put(x, other.sharding)` puts one where the other is, and NamedSharding(mesh, P()) on all"
    )
