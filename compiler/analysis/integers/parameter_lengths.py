"""What the types of parameters say of their lengths, and which of it can be checked when a function is entered.

    x: f64[n], y: f64[n - 1], z: f64[2*m]   ->   n is the length of x; y has max(0, n - 1); `2*m` stands for itself

A symbol is *determined* by a dimension that it is alone in, or by one in which it is the only unknown, added once.
Dimensions with other symbols are opaque: where they are equal the lengths are, and nothing else is known of them.
Native code checks on entry exactly what ranges believe.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...program import Function
from ...records import dataclass
from ...types import Array, Dim, Extent


@dataclass(frozen=True, slots=True)
class LengthAxis:
    """One axis of a parameter."""

    name: str
    axis: int
    extent: Extent


def axes_of(function: Function) -> Iterator[LengthAxis]:
    for name in function.parameters:
        type_ = function.types[name]
        if isinstance(type_, Array):
            yield from (LengthAxis(name, axis, extent) for axis, extent in enumerate(type_.dims))


def is_alone(extent: Extent) -> bool:
    """Whether a dimension is one symbol and nothing else."""
    return isinstance(extent, Dim) and not extent.constant and len(extent.terms) == 1 and extent.terms[0][1] == 1


def determining_axes(function: Function) -> dict[str, LengthAxis]:
    """For every symbol that can be known, the axis that determines its length; those before it are known by then."""
    axes = list(axes_of(function))
    found: dict[str, LengthAxis] = {}
    for axis in axes:
        if is_alone(axis.extent):
            found.setdefault(axis.extent.terms[0][0], axis)
    progress = True
    while progress:
        progress = False
        for axis in axes:
            missing = [t for t in getattr(axis.extent, "terms", ()) if t[0] not in found]
            if len(missing) == 1 and missing[0][1] == 1:
                found[missing[0][0]] = axis
                progress = True
    return found
