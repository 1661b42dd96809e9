"""`x.shape = (n, m)`: an array that this function made is seen in another shape from here on.

    x = np.arange(6)                       x = arange(6)
    x.shape = 2, 3               ->        x_2 = reshape(x, shape=(2, 3))
    return x                               return x_2

NumPy changes the object, under all of its names; here a name stands for another view.  So an array that may have
another name, be in a container or belong to the caller is refused.  Where elements are not contiguous, NumPy raises.
"""

from __future__ import annotations

from collections.abc import Iterator

import gast

from ....ops.python_names import BINDINGS
from ....types import Array
from .. import protocol
from ..frame import Frame
from ..library import library
from ..values import Leaf, Value, leaves

HELP = ("reshape it under a name of its own: `y = x.reshape(...)`",)


def reshaped(frame: Frame, name: str, array: Leaf, shape: Value, node: gast.AST) -> Value:
    """What the variable `name` is after `name.shape = shape`."""
    if array.name in (*frame.builder.arguments, *frame.builder.hidden.values()):
        frame.fault("P003", f"this function changes the shape of `{name}`, which is its caller's", node,
                    "assigned here", HELP)  # fmt: skip
    if array.name in frame.builder.merged or any(_may_be(frame, other, array) for other in _others(frame, name)):
        frame.fault("P003", f"this changes the shape of `{name}`, an array that may have another name", node,
                    "assigned here", HELP)  # fmt: skip
    return library.call(frame, BINDINGS["numpy.reshape"], [array, shape], {}, node, name)


def _others(frame: Frame, name: str) -> Iterator[Value]:
    """What everything but this variable holds."""
    around: Frame | None = frame
    while around is not None:
        seen: Frame | None = around
        while seen is not None:
            yield from (value for key, value in seen.variables.items() if seen is not frame or key != name)
            seen = seen.outer
        around = around.caller
    yield from frame.builder.heap.contents.values()


def _may_be(frame: Frame, value: Value, array: Leaf) -> bool:
    """Whether a value has this array in it: itself, or a name that is one array on one path and another on others."""

    def rank(leaf: Leaf) -> int:
        return protocol.type_as(frame, leaf, Array).ndim

    arrays = [leaf for leaf in leaves(value) if frame.is_array(leaf)]
    return any(a == array or a.name in frame.builder.merged and rank(a) == rank(array) for a in arrays)
