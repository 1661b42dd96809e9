"""Errors about a function as a whole, found when it is called: they point to its first line."""

from __future__ import annotations

from typing import Any

from .compiler.diagnostics import Diagnostic, GradientError, Span


def gradient_fault(python: Any, code: str, message: str, help: tuple[str, ...]) -> GradientError:
    """The error for a function that cannot be differentiated as asked."""
    line = python.__code__.co_firstlineno
    span = Span(python.__code__.co_filename, line, 0, line, 0)
    return GradientError(Diagnostic(code, message, span, "the function", help=help))
