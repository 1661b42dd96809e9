"""Selection by masks, histograms of equal bins and bits: values that are NumPy's, and code without what costs time."""

import numpy as np
import pytest

from pellucid import compile


def crc16(data):
    crc = 0xFFFF
    for b in data:
        current = 0xFF & b
        for _ in range(8):
            if (crc & 0x0001) ^ (current & 0x0001):
                crc = (crc >> 1) ^ 0x8408
            else:
                crc >>= 1
            current >>= 1
    return crc


def test_what_is_left_of_a_number_by_a_mask_is_known_to_fit_in_a_byte():
    data = np.random.default_rng(0).integers(0, 256, 100, dtype=np.uint8)
    compiled = compile(crc16)
    assert compiled(data) == crc16([int(b) for b in data])
    assert "out of bounds for uint8" not in compiled.source("llvm", data)


@pytest.mark.parametrize("count", [1, 2, 7, 49, 50, 777])
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4"])
def test_equal_bins_are_those_of_numpy_next_to_their_edges(count, dtype):
    if dtype == "i4":
        x, low, high = np.arange(-3, 200, dtype=dtype) ** 2 % 101, 2, 97
    else:
        low, high = 0.1, 0.7
        edges = np.linspace(low, high, count + 1).astype(dtype)
        x = np.concatenate([edges, *(np.nextafter(edges, edges.dtype.type(far)) for far in (-1, 2))])
    for ours, numpys in zip(compile(histogram)(x, count, low, high), histogram(x, count, low, high), strict=True):
        assert ours.dtype == numpys.dtype and np.array_equal(ours, numpys)


def histogram(x, count, low, high):
    return np.histogram(x, count, (low, high))
