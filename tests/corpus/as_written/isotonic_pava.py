"""Isotonic regression by pool-adjacent-violators, with calibration diagnostics.

Barlow et al. (1972); also the smoothed variant by averaging over bandwidths of
monotone spline interpolation (Fritsch & Carlson 1980).
"""
from dataclasses import dataclass

import numpy as np


@dataclass
class Block:
    value: float
    weight: float
    count: int

    def merge(self, other):
        w = self.weight + other.weight
        v = (self.value * self.weight + other.value * other.weight) / w
        return Block(v, w, self.count + other.count)


def pava(y, w):
    """Weighted least-squares non-decreasing fit, O(n) with a stack of blocks."""
    stack = []
    for yi, wi in zip(y, w):
        block = Block(yi, wi, 1)
        while stack and stack[-1].value >= block.value:
            block = stack.pop().merge(block)
        stack.append(block)
    fitted = []
    for b in stack:
        fitted.extend([b.value] * b.count)
    return np.array(fitted), stack


def block_knots(x, blocks):
    """Centre of every block on the x axis and its level."""
    xs, vs = [], []
    start = 0
    for b in blocks:
        stop = start + b.count
        xs.append(x[start:stop].mean())
        vs.append(b.value)
        start = stop
    return np.array(xs), np.array(vs)


def fritsch_carlson_slopes(x, y):
    n = len(x)
    if n == 1:
        return np.zeros(1)
    h = np.diff(x)
    delta = np.diff(y) / h
    m = np.empty(n)
    m[0], m[-1] = delta[0], delta[-1]
    for i in range(1, n - 1):
        if delta[i - 1] * delta[i] <= 0:
            m[i] = 0.0
        else:
            w1, w2 = 2 * h[i] + h[i - 1], h[i] + 2 * h[i - 1]
            m[i] = (w1 + w2) / (w1 / delta[i - 1] + w2 / delta[i])
    # keep inside the monotone region
    for i, d in enumerate(delta):
        if d == 0:
            m[i] = m[i + 1] = 0.0
            continue
        a, b = m[i] / d, m[i + 1] / d
        s = a * a + b * b
        if s > 9.0:
            t = 3.0 / np.sqrt(s)
            m[i], m[i + 1] = t * a * d, t * b * d
    return m


def hermite_eval(xq, x, y, m):
    if len(x) == 1:
        return np.full_like(xq, y[0])
    q = np.clip(xq, x[0], x[-1])
    k = np.clip(np.searchsorted(x, q, side="right") - 1, 0, len(x) - 2)
    h = x[k + 1] - x[k]
    t = (q - x[k]) / h
    h00 = (1 + 2 * t) * (1 - t) ** 2
    h10 = t * (1 - t) ** 2
    h01 = t * t * (3 - 2 * t)
    h11 = t * t * (t - 1)
    return h00 * y[k] + h10 * h * m[k] + h01 * y[k + 1] + h11 * h * m[k + 1]


def isotonic_fit(x, y, weights=None, increasing=True, query=None):
    """Returns (weighted RSS, fitted values in input order, smooth curve at query, n_blocks)."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"x and y must be 1-d of equal length, got {x.shape}, {y.shape}")
    w = np.ones_like(y) if weights is None else np.asarray(weights, float)
    if np.any(w <= 0):
        raise ValueError("weights must be positive")

    order = np.argsort(x, kind="stable")
    xs, ws = x[order], w[order]
    sign = 1.0 if increasing else -1.0
    fit_sorted, blocks = pava(sign * y[order], ws)
    fit_sorted = sign * fit_sorted
    assert np.all(sign * np.diff(fit_sorted) >= 0)

    fitted = np.empty_like(y)
    fitted[order] = fit_sorted
    rss = np.sum(w * (y - fitted) ** 2)

    kx, kv = block_knots(xs, blocks)
    slopes = fritsch_carlson_slopes(kx, kv)
    if query is None:
        query = np.linspace(xs[0], xs[-1], 9)
    smooth = sign * hermite_eval(query, kx, kv, slopes)
    tss = np.sum(w * (y - np.average(y, weights=w)) ** 2)
    r2 = 1.0 - rss / tss if tss > 0 else 0.0
    return {"rss": rss, "fitted": fitted, "smooth": smooth, "r2": r2,
            "n_blocks": len(blocks), "sizes": [b.count for b in blocks]}


ENTRY = "isotonic_fit"


def make_arguments(rng, n):
    x = rng.uniform(0, 3, size=2 * n)
    y = np.log1p(x) + 0.3 * rng.normal(size=2 * n)
    return (x, y, rng.uniform(0.5, 2.0, size=2 * n), True, np.linspace(0.2, 2.8, n))


GRADIENT = ("y", "weights")
ERRORS = [(lambda rng, n: (rng.normal(size=n), rng.normal(size=n + 1)), ValueError),
          (lambda rng, n: (rng.normal(size=n), rng.normal(size=n), np.zeros(n)), ValueError)]
