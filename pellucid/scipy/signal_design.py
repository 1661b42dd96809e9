"""Responses of filters, windows and estimates of spectra of `scipy.signal`, and peaks.

    freqz(b, a, 512)       b over a at places of the upper half of the unit circle
    welch(x, fs)           the mean of the periodograms of segments that overlap by half

Sources: A. Oppenheim and R. Schafer, Discrete-Time Signal Processing (2009); P. Welch (1967).
"""

from math import pi

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy import fourier
from ..numpy.elementary import in_dtype
from ..numpy.manipulation import as_array, moveaxis, ravel
from ..numpy.sorting import argsort
from ..numpy.statistics import mean
from .signal_filters import coefficients
from .special import of_floats


def freqz(b, a=1, worN=512, whole=False, plot=None, fs=2.0 * pi, include_nyquist=False):
    """(frequencies, the response there)"""
    above, below = coefficients(b, as_array(a))
    if static.rank(worN) == 0:
        w = np.linspace(0.0, 2.0 * pi if whole else pi, worN, endpoint=include_nyquist and not whole)
        shown = w * (fs / (2.0 * pi))
    else:
        shown = of_floats(worN)
        w = 2.0 * pi * shown / fs
    turn = op.exp(-1j * w)
    top, bottom = 0.0 * turn, 0.0 * turn
    for k in range(above.shape[0] - 1, -1, -1):
        top, bottom = top * turn + above[k], bottom * turn + below[k]
    return shown, top / bottom


# --- windows and spectra ---------------------------------------------------------------------------------------------

COSINES = {
    "hann": (0.5, 0.5), "hanning": (0.5, 0.5), "hamming": (0.54, 0.46), "blackman": (0.42, 0.5, 0.08),
    "boxcar": (1.0,), "rect": (1.0,), "blackmanharris": (0.35875, 0.48829, 0.14128, 0.01168),
    "nuttall": (0.3635819, 0.4891775, 0.1365995, 0.0106411),
    "flattop": (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368),
}  # fmt: skip


def get_window(window, Nx, fftbins=True):
    """A window by its name, or a pair of it and its parameter; as long as a period where `fftbins` says so."""
    name, parameter = window if static.is_sequence(window) else (window, None)
    if not static.is_text(name) or (name not in COSINES and name not in WINDOWS):
        static.refuse("U012", f"the window {window!r} is not supported: {', '.join((*COSINES, *WINDOWS))} are")
    n = Nx + 1 if fftbins else Nx
    places = op.arange(0, Nx, 1, shape=(Nx,), dtype="f64")
    if name in WINDOWS:
        return WINDOWS[name](places, n, parameter)
    angle = 2.0 * pi * places / max(n - 1, 1)
    found = 0.0 * angle
    for k, weight in enumerate(COSINES[name]):
        found = found + (-1.0) ** k * weight * op.cos(k * angle)
    return found


def tukey(k, n, alpha):
    """A cosine up over a part of the ends, and 1 between."""
    alpha = 0.5 if alpha is None else alpha
    if alpha <= 0.0:
        return 0.0 * k + 1.0
    near = op.minimum(k, n - 1.0 - k)
    turn = pi * (2.0 * near / (min(alpha, 1.0) * max(n - 1.0, 1.0)) - 1.0)
    return op.where(turn < 0.0, 0.5 * (1.0 + op.cos(op.minimum(turn, 0.0))), 1.0)


def kaiser(k, n, beta):
    share = 2.0 * k / max(n - 1.0, 1.0) - 1.0
    return op.i0(beta * op.sqrt(op.maximum(1.0 - share * share, 0.0))) / op.i0(beta * 1.0)


def gaussian(k, n, std):
    x = k - 0.5 * (n - 1.0)
    return op.exp(-x * x / (2.0 * std * std))


def bartlett(k, n, parameter):
    return 1.0 - op.absolute(2.0 * k / max(n - 1.0, 1.0) - 1.0)


def triangle(k, n, parameter):
    """Without zeros at the ends."""
    return 1.0 - op.absolute(2.0 * k - (n - 1.0)) / (n + 1.0 if n % 2 == 1 else 1.0 * n)


def cosine(k, n, parameter):
    return op.sin(pi / n * (k + 0.5))


WINDOWS = {
    "tukey": tukey, "kaiser": kaiser, "gaussian": gaussian, "bartlett": bartlett, "triang": triangle, "cosine": cosine,
}  # fmt: skip


