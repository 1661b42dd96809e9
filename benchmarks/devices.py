"""Several devices of the processor against one: medians, in one process.

    .venv/bin/python benchmarks/devices.py      two devices, each with a core of its own where there are two

It measures an elementwise function and steps of a stencil on one device and on two, a `psum` of 1000 floats between two
devices, and what it takes to start a program of nothing on two devices and to have its results.
"""

import os
import statistics
import sys
import time

os.environ.setdefault("PELLUCID_CPU_DEVICES", "2")

import numpy as np

import pellucid
from pellucid import lax
from pellucid.on_devices import DeviceProgram

TIMES = 30


def elementwise(x):
    return np.exp(np.sin(x)) * np.tanh(x)


def stencil(u):
    """Steps of diffusion on a block of rows, whose first and last row go to the neighbours."""
    index, count = lax.axis_index("i"), lax.axis_size("i")
    for _ in range(20):
        edges = lax.all_gather(np.stack((u[0], u[-1])), "i")
        above = edges[(index + count - 1) % count, 1]
        below = edges[(index + 1) % count, 0]
        padded = np.concatenate((above[None], u, below[None]))
        middle = padded[1:-1]
        u = middle.copy()
        u[:, 1:-1] = middle[:, 1:-1] + 0.1 * (
            padded[:-2, 1:-1] + padded[2:, 1:-1] + middle[:, 2:] + middle[:, :-2] - 4.0 * middle[:, 1:-1]
        )
    return u


def sums(x, n):
    for _ in range(n):
        x = lax.psum(x, "i") * 0.5
    return x


def nothing(x):
    return x


def median(call):
    times = []
    for _ in range(TIMES):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def of_two_and_one(name, function, whole):
    """The same work on two devices by halves, and on one."""
    one, two = DeviceProgram(function, {"i": 1}), DeviceProgram(function, {"i": 2})
    given = pellucid.Array(whole)
    halves = [(pellucid.Array(np.ascontiguousarray(half)),) for half in np.split(whole, 2)]
    for _ in range(3):
        one([(given,)]), two(halves)
    alone, both = median(lambda: one([(given,)])), median(lambda: two(halves))
    print(f"{name:28} {1e3 * alone:9.2f} ms on one  {1e3 * both:9.2f} ms on two   {both / alone:.2f} x")


def main():
    rng = np.random.default_rng(1)
    with_threads = pellucid.compile(elementwise)
    given = pellucid.Array(rng.normal(size=2_000_000))
    with_threads(given).block_until_ready()
    of_two_and_one("elementwise, 2 000 000", elementwise, np.asarray(given))
    of_two_and_one("stencil, 2000 x 1000, 20", stencil, rng.normal(size=(2000, 1000)))
    program, turns = DeviceProgram(sums, {"i": 2}, shared={"n": ("i",)}), 2000
    x = pellucid.Array(rng.normal(size=1000))
    for _ in range(3):
        program([(x, turns), (x, turns)])
    taken = median(lambda: program([(x, turns), (x, turns)])) / turns
    print(f"{'psum of 1000 floats':28} {1e6 * taken:9.2f} microseconds, with a loop that halves them")
    program, x = DeviceProgram(nothing, {"i": 2}), pellucid.Array(rng.normal(size=4))
    for _ in range(100):
        program([(x,), (x,)])
    taken = median(lambda: [program([(x,), (x,)]) for _ in range(200)]) / 200
    print(f"{'a program of nothing':28} {1e6 * taken:9.2f} microseconds on two devices")


if __name__ == "__main__":
    sys.exit(main())
