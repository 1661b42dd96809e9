"""Spectra of signals that change with time, and of two signals: `scipy.signal.stft istft spectrogram csd coherence`.

    f, t, Z = stft(x, fs)         transforms of weighted segments that overlap
    f, c = coherence(x, y, fs)    |Pxy|^2 / (Pxx Pyy) of their means

Sources: A. Oppenheim and R. Schafer, Discrete-Time Signal Processing (2009); P. Welch (1967); N. Lomb (1976).
"""


from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy import fourier
from ..numpy.joining import concatenate
from ..numpy.manipulation import as_array, moveaxis
from ..numpy.statistics import mean
from .signal_design import get_window
from .signal_filters import detrend as without_trend
from .special import of_floats


def weights_of(window, nperseg, length, usual=256):
    """The window, a name or an array, and the length of a segment."""
    if static.is_text(window) or static.is_sequence(window):
        size = min(usual if nperseg is None else nperseg, length)
        return get_window(window, size), size
    weights = of_floats(as_array(window))
    if nperseg is not None and nperseg != weights.shape[0]:
        raise ValueError("value specified for nperseg is different from length of window")
    return weights, weights.shape[0]


def require_real(x, return_onesided, nfft):
    if not return_onesided or nfft is not None:
        static.refuse("U012", "spectra of scipy.signal are of one side here, and have no `nfft=`")
    x = as_array(x)
    if static.is_complex(x):
        static.refuse("U012", "spectra of scipy.signal are of real signals here")
    return of_floats(x)


