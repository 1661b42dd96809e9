"""Reductions and rearrangements with their slopes."""

import math

import numpy as np

from tests.harness.reports import Reports

REPORTS = Reports(__name__)


# Reductions and rearrangements, forwards and backwards


def hypot_sum(x):
    return np.sum(np.hypot(x, 1.0))


REPORTS.slope("hypot", hypot_sum, np.array([0.0, -3.0, 1e200]), want=np.array([0.0, -3 / math.sqrt(10), 1.0]))


def nan_sums(x):
    return np.nansum(x) * 2.0 + np.nanmean(x) * 3.0 + np.nanmax(x)


REPORTS.slope("nan sums", nan_sums, np.array([1.0, np.nan, 3.0]), want=np.array([3.5, 0.0, 4.5]))


def ptp(x):
    return np.ptp(x) ** 2


REPORTS.slope("ptp", ptp, np.array([1.0, 5.0, 3.0]), want=np.array([-8.0, 8.0, 0.0]))


def max_axis(x):
    return np.sum(np.max(x, axis=0) ** 2)


REPORTS.slope(
    "max along an axis, tie", max_axis, np.array([[1.0, 5.0], [1.0, 2.0]]), want=np.array([[1.0, 10.0], [1.0, 0.0]])
)


def accumulate_min(x):
    return np.sum(np.minimum.accumulate(x) * np.arange(1.0, 1.0 + len(x)))


REPORTS.slope("minimum.accumulate", accumulate_min, np.array([3.0, 4.0, 1.0, 2.0]), want=np.array([3.0, 0.0, 7.0, 0.0]))


def diff2(x):
    return np.sum(np.diff(x, n=2) ** 2)


REPORTS.slope("diff twice", diff2, np.array([1.0, 4.0, 2.0, 7.0]), with_value=True)


def repeats(x):
    return np.sum(np.repeat(x, np.array([2, 0, 3])) ** 2) + np.sum(np.tile(x, (2, 2)) * 0.5)


REPORTS.slope("repeat and tile", repeats, np.array([1.0, 2.0, 3.0]), with_value=True)


def pads(x):
    return np.sum(np.pad(x, (2, 1), mode="reflect") * np.arange(1.0, 4.0 + len(x)))


REPORTS.slope("pad reflect", pads, np.array([1.0, 2.0, 3.0]), with_value=True)


def pads_wrap(x):
    return np.sum(np.pad(x, (1, 2), mode="wrap") * np.arange(1.0, 4.0 + len(x))) + np.sum(
        np.pad(x, 2, mode="linear_ramp") ** 2
    )


REPORTS.slope("pad wrap, ramp", pads_wrap, np.array([1.0, 2.0, 3.0]), with_value=True)


def take_along(x):
    return np.sum(np.take_along_axis(x, np.argsort(x, axis=1), axis=1) * np.arange(6.0).reshape(2, 3))


REPORTS.slope("take_along_axis", take_along, np.array([[3.0, 1.0, 2.0], [6.0, 4.0, 5.0]]), with_value=True)


def kron(x):
    return np.sum(np.kron(x, np.array([[1.0, 2.0]])) ** 2)


REPORTS.slope("kron", kron, np.array([[1.0, 2.0], [3.0, 4.0]]), with_value=True)


def outer_at(x):
    y = np.zeros(3)
    np.add.at(y, np.array([0, 2, 0]), x)
    return np.sum(y**2)


REPORTS.slope("add.at", outer_at, np.array([1.0, 2.0, 3.0]), with_value=True)


def bincounts(x):
    return np.sum(np.bincount(np.array([0, 2, 0]), weights=x, minlength=4) ** 2)


REPORTS.slope("bincount weights", bincounts, np.array([1.0, 2.0, 3.0]), with_value=True)


def piecewise(x):
    return np.sum(np.piecewise(x, [x < 0, x >= 1], [lambda v: -v, lambda v: v**2, lambda v: 2.0 * v]))


REPORTS.slope("piecewise", piecewise, np.array([-1.0, 0.5, 2.0]), with_value=True)


def selects(x):
    return np.sum(np.select([x < 0, x > 1], [x**2, x**3], default=5.0 * x))


REPORTS.slope("select", selects, np.array([-1.0, 0.5, 2.0]), with_value=True)


def triangles(x):
    return np.sum(np.tril(x, -1) ** 2) + np.sum(np.triu(x) * 3.0) + np.trace(x, offset=1)


REPORTS.slope("triangles", triangles, np.arange(9.0).reshape(3, 3), with_value=True)


def convolve_slope(x, k):
    return np.sum(np.convolve(x, k, "same") ** 2)


REPORTS.slope(
    "convolve same, long kernel",
    convolve_slope,
    np.array([1.0, 2.0]),
    np.array([1.0, -1.0, 0.5, 2.0]),
    by=(0, 1),
    with_value=True,
)


def vander(x):
    return np.sum(np.vander(x, 4) * np.arange(12.0).reshape(3, 4))


REPORTS.slope("vander", vander, np.array([1.0, 2.0, 0.0]), with_value=True)


def real_of_complex(x):
    z = np.exp(1j * x) * (1.0 + x)
    return np.sum(z.real * np.abs(z) + np.angle(z))


REPORTS.slope("parts of complex numbers", real_of_complex, np.array([0.3, 1.2, -0.4]), with_value=True)
