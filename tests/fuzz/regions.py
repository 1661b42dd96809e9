"""Parallel regions, products, signals and callers on several threads, for ThreadSanitizer: `make sanitize`.

    .venv/bin/python -m tests.fuzz.regions --times 200
"""

import argparse
import threading

import numpy as np

import pellucid
from pellucid.runtime import threads


@pellucid.compile
def squashed(x):
    y = np.empty(len(x))
    for k in range(len(x)):
        y[k] = np.tanh(x[k]) * 2.0
    return y


@pellucid.compile
def inverses(x):
    y = np.empty(len(x))
    for k in range(len(x)):
        if x[k] == 0.0:
            raise ValueError("zero")
        y[k] = 1.0 / x[k]
    return y


@pellucid.compile
def products(a, x):
    return a @ a, a @ x


def call(times, x):
    left, right = x[:256], x[-256:]
    a, inner = np.outer(left, right), np.sum(left * right)  # a @ a of NumPy has threads that ThreadSanitizer misreads
    for turn in range(times):
        square, column = products(a, left)
        np.testing.assert_allclose(np.asarray(square), inner * a, rtol=1e-12)
        np.testing.assert_allclose(np.asarray(column), inner * left, rtol=1e-12)
        pellucid.threads(3 + turn % 2)
        np.testing.assert_allclose(squashed(x), 2.0 * np.tanh(x), atol=1e-14)
        try:
            inverses(x)
            raise SystemExit("no error")
        except ValueError:
            pass


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=100)
    times = parser.parse_args().times
    pellucid.threads(4)
    threads.regions().set_threshold(1.0)
    x = np.linspace(0.0, 1.0, 20_000)
    call(3, x)
    callers = [threading.Thread(target=call, args=(times, x)) for _ in range(3)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    print(threads.regions().count(), "regions,", threads.regions().workers(), "workers")


if __name__ == "__main__":
    main()
