"""Fourier transforms of odd lengths, cut and padded, with their slopes."""

import numpy as np

from tests.harness.reports import Reports

REPORTS = Reports(__name__)


# Transforms of odd lengths, cut and padded


def round_trip(x):
    return np.fft.irfft(np.fft.rfft(x))


REPORTS.value("odd", round_trip, np.array([-9.0, 1.0, 3.0]))


def round_trip_n(x):
    return np.fft.irfft(np.fft.rfft(x), n=len(x))


REPORTS.value("odd with n", round_trip_n, np.array([-9.0, 1.0, 3.0]))
REPORTS.value("length one", round_trip_n, np.array([2.5]))


def filtered(x, g):
    return np.sum(np.fft.irfft(np.fft.rfft(x) * g, n=x.shape[0]) ** 2 * np.arange(1.0, 1.0 + x.shape[0]))


REPORTS.slope(
    "rfft filter slope, odd",
    filtered,
    np.array([1.0, -2.0, 0.5, 3.0, 0.3]),
    np.array([1.0, 0.5, 0.25]),
    by=(0, 1),
    with_value=True,
)
REPORTS.slope(
    "rfft filter slope, even",
    filtered,
    np.array([1.0, -2.0, 0.5, 3.0]),
    np.array([1.0, 0.5, 0.25]),
    by=(0, 1),
    with_value=True,
)


def padded(x):
    return np.sum(np.abs(np.fft.fft(x, n=8)) ** 2 * np.arange(8.0)) + np.sum(np.fft.fft(x, n=2).real ** 3)


REPORTS.slope("fft cut and padded slope", padded, np.array([1.0, -2.0, 0.5, 3.0, 0.3]), with_value=True)


def flat(x):
    return np.sum(np.fft.irfft(x, n=5) * np.arange(5.0)) + np.sum(np.fft.irfft(x) * np.arange(4.0))


REPORTS.slope("irfft slope of real spectrum", flat, np.array([1.0, -2.0, 0.5]), with_value=True)
