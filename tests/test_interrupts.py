"""Ctrl-C in machine code: the call ends soon and raises what Python's handler raises; nothing is left behind."""

import os
import pathlib
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pellucid.compiler.targets.llvm.llvm import lower
from pellucid.runtime import interrupts
from tests.harness.interrupted import LONG
from tests.harness.loops_text import read_loops

ROOT = str(Path(__file__).parent.parent)
SECONDS = 200  # until a call that does not end is a failure


def run(*command, **environment):
    done = subprocess.run(
        [sys.executable, *command], env=os.environ | environment, capture_output=True, text=True, timeout=SECONDS
    )
    done.stderr = re.sub(r"pellucid: compiling .* takes more than .*\n", "", done.stderr)  # on a busy machine
    return done


def python(text, **environment):
    """A program with the functions of the harness, of which two are compiled already."""
    head = "from tests.harness.interrupted import *\nendless(-1.0), endless(-1.0), counted(9), counted(9)\n"
    return run("-c", head + text, PYTHONPATH=ROOT, **environment)


@pytest.mark.parametrize("native, threads", [("1", "3"), ("0", "1")])
def test_every_kind_of_loop_stops(native, threads):
    """With one thread and with several, by native dispatch and by way of Python."""
    settings = {"PELLUCID_NATIVE_DISPATCH": native, "PELLUCID_NUM_THREADS": threads}
    done = run("-m", "tests.harness.interrupted", *LONG, PYTHONPATH=ROOT, **settings)
    assert done.stderr == "" and done.returncode == 0
    found = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert set(found) == set(LONG)
    for name, words in found.items():
        raised, soon, held, line, same = words.split()
        assert (raised, soon, held, same) == ("KeyboardInterrupt", "True", "0", "True"), (name, words)
        assert line != "None", name


def test_a_handler_that_does_not_raise_runs_at_once_and_the_call_goes_on():
    done = python("""
heard = []
signal.signal(signal.SIGINT, lambda *_: heard.append(time.perf_counter()))
began = time.perf_counter()
counted(1000)
thread = after(0.05, interrupt)
n = 10**8
while not heard:
    result = counted(n)
    ended = time.perf_counter()
    n *= 2
thread.join()
print(result == counted(1000), heard[0] < ended, len(heard))
interrupt()
print(len(heard))
""")
    assert (done.stdout, done.stderr) == ("True True 1\n2\n", "")


def test_what_a_handler_raises_comes_with_both_places():
    done = python("""
def too_long(*_):
    raise TimeoutError("too long")
signal.signal(signal.SIGINT, too_long)
thread = after(0.1, interrupt)
try:
    endless(1.0)
except TimeoutError as error:
    names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    print(error, names.index("endless") < names.index("too_long"))
""")
    assert (done.stdout, done.stderr) == ("too long True\n", "")


def test_a_handler_may_call_compiled_functions():
    done = python("""
found = []
def handler(*_):
    found.append(counted(10**7))
    raise KeyError("enough")
signal.signal(signal.SIGINT, handler)
after(0.1, interrupt)
try:
    endless(1.0)
except KeyError as error:
    print(error, found)
""")
    assert (done.stdout, done.stderr) == ("'enough' [2.0]\n", "")


def test_a_signal_that_is_ignored_changes_nothing():
    done = python("""
signal.signal(signal.SIGINT, signal.SIG_IGN)
thread = after(0.0, interrupt)
print(counted(10**8))
thread.join()
""")
    assert (done.stdout, done.stderr) == ("2.0\n", "")


@pytest.mark.parametrize("when", ["before", "in"])
def test_a_signal_without_handler_ends_the_process(when):
    """Also where the first signal takes the handler away, as programs do that ask twice."""
    text = {
        "before": "signal.signal(signal.SIGINT, signal.SIG_DFL)\n",
        "in": """
def once(*_):
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise KeyboardInterrupt
signal.signal(signal.SIGINT, once)
after(0.1, interrupt)
try:
    endless(1.0)
except KeyboardInterrupt:
    print("once", flush=True)
""",
    }[when]
    done = python(f"{text}after(0.1, interrupt)\nendless(1.0)\n")
    assert done.returncode == -signal.SIGINT and done.stdout == ("" if when == "before" else "once\n")


