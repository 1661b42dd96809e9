"""Rows: arrays made from nothing.  Shapes are tuples of ints; dtypes are the words of `DTYPES`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from ..dtypes import FLOAT_WORD, INT_WORD, NUMPY_DTYPE, is_complex
from ..types import Array, Extent, Scalar, Type
from .batching import filled
from .cotangents import Atom, Atoms, Static
from .kinds import creation
from .raising import always
from .schema import TypeFault, TypeRule

if TYPE_CHECKING:
    from ..builder import Builder


def makes(rank: int | None = None) -> TypeRule:
    """A fresh array of the shape and dtype asked for."""

    def rule(types: Sequence[Type], shape: tuple[Extent, ...], dtype: str, **_: object) -> Type:
        if rank is not None and len(shape) != rank:
            raise TypeFault("S002", f"a shape of {rank} lengths is needed here, not {len(shape)}")
        for type_ in types:
            if not isinstance(type_, Scalar):
                raise TypeFault("T001", f"a single number is needed here, not {type_}")
            if is_complex(type_.dtype) and not is_complex(dtype):
                fault = f"a complex number does not fit into {Array(dtype, shape)}"
                raise TypeFault("U017", fault, "make the array complex: `dtype=complex`")
        return Array(dtype, shape)

    return rule


def full_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom | None:
    """The one value was copied to every element."""
    if isinstance(builder.type_of(out_bar), Array):
        return builder.call("sum", out_bar, axis=None, keepdims=False)
    for length in elements(static["shape"]):
        out_bar = builder.call("multiply", out_bar, length)
    return out_bar


def step_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom | None:
    """The step enters element k with the factor k."""
    moment = builder.call("multiply", out_bar, _counts(builder, static))
    return builder.call("sum", moment, axis=None, keepdims=False)


def arange_jvp(
    builder: Builder, operands: Atoms, tangents: Sequence[Atom | None], static: Static, out: Atom
) -> Atom | None:
    """start_dot + k * step_dot"""
    start_dot, _, step_dot = tangents
    if step_dot is None:
        return start_dot
    moved = builder.call("multiply", step_dot, _counts(builder, static))
    return moved if start_dot is None else builder.call("add", start_dot, moved)


def _counts(builder: Builder, static: Static) -> Atom:
    """0, 1, 2, ... for the elements of a progression, in its dtype."""
    (length,) = elements(static["shape"])
    return builder.call("arange", 0, length, 1, shape=static["shape"], dtype=static["dtype"])


def elements(shape: object) -> Sequence[object]:
    """The lengths of a static shape: ints, or atoms where it holds names."""
    return shape.elts if isinstance(shape, gast.Tuple) else shape  # type: ignore[return-value]


def _blank(make: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    return lambda shape, dtype: make(shape, dtype=NUMPY_DTYPE[dtype])


def _counted(start: Any, stop: Any, step: Any, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    kind: Any = NUMPY_DTYPE[dtype]
    return np.arange(start, stop, step, dtype=kind)


def _diagonal(shape: tuple[int, int], offset: int, dtype: str) -> np.ndarray:
    kind: Any = NUMPY_DTYPE[dtype]
    return np.eye(*shape, offset, dtype=kind)


def _given(values: tuple[Any, ...], shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """The numbers, row by row, in an array of this shape."""
    kind: Any = NUMPY_DTYPE[dtype]
    return np.array(values, dtype=kind).reshape(shape)


for _name in ("zeros", "ones", "empty"):
    creation(_name, "", type=makes(), meaning=_blank(getattr(np, _name)), static={"shape": ..., "dtype": FLOAT_WORD},
             vjp=(), batch=filled, spelling=f"np.{_name}({{shape}}, {{dtype}})", samples="shapes")  # fmt: skip

creation("full", "value", type=makes(), static={"shape": ..., "dtype": FLOAT_WORD}, vjp=[full_vjp], samples="fills",
         batch=filled,
         meaning=lambda value, shape, dtype: np.full(shape, value, NUMPY_DTYPE[dtype]),
         spelling="np.full({shape}, {value}, {dtype})")  # fmt: skip

# The length is stated, so that it is a dimension of the type; `stop` is kept for the printed form.  Element k of floats
# is `start + k * ((start + step) - start)`, as NumPy rounds it.
creation("arange", "start, stop, step", raises=always, type=makes(rank=1), static={"shape": ..., "dtype": INT_WORD},
         meaning=_counted, vjp=[full_vjp, None, step_vjp], jvp=arange_jvp, samples="progressions",
         spelling="np.arange({start}, {stop}, {step}, {dtype})")  # fmt: skip

creation("eye", "", type=makes(rank=2), static={"shape": ..., "offset": 0, "dtype": FLOAT_WORD}, vjp=(),
         samples="squares", meaning=_diagonal,
         spelling="np.eye(*{shape}, {offset}, {dtype})")  # fmt: skip


# `values` is one constant, however many numbers there are, so that no pass looks at each of them.
creation("table", "", type=makes(), static={"values": ..., "shape": ..., "dtype": FLOAT_WORD}, vjp=(), samples="tables",
         meaning=_given, spelling="np.array({values}, {dtype}).reshape({shape})")  # fmt: skip