def trendless(part, kind):
    if kind is False:
        return part
    if kind not in ("constant", "linear", "c", "l"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    return part - mean(part, axis=-1, keepdims=True) if kind in ("constant", "c") else without_trend(part)


def transforms(rows, weights, size, step, kind):
    """Of the segments, along two last axes: frequencies and segments."""
    count = (rows.shape[-1] - size) // step + 1
    if count < 1:
        raise ValueError("the signal is shorter than one segment")
    parts = op.empty(shape=(*rows.shape[:-1], size // 2 + 1, count), dtype="c128")
    for k in range(count):
        parts[..., k] = fourier.rfft(trendless(rows[..., k * step : k * step + size], kind) * weights)
    return parts


def scale_of(weights, fs, scaling):
    if scaling in ("density", "psd"):
        return 1.0 / (fs * op.sum(weights * weights))
    if scaling != "spectrum":
        raise ValueError(f"Unknown scaling: {scaling!r}")
    return 1.0 / op.sum(weights) ** 2


def twice(size):
    """What both sides together have of each frequency."""
    places = op.arange(0, size // 2 + 1, 1, shape=(size // 2 + 1,), dtype="i64")
    return op.where(op.logical_or(places == 0, 2 * places == size), 1.0, 2.0)


def overlap_of(noverlap, size, usual):
    overlap = usual if noverlap is None else noverlap
    if overlap >= size:
        raise ValueError("noverlap must be less than nperseg.")
    return overlap


def csd(
    x, y, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True,
    scaling="density", axis=-1, average="mean",
):  # fmt: skip
    """(frequencies, the mean over segments of conj(X) Y)"""
    if average != "mean":
        static.refuse("U012", "scipy.signal.csd gives means here: leave `average=` out")
    x, y = moveaxis(require_real(x, return_onesided, nfft), axis, -1), moveaxis(of_floats(as_array(y)), axis, -1)
    if x.shape[-1] != y.shape[-1]:
        raise ValueError("csd takes signals of one length here")
    weights, size = weights_of(window, nperseg, x.shape[-1])
    step = size - overlap_of(noverlap, size, size // 2)
    one, other = transforms(x, weights, size, step, detrend), transforms(y, weights, size, step, detrend)
    found = mean(op.conjugate(one) * other, axis=-1) * (scale_of(weights, fs, scaling) * twice(size))
    return fourier.rfftfreq(size, 1.0 / fs), moveaxis(found, -1, axis)


def coherence(x, y, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", axis=-1):
    f, both = csd(x, y, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)
    _, one = csd(x, x, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)
    _, other = csd(y, y, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)
    return f, (op.real(both) ** 2 + op.imag(both) ** 2) / op.real(one) / op.real(other)


def spectrogram(
    x, fs=1.0, window=("tukey", 0.25), nperseg=None, noverlap=None, nfft=None, detrend="constant",
    return_onesided=True, scaling="density", axis=-1, mode="psd",
):  # fmt: skip
    """(frequencies, times, powers of the segments)"""
    if mode not in ("psd", "complex", "magnitude"):
        static.refuse("U012", "scipy.signal.spectrogram has the modes 'psd', 'magnitude' and 'complex' here")
    rows = moveaxis(require_real(x, return_onesided, nfft), axis, -1)
    weights, size = weights_of(window, nperseg, rows.shape[-1])
    overlap = overlap_of(noverlap, size, size // 8)
    parts, scale = transforms(rows, weights, size, size - overlap, detrend), scale_of(weights, fs, scaling)
    starts = op.arange(0, parts.shape[-1], 1, shape=(parts.shape[-1],), dtype="f64") * (size - overlap)
    times = (starts + size / 2.0) / fs
    if mode == "psd":
        found = (op.real(parts) ** 2 + op.imag(parts) ** 2) * (scale * twice(size))[:, None]
    else:
        parts = parts * op.sqrt(scale)
        found = op.absolute(parts) if mode == "magnitude" else parts
    place = static.axis_of(axis, static.rank(found) - 1)
    return fourier.rfftfreq(size, 1.0 / fs), times, moveaxis(found, -2, place)


def stft(
    x, fs=1.0, window="hann", nperseg=256, noverlap=None, nfft=None, detrend=False, return_onesided=True,
    boundary="zeros", padded=True, axis=-1, scaling="spectrum",
):  # fmt: skip
    """(frequencies, times, transforms)"""
    if boundary not in ("zeros", None):
        static.refuse("U012", "scipy.signal.stft goes on by zeros, or not at all, here: boundary='zeros' or None")
    rows = moveaxis(require_real(x, return_onesided, nfft), axis, -1)
    weights, size = weights_of(window, nperseg, rows.shape[-1])
    step = size - overlap_of(noverlap, size, size // 2)
    if boundary is not None:
        ends = op.zeros(shape=(*rows.shape[:-1], size // 2), dtype="f64")
        rows = concatenate((ends, rows, ends), axis=-1)
    if padded:
        missing = (-(rows.shape[-1] - size)) % step % size
        rows = concatenate((rows, op.zeros(shape=(*rows.shape[:-1], missing), dtype="f64")), axis=-1)
    found = transforms(rows, weights, size, step, detrend) * op.sqrt(scale_of(weights, fs, scaling))
    starts = op.arange(0, found.shape[-1], 1, shape=(found.shape[-1],), dtype="f64") * step
    times = starts / fs if boundary is not None else (starts + size / 2.0) / fs
    place = static.axis_of(axis, static.rank(found) - 1)
    return fourier.rfftfreq(size, 1.0 / fs), times, moveaxis(found, -2, place)


def istft(
    Zxx, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, input_onesided=True, boundary=True,
    time_axis=-1, freq_axis=-2, scaling="spectrum",
):  # fmt: skip
    """(times, the signal): segments added where they overlap, divided by the sum of the squared weights."""
    z = as_array(Zxx)
    if not input_onesided or nfft is not None or static.rank(z) < 2:
        static.refuse("U012", "scipy.signal.istft is of one side here, and has no `nfft=`")
    z = moveaxis(moveaxis(z, freq_axis, 0), time_axis if time_axis < 0 else time_axis + 0, -1)
    count, size = z.shape[-1], 2 * (z.shape[0] - 1) if nperseg is None else nperseg
    step = size - overlap_of(noverlap, size, size // 2)
    weights, _ = weights_of(window, size, size)
    length = size + (count - 1) * step
    out = op.zeros(shape=(*z.shape[1:-1], length), dtype="f64")
    squares = op.zeros(shape=(length,), dtype="f64")
    for k in range(count):
        part = fourier.irfft(moveaxis(z[..., k], 0, -1), size)
        out[..., k * step : k * step + size] += part * weights
        squares[k * step : k * step + size] += weights * weights
    factor = op.sum(weights) if scaling == "spectrum" else op.sqrt(fs * op.sum(weights * weights))
    out = out * factor / op.where(squares > 1e-10, squares, 1.0)
    if boundary:
        out = out[..., size // 2 : length - size // 2]
    return op.arange(0, out.shape[-1], 1, shape=(out.shape[-1],), dtype="f64") / fs, out


def lombscargle(x, y, freqs, precenter=False, normalize=False, *, weights=None, floating_mean=False):
    """The power at angular frequencies of samples at any times."""
    if precenter or weights is not None or floating_mean:
        static.refuse("U012", "scipy.signal.lombscargle has no `precenter=`, `weights=` and `floating_mean=` here")
    if normalize not in (True, False, "power", "normalize"):
        static.refuse("U012", "scipy.signal.lombscargle gives powers, or normalised ones, here")
    x, y, w = of_floats(as_array(x)), of_floats(as_array(y)), of_floats(as_array(freqs))
    if x.shape[0] != y.shape[0]:
        raise ValueError("Input arrays do not have the same size.")
    angles = w[:, None] * x[None, :]
    tau = 0.5 * op.arctan2(sums(op.sin(2.0 * angles)), sums(op.cos(2.0 * angles)))
    c, s = op.cos(angles - tau[:, None]), op.sin(angles - tau[:, None])
    found = 0.5 * (sums(y * c) ** 2 / sums(c * c) + sums(y * s) ** 2 / sums(s * s))
    is_share = normalize is True or normalize == "normalize"
    return found * 2.0 / op.sum(y * y) if is_share else found


def sums(rows):
    return op.sum(rows, axis=1, keepdims=False)
