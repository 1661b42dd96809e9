"""Dicts, sets and deques whose keys and items are known only at run time."""

from collections import deque

import numpy as np


def sums_by_label(x, i64):
    """A dict that is looked up and stored into."""
    sums = {}
    for i in range(len(x)):
        key = int(i64[i])
        sums[key] = sums.get(key, 0.0) + x[i] * x[i]
    total = 0.0
    for key, value in sums.items():
        total += value * key
    return total, sums


def delayed(x):
    """A deque as a delay line."""
    line, result = deque([0.0] * 3), np.zeros(len(x))
    for i in range(len(x)):
        line.append(np.sin(x[i]))
        result[i] = line.popleft()
    return result


def reached(idx):
    """Search of a graph in its breadth: a deque and a set."""
    queue, seen, order = deque([int(idx[0])]), {int(idx[0])}, []
    while queue:
        node = queue.popleft()
        order.append(node)
        for other in (int(idx[node]), (2 * node + 1) % len(idx)):
            if other not in seen:
                seen.add(other)
                queue.append(other)
    return order, sorted(seen), len(seen)


def found_or_not(x):
    """None among the items of a list that grows."""
    roots = [np.sqrt(v) if v > 0.0 else None for v in x]
    found = [r for r in roots if r is not None]
    return roots, sum(1 for r in roots if r is None), sum(r * r for r in found)


NO_GRADIENT = {"reached": "integer results", "found_or_not": "values of one path are None"}
