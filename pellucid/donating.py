"""Calls of functions that were compiled with `donate=`: Arrays give their memory away, and results may take it.

    x = step(x)    # @compile(donate="x")
    ->    x gives its ndarray and is empty; machine code stores into it; the result is an Array around the same memory

Memory that anything else sees is not given: that of another Array or ndarray, of a call that goes on, of an Array that
is passed twice.  Where machine code stores into such an argument, it is copied first.  The Array is empty all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from . import tree
from .runtime.array import Array
from .runtime.devices import is_on_gpu

if TYPE_CHECKING:
    from .entries import Compiled


class Donation:
    """The Arrays in arguments whose memory a call may take.

    taken  those that were emptied, with the ndarrays that they had
    """

    def __init__(self, arguments: Mapping[str, Any], names: Iterable[str]) -> None:
        given = [argument for name, argument in arguments.items() if name in names]
        leaves = [leaf for leaf in tree.leaves(given) if type(leaf) is Array]
        self.arrays = list({id(leaf): leaf for leaf in leaves if not leaf._is_number}.values())
        self.taken: list[tuple[Array, np.ndarray]] = []

    def take(self, leaves: list[Any], compiled: Compiled) -> list[np.ndarray]:
        """The ndarrays that results may be, which are in the leaves: memory that was given, or a copy of the rest."""
        owned: dict[int, np.ndarray] = {}
        for array in self.arrays:
            if is_on_gpu(array._device):
                continue
            values = array._values
            places = [k for k, leaf in enumerate(leaves) if isinstance(leaf, np.ndarray) and is_same(leaf, values)]
            for place in places:
                leaves[place] = values
            self.taken.append((array, values))
            is_alone = array._give_away(2 + len(places))  # they are referred to here, in `taken`, and by the leaves
            if is_alone and len(places) == 1:
                owned[places[0]] = values
        for place in compiled.in_place:
            if place not in owned:
                owned[place] = leaves[place] = np.array(leaves[place], order="C")
        return list(owned.values())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """After a call that failed Arrays are as they were; else those that it took no memory of are emptied too."""
        emptied = {id(array) for array, _ in self.taken}
        for array, values in self.taken if kind is not None else ():
            array._take_back(values)
        for array in self.arrays if kind is None else ():
            if id(array) not in emptied:
                array._give_away(0)
        self.taken.clear()


def is_same(left: np.ndarray, right: np.ndarray) -> bool:
    """Whether two arrays are the same elements of the same memory."""
    return (
        left.ctypes.data == right.ctypes.data and left.shape == right.shape and left.strides == right.strides
        and left.dtype == right.dtype
    )  # fmt: skip
