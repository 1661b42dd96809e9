"""Bins, searches, convolutions, interpolation and statistics of NumPy's."""

import numpy as np

from tests.harness.reports import Reports

REPORTS = Reports(__name__)


# Bins and searches


def bin_of(x, bins):
    return np.digitize(x, bins), np.digitize(x, bins, right=True)


REPORTS.value("digitize decreasing", bin_of, np.array([0.5, 1.0, 2.5, 4.0, 9.0, -1.0]), np.array([4.0, 2.5, 1.0, 0.0]))
REPORTS.value("digitize repeated", bin_of, np.array([1, 2, 4, 5]), np.array([1, 1, 1, 4, 4]))
REPORTS.value("nan in bins", bin_of, np.array([1.0, 2, 3, 4]), np.array([1, 1, 1, np.nan]))
REPORTS.value("digitize not monotonic", bin_of, np.array([1.0, 2]), np.array([1.0, 3, 2]))
REPORTS.value("digitize nan", bin_of, np.array([np.nan, 1.0]), np.array([0.0, 1.0, 2.0]))
REPORTS.value("large ints", bin_of, np.array([2**53]), np.array([2**53 - 1, 2**53 + 1]))


def search(a, v):
    return np.searchsorted(a, v), np.searchsorted(a, v, side="right")


REPORTS.value("search in unsorted", search, np.array([3.0, 1.0, 2.0, 0.0]), np.array([0.5, 1.5, 2.5, 9.0]))
REPORTS.value("search with nan", search, np.array([1.0, 2.0, np.nan, np.nan]), np.array([np.nan, 1.5, np.inf]))
REPORTS.value("search ints in floats", search, np.array([1.0, 2.5]), np.array([2, 3]))


# Convolutions, differences, rearrangements, interpolation, statistics


def convolved(a, v):
    return np.convolve(a, v, "full"), np.convolve(a, v, "same"), np.convolve(a, v, "valid")


REPORTS.value("convolve, long kernel", convolved, np.array([1.0, 2.0]), np.array([0.0, 1.0, 0.5, 4.0]))
REPORTS.value("convolve ints", convolved, np.array([1, 2, 3], np.int8), np.array([0, 1], np.uint8))


def correlated(a, v):
    return np.correlate(a, v, "full"), np.correlate(a, v, "same"), np.correlate(a, v)


REPORTS.value("correlate complex", correlated, np.array([1 + 1j, 2, 3j]), np.array([0, 1j]))
REPORTS.value("correlate, long second", correlated, np.array([1.0, 2.0]), np.array([0.0, 1.0, 0.5, 4.0]))


def slopes_of(y, x):
    return np.gradient(y), np.gradient(y, x), np.gradient(y, 0.5), np.gradient(y, x, edge_order=2)


REPORTS.value("gradient uneven", slopes_of, np.array([1.0, 4.0, 9.0, 20.0]), np.array([0.0, 1.0, 3.0, 4.0]))
REPORTS.value("gradient of ints", lambda y: np.gradient(y), np.array([1, 4, 9]))


def unwrapped(p):
    return np.unwrap(p), np.unwrap(p, period=4.0)


REPORTS.value("unwrap", unwrapped, np.array([0.0, 3.0, -3.0, 2.5, -2.0, 12.0]))


def crossed(a, b):
    return np.cross(a, b)


REPORTS.value("cross of planes", crossed, np.array([[1.0, 2, 3], [4, 5, 6]]), np.array([3.0, 2, 1]))


def uniques(x):
    u, i, v, c = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    return u, i, v, c


REPORTS.value("unique with all", uniques, np.array([3, 1, 2, 3, 1]))
REPORTS.value("unique with nan", lambda x: np.unique(x), np.array([np.nan, 1.0, np.nan, 0.0, -0.0]))
REPORTS.value("unique inverse of a table", lambda x: np.unique(x, return_inverse=True), np.array([[3, 1], [2, 3]]))


def rolled(x):
    return np.roll(x, 5), np.roll(x, (1, -1), axis=(0, 1)), np.roll(x, -7, axis=1)


REPORTS.value("roll", rolled, np.arange(6.0).reshape(2, 3))


def interpolated(x, xp, fp):
    return np.interp(x, xp, fp), np.interp(x, xp, fp, left=-1.0, right=9.0)


