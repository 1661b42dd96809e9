"""Values in registers and in memory: elements of arrays, items of lists, and scalars in the slots of a call.

    load("f16", p)       ->    %h = load half, ptr %p; %x = fpext half %h to float
    store("bool", x, p)  ->    %b = zext i1 %x to i8; store i8 %b, ptr %p

A scalar stands at the beginning of its slot as an element would; ints fill all of it, so that every reader finds them.
"""

from __future__ import annotations

from ...dtypes import DTYPE, is_bool, is_complex, is_inexact, is_signed
from . import half
from .operands import SsaValue, float_, int_
from .text import Code, Tags


def load(code: Code, dtype: str, pointer: SsaValue, tags: Tags = ()) -> SsaValue:
    """The value in the register of its dtype."""
    row = DTYPE[dtype]
    value = code.load(row.storage, pointer, tags)
    if is_bool(dtype):
        return code.compare("ne", value, int_(0, row.storage))
    return value if row.storage == row.register else half.widened(code, value)


def store(code: Code, dtype: str, value: SsaValue, pointer: SsaValue, tags: Tags = ()) -> None:
    row = DTYPE[dtype]
    if is_bool(dtype):
        value = code.convert("zext", value, row.storage)
    elif row.storage != row.register:
        value = half.narrowed(code, value)
    code.store(value, pointer, tags)


def store_in_slot(code: Code, dtype: str, value: SsaValue, slot: SsaValue) -> None:
    if is_inexact(dtype):
        store(code, dtype, value, slot)
    else:
        code.store(code.convert("sext" if is_signed(dtype) else "zext", value, "i64"), slot)


def rounded(code: Code, dtype: str, value: SsaValue) -> SsaValue:
    """The value as it is in memory: what is computed in more bits than it has there has too many digits."""
    row = DTYPE[dtype]
    if not is_inexact(dtype) or row.storage == row.register:
        return value
    return half.widened(code, half.narrowed(code, value))


def constant(dtype: str, value: complex) -> SsaValue:
    """A number of the dtype; ints as LLVM reads them, whose ints have a sign."""
    row = DTYPE[dtype]
    if is_complex(dtype):
        parts = complex(value)
        first, second = constant(row.parts, parts.real), constant(row.parts, parts.imag)
        return SsaValue(row.register, f"{{{first}, {second}}}")
    assert not isinstance(value, complex), value
    if is_inexact(dtype):
        return float_(half.nearest(value) if row.storage != row.register else float(value), row.register)
    number = int(value)
    return int_(number - 2**row.bits if not row.signed and 2 * number >= 2**row.bits > 2 else number, row.register)
