import numpy as np

from pellucid.support import cuda, elements, faults


# index: i64[n]   counts: i64[bins]   failed: i64[1]
@cuda.jit
def histogram_1(index, counts, failed):
    # programs.py:61    counts[index[i]] += 1
    i = cuda.grid(1)
    if i < index.shape[0]:
        t = index[i]
        if t < -counts.shape[0] or t >= counts.shape[0]:
            failed[0] = 1
        else:
            cuda.atomic.add(counts, t + counts.shape[0] if t < 0 else t, 1)


# histogram (programs.py:58), kernels stage
# index: i64[n]   counts: i64[bins]   ->   counts: i64[bins]
def histogram(index, counts):
    failed = faults()
    histogram_1[elements(index.shape[0])](index, counts, failed)
    failed.check()
    return counts
