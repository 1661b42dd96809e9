"""`a, *b = v` and `f(*v)` of what has a dynamic length."""

from functools import partial
from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError
from tests.harness.stages import STAGES, Stages, assert_same, in_python

pytestmark = pytest.mark.drawn(5)

X = np.array([0.3, 0.6, 2.0, 0.5])


class Point(NamedTuple):
    x: float
    y: float
    z: float


def volume(a, b, c):
    return a + 2.0 * b * c


def starred(x):
    first, *rest = x
    *front, last = [v * 2.0 for v in x]
    a, *middle, b, c = x
    row, *rows = np.outer(x, x)
    return first, rest, front, last, a, middle, b, c, row, rows


def starred_records(x):
    (i, v), *more = [(i, v) for i, v in enumerate(x)]
    return i, v, more


def too_few(x):
    a, b, c, d, *e = x[:3]
    return a, b, c, d, e


def spread(x):
    scaled = lambda s, a, b: s * (a - b)  # noqa: E731
    point = Point(*x[:3])
    by_name = volume(*x[:2], c=3.0)
    return volume(*x[:3]), scaled(2.0, *x[1:3]), volume(1.0, *x[:2]), by_name, point, Point(*(x[1:] * 2.0))


def spread_by_partial(x):
    return partial(volume, 1.0)(*x[:2]), partial(volume, c=2.0)(*x[2:])


def spread_too_many(x):
    return volume(*x)


PROGRAMS = [starred, starred_records, too_few, spread, spread_by_partial]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_it_is_what_it_is_in_python(program):
    stages = Stages(program)
    want = in_python(program, X)
    for stage in STAGES:
        assert_same(stages.run(stage, X), want)


@pytest.mark.parametrize("count", [0, 2, 4])
def test_a_function_is_given_as_many_as_it_takes(count):
    with pytest.raises(TypeError, match="takes 3 positional arguments"):
        pellucid.compile(spread_too_many)(X[:count])


@pytest.mark.parametrize("program", [
    lambda x: (lambda *all_: sum(all_))(*x),
    lambda x: volume(*x[:2], *x[2:]),
])  # fmt: skip
def test_how_many_a_function_is_given_must_be_known(program):
    with pytest.raises(CompileError) as refused:
        pellucid.compile(program)(X)
    assert [d.code for d in refused.value.diagnostics] == ["R001"]


class Model(NamedTuple):
    rate: float
    gain: float
    floor: float = 0.5
    name: str = "plain"


def with_defaults(a, b, c=1.5, d=None):
    return a + 2.0 * b + 3.0 * c + (0.0 if d is None else d)


def spread_into_defaults(x):
    made, inner = Model(*x[:3]), lambda a, b=7.0: a * b
    return made.rate * made.floor, with_defaults(*x), with_defaults(1.0, *x[:2]), inner(*x[1:]), made.name


def spread_in_front_of_another(x):
    return with_defaults(*x, 4.0)


@pytest.mark.parametrize("count", [2, 3])
def test_parameters_with_defaults_take_what_there_is(count):
    stages = Stages(spread_into_defaults)
    for stage in STAGES:
        assert_same(stages.run(stage, X[:count]), in_python(spread_into_defaults, X[:count]))
    slope = pellucid.grad(lambda x: Model(*x).floor * x[0])(X[:count])
    np.testing.assert_array_equal(slope, [[0.5, 0.0], [X[2], 0.0, X[0]]][count - 2])


@pytest.mark.parametrize("count", [0, 4])
def test_no_more_or_fewer_than_there_are_parameters(count):
    with pytest.raises(TypeError, match="takes from 2 to 4 positional" if count == 0 else "takes from 1 to 2"):
        pellucid.compile(spread_into_defaults if count == 4 else lambda x: with_defaults(*x))(X[:count])


def test_what_stands_behind_a_star_is_the_last_parameter():
    program = pellucid.compile(spread_in_front_of_another)
    assert program(X[:3]) == spread_in_front_of_another(X[:3])
    with pytest.raises(TypeError, match="compiled code takes v to have an item for every parameter in front of x"):
        program(X[:2])
