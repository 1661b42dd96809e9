"""NumPy's sorts called by address: dtypes, rows without elements, any strides; want of memory and what is left then."""

import ctypes

import numpy as np
import pytest

from pellucid import compile
from pellucid.runtime import native_part, routines

DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()


@compile
def ordered(a):
    return np.sort(a), np.sort(a, axis=0), np.argsort(a, kind="stable"), np.argsort(a, axis=0, kind="stable")


def matrix(dtype, shape):
    """Equal numbers, zeros of both signs and nan among them."""
    drawn = np.random.default_rng(3).integers(-3, 4, (2, *shape)).astype(float)
    found = drawn[0] + 1j * drawn[1] if dtype.startswith("complex") else drawn[0]
    if np.dtype(dtype).kind in "fc" and found.size:
        found.flat[[0, 3]] = np.nan, -0.0
    return (np.abs(found) if dtype.startswith("uint") else found).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_are_as_numpy_has_them(dtype):
    whole = matrix(dtype, (6, 50))
    for a in (whole, whole[::2, ::-3], whole[:, :0], whole[:0]):
        for found, expected in zip(ordered(a), ordered.__wrapped__(a), strict=True):
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(np.asarray(found), expected)


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_void_p)
def without_memory(start, places, count, unused):
    return -1


@pytest.mark.parametrize("axis", [0, 1])
def test_want_of_memory_is_an_error_and_leaves_nothing(monkeypatch, axis):
    address = ctypes.cast(without_memory, ctypes.c_void_p).value
    monkeypatch.setitem(routines.PROVIDED, "pellucid_argsort_float32", address)
    order = compile(lambda a: np.argsort(a, axis=axis, kind="stable"))
    live = native_part.function("pellucid_live", ctypes.c_int64)
    for _ in range(3):
        before = live()
        with pytest.raises(MemoryError, match=rf"unable to allocate {4 * (3, 5)[axis]} bytes"):
            order(np.ones((3, 5), np.float32))
        assert live() == before
