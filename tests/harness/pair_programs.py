"""Fifty small functions of one vector, written in as many ways, smooth where they are asked: `PROGRAMS`.

Each works for any length from 3 on, with elements between 0.3 and 1.1; the results are numbers, vectors or matrices.
"""

import math
from typing import NamedTuple

import numpy as np

PROGRAMS = []


def program(function):
    PROGRAMS.append(function)
    return function


class Moments(NamedTuple):
    mean: float
    spread: float


# --- whole arrays ----------------------------------------------------------------------------------------------------


@program
def polynomial(x):
    return 0.5 * x**3 - x**2 + 2.0 * x


@program
def waves(x):
    return np.sin(2.0 * x) * np.exp(-x)


@program
def total(x):
    return np.sum(x * np.sqrt(x))


@program
def softmax(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


@program
def log_sum(x):
    return np.log(np.sum(np.exp(2.0 * x)))


@program
def outer(x):
    return np.outer(x, np.cos(x))


@program
def broadcast(x):
    return x[:, None] * x[None, :] + np.tanh(x)


@program
def quadratic(x):
    a = np.outer(np.arange(len(x)) + 1.0, np.ones(len(x))) / len(x)
    return x @ a @ x


@program
def gram(x):
    m = np.stack((x, x**2, np.ones_like(x)))
    return m @ m.T


@program
def normalised(x):
    return (x - np.mean(x)) / np.sqrt(np.var(x) + 1.0)


@program
def ratio(x):
    return np.prod(x + 0.5) / (1.0 + np.sum(x))


@program
def cumulative(x):
    return np.cumsum(x * x)


@program
def differences(x):
    return np.diff(np.log(x))


@program
def norm(x):
    return np.linalg.norm(x)


@program
def solved(x):
    a = np.diag(x + 2.0) + 0.1 * np.outer(x, x)
    return np.linalg.solve(a, x)


@program
def determinant(x):
    return np.log(np.linalg.det(np.diag(x + 1.0) + 0.2))


@program
def chosen(x):
    return np.where(x > 2.0, x, np.arctan(x))


@program
def taken(x):
    return x[np.array([0, 2, 0])] * x[-1]


@program
def contracted(x):
    return np.einsum("i,j,i->j", x, np.sin(x), x)


# --- views, slices and stores ----------------------------------------------------------------------------------------


@program
def reversed_product(x):
    return x[::-1] * x


@program
def slices(x):
    return x[1:] * x[:-1] + x[0]


@program
def stored(x):
    out = np.zeros_like(x)
    out[1:] = x[:-1] ** 2
    out[0] = x[0] * x[2]
    return out


@program
def added_in_place(x):
    y = x * 2.0
    y[1:] += x[:-1] * y[0]
    y *= x
    return y


@program
def through_a_view(x):
    a = np.outer(x, x)
    rows = a.T
    rows[0] *= x
    return a[:, 0] + a[1]


@program
def reshaped(x):
    y = np.concatenate((x, x * x)).reshape(2, -1)
    return y.T @ y


@program
def scattered(x):
    y = np.zeros(len(x))
    np.add.at(y, np.array([1, 1, 2]), x[:3] * x[2])
    return y


# --- loops -----------------------------------------------------------------------------------------------------------


@program
def accumulated(x):
    s = 0.0
    for i in range(len(x)):
        s = math.tanh(s * 0.5) + x[i] ** 2
    return s


@program
def recurrence(x):
    y = np.zeros_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = 0.5 * y[i - 1] * x[i] + math.sin(x[i])
    return y


@program
def nested(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i, len(x)):
            s += x[i] * x[j] / (1.0 + j)
    return s


@program
def relaxed(x):
    y = x.copy()
    for _ in range(3):
        y[1:-1] = 0.25 * (y[:-2] + 2.0 * y[1:-1] + y[2:]) * y[0]
    return y


@program
def until(x):
    s, k = 1.0, 0
    while k < 4:
        s = s * x[k % len(x)] + 0.1
        k += 1
    return s


@program
def newton(x):
    y = x + 1.0
    k = 0
    while k < 3:
        y = 0.5 * (y + (x + 2.0) / y)
        k += 1
    return y


@program
def skipping(x):
    s = 0.0
    for i in range(len(x)):
        if i == 1:
            continue
        s += math.exp(x[i]) * s + x[i]
    return s


@program
def leaving(x):
    s = 1.0
    for i in range(10):
        if i >= len(x):
            break
        s *= 1.0 + x[i] * s
    return s


@program
def over_items(x):
    s, p = 0.0, 1.0
    for k, v in enumerate(x):
        p = p * v
        s += p / (k + 1.0)
    return s


@program
def elimination(x):
    a = np.outer(x, x) + np.diag(x + 2.0)
    n = len(x)
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            a[i, k + 1:] -= a[i, k] * a[k, k + 1:]
    return np.diag(a).copy()


@program
def swapped(x):
    a, b = x, x * x
    for _ in range(2):
        a, b = b * 0.5, a + b
    return a * b


# --- branches, functions, recursion ----------------------------------------------------------------------------------


@program
def branches(x):
    y = x * x if x[0] > 0.2 else x
    return y * 3.0 if len(x) > 2 else -y


@program
def helper_twice(x):
    return _logistic(_logistic(x) * x)


def _logistic(t):
    return 1.0 / (1.0 + np.exp(-t))


@program
def local_function(x):
    scale = np.mean(x)

    def bent(v, power=2):
        return (v * scale) ** power

    return bent(x) + bent(x, 3)


@program
def recursive(x):
    return _horner(x, len(x) - 1, 0.5)


def _horner(x, k, t):
    if k < 0:
        return t
    return _horner(x, k - 1, t * x[k] + math.sqrt(x[k]))


@program
def halved(x):
    return _tree(x, 0, len(x))


def _tree(x, low, high):
    if high - low == 1:
        return x[low] ** 2
    middle = (low + high) // 2
    return _tree(x, low, middle) * 0.5 + math.sin(_tree(x, middle, high))


# --- containers ------------------------------------------------------------------------------------------------------


@program
def comprehension(x):
    return np.array([v * v + math.cos(v) for v in x])


@program
def growing(x):
    values = []
    for v in x:
        values.append(v * (values[-1] if values else 1.0))
    return np.array(values)


@program
def tuple_of_results(x):
    moments = Moments(np.mean(x), np.std(x))
    return (x - moments.mean) * moments.spread


@program
def keyed(x):
    parts = {"first": x[0] * x, "rest": x[1:].sum()}
    parts["first"] = parts["first"] * parts["rest"]
    return parts["first"]


@program
def summed_generator(x):
    return sum(v**3 for v in x)


@program
def zipped(x):
    return sum(a * b * c for a, b, c in zip(x, x[::-1], np.cumsum(x), strict=True))


@program
def rows_of_matrix(x):
    m = np.outer(x, x) + 1.0
    return np.stack([row / row[0] for row in m])


@program
def caught(x):
    try:
        return x * math.sqrt(x[0])
    except ValueError:
        return x
