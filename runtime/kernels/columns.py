"""Folds over a column of threads, `threadIdx.y`: each takes a value of every thread and gives every thread the result.

    total = column_sum_f64(total)

A block has 256 threads.  The order is that of threadIdx.y; all threads of the block call a fold, those without terms
with what does not change the result.

Like `device`, this file is numba.cuda source that the lockstep machine runs too.
"""
# mypy: disallow-untyped-defs=False, disable-error-code="var-annotated"

import numpy as np

from ..lockstep import cuda
from .device import maximum, minimum
from .folds import DTYPES, NUMBERS, SUMS, _add, _multiply


def column_fold(combine, dtype):
    """A device function that folds a value of every thread of a column."""

    @cuda.jit(device=True)
    def fold(v):
        number = type(v)
        of_threads = cuda.shared.array(256, dtype)
        of_threads[cuda.threadIdx.y * cuda.blockDim.x + cuda.threadIdx.x] = v
        cuda.syncthreads()
        v = of_threads[cuda.threadIdx.x]
        for k in range(1, cuda.blockDim.y):
            v = number(combine(v, of_threads[k * cuda.blockDim.x + cuda.threadIdx.x]))
        cuda.syncthreads()
        return v

    return fold


@cuda.jit(device=True)
def _either(a, b):
    return a or b


@cuda.jit(device=True)
def _both(a, b):
    return a and b


column_any = column_fold(_either, np.bool_)
column_all = column_fold(_both, np.bool_)

globals().update(
    (f"column_{name}_{dtype}", column_fold(two, DTYPES[dtype]))
    for name, two, dtypes in (
        ("sum", _add, SUMS),
        ("prod", _multiply, SUMS),
        ("max", maximum, NUMBERS),
        ("min", minimum, NUMBERS),
    )
    for dtype in dtypes.split()
)
