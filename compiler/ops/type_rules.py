"""Type rules: the dtype and the dimensions that NumPy gives to a result.

    result_dtype(np.arctan2, (f32[n], int))    ->    f32        NumPy's own answer, NEP 50 included
    broadcast((n, 1), (m,))                    ->    (n, m)

A *dtype rule* takes the operator's name and its operand types and gives (dtype, weak); a *type rule* adds the shape.
Whatever NumPy would answer in a dtype that the language lacks (longdouble, object) is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from ..dtypes import (
    BOOL_WORD,
    DTYPE,
    DTYPE_OF_NUMPY,
    FLOAT_WORD,
    INT_WORD,
    NUMPY_DTYPE,
    PYTHON_TYPE,
    as_float,
    is_bool,
    is_complex,
    is_inexact,
    order,
    part_of,
    promote_dtypes,
)
from ..types import Array, Dim, Extent, ListOf, Scalar, Type, dtype_of, promote
from .schema import TypeFault

DtypeRule = Callable[[str, Sequence[Type]], tuple[str, bool]]
_WEAK_FOR_NUMPY: dict[str, object] = {**PYTHON_TYPE, BOOL_WORD: np.dtype(np.bool_)}


# --- dtypes --------------------------------------------------------------------------------------------------------


def words(types: Sequence[Type]) -> str:
    """`f64[n] and bool`, for messages."""
    parts = [str(t) for t in types]
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def shown(description: object) -> str:
    """A value as a message calls it: a type, a name, or a printed value."""
    if isinstance(description, Scalar | Array | ListOf):
        return str(description)
    described = getattr(description, "cls", description)  # an instance as its class
    return getattr(described, "__name__", None) or repr(described)


def in_floats(name: str, types: Sequence[Type]) -> str:
    """The dtype in which NumPy's linear algebra works: ints are taken in float64, and it has the floats of LAPACK."""
    found = promote_dtypes(*(as_float(dtype_of(t)) for t in types))
    if not all(DTYPE[as_float(dtype_of(t))].letter for t in types):
        fault = f"`{name}` does not take {words(types)}: array type {NUMPY_DTYPE[found]} is unsupported in linalg"
        raise TypeFault("T001", fault, "convert first: `.astype(np.float64)`")
    return found


def numeric(name: str, types: Sequence[Type]) -> None:
    """Refuse growable lists as operands."""
    for type_ in types:
        if isinstance(type_, ListOf):
            message = f"`{name}` takes numbers and arrays, not a list that grows: {type_}"
            raise TypeFault("T001", message, "make an array of it: `np.array(...)`")


def real_only(name: str, types: Sequence[Type]) -> None:
    """Refuse complex numbers."""
    if any(not isinstance(t, ListOf) and is_complex(t.dtype) for t in types):
        fault = f"`{name}` does not take complex numbers here: {words(types)}"
        raise TypeFault("U017", fault, "take a part of it: `z.real`, `z.imag` or `abs(z)`")


def is_weak(type_: Type) -> bool:
    return isinstance(type_, Scalar) and type_.weak


def all_weak(types: Sequence[Type]) -> bool:
    return all(map(is_weak, types))


def is_pythons(types: Sequence[Type]) -> bool:
    """Whether it is Python's complex number that meets a NumPy scalar: those of float64 are Python's floats to it."""
    if len(types) != 2 or not is_weak(types[0]) or not is_complex(dtype_of(types[0])):
        return False
    return types[1] == Scalar(FLOAT_WORD)


def loop_dtypes(ufunc: np.ufunc, types: Sequence[Scalar | Array]) -> tuple[np.dtype, ...]:
    """The dtypes of the loop NumPy runs: what each operand is converted to, then the results.  TypeError if none."""
    keep_weak = not all_weak(types)
    return _resolve(ufunc, tuple((t.dtype, keep_weak and is_weak(t)) for t in types))


@cache
def _resolve(ufunc: np.ufunc, operands: tuple[tuple[str, bool], ...]) -> tuple[np.dtype, ...]:
    asked = [_WEAK_FOR_NUMPY[dtype] if weak else NUMPY_DTYPE[dtype] for dtype, weak in operands]
    return ufunc.resolve_dtypes((*asked, *[None] * ufunc.nout))  # type: ignore[arg-type]


def from_numpy(ufunc: np.ufunc, hint: str = "") -> DtypeRule:
    """The result is never weak, and its dtype is what the ufunc gives."""

    def rule(name: str, types: Sequence[Type]) -> tuple[str, bool]:
        numeric(name, types)
        try:
            answer = loop_dtypes(ufunc, types)[-1]  # type: ignore[arg-type]
        except TypeError:
            raise TypeFault("T001", f"`{name}` does not take {words(types)}{hint}") from None
        if answer not in DTYPE_OF_NUMPY:
            fault = f"`{name}` of {words(types)} is {answer} in NumPy, which is not supported"
            raise TypeFault("T001", fault, "convert first: `.astype(np.float64)`")
        return DTYPE_OF_NUMPY[answer], False

    return rule


def python_or(python: Callable[[Sequence[str]], str], ufunc: np.ufunc, hint: str = "") -> DtypeRule:
    """Python's own arithmetic where every operand is a Python scalar (the result is one too), else NumPy's."""
    strong = from_numpy(ufunc, hint)

    def rule(name: str, types: Sequence[Type]) -> tuple[str, bool]:
        numeric(name, types)
        dtype = python([t.dtype for t in types])  # type: ignore[union-attr]
        if not all_weak(types) and not (dtype and is_pythons(types)):
            return strong(name, types)
        if not dtype:
            raise TypeFault("T001", f"`{name}` does not take {words(types)}")
        return dtype, True

    return rule


