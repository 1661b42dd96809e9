# cr: f64[n]   ci: f64[n]   limit: int   ->   i64[n]
import numpy as np

from pellucid.support import cuda, elements


@cuda.jit
def mandelbrot_1(cr, ci, limit, out, n):
    i = cuda.grid(1)
    if i < n:
        x = np.float64(0.0)
        y = np.float64(0.0)
        k = 0
        while x * x + y * y <= 4.0 and k < limit:
            x_1 = x * x - y * y + cr[i]
            y = 2.0 * x * y + ci[i]
            x = x_1
            k += 1
        out[i] = k


def mandelbrot(cr, ci, limit):
    out = cuda.device_array(cr.shape[0], np.int64)
    mandelbrot_1[elements(cr.shape[0])](cr, ci, limit, out, cr.shape[0])
    return out
