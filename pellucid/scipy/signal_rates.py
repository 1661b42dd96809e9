"""Other rates of samples of `scipy.signal`: filters whose results are kept at every so many places; Wiener's filter.

    resample_poly(x, 3, 2)    y[m] = 3 sum_j h[c + 2 m - 3 j] x[j], c the middle of the low pass h
    decimate(x, 4)            filtered forwards and backwards by Chebyshev's filter, every fourth sample

Sources: A. Oppenheim and R. Schafer, Discrete-Time Signal Processing (2009); J. Lim, Two-Dimensional Signal and Image
Processing (1990).
"""

from math import gcd

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.elementary import in_dtype
from ..numpy.manipulation import as_array, from_rows, in_rows, ravel
from ..numpy.statistics import mean
from .signal_filters import sosfilt, sosfiltfilt
from .signal_iir import cheby1
from .signal_products import correlate
from .signal_waves import firwin
from .special import of_floats

BACKGROUNDS = {"mean": np.mean, "median": np.median, "minimum": np.min, "maximum": np.max}


def resample_poly(x, up, down, axis=0, window=("kaiser", 5.0), padtype="constant", cval=None):
    """Signals at up / down times the rate; `window` makes the low pass, or is its coefficients."""
    if padtype not in ("constant", "mean", "median", "minimum", "maximum") or cval is not None:
        fault = f"scipy.signal.resample_poly with padtype={padtype!r} or `cval=` is not supported"
        static.refuse("U012", fault, "take 'constant', for zeros, 'mean', 'median', 'minimum' or 'maximum'")
    if up < 1 or down < 1:
        raise ValueError("up and down must be >= 1")
    x = of_floats(as_array(x))
    shared = gcd(up, down)
    up, down = up // shared, down // shared
    if up == 1 and down == 1:
        return op.copy(x)
    if static.is_text(window) or static.is_sequence(window):
        h = firwin(20 * max(up, down) + 1, 1.0 / max(up, down), window=window)
    else:
        h = of_floats(window)
    h = in_dtype(h, static.element(x)) * in_dtype(up, static.element(x))
    if padtype == "constant":
        return at_places(h, (h.shape[0] - 1) // 2, x, up, down, axis)
    level = BACKGROUNDS[padtype](x, axis=axis, keepdims=True)
    return at_places(h, (h.shape[0] - 1) // 2, x - level, up, down, axis) + level


def at_places(h, first, x, up, down, axis):
    """sum_j h[first + down m - up j] x[j] for each m, over signals with zeros around."""
    rows, shape = in_rows(x, axis)
    n, size = rows.shape[1], h.shape[0]
    out = op.zeros(shape=(rows.shape[0], (n * up + down - 1) // down), dtype=static.element(x))
    for m in range(out.shape[1]):
        at = first + down * m
        for j in range(max((at - size) // up + 1, 0), min(at // up + 1, n)):
            for r in range(rows.shape[0]):
                out[r, m] += h[at - up * j] * rows[r, j]
    return from_rows(out, shape, axis)


def decimate(x, q, n=None, ftype="iir", axis=-1, zero_phase=True):
    """Every q-th sample after a low pass: Chebyshev's of order `n`, or with "fir" a window of n + 1 coefficients."""
    if ftype not in ("iir", "fir"):
        static.refuse("U012", "scipy.signal.decimate takes the filters 'iir' and 'fir' here")
    x = of_floats(as_array(x))
    if ftype == "fir":
        h = firwin((20 * q if n is None else n) + 1, 1.0 / q, window="hamming")
        if zero_phase:
            return resample_poly(x, 1, q, axis, in_dtype(h, static.element(x)))
        return at_places(in_dtype(h, static.element(x)), 0, x, 1, q, axis)
    sos = cheby1(8 if n is None else n, 0.05, 0.8 / q, output="sos")
    y = sosfiltfilt(sos, x, axis) if zero_phase else sosfilt(sos, x, axis)
    rows, shape = in_rows(in_dtype(y, static.element(x)), axis)
    return from_rows(rows[:, ::q], shape, axis)


def wiener(im, mysize=None, noise=None):
    """Nearer to the mean of its window where that has little more variance than the noise."""
    im = of_floats(as_array(im))
    sizes = mysize if static.is_sequence(mysize) else [3 if mysize is None else mysize] * static.rank(im)
    window = op.ones(shape=tuple(sizes), dtype="f64")
    count = 1.0 * ravel(window).shape[0]
    level = correlate(im, window, "same") / count
    spread = correlate(im * im, window, "same") / count - level * level
    power = mean(spread) if noise is None else noise
    is_noise = spread < power
    return op.where(is_noise, level, level + (im - level) * (1.0 - power / op.where(is_noise, 1.0, spread)))
