"""Bootstrap confidence intervals (percentile, basic, BCa) from given resampling indices.

Efron & Tibshirani, *An Introduction to the Bootstrap*, ch. 14.
"""
from math import erf, exp, pi, sqrt

import numpy as np


def norm_cdf(x):
    return 0.5 * (1.0 + erf(x / sqrt(2.0)))


def norm_ppf(p, tol=1e-12):
    """Inverse normal cdf: Newton on the cdf with bisection safeguards."""
    if not 0.0 < p < 1.0:
        raise ValueError(f"p must be in (0, 1), got {p}")
    lo, hi, x = -10.0, 10.0, 0.0
    for _ in range(100):
        err = norm_cdf(x) - p
        if abs(err) < tol:
            break
        if err > 0:
            hi = x
        else:
            lo = x
        x_new = x - err / (exp(-0.5 * x * x) / sqrt(2 * pi))
        x = x_new if lo < x_new < hi else 0.5 * (lo + hi)
    return x


def quantile(sorted_values, q):
    """Linear interpolation between order statistics (type 7)."""
    n = len(sorted_values)
    pos = q * (n - 1)
    k = min(int(pos), n - 2) if n > 1 else 0
    if n == 1:
        return sorted_values[0]
    frac = pos - k
    return sorted_values[k] * (1 - frac) + sorted_values[k + 1] * frac


def jackknife(data, stat):
    n = len(data)
    keep = ~np.eye(n, dtype=bool)
    return np.array([stat(data[row]) for row in keep])


def correlation(xy):
    x, y = xy[:, 0], xy[:, 1]
    xc, yc = x - x.mean(), y - y.mean()
    return np.sum(xc * yc) / np.sqrt(np.sum(xc ** 2) * np.sum(yc ** 2) + 1e-12)


def trimmed_mean(xy, cut=0.1):
    values = np.sort(xy[:, 1])
    k = int(cut * len(values))
    return values[k:len(values) - k].mean()


STATISTICS = {"correlation": correlation,
              "trimmed_mean": trimmed_mean,
              "ratio": lambda xy: xy[:, 1].mean() / xy[:, 0].mean()}


def bca_interval(data, indices, statistic="correlation", alpha=0.1):
    """Return (estimate, bias, std error, dict of intervals)."""
    if statistic not in STATISTICS:
        raise ValueError(f"unknown statistic {statistic!r}")
    stat = STATISTICS[statistic]
    data = np.asarray(data, dtype=float)
    n = len(data)
    if n < 3:
        raise ValueError(f"too few observations: {n}")
    if indices.min() < 0 or indices.max() >= n:
        raise ValueError("resampling index out of range")

    theta_hat = stat(data)
    reps = []
    for row in indices:
        sample = data[row]
        if np.ptp(sample[:, 0]) == 0.0:        # degenerate resample
            continue
        reps.append(stat(sample))
    reps = np.sort(np.array(reps))
    B = len(reps)
    se = reps.std(ddof=1)
    bias = reps.mean() - theta_hat

    lo, hi = quantile(reps, alpha / 2), quantile(reps, 1 - alpha / 2)
    intervals = {"percentile": np.array([lo, hi]),
                 "basic": np.array([2 * theta_hat - hi, 2 * theta_hat - lo])}

    # BCa: bias correction and acceleration
    below = np.count_nonzero(reps < theta_hat) + 0.5 * np.count_nonzero(reps == theta_hat)
    z0 = norm_ppf(min(max(below / B, 0.5 / B), 1 - 0.5 / B))
    jack = jackknife(data, stat)
    d = jack.mean() - jack
    accel = np.sum(d ** 3) / (6.0 * np.sum(d ** 2) ** 1.5 + 1e-300)
    ends = []
    for z_a in (norm_ppf(alpha / 2), norm_ppf(1 - alpha / 2)):
        adj = z0 + (z0 + z_a) / (1 - accel * (z0 + z_a))
        ends.append(quantile(reps, norm_cdf(adj)))
    intervals["bca"] = np.array(ends)
    return theta_hat, bias, se, intervals


ENTRY = "bca_interval"


def make_arguments(rng, n):
    x = rng.normal(size=n + 3)
    y = 0.6 * x + 0.8 * rng.normal(size=n + 3)
    indices = rng.integers(0, n + 3, size=(20 * n + 20, n + 3))
    return (np.column_stack([x, y]), indices, "correlation", 0.1)


GRADIENT = ("data",)
ERRORS = [(lambda rng, n: (rng.normal(size=(n, 2)), np.full((10, n), n)), ValueError),
          (lambda rng, n: (rng.normal(size=(n, 2)), np.zeros((10, n), dtype=int), "kurtosis"), ValueError)]
