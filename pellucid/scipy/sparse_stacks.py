"""Sparse arrays put together: `scipy.sparse.vstack`, `hstack`, `block_array`, `bmat` and `block_diag`.

    bmat([[A, B], [B.T, None]])     ->     the elements of all, at positions moved by the rows and columns before

Source: SciPy's conventions.  What stands in one line keeps its rows or its columns; else elements with positions come
out, or what `format=` says.
"""

import numpy as np

from ..compiler.ops import static
from .sparse import elements
from .sparse_arrays import Matrices, Sparse, coo_like, is_sparse


def vstack(blocks, format=None, dtype=None):
    """One below the other."""
    return placed(tuple([(block,) for block in blocks]), format, dtype, Matrices)


def hstack(blocks, format=None, dtype=None):
    """Side by side."""
    return placed((tuple(blocks),), format, dtype, Matrices)


def bmat(blocks, format=None, dtype=None):
    """A matrix of blocks, of which None is one of zeros."""
    return placed(tuple([tuple(row) for row in blocks]), format, dtype, Matrices)


def block_array(blocks, *, format=None, dtype=None):
    return placed(tuple([tuple(row) for row in blocks]), format, dtype, Sparse)


def block_diag(mats, format=None, dtype=None):
    """Blocks on the diagonal; numbers and dense matrices are blocks too."""
    like = family(tuple(mats), Matrices)
    data, row, col, rows, columns = (), (), (), 0, 0
    for block in mats:
        found = every_element(like, np.atleast_2d(block)) if static.is_array(block) else elements_of(like, block)
        data, row, col = (*data, found.data), (*row, found.row + np.int32(rows)), (*col, found.col + np.int32(columns))
        rows, columns = rows + found.rows, columns + found.columns
    return joined(like, data, row, col, rows, columns, format, dtype)


def elements_of(like, block):
    """Those of a sparse array, or what is not zero of a number and of lists."""
    return elements(like, block if is_sparse(block) else np.atleast_2d(block), None)


def every_element(like, matrix):
    """Those of a dense matrix, zeros among them."""
    rows, columns = matrix.shape
    row = np.repeat(np.arange(rows, dtype=np.int32), columns)
    col = np.tile(np.arange(columns, dtype=np.int32), rows)
    return coo_like(like, np.ravel(matrix), row, col, rows, columns)


def family(blocks, like):
    """Arrays if one of the blocks is an array of SciPy's, and matrices else."""
    for block in blocks:
        if is_sparse(block) and not block.is_matrix:
            like = Sparse
    return like


def common_format(blocks):
    """The format of all blocks if they have one, and "coo" else."""
    found = None
    for block in blocks:
        if block is not None:
            own = block.format if is_sparse(block) else "coo"
            found = own if found is None or found == own else "coo"
    return found


def placed(blocks, format, dtype, like):
    flat = tuple([block for row in blocks for block in row])
    like = family(flat, like)
    heights = tuple([extent(row, 0) for row in blocks])
    widths = tuple([extent(tuple([row[j] for row in blocks]), 1) for j in range(len(blocks[0]))])
    data, row, col = (), (), ()
    for i, line in enumerate(blocks):
        for j, block in enumerate(line):
            if block is not None:
                found = elements(like, block, None)
                if found.rows != heights[i]:
                    raise ValueError(f"blocks[{i},:] has incompatible row dimensions. Got blocks[{i},{j}].shape[0] == "
                                     f"{found.rows}, expected {heights[i]}.")  # fmt: skip
                if found.columns != widths[j]:
                    raise ValueError(f"blocks[:,{j}] has incompatible column dimensions. Got blocks[{i},{j}].shape[1] "
                                     f"== {found.columns}, expected {widths[j]}.")  # fmt: skip
                above, before = np.int32(sum(heights[:i])), np.int32(sum(widths[:j]))
                data, row, col = (*data, found.data), (*row, found.row + above), (*col, found.col + before)
    if format is None and (len(heights) == 1 or len(widths) == 1):
        format = common_format(flat)
    return joined(like, data, row, col, sum(heights), sum(widths), format, dtype)


def extent(blocks, axis):
    """How many rows or columns a line of blocks has."""
    for block in blocks:
        if block is not None:
            return block.shape[axis]
    raise ValueError("a line of blocks is all None: its length is not known")


def joined(like, data, row, col, rows, columns, format, dtype):
    found = coo_like(like, np.concatenate(data), np.concatenate(row), np.concatenate(col), rows, columns)
    found = found if dtype is None else found.astype(dtype)
    return found.asformat(format)
