"""Filters of `scipy.signal`: recursive ones, both ways, in sections, by polynomials; trends and analytic signals.

    lfilter(b, a, x)      y[n] = (b[0] x[n] + b[1] x[n - 1] + ... - a[1] y[n - 1] - ...) / a[0], by transposed states
    filtfilt(b, a, x)     the same forwards and backwards over a signal that is continued oddly at both ends

Sources: A. Oppenheim and R. Schafer, Discrete-Time Signal Processing (2009); F. Gustafsson, Determining the initial
states in forward-backward filtering (1996); A. Savitzky and M. Golay (1964).
"""

from math import factorial

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy import fourier
from ..numpy.elementary import in_dtype, operand
from ..numpy.joining import concatenate
from ..numpy.least_squares import lstsq
from ..numpy.manipulation import as_array, from_rows, in_rows, moveaxis, ravel
from ..numpy.statistics import mean
from .special import of_floats


def coefficients(b, a):
    """Both of one length, divided by a[0]."""
    b, a = ravel(as_array(operand(b))), ravel(as_array(operand(a)))
    word = static.of_functions(static.strict_common(b, a))
    n = max(b.shape[0], a.shape[0])
    if a[0] == 0:
        raise ValueError("the first coefficient of `a` is zero: there is no such filter")
    above, below = op.zeros(shape=(n,), dtype=word), op.zeros(shape=(n,), dtype=word)
    above[: b.shape[0]] = b
    below[: a.shape[0]] = a
    return above / a[0], below / a[0]


def lfilter(b, a, x, axis=-1, zi=None):
    """The filtered signals; with states `zi`, of one signal, (the signal, the states at the end)."""
    above, below = coefficients(b, a)
    x = as_array(operand(x))
    word = static.of_functions(static.strict_common(above, x))
    above, below, x = in_dtype(above, word), in_dtype(below, word), in_dtype(x, word)
    rows, shape = in_rows(x, axis)
    if zi is None:
        out = op.empty(shape=rows.shape, dtype=word)
        for k in range(rows.shape[0]):
            out[k] = filtered(above, below, rows[k], op.zeros(shape=(above.shape[0],), dtype=word))[0]
        return from_rows(out, shape, axis)
    if static.rank(x) != 1 or static.rank(zi) != 1:
        static.refuse("S002", "scipy.signal.lfilter with `zi=` takes one signal here")
    if zi.shape[0] != above.shape[0] - 1:
        raise ValueError(f"Unexpected shape for zi: expected ({above.shape[0] - 1},), found {zi.shape}.")
    state = op.zeros(shape=(above.shape[0],), dtype=word)
    state[:-1] = zi
    y, state = filtered(above, below, rows[0], state)
    return y, state[:-1]


def filtered(b, a, x, state):
    """One signal, and the states at its end; there is one state more than needed, which stays zero."""
    n = b.shape[0] - 1
    state = op.copy(state)
    out = op.empty(shape=x.shape, dtype=static.element(x))
    for i in range(x.shape[0]):
        y = state[0] + b[0] * x[i]
        for k in range(n):
            state[k] = state[k + 1] + b[k + 1] * x[i] - a[k + 1] * y
        out[i] = y
    return out, state


def lfilter_zi(b, a):
    """The states of a filter that has been given ones for ever."""
    above, below = coefficients(b, a)
    n = above.shape[0] - 1
    companion = op.zeros(shape=(n, n), dtype=static.element(above))
    for k in range(n):
        companion[k, 0] = -below[k + 1]
        if k + 1 < n:
            companion[k, k + 1] = 1.0
    one = op.eye(shape=(n, n), dtype=static.element(above))
    return op.solve(one - companion, above[1:] - below[1:] * above[0])


def continued(rows, count, padtype):
    """Signals with `count` elements more at both ends."""
    if padtype is None or count == 0:
        return rows
    if padtype not in ("odd", "even", "constant"):
        raise ValueError(f"Unknown value '{padtype}' given to padtype: it must be 'even', 'odd', 'constant', or None.")
    n = rows.shape[-1]
    if n <= count:
        raise ValueError(f"The length of the input vector x must be greater than padlen, which is {count}.")
    first, last = rows[:, 0][:, None], rows[:, n - 1][:, None]
    left, right = rows[:, 1 : count + 1][:, ::-1], rows[:, n - 1 - count : n - 1][:, ::-1]
    if padtype == "odd":
        left, right = 2.0 * first - left, 2.0 * last - right
    if padtype == "constant":
        left, right = first + 0.0 * left, last + 0.0 * right
    return concatenate((left, rows, right), axis=1)


