"""Errors about a function as a whole, found when it is called: they point to its first line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .compiler.diagnostics import DeviceError, Diagnostic, GradientError, Span
from .compiler.targets.cuda.toolkit import MissingTool


def gradient_fault(python: Any, code: str, message: str, help: tuple[str, ...]) -> GradientError:
    """The error for a function that cannot be differentiated as asked."""
    return GradientError(_diagnostic(python, code, message, help))


def device_fault(python: Any, code: str, message: str, help: tuple[str, ...]) -> DeviceError:
    """The error for a function that cannot run where it is asked to."""
    return DeviceError(_diagnostic(python, code, message, help))


@contextmanager
def tools_for(place: Span) -> Iterator[None]:
    """A block that needs the tools for kernels of a function.  Raises DeviceError where one is missing."""
    try:
        yield
    except MissingTool as missing:
        fault = Diagnostic("D002", missing.what, place, "the function", help=(missing.command,))
        raise DeviceError(fault) from None


def first_line_of(python: Any) -> Span:
    """Where a function begins, with its decorators."""
    line = python.__code__.co_firstlineno
    return Span(python.__code__.co_filename, line, 0, line, 0)


def _diagnostic(python: Any, code: str, message: str, help: tuple[str, ...]) -> Diagnostic:
    return Diagnostic(code, message, first_line_of(python), "the function", help=help)
