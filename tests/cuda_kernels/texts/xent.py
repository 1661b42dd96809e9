import math
import numpy as np

from pellucid.support import cuda, maximum, parts, row_max_f64, row_sum_f64, rows


# logits: f64[n, m]   labels: f64[n, m]   total: f64[n]
@cuda.jit
def xent_1(logits, labels, total):
    # a row of threads takes row i
    i = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    if i < logits.shape[0]:
        # programs.py:11    shifted = logits - np.max(logits, axis=1, keepdims=True)
        best = np.float64(-math.inf)
        j = cuda.threadIdx.x
        while j < logits.shape[1]:
            best = maximum(best, logits[i, j])
            j += cuda.blockDim.x
        best = row_max_f64(best)

        # programs.py:12    logp = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
        total_1 = np.float64(0.0)
        j = cuda.threadIdx.x
        while j < logits.shape[1]:
            total_1 += math.exp(logits[i, j] - best)
            j += cuda.blockDim.x
        total_1 = row_sum_f64(total_1)
        t = math.log(total_1)

        # programs.py:13    return -np.mean(np.sum(labels * logp, axis=1))
        total_2 = np.float64(0.0)
        j = cuda.threadIdx.x
        while j < labels.shape[1]:
            total_2 += labels[i, j] * (logits[i, j] - best - t)
            j += cuda.blockDim.x
        total_2 = row_sum_f64(total_2)
        if cuda.threadIdx.x == 0:
            total[i] = total_2


# total: f64[n]   partial: f64[parts]
@cuda.jit
def xent_2(total, partial):
    # a block takes 8192 terms
    total_3 = np.float64(0.0)
    i = cuda.blockIdx.x * 8192 + cuda.threadIdx.x
    end = min(cuda.blockIdx.x * 8192 + 8192, total.shape[0])
    while i < end:
        total_3 += total[i]
        i += cuda.blockDim.x
    total_3 = row_sum_f64(total_3)
    if cuda.threadIdx.x == 0:
        partial[cuda.blockIdx.x] = total_3


# partial: f64[parts]   result: f64[]   n: int
@cuda.jit
def xent_3(partial, result, n):
    # one block takes the parts together
    total_3 = np.float64(0.0)
    i = cuda.threadIdx.x
    while i < partial.shape[0]:
        total_3 += partial[i]
        i += cuda.blockDim.x
    total_3 = row_sum_f64(total_3)
    if cuda.threadIdx.x == 0:
        result[()] = -(total_3 / np.float64(n))


# xent (programs.py:10), kernels stage
# logits: f64[n, m]   labels: f64[n, m]   ->   f64[]
def xent(logits, labels):
    # programs.py:11    shifted = logits - np.max(logits, axis=1, keepdims=True)
    if logits.shape[1] == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    total = cuda.device_array(labels.shape[0], np.float64)
    xent_1[rows(logits.shape[0], logits.shape[1])](logits, labels, total)
    partial = cuda.device_array(parts(labels.shape[0])[0], np.float64)
    xent_2[parts(labels.shape[0])](total, partial)
    result = cuda.device_array((), np.float64)
    xent_3[1, (256, 1)](partial, result, logits.shape[0])
    return result
