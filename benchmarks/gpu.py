"""A GPU in one run of at most four minutes: whether it computes what NumPy does, how fast, and beside whom.

    python benchmarks/gpu.py [--device 0] [--only correct bars] [--limit 225] [--markdown docs/benchmarks-gpu.md]

The most important comes first.  Each part is on its own: what fails is told, and costs that part alone.  Once the time
is up, what is left is told and not begun.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import subprocess
import sys
from datetime import date
from pathlib import Path

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # or JAX takes the memory that the others need

import numpy as np
from gpu_bars import bars
from gpu_correct import correctness
from gpu_device import copies, launches
from gpu_parts import Run, Table
from gpu_peers import peers

from pellucid.runtime.devices.cuda import driver

PARTS = {"correct": correctness, "bars": bars, "launches": launches, "peers": peers, "copies": copies}
PACKAGES = ("numba-cuda", "numba", "cuda-bindings", "llvmlite", "cupy-cuda13x", "cupy-cuda12x", "jax", "jaxlib")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", type=int, default=0, help="its number among the devices of CUDA")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="these parts alone")
    parser.add_argument("--limit", type=float, default=225.0, help="seconds after which no part is begun")
    parser.add_argument("--tiny", action="store_true", help="tiny sizes, for a device that is not there")
    parser.add_argument("--markdown", type=Path, help="the page to write")
    given = parser.parse_args()
    sys.exit(measured(Run(given.device, given.limit, given.tiny), given.only, given.markdown))


def measured(run: Run, only: list[str], page: Path | None = None) -> int:
    """How many faults the parts have; the page is written whatever they are."""
    run.native.cuda_use(run.device)
    print(*(facts := environment(run)), sep="\n", flush=True)
    for name in only:
        begun = run.spent
        print(f"--- {PARTS[name].__doc__}", flush=True)
        run.guarded(name, lambda name=name: PARTS[name](run))
        print(f"--- {name}: {run.spent - begun:.1f} s, {run.spent:.1f} s in all", flush=True)
        if page is not None:
            page.write_text(markdown(run, facts))  # after each part: a run that is ended leaves what it has
    print(f"{len(run.faults)} faults", *run.faults, sep="\n")
    return min(len(run.faults), 99)


def environment(run: Run) -> list[str]:
    """What the figures were measured on."""
    native, device = run.native, run.device
    *_, free, all_ = native.cuda_memory(device)
    found = [f"{name} {version}" for name in PACKAGES if (version := version_of(name))]
    return [
        f"{native.cuda_name(device)}, compute capability {'.'.join(map(str, driver.compute_capability(device)))}, "
        f"{all_ / 2**30:.1f} GiB ({free / 2**30:.1f} free), driver {driver_version()}for CUDA "
        f"{native.cuda_version() / 1000:.1f}",
        ", ".join([f"Python {platform.python_version()}", f"NumPy {np.__version__}", *found]),
        f"{platform.system()} {platform.machine()}, {len(os.sched_getaffinity(0))} cores",
    ]


def driver_version() -> str:
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        said = subprocess.run(query, capture_output=True, text=True, timeout=20).stdout
    except OSError:
        return ""
    return f"{said.split()[0]} " if said.split() else ""


def version_of(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


# --- the page --------------------------------------------------------------------------------------------------------

HEAD = """# Measured speed on a GPU

Written by `make gpu` on {date}; do not edit. Everything here was measured in one run of {seconds:.0f} seconds.

{facts}
"""


def markdown(run: Run, facts: list[str]) -> str:
    parts = [HEAD.format(date=date.today().isoformat(), seconds=run.spent, facts="\n".join(f"- {f}" for f in facts))]
    parts += [as_markdown(table) for table in run.tables if table.rows]
    if run.faults:
        parts.append("\n".join(["## Faults", "", *(f"- {fault}" for fault in run.faults), ""]))
    return "\n".join(parts)


def as_markdown(table: Table) -> str:
    lines = ["| " + " | ".join(table.head) + " |", "| --- |" + " ---: |" * (len(table.head) - 1)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in table.rows]
    return "\n".join([f"## {table.title}", "", table.about, "", *lines, ""])


if __name__ == "__main__":
    main()
