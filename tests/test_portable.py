"""Without the native part everything works, through Python: the same values, the same errors, no memory left behind."""

import os
import subprocess
import sys
import textwrap

import pytest

PROGRAM = """
import numpy as np
import pellucid
from pellucid.runtime import memory, native_part, threads

@pellucid.compile
def smooth(x):
    found = []
    for k in range(len(x)):
        if x[k] > 0.0:
            found.append(x[k] * np.ones(k % 5))
    total = np.zeros(4)
    for row in found:
        total[: len(row)] += row
    return total, np.tanh(x) * 2.0, len(found)

def plain(x):
    found = [x[k] * np.ones(k % 5) for k in range(len(x)) if x[k] > 0.0]
    total = np.zeros(4)
    for row in found:
        total[: len(row)] += row
    return total, np.tanh(x) * 2.0, len(found)

x = np.random.default_rng(0).normal(size=200_000)
for got, want in zip(smooth(x), plain(x)):
    np.testing.assert_allclose(got, want, rtol=1e-12)
slope = pellucid.grad(lambda x: np.sum(np.tanh(x) ** 2))(x)
np.testing.assert_allclose(slope, 2.0 * np.tanh(x) * (1.0 - np.tanh(x) ** 2), atol=1e-12)

@pellucid.compile
def new(n):
    return np.empty(n)

for length, kind in ((-1, ValueError), (2**60, MemoryError), (2**51, MemoryError)):
    try:
        new(length)
        raise SystemExit("no error")
    except kind as error:
        print(error)

@pellucid.compile
def third(x):
    return x[3]

try:
    third(np.ones(3))
except IndexError as error:
    print(error)
del got, slope
print(memory.live_bytes(), pellucid.thread_count(), native_part.why_not())
"""


def run(program, **settings):
    command = [sys.executable, "-c", textwrap.dedent(program)]
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def without():
    return run(PROGRAM, PELLUCID_NATIVE="0")


def test_values_and_errors_are_the_same(without):
    """All but the last line, which says how it was done."""
    assert without[:-1] == run(PROGRAM, PELLUCID_NATIVE="")[:-1] and len(without) == 5


def test_one_thread_and_no_memory_left(without):
    assert without[-1] == "0 1 PELLUCID_NATIVE=0"


def test_the_extension_is_built_here():
    """Tests of threads and signals would hold nothing without it."""
    code = "from pellucid.runtime import native_part; print(repr(native_part.why_not()))"
    assert run(code, PELLUCID_NATIVE="") == ["''"]
