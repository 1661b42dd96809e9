"""Means and variances, with NumPy's dtypes: of ints in float64, of float32 in float32."""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import operand


def mean(a, axis=None, dtype=None, *, keepdims=False):
    a = in_averaging_dtype(a, dtype)
    total = op.sum(a, axis=static.reduced(axis, static.rank(a)), keepdims=keepdims)
    return total / count(a, axis)


def var(a, axis=None, dtype=None, *, ddof=0, keepdims=False):
    a = in_averaging_dtype(a, dtype)
    centred = a - mean(a, axis, keepdims=True)
    total = op.sum(centred * centred, axis=static.reduced(axis, static.rank(a)), keepdims=keepdims)
    return total / max(count(a, axis) - ddof, 0)


def std(a, axis=None, dtype=None, *, ddof=0, keepdims=False):
    return op.sqrt(var(a, axis, dtype, ddof=ddof, keepdims=keepdims))


def in_averaging_dtype(a, dtype):
    a = operand(a)
    word = static.floating(static.element(a) if dtype is None else static.dtype_name(dtype))
    return op.cast(a, dtype=word) if word != static.element(a) or static.is_weak(a) else a


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
