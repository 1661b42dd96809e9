"""What a driver is made of beside its own statements: kernels, and parts that stay on the host."""

from __future__ import annotations

import gast

from ...records import dataclass
from ...types import Type


@dataclass(frozen=True, slots=True, eq=False)
class KernelText:
    """One kernel: its parameters with their types as they are printed, and its statements."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    body: tuple[gast.stmt, ...]


@dataclass(frozen=True, slots=True, eq=False)
class HostText:
    """A part that stays on the host: a function of the loops stage, what it changes, and why it stays."""

    name: str
    parameters: tuple[tuple[str, Type], ...]
    changes: tuple[str, ...]
    results: tuple[str, ...]
    body: tuple[gast.stmt, ...]
    reason: str


class Refused(Exception):
    """A function that has no kernels stage, and why."""
