"""Times as they are read: `as_time(1_500_000)` is `1.50 ms`."""

from __future__ import annotations


def as_time(nanoseconds: int) -> str:
    """A time with three digits that count."""
    for unit, length in (("s", 10**9), ("ms", 10**6), ("us", 10**3)):
        if nanoseconds >= length:
            value = nanoseconds / length
            return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"
    return f"{nanoseconds} ns"
