"""Waves of `scipy.signal`, and filters said in other ways.

    chirp(t, f0, t1, f1)     cos of the integral of a frequency that goes from f0 at 0 to f1 at t1
    firwin(n, 0.3)           an ideal low pass, cut off by a window

Source: A. Oppenheim and R. Schafer, Discrete-Time Signal Processing (2009).
"""

from math import nan, pi

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.manipulation import as_array, ravel
from ..numpy.polynomials import poly, roots
from .signal_design import freqz, get_window
from .signal_filters import coefficients
from .special import of_floats


def correlation_lags(in1_len, in2_len, mode="full"):
    """By how much the second signal is moved at each place of their correlation."""
    if mode == "full":
        return np.arange(-in2_len + 1, in1_len)
    if mode == "same":
        middle, half = (in1_len + in2_len - 1) // 2, in1_len // 2
        last = middle + half if in1_len % 2 == 0 else middle + half + 1
        return np.arange(-in2_len + 1 + middle - half, -in2_len + 1 + last)
    if mode != "valid":
        raise ValueError(f"Mode {mode} is invalid")
    bound = in1_len - in2_len
    return np.arange(min(bound, 0), max(bound, 0) + 1)


def chirp(t, f0, t1, f1, method="linear", phi=0, vertex_zero=True):
    """`method`: how the frequency goes, "linear", "quadratic", "logarithmic" or "hyperbolic"; `phi` in degrees."""
    t, f0, t1, f1 = of_floats(t), of_floats(f0), of_floats(t1), of_floats(f1)
    is_even = f0 == f1
    if method in ("linear", "lin", "li"):
        phase = f0 * t + 0.5 * (f1 - f0) / t1 * t * t
    elif method in ("quadratic", "quad", "q"):
        bend = (f1 - f0) / (t1 * t1)
        phase = f0 * t + bend * t**3 / 3.0 if vertex_zero else f1 * t + bend * ((t1 - t) ** 3 - t1**3) / 3.0
    elif method in ("logarithmic", "log", "lo"):
        if op.any(f0 * f1 <= 0.0):
            raise ValueError("For a logarithmic chirp, f0 and f1 must be nonzero and have the same sign.")
        ratio = op.where(is_even, 2.0, f1 / f0)
        scale = t1 / op.log(ratio)
        phase = op.where(is_even, f0 * t, scale * f0 * (ratio ** (t / t1) - 1.0))
    elif method in ("hyperbolic", "hyp"):
        if op.any(f0 == 0.0) or op.any(f1 == 0.0):
            raise ValueError("For a hyperbolic chirp, f0 and f1 must be nonzero.")
        pole = -f1 * t1 / op.where(is_even, 1.0, f0 - f1)
        phase = op.where(is_even, f0 * t, -pole * f0 * op.log(op.absolute(1.0 - t / op.where(is_even, 1.0, pole))))
    else:
        raise ValueError("method must be 'linear', 'quadratic', 'logarithmic', or 'hyperbolic'")
    return op.cos(2.0 * pi * phase + phi * (pi / 180.0))


def sawtooth(t, width=1):
    """Up from -1 to 1 over that share of 2 pi, and down again."""
    t, width = of_floats(t), of_floats(width)
    share = op.remainder(t, 2.0 * pi)
    rises = share < width * 2.0 * pi
    up = share / (pi * op.where(width > 0.0, width, 1.0)) - 1.0
    down = (pi * (width + 1.0) - share) / (pi * op.where(width < 1.0, 1.0 - width, 1.0))
    return op.where(op.logical_and(width >= 0.0, width <= 1.0), op.where(rises, up, down), nan)


def square(t, duty=0.5):
    """1 over that share of 2 pi, and -1."""
    t, duty = of_floats(t), of_floats(duty)
    found = op.where(op.remainder(t, 2.0 * pi) < duty * 2.0 * pi, 1.0, -1.0)
    return op.where(op.logical_and(duty >= 0.0, duty <= 1.0), found, nan)


