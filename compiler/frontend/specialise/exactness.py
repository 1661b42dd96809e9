"""Ints that become floats because they meet one in a variable: beyond 2**53 a float may lack some of their digits."""

from __future__ import annotations

import gast

from ... import syntax
from ...dtypes import INT_WORD, LARGEST_EXACT, is_inexact, is_integer
from ...types import Scalar
from .frame import Frame
from .limits import limit
from .values import Static, Value

INEXACT = "an int beyond 2**53 meets a float in one variable, and a float does not hold all of its digits"


def loses_digits(value: Value, found: Scalar, wanted: Scalar) -> bool:
    """Whether a float of the wanted type may not hold this int."""
    if not is_integer(found.dtype) or not is_inexact(wanted.dtype):
        return False
    if isinstance(value, Static):
        return abs(int(value.value)) > LARGEST_EXACT
    return found.dtype == INT_WORD


def require_exact(frame: Frame, value: Value, node: gast.AST) -> None:
    """Raise where an int becomes a float because it meets one in a variable, and is too large to keep its digits."""
    above = frame.emit("greater", value, Static(LARGEST_EXACT), node=node)
    below = frame.emit("less", value, Static(-LARGEST_EXACT), node=node)
    outside = frame.emit("logical_or", above, below, node=node)
    error = limit("OverflowError", INEXACT, span=frame.here(node))
    frame.builder.append(syntax.if_(frame.atom(outside, node), [error]))
