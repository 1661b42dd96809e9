"""Rows: the structure of arrays, and conversion between dtypes.

    reshape(x, shape=(n, 2))   transpose(x, axes=(1, 0))   broadcast_to(x, shape=(m, n))   concatenate(x, y, axis=0)
    copy(x)   dim(x, axis=0) -> int   cast(x, dtype="f32")
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from .. import syntax, types
from ..dtypes import BOOL_WORD, FLOAT_WORD, NUMPY_DTYPE, PYTHON_TYPE, order, promote_dtypes
from ..types import INT, Array, Extent, Scalar, Type, of_complex
from . import batching, collapsing, intervals
from .cotangents import Atom, Atoms, Static, fold, length, shape_of
from .kinds import structural
from .raising import always, conversion, of_arrays
from .schema import Operator, TypeFault, declare
from .type_rules import agree, broadcast, dims_of, normal_axis, numeric, shape_word
from .works_in import as_it_is

if TYPE_CHECKING:
    from ..builder import Builder


def _array(name: str, type_: Type) -> Array:
    if not isinstance(type_, Array):
        raise TypeFault("T001", f"`{name}` takes an array, not {type_}")
    return type_


# --- type rules ----------------------------------------------------------------------------------------------------


def reshape_type(operands: Sequence[Type], shape: tuple[Extent, ...]) -> Type:
    """A C array of the new shape; lengths that are all static must multiply to the size."""
    old = dims_of(_array("reshape", operands[0]))
    if all(isinstance(d, int) for d in (*old, *shape)) and prod(old) != prod(shape):  # type: ignore[arg-type]
        size = prod(old)  # type: ignore[arg-type]
        raise TypeFault("S003", f"cannot reshape array of size {size} into shape {shape_word(shape)}")
    return Array(operands[0].dtype, shape)  # type: ignore[union-attr]


def transpose_type(operands: Sequence[Type], axes: tuple[int, ...]) -> Type:
    x = _array("transpose", operands[0])
    order = tuple(normal_axis(k, x.ndim) for k in axes)
    if sorted(order) != list(range(x.ndim)):
        raise TypeFault("S002", f"axes {axes} do not name each of the {x.ndim} axes of {x} once")
    layout = x.layout if order == tuple(range(x.ndim)) else "A"
    return Array(x.dtype, tuple(x.dims[k] for k in order), layout)


def broadcast_to_type(operands: Sequence[Type], shape: tuple[Extent, ...]) -> Type:
    (x,) = operands
    numeric("broadcast_to", operands)
    given = dims_of(x)
    fits = len(given) <= len(shape) and broadcast(given, shape) is not None
    if not fits or any(isinstance(b, int) and b == 1 and a != 1 for a, b in zip(given[::-1], shape[::-1])):
        raise TypeFault("S001", f"{x} could not be broadcast to shape {shape_word(shape)}")
    return Array(x.dtype, shape, "A")  # type: ignore[union-attr]


def concatenate_type(operands: Sequence[Type], axis: int) -> Type:
    arrays = [_array("concatenate", t) for t in operands]
    first = arrays[0]
    if first.ndim == 0:
        message = "zero-dimensional arrays cannot be concatenated"
        raise TypeFault("S002", message, "make an array of them: `np.stack(...)`")
    axis = normal_axis(axis, first.ndim)
    total = first.dims[axis]
    dims = list(first.dims)
    for other in arrays[1:]:
        if other.ndim != first.ndim:
            raise TypeFault("S002", f"arrays to concatenate must have the same rank: {first} and {other}")
        for k in range(first.ndim):
            if k != axis:
                dims[k] = _equal(dims[k], other.dims[k], first, other)
        total = types.sum_of_lengths(total, other.dims[axis])
    dims[axis] = total
    return Array(promote_dtypes(*(a.dtype for a in arrays)), tuple(dims))


def _equal(left: Extent, right: Extent, first: Type, other: Type) -> Extent:
    if isinstance(left, int) and isinstance(right, int) and left != right:
        raise TypeFault("S003", f"all dimensions but the concatenation axis must match exactly: {first} and {other}")
    return agree(left, right)


def dim_type(operands: Sequence[Type], axis: int) -> Type:
    x = _array("dim", operands[0])
    normal_axis(axis, x.ndim)
    return INT


def copy_type(operands: Sequence[Type]) -> Type:
    x = _array("copy", operands[0])
    return Array(x.dtype, x.dims)


# --- cotangents ----------------------------------------------------------------------------------------------------


def _is_constant(builder: Builder, out_bar) -> bool:
    """Whether one number stands for the whole cotangent, which then has the same form for any rearrangement."""
    return isinstance(builder.type_of(out_bar), Scalar)


def reshape_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom | None:
    if _is_constant(builder, out_bar):
        return out_bar
    return builder.call("reshape", out_bar, shape=shape_of(builder, operands[0]))


def transpose_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom | None:
    if _is_constant(builder, out_bar):
        return out_bar
    rank = len(static["axes"])
    order = [k % rank for k in static["axes"]]
    return builder.call("transpose", out_bar, axes=tuple(order.index(k) for k in range(rank)))


def broadcast_to_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom | None:
    return fold(builder, out_bar, operands[0], [*operands, out])


def concatenate_vjp(
    builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom, position: int
) -> Atom | None:
    """Each part gets its slice."""
    if _is_constant(builder, out_bar):
        return out_bar
    rank = types.rank(builder.type_of(out))
    axis = static["axis"] % rank
    lower: object = None
    for before in operands[:position]:
        size = length(builder, before, axis)
        lower = size if lower is None else builder.call("add", lower, size, hint="lower")
    upper: object = None
    if position < len(operands) - 1:
        size = length(builder, operands[position], axis)
        upper = size if lower is None else builder.call("add", lower, size, hint="upper")
    items = [syntax.slice_()] * rank
    items[axis] = syntax.slice_(lower, upper)
    return builder.load(out_bar, items)


def sharded_type(operands: Sequence[Type], spec: tuple[object, ...]) -> Type:
    """`spec` has for each axis the names of the axes of a mesh that cut it, or None."""
    return copy_type(operands)


def copy_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom | None:
    return out_bar


def cast_slope(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom | None:
    """Floats pass through; what was rounded to ints is locally constant."""
    return out_bar if types.is_floating(builder.type_of(out)) else None


# --- rows ----------------------------------------------------------------------------------------------------------

structural("reshape", "x", raises=always, type=reshape_type, static={"shape": ...}, vjp=[reshape_vjp],
           batch=batching.reshape, samples="reshapes", collapses=collapsing.of_reshapes,
           shares="either", meaning=lambda x, shape: np.reshape(x, shape), spelling="{x}.reshape({shape})")  # fmt: skip
structural("transpose", "x", type=transpose_type, static={"axes": ...}, vjp=[transpose_vjp], samples="transposes",
           batch=batching.transpose, shares="view", collapses=collapsing.of_transposes,
           meaning=lambda x, axes: np.transpose(x, axes), spelling="{x}.transpose({axes})")  # fmt: skip
structural("broadcast_to", "x", raises=of_arrays, type=broadcast_to_type, static={"shape": ...}, vjp=[broadcast_to_vjp],
           batch=batching.broadcast_to, samples="broadcasts", collapses=collapsing.of_the_like,
           meaning=lambda x, shape: np.broadcast_to(x, shape), shares="read-only",
           spelling="np.broadcast_to({x}, {shape})")  # fmt: skip
structural("concatenate", "*xs", raises=always, is_light=False, type=concatenate_type, static={"axis": 0},
           batch=batching.concatenate, vjp=[concatenate_vjp], samples="joins",
           meaning=lambda *xs, axis: np.concatenate(xs, axis),
           spelling="np.concatenate(({xs}), axis={axis})")  # fmt: skip
structural("copy", "x", copies=True, type=copy_type, vjp=[copy_vjp], samples="arrays_alone", meaning=lambda x: x.copy(),
           batch=batching.copy, spelling="{x}.copy()")  # fmt: skip
structural("with_sharding", "x", static={"spec": ...}, type=sharded_type, vjp=[copy_vjp], samples="sharded",
           copies=True, batch=batching.with_sharding, meaning=lambda x, spec: x.copy(),
           spelling="pellucid.support.with_sharding({x}, spec={spec})")  # fmt: skip
structural("dim", "x", work="light", type=dim_type, static={"axis": ...}, vjp=[None], samples="lengths",
           meaning=lambda x, axis: x.shape[axis], spelling="{x}.shape[{axis}]")  # fmt: skip


def cast_type(operands: Sequence[Type], dtype: str, weak: bool = False) -> Type:
    (x,) = operands
    numeric("cast", operands)
    if weak and isinstance(x, Array):
        message = f"only a single number becomes a Python number, not {x}"
        raise TypeFault("T001", message, "take an element first: `x[0]`")
    is_pythons = weak or isinstance(x, Scalar) and x.weak
    if is_pythons and of_complex(x) and order(FLOAT_WORD) >= order(dtype) > order(BOOL_WORD):
        python = PYTHON_TYPE[dtype].__name__ if weak else NUMPY_DTYPE[dtype].name
        fault = f"`{python}` takes real numbers, not {x}"
        raise TypeFault("U017", fault, "take a part of it: `z.real`, `z.imag` or `abs(z)`")
    return Scalar(dtype, weak) if isinstance(x, Scalar) else Array(dtype, x.dims)  # type: ignore[union-attr]




def convert(x, dtype, weak=False):
    """To a Python number (int truncates, and refuses nan), or to a NumPy dtype as astype does."""
    if weak:
        return PYTHON_TYPE[dtype](x)
    if np.iscomplexobj(x) and np.dtype(NUMPY_DTYPE[dtype]).kind not in "cb":
        x = x.real  # without the warning that the imaginary part is left
    return x.astype(NUMPY_DTYPE[dtype]) if isinstance(x, np.ndarray) else NUMPY_DTYPE[dtype].type(x)


declare(
    Operator(
        name="cast",
        kind="elementwise",
        of_complex="own",
        operands=("x",),
        static={"dtype": ..., "weak": False},
        type_rule=cast_type,
        meaning=convert,
        spelling="{x}.astype({dtype})",
        scalar_spelling="{dtype}({x})",
        partials=(cast_slope,),
        is_even=True,
        natural=all,
        interval=intervals.unchanged,
        collapses=collapsing.of_conversions,
        work="free",
        works_in=as_it_is,
        raises=conversion,
        samples="conversions",
    )
)
