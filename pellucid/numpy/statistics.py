"""Means and variances, with NumPy's dtypes: of ints in float64, of float32 in float32."""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import conjugated, in_dtype, operand, squared_size, strong
from .manipulation import shape
from .reductions import is_whole, mask_for, only, sum


def mean(a, axis=None, dtype=None, *, keepdims=False, where=None):
    """The sum in the dtype, divided, and in the dtype again: of ints where `dtype=int` asks for it.

    Where nothing is asked for, the sum keeps the digits in which it was added up: that of many float16 is beyond them.
    """
    a, word = strong(operand(a)), averaging_word(a, dtype)
    total = sum(a, axis, static.accumulated(word) if dtype is None else word, keepdims=keepdims, where=where)
    return in_dtype(total / (count(a, axis) if is_whole(where) else chosen(a, axis, keepdims, where)), word)


mean_of = mean  # where an argument has its name


def chosen(a, axis, keepdims, where):
    """How many elements that a mask selects fall together."""
    return sum(op.broadcast_to(mask_for(a, where), shape=shape(a)), axis, keepdims=keepdims)


def var(a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=None, mean=None, correction=None):
    """The mean of squared distances from the mean; distances are taken before they are rounded to the dtype."""
    return var_method(a, axis, dtype, ddof=lost(ddof, correction), keepdims=keepdims, where=where, mean=mean)


def var_method(a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=None, mean=None):
    a, word = strong(operand(a)), averaging_word(a, dtype)
    if not static.is_float_word(word):
        static.refuse("T001", "np.var and np.std are taken in floats here", "convert the result")
    middle = mean_of(a, axis, word, keepdims=True, where=where) if mean is None else operand(mean)
    centred = a - middle
    if not is_whole(where):
        centred = only(centred, where, 0)
    total = sum(squared_size(centred), axis, static.real_word(word), keepdims=keepdims)
    return total / numbers(a, axis, keepdims, where, ddof)


def numbers(a, axis, keepdims, where, ddof):
    """What a sum of squares is divided by."""
    if is_whole(where):
        return max(count(a, axis) - ddof, 0)
    return op.maximum(chosen(a, axis, keepdims, where) - ddof, 0)


def lost(ddof, correction):
    """How many degrees of freedom are lost: NumPy has two names for it."""
    if correction is None:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


def std(a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=None, mean=None, correction=None):
    return std_method(a, axis, dtype, ddof=lost(ddof, correction), keepdims=keepdims, where=where, mean=mean)


def std_method(a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=None, mean=None):
    return op.sqrt(var_method(a, axis, dtype, ddof=ddof, keepdims=keepdims, where=where, mean=mean))


def averaging_word(a, dtype):
    """The dtype word that sums are taken in: floats stay, bools and ints are float64, unless told otherwise."""
    return static.floating(static.element(operand(a))) if dtype is None else static.dtype_name(dtype)


def count(a, axis):
    """How many elements fall together."""
    total = 1
    for k in static.axes_of(axis, static.rank(a)):
        total = total * a.shape[k]
    return total


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """The mean, weighted where weights are given: ones of the shape of `a`, or a vector along `axis`.

    With `returned` the sums of the weights as well.
    """
    if weights is None:
        made = mean(a, axis, keepdims=keepdims)
        return (made, filled_like(made, count(operand(a), axis))) if returned else made
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
    made = op.sum(a * weights, axis=where, keepdims=keepdims) / scale
    return (made, filled_like(made, scale)) if returned else made


def filled_like(made, value):
    """A value in the dtype and shape of the results."""
    found = op.cast(value, dtype=static.element(made))
    return op.copy(op.broadcast_to(found, shape=made.shape)) if static.is_array(made) else found


# --- several variables -----------------------------------------------------------------------------------------------


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """Covariances of variables, which are rows, or columns without `rowvar`."""
    word = covariance_word(m, y, dtype)
    rows = variables(m, rowvar, word)
    if y is not None:
        rows = op.concatenate(rows, variables(y, rowvar, word), axis=0)
    lost = (0 if bias else 1) if ddof is None else ddof
    weights = sample_weights(fweights, aweights, rows.shape[1])
    if weights is None:
        scale = op.cast(max(rows.shape[1] - lost, 0), dtype=word)
        centred = rows - mean(rows, 1, keepdims=True)
        found = op.matmul(centred, conjugated(centred).T)
    else:
        together = op.sum(weights)
        centred = rows - (op.sum(rows * weights, axis=1) / together)[:, None]
        bound = lost if aweights is None else lost * op.sum(weights * operand(aweights)) / together
        scale = op.maximum(together - bound, 0.0)
        found = op.matmul(centred, conjugated(centred * weights).T)
    found = found * (1 / scale)
    return op.reshape(found, shape=()) if static.unit_axes(found) == (0, 1) else found


def covariance_word(m, y, dtype):
    if dtype is not None:
        return static.dtype_name(dtype)
    return static.common(operand(m), 0.0 if y is None else operand(y), op.cast(0.0, dtype="f64"))


def variables(m, rowvar, word):
    """One variable in each row."""
    m = operand(m)
    if static.rank(m) > 2:
        raise ValueError("m has more than 2 dimensions")
    m = op.cast(m, dtype=word)
    if static.rank(m) < 2:
        return op.reshape(m, shape=(1, m.shape[0] if static.rank(m) == 1 else 1))
    return m if rowvar else m.T


def sample_weights(fweights, aweights, count):
    """How much each sample counts: how often it occurs, times how important it is."""
    weights = None
    if fweights is not None:
        weights = op.cast(operand(fweights), dtype="f64")
        require_weights(weights, count, "fweights")
        if not op.all(weights == op.rint(weights)):
            raise TypeError("fweights must be integer")
    if aweights is not None:
        own = op.cast(operand(aweights), dtype="f64")
        require_weights(own, count, "aweights")
        weights = own if weights is None else weights * own
    return weights


def require_weights(weights, count, name):
    if static.rank(weights) > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if weights.shape[0] != count:
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    if op.any(weights < 0.0):
        raise ValueError(f"{name} cannot be negative")


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """Covariances divided by both standard deviations, kept between -1 and 1."""
    c = cov(x, y, rowvar, dtype=dtype)
    if static.rank(c) == 0:
        return c[()] / c[()]
    places = op.arange(0, c.shape[0], 1, shape=(c.shape[0],), dtype="i64")
    variances = c[places, places]
    deviations = op.sqrt(op.real(variances) if static.is_complex(c) else variances)
    c = c / deviations[:, None] / deviations[None, :]
    if static.is_complex(c):
        return op.complex_of(at_most_one(op.real(c)), at_most_one(op.imag(c)))
    return at_most_one(c)


def at_most_one(c):
    return op.minimum(op.maximum(c, -1.0), 1.0)
