"""Calls that return before their work is done: order, errors, memory, and the same results as without."""

import copy
import gc
import math
import os
import pathlib
import pickle
import re
import subprocess
import sys
import threading
from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from pellucid import Array
from pellucid.runtime import asynchronous, memory
from pellucid.runtime.dispatch import support
from tests.harness.corpus import map_leaves, programs
from tests.harness.draws import some
from tests.harness.stages import assert_same_value

pytestmark = pytest.mark.skipif(support.reason() is not None, reason="calls through Python end before they return")
LONG = 3 * 10**7  # iterations: a tenth of a second
ROOT = str(pathlib.Path(__file__).parent.parent)


@pellucid.compile
def halved(x, n):
    for _ in range(n):
        x = x * 0.5 + 1.0
    return x


@pellucid.compile
def item(x, n, k):
    for _ in range(n):
        x = x * 0.5 + 1.0
    return x[k]


@pellucid.compile
def numbers(x, n):
    s, k = 0.0, 0
    for _ in range(n):
        s = s * 0.5 + 1.0
        k += 1
    return s, k, k > 3, x[0]


@pellucid.compile
def times(x, s):
    return x * s


@pellucid.compile
def beyond(x, n):
    for _ in range(n):
        x = x * 0.5 + 1.0
    return x[: int(x[0])]


class Pair(NamedTuple):
    low: Array
    high: Array


@pellucid.compile
def paired(x, n):
    for _ in range(n):
        x = x * 0.5 + 1.0
    return Pair(x - 1.0, x + 1.0), {"both": [x, 3.0 * x]}


def learnt(function, *args):
    """The function, once calls with such arguments are native."""
    for _ in range(3):
        function(*args)
    pellucid.runtime.asynchronous.finish()
    return function


@pytest.fixture
def ones():
    return Array(np.ones(3))


@pytest.fixture
def all_go_on():
    """Every call that has an Array goes on, however small it is."""
    former = support.extension().set_least(0.0)
    yield
    support.extension().set_least(former)


def long_call(ones):
    return learnt(halved, ones, 3)(ones, LONG)


# --- before it is done ---------------------------------------------------------------------------------------------


def test_a_call_returns_before_its_work_is_done(ones):
    result = long_call(ones)
    assert not result.is_ready() and asynchronous.in_flight() == 1
    assert result.block_until_ready() is result and result.is_ready() and asynchronous.in_flight() == 0
    np.testing.assert_array_equal(result, [2.0, 2.0, 2.0])


def test_shape_and_dtype_are_known_before(ones):
    result = long_call(ones)
    told = result.shape, result.dtype, result.ndim, result.size, result.itemsize, result.nbytes
    assert told == ((3,), np.float64, 1, 3, 8, 24) and not result.is_ready()


def test_lengths_that_follow_from_values_are_waited_for(ones):
    result = learnt(beyond, ones, 3)(ones, LONG)
    assert not result.is_ready() and result.ndim == 1 and not result.is_ready()
    assert result.shape == (2,) and result.is_ready()
    learnt(times, ones, 2.0)
    doubled = times(beyond(ones, LONG), 2.0)
    assert doubled.shape == (2,)


def test_chains_run_in_order(ones):
    learnt(times, ones, 2.0)
    result = long_call(ones)
    for _ in range(50):
        result = times(result, 2.0)
    assert not result.is_ready() and result.shape == (3,)
    np.testing.assert_array_equal(result, np.full(3, 2.0 * 2.0**50))


def test_operators_go_on_too(ones):
    learnt(lambda x: (x + 1.0) * x - 0.5, ones)
    first = long_call(ones)
    second = (first + 1.0) * first - 0.5
    assert not second.is_ready()
    np.testing.assert_array_equal(second, [5.5, 5.5, 5.5])


def test_containers_are_there_before_their_arrays(ones):
    pair, rest = learnt(paired, ones, 3)(ones, LONG)
    assert type(pair) is Pair and not pair.low.is_ready() and not rest["both"][1].is_ready()
    both = (pair, rest)
    assert pellucid.block_until_ready(both) is both
    assert all(one.is_ready() for one in (*pair, *rest["both"]))
    np.testing.assert_array_equal([*pair, *rest["both"]], [[1.0] * 3, [3.0] * 3, [2.0] * 3, [6.0] * 3])


def test_small_work_with_what_is_there_is_done_at_once():
    x = Array(np.ones(3))
    assert learnt(times, x, 2.0)(x, 3.0).is_ready()


