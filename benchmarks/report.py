"""What was measured as a table: for a terminal, for `docs/`, for machines."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

from measure import Row, verdicts
from peers import OURS

PEERS = ("numpy", "numba", "jax")
HEAD = ("work", OURS, *PEERS, "ours / limit", "bar", "ours / bar's", "")
WORDS = {"copy": "a copy", "": "s"}


def shown(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def cells(row: Row, rows: Sequence[Row]) -> tuple[str, ...]:
    """A row of the table; a peer shows its time and, in brackets, ours over it."""
    ours = row.medians.get(OURS)
    columns = [row.workload, "failed" if ours is None else shown(ours)]
    for peer in PEERS:
        time = row.medians.get(peer)
        known = time is not None and ours is not None
        columns.append("" if time is None else f"{shown(time)} ({ours / time:.2f})" if known else shown(time))
    columns.append(f"{ours / row.limit:.2f}" if ours is not None and row.limit else "")
    found = verdicts(row, rows)
    columns.append(", ".join(bar_text(v.bar.limit, v.bar.against) for v in found))
    columns.append(", ".join(f"{v.ratio:.2f}" if v.bar.against else shown(v.ratio) for v in found))
    missed = "missed" if any(not v.met for v in found) else "met" if found else ""
    return (*columns, ", ".join(filter(None, (missed, f"{' and '.join(row.apart)} differ" if row.apart else ""))))


def bar_text(limit: float, against: tuple[str, ...]) -> str:
    names = " or ".join("the energy" if "energy" in name else WORDS.get(name, name) for name in against)
    return f"{limit:g} x {names}" if against else shown(limit)


def text_table(rows: Sequence[Row]) -> str:
    table = [HEAD, *(cells(row, rows) for row in rows)]
    widths = [max(len(line[k]) for line in table) for k in range(len(HEAD))]
    lines = [
        "  ".join(c.ljust(w) if k == 0 else c.rjust(w) for k, (c, w) in enumerate(zip(line, widths))).rstrip()
        for line in table
    ]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def machine() -> dict[str, str]:
    """What the figures were measured on."""
    names = ("numpy", "scipy", "llvmlite", "numba", "jax")
    return {
        "date": date.today().isoformat(),
        "processor": processor(),
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version for name in names if (version := version_of(name))},
    }


def processor() -> str:
    """The model's name, with what the kernel knows about the size of its caches."""
    information = Path("/proc/cpuinfo")
    if not information.exists():
        return platform.processor() or "unknown"
    lines = [line.split(":", 1) for line in information.read_text().splitlines() if ":" in line]
    found = {key.strip(): value.strip() for key, value in reversed(lines)}
    flags = found.get("flags", "").split()
    vectors = next((name for name in ("avx512f", "avx2", "avx") if name in flags), "")
    return " ".join(filter(None, (found.get("model name", "unknown"), vectors)))


def version_of(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def markdown(rows: Sequence[Row]) -> str:
    """The page of the docs."""
    about = ", ".join(f"{key} {value}" for key, value in machine().items() if key != "date")
    lines = ["| " + " | ".join(HEAD) + " |", "| --- |" + " ---: |" * (len(HEAD) - 1)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in cells(row, rows)) + " |" for row in rows]
    return PAGE.format(date=machine()["date"], machine=about, table="\n".join(lines))


PAGE = """# Measured speed

Written by `make bench` on {date}; do not edit. Medians of calls that took turns in one process; behind a peer's time,
in brackets, ours divided by it (below 1 we are faster). *ours / limit* divides our time by what the machine allows,
measured beside it: a copy, into a ready buffer, of the bytes that have to be moved (`np.copyto`, one thread), or the
same product of matrices at the speed of the linear algebra library. JAX has its arguments on its device before
the clock starts; Numba and we get NumPy arrays. Starting is measured in fresh processes: "after another function" says
that a first, small function has been compiled before, "second process" that the object cache is filled.

Machine: {machine}.

{table}
"""


def as_json(rows: Sequence[Row]) -> dict[str, Any]:
    return {
        "machine": machine(),
        "rows": [
            {**asdict(row), "verdicts": [
                {"limit": v.bar.limit, "against": v.against, "ratio": v.ratio, "met": v.met}
                for v in verdicts(row, rows)
            ]}
            for row in rows
        ],
    }  # fmt: skip
