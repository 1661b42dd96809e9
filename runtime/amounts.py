"""Amounts of memory, as users write them: `"64 MB"`."""

from __future__ import annotations

import re
from typing import NamedTuple

UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


class Memory(NamedTuple):
    """So many bytes, and how they were written."""

    bytes: int
    text: str


def memory(given: object) -> Memory | None:
    """`"64 MB"`, `"1.5 GiB"` or a number of bytes; None for anything else, and for none at all."""
    if type(given) is int and given > 0:
        return Memory(given, f"{given} bytes")
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]+)", given.strip()) if isinstance(given, str) else None
    if found is None or found[2].upper() not in UNITS:
        return None
    count = int(float(found[1]) * UNITS[found[2].upper()])
    return Memory(count, f"{found[1]} {found[2]}") if count else None
