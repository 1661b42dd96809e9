"""Folds over a row of threads: each takes a value of every thread and gives every thread the result.

    total = row_sum_f64(total)

One row of threads is `threadIdx.x`, and `threadIdx.y` is the number of the row; blockDim is (32, rows) or (32 k, 1), so
that a warp lies in one row.  The order depends on blockDim.x alone, and the bits are the same in each thread: a
butterfly in the warp, then one over the warps, or these from the first to the last where they are no power of two.  All
threads of the block call a fold, those without terms with what does not change the result (0 for a sum, -inf for a
maximum).

Like `device`, this file is numba.cuda source that the lockstep machine runs too.
"""
# mypy: ignore-errors

import numpy as np

from ..lockstep import cuda
from .device import ALL, maximum, minimum

# --- two values -------------------------------------------------------------------------------------------------------


@cuda.jit(device=True)
def _add(a, b):
    return a + b


@cuda.jit(device=True)
def _multiply(a, b):
    return a * b


@cuda.jit(device=True)
def _is_before_by_maximum(a, i, b, j):
    """Whether NumPy's argmax prefers place i with a: nan to all else, then the greater, then the first."""
    if a != a or b != b:
        return a != a and (b == b or i < j)
    return a > b or (a == b and i < j)


@cuda.jit(device=True)
def _is_before_by_minimum(a, i, b, j):
    """Whether NumPy's argmin prefers place i with a: nan to all else, then the less, then the first."""
    if a != a or b != b:
        return a != a and (b == b or i < j)
    return a < b or (a == b and i < j)


@cuda.jit(device=True)
def _is_last_by_maximum(a, i, b, j):
    """Whether a choice by `>=` prefers place i with a: the greater, then the last."""
    return a > b or (a == b and i > j)


@cuda.jit(device=True)
def _is_last_by_minimum(a, i, b, j):
    """Whether a choice by `<=` prefers place i with a: the less, then the last."""
    return a < b or (a == b and i > j)


# --- the kinds of folds -----------------------------------------------------------------------------------------------


def carrier_of(dtype):
    """What a shuffle carries a real dtype as: it takes signed integers of 32 and 64 bits, and floats."""
    if np.dtype(dtype).kind == "f" or dtype in (np.int64, np.int32):
        return dtype
    return np.int64 if np.dtype(dtype).itemsize == 8 else np.int32


def exchange_of(dtype):
    """A device function: the value of the lane at a distance, by the bits of both numbers."""
    if np.dtype(dtype).kind == "c":

        @cuda.jit(device=True)
        def exchange(v, distance):
            return complex(cuda.shfl_xor_sync(ALL, v.real, distance), cuda.shfl_xor_sync(ALL, v.imag, distance))

        return exchange
    carrier = carrier_of(dtype)

    @cuda.jit(device=True)
    def exchange(v, distance):
        return dtype(cuda.shfl_xor_sync(ALL, carrier(v), distance))

    return exchange


@cuda.jit(device=True)
def complex_shuffle(v, lane):
    """The complex number of a lane."""
    return complex(cuda.shfl_sync(ALL, v.real, lane), cuda.shfl_sync(ALL, v.imag, lane))


def shuffle_of(dtype):
    """A device function: the value of a lane."""
    if np.dtype(dtype).kind == "c":
        return complex_shuffle
    carrier = carrier_of(dtype)

    @cuda.jit(device=True)
    def shuffle(v, lane):
        return dtype(cuda.shfl_sync(ALL, carrier(v), lane))

    return shuffle


def warp_fold(combine, dtype, is_choice):
    """A device function that folds a value of every lane of a warp; every lane gets the result."""
    exchange, shuffle = exchange_of(dtype), shuffle_of(dtype)

    @cuda.jit(device=True)
    def fold(v):
        v = dtype(combine(v, exchange(v, 16)))
        v = dtype(combine(v, exchange(v, 8)))
        v = dtype(combine(v, exchange(v, 4)))
        v = dtype(combine(v, exchange(v, 2)))
        v = dtype(combine(v, exchange(v, 1)))
        if is_choice:
            # of 0.0 and -0.0, or of two nans, each lane may have chosen its own
            v = shuffle(v, 0)
        return v

    return fold


