"""Unsigned words beside Python's ints, and limits that a dtype does not hold."""

import numpy as np

from tests.harness.reports import Reports

REPORTS = Reports(__name__)


# Unsigned words beside Python's ints


def quarter(n):
    return n // 4, n % 4, n >> 2


REPORTS.value("uint64 scalar by int", quarter, np.uint64(2**63 + 9))
REPORTS.value("uint64 array by int", quarter, np.array([2**63 + 9, 3], np.uint64))


def hash_step(h, x):
    h = h ^ x
    h = h * np.uint64(1099511628211)
    return h


REPORTS.value("fnv step", hash_step, np.uint64(14695981039346656037), np.uint64(97))


# A word and an int in one variable


def last_word(words, flip):
    out = np.zeros(len(words), np.uint64)
    for k in range(len(words)):
        value = 0
        if flip:
            value = ~words[k]
        out[k] = value
    return out


REPORTS.value("word of 64 bits", last_word, np.array([5, 2**40], np.uint64), True)
REPORTS.value("word of 64 bits, not flipped", last_word, np.array([5, 2**40], np.uint64), False)


def clear_bits(b, k):
    for t in range(k):
        b = b & ~(np.uint64(1) << np.uint64(t))
    return b


REPORTS.value("clear bits", clear_bits, np.uint64(2**64 - 1), 5)


def parity(v):
    p = 0
    while v:
        v = v & (v - 1)
        p ^= 1
    return p


REPORTS.value("parity of int", parity, 0b1011011)
REPORTS.value("parity of uint8", parity, np.uint8(0b10110111))


# Limits that are nan, infinite or of another dtype; signs; division by zero


def clip(x, lo, hi):
    return np.clip(x, lo, hi)


REPORTS.value("ints clipped by nan", clip, np.array([1, 2]), np.nan, np.nan)
REPORTS.value("ints clipped by inf", clip, np.array([1, 2]), np.inf, np.inf)
REPORTS.value("ints clipped by floats", clip, np.arange(-3, 3), -0.9999, 0.9999)
REPORTS.value("nan clipped", clip, np.full((2, 2), np.nan), -1, 1)
REPORTS.value("clip with lo above hi", clip, np.array([0.0, 5.0, 9.0]), 6.0, 2.0)
REPORTS.value("clip uint8 by python ints", clip, np.array([0, 200, 255], np.uint8), 10, 250)
REPORTS.value("clip uint8 by a number out of range", clip, np.array([0, 200, 255], np.uint8), -5, 300)
REPORTS.value("clip float32 by float64", clip, np.array([0.1, 0.7], np.float32), np.float64(0.2), 0.5)


def clip_method(x):
    return x.clip(-1, None), x.clip(None, 0.5)


REPORTS.value("clip one side", clip_method, np.array([-3.0, 0.2, 7.0]))


def signs(x):
    return np.signbit(x), np.sign(x), np.copysign(1.0, x)


REPORTS.value("signbit", signs, np.array([np.nan, -np.nan, np.inf, -np.inf, -0.0, 0.0]))


def floored(a, b):
    return np.floor_divide(a, b), a // b, np.divmod(a, b), np.fmod(a, b)


REPORTS.value(
    "floor_divide by zero", floored, np.array([1.0, -1.0, 0.0, np.inf, 5.0]), np.array([0.0, 0.0, 0.0, 2.0, -0.0])
)
REPORTS.value(
    "floor_divide by zero, float32", floored, np.array([1, -1, 7], np.float32), np.array([0, 0, np.inf], np.float32)
)
REPORTS.value("floor_divide by zero, Python floats", lambda a, b: a // b, 1.0, 0.0)
REPORTS.value("floor_divide by zero, NumPy floats", lambda a, b: a // b, np.float64(-1.0), np.float64(0.0))


# Limits that the dtype does not hold


def clip_literal(x):
    return np.clip(x, -5, 100)


BYTES, SIGNED_BYTES = np.array([0, 200, 255], np.uint8), np.array([-128, 5, 127], np.int8)

REPORTS.value("clip uint8 (-5, 100)", clip_literal, BYTES)


def clip_top(x):
    return np.clip(x, 0, 256)


REPORTS.value("clip uint8 (0, 256)", clip_top, BYTES)


def clip_to(x, lo, hi):
    return np.clip(x, lo, hi)


REPORTS.value("clip int8 (1000, 2000)", clip_to, SIGNED_BYTES, 1000, 2000)


def clip_max_only(x):
    return np.clip(x, None, 1000)


REPORTS.value("clip int8, upper side alone", clip_max_only, np.array([-5, 99], np.int8))
