"""Statistics of samples: `scipy.stats.zscore sem gmean skew kurtosis rankdata mode iqr entropy` and others.

    skew(a)        m3 / m2^(3/2) with the central moments m2 and m3
    rankdata(a)    places in the sorted order, counted from 1, of equals their mean

`nan_policy` is "propagate".  Source: D. Zwillinger and S. Kokoska, Standard Probability and Statistics Tables (2000).
"""

from typing import Any, NamedTuple

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.elementary import in_dtype, operand
from ..numpy.manipulation import as_array, expand_dims, from_rows, in_rows, moveaxis, ravel
from ..numpy.quantiles import median, quantile
from ..numpy.sorting import argsort, sort
from ..numpy.statistics import mean, std, var
from .special import of_floats, rel_entr


class ModeResult(NamedTuple):
    mode: Any
    count: Any


class DescribeResult(NamedTuple):
    nobs: Any
    minmax: Any
    mean: Any
    variance: Any
    skewness: Any
    kurtosis: Any


def require_propagate(nan_policy):
    if nan_policy != "propagate":
        help_ = "leave the elements out: `x[~np.isnan(x)]`"
        static.refuse("U012", "`nan_policy=` is not supported: nan propagates", help_)


def along(a, axis, nan_policy="propagate"):
    """The sample as floats, and the axis; all of it in one row where the axis is None."""
    require_propagate(nan_policy)
    a = as_array(a)
    a = a if static.is_complex(a) else of_floats(a)
    return (ravel(a), 0) if axis is None else (a, static.axis_of(axis, static.rank(a)))


def length_along(a, axis):
    return operand(a).shape[axis]


def zscore(a, axis=0, ddof=0, nan_policy="propagate"):
    return zmap(a, a, axis, ddof, nan_policy)


def zmap(scores, compare, axis=0, ddof=0, nan_policy="propagate"):
    """How many standard deviations of `compare` each score lies above its mean."""
    require_propagate(nan_policy)
    scores, compare = of_floats(scores), of_floats(compare)
    return (scores - mean(compare, axis=axis, keepdims=True)) / std(compare, axis=axis, ddof=ddof, keepdims=True)


def sem(a, axis=0, ddof=1, nan_policy="propagate", *, keepdims=False):
    """The standard error of the mean."""
    a, axis = along(a, axis, nan_policy)
    word = static.real_word(static.element(a))
    return std(a, axis=axis, ddof=ddof, keepdims=keepdims) / op.sqrt(op.cast(length_along(a, axis), dtype=word))


def gmean(a, axis=0, dtype=None, weights=None, *, nan_policy="propagate", keepdims=False):
    a, axis = along(a, axis, nan_policy)
    return op.exp(weighted(op.log(a), weights, axis, keepdims))


def hmean(a, axis=0, dtype=None, *, weights=None, nan_policy="propagate", keepdims=False):
    a, axis = along(a, axis, nan_policy)
    return 1.0 / weighted(1.0 / a, weights, axis, keepdims)


def pmean(a, p, *, axis=0, dtype=None, weights=None, nan_policy="propagate", keepdims=False):
    """The p-th root of the mean of p-th powers; of p = 0 the geometric mean."""
    a, axis = along(a, axis, nan_policy)
    if p == 0:
        return op.exp(weighted(op.log(a), weights, axis, keepdims))
    return weighted(a**p, weights, axis, keepdims) ** (1.0 / p)


def weighted(a, weights, axis, keepdims):
    if weights is None:
        return mean(a, axis=axis, keepdims=keepdims)
    weights = of_floats(weights)
    if static.rank(weights) < static.rank(a):
        weights = moveaxis(weights + op.zeros(shape=moveaxis(a, axis, -1).shape, dtype="f64"), -1, axis)
    return op.sum(a * weights, axis=axis, keepdims=keepdims) / op.sum(weights, axis=axis, keepdims=keepdims)


def gstd(a, axis=0, ddof=1, *, keepdims=False, nan_policy="propagate"):
    a, axis = along(a, axis, nan_policy)
    return op.exp(std(op.log(a), axis=axis, ddof=ddof, keepdims=keepdims))


def variation(a, axis=0, nan_policy="propagate", ddof=0, *, keepdims=False):
    a, axis = along(a, axis, nan_policy)
    return std(a, axis=axis, ddof=ddof, keepdims=keepdims) / mean(a, axis=axis, keepdims=keepdims)


