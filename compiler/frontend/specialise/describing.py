"""What messages call functions, operators and large numbers; other values say it themselves (`protocol.describe`)."""

from __future__ import annotations

import gast

FUNCTION = "function"
KEEPING = "a function that keeps values"  # its captured values are not variables of the function that is compiled
FUNCTIONS = frozenset({FUNCTION, KEEPING, "method", "ufunc"})  # what messages call them
# How Python's messages spell an operator.
SYMBOLS: dict[type, str] = {
    gast.Add: "+", gast.Sub: "-", gast.Mult: "*", gast.Div: "/", gast.FloorDiv: "//", gast.Mod: "%", gast.MatMult: "@",
    gast.Pow: "** or pow()", gast.BitAnd: "&", gast.BitOr: "|", gast.BitXor: "^", gast.LShift: "<<",
    gast.RShift: ">>", gast.Lt: "<", gast.LtE: "<=", gast.Gt: ">", gast.GtE: ">=",
    gast.USub: "-", gast.UAdd: "+", gast.Invert: "~",
}  # fmt: skip


def too_large(number: int) -> str:
    """The words for an int that is too large: Python does not print thousands of digits."""
    shown = str(number) if number.bit_length() < 1000 else f"of {number.bit_length()} bits"
    return f"the integer {shown} does not fit into 64 bits"
