"""What `prange` and `lanes` promise: the turns of the printed loops stage in any order give what they give in theirs.

Several devices take that at its word.  Turns are shuffled in CPython, inner loops anew in each turn of outer ones; sums
of floats agree to the last digits.
"""

import numpy as np
import pytest

from pellucid.compiler import syntax
from pellucid.compiler.optimise.join_edges import join_edges
from pellucid.compiler.request import Gradient

from .harness import lowering_check
from .harness.corpus import copy_tree, programs
from .harness.draws import some
from .harness.stages import Stages, assert_same_value
from .test_kernels import KERNELS, objective

pytestmark = pytest.mark.drawn(5)

TOLERANCE = {np.float16: 1e-2, np.float32: 1e-4, np.float64: 1e-9}


def reductions(x):
    return np.sum(x, axis=0), np.max(x, axis=0), np.any(x > 1.0, axis=0), np.prod(x, axis=0), np.sum(x, axis=1)


def row_operations(x, n):
    total = np.zeros(x.shape[1])
    for k in range(n):
        y = x * k
        total = total + np.sum(y, axis=0) * np.sum(y) + np.cumsum(y, axis=0)[-1]
    return total


def over_two_axes(x):
    y = x[:, :, None] * x[:, None, :]
    return np.sum(y, axis=(0, 1)), np.sum(y, axis=(0, 2)), np.max(y, axis=1), np.var(y, axis=0)


def relaxed(x, n):
    u = x.copy()
    for _ in range(n):
        v = u.copy()
        v[1:-1, 1:-1] = 0.25 * (u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1])
        u = v
        u[0] = u[1] * 0.5
    return u


def eliminated(x, n):
    a = x.copy()
    for k in range(min(len(a), a.shape[1])):
        for i in range(k + 1, len(a)):
            for j in range(a.shape[1]):
                a[i, j] -= a[k, j] * 0.5
    return a * n


def normalised(x):
    e = np.exp(x - np.max(x, axis=0))
    return np.sum((e / np.sum(e, axis=0)) ** 2)


X = np.random.default_rng(1).uniform(0.5, 1.5, (5, 6))
OWN = {
    "reductions": (reductions, (), (X,)), "row operations": (row_operations, (), (X, 3)),
    "over two axes": (over_two_axes, (), (X,)), "relaxed": (relaxed, (), (X, 4)),
    "eliminated": (eliminated, (), (X, 2)), "normalised": (normalised, (Gradient(0),), (X,)),
}  # fmt: skip


def in_any_order(monkeypatch, function, transforms, arguments, change=lambda program: program):
    """The results with turns in order, and of the changed program with turns shuffled; how often a loop was."""
    stages = Stages(function, transforms)
    flat = stages.flatten(arguments)
    program = stages.program("loops", flat)[1]
    wanted = lowering_check.outcome(lowering_check.runnable(program), copy_tree(flat.leaves))
    program, random, shuffles = change(program), np.random.default_rng(7), []

    def shuffled(*bounds):
        turns = list(range(*bounds))
        random.shuffle(turns)
        shuffles.append(len(turns))
        return iter(turns)

    for kind in ("prange", "lanes"):
        monkeypatch.setitem(lowering_check.NAMESPACE, kind, shuffled)
    return wanted, lowering_check.outcome(lowering_check.runnable(program), copy_tree(flat.leaves)), len(shuffles)


def assert_any_order(wanted, got):
    assert got[1] is None and wanted[1] is None or type(got[1]) is type(wanted[1]), (got[1], wanted[1])
    if wanted[1] is None:
        assert_same_value(list(got[0]), list(wanted[0]), TOLERANCE)


@pytest.mark.parametrize("name", OWN)
def test_loops_that_are_marked_take_their_turns_in_any_order(name, monkeypatch):
    wanted, got, shuffles = in_any_order(monkeypatch, *OWN[name])
    assert wanted[1] is None and shuffles > 2
    assert_any_order(wanted, got)


@pytest.mark.parametrize("shape", [(5, 6), (3, 3), (2, 4), (4, 2)])
def test_a_copy_and_its_inside_are_one_nest_whose_turns_take_any_order(shape, monkeypatch):
    def moved_on(x, n):
        u = x.copy()
        for _ in range(n):
            v = u.copy()
            v[1:-1, 1:-1] = 0.25 * (u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1])
            u = v
        return u

    def joined(program):
        made = program.map(join_edges)
        before, after = ([s for s in syntax.walk(p.main.body) if hasattr(s, "iter")] for p in (program, made))
        assert len(before) == len(after) + 2
        return made

    x = np.random.default_rng(2).uniform(size=shape)
    wanted, got, _ = in_any_order(monkeypatch, moved_on, (), (x, 3), joined)
    assert_any_order(wanted, got)
    assert wanted[1] is None


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_kernels(kernel, monkeypatch):
    args = kernel.make(kernel.small, np.random.default_rng(5))
    assert_any_order(*in_any_order(monkeypatch, kernel.function, (), args)[:2])
    if kernel.wrt:
        by, rest = args[: kernel.wrt], args[kernel.wrt :]
        monkeypatch.undo()
        assert_any_order(*in_any_order(monkeypatch, objective(kernel.function), (Gradient((0,)),), (by, rest))[:2])


@pytest.mark.parametrize("program", some(programs(), 6), ids=str)
def test_programs_of_the_corpus(program, monkeypatch):
    assert_any_order(*in_any_order(monkeypatch, program.function, (), program.make_arguments(seed=3, size=5))[:2])
