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
from .folds import _add, _multiply


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


COLUMNS = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "c128": np.complex128, "c64": np.complex64}

globals().update(
    (f"column_{name}_{word}", column_fold(two, dtype))
    for word, dtype in COLUMNS.items()
    for name, two in (("sum", _add), ("prod", _multiply), ("max", maximum), ("min", minimum))
    if np.dtype(dtype).kind != "c" or two in (_add, _multiply)
)
