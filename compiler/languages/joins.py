"""The types of names that are assigned more than once: the least type that holds all their values.

    s = 0.0; s += x[i]      with x: f64[n]      s: f64
    a = x; a = a[1:]        with x: f64[n]      a: f64[a]      lengths that differ get a symbol of the name's own
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .. import types
from ..diagnostics import Diagnostic, StageError
from ..dtypes import promote_dtypes
from ..program import Function
from ..types import Array, Dim, Extent, ListOf, Scalar, Type
from .faults import span_of
from .files import Definition

MOST_ROUNDS = 60


class Restart(Exception):
    """The type of a merged name turned out wider than its first assignment: read again, knowing that."""


def settled_types(definition: Definition, path: str, read: Callable[[dict[str, Type]], Function]) -> Function:
    """What `read` gives once it knows the types that merged names need."""
    wanted: dict[str, Type] = {}
    for _ in range(MOST_ROUNDS):
        try:
            return read(wanted)
        except Restart:
            continue
    place = span_of(definition.tree, path)
    raise StageError(Diagnostic("L003", f"the types of {', '.join(wanted)} do not settle", place))


def join(left: Type, right: Type, name: str, annotated: bool = False) -> Type | None:
    """The least type that holds both; an annotation is believed about lengths, which the verifier checks."""
    if left == right:
        return left
    if isinstance(left, ListOf) or isinstance(right, ListOf):
        both = isinstance(left, ListOf) and isinstance(right, ListOf)
        return left if both and dtype_key(left.element) == dtype_key(right.element) else None  # type: ignore[union-attr]
    if type(left) is not type(right) or types.rank(left) != types.rank(right):
        return None
    if isinstance(left, Scalar):
        return Scalar(*types.promote(left, right))
    assert isinstance(right, Array)
    dims = left.dims if annotated else tuple(
        one_length(a, b, name, axis) for axis, (a, b) in enumerate(zip(left.dims, right.dims))
    )
    layout = left.layout if left.layout == right.layout else "A"
    return replace(left, dtype=promote_dtypes(left.dtype, right.dtype), dims=dims, layout=layout)


def one_length(left: Extent, right: Extent, name: str, axis: int) -> Extent:
    """A length that may be either; a symbol that belongs to the name says nothing of other arrays."""
    own: Dim = types.symbol(f"{name}__{axis}")
    return left if left == right else own


def is_weak(type_: Type) -> bool:
    return isinstance(type_, Scalar) and type_.weak


def dtype_key(type_: Type) -> object:
    return None if isinstance(type_, ListOf) else (type_.dtype, is_weak(type_))
