"""How tightly the expressions of Python bind, and how constants are written.

    a + b * c     binds as its sum does          -1.0     binds as a sign does, unlike 1.0          inf     math.inf
"""

from __future__ import annotations

import math
import types

import gast

TEST, OR, AND, NOT, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, ARITH, TERM, FACTOR, POWER, AWAIT, ATOM = range(1, 16)

BINARY = {
    "Add": ("+", ARITH), "Sub": ("-", ARITH), "Mult": ("*", TERM), "Div": ("/", TERM), "FloorDiv": ("//", TERM),
    "Mod": ("%", TERM), "MatMult": ("@", TERM), "Pow": ("**", POWER), "LShift": ("<<", SHIFT), "RShift": (">>", SHIFT),
    "BitOr": ("|", BIT_OR), "BitXor": ("^", BIT_XOR), "BitAnd": ("&", BIT_AND),
}  # fmt: skip
UNARY = {"USub": ("-", FACTOR), "UAdd": ("+", FACTOR), "Invert": ("~", FACTOR), "Not": ("not ", NOT)}


def precedence(node: gast.AST) -> int:
    """How tightly the outermost part of an expression binds."""
    match node:
        case gast.IfExp() | gast.Lambda():
            return TEST
        case gast.BoolOp(op=gast.Or()):
            return OR
        case gast.BoolOp():
            return AND
        case gast.Compare():
            return COMPARE
        case gast.BinOp(op=op):
            return BINARY[type(op).__name__][1]
        case gast.UnaryOp(op=op):
            return UNARY[type(op).__name__][1]
        case gast.Constant(value=bool()):
            return ATOM
        case gast.Constant(value=int() | float() as number) if math.copysign(1.0, number) < 0:
            return FACTOR
        case gast.Constant(value=complex() as number) if is_negated(number):
            return FACTOR
        case gast.Yield() | gast.YieldFrom():
            return 0
        case gast.Await():
            return AWAIT
    return ATOM


def is_negated(number: complex) -> bool:
    """Whether it is a multiple of `1j` after a sign, which changes the sign of the real part's zero too."""
    return repr(number.real) == "-0.0" and math.copysign(1.0, number.imag) < 0.0 and math.isfinite(number.imag)


def constant_text(value: object, quote: str | None = None) -> str:
    """A literal; infinities and nan are spelled through `math`, strings in double quotes where they can be; complex
    numbers that are no multiple of `1j` are made of their parts.
    """
    match value:
        case float() if math.isnan(value):
            return "math.nan"
        case float() if math.isinf(value):
            return "math.inf" if value > 0 else "-math.inf"
        case complex() if is_negated(value):
            return f"-{-value!r}"
        case complex() if repr(value.real) != "0.0" or repr(value.imag).startswith(("-", "nan", "inf")):
            return f"complex({constant_text(value.real)}, {constant_text(value.imag)})"
        case str() if quote == '"' or '"' not in value:
            return '"' + repr("'" + value)[2:-1].replace("\\'", "'").replace('"', '\\"') + '"'
        case _ if value is ...:
            return "..."
        case type() | types.BuiltinFunctionType():  # its name is a variable's here
            return f"__import__('builtins').{value.__name__}"
    return repr(value)
