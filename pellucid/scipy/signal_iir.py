"""Design of recursive filters of `scipy.signal`, and their sections of second order.

    butter(4, 0.2)        zeros and poles of Butterworth's prototype, moved to the band, by the bilinear transformation
    cheby1(4, 1.0, 0.2)   the same of Chebyshev's, with ripples of 1 dB where it passes; cheby2 where it stops
    zpk2sos(z, p, k)      a row (b0, b1, b2, 1, a1, a2) for each section

Source: A. Oppenheim and R. Schafer, Discrete-Time Signal Processing (2009).
"""

from math import inf, pi

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.joining import concatenate
from ..numpy.manipulation import as_array, ravel
from ..numpy.polynomials import poly
from ..numpy.sorting import lexsort
from .signal_waves import tf2zpk
from .special import of_floats

KINDS = {
    "low": "low", "lowpass": "low", "lp": "low", "high": "high", "highpass": "high", "hp": "high", "band": "band",
    "bandpass": "band", "bp": "band", "pass": "band", "stop": "stop", "bandstop": "stop", "bs": "stop",
}  # fmt: skip


def butter(N, Wn, btype="low", analog=False, output="ba", fs=None):
    """(b, a), (zeros, poles, gain) or sections; `Wn` is the corner, or a pair of them, in half-cycles per sample, or
    with `fs` in its unit."""
    require_order(N, "butter")
    poles = -op.exp(1j * prototype_angles(N))
    return designed("butter", no_zeros(), poles, 1.0, Wn, btype, analog, output, fs)


def cheby1(N, rp, Wn, btype="low", analog=False, output="ba", fs=None):
    """`rp`: the ripple where it passes, in decibels."""
    require_order(N, "cheby1")
    rp = of_floats(rp)
    if rp < 0:
        raise ValueError("passband ripple (rp) must be positive")
    square = op.expm1(rp * (0.1 * float(np.log(10.0))))
    poles = -op.sinh(op.arcsinh(1.0 / op.sqrt(square)) / N + 1j * prototype_angles(N))
    gain = op.real(op.prod(-poles))
    if N % 2 == 0:
        gain = gain / op.sqrt(1.0 + square)
    return designed("cheby1", no_zeros(), poles, gain, Wn, btype, analog, output, fs)


