# logits: f64[n, m]   labels: f64[n, m]   ->   f64, f64[n, m]
import math

import numpy as np

from pellucid.support import cuda, maximum, parts, row_max_f64, row_sum_f64, row_sum_i64, rows


@cuda.jit
def entropy_1(logits, labels, losses):
    # a row of threads takes row i
    i = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    if i < logits.shape[0]:
        best = np.float64(-math.inf)
        for j in range(cuda.threadIdx.x, logits.shape[1], cuda.blockDim.x):
            best = maximum(best, logits[i, j])
        best = row_max_f64(best)
        total = np.float64(0.0)
        for j in range(cuda.threadIdx.x, logits.shape[1], cuda.blockDim.x):
            total += math.exp(logits[i, j] - best)
        total = math.log(row_sum_f64(total))
        loss = np.float64(0.0)
        for j in range(cuda.threadIdx.x, logits.shape[1], cuda.blockDim.x):
            loss += labels[i, j] * (logits[i, j] - best - total)
        loss = row_sum_f64(loss)
        if cuda.threadIdx.x == 0:
            losses[i] = loss


@cuda.jit
def entropy_2(losses, partial):
    # a block takes 8192 terms
    first = cuda.blockIdx.x * 8192
    total = np.float64(0.0)
    for i in range(first + cuda.threadIdx.x, min(first + 8192, losses.shape[0]), cuda.blockDim.x):
        total += losses[i]
    total = row_sum_f64(total)
    if cuda.threadIdx.x == 0:
        partial[cuda.blockIdx.x] = total


@cuda.jit
def entropy_3(partial, result, n):
    total = np.float64(0.0)
    for k in range(cuda.threadIdx.x, partial.shape[0], cuda.blockDim.x):
        total += partial[k]
    total = row_sum_f64(total)
    if cuda.threadIdx.x == 0:
        result[()] = -(total / np.float64(n))


def entropy(logits, labels):
    losses = cuda.device_array(logits.shape[0], np.float64)
    entropy_1[rows(logits.shape[0], logits.shape[1])](logits, labels, losses)
    partial = cuda.device_array(parts(logits.shape[0])[0], np.float64)
    entropy_2[parts(logits.shape[0])](losses, partial)
    result = cuda.device_array((), np.float64)
    entropy_3[1, (256, 1)](partial, result, logits.shape[0])
    return result


@cuda.jit
def entropy_grad_1(logits, labels, logits_bar, total_bar):
    i = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    if i < logits.shape[0]:
        best = np.float64(-math.inf)
        for j in range(cuda.threadIdx.x, logits.shape[1], cuda.blockDim.x):
            best = maximum(best, logits[i, j])
        best = row_max_f64(best)
        total = np.float64(0.0)
        count = np.int64(0)
        labels_bar = np.float64(0.0)
        j = cuda.threadIdx.x
        while j < logits.shape[1]:
            logits_bar[i, j] = math.exp(logits[i, j] - best)
            total += logits_bar[i, j]
            count += np.int64(logits[i, j] == best)
            labels_bar += -(total_bar * labels[i, j])
            j += cuda.blockDim.x
        total = row_sum_f64(total)
        count = row_sum_i64(count)
        labels_bar = row_sum_f64(labels_bar)
        best_bar = np.float64(0.0)
        for j in range(cuda.threadIdx.x, logits.shape[1], cuda.blockDim.x):
            logits_bar[i, j] = total_bar * labels[i, j] + labels_bar * (1.0 / total) * logits_bar[i, j]
            best_bar += -logits_bar[i, j]
        best_bar = row_sum_f64(best_bar)
        for j in range(cuda.threadIdx.x, logits.shape[1], cuda.blockDim.x):
            if logits[i, j] == best:
                logits_bar[i, j] += best_bar / np.float64(count)


def entropy_grad(logits, labels):
    total_bar = np.float64(-1.0) / np.float64(logits.shape[0])
    logits_bar = cuda.device_array((logits.shape[0], logits.shape[1]), np.float64)
    entropy_grad_1[rows(logits.shape[0], logits.shape[1])](logits, labels, logits_bar, total_bar)
    return logits_bar
