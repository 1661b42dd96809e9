"""What a device of CUDA does without a compiler: launches and copies.  The driver assembles the text of the kernel."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from gpu_parts import Run

EMPTY = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry empty()
{
    ret;
}
.visible .entry array(
    .param .u64 meminfo, .param .u64 parent, .param .u64 items, .param .u64 itemsize, .param .u64 data,
    .param .u64 length, .param .u64 stride, .param .u64 number)
{
    ret;
}
"""
LAUNCHES, ROUNDS = 1000, 20
SIZES = tuple(16**k for k in range(2, 8))  # bytes: 256 to 256 MiB


def launches(run: Run) -> None:
    """Launches: microseconds until the call returns, and until a thousand of them have run."""
    native, device = run.native, run.device
    about = "The median of 20 rounds of a thousand; a launch from a driver should take 4 us."
    table = run.table("Launches", about, "call", "us until it returns", "us until it has run")
    module = native.Module(EMPTY.encode())
    empty = native.Kernel(module.function("empty"), [], "empty")
    array = native.Kernel(module.function("array"), [("array", 1, "f8", True), ("scalar", "i8")], "array")
    x = native.device_array(1000, np.float64, device)
    configured = empty[1, 32]
    for name, call in (
        ("empty, configured before", lambda: configured()),
        ("empty", lambda: empty[1, 32]()),
        ("an array and a number", lambda: array[4, 256](x, 1000)),
        ("an array of 1000 from the pool", lambda: native.device_array(1000, np.float64)),
        ("reshape", lambda: x.reshape(10, 100)),
        ("nothing, in Python", lambda: None),
    ):
        queued, whole = zip(*(timed(native, device, call) for _ in range(ROUNDS)))
        run.row(table, name, f"{1e6 * statistics.median(queued):.3f}", f"{1e6 * statistics.median(whole):.3f}")
    begun = time.perf_counter()
    for _ in range(LAUNCHES):
        configured()
        native.cuda_synchronize(device)
    run.row(table, "empty, and waited for", "", f"{1e6 * (time.perf_counter() - begun) / LAUNCHES:.3f}")


def timed(native: Any, device: int, call: Callable[[], Any]) -> tuple[float, float]:
    """Seconds of a call until it returns, and until all have run."""
    native.cuda_synchronize(device)
    begun = time.perf_counter()
    for _ in range(LAUNCHES):
        call()
    returned = time.perf_counter()
    native.cuda_synchronize(device)
    return (returned - begun) / LAUNCHES, (time.perf_counter() - begun) / LAUNCHES


def copies(run: Run) -> None:
    """Copies: GB/s to the device, back, and on it."""
    native, device = run.native, run.device
    about = "The median of five, each waited for; a copy on the device reads and writes each byte, which counts once."
    table = run.table("Copies", about, "bytes", "GB/s to it", "GB/s back", "GB/s on it")
    for size in SIZES[:3] if run.is_tiny else SIZES:
        values = np.ones(size, np.uint8)
        there = native.to_device(values, device)
        ways = (lambda: native.to_device(values, device), there.copy_to_host, there.copy)  # noqa: B023
        rates = [size / seconds(native, device, way) / 1e9 for way in ways]
        run.row(table, str(size), *(f"{rate:.3f}" for rate in rates))


def seconds(native: Any, device: int, call: Callable[[], Any]) -> float:
    """The median time of a call with its work."""
    call()
    times = []
    for _ in range(5):
        native.cuda_synchronize(device)
        begun = time.perf_counter()
        call()
        native.cuda_synchronize(device)
        times.append(time.perf_counter() - begun)
    return statistics.median(times)
