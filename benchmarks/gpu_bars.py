"""What a GPU has to reach: shares of what its memory allows, microseconds of calls, seconds of first calls."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import gpu_programs as programs
import numpy as np
from gpu_parts import Run, Table, queued, shown, single

import pellucid
from pellucid.runtime.devices.cuda.platform import on_gpu

MEMORY = 3.35e12  # bytes a second of an H100's memory, by its data sheet
SMALLER = 10_000  # how much smaller everything is on a device that is not there


def bars(run: Run) -> None:
    """Bars: shares of a copy's speed and of the memory's, and times of calls."""
    about = (
        "*Reached* is a share of the speed at which the device copies an array of that size to another (`a copy`), or "
        f"of {MEMORY / 1e12} TB/s, counting the bytes that have to be read and written (`ideal`); or a time. Calls "
        "were queued and waited for together, 5 rounds, the median."
    )
    table = run.table("Bars", about, "work", "time", "reached", "bar", "")
    for name, part in PARTS.items():
        run.guarded(name, lambda part=part: part(run, table))


def tell(run: Run, table: Table, name: str, seconds: float, reached: float, bar: float, of: str) -> None:
    """A share, which should be large."""
    run.row(table, name, shown(seconds), f"{reached:.2f} of {of}", f"{bar:.2f}", "met" if reached >= bar else "missed")


def within(run: Run, table: Table, name: str, seconds: float, bar: float) -> None:
    run.row(table, name, shown(seconds), "", shown(bar), "met" if seconds <= bar else "missed")


def copy_rate(run: Run, there: Any) -> float:
    """Bytes a second that a copy of an array on the device reads and writes."""
    array = on_gpu(there)
    return 2.0 * array.nbytes / queued(array.copy, run.wait)


def large(run: Run, size: int) -> int:
    return max(size // SMALLER, 8) if run.is_tiny else size


def elementwise(run: Run, table: Table) -> None:
    (x,) = run.there((np.random.default_rng(0).random(large(run, 100_000_000), dtype=np.float32),))
    rate, compiled = copy_rate(run, x), pellucid.compile(programs.poly)
    seconds = queued(lambda: compiled(x), run.wait)
    tell(run, table, "x + x**2 + x**3, f32, 1e8", seconds, 2.0 * x.nbytes / seconds / rate, 0.92, "a copy")
    run.row(table, "a copy, f32, 1e8", shown(2.0 * x.nbytes / rate), f"{rate / MEMORY:.2f} of ideal", "", "")


def cross_entropy(run: Run, table: Table) -> None:
    shape = (large(run, 8192), 64 if run.is_tiny else 4096)
    args = run.there(programs.logits(shape, np.random.default_rng(0)))
    forward, slope = pellucid.compile(programs.cross_entropy), pellucid.grad(programs.cross_entropy)
    for name, call, passes in (("cross-entropy", forward, 2), ("cross-entropy, gradient", slope, 3)):
        seconds = queued(lambda call=call: call(*args), run.wait)
        ideal = passes * args[0].nbytes / MEMORY
        tell(run, table, f"{name}, f64, 8192 x 4096", seconds, ideal / seconds, 0.70, "ideal")


def jacobi(run: Run, table: Table) -> None:
    compiled, random = pellucid.compile(programs.jacobi), np.random.default_rng(0)
    side, steps = (16, 3) if run.is_tiny else (4096, 100)
    (u,) = run.there((random.random((side, side)),))
    seconds = queued(lambda: compiled(u, steps), run.wait, 3) / steps
    tell(run, table, "a Jacobi step, f64, 4096 x 4096", seconds, 2.0 * u.nbytes / MEMORY / seconds, 0.80, "ideal")
    side, steps = (8, 3) if run.is_tiny else (256, 1000)
    (u,) = run.there((random.random((side, side)),))
    seconds = queued(lambda: compiled(u, steps), run.wait, 3) / steps
    within(run, table, "a Jacobi step, 256 x 256", seconds, 4e-6)


def sums(run: Run, table: Table) -> None:
    (x,) = run.there((np.random.default_rng(0).random(large(run, 100_000_000)),))
    rate = copy_rate(run, x)
    for name, function, passes, bar in (("sum", np.sum, 1, 0.85), ("running sum", np.cumsum, 2, 0.60)):
        compiled = pellucid.compile(TOTALS[function])
        seconds = queued(lambda compiled=compiled: compiled(x), run.wait)
        tell(run, table, f"{name}, f64, 1e8", seconds, passes * x.nbytes / seconds / rate, bar, "a copy")
    side = 16 if run.is_tiny else 10_000
    rows = run.there((np.random.default_rng(0).random((side, side)),))[0]
    compiled = pellucid.compile(column_sums)
    seconds = queued(lambda: compiled(rows), run.wait)
    tell(run, table, "column sums, f64, 1e4 x 1e4", seconds, rows.nbytes / seconds / rate, 0.85, "a copy")


def total(x):
    return np.sum(x)


def column_sums(x):
    return np.sum(x, axis=0)


TOTALS = {np.sum: total, np.cumsum: programs.scan}


def histogram(run: Run, table: Table) -> None:
    args = programs.weighted(large(run, 10_000_000), np.random.default_rng(0))
    places, weights, bins = run.there(args)
    compiled = pellucid.compile(programs.histogram)
    seconds = queued(lambda: compiled(places, weights, bins), run.wait)
    name = "histogram in order, 1e7 into 1000"
    try:
        import cupy
    except ImportError:
        run.row(table, name, shown(seconds), "no CuPy", "1.50 x atomics", "")
        return
    theirs_there = cupy.asarray(args[0]), cupy.asarray(args[1])
    out = cupy.zeros(bins)

    def atomics() -> None:
        cupy.add.at(out, *theirs_there)

    theirs = queued(atomics, cupy.cuda.Device().synchronize)
    counted = queued(lambda: cupy.bincount(*theirs_there, bins), cupy.cuda.Device().synchronize)
    run.row(table, "CuPy's bincount", shown(counted), "", "", "")
    met = "met" if seconds <= 1.5 * theirs else "missed"
    run.row(table, name, shown(seconds), f"{seconds / theirs:.2f} x atomics", "1.50", met)


def halved(x, steps):
    for _ in range(steps):
        x = 0.5 * x + 1.0
    return x


def calls(run: Run, table: Table) -> None:
    (x,) = run.there((np.ones(1000),))
    poly, loop, steps = pellucid.compile(programs.poly), pellucid.compile(halved), 5 if run.is_tiny else 2000
    source = loop.source("kernels", np.ones(3), 2)
    launches = source.count("@cuda.jit")
    seconds = queued(lambda: loop(x, steps), run.wait, 5, 0.05) / steps
    within(run, table, f"a step of a driver, its array too ({launches} kernels)", seconds, 4e-6)
    within(run, table, "a whole call, queued", queued(lambda: poly(x), run.wait, 9), 12e-6)
    alone = single(run, lambda: poly(x), run.wait, 3 if run.is_tiny else 30)
    run.row(table, "a whole call and its result", shown(alone), "", "", "")


# --- first calls -----------------------------------------------------------------------------------------------------

FIRST = """
import sys, time
begun = time.perf_counter()
import numpy as np
import pellucid
sys.path.insert(0, {here!r})
import gpu_programs as programs
x = pellucid.device_put(np.ones(1000), "cuda:{device}")
y = pellucid.device_put(np.ones((30, 40)), "cuda:{device}")
def first(function, *args):
    begun = time.perf_counter()
    np.asarray(pellucid.compile(function)(*args))
    return time.perf_counter() - begun
