"""Parts of one array have the same lengths: `np.array([x, y])` does not stretch a `y` of one element."""

from __future__ import annotations

import gast

from .... import syntax
from ..frame import Frame
from ..values import Static, Value

UNEVEN = "setting an array element with a sequence: the parts differ in shape"


def require_even(frame: Frame, first: list[Value], other: list[Value], node: gast.AST) -> None:
    """Refuse lengths that differ; those known only at run time are compared by the stores."""
    for length, its in zip(first, other, strict=True):
        if isinstance(length, Static) and isinstance(its, Static) and length != its:
            frame.fault("S003", UNEVEN, node, "made here")
        if isinstance(length, Static) != isinstance(its, Static):
            differs = frame.emit("not_equal", length, its, node=node)
            error = syntax.raise_("ValueError", UNEVEN, span=frame.here(node))
            frame.builder.append(syntax.if_(frame.atom(differs, node), [error]))
