"""Recursive functions, of which several call each other: values, dtypes and derivatives are CPython's."""

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError
from tests.harness.stages import STAGES, Stages, assert_same, in_python


def wider(count):
    return True if count == 0 else np.abs(through(1.0))


def through(count):
    return wider(count)


def halved(n, x):
    if n == 0:
        return x
    return steps_down(n - 1, x)


def steps_down(n, x):
    return halved(n, x * 0.5)


def first(n, x):
    if n < 0:
        return 1
    return second(n - 1, x)


def second(n, x):
    return third(n - 1, x) + 1


def third(n, x):
    if n > 7:
        return second(n - 2, x)
    return first(n - 1, x) * x


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


def sum_of_halves(x):
    if len(x) < 2:
        return 3
    return sum_of_rest(x[: len(x) // 2]) + sum_of_rest(x[len(x) // 2 :])


def sum_of_rest(x):
    return sum_of_halves(x) + np.sum(x)


CALLS = [
    (wider, (0,)), (through, (0,)), (halved, (5, 1.5)), (steps_down, (5, 1.5)), (first, (6, 2.5)), (second, (9, 2.5)),
    (third, (12, 2.5)), (third, (12, 2)), (even, (5,)), (odd, (5,)), (sum_of_halves, (np.arange(7.0),)),
    (sum_of_rest, (np.arange(5),)),
]  # fmt: skip


@pytest.mark.parametrize("function, args", CALLS)
def test_functions_that_call_each_other(function, args):
    """The result of each depends on the other's, which is found in rounds: the last one holds for all of them."""
    stages, want = Stages(function), in_python(function, *args)
    for stage in STAGES[1:]:
        assert_same(stages.run(stage, *args), want)


def test_slopes_through_functions_that_call_each_other():
    assert pellucid.grad(halved, 1)(3, 2.0) == 0.125
    step = 1e-6
    difference = (second(9, 2.5 + step) - second(9, 2.5 - step)) / (2 * step)
    np.testing.assert_allclose(pellucid.grad(second, 1)(9, 2.5), difference, rtol=1e-6)


def parts_of_itself(x):
    if x > 2.0:
        return (2.0, 3.0)
    last, before = parts_of_itself(x + 1.0)
    return (before, last)


def nested_in_itself(x):
    if x > 2.0:
        return (2.0, (x, 1.0))
    last, (before, first) = nested_in_itself(x + 1.0)
    return (before, (last, first))


@pytest.mark.parametrize("function", [parts_of_itself, nested_in_itself])
def test_results_made_of_parts_of_the_result(function):
    """What a function may return is found in rounds, which have to end."""
    assert pellucid.compile(function)(0.5) == function(0.5)


def endless(n):
    return endless_too(n + 1)


def endless_too(n):
    return endless(n + 1)


@pytest.mark.parametrize("function", [endless, endless_too])
def test_what_never_returns_is_refused(function):
    with pytest.raises(CompileError, match="calls it again or raises: it never returns"):
        pellucid.compile(function)(1)
