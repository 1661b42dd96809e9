"""Recurrences and functions that are computed by loops, with their slopes."""

import numpy as np

import pellucid
from tests.harness.reports import Reports

REPORTS = Reports(__name__)


# Recurrences, and functions that are computed by loops


def squares(x, n):
    for k in range(n):
        x = x**2
    return x


def third_of_squares():
    g = pellucid.grad(pellucid.grad(pellucid.grad(squares)))
    return float(g(0.95, 5)), float(g(0.95, 4))


REPORTS.answer("third derivative", third_of_squares, (32 * 31 * 30 * 0.95**29, 16 * 15 * 14 * 0.95**13))


def two_recurrences(x, a, b, start):
    n = len(x)
    first, second = np.zeros(n), np.zeros(n)
    y, lag = start, 0.0
    for t in range(n):
        y = a + b * lag + 0.1 * y
        lag = x[t]
        first[t] = y
    y, lag = 0.0, 0.0
    for t in range(n):
        y = a + b * lag + 0.1 * y
        lag = x[t]
        second[t] = y
    return first, second


REPORTS.value("two recurrences", two_recurrences, np.array([0.3, -0.2, 0.9, 0.4]), 0.5, 0.7, 2.0)


def mask_three(arr):
    out = np.zeros_like(arr)
    m, n = arr.shape
    a, b, c = np.zeros(n, arr.dtype), np.zeros(n, arr.dtype), np.zeros(n, arr.dtype)
    for i in range(m):
        new = np.where(a | b | c, 0, arr[i])
        out[i] = new
        a, b, c = b, c, new
    return out


REPORTS.value(
    "three before", mask_three, np.random.default_rng(3).choice([0, 1], p=[0.7, 0.3], size=(10, 12)).astype(np.int8)
)


def last_of_tail(x):
    return x[1:][-1] * x[2:][::-1][0] + x[:-1][-2]


REPORTS.slope("element of a tail", last_of_tail, np.array([1.0, 2.0, 3.0, 5.0]), with_value=True)


def my_gamma(x):
    if x < 0:
        return x
    z = 1.0
    while x >= 3.0:
        x -= 1.0
        z *= x
    while x < 2.0:
        z /= x
        x += 1.0
    return z * (x + 1.0)


def beta_part(a, b, lo, hi):
    g = my_gamma(a) * my_gamma(b) / my_gamma(a + b)
    return np.log(g * hi**a - g * lo**a)


REPORTS.slope("gamma by loops", beta_part, 1.1, 1.3, 0.1, 0.9, by=(0, 1, 2, 3), with_value=True)
REPORTS.slope("gamma by loops, large", beta_part, 4.1, 5.3, 0.1, 0.9, by=(0, 1, 2, 3), with_value=True)


def cycled_states(u0, dt, steps):
    old, now, new = u0, u0 * 1.1, u0
    for k in range(steps):
        new = now + dt * old * (1.0 - now)
        old, now = now, new
    return new


REPORTS.slope("states in a circle", cycled_states, 0.3, 0.1, 7, by=(0, 1), with_value=True)


def pushed(x, n):
    items = []
    for k in range(n):
        items.append(x * k)
    total = 0.0
    for v in items:
        total += v * v
    return total + items[-1]


REPORTS.slope("pushed on a list", pushed, 0.7, 5, with_value=True)
