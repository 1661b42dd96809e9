"""The parts of the lockstep machine: what is a race, arrays on the host, where an error is, what memory moves."""

import linecache
import random
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest

from pellucid import support
from pellucid.runtime import lockstep
from pellucid.runtime.kernels import shapes
from pellucid.runtime.kernels.names import NAMES
from pellucid.runtime.lockstep import KernelFault, LockstepError, counting, cuda, faults, fetch
from pellucid.runtime.lockstep.memory import allocate, to_device
from pellucid.runtime.lockstep.threads import Block, Site, Thread, Triple
from pellucid.support import elements, tiles

from .test_device_functions import kernel
from .test_lockstep import load, program

# --- races -----------------------------------------------------------------------------------------------------------

LOAD, STORE, ATOMIC = "load", "store", "atomic"
SITE = Site("kernel.py", 1, 0, "x")


def threads_of_two_blocks():
    made = []
    for number in range(2):
        block = Block(number, Triple(number, 0, 0), Triple(64, 1, 1), Triple(2, 1, 1))
        made += [Thread("kernel k", block, lane, Triple(lane, 0, 0)) for lane in (0, 1, 32, 33)]
    return made


def is_race(first, second):
    """Of two accesses, by the rules as they are said; each is (thread, moment, kind)."""
    (one, before, kind), (other, now, other_kind) = first, second
    if kind == other_kind == LOAD or kind == other_kind == ATOMIC or one is other:
        return False
    if one.block is not other.block:
        return True
    if before[1] != now[1]:  # a barrier of the block
        return False
    return one.number // 32 != other.number // 32 or before[3] == now[3]  # a barrier of the warp


def passed(thread, blocks, warps):
    block, had_blocks, warp, had_warps, number = thread.now
    thread.now = (block, had_blocks + blocks, warp, had_warps + warps, number)


