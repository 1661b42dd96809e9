"""Lists in a driver: Python's own, of numbers of the host and of arrays on the device.

    saved = new_list()                     saved = []
    append(saved, h)              ->       saved.append(h)          h is an array of the device, and is not copied
    h = pop(saved)                         h = saved.pop()

The derivative of a loop keeps in them what its iterations had.  A kernel knows no lists.
"""

from __future__ import annotations

from collections.abc import Mapping

import gast

from ...types import Array, ListOf, Type
from .trees import mentioned_itself


def is_of_lists(node: gast.stmt, types: Mapping[str, Type]) -> bool:
    """Whether a statement that is no loop and no branch makes, reads or changes a list."""
    if not isinstance(node, gast.Assign | gast.Expr | gast.Delete):
        return False
    deleted = [target.id for target in node.targets] if isinstance(node, gast.Delete) else []
    return any(isinstance(types.get(name), ListOf) for name in (*mentioned_itself(node), *deleted))


def holds_arrays(type_: Type) -> bool:
    """Whether values of a type are lists of arrays."""
    return isinstance(type_, ListOf) and isinstance(type_.element, Array)
