"""Small arrays in the frame of a function (`optimise/small_arrays.py`).

    x = empty(shape=(16,), dtype="f64")    ->    %room = alloca [16 x double], align 64

LLVM keeps the elements in registers where every index is known, or a loop over them is one vector.
"""

from __future__ import annotations

import math

from .abi import STORED
from .frame import ArrayPlace, Emission
from .operands import int_

ALIGNMENT = 64  # bytes: the largest vector of any processor


def take_room(frame: Emission, place: ArrayPlace) -> None:
    """Make a name hold an array that nothing owns."""
    code, lengths = frame.code, [extent for extent in place.type.dims if isinstance(extent, int)]
    room = code.variable(f"[{math.prod(lengths)} x {STORED[place.type.dtype]}], align {ALIGNMENT}", "room")
    code.store(room, place.data)
    for length, variable in zip(lengths, place.dims, strict=True):
        code.store(int_(length), variable)
