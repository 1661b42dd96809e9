import math
import numpy as np

from pellucid.support import cuda, checked_add, faults, parts, row_argmax_f64, row_argmin_f64, row_sum_f64, row_sum_i64


# x: f64[n]   total_parts: f64[total_parts_length]   squares_parts: f64[squares_parts_length]
#   n_parts: i64[n_parts_length]   low_parts: f64[low_parts_length]   place_parts: i64[place_parts_length]
#   high_parts: f64[high_parts_length]   place_1_parts: i64[place_1_parts_length]   failed: i64[1]
@cuda.jit
def several_1(x, total_parts, squares_parts, n_parts, low_parts, place_parts, high_parts,
        place_1_parts, failed):
    # fold_programs.py:92    for i in range(x.shape[0]):
    total = np.float64(0.0)
    squares = np.float64(0.0)
    n = np.int64(0)
    low = np.float64(math.inf)
    place = np.int64(-1)
    high = np.float64(-math.inf)
    place_1 = np.int64(-1)
    i = cuda.blockIdx.x * 8192 + cuda.threadIdx.x
    last = min(cuda.blockIdx.x * 8192 + 8192, x.shape[0])
    while i < last:
        # fold_programs.py:93    v = x[i]
        v = x[i]

        # fold_programs.py:96    total += v
        total += v

        # fold_programs.py:97    if v > 0.0:
        if v > 0.0:
            # fold_programs.py:98    squares += v * v
            squares += v * v

            # fold_programs.py:99    n += 1
            n = checked_add(n, 1, failed)

        # fold_programs.py:92    for i in range(x.shape[0]):
        if v < low:
            low = v
            place = i
        if v > high:
            high = v
            place_1 = i
        i += cuda.blockDim.x
    total = row_sum_f64(total)
    squares = row_sum_f64(squares)
    n = row_sum_i64(n)
    low, place = row_argmin_f64(low, place)
    high, place_1 = row_argmax_f64(high, place_1)
    if cuda.threadIdx.x == 0:
        total_parts[cuda.blockIdx.x] = total
        squares_parts[cuda.blockIdx.x] = squares
        n_parts[cuda.blockIdx.x] = n
        low_parts[cuda.blockIdx.x] = low
        place_parts[cuda.blockIdx.x] = place
        high_parts[cuda.blockIdx.x] = high
        place_1_parts[cuda.blockIdx.x] = place_1


# total_parts: f64[total_parts_length]   total: f64[]   squares_parts: f64[squares_parts_length]   squares: f64[]
#   n_parts: i64[n_parts_length]   n: i64[]   low_parts: f64[low_parts_length]
#   place_parts: i64[place_parts_length]   low: f64[]   high_parts: f64[high_parts_length]
#   place_1_parts: i64[place_1_parts_length]   high: f64[]   failed: i64[1]
@cuda.jit
def several_2(total_parts, total, squares_parts, squares, n_parts, n, low_parts, place_parts, low,
        high_parts, place_1_parts, high, failed):
    whole = np.float64(0.0)
    k = cuda.threadIdx.x
    while k < total_parts.shape[0]:
        whole = whole + total_parts[k]
        k += cuda.blockDim.x
    whole = row_sum_f64(whole)
    whole_1 = np.float64(0.0)
    k = cuda.threadIdx.x
    while k < squares_parts.shape[0]:
        whole_1 = whole_1 + squares_parts[k]
        k += cuda.blockDim.x
    whole_1 = row_sum_f64(whole_1)
    whole_2 = np.int64(0)
    k = cuda.threadIdx.x
    while k < n_parts.shape[0]:
        whole_2 = checked_add(whole_2, n_parts[k], failed)
        k += cuda.blockDim.x
    whole_2 = row_sum_i64(whole_2)
    whole_3 = np.float64(math.inf)
    where = np.int64(-1)
    k = cuda.threadIdx.x
    while k < low_parts.shape[0]:
        if low_parts[k] < whole_3:
            whole_3 = low_parts[k]
            where = place_parts[k]
        k += cuda.blockDim.x
    whole_3, where = row_argmin_f64(whole_3, where)
    whole_4 = np.float64(-math.inf)
    where_1 = np.int64(-1)
    k = cuda.threadIdx.x
    while k < high_parts.shape[0]:
        if high_parts[k] > whole_4:
            whole_4 = high_parts[k]
            where_1 = place_1_parts[k]
        k += cuda.blockDim.x
    whole_4, where_1 = row_argmax_f64(whole_4, where_1)
    if cuda.threadIdx.x == 0:
        total[()] = whole
        squares[()] = whole_1
        n[()] = whole_2
        low[()] = whole_3
        place = where
        high[()] = whole_4
        place_1 = where_1


# several (fold_programs.py:90), kernels stage
# x: f64[n]   ->   low: f64   high: f64   total: f64   squares: f64   n: int
def several(x):
    failed = faults()
    total_parts = cuda.device_array(parts(x.shape[0])[0], np.float64)
    squares_parts = cuda.device_array(parts(x.shape[0])[0], np.float64)
    n_parts = cuda.device_array(parts(x.shape[0])[0], np.int64)
    low_parts = cuda.device_array(parts(x.shape[0])[0], np.float64)
    place_parts = cuda.device_array(parts(x.shape[0])[0], np.int64)
    high_parts = cuda.device_array(parts(x.shape[0])[0], np.float64)
    place_1_parts = cuda.device_array(parts(x.shape[0])[0], np.int64)
    several_1[parts(x.shape[0])](x, total_parts, squares_parts, n_parts, low_parts, place_parts,
        high_parts, place_1_parts, failed)
    high = cuda.device_array((), np.float64)
    low = cuda.device_array((), np.float64)
    n = cuda.device_array((), np.int64)
    squares = cuda.device_array((), np.float64)
    total = cuda.device_array((), np.float64)
    several_2[1, 256](total_parts, total, squares_parts, squares, n_parts, n, low_parts,
        place_parts, low, high_parts, place_1_parts, high, failed)
    failed.check()

    # fold_programs.py:100    return low, high, total, squares, n
    return low, high, total, squares, n
