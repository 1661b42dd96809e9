# idx: i64[n]   w: f64[n]   bins: int   ->   f64[bins]
import numpy as np

from pellucid.support import ALL, cuda, elements, faults

ROOM = 1024  # bins that shared memory holds
TERMS = 4096  # terms of one warp


@cuda.jit
def histogram_1(idx, w, partial, failed):
    # a warp takes 4096 terms, in their order, into a row of its own
    mine = cuda.shared.array(ROOM, np.float64)
    bins = partial.shape[1]
    for j in range(cuda.threadIdx.x, bins, 32):
        mine[j] = 0.0
    cuda.syncwarp(ALL)
    first = cuda.blockIdx.x * TERMS
    for start in range(first, min(first + TERMS, idx.shape[0]), 32):
        i = start + cuda.threadIdx.x
        place = np.int64(-1)
        term = np.float64(0.0)
        if i < idx.shape[0]:
            place = idx[i]
            if place < -bins or place >= bins:
                failed[0] = 1
                place = np.int64(-1)
            else:
                place = place + bins if place < 0 else place
                term = w[i]
        same = cuda.match_any_sync(ALL, place)
        is_first = same & ((1 << cuda.threadIdx.x) - 1) == 0
        for lane in range(32):
            its = cuda.shfl_sync(ALL, term, lane)
            if is_first and place >= 0 and same >> lane & 1:
                mine[place] += its
        cuda.syncwarp(ALL)
    for j in range(cuda.threadIdx.x, bins, 32):
        partial[cuda.blockIdx.x, j] = mine[j]


@cuda.jit
def histogram_2(partial, out):
    j = cuda.grid(1)
    if j < out.shape[0]:
        total = np.float64(0.0)
        for part in range(partial.shape[0]):
            total += partial[part, j]
        out[j] = total


@cuda.jit
def histogram_3(out):
    j = cuda.grid(1)
    if j < out.shape[0]:
        out[j] = 0.0


@cuda.jit
def histogram_4(idx, w, out, failed):
    # in any order
    i = cuda.grid(1)
    if i < idx.shape[0]:
        place = idx[i]
        if place < -out.shape[0] or place >= out.shape[0]:
            failed[0] = 1
        else:
            cuda.atomic.add(out, place + out.shape[0] if place < 0 else place, w[i])


def histogram(idx, w, bins):
    failed = faults()
    out = cuda.device_array(bins, np.float64)
    if bins <= ROOM:
        number = max(-(-idx.shape[0] // TERMS), 1)
        partial = cuda.device_array((number, bins), np.float64)
        histogram_1[number, 32](idx, w, partial, failed)
        histogram_2[elements(bins)](partial, out)
    else:
        histogram_3[elements(bins)](out)
        histogram_4[elements(idx.shape[0])](idx, w, out, failed)
    failed.check()
    return out
