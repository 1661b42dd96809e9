"""What `explain` says of loops that became products, and of those that add to later sums.

    the loops at lines 3 to 5 are a product of matrices, which BLAS computes
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ...program import Decision, Function

TAKEN = ", which BLAS computes"
ADDED = "go down columns: each iteration adds to the sums after it, by rows"


def is_told(function: Function) -> bool:
    """Whether loops of a function have been taken already."""
    return any(decision.text.endswith((TAKEN, ADDED)) for decision in function.decisions)


def product_told(loops: Sequence[gast.For], are_matrices: bool) -> Decision:
    many = "matrices" if are_matrices else "a matrix and a vector"
    return Decision("loops", f"the loops at {_where(loops)} are a product of {many}{TAKEN}")


def sums_told(loop: gast.For) -> Decision:
    return Decision("loops", f"the dots in the loop at {_where([loop])} {ADDED}")


def _where(loops: Sequence[gast.For]) -> str:
    lines = {loop.span.line for loop in loops if loop.span is not None}
    return f"line {min(lines)}" if len(lines) == 1 else f"lines {min(lines)} to {max(lines)}"
