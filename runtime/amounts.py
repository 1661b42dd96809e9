"""Amounts of memory, as users write them: `"64 MB"`."""

from __future__ import annotations

import re

UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def memory(given: object) -> int | None:
    """The bytes in `"64 MB"`, in `"1.5 GiB"` or in a number of them; None for anything else, and for none at all."""
    if type(given) is int:
        return given if given > 0 else None
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]+)", given.strip()) if isinstance(given, str) else None
    if found is None or found[2].upper() not in UNITS:
        return None
    return int(float(found[1]) * UNITS[found[2].upper()]) or None
