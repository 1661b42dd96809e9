"""BLAS has as many threads as loops have, unless its user says otherwise: what threadpoolctl reports."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("threadpoolctl")

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEAD = """
import numpy as np
import pellucid
from threadpoolctl import threadpool_info, threadpool_limits


@pellucid.compile
def product(a):
    return a @ a


@pellucid.compile
def solution(a):
    return np.linalg.solve(a, a)


def threads():
    libraries = [one for one in threadpool_info() if one["user_api"] == "blas" and "numpy.libs" in one["filepath"]]
    print(*(one["num_threads"] for one in libraries), end=" ")


A = np.eye(300)
np.asarray(pellucid.compile(lambda x: x + 1.0)(A))
threads()
"""


def told(tmp_path, program, **environment):
    """What the program prints of the threads of NumPy's OpenBLAS, after those that it has at first."""
    script = tmp_path / "program.py"
    script.write_text(HEAD + program)
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "GOTO_NUM_THREADS", "PELLUCID_NUM_THREADS")
    clean = {name: value for name, value in os.environ.items() if name not in names}
    done = subprocess.run(
        [sys.executable, str(script)], env=clean | {"PYTHONPATH": ROOT} | environment, capture_output=True, text=True,
        timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    first, *rest = map(int, done.stdout.split() or pytest.skip("NumPy comes without an OpenBLAS"))
    return first, rest


CALL = """
np.asarray(product(A))
threads()
np.asarray(solution(A))
threads()
"""


def test_the_first_call_gives_it_those_of_loops(tmp_path):
    first, found = told(tmp_path, CALL, PELLUCID_NUM_THREADS="3")
    assert found == [3, 3]
    assert first == len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else first > 0


@pytest.mark.parametrize(("threads", "devices", "share"), [("6", "2", 3), ("6", "4", 1), ("2", "3", 1)])
def test_devices_share_them(tmp_path, threads, devices, share):
    assert told(tmp_path, CALL, PELLUCID_NUM_THREADS=threads, PELLUCID_CPU_DEVICES=devices)[1] == [share, share]


def test_it_follows_when_the_number_changes(tmp_path):
    program = CALL + """
with pellucid.threads(4):
    threads()
threads()
pellucid.threads(1)
threads()
"""
    assert told(tmp_path, program, PELLUCID_NUM_THREADS="3")[1] == [3, 3, 4, 3, 1]


@pytest.mark.parametrize("name", ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"])
def test_its_own_variable_counts_for_more(tmp_path, name):
    first, found = told(tmp_path, CALL + "pellucid.threads(4)\nthreads()\n", PELLUCID_NUM_THREADS="3", **{name: "1"})
    assert (first, found) == (1, [1, 1, 1])


def test_a_limit_around_the_call_counts_for_more(tmp_path):
    program = """
with threadpool_limits(5):
    np.asarray(product(A))
    threads()
    with pellucid.threads(4):
        threads()
    threads()
threads()
"""
    first, found = told(tmp_path, program, PELLUCID_NUM_THREADS="3")
    assert found == [5, 5, 5, first]


def test_a_limit_after_the_first_call_counts_for_more(tmp_path):
    program = CALL + """
with threadpool_limits(5):
    np.asarray(product(A))
    threads()
    pellucid.threads(4)
    threads()
threads()
pellucid.threads(2)
threads()
"""
    assert told(tmp_path, program, PELLUCID_NUM_THREADS="3")[1] == [3, 3, 5, 5, 3, 2]


def test_without_the_native_part_it_has_those_that_loops_would_have(tmp_path):
    assert told(tmp_path, CALL, PELLUCID_NUM_THREADS="3", PELLUCID_NATIVE="0")[1] == [3, 3]


def test_the_library_of_scipy_gets_them_where_numpy_has_none(tmp_path):
    program = """
import ctypes
import scipy.linalg.cython_blas
from pellucid.runtime.blas_threads import blas_threads

blas_threads().add(ctypes.CDLL(scipy.linalg.cython_blas.__file__))
print(*(one["num_threads"] for one in threadpool_info() if "scipy.libs/libscipy_openblas" in one["filepath"]))
"""
    first, found = told(tmp_path, program, PELLUCID_NUM_THREADS="3")
    assert found == [3] or not found and first


def test_code_from_the_store_gives_them_too(tmp_path):
    (tmp_path / "store").mkdir(mode=0o700)
    store = {"PELLUCID_CACHE": "1", "PELLUCID_CACHE_DIR": str(tmp_path / "store"), "PELLUCID_NUM_THREADS": "3"}
    for _ in range(2):
        assert told(tmp_path, CALL, **store)[1] == [3, 3]


SHARED = """
from pellucid.runtime.threads import regions

RNG = np.random.default_rng(0)


@pellucid.compile
def both(a, b, x):
    return a @ b, a @ x


def kinds(m, k, n):
    for dtype in (np.float32, np.float64, np.complex64, np.complex128):
        a, b, x = (RNG.normal(size=size).astype(dtype) for size in ((m, k), (k, n), k))
        if dtype in (np.complex64, np.complex128):
            a = a * dtype(1 + 0.5j)
        for order in ("CC", "CF", "FC", "FF"):
            yield np.asarray(a, order=order[0]), np.asarray(b, order=order[1]), x


before = regions().count()
for sizes in ((1024, 256, 32), (301, 700, 333), (100, 64, 5000), (2500, 90, 97)):
    for a, b, x in kinds(*sizes):
        tolerance = 2e-3 if a.dtype.char in "fF" else 1e-11
        for found, expected in zip(both(a, b, x), (a @ b, a @ x)):
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(np.asarray(found), expected, rtol=tolerance, atol=tolerance)
print(regions().count() - before, end=" ")
threads()
"""


def test_products_are_shared_out_among_the_workers_of_loops(tmp_path):
    """Right for all dtypes, orders and sizes that leave a rest; afterwards the library has the threads that it had."""
    regions, found = told(tmp_path, SHARED, PELLUCID_NUM_THREADS="3")[1]
    assert regions > 100 and found == 3


@pytest.mark.parametrize("setting", ["OPENBLAS_NUM_THREADS", "PELLUCID_NATIVE"])
def test_products_that_are_not_ours_are_the_librarys(tmp_path, setting):
    program = SHARED if setting != "PELLUCID_NATIVE" else SHARED.replace("regions().count()", "0")
    value = "2" if setting == "OPENBLAS_NUM_THREADS" else "0"
    assert told(tmp_path, program, PELLUCID_NUM_THREADS="3", **{setting: value})[1][0] == 0


def test_products_of_several_threads_and_of_a_child_after_fork(tmp_path):
    program = """
import os
from concurrent.futures import ThreadPoolExecutor

B = np.random.default_rng(0).normal(size=(500, 500))
expected = B @ B
for _ in range(3):
    product(B)
with ThreadPoolExecutor(4) as pool:
    for found in pool.map(lambda k: np.asarray(product(B)), range(40)):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
threads()
child = os.fork()
if child == 0:
    os._exit(0 if np.allclose(np.asarray(product(B)), expected) else 1)
print(os.waitpid(child, 0)[1], end=" ")
threads()
"""
    assert told(tmp_path, program, PELLUCID_NUM_THREADS="3")[1] == [3, 0, 3]


WHILE_ONE_RUNS = """
import threading

B = np.random.default_rng(0).normal(size=(400, 400))
product(B)


def meanwhile(change):
    stop = threading.Event()

    def repeat():
        while not stop.is_set():
            np.asarray(product(B))

    callers = [threading.Thread(target=repeat) for _ in range(2)]
    for caller in callers:
        caller.start()
    change()
    stop.set()
    for caller in callers:
        caller.join()
"""


def test_a_number_that_is_said_while_products_run_counts_afterwards(tmp_path):
    program = WHILE_ONE_RUNS + """
def say(count):
    for _ in range(200):
        pellucid.threads(count + 1)
        pellucid.threads(count)


for count in (5, 2, 1, 4):
    meanwhile(lambda: say(count))
    threads()
"""
    assert told(tmp_path, program, PELLUCID_NUM_THREADS="3")[1] == [5, 2, 1, 4]


def test_a_child_of_a_process_in_which_products_run_says_its_own_number(tmp_path):
    program = WHILE_ONE_RUNS + """
import os


def ask_children():
    for _ in range(20):
        if (child := os.fork()) == 0:
            pellucid.threads(2)
            libraries = [one for one in threadpool_info() if "numpy.libs" in one["filepath"]]
            os._exit(libraries[0]["num_threads"])
        counts.add(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


counts = set()
meanwhile(ask_children)
print(*counts, end=" ")
threads()
"""
    assert told(tmp_path, program, PELLUCID_NUM_THREADS="3")[1] == [2, 3]
