"""What messages call functions and large numbers; other values say it themselves (`protocol.describe`)."""

from __future__ import annotations

FUNCTION = "function"
KEEPING = "a function that keeps values"  # its captured values are not variables of the function that is compiled
FUNCTIONS = frozenset({FUNCTION, KEEPING, "method", "ufunc"})  # what messages call them


def too_large(number: int) -> str:
    """The words for an int that is too large: Python does not print thousands of digits."""
    shown = str(number) if number.bit_length() < 1000 else f"of {number.bit_length()} bits"
    return f"the integer {shown} does not fit into 64 bits"
