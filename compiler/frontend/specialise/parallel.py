"""Assignments that happen at once, one after the other.

    a, b = b, a     ->     a_1 = a; a = b; b = a_1
"""

from __future__ import annotations

import gast

from ... import syntax
from .frame import Frame


def assign_parallel(frame: Frame, pairs: list[tuple[str, gast.expr]]) -> None:
    """Emit `a, b = x, y` as single assignments; a name that is still to be read is set aside first."""
    pending = [(t, v) for t, v in pairs if not (isinstance(v, gast.Name) and v.id == t)]
    closing: list[gast.stmt] = []  # the names that are set aside come before all of them
    while pending:
        read = [v.id for _, v in pending if isinstance(v, gast.Name)]
        free = next((p for p in pending if p[0] not in read), None)
        if free is not None:
            closing.append(syntax.assign(*free))
            pending.remove(free)
            continue
        target = pending[0][0]
        aside = frame.builder.bind(syntax.name(target), frame.builder.types[target], target)
        pending = [(t, aside if isinstance(v, gast.Name) and v.id == target else v) for t, v in pending]
    for statement in closing:
        frame.builder.append(statement)
