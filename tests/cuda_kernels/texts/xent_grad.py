import math
import numpy as np

from pellucid.support import cuda, maximum, row_max_f64, row_sum_f64, row_sum_i64, rows


# logits: f64[n, m]   labels: f64[n, m]   logits_bar: f64[n, m]   total_bar: f64
@cuda.jit
def xent_grad_1(logits, labels, logits_bar, total_bar):
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
        total = np.float64(0.0)
        count = np.int64(0)
        total_1 = np.float64(0.0)
        j = cuda.threadIdx.x
        while j < logits.shape[1]:
            logits_bar[i, j] = math.exp(logits[i, j] - best)
            total += logits_bar[i, j]
            count += np.int64(logits[i, j] == best)
            total_1 += -(total_bar * labels[i, j])
            j += cuda.blockDim.x
        total = row_sum_f64(total)
        count = row_sum_i64(count)
        total_1 = row_sum_f64(total_1)
        total_3 = np.float64(0.0)
        j = cuda.threadIdx.x
        while j < labels.shape[1]:
            logits_bar[i, j] = total_bar * labels[i, j] + total_1 * (1.0 / total) * logits_bar[i, j]
            total_3 += -logits_bar[i, j]
            j += cuda.blockDim.x
        total_3 = row_sum_f64(total_3)

        # programs.py:11    shifted = logits - np.max(logits, axis=1, keepdims=True)
        j = cuda.threadIdx.x
        while j < labels.shape[1]:
            if logits[i, j] == best:
                logits_bar[i, j] += total_3 / np.float64(count)
            elif math.isnan(best):
                logits_bar[i, j] += math.nan
            j += cuda.blockDim.x


# Derivative of xent (programs.py:10) with respect to logits, kernels stage
# logits: f64[n, m]   labels: f64[n, m]   ->   logits_bar: f64[n, m]
def xent_grad(logits, labels):
    # programs.py:11    shifted = logits - np.max(logits, axis=1, keepdims=True)
    if logits.shape[1] == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")

    # programs.py:13    return -np.mean(np.sum(labels * logp, axis=1))
    total_bar = np.float64(-1.0) / np.float64(logits.shape[0])
    logits_bar = cuda.device_array((logits.shape[0], logits.shape[1]), np.float64)
    xent_grad_1[rows(logits.shape[0], logits.shape[1])](logits, labels, logits_bar, total_bar)
    return logits_bar
