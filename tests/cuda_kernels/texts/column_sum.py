import numpy as np

from pellucid.support import cuda, tiles


# x: f32[n, m]   partial: f32[parts, m]
@cuda.jit
def column_sum_1(x, partial):
    # programs.py:70    return np.sum(x, axis=0)        a row of threads takes 256 rows of a column
    j = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if j < x.shape[1]:
        total = np.float32(0.0)
        i = cuda.blockIdx.y * 256
        end = min(i + 256, x.shape[0])
        while i < end:
            total += x[i, j]
            i += 1
        partial[cuda.blockIdx.y, j] = total


# partial: f32[parts, m]   result: f32[m]
@cuda.jit
def column_sum_2(partial, result):
    j = cuda.grid(1)
    if j < partial.shape[1]:
        total = np.float32(0.0)
        i = 0
        while i < partial.shape[0]:
            total += partial[i, j]
            i += 1
        result[j] = total


# column_sum (programs.py:69), kernels stage
# x: f32[n, m]   ->   result: f32[m]
def column_sum(x):
    count = max(-(-x.shape[0] // 256), 1)
    partial = cuda.device_array((count, x.shape[1]), np.float32)
    column_sum_1[(max(-(-x.shape[1] // 256), 1), count), 256](x, partial)
    result = cuda.device_array(x.shape[1], np.float32)
    column_sum_2[max(-(-x.shape[1] // 256), 1), 256](partial, result)
    return result
