"""What a trial run may change: saved before it, and restored where another way is tried.

    saved = frame.snapshot(); try: unroll(...)  except NeedsStatic: frame.restore(saved)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .frame import Frame


def snapshot(frame: Frame) -> tuple[Any, ...]:
    b = frame.builder
    return (
        b.names.copy(), dict(b.types), dict(b.extents), set(b.merged), list(b.body), dict(frame.variables),
        b.span, frame.node, list(frame.task.decisions), b.heap.copy(), b.body, _nests(frame)[:],
        dict(b.hidden), list(b.arguments), dict(b.lengths), list(b.first), dict(b.tables),
    )  # fmt: skip


def restore(frame: Frame, saved: tuple[Any, ...]) -> None:
    b = frame.builder
    b.names.become(saved[0])
    for table, old in ((b.types, saved[1]), (b.extents, saved[2])):
        table.clear()
        table.update(old)
    b.merged.clear()
    b.merged.update(saved[3])
    b.body = saved[10]
    b.body[:] = saved[4]
    _nests(frame)[:] = saved[11]
    frame.variables = dict(saved[5])
    b.span, frame.node = saved[6], saved[7]
    frame.task.decisions[:] = saved[8]
    b.heap.become(saved[9])
    b.hidden, b.arguments, b.lengths = dict(saved[12]), list(saved[13]), dict(saved[14])
    b.first, b.tables = list(saved[15]), dict(saved[16])


def _nests(frame: Frame) -> list[Any]:
    """The nests that a surrounding `try` has opened in this block."""
    protection = frame.builder.protection
    return protection.blocks[-1].nests if protection is not None and protection.blocks else []
