"""Loops over many constants: CPython's answers, in code that does not grow with them."""

import numpy as np
import pytest

import pellucid
from tests.harness.answers import agree, outcome
from tests.harness.stages import Stages

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


PROGRAMS = (checksum, counted, weighted, shorter, longer, structure, mixed)


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
