"""Slopes where a norm, a modulus, a quotient or a power is zero, tiny or huge."""

import math

import numpy as np

from tests.harness.reports import Reports

REPORTS = Reports(__name__)


# A norm beside a log-sum-exp


def mixture(loc, scale):
    x = loc + scale * np.array([-1.5, 0.25])
    first = 0.5 * ((np.linalg.norm(x) - 2.0) / 0.4) ** 2
    second = -0.5 * ((x[:1] + np.array([-2.0, 2.0])) / 0.6) ** 2
    top = np.max(second)
    return first - (top + np.log(np.sum(np.exp(second - top))))


REPORTS.slope("norm and log-sum-exp", mixture, np.array([0.0, 0.0]), np.array([1.0, 1.0]), by=(0, 1), with_value=True)


# Norms that are guarded at zero


def safe_unit(x):
    if np.all(np.abs(x) < 1e-12):
        return 0.0
    return np.sum(x / np.sqrt(np.sum(x * x)))


REPORTS.slope("guarded norm", safe_unit, np.zeros(3), want=np.zeros(3))
REPORTS.slopes_of_examples(
    "guarded norm, vmapped",
    safe_unit,
    np.array([[0.0, 0, 0], [3.0, 4, 0]]),
    want=np.array([[0.0, 0, 0], [1 / 5 - 21 / 125, 1 / 5 - 28 / 125, 1 / 5]]),
)


def guarded_normalize(x):
    n = np.sum(x * x)
    n = np.sqrt(n if n > 1e-12 else 1.0)
    return np.sum(x / n)


REPORTS.slope("conditional before root", guarded_normalize, np.zeros(3), want=np.ones(3))
REPORTS.slopes_of_examples(
    "conditional before root, vmapped", guarded_normalize, np.zeros((2, 3)), want=np.ones((2, 3))
)


def bump(x):
    return np.exp(-np.sum(x**2))


REPORTS.slope("sum of squares", bump, np.zeros((2, 1)), want=np.zeros((2, 1)))


# The modulus of complex numbers that are zero, tiny or huge


def magnitude(z):
    return np.sum(np.abs(z))


REPORTS.slope("abs of complex zero", magnitude, np.array([0j, 3 + 4j]), want=np.array([0j, 0.6 - 0.8j]))
REPORTS.slope(
    "abs of tiny complex numbers", magnitude, np.array([-1.0568e-200 + 0j, 1e-307j]), want=np.array([-1 + 0j, -1j])
)
REPORTS.slope(
    "abs of tiny complex64",
    magnitude,
    np.array([-1.0568e-23 + 0j, 1e-30j], np.complex64),
    want=np.array([-1 + 0j, -1j]),
)
REPORTS.slope(
    "abs of huge complex numbers", magnitude, np.array([1e300 + 1e300j]), want=np.array([(1 - 1j) / math.sqrt(2)])
)


def magnitudes_of_spectrum(x):
    return np.sum(np.abs(np.fft.rfft(x)))


REPORTS.slope("spectrum of zeros", magnitudes_of_spectrum, np.zeros(5), want=np.zeros(5))


def power_spectrum(x):
    z = np.fft.rfft(x)
    return np.sum(np.abs(z) ** 2)


REPORTS.slope("power spectrum", power_spectrum, np.array([1.0, -2.0, 0.5, 3.0, 0.0]))


# Sinc at zero and near it


def sinc(x):
    return np.sinc(x)


REPORTS.slope("sinc near zero", sinc, 1e-6, want=-(math.pi**2) / 3 * 1e-6)
REPORTS.slope("sinc at 1e-4", sinc, 1e-4, want=-(math.pi**2) / 3 * 1e-4 + math.pi**4 / 30 * 1e-12)


def sinc_of_a_line(t):
    return np.sinc(2.0 * t + 1.0)


REPORTS.slope("sinc through a line", sinc_of_a_line, -0.5, want=0.0)
REPORTS.curvature("sinc curvature at zero", sinc, 0.0, want=-(math.pi**2) / 3)


def sum_of_sinc(t):
    return np.sum(np.sinc(t))


REPORTS.curvature(
    "sinc curvature of array",
    sum_of_sinc,
    np.array([0.0, 1e-5, 0.5]),
    want=np.diag([-(math.pi**2) / 3, -(math.pi**2) / 3 + math.pi**4 / 10 * 1e-10, 16 / math.pi - 2 * math.pi]),
)


# Powers of zero


def power_of(x, y):
    return x**y


REPORTS.slope("0 ** 0.5", power_of, 0.0, 0.5, want=math.inf)


def half_power(x):
    return x**0.5


REPORTS.slope("0.0 ** 0.5, Python float", half_power, 0.0, want=math.inf)


# The modulus of numbers below the normal ones


def moduli(z):
    return np.sum(np.abs(z))


REPORTS.slope("abs of 1e-310j", moduli, np.array([1e-310j]), want=np.array([-1j]))
REPORTS.slope("abs of 1e-308j", moduli, np.array([1e-308j]), want=np.array([-1j]))
