"""Let a slice that takes one element broadcast where another length meets it.

    y = pos[:, 1:2]          y: f64[n, n_1]      n_1 is 1, or 0 where the axis is too short
    t = y.T - y       ->     if dim(y, axis=1) != 1: raise ValueError(...)
                             y_1 = y[:, 0:1]     y_1: f64[n, 1]

The length of such a slice stays what NumPy makes it as long as nothing has to be repeated along it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import gast

from .... import syntax
from ....ops.schema import OPERATORS
from ....types import Array, Dim, Extent
from ..limits import limit

if TYPE_CHECKING:
    from ..frame import Frame

TOO_SHORT = "a slice of one element is repeated here, but the axis that it was taken from is too short to have it"


def repeated(frame: Frame, operator: str, atoms: list[gast.expr]) -> list[gast.expr]:
    """The operands of an operator; a slice's single element has length 1 along an axis that the others make longer."""
    row = OPERATORS.get(operator)
    if row is None or row.kind != "elementwise" or not frame.builder.singles:
        return atoms
    shapes = [_dims(frame, atom) for atom in atoms]
    if sum(map(bool, shapes)) < 2:
        return atoms
    return [as_single(frame, atom, _axes(frame, shapes, position)) for position, atom in enumerate(atoms)]


def fitted(frame: Frame, value: gast.expr, place: tuple[Extent, ...]) -> gast.expr:
    """The value of a store into a target of this shape."""
    if not frame.builder.singles:
        return value
    return as_single(frame, value, _axes(frame, [_dims(frame, value), place], 0))


def _dims(frame: Frame, atom: gast.expr) -> tuple[Extent, ...]:
    found = frame.builder.type_of(atom)
    return found.dims if isinstance(found, Array) else ()


def _axes(frame: Frame, shapes: Sequence[tuple[Extent, ...]], position: int) -> list[int]:
    """The axes along which one operand has a slice's single element and another has not."""
    own = shapes[position]
    found = []
    for axis, extent in enumerate(own):
        back = axis - len(own)
        met = [dims[back] for dims in shapes if len(dims) >= -back]
        if _is_single(frame, extent) and any(other != 1 and not _is_single(frame, other) for other in met):
            found.append(axis)
    return found


def _is_single(frame: Frame, extent: Extent) -> bool:
    return isinstance(extent, Dim) and not extent.constant and frame.builder.singles.issuperset(extent.symbols())


def as_single(frame: Frame, atom: gast.expr, axes: Sequence[int]) -> gast.expr:
    """The array with length 1 along these axes in its type; raises where it has no element there."""
    builder = frame.builder
    for axis in axes:
        length = builder.call("dim", atom, axis=axis, hint="n")
        missing = builder.call("not_equal", length, 1)
        builder.append(syntax.if_(missing, [limit("ValueError", TOO_SHORT, span=builder.span)]))
        items = [syntax.slice_(0, 1) if k == axis else syntax.slice_() for k in range(len(_dims(frame, atom)))]
        atom = builder.load(atom, items)
    return atom
