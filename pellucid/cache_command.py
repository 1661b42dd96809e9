"""`pellucid cache`: what is in the cache on disk, where it is, and how to empty it.

    function     file              types            size     used
    loss_grad    train.py:31       f64[_], f64     14.2 kB   2 hours ago
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from . import entries
from .runtime.machine_code import SUFFIX
from .runtime.store import Store, store

HEADS = ("function", "file", "arguments", "size", "used")
WIDEST = 48
GAP = "  "


class Row(NamedTuple):
    """One line of the table."""

    function: str
    file: str
    arguments: str
    size: str
    used: str


def main(action: str, write: Callable[[str], object] = print) -> int:
    """Carry out `list`, `path` or `clear`; 0 when done, 1 where the cache is off or cannot be used."""
    place = store()
    if place is None:
        write("the cache is off")
        return 1
    if action == "path":
        write(place.path)
        return 0
    if trouble := place.trouble():
        write(f"the cache in {place.path} is not used: {trouble}")
        return 1
    for line in cleared(place) if action == "clear" else listing(place, time.time()):
        write(line)
    return 0


def cleared(place: Store) -> Iterator[str]:
    size = sum(one.size for one in place.entries())
    yield f"removed {counted(place.clear(), 'file')}, {as_size(size)}, from {place.path}"


def listing(place: Store, now: float) -> Iterator[str]:
    """The table of compiled functions, those used last first, and the sum."""
    found = place.entries()
    sizes = {one.name: one.size for one in found}
    rows: list[tuple[str, ...]] = [HEADS]
    for one in found:
        described = entries.described(one.name)
        if described is not None:
            (name, file, line, types), code = described
            size = as_size(one.size + sizes.get(code + SUFFIX, 0))
            rows.append(Row(name, f"{shown(file)}:{line}", types, size, as_age(now - one.used)))
    if len(rows) > 1:
        yield from aligned(rows)
        yield ""
    functions = counted(len(rows) - 1, "function")
    total = f"{as_size(sum(sizes.values()))} of {as_size(place.limit)}"
    yield f"{functions}; {counted(len(found), 'file')}, {total}, in {place.path}"


def aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """The rows with their columns below each other; sizes to the right."""
    cut = [[short(cell, from_left=column == 1) for column, cell in enumerate(row)] for row in rows]
    widths = [max(len(row[column]) for row in cut) for column in range(len(HEADS))]
    for row in cut:
        cells = [c.rjust(w) if head == "size" else c.ljust(w) for c, w, head in zip(row, widths, HEADS)]
        yield GAP.join(cells).rstrip()


def short(text: str, from_left: bool = False) -> str:
    """A cell that is not too wide; of a path the end counts."""
    text = "".join(c if c.isprintable() else "?" for c in text)
    if len(text) <= WIDEST:
        return text
    return f"...{text[3 - WIDEST :]}" if from_left else f"{text[: WIDEST - 3]}..."


def shown(file: str) -> str:
    """A path as seen from here, if that is shorter."""
    try:
        relative = os.path.relpath(file)
    except ValueError:
        return file
    return relative if len(relative) < len(file) else file


def as_size(count: int) -> str:
    for unit, factor in (("GB", 2**30), ("MB", 2**20), ("kB", 2**10)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} B"


def as_age(seconds: float) -> str:
    for word, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            return f"{counted(int(seconds // length), word)} ago"
    return "just now"


def counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
