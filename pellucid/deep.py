"""Programs that nest deeper than the stack: compiled once more, on a thread with room for them.

    a + b + ... + z   of a thousand terms      a tree a thousand deep, and passes walk down trees by calling themselves

The compiler runs where it is called as long as that suffices, so that ordinary programs pay nothing.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from .compiler.diagnostics import Diagnostic, Span, UnsupportedError
from .compiler.request import Request

Given = ParamSpec("Given")
Result = TypeVar("Result")

STACK_BYTES = 512 * 2**20  # reserved, not used: the system gives pages that are touched
DEPTH = 100_000
THREAD = "pellucid compiler with room"
TOO_DEEP = "this function nests expressions or branches too deeply to be compiled"
_LOCK = threading.Lock()  # the size of stacks and the limit are the whole process's


def with_room(work: Callable[Given, Result]) -> Callable[Given, Result]:
    """The same work, done again with a large stack where the stack was too small for it.

    Raises RecursionError where even that is too small; of work on a `Request` an UnsupportedError that names the place.
    """

    @wraps(work)
    def run(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        try:
            return work(*args, **kwargs)
        except RecursionError:
            if threading.current_thread().name == THREAD:
                raise
        try:
            return _on_large_stack(lambda: work(*args, **kwargs))
        except (RecursionError, MemoryError):
            if args and isinstance(args[0], Request):
                raise UnsupportedError([_too_deep(args[0])]) from None
            raise

    return run


def _too_deep(request: Request) -> Diagnostic:
    code = request.python.__code__
    place = Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 1)
    return Diagnostic("U018", TOO_DEEP, place, "defined here", help=("give parts of it names, or make them functions",))


def _on_large_stack(work: Callable[[], Result]) -> Result:
    """What the work gives or raises, when it is run by a thread of its own with room."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def attempt() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    with _LOCK:
        limit, size = sys.getrecursionlimit(), threading.stack_size(STACK_BYTES)
        try:
            thread = threading.Thread(target=attempt, name=THREAD)
            sys.setrecursionlimit(max(limit, DEPTH))
            thread.start()
            threading.stack_size(size)
            thread.join()
        finally:
            threading.stack_size(size)
            sys.setrecursionlimit(limit)
    if errors:
        raise errors[0]
    return results[0]
