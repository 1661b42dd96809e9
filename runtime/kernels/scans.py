"""Running folds over the threads of a block: what the threads before have, and what all have.

    before = block_before_sum_f64(own)      the sum of what threads 0 ... threadIdx.x - 1 have
    everything = block_total_sum_f64(own)   that of all

A block has 256 threads in a row.  The order is fixed: lanes of a warp pairwise, then the warps in theirs.

Like `device`, this file is numba.cuda source that the lockstep machine runs too.
"""
# mypy: disallow-untyped-defs=False, disable-error-code="var-annotated,no-redef"

import numpy as np

from ..lockstep import cuda
from .device import ALL, maximum, minimum
from .folds import _add, _multiply


def earlier_of(dtype):
    """A device function: the value of the lane so many before; of a complex number both parts."""
    if np.dtype(dtype).kind == "c":

        @cuda.jit(device=True)
        def earlier(v, lanes):
            return complex(cuda.shfl_up_sync(ALL, v.real, lanes), cuda.shfl_up_sync(ALL, v.imag, lanes))

        return earlier

    @cuda.jit(device=True)
    def earlier(v, lanes):
        return dtype(cuda.shfl_up_sync(ALL, v, lanes))

    return earlier


def block_scan(combine, dtype, identity):
    """A device function: (what the threads before have, what all have), combined."""
    earlier = earlier_of(dtype)

    @cuda.jit(device=True)
    def scan(own):
        number = type(own)
        lane = cuda.threadIdx.x % 32
        warp = cuda.threadIdx.x // 32
        whole = own
        step = 1
        while step < 32:
            other = earlier(whole, step)
            if lane >= step:
                whole = number(combine(other, whole))
            step *= 2
        before = earlier(whole, 1)
        if lane == 0:
            before = number(identity)
        of_warps = cuda.shared.array(32, dtype)
        if lane == 31:
            of_warps[warp] = whole
        cuda.syncthreads()
        ahead = number(identity)
        total = number(identity)
        for k in range(cuda.blockDim.x // 32):
            if k == warp:
                ahead = total
            total = number(combine(total, of_warps[k]))
        cuda.syncthreads()
        return number(combine(ahead, before)), total

    return scan


SCANNED = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "c128": np.complex128, "c64": np.complex64}


def scans_of(dtype):
    """What is taken together: its name, the function of two, and what a scan begins with; complex numbers are not
    compared.
    """
    sums = (("sum", _add, 0), ("prod", _multiply, 1))
    kind = np.dtype(dtype).kind
    if kind == "c":
        return sums
    least, greatest = (-np.inf, np.inf) if kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return (*sums, ("max", maximum, least), ("min", minimum, greatest))


globals().update(
    (f"block_scan_{name}_{word}", block_scan(two, dtype, identity))
    for word, dtype in SCANNED.items()
    for name, two, identity in scans_of(dtype)
)
