"""Sums of `lanes` loops: what the loops stage says of them, and what the target makes of that."""

import dataclasses
import math

import numpy as np
import pytest

from pellucid.compiler import stages, syntax
from pellucid.compiler.backend.llvm import compile_program
from pellucid.compiler.backend.sums import BLOCK, PART, take_sums, with_sums
from pellucid.compiler.driver import lowered

from .harness.cases import check_case, read_cases, write_cases
from .harness.loops_text import read_loops
from .harness.lowering_check import runnable
from .harness.typed_text import read_program

CASES = "backend/sums.case"
RNG = np.random.default_rng(4)


@pytest.mark.parametrize("case", [pytest.param(c, id=c.title) for c in read_cases(CASES)])
def test_case(case, update_cases):
    def run(function, is_entry=True):
        return with_sums(function, is_entry)

    text = check_case(case, run, read=read_loops, takes="loops", gives="loops", update=update_cases, exact=False)
    if update_cases:
        cases = [dataclasses.replace(c, after=text) if c.title == case.title else c for c in read_cases(CASES)]
        write_cases(case.file, cases)


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


# --- the statement -------------------------------------------------------------------------------------------------


def loops_in(program):
    return [str(syntax.operator_of(s.iter)) for s in syntax.walk(program.main.body) if hasattr(s, "iter")]


@pytest.mark.parametrize(
    "result, kinds",
    [
        ("sum(x)", ["lanes"]),
        ("sum(x, axis=1)", ["prange", "lanes"]),
        ("max(x[:, ::2])", ["lanes", "lanes"]),
        ("prod(x)", ["range"]),  # in another order it might overflow
        ("sum(y), sum(y * y), max(y)", ["lanes"]),
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
    found = stages.verify(program.main, "loops")
    assert all(fault in text for text in found) and bool(found) == bool(fault), found
