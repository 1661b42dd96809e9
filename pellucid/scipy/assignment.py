"""`scipy.optimize.linear_sum_assignment`: rows to columns, each once, for the least sum of costs.

    linear_sum_assignment(cost)    ->    row by row the shortest augmenting path, with prices of rows and columns

Sources: R. Jonker and A. Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment
problems (1987); D. Crouse, On implementing 2D rectangular assignment algorithms (2016).
"""

from math import inf

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.manipulation import as_array, transposed
from ..numpy.sorting import argsort
from .special import of_floats


def linear_sum_assignment(cost_matrix, maximize=False):
    """(rows, columns): f64[m, n] -> i64[k], i64[k] with k = min(m, n), the rows in order; they have no derivative."""
    cost = of_floats(as_array(cost_matrix))
    if static.rank(cost) != 2:
        raise ValueError("expected a matrix (2-D array), got an array of another number of dimensions")
    cost = op.stop_gradient(-cost if maximize else cost)
    if op.any(op.isnan(cost)) or op.any(cost == -inf):
        raise ValueError("matrix contains invalid numeric entries")
    if cost.shape[0] <= cost.shape[1]:
        columns = assigned(cost)
        n = cost.shape[0]
        return op.arange(0, n, 1, shape=(n,), dtype="i64"), columns
    rows = assigned(transposed(cost))
    order = argsort(rows)
    return rows[order], order


def assigned(cost):
    """For each row of a matrix with no more rows than columns its column."""
    m, n = cost.shape
    column_of, row_of = np.full(m, -1), np.full(n, -1)
    row_price, column_price = op.zeros(shape=(m,), dtype="f64"), op.zeros(shape=(n,), dtype="f64")
    for first in range(m):
        distance, before = op.zeros(shape=(n,), dtype="f64"), np.full(n, -1)
        distance[:] = inf
        row_done, column_done = op.zeros(shape=(m,), dtype="bool"), op.zeros(shape=(n,), dtype="bool")
        row, least, last = first, 0.0, -1
        while last < 0:
            row_done[row] = True
            near, at = inf, -1
            for j in range(n):
                if not column_done[j]:
                    through = least + cost[row, j] - row_price[row] - column_price[j]
                    if through < distance[j]:
                        distance[j] = through
                        before[j] = row
                    if distance[j] < near or distance[j] == near and row_of[j] < 0:
                        near, at = distance[j], j
            if at < 0 or near == inf:
                raise ValueError("cost matrix is infeasible")
            least = near
            column_done[at] = True
            if row_of[at] < 0:
                last = at
            else:
                row = row_of[at]
        row_price[first] += least
        for i in range(m):
            if row_done[i] and i != first:
                row_price[i] += least - distance[column_of[i]]
        for j in range(n):
            if column_done[j]:
                column_price[j] -= least - distance[j]
        j = last
        while True:
            i = before[j]
            row_of[j] = i
            j, column_of[i] = column_of[i], j
            if i == first:
                break
    return column_of
