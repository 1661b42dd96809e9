"""What a device of CUDA does, measured: the environment, launches, copies.

    python benchmarks/gpu.py [--device 0]

Needs the driver and the native part, and no compiler: its kernel is a text that the driver assembles.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.runtime.devices.cuda import driver

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
SIZES = tuple(4**k for k in range(3, 16))  # bytes: 64 to 1 GiB


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", type=int, default=0, help="its number among the devices of CUDA")
    device = parser.parse_args().device
    native = driver.extension()
    native.cuda_use(device)
    for part in (environment, launches, copies):
        print(f"--- {part.__doc__}")
        part(native, device)


def environment(native: Any, device: int) -> None:
    """The environment."""
    live, _, held, free, all_ = native.cuda_memory(device)
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}")
    print(f"{native.cuda_name(device)}, compute capability {driver.compute_capability(device)}, "
          f"driver for CUDA {native.cuda_version() / 1000:.1f}")  # fmt: skip
    print(f"{all_ / 2**30:.1f} GiB, free {free / 2**30:.1f} GiB, held by us {held} bytes, in arrays {live}")


def launches(native: Any, device: int) -> None:
    """Launches: microseconds until the call returns, and until a thousand of them have run."""
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
        print(f"{name:32s} {1e6 * statistics.median(queued):8.3f} {1e6 * statistics.median(whole):8.3f}")
    begun = time.perf_counter()
    for _ in range(LAUNCHES):
        configured()
        native.cuda_synchronize(device)
    print(f"{'empty, and waited for':32s} {1e6 * (time.perf_counter() - begun) / LAUNCHES:17.3f}")


def timed(native: Any, device: int, call: Callable[[], Any]) -> tuple[float, float]:
    """Seconds of a call until it returns, and until all have run."""
    native.cuda_synchronize(device)
    begun = time.perf_counter()
    for _ in range(LAUNCHES):
        call()
    returned = time.perf_counter()
    native.cuda_synchronize(device)
    return (returned - begun) / LAUNCHES, (time.perf_counter() - begun) / LAUNCHES


def copies(native: Any, device: int) -> None:
    """Copies: GB/s to the device, back, and on it."""
    print(f"{'bytes':>12s} {'to it':>9s} {'back':>9s} {'on it':>9s}")
    for size in SIZES:
        values = np.ones(size, np.uint8)
        there = native.to_device(values, device)
        ways = (lambda: native.to_device(values, device), there.copy_to_host, there.copy)  # noqa: B023
        rates = [size / seconds(native, device, way) / 1e9 for way in ways]
        print(f"{size:12d} " + " ".join(f"{rate:9.3f}" for rate in rates))


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


if __name__ == "__main__":
    main()