REPORTS.value(
    "interp",
    interpolated,
    np.array([-1.0, 0.0, 0.5, 2.0, 3.0, np.nan]),
    np.array([0.0, 1.0, 2.0]),
    np.array([1.0, 3.0, -1.0]),
)
REPORTS.value(
    "interp of two points", interpolated, np.array([0.5, 1.0, 1.5]), np.array([0.0, 1.0]), np.array([1.0, 3.0])
)
REPORTS.value("interp of one point", interpolated, np.array([0.5, 1.0, 1.5]), np.array([1.0]), np.array([3.0]))
REPORTS.value(
    "interp of repeated points",
    interpolated,
    np.array([0.0, 1.0, 1.5]),
    np.array([0.0, 1.0, 1.0, 2.0]),
    np.array([1.0, 3.0, 5.0, 7.0]),
)
REPORTS.value(
    "interp with inf", interpolated, np.array([0.5, 1.0]), np.array([0.0, 1.0, 2.0]), np.array([1.0, np.inf, 3.0])
)
REPORTS.value("interp of nothing", interpolated, np.array([0.5]), np.zeros(0), np.zeros(0))


def interp_period(x, xp, fp):
    return np.interp(x, xp, fp, period=360.0)


REPORTS.value(
    "interp period",
    interp_period,
    np.array([-180.0, 0.0, 185.0, 10.0]),
    np.array([190.0, -190.0, 350.0, -350.0]),
    np.array([5.0, 10.0, 3.0, 4.0]),
)


def interp_slope(x, xp, fp):
    return np.sum(np.interp(x, xp, fp) * np.array([1.0, 2.0, 3.0]))


REPORTS.slope(
    "interp slope",
    interp_slope,
    np.array([-1.0, 0.5, 1.25]),
    np.array([0.0, 1.0, 2.0]),
    np.array([1.0, 3.0, -1.0]),
    by=(0, 1, 2),
    with_value=True,
)


def spread_of(x):
    return np.var(x, ddof=1), np.std(x, axis=0, ddof=1), np.nanvar(x), np.nanstd(x, axis=1)


REPORTS.value("variances", spread_of, np.array([[1.0, 2.0, 4.0], [8.0, np.nan, 1.0]]))


def percent(x):
    return (
        np.percentile(x, [0, 25, 50, 99.9, 100]),
        np.quantile(x, 0.3, method="lower"),
        np.quantile(x, 0.3, method="nearest"),
        np.percentile(x, 40, method="midpoint"),
    )


REPORTS.value("percentiles", percent, np.array([3.0, 1.0, 7.0, 5.0]))
REPORTS.value("percentiles with inf", percent, np.array([3.0, np.inf, -np.inf, 5.0]))


def percent_slope(x):
    return np.percentile(x, 37.0) ** 2


REPORTS.slope("percentile slope", percent_slope, np.array([3.0, 1.0, 7.0, 5.0]), with_value=True)


def histogram(x):
    return (
        np.histogram(x, bins=4, range=(0.0, 4.0)),
        np.histogram(x, np.array([0.0, 1.0, 4.0])),
        np.bincount(x.astype(int), minlength=7),
    )


REPORTS.value("histogram edges", histogram, np.array([0.0, 1.0, 4.0, 3.999, 2.5, 5.0]))


def cov_slope(x):
    c = np.cov(x)
    return c[0, 1] / np.sqrt(c[0, 0] * c[1, 1])


REPORTS.slope("correlation slope", cov_slope, np.array([[1.0, 2.0, 4.0], [3.0, 1.0, 5.0]]), with_value=True)


def std_slope(x):
    return np.std(x, axis=1)[1] + np.var(x)


REPORTS.slope("std slope", std_slope, np.array([[1.0, 2.0, 4.0], [3.0, 1.0, 5.0]]), with_value=True)


def trapezes(y, x):
    return np.trapezoid(y, x), np.trapezoid(y, dx=0.5)


REPORTS.value("trapezoid", trapezes, np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 3.0]))


def polynomial(x):
    c = np.polyfit(x, x**2 + 1.0, 2)
    return c, np.polyval(c, 2.0)


REPORTS.value("polyfit", polynomial, np.array([0.0, 1.0, 2.0, 3.0]))


def angles(x):
    return (
        np.arctan2(x, -x),
        np.hypot(x, 1e300),
        np.logaddexp(x, -np.inf),
        np.exp2(x),
        np.log1p(x * 1e-20),
        np.expm1(x * 1e-20),
    )


REPORTS.value("angles", angles, np.array([0.0, -0.0, 1.0, -1.0, np.inf]))


def bins_of(x, bins):
    return np.digitize(x, bins)


XS = np.array([0.0, 1.0, 2, 3, 4])

REPORTS.value("digitize nan in the middle", bins_of, XS, np.array([1.0, np.nan, 3.0]))
REPORTS.value("digitize nan last", bins_of, XS, np.array([0.0, 1.0, np.nan]))
