"""Local functions and the tests of `while`: each run of a definition makes a function of its own.

Programs run as they stand and compiled; CPython says what they give.
"""

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError

from .harness.answers import agree, outcome


def sums_of(term):
    def total(n):
        return 0.0 if n <= 0 else term(n) + total(n - 1)

    return total


def chained(first, second):
    return lambda value: second(first(value))


def powers_of(factor):
    def power(n):
        return 1.0 if n <= 0 else factor * power(n - 1)

    return power


def two_of_one_definition(x, k):
    return sums_of(lambda n: n * 1.0)(k), sums_of(lambda n: n * 2.0)(k), sums_of(lambda n: n * x)(k)


def a_chain_of_one_definition(x, k):
    once = chained(np.tanh, lambda value: value + 1.0)
    return chained(once, np.exp)(x), chained(chained(once, once), once)(x)


def a_lambda_that_calls_itself(x, k):
    factorial = lambda n: 1 if n <= 0 else n * factorial(n - 1)  # noqa: E731
    return factorial(k) * x


def lambdas_that_call_each_other(x, k):
    even = lambda n: True if n == 0 else odd(n - 1)  # noqa: E731
    odd = lambda n: False if n == 0 else even(n - 1)  # noqa: E731
    return even(k), odd(k)


def a_recursion_over_two_of_one_definition(x, k):
    first, second = powers_of(x), powers_of(2.0)

    def both(n):
        return first(n) + second(n) if n < 2 else both(n - 1) * second(n)

    return first(k), second(k), both(k)


def a_call_of_itself_in_a_test(x, k):
    def count(n):
        return 0 if n <= 0 else 1 + count(n - 1)

    turns = 0
    while count(turns) < k and turns < 9:
        turns += 1
    return turns


@pytest.mark.parametrize(
    "function",
    [
        two_of_one_definition, a_chain_of_one_definition, a_lambda_that_calls_itself, lambdas_that_call_each_other,
        a_recursion_over_two_of_one_definition, a_call_of_itself_in_a_test,
    ],
)  # fmt: skip
def test_local_functions(function):
    for arguments in ((0.5, 4), (1.5, 1), (2.0, 0)):
        assert agree(outcome(pellucid.compile(function), arguments), function(*arguments)), arguments


# --- tests of `while` that work on single numbers as on arrays --------------------------------------------------------


def a_sum(x):
    turns = 0
    while turns < 5 and np.sum(x) > 0.0:
        x = x - 1.0
        turns += 1
    return x, turns


def either(x):
    turns = 0
    while np.any(x > 1.0) or turns < 2:
        x = x - np.max(x) / 2.0
        turns += 1
    return x, turns


def many(x):
    turns = 0
    while np.argmax(x) == 0 and turns < 3 and np.mean(x) < 100 and np.prod(x) > -1e9 and np.linalg.norm(x) >= 0.0:
        turns += 1
    return turns


def a_shape(x):
    turns = 0
    while turns < 3 and np.reshape(x, (1,))[0] > 0.0 and np.full(3, x)[turns] > 0:
        turns += 1
    return turns


NUMBERS = [3.5, 3, True, np.float64(3.5), np.float32(2.5), np.int64(4)]


@pytest.mark.parametrize("function", [a_sum, either, many, a_shape])
@pytest.mark.parametrize("number", NUMBERS, ids=lambda v: type(v).__name__)
def test_reductions_of_single_numbers_in_a_test(function, number):
    assert agree(outcome(pellucid.compile(function), (number,)), function(number))


def kept_in_a_branch(x, a):
    def scaled(factor):
        return lambda value: factor * value

    if a > 1.0:
        twice = scaled(2.0 * a)
    return twice(x)


def default_of_a_branch(x, a):
    if a > 1.0:
        def scaled(value, factor=2.0 * a):
            return factor * value

    return scaled(x)


def constant_of_a_branch(x, a):
    def scaled(factor):
        return lambda value: factor * value

    if a > 1.0:
        twice = scaled(2.0)
    return twice(x)


@pytest.mark.parametrize("function", [kept_in_a_branch, default_of_a_branch])
def test_a_function_of_a_branch_that_keeps_numbers_is_refused_behind_it(function):
    """What it keeps is no variable here: on the other path it would have no value."""
    with pytest.raises(CompileError, match="a function that keeps values on one path and not assigned"):
        pellucid.compile(function)(1.5, 2.5)


def test_a_function_of_a_branch_that_keeps_constants():
    compiled = pellucid.compile(constant_of_a_branch)
    assert compiled(1.5, 2.5) == constant_of_a_branch(1.5, 2.5)
    with pytest.raises(UnboundLocalError, match="twice"):
        compiled(1.5, 0.5)
