"""Large parallel loops on threads: the same bits and errors as on one thread, and no thread for small work."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import pellucid
from pellucid.runtime import cores, memory, threads
from tests.harness import targets
from tests.harness.corpus import leaves, programs
from tests.harness.regions import compiled, every_loop_on_threads, in_regions, loops_of


@pytest.fixture
def any_work(monkeypatch):
    with every_loop_on_threads(monkeypatch):
        yield


def bits(value):
    """Everything in a nested result, bit for bit."""
    return [(np.asarray(leaf).dtype, np.asarray(leaf).tobytes()) for leaf in leaves(value)]


# --- the same result ------------------------------------------------------------------------------------------------

SCALE = """
def f(x: "f64[n, m]", y: "f64[m]"):
    out = empty((dim(x, 0), dim(x, 1)))
    for i in prange(dim(x, 0)):
        s = cast(0.0, "f64")
        row = x[i]
        for j in range(dim(row, 0)):
            s = s + row[j] * y[j]
        scratch = empty(dim(x, 1))
        for j in range(dim(x, 1)):
            scratch[j] = s + x[i, j]
        for j in range(dim(x, 1)):
            out[i, j] = scratch[j] / 3.0
        del scratch
    return out
"""


@pytest.mark.parametrize("program", programs()[::4], ids=str)
def test_the_number_of_threads_leaves_no_trace(program, any_work):
    function = pellucid.compile(program.function)
    arguments = program.make_arguments(seed=3, size=9)
    several = bits(function(*arguments))
    with pellucid.threads(1):
        assert bits(function(*arguments)) == several


def test_bodies_with_buffers_and_views_of_their_own(any_work):
    native = compiled(SCALE)
    rng = np.random.default_rng(0)
    held = memory.live_bytes()
    for rows in (0, 1, 2, 3, 17, 64, 501):
        x, y = rng.normal(size=(rows, 7)), rng.normal(size=7)
        (result,), count = in_regions(lambda: native([x, y]))
        assert count == (rows > 1)
        with pellucid.threads(1):
            np.testing.assert_array_equal(native([x, y])[0], result)
        np.testing.assert_allclose(result, (x @ y[:, None] + x) / 3.0, rtol=1e-12)
    del result
    assert memory.live_bytes() == held


def test_a_vectorised_loop_is_cut_where_its_vectors_are():
    text = """
def f(x: "f32[n]"):
    out = empty(dim(x, 0), "f32")
    for i in prange(dim(x, 0)):
        out[i] = exp(x[i]) * sin(x[i])
    return out
"""
    native = compiled(text)
    former = threads.regions().set_threshold(1.0)
    try:
        for length in (1000, 4099, 65537):
            x = np.linspace(-4.0, 4.0, length, dtype=np.float32)
            with pellucid.threads(1):
                alone = native([x])[0]
            for count in (2, 3, 7):
                with pellucid.threads(count):
                    (result,), regions = in_regions(lambda: native([x]))
                assert regions == 1 and result.tobytes() == alone.tobytes()
    finally:
        threads.regions().set_threshold(former)


# --- which loops ----------------------------------------------------------------------------------------------------


def test_no_thread_is_woken_for_small_work():
    @pellucid.compile
    def f(x):
        return x + 2.0 * x * x

    with pellucid.threads(4):
        assert in_regions(lambda: f(np.ones(1000)))[1] == 0
        assert in_regions(lambda: f(np.ones(4_000_000)))[1] == 1
    with pellucid.threads(1):
        assert in_regions(lambda: f(np.ones(4_000_000)))[1] == 0


def test_parallel_can_be_turned_off():
    @pellucid.compile(parallel=False)
    def f(x):
        return x + 2.0 * x * x

    with pellucid.threads(4):
        assert in_regions(lambda: f(np.ones(4_000_000)))[1] == 0
    assert "pellucid.loop" in compiled(SCALE).text and "pellucid.loop" not in compiled(SCALE, parallel=False).text


def test_a_loop_known_to_be_small_stays_in_place():
    text = """
