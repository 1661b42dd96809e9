"""Filters, transforms and detectors for sampled signals."""

import math

import numpy as np


def convolve(x, p):
    """Full convolution."""
    out = np.zeros(len(x) + len(p) - 1)
    for i in range(len(x)):
        for j in range(len(p)):
            out[i + j] += x[i] * p[j]
    return out


def convolve_by_slices(x, p):
    """The same, a shifted copy for each tap."""
    n = len(x)
    out = np.zeros(n + len(p) - 1)
    for j in range(len(p)):
        out[j : j + n] += p[j] * x
    return out


def moving_average(x, k):
    """Mean over a window of k, by a running sum."""
    out = np.empty(len(x) - k + 1)
    total = np.sum(x[:k])
    out[0] = total / k
    for i in range(k, len(x)):
        total += x[i] - x[i - k]
        out[i - k + 1] = total / k
    return out


def discrete_fourier_transform(x):
    """Real and imaginary parts from a matrix of angles."""
    n = len(x)
    angle = -2.0 * np.pi * np.outer(np.arange(n), np.arange(n)) / n
    return np.cos(angle) @ x, np.sin(angle) @ x


def power_spectrum(x):
    """Power at each frequency up to half the sampling rate, by loops."""
    n = len(x)
    power = np.zeros(n // 2 + 1)
    for k in range(n // 2 + 1):
        real, imaginary = 0.0, 0.0
        for i in range(n):
            angle = 2.0 * math.pi * k * i / n
            real += x[i] * math.cos(angle)
            imaginary -= x[i] * math.sin(angle)
        power[k] = (real * real + imaginary * imaginary) / n
    return power


def goertzel(x, alpha):
    """Power at one frequency by a two-term recurrence."""
    twice_cosine = 2.0 * math.cos(math.pi * alpha)
    before, last = 0.0, 0.0
    for sample in x:
        before, last = last, sample + twice_cosine * last - before
    return last * last + before * before - twice_cosine * last * before


def circular_autocorrelation(x):
    n = len(x)
    out = np.empty(n)
    for shift in range(n):
        rolled = np.concatenate([x[shift:], x[:shift]])
        out[shift] = np.dot(x, rolled)
    return out


def best_lag(x, y):
    """Shift of y that agrees best with x."""
    best, best_score = 0, -np.inf
    for shift in range(len(x)):
        score = np.sum(x[shift:] * y[: len(y) - shift])
        if score > best_score:
            best, best_score = shift, score
    return best


def biquad_filter(x, forward, backward):
    """A second-order section, direct form II transposed."""
    b0, b1, b2 = forward
    a1, a2 = backward
    first, second = 0.0, 0.0
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = b0 * x[i] + first
        first = b1 * x[i] - a1 * out[i] + second
        second = b2 * x[i] - a2 * out[i]
    return out


def one_pole_forward_and_back(x, alpha):
    """A smoothing filter run both ways, so that nothing is delayed."""
    y = x.copy()
    for i in range(1, len(y)):
        y[i] = alpha * y[i] + (1.0 - alpha) * y[i - 1]
    for i in range(len(y) - 2, -1, -1):
        y[i] = alpha * y[i] + (1.0 - alpha) * y[i + 1]
    return y


def haar_wavelet(even):
    """One level of averages and details."""
    average = (even[::2] + even[1::2]) / math.sqrt(2.0)
    detail = (even[::2] - even[1::2]) / math.sqrt(2.0)
    return average, detail


def inverse_haar_wavelet(x, y):
    """Interleave what averages x and details y stand for."""
    out = np.empty(2 * len(x))
    out[::2] = (x + y) / math.sqrt(2.0)
    out[1::2] = (x - y) / math.sqrt(2.0)
    return out


def windowed_energy(x):
    """Energy under a raised cosine window."""
    n = len(x)
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * (np.arange(n) + 0.5) / n)
    return np.sum((window * x) ** 2)


def median_of_three(x):
    """Each inner sample replaced by the median of itself and its neighbours."""
    out = x.copy()
    for i in range(1, len(x) - 1):
        low, high = min(x[i - 1], x[i]), max(x[i - 1], x[i])
        out[i] = max(low, min(high, x[i + 1]))
    return out


def count_zero_crossings(x):
    crossings = 0
    for i in range(1, len(x)):
        if x[i - 1] < 0.0 <= x[i] or x[i] < 0.0 <= x[i - 1]:
            crossings += 1
    return crossings


def peak_mask(x):
    """Whether each sample is larger than its neighbours."""
    peaks = np.zeros(len(x), dtype=bool)
    peaks[1:-1] = (x[1:-1] > x[:-2]) & (x[1:-1] > x[2:])
    return peaks


def teager_energy(x):
    """Instantaneous energy from three neighbours."""
    return x[1:-1] ** 2 - x[:-2] * x[2:]


def envelope_follower(x, alpha, beta):
    """Fast rise, slow fall."""
    level = 0.0
    envelope = np.zeros_like(x)
    for i, sample in enumerate(x):
        size = abs(sample)
        speed = alpha if size > level else 0.2 * beta
        level += speed * (size - level)
        envelope[i] = level
    return envelope


def holt_forecast(x, alpha, beta):
    """Level and trend smoothed together, and the forecast one step ahead."""
    level, trend = x[0], 0.0
    for value in x[1:]:
        before = level
        level = alpha * value + (1.0 - alpha) * (level + trend)
        trend = beta * (level - before) + (1.0 - beta) * trend
    return level + trend


def quantize(x, a):
    """To the nearest multiple of a quarter of a."""
    step = 0.25 * a
    return np.round(x / step) * step


def soft_threshold(x, alpha):
    """Shrink towards zero."""
    return np.sign(x) * np.maximum(np.abs(x) - alpha, 0.0)


def total_variation_flow(x, rate, n_steps):
    """Smooth a signal but keep its jumps."""
    u = x.copy()
    for _ in range(n_steps):
        gap = u[1:] - u[:-1]
        pull = gap / np.sqrt(gap * gap + 0.1)
        u[:-1] += rate * pull
        u[1:] -= rate * pull
    return u


def chirp_correlation(x, a, b):
    """Agreement with a tone whose frequency rises from a to a + b."""
    time = np.linspace(0.0, 1.0, len(x))
    return x @ np.sin(2.0 * np.pi * (a + 0.5 * b * time) * time)


ARGUMENTS = {
    "biquad_filter": lambda rng, n: (
        rng.standard_normal(n),
        tuple(rng.uniform(0.1, 1.0, 3).tolist()),
        tuple(rng.uniform(-0.4, 0.4, 2).tolist()),
    ),
    "haar_wavelet": lambda rng, n: (rng.standard_normal(2 * n),),
}

MIN_SIZE = {"teager_energy": 2}

NO_GRADIENT = {
    "best_lag": "an integer",
    "count_zero_crossings": "an integer",
    "peak_mask": "booleans",
    "quantize": "a staircase",
}
