"""Classes by which the library stands for Python's own: `python_dicts.Dict` for a dict whose keys the run knows."""

from __future__ import annotations

import collections

from ....ops.python_names import LIBRARY

# Python's classes whose instances are made of what the library has in their place.
MADE_OTHERWISE = {
    set: "python_sets:Set", collections.deque: "python_deques:Deque", collections.Counter: "python_counters:Counter",
    collections.defaultdict: "python_counters:DefaultDict",
}  # fmt: skip


def stands_for(cls: type) -> type | None:
    """The class of Python's own for which one of the library's stands: `dict` for `python_dicts.Dict`."""
    return getattr(cls, "python", None) if cls.__module__.startswith(LIBRARY) else None


def is_of_library(cls: type) -> bool:
    return stands_for(cls) is not None