# --- moments ---------------------------------------------------------------------------------------------------------


def central(a, axis):
    return a - mean(a, axis=axis, keepdims=True)


def moment(a, order=1, axis=0, nan_policy="propagate", *, center=None, keepdims=False):
    a, axis = along(a, axis, nan_policy)
    return mean((central(a, axis) if center is None else a - center) ** order, axis=axis, keepdims=keepdims)


def skew(a, axis=0, bias=True, nan_policy="propagate", *, keepdims=False):
    a, axis = along(a, axis, nan_policy)
    n, d = length_along(a, axis), central(a, axis)
    m2, m3 = mean(d * d, axis=axis, keepdims=keepdims), mean(d * d * d, axis=axis, keepdims=keepdims)
    found = m3 / (m2 * op.sqrt(m2))
    if bias:
        return found
    return op.where(n > 2, op.sqrt((n - 1.0) * n) / max(n - 2.0, 1.0) * found, found)


def kurtosis(a, axis=0, fisher=True, bias=True, nan_policy="propagate", *, keepdims=False):
    a, axis = along(a, axis, nan_policy)
    n, d = length_along(a, axis), central(a, axis)
    square = d * d
    m2, m4 = mean(square, axis=axis, keepdims=keepdims), mean(square * square, axis=axis, keepdims=keepdims)
    found = m4 / (m2 * m2)
    if not bias:
        corrected = 1.0 / max((n - 2.0) * (n - 3.0), 1.0) * ((n * n - 1.0) * found - 3.0 * (n - 1.0) ** 2)
        found = op.where(n > 3, corrected + 3.0, found)
    return found - 3.0 if fisher else found


def describe(a, axis=0, ddof=1, bias=True, nan_policy="propagate"):
    a, axis = along(a, axis, nan_policy)
    ends = op.min(a, axis=axis, keepdims=False), op.max(a, axis=axis, keepdims=False)
    return DescribeResult(
        op.cast(length_along(a, axis), dtype="i64"), ends, mean(a, axis=axis), var(a, axis=axis, ddof=ddof),
        skew(a, axis, bias), kurtosis(a, axis, True, bias),
    )  # fmt: skip


# --- orders ----------------------------------------------------------------------------------------------------------


def iqr(
    x, axis=None, rng=(25, 75), scale=1.0, nan_policy="propagate", interpolation="linear", keepdims=False,
):  # fmt: skip
    """The distance between two percentiles."""
    if static.is_text(scale):
        if scale != "normal":
            raise ValueError(f"{scale} not a valid scale for `iqr`")
        scale = 1.3489795003921634
    a, axis = along(x, axis, nan_policy)
    low, high = rng
    upper = quantile(a, high / 100.0, axis=axis, method=interpolation, keepdims=keepdims)
    return (upper - quantile(a, low / 100.0, axis=axis, method=interpolation, keepdims=keepdims)) / scale


def median_abs_deviation(x, axis=0, center=None, scale=1.0, nan_policy="propagate", *, keepdims=False):
    if center is not None:
        static.refuse("U012", "scipy.stats.median_abs_deviation has no `center=` here: leave it out")
    if static.is_text(scale):
        if scale != "normal":
            raise ValueError(f"{scale} is not a valid scale value.")
        scale = 0.6744897501960817
    a, axis = along(x, axis, nan_policy)
    return median(op.absolute(a - median(a, axis=axis, keepdims=True)), axis=axis, keepdims=keepdims) / scale


def trim_mean(a, proportiontocut, axis=0, *, nan_policy="propagate", keepdims=False):
    """The mean without a share of the least and of the greatest."""
    a, axis = along(a, axis, nan_policy)
    rows = moveaxis(sort(a, axis=axis), axis, -1)
    n = rows.shape[-1]
    cut = int(proportiontocut * n)
    if 2 * cut >= n:
        raise ValueError("Proportion too big.")
    found = mean(rows[..., cut : n - cut], axis=-1)
    return expand_dims(found, axis) if keepdims else found


