"""Fourier transforms of rows by the inner loops of NumPy's generalised ufuncs, called by address.

    along_rows('fft', a, y)    ->    call void @pellucid_fft_d_fft(ptr %arguments, ptr %dims, ptr %steps, ptr @..._data)

Such a loop takes the addresses of its operands (the numbers, the factor, the result), the lengths (rows, numbers in a
row of the first, of the last), and steps in bytes: those from row to row of all three, then those in a row.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...dtypes import DTYPE, part_of
from . import memory_values
from .abi import ITEM_BYTES
from .arrays import View, strides_of
from .frame import Emission
from .library_operands import place_of
from .operands import SsaValue, int_


def along_rows(frame: Emission, which: tuple[SsaValue, tuple[str, ...]], given: View, made: View) -> None:
    """Call the loop of this name, the second of two where the condition holds."""
    code, (is_second, names) = frame.code, which
    part = part_of(given.dtype)
    factor = place_of(frame, memory_values.constant(part, 1.0))
    sides = [(view, [_bytes(frame, view, step) for step in strides_of(frame, view)]) for view in (given, made)]
    (_, (given_row, given_step)), (_, (made_row, made_step)) = sides
    rows, length = given.dims
    operands = [
        _row_of(frame, "ptr", [given.data, factor, made.data]),
        _row_of(frame, "i64", [rows, length, made.dims[1]]),
        _row_of(frame, "i64", [given_row, int_(0), made_row, given_step, made_step]),
    ]
    loops = [_address(frame, f"pellucid_fft_{DTYPE[part].letter}_{name}") for name in names]
    data = [_address(frame, f"pellucid_fft_{DTYPE[part].letter}_{name}_data") for name in names]
    loop, datum = (code.select(is_second, found[-1], found[0]) for found in (loops, data))
    code.effect(f"call void {loop.text}({', '.join(map(str, [*operands, datum]))})")


def _row_of(frame: Emission, type_: str, values: Sequence[SsaValue]) -> SsaValue:
    """The address of these values, one after the other."""
    place = frame.code.variable(f"[{len(values)} x {type_}]", "row")
    for number, value in enumerate(values):
        frame.code.store(value, frame.code.offset(type_, place, number))
    return place


def _bytes(frame: Emission, view: View, step: SsaValue) -> SsaValue:
    return frame.code.binary("mul", step, int_(ITEM_BYTES[view.dtype]))


def _address(frame: Emission, name: str) -> SsaValue:
    frame.module.declare(name, f"declare void @{name}(ptr, ptr, ptr, ptr)")
    return frame.code.mention(name)
