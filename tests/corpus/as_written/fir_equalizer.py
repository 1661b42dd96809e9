"""Windowed-sinc FIR bank as a graphic equaliser, with overlap-add convolution.

Oppenheim & Schafer, "Discrete-Time Signal Processing", ch. 7 (Kaiser window design) and 8.
"""
from typing import NamedTuple

import numpy as np


class Band(NamedTuple):
    low: float        # Hz
    high: float       # Hz
    gain_db: float

    @property
    def gain(self):
        return 10.0 ** (self.gain_db / 20.0)


def bessel_i0(x, terms=25):
    """Power series of the modified Bessel function of order zero."""
    total = np.ones_like(x)
    term = np.ones_like(x)
    for k in range(1, terms):
        term = term * (x / (2.0 * k)) ** 2
        total = total + term
    return total


def kaiser_beta(attenuation):
    if attenuation > 50:
        return 0.1102 * (attenuation - 8.7)
    if attenuation >= 21:
        return 0.5842 * (attenuation - 21) ** 0.4 + 0.07886 * (attenuation - 21)
    return 0.0


def kaiser_window(taps, beta):
    ratio = 2.0 * np.arange(taps) / (taps - 1) - 1.0
    return bessel_i0(beta * np.sqrt(1.0 - ratio ** 2)) / bessel_i0(np.array(beta))


def lowpass_taps(cutoff, rate, taps):
    """Ideal response, truncated; sinc handles the centre tap."""
    m = np.arange(taps) - (taps - 1) / 2.0
    fc = cutoff / rate
    return 2.0 * fc * np.sinc(2.0 * fc * m)


def bandpass_taps(band, rate, taps, window):
    h = lowpass_taps(band.high, rate, taps) - lowpass_taps(band.low, rate, taps)
    return h * window


def overlap_add(x, h, block=16):
    y = np.zeros(len(x) + len(h) - 1)
    for start in range(0, len(x), block):
        chunk = x[start:start + block]
        y[start:start + len(chunk) + len(h) - 1] += np.convolve(chunk, h)
    return y


def amplitude_response(h, freqs, rate):
    """|H| at the given frequencies by direct evaluation of the transform."""
    phase = 2.0 * np.pi * np.outer(freqs, np.arange(len(h))) / rate
    re = np.cos(phase) @ h
    im = np.sin(phase) @ h
    return np.sqrt(re ** 2 + im ** 2)


def decibel(x, floor=1e-6):
    return 20.0 * np.log10(np.maximum(x, floor))


def check_bands(bands, rate):
    for i, band in enumerate(bands):
        if not 0 <= band.low < band.high:
            raise ValueError(f"band {i}: edges {band.low} and {band.high} are not in order")
        if band.high > rate / 2:
            raise ValueError(f"band {i}: {band.high:.0f} Hz is above Nyquist ({rate / 2:.0f} Hz)")


def equalise(signal, bands, rate, taps=33, attenuation=45.0):
    """Filter `signal` by the sum of the weighted band filters; the delay is removed."""
    signal = np.asarray(signal, dtype=float)
    check_bands(bands, rate)
    if taps % 2 == 0:
        raise ValueError(f"an odd number of taps is needed for a whole delay, got {taps}")

    window = kaiser_window(taps, kaiser_beta(attenuation))
    filters = [bandpass_taps(band, rate, taps, window) for band in bands]
    h = sum(band.gain * f for band, f in zip(bands, filters))
    delay = (taps - 1) // 2
    filtered = overlap_add(signal, h)[delay:delay + len(signal)]

    centres = np.array([0.5 * (b.low + b.high) for b in bands])
    level_in = np.sqrt(np.mean(signal ** 2))
    level_out = np.sqrt(np.mean(filtered ** 2))
    return {
        "filtered": filtered,
        "response_db": decibel(amplitude_response(h, centres, rate)),
        "level_change_db": decibel(level_out / level_in),
        "taps": h,
        "symmetric": bool(np.allclose(h, h[::-1])),
    }


ENTRY = "equalise"


def _bands(rng, n, rate):
    edges = np.linspace(0.0, 0.45 * rate, n + 1)
    return [Band(float(lo), float(hi), float(g)) for lo, hi, g in zip(edges, edges[1:], rng.uniform(-12, 6, size=n))]


def make_arguments(rng, n):
    rate = 8000.0
    return (rng.standard_normal(20 * n), _bands(rng, min(n, 5), rate), rate)


GRADIENT = ("signal", "bands")
ERRORS = [
    (lambda rng, n: (np.ones(30), [Band(100.0, 9000.0, 0.0)], 8000.0), ValueError),
    (lambda rng, n: (np.ones(30), [Band(100.0, 900.0, 0.0)], 8000.0, 32), ValueError),
]
