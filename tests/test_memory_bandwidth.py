"""Memory that is reused, results that go past the caches, nests that are one loop over memory."""

from __future__ import annotations

import re

import numpy as np
import pytest

import pellucid
from pellucid.compiler.optimise.collapse import collapse
from pellucid.compiler.targets.llvm import parallel
from pellucid.compiler.targets.llvm.llvm import compile_program
from pellucid.runtime import memory, threads
from tests.harness.loops_python import in_python
from tests.harness.loops_text import read_loops
from tests.harness.regions import compiled, every_loop_on_threads, loops_of


@pellucid.compile
def smooth(x):
    return 0.5 * x + 0.25 * np.sqrt(x) + x * x


# --- memory that stays ----------------------------------------------------------------------------------------------


def test_large_results_reuse_their_memory():
    x = np.ones(20_000_000)
    smooth(x)
    held = memory.live_bytes()
    places = {np.asarray(smooth(x)).__array_interface__["data"][0] for _ in range(4)}
    assert len(places) == 1 and memory.live_bytes() == held


def test_the_pool_keeps_no_more_than_its_limit():
    former = memory.limit(0)
    try:
        memory.trim()
        smooth(np.ones(1_000_000))
        assert memory.trim() == 0
    finally:
        memory.limit(former)
    with pytest.raises(ValueError, match="number of bytes"):
        memory.limit(-1)
    smooth(np.ones(1_000_000))
    assert memory.trim() >= 8_000_000


# --- results that go past the caches, nests as one loop ---------------------------------------------------------------


@pytest.fixture
def any_work(monkeypatch):
    with every_loop_on_threads(monkeypatch):
        yield


@pytest.fixture
def everything_streams(any_work):
    former = threads.regions().set_stream_bytes(0)
    yield
    threads.regions().set_stream_bytes(former)


STREAMED = """
def f(x: "any {dtype}[n]", k: "i64[n]"):
    out = empty(dim(x, 0), "{dtype}")
    for i in prange(dim(x, 0)):
        t = x[i]
        if k[i] < 0:
            raise ValueError("below zero at {{}}", i)
        out[i] = t + t
    return out
"""


@pytest.mark.parametrize("dtype", ["f64", "f32", "i64", "i32"])
def test_streamed_results(dtype, everything_streams, monkeypatch):
    monkeypatch.setattr(parallel, "GRANULE", 64)
    plain = STREAMED.replace('        if k[i] < 0:\n            raise ValueError("below zero at {{}}", i)\n', "")
    native = compiled(plain.format(dtype=dtype))
    (call,) = re.findall(r"call i64 @pellucid_parallel_for\(.*\)", native.text)
    assert not call.endswith("i64 -1, i64 0)")
    for length in (0, 1, 63, 64, 65, 1000, 100_003):
        x = np.arange(length * 2).astype({"f64": "f8", "f32": "f4", "i64": "i8", "i32": "i4"}[dtype])[::2]
        (result,) = native([x, np.zeros(length, int)])
        np.testing.assert_array_equal(result, x + x)


@pytest.mark.parametrize(
    "change",
    [
        ("out[i] = t + t", "out[i] = t\n        out[i] = out[i] + t"),  # read again
        ("out[i] = t + t", "out[dim(x, 0) - 1 - i] = t + t"),  # not in order
        ("out[i] = t + t", "if t > 0.0:\n            out[i] = t + t"),  # not always
        ("    for i", "    same = out[:]\n    for i", "t = x[i]", "t = same[i]"),  # read by another name
    ],
)
def test_what_is_not_streamed(change):
    text = STREAMED.replace('        if k[i] < 0:\n            raise ValueError("below zero at {{}}", i)\n', "")
    for old, new in zip(change[::2], change[1::2], strict=True):
        assert old in text
        text = text.replace(old, new)
    (call,) = re.findall(r"call i64 @pellucid_parallel_for\(.*\)", compiled(text.format(dtype="f64")).text)
    assert call.endswith("i64 -1, i64 0)")


def test_errors_of_streamed_loops(everything_streams):
    native = compiled("""
def f(x: "f64[n]", k: "i64[n]"):
    out = empty(dim(x, 0))
    for i in prange(dim(x, 0)):
        out[i] = x[k[i]]
    return out
""")
    places = np.arange(5000)
    places[[3210, 4321]] = 7000, 8000
    with pytest.raises(IndexError, match="index 7000 is"):
        native([np.zeros(5000), places])


FLAT = {
    "whole rows": ("""
def f(x: "f64[n, m]", y: "f64[n, m]"):
    out = empty((dim(x, 0), dim(x, 1)))
    for i in prange(0, dim(x, 0), 1):
        for j in range(0, dim(x, 1), 1):
            out[i, j] = x[i, j] * y[i, j] + 1.0
    return out
""", True),
    "three axes": ("""
def f(x: "f64[n, m, 3]", y: "f64[n, m, 3]"):
    out = empty((dim(x, 0), dim(x, 1), 3))
    for i in prange(0, dim(x, 0), 1):
        for j in range(0, dim(x, 1), 1):
            for k in range(0, 3, 1):
                out[i, j, k] = x[i, j, k] * y[i, j, k] + 1.0
    return out
""", True),
    "another order": ("""
def f(x: "f64[n, n]", y: "f64[n, n]"):
    out = empty((dim(x, 0), dim(x, 1)))
    for i in prange(0, dim(x, 0), 1):
        for j in range(0, dim(x, 1), 1):
            out[i, j] = x[j, i] * y[i, j] + 1.0
    return out
""", False),
    "a part of each row": ("""
def f(x: "f64[n, m]", y: "f64[n, m]"):
    out = empty((dim(x, 0), dim(x, 1)))
    for i in prange(0, dim(x, 0), 1):
        for j in range(0, dim(x, 1), 1):
            out[i, j] = 0.0
    for i in prange(0, dim(x, 0), 1):
        for j in range(0, dim(x, 1) - 1, 1):
            out[i, j] = x[i, j] * y[i, j] + 1.0
    return out
""", False),
    "the variables count": ("""
def f(x: "f64[n, m]", y: "f64[n, m]"):
    out = empty((dim(x, 0), dim(x, 1)))
    for i in prange(0, dim(x, 0), 1):
        for j in range(0, dim(x, 1), 1):
            out[i, j] = x[i, j] * y[i, j] + cast(j, "f64")
    return out
""", False),
}  # fmt: skip


@pytest.mark.parametrize("name", FLAT)
def test_nests_over_whole_arrays_are_one_loop(name, any_work):
    text, is_flat = FLAT[name]
    program, scope = read_loops(text), in_python(text)
    like_x = {**program.main.types, "out": program.main.types["x"]}  # as the compiler types it; the reader does not
    native = compile_program(program.map(lambda function: collapse(function.with_(types=like_x))))
    body = loops_of(native)[-1]
    assert len(re.findall(r"^for\.\d+:", body, re.M)) == (1 if is_flat else 2)
    shapes = [(0, 0), (0, 5), (5, 0), (1, 1), (3, 3), (17, 17)] if "n, n" in text else [(0, 3), (3, 0), (1, 7), (13, 5)]
    for shape in shapes:
        if "n, n" in text and shape[0] != shape[1]:
            continue
        shape = (*shape, 3) if "m, 3" in text else shape
        x, y = (np.random.default_rng(k).normal(size=shape) for k in (1, 2))
        np.testing.assert_array_equal(native([x, y])[0], scope(x, y))