@pytest.mark.parametrize("seed", range(300))
def test_a_race_is_what_the_rules_say(seed):
    """Accesses and barriers in a random order: the machine, which holds a few moments, against all pairs."""
    draws = random.Random(seed)
    x, threads, history = to_device(np.zeros(1)), threads_of_two_blocks(), []
    if draws.random() < 0.7:
        threads = threads[: draws.choice([2, 3, 4])]  # a warp, or a block
    for _ in range(40):
        thread = draws.choice(threads)
        match draws.choice([LOAD, LOAD, STORE, ATOMIC, "syncthreads", "syncthreads", "syncwarp", "syncwarp"]):
            case "syncthreads":
                for one in threads:
                    passed(one, one.block is thread.block, 0)
            case "syncwarp":
                for one in threads:
                    passed(one, 0, one.block is thread.block and one.number // 32 == thread.number // 32)
            case kind:
                event = (thread, thread.now, kind)
                arguments = {LOAD: (x, 0), STORE: (x, 0, 1.0), ATOMIC: ("add", x, 0, 1.0)}[kind]
                if any(is_race(before, event) for before in history):
                    with pytest.raises(LockstepError, match="a race"):
                        getattr(thread, kind)(SITE, *arguments)
                    return
                getattr(thread, kind)(SITE, *arguments)
                history.append(event)


def test_launches_are_ordered():
    made = kernel("def apply(x, value):\n    x[0] = x[1] + value\n    x[1] = x[0]\n")
    x = cuda.to_device(np.ones(2))
    for _ in range(3):
        made[1, 1](x, np.float64(1.0))
    np.testing.assert_array_equal(x.copy_to_host(), [4.0, 4.0])


def test_two_views_of_an_element_race():
    made = kernel("def apply(x, y):\n    y[cuda.threadIdx.x] = x[cuda.threadIdx.x]\n")
    x = cuda.to_device(np.ones(33))
    with pytest.raises(LockstepError, match="a race: it reads element .1. of x, which thread 0 stores"):
        made[1, 32](x[:32], x[1:])


# --- arrays on the host ----------------------------------------------------------------------------------------------


def test_views_are_of_the_same_memory():
    numbers = np.arange(24.0).reshape(4, 6)
    x = cuda.to_device(numbers)
    assert (x.shape, x.ndim, x.size, x.dtype, x.nbytes, len(x)) == ((4, 6), 2, 24, np.float64, 192, 4)
    for view, wanted in (
        (x.T, numbers.T),
        (x[1], numbers[1]),
        (x[-1, 2:5], numbers[-1, 2:5]),
        (x[::2, ::-3], numbers[::2, ::-3]),
        (x[None, ..., 0], numbers[None, ..., 0]),
        (x.reshape(24)[3:9].reshape(2, 3), numbers.reshape(24)[3:9].reshape(2, 3)),
        (x.reshape((2, -1)), numbers.reshape(2, -1)),
        (x[2:2], numbers[2:2]),
    ):
        np.testing.assert_array_equal(view.copy_to_host(), wanted)
        assert view.allocation is x.allocation
        if view.size:
            np.testing.assert_array_equal(x.allocation.numbers[view.places()], wanted)
    assert fetch(x[3, 5]) == 23.0 and fetch(x[3, 5]).dtype == np.float64
    with pytest.raises(ValueError, match="copy"):
        x.T.reshape(24)
    numbers[0, 0] = 7.0
    assert fetch(x[0, 0]) == 0.0  # to_device copies


@pytest.mark.parametrize(
    "use",
    [
        lambda x: x.__setitem__(0, 1.0), float, bool, int, iter, list, np.asarray, lambda x: x + 1, lambda x: 1 - x,
        lambda x: x < 1, lambda x: x == 1, lambda x: x != x, lambda x: 1 in x, lambda x: -x, lambda x: x @ x,
    ],
)  # fmt: skip
def test_the_host_reaches_no_elements(use):
    with pytest.raises(TypeError, match="the elements of a device array are on the device: copy them with"):
        use(cuda.to_device(np.ones(1)))


def test_what_is_not_there_is_refused():
    x = cuda.to_device(np.ones(3))
    made = kernel("def apply(x):\n    x[0] = 1.0\n")
    for use, message in (
        (lambda: x[[0, 1]], "views of a device array are made by slices and integers"),
        (lambda: fetch(x), "fetch takes a device array of no dimensions"),
        (lambda: fetch(1.0), "fetch takes a device array of no dimensions"),
        (lambda: cuda.to_device(["a"]), "a device array holds numbers"),
        (lambda: cuda.device_array(3, object), "a device array holds numbers"),
        (lambda: made[1, 1](np.ones(3)), r"takes device arrays and numbers, not ndarray; cuda.to_device\(x\) copies"),
        (lambda: made[1, 1](x, x), "kernel apply takes 1 arguments, not 2"),
        (lambda: made(x), r"apply is a kernel: launch it as apply\[grid, block\]"),
        (lambda: made[1], r"apply is launched with \[grid, block\]"),
        (lambda: made[1.0, 1], "a grid and a block are one to three whole numbers"),
        (lambda: cuda.jit(device=True)(print_nothing)(1), "only kernels call it"),
        (lambda: cuda.jit(fast=True), "cuda.jit has no option fast"),
        (lambda: kernel("def apply(x):\n    x.shape[0][1] = 3\n")[1, 1](x), "x.shape.0. is an int: a kernel indexes"),
    ):
        with pytest.raises(TypeError, match=message):
            use()


def print_nothing(x):
    return x


@pytest.mark.parametrize("use", [lambda: cuda.threadIdx.x + 1, lambda: cuda.grid(1), lambda: cuda.atomic.add(1, 2, 3)])
def test_what_only_kernels_know(use):
    with pytest.raises((RuntimeError, TypeError)) as caught:
        use()
    assert "in kernels alone" in str(caught.value) or "Inside" in str(caught.value)


@pytest.mark.parametrize(
    "body, message",
    [
        ("x[0], x[1] = 1.0, 2.0", "an element is stored by an assignment of its own"),
        ("del x[0]", "an element cannot be deleted"),
        ("cuda.shared.array(x.shape[0], np.float64)", "a length in cuda.shared.array is a literal or a constant"),
        ("cuda.shared.array(3)", "cuda.shared.array takes a shape and a dtype"),
        ("cuda.nanosleep(3)", "kernels have no cuda.nanosleep in lockstep"),
        ("cuda.syncwarp(mask=0xFFFFFFFF)", "cuda.syncwarp has 0 or 1 arguments, by position"),
        ("cuda.shfl_xor_sync(0xFFFFFFFF, 1)", "cuda.shfl_xor_sync has 3 arguments, by position"),
        ("cuda.atomic.add(x, 0, val=1.0)", "kernels have no such cuda.atomic.add in lockstep"),
        ("cuda.atomic.inc(x, 0, 1.0)", "kernels have no such cuda.atomic.inc in lockstep"),
    ],
)
def test_what_kernels_do_not_say(body, message):
    with pytest.raises(SyntaxError, match=message) as caught:
        kernel(f"def apply(x):\n    {body}\n")[1, 1](cuda.to_device(np.ones(3)))
    assert caught.value.lineno == 2 and caught.value.filename.startswith("<kernel")


def test_the_word_of_a_program_that_fails():
    failed = faults()
    failed.check()
    made = kernel("def apply(failed):\n    if cuda.grid(1) % 2:\n        failed[0] = 1\n")
    made[1, 1](failed)
    failed.check()
    made[4, 32](failed)  # many threads store into it: no race is seen in this array alone
    with pytest.raises(KernelFault):
        failed.check()


def test_an_array_of_the_device_shows_itself():
    assert repr(cuda.to_device(np.arange(3))) == "<device array int64[3]\n[0 1 2]>"
    assert "3 elements unwritten" in repr(allocate(3, np.float64))
    assert allocate((), bool).shape == ()


# --- kernels ---------------------------------------------------------------------------------------------------------


def test_a_kernel_may_have_any_names():
    text = "def apply(_t, _site_1, _index_1):\n    _call_1 = _t[_site_1]\n    _t[_index_1] += cuda.grid(1) + _call_1\n"
    x = cuda.to_device(np.arange(3))
    kernel(text)[1, 1](x, 2, 1)
    np.testing.assert_array_equal(x.copy_to_host(), [0, 3, 2])


def test_grids_of_three_dimensions():
    made = kernel(
        "def apply(out):\n    k, j, i = cuda.grid(3)\n    out[i, j, k] = np.int64(i * 100 + j * 10 + k)\n"
        "    width = cuda.gridsize(3)[0]\n    assert width == 4 and cuda.blockDim.z == 2 and cuda.gridDim.y == 3\n"
    )
    out = cuda.device_array((2, 3, 4), np.int64)
    made[(2, 3, 1), (2, 1, 2)](out)
    i, j, k = np.indices((2, 3, 4))
    np.testing.assert_array_equal(out.copy_to_host(), i * 100 + j * 10 + k)


def test_shuffles_and_votes():
    made = kernel(
        """def apply(out):
    lane = cuda.laneid
    mine = np.int64(lane * lane)
    out[lane, 0] = cuda.shfl_up_sync(0xFFFFFFFF, mine, 3)
    out[lane, 1] = cuda.shfl_down_sync(0xFFFFFFFF, mine, 3)
    out[lane, 2] = cuda.shfl_xor_sync(0xFFFFFFFF, mine, 5)
    out[lane, 3] = cuda.shfl_sync(0xFFFFFFFF, mine, 33)
    out[lane, 4] = np.int64(cuda.ballot_sync(0xFFFFFFFF, lane % 2))
    out[lane, 5] = np.int64(cuda.match_any_sync(0xFFFFFFFF, lane % 3))
    out[lane, 6] = np.int64(cuda.any_sync(0xFFFFFFFF, lane == 9)) + np.int64(cuda.all_sync(0xFFFFFFFF, lane == 9))
"""
    )
    out = cuda.device_array((32, 7), np.int64)
    made[1, 32](out)
    lane = np.arange(32)
    up, down = np.where(lane < 3, lane, lane - 3), np.where(lane > 28, lane, lane + 3)
    odd = sum(1 << int(k) for k in lane if k % 2)
    same = [sum(1 << int(k) for k in lane if k % 3 == own % 3) for own in lane]
    wanted = np.stack([up**2, down**2, (lane ^ 5) ** 2, lane * 0 + 1, lane * 0 + odd, same, lane * 0 + 1], axis=1)
    np.testing.assert_array_equal(out.copy_to_host(), wanted)


def test_atomics():
    made = kernel(
        """def apply(x, old):
    i = cuda.grid(1)
    cuda.atomic.add(x, 0, np.float64(i))
    cuda.atomic.max(x, 1, np.float64(i))
    cuda.atomic.min(x, 2, np.float64(-i))
    old[i] = cuda.atomic.exch(x, 3, np.float64(i))
    cuda.atomic.cas(x, 4, np.float64(i), np.float64(i + 1))
"""
    )
    x, old = cuda.to_device(np.zeros(5)), cuda.device_array(64, np.float64)
    made[2, 32](x, old)
    np.testing.assert_array_equal(x.copy_to_host(), [64 * 63 / 2, 63, -63, 63, 64])
    assert sorted(old.copy_to_host()) == [0, *range(63)]


def test_local_arrays_are_a_threads_own():
    made = kernel(
        """def apply(out, fill):
    own = cuda.local.array((2, 2), np.float64)
    own[0, 1] = np.float64(cuda.threadIdx.x)
    if fill:
        own[1, 1] = 1.0
    out[cuda.threadIdx.x] = own[0, 1] + own[1, 1]
"""
    )
    out = cuda.device_array(3, np.float64)
    made[1, 3](out, True)
    np.testing.assert_array_equal(out.copy_to_host(), [1.0, 2.0, 3.0])
    with pytest.raises(LockstepError, match="reads element .1, 1. of own, which nobody has written yet"):
        made[1, 3](out, False)


def test_shared_memory_of_a_block_is_its_own():
    made = kernel(
        """def apply(out):
    mine = cuda.shared.array(1, np.int64)
    if cuda.threadIdx.x == 0:
        mine[0] = cuda.blockIdx.x
    cuda.syncthreads()
    mine[0] if cuda.threadIdx.x else 0
    out[cuda.grid(1)] = mine[0]
"""
    )
    out = cuda.device_array(12, np.int64)
    made[3, 4](out)
    np.testing.assert_array_equal(out.copy_to_host(), np.repeat([0, 1, 2], 4))


def test_an_index_counts_once():
    """Also where it waits for other lanes."""
    made = kernel("def apply(x):\n    x[cuda.shfl_xor_sync(0xFFFFFFFF, cuda.laneid, 1)] += 1.0\n")
    x = cuda.to_device(np.arange(32.0))
    made[1, 32](x)
    np.testing.assert_array_equal(x.copy_to_host(), np.arange(1.0, 33.0))


# --- where an error is -----------------------------------------------------------------------------------------------

TEXT = """import numpy as np

from pellucid.support import cuda


@cuda.jit(device=True)
def inverse(x):
    return 1 // x


@cuda.jit
def inverses(x, out):
    i = cuda.grid(1)
    out[i] = inverse(int(x[i]))
"""


def test_an_error_of_pythons_has_lines_and_thread(tmp_path):
    path = tmp_path / "inverses.py"
    path.write_text(TEXT)
    module = load(path)
    with pytest.raises(ZeroDivisionError) as caught:
        module.inverses[2, 32](cuda.to_device(np.arange(64)[::-1].copy()), cuda.device_array(64, np.int64))
    assert caught.value.__notes__ == ["in kernel inverses, thread 31 of block 1"]
    found = [(Path(f.filename), f.lineno, f.line) for f in traceback.extract_tb(caught.value.__traceback__)[-2:]]
    assert found == [(path, 14, "out[i] = inverse(int(x[i]))"), (path, 8, "return 1 // x")]


def test_a_debugger_sees_the_printed_file(tmp_path):
    """Lines, local names, and `cuda` of the thread that runs."""
    path = tmp_path / "poly.py"
    path.write_text((Path(__file__).parent / "kernels" / "poly.py").read_text())
    module, seen = load(path), []

    def trace(frame, event, _):
        if frame.f_code.co_filename != str(path) or frame.f_code.co_name != "poly_1":
            return None
        if event == "line":
            scope = {**frame.f_globals, **frame.f_locals}
            thread = eval("cuda.threadIdx.x + 0 * x_flat.shape[0]", scope)
            seen.append((frame.f_lineno, frame.f_locals.get("i"), thread))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        module.poly(cuda.to_device(np.ones((2, 1), np.float32)))
    finally:
        sys.settrace(before)
    assert seen[:6] == [(9, None, 0), (10, 0, 0), (11, 0, 0), (9, None, 1), (10, 1, 1), (11, 1, 1)]
    assert seen[6:8] == [(9, None, 2), (10, 2, 2)]


def test_texts_of_one_name_are_kept_apart():
    texts = [f"{TEXT}# {k}\n".replace("1 // x", f"{k} // x") for k in (6, 12)]
    for module in [lockstep.load(text, "<kernels>") for text in texts]:
        out = cuda.device_array(1, np.int64)
        module["inverses"][1, 1](cuda.to_device(np.full(1, 3)), out)
        assert fetch(out[0]) == (2 if module["inverses"].text == texts[0] else 4)


def test_a_text_that_is_not_there_is_not_guessed_at():
    code = compile(TEXT, "<no file>", "exec")
    scope = {}
    exec(code, scope)
    with pytest.raises(OSError, match="inverses runs in lockstep by its source, and there is no file <no file>"):
        scope["inverses"][1, 1](cuda.to_device(np.ones(1, int)), cuda.device_array(1, int))
    linecache.cache["<no file>"] = (0, None, ["# another line\n", *TEXT.splitlines(True)], "<no file>")
    exec(code, scope)
    with pytest.raises(OSError, match="has changed: inverses is not on line 11"):
        scope["inverses"][1, 1](cuda.to_device(np.ones(1, int)), cuda.device_array(1, int))


# --- counting --------------------------------------------------------------------------------------------------------


def test_neighbours_move_what_they_want():
    with counting() as counts:
        program("poly").poly(cuda.to_device(np.ones((100, 3), np.float32)))
    assert counts.launches == {"poly_1": 1}
    found = {(m.access.kind, m.wanted, m.moved) for m in counts.accesses()}
    assert found == {("loads", 1200, 1216), ("stores", 1200, 1216)}
    assert "loads   x_flat        poly_1 (poly.py:11): 1200 bytes wanted, 1216 moved, 0.99" in counts.report()
    assert counts.report().endswith("launches: poly_1 1")


def test_columns_move_a_sector_for_each_element():
    made = kernel("def apply(x, out):\n    i, j = cuda.grid(2)\n    out[i, j] = x[j, i]\n")
    x, out = cuda.to_device(np.ones((32, 32))), cuda.device_array((32, 32), np.float64)
    with counting() as counts:
        made[tiles(32, 32)](x, out)
    found = {m.access.name: m.moved / m.wanted for m in counts.accesses()}
    assert found == {"x": 1.0, "out": 4.0}


def test_lanes_that_meet_in_a_bank():
    head = "def apply():\n    tile = cuda.shared.array(1024, np.float32)\n"
    for stride, turns in {1: 1, 2: 2, 3: 1, 32: 32}.items():
        with counting() as counts:
            kernel(f"{head}    tile[cuda.threadIdx.x * {stride}] = np.float32(1)\n")[1, 32]()
        assert [m.turns for m in counts.accesses()] == [turns]
    assert "shared, 32 turns for one bank at most" in counts.report()


def test_nothing_is_counted_afterwards():
    with counting() as counts:
        pass
    program("poly").poly(cuda.to_device(np.ones((2, 1), np.float32)))
    assert counts.report() == "launches: none"
    assert elements(2) == (1, 256)


def test_names_of_kernels_files_are_those_of_support():
    assert not NAMES.keys() & set(support.__all__)
    assert support.rows is shapes.rows and support.cuda is cuda
    with pytest.raises(AttributeError, match="pellucid.support has no 'row_sum'"):
        support.row_sum  # noqa: B018


EMPTY = """
def apply(x, out, k, failed):
    out[0] = x[index(k, x.shape[0], failed)]
"""


def test_an_element_of_an_empty_array_is_a_fault_of_the_program_once_it_is_said():
    """A checked index is 0 there; a device has memory at that place, and the machine of the host has none."""
    out = cuda.device_array(1, np.float64)
    with pytest.raises(KernelFault, match="x, which has no elements"):
        kernel(EMPTY, index=support.index)[1, 1](to_device(np.zeros(0)), out, 2, faults())
    with pytest.raises(LockstepError, match="out of bounds"):
        kernel(EMPTY.replace("index(k, x.shape[0], failed)", "k"))[1, 1](to_device(np.zeros(0)), out, 0, faults())


MEETING = """
def apply(x, out, n, failed):
    i = cuda.grid(1)
    if i < n:
        out[index(i, out.shape[0], failed)] = x[i]
"""


@pytest.mark.parametrize("threads", [4, 32])
def test_a_race_behind_an_index_that_was_out_of_bounds_is_a_fault_of_the_program(threads):
    """What fails goes on with index 0, where others store too: in the same block, and in another one."""
    out, x = cuda.device_array(3, np.float64), to_device(np.zeros(9))
    with pytest.raises(KernelFault, match="the program fails ahead of out"):
        kernel(MEETING, index=support.index)[9, threads](x, out, 9, faults())
    assert kernel(MEETING, index=support.index)[9, threads](x, out, 3, faults()) is None
    with pytest.raises(LockstepError, match="a race"):
        kernel(MEETING.replace("index(i, out.shape[0], failed)", "i % 3"))[9, threads](x, out, 9, faults())
