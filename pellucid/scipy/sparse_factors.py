"""Triangular factors of a sparse square matrix, and solutions by them.

    m[:, order]  ==  (l @ u)[step_of_row]     column after column: a column of u and l solves l x = m[:, column]

Which elements of x are not zero is found before, by the edges of the graph of l that lead from those of the column.
Ways that others make needless are pruned.  The pivot is the diagonal element, unless another one is ten times as large.

Source: J. R. Gilbert and T. Peierls, Sparse Partial Pivoting in Time Proportional to Arithmetic Operations (1988);
S. C. Eisenstat and J. W. H. Liu, Exploiting Structural Symmetry in Unsymmetric Sparse Symbolic Factorization (1992).
"""

from dataclasses import dataclass

import numpy as np

from .sparse_ordering import least_degree_order

DIAGONAL_SHARE = 0.1


@dataclass(frozen=True)
class Factors:
    """Columns of l, whose diagonal is 1 and not held, and of u, whose diagonal is apart."""

    lower_starts: np.ndarray
    lower_rows: np.ndarray
    lower: np.ndarray
    upper_starts: np.ndarray
    upper_rows: np.ndarray
    upper: np.ndarray
    pivots: np.ndarray
    order: np.ndarray
    step_of_row: np.ndarray
    is_singular: bool


def factors_of(data, indices, indptr):
    """Of the matrix whose columns these are: `data[indptr[j]:indptr[j + 1]]` in the rows `indices[...]`."""
    n = indptr.shape[0] - 1
    order = least_degree_order(indptr, indices)
    label = np.empty(n, np.int64)
    for k in range(n):
        label[order[k]] = k
    step_of_row = np.full(n, -1)
    lower_starts, upper_starts = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    pivots, x = np.zeros(n, data.dtype), np.zeros(n, data.dtype)
    room = 4 * data.shape[0] + n
    lower_rows, upper_rows = np.empty(room, np.int32), np.empty(room, np.int32)
    lower, upper = np.empty(room, data.dtype), np.empty(room, data.dtype)
    count, above = 0, 0
    seen, found = np.full(n, -1), np.zeros(n, np.int64)
    stack, places, ends = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    pruned = np.zeros(n, np.bool_)
    is_singular = False
    for step in range(n):
        column = order[step]
        top = n
        for k in range(indptr[column], indptr[column + 1]):
            start = label[indices[k]]
            if seen[start] == step:
                continue
            seen[start] = step
            depth = 0
            stack[0] = start
            j = step_of_row[start]
            places[0] = lower_starts[j] if j >= 0 else 0
            while depth >= 0:
                i = stack[depth]
                j = step_of_row[i]
                place = places[depth]
                end = ends[j] if j >= 0 else place
                while place < end and seen[lower_rows[place]] == step:
                    place += 1
                if place < end:
                    other = lower_rows[place]
                    places[depth] = place + 1
                    seen[other] = step
                    depth += 1
                    stack[depth] = other
                    j = step_of_row[other]
                    places[depth] = lower_starts[j] if j >= 0 else 0
                else:
                    depth -= 1
                    top -= 1
                    found[top] = i
        for k in range(indptr[column], indptr[column + 1]):
            x[label[indices[k]]] += data[k]
        largest, pivot_row = 0.0, -1
        if count + n - top > lower.shape[0]:
            lower_rows, lower = twice(lower_rows), twice(lower)
        if above + n - top > upper.shape[0]:
            upper_rows, upper = twice(upper_rows), twice(upper)
        for place in range(top, n):
            i = found[place]
            j = step_of_row[i]
            value = x[i]
            if j >= 0:
                upper_rows[above] = j
                upper[above] = value
                above += 1
                x[i] = 0.0
                for k in range(lower_starts[j], lower_starts[j + 1]):
                    x[lower_rows[k]] -= lower[k] * value
            elif abs(value) > largest:
                largest, pivot_row = abs(value), i
        if seen[step] == step and step_of_row[step] < 0 and abs(x[step]) >= DIAGONAL_SHARE * largest > 0.0:
            pivot_row = step
        upper_starts[step + 1] = above
        if pivot_row < 0:
            is_singular = True
            break
        pivot = x[pivot_row]
        pivots[step] = pivot
        step_of_row[pivot_row] = step
        for place in range(top, n):
            i = found[place]
            if step_of_row[i] < 0:
                lower_rows[count] = i
                lower[count] = x[i] / pivot
                count += 1
            x[i] = 0.0
        lower_starts[step + 1] = count
        ends[step] = count
        for place in range(upper_starts[step], above):
            j = upper_rows[place]
            if not pruned[j]:
                prune(j, pivot_row, lower_rows, lower, lower_starts, step_of_row, ends, pruned)
    rows = lower_rows[:count].copy()
    if not is_singular:
        for k in range(rows.shape[0]):
            rows[k] = step_of_row[rows[k]]
    for i in range(n):
        label[i] = step_of_row[label[i]]
    return Factors(
        lower_starts, rows, lower[:count].copy(), upper_starts, upper_rows[:above].copy(), upper[:above].copy(),
        pivots, order, label, is_singular,
    )  # fmt: skip


def prune(j, pivot_row, rows, values, starts, step_of_row, ends, pruned):
    """Where column j of l has the pivot row, ways from j to rows that are no pivots yet lead over it too: of column j
    no more than the rows up to `ends[j]` need be looked at, those of pivots."""
    low, high = starts[j], starts[j + 1] - 1
    for place in range(low, high + 1):
        if rows[place] == pivot_row:
            pruned[j] = True
    if not pruned[j]:
        return
    while low <= high:
        row, value = rows[low], values[low]
        if step_of_row[row] >= 0:
            low += 1
        else:
            rows[low] = rows[high]
            values[low] = values[high]
            rows[high] = row
            values[high] = value
            high -= 1
    ends[j] = low


def twice(a):
    """With room for as many again."""
    return np.concatenate((a, np.empty_like(a)))


def solved(factors, b, is_transposed):
    """The x with m x = b, or m.T x = b, for a vector or the columns of a matrix; nan where m is singular."""
    n = factors.pivots.shape[0]
    if factors.is_singular:
        return np.full_like(b, np.nan)
    x = np.empty_like(b)
    y = np.empty_like(b)
    if is_transposed:
        for k in range(n):
            total = b[factors.order[k]]
            for p in range(factors.upper_starts[k], factors.upper_starts[k + 1]):
                total = total - factors.upper[p] * y[factors.upper_rows[p]]
            y[k] = total / factors.pivots[k]
        for back in range(n):
            k = n - 1 - back
            total = y[k]
            for p in range(factors.lower_starts[k], factors.lower_starts[k + 1]):
                total = total - factors.lower[p] * y[factors.lower_rows[p]]
            y[k] = total
        for i in range(n):
            x[i] = y[factors.step_of_row[i]]
        return x
    for i in range(n):
        y[factors.step_of_row[i]] = b[i]
    for k in range(n):
        value = y[k]
        for p in range(factors.lower_starts[k], factors.lower_starts[k + 1]):
            y[factors.lower_rows[p]] -= factors.lower[p] * value
    for back in range(n):
        k = n - 1 - back
        value = y[k] / factors.pivots[k]
        y[k] = value
        for p in range(factors.upper_starts[k], factors.upper_starts[k + 1]):
            y[factors.upper_rows[p]] -= factors.upper[p] * value
    for k in range(n):
        x[factors.order[k]] = y[k]
    return x
