"""What stands in a class: what its text says, and what Python makes of that.

    @dataclass class P: a: float     ->     `__init__` is made, and told by the fields;  `norm` is the user's
"""

from __future__ import annotations

import collections
import types
from typing import Any

PLACES = (types.MemberDescriptorType, type(collections.namedtuple("Sample", "field").__dict__["field"]))
GENERATED = "<string>"  # the file of the functions that `dataclasses` and `collections` write
CHANGING_BY_USE = ("__annotations__", "__annotations_cache__", "__abc_impl", "_abc_impl", "__static_attributes__")
SHOWING = ("__repr__", "__str__", "__format__", "__hash__", "__reduce__")


def is_made(value: Any) -> bool:
    """Whether Python made an entry of a class: the place of a field, a method that `dataclasses` wrote."""
    return isinstance(value, PLACES) or is_generated(value)


def is_generated(value: Any) -> bool:
    return isinstance(value, types.FunctionType) and value.__code__.co_filename == GENERATED


def is_called_by_python(name: str, value: Any) -> bool:
    """Whether Python calls a method of this name by itself, so that no code has to mention it."""
    is_special = name[:2] == name[-2:] == "__" and name not in SHOWING
    return is_special and isinstance(value, types.FunctionType) and not is_generated(value)
