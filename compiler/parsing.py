"""The trees that the compiler works on, from source."""

from __future__ import annotations

import gast

from ..runtime.parsing import parse

__all__ = ["parse", "parsed_expression", "parsed_module"]


def parsed_module(text: str, file: str = "<unknown>") -> gast.Module:
    """The statements of some source; raises SyntaxError."""
    return gast.ast_to_gast(parse(text, file))


def parsed_expression(text: str) -> gast.expr:
    """The one expression of some source; raises SyntaxError."""
    return gast.ast_to_gast(parse(text, mode="eval")).body
