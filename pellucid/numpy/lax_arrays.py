"""Array functions in the spellings of `jax.lax`, for programs that were written for it: each means NumPy's.

    lax.dynamic_slice(x, (i, j), (2, 3))     ->     x[i : i + 2, j : j + 3], moved into the array where it reaches out

They run in plain Python as they stand.  Where `jax.lax` refuses operands of unlike dtypes or shapes, NumPy's promotion
and broadcasting hold.
"""

import numpy as np

# --- parts at dynamic places ------------------------------------------------------------------------------------


def start_within(index, length, size):
    """A start that counts from the end if negative, moved so that so many elements from it on are there."""
    if size > length:
        raise TypeError(f"slice sizes must be at most the lengths of the operand: got {size} for {length}")
    from_front = index + length if index < 0 else index
    return max(0, min(from_front, length - size))


def dynamic_slice_in_dim(operand, start_index, slice_size, axis=0):
    """So many items along an axis from a start on, which is moved to where they all are there."""
    start = start_within(start_index, operand.shape[axis], slice_size)
    return np.take(operand, start + np.arange(slice_size), axis=axis)


def dynamic_slice(operand, start_indices, slice_sizes):
    """The block of these sizes from a start in each dimension on, which is moved to where it is all there."""
    for axis in range(len(slice_sizes)):
        operand = dynamic_slice_in_dim(operand, start_indices[axis], slice_sizes[axis], axis)
    return operand


def dynamic_index_in_dim(operand, index, axis=0, keepdims=True):
    """The item at a place along an axis, or the nearest one there is."""
    item = dynamic_slice_in_dim(operand, index, 1, axis)
    return item if keepdims else np.squeeze(item, axis)


def dynamic_update_slice(operand, update, start_indices):
    """The array with another block from a start in each dimension on, which is moved to where it all fits."""
    starts = [start_within(start_indices[k], operand.shape[k], update.shape[k]) for k in range(operand.ndim)]
    out = operand.copy()
    out[np.ix_(*[starts[k] + np.arange(update.shape[k]) for k in range(operand.ndim)])] = update
    return out


def dynamic_update_slice_in_dim(operand, update, start_index, axis):
    """The array with other items along an axis from a start on, which is moved to where they all fit."""
    moved = np.moveaxis(operand, axis, 0).copy()
    start = start_within(start_index, operand.shape[axis], update.shape[axis])
    moved[start : start + update.shape[axis]] = np.moveaxis(update, axis, 0)
    return np.moveaxis(moved, 0, axis)


def dynamic_update_index_in_dim(operand, update, index, axis):
    """The array with another item at a place along an axis, or at the nearest one there is."""
    item = update if np.ndim(update) == operand.ndim else np.expand_dims(update, axis)
    return dynamic_update_slice_in_dim(operand, item, index, axis)


# --- parts at known places -----------------------------------------------------------------------------------------


def slice_in_dim(operand, start_index, limit_index, stride=1, axis=0):
    """Every `stride`-th item along an axis from a start to a limit, as Python's slices have it."""
    return np.moveaxis(np.moveaxis(operand, axis, 0)[start_index:limit_index:stride], 0, axis)


def static_slice(operand, start_indices, limit_indices, strides=None):
    """The block from the starts to the limits, of which every `strides`-th element is taken."""
    for axis in range(len(start_indices)):
        stride = 1 if strides is None else strides[axis]
        operand = slice_in_dim(operand, start_indices[axis], limit_indices[axis], stride, axis)
    return operand


def index_in_dim(operand, index, axis=0, keepdims=True):
    """The item at a place along an axis; outside of it IndexError is raised."""
    item = np.moveaxis(operand, axis, 0)[index]
    return np.expand_dims(item, axis) if keepdims else item


def split(operand, sizes, axis=0):
    """Parts of these lengths along an axis."""
    parts, start = [], 0
    for size in sizes:
        parts.append(slice_in_dim(operand, start, start + size, 1, axis))
        start += size
    return parts


# --- shapes --------------------------------------------------------------------------------------------------------


def concatenate(operands, dimension):
    """Arrays one after the other along a dimension."""
    return np.concatenate(operands, axis=dimension)


def expand_dims(array, dimensions):
    """New dimensions of length 1 at these places of the result."""
    return np.expand_dims(array, tuple(dimensions))


def squeeze(array, dimensions):
    """Without these dimensions, which have the length 1."""
    return np.squeeze(array, tuple(dimensions))


