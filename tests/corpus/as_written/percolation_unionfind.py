"""Site percolation and conductance of a random resistor network.

Union-find with path compression (Newman & Ziff 2001) adds sites in the order of
given keys; the spanning cluster's conductance solves Kirchhoff's equations
(Kirkpatrick 1973).
"""
from collections import Counter
from typing import NamedTuple

import numpy as np


class UnionFind:
    def __init__(self, n):
        self.parent = list(range(n))
        self.size = [1] * n

    def find(self, i):
        if self.parent[i] != i:
            self.parent[i] = self.find(self.parent[i])
        return self.parent[i]

    def union(self, i, j):
        a, b = self.find(i), self.find(j)
        if a == b:
            return False
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.parent[b] = a
        self.size[a] += self.size[b]
        return True

    def connected(self, i, j):
        return self.find(i) == self.find(j)


class Sweep(NamedTuple):
    threshold: float
    largest: np.ndarray
    susceptibility: np.ndarray
    step: int


def neighbours(site, L):
    i, j = divmod(site, L)
    if i > 0:
        yield site - L
    if i < L - 1:
        yield site + L
    if j > 0:
        yield site - 1
    if j < L - 1:
        yield site + 1


def newman_ziff(keys):
    """Open sites from the smallest key up; virtual nodes for the top and bottom rows."""
    L = keys.shape[0]
    n = L * L
    order = np.argsort(keys, axis=None)
    uf = UnionFind(n + 2)
    top, bottom = n, n + 1
    is_open = [False] * n
    largest, second = [], []
    cluster_sq, biggest = 0, 0
    crossing = None
    for step, site in enumerate(int(k) for k in order):
        is_open[site] = True
        cluster_sq += 1
        for nb in neighbours(site, L):
            if not is_open[nb]:
                continue
            a, b = uf.find(site), uf.find(nb)
            if a != b:
                cluster_sq += 2 * real_size(uf, a, top, bottom) * real_size(uf, b, top, bottom)
                uf.union(a, b)
        if site < L:
            uf.union(site, top)
        if site >= n - L:
            uf.union(site, bottom)
        biggest = max(biggest, real_size(uf, uf.find(site), top, bottom))
        largest.append(biggest / n)
        second.append((cluster_sq - biggest ** 2) / n)
        if crossing is None and uf.connected(top, bottom):
            crossing = step
    return Sweep(keys.ravel()[order[crossing]], np.array(largest), np.array(second), crossing)


def real_size(uf, root, *virtual):
    return uf.size[root] - sum(1 for v in virtual if uf.find(v) == root)


def label_clusters(open_sites):
    """Flood fill with an explicit stack; labels from 1, zero where closed."""
    L = len(open_sites)
    labels = np.zeros((L, L), dtype=int)
    current = 0
    for start in np.argwhere(open_sites):
        if labels[tuple(start)]:
            continue
        current += 1
        stack = [tuple(start)]
        while stack:
            i, j = stack.pop()
            if labels[i, j]:
                continue
            labels[i, j] = current
            for nb in neighbours(i * L + j, L):
                a, b = divmod(nb, L)
                if open_sites[a, b] and not labels[a, b]:
                    stack.append((a, b))
    return labels


def conductance(open_sites, sigma):
    """Two-terminal conductance top to bottom; bonds carry the harmonic mean of site values."""
    L = len(open_sites)
    labels = label_clusters(open_sites)
    spanning = set(labels[0]) & set(labels[-1]) - {0}
    nodes = [int(s) for s in np.flatnonzero(np.isin(labels.ravel(), sorted(spanning)))]
    if not nodes:
        return 0.0, 0
    index = {site: k for k, site in enumerate(nodes)}
    flat = sigma.ravel()
    K = np.zeros((len(nodes), len(nodes)))
    rhs = np.zeros(len(nodes))
    for site, k in index.items():
        for nb in neighbours(site, L):
            if nb in index:
                g = 2.0 * flat[site] * flat[nb] / (flat[site] + flat[nb])
                K[k, k] += g
                K[k, index[nb]] -= g
        if site < L:                      # contact at unit potential
            K[k, k] += flat[site]
            rhs[k] += flat[site]
        if site >= L * (L - 1):           # grounded contact
            K[k, k] += flat[site]
    V = np.linalg.solve(K, rhs)
    current = sum(flat[s] * (1.0 - V[k]) for s, k in index.items() if s < L)
    return current, len(nodes)


def percolate(keys, sigma, occupation=0.7):
    """Returns (conductance, threshold, S(p), susceptibility peak, cluster-size histogram)."""
    if keys.ndim != 2 or keys.shape[0] != keys.shape[1]:
        raise ValueError(f"keys must be square, got {keys.shape}")
    if sigma.shape != keys.shape or np.any(sigma <= 0):
        raise ValueError("sigma must be positive and of the same shape as keys")
    sweep = newman_ziff(keys)
    # never below the crossing so that some path conducts
    level = max(occupation, float(sweep.threshold))
    open_sites = keys <= level
    G, backbone = conductance(open_sites, sigma)
    sizes = Counter(label_clusters(open_sites)[open_sites].tolist())
    histogram = Counter(sizes.values())
    table = np.array(sorted(histogram.items()))
    return {"conductance": G,
            "threshold": float(sweep.threshold),
            "largest": sweep.largest,
            "peak_susceptibility": sweep.susceptibility.max(),
            "fraction_spanning": backbone / keys.size,
            "size_table": table}


ENTRY = "percolate"


def make_arguments(rng, n):
    return (rng.uniform(size=(n, n)), rng.uniform(0.5, 2.0, size=(n, n)), 0.7)


GRADIENT = ("sigma",)
ERRORS = [(lambda rng, n: (rng.uniform(size=(n, n + 1)), np.ones((n, n + 1))), ValueError),
          (lambda rng, n: (rng.uniform(size=(n, n)), np.zeros((n, n))), ValueError)]
