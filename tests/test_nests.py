"""Nests as a whole: merged where that is right, freed of arrays, loops without allocations, sums in lanes."""

import math
import re

import gast
import numpy as np
import pytest

import pellucid
from pellucid.compiler import driver, syntax
from pellucid.compiler.analysis.integers.ranges import FRONT, ranges
from pellucid.compiler.analysis.memory.alias import conflicts
from pellucid.compiler.languages import verifier
from pellucid.compiler.optimise.footprint import footprint
from pellucid.compiler.program import Decision
from pellucid.compiler.targets.llvm.llvm import compile_program, lower
from pellucid.compiler.targets.python.printer import print_program

from .harness import random_carrying, random_rows, targets
from .harness.draws import blocks
from .harness.lowering_check import agree, runnable, text_of
from .harness.typed_text import read_program

pytestmark = pytest.mark.drawn(5)

RNG = np.random.default_rng(8)

SOFTMAX = """
def softmax(x: "f64[n, m]"):
    e = exp(x - max(x, axis=1, keepdims=True))
    return e / sum(e, axis=1, keepdims=True)
"""


def lowered(text):
    program = driver.lowered(read_program(text))
    for function in program.functions.values():
        assert not verifier.verify(function, "loops"), text_of(program)
    return program


def loops_of(program, kind=None):
    found = [s for s in syntax.walk(program.main.body) if isinstance(s, gast.For)]
    return [s for s in found if kind is None or syntax.operator_of(s.iter) == kind]


def outermost(program):
    """The loops that are marked, and stand in none that is."""
    marked = loops_of(program, "prange")
    inside = {id(s) for loop in marked for s in syntax.walk(loop.body)}
    return [loop for loop in marked if id(loop) not in inside]


def made(program):
    """The names that are allocated."""
    assigned = [s for s in syntax.walk(program.main.body) if isinstance(s, gast.Assign)]
    return [s.targets[0].id for s in assigned if syntax.operator_of(s.value) == "empty"]


def made_in_loops(program):
    inner = [s for loop in syntax.walk(program.main.body) for block in _loop_blocks(loop) for s in syntax.walk(block)]
    return [s for s in inner if isinstance(s, gast.Assign) and syntax.operator_of(s.value) == "empty"]


def _loop_blocks(statement):
    return [statement.body] if isinstance(statement, gast.For | gast.While) else []


# --- the same answers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", [random_rows, random_carrying], ids=["rows", "carrying"])
@pytest.mark.parametrize("chosen", blocks(0, 50, 25))
def test_random_programs_agree(source, chosen):
    for seed in chosen:
        text = source.random_program(seed)
        typed = read_program(text)
        if not conflicts(typed.main):
            agree(typed, lowered(text), *(source.random_arguments(10 * seed + k) for k in range(5)))


@pytest.mark.parametrize("source", [random_rows, random_carrying], ids=["rows", "carrying"])
def test_random_programs_agree_in_machine_code(source):
    for seed in range(500, 508):
        typed = read_program(source.random_program(seed))
        if conflicts(typed.main):
            continue
        reference, native = runnable(typed), compile_program(driver.lowered(typed))
        for k in range(3):
            arguments = source.random_arguments(7 * seed + 3 * k + 1)
            before = [np.copy(a) for a in arguments]
            try:
                with np.errstate(all="ignore"):
                    wanted = reference(*arguments)
            except (ValueError, IndexError) as error:
                with pytest.raises(type(error)):
                    native(arguments)
                continue
            for value, want in zip(native(arguments), wanted, strict=True):
                np.testing.assert_allclose(np.asarray(value), want, rtol=1e-9, atol=1e-11)
            for old, new in zip(before, arguments, strict=True):
                np.testing.assert_array_equal(old, new)  # an argument's buffer is never written


# --- merged nests --------------------------------------------------------------------------------------------------


def test_softmax_is_one_pass_over_the_rows_in_one_buffer():
    program = lowered(SOFTMAX)
    assert len(outermost(program)) == 1
    assert len(made(program)) == 1
    agree(read_program(SOFTMAX), program, [RNG.standard_normal((4, 300))], [np.zeros((0, 3))], [np.zeros((2, 0))])


