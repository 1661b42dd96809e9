"""Selection by masks, histograms and bits: functions in plain NumPy, some of them after kernels of NPBench."""

from __future__ import annotations

import numpy as np

COUNT = 1_000_000


def numbers(rng):
    return (rng.standard_normal(COUNT),)


def truths(rng):
    return (rng.standard_normal(COUNT) > 0.0,)


def rings(rng):
    return rng.random(400_000), rng.random(400_000), 100


def message(rng):
    return (rng.integers(0, 256, 16_000, dtype=np.uint8),)


def picture(rng):
    return (rng.random((1000, 1000)),)


def select(x):
    return x[x > 0.0]


def places(x):
    return np.nonzero(x)[0]


def masked_mean(x):
    return x[x > 0.0].mean()


def azimint(data, radius, count):
    """Means over rings, by a mask for each."""
    most = radius.max()
    means = np.zeros(count)
    for i in range(count):
        low, high = most * i / count, most * (i + 1) / count
        means[i] = data[np.logical_and(low <= radius, radius < high)].mean()
    return means


def histogram(x):
    return np.histogram(x, 100)[0]


def reflected(x):
    return np.pad(x, 2, mode="reflect")


def crc16(data):
    rest = 0xFFFF
    for byte in data:
        current = 0xFF & byte
        for _ in range(8):
            if (rest & 1) ^ (current & 1):
                rest = (rest >> 1) ^ 0x8408
            else:
                rest >>= 1
            current >>= 1
    return rest
