"""Statistics of what is not nan.

    np.nanmean(x)    ->    sum(where(isnan(x), 0, x)) / count
    np.nanmax(x)     ->    max(where(isnan(x), -inf, x))
"""

from math import inf, nan

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import in_dtype, operand, strong
from .manipulation import reshape, total
from .quantiles import at_quantile, in_front, in_places, kept, require_between, require_new
from .reductions import all, argmax, argmin, cumprod, cumsum, max, min, only, prod, sum
from .sorting import sort
from .statistics import averaging_word, lost, mean, std, var


def replaced(a, value):
    """The array with a value in place of nan, and where there was none; dtypes without nan stay as they are."""
    return op.where(op.isnan(a), value, a) if static.kind(a) == "float" else a


def found_at(a):
    return op.logical_not(op.isnan(a))


def nanprod(a, axis=None, dtype=None, *, keepdims=False, initial=None, where=None):
    return prod(replaced(operand(a), 1.0), axis, dtype, keepdims=keepdims, initial=initial, where=where)


def nancumsum(a, axis=None, dtype=None):
    return cumsum(replaced(operand(a), 0.0), axis, dtype)


def nancumprod(a, axis=None, dtype=None):
    return cumprod(replaced(operand(a), 1.0), axis, dtype)


def nanmax(a, axis=None, *, keepdims=False, initial=None, where=None):
    """The largest number; nan where there is none."""
    a = operand(a)
    best = max(replaced(a, -inf), axis, keepdims=keepdims, initial=initial, where=where)
    return or_nan(best, a, axis, keepdims, initial)


def nanmin(a, axis=None, *, keepdims=False, initial=None, where=None):
    a = operand(a)
    best = min(replaced(a, inf), axis, keepdims=keepdims, initial=initial, where=where)
    return or_nan(best, a, axis, keepdims, initial)


def or_nan(best, a, axis, keepdims, initial):
    """`best`, and nan where there is nothing else."""
    if static.kind(a) != "float" or initial is not None:
        return best
    return op.where(all(op.isnan(a), axis, keepdims=keepdims), nan, best)


def nanargmax(a, axis=None, *, keepdims=False):
    a = operand(a)
    require_numbers(a, axis)
    return argmax(replaced(a, -inf), axis, keepdims=keepdims)


def nanargmin(a, axis=None, *, keepdims=False):
    a = operand(a)
    require_numbers(a, axis)
    return argmin(replaced(a, inf), axis, keepdims=keepdims)


def require_numbers(a, axis):
    if static.kind(a) == "float" and op.any(all(op.isnan(a), axis)):
        raise ValueError("All-NaN slice encountered")


def nanmean(a, axis=None, dtype=None, *, keepdims=False, where=None):
    a = strong(operand(a))
    if static.kind(a) != "float":
        return mean(a, axis, dtype, keepdims=keepdims, where=where)
    word = averaging_word(a, dtype)
    wide = static.accumulated(word) if dtype is None else word
    total = sum(replaced(a, 0.0), axis, wide, keepdims=keepdims, where=where)
    return in_dtype(total / sum(found_at(a), axis, keepdims=keepdims, where=where), word)


def nanvar(a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=None, mean=None, correction=None):
    a, ddof = strong(operand(a)), lost(ddof, correction)
    if static.kind(a) != "float":
        return var(a, axis, dtype, ddof=ddof, keepdims=keepdims, where=where, mean=mean)
    word = averaging_word(a, dtype)
    middle = nanmean(a, axis, word, keepdims=True, where=where) if mean is None else operand(mean)
    centred = only(op.where(op.isnan(a), 0.0, a - middle), where, 0)
    total = sum(centred * centred, axis, word, keepdims=keepdims)
    count = sum(found_at(a), axis, keepdims=keepdims, where=where)
    return op.where(count > ddof, in_dtype(total / (count - ddof), word), nan)


def nanstd(a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=None, mean=None, correction=None):
    a, ddof = strong(operand(a)), lost(ddof, correction)
    if static.kind(a) != "float":
        return std(a, axis, dtype, ddof=ddof, keepdims=keepdims, where=where, mean=mean)
    return op.sqrt(nanvar(a, axis, dtype, ddof=ddof, keepdims=keepdims, where=where, mean=mean))


# --- medians and quantiles -------------------------------------------------------------------------------------------


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    a = operand(a)
    require_new(out, overwrite_input)
    columns, counts, inner = ordered_columns(a, axis)
    middles = op.empty(shape=counts.shape, dtype=static.floating(static.element(a)))
    for j in range(counts.shape[0]):
        half = counts[j] // 2
        middles[j] = mean(columns[op.maximum(half - 1 + counts[j] % 2, 0) : op.minimum(half + 1, counts[j]), j])
    found = reshape(middles, inner) if len(inner) > 0 else middles[0]
    return kept(found, a, axis, 0) if keepdims else found


def ordered_columns(a, axis):
    """What falls together as sorted columns, how many numbers each begins with, and the lengths of the other axes."""
    front = in_front(a, axis)
    ordered = sort(front, 0)
    inner = front.shape[1:]
    columns = reshape(ordered, (front.shape[0], total(inner)))
    counts = sum(found_at(columns) if static.kind(a) == "float" else columns == columns, 0)
    return columns, counts, inner


def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    q = operand(q)
    require_new(out, overwrite_input)
    require_between(q, 100, "Percentiles must be in the range [0, 100]")
    return nan_quantiles(a, q / 100, axis, method, keepdims, weights)


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    q = operand(q)
    require_new(out, overwrite_input)
    require_between(q, 1, "Quantiles must be in the range [0, 1]")
    return nan_quantiles(a, q, axis, method, keepdims, weights)


def nan_quantiles(a, q, axis, method, keepdims, weights):
    if weights is not None:
        static.refuse("U012", "weighted quantiles are not supported; search the running sum of the sorted weights")
    if static.rank(q) != 0:
        static.refuse("U012", "np.nanquantile takes one quantile at a time here; call it once for each")
    a = operand(a)
    columns, counts, inner = ordered_columns(a, axis)
    place, word = in_places(q, method), static.element(a)
    if method not in ("lower", "higher", "nearest") and static.kind(place) == "float":
        word = static.common(a, place if static.is_weak(q) else q)
    missing = op.cast(nan if static.is_float_word(word) else 0, dtype=word)
    values = op.full(missing, shape=counts.shape, dtype=word)
    for j in range(counts.shape[0]):
        if counts[j] > 0:
            values[j] = at_quantile(columns[: counts[j], j], place, static.is_weak(q), method)
    found = reshape(values, inner) if len(inner) > 0 else values[0]
    return kept(found, a, axis, 0) if keepdims else found
