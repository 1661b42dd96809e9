"""The trees that the compiler works on, from texts."""

from __future__ import annotations

import gast

from ..runtime.parsing import parse

__all__ = ["parse", "parsed_expression", "parsed_module"]


def parsed_module(text: str, file: str = "<unknown>") -> gast.Module:
    """The statements of a text; raises SyntaxError."""
    return gast.ast_to_gast(parse(text, file))


def parsed_expression(text: str) -> gast.expr:
    """The one expression of a text; raises SyntaxError."""
    return gast.ast_to_gast(parse(text, mode="eval")).body
