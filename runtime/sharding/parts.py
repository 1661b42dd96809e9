"""The parts of an array that each device has made, before anyone has asked for the whole.

    Parts([Array([0., 1.]), Array([2., 3.])], ...)     what two devices made; P("x")    ->    array([0., 1., 2., 3.])

A call of a mapped function returns such parts at once.  A next call takes them as they are.  Those that lie one
after the other are written into one buffer by a call like one that was seen; others are copied into one when somebody
reads the elements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..values import HeldValues
from .cuts import Cut
from .shardings import NamedSharding

ELSEWHERE = (
    "other processes have parts of this array: `x.addressable_shards` has those of this one, and "
    "`pellucid.distributed.process_allgather(x, tiled=True)`, called in all processes, gives each the whole"
)


class Parts:
    """What the devices of a mesh have that are of this process, in their order.

    blocks   an Array for each device
    finish   waits for the call that makes them, and raises its error
    cut      how the whole is cut into them
    whole    an Array whose parts they are when they are computed; None where each has memory of its own
    """

    __slots__ = ("_finish", "_whole", "blocks", "cut")

    def __init__(self, blocks: list[Any], finish: Callable[[], Any], cut: Cut, whole: Any = None) -> None:
        self.blocks, self.cut, self._whole = blocks, cut, whole
        self._finish: Callable[[], Any] | None = finish

    @property
    def stacked(self) -> int | None:
        """The axis of the whole along which each device has one example, and which the blocks lack; None for others."""
        return self.cut.stacked

    @property
    def far(self) -> bool:
        """Whether they are on GPUs, which keep them."""
        return getattr(self.blocks[0], "_there", None) is not None

    def wait(self) -> None:
        """Returns when they are computed.  Raises the error of the device that made the call fail."""
        if self.far:
            for block in self.blocks:
                block._wait()
        if self._finish is not None:
            self._finish()
            self._finish = None  # which refers to the launch

    def is_ready(self) -> bool:
        """Whether they are computed, or have failed."""
        return all(block.is_ready() for block in self.blocks if isinstance(block, HeldValues))

    def shape(self, sharding: NamedSharding) -> tuple[int, ...]:
        """The shape of the whole."""
        try:
            shape = list(np.shape(self.blocks[0]))
        except Exception:
            self.wait()  # raises the error that the call ends with, which need not be that of this device
            raise
        if self.stacked is not None:
            shape.insert(self.stacked, 1)
        counts = sharding.parts(len(shape))
        return tuple(length * count for length, count in zip(shape, counts, strict=True))

    def dtype(self) -> np.dtype[Any]:
        """The dtype of the elements."""
        found: np.dtype[Any] = self.blocks[0].dtype
        return found

    def joined(self, sharding: NamedSharding) -> np.ndarray:
        """All elements in one buffer, of which the blocks are views from now on where these are contiguous.

        Raises RuntimeError where other processes have some of them.
        """
        self.wait()
        if self._whole is not None:
            found: np.ndarray = self._whole._values
            return found
        first = np.asarray(self.blocks[0])
        if sharding.is_fully_replicated and self.stacked is None:
            return first
        if not sharding.is_fully_addressable:
            raise RuntimeError(ELSEWHERE)
        whole = np.empty(self.shape(sharding), first.dtype)
        views = []
        for block, (device, index) in zip(self.blocks, sharding.devices_indices_map(whole.shape).items(), strict=True):
            view = whole[self._place(index)]
            if sharding.replica_id(device) == 0:
                view[...] = block
            views.append(view)
        whole.setflags(write=False)
        if not self.far and all(view.ndim and view.flags.c_contiguous for view in views):
            self.blocks = [
                type(block)(view)._on(block._device) for block, view in zip(self.blocks, views, strict=True)
            ]
        return whole

    def alone(self, block: Any) -> Any:
        """What a device has, with the axis of the whole that the block lacks."""
        if self.stacked is None:
            return block
        if self.far:
            return block.reshape(*block.shape[: self.stacked], 1, *block.shape[self.stacked :])
        return type(block)(np.expand_dims(np.asarray(block), self.stacked))

    def _place(self, index: tuple[slice, ...]) -> Any:
        """The index of the block of a device, without the axis that it lacks."""
        if self.stacked is None:
            return (*index, ...)
        place = index[self.stacked].start or 0
        return (*index[: self.stacked], place, *index[self.stacked + 1 :], ...)