ready = time.perf_counter() - begun
print(ready, first(programs.poly, x), first(programs.scan, x), first(programs.cross_entropy, y, y))
"""


def first_calls(run: Run, table: Table) -> None:
    if run.is_tiny:
        return  # a second process has no device that is not there
    with tempfile.TemporaryDirectory() as folder:
        for where, bar in (("compiled", 0.5), ("from the store", 0.03)):
            ready, poly, scan, entropy = in_a_process(run, folder)
            run.row(table, f"imports, device and copies, {where}", shown(ready), "", "", "")
            run.row(table, f"first call of the process, {where}", shown(poly), "", "", "")
            within(run, table, f"a first call, running sum, {where}", scan, bar)
            within(run, table, f"a first call, cross-entropy, {where}", entropy, bar)


def in_a_process(run: Run, folder: str) -> list[float]:
    text = FIRST.format(here=os.path.dirname(os.path.abspath(__file__)), device=run.device)
    environment = {**os.environ, "PELLUCID_CACHE_DIR": folder, "PELLUCID_CACHE": "1"}
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=environment, timeout=90)
    if done.returncode:
        raise RuntimeError(f"the process of the first calls ends with: {done.stderr.strip().splitlines()[-1]}")
    return [float(word) for word in done.stdout.split()]


PARTS: dict[str, Callable[[Run, Table], None]] = {
    "elementwise": elementwise, "cross-entropy": cross_entropy, "Jacobi": jacobi, "sums": sums,
    "histogram": histogram, "calls": calls, "first calls": first_calls,
}  # fmt: skip
