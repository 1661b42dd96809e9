"""Means and variances, with NumPy's dtypes: of ints in float64, of float32 in float32."""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import in_dtype, operand, strong
from .reductions import sum


def mean(a, axis=None, dtype=None, *, keepdims=False):
    """The sum in the dtype, divided, and in the dtype again: of ints where `dtype=int` asks for it.

    Where nothing is asked for, the sum keeps the digits in which it was added up: that of many float16 is beyond them.
    """
    a, word = strong(operand(a)), averaging_word(a, dtype)
    total = sum(a, axis, static.accumulated(word) if dtype is None else word, keepdims=keepdims)
    return in_dtype(total / count(a, axis), word)


def var(a, axis=None, dtype=None, *, ddof=0, keepdims=False):
    """The mean of squared distances from the mean; distances are taken before they are rounded to the dtype."""
    a, word = strong(operand(a)), averaging_word(a, dtype)
    if not static.is_float_word(word):
        static.refuse("T001", "np.var and np.std are taken in floats here", "convert the result")
    centred = a - mean(a, axis, word, keepdims=True)
    total = sum(centred * centred, axis, word, keepdims=keepdims)
    return total / max(count(a, axis) - ddof, 0)


def std(a, axis=None, dtype=None, *, ddof=0, keepdims=False):
    return op.sqrt(var(a, axis, dtype, ddof=ddof, keepdims=keepdims))


def averaging_word(a, dtype):
    """The dtype word that sums are taken in: floats stay, bools and ints are float64, unless told otherwise."""
    return static.floating(static.element(operand(a))) if dtype is None else static.dtype_name(dtype)


def count(a, axis):
    """How many elements fall together."""
    total = 1
    for k in static.axes_of(axis, static.rank(a)):
        total = total * a.shape[k]
    return total


def average(a, axis=None, weights=None, *, keepdims=False):
    """The mean, weighted where weights are given: ones of the shape of `a`, or a vector along `axis`."""
    if weights is None:
        return mean(a, axis, keepdims=keepdims)
    a, weights = operand(a), operand(weights)
    if static.rank(weights) != static.rank(a):
        if axis is None or static.rank(weights) != 1:
            static.refuse("S002", "np.average needs weights of the shape of the array, or a vector and an axis")
        place = static.axis_of(axis, static.rank(a))
        lengths = tuple([length if k == place else 1 for k, length in enumerate(a.shape)])
        weights = op.broadcast_to(op.reshape(weights, shape=lengths), shape=a.shape)
    word = static.floating(static.common(a, weights))
    a, weights = op.cast(a, dtype=word), op.cast(weights, dtype=word)
    where = static.reduced(axis, static.rank(a))
    scale = op.sum(weights, axis=where, keepdims=keepdims)
    if op.any(scale == 0.0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return op.sum(a * weights, axis=where, keepdims=keepdims) / scale
