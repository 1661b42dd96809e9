"""Tracebacks without our own frames: they end at the user's lines.

    try: ...
    except Exception as error:
        leave_out(error)
        raise                     the frame that raises again is not in the traceback either

A fault of ours keeps all of them, and so does every error under PELLUCID_TRACEBACK=full.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from types import TracebackType
from typing import ParamSpec, TypeVar

from .compiler.diagnostics import CompileError, InternalError

Given = ParamSpec("Given")
Result = TypeVar("Result")

TOLD = (CompileError, TypeError, ValueError)  # what we raise ourselves, with a message for the user


def leave_out(error: BaseException) -> None:
    """Take our frames out of the traceback of an error that is the user's to read."""
    if isinstance(error, InternalError) or os.environ.get("PELLUCID_TRACEBACK") == "full":
        return
    entries = _entries(error.__traceback__)
    kept = [entry for entry in entries if not _is_ours(entry)]
    ends_in_ours = bool(entries) and _is_ours(entries[-1])
    if ends_in_ours and not isinstance(error, TOLD):
        return
    if isinstance(error, CompileError):
        error.__suppress_context__ = True  # how the compiler came to it
    chain: TracebackType | None = None
    for entry in reversed(kept):
        chain = TracebackType(chain, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    error.__traceback__ = chain


def told_to_users(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """The same function, with errors as the user reads them."""

    @functools.wraps(function)
    def call(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            leave_out(error)
            raise

    call.__pellucid_told__ = function  # type: ignore[attr-defined]  # which is what compiled functions call
    return call


def _entries(trace: TracebackType | None) -> list[TracebackType]:
    found = []
    while trace is not None:
        found.append(trace)
        trace = trace.tb_next
    return found


def _is_ours(entry: TracebackType) -> bool:
    name = entry.tb_frame.f_globals.get("__name__", "")
    return name == "pellucid" or name.startswith("pellucid.")
