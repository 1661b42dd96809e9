"""Extremes with nan and of nothing, medians, quantiles and sorts."""

import numpy as np

from tests.harness.reports import Reports

REPORTS = Reports(__name__)


# Extremes with nan, and of nothing


def extremes(a):
    return np.max(a), np.min(a), np.argmax(a), np.argmin(a), np.nanmax(a), np.nanargmax(a)


REPORTS.value("nan last", extremes, np.array([2.0, 3.0, np.nan]))
REPORTS.value("nan first", extremes, np.array([np.nan, 5.0, 7.0]))
REPORTS.value("float32 nan middle", extremes, np.array([1, 5, np.nan, 7, 2, 3, 9, 1, 1, 2], np.float32))


def smallest(a):
    return np.min(a)


REPORTS.value("nothing", smallest, np.zeros(0))
REPORTS.value("nothing, ints", smallest, np.zeros((3, 0), np.int32))


def smallest_rows(a):
    return a.min(axis=1)


REPORTS.value("axis 1 of (0, 3)", smallest_rows, np.zeros((0, 3)))


def smallest_columns(a):
    return a.min(axis=0)


REPORTS.value("axis 0 of (0, 3)", smallest_columns, np.zeros((0, 3)))
REPORTS.value("axis 1 of (3, 0)", smallest_rows, np.zeros((3, 0)))


def where_first(a):
    return np.argmax(a)


REPORTS.value("argmax of bools", where_first, np.array([False, True, True]))
REPORTS.value("argmax of -inf", where_first, np.array([-np.inf, -np.inf]))
REPORTS.value("argmax of nothing", where_first, np.zeros(0))


# Medians, quantiles and sorts


def middle(x):
    return np.median(x)


REPORTS.slope("median, odd", middle, np.array([3.0, 1.0, 7.0, 5.0, 2.0]), want=np.array([1.0, 0, 0, 0, 0]))
REPORTS.slope("median, even", middle, np.array([3.0, 1.0, 7.0, 5.0]), want=np.array([0.5, 0, 0, 0.5]))


def nan_middle(x):
    return np.nanmedian(x)


REPORTS.slope(
    "nanmedian", nan_middle, np.array([np.nan, 2.0, 3.5, 2.5, 3.0, np.nan]), want=np.array([0, 0, 0, 0.5, 0.5, 0])
)
REPORTS.value("nanmedian of log", nan_middle, np.log(np.array([np.nan, 2.0, np.nan])))


def quartiles(x):
    return np.sum(np.quantile(x, np.array([0.1, 0.5, 0.9])) * np.array([1.0, 10.0, 100.0]))


REPORTS.slope("quantiles slope", quartiles, np.array([3.0, 1.0, 7.0, 5.0, 2.5]), with_value=True)


def sorted_weighted(x):
    return np.sum(np.sort(x) * np.arange(1.0, 1.0 + len(x)) * np.sort(x))


REPORTS.slope("sort slope", sorted_weighted, np.array([3.0, 1.0, 7.0, 5.0, 2.5]), with_value=True)


def sorted_rows(x):
    return np.sum(np.sort(x, axis=0) * np.array([[1.0, 2.0], [3.0, 5.0], [7.0, 9.0]]))


REPORTS.slope(
    "sort slope axis 0",
    sorted_rows,
    np.array([[3.0, 1.0], [7.0, 5.0], [2.5, 4.0]]),
    want=np.array([[3.0, 2], [7, 9], [1, 5]]),
)
REPORTS.curvature("sort, second order", sorted_weighted, np.array([3.0, 1.0, 2.0]), want=np.diag([6.0, 2.0, 4.0]))


def partitioned(x):
    return np.sum(np.partition(x, 2)[:2] ** 3)


REPORTS.curvature(
    "partition, second order", partitioned, np.array([3.0, 1.0, 2.0, 9.0]), want=np.diag([0.0, 6.0, 12.0, 0.0])
)


def running_max(x):
    return np.sum(np.maximum.accumulate(x) ** 2)


REPORTS.curvature(
    "running maximum, second order", running_max, np.array([1.0, 3.0, 2.0, 4.0]), want=np.diag([2.0, 4.0, 0.0, 2.0])
)


def ranked(x):
    return np.sum(x[np.argsort(-x)[:2]] ** 2)


REPORTS.slope("argsort slope", ranked, np.array([3.0, 1.0, 7.0, 5.0]), want=np.array([0.0, 0, 14, 10]))