def reshape(operand, new_sizes, dimensions=None):
    """The same elements in a new shape, after their dimensions were put in another order."""
    return np.reshape(operand if dimensions is None else np.transpose(operand, dimensions), new_sizes)


def transpose(operand, permutation):
    """The dimensions in another order."""
    return np.transpose(operand, permutation)


def rev(operand, dimensions):
    """The elements from the last to the first along these dimensions."""
    return np.flip(operand, tuple(dimensions))


def collapse(operand, start_dimension, stop_dimension=None):
    """The dimensions from the first to before the last as one."""
    shape = operand.shape
    stop = operand.ndim if stop_dimension is None else stop_dimension
    length = 1
    for part in shape[start_dimension:stop]:
        length *= part
    return np.reshape(operand, (*shape[:start_dimension], length, *shape[stop:]))


def broadcast(operand, sizes):
    """Copies of an array along new dimensions in front."""
    return np.broadcast_to(operand, (*sizes, *np.shape(operand))).copy()


def broadcast_in_dim(operand, shape, broadcast_dimensions):
    """Copies of an array in a shape in which its dimensions have these places."""
    places = tuple(broadcast_dimensions)
    lengths = [np.shape(operand)[places.index(k)] if k in places else 1 for k in range(len(shape))]
    return np.broadcast_to(np.reshape(operand, tuple(lengths)), tuple(shape)).copy()


def pad(operand, padding_value, padding_config):
    """The array with so many copies of a value before its elements, after them and between them, per dimension.

    padding_config  (before, after, between) of each dimension; a negative number takes elements away
    """
    for axis in range(len(padding_config)):
        operand = np.moveaxis(padded_rows(np.moveaxis(operand, axis, 0), padding_value, padding_config[axis]), 0, axis)
    return operand


def padded_rows(rows, value, config):
    before, behind, between = config
    count = len(rows) + max(len(rows) - 1, 0) * between
    wide = np.full((max(before, 0) + count + max(behind, 0), *rows.shape[1:]), value, rows.dtype)
    wide[max(before, 0) : max(before, 0) + count : between + 1] = rows
    return wide[max(-before, 0) : len(wide) - max(-behind, 0)]


# --- new arrays ----------------------------------------------------------------------------------------------------


def full(shape, fill_value, dtype=None):
    """An array of one value."""
    return np.full(shape, fill_value, dtype)


def full_like(x, fill_value, dtype=None, shape=None):
    """An array of one value, with the dtype and shape of another one where none are said."""
    return np.full(np.shape(x) if shape is None else shape, fill_value, x.dtype if dtype is None else dtype)


def iota(dtype, size):
    """0, 1, 2, ..."""
    return np.arange(size).astype(dtype)


def broadcasted_iota(dtype, shape, dimension):
    """An array of which each element is its place along one dimension."""
    lengths = [shape[k] if k == dimension else 1 for k in range(len(shape))]
    return np.broadcast_to(np.reshape(np.arange(shape[dimension]), tuple(lengths)), tuple(shape)).astype(dtype)


def convert_element_type(operand, new_dtype):
    """The elements in another dtype."""
    return np.asarray(operand).astype(new_dtype)


# --- elements ------------------------------------------------------------------------------------------------------


def rsqrt(x):
    """One divided by the square root."""
    return 1.0 / np.sqrt(x)


def clamp(min, x, max):
    """The elements, or the nearer limit where they are outside of the limits."""
    return np.minimum(np.maximum(x, min), max)


def integer_pow(x, y):
    """The power to an int that is known when the function is compiled."""
    return x**y


def div(x, y):
    """The quotient; that of ints is rounded towards zero."""
    if not np.issubdtype(np.result_type(x, y), np.integer):
        return np.true_divide(x, y)
    floor = np.floor_divide(x, y)
    return floor + ((floor < 0) & (floor * y != x))


def select_n(which, *cases):
    """The elements of the case that `which` says: an int, or False for the first and True for the second."""
    return np.choose(np.asarray(which).astype(np.int64), cases)


def reciprocal(x):
    """One divided by the elements."""
    return 1.0 / x


# --- reductions ----------------------------------------------------------------------------------------------------


def reduce_sum(operand, axes):
    """The sum along some dimensions, in the dtype of the array."""
    return np.sum(operand, axis=tuple(axes), dtype=operand.dtype)


