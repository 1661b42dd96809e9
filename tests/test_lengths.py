"""Lengths that change: no array keeps a buffer of another length, and no two lengths pass for one.

Random programs that make arrays longer and shorter in loops and branches agree with CPython at every stage; what failed
is kept in `harness/length_programs.py`, one program for each way in which two lengths were taken for one.
"""

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError

from .harness import length_programs
from .harness.random_lengths import function_of, random_arguments, random_program
from .harness.stages import STAGES, Stages, assert_same, in_python, module_of

pytestmark = pytest.mark.drawn(5)


def agree(function, *args):
    want, stages = in_python(function, *args), Stages(function)
    for stage in STAGES:
        assert_same(stages.run(stage, *args), want)


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_agree(seed):
    stages = Stages(function_of(seed))
    for args in map(random_arguments, (seed, seed + 1)):
        want = in_python(stages.function, *args)
        for stage in STAGES:
            try:
                assert_same(stages.run(stage, *args), want)
            except CompileError as refused:
                # a list whose items are of one length that is a number does not take others
                assert {d.code for d in refused.diagnostics} == {"T002"}, random_program(seed)


@pytest.mark.parametrize("function", length_programs.CARRIED, ids=lambda f: f.__name__)
def test_a_carried_array_may_get_another_length(function):
    for n, m in ((5, 2), (2, 5), (60, 3), (3, 3)):
        agree(function, np.arange(1.0, n + 1), np.arange(2.0, m + 2))


@pytest.mark.parametrize("function", length_programs.DIFFERENT, ids=lambda f: f.__name__)
def test_two_lengths_are_not_one(function):
    agree(function, np.arange(5.0), np.arange(2.0))


# --- lengths that turn out negative ---------------------------------------------------------------------------------

MAKERS = ["np.zeros(n - 1)", "np.ones(n - 1)", "np.empty(n - 1)", "np.full(n - 1, 2.0)", "np.zeros((2, n - 1))[0]",
          "np.zeros((n - 1, 2))[:, 0]", "np.eye(n - 1).sum(0)", "np.zeros(len(x) - 1)"]  # fmt: skip
USES = {
    "returned": "return y",
    "filled": "for i in range(len(y)):\n        y[i] = x[i]\n    return y",
    "in part": "for i in range(1, len(y)):\n        y[i] = x[i]\n    return y",
    "by a slice": "y[1:] = x[1:-1]\n    return y",
    "read": "return np.sum(y * 2.0)",
    "never read": "for i in range(len(y)):\n        y[i] = 1.0\n    return x",
    "measured": "return len(y)",
    "carried": "for i in range(3):\n        y = y + 1.0\n    return y",
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("maker", MAKERS)
def test_no_array_has_a_negative_length(maker, use):
    text = f"import numpy as np\n\n\ndef program(x):\n    n = x.shape[0]\n    y = {maker}\n    {USES[use]}\n"
    program = module_of(text)["program"]
    assert "negative dimensions" in str(in_python(program, np.zeros(0)))
    agree(program, np.zeros(0))
    if "empty" not in maker or use in ("filled", "never read", "measured"):
        for n in (1, 4):
            agree(program, np.arange(1.0, n + 1.0))


# --- lengths that are computed from numbers which share a name with others -------------------------------------------


def counted_again(x, n):
    total = 0.0
    for k in range(n):
        total += np.sum(np.repeat(x[:k], n) ** 2)
    for n in range(3):
        total += n * np.sum(np.tile(x, (1, 3)) ** 2)
    return total


def longer_each_time(x, n):
    while n > 1:
        x = np.repeat(np.sin(x), n)
        n = n - 1
    return np.sum(x**3)


def a_number_for_two_lengths(x, n):
    y = np.repeat(x, n)
    n = len(y) - n
    z = np.repeat(x * x, n)
    for n in range(2):
        z = z * np.tile(x, len(z) // len(x)) + n
    return np.sum(y**2) + np.sum(z**2)


@pytest.mark.parametrize("function", [counted_again, longer_each_time, a_number_for_two_lengths])
def test_a_number_that_is_a_length_may_share_its_name(function):
    x, step = np.linspace(0.3, 1.2, 4), 1e-6
    want = [(function(x + e, 3) - function(x - e, 3)) / (2.0 * step) for e in step * np.eye(4)]
    np.testing.assert_allclose(pellucid.grad(function)(x, 3), want, rtol=1e-6)
    np.testing.assert_allclose(pellucid.jacfwd(function)(x, 3), want, rtol=1e-6)
    rows = pellucid.vmap(pellucid.grad(function), in_axes=(0, None))(np.stack((x, 2.0 * x)), 3)
    np.testing.assert_allclose(rows[0], want, rtol=1e-6)
