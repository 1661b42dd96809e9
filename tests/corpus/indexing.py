"""Reading and writing elements, slices, rows, lists of places and masks."""

import numpy as np


def negative_steps(x):
    """Backwards, every other, and both."""
    return x[::-1] + 2.0 * x, x[::2], x[-1::-2], x[len(x) // 2 :: -1]


def negative_indices(x, A):
    """Counted from the end."""
    return x[-1] * A[-1, -1] + A[-1, 0] - A[0, -len(x)]


def slices_past_the_end(x):
    """Slices that reach beyond, or hold nothing."""
    return x[:100], x[-100:1], np.sum(x[5:2]), x[len(x) :]


def new_axes(x, y):
    """None in several places."""
    return x[:, None] - y[None, :], x[None, :, None] * y[0], (x[..., None] * y).sum(axis=0)


def ellipsis(tensor):
    """Three dots stand for whole axes."""
    return tensor[..., 0], tensor[0, ...], tensor[..., -1, :].sum(), tensor[1, ..., 2]


def mixed_basic_indices(tensor):
    """Integers, slices, None and steps together."""
    return tensor[1, :, 1:] * tensor[0, ::-1, None, 0], tensor[:, 0, ::2], tensor[-1, None, -1]


def rows_and_columns(A):
    """Partial indices give rows."""
    total = np.zeros(A.shape[1])
    for i in range(len(A)):
        total += A[i] * A[:, i]
    return total, A[0][-1], A[:, :1] @ A[:1]


def gather(x, idx):
    """Integer-array reads repeat and reorder."""
    return x[idx] * x[idx[::-1]], x[-1 - idx]


def gather_rows(A, idx):
    """Rows, columns and single elements by places."""
    return A[idx].sum(axis=0) + A[:, idx].sum(axis=1) + A[idx, idx]


def gather_pairs(A, idx, k):
    """Integer arrays beside a scalar and a slice."""
    return A[idx, k - 1], A[idx, :k].sum(), A[k - 1, idx], A[np.arange(len(idx)), idx]


def gather_block(A, idx):
    """Integer arrays that broadcast to a block."""
    return A[idx[:, None], idx[None, :]] - 2.0 * A[idx][:, idx].T


def static_places(x):
    """A list of places as index."""
    return x[[0, -1, 0]] * np.array([1.0, 2.0, 3.0])


def select(x, mask):
    """A boolean mask, its complement, and a comparison as mask."""
    return x[mask].sum() - 2.0 * np.sum(x[~mask]), np.sum(x[x > 0.0] ** 2)


def select_rows(features, mask):
    """A mask over the first axis, alone and beside an integer."""
    return features[mask].sum(axis=0), np.sum(features[mask, 1])


def compressed(x, mask):
    """The result's length depends on the data."""
    return np.sqrt(np.abs(x[mask])) * 2.0


def write_elements(x):
    out = np.zeros((len(x), 2))
    for i in range(len(x)):
        out[i, 0] = x[i] ** 2
        out[-1 - i, 1] = out[i, 0] + x[i]
    return out


def write_slices(x, y):
    """Slices of different lengths, steps and directions."""
    n = len(x)
    out = np.zeros(2 * n + 1)
    out[:n] = x
    out[n : 2 * n] = y[::-1]
    out[::3] = 1.5
    out[-1] = x[0] * y[-1]
    out[1:n] += out[n + 1 : 2 * n]
    return out


def write_rows(A):
    """Whole rows, columns and blocks; a row is broadcast."""
    out = np.empty(A.shape)
    out[:] = A[0]
    out[0] = A[:, 0]
    out[:, -1] = 2.0
    out[1:, 1:] *= A[1:, 1:]
    out[-1, :] -= A[0, 0]
    return out


def augmented_elements(x):
    """Every augmented operator on elements."""
    out = x.copy()
    out[0] += 1.0
    out[0] *= out[0]
    out[-1] -= 0.5
    out[-1] /= 3.0
    out[len(x) // 2] **= 2
    return out


def overlapping_slices(x):
    """The right of a slice assignment is read before the left is written."""
    out = x.copy()
    out[1:] = out[:-1]
    out[:-1] += out[1:]
    out[::-1] = out * 2.0
    return out


def read_after_write(x):
    """A copy keeps the old values, the name does not."""
    work = x.copy()
    kept = work.copy()
    first = work[0]
    work[0] = 10.0
    work[-1] = work[0] * kept[-1]
    return kept + work, first


def swap_rows(A, k):
    out = A.copy()
    row = out[0].copy()
    out[0] = out[k - 1]
    out[k - 1] = row
    return out


def scatter_add(x, idx):
    """Places that repeat add up, one by one."""
    out = np.zeros_like(x)
    for place, value in zip(idx, x):
        out[place] += value**2
    return out


def permute(x):
    """Write through an index that is computed."""
    n = len(x)
    out = np.empty(n)
    for i in range(n):
        out[(i + n // 2) % n] = x[i]
    return out


def flip_and_transpose(A, tensor):
    """Reversed and permuted axes, one after another."""
    return A[::-1].T, A.T[:, ::-1], tensor.transpose(2, 0, 1)[0], tensor.T[0]


def diagonals(A):
    """Diagonal and antidiagonal, read and written."""
    n = len(A)
    out = np.zeros((n, n))
    for i in range(n):
        out[i, i] = A[i, n - 1 - i]
        out[i, n - 1 - i] += A[i, i]
    return out, A[np.arange(n), np.arange(n - 1, -1, -1)]


def checkerboard(image):
    """Strided blocks in two dimensions."""
    out = image.copy()
    out[::2, ::2] = 0.0
    out[1::2, 1::2] *= -1.0
    return out


def upper_part(A):
    """A mask made from indices."""
    rows, columns = np.arange(len(A))[:, None], np.arange(len(A))
    return np.where(rows <= columns, A, 0.0), A[rows < columns].sum()


def reshape_and_back(tensor):
    """Views of one shape after another."""
    flat = tensor.ravel()
    table = tensor.reshape(-1, 3)
    return flat[::2], table[1:-1, 0], table.T.reshape(3, 2, -1)[2, 1], tensor.reshape((3, -1)).sum(axis=0)


def shape_functions(tensor, A):
    """Functions where there are methods as well."""
    flat = np.ravel(np.transpose(A))
    return np.reshape(flat, (len(A), -1)) @ A, np.transpose(tensor, (1, 2, 0))[..., 1], np.reshape(tensor, (-1, 6))[0]


def integer_table(idx, k):
    """Integer arrays, read and written."""
    counts = np.zeros(len(idx) + k, dtype=np.int64)
    for place in idx:
        counts[place + k] += 1
    counts[:k] = -1
    return counts, idx[::-1] // 2, counts[idx]


NO_GRADIENT = {"integer_table": "integers"}
