"""On which operands an operator raises what CPython raises too, beside lengths that do not go together.

    on_python((float, float))    ->    True      1.0 / x  of Python's numbers, of NumPy's never
    if_empty((f64[n],))          ->    True      np.max(x)

A rule takes the types of the operands and the static values; `never` is that of most rows.  Errs towards True.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from ..dtypes import is_bool, is_exact, is_inexact, is_integer
from ..records import dataclass
from ..types import Array, Extent, ListOf, Scalar, Type

Raises: TypeAlias = Callable[[Sequence[Type], Mapping[str, Any]], bool]


@dataclass(frozen=True, slots=True)
class Domain:
    """Where a function of `math` raises, and what it computes elsewhere.

    numpy        the row that computes it
    outside      a number that it refuses, if any: ValueError wherever the result is no number of one that is
    too_large    a number whose result no float holds: OverflowError wherever a finite number gives infinity
    pole         a number where the function is infinite: ValueError
    """

    numpy: str
    outside: float | None = None
    too_large: float | None = None
    pole: float | None = None


def never(operands: Sequence[Type], static: Mapping[str, Any]) -> bool:
    return False


def always(operands: Sequence[Type], static: Mapping[str, Any]) -> bool:
    return True


def on_python(operands: Sequence[Type], static: Mapping[str, Any]) -> bool:
    return all(isinstance(t, Scalar) and t.weak for t in operands)


def by_zero(operands: Sequence[Type], static: Mapping[str, Any]) -> bool:
    """Division of Python's numbers, where the last operand is zero."""
    return on_python(operands, static)


def on_python_or_ints(operands: Sequence[Type], static: Mapping[str, Any]) -> bool:
    """Ints have no negative powers."""
    integers = all(not isinstance(t, ListOf) and not is_inexact(t.dtype) for t in operands)
    return integers or on_python(operands, static)


def conversion(operands: Sequence[Type], static: Mapping[str, Any]) -> bool:
    """nan has no int, and a Python int may be too large for one of NumPy's."""
    (source,), dtype = operands, static["dtype"]
    if isinstance(source, ListOf) or not is_integer(dtype):
        return False
    weak = isinstance(source, Scalar) and source.weak
    if is_inexact(source.dtype):
        return True
    return (weak or bool(static.get("weak"))) and not is_bool(source.dtype) and not is_exact(source.dtype, dtype)


def if_empty(operands: Sequence[Type], static: Mapping[str, Any]) -> bool:
    return not all(map(_has_elements, operands))


def _has_elements(type_: Type) -> bool:
    return not isinstance(type_, Array) or all(map(_is_positive, type_.dims))


def _is_positive(extent: Extent) -> bool:
    if isinstance(extent, int):
        return extent > 0
    return extent.constant > 0 and all(factor > 0 for _, factor in extent.terms)


def of_arrays(operands: Sequence[Type], static: Mapping[str, Any]) -> bool:
    return not all(isinstance(t, Scalar) for t in operands)
