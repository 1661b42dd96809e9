import numpy as np

from pellucid.support import cuda, block_scan_sum_i64, fetch, row_sum_i64, scan_parts


# x: f64[n, m]   sums: i64[sums_length]
@cuda.jit
def places_1(x, sums):
    # programs.py:4    for i in range(dim(x, 0)):
    total = np.int64(0)
    turn = cuda.blockIdx.x * 8192 + cuda.threadIdx.x
    last = min(cuda.blockIdx.x * 8192 + 8192, x.shape[0] * x.shape[1])
    while turn < last:
        i = turn // x.shape[1]
        j = turn % x.shape[1]
        total = total + (1 if x[i, j] > 0.0 else 0)
        turn += cuda.blockDim.x
    total = row_sum_i64(total)
    if cuda.threadIdx.x == 0:
        sums[cuda.blockIdx.x] = total


# sums: i64[sums_length]   position_cell: i64[]   position: int
@cuda.jit
def places_2(sums, position_cell, position):
    carry = np.int64(0)
    first = 0
    while first < sums.shape[0]:
        k = first + cuda.threadIdx.x
        own = np.int64(0)
        if k < sums.shape[0]:
            own = sums[k]
        before, total = block_scan_sum_i64(own)
        if k < sums.shape[0]:
            sums[k] = carry + before
        carry = carry + total
        first += cuda.blockDim.x
    if cuda.threadIdx.x == 0:
        position_cell[()] = position + carry


# sums: i64[sums_length]   position: int   x: f64[n, m]   places: i64[n, m]
@cuda.jit
def places_3(sums, position, x, places):
    tile = cuda.shared.array(2112, np.int64)
    carry = sums[cuda.blockIdx.x]
    first = cuda.blockIdx.x * 8192
    last = min(first + 8192, x.shape[0] * x.shape[1])
    if first < last:
        carry = position + carry
    while first < last:
        k = cuda.threadIdx.x
        while k < 2048:
            turn = first + k
            term = np.int64(0)
            if turn < last:
                i = turn // x.shape[1]
                j = turn % x.shape[1]
                term = 1 if x[i, j] > 0.0 else 0
            tile[k + k // 32] = term
            k += cuda.blockDim.x
        cuda.syncthreads()
        own = np.int64(0)
        for e in range(8):
            own = own + tile[cuda.threadIdx.x * 8 + e + (cuda.threadIdx.x * 8 + e) // 32]
        before, total = block_scan_sum_i64(own)
        before = carry + before
        for e in range(8):
            own = tile[cuda.threadIdx.x * 8 + e + (cuda.threadIdx.x * 8 + e) // 32]
            tile[cuda.threadIdx.x * 8 + e + (cuda.threadIdx.x * 8 + e) // 32] = before
            before = before + own
        cuda.syncthreads()
        k = cuda.threadIdx.x
        while k < 2048 and first + k < last:
            turn = first + k
            i = turn // x.shape[1]
            j = turn % x.shape[1]
            places[i, j] = tile[k + k // 32]
            k += cuda.blockDim.x
        carry = carry + total
        first += 2048
        cuda.syncthreads()


# places (programs.py:1), kernels stage
# x: f64[n, m]   ->   places: i64[n, m]   position: int
def places(x):
    # programs.py:2    places = empty((dim(x, 0), dim(x, 1)), "i64")
    places = cuda.device_array((x.shape[0], x.shape[1]), np.int64)

    # programs.py:3    position = 3
    position = 3

    # programs.py:4    for i in range(dim(x, 0)):
    sums = cuda.device_array(scan_parts(x.shape[0] * x.shape[1])[0], np.int64)
    position_cell = cuda.device_array((), np.int64)
    places_1[scan_parts(x.shape[0] * x.shape[1])](x, sums)
    places_2[1, 256](sums, position_cell, position)
    places_3[scan_parts(x.shape[0] * x.shape[1])](sums, position, x, places)
    position = int(fetch(position_cell))

    # programs.py:8    return places, position
    return places, position
