"""Which nests were merged and which were not, for `explain`.

    the loops of lines 10, 11 and 12 run as one
    the loops of lines 12 and 14 stay apart: an iteration of the one needs what other iterations of the other store
"""

from __future__ import annotations

from collections.abc import Iterator

import gast

from .. import syntax
from ..program import Decision

APART = "an iteration of one needs what other iterations of the other store"


def not_stored(place: str, reason: str) -> Decision:
    """What became of an array of the user's."""
    return Decision("loops", f"{place} is not stored: {reason}")


class Story:
    def __init__(self) -> None:
        self.merged: dict[int, tuple[gast.stmt, set[int]]] = {}
        self.gone: dict[int, gast.stmt] = {}  # the nests are kept, so that their ids stay theirs
        self.apart: list[set[int]] = []

    def fused(self, made: gast.stmt, *parts: gast.stmt) -> None:
        lines = {line for part in parts for line in lines_of(part)}
        self.gone.update((id(part), part) for part in parts)
        self.merged[id(made)] = (made, lines)

    def kept_apart(self, *nests: gast.stmt) -> None:
        self.apart.append({line for nest in nests for line in lines_of(nest)})

    def decisions(self) -> Iterator[Decision]:
        whole = [lines for number, (_, lines) in self.merged.items() if number not in self.gone and len(lines) > 1]
        by_line: dict[int, list[set[int]]] = {}
        for lines in whole:
            for line in lines:
                by_line.setdefault(line, []).append(lines)
        for lines in whole:
            if not any(lines < other for other in by_line[min(lines)]):
                yield Decision("loops", f"the loops of {told(lines)} run as one")
        for lines in self.apart:
            if len(lines) > 1 and not any(lines <= other for other in by_line.get(min(lines), ())):
                yield Decision("loops", f"the loops of {told(lines)} stay apart: {APART}")


def lines_of(nest: gast.stmt) -> set[int]:
    spans = (getattr(s, "span", None) for s in syntax.walk([nest]))
    return {span.line for span in spans if span is not None}


def told(lines: set[int]) -> str:
    """`line 3`, `lines 3 and 4`, `lines 3, 4 and 5`"""
    *first, last = map(str, sorted(lines))
    return f"lines {', '.join(first)} and {last}" if first else f"line {last}"
