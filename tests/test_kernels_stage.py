"""The kernels stage in lockstep: values, dtypes and errors of CPython, for programs that are easy to get wrong."""

import types

import numpy as np
import pytest

import pellucid
from pellucid.compiler.request import Batch, Gradient
from pellucid.compiler.targets.cuda.kernels import kernels
from pellucid.compiler.targets.cuda.places import CHOSEN, FOLDED
from pellucid.runtime.kernels.names import NAMES
from pellucid.runtime.lockstep import in_lockstep

from .harness import kernels_programs as programs
from .harness.cases import callable_of
from .harness.kernels_programs import PROGRAMS, arguments_of
from .harness.loops_text import read_loops
from .harness.stages import Stages, assert_same, entry_of, in_python
from .test_gradients import scalarised

SIZES = (33, 0, 1, 2, 31, 32, 100)


def text_of(function, size=33):
    stages = Stages(function)
    stages.run("kernels", *arguments_of(function, size))
    return stages.texts["kernels"]


@pytest.mark.drawn(3)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_kernels_give_what_python_gives(function):
    stages = Stages(function)
    for size in SIZES:
        args = arguments_of(function, size)
        assert_same(stages.run("kernels", *args), in_python(function, *args))


# Programs whose slopes and whose batches are held against those of loops, which other tests hold against differences.
SMOOTH = """slices_in_place moved_up moved_up_through_a_name carried_in_a_loop views_carried_in_a_loop softmax_of_rows
    sums_of_a_triangle triangle product_by_hand rows_and_columns distances swapped_buffers steps_of_heat
    numbers_through_launches conjugate_gradients halved_until_small while_with_a_break running counted_places
    indices_by_data stored_by_data permuted masked functions_of_math calls recursion lists names_that_collide
    mixed_floats single_elements sum_ahead_of_a_division
    running_before running_from_an_element running_by_rows unpacked sum_of_squares_where_positive
    flattened_by_hand upper_part""".split()
BATCHED = """slices_in_place softmax_of_rows sums_of_kinds permuted masks while_of_each running counted_places triangle
    swapped_buffers conjugate_gradients until_it_is_small if_of_a_sum indices_by_data names_inside_kernels
    python_ints_divide_by_zero calls truths_and_numbers first_that_is_large extremes
    running_before unpacked parted_by_hand upper_part""".split()


@pytest.mark.drawn(3)
@pytest.mark.parametrize("name", SMOOTH)
def test_slopes_are_those_of_loops(name):
    program = types.SimpleNamespace(function=getattr(programs, name))
    for size in (9, 33):
        problem = scalarised(program, arguments_of(program.function, size))
        stages = Stages(problem.function, [Gradient(problem.argnums)])
        assert_same(stages.run("kernels", *problem.args), stages.run("loops", *problem.args))


@pytest.mark.drawn(3)
@pytest.mark.parametrize("name", BATCHED)
def test_batches_are_those_of_loops(name):
    function = getattr(programs, name)
    stages = Stages(function, [Batch()])
    for size, examples in ((9, 4), (33, 3), (5, 0)):
        args = [arguments_of(function, size, seed) for seed in range(max(examples, 1))]
        stacked = tuple(np.stack(parts)[:examples] for parts in zip(*args, strict=True))
        assert_same(stages.run("kernels", *stacked), stages.run("loops", *stacked))


def test_folds_that_are_written_exist_and_all_that_exist_are_known():
    written = {
        f"{threads}_{word}" for threads in ("row", "column") for word in (
            *(f"{word}_{dtype}" for word in ("sum", "prod") for dtype in FOLDED),
            *(f"{word}_{dtype}" for word in ("max", "min") for dtype in CHOSEN), "any", "all",
        )
    }  # fmt: skip
    written |= {f"row_{way}arg{word}_{d}" for way in ("", "last_") for word in ("max", "min") for d in CHOSEN}
    exist = {name for name in NAMES if name.startswith(("row_", "column_")) and name not in ("row_sync", "column_fold")}
    assert written == exist


VIEWS = """
def f(x: "f64[n]", k: "int"):
    y = empty(dim(x, 0))
    for i in prange(dim(x, 0)):
        y[i] = x[i]
    v = y[1:]
    for i in range(dim(v, 0)):
        v[i] = v[i] * 0.5 + y[i]
    return y
"""


def test_a_part_of_the_host_sees_in_one_array_what_it_changes_in_another():
    """Copies of `y` and of `v`, which shows a part of it, would not tell each other."""
    program = read_loops(VIEWS)
    made = kernels(program)
    assert "arrays that may share memory are changed" in made.text
    x = np.linspace(-1.0, 1.0, 7)
    got = in_lockstep(entry_of(made.text, made.entry, "views.py"))(x, 1)
    np.testing.assert_array_equal(got, callable_of(program.main)(x, 1))


