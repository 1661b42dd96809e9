# x: f64[n]   ->   f64[n]
import numpy as np

from pellucid.support import ALL, cuda, row_sum_f64

BLOCK = 64
EACH = 4
TERMS = 256  # BLOCK * EACH
PADDED = 264  # one more for each 32, so that lanes meet different banks


@cuda.jit(device=True)
def before_in_block(v, of_warps):
    """What the threads before this one have."""
    lane = cuda.threadIdx.x % 32
    warp = cuda.threadIdx.x // 32
    whole = v
    distance = 1
    while distance < 32:
        other = cuda.shfl_up_sync(ALL, whole, distance)
        whole = whole + other if lane >= distance else whole
        distance *= 2
    before = cuda.shfl_up_sync(ALL, whole, 1)
    before = before if lane >= 1 else np.float64(0.0)
    if lane == 31:
        of_warps[warp] = whole
    cuda.syncthreads()
    ahead = np.float64(0.0)
    for k in range(warp):
        ahead += of_warps[k]
    cuda.syncthreads()
    return ahead + before


@cuda.jit
def scan_1(x, sums):
    total = np.float64(0.0)
    first = cuda.blockIdx.x * TERMS
    for i in range(first + cuda.threadIdx.x, min(first + TERMS, x.shape[0]), BLOCK):
        total += x[i]
    total = row_sum_f64(total)
    if cuda.threadIdx.x == 0:
        sums[cuda.blockIdx.x] = total


@cuda.jit
def scan_2(sums):
    # one block makes of each part's sum what lies before the part
    of_warps = cuda.shared.array(32, np.float64)
    last = cuda.shared.array(1, np.float64)
    carry = np.float64(0.0)
    for first in range(0, sums.shape[0], BLOCK):
        i = first + cuda.threadIdx.x
        v = sums[i] if i < sums.shape[0] else np.float64(0.0)
        before = carry + before_in_block(v, of_warps)
        if i < sums.shape[0]:
            sums[i] = before
        if cuda.threadIdx.x == BLOCK - 1:
            last[0] = before + v
        cuda.syncthreads()
        carry = last[0]
        cuda.syncthreads()


@cuda.jit
def scan_3(x, sums, out):
    # neighbours come and go through shared memory, so that a warp reads what lies together
    of_warps = cuda.shared.array(32, np.float64)
    tile = cuda.shared.array(PADDED, np.float64)
    start = cuda.blockIdx.x * TERMS
    for k in range(cuda.threadIdx.x, TERMS, BLOCK):
        tile[k + k // 32] = x[start + k] if start + k < x.shape[0] else np.float64(0.0)
    cuda.syncthreads()
    own = np.float64(0.0)
    for e in range(EACH):
        k = cuda.threadIdx.x * EACH + e
        own += tile[k + k // 32]
    total = sums[cuda.blockIdx.x] + before_in_block(own, of_warps)
    for e in range(EACH):
        k = cuda.threadIdx.x * EACH + e
        total += tile[k + k // 32]
        tile[k + k // 32] = total
    cuda.syncthreads()
    for k in range(cuda.threadIdx.x, TERMS, BLOCK):
        if start + k < x.shape[0]:
            out[start + k] = tile[k + k // 32]


def scan(x):
    out = cuda.device_array(x.shape[0], np.float64)
    number = max(-(-x.shape[0] // TERMS), 1)
    sums = cuda.device_array(number, np.float64)
    scan_1[number, (BLOCK, 1)](x, sums)
    scan_2[1, (BLOCK, 1)](sums)
    scan_3[number, (BLOCK, 1)](x, sums, out)
    return out