def test_several_results_share_a_pass():
    program = lowered("""
def f(x: "f64[n, m]", y: "f64[n, m]"):
    return x * y + 1.0, exp(x) - y, sum(x * y, axis=1)
""")
    assert len(loops_of(program, "prange")) == 1
    assert len(made(program)) == 3


def test_functions_for_each_row_have_a_loop_of_their_own():
    program = lowered("""
def f(x: "f64[n, m]", s: "f64[n]"):
    e = exp(s)
    return x * e[:, None]
""")
    first, second = outermost(program)
    assert [any(isinstance(s, gast.For) for s in loop.body) for loop in (first, second)] == [False, True]
    named = [{syntax.operator_of(node) for node in gast.walk(loop)} for loop in (first, second)]
    assert "exp" in named[0] and "exp" not in named[1]


@pytest.mark.parametrize("target", ["x86-64-v3", "x86-64-v4"])
def test_functions_for_each_row_are_taken_in_vectors(target, monkeypatch):
    targets.on(monkeypatch, target)
    text = pellucid.compile(lambda x, s: x * np.exp(s)[:, None], parallel=False).source("llvm", "f64[n, m]", "f64[n]")
    assert targets.has_vectors(text, "fadd", target)


def test_nests_without_a_common_array_stay_apart():
    program = lowered("""
def f(x: "f64[n]", y: "f64[n]"):
    return exp(x), exp(y)
""")
    assert len(loops_of(program, "prange")) == 2


def test_what_needs_later_rows_waits_for_them():
    text = """
def f(x: "f64[n]"):
    e = exp(x)
    return e[::-1] * e, e + 1.0
"""
    program = lowered(text)
    agree(read_program(text), program, [RNG.standard_normal(5)])
    assert len(loops_of(program, "prange")) == 2


def test_two_things_that_fail_keep_their_order():
    text = """
def f(x: "f64[n]", k: "i64[n]", l: "i64[n]"):
    a = x[k]
    b = x[l]
    return a + 1.0, b * a
"""
    program, good, bad = lowered(text), np.array([0, 1]), np.array([0, 7])
    x = np.ones(2)
    agree(read_program(text), program, [x, good, bad], [x, bad, good], [x, bad, np.array([9, 0])], [x, good, good])


def test_guard_between_two_nests_comes_first():
    text = """
def f(x: "f64[n, m]", y: "f64[m]", z: "f64[k]"):
    a = exp(x) * y
    b = a + z
    return a, b * a
"""
    program = lowered(text)
    x = RNG.standard_normal((2, 3))
    agree(read_program(text), program, [x, np.ones(3), np.ones(3)], [x, np.ones(3), np.ones(4)])


def test_derivative_of_the_digits_loss_is_one_pass_over_the_batch():
    from samples import digits

    layer = digits.Layer(RNG.standard_normal((6, 4)), np.zeros(4))
    gradient = pellucid.value_and_grad(digits.softmax_loss)
    text = gradient.source("loops", layer, RNG.random((5, 6)), np.eye(4)[[0, 1, 2, 3, 0]])
    rows = [line for line in text.splitlines() if re.match(r"    for i in prange\(images\.shape\[0\]\)", line)]
    assert len(rows) == 1


def test_explain_tells_which_loops_run_as_one():
    decisions = lowered(SOFTMAX).main.decisions
    assert Decision("loops", "the loops of lines 3 and 4 run as one") in decisions


# --- loops that allocate nothing -----------------------------------------------------------------------------------

ROUNDS = """
def f(x: "f64[n, m]", k: "int"):
    for i in range(k):
        x_1 = 0.5 * x + 0.1 * sin(x)
        x = x_1
    return x
"""
JACOBI = """
def f(x: "f64[n, m]", k: "int"):
    u = copy(x)
    for i in range(k):
        v = copy(u)
        v[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        u = v
    return u
"""
TWO_TURNS = """
def f(x: "f64[n]", k: "int"):
    old = x
    new = x * 0.5
    for i in range(k):
        t = 2.0 * new[::-1] - old
        old = new
        new = t
    return new, old
"""
TEMPORARY = """
def f(x: "f64[n]", k: "int"):
    s = 0.0
    for i in range(k):
        e = exp(x * s)
        s = sum(e[::-1] * e)
    return s
"""


