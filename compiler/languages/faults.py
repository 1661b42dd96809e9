"""Say what is wrong with the text of a stage, where, and what would be right.

    fault("L001", node, path, "`with` is no statement of the typed stage", help=("...",))    ->    StageError
"""

from __future__ import annotations

import gast

from ..diagnostics import Diagnostic, Span, StageError
from ..targets.python.unparse import expression_text, statement_text

SHOWN = 60


def fault(code: str, node: gast.AST, path: str, message: str, help: tuple[str, ...] = ()) -> StageError:
    """An error at a node of the text."""
    return StageError(Diagnostic(code, message, span_of(node, path), help=help))


def span_of(node: gast.AST, path: str) -> Span:
    """Where a node stands; nodes that stand for nothing of their own are at the start of the file."""
    return Span.of(node, path) if hasattr(node, "lineno") else Span(path, 1, 0, 1, 1)


def shown(node: gast.AST) -> str:
    """A node as it is written, cut to a readable length."""
    try:
        text = statement_text(node) if isinstance(node, gast.stmt) else expression_text(node)
    except (AttributeError, KeyError):  # what the language does not have, the unparser need not know
        return type(node).__name__
    text = text.splitlines()[0] if text else ""
    return text if len(text) <= SHOWN else text[: SHOWN - 4] + " ..."
