"""The two halves of a derivative: together they are the derivative in one piece, and the second may be asked again."""

import numpy as np
import pytest

import pellucid
from pellucid.compiler import types
from pellucid.compiler.frontend.specialise.derivatives.rules import expand
from pellucid.compiler.languages import verifier
from pellucid.compiler.program import Program
from pellucid.compiler.transform.copies import with_copies
from pellucid.compiler.transform.reverse.forward_and_pullback import Output, split_derivative
from pellucid.compiler.transform.reverse.reverse import reverse
from tests.harness.call_form import own, run
from tests.harness.derivative_programs import PROGRAMS
from tests.harness.random_derivatives import random_program
from tests.harness.typed_text import read_program
from tests.test_reverse import random_arguments


def floats(program):
    function = program.main
    return [p for p in function.parameters if types.is_floating(function.types[p])]


def checked(program):
    for function in program.functions.values():
        faults = [fault for fault in verifier.verify(function, "single")]
        assert not faults, faults
    return program.map(with_copies)


def both(program):
    """The places of the results with cotangents, and both halves as functions of CPython."""
    places = [k for k, found in enumerate(program.main.results) if types.is_floating(found)]
    made = split_derivative(program, floats(program), [Output(k, f"out[{k}]") for k in places], expand)
    whole = checked(made.program)
    return places, run(whole), run(Program(made.pullback, whole.functions))


def assert_halves(program, arguments, seed):
    """Both halves against one piece, twice, with cotangents that are left as they are."""
    places, forward, pullback = both(program)
    one_piece = run(checked(reverse(program, floats(program), outputs=places, seeded=True, specialiser=expand)))
    function = run(program)
    given = own(arguments)
    with np.errstate(all="ignore"):
        found = list(forward(*given))
        values = function(*own(arguments))
    residuals = found[len(values) :]
    kept = own(residuals)
    for value, want in zip(found, values):
        np.testing.assert_array_equal(value, want)
    draw = np.random.default_rng(seed)
    for _ in range(2):
        bars = [cotangent(draw, values[k]) for k in places]
        with np.errstate(all="ignore"):
            got, want = pullback(*residuals, *own(bars)), one_piece(*own(arguments), *own(bars))
        assert len(got) == len(want)
        for mine, theirs in zip(got, want):
            assert type(mine) is type(theirs)
            np.testing.assert_array_equal(mine, theirs)
        assert_apart([array for array in (*got, *bars, *kept) if isinstance(array, np.ndarray)])
        for residual, before in zip(residuals, kept):
            np.testing.assert_array_equal(residual, before)


def cotangent(draw, value):
    made = draw.standard_normal(np.shape(value))
    return float(made) if type(value) is float else made.astype(np.asarray(value).dtype)[()]


def assert_apart(arrays):
    """No two arrays share memory."""
    for k, one in enumerate(arrays):
        assert not any(np.shares_memory(one, other) for other in arrays[:k])


NAMES = sorted(PROGRAMS)


@pytest.mark.parametrize("name", NAMES[::5])
def test_both_halves_are_the_derivative(name):
    hold(name)


@pytest.mark.long
def test_both_halves_of_every_program():
    for name in NAMES:
        hold(name)


def hold(name):
    text, make, _ = PROGRAMS[name]
    program = read_program(text)
    assert_halves(program, make(np.random.default_rng(1)), 1)


@pytest.mark.parametrize("seed", range(200, 206))
def test_both_halves_of_random_programs(seed):
    program = read_program(random_program(seed)).map(with_copies)
    assert_halves(program, random_arguments(seed), seed)


def test_items_kept_between_the_halves_have_lengths_of_their_own():
    def shrinking(x):
        y = x
        while len(y) > 1:
            y = y[:-1] * y[0]
        return y[0]

    def squares(x):
        y = np.outer(x, x)
        while y.shape[0] > 1:
            y = (y @ y.T)[:-1, 1:]
        return y.ravel() * x[1]

    x = np.array([0.3, 0.5, -0.7, 0.2])
    for function in (shrinking, squares):
        np.testing.assert_allclose(pellucid.jacrev(function)(x), pellucid.jacfwd(function)(x), rtol=1e-13, atol=1e-16)


def stacked_rows(x, k):
    n = len(x)
    rows = x.reshape((n // k, k))
    s = rows
    for _ in range(3):
        s = s + np.stack([rows[:, 1] * s[:, 0], s[:, 1]], axis=1)
    return s


def stacked_onto_nothing(x, k):
    cells = x.reshape((2, len(x) // (2 * k), k))
    s = np.zeros_like(cells)
    for i in range(3):
        s = s + np.stack([cells[:, :, 1], s[:, :, 0] * s[:, :, 1] + i * cells[:, :, 0]], axis=2)
    return s


def summed_and_stacked(x, k):
    s = x.reshape((2, len(x) // (2 * k), k))
    for _ in range(4):
        s = s + np.stack([np.sum(s, axis=2)] * 2, axis=2) * 0.1
    return s


def reshaped_apart(x, k):
    n = len(x)
    rows = x.reshape((n // (2 * k), 2, k))
    s = x.reshape((2, n // (2 * k), k))
    for _ in range(3):
        s = s + np.stack([rows[:, 0] * s[0], rows[:, 1]], axis=0)
    return s


def longer_stacks(x, k):
    s = x.reshape((len(x) // k, k))
    m = len(s)
    for _ in range(3):
        m = m + len(s)
        s = np.vstack([s, s[:1] * s[1:2]])
    return s * len(s) + m


@pytest.mark.parametrize(
    "function", [stacked_rows, stacked_onto_nothing, summed_and_stacked, reshaped_apart, longer_stacks]
)
def test_lengths_that_are_computed_are_one_length_in_both_halves(function):
    x = np.linspace(0.1, 0.9, 8)
    value, pullback = pellucid.vjp(function, x, 2)
    want = function(x, 2)
    np.testing.assert_allclose(value, want, rtol=1e-14)
    weights = np.cos(np.arange(want.size)).reshape(want.shape)
    step = 1e-6 * np.eye(len(x))
    changes = [np.sum(weights * (function(x + dx, 2) - function(x - dx, 2))) / 2e-6 for dx in step]
    np.testing.assert_allclose(pullback(weights)[0], changes, rtol=1e-7, atol=1e-8)
