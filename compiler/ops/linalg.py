"""Rows: contractions, `matmul` as `@` means it and `einsum` of two operands.

    matmul   f64[n, k] @ f64[k, m] -> f64[n, m];  vectors and stacks of matrices as in NumPy
    einsum   subscripts="ij,jk->ik"; every letter stands in at least two of the three subscripts, once in each
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING

import gast
import numpy as np

from .. import syntax
from ..dtypes import is_bool, promote_dtypes
from ..types import Extent, Type, rank
from . import batching
from .cotangents import Atom, Atoms, Static, filled, fold
from .kinds import contraction
from .repeated import repeated, times_transposed, transposed_times
from .schema import Precedence, TypeFault
from .type_rules import agree, broadcast, dims_of, numeric, shape_word, shaped

if TYPE_CHECKING:
    from ..builder import Builder


def matmul_type(types: Sequence[Type]) -> Type:
    numeric("@", types)
    left, right = types
    for type_ in types:
        if not dims_of(type_):
            raise TypeFault("S002", f"`@` takes arrays, not {left} and {right}", "multiply by a number with `*`")
    a, b = dims_of(left), dims_of(right)
    _contracted("@", a, b, a[-1], b[-2] if len(b) > 1 else b[-1])
    rows = a[-2:-1] if len(a) > 1 else ()
    columns = b[-1:] if len(b) > 1 else ()
    stack = broadcast(a[:-2], b[:-2])
    return shaped(promote_dtypes(left.dtype, right.dtype), (*stack, *rows, *columns))  # type: ignore[union-attr]


def _contracted(name: str, a: Sequence[Extent], b: Sequence[Extent], left: Extent, right: Extent) -> None:
    if isinstance(left, int) and isinstance(right, int) and left != right:
        shapes = f"{shape_word(a)} and {shape_word(b)}"
        raise TypeFault("S003", f"`{name}` sums over unequal lengths {left} and {right}: {shapes}")


# --- matmul: cotangents --------------------------------------------------------------------------------------------


def _rank(builder: Builder, atom: gast.expr) -> int:
    return rank(builder.type_of(atom))


def _swapped(builder: Builder, x: gast.expr) -> gast.expr:
    """The last two axes exchanged."""
    rank = _rank(builder, x)
    return builder.call("transpose", x, axes=(*range(rank - 2), rank - 1, rank - 2))


def _column(builder: Builder, x: gast.expr) -> gast.expr:
    """`x[..., None]`"""
    return builder.load(x, [*[syntax.slice_()] * _rank(builder, x), syntax.constant(None)])


def _row(builder: Builder, x: gast.expr) -> gast.expr:
    """`x[..., None, :]`"""
    return builder.load(x, [*[syntax.slice_()] * (_rank(builder, x) - 1), syntax.constant(None), syntax.slice_()])


def matmul_left_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom | None:
    """a_bar = out_bar @ b.T, with the vectors' missing axes inserted."""
    a, b = operands
    if _rank(builder, a) == 1 and _rank(builder, b) == 1:
        return builder.call("multiply", out_bar, b)
    if _rank(builder, b) == 2 <= _rank(builder, a) and (same := repeated(builder, out_bar)) is not None:
        return times_transposed(builder, same, b, a)
    out_bar = filled(builder, out_bar, out)
    if _rank(builder, b) == 1:
        return _summed(builder, builder.call("multiply", _column(builder, out_bar), b), a)
    if _rank(builder, a) == 1:
        if _rank(builder, b) == 2:
            return builder.call("matmul", b, out_bar)
        product = builder.call("multiply", b, _row(builder, out_bar))
        partial = builder.call("sum", product, axis=_rank(builder, product) - 1, keepdims=False)
        return _summed(builder, partial, a)
    if _rank(builder, b) == 2 < _rank(builder, a):
        rows = builder.call("matmul", _rows(builder, out_bar), _swapped(builder, b))
        type_ = shaped(builder.type_of(rows).dtype, dims_of(builder.type_of(a)))  # type: ignore[union-attr]
        return batching.emit(builder, "reshape", [rows], type_, shape=_shape(builder, a))
    return _summed(builder, builder.call("matmul", out_bar, _swapped(builder, b)), a)


def matmul_right_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom | None:
    """b_bar = a.T @ out_bar, with the vectors' missing axes inserted."""
    a, b = operands
    if _rank(builder, a) == 1 and _rank(builder, b) == 1:
        return builder.call("multiply", out_bar, a)
    if _rank(builder, b) == 2 <= _rank(builder, a) and (same := repeated(builder, out_bar)) is not None:
        return transposed_times(builder, a if _rank(builder, a) == 2 else _rows(builder, a), same, b)
    out_bar = filled(builder, out_bar, out)
    if _rank(builder, a) == 1:
        column = _column(builder, a)
        return _summed(builder, builder.call("multiply", column, _row(builder, out_bar)), b)
    if _rank(builder, b) == 1:
        if _rank(builder, a) == 2:
            return builder.call("matmul", out_bar, a)
        product = builder.call("multiply", _column(builder, out_bar), a)
        return _summed(builder, product, b)
    if _rank(builder, b) == 2 < _rank(builder, a):
        return builder.call("matmul", _swapped(builder, _rows(builder, a)), _rows(builder, out_bar))
    return _summed(builder, builder.call("matmul", _swapped(builder, a), out_bar), b)


