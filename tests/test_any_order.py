"""What is made of all items of a set, in whatever order: compiled where the order does not show, else refused."""

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError
from tests.harness.stages import STAGES, Stages, assert_same, in_python

X = np.array([3.0, 1.0, 2.0, 2.0, 5.0, 5.0])


def all_in_one(x):
    seen = {int(v) for v in x}
    squares = {v * v for v in seen}
    pairs = sorted((v, w) for v in seen for w in seen if v < w)
    counts = len([v for v in seen if v > 2]), sum(1 for v in seen if v % 2), sum(v * v for v in seen)
    largest = max(v % 4 for v in seen), min(-v for v in seen), sorted(sorted(seen), key=lambda v: v % 2)
    return sorted(squares), pairs, counts, largest, any(v > 4 for v in seen), all(v > 4 for v in seen)


def of_known_items(x):
    names = {"a", "bb", "ccc"}
    return sorted(len(name) for name in names), x[0] + sum(len(name) for name in names)


@pytest.mark.parametrize("function", [all_in_one, of_known_items], ids=lambda f: f.__name__)
def test_the_order_does_not_show(function):
    stages = Stages(function)
    for stage in STAGES:
        assert_same(stages.run(stage, X), in_python(function, X))


def sum_of_floats(x):
    return sum(0.1 * v for v in {int(v) for v in x})


def list_of_items(x):
    return [v for v in {int(v) for v in x}]


def dict_of_items(x):
    return {v: 1 for v in {int(v) for v in x}}


def noted_in_a_list(x):
    log = []

    def noted(v):
        log.append(v)
        return v

    return len({noted(v) for v in {int(v) for v in x}}), log[0]


def noted_in_an_array(x):
    last = np.zeros(1)

    def noted(v):
        last[0] = 2.0 * last[0] + v
        return v

    return len({noted(v) for v in {int(v) for v in x}}), last[0]


def bound_inside(x):
    last = 0
    count = len([last := v for v in {int(v) for v in x}])
    return count, last


@pytest.mark.parametrize(
    "function", [sum_of_floats, list_of_items, dict_of_items, noted_in_a_list, noted_in_an_array, bound_inside],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_where_the_order_shows_it_is_refused(function):
    with pytest.raises(CompileError) as caught:
        pellucid.compile(function)(X)
    assert caught.value.diagnostics[0].code == "U007" and caught.value.diagnostics[0].help