@pytest.mark.parametrize("text", [ROUNDS, JACOBI, TWO_TURNS, TEMPORARY], ids=["rounds", "jacobi", "two", "temporary"])
def test_loop_allocates_nothing(text):
    program = lowered(text)
    assert made(program) and not made_in_loops(program)
    shape = (4, 5) if "n, m" in text else (5,)
    agree(read_program(text), program, *([RNG.standard_normal(shape), k] for k in range(5)))


def test_elementwise_update_is_made_in_place():
    assert len(made(lowered(ROUNDS))) == 1


def test_stencil_swaps_two_buffers():
    program = lowered(JACOBI)
    assert len(made(program)) == 2
    assert re.search(r"(\w+), (\w+) = \2, \1", print_program(program))


def test_accesses_after_a_swap_are_still_proven():
    function = lowered(JACOBI).main
    known = ranges(function)
    places = [
        n for s in syntax.walk(function.body) if not syntax.blocks_of(s) for n in gast.walk(s)
        if isinstance(n, gast.Subscript)
    ]  # fmt: skip
    assert places and all(known.of(place, axis) == FRONT for place in places for axis in (0, 1))


def test_list_that_keeps_the_array_keeps_it_apart():
    text = """
def f(x: "f64[n]", k: "int"):
    xs: "[f64[n]]" = []
    xs.append(x)
    for i in range(k):
        y = exp(x * i)
        xs.append(y)
    last = xs.pop()
    return last, xs[0]
"""
    agree(read_program(text), lowered(text), [RNG.standard_normal(3), 1], [RNG.standard_normal(3), 3])


def test_length_that_may_be_negative_is_not_asked_for_early():
    text = """
def f(x: "f64[n]", k: "int", m: "int"):
    s = 0.0
    for i in range(k):
        e = empty(shape=(m,))
        e[:] = 2.0
        s = s + sum(e)
    return s
"""
    agree(read_program(text), lowered(text), [np.ones(2), 0, -1], [np.ones(2), 1, -1], [np.ones(2), 2, 3])


# --- slices in place -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "store, buffers, step",
    [
        ("a[1:] = a[:-1] * 0.5", 1, -1),
        ("a[:-1] = a[1:] - a[:-1]", 1, 1),
        ("a[2:] = a[:-2] + a[1:-1]", 1, -1),
        ("a[1:-1] = a[2:] + a[:-2]", 2, 1),
        ("a[1:] = sin(a[:-1])", 2, 1),
        ("a[::-1] = a * 2.0", 2, 1),
    ],
)
def test_slice_is_stored_in_the_direction_in_which_it_is_read(store, buffers, step):
    text = f'def f(x: "f64[n]"):\n    a = copy(x)\n    {store}\n    return a\n'
    program = lowered(text)
    agree(read_program(text), program, *([RNG.standard_normal(n)] for n in (2, 3, 4, 7)))
    assert len(made(program)) == buffers
    assert (step == -1) == any(loop.iter.args[2].value == -1 for loop in loops_of(program))


@pytest.mark.parametrize(
    "store", ["a[1:, :-1] = a[:-1, 1:]", "a[:, 1:] = a[:, :-1] + a[:, 1:]", "a[:-1, 1:] = a[1:, :-1] + a[:-1, :-1]",
              "a[1:, :] = a[:-1, ::-1]", "a[0] = a[1] * 2.0", "a[1:] = a[0] * 2.0"]
)  # fmt: skip
def test_slices_of_matrices_agree(store):
    text = f'def f(x: "f64[n, m]"):\n    a = copy(x)\n    {store}\n    return a\n'
    agree(read_program(text), lowered(text), *([RNG.standard_normal(s)] for s in ((2, 3), (3, 2), (2, 2), (5, 4))))


# --- sums ----------------------------------------------------------------------------------------------------------

