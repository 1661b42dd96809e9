"""Operands of LLVM's instructions as text: values and constants, and what is known of constants without LLVM.

    float_(0.5)                       ->    SsaValue("double", "0x3FE0000000000000")
    is_pair("{double, double}")       ->    True: a complex number
"""

from __future__ import annotations

import operator
import struct
from typing import NamedTuple


class SsaValue(NamedTuple):
    """An operand: its LLVM type and how it is written."""

    type: str
    text: str

    def __str__(self) -> str:
        return f"{self.type} {self.text}"

    @property
    def is_int(self) -> bool:
        """Whether it is a constant int."""
        return self.text.lstrip("-").isdigit()

    @property
    def is_constant(self) -> bool:
        return not self.text.startswith("%")


TRUE, FALSE, NULL = SsaValue("i1", "true"), SsaValue("i1", "false"), SsaValue("ptr", "null")


# Comparisons of constants are decided here: a check that cannot fail then leaves no trace.
PREDICATES = {
    "eq": operator.eq, "ne": operator.ne, "slt": operator.lt, "sle": operator.le, "sgt": operator.gt,
    "sge": operator.ge,
}  # fmt: skip


def known_logic(operation: str, left: SsaValue, right: SsaValue) -> SsaValue | None:
    """What `and`, `or` and `xor` give where one side is constant."""
    for constant, other in ((left, right), (right, left)):
        if constant in (TRUE, FALSE):
            match operation, constant.text:
                case ("and", "true") | ("or" | "xor", "false"):
                    return other
                case ("and", "false") | ("or", "true"):
                    return constant
    return None


def int_(value: int, type_: str = "i64") -> SsaValue:
    return SsaValue(type_, str(value))


def float_(value: float, type_: str = "double") -> SsaValue:
    """A float constant, exact: LLVM writes both widths as the bits of a double."""
    if type_ == "float":
        try:
            value = struct.unpack("f", struct.pack("f", value))[0]
        except OverflowError:  # rounds to infinity, as a conversion at run time does
            value = float("inf") if value > 0 else float("-inf")
    return SsaValue(type_, f"0x{struct.unpack('Q', struct.pack('d', value))[0]:016X}")


def is_pair(type_: str) -> bool:
    """Whether it is that of a complex number: `{double, double}`."""
    return type_.startswith("{")


def type_word(type_: str) -> str:
    """The type as part of a name."""
    return "pair." + part_type(type_) if is_pair(type_) else type_


def part_type(type_: str) -> str:
    return type_[1:-1].partition(", ")[0]
