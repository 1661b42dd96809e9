"""The prover proves what is true and nothing else: random facts about small ints, every assignment tried."""

import itertools
import random

import pytest

from pellucid.compiler.analysis.integers.affine import Affine, Unknowns, combine
from pellucid.compiler.analysis.integers.prover import Prover
from pellucid.compiler.analysis.integers.ranges import ranges
from pellucid.compiler.languages.loops import read_loops

LEAST, MOST = -3, 3


def value_of(form, values):
    return form.constant + sum(factor * values[number] for number, factor in form.terms)


def drawn(rng, count):
    chosen = rng.sample(range(count), rng.randint(1, min(3, count)))
    return Affine(rng.randint(-3, 3), tuple((number, rng.choice((-2, -1, 1, 2))) for number in sorted(chosen)))


def asked(seed):
    """Some facts, a goal, and whether the goal holds wherever the facts do."""
    rng = random.Random(seed)
    unknowns = Unknowns()
    for _ in range(3):
        unknowns.fresh(LEAST, MOST)
    kind = rng.choice(("none", "max", "min", "either"))
    if kind != "none":
        unknowns.choice(kind, drawn(rng, 3), drawn(rng, 3))
    count = len(unknowns.intervals)
    facts, goal = [drawn(rng, count) for _ in range(rng.randint(1, 4))], drawn(rng, count)
    if rng.random() < 0.8:  # most goals are near what the facts add up to
        goal = combine(rng.choice(facts), rng.randint(1, 2), rng.choice(facts), 1).plus(rng.randint(-1, 2))
    true = True
    for values in itertools.product(range(LEAST, MOST + 1), repeat=3):
        options = [value_of(option, values) for choice in unknowns.choices.values() for option in choice.options]
        for last in {"max": [max(options)], "min": [min(options)]}.get(kind, options) if options else [0]:
            point = (*values, last)
            if all(value_of(fact, point) >= 0 for fact in facts) and value_of(goal, point) < 0:
                true = False
    return Prover(unknowns, facts), goal, true


def test_what_is_proved_is_true_and_most_of_what_is_true_is_proved():
    found = [(prover.proves(goal), true) for prover, goal, true in map(asked, range(250))]
    assert not [pair for pair in found if pair == (True, False)]
    truths = [proved for proved, true in found if true]
    assert len(truths) > 120 and sum(truths) >= 0.9 * len(truths), (sum(truths), len(truths))


TWO_AT_ONCE = {
    "the middle of two": ("lo = 0\n    hi = n\n    while lo < hi:\n        mid = (lo + hi) // 2\n        s += x[mid]\n"
                          "        if s < 0.0:\n            lo = mid + 1\n        else:\n            hi = mid\n"),
    "the mean of two counters": ("for i in range(n):\n        for j in range(n):\n            s += x[(i + j) // 2]\n"),
}  # fmt: skip


@pytest.mark.parametrize("what", TWO_AT_ONCE)
def test_an_access_that_takes_two_facts_at_once(what):
    text = f'''
def f(x: "f64[n_]"):
    n = x.shape[0]
    s = np.float64(0.0)
    {TWO_AT_ONCE[what]}
    return s
'''
    axes = ranges(read_loops(text, "f.py", headers=False).main).axes
    assert set(axes.values()) == {("front",)}
