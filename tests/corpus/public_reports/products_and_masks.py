"""Running products with zeros, and elements that a mask leaves out."""

import math

import numpy as np

from tests.harness.reports import Reports

REPORTS = Reports(__name__)


# Running products with zeros among the factors


def sum_of_cumprod(x):
    return np.sum(np.cumprod(x))


REPORTS.slope("zero first", sum_of_cumprod, np.array([0.0, 2.0, 3.0]), want=np.array([9.0, 0, 0]))
REPORTS.slope("zero last", sum_of_cumprod, np.array([2.0, 3.0, 0.0]), want=np.array([4.0, 2, 6]))
REPORTS.slope("two zeros", sum_of_cumprod, np.array([2.0, 0.0, 0.0, 3.0]), want=np.array([1.0, 2, 0, 0]))
REPORTS.slope("zero in the middle", sum_of_cumprod, np.array([2.0, 0.0, 3.0, 4.0]), want=np.array([1.0, 32, 0, 0]))


def sum_of_cumprod_rows(x):
    return np.sum(np.cumprod(x, axis=0) * np.array([1.0, 2.0]))


REPORTS.slope("along axis 0", sum_of_cumprod_rows, np.array([[0.0, 2.0], [3.0, 0.0], [4.0, 5.0]]))


def sum_of_cumulative(x):
    return np.sum(np.cumulative_prod(x) ** 2)


REPORTS.slope("squared", sum_of_cumulative, np.array([1.0, 0.0, 2.0]), want=np.array([2.0, 0, 0]))


def product_rows(x):
    return np.sum(np.prod(x, axis=1))


REPORTS.slope(
    "prod", product_rows, np.array([[4.0, 0.0], [0.0, 0.0], [2.0, 3.0]]), want=np.array([[0.0, 4], [0, 0], [3, 2]])
)


def product(x):
    return np.prod(x)


REPORTS.curvature(
    "second order", product, np.array([0.0, 2.0, 3.0]), want=np.array([[0.0, 3, 2], [3, 0, 0], [2, 0, 0]])
)
REPORTS.curvature(
    "second order, two zeros", product, np.array([0.0, 0.0, 3.0]), want=np.array([[0.0, 3, 0], [3, 0, 0], [0, 0, 0]])
)


def nan_product(x):
    return np.nanprod(x)


REPORTS.slope("nanprod with zero and nan", nan_product, np.array([0.0, np.nan, 3.0]), want=np.array([3.0, 0.0, 0.0]))


# Elements that a mask leaves out


def masked_sum(x, m):
    return np.sum(np.exp(x), where=m)


MASK = np.array([True, True, False])

REPORTS.slope(
    "sum with where", masked_sum, np.array([3.0, 1.0, 10000.0]), MASK, want=np.array([math.exp(3), math.exp(1), 0.0])
)


def masked_lse(a, m):
    top = np.max(a, initial=-np.inf, where=m)
    return top + np.log(np.sum(np.exp(np.where(m, a - top, -np.inf))))


REPORTS.slope(
    "masked log-sum-exp",
    masked_lse,
    np.array([1.0, 2.0, 1000.0]),
    MASK,
    want=np.array([1 / (1 + math.e), math.e / (1 + math.e), 0.0]),
)


def entropy(logits, m):
    z = np.where(m, logits, -np.inf)
    p = np.exp(z - np.max(z))
    p = p / np.sum(p)
    q = np.where(m, p, 1.0)
    return -np.sum(q * np.log(q))


REPORTS.slope("masked entropy", entropy, np.array([1.0, 2.0, 1000.0]), MASK)


def loop_lse(a, m):
    top = -np.inf
    for i in range(len(a)):
        if m[i] and a[i] > top:
            top = a[i]
    total = 0.0
    for i in range(len(a)):
        if m[i]:
            total += np.exp(a[i] - top)
    return top + np.log(total)


REPORTS.slope(
    "by a loop",
    loop_lse,
    np.array([1.0, 2.0, 1000.0]),
    MASK,
    want=np.array([1 / (1 + math.e), math.e / (1 + math.e), 0.0]),
)
