"""The likelihood of a phylogenetic tree by Felsenstein's pruning, recursive over a tree of tuples, rates in classes.

Felsenstein, *Inferring Phylogenies*, ch. 16; Yang (1994) for the gamma classes.
"""
from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm
from scipy.stats import gamma


@dataclass
class Node:
    length: float
    leaf: int
    children: tuple


def rate_matrix(kappa, pi):
    """HKY85, scaled to one substitution for each unit of length; the order of the bases is ACGT."""
    Q = np.tile(pi, (4, 1))
    transitions = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]])
    Q = np.where(transitions == 1, kappa * Q, Q)
    Q[np.diag_indices(4)] = 0.0
    Q -= np.diag(Q.sum(axis=1))
    return Q / -np.sum(pi * np.diag(Q))


def gamma_rates(alpha, k):
    quantiles = (np.arange(k) + 0.5) / k
    rates = gamma.ppf(quantiles, alpha, scale=1 / alpha)
    return rates / rates.mean()


def partials(node, alignment, Q, rate):
    if node.leaf >= 0:
        return np.eye(4)[alignment[node.leaf]]
    result = np.ones((alignment.shape[1], 4))
    for child in node.children:
        P = expm(Q * child.length * rate)
        result = result * (partials(child, alignment, Q, rate) @ P.T)
    return result


def log_likelihood(tree, alignment, kappa, pi, alpha, n_classes):
    if abs(np.sum(pi) - 1) > 1e-9:
        raise ValueError("frequencies do not sum to one")
    Q = rate_matrix(kappa, pi)
    site = np.zeros(alignment.shape[1])
    for rate in gamma_rates(alpha, n_classes):
        site += partials(tree, alignment, Q, rate) @ pi / n_classes
    return np.sum(np.log(site)), site


ENTRY = "log_likelihood"


def make_arguments(rng, n):
    leaf = lambda i, t: Node(t, i, ())  # noqa: E731
    right = Node(0.15, -1, (leaf(2, 0.1), Node(0.05, -1, (leaf(3, 0.2), leaf(4, 0.4)))))
    tree = Node(0.0, -1, (Node(0.1, -1, (leaf(0, 0.2), leaf(1, 0.3))), right))
    base = rng.integers(0, 4, size=4 * n)
    alignment = np.where(rng.random((5, 4 * n)) < 0.2, rng.integers(0, 4, size=(5, 4 * n)), base)
    return tree, alignment, 2.5, np.array([0.3, 0.2, 0.25, 0.25]), 0.7, 3


GRADIENT = ("kappa", "alpha")
ERRORS = [(lambda rng, n: (*make_arguments(rng, n)[:3], np.ones(4), 0.7, 3), ValueError)]