def row_fold(combine, dtype, is_choice=False):
    """A device function that folds a value of every thread of a row; every thread gets the result."""
    of_warp = warp_fold(combine, dtype, is_choice)
    exchange, shuffle = exchange_of(dtype), shuffle_of(dtype)

    @cuda.jit(device=True)
    def fold(v):
        v = of_warp(v)
        if cuda.blockDim.x > 32:
            of_warps = cuda.shared.array(32, dtype)
            if cuda.threadIdx.x % 32 == 0:
                of_warps[cuda.threadIdx.x // 32] = v
            cuda.syncthreads()
            warps = cuda.blockDim.x // 32
            if warps & (warps - 1) == 0:
                # each warp folds what all warps have, as it has folded its own
                v = of_warps[cuda.threadIdx.x % warps]
                distance = warps // 2
                while distance > 0:
                    v = dtype(combine(v, exchange(v, distance)))
                    distance //= 2
                if is_choice:
                    v = shuffle(v, 0)
            else:
                v = of_warps[0]
                for warp in range(1, warps):
                    v = dtype(combine(v, of_warps[warp]))
            cuda.syncthreads()
        return v

    return fold


def row_extreme(combine, dtype):
    """A fold that gives one of the values."""
    return row_fold(combine, dtype, True)


def row_choice(is_before, dtype):
    """A device function that folds pairs of a value and its position (int64); every thread gets the first."""

    carrier = carrier_of(dtype)

    @cuda.jit(device=True)
    def fold(v, place):
        lanes = 16
        while lanes > 0:
            other = dtype(cuda.shfl_xor_sync(ALL, carrier(v), lanes))
            its_place = cuda.shfl_xor_sync(ALL, place, lanes)
            if is_before(other, its_place, v, place):
                v = other
                place = its_place
            lanes //= 2
        if cuda.blockDim.x > 32:
            of_warps = cuda.shared.array(32, dtype)
            places = cuda.shared.array(32, np.int64)
            if cuda.threadIdx.x % 32 == 0:
                of_warps[cuda.threadIdx.x // 32] = v
                places[cuda.threadIdx.x // 32] = place
            cuda.syncthreads()
            v = of_warps[0]
            place = places[0]
            for warp in range(1, cuda.blockDim.x // 32):
                if is_before(of_warps[warp], places[warp], v, place):
                    v = of_warps[warp]
                    place = places[warp]
            cuda.syncthreads()
        return v, place

    return fold


# --- the folds --------------------------------------------------------------------------------------------------------


@cuda.jit(device=True)
def row_any(v):
    """Whether v holds in a thread of the row."""
    found = cuda.any_sync(ALL, v)
    if cuda.blockDim.x > 32:
        of_warps = cuda.shared.array(32, np.bool_)
        if cuda.threadIdx.x % 32 == 0:
            of_warps[cuda.threadIdx.x // 32] = found
        cuda.syncthreads()
        for warp in range(cuda.blockDim.x // 32):
            found = found or of_warps[warp]
        cuda.syncthreads()
    return found


@cuda.jit(device=True)
def row_all(v):
    """Whether v holds in every thread of the row."""
    return not row_any(not v)


DTYPES = {
    "f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32, "u64": np.uint64, "u8": np.uint8,
    "c128": np.complex128, "c64": np.complex64,
}  # fmt: skip
NUMBERS = "f64 f32 i64 i32 u64 u8"
SUMS = "f64 f32 i64 i32 u64 c128 c64"  # NumPy adds narrower integers in 64 bits

# `row_sum_f64` and the like: what folds, and for which dtypes.
globals().update(
    (f"row_{name}_{dtype}", make(two, DTYPES[dtype]))
    for name, make, two, dtypes in (
        ("sum", row_fold, _add, SUMS),
        ("prod", row_fold, _multiply, SUMS),
        ("max", row_extreme, maximum, NUMBERS),
        ("min", row_extreme, minimum, NUMBERS),
        ("argmax", row_choice, _is_before_by_maximum, NUMBERS),
        ("argmin", row_choice, _is_before_by_minimum, NUMBERS),
        ("last_argmax", row_choice, _is_last_by_maximum, NUMBERS),
        ("last_argmin", row_choice, _is_last_by_minimum, NUMBERS),
    )
    for dtype in dtypes.split()
)
