"""Dicts and sets with keys that the program computes."""

import numpy as np

from tests.harness.reports import Reports

REPORTS = Reports(__name__)


# Keys that the program computes


def counts(xs):
    d = {}
    for v in xs:
        d[v] = d.get(v, 0) + 1
    return d, list(d.keys()), list(d.values()), list(d.items())


REPORTS.value("counts", counts, np.array([0, 1, -1, 1]))


def tuple_keys(a, b):
    d = {}
    for i in range(len(a)):
        d[(a[i], b[i])] = i * 1.5
    return (a[0], b[0]) in d, d.get((a[1], b[1]), -1.0), d.get((99, 1.0), -1.0), len(d)


REPORTS.value("tuple keys", tuple_keys, np.array([3, 4, 3]), np.array([5.5, 6.5, 5.5]))
REPORTS.value(
    "tuple keys, small types", tuple_keys, np.array([3, 4, 3], np.uint32), np.array([5.5, 6.5, 5.5], np.float32)
)


def signed_zero_keys(xs):
    d = {}
    for v in xs:
        d[v] = d.get(v, 0) + 1
    return len(d), list(d.values())


REPORTS.value("signed zeros as keys", signed_zero_keys, np.array([0.0, -0.0, 1.0]))


def int_and_float_keys(n):
    d = {}
    for i in range(n):
        d[i] = 1
    return 1.0 in d, len(d), True in d


REPORTS.value("ints, floats and bools as keys", int_and_float_keys, 3)


def seen_pairs(xs):
    seen = set()
    out = 0
    for x in xs:
        if -x in seen:
            out += 1
        seen.add(x)
    return out, len(seen)


REPORTS.value("set of floats", seen_pairs, np.array([1.0, -1.0, 2.0, 0.0, -0.0, -2.0]))
