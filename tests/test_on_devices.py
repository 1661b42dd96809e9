"""One program on all devices of a mesh: against nested `vmap`, against turns in CPython, and where devices fail."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pellucid import BatchError, compile, grad, lax
from pellucid.compiler.request import OnDevice, Request
from pellucid.function import Function
from pellucid.runtime import native_part
from tests.devices.programs import PROGRAMS

ROOT = str(Path(__file__).parent.parent)
needs_native = pytest.mark.skipif(native_part.extension() is None, reason="there is no native part")


def run(*command, **environment):
    """What a process with eight devices prints."""
    settings = os.environ | {"PYTHONPATH": ROOT, "PELLUCID_CPU_DEVICES": "8"} | environment
    command = [sys.executable, *command]
    done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=500, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def told():
    lines = [json.loads(line) for line in run("-m", "tests.devices.check").splitlines()]
    return {(name, tuple(sizes)): error for name, sizes, error in lines}


@needs_native
@pytest.mark.parametrize(
    ("name", "sizes"), [(name, sizes) for name, program in PROGRAMS.items() for sizes in program.meshes]
)
def test_equal_to_vmap_and_to_turns(told, name, sizes):
    assert told[name, sizes] == ""


def in_file(tmp_path, text, **environment):
    script = tmp_path / "script.py"
    script.write_text("import numpy as np, pellucid\nfrom pellucid import lax\n"
                      "from pellucid.on_devices import DeviceProgram\n" + text)  # fmt: skip
    return run(str(script), **environment).splitlines()


FAILING = """
def f(x):
    if x[0] > 2.0:
        raise ValueError(f"{x[0]} is too large")
    y = lax.psum(x, "i")
    if x[1] > 2.0:
        raise ArithmeticError("above two")
    return lax.psum(y, "i")

program = DeviceProgram(f, {"i": 4})

def tell(first, second):
    try:
        print(program([(np.array([a, b]),) for a, b in zip(first, second)])[3].tolist())
    except Exception as error:
        print(type(error).__name__, error)

for _ in range(20):
    tell([1.0] * 4, [1.0] * 4)
    tell([1.0, 1.0, 3.0, 4.0], [1.0] * 4)          # of two that fail at one place, the first
    tell([1.0] * 4, [1.0, 3.0, 1.0, 3.0])
    tell([1.0, 1.0, 1.0, 5.0], [3.0, 1.0, 1.0, 1.0])  # nobody gets past the collective
"""
WANTED = ["[16.0, 16.0]", "ValueError 3.0 is too large", "ArithmeticError above two", "ValueError 5.0 is too large"]


@needs_native
def test_an_error_on_one_device_ends_the_run_with_that_error(tmp_path):
    assert in_file(tmp_path, FAILING) == WANTED * 20


def test_the_same_without_the_native_part(tmp_path):
    assert in_file(tmp_path, FAILING.replace("range(20)", "range(1)"), PELLUCID_NATIVE="0") == WANTED


@needs_native
def test_ctrl_c_ends_devices_that_wait_and_those_that_work(tmp_path):
    text = """
import os, signal, threading, time

def f(x, n):
    for _ in range(n):
        x = x * 0.5 + 1.0
    return lax.psum(x, "i")

program = DeviceProgram(f, {"i": 2}, shared={})
x = np.ones(4)
program([(x, 1), (x, 1)])
threading.Thread(target=lambda: (time.sleep(0.3), os.kill(os.getpid(), signal.SIGINT))).start()
run = program.start([(x, 1), (x, 10**13)])
try:
    run.wait()
except KeyboardInterrupt:
    print("interrupted")
print(program([(x, 1), (x, 1)])[0].tolist())
"""
    assert in_file(tmp_path, text) == ["interrupted", "[3.0, 3.0, 3.0, 3.0]"]


@needs_native
def test_what_no_queue_takes_runs_on_threads(tmp_path):
    text = """
def f(x):
    total = lax.psum(x, "i")
    return [total, total + 1.0], lax.psum(x[0] * 1j, "i"), None

def g(x):
    found, size = [], lax.axis_size("i")
    for k in range(len(x)):
        if x[k] > 0.0:
            found.append(x[k] + size)
    return found

found = DeviceProgram(f, {"i": 3})([(np.arange(2.0) + k,) for k in range(3)])[2]
print(found[0], complex(found[1]), found[2])
found = DeviceProgram(g, {"i": 2})([(np.array([1.0, -1.0]),), (np.array([2.0, 3.0]),)])
print([list(map(float, one)) for one in found])
"""
    found = in_file(tmp_path, text)
    assert found == ["[Array([3., 6.]), Array([4., 7.])] 3j None", "[[3.0], [4.0, 5.0]]"]


@needs_native
def test_runs_that_several_threads_start_at_the_same_time(tmp_path):
    text = """
import threading

def f(x):
    for _ in range(10):
        x = x + lax.pmean(x, "i") * 0.5 - lax.ppermute(x, "i", [(0, 1), (1, 2), (2, 0)])
    return x

