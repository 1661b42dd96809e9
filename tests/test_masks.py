"""Selection by masks, histograms of equal bins and bits: values that are NumPy's, and code without what costs time."""

import numpy as np
import pytest

from pellucid import compile, grad


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


def folds(x, y):
    m = x > 0.25
    return x[m].mean(), y[m].sum(), x[m].max(), np.prod(y[x > 0.9]), np.any(x[m] > 2.0), np.sum(x[y < -9.0])


def changed_between(x, y):
    chosen = y[x > 0.0]
    y = y.copy()
    y[:] = 0.0
    before = chosen.sum()
    part = x.copy()
    picked = part[part > 0.5]
    part[0] = 9.0
    return before, picked.sum(), picked.shape[0], part


def mask_changed(x):
    m = x > 0.0
    first = x[m]
    m[0] = False
    second = x[m]
    return first.sum(), first.shape[0], second, second.shape[0]


def packed(x, y):
    m = x > 0.0
    return x[m], y[m], np.flatnonzero(m), np.nonzero(x)[0], x[x > 9.0], x[x < 9.0]


def by_hand(x):
    found = np.empty(len(x) // 2)
    k = 0
    for i in range(len(x)):
        if x[i] > 0.0:
            found[k] = x[i]
            k += 1
    return found[:k]


@pytest.mark.parametrize("function", [folds, changed_between, packed, mask_changed])
@pytest.mark.parametrize("size", [3, 8, 1001])
def test_what_masks_select_is_numpys(function, size):
    random = np.random.default_rng(size)
    arguments = [random.standard_normal(size) for _ in range(function.__code__.co_argcount)]
    arguments[0][0] = 1.0
    found = compile(function)(*[a.copy() for a in arguments])
    for ours, numpys in zip(found, function(*arguments), strict=True):
        np.testing.assert_allclose(ours, numpys, rtol=1e-13)


def test_a_vector_without_room_for_what_is_selected_raises():
    compiled = compile(by_hand)
    assert np.array_equal(compiled(np.array([1.0, -1.0, 2.0, -2.0])), [1.0, 2.0])
    with pytest.raises(IndexError):
        compiled(np.array([1.0, 1.0, 2.0, -2.0]))
    assert compiled(np.array([-1.0, -1.0])).shape == (0,)


def test_the_extreme_of_nothing_selected_raises_as_in_numpy():
    def largest(x):
        return x[x > 5.0].max()

    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum"):
        compile(largest)(np.ones(4))


def test_gradients_of_masked_folds():
    def loss(x):
        return (x[x > 0.0] ** 2).sum() + x[x < 0.0].mean()

    x = np.array([1.0, -2.0, 3.0, -4.0])
    assert np.allclose(grad(loss)(x), [2.0, 0.5, 6.0, 0.5])