def f(x: "f64[3]"):
    out = empty(3)
    for i in prange(3):
        out[i] = x[i] * 2.0
    return out
"""
    assert "pellucid.loop" not in compiled(text).text


STAY = {
    "a name is carried": """
def f(x: "f64[n]"):
    s = cast(0.0, "f64")
    for i in prange(dim(x, 0)):
        s = s + x[i]
    return s
""",
    "a name is read behind": """
def f(x: "f64[n]"):
    last = cast(0.0, "f64")
    for i in prange(dim(x, 0)):
        last = x[i]
    return last
""",
    "an array is carried": """
def f(x: "f64[n]"):
    u = empty(1)
    u[0] = 0.0
    for i in prange(dim(x, 0)):
        v = empty(1)
        v[0] = u[0] + x[i]
        u = v
    return u
""",
    "a list grows": """
def f(x: "f64[n]"):
    xs: "[f64]" = []
    for i in prange(dim(x, 0)):
        xs.append(x[i])
    return len(xs)
""",
    "BLAS is called": """
def f(x: "f64[n, m, m]"):
    out = empty((dim(x, 0), dim(x, 1), dim(x, 1)))
    for i in prange(dim(x, 0)):
        a = x[i]
        b = out[i]
        gemm(b, a, a)
    return out
""",
    "a function is called": """
def g(x: "f64") -> "f64":
    if x < 1.0:
        return x
    y = g(x / 2.0)
    return y + 1.0
def main(x: "f64[n]"):
    out = empty(dim(x, 0))
    for i in prange(dim(x, 0)):
        y = g(x[i])
        out[i] = y
    return out
""",
}  # fmt: skip


@pytest.mark.parametrize("name", STAY)
def test_loops_that_stay_on_one_thread(name):
    assert "pellucid.loop" not in compiled(STAY[name]).text


def test_only_the_outermost_loop_is_taken(any_work):
    text = """
def f(x: "f64[n, m]"):
    out = empty((dim(x, 0), dim(x, 1)))
    for i in prange(dim(x, 0)):
        for j in prange(dim(x, 1)):
            out[i, j] = x[i, j] * 2.0
    return out
"""
    native = compiled(text)
    assert len(loops_of(native)) == 1
    assert in_regions(lambda: native([np.ones((5, 6))]))[1] == 1


@pytest.mark.parametrize("target", targets.ALL)
def test_the_body_on_threads_has_vector_instructions(target, monkeypatch):
    targets.on(monkeypatch, target)
    text = """
def f(x: "any f64[n, m]", y: "f64[m]"):
    out = empty((dim(x, 0), dim(x, 1)))
    for i in prange(dim(x, 0)):
        for j in range(dim(x, 1)):
            out[i, j] = x[i, j] * y[j] + where(x[i, j] > 0.0, 1.0, 2.0)
    return out
"""
    body = re.search(r"^\"?pellucid\.loop\.1\.f\"?:.*?^\.Lfunc_end", compiled(text).asm, re.M | re.S)[0]
    assert re.search(rf"mul(pd)?\s.*{targets.registers(target)}", body)


# --- errors ---------------------------------------------------------------------------------------------------------

FAULTY = """
def f(x: "f64[n]", k: "i64[n]"):
    out = empty(dim(x, 0))
    for i in prange(dim(x, 0)):
        if x[i] < 0.0:
            raise ValueError(f"negative at {i}: {x[i]}")
        out[i] = x[k[i]]
    return out
