"""Tasks, waiting, errors and cancelled work on several threads, for ThreadSanitizer: `make sanitize`.

    .venv/bin/python -m tests.fuzz.tasks --times 200
"""

import argparse
import gc
import os
import signal
import threading
import time

import numpy as np

import pellucid
from pellucid.runtime import asynchronous, memory, threads


@pellucid.compile
def halved(x, n):
    for _ in range(n):
        x = x * 0.5 + 1.0
    return x, x[0]


@pellucid.compile
def scaled(x, s):
    return np.tanh(x * s) * 2.0


@pellucid.compile
def item(x, n, k):
    for _ in range(n):
        x = x * 0.5 + 1.0
    return x[k]


@pellucid.compile
def part(x, n):
    return x[:n] + 1.0


def chain(times, x):
    changing = np.ones(len(x))
    for _ in range(times):
        y, first = halved(x, 20)
        for _ in range(10):
            y = scaled(y, first)
        z = part(y, 100) + part(x, 100)
        w = scaled(pellucid.Array(y), 1.0) * changing
        changing[:] = 1.0
        assert y.shape == w.shape and z.shape == (100,) and float(first) > 0.9
        try:
            float(item(x, 20, len(x)) + 1.0)
            raise SystemExit("no error")
        except IndexError:
            pass
        item(x, 20, 0)
        if y.is_ready():
            np.testing.assert_allclose(np.asarray(w)[:3], np.asarray(w)[:3])


def interrupted(x):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    endless = halved(x, 10**12)[0]
    after = scaled(endless, 1.0)
    threading.Thread(target=lambda: (time.sleep(0.2), os.kill(os.getpid(), signal.SIGINT))).start()
    try:
        after.block_until_ready()
        raise SystemExit("no interrupt")
    except KeyboardInterrupt:
        pass


def on_all_devices(times):
    """Chains that meet: each step takes something of the neighbour, not computed yet."""
    devices = pellucid.devices()
    states = [pellucid.device_put(np.linspace(0.5, 1.0, 20_000), device) for device in devices]
    for _ in range(times):
        states = [scaled(state, 0.5) for state in states]
        moved = [pellucid.device_put(states[k - 1], device) for k, device in enumerate(devices)]
        states = [state + other for state, other in zip(states, moved, strict=True)]
    pellucid.block_until_ready(states)


def smoothed(x):
    total = pellucid.lax.psum(x, "i")
    return x * 0.5 + total * 0.25, np.sum(x)


def part_of(x, k):
    return pellucid.lax.psum(x[k], "i")


def launches(times, x):
    """Runs of one program on all devices, from several threads: chains, whole results, errors of one device."""
    count = len(pellucid.devices())
    mapped = pellucid.pmap(smoothed, axis_name="i")
    failing = pellucid.pmap(part_of, axis_name="i")
    rows = np.stack([np.asarray(x)] * count)
    for turn in range(times):
        found = rows
        for _ in range(10):
            found, sums = mapped(found)
        assert np.asarray(found).shape == rows.shape and len(np.asarray(sums)) == count
        total = failing(found, np.array([*[0] * (count - 1), len(x) * (turn % 2)]))
        try:
            assert np.asarray(total)[0] > 0.0 and turn % 2 == 0
        except IndexError:
            assert turn % 2 == 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=100)
    times = parser.parse_args().times
    pellucid.threads(4)
    threads.regions().set_threshold(1.0)
    x = pellucid.Array(np.linspace(0.5, 1.0, 20_000))
    chain(4, x)
    on_all_devices(times)
    launches(4, x)
    before = memory.live_bytes()
    interrupted(x)
    callers = [threading.Thread(target=work, args=(times, x)) for work in (chain, chain, chain, launches, launches)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    asynchronous.finish()
    gc.collect()
    assert memory.live_bytes() <= before, "memory is left"
    print(threads.regions().count(), "regions")


if __name__ == "__main__":
    main()
