"""Maximum flow by Edmonds-Karp on a residual matrix, minimum cut, and flow decomposition into paths.

Edmonds & Karp (1972); Ford & Fulkerson (1956).
"""
from collections import deque
from typing import NamedTuple

import numpy as np

EPS = 1e-12


class Edge(NamedTuple):
    tail: int
    head: int
    capacity: float


class Flow(NamedTuple):
    value: float
    matrix: np.ndarray
    cut: tuple
    cut_capacity: float
    paths: list
    utilisation: np.ndarray


def capacity_matrix(edges, n):
    C = np.zeros((n, n))
    for k, (tail, head, cap) in enumerate(edges):
        if not (0 <= tail < n and 0 <= head < n):
            raise ValueError(f"edge {k} ({tail} -> {head}) leaves the graph of {n} nodes")
        if cap < 0:
            raise ValueError(f"edge {k} has negative capacity {cap:.3g}")
        C[tail, head] += cap
    return C


def bfs_path(residual, source, sink):
    """Shortest augmenting path as a list of nodes, or None."""
    n = len(residual)
    parent = [-1] * n
    parent[source] = source
    queue = deque([source])
    while queue:
        u = queue.popleft()
        for v in range(n):
            if parent[v] < 0 and residual[u, v] > EPS:
                parent[v] = u
                if v == sink:
                    path = [sink]
                    while path[-1] != source:
                        path.append(parent[path[-1]])
                    return path[::-1]
                queue.append(v)
    return None


def edmonds_karp(C, source, sink):
    residual = C.copy()
    value = 0.0
    while True:
        path = bfs_path(residual, source, sink)
        if path is None:
            break
        bottleneck = min(residual[u, v] for u, v in zip(path, path[1:]))
        for u, v in zip(path, path[1:]):
            residual[u, v] -= bottleneck
            residual[v, u] += bottleneck
        value += bottleneck
    return value, residual


def reachable(residual, source):
    seen = {source}

    def visit(u):
        for v in np.flatnonzero(residual[u] > EPS):
            v = int(v)
            if v not in seen:
                seen.add(v)
                visit(v)

    visit(source)
    return sorted(seen)


def decompose(F, source, sink):
    """Paths of positive flow from source to sink; cycles are left behind."""
    F = F.copy()
    paths = []
    for _ in range(F.size):
        node, path, visited = source, [source], {source}
        while node != sink:
            choices = [v for v in range(len(F)) if F[node, v] > 1e-9 and v not in visited]
            if not choices:
                break
            node = max(choices, key=lambda v: F[node, v])
            visited.add(node)
            path.append(node)
        if node != sink:
            break
        amount = min(F[u, v] for u, v in zip(path[:-1], path[1:]))
        for u, v in zip(path[:-1], path[1:]):
            F[u, v] -= amount
        paths.append((amount, path))
    return paths


def network_flow(edges, n_nodes, source=0, sink=None):
    """Maximum flow with certificate. Raises ValueError for unusable networks."""
    sink = n_nodes - 1 if sink is None else sink
    if source == sink:
        raise ValueError("source and sink coincide")
    C = capacity_matrix(edges, n_nodes)
    value, residual = edmonds_karp(C, source, sink)
    F = np.maximum(C - residual, 0.0)

    inside = reachable(residual, source)
    outside = [v for v in range(n_nodes) if v not in inside]
    cut_capacity = C[np.ix_(inside, outside)].sum()
    assert abs(cut_capacity - value) < 1e-8 * (1.0 + value), "max-flow min-cut violated"

    balance = F.sum(axis=1) - F.sum(axis=0)
    inner = np.ones(n_nodes, dtype=bool)
    inner[[source, sink]] = False
    assert np.abs(balance[inner]).max(initial=0.0) < 1e-8

    used = np.zeros(len(edges))
    for k, e in enumerate(edges):
        if C[e.tail, e.head] > 0:
            used[k] = F[e.tail, e.head] / C[e.tail, e.head]
    paths = decompose(F, source, sink)
    return Flow(value, F, tuple(inside), cut_capacity, [amount for amount, _ in paths], used)


ENTRY = "network_flow"


def make_arguments(rng, n):
    nodes = n + 2
    edges = [Edge(i, i + 1, float(rng.uniform(1, 3))) for i in range(nodes - 1)]
    for _ in range(2 * n):
        u, v = (int(z) for z in rng.integers(0, nodes, size=2))
        if u != v:
            edges.append(Edge(u, v, float(rng.uniform(0.5, 2.0))))
    return (edges, nodes)


GRADIENT = ("edges",)
ERRORS = [
    (lambda rng, n: ([Edge(0, 99, 1.0)], n + 2), ValueError),
    (lambda rng, n: ([Edge(0, 1, 1.0)], n + 2, 0, 0), ValueError),
]
