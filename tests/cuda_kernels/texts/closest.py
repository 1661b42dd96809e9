import math
import numpy as np

from pellucid.support import cuda, row_argmin_f64, rows


# x: f64[n]   best_1_parts: f64[best_1_parts_length]   place_parts: i64[place_parts_length]
#   other_1_parts: i64[other_1_parts_length]
@cuda.jit
def closest_1(x, best_1_parts, place_parts, other_1_parts):
    # fold_programs.py:314    for i in range(x.shape[0]):
    i = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    if i < x.shape[0]:
        best_1 = np.float64(math.inf)
        place = np.int64(-1)
        other_1 = np.int64(0)

        # fold_programs.py:315    for j in range(i):
        best_2 = np.float64(math.inf)
        place_1 = -1
        j = cuda.threadIdx.x
        while j < i:
            # fold_programs.py:316    d = abs(x[i] - x[j])
            d = abs(x[i] - x[j])

            # fold_programs.py:315    for j in range(i):
            if d < best_2:
                best_2 = d
                place_1 = j
            j += cuda.blockDim.x
        best_2, place_1 = row_argmin_f64(best_2, place_1)

        # fold_programs.py:314    for i in range(x.shape[0]):
        if place_1 >= 0:
            if best_2 < best_1:
                best_1 = best_2
                place = i
                other_1 = place_1
        if cuda.threadIdx.x == 0:
            best_1_parts[i] = best_1
            place_parts[i] = place
            other_1_parts[i] = other_1


# best_1_parts: f64[best_1_parts_length]   place_parts: i64[place_parts_length]
#   other_1_parts: i64[other_1_parts_length]   best: f64[]   one: i64[]   other: i64[]
@cuda.jit
def closest_2(best_1_parts, place_parts, other_1_parts, best, one, other):
    whole = np.float64(math.inf)
    part = np.int64(-1)
    k = cuda.threadIdx.x
    while k < best_1_parts.shape[0]:
        if place_parts[k] >= 0 and best_1_parts[k] < whole:
            whole = best_1_parts[k]
            part = k
        k += cuda.blockDim.x
    whole, part = row_argmin_f64(whole, part)
    if cuda.threadIdx.x == 0:
        best_1 = np.float64(math.inf)
        place = -1
        other_1 = 0
        if part >= 0:
            best_1 = whole
            place = place_parts[part]
            other_1 = other_1_parts[part]
        best[()] = np.float64(math.inf)
        one[()] = -1
        other[()] = -1
        taken = place >= 0 and best_1 < best[()]
        best[()] = best_1 if taken else best[()]
        one[()] = place if taken else one[()]
        other[()] = other_1 if taken else other[()]


# closest (fold_programs.py:311), kernels stage
# x: f64[n]   ->   best: f64   one: int   other: int
def closest(x):
    best_1_parts = cuda.device_array(x.shape[0], np.float64)
    place_parts = cuda.device_array(x.shape[0], np.int64)
    other_1_parts = cuda.device_array(x.shape[0], np.int64)
    closest_1[rows(x.shape[0], 256)](x, best_1_parts, place_parts, other_1_parts)
    best = cuda.device_array((), np.float64)
    one = cuda.device_array((), np.int64)
    other = cuda.device_array((), np.int64)
    closest_2[1, 256](best_1_parts, place_parts, other_1_parts, best, one, other)

    # fold_programs.py:321    return best, one, other
    return best, one, other
