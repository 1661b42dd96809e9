"""Arrays of numbers that the program says: constants of the module, copied into an array.

    t = table(values=(0.5, ...), shape=(7, 7))    ->    @table = constant [392 x i8] c"..."
                                                        memcpy(data, @table, 392)

LLVM reads the constant itself where nothing is stored into an array on the stack.
"""

from __future__ import annotations

import gast
import numpy as np

from ... import syntax
from ...dtypes import NUMPY_DTYPE
from .abi import ITEM_BYTES
from .arrays import View, allocate
from .frame import Emission
from .operands import SsaValue, int_
from .small_room import ALIGNMENT


def table(frame: Emission, value: gast.Call) -> View:
    """A new array that holds them."""
    static = syntax.static_of(value)
    view = allocate(frame, static["dtype"], list(map(int_, static["shape"])))
    fill(frame, value, view.data)
    return view


def fill(frame: Emission, value: gast.Call, data: SsaValue) -> None:
    """Put them where the elements of the array are."""
    static, module = syntax.static_of(value), frame.module
    dtype = static["dtype"]
    content = np.array(static["values"], NUMPY_DTYPE[dtype]).tobytes()
    assert len(content) == ITEM_BYTES[dtype] * len(static["values"])
    name = module.constant(content, ALIGNMENT)
    module.declare("llvm.memcpy.p0.p0.i64", "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    false = SsaValue("i1", "false")
    frame.code.call("void", "llvm.memcpy.p0.p0.i64", data, frame.code.mention(name), int_(len(content)), false)
