"""The operators of arrays: which are computed by a compiled kernel, and which by NumPy.

    Array([1.0, 2.0]) + 1   ->   evaluate("add", (ndarray, 1))   ->   the compiled `def add(x, y): return x + y`

Kernels are functions of the language and live above this package; whoever has them says so with `use_kernels`.  NumPy
computes all others (on complex numbers, on integers of more than 64 bits), and gives what it would give without us.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from . import protocols
from .dtypes import REAL
from .values import HeldValues, placed, unwrap, wrap

Kernel = Callable[..., Any]

PYTHON: dict[str, Callable[..., Any]] = {
    "negative": operator.neg, "positive": operator.pos, "absolute": operator.abs, "invert": operator.invert,
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "floor_divide": operator.floordiv, "remainder": operator.mod, "power": operator.pow, "matmul": operator.matmul,
    "bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor,
    "left_shift": operator.lshift, "right_shift": operator.rshift, "equal": operator.eq, "not_equal": operator.ne,
    "less": operator.lt, "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
}  # fmt: skip
COMPILED = frozenset(map(np.dtype, REAL))
PLAIN = (HeldValues, int, float, complex, np.generic, list, tuple)
OPERANDS = (*PLAIN, np.ndarray)

_find: Callable[[str], Kernel] | None = None


def use_kernels(find: Callable[[str], Kernel]) -> None:
    """Compute operators with `find(name)` from now on, for the names in PYTHON; it is asked at every use."""
    global _find
    _find = find


def evaluate(name: str, operands: Sequence[Any]) -> Any:
    """The value of an operator on Arrays, NumPy arrays, numbers and lists.  Raises what NumPy raises."""
    operands = [np.asarray(unwrap(v)) if isinstance(v, list | tuple) else v for v in operands]
    if name == "power":
        operands = [unwrap(v) if is_number(v) else v for v in operands]  # the value of an exponent counts
    has_kernel = all(map(is_compiled, operands)) and not (name == "power" and depends_on_exponent(*operands))
    if _find is not None and has_kernel:  # a kernel takes an Array as it is, and need not wait for it
        return _find(name)(*operands)
    return PYTHON[name](*map(unwrap, operands))


def by_function(name: str, *args: Any, **kwargs: Any) -> Any:
    """What a function of NumPy's gives, compiled; NotImplemented where the language has not got it so."""
    return NotImplemented if _find is None else _find(f"np.{name}")(*args, **kwargs)


def is_compiled(operand: Any) -> bool:
    """Whether an operand has a type that compiled code takes."""
    if type(operand) is np.ndarray or isinstance(operand, np.generic | HeldValues):
        return operand.dtype in COMPILED
    if isinstance(operand, int):
        return -(2**63) <= operand < 2**63
    return isinstance(operand, float)


def is_number(operand: Any) -> bool:
    """Whether it is an Array that stands for a number, the result of a call that went on after it had returned.

    With anything but an array it does what the number does: `[0] * n` repeats a list, and ints know no end.
    """
    return isinstance(operand, HeldValues) and operand._is_number


def is_array(operand: Any) -> bool:
    """Whether it is an Array of elements."""
    return isinstance(operand, HeldValues) and not operand._is_number


def depends_on_exponent(base: Any, exponent: Any) -> bool:
    """Whether NumPy looks at the value of an exponent: a bool's square is int8, and `x ** 0.5` a square root."""
    has_bool = any(isinstance(v, bool) or getattr(v, "dtype", None) == np.bool_ for v in (base, exponent))
    return has_bool or (type(exponent) is float and exponent == 0.5)


def is_operator(ufunc: np.ufunc, inputs: Iterable[Any]) -> bool:
    """Whether a ufunc is an operator's, and no operand belongs to a class with its own rules."""
    if ufunc.__name__ not in PYTHON or ufunc is not getattr(np, ufunc.__name__, None):
        return False
    return all(type(part) is np.ndarray or isinstance(part, PLAIN) for part in inputs)


# --- methods of Array ----------------------------------------------------------------------------------------------


def unary(name: str) -> Callable[[Any], Any]:
    """The method `-x`, `abs(x)`, ..."""

    def method(self: HeldValues) -> Any:
        if is_number(self):
            return PYTHON[name](self._plain)
        return wrap(evaluate(name, (self,)), type(self))

    return method


def binary(name: str) -> Callable[[Any, Any], Any]:
    """The method `x + other`; objects that are no numbers may decide themselves."""

    def method(self: HeldValues, other: Any) -> Any:
        if is_number(self) and not is_array(other):
            return PYTHON[name](self._plain, unwrap(other))
        if type(other) is type(self) and _find is not None:  # native dispatch takes it as it is
            if name != "power" and self.dtype in COMPILED and other.dtype in COMPILED:
                return wrap(_find(name)(self, other), type(self))
        if not isinstance(other, OPERANDS):
            return protocols.defer(getattr(np, name), self, other, other)
        return wrap(evaluate(name, (self, other)), type(self))

    return method


def reflected(name: str) -> Callable[[Any, Any], Any]:
    """The method for `other + x`, where `other` did not know what to do."""

    def method(self: HeldValues, other: Any) -> Any:
        if is_number(self) and not is_array(other):
            return PYTHON[name](unwrap(other), self._plain)
        if not isinstance(other, OPERANDS):
            return protocols.defer(getattr(np, name), other, self, other)
        return wrap(evaluate(name, (other, self)), type(self))

    return method


def equality(name: str) -> Callable[[Any, Any], Any]:
    """The method `x == other`, which NumPy answers by element whatever `other` is."""

    def method(self: HeldValues, other: Any) -> Any:
        if isinstance(other, OPERANDS) and (is_array(other) or not is_number(self)):
            return wrap(evaluate(name, (self, other)), type(self))
        return wrap(PYTHON[name](self._plain, unwrap(other)), type(self))

    return method


def delegated(name: str, elsewhere: Callable[..., Any]) -> Callable[..., Any]:
    """A method that is NumPy's, with Arrays for arrays on both sides; `elsewhere` is asked first, and does what it can
    where NumPy has not got the elements.
    """
    of_numpy = getattr(np.ndarray, name)

    def method(self: HeldValues, *args: Any, **kwargs: Any) -> Any:
        if (found := elsewhere(self, name, args, kwargs)) is not NotImplemented:
            return found
        target = kwargs.get("out")
        protocols.refuse_output(target)
        result = of_numpy(self._values, *unwrap(args), **unwrap(kwargs))
        return result if target is not None else placed(wrap(result, type(self)), self)

    method.__name__, method.__doc__ = name, of_numpy.__doc__
    return method


def absent(name: str, instead: str) -> property:
    """A method of NumPy's that changes an array: not there, and the error says what to use."""

    def method(self: HeldValues) -> Any:
        raise AttributeError(f"'Array' object has no attribute {name!r}: it cannot be changed; use {instead}")

    return property(method)
