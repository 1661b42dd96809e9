"""The compiled kernels behind the operators of `Array`: each is the operator itself, written in the language.

    Array([1.0, 2.0]) + 1     ->     add_of(ndarray, 1), compiled for (f64[n], int) the first time it is needed
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

from .function import compile
from .runtime import operators


def negative_of(x):
    return -x


def positive_of(x):
    return +x


def absolute_of(x):
    return abs(x)


def invert_of(x):
    return ~x


def add_of(x, y):
    return x + y


def subtract_of(x, y):
    return x - y


def multiply_of(x, y):
    return x * y


def divide_of(x, y):
    return x / y


def floor_divide_of(x, y):
    return x // y


def remainder_of(x, y):
    return x % y


def power_of(x, y):
    return x**y


def matmul_of(x, y):
    return x @ y


def bitwise_and_of(x, y):
    return x & y


def bitwise_or_of(x, y):
    return x | y


def bitwise_xor_of(x, y):
    return x ^ y


def left_shift_of(x, y):
    return x << y


def right_shift_of(x, y):
    return x >> y


def equal_of(x, y):
    return x == y


def not_equal_of(x, y):
    return x != y


def less_of(x, y):
    return x < y


def less_equal_of(x, y):
    return x <= y


def greater_of(x, y):
    return x > y


def greater_equal_of(x, y):
    return x >= y


@cache
def kernel(name: str) -> Callable[..., Any]:
    """The compiled function for an operator of `operators.PYTHON`; its errors are NumPy's."""
    plain: FunctionType = getattr(sys.modules[__name__], f"{name}_of")
    compiled = compile(plain)

    def run(*operands: Any) -> Any:
        try:
            return compiled(*operands)
        except Exception as fault:
            return by_numpy(plain, operands, fault)

    return run


def by_numpy(plain: Callable[..., Any], operands: tuple[Any, ...], fault: Exception) -> Any:
    """What NumPy says where compiled code gave an error: its own error, or a result of a dtype that we do not have.

    Where NumPy has a result that we should have had, the fault is ours and is raised.
    """
    try:
        result = plain(*operands)
    except Exception as error:
        raise error.with_traceback(None) from None
    if result.dtype in operators.COMPILED:
        raise fault
    return result


operators.use_kernels(kernel)
