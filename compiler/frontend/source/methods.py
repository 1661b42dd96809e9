"""What a bound method is: a function with its first argument, Python's own or that of a compiled method."""

from __future__ import annotations

import types
from typing import Any


def is_bound_method(value: Any) -> bool:
    return isinstance(value, types.MethodType) or hasattr(type(value), "__pellucid_bound__")
