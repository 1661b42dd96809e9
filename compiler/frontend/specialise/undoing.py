"""Verify that what was undone is gone: all state in reach of a frame is as it was before the attempt.

The verifier does not know what an attempt saves.  It goes through every record that can change, by whatever field it
is reached, the frames of callers among them, and holds each field against what it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import gast

from ...diagnostics import InternalError

COLLECTIONS = (dict, list, set)
PLAIN = (str, int, float, bool, type(None))
MINE = __name__.partition(".")[0]


def seen(root: Any, survives: Mapping[str, set[str]]) -> dict[str, Any]:
    """The path of each field in reach that is to be undone, and what is there."""
    found: dict[str, Any] = {}
    known: set[int] = set()
    queue: list[tuple[str, Any]] = [(type(root).__name__, root)]
    for path, value in queue:  # the queue grows while it is walked
        inner = list(_inside(value, survives)) if id(value) not in known else []
        known.add(id(value))
        found[path] = value if not isinstance(value, COLLECTIONS) else (value, len(value))
        queue += [(f"{path}{step}", part) for step, part in inner]
    return found


def _inside(value: Any, survives: Mapping[str, set[str]]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from ((f"[{key!r}]" if isinstance(key, PLAIN) else f"[{id(key)}]", part) for key, part in value.items())
    elif isinstance(value, list):
        yield from ((f"[{number}]", part) for number, part in enumerate(value))
    elif isinstance(value, set):
        yield from ((f"[{part!r}]" if isinstance(part, PLAIN) else f"[{id(part)}]", part) for part in value)
    elif isinstance(value, gast.stmt):
        yield from ((f".{name}", part) for name in ("body", "orelse") if (part := getattr(value, name, None)))
    elif _can_change(type(value)):
        left_out = survives.get(type(value).__name__, set())
        names = getattr(type(value), "__slots__", None) or vars(value)
        yield from ((f".{name}", getattr(value, name)) for name in names if name not in left_out)


def _can_change(cls: type) -> bool:
    """Whether a class is one of the compiler's whose objects may change."""
    return cls.__module__.startswith(MINE) and not isinstance(cls, gast.AST) and not _is_value(cls)


def _is_value(cls: type) -> bool:
    """Whether objects of a class can be hashed by what they hold, so that nothing may change in them."""
    hashed: Any = cls.__hash__
    return hashed is not object.__hash__


def require_same(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """Raise an InternalError for what an attempt has left."""
    left = [path for path in {**before, **after} if not _is_same(before.get(path), after.get(path))]
    if left:
        raise InternalError("specialise", "", f"undone, an attempt has left its mark on {', '.join(left[:5])}")


def _is_same(left: Any, right: Any) -> bool:
    if left is right:
        return True
    if isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
        return all(map(_is_same, left, right))
    return type(left) is type(right) and isinstance(left, (*PLAIN, frozenset)) and left == right
