"""Folds of users' loops in kernels: what CPython gives, bit for bit but for the rounding of sums and products."""

import numpy as np
import pytest

from .harness import fold_programs as programs
from .harness.fold_programs import FOLDS, NO_FOLDS
from .harness.stages import Stages, in_python

SIZES = (0, 1, 31, 32, 33, 1000)
ZEROS = ("greatest_by_maximum",)  # of 0.0 and -0.0 NumPy's maximum is either
ROUNDED = """sum_of_products sum_the_other_way_round difference product sum_of_narrow_floats several means_on_paths
    numpys_in_one_loop sums_of_rows_by_hand steps_with_a_fold checked_in_a_sum""".split()


def _floats(size, kind, random):
    x = random.uniform(-2.0, 2.0, size)
    match kind:
        case "ties":
            return np.round(x)
        case "zeros":
            return np.where(x > 0.0, 0.0, -0.0)
        case "nan":
            return np.where(random.uniform(0.0, 1.0, size) < 0.1, np.nan, x)
        case "nan first":
            return np.where(np.arange(size) < 2, np.nan, x)
        case "infinite":
            return np.where(x > 0.0, np.inf, -np.inf)
        case "negative zeros":
            return np.full(size, -0.0)
        case "all nan":
            return np.full(size, np.nan)
        case "all infinite":
            return np.full(size, np.inf)
    return x


KINDS = ("plain", "ties", "zeros", "nan", "nan first", "infinite", "negative zeros", "all nan", "all infinite")


def arguments_of(function, size, kind):
    random = np.random.default_rng((size, KINDS.index(kind)))
    code = function.__code__
    made = {
        "x": lambda: _floats(size, kind, random),
        "y": lambda: _floats(size, kind, random),
        "f": lambda: _floats(size, kind, random).astype(np.float32),
        "k": lambda: random.integers(-9, 9, size),
        "h": lambda: random.integers(-99999, 99999, size).astype(np.int32),
        "b": lambda: random.uniform(0.0, 1.0, size) < 0.1,
        "r": lambda: _floats(min(size, 33) * 7, kind, random).reshape(min(size, 33), 7),
        "c": lambda: random.uniform(0.0, 1.0, (size, 5)) < 0.98,
        "j": lambda: random.integers(-size, size, size) if size else np.zeros(0, np.int64),
        "a": lambda: 0.25,
    }
    return tuple(made[name]() for name in code.co_varnames[: code.co_argcount])


def assert_alike(got, want, rounded, signed=True):
    assert got.error is None or want.error is not None, got.error
    if want.error is not None:
        assert type(got.error) is type(want.error)
        return
    left, right = (v if isinstance(v, tuple) else (v,) for v in (got.value, want.value))
    assert len(left) == len(right)
    for one, other in zip(left, right, strict=True):
        assert np.asarray(one).dtype == np.asarray(other).dtype and np.shape(one) == np.shape(other)
        if rounded:
            rtol = 1e-4 if np.asarray(one).dtype == np.float32 else 1e-11
            np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol)
        else:
            np.testing.assert_array_equal(one, other)
            if not signed:
                continue
            both = [np.asarray(part, np.float64) for part in (one, other)]
            is_number = ~np.isnan(both[0])
            np.testing.assert_array_equal(*(np.signbit(part)[is_number] for part in both))


@pytest.mark.drawn(3)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("function", FOLDS, ids=lambda function: function.__name__)
def test_folds_give_what_python_gives(function, kind):
    stages = Stages(function)
    large = not any(name in ("r", "c") for name in function.__code__.co_varnames) and function is not programs.closest
    for size in SIZES if large and function is not programs.inversions else SIZES[:-1]:
        arguments = arguments_of(function, size, kind)
        with np.errstate(all="ignore"):
            want = in_python(function, *arguments)
        name = function.__name__
        assert_alike(stages.run("kernels", *arguments), want, name in ROUNDED, name not in ZEROS)


@pytest.mark.parametrize("function", FOLDS, ids=lambda function: function.__name__)
def test_folds_are_kernels(function):
    stages = Stages(function)
    stages.run("kernels", *arguments_of(function, 4, "plain"))
    text = stages.texts["kernels"]
    assert "@cuda.jit" in text
    assert "@host" not in text, text


@pytest.mark.parametrize("function", NO_FOLDS, ids=lambda function: function.__name__)
def test_what_is_no_fold_stays_in_order(function):
    """Of a compensated sum another state reads the sum, and so on: parts would be something else."""
    stages = Stages(function)
    for size in SIZES:
        arguments = arguments_of(function, size, "plain")
        assert_alike(stages.run("kernels", *arguments), in_python(function, *arguments), False)
    assert "its iterations need each other" in stages.texts["kernels"]


def test_what_fails_in_a_turn_that_does_not_win_is_told():
    x, j = np.array([1.0, 2.0, 3.0]), np.array([0, 7, 1])
    got = Stages(programs.values_that_may_not_be_there).run("kernels", x, j)
    assert isinstance(got.error, IndexError)


def test_parts_are_put_together_in_the_order_of_their_places():
    """More than one part of 8192 turns, with equal values in different ones."""
    x = np.tile(np.array([3.0, 1.0, 2.0]), 9000)
    for function in (programs.least_and_where, programs.last_of_the_least, programs.greatest_by_max):
        got, want = Stages(function).run("kernels", x), in_python(function, x)
        assert_alike(got, want, False)


@pytest.mark.parametrize("function", [programs.checked_first, programs.checked_in_a_sum])
def test_what_is_checked_is_told_by_the_processor(function):
    x = np.array([1.0, 200.0, 3.0, 400.0])
    got, want = Stages(function).run("kernels", x), in_python(function, x)
    assert type(got.error) is ValueError and str(got.error) == str(want.error)
