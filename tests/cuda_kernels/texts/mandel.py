import numpy as np

from pellucid.support import cuda, elements


# cr: f64[n]   ci: f64[n]   limit: int   out: i64[n]   n: int
@cuda.jit
def mandel_1(cr, ci, limit, out, n):
    # programs.py:47    for i in range(n):
    i = cuda.grid(1)
    if i < n:
        x = np.float64(0.0)
        y = np.float64(0.0)
        k = 0
        # programs.py:51    while x*x + y*y <= 4.0 and k < limit:
        while x * x + y * y <= 4.0 and k < limit:
            x_1 = x * x - y * y + cr[i]
            y = 2.0 * x * y + ci[i]
            x = x_1
            k += 1
        out[i] = k


# mandel (programs.py:44), kernels stage
# cr: f64[n]   ci: f64[n]   limit: int   ->   out: i64[n]
def mandel(cr, ci, limit):
    n = cr.shape[0]
    out = cuda.device_array(n, np.int64)
    mandel_1[elements(n)](cr, ci, limit, out, n)
    return out
