"""Whether the result of a function shares elements with its arguments, said beside the function.

    @gives("view")
    def swapaxes(a, axis1, axis2): ...

    copy         never, which is what a function without a mark promises: where the body returns its argument, the
                 compiler adds the copy
    view         always; where the body makes new elements, the compiler refuses what would show the difference
    read-only    the same, and NumPy refuses stores into the result
    either       as it turns out: the body passes on its argument, or a view of it, wherever NumPy may
    by rank      as `either`, and what it is the rank of the argument says
    on request   as `either` where `copy=` is given and is not True, a copy where it is not

Rows of operators say the same in their column `shares`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

SHARING = ("copy", "view", "read-only", "either", "by rank", "on request")
F = TypeVar("F", bound=Callable[..., Any])


def gives(sharing: str) -> Callable[[F], F]:
    """Mark a library function."""
    if sharing not in SHARING:
        raise TypeError(f"unknown sharing {sharing!r}")

    def mark(function: F) -> F:
        function.gives = sharing  # type: ignore[attr-defined]
        return function

    return mark


def sharing_of(function: object) -> str:
    """What a function is marked with."""
    return getattr(function, "gives", "copy")
