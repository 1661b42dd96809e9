"""By which arguments a derivative is taken: numbers of parameters, or their names.

    behind(0, 1)    ->    1, the same argument of a function that takes one before it
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

Argnums: TypeAlias = int | str | tuple[int | str, ...]


def each(argnums: Argnums, change: Callable[[int | str], int | str]) -> Argnums:
    """Every position changed; of a tuple, a tuple."""
    return tuple(map(change, argnums)) if isinstance(argnums, tuple) else change(argnums)


def behind(place: int | str, count: int) -> int | str:
    """The same argument where that many come before."""
    return place if isinstance(place, str) or place < 0 else place + count


def placed(place: int | str, names: Sequence[str]) -> int | str:
    """The number of an argument, or its name, which has to be that of a parameter."""
    if isinstance(place, str) and place not in names:
        raise ValueError(f"argnums names `{place}`, and the parameters are {', '.join(names)}")
    return place
