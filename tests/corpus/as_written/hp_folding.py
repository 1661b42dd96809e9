"""Folding of HP sequences on the square lattice: exact enumeration with a bound, density of states, heat capacity.

Lau & Dill, A lattice statistical mechanics model of the conformational and sequence spaces of proteins (1989).
"""
import numpy as np

MOVES = ((1, 0), (0, 1), (-1, 0), (0, -1))


def contacts(grid, hydrophobic, x, y, i):
    """New H-H contacts of residue i at (x, y) with residues that are not its neighbours in the chain."""
    if not hydrophobic[i]:
        return 0
    count = 0
    for dx, dy in MOVES:
        j = grid[x + dx, y + dy]
        if j >= 0 and j != i - 1 and hydrophobic[j]:
            count += 1
    return count


def extend(grid, hydrophobic, x, y, i, energy, counts):
    n = len(hydrophobic)
    if i == n:
        counts[energy] += 1
        return energy
    best = 0
    for dx, dy in MOVES:
        u, v = x + dx, y + dy
        if grid[u, v] >= 0:
            continue
        if i == 1 and not (dx == 1 and dy == 0):
            continue
        gained = contacts(grid, hydrophobic, u, v, i)
        grid[u, v] = i
        best = max(best, extend(grid, hydrophobic, u, v, i + 1, energy + gained, counts))
        grid[u, v] = -1
    return best


def fold(sequence, temperatures, epsilon):
    hydrophobic = sequence == 1
    n = len(sequence)
    if n < 2:
        raise ValueError("a chain has two residues or more")
    grid = np.full((2 * n + 3, 2 * n + 3), -1)
    grid[n + 1, n + 1] = 0
    counts = np.zeros(n + 2, dtype=np.int64)
    ground = extend(grid, hydrophobic, n + 1, n + 1, 1, 0, counts)
    levels = -epsilon * np.arange(len(counts))
    weights = counts * np.exp(-levels / temperatures[:, None])
    Z = weights.sum(axis=1)
    mean = (weights * levels).sum(axis=1) / Z
    square = (weights * levels**2).sum(axis=1) / Z
    heat_capacity = (square - mean**2) / temperatures**2
    return heat_capacity, ground, counts, -temperatures * np.log(Z)


ENTRY = "fold"


def make_arguments(rng, n):
    return rng.integers(0, 2, size=4 + n), np.linspace(0.2, 2.0, 5), 1.0


GRADIENT = ("temperatures", "epsilon")
ERRORS = [(lambda rng, n: (np.ones(1, dtype=int), np.ones(2), 1.0), ValueError)]
