"""Radix-2 FFT by recursion on (real, imaginary) pairs, and three uses of it.

Cooley & Tukey (1965). Arbitrary lengths are zero-padded to a power of two; periodogram with
Hann window, fast convolution, and autocorrelation by Wiener-Khinchin.
"""
import numpy as np


def next_power_of_two(n):
    p = 1
    while p < n:
        p *= 2
    return p


def fft_pair(re, im):
    """Decimation in time; arguments of length 2^k."""
    n = len(re)
    if n == 1:
        return re, im
    even_re, even_im = fft_pair(re[0::2], im[0::2])
    odd_re, odd_im = fft_pair(re[1::2], im[1::2])
    angle = -2.0 * np.pi * np.arange(n // 2) / n
    c, s = np.cos(angle), np.sin(angle)
    t_re = c * odd_re - s * odd_im
    t_im = s * odd_re + c * odd_im
    return (np.concatenate([even_re + t_re, even_re - t_re]),
            np.concatenate([even_im + t_im, even_im - t_im]))


def ifft_pair(re, im):
    """Inverse by swapping the parts."""
    n = len(re)
    out_im, out_re = fft_pair(im, re)
    return out_re / n, out_im / n


def zero_pad(x, n):
    padded = np.zeros(n)
    padded[:len(x)] = x
    return padded


def real_fft(x, n=None):
    n = next_power_of_two(len(x)) if n is None else n
    return fft_pair(zero_pad(x, n), np.zeros(n))


def fast_convolution(x, h):
    full = len(x) + len(h) - 1
    n = next_power_of_two(full)
    (xr, xi), (hr, hi) = real_fft(x, n), real_fft(h, n)
    y, _ = ifft_pair(xr * hr - xi * hi, xr * hi + xi * hr)
    return y[:full]


def autocorrelation(x, max_lag):
    """Biased estimate, normalised to one at lag zero."""
    n = next_power_of_two(2 * len(x))
    re, im = real_fft(x - x.mean(), n)
    r, _ = ifft_pair(re ** 2 + im ** 2, np.zeros(n))
    return r[:max_lag + 1] / r[0]


def periodogram(x, rate):
    n = len(x)
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * (np.arange(n) + 0.5) / n)
    re, im = real_fft((x - np.mean(x)) * window)
    size = len(re)
    power = (re ** 2 + im ** 2) / (rate * np.sum(window ** 2))
    half = power[:size // 2 + 1].copy()
    half[1:-1] *= 2.0
    freqs = np.arange(size // 2 + 1) * rate / size
    return freqs, half


def parabolic_peak(freqs, power):
    """Peak of the log spectrum by three-point interpolation."""
    k = int(np.argmax(power[1:-1])) + 1
    a, b, c = np.log(power[k - 1:k + 2] + 1e-30)
    curvature = a - 2 * b + c
    delta = 0.0 if abs(curvature) < 1e-12 else 0.5 * (a - c) / curvature
    return freqs[k] + np.clip(delta, -0.5, 0.5) * (freqs[1] - freqs[0])


def spectral_summary(x, kernel, rate, max_lag=None):
    """Periodogram, dominant frequency, spectral centroid, smoothed signal and autocorrelation."""
    x = np.asarray(x, dtype=float)
    if x.ndim != 1:
        raise ValueError("a one-dimensional signal is needed")
    if len(x) < 8:
        raise ValueError(f"signal of {len(x)} samples is too short")
    if rate <= 0:
        raise ValueError(f"sampling rate {rate} must be positive")
    if max_lag is None:
        max_lag = len(x) // 2

    freqs, power = periodogram(x, rate)
    total = np.sum(power)
    centroid = np.sum(freqs * power) / total
    spread = np.sqrt(np.sum((freqs - centroid) ** 2 * power) / total)
    cumulative = np.cumsum(power) / total
    rolloff = freqs[np.searchsorted(cumulative, 0.85)]
    return {
        "centroid": centroid,
        "spread": spread,
        "peak": parabolic_peak(freqs, power),
        "rolloff": rolloff,
        "power": power,
        "smoothed": fast_convolution(x, kernel / np.sum(kernel)),
        "autocorrelation": autocorrelation(x, max_lag),
    }


ENTRY = "spectral_summary"


def make_arguments(rng, n):
    t = np.arange(8 * n) / 100.0
    x = np.sin(2 * np.pi * 17.0 * t) + 0.4 * np.sin(2 * np.pi * 31.0 * t) + 0.2 * rng.standard_normal(t.size)
    return (x, np.array([1.0, 2.0, 3.0, 2.0, 1.0]), 100.0)


GRADIENT = ("x", "rate")
ERRORS = [
    (lambda rng, n: (np.ones(5), np.ones(3), 100.0), ValueError),
    (lambda rng, n: (np.ones((8, 8)), np.ones(3), 100.0), ValueError),
]
