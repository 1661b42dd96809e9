"""Scalars that are values of LLVM's: which they are, that they cost no variable, and that results stay the same."""

import numpy as np
import pytest

from pellucid.compiler.targets.llvm.llvm import lower
from pellucid.compiler.targets.llvm.ssa_values import certain_names

from .harness.loops_text import read_loops
from .harness.regions import compiled

STRAIGHT = """
def f(x: "f64", y: "f64"):
    t = x * 0.5 + y
    t = t * t
    u = math.sqrt(t) - x
    return t, u
"""
BRANCHES = """
def f(x: "f64", c: "bool_"):
    t = x + 1.0
    if c:
        u = t * 2.0
        v = u + t
    else:
        u = t
        v = 0.0
    return t, u, v
"""
TURNS = """
def f(x: "f64[n]", start: "f64"):
    total = start
    last = start
    for i in range(dim(x, 0)):
        double = x[i] * 2.0
        last = total
        total = total + double
    after = total - last
    return total, last, after
"""
WHILE = """
def f(x: "f64"):
    half = x
    count = 0
    while half > 1.0:
        less = half * 0.5
        half = less
        count = count + 1
    return half, count
"""
AGAIN = """
def f(x: "f64[n]"):
    t = 0.0
    for i in range(dim(x, 0)):
        t = x[i]
        x[i] = t * t
    for j in range(dim(x, 0)):
        t = x[j] + 1.0
        x[j] = t * t
    t = 3.0
    return t
"""
COUNTERS = """
def f(x: "f64[n]"):
    last = 0
    for i in range(dim(x, 0)):
        for j in range(i):
            x[i] = x[i] + x[j]
        for j in range(2):
            x[i] = x[i] * 0.5
    for k in range(dim(x, 0)):
        last = last + 1
    last = last + k
    return x, last
"""
CASES = {
    "assigned again in a row": (STRAIGHT, {"x", "y", "t", "u"}),
    "what branches merge is a variable": (BRANCHES, {"x", "c", "t"}),
    "so is what a loop carries": (TURNS, {"start", "double", "after", "i"}),
    "the test of a while reads at the end of a turn": (WHILE, {"x", "less"}),
    "a name of two nests": (AGAIN, {"t", "i", "j"}),
    "a counter that is read behind its loop is a variable": (COUNTERS, {"i", "j"}),
}


@pytest.mark.parametrize("name", CASES)
def test_certain_names(name):
    text, expected = CASES[name]
    assert certain_names(read_loops(text).main) == expected


def test_read_before_the_next_turn_gives_it_is_uncertain():
    text = """
def f(n: "i64"):
    t = 1.0
    s = 0.0
    for i in range(n):
        s = s + t
        t = 2.0
    return s
"""
    assert certain_names(read_loops(text).main) == {"n", "i"}
    assert compiled(text)([3]) == [5.0]


def test_straight_line_of_scalars_needs_no_variable():
    text = lower(read_loops(STRAIGHT))
    function = text[text.index("@pellucid.function.f(") :].split("\n}")[0]
    assert function.count(" alloca ") == 1  # the status
    assert "load double" not in function


def test_results_are_those_of_python():
    assert compiled(STRAIGHT)([3.0, 4.0]) == [30.25, 2.5]
    assert compiled(BRANCHES)([2.0, True]) == [3.0, 6.0, 9.0]
    assert compiled(BRANCHES)([2.0, False]) == [3.0, 3.0, 0.0]
    assert compiled(WHILE)([8.0]) == [1.0, 3]
    x, last = compiled(COUNTERS)([np.array([1.0, 2.0, 4.0])])
    assert x.tolist() == [0.25, 0.5625, 1.203125] and last == 5


def test_value_from_outside_reaches_the_threads():
    text = """
def f(x: "f64[n]", scale: "f64"):
    twice = scale * 2.0
    y = empty(dim(x, 0))
    for i in prange(dim(x, 0)):
        t = x[i] * twice
        y[i] = t + t
    return y
"""
    x = np.arange(100_000.0)
    (result,) = compiled(text)([x, 1.5])
    np.testing.assert_array_equal(result, x * 3.0 * 2.0)