program = DeviceProgram(f, {"i": 3})
blocks = [[(np.full(100, float(k + j)),) for k in range(3)] for j in range(4)]
want = [np.stack(program(own)) for own in blocks]
wrong = []

def work(j):
    for _ in range(200):
        runs = [program.start(blocks[j]) for _ in range(3)]
        wrong.extend(j for run in runs if not np.array_equal(np.stack(run.wait()), want[j]))

threads = [threading.Thread(target=work, args=(j,)) for j in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(wrong)
"""
    assert in_file(tmp_path, text) == ["[]"]


# --- what is refused -----------------------------------------------------------------------------------------------


@needs_native
def test_methods_partials_and_parameters_by_position(tmp_path):
    text = """
from functools import partial

class Scale:
    def __init__(self, by):
        self.by = by

    def total(self, x, power=1):
        return lax.psum(x * self.by, "i") ** power

    @pellucid.compile
    def compiled(self, x):
        return self.total(x) + 1.0

def weighed(w, x, n=1.0):
    return lax.psum(w @ x, "i") * n

def by_test(w, x):
    return lax.psum(x, "i") if w[0] > 0.0 else x

w = np.array([1.0, 2.0])
blocks = [(np.array([1.0, 1.0]),), (np.array([2.0, 3.0]),)]
for f in (Scale(3.0).total, Scale(3.0).compiled, partial(Scale(3.0).total, power=2), partial(weighed, w),
          partial(weighed, w, n=2.0), partial(partial(weighed, n=2.0), w), pellucid.compile(partial(weighed, w)),
          lambda x, /, y=2.0: lax.psum(x, "i") * y, partial(by_test, w)):
    program = DeviceProgram(f, {"i": 2})
    found = [np.asarray(part).tolist() for part in program(blocks)]
    assert found == [np.asarray(part).tolist() for part in program.in_turns("loops", blocks)]
    print(found[1])
try:
    DeviceProgram(partial(lambda x, *, k: x * k, k=2.0), {"i": 2})
except TypeError as error:
    print(error)
"""
    want = ["[9.0, 12.0]", "[10.0, 13.0]", "[81.0, 144.0]", "11.0", "22.0", "22.0", "11.0", "[6.0, 8.0]", "[3.0, 4.0]",
            "`k` is given by name alone: write a function that gives it"]  # fmt: skip
    assert in_file(tmp_path, text) == want


def own_test(x):
    return lax.psum(x, "i") if x > 0.0 else x


def own_loop(x):
    while x > 0.5:
        x = x - 0.1 * lax.pmean(x, "i")
    return x


def of_device(function, axes=("i",)):
    return Function(Request(function, transforms=(OnDevice(axes),)))


@pytest.mark.parametrize(("function", "reason"), [(own_test, "a test around it"), (own_loop, "how often a loop")])
def test_devices_that_do_not_come_together(function, reason):
    with pytest.raises(BatchError, match=rf"B003[\s\S]*takes the values of all devices, and {reason}"):
        of_device(function).source("loops", "i64[n]", "f64")


def test_an_axis_that_the_mesh_does_not_have():
    with pytest.raises(NameError, match="unbound axis name: i"):
        of_device(own_test, ("j",)).source("loops", "i64[n]", "f64")


def test_the_printed_stages_keep_the_collectives():
    def f(x):
        return lax.psum(x, ("i", "j")) + lax.axis_index("j")

    text = of_device(f, ("i", "j")).source("loops", "i64[n]", "f64[m]")
    assert "allreduce_sum(" in text and "along=1" in text and "int(devices[2])" in text


def test_printed_stages_say_which_way_a_routine_goes():
    """Static parts that are not those by default are printed, of every routine."""

    def f(a):
        return np.linalg.eigvalsh(a, UPLO="U")

    assert 'UPLO="U"' in compile(f).source("loops", "f64[n, n]").replace("'", '"')
    a = np.arange(9.0).reshape(3, 3)
    np.testing.assert_allclose(compile(f).debug("loops")(a), np.linalg.eigvalsh(a, UPLO="U"))


def test_the_length_of_a_named_axis_has_a_name_of_its_own():
    def f(a):
        every = lax.all_gather(a, "i")
        total = 0.0
        for k in range(every.shape[0]):
            total = total + np.sin(every[k] * (total + a))
        return total

    def slope(a):
        return grad(f)(a)

    text = of_device(slope).source("typed", "i64[n]", "f64")
    ast.parse(text)
    assert "scatter_of_devices" in text and "axis i" not in text


@needs_native
def test_meshes_that_do_not_fit(tmp_path):
    text = """
def f(x):
    return x

for axes, devices in (({"i": 9}, None), ({"i": 2}, (0, 0)), ({"i": 2}, (0,))):
    try:
        DeviceProgram(f, axes, devices=devices)
    except ValueError as error:
        print(error)
"""
    found = in_file(tmp_path, text)
    assert found[0] == "the mesh has 9 devices, and the processor is 8: set PELLUCID_CPU_DEVICES"
    assert all("has 2 devices, each once" in line for line in found[1:])
