"""What indexing gives: the type of `base[items]`, in every form of NumPy's that the language has.

    f64[n, m][i]      f64[m]            f64[n][1:-1]      f64[n - 2]        f64[n][mask]    f64[k], k fresh
    f64[n, m][:, j]   any f64[n]        f64[n][::-1]      any f64[n]        f64[n, m][idx]  f64[p, m]

An item is an int atom, a `Slice` of atoms, `Constant(None)`, or the name of an integer or bool array.  Missing trailing
items are full slices.  A length that is not exact as an affine expression becomes a fresh symbol.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import gast

from ..dtypes import is_bool, is_inexact, is_integer
from ..records import dataclass
from ..types import Array, Extent, ListOf, Scalar, Type
from .schema import TypeFault
from .slices import is_full, slice_extent
from .type_rules import agree, broadcast

if TYPE_CHECKING:
    from ..builder import Builder

FULL = gast.Slice(None, None, None)

INDEX_MESSAGE = "index {{}} is out of bounds for axis {axis} with size {{}}"


def is_new_axis(item: gast.expr) -> bool:
    return isinstance(item, gast.Constant) and item.value is None


@dataclass(frozen=True, slots=True)
class Axis:
    """One item with what it meets: `kind` is int, slice, none, array or mask; `extents` the axes that it consumes."""

    kind: str
    item: gast.expr
    extents: tuple[Extent, ...]
    type: Type | None = None


def index_type(builder: Builder, base: Type, items: Sequence[gast.expr]) -> Type:
    """The type of `base[items]`.  TypeFault S002: too many items; T001: items that do not index; S003: masks."""
    if isinstance(base, ListOf):
        return _element(builder, base, items)
    if not isinstance(base, Array):
        raise TypeFault("T001", f"a single number of type {base} cannot be indexed")
    axes = matched(builder, base, items)
    if any(axis.kind in ("array", "mask") for axis in axes):
        return _advanced(builder, base, axes)
    dims = [_length(builder, axis) for axis in axes if axis.kind != "int"]
    return Array(base.dtype, tuple(dims), _layout(base, axes)) if dims else Scalar(base.dtype)


def _element(builder: Builder, base: ListOf, items: Sequence[gast.expr]) -> Type:
    kinds = [_kind(builder, item)[0] for item in items]
    if kinds != ["int"]:
        raise TypeFault("T001", f"a list is indexed by one int; {base} was indexed by {len(items)} items or a slice")
    return base.element


# --- matching items with axes --------------------------------------------------------------------------------------


def matched(builder: Builder, base: Array, items: Sequence[gast.expr]) -> list[Axis]:
    """Every item with the lengths of the axes that it consumes, full slices added at the end."""
    found = [(item, *_kind(builder, item)) for item in items]
    needed = sum(_consumed(kind, type_) for _, kind, type_ in found)
    if needed > base.ndim:
        raise TypeFault(
            "S002", f"too many indices for array: {base} is {base.ndim}-dimensional, but {needed} were indexed"
        )
    axes, place = [], 0
    for item, kind, type_ in found:
        count = _consumed(kind, type_)
        axes.append(Axis(kind, item, base.dims[place : place + count], type_))
        place += count
    return axes + [Axis("slice", FULL, (extent,)) for extent in base.dims[place:]]


def _kind(builder: Builder, item: gast.expr) -> tuple[str, Type | None]:
    if isinstance(item, gast.Slice):
        for part in (item.lower, item.upper, item.step):
            if part is not None:
                _require_int(builder.type_of(part), "a slice bound")
        return "slice", None
    if is_new_axis(item):
        return "none", None
    type_ = builder.type_of(item)
    if isinstance(type_, Array) and not is_inexact(type_.dtype):
        return "mask" if is_bool(type_.dtype) else "array", type_
    _require_int(type_, "an index")
    return "int", type_


def _require_int(type_: Type, what: str) -> None:
    if not isinstance(type_, Scalar) or not is_integer(type_.dtype):
        raise TypeFault("T001", f"{what} must be an int, not {type_}")


def _consumed(kind: str, type_: Type | None) -> int:
    if kind == "mask":
        return type_.ndim  # type: ignore[union-attr]
    return 0 if kind == "none" else 1


def _length(builder: Builder, axis: Axis) -> Extent:
    return 1 if axis.kind == "none" else slice_extent(builder, cast(gast.Slice, axis.item), axis.extents[0])


def _layout(base: Array, axes: Sequence[Axis]) -> str:
    """Still C order when what is kept is one run of memory: ints, at most one step-1 slice, then everything."""
    if base.layout != "C":
        return "A"
    rest = [axis for axis in axes if axis.kind != "none"]
    while rest and rest[0].kind == "int":
        rest.pop(0)
    if rest and isinstance(step := rest[0].item.step, gast.Constant | None):
        if step is None or step.value in (None, 1):
            rest.pop(0)
    return "C" if all(is_full(axis.item) for axis in rest) else "A"


# --- integer arrays and masks --------------------------------------------------------------------------------------


def advanced_place(axes: Sequence[Axis]) -> int:
    """Where the dimensions of the index arrays go: at the first of them when they are neighbours, else in front."""
    places = [k for k, axis in enumerate(axes) if axis.kind in ("int", "array", "mask")]
    if places[-1] - places[0] + 1 != len(places):
        return 0
    return sum(axis.kind in ("slice", "none") for axis in axes[: places[0]])


def _advanced(builder: Builder, base: Array, axes: Sequence[Axis]) -> Type:
    masks = [axis for axis in axes if axis.kind == "mask"]
    if masks and any(axis.kind == "array" for axis in axes) or len(masks) > 1:
        raise TypeFault("T001", "a mask cannot be combined with another index array here")
    for axis in masks:
        _fits(axis, base)
    shapes = [axis.type.dims for axis in axes if axis.kind == "array"]  # type: ignore[union-attr]
    dims = (builder.fresh_symbol("count"),) if masks else broadcast(*shapes)
    kept = [_length(builder, axis) for axis in axes if axis.kind in ("slice", "none")]
    place = advanced_place(axes)
    result = (*kept[:place], *dims, *kept[place:])
    return Array(base.dtype, result) if result else Scalar(base.dtype)


def _fits(axis: Axis, base: Array) -> None:
    for own, there in zip(axis.type.dims, axis.extents):  # type: ignore[union-attr]
        if isinstance(own, int) and isinstance(there, int) and own != there:
            raise TypeFault("S003", f"boolean index did not match: the mask is {axis.type} and the array {base}")
        agree(own, there)
