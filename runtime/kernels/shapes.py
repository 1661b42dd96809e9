"""How many blocks and threads a launch has: functions of lengths alone, which printed drivers call.

    poly_1[elements(size)](x_flat, result_flat, size)

That nothing else counts, neither the GPU nor how busy it is, is why every GPU adds in the same order and gives the same
bits.  A launch over no elements has one block, since CUDA refuses an empty grid; its threads find nothing to do.

    elements(n)   one thread for each of n elements
    tiles(n, m)   one thread for each of n x m elements, 32 neighbours of a row beside each other
    rows(n, m)    a row of threads for each of n rows of m terms
    parts(n)      a block for each 8192 of n terms
"""

from __future__ import annotations

WARP = 32
ELEMENT_THREADS = 256  # divides what a multiprocessor holds, 1536 or 2048 threads, on all GPUs
TILE_ROWS = 8  # times 32 columns: as many threads
SHORT_ROW = 512  # to this length a warp takes a row alone: 16 terms a lane, and no barrier of the block
LONG_ROW = 4096
TERMS_A_THREAD = 4  # of a row between them: enough warps to wait for memory, few enough to add up quickly
LONG_ROW_THREADS = 512  # longer rows have enough terms for each
PART = 8192  # terms that one block of a long sum takes, 32 a thread
PART_THREADS = 256
TURNS = 4096  # terms that a warp adds into its own row of places
MOST_SECOND = 65535  # blocks along the second axis of a grid

Launch = tuple[int | tuple[int, ...], int | tuple[int, ...]]


def blocks_for(n: int, each: int) -> int:
    """How many blocks of `each` hold n, at least one."""
    return max(-(-n // each), 1)


def elements(n: int) -> Launch:
    """(grid, block) of a kernel in which each of n elements has a thread: `i = cuda.grid(1)`.

    Neighbours in memory are neighbours in a warp, so that a warp moves whole sectors.
    """
    return blocks_for(n, ELEMENT_THREADS), ELEMENT_THREADS


def tiles(n: int, m: int) -> Launch:
    """(grid, block) of a kernel in which each of n x m elements has a thread: `j, i = cuda.grid(2)`.

    The second index runs along memory, and along x.  A tile has 8 rows, so that what a stencil reads of the rows above
    and below is in the cache of the same multiprocessor.
    """
    return (blocks_for(m, WARP), blocks_for(n, TILE_ROWS)), (WARP, TILE_ROWS)


def rows(n: int, m: int) -> Launch:
    """(grid, block) of a kernel in which a row of threads folds each of n rows of m terms.

    A row of threads is `threadIdx.x`, and rows of a block are told apart by `threadIdx.y`; the row of the array is
    `blockIdx.x * blockDim.y + threadIdx.y`.  Short rows are given a warp, eight of them to a block, because a warp
    folds without a barrier; long ones a block.  `blockDim.x` is a multiple of 32, so that a warp never lies in two
    rows.
    """
    if m <= SHORT_ROW:
        return blocks_for(n, TILE_ROWS), (WARP, TILE_ROWS)
    threads = min(1024, WARP * blocks_for(m, WARP * TERMS_A_THREAD)) if m < LONG_ROW else LONG_ROW_THREADS
    return max(n, 1), (threads, 1)


def parts(n: int) -> Launch:
    """(grid, block) of a kernel that folds n terms, 8192 to a block; a second kernel of one block folds what these
    give.

    The number of parts depends on n alone, because the order of the additions does.
    """
    return blocks_for(n, PART), (PART_THREADS, 1)


def scan_parts(n: int) -> Launch:
    """(grid, block) of a kernel of a scan of n terms, 8192 to a block, which has 256 threads."""
    return blocks_for(n, PART), PART_THREADS


def scatter_parts(n: int) -> Launch:
    """(grid, block) of a kernel that adds n terms into places that data names: a warp for each 4096 of them."""
    return blocks_for(n, TURNS), WARP
