"""Numbers that are converted because they meet others in a variable, where the joined type may not hold them.

    an int beyond 2**53 and a float     ->    OverflowError: a float may lack some of its digits
    a uint64 and an int of Python's     ->    OverflowError for a uint64 that is no int of 64 bits
"""

from __future__ import annotations

import gast

from .... import syntax
from ....dtypes import DTYPE, INT_WORD, LARGEST_EXACT, is_exact, is_inexact, is_integer, is_signed
from ....types import INT, Scalar
from ..frame import Frame
from ..limits import limit
from ..protocol import type_as
from ..values import Static, Value

INEXACT = "an int beyond 2**53 meets a float in one variable, and a float does not hold all of its digits"


def loses_digits(value: Value, found: Scalar, wanted: Scalar) -> bool:
    """Whether a float of the wanted type may not hold this int."""
    if not is_integer(found.dtype) or not is_inexact(wanted.dtype):
        return False
    if isinstance(value, Static):
        return abs(int(value.value)) > LARGEST_EXACT
    return DTYPE[found.dtype].bits == DTYPE[INT_WORD].bits


def may_not_fit(value: Value, found: Scalar, wanted: Scalar) -> bool:
    """Whether converting a number of the program to the wanted type may raise."""
    is_too_large = is_integer(found.dtype) and wanted == INT and not is_exact(found.dtype, INT_WORD)
    return is_too_large or loses_digits(value, found, wanted)


def require_exact(frame: Frame, value: Value, node: gast.AST) -> None:
    """Raise where an int becomes a float because it meets one in a variable and is too large to keep its digits."""
    above = frame.emit("greater", value, Static(LARGEST_EXACT), node=node)
    outside = above
    if is_signed(type_as(frame, value, Scalar).dtype):
        below = frame.emit("less", value, Static(-LARGEST_EXACT), node=node)
        outside = frame.emit("logical_or", above, below, node=node)
    error = limit("OverflowError", INEXACT, span=frame.here(node))
    frame.builder.append(syntax.if_(frame.atom(outside, node), [error]))