def test_calls_of_other_threads_go_on():
    done = python("""
found = []
thread = threading.Thread(target=lambda: found.append(counted(3 * 10**8)))
thread.start()
after(0.05, interrupt)
try:
    endless(1.0)
except KeyboardInterrupt:
    print("stopped")
after(0.01, interrupt)
try:
    time.sleep(60)
except KeyboardInterrupt:
    print("awake")
while not found:
    time.sleep(0.01)
print(found)
""")
    assert (done.stdout, done.stderr) == ("stopped\nawake\n[2.0]\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_is_stopped_too():
    done = python("""
rows(np.ones(1000), 1000)
def child_of_a_thread():
    child = os.fork()
    if not child:
        after(0.1, interrupt)
        try:
            endless(1.0)
        except KeyboardInterrupt:
            os._exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
child_of_a_thread()
thread = threading.Thread(target=child_of_a_thread)
thread.start()
thread.join()
""")
    assert done.stdout == "7\n7\n"


def test_workers_are_there_after_a_region_was_stopped():
    done = python("""
from pellucid.runtime import threads
stop("rows")
count, regions = threads.regions().workers(), threads.regions().count()
x = np.arange(2000.0)
same = np.array_equal(np.asarray(rows(x, 3000)), x * 2.0)
print(same, threads.regions().workers() == count == 2, threads.regions().count() > regions)
""", PELLUCID_NUM_THREADS="3")  # fmt: skip
    assert done.stdout.splitlines()[-1] == "True True True"


COMPILING = """
import numpy as np
def long(x):
    s = 0.0
    for k in {numbers}:
        s = s + np.sum(np.tanh(x * k)) * 0.5
    return s
f = pellucid.compile(pellucid_read(long))
for wait in (0.0, 0.05, 0.2, 0.5, 1.0):
    thread = threading.Thread(target=lambda: (time.sleep(wait), interrupt()))
    try:
        thread.start()  # the signal may come before this is over
        f(np.ones(5))
        time.sleep(60)
    except KeyboardInterrupt:
        print("stopped")
    thread.join()
print(abs(f(np.zeros(5))) < 1e-9)
"""


def test_compiling_stops_and_begins_again(tmp_path):
    place = tmp_path / "program.py"
    text = COMPILING.format(numbers=tuple(0.01 * k for k in range(12))).replace("pellucid_read(long)", "long")
    place.write_text("from tests.harness.interrupted import *\n" + text)
    done = run(place, PYTHONPATH=ROOT, PELLUCID_CACHE_DIR=str(tmp_path / "cache"))
    assert (done.stdout, done.stderr) == ("stopped\n" * 5 + "True\n", "")


# --- where loops look ----------------------------------------------------------------------------------------------

HEADS = {
    "a loop over an array": ("for i in range(dim(x, 0)):\n        s += x[i]", 0),
    "much for each element": ("for i in range(dim(x, 0)):\n        s += zeta(x[i], y)", 1),
    "a loop over numbers": ("for i in range(k):\n        s += x[0]", 1),
    "few turns": ("for i in range(10):\n        s += x[i]", 0),
    "rows in a loop": ("for j in range(k):\n        for i in range(dim(x, 0)):\n            s += x[i]", 1),
    "numbers in a loop": ("for j in range(dim(x, 0)):\n        for i in range(k):\n            s += x[0]", 2),
    "few in a loop": ("for j in range(k):\n        for i in range(3):\n            s += x[i]", 1),
    "while": ("while s < y:\n        s += x[0]", 1),
    "while in a loop": ("for j in range(k):\n        while s < y:\n            s += x[0]", 2),
    "a straight run": ("s += x[0]", 0),
}


@pytest.mark.parametrize("name", HEADS)
def test_where_loops_look(name):
    body, count = HEADS[name]
    text = lower(read_loops(f"""
def f(x: "f64[n]", y: "f64", k: "int"):
    s = cast(0.0, "f64")
    {body}
    return s
"""))  # fmt: skip
    assert text.count("load volatile i32, ptr @pellucid_signals") == count


def test_slots_are_those_of_the_target():
    from pellucid.compiler.targets.llvm import abi

    header = (pathlib.Path(interrupts.__file__).parent / "native" / "native.h").read_text()
    assert f"CONTEXT_GUARDED = {abi.GUARDED}," in header and f"CONTEXT_VALUES = {abi.VALUES}," in header
