"""Sums of `lanes` loops: what the loops stage says of them, and what LLVM is told (`targets/llvm/sums.case`)."""

import math

import gast
import numpy as np
import pytest

import pellucid
from pellucid.compiler import syntax
from pellucid.compiler.driver import lowered
from pellucid.compiler.languages import verifier
from pellucid.compiler.targets.llvm import sums as target
from pellucid.compiler.targets.llvm.llvm import compile_program
from pellucid.compiler.targets.llvm.sums import take_sums
from pellucid.compiler.tuning import BLOCK, PART
from pellucid.runtime import memory

from .harness.cases import callable_of
from .harness.loops_python import assert_same_outcome
from .harness.loops_text import read_loops
from .harness.lowering_check import runnable
from .harness.typed_text import read_program

RNG = np.random.default_rng(4)


# --- how exact they are --------------------------------------------------------------------------------------------

SUM = 'def f(x: "{0}[n]"):\n    return sum(x)\n'
ROW_SUMS = 'def f(x: "{0}[n, m]"):\n    return sum(x, axis=1)\n'
ALL = 'def f(x: "{0}[n, m]"):\n    return sum(x[:, ::2])\n'


def taken(text):
    """A program of one function with its sums as the target has them."""
    return take_sums(lowered(read_program(text)))


def error_of(value, terms):
    exact = math.fsum(terms)
    return abs(float(value) - exact) / abs(exact)


@pytest.mark.parametrize("text", [SUM, ROW_SUMS, ALL], ids=["all", "rows", "two axes"])
@pytest.mark.parametrize("dtype, unit", [("f64", 2.0**-53), ("f32", 2.0**-24)])
def test_error_of_a_sum_does_not_grow_with_its_length(dtype, unit, text):
    total = runnable(taken(text.format(dtype)))
    for count in (10, 1000, 30000):
        x = RNG.uniform(0.1, 1.0, count).astype(np.float64 if dtype == "f64" else np.float32)
        given = x if text is SUM else x.reshape(1, -1) if text is ROW_SUMS else np.repeat(x, 2).reshape(count // 10, 20)
        (value,) = total(given)
        assert error_of(np.ravel(value)[0], x.tolist()) <= 16 * unit


def test_sum_recovers_what_cancels():
    total = runnable(taken(SUM.format("f64")))
    x = np.full(128 * 40, 0.1)
    x[::128] += 1e12
    assert error_of(total(x)[0], x.tolist()) <= 128 * 2.0**-53


@pytest.mark.parametrize("count", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, PART, PART + 1, 2 * PART + BLOCK + 3])
def test_every_term_is_taken_once(count):
    x = RNG.integers(-1000, 1000, count)
    text = """
def f(x: "f64[n]", y: "i64[n]"):
    return sum(x), sum(y), max(maximum(x, -2000.0)), any(x > 990.0)
"""
    program = lowered(read_program(text))
    expected = [x.sum(), x.sum(), x.max(initial=-2000), np.any(x > 990)]
    if count:
        assert compile_program(program)([x.astype(float), x]) == expected
    (total,) = compile_program(lowered(read_program(SUM.format("f64"))))([x.astype(float)])
    assert total == x.sum()


def test_an_element_that_is_not_there_is_missed_by_any_too():
    program = lowered(read_program('def f(x: "f64[n]", p: "i64[m]"):\n    return any(x[p] > 3.0), all(x[p] < 9.0)\n'))
    x, p = np.arange(5.0), np.array([4, 99])
    with pytest.raises(IndexError, match="index 99 is out of bounds"):
        compile_program(program)([x, p])
    with pytest.raises(IndexError, match="index 99 is out of bounds"):
        callable_of(program.main)(x, p)


# --- the statement -------------------------------------------------------------------------------------------------


def loops_in(program):
    return [str(syntax.operator_of(s.iter)) for s in syntax.walk(program.main.body) if hasattr(s, "iter")]


