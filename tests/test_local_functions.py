"""Local functions and the tests of `while`: each run of a definition makes a function of its own.

Programs run as they stand and compiled; CPython says what they give.
"""

import functools

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError

from .harness.answers import agree, outcome

pytestmark = pytest.mark.drawn(5)


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


# --- pullbacks, linear parts and functions in containers --------------------------------------------------------------


def scaled_sine(x):
    return lambda z: np.sin(z) * x


def pushed_twice(x):
    out, push = pellucid.linearize(scaled_sine(x), x)
    return push(out) + push(x)


def rows_of_pullback(x):
    _, back = pellucid.vjp(lambda z: np.sin(z) * x, x)
    return np.sum(pellucid.vmap(back)(np.eye(3))[0], axis=0)


def jacobian_of_push(x):
    _, push = pellucid.linearize(lambda z, w: np.sin(z) * x * w, x, 2.0)
    return np.diag(pellucid.jacrev(lambda u: push(u, 0.0))(x))


def called_by(function, z):
    return function(z) * z


def in_a_partial(x):
    given = functools.partial(called_by, lambda z: z * x[0])
    return pellucid.jvp(given, (x,), (x,))[1] + pellucid.grad(lambda z: np.sum(given(z)))(x)


def in_a_list(x):
    functions = [lambda z: z * x[0], (lambda z: np.sin(z) * x, 2.0)]
    return pellucid.jvp(lambda z: functions[0](z) + functions[1][0](z) * functions[1][1], (x,), (x,))[1]


@pytest.mark.parametrize(("function", "told"), [
    (pushed_twice, lambda x: np.cos(x) * x * (np.sin(x) * x + x)),
    (rows_of_pullback, lambda x: np.cos(x) * x),
    (jacobian_of_push, lambda x: 2.0 * np.cos(x) * x),
    (in_a_partial, lambda x: 2.0 * x * x[0] * x + 2.0 * x * x[0]),
    (in_a_list, lambda x: x * x[0] + 2.0 * np.cos(x) * x * x),
])  # fmt: skip
def test_functions_are_values(function, told):
    x = np.array([0.3, 0.7, 1.1])
    np.testing.assert_allclose(pellucid.compile(function)(x), told(x), rtol=1e-12)


def chosen_by_the_run(x, flag):
    def one(z):
        return np.sin(z) * x

    def other(z):
        return np.cos(z) * x

    function = one if flag else other
    return function(x)


def either_pullback(x, flag):
    if flag:
        _, back = pellucid.vjp(lambda z: z * z, x)
    else:
        _, back = pellucid.vjp(lambda z: np.sin(z), x)
    return back(x)[0]


def a_pullback_leaves(x, flag):
    return pellucid.vjp(lambda z: z * x, x)[1]


@pytest.mark.parametrize(("function", "message"), [
    (chosen_by_the_run, "which of two functions it is, is only known at run time"),
    (either_pullback, "what is called is function on one path and function on another"),
    (a_pullback_leaves, "let it be a function outside, whose pullbacks can be returned"),
])  # fmt: skip
def test_functions_that_only_the_run_knows(function, message):
    with pytest.raises(pellucid.CompileError, match=message):
        pellucid.compile(function)(0.5, True)
