"""UPGMA phylogeny from aligned sequences with Jukes-Cantor distances.

Sokal & Michener (1958); Jukes & Cantor (1969). The tree is a NamedTuple of nested nodes.
"""
from typing import NamedTuple, Optional

import numpy as np


class Node(NamedTuple):
    height: float
    leaves: tuple
    left: Optional["Node"] = None
    right: Optional["Node"] = None

    @property
    def is_leaf(self):
        return self.left is None

    def __len__(self):
        return len(self.leaves)


def jukes_cantor(p):
    """Distance from the fraction of differing sites, saturating at p close to 3/4."""
    p = np.minimum(p, 0.7)
    return -0.75 * np.log(1.0 - 4.0 * p / 3.0)


def pairwise_distances(alignment, weights):
    """Weighted Hamming fraction for each pair of rows, corrected."""
    differs = alignment[:, None, :] != alignment[None, :, :]
    p = np.einsum("ijs,s->ij", differs.astype(float), weights) / weights.sum()
    return jukes_cantor(p)


def closest_pair(D):
    masked = D + np.diag(np.full(len(D), np.inf))
    flat = np.argmin(masked)
    i, j = divmod(int(flat), len(D))
    return (i, j) if i < j else (j, i)


def build_tree(D):
    """Merge the closest pair until one cluster remains; average linkage weighted by size."""
    D = D.copy()
    clusters = [Node(0.0, (i,)) for i in range(len(D))]
    merges = []
    while len(clusters) > 1:
        i, j = closest_pair(D)
        a, b = clusters[i], clusters[j]
        height = D[i, j] / 2.0
        merged = Node(height, a.leaves + b.leaves, a, b)
        merges.append(height)

        new_row = (len(a) * D[i] + len(b) * D[j]) / (len(a) + len(b))
        D[i, :] = new_row
        D[:, i] = new_row
        D[i, i] = 0.0
        keep = [k for k in range(len(D)) if k != j]
        D = D[np.ix_(keep, keep)]
        clusters[i] = merged
        del clusters[j]
    return clusters[0], np.array(merges)


def total_length(node):
    if node.is_leaf:
        return 0.0
    length = (node.height - node.left.height) + (node.height - node.right.height)
    return length + total_length(node.left) + total_length(node.right)


def cophenetic(node, n):
    """Matrix of path lengths in the ultrametric tree."""
    C = np.zeros((n, n))

    def visit(v):
        if v.is_leaf:
            return
        for p in v.left.leaves:
            for q in v.right.leaves:
                C[p, q] = C[q, p] = 2.0 * v.height
        visit(v.left)
        visit(v.right)

    visit(node)
    return C


def depth(node):
    return 0 if node.is_leaf else 1 + max(depth(node.left), depth(node.right))


def phylogeny(alignment, site_weights):
    """Tree length, merge heights, leaf order, cophenetic matrix and its correlation with the data."""
    alignment = np.asarray(alignment)
    n_taxa, n_sites = alignment.shape
    if n_taxa < 3:
        raise ValueError(f"need at least three taxa, got {n_taxa}")
    if site_weights.shape != (n_sites,):
        raise ValueError(f"{n_sites} sites but {len(site_weights)} weights")
    assert np.all(site_weights > 0), "weights must be positive"

    D = pairwise_distances(alignment, site_weights)
    root, heights = build_tree(D)
    C = cophenetic(root, n_taxa)
    upper = np.triu_indices(n_taxa, k=1)
    d, c = D[upper] - D[upper].mean(), C[upper] - C[upper].mean()
    denominator = np.sqrt((d @ d) * (c @ c))
    corr = (d @ c) / denominator if denominator > 0 else 1.0
    return {
        "tree_length": total_length(root),
        "heights": heights,
        "order": np.array(root.leaves),
        "cophenetic": C,
        "correlation": corr,
        "depth": depth(root),
    }


ENTRY = "phylogeny"


def make_arguments(rng, n):
    sites = 40
    ancestor = rng.integers(0, 4, size=sites)
    rows = []
    for _ in range(n):
        mutated = rng.random(sites) < rng.uniform(0.1, 0.4)
        rows.append(np.where(mutated, rng.integers(0, 4, size=sites), ancestor))
    return (np.array(rows), rng.uniform(0.5, 2.0, size=sites))


GRADIENT = ("site_weights",)
ERRORS = [
    (lambda rng, n: (rng.integers(0, 4, size=(2, 10)), np.ones(10)), ValueError),
    (lambda rng, n: (rng.integers(0, 4, size=(n + 1, 10)), np.ones(9)), ValueError),
]
