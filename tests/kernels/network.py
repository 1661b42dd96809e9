# w1: f64[d, h]   b1: f64[h]   w2: f64[h, o]   b2: f64[o]   x: f64[n, d]   y: f64[n, o]   ->   the four cotangents
import math

import numpy as np

from pellucid.support import cuda, elements, tiles

ROWS = 256  # rows that one block adds up


@cuda.jit
def product_1(out, a, b):
    j, i = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        total = np.float64(0.0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        out[i, j] = total


@cuda.jit
def network_grad_1(h, b1):
    j, i = cuda.grid(2)
    if i < h.shape[0] and j < h.shape[1]:
        h[i, j] = math.tanh(h[i, j] + b1[j])


@cuda.jit
def network_grad_2(t, b2, y, total_bar):
    j, i = cuda.grid(2)
    if i < t.shape[0] and j < t.shape[1]:
        t[i, j] = total_bar * (2.0 * (t[i, j] + b2[j] - y[i, j]))


@cuda.jit
def network_grad_3(t, partial):
    # columns: 256 rows to a block, which has 8 rows of threads
    j = cuda.blockIdx.x * 32 + cuda.threadIdx.x
    first = cuda.blockIdx.y * ROWS
    total = np.float64(0.0)
    if j < t.shape[1]:
        for i in range(first + cuda.threadIdx.y, min(first + ROWS, t.shape[0]), 8):
            total += t[i, j]
    of_rows = cuda.shared.array((8, 32), np.float64)
    of_rows[cuda.threadIdx.y, cuda.threadIdx.x] = total
    cuda.syncthreads()
    if cuda.threadIdx.y == 0 and j < t.shape[1]:
        for k in range(1, 8):
            total += of_rows[k, cuda.threadIdx.x]
        partial[cuda.blockIdx.y, j] = total


@cuda.jit
def network_grad_4(partial, out):
    j = cuda.grid(1)
    if j < out.shape[0]:
        total = np.float64(0.0)
        for part in range(partial.shape[0]):
            total += partial[part, j]
        out[j] = total


@cuda.jit
def network_grad_5(h_bar, h):
    j, i = cuda.grid(2)
    if i < h.shape[0] and j < h.shape[1]:
        h_bar[i, j] *= 1.0 - h[i, j] * h[i, j]


def product(a, b):
    out = cuda.device_array((a.shape[0], b.shape[1]), np.float64)
    product_1[tiles(a.shape[0], b.shape[1])](out, a, b)
    return out


def column_sums(t):
    across, block = max(-(-t.shape[1] // 32), 1), (32, 8)
    chunks = max(-(-t.shape[0] // ROWS), 1)
    partial = cuda.device_array((chunks, t.shape[1]), np.float64)
    network_grad_3[(across, chunks), block](t, partial)
    out = cuda.device_array(t.shape[1], np.float64)
    network_grad_4[elements(t.shape[1])](partial, out)
    return out


def network_grad(w1, b1, w2, b2, x, y):
    h = product(x, w1)
    network_grad_1[tiles(h.shape[0], h.shape[1])](h, b1)
    t = product(h, w2)
    total_bar = np.float64(1.0) / np.float64(t.shape[0] * t.shape[1])
    network_grad_2[tiles(t.shape[0], t.shape[1])](t, b2, y, total_bar)
    h_bar = product(t, w2.T)
    network_grad_5[tiles(h.shape[0], h.shape[1])](h_bar, h)
    return product(x.T, h_bar), column_sums(h_bar), product(h.T, t), column_sums(t)
