"""What a scalar emitter sees: where to write instructions, in which dtype, and how to raise.

An emitter is `emitter(here, *operands) -> SsaValue`; all operands have the register type of `here.dtype` (bools are i1)
unless its signature says otherwise (`compiler/analysis/expression_types.py`).  EMITTERS maps operator names to them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from ...dtypes import DTYPE, INT_WORD, is_bool, is_complex, is_inexact, is_signed, part_of
from ...records import dataclass
from . import memory_values
from .abi import REGISTER
from .operands import SsaValue, float_
from .text import Code

EMITTERS: dict[str, Callable[..., SsaValue]] = {}

INT_TOO_LARGE = "Python int too large to convert to C int64"


@dataclass(frozen=True, slots=True)
class Here:
    """The context in which an operator is lowered.

    dtype    the dtype it works in, `source` that of the operand of a cast, `result` that of its value; `other` that of
             the last operand, where a comparison takes two
    weak     Python's operation, with Python's errors
    idle     ranges prove that an int result fits in 64 bits
    nonzero  ranges prove that a division is not by zero
    fail_if  (condition, exception, message with a {} per value, *values): leaves the function when it holds
    """

    code: Code
    dtype: str
    weak: bool
    idle: bool
    fail_if: Callable[..., None]
    source: str = ""
    result: str = ""
    source_weak: bool = False
    other: str = ""
    nonzero: bool = False

    @property
    def is_float(self) -> bool:
        return is_inexact(self.dtype) and not self.is_complex

    @property
    def is_complex(self) -> bool:
        return is_complex(self.dtype)

    @property
    def is_signed(self) -> bool:
        return is_signed(self.dtype)

    @property
    def is_bool(self) -> bool:
        return is_bool(self.dtype)

    def of_parts(self) -> Here:
        """The context for the parts of complex numbers, as NumPy computes with them."""
        return replace(self, dtype=part_of(self.dtype), weak=False, other="")

    def number(self, value: complex) -> SsaValue:
        """A constant, with all the digits that the registers of the dtype have."""
        if self.is_float and not isinstance(value, complex):
            return float_(float(value), REGISTER[self.dtype])
        return memory_values.constant(self.dtype, value)

    def least(self) -> SsaValue:
        """The least int of the dtype."""
        return self.number(DTYPE[self.dtype].least)


def emits(*names: str) -> Callable[[Callable[..., SsaValue]], Callable[..., SsaValue]]:
    """Register an emitter under operator names."""

    def register(emitter: Callable[..., SsaValue]) -> Callable[..., SsaValue]:
        for name in names:
            EMITTERS[name] = emitter
        return emitter

    return register


def wrapping(code: Code, operator: str, *operands: SsaValue) -> SsaValue:
    """NumPy's operation on numbers of 64 bits: it wraps, and cannot fail."""
    return EMITTERS[operator](Here(code, INT_WORD, weak=False, idle=False, fail_if=_never), *operands)


def _never(*reason: object) -> None:
    raise AssertionError(f"an operation that cannot fail: {reason}")


def python_message(attempt: Callable[[], object], value: str = "") -> str:
    """The words of the running interpreter for an error; an operand's `value` in them becomes a `{}`."""
    try:
        attempt()
    except (ArithmeticError, ValueError) as error:
        text = str(error.args[-1]).replace("{", "{{").replace("}", "}}")
        return re.sub(rf"(?<![\w.]){re.escape(value)}(?![\w.])", "{}", text, count=1) if value else text
    raise AssertionError("the attempt was meant to fail")

