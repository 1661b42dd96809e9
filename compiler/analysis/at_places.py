"""The form of a changed copy: `x.at[index].set(value)`, as JAX has it for immutable arrays.

    place_of(<x.at[1:3].add(2.0)>)    ->    Place(array=<x>, index=<1:3>, method="add")

Readers of calls ask here first: nothing is changed by it, although `.add` is a method that changes a set.
"""

from __future__ import annotations

import gast

from ...runtime.at import METHODS
from ..records import dataclass


@dataclass
class Place:
    """The parts of such a call."""

    array: gast.expr
    index: gast.expr
    method: str


def place_of(node: gast.AST) -> Place | None:
    """The parts of a call that has this form."""
    match node:
        case gast.Call(func=gast.Attribute(value=gast.Subscript(value=gast.Attribute(value=array, attr="at"),
                                                                slice=index), attr=method)):  # fmt: skip
            return Place(array, index, method) if method in METHODS else None
    return None
