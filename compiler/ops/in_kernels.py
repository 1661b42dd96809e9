"""How rows are written in the kernels of a GPU: their column `cuda`.

    InKernels("math.exp({x})")                         one function of C for a float of either size
    InKernels("floor_divide({x}, {y})", ...)           a device function of `runtime/kernels/device.py`
    printed                                            as Python's sign: what Numba makes of that is cast where need be

A row without the column has no kernels: what calls it stays on the host.  Names that are called without a module are
device functions, which give the dtype of their operands.
"""

from __future__ import annotations

import math
from typing import Any

from ..dtypes import is_bool, is_complex, is_inexact
from ..records import dataclass


@dataclass(frozen=True, slots=True)
class InKernels:
    """The spellings of one row.

    floats         of floats, and of ints where nothing else is said of these
    ints           of ints; None where a kernel has none
    truths         of truths; empty where a kernel has none
    checked        with `{failed}`, the word that is set where CPython raises
    checked_ints   of ints
    pairs          of complex numbers, which gives the dtype of the row; empty where a kernel has none
    checked_pairs  of Python's complex numbers, where the row says that CPython may raise
    pythons        of Python's complex numbers elsewhere, if that is not as of NumPy's
    keeps          whether what Numba gives has the dtype of the operands, be they small ones
    halves         whether a result for float16 is that for float32, rounded
    """

    floats: str
    ints: str | None = ""
    truths: str = ""
    checked: str = ""
    checked_ints: str = ""
    pairs: str = ""
    checked_pairs: str = ""
    pythons: str = ""
    halves: bool = True
    keeps: bool = True

    def of(self, dtype: str, weak: bool = False) -> str:
        """How it is written of operands of a dtype, Python's where it is weak; empty where it has no kernels."""
        if is_bool(dtype):
            return self.truths
        if is_complex(dtype):
            return weak and self.pythons or self.pairs
        if dtype == "f16" and not self.halves:
            return ""
        if is_inexact(dtype) or self.ints == "":
            return self.floats
        return self.ints or ""

    def checked_of(self, dtype: str) -> str:
        """The same where CPython may raise."""
        if is_complex(dtype):
            return self.checked_pairs
        return self.checked if is_inexact(dtype) else self.checked_ints or self.checked


def called(function: str, operands: str = "x", **more: Any) -> InKernels:
    """A call with the operands in their order."""
    return InKernels(f"{function}({', '.join(f'{{{name}}}' for name in operands.split(', '))})", **more)


def as_named(name: str, **more: Any) -> InKernels:
    """A function of one operand: that of `math` where it has the name, else a device function."""
    return called(f"math.{name}" if hasattr(math, name) else name, **more)


def signed(spelling: str, **more: Any) -> InKernels:
    """A sign of Python's: of small ints Numba gives a larger one."""
    return InKernels(spelling, keeps=False, **more)
