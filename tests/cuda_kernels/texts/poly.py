import numpy as np

from pellucid.support import cuda, elements


# x_flat: f32[size]   result_flat: f32[size]   size: int
@cuda.jit
def poly_1(x_flat, result_flat, size):
    i = cuda.grid(1)
    if i < size:
        result_flat[i] = x_flat[i] + x_flat[i] * x_flat[i] + x_flat[i] * x_flat[i] * x_flat[i]


# poly (programs.py:6), kernels stage
# x: f32[n, m]   ->   f32[n, m]
def poly(x):
    result = cuda.device_array((x.shape[0], x.shape[1]), np.float32)
    size = x.shape[0] * x.shape[1]
    x_flat = x.reshape(size)
    result_flat = result.reshape(size)
    poly_1[elements(size)](x_flat, result_flat, size)
    return result
