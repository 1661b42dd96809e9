"""Derivatives of loops: values from before them, branches and inner loops."""

import numpy as np

from tests.harness.reports import Reports

REPORTS = Reports(__name__)


# Values from before a loop, overwritten in it, and of rotating variables


def around_loop(x, n):
    a = np.sin(x[0]) * x[1]
    s = 0.0
    for k in range(n):
        s += x[2] * (k + 1)
    return a * s + a**2


REPORTS.slope("value from before the loop", around_loop, np.array([0.3, 0.7, 1.1]), 5, with_value=True)
REPORTS.slope("no turns", around_loop, np.array([0.3, 0.7, 1.1]), 0, with_value=True)


def best_of_table(c, x):
    total = 0.0
    for t in range(len(x)):
        top = -1e20
        for p in range(c.shape[0]):
            for q in range(c.shape[1]):
                if c[p, q] == 0.0:
                    continue
                v = x[t] * c[p, q] * ((p + 1.0) + (q + 1.0))
                if v > top:
                    top = v
        total += top * (t + 1)
    return total


REPORTS.slope(
    "continue and best",
    best_of_table,
    np.array([[1.0, 0, -2], [0, 3, 0.5]]),
    np.array([1.0, -2.0, 0.5]),
    by=1,
    with_value=True,
)
REPORTS.slope(
    "by the table",
    best_of_table,
    np.array([[1.0, 0, -2], [0, 3, 0.5]]),
    np.array([1.0, -2.0, 0.5]),
    by=0,
    want=np.array([[2.0 * 0, 0, 2.0 * -2 * 4], [0, 1 * 4 + 1.5 * 4, 0]]),
    with_value=True,
)


def component_updates(x, n):
    m = np.zeros((2, 2))
    for k in range(n):
        m[0, 0] = m[0, 0] + x
        m[0, 1] = m[0, 0] * m[0, 1] + x
        m[0, 0] = m[0, 0] + m[0, 1]
    return m[0, 0]


REPORTS.slope("component read and written", component_updates, 0.4, 4, with_value=True)


def overwritten(a, b):
    y = np.zeros(4)
    for i in range(4):
        y[i] = 2.0 * a[i]
    for i in range(4):
        y[i] = 3.0 * b[i]
    return np.sum(y)


REPORTS.slope("overwritten result", overwritten, np.ones(4), np.ones(4), by=(0, 1), want=(np.zeros(4), np.full(4, 3.0)))


def rms_after(x, n):
    def total(x, n):
        s = 1e-3
        for k in range(n):
            s += x[k] * x[k]
        return np.sqrt(s)

    return total(x, n) * x[0]


REPORTS.slope("root after loop in a function", rms_after, np.array([0.5, 0.7, 0.2]), 3, with_value=True)


def rotating(x, n):
    v = np.array([1.0, 0.5, -0.25])
    for k in range(n):
        v = np.array([v[1] * x, v[2] + v[0] * x, np.sin(v[0])])
    return v[0] + 2.0 * v[1] * v[2]


REPORTS.slope("vector from its own parts", rotating, 0.8, 4, with_value=True)


def nested_functions_of_loop(x, n):
    y = x
    for k in range(n):
        y = np.tanh(y) * np.exp(0.1 * y) + 0.2 * np.tan(y * 0.3) + np.sqrt(1.0 + y * y)
    return y


REPORTS.slope("functions in a loop", nested_functions_of_loop, 0.3, 4, with_value=True)


# A loop with its test at the end


def until(x):
    r = 1.0
    k = 0
    while True:
        r = r * x
        r = r + 0.5 * r * r
        k += 1
        if k >= 3 or r > 100.0:
            break
    return r


REPORTS.slope("loop with the test at its end", until, 0.7, with_value=True)


# Branches by an index, inner loops, triangles


def add_all(x, y):
    x = x.copy()
    for i in range(len(x)):
        for j in range(len(y)):
            x[i] += y[j]
    return np.sum(x)


REPORTS.slope("sums", add_all, np.zeros(5), np.array([1.0, 2.0, 3.0]), by=(0, 1), want=(np.ones(5), np.full(3, 5.0)))


def turn_self(x, theta, again):
    m = 1.0
    if again:
        m = x
    x = np.cos(theta) * m
    return x


REPORTS.slope("overwritten by itself", turn_self, 1.3, 0.4, True, by=(0, 1), with_value=True)
REPORTS.slope("not read", turn_self, 1.3, 0.4, False, by=(0, 1), with_value=True)


def by_index(bend, pos):
    force = np.zeros(3)
    for n in range(12):
        if n < 4:
            f = np.array([1.0, 1.0, 1.0])
        else:
            f = bend * pos
        force += f * n
    return np.sum(force**2)


REPORTS.slope("branch by index", by_index, 0.3, np.array([1.0, 2.0, 3.0]), by=(0, 1), with_value=True)


def fraction(x):
    total = 0.0
    for v in x:
        part = v - np.floor(v) if v > 0.0 else v - np.ceil(v)
        total += part**2
    return total


REPORTS.slope("fraction", fraction, np.array([1.25, -0.75, 2.5, -3.125]), want=np.array([0.5, -1.5, 1.0, -0.25]))


def two_inner(x):
    y = 0.0
    for j in range(2):
        for i in range(3):
            y += x
        for i in range(3):
            y += x * y
    return y


REPORTS.slope("two inner loops", two_inner, 0.7, with_value=True)


def triangle(x):
    n = len(x)
    y = np.zeros(n)
    for i in range(n):
        part = 0.0
        for j in range(i):
            for k in range(j):
                part += x[j] * x[k]
        y[i] = part
    return np.sum(y)


REPORTS.slope("triangle", triangle, np.arange(5.0), with_value=True)
