"""Moments, likelihoods, regression and robust estimates."""

import math

import numpy as np


def standardize(x):
    """Shift and scale to mean 0 and standard deviation 1."""
    centred = x - np.mean(x)
    return centred / np.sqrt(np.mean(centred**2))


def weighted_moments(x, weights):
    """Weighted mean and variance."""
    mean = np.sum(weights * x)
    variance = np.sum(weights * (x - mean) ** 2)
    return mean, variance


def welford(x):
    """Mean and variance in one pass over the data."""
    mean, spread = 0.0, 0.0
    for i, value in enumerate(x):
        gap = value - mean
        mean += gap / (i + 1)
        spread += gap * (value - mean)
    return mean, spread / len(x)


def covariance_matrix(features):
    """Sample covariance of the columns."""
    centred = features - features.mean(axis=0)
    return centred.T @ centred / (len(features) - 1)


def pearson_correlation(x, y):
    dx, dy = x - x.mean(), y - y.mean()
    return np.sum(dx * dy) / np.sqrt(np.sum(dx * dx) * np.sum(dy * dy))


def simple_regression(x, y):
    """Slope, intercept and residual variance of a least-squares line."""
    slope = np.sum((x - np.mean(x)) * (y - np.mean(y))) / np.sum((x - np.mean(x)) ** 2)
    intercept = np.mean(y) - slope * np.mean(x)
    residual = y - slope * x - intercept
    return slope, intercept, np.mean(residual**2)


def gaussian_log_likelihood(x, a, sigma):
    z = (x - a) / sigma
    return -0.5 * np.sum(z * z) - len(x) * math.log(sigma * math.sqrt(2.0 * math.pi))


def mixture_log_likelihood(x, alpha, a, b):
    """Two unit normals at a and -b, mixed in proportion alpha."""
    first = math.log(alpha) - 0.5 * (x - a) ** 2
    second = math.log(1.0 - alpha) - 0.5 * (x + b) ** 2
    return np.sum(np.logaddexp(first, second)) - 0.5 * len(x) * math.log(2.0 * math.pi)


def moving_averages(x, alpha):
    """Exponentially weighted mean and variance at every time."""
    mean, variance = x[0], 0.0
    out = np.zeros((2, len(x)))
    out[0, 0] = mean
    for i in range(1, len(x)):
        gap = x[i] - mean
        mean = mean + alpha * gap
        variance = (1.0 - alpha) * (variance + alpha * gap * gap)
        out[0, i] = mean
        out[1, i] = variance
    return out


def autocovariance(x):
    """Biased autocovariance at every lag."""
    n = len(x)
    centred = x - np.mean(x)
    out = np.zeros(n)
    for lag in range(n):
        for i in range(n - lag):
            out[lag] += centred[i] * centred[i + lag]
    return out / n


def kernel_density(x, y, b):
    """Gaussian kernel estimate of the density of the samples x at the points y."""
    z = (y[:, None] - x[None, :]) / b
    return np.exp(-0.5 * z * z).sum(axis=1) / (len(x) * b * math.sqrt(2.0 * math.pi))


def trimmed_mean(x):
    """Mean without the smallest and the largest value, found by counting ranks."""
    total, count = 0.0, 0
    for value in x:
        rank = np.sum(x < value)
        if 0 < rank < len(x) - 1:
            total += value
            count += 1
    return total / count


def huber_location(x, b, n_steps):
    """Robust centre by iterated reweighting: far points count less."""
    centre = np.mean(x)
    for _ in range(n_steps):
        distance = np.abs(x - centre)
        weight = np.where(distance <= b, 1.0, b / distance)
        centre = np.sum(weight * x) / np.sum(weight)
    return centre


def kolmogorov_smirnov(x, y):
    """Largest gap between two empirical distribution functions."""
    largest = 0.0
    for value in np.concatenate([x, y]):
        gap = abs(np.mean(x <= value) - np.mean(y <= value))
        largest = max(largest, gap)
    return largest


def relative_entropy(p, q):
    """Kullback-Leibler divergence of two vectors of counts."""
    first, second = p / p.sum(), q / q.sum()
    return np.sum(first * (np.log(first) - np.log(second)))


def power_means(p):
    """Harmonic, geometric and arithmetic means by name."""
    return {
        "harmonic": len(p) / np.sum(1.0 / p),
        "geometric": np.exp(np.mean(np.log(p))),
        "arithmetic": np.mean(p),
    }


def skewness_and_kurtosis(x):
    centred = x - x.mean()
    variance = np.mean(centred**2)
    return np.mean(centred**3) / variance**1.5, np.mean(centred**4) / variance**2 - 3.0


def one_way_f_ratio(features):
    """Between-group over within-group variance, one group per row."""
    n_groups, n_each = features.shape
    group_mean = features.mean(axis=1, keepdims=True)
    between = n_each * np.sum((group_mean - features.mean()) ** 2) / (n_groups - 1)
    within = np.sum((features - group_mean) ** 2) / (n_groups * (n_each - 1))
    return between / within


def jackknife_bias(p):
    """Jackknife estimate of the bias of the log of the mean."""
    n = len(p)
    total = np.sum(p)
    left_out = 0.0
    for value in p:
        left_out += math.log((total - value) / (n - 1))
    return (n - 1) * (left_out / n - math.log(total / n))


MIN_SIZE = {
    "standardize": 2,
    "huber_location": 2,
    "covariance_matrix": 2,
    "pearson_correlation": 3,
    "simple_regression": 3,
    "trimmed_mean": 3,
    "skewness_and_kurtosis": 3,
    "one_way_f_ratio": 2,
    "jackknife_bias": 2,
}

NO_GRADIENT = {"kolmogorov_smirnov": "counts only: constant between ties"}
