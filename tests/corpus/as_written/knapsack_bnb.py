"""0-1 knapsack three ways: dynamic programming, branch and bound recursion, and the LP relaxation.

Martello & Toth, "Knapsack Problems" (1990): Dantzig bound, depth-first search.
"""
from typing import NamedTuple

import numpy as np


class Item(NamedTuple):
    value: float
    weight: int

    @property
    def density(self):
        return self.value / self.weight


class Packing(NamedTuple):
    value: float
    chosen: list
    weight: int
    fractional_bound: float
    greedy_value: float
    critical_price: float
    nodes: int


def dynamic_programme(items, capacity):
    """Table best[i, w], then the chosen items by walking back."""
    n = len(items)
    best = np.zeros((n + 1, capacity + 1))
    for i, item in enumerate(items, start=1):
        best[i] = best[i - 1]
        for w in range(item.weight, capacity + 1):
            candidate = best[i - 1, w - item.weight] + item.value
            if candidate > best[i, w]:
                best[i, w] = candidate
    chosen = []
    w = capacity
    for i in range(n, 0, -1):
        if best[i, w] > best[i - 1, w]:
            chosen.append(i - 1)
            w -= items[i - 1].weight
    return best[n, capacity], chosen[::-1]


def fractional(items, order, capacity, start=0):
    """Dantzig bound over order[start:], and the density of the split item."""
    total, room = 0.0, capacity
    for k in order[start:]:
        item = items[k]
        if item.weight <= room:
            total += item.value
            room -= item.weight
        else:
            return total + room * item.density, item.density
    return total, 0.0


def greedy(items, order, capacity):
    value, picked = 0.0, []
    for k in order:
        if items[k].weight <= capacity:
            capacity -= items[k].weight
            value += items[k].value
            picked.append(k)
    return value, picked


class BranchAndBound:
    def __init__(self, items, capacity):
        self.items = items
        self.capacity = capacity
        self.order = sorted(range(len(items)), key=lambda k: items[k].density, reverse=True)
        self.best_value, self.best_set = greedy(items, self.order, capacity)
        self.nodes = 0

    def search(self, depth, room, value, taken):
        self.nodes += 1
        if value > self.best_value:
            self.best_value, self.best_set = value, list(taken)
        if depth == len(self.order):
            return
        bound, _ = fractional(self.items, self.order, room, depth)
        if value + bound <= self.best_value + 1e-12:
            return
        k = self.order[depth]
        item = self.items[k]
        if item.weight <= room:
            taken.append(k)
            self.search(depth + 1, room - item.weight, value + item.value, taken)
            taken.pop()
        self.search(depth + 1, room, value, taken)

    def solve(self):
        self.search(0, self.capacity, 0.0, [])
        return self.best_value, sorted(self.best_set)


def pack(values, weights, capacity):
    """Optimal packing; the two exact methods must agree."""
    if len(values) != len(weights):
        raise ValueError(f"{len(values)} values and {len(weights)} weights")
    if capacity < 0:
        raise ValueError(f"capacity {capacity} is negative")
    if any(w <= 0 for w in weights):
        raise ValueError("weights must be positive integers")

    items = [Item(v, int(w)) for v, w in zip(values, weights)]
    dp_value, dp_chosen = dynamic_programme(items, capacity)
    solver = BranchAndBound(items, capacity)
    bb_value, bb_chosen = solver.solve()
    if abs(dp_value - bb_value) > 1e-9 * max(1.0, dp_value):
        raise RuntimeError(f"methods disagree: {dp_value} and {bb_value}")

    bound, price = fractional(items, solver.order, capacity)
    greedy_value, _ = greedy(items, solver.order, capacity)
    value = sum(items[k].value for k in dp_chosen)
    return Packing(
        value=value,
        chosen=dp_chosen,
        weight=sum(items[k].weight for k in dp_chosen),
        fractional_bound=bound,
        greedy_value=greedy_value,
        critical_price=price,
        nodes=solver.nodes,
    )


ENTRY = "pack"


def make_arguments(rng, n):
    weights = rng.integers(2, 12, size=n)
    values = weights + rng.uniform(0.5, 4.0, size=n)
    return (values, weights, int(weights.sum() // 2))


GRADIENT = ("values",)
ERRORS = [
    (lambda rng, n: (np.ones(n), np.ones(n + 1, dtype=int), 5), ValueError),
    (lambda rng, n: (np.ones(n), np.ones(n, dtype=int), -1), ValueError),
]
