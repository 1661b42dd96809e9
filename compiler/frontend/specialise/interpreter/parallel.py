"""Simultaneous assignments as a sequence of single ones.

    a, b = b, a     ->     a_1 = a; a = b; b = a_1
"""

from __future__ import annotations

from collections import Counter
from heapq import heappop, heappush

import gast

from .... import syntax
from ..frame import Frame


def assign_parallel(frame: Frame, pairs: list[tuple[str, gast.expr]]) -> None:
    """Emit `a, b = x, y` as single assignments; a name that is still to be read is set aside first."""
    pending = {t: v for t, v in pairs if not (isinstance(v, gast.Name) and v.id == t)}
    place = {target: number for number, target in enumerate(pending)}
    reads = Counter(v.id for v in pending.values() if isinstance(v, gast.Name))
    free = [number for target, number in place.items() if not reads[target]]  # it is a heap: the first of them is next
    targets = list(pending)
    closing: list[gast.stmt] = []  # copies of the names that are set aside come before all of these
    while pending:
        if free:
            target = targets[heappop(free)]
            value = pending.pop(target)
            closing.append(syntax.assign(target, value))
            if isinstance(value, gast.Name):
                reads[value.id] -= 1
                if value.id in pending and not reads[value.id]:
                    heappush(free, place[value.id])
            continue
        target = next(iter(pending))
        aside = frame.builder.bind(syntax.name(target), frame.builder.types[target], target)
        pending = {t: aside if isinstance(v, gast.Name) and v.id == target else v for t, v in pending.items()}
        reads[aside.id] = reads.pop(target)
        heappush(free, place[target])
    for statement in closing:
        frame.builder.append(statement)
