"""Loops in pieces and stores without branches: the answers and errors of CPython, and vectors where nothing meets."""

import math

import gast
import numpy as np
import pytest

import pellucid
from pellucid.compiler import syntax
from pellucid.compiler.optimise.if_conversion import if_convert
from pellucid.compiler.targets.llvm.llvm import compile_program
from tests.harness import targets
from tests.harness.draws import blocks
from tests.harness.loops_text import read_loops
from tests.harness.random_pieces import random_arguments, random_program
from tests.harness.stages import attempt, module_of

pytestmark = pytest.mark.drawn(5)


def shortest(distances):
    d = distances.copy()
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = d[i, k] + d[k, j]
                if through < d[i, j]:
                    d[i, j] = through
    return d


def exchanged(x, p, q):
    a = x.copy()
    for j in range(a.shape[1]):
        kept = a[p, j]
        a[p, j] = a[q, j] + 1.0
        a[q, j] = kept
    return a


def past(x, p):
    a = x.copy()
    for j in range(a.shape[0]):
        a[j] = a[j] + a[p]
    return a


def shifted_past(x, p):
    a = x.copy()
    for j in range(a.shape[0] - 1):
        a[j + 1] = 0.5 * a[j + 1] - a[p - 1] * a[2]
    return a


def raising(x, limit):
    a = x.copy()
    for j in range(a.shape[0]):
        if a[j] > limit:
            a[j] = float(1 / int(a[j]))
    return a


def guarded(x, y, p):
    a = x.copy()
    for j in range(a.shape[0]):
        if j + p >= 0 and a[j + p] > 0.0:
            a[j + p] = y[j] - a[j + p]
    return a


def clipped(x, least):
    a = x.copy()
    for j in range(a.shape[0]):
        if a[j] < least:
            a[j] = least
    return a


def llvm(function, *args):
    return pellucid.compile(function).source("llvm", *args)


def assert_agree(function, *args, compiled=None):
    """The same numbers to the last bit, or the same error."""
    want, got = attempt(function, *args), attempt(compiled or pellucid.compile(function), *args)
    assert type(got.error) is type(want.error) and str(got.error) == str(want.error)
    if want.error is None:
        for one, two in zip(np.atleast_1d(want.value), np.atleast_1d(got.value), strict=True):
            assert np.array_equal(np.asarray(one), np.asarray(two), equal_nan=True)


# --- the same answers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 3, 19, 40])
def test_shortest_ways(n):
    distances = np.random.default_rng(n).uniform(-0.1, 1.0, (n, n))  # ways through oneself may be negative
    distances[n // 2, n // 3] = math.nan
    distances[0, n - 1] = -math.inf
    assert_agree(shortest, distances)


def test_columns_beyond_the_matrix_raise():
    assert_agree(shortest, np.random.default_rng(0).random((20, 18)))


@pytest.mark.parametrize("p, q", [(0, 3), (3, 0), (2, 2), (-1, 3), (-1, -1), (1, -3), (4, 0), (0, -5)])
def test_rows_change_places(p, q):
    assert_agree(exchanged, np.random.default_rng(1).random((4, 37)), p, q)


@pytest.mark.parametrize("p", [0, 1, 2, 3, 17, 36, -1, -37, 37, -38])
def test_an_element_is_passed(p):
    x = np.random.default_rng(2).random(37)
    assert_agree(past, x, p)
    assert_agree(shifted_past, x, p)


@pytest.mark.parametrize("limit", [-1.0, 0.5, 9.0])
def test_a_value_that_may_fail_is_computed_only_where_it_is_stored(limit):
    assert_agree(raising, np.array([0.0, 2.0, 0.25, 3.0]), limit)


@pytest.mark.parametrize("p", [0, -2, 1])
def test_an_element_that_a_condition_proves_to_be_there(p):
    x = np.random.default_rng(3).standard_normal(24)
    assert_agree(guarded, x, x[::-1].copy(), p)


def test_nan_stays_the_nan_it_is():
    bits = np.array([0x7FF8000000000ABC, 0xFFF8000000000123, 0x3FF0000000000000] * 7, np.uint64)
    got = np.asarray(pellucid.compile(clipped)(bits.view(np.float64), 2.0)).view(np.uint64)
    assert np.array_equal(got[bits != bits[2]], bits[bits != bits[2]]) and np.all(got[bits == bits[2]] == 1 << 62)


@pytest.mark.parametrize("chosen", blocks(0, 24, 12))
def test_random_loops(chosen):
    for seed in chosen:
        function = module_of(random_program(seed), np=np)["f"]
        compiled = pellucid.compile(function)
        for number in range(seed, seed + 3):
            assert_agree(function, *random_arguments(number), compiled=compiled)


# --- the machine code ----------------------------------------------------------------------------------------------


def stores_vectors(text, target):
    return targets.has_vectors(text, "store", target) and "masked.store" not in text


@pytest.mark.parametrize("target", targets.ALL)
def test_loops_whose_rows_may_be_one_are_vectors(target, monkeypatch):
    targets.on(monkeypatch, target)
    assert stores_vectors(llvm(shortest, "f64[n, m]"), target)
    assert targets.has_vectors(llvm(exchanged, "f64[n, m]", 0, 1), "store", target)
    assert targets.has_vectors(llvm(past, "f64[n]", 0), "store", target)


@pytest.mark.parametrize("target", targets.ALL)
def test_a_branch_around_a_store_becomes_a_choice(target, monkeypatch):
    targets.on(monkeypatch, target)
    assert stores_vectors(llvm(clipped, "f64[n]", 0.5), target)


def test_rows_that_are_always_others_need_no_test():
    program = read_loops("""
def f(x: "f64[n, m]"):
    a = empty((dim(x, 0), dim(x, 1)), "f64")
    for i in range(1, dim(x, 0), 1):
        for j in range(0, dim(x, 1), 1):
            a[i, j] = a[i - 1, j] * 0.5
    return a
""")
    assert "j.piece" not in compile_program(program).llvm_text


def chosen(body, types='x: "f64[n]", y: "f64[n]", k: "int", c: "f64"'):
    program = read_loops(f"def f({types}):\n    for j in range(0, dim(x, 0), 1):\n{body}\n    return x\n")
    functions = program.main, if_convert(program.main)
    before, after = (sum(isinstance(s, gast.If) for s in syntax.walk(f.body)) for f in functions)
    return before - after


def test_only_elements_that_were_reached_and_values_that_cannot_fail_are_chosen():
    assert chosen("        if x[j] < c:\n            x[j] = c") == 1
    assert chosen("        v = x[j]\n        if v < c:\n            x[j] = v * 2.0 - y[0] * 0.0") == 0  # y[0] may fail
    assert chosen("        if y[j] < c:\n            x[j] = c") == 0
    assert chosen("        if y[j] < c and x[j] < c:\n            x[j] = c") == 0
    assert chosen("        if x[k] < c:\n            k = k + 1\n            x[k] = c") == 0
    assert chosen("        v = x[k]\n        k = k + 1\n        if v < c:\n            x[k] = c") == 0
    assert chosen("        if x[j] < c:\n            x[j] = c\n        else:\n            x[j] = 1.0") == 0
    assert chosen("        if x[j] < c:\n            x[j] = c / x[j]") == 0