def rankdata(a, method="average", *, axis=None, nan_policy="propagate"):
    if method not in ("average", "min", "max", "dense", "ordinal"):
        raise ValueError(f'unknown method "{method}"')
    require_propagate(nan_policy)
    a = as_array(a)
    if method != "average":
        if op.any(a != a):
            raise ValueError("ranks are integers here, and NaN has none: leave it out, or take method='average'")
        return in_dtype(rankdata_of_floats(a, method, axis), "i64")
    return rankdata_of_floats(a, method, axis)


def rankdata_of_floats(a, method, axis):
    if axis is None:
        return ranks(ravel(a), method)
    place = static.axis_of(axis, static.rank(a))
    rows, shape = in_rows(a, place)
    out = op.empty(shape=rows.shape, dtype="f64")
    for k in range(rows.shape[0]):
        out[k] = ranks(rows[k], method)
    return from_rows(out, shape, place)


def ranks(x, method):
    n = x.shape[0]
    order = argsort(x, kind="stable")
    out = op.empty(shape=(n,), dtype="f64")
    first, group = 0, 0
    while first < n:
        last = first + 1
        while last < n and x[order[last]] == x[order[first]]:
            last += 1
        group += 1
        for k in range(first, last):
            if method == "average":
                out[order[k]] = 0.5 * (first + 1 + last)
            elif method == "min":
                out[order[k]] = first + 1.0
            elif method == "max":
                out[order[k]] = 1.0 * last
            elif method == "dense":
                out[order[k]] = 1.0 * group
            else:
                out[order[k]] = k + 1.0
        first = last
    if op.any(x != x):
        out[:] = float("nan")
    return out


def mode(a, axis=0, nan_policy="propagate", keepdims=False):
    """The most frequent value, of several the least, and how often it is there."""
    require_propagate(nan_policy)
    a = as_array(a)
    if axis is None:
        a, axis = ravel(a), 0
    if static.rank(a) != 1 or keepdims:
        static.refuse("S002", "scipy.stats.mode takes one row here: take those of a matrix in a loop")
    values = sort(a)
    n = values.shape[0]
    if n == 0:
        raise ValueError("the mode of no numbers")
    best, most, first = values[0], 0, 0
    while first < n:
        last = first + 1
        while last < n and values[last] == values[first]:
            last += 1
        if last - first > most:
            best, most = values[first], last - first
        first = last
    return ModeResult(best, op.cast(most, dtype="i64"))


def entropy(pk, qk=None, base=None, axis=0, *, nan_policy="propagate", keepdims=False):
    """Of probabilities, which are divided by their sum; with `qk` the divergence from these."""
    p, axis = along(pk, axis, nan_policy)
    p = p / op.sum(p, axis=axis, keepdims=True)
    if qk is None:
        parts = op.entr(p)
    else:
        q, _ = along(qk, axis, nan_policy)
        parts = rel_entr(p, q / op.sum(q, axis=axis, keepdims=True))
    found = op.sum(parts, axis=axis, keepdims=keepdims)
    return found if base is None else found / op.log(op.cast(base, dtype="f64"))


def percentileofscore(a, score, kind="rank", nan_policy="propagate"):
    """The share of the sample, in percent, that lies below a score."""
    require_propagate(nan_policy)
    a, score = ravel(as_array(a)), of_floats(score)
    if static.rank(score) != 0:
        static.refuse("S002", "scipy.stats.percentileofscore takes one score here")
    if kind not in ("rank", "strict", "weak", "mean"):
        raise ValueError("kind can only be 'rank', 'strict', 'weak' or 'mean'")
    below, up_to, n = op.sum(a < score), op.sum(a <= score), a.shape[0]
    if kind == "strict":
        return below * (100.0 / n)
    if kind == "weak":
        return up_to * (100.0 / n)
    if kind == "mean":
        return (below + up_to) * (50.0 / n)
    return (below + up_to + op.where(up_to > below, 1, 0)) * (50.0 / n)


def boxcox_llf(lmb, data, *, axis=0, keepdims=False, nan_policy="propagate"):
    """The logarithm of the likelihood of the transformation of Box and Cox."""
    data, axis = along(data, axis, nan_policy)
    logarithms = op.log(data)
    n = length_along(data, axis)
    spread = var(op.boxcox(data, lmb), axis=axis, keepdims=keepdims)
    return (lmb - 1.0) * op.sum(logarithms, axis=axis, keepdims=keepdims) - 0.5 * n * op.log(spread)
