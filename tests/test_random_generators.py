"""`np.random.default_rng(seed)` inside a function: NumPy's numbers, bit for bit, drawn by compiled code.

The oracle is NumPy, which runs the same function.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from numpy.random import default_rng

import pellucid
from pellucid import compile, grad, vmap
from pellucid.check import check_text


def floats(seed, a, p):
    rng = np.random.default_rng(seed)
    plain = rng.random(), rng.random(3), rng.random((2, 2))
    return *plain, rng.uniform(-1.0, 2.0, 3), rng.uniform(), rng.uniform(a, 19.0)


def normals(seed, a, p):
    rng = np.random.default_rng(seed)
    many = rng.normal(size=3000)  # so many that some are of the tail
    return many, rng.standard_normal(), rng.normal(1.0, 2.0), rng.normal(3.0, 2.0, (2, 2)), rng.normal(a), rng.random()


def exponentials(seed, a, p):
    rng = np.random.default_rng(seed)
    return rng.exponential(size=3000), rng.exponential(2.0), rng.standard_exponential(3, method="inv"), rng.random()


def ints(seed, a, p):
    rng = np.random.default_rng(seed)
    few = rng.integers(10), rng.integers(0, 10, 5), rng.integers(3, size=(2, 2), endpoint=True), rng.integers(5, 6)
    narrow = rng.integers(0, 7, 5, dtype=np.int32), rng.integers(0, 2**32, 3, dtype=np.uint32)
    wide = rng.integers(-5, 2**40, 4), rng.integers(0, 2**32, 3), rng.integers(-(2**63), 2**63 - 1, 3)
    often = rng.integers(0, 3 * 2**61, 50), rng.integers(0, 3 * 2**30, 50)  # of which a quarter is drawn again
    return *few, *narrow, *wide, *often, rng.random()


def orders(seed, a, p):
    rng = np.random.default_rng(seed)
    x, y = np.arange(10), a.copy()
    rng.shuffle(x)
    rng.shuffle(y)
    return x, y, rng.permutation(7), rng.permutation(a), rng.permutation(a, axis=1), rng.permutation(a[0]), rng.random()


def choices(seed, a, p):
    rng = np.random.default_rng(seed)
    with_replacement = rng.choice(5), rng.choice(5, 3), rng.choice(a, 2, axis=1), rng.choice(a[0], (2, 2))
    without = rng.choice(10, 4, replace=False), rng.choice(20000, 2000, replace=False), rng.choice(a, 2, replace=False)
    unordered = rng.choice(10, 4, replace=False, shuffle=False)
    return *with_replacement, *without, unordered, rng.choice(4, 6, p=p), rng.choice(4, p=p), rng.random()


@pytest.mark.parametrize("function", [floats, normals, exponentials, ints, orders, choices])
def test_the_numbers_are_those_of_numpy(function):
    compiled = compile(function)
    for seed in (0, 7, 2**45 + 3):
        arguments = seed, np.arange(12.0).reshape(3, 4), np.array([0.1, 0.2, 0.3, 0.4])
        for found, expected in zip(compiled(*arguments), function(*arguments), strict=True):
            assert np.array_equal(found, expected)
            assert np.asarray(found).dtype == np.asarray(expected).dtype


def gammas(seed, a, p):
    rng = np.random.default_rng(seed)
    return rng.gamma(np.repeat(np.array([0.4, 1.0, 2.5, 0.0]), 20), 2.0), rng.random()


def betas(seed, a, p):
    rng = np.random.default_rng(seed)
    return rng.beta(np.repeat(np.array([0.5, 2.0]), 20), 0.7), rng.random()


def shares(seed, a, p):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(p, 3), rng.random()


def ratios(seed, a, p):
    rng = np.random.default_rng(seed)
    return rng.f(3.0, np.array([5.0, 7.0])), rng.random()


def students(seed, a, p):
    rng = np.random.default_rng(seed)
    return rng.standard_t(4.0, 5), rng.random()


def squares(seed, a, p):
    rng = np.random.default_rng(seed)
    return rng.chisquare(3.0, (2, 2)), rng.random()


def counts(seed, a, p):
    rng = np.random.default_rng(seed)
    rates = rng.poisson(np.repeat(np.array([0.0, 3.0, 40.0, 1e5]), 50))
    trials = rng.binomial(np.repeat(np.array([10, 500, 300]), 200), np.repeat(np.array([0.3, 0.3, 0.8]), 200))
    return rates, trials, rng.geometric(np.repeat(np.array([0.5, 0.1]), 30)), rng.multinomial(500, p, 3), rng.random()


def mixtures(seed, a, p):
    rng = np.random.default_rng(seed)
    return rng.negative_binomial(4.0, 0.3, 50), rng.random()


def formulas(seed, a, p):
    rng = np.random.default_rng(seed)
    lines = rng.laplace(1.0, 2.0, 30), rng.gumbel(size=30), rng.logistic(p, 0.5), rng.triangular(-1.0, 0.5, 2.0, 30)
    return *lines, rng.random()


def powers(seed, a, p):
    rng = np.random.default_rng(seed)
    return rng.rayleigh(2.0, 9), rng.weibull(1.5, 9), rng.pareto(2.5), rng.power(p), rng.random()


def normal_formulas(seed, a, p):
    rng = np.random.default_rng(seed)
    return rng.lognormal(0.1, 0.4, 30), rng.standard_cauchy(5), rng.random()


FAMILIES = [gammas, betas, shares, ratios, students, squares, counts, mixtures, formulas, powers, normal_formulas]


@pytest.mark.long
@pytest.mark.parametrize("function", FAMILIES)
def test_the_families_are_those_of_numpy(function):
    """To the last digit of logarithms and powers; the stream is the same all through."""
    compiled = compile(function)
    for seed in (0, 7, 2**45 + 3):
        arguments = seed, np.arange(12.0).reshape(3, 4), np.array([0.1, 0.2, 0.3, 0.4])
        found, expected = compiled(*arguments), function(*arguments)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13)
            assert np.asarray(one).dtype == np.asarray(other).dtype
            assert np.shape(one) == np.shape(other)
        assert found[-1] == expected[-1]


def scaled(scale, seed):
    return np.sum(np.random.default_rng(seed).gamma(2.0, scale, 5))


def shaped(shape, seed):
    return np.sum(np.random.default_rng(seed).gamma(shape, 2.0, 5))


def test_draws_by_rejection_have_a_derivative_by_the_scale_alone():
    np.testing.assert_allclose(grad(scaled)(1.5, 3), scaled(1.5, 3) / 1.5, rtol=1e-12)
    with pytest.raises(pellucid.GradientError, match="G003"):
        grad(shaped)(1.5, 3)


class Walker(NamedTuple):
    rng: object
    position: float


def moved(walker):
    return Walker(walker.rng, walker.position + walker.rng.normal())


def drawn(rng, count):
    total = 0.0
    for _ in range(count):
        total += rng.normal() * rng.random()
    return total


def handed_on(seed, count):
    rng = default_rng(seed)
    total = drawn(rng, count)
    for i in range(count):
        if i % 2 == 0:
            total += rng.uniform()
        else:
            total -= rng.exponential()
    walker = Walker(rng, total)
    for _ in range(3):
        walker = moved(walker)
    while rng.random() < 0.9:
        total += 1.0
    return total + walker.position


@dataclass
class Bag:
    rng: object
    drawn: int

    def draw(self):
        self.drawn += 1
        return self.rng.integers(100)


def in_an_object(seed):
    bag = Bag(np.random.default_rng(seed), 0)
    first, second = bag.draw(), bag.draw()
    return first, second, bag.drawn, bag.rng.integers(100)


def test_a_generator_is_handed_on():
    assert compile(handed_on)(3, 5) == pytest.approx(handed_on(3, 5), rel=1e-14)
    assert compile(in_an_object)(3) == in_an_object(3)


def test_generators_of_many_seeds():
    found = vmap(lambda seed: np.random.default_rng(seed).normal())(np.arange(4))
    assert found.tolist() == [np.random.default_rng(seed).normal() for seed in range(4)]


def test_a_derivative_goes_past_the_generator():
    noise = np.random.default_rng(3).normal(size=9)
    found = grad(lambda mean, seed: np.mean((mean + np.random.default_rng(seed).normal(size=9)) ** 2))(0.5, 3)
    assert found == pytest.approx(2.0 * (0.5 + noise.mean()), rel=1e-12)


@pytest.mark.parametrize(
    "draw",
    [
        lambda seed: np.random.default_rng(seed).integers(5, 5), lambda seed: np.random.default_rng(-1 - seed).random(),
        lambda seed: np.random.default_rng(seed).normal(0.0, -1.0),
        lambda seed: np.random.default_rng(seed).uniform(1, 0),
        lambda seed: np.random.default_rng(seed).choice(0),
        lambda seed: np.random.default_rng(seed).choice(3, 4, replace=False),
        lambda seed: np.random.default_rng(seed).choice(2, p=np.array([0.5, 0.6])),
        lambda seed: np.random.default_rng(seed).choice(2, p=np.array([1.5, -0.5])),
        lambda seed: np.random.default_rng(seed).integers(0, 2**40, dtype=np.int32),
        lambda seed: np.random.default_rng(seed).integers(-1, 5, dtype=np.uint32),
    ],
)  # fmt: skip
def test_an_error_is_that_of_numpy(draw):
    with pytest.raises(ValueError) as expected:
        draw(0)
    with pytest.raises(ValueError) as found:
        compile(draw)(0)
    assert str(found.value).split()[0] == str(expected.value).split()[0]


@pytest.mark.parametrize("call", ["default_rng()", "default_rng(None)", "default_rng(seed=None)"])
def test_a_generator_without_a_seed_is_told_at_decoration(call):
    head = "import numpy as np\nfrom pellucid import compile\n\n\n@compile\n"
    text = f"{head}def f(x):\n    return np.random.{call}.random()\n"
    (fault,) = check_text(text, "f.py").diagnostics
    assert fault.code == "P005" and fault.span.line == 7


def test_what_shuffles_an_argument_is_told():
    def shuffled(x):
        np.random.default_rng(0).shuffle(x)
        return x

    with pytest.raises(pellucid.PurityError, match="changes its argument `x`"):
        compile(shuffled)(np.arange(3.0))
    x = np.arange(9.0)
    compile(shuffled, mutates="x")(x)
    assert x.tolist() == shuffled(np.arange(9.0)).tolist()


def test_a_generator_from_outside_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(pellucid.PurityError, match="draws random numbers from `rng`"):
        compile(lambda: rng.random())