@pytest.mark.parametrize(
    "result, kinds",
    [
        ("sum(x)", ["lanes"]),
        ("sum(x, axis=1)", ["prange", "lanes"]),
        ("sum(x, axis=0)", ["prange", "lanes", "prange"]),
        ("max(x, axis=0)", ["prange", "lanes", "prange"]),
        ("prod(x, axis=0)", ["prange", "range", "prange"]),
        ("sum(y[:, None, None] * x, axis=(0, 2))", ["prange", "lanes", "prange", "lanes"]),
        ("sum(x, axis=0), sum(x * x, axis=0)", ["prange", "lanes", "prange"]),
        ("sum(x, axis=0), sum(x)", ["prange", "lanes", "prange", "lanes"]),
        ("max(x[:, ::2])", ["lanes", "lanes"]),
        ("prod(y)", ["range"]),  # in another order it might overflow
        ("sum(x), sum(x * x), max(x)", ["lanes"]),
        ("sum(exp(x - max(x, axis=1, keepdims=True)), axis=1)", ["prange", "lanes", "lanes"]),
    ],
)
def test_a_reduction_is_a_loop(result, kinds):
    program = lowered(read_program(f'def f(x: "f64[n, m]", y: "f64[n]"):\n    return {result}\n'))
    assert loops_in(program) == kinds


@pytest.mark.parametrize(
    "body, fault",
    [
        ("total += x[k]", ""),
        ("t = x[k]\n        total += t", ""),
        ("total = maximum(total, x[k])", ""),
        ("if x[k] > total:\n            total = x[k]", "does more than accumulate"),
        ("total = total * cast(0.5, 'f64') + x[k]", "does more than accumulate"),
        ("total = total * x[k]", "does more than accumulate"),
        ("total += x[k]\n        y[k] = total", "does more than accumulate"),
        ("total += x[k]\n        total = maximum(total, x[k])", "is accumulated in several ways"),
        ("y[0] += x[k]\n        y[1] += x[k] * x[k]", ""),
        ("for j in range(0, y.shape[0], 1):\n            y[j] = maximum(y[j], x[k] + x[j])", ""),
        ("y[k] = x[k]\n        total += y[k]", ""),
        ("y[0] = x[k]", "do more than accumulate"),
        ("y[0] *= x[k]", "do more than accumulate"),
        ("y[0] = y[0] * cast(0.5, 'f64') + x[k]", "do more than accumulate"),
        ("y[0] += x[k]\n        total += y[0]", "do more than accumulate"),
        ("for j in range(0, y.shape[0], 1):\n            y[j] += x[k]\n            y[j] = maximum(y[j], x[k])",
         "are accumulated in several ways"),
    ],
)
def test_turns_hand_on_accumulations_only(body, fault):
    program = read_loops(f"""
def f(x: "f64[n]") -> ("f64", "f64[n]"):
    y = empty(x.shape[0])
    total = cast(0.0, "f64")
    for k in lanes(0, x.shape[0], 1):
        {body}
    return total, y
""")
    found = verifier.verify(program.main, "loops")
    assert all(fault in text for text in found) and bool(found) == bool(fault), found


# --- on threads, and at random -------------------------------------------------------------------------------------


def test_the_number_of_threads_leaves_no_trace():
    total = pellucid.compile(lambda x: (np.sum(x), np.sum(x * x), np.max(x)))
    x = RNG.lognormal(0.0, 3.0, 7 * PART + 12345)
    several = total(x)
    with pellucid.threads(1):
        assert total(x) == several


def test_an_error_in_a_part_is_the_first_and_leaves_no_memory():
    native = compile_program(read_loops(PICKS))
    held = memory.live_bytes()
    picks = np.zeros(5 * PART, np.int64)
    picks[[3 * PART + 5, 2 * PART + 7, 4 * PART]] = 40, 30, 50
    with pytest.raises(IndexError, match="index 30 is out of bounds"):
        native([np.ones(9), picks])
    assert memory.live_bytes() == held


