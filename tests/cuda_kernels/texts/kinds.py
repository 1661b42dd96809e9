import numpy as np

from pellucid.support import cuda

WIDTH = 33


@cuda.jit(device=True)
def twice(x):
    return x + x


# x: any f32[n, m]   a: f16[n]   t: any f64[]   h: f16   b: bool   c: bool_   s: c64   z: complex   w: i8   size: int
@cuda.jit
def kinds(x, a, t, h, b, c, s, z, w, size):
    tile = cuda.shared.array(WIDTH, np.float32)
    tile[cuda.threadIdx.x] = s.real
    cuda.syncthreads()
    i, j = cuda.grid(2)
    if i < size and b and c:
        x[i, j] = tile[w] + z.imag + twice(np.float32(a[i])) + np.float32(h) + t[()]

