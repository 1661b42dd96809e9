"""Stand-in."""
import numpy as np

from pellucid.support import cuda

ALL = 0xFFFFFFFF


@cuda.jit(device=True)
def maximum(a, b):
    return a if a > b or a != a else b


def row_fold(combine, dtype):
    @cuda.jit(device=True)
    def fold(v):
        v = combine(v, cuda.shfl_xor_sync(ALL, v, 16))
        v = combine(v, cuda.shfl_xor_sync(ALL, v, 8))
        v = combine(v, cuda.shfl_xor_sync(ALL, v, 4))
        v = combine(v, cuda.shfl_xor_sync(ALL, v, 2))
        v = combine(v, cuda.shfl_xor_sync(ALL, v, 1))
        if cuda.blockDim.x > 32:
            of_warps = cuda.shared.array(32, dtype)
            if cuda.threadIdx.x % 32 == 0:
                of_warps[cuda.threadIdx.x // 32] = v
            cuda.syncthreads()
            v = of_warps[0]
            for warp in range(1, cuda.blockDim.x // 32):
                v = combine(v, of_warps[warp])
            cuda.syncthreads()
        return v

    return fold


@cuda.jit(device=True)
def add(a, b):
    return a + b


row_sum_f64, row_sum_f32, row_sum_i64 = row_fold(add, np.float64), row_fold(add, np.float32), row_fold(add, np.int64)
row_max_f64, row_max_f32 = row_fold(maximum, np.float64), row_fold(maximum, np.float32)