PICKS = """
def f(x: "f64[n]", picks: "i64[m]") -> "f64":
    total = cast(0.0, "f64")
    for k in lanes(0, picks.shape[0], 1):
        total += x[picks[k]]
    return total
"""
TERMS = {
    "total": ("cast(0.0, 'f64')", ["total += {0}", "total = total + {0} * {0}"]),
    "mass": ("cast(1.0, 'f64')", ["mass += {0}"]),
    "best": ("cast(-9.0, 'f64')", ["best = maximum(best, {0})"]),
    "least": ("cast(9.0, 'f64')", ["least = minimum(least, {0} - y[{1}])"]),
    "count": ("cast(1, 'i64')", ["count += cast({0} > y[{1}], 'i64')"]),
    "power": ("cast(1, 'i64')", ["power = power * cast({0}, 'i64')"]),
    "found": ("cast(False, 'bool')", ["large = {0} > cast(3.0, 'f64')\nfound = logical_or(found, large)"]),
}


def random_loop(rng):
    """A program with a nest of `lanes` loops, or of one in rows, that accumulates several things in several ways."""
    names = [str(n) for n in rng.permutation(list(TERMS))[: rng.integers(1, 5)]]
    rows, inner = rng.random() < 0.3, rng.random() < 0.6
    lines = [f"{name} = {TERMS[name][0]}" for name in names]
    body, deeper = [], []
    for name in names:
        for _ in range(rng.integers(1, 3)):
            at_depth = inner and rng.random() < 0.6
            line = str(rng.choice(TERMS[name][1])).format(*(("z[k, j]", "k") if at_depth else ("x[k]", "k")))
            if rng.random() < 0.3:
                line = f"if x[k] > cast({int(rng.integers(-3, 3))}.0, 'f64'):\n{indented([line])}"
            (deeper if at_depth else body).append(line)
    if rng.random() < 0.3:
        body.insert(0, "out[k] = x[k] + y[k]")
    if rng.random() < 0.2:
        body.insert(0, "if x[k] > cast(5.0, 'f64'):\n    raise ValueError('large {}', k)")
    if deeper:
        bound = rng.choice(["z.shape[1]", "3"])
        body.insert(int(rng.integers(0, len(body) + 1)), f"for j in lanes(0, {bound}, 1):\n{indented(deeper)}")
    stop = rng.choice(["x.shape[0]", "x.shape[0] - 2"])
    loop = f"for k in lanes(0, {stop}, 1):\n{indented(body or ['pass'])}"
    lines.append(f"for t in range(0, 2, 1):\n{indented([loop])}" if rows else loop)
    zeros = "for i in range(0, x.shape[0], 1):\n    out[i] = cast(0.0, 'f64')"
    text = indented(["out = empty(x.shape[0])", zeros, *lines])
    kinds = ", ".join("'f64'" if TERMS[n][0].endswith("'f64')") else "'i64'" for n in names)
    results = ", ".join("cast(found, 'i64')" if n == "found" else n for n in names)
    head = f"def f(x: 'f64[n]', y: 'f64[n]', z: 'f64[n, m]') -> ('f64[n]', {kinds}):"
    return f"{head}\n{text}\n    return out, {results}\n"


def indented(lines):
    return "\n".join(f"    {line}" for text in lines for line in text.split("\n"))


@pytest.mark.parametrize("seed", range(20))
def test_random_loops_agree(seed, monkeypatch):
    monkeypatch.setattr(target, "BLOCK", 4)
    monkeypatch.setattr(target, "PART", 12)
    rng = np.random.default_rng(seed)
    text = random_loop(rng)
    program = read_loops(text)
    native = compile_program(program)
    taken_program = take_sums(program)
    assert not verifier.verify(taken_program.main, "loops")
    trees = [n for s in taken_program.main.body for n in gast.walk(s) if isinstance(n, gast.expr)]
    holding = [id(n) for n in trees if not syntax.is_atom(n)]
    assert len(set(holding)) == len(holding)  # no tree stands in two places
    made = runnable(taken_program)
    for count in (0, 1, 4, 11, 12, 13, 24, 50):
        x, y = rng.integers(-4, 6, (2, count)).astype(float)  # sums of ints are exact in every order
        z = rng.integers(-4, 5, (count, 3 + seed % 5)).astype(float)
        assert_same_outcome(native, text, [x, y, z])
        assert_same_outcome(lambda given: list(made(*given)), text, [x, y, z])