def welch(
    x, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True,
    scaling="density", axis=-1, average="mean",
):  # fmt: skip
    """(frequencies, power per frequency): the mean over segments of the squares of their transforms."""
    if not return_onesided or average != "mean" or nfft is not None:
        static.refuse("U012", "scipy.signal.welch gives means over one side here, and has no `nfft=`")
    if scaling not in ("density", "spectrum"):
        raise ValueError(f"Unknown scaling: {scaling!r}")
    x = of_floats(as_array(x))
    rows = moveaxis(x, axis, -1)
    if static.is_text(window) or static.is_sequence(window):
        size = min(256 if nperseg is None else nperseg, rows.shape[-1])
        weights = get_window(window, size)
    else:
        weights = of_floats(window)
        size = weights.shape[0]
    overlap = size // 2 if noverlap is None else noverlap
    if overlap >= size:
        raise ValueError("noverlap must be less than nperseg.")
    step = size - overlap
    count = (rows.shape[-1] - overlap) // step
    scale = 1.0 / (fs * op.sum(weights * weights)) if scaling == "density" else 1.0 / op.sum(weights) ** 2
    power = op.zeros(shape=(*rows.shape[:-1], size // 2 + 1), dtype="f64")
    for k in range(count):
        part = trendless(rows[..., k * step : k * step + size], detrend)
        found = fourier.rfft(part * weights)
        power = power + (op.real(found) ** 2 + op.imag(found) ** 2) * scale
    places = op.arange(0, size // 2 + 1, 1, shape=(size // 2 + 1,), dtype="i64")
    twice = op.where(op.logical_or(places == 0, 2 * places == size), 1.0, 2.0)
    return fourier.rfftfreq(size, 1.0 / fs), moveaxis(power * twice / count, -1, axis)


def trendless(part, detrend):
    if detrend is False:
        return part
    if detrend not in ("constant", "c"):
        static.refuse("U012", "scipy.signal.welch takes away the mean of each segment, or nothing, here")
    return part - mean(part, axis=-1, keepdims=True)


def periodogram(
    x, fs=1.0, window="boxcar", nfft=None, detrend="constant", return_onesided=True, scaling="density", axis=-1,
):  # fmt: skip
    x = as_array(x)
    n = moveaxis(x, axis, -1).shape[-1]
    return welch(x, fs, window, n, 0, nfft, detrend, return_onesided, scaling, axis)


# --- peaks -----------------------------------------------------------------------------------------------------------


def local_maxima(x):
    """The places of what is greater than its neighbours; of equals in a row the middle."""
    n = x.shape[0]
    out = op.zeros(shape=(n // 2 + 1,), dtype="i64")
    count, i = 0, 1
    while i < n - 1:
        if x[i - 1] < x[i]:
            ahead = i + 1
            while ahead < n - 1 and x[ahead] == x[i]:
                ahead += 1
            if x[ahead] < x[i]:
                out[count] = (i + ahead - 1) // 2
                count += 1
                i = ahead
        i += 1
    return out[:count]


def find_peaks(
    x, height=None, threshold=None, distance=None, prominence=None, width=None, wlen=None, rel_height=0.5,
    plateau_size=None,
):  # fmt: skip
    """(places, properties): `height` and `prominence` are the least ones, `distance` the least number of samples
    between peaks, of which the higher ones stay."""
    if threshold is not None or width is not None or wlen is not None or plateau_size is not None:
        static.refuse("U012", "scipy.signal.find_peaks takes `height=`, `distance=` and `prominence=` here")
    x = ravel(of_floats(as_array(x)))
    found = local_maxima(x)
    if height is not None:
        found = found[x[found] >= height]
    if distance is not None:
        if distance < 1:
            raise ValueError("`distance` must be greater or equal to 1")
        found = found[kept_apart(found, x[found], distance)]
    properties = {}
    if prominence is not None:
        sizes, left, right = prominences(x, found)
        keeps = sizes >= prominence
        found = found[keeps]
        properties = {"prominences": sizes[keeps], "left_bases": left[keeps], "right_bases": right[keeps]}
    if height is not None:
        properties = {"peak_heights": x[found], **properties}
    return found, properties


def kept_apart(places, heights, distance):
    """Which peaks stay, from the highest on."""
    n = places.shape[0]
    keeps = op.ones(shape=(n,), dtype="bool")
    order = argsort(heights)
    least = op.ceil(of_floats(distance))
    for k in range(n - 1, -1, -1):
        j = order[k]
        if keeps[j]:
            i = j - 1
            while i >= 0 and places[j] - places[i] < least:
                keeps[i] = False
                i -= 1
            i = j + 1
            while i < n and places[i] - places[j] < least:
                keeps[i] = False
                i += 1
    return keeps


def prominences(x, places):
    """How far each peak stands out, and where its bases are."""
    n = places.shape[0]
    sizes = op.empty(shape=(n,), dtype="f64")
    left, right = op.empty(shape=(n,), dtype="i64"), op.empty(shape=(n,), dtype="i64")
    for k in range(n):
        top = x[places[k]]
        i = places[k]
        low, at = top, i
        while i >= 0 and x[i] <= top:
            if x[i] < low:
                low, at = x[i], i
            i -= 1
        i = places[k]
        other, beside = top, i
        while i < x.shape[0] and x[i] <= top:
            if x[i] < other:
                other, beside = x[i], i
            i += 1
        sizes[k] = top - max(low, other)
        left[k], right[k] = at, beside
    return sizes, left, right


def peak_prominences(x, peaks, wlen=None):
    if wlen is not None:
        static.refuse("U012", "scipy.signal.peak_prominences has no `wlen=` here: leave it out")
    return prominences(ravel(of_floats(as_array(x))), in_dtype(as_array(peaks), "i64"))