def python_number(dtypes: Sequence[str]) -> str:
    """int, unless one is of a higher kind: bools count as ints."""
    return max(*dtypes, INT_WORD, key=order)


def python_size(dtypes: Sequence[str]) -> str:
    """That of an absolute value: a float of complex numbers."""
    return part_of(python_number(dtypes))


def python_float(dtypes: Sequence[str]) -> str:
    return max(*dtypes, FLOAT_WORD, key=order)


def python_bool(dtypes: Sequence[str]) -> str:
    return BOOL_WORD


def python_bits(dtypes: Sequence[str]) -> str:
    """bool of bools, int of ints, nothing of floats."""
    return "" if any(map(is_inexact, dtypes)) else INT_WORD if INT_WORD in dtypes else BOOL_WORD


def python_shift(dtypes: Sequence[str]) -> str:
    return "" if any(map(is_inexact, dtypes)) else INT_WORD


def python_order(dtypes: Sequence[str]) -> str:
    """Python has no order of complex numbers."""
    return "" if any(map(is_complex, dtypes)) else BOOL_WORD


def python_only(function: Callable[..., object], dtype: str) -> DtypeRule:
    """A function of Python's: single numbers in, a Python number out; Python says which of NumPy's numbers it takes."""

    def rule(name: str, types: Sequence[Type]) -> tuple[str, bool]:
        numeric(name, types)
        if any(isinstance(t, Array) for t in types):
            public = name.replace("math_", "math.")
            same = f": `np.{function.__name__}`" if hasattr(np, function.__name__) else ""
            message = f"`{public}` takes single numbers, not {words(types)}"
            raise TypeFault("T001", message, f"the function of `numpy` takes arrays{same}")
        if not all(is_weak(t) for t in types) and not _takes(function, tuple(t.dtype for t in types)):  # type: ignore
            message = f"`{name.replace('math_', 'math.')}` does not take {words(types)}"
            raise TypeFault("T001", message, "convert it: `int(...)` or `float(...)`")
        return dtype, True

    return rule


@cache
def _takes(function: Callable[..., object], dtypes: tuple[str, ...]) -> bool:
    try:
        function(*(NUMPY_DTYPE[dtype].type(1) for dtype in dtypes))
    except TypeError:
        return False
    except (ValueError, ArithmeticError):
        return True
    return True


# --- shapes --------------------------------------------------------------------------------------------------------


def dims_of(type_: Type) -> tuple[Extent, ...]:
    return type_.dims if isinstance(type_, Array) else ()


def shape_word(dims: Sequence[Extent]) -> str:
    """`(n, 3)` and `(n,)`, as NumPy prints shapes."""
    return f"({dims[0]},)" if len(dims) == 1 else f"({', '.join(map(str, dims))})"


def broadcast(*shapes: tuple[Extent, ...]) -> tuple[Extent, ...]:
    """NumPy's broadcasting; S001 where the shapes certainly do not fit.  A symbol is not 1."""
    result: list[Extent] = []
    for axis in range(max(map(len, shapes), default=0), 0, -1):
        joined: Extent = 1
        for shape in shapes:
            if len(shape) >= axis:
                joined = _join(joined, shape[-axis], shapes)
        result.append(joined)
    return tuple(result)


def _join(left: Extent, right: Extent, shapes: Sequence[tuple[Extent, ...]]) -> Extent:
    if right == 1:
        return left
    if left == 1 or left == right:
        return right
    if isinstance(left, int) and isinstance(right, int):
        together = " ".join(map(shape_word, shapes))
        raise TypeFault("S001", f"operands could not be broadcast together with shapes {together}")
    return agree(left, right)


def agree(left: Extent, right: Extent) -> Extent:
    """Of two lengths that a guard proves equal, the one that says more."""
    return right if isinstance(left, Dim) and isinstance(right, int) else left


def shaped(dtype: str, dims: tuple[Extent, ...], weak: bool = False, layout: str = "C") -> Scalar | Array:
    """A computed result: NumPy gives a scalar where no dimension is left."""
    return Array(dtype, dims, layout) if dims else Scalar(dtype, weak)


def normal_axis(axis: object, rank: int, what: str = "axis") -> int:
    """An axis counted from the front; S002 where there is no such axis, R001 where it is not an int."""
    if not isinstance(axis, int | np.integer) or isinstance(axis, bool):
        raise TypeFault("R001", f"{what} must be an int that is known when the function is compiled, not {shown(axis)}")
    if not -rank <= axis < rank:
        raise TypeFault("S002", f"axis {axis} is out of bounds for array of dimension {rank}")
    return int(axis) % rank


def normal_axes(axis: object, rank: int) -> tuple[int, ...]:
    """The axes that `axis=None`, an int or a tuple name, in order."""
    if axis is None:
        return tuple(range(rank))
    axes = tuple(normal_axis(a, rank) for a in axis) if isinstance(axis, tuple) else (normal_axis(axis, rank),)
    if len(set(axes)) < len(axes):
        raise TypeFault("S002", f"duplicate value in axis {axis}")
    return tuple(sorted(axes))


def kind_word(type_: Type) -> str:
    return DTYPE[type_.dtype].kind  # type: ignore[union-attr]


def where_dtype(name: str, types: Sequence[Type]) -> tuple[str, bool]:
    """What fits both choices; weak only where all three are scalars and both choices weak."""
    numeric(name, types)
    condition, *choices = types
    if not is_bool(condition.dtype):  # type: ignore[union-attr]
        raise TypeFault("T001", f"the condition of `{name}` must be bool, not {condition}", "compare it: `x != 0`")
    dtype, weak = promote(*choices)  # type: ignore[arg-type]
    return dtype, weak and isinstance(condition, Scalar)
