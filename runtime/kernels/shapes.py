"""How many blocks and threads a launch has: functions of lengths alone, which printed drivers call.

    poly_1[elements(size)](x_flat, result_flat, size)

That nothing else counts, neither the GPU nor how busy it is, is why every GPU adds in the same order and gives the same
bits.  A launch over no elements has one block, since CUDA refuses an empty grid; its threads find nothing to do.

    elements(n)   one thread for each of n elements
    tiles(n, m)   one thread for each of n x m elements, 32 neighbours of a row beside each other
    columns(n, m) a block for each 512 of n rows of 32 of m columns
    rows(n, m)    a row of threads for each of n rows of m terms
    parts(n)      a block for each 8192 of n terms
"""

from __future__ import annotations

from functools import lru_cache

WARP = 32
ELEMENT_THREADS = 256  # divides what a multiprocessor holds, 1536 or 2048 threads, on all GPUs
TILE_ROWS = 8  # times 32 columns: as many threads
COLUMN_PART = 512  # rows that one block of a fold over columns takes
SHORT_ROW = 512  # to this length a warp takes a row alone: 16 terms a lane, and no barrier of the block
TERMS_A_THREAD = 8  # of a row between them: enough warps to wait for memory, few enough to add up quickly
ROW_THREADS, LONE_ROW_THREADS = 256, 1024  # the most for a row; where there are few rows, more threads have to work
FEW_ROWS = 256
PART = 8192  # terms that one block of a long sum takes, 32 a thread
PART_THREADS = 256
TURNS = 4096  # terms that a warp adds into its own row of targets
MOST_SECOND = 65535  # blocks along the second axis of a grid

SORTED = 4096  # keys that a block of a sort takes, 512 a warp
SORT_THREADS = 256
DIGIT = 8  # bits of a key that one pass of a sort looks at

LAUNCHES = (
    "columns", "digits_of", "elements", "part_count", "parts", "rows", "scan_parts", "scatter_parts", "sort_parts",
    "tiles",
)  # fmt: skip
"""What drivers call."""

Launch = tuple[int | tuple[int, ...], int | tuple[int, ...]]
remembered = lru_cache(maxsize=4096)  # a driver's loop asks for the same launch in every iteration


def blocks_for(n: int, each: int) -> int:
    """How many blocks of `each` hold n, at least one."""
    return max(-(-n // each), 1)


@remembered
def elements(n: int, each: int = 1) -> Launch:
    """(grid, block) of a kernel in which a thread has `each` of n elements, one of them: `i = cuda.grid(1)`.

    Neighbours in memory are neighbours in a warp, so that a warp moves whole sectors.
    """
    return blocks_for(n, each * ELEMENT_THREADS), ELEMENT_THREADS


@remembered
def tiles(n: int, m: int) -> Launch:
    """(grid, block) of a kernel in which each of n x m elements has a thread: `j, i = in_tile()`.

    The second index runs along memory, and along x.  A tile of 256 threads has 8 rows of 32, so that what a stencil
    reads of the rows above and below is in the cache of the same multiprocessor; where rows are shorter it has more of
    them, so that no lane is idle.  Rows of tiles go along y, and along z where there are more than a grid has there.
    """
    width = width_of(m)
    return layered(blocks_for(m, width), blocks_for(n, ELEMENT_THREADS // width)), (width, ELEMENT_THREADS // width)


@remembered
def columns(n: int, m: int) -> Launch:
    """(grid, block) of a kernel in which blocks fold 512 rows each of m columns of n terms, 32 columns to a block.

    Lanes of a warp take columns beside each other, and the others share the rows.  The number of parts depends on n
    alone, because the order of the additions does.
    """
    width = width_of(m)
    return layered(blocks_for(m, width), part_count(n)), (width, ELEMENT_THREADS // width)


def layered(across: int, down: int) -> tuple[int, ...]:
    """A grid of blocks; those that are more than a grid has along y go along z."""
    layers = blocks_for(down, MOST_SECOND)
    return (across, down) if layers == 1 else (across, blocks_for(down, layers), layers)


def power_of_two(n: int) -> int:
    """The least power of two that is not below n: as many threads fold in one butterfly after the other."""
    return 1 << max(n - 1, 0).bit_length()


def part_count(n: int) -> int:
    """How many parts a fold over columns of n terms has."""
    return blocks_for(n, COLUMN_PART)


def width_of(m: int) -> int:
    """How many threads lie along rows of m elements, so that no lane of a warp is idle."""
    width = WARP
    while width > 1 and width // 2 >= m:
        width //= 2
    return width


@remembered
def rows(n: int, m: int) -> Launch:
    """(grid, block) of a kernel in which a row of threads folds each of n rows of m terms.

    A row of threads is `threadIdx.x`, and `threadIdx.y` is the number of the row in its block; the row of the array is
    `blockIdx.x * blockDim.y + threadIdx.y`.  Short rows are given a warp, eight of them to a block, because a warp
    folds without a barrier; long ones a block.  `blockDim.x` is a multiple of 32, so that a warp never lies in two
    rows.
    """
    if m <= SHORT_ROW:
        return blocks_for(n, TILE_ROWS), (WARP, TILE_ROWS)
    most = LONE_ROW_THREADS if n < FEW_ROWS else ROW_THREADS
    threads = min(most, power_of_two(blocks_for(m, TERMS_A_THREAD)))
    return max(n, 1), (threads, 1)


@remembered
def parts(n: int, each: int = PART) -> Launch:
    """(grid, block) of a kernel that folds n terms, so many to a block; a second kernel of one block folds what these
    give.

    The number of parts depends on n alone, because the order of the additions does.
    """
    return blocks_for(n, each), (PART_THREADS, 1)


@remembered
def scan_parts(n: int) -> Launch:
    """(grid, block) of a kernel of a scan of n terms, 8192 to a block, which has 256 threads."""
    return blocks_for(n, PART), PART_THREADS


@remembered
def scatter_parts(n: int) -> Launch:
    """(grid, block) of a kernel that adds n terms into targets that data names: a warp for each 4096 of them."""
    return blocks_for(n, TURNS), WARP


@remembered
def sort_parts(n: int) -> Launch:
    """(grid, block) of a kernel of a sort of n keys: a block of 256 threads for each 4096 of them."""
    return blocks_for(n, SORTED), SORT_THREADS


def digits_of(largest: int) -> range:
    """How far keys up to `largest` are shifted in the passes of a sort, the least digit first."""
    return range(0, max(int(largest).bit_length(), 1), DIGIT)
