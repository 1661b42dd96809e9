"""Where a thread is, and how threads of a row wait for each other.

    j, i = in_tile()     the element of a thread in a launch of `tiles(n, m)`; it may lie beside the array
    row_sync()           what other threads of the row have stored is seen after it

Like `device`, this file is numba.cuda source that the lockstep machine runs too.
"""
# mypy: disallow-untyped-defs=False

from ..lockstep import cuda
from .device import ALL


@cuda.jit(device=True)
def in_tile():
    """(along memory, which row): the position of a thread in a launch of `tiles(n, m)`."""
    row = (cuda.blockIdx.z * cuda.gridDim.y + cuda.blockIdx.y) * cuda.blockDim.y + cuda.threadIdx.y
    return cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x, row


@cuda.jit(device=True)
def row_sync():
    """The threads of a row wait for each other, and see what the others have stored."""
    if cuda.blockDim.x > 32:
        cuda.syncthreads()
    else:
        cuda.syncwarp(ALL)
