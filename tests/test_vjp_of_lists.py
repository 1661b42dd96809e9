"""`vjp` of functions that return lists that grow: the cotangent has the structure of the list."""

import pickle

import numpy as np
import pytest

from pellucid import GradientError, compile, grad, linearize, vjp

pytestmark = pytest.mark.drawn(5)

X = np.array([0.5, 1.5, 2.0])


def numbers(x):
    out = []
    for i in range(x.shape[0]):
        if x[i] > 1.0:
            out.append(x[i] ** 2 * (i + 1.0))
    return out


def of_a_while(x):
    t, out = x[0], [x[0]]
    while t < 30.0:
        t = t * 1.5 + x[1]
        out.append(t)
    return out


def arrays(x):
    out = []
    for i in range(x.shape[0]):
        out.append(np.sin(x[i:]) * x[i])
    return out


def matrices(x):
    out = []
    for i in range(x.shape[0]):
        out.append(np.outer(x[i:], x))
    return out


def pairs(x):
    out = []
    for i in range(x.shape[0]):
        out.append((x[i] ** 2, i))
    return out


def lists(x):
    out = []
    for i in range(x.shape[0]):
        row = []
        for j in range(i + 1):
            row.append((x[i] * x[j], j))
        out.append(row)
    return out


def in_a_tuple(x):
    return np.sum(x), numbers(x)


def in_a_dict(x):
    return {"a": x**2, "b": numbers(x), "c": arrays(x)}


def two(x):
    few, many = [], []
    for i in range(x.shape[0]):
        many.append(x[i] ** 2)
        if x[i] > 1.0:
            few.append(x[i] ** 3)
    return many, few


def singles(x):
    out = []
    for i in range(x.shape[0]):
        out.append(np.float32(x[i]) * np.float32(2.0))
    return out


def cosines(value):
    """A cotangent like the value: the cosine of each float, None for each int."""
    if isinstance(value, list | tuple):
        return type(value)(map(cosines, value))
    if isinstance(value, dict):
        return {key: cosines(part) for key, part in value.items()}
    return None if isinstance(value, int | np.integer) else np.cos(value)


def dot(bar, value):
    if isinstance(value, list | tuple):
        return sum(map(dot, bar, value))
    if isinstance(value, dict):
        return sum(dot(bar[key], value[key]) for key in value)
    return 0.0 if bar is None else float(np.sum(bar * value))


def differences(value):
    return [(value(X + 1e-6 * e) - value(X - 1e-6 * e)) / 2e-6 for e in np.eye(3)]


FUNCTIONS = (numbers, of_a_while, arrays, matrices, pairs, lists, in_a_tuple, in_a_dict, two)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_it_is_pulled_back(f):
    bar = cosines(f(X))
    out, pullback = vjp(f, X)
    assert dot(bar, out) == pytest.approx(dot(bar, f(X)), rel=1e-14)
    want = differences(lambda x: dot(bar, f(x)))
    for _ in range(3):
        np.testing.assert_allclose(pullback(bar)[0], want, rtol=1e-7, atol=1e-7)


def test_of_single_precision():
    out, pullback = vjp(singles, X)
    np.testing.assert_array_equal(pullback([np.float32(v) for v in out])[0], 4.0 * X)
    np.testing.assert_array_equal(pullback([1.0, 0.5, 0.0])[0], [2.0, 1.0, 0.0])


def of_numbers(x):
    out, pullback = vjp(numbers, x)
    return np.sum(pullback([np.cos(v) for v in out])[0] ** 2)


def of_arrays(x):
    out, pullback = vjp(arrays, x)
    return np.sum(pullback(out)[0] ** 2)


def of_arrays_that_are_known(x):
    _, pullback = vjp(arrays, x)
    return np.sum(pullback([x, x[1:], 2.0 * x[2:]])[0] ** 2)


def of_pairs(x):
    out, pullback = vjp(pairs, x)
    return np.sum(pullback([(np.cos(v), None) for v, _ in out])[0] ** 2)


def of_lists(x):
    out, pullback = vjp(lists, x)
    return np.sum(pullback([[(np.cos(v), None) for v, _ in row] for row in out])[0] ** 2)


@pytest.mark.parametrize(
    "f", [of_numbers, of_arrays, of_arrays_that_are_known, of_pairs, of_lists], ids=lambda f: f.__name__
)
def test_inside_a_compiled_function_and_again(f):
    assert compile(f)(X) == pytest.approx(f(X), rel=1e-12)
    np.testing.assert_allclose(grad(f)(X), differences(f), rtol=1e-6, atol=1e-6)


def test_a_list_without_items():
    np.testing.assert_array_equal(vjp(numbers, X - 5.0)[1]([])[0], np.zeros(3))
    np.testing.assert_array_equal(vjp(arrays, X[:0])[1]([])[0], np.zeros(0))


def ints(x):
    out = []
    for i in range(x.shape[0]):
        out.append(i)
    return 2.0 * x, out


def test_a_list_of_ints_has_none():
    for none in (None, [None] * 3):
        np.testing.assert_array_equal(vjp(ints, X)[1]((X, none))[0], 2.0 * X)
    with pytest.raises(GradientError, match="is no float: its cotangent is None"):
        vjp(ints, X)[1]((X, [1.0, 2.0, 3.0]))


def test_pickles():
    for f in (numbers, arrays):
        out, pullback = vjp(f, X)
        again = pickle.loads(pickle.dumps(pullback))
        np.testing.assert_array_equal(again(cosines(out))[0], pullback(cosines(out))[0])


@pytest.mark.parametrize(("f", "bar"), [
    (numbers, [1.0]), (numbers, [1.0, 2.0, 3.0]), (arrays, [X, X[1:]]), (arrays, [X, X[1:], X]),
    (arrays, [X[:2], X[:2], X[:2]]), (matrices, [np.ones((3, 3)), np.ones((3, 2)), np.ones((1, 3))]),
    (pairs, [(1.0, None)] * 2), (lists, [[(1.0, None)]] * 3),
])  # fmt: skip
def test_other_lengths_are_an_error(f, bar):
    with pytest.raises(ValueError, match="cotangent of `out` has .* `out` has"):
        vjp(f, X)[1](bar)


@pytest.mark.parametrize(("f", "bar"), [
    (numbers, (1.0, 2.0)), (numbers, None), (numbers, X[1:]), (numbers, [1.0, None]), (numbers, [1.0, 2]),
    (numbers, [1.0, 1j]), (arrays, [1.0, 1.0, 1.0]), (arrays, [X, X[1:], np.ones((1, 1))]), (pairs, [1.0, 1.0, 1.0]),
    (pairs, [(1.0, 1)] * 3), (pairs, [(1.0, None), (1.0, None), (1.0,)]), (lists, [(1.0, None)] * 3),
    (lists, [[(1.0, None)], [1.0, 2.0], []]), (in_a_dict, {"a": X, "b": [1.0, 2.0]}), (numbers, {"a": 1.0}),
])  # fmt: skip
def test_another_structure_is_an_error(f, bar):
    with pytest.raises(GradientError) as caught:
        vjp(f, X)[1](bar)
    assert caught.value.diagnostics[0].code == "G007"


def test_what_is_made_of_its_pullback_is_refused():
    with pytest.raises(GradientError, match="its pullback is called, not transformed"):
        linearize(numbers, X)
