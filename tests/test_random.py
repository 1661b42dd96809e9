"""`pellucid.random`: JAX's numbers, the same inside and outside compiled code, for many keys and under derivatives.

The oracle is JAX 0.10.2 with 64-bit types, whose values stand in `random_numbers/`: a call, the dtype and the values.
"""

import math
import pathlib
import pickle

import numpy as np
import pytest
import scipy.special

import pellucid
from pellucid import compile, grad, random, vmap

VALUES = pathlib.Path(__file__).resolve().parent / "random_numbers"
KEY = random.PRNGKey(42)
A = np.arange(12.0).reshape(3, 4)
P = np.array([0.1, 0.2, 0.3, 0.4])
NAMES = {**{name: getattr(random, name) for name in random.__all__}, "np": np, "KEY": KEY, "A": A, "P": P}


def rows(file):
    """The calls of a table, with their values."""
    for line in (VALUES / file).read_text("utf-8").splitlines():
        call, _, rest = line.partition(" -> ")
        dtype, _, values = rest.partition(" ")
        yield pytest.param(call, np.array(eval(values, {"nan": math.nan, "inf": math.inf}), dtype), id=call)


@pytest.mark.parametrize("call, expected", list(rows("exact.txt")))
def test_the_numbers_are_those_of_jax(call, expected):
    found = np.asarray(eval(call, dict(NAMES)))
    assert found.shape == expected.shape and found.tolist() == expected.tolist()
    assert found.dtype == expected.dtype or {found.dtype, expected.dtype} == {np.dtype("i4"), np.dtype("i8")}


@pytest.mark.drawn(4)
@pytest.mark.rotated(3)
@pytest.mark.parametrize("call, expected", list(rows("close.txt")))
def test_the_numbers_are_those_of_jax_to_the_last_digits(call, expected):
    found = np.asarray(eval(call, dict(NAMES)))
    assert found.shape == expected.shape and found.dtype == expected.dtype
    digits = np.finfo(expected.dtype).eps if expected.dtype.kind in "fc" else 0.0
    np.testing.assert_allclose(found, expected, rtol=256 * digits)


def draws(key, n):
    first, second, third = random.split(key, 3)
    x = random.normal(first, (n, 2), dtype=np.float32)
    order = random.permutation(second, n)
    return x[order], random.randint(third, (n,), 0, 9), random.bits(random.fold_in(key, n))


def test_compiled_code_draws_what_python_draws():
    for found, expected in zip(compile(draws)(KEY, 5), draws(KEY, 5), strict=True):
        assert np.array_equal(found, expected)


def test_many_keys_draw_what_each_draws():
    keys = random.split(KEY, 4)
    found = vmap(draws, in_axes=(0, None))(keys, 5)
    for k in range(4):
        for many, one in zip(found, draws(keys[k], 5), strict=True):
            assert np.array_equal(many[k], one)
    assert np.array_equal(vmap(random.uniform)(keys), [random.uniform(key) for key in keys])


def test_a_derivative_goes_past_the_key():
    def loss(mean, key):
        return np.mean((mean + random.normal(key, (50,))) ** 2)

    noise = np.asarray(random.normal(KEY, (50,)))
    assert grad(loss)(0.3, KEY) == pytest.approx(2.0 * (0.3 + noise.mean()), rel=1e-12)


def test_bounds_have_derivatives():
    def total(low, high, key):
        return np.sum(random.uniform(key, (9,), minval=low, maxval=high))

    unit = np.asarray(random.uniform(KEY, (9,)))
    found = grad(total, argnums=(0, 1))(-1.5, 2.5, KEY)
    assert found == pytest.approx([(1.0 - unit).sum(), unit.sum()])


@pytest.mark.parametrize("dtype, digits", [(np.float32, 5e-6), (np.float64, 1e-13)])
def test_normal_numbers_are_quantiles_of_the_normal_distribution(dtype, digits):
    unit = np.asarray(random.uniform(KEY, (20000,), dtype)).astype(float)
    low = -1.0 + np.finfo(dtype).epsneg
    spread = np.maximum(dtype(low), dtype(2.0) * unit.astype(dtype) + dtype(low))
    quantiles = math.sqrt(2.0) * scipy.special.erfinv(spread)
    np.testing.assert_allclose(random.normal(KEY, (20000,), dtype), quantiles, rtol=digits, atol=digits)


def test_numbers_that_are_drawn_until_one_fits_have_no_derivative_by_their_parameters():
    def mean(a, scale, key):
        return np.mean(scale * random.gamma(key, a, (5,)))

    with pytest.raises(pellucid.GradientError, match="drawn until one fits"):
        grad(mean)(2.0, 3.0, KEY)
    expected = np.mean(random.gamma(KEY, 2.0, (5,)))
    assert grad(mean, argnums=1)(2.0, 3.0, KEY) == pytest.approx(expected, rel=1e-12)
    assert compile(mean)(2.0, 3.0, KEY) == pytest.approx(3.0 * expected, rel=1e-12)


def test_every_function_is_described():
    assert all(getattr(random, name).__doc__ for name in random.__all__)


def test_keys_are_ordinary_arrays():
    key = random.key(7)
    assert type(key) is pellucid.Array and key.dtype == np.uint32 and key.shape == (2,)
    assert random.key_impl(key) == "threefry2x32"
    assert np.array_equal(random.normal(np.asarray(key)), random.normal(key))
    assert pickle.loads(pickle.dumps(random.normal)) is random.normal


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: random.normal(np.array([1, 2])), pellucid.TypeMismatchError, "a key is an array of two np.uint32"),
        (lambda: random.normal(random.split(KEY)), pellucid.ShapeMismatchError, "this takes one key"),
        (lambda: random.bits(np.zeros(3, np.uint32)), ValueError, "a key has two words"),
        (lambda: random.uniform(KEY, (2,), int), pellucid.TypeMismatchError, "are floats"),
        (lambda: random.bits(KEY, (2,), np.int32), pellucid.TypeMismatchError, "are unsigned integers"),
        (lambda: random.randint(KEY, (2,), 0, 5, float), pellucid.TypeMismatchError, "draws integers"),
        (lambda: random.split(KEY, -1), ValueError, "negative dimensions"),
        (lambda: random.choice(KEY, 3, (4,), replace=False), ValueError, "without replacement"),
        (lambda: random.choice(KEY, 0, (4,)), ValueError, "greater than 0"),
        (lambda: random.choice(KEY, 3, (4,), p=P), ValueError, "as many probabilities"),
        (lambda: random.permutation(KEY, 2.5), pellucid.TypeMismatchError, "an array, or an int"),
        (lambda: random.key(1.5), pellucid.TypeMismatchError, "a seed is an int"),
        (lambda: random.key(1, impl="rbg"), ValueError, "threefry2x32"),
        (lambda: random.bernoulli(KEY, 1), pellucid.TypeMismatchError, "a probability is a float"),
    ],
)
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_no_draws_of_nothing():
    assert random.choice(KEY, 0, (0,)).shape == (0,)
    assert random.normal(KEY, (0, 3)).shape == (0, 3)
    assert random.split(KEY, 0).shape == (0, 2)