STARTS = """
def f(x: "f64[n]", k: "int"):
    last = cast(0.0, "f64")
    for t in range(k):
        total = cast(0.0, "f64")
        first = x[t]
        both = first + total + last
        for i in lanes(dim(x, 0)):
            total = total + x[i] * both
        last = total + both
    return last
"""


def test_a_number_that_is_only_known_is_written_before_a_thread_reads_it():
    program = read_loops(STARTS)
    made = kernels(program)
    x = np.linspace(-1.0, 2.0, 7)
    got = in_lockstep(entry_of(made.text, made.entry, "starts.py"))(x, 3)
    np.testing.assert_allclose(got, callable_of(program.main)(x, 3), rtol=1e-13)


def test_a_name_of_the_users_is_printed_as_it_is_where_it_hides_nothing():
    text = text_of(programs.names_that_collide)
    assert "rows = cuda.device_array" in text and "index = " not in text  # no row of threads is launched here
    assert "elements_1 = cuda.device_array" in text and "cuda_1 = " in text


def _squares(p):
    y = np.zeros(p.shape[0])
    for i in range(p.shape[0]):
        c = int(p[i]) + 3037000499
        y[i] = float(c * c)
    return y


def _powers(p):
    y = np.zeros(p.shape[0])
    for i in range(p.shape[0]):
        y[i] = (int(p[i]) + 3037000499) ** 2
    return y


def _high_powers(p):
    y = np.zeros(p.shape[0])
    for i in range(p.shape[0]):
        y[i] = (int(p[i]) + 2) ** (60 + int(p[i]))
    return y


def _of_unsigned(p):
    u = p.astype(np.uint64) << np.uint64(61)
    y = np.zeros(p.shape[0])
    for i in range(p.shape[0]):
        y[i] = int(u[i])
    return y


@pytest.mark.parametrize("function", [_squares, _powers, _high_powers, _of_unsigned])
def test_ints_of_python_that_overflow_are_told_by_the_processor(function):
    stages = Stages(function)
    assert isinstance(stages.run("kernels", np.arange(5)).error, OverflowError)
    fits = np.arange(1)
    assert_same(stages.run("kernels", fits), in_python(function, fits))


def test_a_loop_that_an_error_may_keep_going_ends_and_no_other_asks():
    for function in (programs.while_past_the_end, programs.while_by_steps_that_failed):
        assert "if failed[0] != 0:\n                return" in text_of(function)
    assert "row_any(failed[0] != 0)" in text_of(programs.while_of_rows_by_steps_that_failed)
    assert "failed" not in text_of(programs.while_of_each)


def packed(x, limit):
    out, k = np.zeros(x.shape[0]), 0
    for i in range(x.shape[0]):
        if x[i] > limit:
            out[k] = x[i]
            k += 1
    return out, k


@pytest.mark.parametrize("limit", [-1.0, 0.5, 0.99, 2.0])
def test_positions_of_several_parts(limit):
    """All, some, few and none of what three blocks look at; the order is that of the turns."""
    stages = Stages(packed)
    x = np.random.default_rng(5).uniform(0.0, 1.0, 2 * 8192 + 33)
    assert_same(stages.run("kernels", x, limit), in_python(packed, x, limit))
    assert "block_scan_sum_i64" in stages.texts["kernels"] and "@host" not in stages.texts["kernels"]


def numbers(x):
    return 0.5 in x, float(x[0]), int(x[1]), {"last": float(x[-1])}, x[0]


def test_numbers_of_python_are_so_in_lockstep():
    x = np.array([0.5, 3.0, -2.0])
    found = pellucid.compile(numbers).debug("kernels")(x)
    assert found == numbers(x)
    assert [type(v) for v in (*found[:3], found[3]["last"], found[4])] == [bool, float, int, float, np.float64]


def filled(places, weights):
    out = np.zeros(places.shape[0])
    for i in range(places.shape[0] - 1, -1, -1):
        out[i] += weights[places[i]]
    return out


def test_loops_that_go_down_and_can_fail_are_taken_at_once():
    """Which turn fails first is told by the program of the processor, so kernels may take them in any order."""
    stages = Stages(filled)
    for places in ([0, 2, -1, 1], [], [0, 9]):
        args = np.array(places, np.int64), np.arange(4.0)
        assert_same(stages.run("kernels", *args), in_python(filled, *args))
    assert "@cuda.jit" in stages.texts["kernels"] and "@host" not in stages.texts["kernels"]
