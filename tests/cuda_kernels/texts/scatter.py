import numpy as np

from pellucid.support import cuda, count_digits, digits_of, elements, faults, in_tile, index, mark_runs, place_by_digits, row_sum_f64, rows, sort_parts, sum_counts, tiles


# out: f64[1000, 20]
@cuda.jit
def scatter_1(out):
    # programs.py:3    for i in prange(1000):
    j, i = in_tile()
    if i < 1000 and j < 20:
        # programs.py:5    out[i, j] = 0.0
        out[i, j] = 0.0


# out_terms: f64[out_terms_length]   keys: i64[keys_length]   order: i64[order_length]   out: f64[1000, 20]
#   x: f64[n, m]   p: i64[n]   failed: i64[1]
@cuda.jit
def scatter_2(out_terms, keys, order, out, x, p, failed):
    # programs.py:6    for i in range(dim(x, 0)):
    turn = cuda.grid(1)
    if turn < x.shape[0] * x.shape[1]:
        place = np.int64(out.shape[0] * out.shape[1])
        term = np.float64(-0.0)
        i = turn // x.shape[1]
        j = turn % x.shape[1]

        # programs.py:8    if x[i, j] > 0.0:
        if x[i, j] > 0.0:
            # programs.py:9    out[p[i], j] = out[p[i], j] + x[i, j]
            place = np.int64(index(p[i], out.shape[0], failed) * out.shape[1] + j)
            term = x[i, j]
        keys[turn] = place
        order[turn] = np.int64(turn)
        out_terms[turn] = term


# keys: i64[keys_length]   shift: int   counts: i64[counts_length]
@cuda.jit
def scatter_3(keys, shift, counts):
    # programs.py:6    for i in range(dim(x, 0)):
    count_digits(keys, shift, counts)


# counts: i64[counts_length]
@cuda.jit
def scatter_4(counts):
    sum_counts(counts)


# keys: i64[keys_length]   order: i64[order_length]   shift: int   counts: i64[counts_length]
#   new_keys: i64[new_keys_length]   new_order: i64[new_order_length]
@cuda.jit
def scatter_5(keys, order, shift, counts, new_keys, new_order):
    place_by_digits(keys, order, shift, counts, new_keys, new_order)


# firsts: i64[firsts_length]   ends: i64[ends_length]
@cuda.jit
def scatter_6(firsts, ends):
    i_1 = cuda.grid(1)
    if i_1 < firsts.shape[0]:
        firsts[i_1] = 0
        ends[i_1] = 0


# keys: i64[keys_length]   firsts: i64[firsts_length]   ends: i64[ends_length]
@cuda.jit
def scatter_7(keys, firsts, ends):
    mark_runs(keys, firsts, ends)


# firsts: i64[firsts_length]   ends: i64[ends_length]   order: i64[order_length]   out_terms: f64[out_terms_length]
#   out: f64[1000, 20]
@cuda.jit
def scatter_8(firsts, ends, order, out_terms, out):
    i_1 = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    if i_1 < firsts.shape[0] and firsts[i_1] < ends[i_1]:
        total = np.float64(-0.0)
        k_1 = firsts[i_1] + cuda.threadIdx.x
        while k_1 < ends[i_1]:
            total += out_terms[order[k_1]]
            k_1 += cuda.blockDim.x
        total = row_sum_f64(total)
        if cuda.threadIdx.x == 0:
            out[i_1 // out.shape[1], i_1 % out.shape[1]] += total


# scatter (programs.py:1), kernels stage
# x: f64[n, m]   p: i64[n]   k: int   ->   out: f64[1000, 20]
def scatter(x, p, k):
    failed = faults()

    # programs.py:2    out = empty((1000, 20))
    out = cuda.device_array((1000, 20), np.float64)

    # programs.py:3    for i in prange(1000):
    scatter_1[tiles(1000, 20)](out)

    # programs.py:6    for i in range(dim(x, 0)):
    out_terms = cuda.device_array(x.shape[0] * x.shape[1], np.float64)
    keys = cuda.device_array(x.shape[0] * x.shape[1], np.int64)
    order = cuda.device_array(x.shape[0] * x.shape[1], np.int64)
    scatter_2[elements(x.shape[0] * x.shape[1])](out_terms, keys, order, out, x, p, failed)
    new_keys = cuda.device_array(x.shape[0] * x.shape[1], np.int64)
    new_order = cuda.device_array(x.shape[0] * x.shape[1], np.int64)
    counts = cuda.device_array(256 * sort_parts(x.shape[0] * x.shape[1])[0], np.int64)
    for shift in digits_of(out.shape[0] * out.shape[1]):
        scatter_3[sort_parts(x.shape[0] * x.shape[1])](keys, shift, counts)
        scatter_4[1, 1024](counts)
        scatter_5[sort_parts(x.shape[0] * x.shape[1])](keys, order, shift, counts, new_keys, new_order)
        keys, new_keys = new_keys, keys
        order, new_order = new_order, order
    firsts = cuda.device_array(out.shape[0] * out.shape[1], np.int64)
    ends = cuda.device_array(out.shape[0] * out.shape[1], np.int64)
    scatter_6[elements(out.shape[0] * out.shape[1])](firsts, ends)
    scatter_7[elements(x.shape[0] * x.shape[1])](keys, firsts, ends)
    scatter_8[rows(out.shape[0] * out.shape[1], 32)](firsts, ends, order, out_terms, out)
    failed.check()

    # programs.py:10    return out
    return out