def cheby2(N, rs, Wn, btype="low", analog=False, output="ba", fs=None):
    """`rs`: how much it takes away at least where it stops, in decibels."""
    require_order(N, "cheby2")
    rs = of_floats(rs)
    if rs < 0:
        raise ValueError("stopband attenuation (rs) must be positive")
    angles = prototype_angles(N)
    poles = -1.0 / op.sinh(op.arcsinh(op.sqrt(op.expm1(rs * (0.1 * float(np.log(10.0)))))) / N + 1j * angles)
    if N % 2 == 1:
        angles = concatenate((angles[: N // 2], angles[N // 2 + 1 :]))
    zeros = 1j / op.sin(angles)
    gain = op.real(op.prod(-poles) / op.prod(-zeros))
    return designed("cheby2", zeros, poles, gain, Wn, btype, analog, output, fs)


def require_order(n, name):
    if not static.is_static(n):
        static.refuse("R001", f"the order of scipy.signal.{name} must be known when the function is compiled")
    if n < 1:
        static.refuse("U012", f"scipy.signal.{name} designs filters of at least the first order here")


def prototype_angles(n):
    return (0.5 * pi / n) * op.arange(1 - n, n, 2, shape=(n,), dtype="f64")


def no_zeros():
    return op.zeros(shape=(0,), dtype="f64")


def designed(name, zeros, poles, gain, Wn, btype, analog, output, fs):
    """The digital filter of a prototype, in one of its forms."""
    if btype not in KINDS:
        raise ValueError(f"'{btype}' is an invalid bandtype for filter.")
    if analog or output not in ("ba", "zpk", "sos"):
        static.refuse("U012", f"scipy.signal.{name} designs digital filters as 'ba', 'zpk' or 'sos' here")
    kind = KINDS[btype]
    corners = of_floats(Wn if not static.is_sequence(Wn) else np.array(Wn))
    corners = corners if fs is None else 2.0 * corners / fs
    if op.any(corners <= 0.0) or op.any(corners >= 1.0):
        raise ValueError("Digital filter critical frequencies must be 0 < Wn < 1")
    zeros, poles, gain = digital(*moved(kind, zeros, poles, gain, 4.0 * op.tan(0.5 * pi * corners)))
    if output == "zpk":
        return zeros, poles, gain
    if output == "sos":
        return zpk2sos(zeros, poles, gain)
    return gain * op.real(poly(zeros)), op.real(poly(poles))


def moved(kind, zeros, poles, gain, corner):
    """A prototype with its corner at 1, moved to the corner or band: (zeros, poles, gain)."""
    missing = poles.shape[0] - zeros.shape[0]
    ratio = op.real(op.prod(-zeros) / op.prod(-poles))
    if kind in ("low", "high"):
        if static.rank(corner) != 0:
            raise ValueError("Must specify a single critical frequency Wn for lowpass or highpass filter")
        if kind == "low":
            return corner * zeros, corner * poles, gain * corner**missing
        at_zero = op.zeros(shape=(missing,), dtype=static.element(zeros))
        return concatenate((corner / zeros, at_zero)), corner / poles, gain * ratio
    if static.rank(corner) != 1:
        raise ValueError("Wn must specify start and stop frequencies for bandpass or bandstop filter")
    if corner[0] >= corner[1]:
        raise ValueError("Wn[0] must be less than Wn[1]")
    width, square = corner[1] - corner[0], corner[0] * corner[1]
    if kind == "band":
        at_zero = op.zeros(shape=(missing,), dtype="c128")
        zeros, poles = both_sides(0.5 * width * zeros, square), both_sides(0.5 * width * poles, square)
        return concatenate((zeros, at_zero)), poles, gain * width**missing
    middle = 1j * op.sqrt(square) * op.ones(shape=(missing,), dtype="f64")
    zeros, poles = both_sides(0.5 * width / zeros, square), both_sides(0.5 * width / poles, square)
    return concatenate((zeros, middle, -middle)), poles, gain * ratio


def both_sides(half, square):
    half = half + 0j
    apart = op.sqrt(half * half - square)
    return concatenate((half + apart, half - apart))


def digital(zeros, poles, gain):
    """By the bilinear transformation; zeros at infinity come to -1."""
    rest = -op.ones(shape=(poles.shape[0] - zeros.shape[0],), dtype=static.element(zeros))
    scale = op.real(op.prod(4.0 - zeros) / op.prod(4.0 - poles))
    return concatenate(((4.0 + zeros) / (4.0 - zeros), rest)), (4.0 + poles) / (4.0 - poles), gain * scale


# --- sections --------------------------------------------------------------------------------------------------------


def tf2sos(b, a, pairing=None, *, analog=False):
    return zpk2sos(*tf2zpk(b, a), pairing, analog=analog)


def zpk2sos(z, p, k, pairing=None, *, analog=False):
    """From the last section on, each takes the pole nearest to the circle with its conjugate, or with another real one,
    and the zeros nearest to it: f64[sections, 6]."""
    if analog or pairing not in (None, "nearest", "keep_odd"):
        static.refuse("U012", "scipy.signal.zpk2sos makes digital sections, paired 'nearest' or 'keep_odd', here")
    zeros, poles = ravel(as_array(z)) + 0j, ravel(as_array(p)) + 0j
    count = max(zeros.shape[0], poles.shape[0])
    padded = count if pairing == "keep_odd" else count + count % 2
    zeros, zeros_left = halves(at_least(zeros, padded))
    poles, poles_left = halves(at_least(poles, padded))
    real_zeros, real_poles = op.imag(zeros) == 0.0, op.imag(poles) == 0.0
    to_circle = op.absolute(1.0 - op.absolute(op.stop_gradient(poles)))
    sections = max((count + 1) // 2, 1)
    out = op.zeros(shape=(sections, 6), dtype="f64")
    out[:, 0], out[:, 3] = 1.0, 1.0
    for s in range(sections - 1 if count > 0 else -1, -1, -1):
        i = nearest(to_circle, poles_left)
        pole, other = poles[i], op.conjugate(poles[i])
        poles_left[i] = False
        is_real, more = real_poles[i], op.sum(op.logical_and(poles_left, real_poles))
        away = op.absolute(op.stop_gradient(zeros) - op.stop_gradient(pole))
        if is_real and more == 0:  # the last real one, with the last real zero
            j = nearest(away, op.logical_and(zeros_left, real_zeros))
            zeros_left[j] = False
            out[s, 1], out[s, 4] = -op.real(zeros[j]), -op.real(pole)
        else:
            if is_real:
                i = nearest(to_circle, op.logical_and(poles_left, real_poles))
                other = poles[i]
                poles_left[i] = False
            real_left = op.sum(op.logical_and(zeros_left, real_zeros))
            keeps_real = not is_real and more == 1 and real_left == 1 and op.sum(poles_left) + 1 == op.sum(zeros_left)
            j = nearest(away, op.logical_and(zeros_left, op.logical_not(real_zeros)) if keeps_real else zeros_left)
            zero, beside = zeros[j], op.conjugate(zeros[j])
            zeros_left[j] = False
            if real_zeros[j]:
                j = nearest(away, op.logical_and(zeros_left, real_zeros))
                beside = zeros[j]
                zeros_left[j] = False
            out[s, 1], out[s, 2] = -op.real(zero + beside), op.real(zero * beside)
            out[s, 4], out[s, 5] = -op.real(pole + other), op.real(pole * other)
    out[0, :3] = of_floats(k) * out[0, :3]
    return out


def at_least(roots, count):
    """With zeros up to a number."""
    return concatenate((roots, op.zeros(shape=(count - roots.shape[0],), dtype="c128")))


def nearest(distances, left):
    """The place of the least distance of those left."""
    if not op.any(left):
        raise ValueError("zeros and poles do not go together in pairs: real ones are left over")
    return op.argmin(op.where(left, distances, inf))


def halves(roots):
    """(one of each pair of conjugates, in order of their real parts, and then the real ones, which of them are left)"""
    roots = roots[lexsort((op.absolute(op.imag(roots)), op.real(roots)))]
    least = 100.0 * static.limits("f64").eps
    is_real = op.absolute(op.imag(roots)) <= least * op.absolute(roots)
    above = roots[op.logical_and(op.logical_not(is_real), op.imag(roots) > 0.0)]
    below = op.conjugate(roots[op.logical_and(op.logical_not(is_real), op.imag(roots) < 0.0)])
    free = op.ones(shape=(below.shape[0],), dtype="bool")
    matched = op.empty(shape=(above.shape[0],), dtype="i64")
    if above.shape[0] != below.shape[0]:
        raise ValueError("Array contains complex value with no matching conjugate.")
    for k in range(above.shape[0]):
        away = op.absolute(op.stop_gradient(below) - op.stop_gradient(above[k]))
        matched[k] = nearest(away, free)
        free[matched[k]] = False
        if away[matched[k]] > least * op.absolute(above[k]):
            raise ValueError("Array contains complex value with no matching conjugate.")
    found = concatenate((0.5 * (above + below[matched]), op.real(roots[is_real]) + 0j))
    return found, op.ones(shape=(found.shape[0],), dtype="bool")
