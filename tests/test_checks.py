"""Bounds that are tested once for a loop: the same values and the same errors as with a test for each element."""

import numpy as np
import pytest

import pellucid
from tests.harness import targets
from tests.harness.stages import STAGES, Stages, assert_same, attempt, in_python


def shifted(x, start, stop, shift):
    total = 0.0
    for j in range(start, stop):
        total = 2.0 * total + x[j + shift]
    return total


def backward(x, start, stop, shift):
    total = 0.0
    for j in range(start, stop, -1):
        total = 2.0 * total + x[j - shift]
    return total


def by_twos(x, start, stop, shift):
    total = 0.0
    for j in range(start, stop, 2):
        total = 2.0 * total + x[j + shift]
    return total


def fixed(x, start, stop, shift):
    total = 0.0
    for j in range(start, stop):
        total += x[shift] * float(j) + x[2]
    return total


def stored(x, start, stop, shift):
    y = np.zeros(6)
    for j in range(start, stop):
        y[j] = x[j + shift] + 1.0
    return y


def moving(x, start, stop, shift):
    total = 0.0
    for j in range(start, stop):
        shift = shift - 1
        total = 2.0 * total + x[j + shift]
    return total


def growing(x, start, stop, shift):
    y = np.zeros(2)
    total = 0.0
    for j in range(start, stop):
        total += y[j + shift]
        y = np.concatenate((y, x))
    return total


def nested(x, start, stop, shift):
    y = np.zeros((5, 4))
    for i in range(start, stop):
        for j in range(shift, stop):
            y[i, j] = x[i] + x[j - 1] + x[shift]
    return y


def plainly(function):
    """Results as NumPy's arrays."""
    return lambda *args: np.asarray(found) if isinstance(found := function(*args), pellucid.Array) else found


PROGRAMS = (shifted, backward, by_twos, fixed, stored, moving, growing, nested)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_errors_are_those_of_each_element(function):
    compiled = plainly(pellucid.compile(function))
    x = np.arange(5.0)
    for start in (-7, -3, 0, 1, 4, 6):
        for stop in (-6, -1, 0, 2, 5, 8):
            for shift in (-6, -1, 0, 1, 3, 5):
                arguments = (x, start, stop, shift)
                assert_same(attempt(compiled, *arguments), attempt(function, *arguments))


@pytest.mark.parametrize("function", [shifted, backward, stored], ids=lambda f: f.__name__)
def test_the_ends_of_64_bits_do_not_wrap(function):
    compiled = plainly(pellucid.compile(function))
    x = np.arange(5.0)
    low, high = -(2**63), 2**63 - 1
    for start, stop, shift in ((high - 2, high, 3), (low, low + 2, -3), (low + 3, low + 1, high), (0, 2, high)):
        got, wanted = attempt(compiled, x, start, stop, shift), attempt(function, x, start, stop, shift)
        if isinstance(got.error, OverflowError):  # compiled ints have 64 bits
            continue
        assert_same(got, wanted)


def shares(n):
    y = np.zeros(n)
    for i in range(n):
        y[i] = (i - 2.0) / n + 1.0 / (i + 1)
    return y


def counted_from(start, n):
    y = np.zeros(n)
    for i in range(start, start + n):
        y[i - start] = 1.0 / i + 7 // i + 7 % i + 2.5 % i
    return y


@pytest.mark.parametrize("start", [-7, -4, -1, 0, 1, 5])
def test_a_division_by_zero_is_found_where_python_finds_it(start):
    compiled = plainly(pellucid.compile(counted_from))
    assert_same(attempt(compiled, start, 5), attempt(counted_from, start, 5))


@pytest.mark.parametrize("target", targets.ALL)
def test_division_by_the_length_of_a_loop_has_vector_instructions(target, monkeypatch):
    targets.on(monkeypatch, target)
    assert targets.has_vectors(pellucid.compile(shares, parallel=False).source("llvm", "int"), "fdiv", target)


def row_steps(matrix):
    a = matrix.copy()
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                a[i, j] -= 0.5 * a[k, j]
    return a


def test_a_loop_whose_length_is_that_of_another_axis():
    compiled = pellucid.compile(row_steps, parallel=False)
    matrix = np.random.default_rng(0).random((9, 9))
    np.testing.assert_allclose(np.asarray(compiled(matrix)), row_steps(matrix), rtol=1e-13)


@pytest.mark.parametrize("target", targets.ALL)
def test_a_loop_whose_length_is_that_of_another_axis_has_vector_instructions(target, monkeypatch):
    targets.on(monkeypatch, target)
    text = pellucid.compile(row_steps, parallel=False).source("llvm", "f64[n, m]")
    assert targets.has_vectors(text, "fsub", target)


def test_too_few_columns_raise_where_python_does():
    compiled = pellucid.compile(row_steps)
    matrix = np.ones((4, 3))
    with pytest.raises(IndexError) as expected:
        row_steps(matrix)
    with pytest.raises(IndexError) as found:
        compiled(matrix)
    assert str(found.value) == str(expected.value)


def pairs(x):
    energy = 0.0
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            apart = x[i] - x[j]
            energy += 1.0 / (apart * apart)
    return energy


def test_slopes_that_stay_are_told_from_those_that_move():
    """In the derivative `x_bar[i]` stays where it is and `x_bar[j]` moves past it: it may live in a register."""
    x = np.array([0.0, 1.0, 2.5, 4.5])
    slope = pellucid.grad(pairs)
    assert "noalias.scope.decl" in slope.source("llvm", x)
    step = 1e-6 * np.eye(4)
    expected = [(pairs(x + s) - pairs(x - s)) / 2e-6 for s in step]
    np.testing.assert_allclose(np.asarray(slope(x)), expected, rtol=1e-6)


def counted_in_floats(k):
    found = []
    for i in range(k):
        found += [i - 1.0 + 1.0]
        found[0] = 1.0
    return found


def counted_in_bools(x):
    total = 0
    for i in range(len(x)):
        some = bool(i)
        total += x[some + 1 - 1] * i
    return total


@pytest.mark.parametrize("function, args", [
    (counted_in_floats, (3,)), (counted_in_bools, (np.arange(4.0),)), (counted_in_bools, (np.arange(1.0),)),
])  # fmt: skip
def test_what_is_made_of_a_counter_and_is_no_int(function, args):
    """The range of a counter says nothing of a float, nor of a bool, that is made of it."""
    stages = Stages(function)
    for stage in STAGES[1:]:
        assert_same(stages.run(stage, *args), in_python(function, *args))
