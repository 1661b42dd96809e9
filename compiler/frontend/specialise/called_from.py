"""How control came to a location: the calls of the user's functions around it.

    def f(x): return g(x)         a fault in h is shown with the labels  `g` calls `h` here,  `f` calls `g` here
    def g(x): return h(x)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...diagnostics import LONGEST_CHAIN, Label

if TYPE_CHECKING:
    from .frame import Frame


def calls_to(frame: Frame) -> tuple[Label, ...]:
    """The calls that lead to where a frame is, the nearest first; a call that recursion repeats appears once."""
    found: dict[Label, None] = {}
    while frame.caller is not None and len(found) < LONGEST_CHAIN:
        if frame.call_span is not None and not frame.is_library and not frame.caller.is_library:
            words = f"`{frame.caller.source.name}` calls `{frame.source.name}` here"
            found.setdefault(Label(frame.call_span, words))
        frame = frame.caller
    return tuple(found)
