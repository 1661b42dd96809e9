"""Calls that go on after they have returned: how soon they return, and what chains and loops of them take in all.

Each is measured as Python makes such calls, with waiting where the work says so.  What the work itself takes is
measured beside it, by the same calls one by one.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from measure import Row
from peers import OURS, imported
from workload import Bar

import pellucid

ONE_BY_ONE, LONGER = "one by one", "the longer of both"
CALLS = 1000
HERE = Path(__file__).parent


def product(a, b):
    return a @ b


def steps(x, count):
    for _ in range(count):
        x = x * 0.999 + 0.001
    return x


def going_on_rows(rounds: int, only: str = "") -> list[Row]:
    """The rows whose names contain a word."""
    return [make(name, rounds) for name, make in ROWS.items() if only.lower() in name.lower()]


# --- returning -----------------------------------------------------------------------------------------------------


def returning(name: str, rounds: int) -> Row:
    """What it takes until a call returns; its work is waited for in between."""
    values = np.random.default_rng(0).random((2000, 2000))
    ours = pellucid.compile(product)
    calls: dict[str, tuple[Callable, object]] = {OURS: (ours, pellucid.Array(values))}
    jax = imported("jax")
    if jax is not None:
        calls["jax"] = jax.jit(product), jax.device_put(values)
    for call, a in calls.values():
        for _ in range(3):
            call(a, a).block_until_ready()
    samples: dict[str, list[float]] = {contender: [] for contender in calls}
    for _ in range(rounds):
        for contender, (call, a) in calls.items():
            samples[contender].append(until_it_returns(call, a))
    return Row(name, medians_of(samples), bars=(Bar(8e-6), Bar(1.0, ("jax",))))


def until_it_returns(call: Callable, a: object) -> float:
    started = time.perf_counter()
    result = call(a, a)
    returned = time.perf_counter() - started
    result.block_until_ready()
    return returned


# --- chains --------------------------------------------------------------------------------------------------------


def count_for(x: object, call: Callable, seconds: float) -> int:
    """With how many iterations a call takes so long."""

    def taken(count: int) -> float:
        return min(seconds_of(lambda: call(x, count)) for _ in range(20))

    count = 10
    while taken(count) < seconds / 2:
        count *= 2
    return round(count * seconds / taken(count))


def seconds_of(work: Callable) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def chained(call: Callable, x: object, count: int) -> None:
    for _ in range(CALLS):
        x = call(x, count)
    x.block_until_ready()  # type: ignore[attr-defined]


def chain(name: str, rounds: int) -> Row:
    x, call = pellucid.Array(np.ones(1000)), pellucid.compile(steps)
    for _ in range(3):
        call(x, 3)
    with pellucid.synchronous():
        count = count_for(x, call, 1e-4)
    samples: dict[str, list[float]] = {OURS: [], ONE_BY_ONE: []}
    for _ in range(rounds):
        samples[OURS].append(seconds_of(lambda: chained(call, x, count)))
        with pellucid.synchronous():
            samples[ONE_BY_ONE].append(seconds_of(lambda: chained(call, x, count)))
    return Row(name, medians_of(samples), bars=(Bar(1.02, (ONE_BY_ONE,)),))


def training(name: str, rounds: int) -> Row:
    """A step on one thread, and the next batch read meanwhile by work of NumPy's."""
    call = pellucid.compile(steps, parallel=False)
    x, batch = pellucid.Array(np.ones(1000)), np.random.default_rng(0).random(50_000)
    for _ in range(3):
        call(x, 3)
    read = statistics.median(seconds_of(lambda: np.sort(batch)) for _ in range(20))
    with pellucid.synchronous():
        count = count_for(x, call, read)
    samples: dict[str, list[float]] = {OURS: [], LONGER: []}

    def loop() -> None:
        state = x
        for _ in range(100):
            state = call(state, count)
            np.sort(batch)
        state.block_until_ready()

    for _ in range(rounds):
        samples[OURS].append(seconds_of(loop))
        reading = seconds_of(lambda: [np.sort(batch) for _ in range(100)])
        with pellucid.synchronous():
            working = seconds_of(lambda: [call(x, count) for _ in range(100)])
        samples[LONGER].append(max(reading, working))
    return Row(name, medians_of(samples), bars=(Bar(1.1, (LONGER,)),))


# --- devices -------------------------------------------------------------------------------------------------------


def two_devices(name: str, rounds: int) -> Row:
    """In a process of its own, which has two devices."""
    environment = os.environ | {"PELLUCID_CPU_DEVICES": "2", "PYTHONPATH": str(HERE)}
    command = [sys.executable, str(HERE / "going_on.py"), str(rounds)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    together, apart = map(float, done.stdout.split())
    return Row(name, {OURS: together, ONE_BY_ONE: apart}, bars=(Bar(0.55, (ONE_BY_ONE,)),))


def measure_two(rounds: int) -> tuple[float, float]:
    """Seconds of two chains at the same time, and of one after the other."""
    call = pellucid.compile(steps)
    first, second = (pellucid.device_put(np.ones(1000), device) for device in pellucid.devices())
    for _ in range(3):
        call(first, 3), call(second, 3)
    with pellucid.synchronous():
        count = count_for(first, call, 1e-4)

    def together() -> None:
        one, other = first, second
        for _ in range(CALLS):
            one, other = call(one, count), call(other, count)
        pellucid.block_until_ready((one, other))

    def apart() -> None:
        chained(call, first, count)
        chained(call, second, count)

    samples = [(seconds_of(together), seconds_of(apart)) for _ in range(rounds)]
    return statistics.median(one for one, _ in samples), statistics.median(other for _, other in samples)


def medians_of(samples: dict[str, list[float]]) -> dict[str, float]:
    return {contender: statistics.median(times) for contender, times in samples.items()}


ROWS: dict[str, Callable[[str, int], Row]] = {
    "a call returns, 2000 x 2000 product in flight": returning,
    f"{CALLS} chained calls of 100 microseconds": chain,
    "100 steps that read the next batch meanwhile": training,
    f"two devices, {CALLS} chained calls on each": two_devices,
}

if __name__ == "__main__":
    print(*measure_two(int(sys.argv[1])))
