"""Classes of the library that implement Python's own: `python_dicts.Dict` is a dict with dynamic keys."""

from __future__ import annotations

import collections

from ....ops.python_names import is_in_library

# For Python's classes, the classes of the library that their instances are made of.
MADE_OTHERWISE: dict[type, str] = {
    set: "python_sets:Set", collections.deque: "python_deques:Deque", collections.Counter: "python_counters:Counter",
    collections.defaultdict: "python_counters:DefaultDict",
}  # fmt: skip


def stands_for(cls: type) -> type | None:
    """The class of Python's that one of the library implements: `dict` for `python_dicts.Dict`."""
    return getattr(cls, "python", None) if is_in_library(cls.__module__) else None


def is_of_library(cls: type) -> bool:
    return stands_for(cls) is not None
