"""Adaptive echo cancellation with LMS, normalised LMS and RLS filters.

Haykin, "Adaptive Filter Theory". Each filter is a class with `update(window, desired)`.
"""
from abc import ABC, abstractmethod

import numpy as np


class AdaptiveFilter(ABC):
    name = "base"

    def __init__(self, n_taps):
        if n_taps < 1:
            raise ValueError(f"{self.name}: at least one tap is needed, got {n_taps}")
        self.w = np.zeros(n_taps)

    def predict(self, u):
        return float(self.w @ u)

    @abstractmethod
    def update(self, u, d):
        """Adapt to one sample and return the a-priori error."""

    def __repr__(self):
        return f"{type(self).__name__}(taps={len(self.w)})"


class LMS(AdaptiveFilter):
    name = "lms"

    def __init__(self, n_taps, mu):
        super().__init__(n_taps)
        self.mu = mu

    def update(self, u, d):
        e = d - self.w @ u
        self.w = self.w + self.mu * e * u
        return e


class NLMS(LMS):
    name = "nlms"

    def __init__(self, n_taps, mu, eps=1e-3):
        super().__init__(n_taps, mu)
        self.eps = eps

    def update(self, u, d):
        e = d - self.w @ u
        self.w += self.mu / (self.eps + u @ u) * e * u
        return e


class RLS(AdaptiveFilter):
    name = "rls"

    def __init__(self, n_taps, forgetting, delta=10.0):
        super().__init__(n_taps)
        self.lam = forgetting
        self.P = delta * np.eye(n_taps)

    def update(self, u, d):
        Pu = self.P @ u
        gain = Pu / (self.lam + u @ Pu)
        e = d - self.w @ u
        self.w += gain * e
        self.P = (self.P - np.outer(gain, Pu)) / self.lam
        return e


def windows(x, n_taps):
    """Most recent sample first, zeros before the start."""
    padded = np.concatenate([np.zeros(n_taps - 1), x])
    for k in range(len(x)):
        yield padded[k:k + n_taps][::-1]


def run_filter(filt, x, d):
    errors = []
    for u, target in zip(windows(x, len(filt.w)), d):
        errors.append(filt.update(u, target))
    return np.array(errors)


def misalignment(w, h):
    """Normalised coefficient error in dB."""
    m = max(len(w), len(h))
    diff = np.zeros(m)
    diff[:len(w)] += w
    diff[:len(h)] -= h
    return 10.0 * np.log10(np.sum(diff ** 2) / np.sum(h ** 2) + 1e-12)


def smooth_curve(values, width):
    if width <= 1:
        return values
    c = np.cumsum(np.concatenate([[0.0], values]))
    return (c[width:] - c[:-width]) / width


def cancel_echo(far_end, echo_path, near_end, options):
    """Compare the three filters on the same microphone signal.

    options: dict with 'taps', 'mu', 'mu_normalised', 'forgetting'.
    Returns, per filter, final mean squared error and misalignment, and learning curves.
    """
    if len(far_end) != len(near_end):
        raise ValueError(f"signals of {len(far_end)} and {len(near_end)} samples")
    if not 0.5 < options["forgetting"] <= 1.0:
        raise ValueError(f"forgetting factor {options['forgetting']} out of (0.5, 1]")
    microphone = np.convolve(far_end, echo_path)[:len(far_end)] + near_end

    taps = options["taps"]
    filters = [
        LMS(taps, options["mu"]),
        NLMS(taps, options["mu_normalised"]),
        RLS(taps, options["forgetting"]),
    ]
    mse, curves, final = {}, {}, {}
    tail = max(1, len(far_end) // 4)
    for filt in filters:
        e = run_filter(filt, far_end, microphone)
        mse[filt.name] = np.mean(e[-tail:] ** 2)
        curves[filt.name] = smooth_curve(e ** 2, min(8, len(e)))
        final[filt.name] = misalignment(filt.w, echo_path)
    best = min(mse, key=mse.get)
    power = np.mean(microphone[-tail:] ** 2)
    return {
        "erle_db": 10.0 * np.log10(power / (mse[best] + 1e-12)),
        "mse": mse,
        "misalignment_db": final,
        "curves": curves,
        "prediction": filters[-1].predict(far_end[-1:-taps - 1:-1]),
    }


ENTRY = "cancel_echo"


def make_arguments(rng, n):
    samples = 30 + 10 * n
    options = {"taps": 4, "mu": 0.05, "mu_normalised": 0.5, "forgetting": 0.98}
    return (rng.standard_normal(samples), np.array([0.8, -0.4, 0.2, 0.1]), 0.02 * rng.standard_normal(samples), options)


GRADIENT = ("far_end", "echo_path", "options")
_OPT = {"taps": 4, "mu": 0.05, "mu_normalised": 0.5, "forgetting": 0.98}
ERRORS = [
    (lambda rng, n: (np.ones(n + 9), np.ones(2), np.ones(n), _OPT), ValueError),
    (lambda rng, n: (np.ones(n + 9), np.ones(2), np.ones(n + 9), {**_OPT, "taps": 0}), ValueError),
]