def _rows(builder: Builder, stack: gast.expr) -> gast.expr:
    """All rows of a stack of matrices, one below the other."""
    *lengths, columns = _shape(builder, stack).elts
    count = lengths[0]
    for length in lengths[1:]:
        count = builder.call("multiply", count, length, hint="rows")
    return builder.call("reshape", stack, shape=syntax.tuple_([count, columns]))


def _shape(builder: Builder, x: gast.expr) -> gast.Tuple:
    return syntax.tuple_(builder.call("dim", x, axis=k, hint="n") for k in range(_rank(builder, x)))


def _summed(builder: Builder, value: gast.expr, operand: gast.expr) -> gast.expr:
    """Sum over the stack of matrices that the operand was repeated along."""
    if dims_of(builder.type_of(value)) == dims_of(builder.type_of(operand)):
        return value
    return fold(builder, value, operand, [value])


contraction("matmul", "a, b", batch=batching.matmul, is_light=False, type=matmul_type, meaning=operator.matmul,
            vjp=[matmul_left_vjp, matmul_right_vjp],
            spelling="{a} @ {b}", precedence=Precedence.TERM, samples="products", python=("numpy.matmul",))  # fmt: skip


# --- einsum --------------------------------------------------------------------------------------------------------


def parts(subscripts: str) -> tuple[str, str, str]:
    """The letters of both operands and of the result."""
    inputs, _, result = subscripts.partition("->")
    left, _, right = inputs.partition(",")
    return left, right, result


def einsum_type(types: Sequence[Type], subscripts: str) -> Type:
    numeric("einsum", types)
    left, right, result = parts(subscripts)
    lengths: dict[str, Extent] = {}
    for letters, type_ in zip((left, right), types):
        dims = dims_of(type_)
        if len(letters) != len(dims):
            raise TypeFault("S002", f"einsum: `{letters}` names {len(letters)} axes of {type_}, which has {len(dims)}")
        for letter, extent in zip(letters, dims):
            lengths[letter] = _matched(letter, lengths.get(letter, 1), extent, types)
    places = [left, right, result]
    for letter in sorted(set(left + right + result)):
        if any(place.count(letter) > 1 for place in places) or sum(letter in place for place in places) < 2:
            message = f"einsum: `{letter}` must stand in two of the three places of `{subscripts}`, once each"
            raise TypeFault("S002", message)
    dtype = promote_dtypes(*(t.dtype for t in types))  # type: ignore[union-attr]
    if is_bool(dtype):
        raise TypeFault("T001", "`einsum` takes numbers, not bools", "convert first: `.astype(np.int64)`")
    return shaped(dtype, tuple(lengths[letter] for letter in result))


def _matched(letter: str, known: Extent, extent: Extent, types: Sequence[Type]) -> Extent:
    if known == 1 or known == extent:
        return extent
    if extent == 1:
        return known
    if isinstance(known, int) and isinstance(extent, int):
        raise TypeFault("S003", f"einsum: `{letter}` is both {known} and {extent} in {types[0]} and {types[1]}")
    return agree(known, extent)


def _einsum_vjp(position: int):
    """Exchange the operand with the result: a_bar = einsum(out_bar, b, "ik,jk->ij") for "ij,jk->ik"."""

    def rule(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom | None:
        letters = parts(static["subscripts"])
        mine, other, result = letters[position], letters[1 - position], letters[2]
        wanted, partner = operands[position], operands[1 - position]
        if not result:
            order = tuple(other.index(letter) for letter in mine)
            if order != tuple(range(len(order))):
                partner = builder.call("transpose", partner, axes=order)
            return fold(builder, builder.call("multiply", out_bar, partner), wanted, [partner])
        subscripts = f"{result},{other}->{mine}"
        value = builder.call("einsum", filled(builder, out_bar, out), partner, subscripts=subscripts)
        return fold(builder, value, wanted, [value])

    return rule


contraction("einsum", "a, b", batch=batching.einsum, is_light=False, type=einsum_type, static={"subscripts": ...},
            meaning=lambda a, b, subscripts: np.einsum(subscripts, a, b), vjp=[_einsum_vjp(0), _einsum_vjp(1)],
            spelling="np.einsum({subscripts}, {a}, {b})", samples="einsums")  # fmt: skip