"""


def test_the_first_error_in_order_is_reported(any_work):
    native = compiled(FAULTY)
    x, places = np.ones(1000), np.arange(1000)
    for trial in range(40):
        rng = np.random.default_rng(trial)
        bad = np.sort(rng.choice(1000, size=5, replace=False))
        values, index = x.copy(), places.copy()
        for number, place in enumerate(bad):
            if (trial + number) % 2:
                values[place] = -float(place) - 1.0
            else:
                index[place] = 1000 + place
        first = bad[0]
        if trial % 2:
            words = rf"negative at {first}: -{first + 1}\.0"
            with pytest.raises(ValueError, match=words):
                native([values, index])
        else:
            with pytest.raises(IndexError, match=f"index {1000 + first} is out of bounds for axis 0 with size 1000"):
                native([values, index])
    np.testing.assert_array_equal(native([x, places])[0], x)


def test_an_error_leaves_no_memory_behind(any_work):
    check = "if x[i, 0] < 0.0:\n            raise ValueError('row {}', i)"
    text = SCALE.replace("row = x[i]", f"{check}\n        row = x[i]")
    text = text.replace("scratch = empty(dim(x, 1))", "scratch = empty(dim(x, 1))\n        t = y[cast(x[i, 1], 'i64')]")
    native = compiled(text.replace("out[i, j] = scratch[j] / 3.0", "out[i, j] = scratch[j] / 3.0 + t"))
    held = memory.live_bytes()
    x = np.ones((300, 4))
    native([x, np.ones(4)])
    x[170, 1] = 99.0
    x[210, 0] = -1.0
    with pytest.raises(IndexError, match="index 99 "):
        native([x, np.ones(4)])
    assert memory.live_bytes() == held


# --- many callers, forks --------------------------------------------------------------------------------------------


@pellucid.compile
def smooth(x):
    return 0.5 * x + 0.25 * np.sqrt(x) + x * x


def test_calls_from_many_python_threads():
    x = np.random.default_rng(0).uniform(1.0, 2.0, size=400_000)
    want, wrong = smooth(x).tobytes(), []

    def work():
        for _ in range(20):
            if smooth(x).tobytes() != want:
                wrong.append(1)

    with pellucid.threads(3):
        callers = [threading.Thread(target=work) for _ in range(8)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join(timeout=120.0)
    assert not any(caller.is_alive() for caller in callers) and not wrong
    assert threads.regions().workers() < 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_has_threads_of_its_own():
    x = np.random.default_rng(0).uniform(1.0, 2.0, size=400_000)
    with pellucid.threads(2):
        want, count = in_regions(lambda: smooth(x).tobytes())
        assert count == 1
        child = os.fork()
        if child == 0:
            result, count = in_regions(lambda: smooth(x).tobytes())
            os._exit(0 if (result == want and count == 1 and threads.regions().workers() == 1) else 1)
        for _ in range(600):
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                break
            time.sleep(0.1)
        else:
            os.kill(child, 9)
            os.waitpid(child, 0)
            pytest.fail("the child hangs")
        assert os.waitstatus_to_exitcode(status) == 0
        assert smooth(x).tobytes() == want


# --- how many -------------------------------------------------------------------------------------------------------


def test_the_number_of_threads():
    former = pellucid.thread_count()
    with pellucid.threads(3):
        assert pellucid.thread_count() == 3
    assert pellucid.thread_count() == former
    pellucid.threads(2)
    assert pellucid.thread_count() == 2
    pellucid.threads(former)
    for wrong in (0, -1, 2.0, True, "4", 10**6):
        with pytest.raises(ValueError, match="threads is a number from 1 to 1024"):
            pellucid.threads(wrong)


@pytest.mark.parametrize(("given", "words"), [("3", "3"), ("many", "PELLUCID_NUM_THREADS is a number"), ("0", "1024")])
def test_the_environment_says_how_many(given, words):
    done = subprocess.run(
        [sys.executable, "-c", "import pellucid; print(pellucid.thread_count())"],
        env={**os.environ, "PELLUCID_NUM_THREADS": given}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert words in done.stdout + done.stderr


def test_the_default_is_what_the_process_may_use(tmp_path):
    assert 1 <= cores.available_cores() <= (os.cpu_count() or 1)
    for text, count in (("150000 100000\n", 1.5), ("max 100000\n", cores.MOST_THREADS)):
        (tmp_path / "cpu.max").write_text(text)
        assert cores._quota(str(tmp_path / "cpu.max")) == count
    assert cores._quota(str(tmp_path / "none")) == cores.MOST_THREADS
