"""float16 in memory and float32 in registers: both conversions, and the neighbours of a number.

    narrowed(x)         ->    fptrunc float %x to half           rounds to nearest, ties to even
    from_double(x)      ->    to float32, its last bit set where digits were lost, so that the next rounding sees them
    next_after(x, y)    ->    one up or down in the order of bits

Processors without the instructions (x86 before F16C) do it by functions of the module, in ints.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ....runtime import targets
from .operands import SsaValue, float_, int_
from .text import INLINED, Code, LlvmDefinition

# Both shift the fraction by 13 bits and move the exponent; subnormal halves go through a float of a known exponent.
WIDEN = """entry:
  %bits = bitcast half %h to i16
  %wide = zext i16 %bits to i32
  %sign_bit = and i32 %wide, 32768
  %sign = shl i32 %sign_bit, 16
  %size = and i32 %wide, 32767
  %moved = shl i32 %size, 13
  %normal = add i32 %moved, 939524096
  %endless = icmp uge i32 %size, 31744
  %farther = add i32 %moved, 1879048192
  %some = select i1 %endless, i32 %farther, i32 %normal
  %whole = uitofp i32 %size to float
  %scaled = fmul float %whole, 0x3E70000000000000
  %scaled_bits = bitcast float %scaled to i32
  %subnormal = icmp ult i32 %size, 1024
  %bits_of_size = select i1 %subnormal, i32 %scaled_bits, i32 %some
  %all = or i32 %bits_of_size, %sign
  %x = bitcast i32 %all to float
  ret float %x"""
NARROW = """entry:
  %bits = bitcast float %x to i32
  %sign_bit = lshr i32 %bits, 16
  %sign = and i32 %sign_bit, 32768
  %size = and i32 %bits, 2147483647
  %last = lshr i32 %size, 13
  %odd = and i32 %last, 1
  %less = sub i32 %size, 939524096
  %nearly = add i32 %less, 4095
  %up = add i32 %nearly, %odd
  %normal = lshr i32 %up, 13
  %magnitude = bitcast i32 %size to float
  %shifted = fadd float %magnitude, 5.000000e-01
  %shifted_bits = bitcast float %shifted to i32
  %small = sub i32 %shifted_bits, 1056964608
  %is_small = icmp ult i32 %size, 947912704
  %finite = select i1 %is_small, i32 %small, i32 %normal
  %is_large = icmp uge i32 %size, 1199566848
  %bounded = select i1 %is_large, i32 31744, i32 %finite
  %is_nan = icmp ugt i32 %size, 2139095040
  %payload = and i32 %last, 1023
  %quiet = or i32 %payload, 32256
  %number = select i1 %is_nan, i32 %quiet, i32 %bounded
  %all = or i32 %number, %sign
  %narrow = trunc i32 %all to i16
  %h = bitcast i16 %narrow to half
  ret half %h"""


def has_instructions() -> bool:
    """Whether the target converts between the two by itself."""
    return _has_instructions(targets.asked())


@lru_cache(maxsize=16)
def _has_instructions(target: str) -> bool:
    return bool(targets.features(target) & {"f16c", "asimd", "neon"})


def widened(code: Code, value: SsaValue) -> SsaValue:
    """A float of a half."""
    if has_instructions():
        return code.convert("fpext", value, "float")
    code.module.define(LlvmDefinition("pellucid.widened", "float", ("half %h",), (WIDEN,), attributes=INLINED))
    return code.call("float", "pellucid.widened", value)


def narrowed(code: Code, value: SsaValue) -> SsaValue:
    """A half of a float."""
    if has_instructions():
        return code.convert("fptrunc", value, "half")
    code.module.define(LlvmDefinition("pellucid.narrowed", "half", ("float %x",), (NARROW,), attributes=INLINED))
    return code.call("half", "pellucid.narrowed", value)


def nearest(value: float) -> float:
    """The half that is next to a number."""
    with np.errstate(over="ignore"):
        return float(np.float16(value))


def from_double(code: Code, value: SsaValue) -> SsaValue:
    """A float that rounds to the half that is next to the double: rounded to odd, so that no tie comes out of it."""
    single = code.convert("fptrunc", value, "float")
    back = code.convert("fpext", single, "double")
    size, size_back = code.intrinsic("fabs", value), code.intrinsic("fabs", back)
    above = code.convert("zext", code.compare("ogt", size_back, size), "i32")
    lost = code.convert("zext", code.compare("one", back, value), "i32")
    bits = code.binary("sub", code.convert("bitcast", single, "i32"), above)
    return code.convert("bitcast", code.binary("or", bits, lost), "float")


def next_after(code: Code, x: SsaValue, y: SsaValue) -> SsaValue:
    """The half after `x` on the way to `y`: its bits are one more away from zero, one less towards it."""
    zero = float_(0.0, "float")
    bits = code.convert("bitcast", narrowed(code, x), "i16")
    positive, rising = code.compare("ogt", x, zero), code.compare("olt", x, y)
    towards_zero = code.binary("xor", positive, rising)
    step = code.select(towards_zero, int_(-1, "i16"), int_(1, "i16"))
    moved = widened(code, code.convert("bitcast", code.binary("add", bits, step), "half"))
    from_zero = code.intrinsic("copysign", float_(2.0**-24, "float"), y)
    moved = code.select(code.compare("oeq", x, zero), from_zero, moved)
    moved = code.select(code.compare("oeq", x, y), x, moved)  # NumPy returns `x`, where C returns `y`
    return code.select(code.compare("uno", x, y), code.binary("fadd", x, y), moved)
