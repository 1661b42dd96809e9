"""Dependences of random nests: all that running them shows are told, and most that never happen are not.

The long version is `python -m tests.fuzz.dependences --minutes 10`.
"""

import pytest

from pellucid.compiler.analysis.integers.affine import Affine, unknown
from pellucid.compiler.analysis.integers.nest_scope import NestScope
from pellucid.compiler.analysis.integers.systems import bounds, is_empty
from pellucid.compiler.analysis.memory.accesses import accesses
from pellucid.compiler.analysis.memory.dependences import Dependences
from tests.harness.dependence_agreement import counted
from tests.harness.loops_text import read_loops
from tests.harness.typed_text import read_function

# the share that is ruled out, of what a few runs did not show: some of it would happen with other lengths
FLOORS = {"affine": 0.75, "loops": 0.45, "slices": 0.6, "views": 0.4}


@pytest.mark.parametrize("kind", FLOORS)
def test_what_happens_is_told_and_most_of_the_rest_is_ruled_out(kind):
    counts = [counted(seed, kind) for seed in range(30)]
    refused, never = (sum(column) for column in zip(*counts))
    assert never > 200
    assert refused >= FLOORS[kind] * never, refused / never


def told(function):
    dependences = Dependences(function, {name: name for name in function.types})
    found = accesses(function.body, NestScope(), dependences.integers)
    return [(one.kind, one.distance) for one in dependences.of(list(found))]


LOOPS = {
    "the element before": ("for i in range(1, n, 1):\n        a[i] = a[i - 1]", [("flow", ((1, 1),))]),
    "two behind": ("for i in range(2, n, 1):\n        a[i] = a[i - 2]", [("flow", ((2, 2),))]),
    "the element behind": ("for i in range(0, n, 1):\n        a[i] = a[i + 1]", [("anti", ((1, 1),))]),
    "odd and even": ("for i in range(0, n, 2):\n        a[i] = a[i + 1]", []),
    "downwards": ("for i in range(n, 0, -1):\n        a[i] = a[i - 1]", [("anti", ((1, 1),))]),
    "below the diagonal": (
        "for k in range(0, n, 1):\n        for i in range(k + 1, n, 1):\n            a[i] = a[k]",
        [("flow", ((1, None), (1, None))), ("output", ((1, None), (0, 0)))],
    ),
    "from both ends": ("for i in range(1, 3, 1):\n        a[0] = a[-1]", None),
    "one element": (
        "for i in range(0, n, 1):\n        a[3] = 1.0",
        [("output", ((1, None),))],
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_distances(name):
    loop, expected = LOOPS[name]
    function = read_loops(f"def f(n: 'int', a: 'f64[m]'):\n    {loop}\n    return n\n").main
    found = told(function)
    if expected is None:
        assert ("anti", ((0, 0),)) in found  # an array of one element has only one end
    else:
        assert found == expected


def test_slices_that_never_meet():
    text = "def f(k: 'int', a: 'f64[m]'):\n    for i in range(k, 9):\n        a[i:] = sum(a[:i])\n    return a\n"
    kinds = [kind for kind, distance in told(read_function(text)) if distance == ((0, 0),)]
    assert kinds == ["anti"]  # where `i` is negative both may be the whole array
    text = text.replace("range(k, 9)", "range(0, 9)")
    assert [distance for kind, distance in told(read_function(text)) if kind == "anti"] == []


def test_systems_of_ints():
    i, j, k = (unknown(number) for number in range(3))
    assert is_empty([], [i - j.plus(1), j - k, k - i])
    assert is_empty([i.times(2) - j.times(2).plus(1)], [])
    assert is_empty([i.times(6) + j.times(4) - k.times(10) - Affine(3)], [])
    assert not is_empty([i - j], [i, k - j])
    assert bounds(0, [i + j - Affine(7)], [j, Affine(3) - j]) == (4, 7)
    assert bounds(0, [i.times(2) - j], [j, Affine(5) - j]) == (0, 2)
    assert bounds(0, [], [i - j]) == (None, None)


def test_a_length_that_each_turn_makes_anew_is_another_number():
    text = """
def f(x: "f64[n]", k: "int"):
    y: "f64[m]" = empty((k,), "f64")
    for i in range(0, k, 1):
        t = x[i:]
        y[i + dim(t, 0)] = 1.0
        y[dim(t, 0)] = y[dim(t, 0) + 1]
    return y
"""
    found = told(read_loops(text).main)
    assert ("output", ((1, None),)) in found and ("anti", ((1, None),)) in found
    text = text.replace("t = x[i:]", "t = x")
    assert ("output", ((1, None),)) in told(read_loops(text).main)
