"""Sums, extremes and running sums along axes, with NumPy's arguments around the operators' plain ones."""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .complex_order import argument_of_extreme, extreme
from .elementary import in_dtype, operand, strong, truth
from .elementary import isclose as elements_close
from .manipulation import as_array, expand_dims, moveaxis, ravel, shape, total


def only(a, where, other):
    """The elements that a mask selects, and another value in the place of the rest; without a mask all of them."""
    if is_whole(where):
        return a
    mask = op.broadcast_to(mask_for(a, where), shape=shape(a))
    return op.where(mask, a, in_dtype(other, static.element(a)))


def is_whole(where):
    """Whether there is no mask: None, or a plain True."""
    return where is None or where is True


def mask_for(a, where):
    mask = as_array(where)
    if static.kind(mask) != "bool":
        static.refuse("T001", "`where=` takes a mask of bools", "compare: `x > 0`")
    if static.rank(mask) > static.rank(a):
        static.refuse("S003", "the mask that `where=` gives has more dimensions than the array")
    return mask


def sum(a, axis=None, dtype=None, *, keepdims=False, initial=None, where=None):
    a = only(strong(operand(a)), where, 0)
    if dtype is not None:
        a = in_dtype(a, summable(static.dtype_name(dtype)))
    total = op.sum(a, axis=static.reduced(axis, static.rank(a)), keepdims=keepdims)
    total = total if dtype is None else in_dtype(total, static.dtype_name(dtype))
    return total if initial is None else in_dtype(initial, static.element(total)) + total


def prod(a, axis=None, dtype=None, *, keepdims=False, initial=None, where=None):
    a = only(strong(operand(a)), where, 1)
    if dtype is not None:
        a = in_dtype(a, summable(static.dtype_name(dtype)))
    total = op.prod(a, axis=static.reduced(axis, static.rank(a)), keepdims=keepdims)
    total = total if dtype is None else in_dtype(total, static.dtype_name(dtype))
    return total if initial is None else in_dtype(initial, static.element(total)) * total


def summable(word):
    if word == "bool":
        static.refuse("T001", "sums and products in bool are not supported", "use np.any and np.all")
    return word


def max(a, axis=None, *, keepdims=False, initial=None, where=None):
    if not is_whole(where) and initial is None:
        needed = "reduction operation 'maximum' does not have an identity, so to use a where mask one has to specify "
        raise ValueError(needed + "'initial'")
    a = only(operand(a), where, initial)
    if initial is not None:
        found = max(with_first(initial, a, axis), 0)
        places = tuple(range(static.rank(a))) if axis is None else axis if static.is_sequence(axis) else (axis,)
        return expand_dims(found, places) if keepdims else found
    if static.is_complex(a):
        return extreme(a, axis, keepdims, True)
    return op.max(a, axis=static.reduced(axis, static.rank(a)), keepdims=keepdims)


def with_first(initial, a, axis):
    """The elements along an axis, or all of them, after one that is there also where there are none."""
    rows = ravel(a) if axis is None else in_one_axis(a, axis) if static.is_sequence(axis) else moveaxis(a, axis, 0)
    first = op.full(in_dtype(initial, static.element(rows)), shape=(1, *rows.shape[1:]), dtype=static.element(rows))
    return op.concatenate(first, rows, axis=0)


def in_one_axis(a, axes):
    """The elements along several axes, or along none, after each other in the first."""
    moved = moveaxis(a, axes, tuple(range(len(axes)))) if len(axes) > 0 else a
    count = 1
    for k in range(len(axes)):
        count *= moved.shape[k]
    return op.reshape(moved, shape=(count, *moved.shape[len(axes) :]))


def min(a, axis=None, *, keepdims=False, initial=None, where=None):
    if not is_whole(where) and initial is None:
        needed = "reduction operation 'minimum' does not have an identity, so to use a where mask one has to specify "
        raise ValueError(needed + "'initial'")
    a = only(operand(a), where, initial)
    if initial is not None:
        found = min(with_first(initial, a, axis), 0)
        places = tuple(range(static.rank(a))) if axis is None else axis if static.is_sequence(axis) else (axis,)
        return expand_dims(found, places) if keepdims else found
    if static.is_complex(a):
        return extreme(a, axis, keepdims, False)
    return op.min(a, axis=static.reduced(axis, static.rank(a)), keepdims=keepdims)


