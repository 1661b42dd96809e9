"""A stable sort of keys by their digits, the least digit first, and the runs of equal keys in what is sorted.

    count_digits(keys, shift, counts)                                    in `sort_parts(n)`: counts of the block
    sum_counts(counts)                                                   in one block: where each count begins
    place_by_digits(keys, order, shift, counts, new_keys, new_order)     in `sort_parts(n)`
    mark_runs(keys, firsts, ends)                                        in `elements(n)`

Keys are int64 and not negative.  A block takes 4096 of them, each of its 8 warps 512, 32 at a time and in their order:
lanes with one digit find each other, and the least of them counts for all.  `counts` has 256 times as many elements as
there are blocks, those of one digit side by side.  What is equal keeps its order, so that everything is the same on
every GPU.

Like `device`, this file is numba.cuda source that the lockstep machine runs too.
"""
# mypy: ignore-errors

import numpy as np

from ..lockstep import cuda
from .device import ALL
from .scans import block_scan_sum_i64


@cuda.jit(device=True)
def _count_of_warps(keys, shift, mine):
    """How many keys of each warp have each digit: `mine[warp * 256 + digit]`."""
    k = cuda.threadIdx.x
    while k < 2048:
        mine[k] = np.int64(0)
        k += 256
    cuda.syncthreads()
    lane = cuda.threadIdx.x % 32
    warp = cuda.threadIdx.x // 32
    first = cuda.blockIdx.x * 4096 + warp * 512
    last = min(first + 512, keys.shape[0])
    while first < last:
        digit = np.int64(-1)
        if first + lane < last:
            digit = keys[first + lane] >> shift & 255
        same = cuda.match_any_sync(ALL, digit)
        if digit >= 0 and same & ((1 << lane) - 1) == 0:
            mine[warp * 256 + digit] += np.int64(cuda.popc(same))
        cuda.syncwarp(ALL)
        first += 32
    cuda.syncthreads()


@cuda.jit(device=True)
def count_digits(keys, shift, counts):
    """How many keys of the block have each digit: `counts[digit * blocks + block]`."""
    mine = cuda.shared.array(2048, np.int64)
    _count_of_warps(keys, shift, mine)
    total = np.int64(0)
    for warp in range(8):
        total += mine[warp * 256 + cuda.threadIdx.x]
    counts[cuda.threadIdx.x * cuda.gridDim.x + cuda.blockIdx.x] = total


@cuda.jit(device=True)
def sum_counts(counts):
    """Each count becomes the sum of those before it; a block of up to 1024 threads, each of which takes 8 at a time."""
    carry = np.int64(0)
    first = 0
    while first < counts.shape[0]:
        start = first + cuda.threadIdx.x * 8
        own = np.int64(0)
        for k in range(start, min(start + 8, counts.shape[0])):
            own += counts[k]
        before, total = block_scan_sum_i64(own)
        before += carry
        for k in range(start, min(start + 8, counts.shape[0])):
            own = counts[k]
            counts[k] = before
            before += own
        carry += total
        first += cuda.blockDim.x * 8


@cuda.jit(device=True)
def place_by_digits(keys, order, shift, counts, new_keys, new_order):
    """Keys, and what comes with them, at the positions that the summed counts give them."""
    mine = cuda.shared.array(2048, np.int64)
    _count_of_warps(keys, shift, mine)
    ahead = counts[cuda.threadIdx.x * cuda.gridDim.x + cuda.blockIdx.x]
    for warp in range(8):
        of_warp = mine[warp * 256 + cuda.threadIdx.x]
        mine[warp * 256 + cuda.threadIdx.x] = ahead
        ahead += of_warp
    cuda.syncthreads()
    lane = cuda.threadIdx.x % 32
    warp = cuda.threadIdx.x // 32
    first = cuda.blockIdx.x * 4096 + warp * 512
    last = min(first + 512, keys.shape[0])
    while first < last:
        digit = np.int64(-1)
        if first + lane < last:
            digit = keys[first + lane] >> shift & 255
        same = cuda.match_any_sync(ALL, digit)
        before = same & ((1 << lane) - 1)
        if digit >= 0:
            place = mine[warp * 256 + digit] + cuda.popc(before)
            new_keys[place] = keys[first + lane]
            new_order[place] = order[first + lane]
        cuda.syncwarp(ALL)
        if digit >= 0 and before == 0:
            mine[warp * 256 + digit] += np.int64(cuda.popc(same))
        cuda.syncwarp(ALL)
        first += 32


@cuda.jit(device=True)
def mark_runs(keys, firsts, ends):
    """Where the run of each key begins and ends in sorted keys; a key for which there is no target is passed over."""
    k = cuda.grid(1)
    if k < keys.shape[0]:
        key = keys[k]
        if key < firsts.shape[0]:
            if k == 0 or keys[k - 1] != key:
                firsts[key] = np.int64(k)
            if k == keys.shape[0] - 1 or keys[k + 1] != key:
                ends[key] = np.int64(k + 1)
