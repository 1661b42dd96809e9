"""Change what a list or dict holds, where everybody who sees it is known.

    ys = xs; ys.append(v)         both names see it
    def f(items): items[0] = v    P014: the caller would see it
    c = a if p else b; c.pop()    R003, while `a` or `b` is in use: whether they see it depends on the path
"""

from __future__ import annotations

from collections.abc import Iterator

import gast

from ...analysis.core_liveness import reads
from .frame import Frame
from .heap import Owner, reachable
from .values import Ref, Value


def change(frame: Frame, target: Ref, contents: Value | None, node: gast.AST) -> None:
    """An object holds something else from here on; None: the leaf that it holds has changed."""
    heap = frame.heap
    owner = heap.owner_of(target.number)
    if owner is not None:
        frame.fault(*seen_outside(owner), node, "changed here", (f"work on a copy: `{owner.name}.copy()`",))
    others = _possibly_the_same(frame, target.number)
    if others:
        first, second = heap.names[target.number], heap.names[others[0]]
        message = f"`{first}` is changed while `{second}`, which is the same object on some paths, is still used"
        help_ = ("where the two become one, take a copy (`.copy()`), or change each on its own path, under the `if`",)
        frame.fault("R003", message, node, "changed here", help_)
    if contents is not None:
        if target.number in reachable([contents], heap.contents):
            frame.fault("U018", "a container that holds itself is not in the language", node, "put into itself here")
        heap.contents[target.number] = contents
    heap.changes.append(target.number)


def seen_outside(owner: Owner) -> tuple[str, str]:
    """The code and the message for a change of an object that somebody else sees."""
    if owner.kind == "argument":
        return "P014", f"this function changes its argument `{owner.name}`"
    return "P010", f"this function changes `{owner.name}`, which is defined outside it"


def _possibly_the_same(frame: Frame, number: int) -> list[int]:
    """The objects in use of which it is not known whether they are this one."""
    heap = frame.heap
    if not heap.origins:
        return []
    used = reachable(_values_in_use(frame), heap.contents)
    return [other for other in used if other != number and heap.may_be_one(number, other)]


def _values_in_use(frame: Frame) -> Iterator[Value]:
    """The variables, of a function and of those that called it, that may be read from here on."""
    walker: Frame | None = frame
    while walker is not None and walker.builder is frame.builder:  # a function compiled on its own has its own heap
        live = walker.live_after.get(id(walker.node))
        now = set() if walker.node is None else set(reads(walker.node))
        yield from (v for n, v in walker.variables.items() if live is None or n in live or n in now)
        if walker.outer is not None and walker.outer.builder is frame.builder:
            yield from _values_in_use(walker.outer)
        walker = walker.caller
