# x: f32[n, m]   ->   f32[n, m]
import numpy as np

from pellucid.support import cuda, elements


@cuda.jit
def poly_1(x_flat, result_flat, size):
    i = cuda.grid(1)
    if i < size:
        result_flat[i] = x_flat[i] + x_flat[i] * x_flat[i] + x_flat[i] * x_flat[i] * x_flat[i]


def poly(x):
    result = cuda.device_array((x.shape[0], x.shape[1]), np.float32)
    size = x.shape[0] * x.shape[1]
    poly_1[elements(size)](x.reshape(size), result.reshape(size), size)
    return result