def any(a, axis=None, *, keepdims=False, where=None):
    a = only(operand(a) if is_whole(where) else truth(operand(a)), where, False)
    return op.any(a, axis=static.reduced(axis, static.rank(a)), keepdims=keepdims)


def all(a, axis=None, *, keepdims=False, where=None):
    a = only(operand(a) if is_whole(where) else truth(operand(a)), where, True)
    return op.all(a, axis=static.reduced(axis, static.rank(a)), keepdims=keepdims)


def argmax(a, axis=None, *, keepdims=False):
    """The position of the first largest element (of the first nan, if there is one)."""
    a = operand(a)
    if static.is_complex(a):
        return argument_of_extreme(a, None if axis is None else static.axis_of(axis, static.rank(a)), keepdims, True)
    return op.argmax(a, axis=None if axis is None else static.axis_of(axis, static.rank(a)), keepdims=keepdims)


def argmin(a, axis=None, *, keepdims=False):
    a = operand(a)
    if static.is_complex(a):
        return argument_of_extreme(a, None if axis is None else static.axis_of(axis, static.rank(a)), keepdims, False)
    return op.argmin(a, axis=None if axis is None else static.axis_of(axis, static.rank(a)), keepdims=keepdims)


def ptp(a, axis=None, *, keepdims=False):
    return max(a, axis, keepdims=keepdims) - min(a, axis, keepdims=keepdims)


def count_nonzero(a, axis=None, *, keepdims=False):
    return sum(truth(operand(a)), axis, keepdims=keepdims)


def nansum(a, axis=None, dtype=None, *, keepdims=False, initial=None, where=None):
    a = operand(a)
    if static.is_float_word(static.element(a)):
        a = op.where(op.isnan(a), 0.0, a)
    return sum(a, axis, dtype, keepdims=keepdims, initial=initial, where=where)


def allclose(a, b, rtol=1.0e-5, atol=1.0e-8, equal_nan=False):
    return op.cast(op.all(elements_close(a, b, rtol, atol, equal_nan)), dtype="bool", weak=True)


def cumsum(a, axis=None, dtype=None):
    return accumulated(op.add, summands(a, dtype), axis)


def cumprod(a, axis=None, dtype=None):
    return accumulated(op.multiply, summands(a, dtype), axis)


def summands(a, dtype):
    """The array in the dtype that sums are taken in."""
    a = strong(operand(a))
    return in_dtype(a, static.summed(static.element(a)) if dtype is None else summable(static.dtype_name(dtype)))


def accumulated(function, a, axis):
    """What a function of two elements has come to at each element along an axis, or of all in a row."""
    a = ravel(a) if axis is None else a
    last = static.rank(a) - 1
    place = 0 if axis is None else static.axis_of(axis, last + 1)
    if place == 0 or place < last:
        out = op.copy(a)
        rows, sums = moveaxis(a, place, 0), moveaxis(out, place, 0)
        for i in range(1, rows.shape[0]):
            sums[i] = function(sums[i - 1], rows[i])
        return out
    rows = a if last == 1 else op.reshape(a, shape=(total(a.shape[:-1]), a.shape[-1]))
    sums = op.copy(rows)
    for k in range(rows.shape[0]):
        for i in range(1, rows.shape[1]):
            sums[k, i] = function(sums[k, i - 1], rows[k, i])
    return sums if last == 1 else op.reshape(sums, shape=a.shape)


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    return running(cumsum, x, axis, dtype, include_initial, 0)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    return running(cumprod, x, axis, dtype, include_initial, 1)


def running(function, x, axis, dtype, include_initial, first):
    """The running sum or product along the one axis, or the one that is named; on request after a first value."""
    x = as_array(x)
    if axis is None and static.rank(x) > 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
    place = 0 if axis is None else static.axis_of(axis, static.rank(x))
    made = function(x, place if static.rank(x) > 0 else None, dtype)
    if not include_initial:
        return made
    rows = moveaxis(made, place, 0)
    word = static.element(rows)
    start = op.full(op.cast(first, dtype=word), shape=(1, *rows.shape[1:]), dtype=word)
    return moveaxis(op.concatenate(start, rows, axis=0), 0, place)
