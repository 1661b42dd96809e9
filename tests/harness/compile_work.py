"""How much the compiler does, counted: the number is the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def calls_in(work: Callable[[], Any]) -> tuple[int, Any]:
    """(the number of calls of Python functions, the answer) of what a function does."""
    calls = 0

    def note(frame: object, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(note)
    try:
        answer = work()
    finally:
        sys.setprofile(None)
    return calls, answer