def gausspulse(t, fc=1000, bw=0.5, bwr=-6, tpr=-60, retquad=False, retenv=False):
    """A cosine below a bell curve; with it the sine, and the curve."""
    if static.is_text(t):
        static.refuse("U012", "scipy.signal.gausspulse takes times here, not 'cutoff'")
    t = of_floats(t)
    a = -((pi * fc * bw) ** 2) / (4.0 * op.log(10.0 ** (of_floats(bwr) / 20.0)))
    envelope = op.exp(-a * t * t)
    real, imaginary = envelope * op.cos(2.0 * pi * fc * t), envelope * op.sin(2.0 * pi * fc * t)
    if retquad:
        return (real, imaginary, envelope) if retenv else (real, imaginary)
    return (real, envelope) if retenv else real


# --- filters ---------------------------------------------------------------------------------------------------------


def firwin(numtaps, cutoff, *, width=None, window="hamming", pass_zero=True, scale=True, fs=None):
    """The coefficients of a filter of finite length; `pass_zero`: whether it passes the frequency 0, or a word."""
    if width is not None:
        static.refuse("U012", "scipy.signal.firwin has no `width=` here: choose a window")
    half = 1.0 if fs is None else 0.5 * fs
    edges = ravel(as_array(of_floats(cutoff if not static.is_sequence(cutoff) else np.array(cutoff)))) / half
    if op.any(edges <= 0.0) or op.any(edges >= 1.0):
        raise ValueError("Invalid cutoff frequency: frequencies must be greater than 0 and less than fs/2.")
    if op.any(edges[1:] <= edges[:-1]):
        raise ValueError("Invalid cutoff frequencies: the frequencies must be strictly increasing.")
    starts_open = pass_zero in ("lowpass", "bandstop") if static.is_text(pass_zero) else pass_zero
    count = edges.shape[0]
    ends_open = count % 2 == (0 if starts_open else 1)
    if ends_open and numtaps % 2 == 0:
        raise ValueError(
            "A filter with an even number of coefficients must have zero response at the Nyquist frequency."
        )
    m = op.arange(0, numtaps, 1, shape=(numtaps,), dtype="f64") - 0.5 * (numtaps - 1)
    found, opens = 0.0 * m, starts_open
    for k in range(count):
        found = found + (1.0 if opens else -1.0) * edges[k] * np.sinc(edges[k] * m)
        opens = not opens
    if ends_open:
        found = found + np.sinc(m)
    found = found * get_window(window, numtaps, False)
    if scale:
        center = 0.0
        if not starts_open:
            center = 1.0 if count == 1 else 0.5 * (edges[0] + edges[min(1, count - 1)])
        found = found / op.sum(found * op.cos(pi * m * center))
    return found


def sosfreqz(sos, worN=512, whole=False, fs=2.0 * pi):
    """(frequencies, the response there), the product of those of the sections."""
    sos = of_floats(as_array(sos))
    w, found = freqz(sos[0, :3], sos[0, 3:], worN, whole, None, fs)
    for k in range(1, sos.shape[0]):
        found = found * freqz(sos[k, :3], sos[k, 3:], worN, whole, None, fs)[1]
    return w, found


def tf2zpk(b, a):
    """(zeros, poles, gain), in the order in which `np.roots` finds them."""
    above, below = coefficients(b, a)
    first = 0
    while first < above.shape[0] - 1 and above[first] == 0.0:
        first += 1
    above = above[first : above.shape[0]]
    own_b, own_a = ravel(as_array(b)).shape[0], ravel(as_array(a)).shape[0]
    return roots(above[: own_b - first] / above[0]), roots(below[:own_a]), above[0]


def zpk2tf(z, p, k):
    """The polynomials; of complex roots in pairs they are real in SciPy, and their real parts are taken here."""
    return of_floats(k) * op.real(poly(as_array(z))), op.real(poly(as_array(p)))


def sos2tf(sos):
    sos = of_floats(as_array(sos))
    b, a = np.ones(1), np.ones(1)
    for k in range(sos.shape[0]):
        b, a = np.convolve(b, sos[k, :3]), np.convolve(a, sos[k, 3:])
    return b, a