SUM = 'def f(x: "{0}[n]"):\n    return sum(x)\n'


def test_only_the_accumulation_may_be_reordered():
    text = lower(lowered('def f(x: "f64[n]", y: "f64[n]"):\n    return sum(x * 2.0 + y)\n'))
    free = [line for line in text.splitlines() if "reassoc" in line]
    assert len(free) == 1 and "fadd reassoc" in free[0]
    assert sum("fadd" in line for line in text.splitlines()) > 1


@pytest.mark.parametrize("dtype, lanes", [("f64", "double"), ("f32", "float")])
@pytest.mark.parametrize("operator", ["sum", "max", "min"])
def test_reduction_runs_in_vectors(operator, dtype, lanes):
    executable = compile_program(lowered(f'def f(x: "{dtype}[n, m]"):\n    return {operator}(x, axis=1)\n'))
    assert re.search(rf"load <\d+ x {lanes}>", executable.llvm_text)


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_sum_is_as_exact_as_numpys(dtype):
    kind = np.dtype(np.float64 if dtype == "f64" else np.float32)
    native = compile_program(lowered(SUM.format(dtype)))
    unit = np.finfo(kind).eps
    samples = [RNG.random, RNG.standard_normal, lambda n: np.full(n, 0.1), lambda n: RNG.lognormal(0, 3, n)]
    for count in (3, 1000, 100_000, 1_000_000):
        for sample in samples:
            x = sample(count).astype(kind)
            exact, size = math.fsum(x.tolist()), math.fsum(np.abs(x).tolist())
            ours, theirs = (abs(float(s) - exact) / size for s in (native([x])[0], np.sum(x)))
            assert ours <= max(theirs, unit)  # within the last place, or better than NumPy


@pytest.mark.parametrize("operator", ["sum", "max", "min"])
@pytest.mark.parametrize("special", [[np.nan], [np.inf], [-np.inf], [np.inf, -np.inf], [np.nan, np.inf]])
def test_special_values_in_lanes(operator, special):
    native = compile_program(lowered(f'def f(x: "f64[n]"):\n    return {operator}(x)\n'))
    for count in (7, 64, 1000, 70_000):
        x = RNG.standard_normal(count)
        x[RNG.permutation(count)[: len(special)]] = special
        with np.errstate(invalid="ignore"):
            want = getattr(np, operator)(x)
        np.testing.assert_allclose(native([x])[0], want, rtol=1e-12)


def test_whole_arrays_are_summed_along_one_axis():
    program = lowered('def f(x: "f64[n, m]"):\n    return sum(x * x)\n')
    assert len(loops_of(program)) == len(loops_of(program, "lanes")) == 1
    assert "reshape" in text_of(program)  # short rows would be summed one by one
    x = RNG.standard_normal((5, 3))
    agree(read_program('def f(x: "f64[n, m]"):\n    return sum(x * x)\n'), program, [x], [np.zeros((0, 3))])
    large = RNG.standard_normal((400, 500))
    np.testing.assert_allclose(compile_program(program)([large])[0], np.sum(large * large), rtol=1e-13)


# --- memory --------------------------------------------------------------------------------------------------------


def test_explain_tells_the_memory_of_a_call():
    told = [decision.text for decision in footprint(lowered(JACOBI).main)]
    assert told[-1] == "at most 16*n*m bytes at once"
    assert [text.split(" bytes")[0] for text in told[:-1]] == ["`u_1`: 8*n*m", "`v`: 8*n*m"]


def test_explain_tells_that_nothing_is_allocated():
    program = lowered('def f(x: "f64"):\n    return x * 2.0\n')
    assert list(footprint(program.main)) == [Decision("memory", "nothing is allocated")]


def test_memory_of_what_is_released_does_not_count_twice():
    program = lowered("""
def f(x: "f64[n, n]", y: "f64[n]"):
    a = x @ x
    b = a @ y
    c = x @ b
    return c
""")
    told = [decision.text for decision in footprint(program.main)]
    assert told[-1] == "at most the largest of 8*n*n + 8*n bytes; 16*n bytes at once"
