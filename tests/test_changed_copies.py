"""`x.at[index].set(value)` and its kin inside compiled functions: what `Array.at` gives, under every transformation."""

import re
from typing import NamedTuple

import numpy as np
import pytest

from pellucid import Array, CompileError, compile, grad, jacfwd, vmap

RANDOM = np.random.default_rng(0)
MATRIX, VECTOR, INTS = RANDOM.normal(size=(5, 3)), RANDOM.normal(size=5), np.array([5, 2, 9])
PLACES, BOTH, OUTSIDE = np.array([1, 1, 4]), np.array([[0, 1], [1, 1]]), np.array([0, -1, 8, -6, 0])

PROGRAMS = {
    "slice": (lambda x: x.at[1:3].set(0.0), MATRIX),
    "step": (lambda x: x.at[::2, 1].multiply(3.0), MATRIX),
    "twice": (lambda x, i: x.at[i].add(1.5), MATRIX, PLACES),
    "rows": (lambda x, i, r: x.at[i].add(r), MATRIX, PLACES, RANDOM.normal(size=(3, 3))),
    "matrix of places": (lambda x, j: x.at[j].add(1.0), VECTOR, BOTH),
    "values for places": (lambda x, j, r: x.at[j].max(r), VECTOR, BOTH, RANDOM.normal(size=(2, 2))),
    "two arrays": (lambda x, i, j: x.at[i, j].add(2.0), MATRIX, PLACES, np.array([0, 0, 2])),
    "array and number": (lambda x, i: x.at[i, 1].min(-9.0), MATRIX, PLACES),
    "mask": (lambda x, m: x.at[m].set(0.0), VECTOR, VECTOR > 0),
    "mask divided": (lambda x, m: x.at[m].divide(2.0), VECTOR, VECTOR > 0),
    "row": (lambda x: x.at[0].set(np.arange(3.0)), MATRIX),
    "dots": (lambda x: x.at[-1, ...].power(2.0), MATRIX),
    "new axis": (lambda x: x.at[:, None, 0].get(), MATRIX),
    "apply": (lambda x: x.at[1].apply(np.sin), MATRIX),
    "fill": (lambda x, i: x.at[i].get(mode="fill", fill_value=7.0), VECTOR, OUTSIDE),
    "fill with nan": (lambda x, i: x.at[i].get(mode="fill"), MATRIX, OUTSIDE),
    "fill ints": (lambda x, i: x.at[i].get(mode="fill"), INTS, OUTSIDE),
    "fill bytes": (lambda x, i: x.at[i].get(mode="fill"), INTS.astype(np.uint8), OUTSIDE),
    "clip": (lambda x, i: x.at[i].get(mode="clip"), VECTOR, OUTSIDE),
    "clip twice": (lambda x, i: x.at[i].mul(2.0, mode="clip"), MATRIX, OUTSIDE),
    "drop": (lambda x, i: x.at[i].add(1.0, mode="drop"), VECTOR, OUTSIDE),
    "drop values": (lambda x, i: x.at[i].set(np.arange(5.0), mode="drop"), VECTOR, OUTSIDE),
    "one outside": (lambda x, i: x.at[i].set(8.0, mode="drop"), VECTOR, 7),
    "mode of a slice": (lambda x: x.at[3:9].set(1.0, mode="drop"), VECTOR),
    "sorted": (lambda x, i: x.at[i].set(1.0, indices_are_sorted=True, unique_indices=False), VECTOR, PLACES),
    "number in ints": (lambda x: x.at[0].set(2.7), INTS),
    "tuple": (lambda x: x.at[(0, 1)].set(9.0), MATRIX),
    "list": (lambda x: x.at[[0, 2]].set(9.0), VECTOR),
    "array beside a slice": (lambda x, i: x.at[:, i].set(1.0), MATRIX, PLACES[:2]),
    "held tuple": (lambda x, ij: x.at[ij].add(1.0), MATRIX, (0, 1)),
    "held tuple of arrays": (lambda x, ij: x.at[ij].add(1.0), MATRIX, (PLACES, np.array([0, 0, 2]))),
    "held tuple, clipped": (lambda x, ij: x.at[ij].get(mode="clip"), MATRIX, (OUTSIDE, np.array([0, 1, 2, 9, -9]))),
    "held tuple, dropped": (lambda x, ij: x.at[ij].add(1.0, mode="drop"), MATRIX, (0, 7)),
    "held slice": (lambda x: x.at[np.s_[1:3, 0]].add(1.0), MATRIX),
    "again": (lambda x, y: x.at[1:3].add(y).at[0].set(y[0]), VECTOR, RANDOM.normal(size=2)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_compiled_code_gives_what_the_method_gives(name):
    function, first, *rest = PROGRAMS[name]
    kept = first.copy()
    expected, found = function(Array(first), *rest), compile(function)(first, *rest)
    np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(first, kept)


REAL = [name for name in PROGRAMS if PROGRAMS[name][1].dtype == np.float64 and name != "fill with nan"]


@pytest.mark.parametrize("name", REAL)
def test_slopes_agree_with_differences(name):
    function, first, *rest = PROGRAMS[name]

    def total(x, *rest):
        return np.sum(np.sin(function(x, *rest)) * 2.0)

    slope, step = np.asarray(grad(total)(first, *rest)), 1e-6
    tangent = np.cos(np.arange(first.size)).reshape(first.shape)
    value = [float(np.sum(np.sin(np.asarray(function(Array(x), *rest))) * 2.0)) for x in
             (first + step * tangent, first - step * tangent)]  # fmt: skip
    difference = (value[0] - value[1]) / (2 * step)
    assert np.sum(slope * tangent) == pytest.approx(difference, abs=1e-6)
    np.testing.assert_allclose(jacfwd(total)(first, *rest), slope, atol=1e-12)


def test_each_example_has_places_of_its_own():
    found = vmap(lambda v, i, r: v.at[i].add(r))(MATRIX, np.array([0, 1, 2, 1, 0]), VECTOR)
    expected = MATRIX.copy()
    expected[np.arange(5), [0, 1, 2, 1, 0]] += VECTOR
    np.testing.assert_array_equal(np.asarray(found), expected)


def test_a_loop_carries_changed_copies():
    @compile
    def walk(x, n):
        for k in range(n):
            x = x.at[k].set(x[k - 1] + 1.0).at[k + 1].add(0.5)
        return x

    expected = VECTOR.copy()
    for k in range(4):
        expected[k] = expected[k - 1] + 1.0
        expected[k + 1] += 0.5
    np.testing.assert_array_equal(np.asarray(walk(VECTOR, 4)), expected)


def test_what_it_is_read_from_stays_apart():
    @compile
    def both(x):
        part = x.at[1:3].get()
        part[0] = 7.0
        return x, part

    kept, part = both(VECTOR)
    np.testing.assert_array_equal(np.asarray(kept), VECTOR)
    assert part[0] == 7.0


def test_a_field_named_at_is_the_users():
    class Reading(NamedTuple):
        at: dict

    @compile
    def of(r):
        return r.at["x"].sum()

    assert of(Reading({"x": VECTOR})) == pytest.approx(VECTOR.sum())


@pytest.mark.parametrize("function, arguments, words", [
    (lambda x: x.at[0].add(0.5), (INTS,), "cannot take"),
    (lambda x, i: x.at[i].add(0.5), (INTS, PLACES[:1]), "cannot take"),
    (lambda x: x.at[9].set(1.0), (VECTOR,), "index 9 is out of bounds for axis 0 with size 5"),
    (lambda x, i: x.at[i].add(1.0), (VECTOR, np.array([9])), "index 9 is out of bounds for axis 0 with size 5"),
    (lambda x, i: x.at[:, i].add(1.0), (MATRIX, PLACES[:2]), "arrays and slices together"),
    (lambda x, i: x.at[i].set(1.0, mode="bogus"), (VECTOR, PLACES), "'clip', 'drop', 'fill'"),
    (lambda x: x.at[0].set(), (VECTOR,), "takes one value"),
    (lambda x: x.at[0].add(1.0, by=2.0), (VECTOR,), "has no argument `by`"),
])  # fmt: skip
def test_what_cannot_be_is_said(function, arguments, words):
    with pytest.raises((TypeError, IndexError, ValueError, CompileError), match=re.escape(words)):
        compile(function)(*arguments)
