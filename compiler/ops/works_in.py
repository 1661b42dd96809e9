"""The dtypes in which the function of a row works on single numbers: what each operand is converted to first.

    as_result((f64, int), f64)          ->    f64, f64        x + k
    as_common((f32, float), bool_)      ->    f32, f32        x < 0.5
    as_choice((bool, int, f64), f64)    ->    bool, f64, f64

A rule takes the types of the operands and that of the result; a row has one, `as_result` where it says nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..dtypes import BOOL_WORD, FLOAT_WORD, INT_WORD, as_float, is_complex, is_inexact, part_of, summed
from ..types import Scalar, promote

WorksIn: TypeAlias = Callable[[Sequence[Scalar], Scalar], tuple[str, ...]]


def as_result(operands: Sequence[Scalar], result: Scalar) -> tuple[str, ...]:
    return (result.dtype,) * len(operands)


def as_sized(operands: Sequence[Scalar], result: Scalar) -> tuple[str, ...]:
    """The size of a complex number is a real one."""
    return tuple(o.dtype if is_complex(o.dtype) else result.dtype for o in operands)


def as_common(operands: Sequence[Scalar], result: Scalar) -> tuple[str, ...]:
    """An int is compared by its value with a float of Python's, and with one that has no sign, or has one alone."""
    if is_mixed(operands):
        return tuple(o.dtype for o in operands)
    dtype = promote(*operands)[0]
    if all(not is_inexact(o.dtype) for o in operands) and (is_inexact(dtype) or _has_sign_beside(dtype, operands)):
        return tuple(summed(o.dtype) for o in operands)
    return (dtype,) * len(operands)


def _has_sign_beside(dtype: str, operands: Sequence[Scalar]) -> bool:
    """Whether an int of Python's meets NumPy's widest without a sign, which may not hold it."""
    return dtype == summed(dtype) != INT_WORD and any(o.dtype == INT_WORD for o in operands)


def as_floats(operands: Sequence[Scalar], result: Scalar) -> tuple[str, ...]:
    return (as_float(promote(*operands)[0]),) * len(operands)


def as_python_floats(operands: Sequence[Scalar], result: Scalar) -> tuple[str, ...]:
    return (FLOAT_WORD,) * len(operands)


def as_quotient(operands: Sequence[Scalar], result: Scalar) -> tuple[str, ...]:
    """Python divides ints exactly, so that they must not be rounded to floats before."""
    dtype, weak = promote(*operands)
    return (INT_WORD if weak and not is_inexact(dtype) else result.dtype,) * len(operands)


def as_choice(operands: Sequence[Scalar], result: Scalar) -> tuple[str, ...]:
    return (BOOL_WORD, result.dtype, result.dtype)


def as_rounded(operands: Sequence[Scalar], result: Scalar) -> tuple[str, ...]:
    """An int is rounded already, and may not fit a float."""
    return (FLOAT_WORD if is_inexact(operands[0].dtype) else INT_WORD,)


def as_rounded_by_math(operands: Sequence[Scalar], result: Scalar) -> tuple[str, ...]:
    """`math` makes a float of NumPy's numbers first, and takes Python's ints as they are."""
    return as_rounded(operands, result) if operands[0].weak else (FLOAT_WORD,)


def as_parts(operands: Sequence[Scalar], result: Scalar) -> tuple[str, ...]:
    return (part_of(result.dtype),) * len(operands)


def as_it_is(operands: Sequence[Scalar], result: Scalar) -> tuple[str, ...]:
    return tuple(o.dtype for o in operands)


def is_mixed(operands: Sequence[Scalar]) -> bool:
    """Whether a Python int and a Python float meet."""
    return all(o.weak for o in operands) and {o.dtype for o in operands} == {INT_WORD, FLOAT_WORD}