def test_what_takes_long_is_known_by_the_last_call(ones):
    """Its time, as a share of the elements and ints of its arguments."""
    learnt(halved, ones, 3)
    halved(ones, 10).block_until_ready()
    assert halved(ones, 20).is_ready()
    assert not halved(ones, LONG).is_ready() and not halved(ones, LONG // 10).is_ready()


def test_work_without_an_array_is_done_at_once():
    plain = np.ones(3)
    assert learnt(halved, plain, 3)(plain, LONG // 10).is_ready()


def test_numpy_arguments_may_change_after_the_call(ones):
    added = pellucid.compile(lambda x, y: x + y)
    changing, strided = np.arange(3.0), np.arange(6.0)[::2]
    learnt(added, ones, changing), learnt(added, ones, strided)
    first = long_call(ones)
    one, other = added(first, changing), added(first, strided)
    changing[:] = strided[:] = -1.0
    assert not one.is_ready() and not other.is_ready()
    np.testing.assert_array_equal(one, [2.0, 3.0, 4.0])
    np.testing.assert_array_equal(other, [2.0, 4.0, 6.0])


WEIGHTS = Array(np.full(3, 2.0))


def test_arrays_from_outside(ones):
    weighted = learnt(pellucid.compile(lambda x: x * WEIGHTS), ones)
    frozen = np.full(3, 3.0)
    other = learnt(pellucid.compile(lambda x: x * frozen, freeze=("frozen",)), ones)
    result = long_call(ones)
    one, two = weighted(result), other(result)
    assert not one.is_ready() and not two.is_ready()
    np.testing.assert_array_equal([one, two], [[4.0] * 3, [6.0] * 3])


def test_a_result_may_be_an_argument(ones):
    """Its memory is copied, whoever owns it."""

    @pellucid.compile
    def later(x, n):
        s = 0.0
        for _ in range(n):
            s = s * 0.5 + 1.0
        return x, x[::-1], s

    learnt(later, ones, 3)
    straight, back, _ = later(Array(np.arange(3.0)), LONG)
    del ones
    np.testing.assert_array_equal(straight, [0.0, 1.0, 2.0])
    np.testing.assert_array_equal(back, [2.0, 1.0, 0.0])


# --- numbers -------------------------------------------------------------------------------------------------------


def test_a_number_is_an_array_that_serves_as_one(ones):
    s, k, many, first = learnt(numbers, ones, 3)(ones, LONG)
    assert all(type(v) is Array and v.shape == () and not v.is_ready() for v in (s, k, many, first))
    assert [v.dtype for v in (s, k, many, first)] == [np.float64, np.int64, np.bool_, np.float64]
    assert float(s) == 2.0 and int(k) == LONG and bool(many) and complex(first) == 1.0
    assert f"{s:.3f}" == "2.000" and str(k) == str(LONG) and [5, 6][many] == 6
    assert type(s + 1) is float and s + 1 == 3.0 and 1 - s == -1.0 and s / 2 == 1.0 and -s == -2.0 and abs(s) == 2.0
    assert type(k * 2) is int and k // 2 == LONG // 2 and s < 3.0 and s == 2.0 and not s != 2.0
    assert round(s, 1) == 2.0 and math.floor(s) == math.ceil(s) == math.trunc(s) == 2 and math.sqrt(s) == math.sqrt(2.0)
    assert type(first * 2.0) is np.float64 and np.float32(1.0) * s == np.float32(2.0)
    assert pickle.loads(pickle.dumps(s)) == 2.0 and copy.deepcopy(k) == LONG
    assert list(range(LONG, k)) == []


def test_a_python_number_stays_weak(ones):
    """float32 times a Python float is float32, whether the float is there yet or not."""
    narrow = np.ones(3, np.float32)
    learnt(times, narrow, 2.0)
    learnt(numbers, ones, 3)
    for with_array in (narrow, Array(narrow)):
        s, k, _, first = numbers(ones, LONG)
        results = [times(with_array, s), times(with_array, k), times(with_array, first)]
        assert [r.dtype for r in results] == [np.float32, np.float32, np.float64]
        np.testing.assert_array_equal(results[0], [2.0, 2.0, 2.0])
        assert (Array(narrow) * s).dtype == np.float32
    s = numbers(ones, LONG)[0]
    assert pellucid.grad(lambda x: x * x)(s) == 4.0


def test_numbers_of_calls_are_static_arguments_too(ones):
    power = pellucid.compile(lambda x, n: x**n, static=("n",))
    _, k, _, _ = learnt(numbers, ones, 3)(ones, 5)
    np.testing.assert_array_equal(power(np.full(2, 2.0), k), [32.0, 32.0])


# --- errors --------------------------------------------------------------------------------------------------------


def failing(ones, n=LONG, k=7):
    return learnt(item, ones, 3, 0)(ones, n, k)


USES = [
    lambda v: v.block_until_ready(), np.asarray, float, bool, str, repr, lambda v: v + 1.0, lambda v: [1.0, 2.0][v],
    lambda v: pellucid.grad(lambda x: x * x)(v), lambda v: pellucid.block_until_ready({"a": [v]}),
    lambda v: times(np.ones(2), v).block_until_ready(),
]  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_an_error_is_raised_where_the_value_is_used(ones, use):
    learnt(times, np.ones(2), 1.5), learnt(times, np.ones(2), np.float64(1.5))
    result = failing(ones)
    assert not result.is_ready()
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3") as caught:
        use(result)
    frames = [(entry.name, str(entry.path)) for entry in caught.traceback]
    assert ("item", __file__) in frames
    (note,) = caught.value.__notes__
    line = failing.__code__.co_firstlineno + 1
    assert note == f'called asynchronously: File "{__file__}", line {line}, in failing'


def test_every_use_raises_a_new_error(ones):
    result = failing(ones)
    errors = []
    for _ in range(3):
        with pytest.raises(IndexError) as caught:
            float(result)
        errors.append(caught.value)
    assert len({id(e) for e in errors}) == 3 and all(len(e.__notes__) == 1 for e in errors)
    assert len({len(list(iter_frames(e))) for e in errors}) == 1


def iter_frames(error):
    trace = error.__traceback__
    while trace is not None:
        yield trace
        trace = trace.tb_next


def test_what_needs_a_failed_value_fails_with_its_error(ones):
    learnt(times, ones, np.float64(2.0))
    learnt(times, ones, 2.0)
    first = failing(ones)
    second = times(ones, first)
    third = times(second, 2.0)
    assert third.shape == (3,) and not third.is_ready()
    with pytest.raises(IndexError, match="index 7"):
        np.asarray(third)
    with pytest.raises(IndexError, match="index 7"):
        second.block_until_ready()
    np.testing.assert_array_equal(times(ones, 2.0), [2.0, 2.0, 2.0])  # the device goes on


def python(text, **environment):
    head = "import time\nfrom tests.test_asynchronous import *\nones = Array(np.ones(3))\n"
    done = subprocess.run(
        [sys.executable, "-c", head + text], env=os.environ | {"PYTHONPATH": ROOT} | environment, capture_output=True,
        text=True, timeout=200,
    )  # fmt: skip
    done.stderr = re.sub(r"pellucid: compiling .* takes more than .*\n", "", done.stderr)  # on a busy machine
    return done


def test_an_error_that_nobody_saw_is_reported_at_exit():
    done = python("kept = failing(ones)\nprint('over')\n")
    assert done.stdout == "over\n" and done.returncode == 0
    assert "an asynchronous call whose result nobody has used: File" in done.stderr and "in failing" in done.stderr
    assert "IndexError: index 7 is out of bounds for axis 0 with size 3" in done.stderr and "return x[k]" in done.stderr


def test_an_error_that_nobody_can_see_any_more_is_reported():
    done = python("failing(ones)\nasynchronous.finish()\nfailing(ones, k=1)\nprint('over', file=sys.stderr)\n")
    assert done.stderr.index("index 7 is out of bounds") < done.stderr.index("over")
    assert done.stderr.count("IndexError") == 1


def test_an_error_that_was_seen_is_not_reported():
    done = python("""
result = failing(ones)
try:
    float(result)
except IndexError as error:
    print(error)
""")
    assert done.stderr == "" and "index 7" in done.stdout


def test_an_interrupt_of_a_wait_cancels_what_is_queued():
    done = python("""
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
learnt(halved, ones, 3), learnt(times, ones, 2.0)
endless = halved(ones, 10**15)
after = times(endless, 2.0)
threading.Thread(target=lambda: (time.sleep(0.3), os.kill(os.getpid(), signal.SIGINT))).start()
began = time.perf_counter()
try:
    after.block_until_ready()
except KeyboardInterrupt:
    print("interrupted", time.perf_counter() - began < 20.0)
for value in (endless, after):
    try:
        value.block_until_ready()
    except RuntimeError as error:
        print(error)
print(np.asarray(halved(ones, LONG)))
""")
    assert done.stderr == ""
    told = "the call that should have made this value was cancelled by an interrupt\n"
    assert done.stdout == f"interrupted True\n{told}{told}[2. 2. 2.]\n"


def test_an_interrupt_at_exit_ends_the_process():
    done = python("""
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
endless = learnt(halved, ones, 3)(ones, 10**15)
threading.Thread(target=lambda: (time.sleep(0.5), os.kill(os.getpid(), signal.SIGINT)), daemon=True).start()
""")
    assert "KeyboardInterrupt" in done.stderr and done.returncode >= 0


def test_the_process_may_end_at_once():
    done = python("endless = learnt(halved, ones, 3)(ones, 10**15)\nprint('out', flush=True)\nos._exit(3)\n")
    assert (done.stdout, done.stderr, done.returncode) == ("out\n", "", 3)


# --- the corpus in both modes --------------------------------------------------------------------------------------


def settled(leaf):
    return leaf if not isinstance(leaf, Array) else leaf._plain if leaf._is_number else np.asarray(leaf)


@pytest.mark.parametrize("program", some(programs(), 8), ids=str)
def test_results_are_the_same_in_both_modes(program, all_go_on):
    function = pellucid.compile(program.function)
    for size in (4, 7, 4):
        args = map_leaves(
            lambda leaf: Array(leaf) if isinstance(leaf, np.ndarray) else leaf,
            program.make_arguments(seed=size, size=size),
        )
        with pellucid.synchronous():
            want = [function(*args), function(*args)][1]
        got = function(*args)
        assert_same_value(map_leaves(settled, got), map_leaves(settled, want))


# --- memory, threads, processes ------------------------------------------------------------------------------------


def test_memory_goes_back_after_many_calls(ones, all_go_on):
    learnt(times, ones, 2.0), learnt(halved, ones, 3)
    gc.collect()
    before = memory.live_bytes()
    for _ in range(1000):
        result = halved(ones, 1)
        for _ in range(100):
            result = times(result, 1.0)
    np.testing.assert_array_equal(result, [1.5, 1.5, 1.5])
    del result
    asynchronous.finish()
    assert memory.live_bytes() == before


def test_memory_is_free_as_soon_as_the_last_reader_is_done():
    big = np.ones(10**6)
    learnt(times, Array(big), 2.0)
    before = memory.live_bytes()
    result = times(Array(big), 2.0)
    for _ in range(100):
        result = times(result, 1.0)
    result.block_until_ready()
    assert memory.live_bytes() - before < 4 * big.nbytes
    del result
    assert memory.live_bytes() == before


def test_errors_leave_no_memory(ones, all_go_on):
    learnt(item, ones, 3, 0)
    before = memory.live_bytes()
    for _ in range(1000):
        with pytest.raises(IndexError):
            float(item(ones, 3, 9))
    asynchronous.finish()
    assert memory.live_bytes() == before


def test_threads_share_the_device(ones):
    learnt(halved, ones, 3), learnt(times, ones, 2.0)
    found = []

    def work(number):
        result = halved(ones, 1000 * number)
        for _ in range(200):
            result = times(result, -1.0)
        found.append(np.asarray(result).tolist())

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(found, [[2.0, 2.0, 2.0]] * 6)


def test_several_threads_wait_for_one_value(ones):
    result, found = long_call(ones), []
    threads = [threading.Thread(target=lambda: found.append(float(result[0]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2.0] * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_waits_and_the_child_goes_on_by_itself(ones):
    result = long_call(ones)
    child = os.fork()
    if child == 0:
        own = halved(result, LONG // 10)
        fine = result.is_ready() and not own.is_ready() and float(own[0]) == 2.0 and float(result[0]) == 2.0
        os._exit(0 if fine else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert float(long_call(ones)[0]) == 2.0


# --- without -------------------------------------------------------------------------------------------------------


def test_a_synchronous_block(ones):
    learnt(halved, ones, 3)
    with pellucid.synchronous():
        assert halved(ones, LONG // 10).is_ready()
        with pellucid.synchronous():
            pass
        assert halved(ones, LONG // 10).is_ready()
        with pytest.raises(IndexError):
            failing(ones, 3)
        others = []
        thread = threading.Thread(target=lambda: others.append(halved(ones, LONG).is_ready()))
        thread.start()
        thread.join()
    assert others == [False] and not halved(ones, LONG).is_ready()


@pytest.mark.parametrize("setting", ["PELLUCID_ASYNC", "PELLUCID_NATIVE_DISPATCH", "PELLUCID_NATIVE"])
def test_no_call_goes_on_where_a_setting_says_so(setting):
    done = python("""
result, numbers_ = halved(ones, 10**5), numbers(ones, 5)
for _ in range(3):
    result, numbers_ = halved(ones, 10**5), numbers(ones, 5)
    assert result.is_ready() and [type(v) for v in numbers_] == [float, int, bool, np.float64]
assert result.block_until_ready() is result and pellucid.block_until_ready([result])[0] is result
with pellucid.synchronous():
    print(asynchronous.in_flight(), result.shape)
""", **{setting: "0"})  # fmt: skip
    assert (done.stdout, done.stderr) == ("0 (3,)\n", "")
