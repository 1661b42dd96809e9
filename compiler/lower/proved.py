"""What ranges prove of the indices of an access that is being lowered.

    for j in range(n - 1, i, -1):
        y = x[j]                          `j` is inside: rows that are counted down need no view that checks them
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ..analysis.integers.range_state import FRONT
from ..analysis.integers.range_values import items_of
from ..analysis.integers.ranges import ranges
from ..types import Array, Extent
from .lowering import Lowering
from .nodes import Node


def is_proved_inside(low: Lowering, atom: gast.expr, extent: Extent) -> bool:
    """Whether `0 <= atom < extent` is an index of the present statement's access, and proved there."""
    access = _access_of(low.statement)
    type_ = None if access is None else low.function.types.get(access.value.id)
    if access is None or not isinstance(type_, Array) or not isinstance(atom, gast.Name):
        return False
    axis = 0
    for position, item in enumerate(items_of(access)):
        if isinstance(item, gast.Constant) and item.value is None:
            continue
        is_asked = isinstance(item, gast.Name) and item.id == atom.id
        if is_asked and low.same(type_.dims[axis], extent):
            return ranges(low.function).of(access, position) == FRONT
        axis += 1
    return False


def is_proved_to_fit(low: Lowering, axis: int) -> bool:
    """Whether a value is as long as the part it is stored to now, along an axis counted from the end."""
    return (axis, 0, 1) in ranges(low.function).alike.get(id(_access_of(low.statement)), ())


def know_alike(low: Lowering, operands: Sequence[Node]) -> None:
    """Note which operands of the present statement's operator are proved to be as long as others."""
    value = low.statement.value if isinstance(low.statement, gast.Assign) else None
    for axis, first, second in sorted(ranges(low.function).alike.get(id(value), ())):
        low.make_equal(*(operands[k].lengths[-1 - axis].extent for k in (first, second)))


def know_summed(low: Lowering, left: Extent, right: Extent) -> None:
    """Note whether the lengths that the present statement's product adds up are proved to be equal."""
    value = low.statement.value if isinstance(low.statement, gast.Assign) else None
    if (0, 0, 1) in ranges(low.function).alike.get(id(value), ()):
        low.make_equal(left, right)


def _access_of(statement: gast.stmt | None) -> gast.Subscript | None:
    """The one access of a typed statement: the target of a store, or what is loaded."""
    match statement:
        case gast.Assign(targets=[gast.Subscript() as place]):
            return place
        case gast.Assign(value=gast.Subscript() as load):
            return load
    return None
