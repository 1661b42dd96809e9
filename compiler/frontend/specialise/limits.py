"""Errors at the compiler's own limits: CPython does not raise them, so no `except` catches them."""

from __future__ import annotations

import gast

from ... import syntax
from ...diagnostics import Span


def limit(exception: str, message: str, span: Span | None = None) -> gast.Raise:
    """`raise exception(message)`, for a program that exceeds the limits of compiled code."""
    statement = syntax.raise_(exception, message, span=span)
    setattr(statement, "is_limit", True)  # noqa: B010
    return statement


def is_limit(statement: gast.Raise) -> bool:
    return getattr(statement, "is_limit", False)
