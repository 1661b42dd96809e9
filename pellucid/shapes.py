"""Types without values: what stands for an argument where only its shape and its dtype count.

    ShapeDtypeStruct((3, 4), np.float32)    ->    stands for an array, in `eval_shape`, `f.source` and `f.explain`
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from .compiler import types
from .compiler.dtypes import DTYPE_OF_NUMPY, NUMPY_DTYPE, NUMPY_NAMES
from .compiler.types import Dim


class ShapeDtypeStruct:
    """A shape and a dtype, as `eval_shape` gives and takes them.  Equal ones are equal, and it cannot be changed.

    shape      the lengths; () stands for a scalar of NumPy's
    dtype      what `np.dtype` takes
    weak_type  whether it stands for a number of Python's, which has no dtype of its own; its shape is ()

    Raises ValueError for lengths below 0 and TypeError for a dtype that compiled functions do not have.
    """

    # It is no dataclass: those are containers, which are taken apart where they are arguments.
    __slots__ = ("dtype", "shape", "weak_type")
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    weak_type: bool

    def __init__(self, shape: Sequence[int], dtype: Any, *, weak_type: bool = False) -> None:
        lengths = tuple(map(operator.index, shape))
        if min(lengths, default=0) < 0:
            raise ValueError(f"lengths are not negative: {lengths}")
        if np.dtype(dtype).newbyteorder("=") not in DTYPE_OF_NUMPY:
            raise TypeError(f"{np.dtype(dtype)} is none of the dtypes of compiled functions: {NUMPY_NAMES}")
        if weak_type and (lengths or np.dtype(dtype) not in (bool, int, float, complex)):
            raise ValueError("with weak_type it is a bool, int, float or complex of Python's, whose shape is ()")
        for name, value in zip(ShapeDtypeStruct.__slots__, (np.dtype(dtype), lengths, weak_type), strict=True):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a ShapeDtypeStruct cannot be changed: make another with this {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self.shape, self.dtype, self.weak_type)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ShapeDtypeStruct):
            return NotImplemented
        return self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash(self.__reduce__())

    def __repr__(self) -> str:
        weak = ", weak_type=True" if self.weak_type else ""
        return f"ShapeDtypeStruct(shape={self.shape}, dtype={self.dtype}{weak})"

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=object))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("what has the shape () has no length")
        return self.shape[0]


def _made(shape: tuple[int, ...], dtype: Any, weak_type: bool) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(shape, dtype, weak_type=weak_type)


def type_of_struct(struct: ShapeDtypeStruct) -> types.Type:
    """The type that a value of this shape has: lengths other than 1 are named when the function is specialised."""
    dtype = DTYPE_OF_NUMPY[struct.dtype.newbyteorder("=")]
    if not struct.shape:
        return types.Scalar(dtype, struct.weak_type)
    return types.Array(dtype, tuple(1 if length == 1 else types.symbol("any") for length in struct.shape))


def struct_of_type(found: types.Scalar | types.Array) -> ShapeDtypeStruct:
    """The reverse, of a type whose lengths are known.  Raises ValueError naming the axis whose length is not."""
    if isinstance(found, types.Scalar):
        return ShapeDtypeStruct((), NUMPY_DTYPE[found.dtype], weak_type=found.weak)
    lengths = [length for length in found.dims if not isinstance(length, Dim)]
    if len(lengths) < found.ndim:
        axis = next(axis for axis, length in enumerate(found.dims) if isinstance(length, Dim))
        raise ValueError(f"the length of its axis {axis} depends on values")
    return ShapeDtypeStruct(lengths, NUMPY_DTYPE[found.dtype])
