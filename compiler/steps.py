"""What is done when a pass is done: tell whoever listens, and hold the result to its language.

    settled = done("coalesce", before, coalesce(before), "typed")

Programs and functions alike: above the loops stage a pass takes a program, below it one function after the other.
Verifying is on in tests and under PELLUCID_VERIFY=1; what leaves the last pass is verified always (`pipeline.loops`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from .program import Function, Program
from .stages import require, require_calls, require_same_definitions

Made = TypeVar("Made", Function, Program)
Listener = Callable[[str, object, object], None]
RENAMES = frozenset({"give_names", "coalesce", "own_names", "shared_names", "tidy_names", "release", "separate"})

observers: list[Listener] = []


def observe(step: str, before: object, after: object) -> None:
    """Tell whoever listens (printing, timing, explain) that a step is done."""
    for listener in observers:
        listener(step, before, after)


def done(step: str, before: Made | None, after: Made, stage: str) -> Made:
    """What a pass made, which others may look at and the verifier looks at, if it is on."""
    observe(step, before, after)
    if after is not before and is_verifying():
        verify(step, before, after, stage)
    return after


def is_verifying() -> bool:
    return os.environ.get("PELLUCID_VERIFY") == "1"


def verify(step: str, before: Made | None, after: Made, stage: str) -> None:
    """Raise InternalError unless what a pass made is of the language and, after one that renames, means the same."""
    old = functions_of(before)
    for name, function in functions_of(after).items():
        require(function, stage, step)
        if step in RENAMES and name in old:
            require_same_definitions(old[name], function, step)
    if isinstance(after, Program):
        require_calls(after, step)


def functions_of(made: Function | Program | None) -> dict[str, Function]:
    if made is None:
        return {}
    return {made.name: made} if isinstance(made, Function) else dict(made.functions)
