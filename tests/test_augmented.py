"""`x op= value`: what changes in place and what is bound anew, of lists, arrays and instances; CPython's answers."""

import numpy as np
import pytest

import pellucid
from pellucid import grad
from tests.harness.answers import agree, outcome
from tests.harness.stages import Stages

X = np.array([1.0, 2.0, 5.0])


class Anew:
    """`+=` makes another one, by `__add__`."""

    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return Anew(self.v + other)

    def __radd__(self, other):
        return Anew(len(other))

    def __rmul__(self, other):
        return Anew(len(other) + 10)


class OwnWord:
    """`+=` makes another one, by `__iadd__`."""

    def __init__(self, v):
        self.v = v

    def __iadd__(self, other):
        return OwnWord(self.v * 2 + other)


class InPlace:
    def __init__(self, v):
        self.v = v

    def __iadd__(self, other):
        self.v += other
        return self


def an_instance_in_a_loop(x):
    p = q = Anew(0.0)
    for v in x:
        p += v
    return p.v, q.v


def an_instance_in_some_turns(x):
    p = q = Anew(0.0)
    i = 0
    while i < len(x):
        if x[i] > 1:
            p += x[i]
        i += 1
    return p.v, q.v


def an_instance_by_its_own_word(x):
    p = q = OwnWord(0.0)
    for v in x:
        p += v
    return p.v, q.v


def an_instance_in_place(x):
    p = q = InPlace(0.0)
    for v in x:
        p += v
    return p.v, q.v


def a_list_and_an_array(x):
    v = w = [1.0, 2.0, 3.0]
    v += x
    return v, w


def every_operator(x):
    a, b, c, d = [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [2.0, 3.0, 4.0]
    a -= x
    b *= x
    c /= x
    d **= x
    return a, b, c, d


def a_growing_list_and_an_array(x):
    v = []
    for e in x:
        v.append(e * 2)
    v += x
    return v


def a_list_in_a_loop(x):
    v = [0.0, 1.0, 2.0]
    for _ in range(len(x)):
        v += x
    return v


def a_list_in_a_branch(x):
    v = [0.0, 1.0, 2.0]
    if x[0] > 0:
        v += x
    return v


def an_item_and_an_array(x):
    v, d = [[1.0, 2.0, 3.0]], {"a": [1.0, 2.0, 3.0]}
    v[0] += x
    d["a"] -= x
    return v[0], d["a"]


def shapes_that_differ(x):
    v = [1.0, 2.0]
    v += x
    return v


def an_empty_list_and_an_array(x):
    v = []
    v += x
    return v


def a_list_and_a_number_of_numpy(x):
    v = [1.0, 2.0]
    v += x[0]
    return v


def a_list_repeated_by_a_number_of_numpy(x):
    v = w = [1.0, 2.0]
    v *= np.int64(2)
    return v, w


def a_list_repeated_as_often_as_the_run_says(x):
    v = w = [x[0], x[2]]
    u = []
    for e in x:
        u.append(e)
    v *= int(x[1])
    u *= int(x[2])
    gone = [[e] for e in x]
    gone *= int(x[0]) - 1
    return v, w, u, gone


def a_list_and_an_instance(x):
    v, w = [x[0], x[1]], [x[0], x[1]]
    v += Anew(0.0)
    w *= Anew(0.0)
    return v.v, w.v


def a_list_and_a_list(x):
    v = w = [x[0]]
    v += [x[1]]
    v += (x[2], 3.0)
    v *= 2
    return v, w


PROGRAMS = [
    an_instance_in_a_loop, an_instance_in_some_turns, an_instance_by_its_own_word, an_instance_in_place,
    a_list_and_an_array, every_operator, a_growing_list_and_an_array, a_list_in_a_loop, a_list_in_a_branch,
    an_item_and_an_array, shapes_that_differ, an_empty_list_and_an_array, a_list_and_a_number_of_numpy,
    a_list_repeated_by_a_number_of_numpy, a_list_repeated_as_often_as_the_run_says,
    a_list_and_an_instance, a_list_and_a_list,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS)
def test_every_stage_is_cpythons(function):
    want = outcome(function, [X])
    runner = Stages(function)
    for stage in ("typed", "llvm"):
        found = runner.run(stage, X)
        assert agree(found.error or found.value, want)


@pytest.mark.parametrize("function", [an_instance_in_a_loop, an_instance_by_its_own_word, an_instance_in_place])
def test_gradients_go_through_instances(function):
    squared = lambda x: function(x**2)[0]  # noqa: E731
    gaps = np.eye(len(X)) * 1e-6
    expected = [(squared(X + h) - squared(X - h)) / 2e-6 for h in gaps]
    np.testing.assert_allclose(grad(squared)(X), expected, rtol=1e-6)


def rows_repeated(x):
    rows = [[e] for e in x]
    rows *= int(x[1])
    rows[0].append(9.0)
    return rows


def known_rows_repeated(x):
    rows = [np.zeros(2), np.ones(2)]
    rows *= int(x[1])
    rows[0][1] = 9.0
    return rows


@pytest.mark.parametrize("function", [rows_repeated, known_rows_repeated])
def test_rows_that_a_list_has_twice_are_not_changed(function):
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function)(X)
    assert [fault.code for fault in caught.value.diagnostics] == ["R003"]
