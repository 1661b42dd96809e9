"""The minimum cut against all subsets of small graphs."""

import itertools
import random

import pytest

from pellucid.compiler.analysis.mincut import minimum_cut


def is_enough(kept, needed, uses, origins):
    """Whether every needed value is kept or follows from what is kept."""

    def at_hand(value):
        if value in kept:
            return True
        return value not in origins and all(at_hand(used) for used in uses.get(value, ()))

    return all(map(at_hand, needed))


def random_graph(seed):
    draw = random.Random(seed)
    count = draw.randint(2, 9)
    uses, origins = {}, set()
    for value in range(count):
        if draw.random() < 0.25:
            origins.add(value)
        else:
            uses[value] = draw.sample(range(value), min(value, draw.randint(0, 3)))
    needed = draw.sample(range(count), draw.randint(1, min(4, count)))
    return needed, uses, origins, {value: draw.choice([1, 1, 1, 2, 5, 1000]) for value in range(count)}


@pytest.mark.parametrize("seed", range(150))
def test_no_subset_is_cheaper(seed):
    needed, uses, origins, cost = random_graph(seed)
    kept = minimum_cut(needed, uses, origins, cost)
    assert is_enough(set(kept), needed, uses, origins)
    best = min(
        sum(cost[v] for v in subset)
        for size in range(len(cost) + 1)
        for subset in itertools.combinations(cost, size)
        if is_enough(set(subset), needed, uses, origins)
    )
    assert sum(cost[v] for v in kept) == best


def test_one_origin_serves_many():
    uses = {"sine": ["e"], "slope": ["e"], "residual": ["e", "sine"]}
    assert minimum_cut(["residual", "slope", "sine"], uses, {"e"}, dict.fromkeys([*uses, "e"], 1)) == ["e"]


def test_of_two_cheapest_the_one_that_computes_least_again():
    uses = {"m": ["r"], "t": ["m"]}
    assert minimum_cut(["t"], uses, {"r"}, {"r": 1, "m": 1, "t": 1}) == ["t"]


def test_what_rests_on_nothing_is_free():
    assert minimum_cut(["b", "c"], {"b": [], "c": ["b"]}, set(), {"b": 1, "c": 1}) == []


def test_a_number_rather_than_an_array():
    uses = {"row": ["matrix"], "total": ["row"]}
    assert minimum_cut(["total"], uses, {"matrix"}, {"matrix": 10**6, "row": 1000, "total": 1}) == ["total"]
    assert minimum_cut(["total"], uses, {"matrix"}, {"matrix": 1, "row": 1000, "total": 1000}) == ["matrix"]
