import numpy as np

from pellucid.support import cuda, ALL, elements, faults, index, scatter_parts


# out: i32[10]
@cuda.jit
def tally_1(out):
    # programs.py:3    for i in prange(10):
    i = cuda.grid(1)
    if i < 10:
        # programs.py:4    out[i] = cast(0, "i32")
        out[i] = np.int32(0)


# out_parts: i32[out_parts_rows, out_parts_length]   p: i64[n]   x: f64[n]   out: i32[10]   failed: i64[1]
@cuda.jit
def tally_2(out_parts, p, x, out, failed):
    # programs.py:5    for i in range(dim(p, 0)):
    mine = cuda.shared.array(1024, np.int32)
    j = cuda.threadIdx.x
    while j < out_parts.shape[1]:
        mine[j] = np.int32(0)
        j += 32
    cuda.syncwarp(ALL)
    first = cuda.blockIdx.x * 4096
    last = min(first + 4096, p.shape[0])
    while first < last:
        i = first + cuda.threadIdx.x
        place = np.int64(-1)
        term = np.int32(0)
        if i < last:
            # programs.py:6    if x[i] > 0.0:
            if x[i] > 0.0:
                # programs.py:7    out[p[i]] = out[p[i]] + cast(1, "i32")
                place = np.int64(index(p[i], out.shape[0], failed))
                term = np.int32(1)
        same = cuda.match_any_sync(ALL, place)
        is_first = same & (1 << cuda.threadIdx.x) - 1 == 0
        for lane in range(32):
            its = cuda.shfl_sync(ALL, term, lane)
            if is_first and place >= 0 and same >> lane & 1 == 1:
                mine[place] += its
        cuda.syncwarp(ALL)
        first += 32

    # programs.py:5    for i in range(dim(p, 0)):
    j = cuda.threadIdx.x
    while j < out_parts.shape[1]:
        out_parts[cuda.blockIdx.x, j] = mine[j]
        j += 32


# out_parts: i32[out_parts_rows, out_parts_length]   out: i32[10]
@cuda.jit
def tally_3(out_parts, out):
    j = cuda.grid(1)
    if j < out_parts.shape[1]:
        total = out[j]
        for part in range(out_parts.shape[0]):
            total += out_parts[part, j]
        out[j] = total


# tally (programs.py:1), kernels stage
# x: f64[n]   p: i64[n]   ->   out: i32[10]
def tally(x, p):
    failed = faults()

    # programs.py:2    out = empty(10, "i32")
    out = cuda.device_array(10, np.int32)

    # programs.py:3    for i in prange(10):
    tally_1[elements(10)](out)

    # programs.py:5    for i in range(dim(p, 0)):
    out_parts = cuda.device_array((scatter_parts(p.shape[0])[0], out.shape[0]), np.int32)
    tally_2[scatter_parts(p.shape[0])](out_parts, p, x, out, failed)
    tally_3[elements(out.shape[0])](out_parts, out)
    failed.check()

    # programs.py:8    return out
    return out
