"""Loops over many constants: CPython's answers, in code that does not grow with them."""

import numpy as np
import pytest

import pellucid
from tests.harness.answers import agree, outcome
from tests.harness.stages import Stages

pytestmark = pytest.mark.drawn(5)

KEY = bytes(range(200))
TEXT = "the quick brown fox " * 8
WEIGHTS = tuple(0.5 * k for k in range(150))
PAIRS = tuple((float(k), k % 7, "abc"[k % 3]) for k in range(150))
SHAPES = tuple((k % 2, 1) for k in range(130))
MIXED = tuple(k if k % 2 else 0.5 * k for k in range(130))
X = np.array([1.5, -0.25, 3.0, 0.75])


def checksum(x):
    found = 0
    for place, byte in enumerate(KEY):
        found = (found * 31 + byte + place) % 65521
    return found * x[0]


def counted(x):
    vowels, code = 0, 0
    for letter in TEXT:
        if letter in "aeiou":
            vowels += 1
        code = (code * 7 + ord(letter)) % 1000
        if code == 41:
            break
    return vowels * x[0], code


def weighted(x):
    total = 0.0
    for w, (a, k, name) in zip(WEIGHTS, PAIRS):
        total += w * a * x[k % 4] if name != "b" else 1.0
    return total


def shorter(x):
    total = 0.0
    for w, v in zip((1.0, 2.0, 3.0, 4.0, 5.0, 6.0), x):
        total += w * v
    return total


def longer(x):
    total = 0.0
    for w, v in zip((1.0, 2.0), x):
        total += w * v
    return total


def structure(x):
    total = 0.0
    for shape in SHAPES:
        total += np.sum(np.ones(shape)) * (1.0, 2.0)[shape[0]]
    return total * x[0]


def mixed(x):
    total = 0
    for k in MIXED:
        total += k * x[1]
    return total


def repelled(x):
    pairs = [(i, j) for i in range(8) for j in range(8)]
    total = 0.0
    for i, j in pairs:
        if i == j:
            continue
        total += np.sum(np.sin(x) * i) / (j + 1) - np.sum(x) * np.sum(x) * 0.1
    return total


def some_pairs_count(x):
    pairs = [(i, j) for i in range(6) for j in range(6)]
    count = 0
    for i, j in pairs:
        if i > j:
            count += 1
            x = x + np.sin(x) * i * 0.01 + np.cos(x) * j * 0.01
    return count, x, i, j


def no_item_makes_it_a_float(x):
    total = 0
    for k in [k for k in range(40)]:  # noqa: C416
        if k > 100:
            total = total + np.sum(np.sin(x)) + 0.5 * np.sum(x * k)
    return total


def keys(x):
    found = {}
    for k in [k % 40 for k in range(40)]:
        found[k] = np.sum(np.sin(x) * k) + np.sum(x * x) + np.sum(x)
    return found[3] + found[39]


def places_in_a_tuple(x):
    total = 0.0
    for k in [k % 3 for k in range(40)]:
        total += (1.0, 2.0, 3.0)[k] * np.sum(np.sin(x)) + np.sum(x * k) + np.sum(x)
    return total


def places_behind_the_loop(x):
    for k in [k for k in range(40)]:  # noqa: C416
        y = np.sum(np.sin(x) * k) + np.sum(x * k) + np.sum(x)
    return x.reshape((1,) * (k - 37) + (4,)), y, (1, 2, 3)[k - 38]


def a_list_that_changes(x):
    ks = [k for k in range(40)]  # noqa: C416
    total = 0.0
    for k in ks:
        total += np.sum(np.sin(x) * k) + np.sum(x * k) + np.sum(x)
        if k == 20:
            ks[39] = 100
    return total


def left_early(x):
    total = 0.0
    for k in [k for k in range(40)]:  # noqa: C416
        total += np.sum(np.sin(x) * k) + np.sum(x * k) + np.sum(x)
        if k == 20:
            break
    return total, k


def numbers_of_the_run(x):
    ks = [x[0] * k for k in range(40)]
    total = 0.0
    for a, k in zip(ks, range(40)):
        total += np.sum(np.sin(x) * a) + np.sum(x * k) + np.sum(x)
    for m, a in enumerate(ks):
        total += np.sum(np.sin(x) * a) + np.sum(x * m) + np.sum(x)
    return total


def lists_in_tuples(x):
    total = 0.0
    items = [(k, [x[0]]) for k in range(40)]
    for k, own in items:
        own.append(x[1] * k + np.sum(np.sin(x)) + np.sum(x))
        total += own[-1]
    return total, items[3][1][1]


def signs_of_zero(x):
    one = two = 1.0
    for k in [-0.0] * 20:
        one = np.copysign(one, k) + 0 * np.sum(np.sin(x)) + 0 * np.sum(np.cos(x)) + 0 * np.sum(x)
    for k in (0.0,) * 20:
        two = np.copysign(two, k) + 0 * np.sum(np.sin(x)) + 0 * np.sum(np.cos(x)) + 0 * np.sum(x)
    return one, two


PROGRAMS = (
    checksum, counted, weighted, shorter, longer, structure, mixed, repelled, some_pairs_count,
    no_item_makes_it_a_float, keys, places_in_a_tuple, places_behind_the_loop, a_list_that_changes, left_early,
    numbers_of_the_run, lists_in_tuples, signs_of_zero,
)  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_every_stage_is_cpythons(function):
    runner = Stages(function)
    for stage in ("typed", "llvm"):
        found = runner.run(stage, X)
        assert agree(found.error or found.value, outcome(function, (X,)))


@pytest.mark.parametrize("function, once", [(checksum, "* 31"), (counted, "* 7")])
def test_the_body_stands_there_once(function, once):
    compiled = pellucid.compile(function)
    compiled(X)
    text = compiled.source("typed")
    assert text.count(once) <= 3  # the statement, its line, and once more where a loop has two ends


def energy(x):
    """The Lennard-Jones energy of 16 atoms, by pairs."""
    pairs = [(i, j) for i in range(16) for j in range(i + 1, 16)]
    total = 0.0
    for i, j in pairs:
        d = x[i] - x[j]
        s = 1.0 / np.sum(d * d) ** 3
        total += 4.0 * (s * s - s)
    return total


def test_a_loop_over_pairs_of_atoms_is_one_loop():
    grid = np.arange(16)
    x = np.stack([grid % 4, grid // 4, 0 * grid], 1) * 1.2 + 0.01 * np.random.default_rng(1).random((16, 3))
    slope = pellucid.grad(energy)
    found, step = np.zeros_like(x), 1e-6
    for place in np.ndindex(*x.shape):
        unit = np.zeros_like(x)
        unit[place] = step
        found[place] = (energy(x + unit) - energy(x - unit)) / (2.0 * step)
    np.testing.assert_allclose(slope(x), found, rtol=1e-5, atol=1e-6)
    assert slope.source("reverse", x).count("x_bar[") == 2


def polynomial(x):
    total = 0.0
    for c in [0.5 * k for k in range(30)]:
        total = total * x + c
    return total


def test_a_loop_that_does_little_is_unrolled():
    assert "for " not in pellucid.compile(polynomial).source("typed", "float")
