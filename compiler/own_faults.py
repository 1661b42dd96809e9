"""Faults of ours that no pass has foreseen: what Python raises in the compiler becomes an InternalError.

    with named("fuse", function): ...        KeyError: 'x'     ->     the step `fuse` failed: KeyError: 'x'
                                                                        --> loss.py:3, in `loss`

The error of Python stays its cause, with its traceback.  Errors for the user go on as they are, and so does the one
that another thread with a larger stack answers (`pellucid/deep.py`).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import NoReturn

from .diagnostics import InternalError, PellucidError, Span, source_lines
from .program import Function

# Python raises these itself; exceptions by which the passes signal to each other are none of them
OF_PYTHON = (ArithmeticError, AssertionError, AttributeError, LookupError, NameError, TypeError, ValueError)


def is_verifying() -> bool:
    """Whether the compiler checks its own work as it goes on."""
    return os.environ.get("PELLUCID_VERIFY") == "1"


@contextlib.contextmanager
def named(step: str, function: Function | None = None) -> Iterator[None]:
    """Raise what Python raises inside as the fault of a step, of this function where it is known."""
    try:
        yield
    except OF_PYTHON as fault:
        tell(step, fault, "" if function is None else f"{function.origin.place}, in `{function.origin.name}`")


def tell(step: str, fault: BaseException, place: str | Span) -> NoReturn:
    """Raise the InternalError for what a step is handling, or go on with what is for the user."""
    if isinstance(fault, PellucidError):
        raise fault
    text = ""
    if isinstance(place, Span):
        text, place = "\n".join(source_lines(place.file)[place.line - 1 : place.line]), place.place
    raise InternalError(step, text, f"{type(fault).__name__}: {fault}", place) from fault
