import numpy as np

from pellucid.support import cuda, column_all, column_any, columns, elements, part_count, row_all, row_any, rows


# result: bool_[m]   result_1: bool_[m]   c: bool_[n, m]
@cuda.jit
def truths_of_columns_1(result, result_1, c):
    # fold_programs.py:308    return np.all(c, axis=0), np.any(c, axis=0), np.all(c, axis=1), np.any(c, axis=1)
    i = cuda.grid(1)
    if i < c.shape[1]:
        result[i] = True
        result_1[i] = False


# c: bool_[n, m]   result_sum_parts: bool[result_sum_parts_length, result_sum_parts_width]
#   result_1_sum_parts: bool[result_1_sum_parts_length, result_1_sum_parts_width]
@cuda.jit
def truths_of_columns_2(c, result_sum_parts, result_1_sum_parts):
    j = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    part = cuda.blockIdx.z * cuda.gridDim.y + cuda.blockIdx.y
    result_sum = True
    result_1_sum = False
    if j < c.shape[1]:
        i = part * 512 + cuda.threadIdx.y
        last = min((part + 1) * 512, c.shape[0])
        while i < last:
            result_sum = result_sum and c[i, j]
            result_1_sum = result_1_sum or c[i, j]
            i += cuda.blockDim.y
    result_sum = column_all(result_sum)
    result_1_sum = column_any(result_1_sum)
    if j < c.shape[1] and cuda.threadIdx.y == 0 and part < result_sum_parts.shape[0]:
        result_sum_parts[part, j] = result_sum
        result_1_sum_parts[part, j] = result_1_sum


# c: bool_[n, m]   result: bool_[m]   result_1: bool_[m]
#   result_sum_parts: bool[result_sum_parts_length, result_sum_parts_width]
#   result_1_sum_parts: bool[result_1_sum_parts_length, result_1_sum_parts_width]
@cuda.jit
def truths_of_columns_3(c, result, result_1, result_sum_parts, result_1_sum_parts):
    j = cuda.grid(1)
    if j < c.shape[1]:
        result_sum = result[j]
        result_1_sum = result_1[j]
        for part in range(result_sum_parts.shape[0]):
            result_sum = result_sum and result_sum_parts[part, j]
            result_1_sum = result_1_sum or result_1_sum_parts[part, j]
        result[j] = result_sum
        result_1[j] = result_1_sum


# c: bool_[n, m]   result_2: bool_[n]   result_3: bool_[n]
@cuda.jit
def truths_of_columns_4(c, result_2, result_3):
    i = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    if i < c.shape[0]:
        holds = True != 0
        found = False != 0
        j = cuda.threadIdx.x
        while j < c.shape[1]:
            holds = holds and c[i, j]
            found = found or c[i, j]
            j += cuda.blockDim.x
        holds = row_all(holds)
        found = row_any(found)
        if cuda.threadIdx.x == 0:
            result_2[i] = holds
        if cuda.threadIdx.x == 0:
            result_3[i] = found


# truths_of_columns (fold_programs.py:307), kernels stage
# c: bool_[n, m]   ->   bool_[m]   bool_[m]   bool_[n]   bool_[n]
def truths_of_columns(c):
    result = cuda.device_array(c.shape[1], np.bool_)
    result_1 = cuda.device_array(c.shape[1], np.bool_)
    truths_of_columns_1[elements(c.shape[1])](result, result_1, c)
    result_sum_parts = cuda.device_array((part_count(c.shape[0]), c.shape[1]), np.bool_)
    result_1_sum_parts = cuda.device_array((part_count(c.shape[0]), c.shape[1]), np.bool_)
    truths_of_columns_2[columns(c.shape[0], c.shape[1])](c, result_sum_parts, result_1_sum_parts)
    truths_of_columns_3[elements(c.shape[1])](c, result, result_1, result_sum_parts,
        result_1_sum_parts)
    result_2 = cuda.device_array(c.shape[0], np.bool_)
    result_3 = cuda.device_array(c.shape[0], np.bool_)
    truths_of_columns_4[rows(c.shape[0], c.shape[1])](c, result_2, result_3)
    return result, result_1, result_2, result_3