def reduce_prod(operand, axes):
    """The product along some dimensions, in the dtype of the array."""
    return np.prod(operand, axis=tuple(axes), dtype=operand.dtype)


def reduce_max(operand, axes):
    """The largest elements along some dimensions."""
    return np.max(operand, axis=tuple(axes))


def reduce_min(operand, axes):
    """The smallest elements along some dimensions."""
    return np.min(operand, axis=tuple(axes))


def reduce_and(operand, axes):
    """Whether all of bools are true along some dimensions."""
    return np.all(operand, axis=tuple(axes))


def reduce_or(operand, axes):
    """Whether any of bools is true along some dimensions."""
    return np.any(operand, axis=tuple(axes))


def argmax(operand, axis, index_dtype):
    """The place of the first largest element along an axis."""
    return np.argmax(operand, axis=axis).astype(index_dtype)


def argmin(operand, axis, index_dtype):
    """The place of the first smallest element along an axis."""
    return np.argmin(operand, axis=axis).astype(index_dtype)


def running(function, operand, axis, reverse):
    """The running results along an axis, from its end where that is asked for."""
    if reverse:
        return np.flip(function(np.flip(operand, axis)), axis)
    return function(operand)


def cumsum(operand, axis=0, reverse=False):
    """The running sums, in the dtype of the array."""
    return running(lambda x: np.cumsum(x, axis=axis, dtype=x.dtype), operand, axis, reverse)


def cumprod(operand, axis=0, reverse=False):
    """The running products, in the dtype of the array."""
    return running(lambda x: np.cumprod(x, axis=axis, dtype=x.dtype), operand, axis, reverse)


def cummax(operand, axis=0, reverse=False):
    """The largest elements until here."""
    return running(lambda x: np.maximum.accumulate(x, axis=axis), operand, axis, reverse)


def cummin(operand, axis=0, reverse=False):
    """The smallest elements until here."""
    return running(lambda x: np.minimum.accumulate(x, axis=axis), operand, axis, reverse)


def cumlogsumexp(operand, axis=0, reverse=False):
    """The logarithms of the running sums of exponentials."""
    return running(lambda x: np.logaddexp.accumulate(x, axis=axis), operand, axis, reverse)


# --- orders --------------------------------------------------------------------------------------------------------


def top_k(operand, k, *, axis=-1):
    """The `k` largest elements along an axis, the largest first, and their places; of equals the first comes first.

    Raises ValueError unless 0 <= k <= the length of the axis.
    """
    if k < 0 or k > operand.shape[axis]:
        raise ValueError("k is from 0 to the length of the axis")
    backwards = np.flip(operand, axis)
    order = np.flip(np.argsort(backwards, axis=axis, kind="stable"), axis)
    places = operand.shape[axis] - 1 - slice_in_dim(order, 0, k, 1, axis)
    return np.take_along_axis(operand, places, axis=axis), places.astype(np.int32)


def segment_sum(data, segment_ids, num_segments=None):
    """Sums of the items of each segment, as `jax.ops.segment_sum`: item k is added to the sum `segment_ids[k]`.

    num_segments  how many sums there are; one more than the largest id if it is not given

    Items whose id is negative, or no smaller than the number of segments, belong to none.  Raises ValueError where
    there are not as many ids as items.
    """
    if segment_ids.shape[0] != data.shape[0]:
        raise ValueError(f"there are {segment_ids.shape[0]} segment ids for {data.shape[0]} items")
    count = num_segments
    if num_segments is None:
        count = max(int(np.max(segment_ids)), -1) + 1 if segment_ids.shape[0] else 0
    sums = np.zeros((count, *data.shape[1:]), data.dtype)
    for k in range(data.shape[0]):
        segment = segment_ids[k]
        if 0 <= segment < count:
            sums[segment] += data[k]
    return sums


def sort(operand, dimension=-1, is_stable=True, num_keys=1):
    """The elements in order along a dimension; of several arrays those of all in the order of the first."""
    if not isinstance(operand, (tuple, list)):
        return np.sort(operand, axis=dimension)
    if num_keys != 1:
        raise NotImplementedError("sort takes one key: sort by the last key first, one after the other")
    order = np.argsort(operand[0], axis=dimension, kind="stable")
    return tuple([np.take_along_axis(part, order, axis=dimension) for part in operand])


def sort_key_val(keys, values, dimension=-1, is_stable=True):
    """The keys in order along a dimension, and the values in the order of their keys."""
    return sort((keys, values), dimension)
