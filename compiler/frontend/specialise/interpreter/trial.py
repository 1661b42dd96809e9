"""Try one way, and go back where it does not lead on.

    tried = attempt(frame, lambda: counted(frame, loop), NeedsStatic)
    if tried.refused is not None:      nothing of it is left
        unroll(frame, loop)
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from ....records import dataclass
from ..frame import Frame

T = TypeVar("T")
E = TypeVar("E", bound=Exception)


@dataclass(frozen=True, slots=True)
class Tried(Generic[T, E]):
    """What came of an attempt: its result, or the exception with which it was given up."""

    result: T | None
    refused: E | None = None


def attempt(frame: Frame, way: Callable[[], T], *refusals: type[E]) -> Tried[T, E]:
    """Go one way; where it raises one of the refusals, everything that it built is undone."""
    before = frame.built
    try:
        return Tried(way())
    except refusals as refused:
        frame.built = before
        return Tried(None, refused)


@contextlib.contextmanager
def looking_ahead(frame: Frame) -> Iterator[None]:
    """Whatever is built inside is undone at the end: only what was found out is of use."""
    before = frame.built
    try:
        yield
    finally:
        frame.built = before
