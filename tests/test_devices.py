"""Devices: where calls run, what is refused, and that several work at the same time."""

import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import pellucid
from pellucid import Array

ROOT = str(pathlib.Path(__file__).parent.parent)

HEAD = """
import pickle, threading, time
from typing import NamedTuple
import numpy as np
import pytest
import pellucid
from pellucid import Array, device_put, devices
from pellucid.runtime import asynchronous, memory, native_part

@pellucid.compile
def halved(x, n):
    for _ in range(n):
        x = x * 0.5 + 1.0
    return x

@pellucid.compile
def added(x, y):
    return x + y, x[0]

class Pair(NamedTuple):
    a: Array
    b: object

def learnt(function, *args):
    for _ in range(3):
        function(*args)
    asynchronous.finish()
    return function

first, second, third = devices()[:3]
LONG = 3 * 10**7
"""
MODES = [{}, {"PELLUCID_ASYNC": "0"}, {"PELLUCID_NATIVE_DISPATCH": "0"}, {"PELLUCID_NATIVE": "0"}]


def runs(text, tmp_path, **environment):
    """A program with four devices says `fine`."""
    script = tmp_path / "program.py"
    script.write_text(HEAD + text + "\nprint('fine')\n")
    done = subprocess.run(
        [sys.executable, str(script)], env=os.environ | {"PYTHONPATH": ROOT, "PELLUCID_CPU_DEVICES": "4"} | environment,
        capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert done.stdout == "fine\n", done.stderr
    assert re.sub(r"pellucid: compiling .* takes more than .*\n", "", done.stderr) == ""


# --- one device ----------------------------------------------------------------------------------------------------


def test_there_is_one_device_unless_more_are_asked_for():
    (only,) = pellucid.devices()
    assert (str(only), only.platform, only.id, repr(only)) == ("cpu:0", "cpu", 0, "<device cpu:0>")
    assert pellucid.device_count() == pellucid.local_device_count() == pellucid.device_count("cpu") == 1
    assert pellucid.devices("cpu") == [only] and only.in_flight() == 0 and only.finish() is None
    assert only.memory_stats()["bytes_in_use"] == pellucid.runtime.memory.live_bytes()


def test_a_device_is_equal_to_its_name_as_in_numpy():
    only = pellucid.devices()[0]
    assert only == "cpu" and only != "cuda" and hash(only) == hash("cpu") and only in {"cpu"} and only != 0
    array = Array(np.ones(3))
    assert array.device == np.ones(3).device and array.devices() == {only}
    assert all(array.to_device(device) is array for device in (array.device, "cpu", "cpu:0"))


@pytest.mark.parametrize("name", ["cuda", "cpu:1", "", "cpu:x"])
def test_a_device_that_is_not_there(name):
    for use in (lambda: Array(np.ones(3)).to_device(name), lambda: pellucid.device_put(np.ones(3), name),
                lambda: pellucid.default_device(name)):  # fmt: skip
        with pytest.raises(ValueError, match=f"there is no device {name!r}; there are cpu:0"):
            use()
    with pytest.raises(ValueError, match="there are no devices of the kind 'cuda'; there are cpu:0"):
        pellucid.devices("cuda")
    with pytest.raises(ValueError, match="one stream"):
        Array(np.ones(3)).to_device("cpu", stream=1)


def test_put_and_get():
    values = np.arange(3.0)
    there = pellucid.device_put({"a": values, "b": (2.0, None), "c": np.float32(1.5)})
    values[0] = 9.0
    assert type(there["a"]) is Array and there["b"] == (2.0, None) and there["c"].dtype == np.float32
    np.testing.assert_array_equal(there["a"], [0.0, 1.0, 2.0])
    back = pellucid.device_get(there)
    assert type(back["a"]) is np.ndarray and back["b"] == (2.0, None) and back["c"] == 1.5


@pytest.mark.parametrize("given", ["0", "65", "many", "-1"])
def test_a_number_of_devices_that_cannot_be(given):
    done = subprocess.run(
        [sys.executable, "-c", "import pellucid; pellucid.devices()"], capture_output=True, text=True, timeout=200,
        env=os.environ | {"PYTHONPATH": ROOT, "PELLUCID_CPU_DEVICES": given},
    )  # fmt: skip
    assert f"ValueError: PELLUCID_CPU_DEVICES is a number from 1 to 64, not {given!r}" in done.stderr


# --- several -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_call_runs_where_its_arguments_are(mode, tmp_path):
    runs("""
assert len(devices()) == 4 and list(map(str, devices())) == ["cpu:0", "cpu:1", "cpu:2", "cpu:3"]
x = device_put(np.ones(3), second)
for _ in range(4):
    both, item = added(x, np.ones(3))
    assert both.device == second and type(item) is np.float64
    assert added(x, Array(np.ones(3)))[0].device == second and added(np.ones(3), np.ones(3))[0].device == first
    assert (x + 1.0).device == (2.0 * x).device == (x + x).device == (-x).device == second
assert x.T.device == x[1:].device == x.real.device == x.reshape(3, 1).device == second
assert x.at[0].set(2.0).device == x.view().device == second
assert all(row.device == second for row in device_put(np.ones((2, 2)), second))
assert x.sum() == 3.0 and pickle.loads(pickle.dumps(x)).device == first
moved = x.to_device("cpu:2")
assert moved.device == third and x.device == second and moved.to_device(third) is moved
assert halved(moved, 3).devices() == {third}
""", tmp_path, **mode)  # fmt: skip


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_arguments_on_different_devices_are_refused(mode, tmp_path):
    runs("""
x, y = device_put(np.ones(3), second), device_put(np.ones(3), third)
told = r"arguments are on different devices, cpu:1 and cpu:2; `pellucid.device_put` brings them together"
pair = pellucid.compile(lambda p: p.a + p.b)
for _ in range(3):
    for call in (lambda: added(x, y), lambda: added(y=y, x=x), lambda: x + y, lambda: pair(Pair(x, y))):
        with pytest.raises(ValueError, match=told):
            call()
    assert added(x, x)[0].device == second and pair(Pair(y, y)).device == third
assert added(x, y.to_device(second))[0].device == second
""", tmp_path, **mode)  # fmt: skip


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_the_default_device(mode, tmp_path):
    runs("""
plain = Array(np.ones(3))
for _ in range(3):
    with pellucid.default_device(third):
        assert plain.device == third and halved(plain, 3).device == third
        with pellucid.default_device("cpu:1"):
            assert halved(plain, 3).device == second and device_put(np.ones(3)).device == second
        assert added(device_put(np.ones(3), first), plain)[0].device == first
        others = []
        thread = threading.Thread(target=lambda: others.append(plain.device))
        thread.start(); thread.join()
        assert others == [first]
    assert plain.device == first
pellucid.default_device(second)
assert halved(plain, 3).device == second
""", tmp_path, **mode)  # fmt: skip


@pytest.mark.skipif(pellucid.runtime.native_part.extension() is None, reason="calls end before they return")
def test_each_device_has_a_stream(tmp_path):
    """A short call on one device ends while a long one goes on on another."""
    runs("""
here, there = device_put(np.ones(3), first), device_put(np.ones(3), second)
learnt(halved, here, 3)
endless = halved(here, 10 * LONG)
short = halved(there, LONG // 10).block_until_ready()
assert not endless.is_ready() and first.in_flight() == 1 and second.in_flight() == 0
second.finish()
first.finish()
assert endless.is_ready()
""", tmp_path)  # fmt: skip


@pytest.mark.skipif(pellucid.runtime.native_part.extension() is None, reason="calls end before they return")
def test_what_is_not_computed_moves_without_waiting(tmp_path):
    """The call that needs it on the other device waits for it; numbers are for any device."""
    runs("""
here = device_put(np.ones(3), first)
learnt(halved, here, 3), learnt(added, here, here)
long = halved(here, LONG)
moved = device_put(long, second)
assert not moved.is_ready() and moved.device == second and long.device == first
both, first_item = added(moved, device_put(np.ones(3), second))
assert both.device == second
np.testing.assert_array_equal(both, [3.0, 3.0, 3.0])
np.testing.assert_array_equal(long, [2.0, 2.0, 2.0])
both, number = added(halved(here, LONG), here)
assert not number.is_ready() and number._device == -1
scaled = learnt(pellucid.compile(lambda x, s: x * s), device_put(np.ones(3), third), np.float64(2.0))
result = scaled(device_put(np.ones(3), third), number)
assert result.device == third
np.testing.assert_array_equal(result, [2.0, 2.0, 2.0])
""", tmp_path)  # fmt: skip


@pytest.mark.skipif(pellucid.runtime.native_part.extension() is None, reason="there is one thread")
def test_devices_share_the_threads(tmp_path):
    """With four threads for four devices no region has more than one, with eight each has two."""
    runs("""
from pellucid.runtime.threads import regions
wide = pellucid.compile(lambda x: np.tanh(x) * 2.0)
x = device_put(np.linspace(0.0, 1.0, 10**6), second)
regions().set_threshold(1.0)
for threads, parallel in ((4, False), (8, True)):
    pellucid.threads(threads)
    learnt(wide, x)
    before, workers = regions().count(), regions().workers()
    np.testing.assert_allclose(wide(x), 2.0 * np.tanh(np.asarray(x)), rtol=1e-14)
    assert (regions().count() > before) == parallel
assert regions().workers() == 1, regions().workers()
others = [device_put(x, d) for d in (first, third)]
found = [wide(o) for o in others for _ in range(20)]
np.testing.assert_allclose(found[-1], 2.0 * np.tanh(np.asarray(x)), rtol=1e-14)
""", tmp_path)  # fmt: skip


@pytest.mark.skipif(pellucid.runtime.native_part.extension() is None, reason="calls end before they return")
def test_an_interrupt_cancels_on_all_devices(tmp_path):
    runs("""
import os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
arrays = [device_put(np.ones(3), d) for d in devices()]
learnt(halved, arrays[0], 3)
endless = [halved(x, 10**15) for x in arrays]
threading.Thread(target=lambda: (time.sleep(0.3), os.kill(os.getpid(), signal.SIGINT))).start()
with pytest.raises(KeyboardInterrupt):
    endless[2].block_until_ready()
for value in endless:
    with pytest.raises(RuntimeError, match="cancelled by an interrupt"):
        value.block_until_ready()
for x in arrays:
    np.testing.assert_array_equal(halved(x, LONG // 10), [2.0, 2.0, 2.0])
""", tmp_path)  # fmt: skip
