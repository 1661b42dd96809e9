"""What is known of exceptions that the blocks of `try` may raise: where they come from, and where control leaves."""

from __future__ import annotations

import builtins
from dataclasses import field
from typing import TYPE_CHECKING

import gast
import numpy as np

from ....messages import Message
from ....records import dataclass
from ..values import Static

if TYPE_CHECKING:
    from ..frame import Frame
    from ..interpreter.branches import Side

RUNNING = Static(0)
# A message that is raised again may have this many numbers known only at run time, by their kind.
SLOTS = ("int", "int", "int", "int", "float", "float", "float", "float", "bool", "bool")


@dataclass(frozen=True, slots=True)
class Site:
    """Where an exception comes from: its class, its arguments, and where the numbers in them are kept (`SLOTS`).

    `message` is None where it is not known.
    """

    cls: type[BaseException]
    message: Message | None
    slots: tuple[int, ...] = ()


@dataclass(slots=True, eq=False)
class Try:
    """A `try`: what it catches, whether its handlers ask for more than the class, and what its block may raise."""

    classes: tuple[type[BaseException], ...]
    keeps: bool
    codes: set[int] = field(default_factory=set)


@dataclass(slots=True, eq=False)
class Nest:
    """A test before the rest of a block: that rest is emitted into the branch where the test does not hold."""

    outer: list[gast.stmt]
    test: gast.expr
    side: Side
    then: bool = True


@dataclass(slots=True, eq=False)
class Block:
    """Consecutive statements of one frame that end together, with the nests opened in them."""

    frame: Frame
    nests: list[Nest] = field(default_factory=list)


def class_named(name: str, frame: Frame) -> type[BaseException]:
    found = frame.task.exceptions.get(name) or getattr(builtins, name, None) or getattr(np.linalg, name, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else BaseException
