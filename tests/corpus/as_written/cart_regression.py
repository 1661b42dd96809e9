"""Regression tree by recursive partitioning (CART), cost-complexity pruning, and permutation importance.

Breiman, Friedman, Olshen & Stone (1984).
"""
from collections import namedtuple

import numpy as np

Split = namedtuple("Split", "feature threshold gain")


def sse(y):
    return float(np.sum((y - y.mean()) ** 2)) if len(y) else 0.0


def candidate_thresholds(column):
    values = np.unique(column)
    return (values[1:] + values[:-1]) / 2


def best_split(X, y, min_leaf):
    best = None
    parent = sse(y)
    for feature in range(X.shape[1]):
        for threshold in candidate_thresholds(X[:, feature]):
            left = X[:, feature] <= threshold
            if left.sum() < min_leaf or (~left).sum() < min_leaf:
                continue
            gain = parent - sse(y[left]) - sse(y[~left])
            if best is None or gain > best.gain + 1e-12:
                best = Split(feature, threshold, gain)
    return best


class Node:
    def __init__(self, value, n, impurity):
        self.value = value
        self.n = n
        self.impurity = impurity
        self.split = None
        self.left = None
        self.right = None

    @property
    def is_leaf(self):
        return self.split is None

    def leaves(self):
        return 1 if self.is_leaf else self.left.leaves() + self.right.leaves()

    def risk(self):
        return self.impurity if self.is_leaf else self.left.risk() + self.right.risk()


class RegressionTree:
    def __init__(self, max_depth=3, min_leaf=2, min_gain=1e-8):
        self.max_depth = max_depth
        self.min_leaf = min_leaf
        self.min_gain = min_gain
        self.root = None

    def fit(self, X, y):
        if len(X) != len(y):
            raise ValueError(f"{len(X)} rows but {len(y)} targets")
        self.root = self._grow(X, y, 0)
        return self

    def _grow(self, X, y, depth):
        node = Node(float(y.mean()), len(y), sse(y))
        if depth >= self.max_depth or len(y) < 2 * self.min_leaf:
            return node
        split = best_split(X, y, self.min_leaf)
        if split is None or split.gain < self.min_gain:
            return node
        mask = X[:, split.feature] <= split.threshold
        node.split = split
        node.left = self._grow(X[mask], y[mask], depth + 1)
        node.right = self._grow(X[~mask], y[~mask], depth + 1)
        return node

    def predict_one(self, x):
        node = self.root
        while not node.is_leaf:
            node = node.left if x[node.split.feature] <= node.split.threshold else node.right
        return node.value

    def predict(self, X):
        return np.array([self.predict_one(x) for x in X])

    def prune(self, alpha):
        self.root = self._prune(self.root, alpha)

    def _prune(self, node, alpha):
        if node.is_leaf:
            return node
        node.left = self._prune(node.left, alpha)
        node.right = self._prune(node.right, alpha)
        if node.impurity - node.risk() <= alpha * (node.leaves() - 1):
            node.split = node.left = node.right = None
        return node


def importance(tree, X, y):
    base = np.mean((tree.predict(X) - y) ** 2)
    scores = []
    for j in range(X.shape[1]):
        shuffled = X.copy()
        shuffled[:, j] = X[::-1, j]
        scores.append(np.mean((tree.predict(shuffled) - y) ** 2) - base)
    return np.array(scores)


def fit_and_score(X, y, X_new, max_depth=3, alpha=0.05):
    """Predictions, leaves before and after pruning, R squared, importance of each feature."""
    tree = RegressionTree(max_depth=max_depth).fit(X, y)
    grown = tree.root.leaves()
    tree.prune(alpha)
    fitted = tree.predict(X)
    total = sse(y)
    if total == 0.0:
        raise ZeroDivisionError("targets are all equal")
    r2 = 1.0 - np.sum((y - fitted) ** 2) / total
    return tree.predict(X_new), grown, tree.root.leaves(), r2, importance(tree, X, y)


ENTRY = "fit_and_score"


def make_arguments(rng, n):
    X = rng.normal(size=(4 * n, 3))
    y = np.where(X[:, 0] > 0, 2.0, -1.0) + 0.5 * X[:, 1] + 0.1 * rng.normal(size=4 * n)
    return X, y, rng.normal(size=(n, 3))


GRADIENT = ()
ERRORS = [(lambda rng, n: (np.ones((4, 2)), np.ones(3), np.ones((1, 2))), ValueError)]