def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    """Forwards and backwards: no phase is left."""
    if method != "pad":
        static.refuse("U012", "scipy.signal.filtfilt has the method 'pad' alone here")
    above, below = coefficients(b, a)
    x = of_floats(as_array(x))
    word = static.of_functions(static.strict_common(above, x))
    above, below = in_dtype(above, word), in_dtype(below, word)
    rows, shape = in_rows(x, axis)
    count = 0 if padtype is None else 3 * above.shape[0] if padlen is None else padlen
    long = in_dtype(continued(rows, count, padtype), word)
    n = above.shape[0]
    zi = op.zeros(shape=(n,), dtype=static.element(long))
    zi[: n - 1] = lfilter_zi(above, below)
    out = op.empty(shape=rows.shape, dtype=static.element(long))
    for k in range(rows.shape[0]):
        forwards = filtered(above, below, long[k], zi * long[k, 0])[0][::-1]
        both = filtered(above, below, forwards, zi * forwards[0])[0][::-1]
        out[k] = both[count : count + rows.shape[1]]
    return from_rows(out, shape, axis)


# --- sections --------------------------------------------------------------------------------------------------------


def of_sections(sos):
    sos = of_floats(as_array(sos))
    if static.rank(sos) != 2 or sos.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    if op.any(sos[:, 3] != 1.0):
        raise ValueError("sos[:, 3] should be all ones")
    return sos


def sosfilt(sos, x, axis=-1, zi=None):
    """By sections of second order, one after the other."""
    if zi is not None:
        static.refuse("U012", "scipy.signal.sosfilt has no `zi=` here: leave it out")
    sos = of_sections(sos)
    rows, shape = in_rows(of_floats(as_array(x)), axis)
    for k in range(rows.shape[0]):
        y = rows[k]
        for s in range(sos.shape[0]):
            y = filtered(sos[s, :3], sos[s, 3:], y, op.zeros(shape=(3,), dtype="f64"))[0]
        rows = with_row(rows, k, y)
    return from_rows(rows, shape, axis)


def with_row(rows, k, y):
    out = op.copy(rows)
    out[k] = y
    return out


def sosfilt_zi(sos):
    """The states of each section for ones given for ever."""
    sos = of_sections(sos)
    out = op.empty(shape=(sos.shape[0], 2), dtype="f64")
    scale = 1.0
    for s in range(sos.shape[0]):
        b, a = sos[s, :3], sos[s, 3:]
        out[s] = scale * lfilter_zi(b, a)
        scale = scale * (op.sum(b) / op.sum(a))
    return out


def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None):
    sos = of_sections(sos)
    rows, shape = in_rows(of_floats(as_array(x)), axis)
    count = 2 * sos.shape[0] + 1
    count = count - min(int(op.sum(sos[:, 2] == 0.0)), int(op.sum(sos[:, 5] == 0.0)))
    size = 0 if padtype is None else 3 * count if padlen is None else padlen
    long = continued(rows, size, padtype)
    states = sosfilt_zi(sos)
    out = op.empty(shape=rows.shape, dtype="f64")
    for k in range(rows.shape[0]):
        forwards = through(sos, long[k], states)[::-1]
        both = through(sos, forwards, states)[::-1]
        out[k] = both[size : size + rows.shape[1]]
    return from_rows(out, shape, axis)


def through(sos, x, states):
    first, y = x[0], x
    for s in range(sos.shape[0]):
        zi = op.zeros(shape=(3,), dtype="f64")
        zi[:2] = states[s] * first
        y = filtered(sos[s, :3], sos[s, 3:], y, zi)[0]
    return y


# --- polynomials and trends ------------------------------------------------------------------------------------------


def savgol_coeffs(window_length, polyorder, deriv=0, delta=1.0, pos=None, use="conv"):
    """The coefficients that give the value, or a derivative, of the fitted polynomial at a place of the window."""
    if polyorder >= window_length:
        raise ValueError("polyorder must be less than window_length.")
    if use not in ("conv", "dot"):
        raise ValueError("`use` must be 'conv' or 'dot'")
    half, rest = window_length // 2, window_length % 2
    place = (half - 0.5 if rest == 0 else half) if pos is None else pos
    if deriv > polyorder:
        return op.zeros(shape=(window_length,), dtype="f64")
    x = op.arange(0, window_length, 1, shape=(window_length,), dtype="f64") - place
    if use == "conv":
        x = x[::-1]
    order = op.arange(0, polyorder + 1, 1, shape=(polyorder + 1,), dtype="f64")
    right = op.zeros(shape=(polyorder + 1,), dtype="f64")
    right[deriv] = factorial(deriv) / delta**deriv
    return lstsq(x[None, :] ** order[:, None], right)[0]


def savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp", cval=0.0):
    """Each element by the polynomial fitted around it; at the ends by that of the last window."""
    if mode not in ("interp", "nearest", "mirror", "constant", "wrap"):
        raise ValueError("mode must be 'mirror', 'constant', 'nearest' 'wrap' or 'interp'.")
    rows, shape = in_rows(of_floats(as_array(x)), axis)
    n, half = rows.shape[1], window_length // 2
    if mode == "interp" and window_length > n:
        raise ValueError("If mode is 'interp', window_length must be less than or equal to the size of x.")
    c = savgol_coeffs(window_length, polyorder, deriv, delta, use="dot")
    if mode in ("interp", "constant"):
        edge = cval if mode == "constant" else 0.0
        long = np.pad(rows, ((0, 0), (half, half)), constant_values=edge)
    else:
        words = {"nearest": "edge", "mirror": "reflect", "wrap": "wrap"}
        long = np.pad(rows, ((0, 0), (half, half)), mode=words[mode])
    out = op.zeros(shape=rows.shape, dtype="f64")
    for k in range(window_length):
        out = out + c[k] * long[:, k : k + n]
    out = in_dtype(out, static.element(rows))
    if mode == "interp":
        out = op.copy(out)
        for i in range(half):
            first = savgol_coeffs(window_length, polyorder, deriv, delta, pos=i, use="dot")
            last = savgol_coeffs(window_length, polyorder, deriv, delta, pos=window_length - 1 - i, use="dot")
            out[:, i] = rows[:, :window_length] @ first
            out[:, n - 1 - i] = rows[:, n - window_length :] @ last
    return from_rows(out, shape, axis)


def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=False):
    """Without the mean, or without the line through the signal."""
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    data = of_floats(as_array(data))
    if type in ("constant", "c"):
        return data - mean(data, axis=axis, keepdims=True)
    if not static.is_static(bp) or bp != 0:
        static.refuse("U012", "scipy.signal.detrend has no `bp=` here: leave it out")
    rows, shape = in_rows(data, axis)
    n = rows.shape[1]
    t = op.arange(0, n, 1, shape=(n,), dtype="f64") - 0.5 * (n - 1)
    slope = (rows @ t) / op.sum(t * t)
    return from_rows(rows - mean(rows, axis=1)[:, None] - slope[:, None] * t, shape, axis)


def hilbert(x, N=None, axis=-1):
    """The analytic signal: without the negative frequencies."""
    x = as_array(x)
    if static.is_complex(x):
        raise ValueError("x must be real.")
    n = x.shape[axis] if N is None else N
    if n <= 0:
        raise ValueError("N must be positive.")
    found = moveaxis(fourier.fft(x, n, axis), axis, -1)
    k = op.arange(0, n, 1, shape=(n,), dtype="i64")
    at_ends = op.logical_or(k == 0, 2 * k == n)
    weights = op.where(at_ends, 1.0, op.where(2 * k < n, 2.0, 0.0))
    return moveaxis(fourier.ifft(found * weights, axis=-1), -1, axis)


def resample(x, num, t=None, axis=0, window=None, domain="time"):
    """`num` samples of the same period, by transforms."""
    if t is not None or window is not None or domain != "time":
        static.refuse("U012", "scipy.signal.resample takes samples, their number and an axis here")
    x = of_floats(as_array(x))
    rows, shape = in_rows(x, axis)
    n = rows.shape[1]
    found = fourier.rfft(rows)
    count = min(n, num)
    half = count // 2 + 1
    out = op.zeros(shape=(rows.shape[0], num // 2 + 1), dtype=static.element(found))
    out[:, :half] = found[:, :half]
    if count % 2 == 0 and num != n:  # the middle frequency stands for two
        out[:, count // 2] = out[:, count // 2] * (2.0 if num < n else 0.5)
    return from_rows(fourier.irfft(out, num) * (num / n), shape, axis)


def medfilt(volume, kernel_size=3):
    """The median of each window of odd length of a signal with zeros around."""
    x = as_array(volume)
    if static.rank(x) != 1 or not static.is_static(kernel_size):
        static.refuse("U012", "scipy.signal.medfilt takes one signal and a known length here")
    if kernel_size % 2 != 1:
        raise ValueError("Each element of kernel_size should be odd.")
    half = kernel_size // 2
    long = np.pad(x, half)
    parts = [long[k : k + x.shape[0]] for k in range(kernel_size)]
    return np.sort(np.stack(parts, -1), axis=-1)[:, half]
