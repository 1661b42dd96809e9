"""Elections: Schulze's beat paths, single transferable vote, Borda, D'Hondt seats and the Banzhaf index.

Schulze, Social Choice and Welfare 36 (2011).
"""
from collections import Counter, defaultdict
from itertools import combinations

import numpy as np


def pairwise(ballots, n):
    d = np.zeros((n, n), dtype=int)
    for ranking, count in ballots:
        for i, winner in enumerate(ranking):
            for loser in ranking[i + 1:]:
                d[winner, loser] += count
        missing = [c for c in range(n) if c not in ranking]
        for winner in ranking:
            for loser in missing:
                d[winner][loser] += count
    return d


def schulze(d):
    n = len(d)
    p = np.where(d > d.T, d, 0)
    for k in range(n):
        for i in range(n):
            if i == k:
                continue
            for j in range(n):
                if j != i and j != k:
                    p[i, j] = max(p[i, j], min(p[i, k], p[k, j]))
    wins = [(int(np.sum(p[i] > p[:, i])), -i) for i in range(n)]
    return [-i for _, i in sorted(wins, reverse=True)], p


def stv(ballots, n, seats):
    """Winners by Droop quota with Gregory's transfer of the surplus."""
    total = sum(count for _, count in ballots)
    quota = total // (seats + 1) + 1
    hopeful, elected = set(range(n)), []
    piles = [(list(ranking), float(count)) for ranking, count in ballots]
    while len(elected) < seats and hopeful:
        if len(hopeful) + len(elected) <= seats:
            elected.extend(sorted(hopeful))
            break
        tally = defaultdict(float)
        for ranking, weight in piles:
            top = next((c for c in ranking if c in hopeful), None)
            if top is not None:
                tally[top] += weight
        leader = max(hopeful, key=lambda c: (tally[c], -c))
        if tally[leader] >= quota:
            elected.append(leader)
            keep = (tally[leader] - quota) / tally[leader]
            piles = [(r, w * keep if next((c for c in r if c in hopeful), None) == leader else w) for r, w in piles]
            hopeful.remove(leader)
        else:
            hopeful.discard(min(hopeful, key=lambda c: (tally[c], c)))
    return elected[:seats]


def borda(ballots, n):
    scores = Counter()
    for ranking, count in ballots:
        for place, c in enumerate(ranking):
            scores[c] += count * (n - 1 - place)
    return scores


def dhondt(votes, seats):
    won = [0] * len(votes)
    for _ in range(seats):
        quotients = [v / (s + 1) for v, s in zip(votes, won)]
        won[quotients.index(max(quotients))] += 1
    return won


def banzhaf(weights, quota):
    swings = np.zeros(len(weights))
    everyone = range(len(weights))
    for size in range(len(weights) + 1):
        for coalition in combinations(everyone, size):
            s = sum(weights[i] for i in coalition)
            for i in coalition:
                if s >= quota and s - weights[i] < quota:
                    swings[i] += 1
    return swings / swings.sum()


def elect(rankings, counts, seats):
    """Schulze's order, the path strengths, the STV winners, Borda points, seats and power of the first choices."""
    if len(rankings) != len(counts):
        raise ValueError("one count for each ranking")
    ballots = [(tuple(r), int(c)) for r, c in zip(rankings, counts)]
    n = 1 + max(max(r) for r, _ in ballots)
    order, strengths = schulze(pairwise(ballots, n))
    points = borda(ballots, n)
    firsts = [sum(c for r, c in ballots if r[0] == k) for k in range(n)]
    house = dhondt(firsts, 10)
    power = banzhaf(house, sum(house) // 2 + 1)
    return order, strengths, stv(ballots, n, seats), [points[c] for c in range(n)], house, power


ENTRY = "elect"


def make_arguments(rng, n):
    return np.array([rng.permutation(4) for _ in range(n)]), rng.integers(5, 40, size=n), 2


GRADIENT = ()
ERRORS = [(lambda rng, n: (np.zeros((n, 4), int), np.ones(n + 1, int), 2), ValueError)]
