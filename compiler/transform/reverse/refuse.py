"""The one way in which reverse mode refuses a program."""

from __future__ import annotations

import gast

from ...diagnostics import Diagnostic, GradientError, InternalError


def refuse(statement: gast.stmt, code: str, message: str, *help_: str) -> GradientError | InternalError:
    """An error to raise: with the user's location where the statement has one."""
    span = getattr(statement, "span", None)
    if span is None:
        return InternalError("reverse", gast.dump(statement), message)
    return GradientError(Diagnostic(code, message, span, "here", help=help_))
