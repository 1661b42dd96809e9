"""Dicts, sets, deques and counters whose keys and items only the run knows."""

import heapq
from collections import Counter, defaultdict, deque

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


def groups_by_label(x, i64):
    """Lists that grow under keys."""
    groups = defaultdict(list)
    for i in range(len(x)):
        groups[int(i64[i])].append(x[i] * 2.0)
    return {key: np.sum(np.array(group) ** 2) for key, group in groups.items()}


def moving_sums(x):
    """A deque of a certain length at most."""
    window, result = deque(maxlen=3), []
    for v in x:
        window.append(v * v)
        result.append(sum(window) / len(window) + window[0])
    return np.array(result)


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


def shortest(p, idx):
    """Dijkstra's algorithm with a heap, a dict of distances and a set of what is done."""
    distance, done, heap = {0: 0.0}, set(), [(0.0, 0)]
    while heap:
        near, node = heapq.heappop(heap)
        if node in done:
            continue
        done.add(node)
        for other in (int(idx[node]), (node + 1) % len(p)):
            length = near + p[other]
            if other not in distance or length < distance[other]:
                distance[other] = length
                heapq.heappush(heap, (length, other))
    total = 0.0
    for node in sorted(done):
        total += distance[node] * (node + 1)
    return total


def pairs_in_order(codes):
    """How often each pair occurs, by a counter."""
    counts = Counter()
    for a, b in zip(codes, codes[1:]):
        counts[int(a), int(b)] += 1
    return counts, counts.most_common(2), counts[7, 7], sorted(counts, key=counts.get)


def set_of_both(idx, i64):
    """Operators of sets."""
    first, second = set(idx.tolist()), {int(v) % 5 for v in i64}
    return first & second, sorted(first | second), len(first - second), first <= second, max(second)


def found_or_not(x):
    """None among the items of a list that grows."""
    roots = [np.sqrt(v) if v > 0.0 else None for v in x]
    found = [r for r in roots if r is not None]
    return roots, sum(1 for r in roots if r is None), sum(r * r for r in found)


NO_GRADIENT = {
    "reached": "integer results", "pairs_in_order": "integer results", "set_of_both": "integer results",
    "found_or_not": "values of one path are None",
}  # fmt: skip
