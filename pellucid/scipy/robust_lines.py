"""Lines through points of which many may be wrong, of `scipy.stats`, by medians of slopes.

    theilslopes(y, x)     the median of (y[j] - y[i]) / (x[j] - x[i]) over all pairs with x[i] < x[j]
    siegelslopes(y, x)    the median over i of the medians over j of the same

Sources: P. Sen, Estimates of the regression coefficient based on Kendall's tau (1968); A. Siegel, Robust regression
using repeated medians (1982).
"""

from math import nan
from typing import Any, NamedTuple

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.elementary import in_dtype
from ..numpy.manipulation import as_array, ravel
from ..numpy.quantiles import median
from .special import of_floats


class TheilslopesResult(NamedTuple):
    slope: Any
    intercept: Any
    low_slope: Any
    high_slope: Any


class SiegelslopesResult(NamedTuple):
    slope: Any
    intercept: Any


def points(y, x):
    """Both as vectors; without `x` numbers from 0 on."""
    y = ravel(of_floats(as_array(y)))
    n = y.shape[0]
    x = op.arange(0, n, 1, shape=(n,), dtype="f64") if x is None else ravel(of_floats(as_array(x)))
    if x.shape[0] != n:
        raise ValueError("Array shapes are incompatible for broadcasting.")
    if n < 2:
        raise ValueError("`x` and `y` must have length at least 2.")
    return y, x


def theilslopes(y, x=None, alpha=0.95, method="separate"):
    """(slope, intercept, and the slopes between which it is with the confidence `alpha`)"""
    if method not in ("joint", "separate"):
        raise ValueError(f"method must be either 'joint' or 'separate'. '{method}' is invalid.")
    y, x = points(y, x)
    y, x = in_dtype(y, "f64"), in_dtype(x, "f64")
    across = x[:, None] - x[None, :]
    counts = across > 0.0
    slopes = (y[:, None] - y[None, :])[counts] / across[counts]
    if slopes.shape[0] == 0:
        raise ValueError("All `x` coordinates are identical.")
    slopes = np.sort(slopes)
    slope = median(slopes)
    intercept = median(y - slope * x) if method == "joint" else median(y) - slope * median(x)
    z = op.ndtri(0.5 * (1.0 - alpha if alpha > 0.5 else alpha))
    n, count = y.shape[0], slopes.shape[0]
    square = (n * (n - 1.0) * (2.0 * n + 5.0) - ties(x) - ties(y)) / 18.0
    if square < 0.0:
        return TheilslopesResult(slope, intercept, nan, nan)
    spread = op.stop_gradient(z * op.sqrt(square))
    high = min(int(np.round(0.5 * (count - spread))), count - 1)
    low = max(int(np.round(0.5 * (count + spread))) - 1, 0)
    return TheilslopesResult(slope, intercept, slopes[low], slopes[high])


def ties(x):
    """The sum of k (k - 1) (2 k + 5) over values that there are k times."""
    x = np.sort(op.stop_gradient(x))
    found, k = 0.0, 1.0
    for i in range(1, x.shape[0]):
        k = k + 1.0 if x[i] == x[i - 1] else 1.0
        # what the k-th of equal values adds to the sum of those before it
        found += k * (k - 1.0) * (2.0 * k + 5.0) - (k - 1.0) * (k - 2.0) * (2.0 * k + 3.0)
    return found


def siegelslopes(y, x=None, method="hierarchical"):
    """(slope, intercept): with "separate" the intercept by medians of its own."""
    if method not in ("hierarchical", "separate"):
        raise ValueError("method can only be 'hierarchical' or 'separate'")
    y, x = points(y, x)
    word = static.strict_common(x, y)
    y, x = in_dtype(y, word), in_dtype(x, word)
    slopes, intercepts = op.empty(shape=y.shape, dtype=word), op.empty(shape=y.shape, dtype=word)
    for j in range(y.shape[0]):
        across = x[j] - x
        counts = across != 0.0
        slopes[j] = median((y[j] - y)[counts] / across[counts])
        if method == "separate":
            intercepts[j] = median((y * x[j] - y[j] * x)[counts] / across[counts])
    slope = median(slopes)
    return SiegelslopesResult(slope, median(intercepts) if method == "separate" else median(y - slope * x))
