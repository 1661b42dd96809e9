"""The compiled kernels after the operators of `Array`: each is the operator itself, written in the language.

    Array([1.0, 2.0]) + 1     ->     add(ndarray, 1), compiled for (f64[n], int) the first time it is needed
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from .compiler.diagnostics import CompileError, DeviceError
from .runtime import operators
from .runtime.array import Array
from .runtime.values import placed, unwrap, wrap
from .transformations import compile


def negative(x):
    return -x


def positive(x):
    return +x


def absolute(x):
    return abs(x)


def invert(x):
    return ~x


def add(x, y):
    return x + y


def subtract(x, y):
    return x - y


def multiply(x, y):
    return x * y


def divide(x, y):
    return x / y


def floor_divide(x, y):
    return x // y


def remainder(x, y):
    return x % y


def power(x, y):
    return x**y


def matmul(x, y):
    return x @ y


def bitwise_and(x, y):
    return x & y


def bitwise_or(x, y):
    return x | y


def bitwise_xor(x, y):
    return x ^ y


def left_shift(x, y):
    return x << y


def right_shift(x, y):
    return x >> y


def equal(x, y):
    return x == y


def not_equal(x, y):
    return x != y


def less(x, y):
    return x < y


def less_equal(x, y):
    return x <= y


def greater(x, y):
    return x > y


def greater_equal(x, y):
    return x >= y


@cache
def kernel(name: str) -> Callable[..., Any]:
    """The compiled function for an operator of `operators.PYTHON`; its errors are NumPy's.  Also that for `np.sum`."""
    if name.startswith("np."):
        return of_numpy(name.removeprefix("np."))
    plain: FunctionType = getattr(sys.modules[__name__], name)
    compiled = compile(plain)

    def run(*operands: Any) -> Any:
        try:
            return compiled(*operands)
        except DeviceError:  # nothing here makes code for the GPU that they are on
            there = next(operand for operand in operands if isinstance(operand, Array))
            return placed(wrap(plain(*unwrap(operands)), Array), there)
        except Exception as error:
            fault = error
        try:
            plain_operands = unwrap(operands)  # raises the error of a call that should have made one
            return by_numpy(plain, plain_operands, fault)
        finally:
            del fault  # whose traceback leads to this frame

    return run


def of_numpy(name: str) -> Callable[..., Any]:
    """A compiled function of NumPy's, which gives NotImplemented for what is not in the language, or not made here."""
    compiled = compile(getattr(np, name))

    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return compiled(*args, **kwargs)
        except CompileError:  # NumPy can do it, or says why not
            return NotImplemented

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
