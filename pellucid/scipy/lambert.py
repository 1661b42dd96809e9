"""`scipy.special.lambertw`: the branches of the inverse of w exp(w).

    lambertw(z)     ->     w = a first value;  seven times w = w - halley(w, z)

Source: R. Corless, G. Gonnet, D. Hare, D. Jeffrey, D. Knuth, On the Lambert W function, Advances in Computational
Mathematics 5 (1996): (4.18) far out, (4.22) around the branch point, (5.9) the step.
"""

from math import e, inf, pi

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.elementary import number, operand, strong

STEPS = 5  # each triples the digits


def lambertw(z, k=0, tol=1e-8):
    """The branch k, complex128.  `tol` is what SciPy stops at: here it is what floats can tell."""
    z = op.cast(number(strong(operand(z))), dtype="c128")
    k = op.cast(number(strong(operand(k))), dtype="f64")
    if static.element(z) != "c128":
        static.refuse("T001", "lambertw takes numbers")
    is_plain = op.logical_and(z != 0.0, op.isfinite(z))
    place = op.where(is_plain, z, 1.0)
    given = op.stop_gradient(place)
    w = first_value(given, k)
    for _ in range(STEPS):
        w = w - halley(w, given)
    w = op.stop_gradient(w)
    for _ in range(2):  # of which each leaves the third power of what is wrong with slopes
        w = w - halley(w, place)
    at_zero = op.where(k == 0.0, 0.0 * z, op.complex_of(-inf + 0.0 * k, 0.0 * k))
    beyond = op.where(op.isinf(z), z + op.complex_of(0.0 * k, 2.0 * pi * k), z)
    return op.where(is_plain, w, op.where(z == 0.0, at_zero, beyond))


def halley(w, z):
    """What a step takes off; by exp(w) or by exp(-w), whichever is no more than 1."""
    is_right = op.real(w) >= 0.0
    small = op.exp(op.where(is_right, -w, w))
    error = op.where(is_right, w - z * small, w * small - z)
    scale = op.where(is_right, 1.0 + 0.0 * small, small)
    whole = w + 1.0
    is_regular = whole != 0.0  # at the branch point itself there is no step, nor a slope
    whole = op.where(is_regular, whole, 1.0)
    step = error / (scale * whole - (w + 2.0) * error / (2.0 * whole))
    return op.where(is_regular, step, 0.0 * step)


def first_value(z, k):
    """By the series around -1/e for the branches that meet there, a quotient around 0, or logarithms."""
    is_above = op.imag(z) >= 0.0
    is_lower = op.logical_or(op.logical_and(k == -1.0, is_above), op.logical_and(k == 1.0, op.logical_not(is_above)))
    from_point = op.absolute(z + 1.0 / e)
    meets = op.logical_or(op.logical_and(is_lower, from_point < 0.3), op.logical_and(k == 0.0, from_point < 0.6))
    is_near = op.logical_and(k == 0.0, op.logical_and(op.absolute(z) < 3.0, op.real(z) > -0.2))
    p = op.sqrt(2.0 * (e * z + 1.0))
    p = op.where(k == 0.0, p, -p)
    series = -1.0 + p - p * p / 3.0 + 11.0 / 72.0 * p * p * p
    quotient = z * (1.0 + 4.0 / 3.0 * z) / (1.0 + z * (7.0 / 3.0 + 5.0 / 6.0 * z))
    winding = op.complex_of(0.0 * k, 2.0 * pi * k)
    logarithm = op.log(z) + winding
    logarithm = op.where(op.absolute(logarithm) < 0.1, 0.1 + 0.0 * logarithm, logarithm)
    second = op.log(logarithm)
    far = logarithm - second + second / logarithm
    inside = op.logical_and(op.real(z) < 0.0, op.real(z) > -1.0 / e)
    is_real = op.logical_and(k == -1.0, op.logical_and(op.imag(z) == 0.0, inside))
    minus = op.log(op.where(is_real, -op.real(z), 0.1))
    real_far = op.complex_of(minus - op.log(-minus), 0.0 * minus)
    return op.where(is_near, quotient, op.where(meets, series, op.where(is_real, real_far, far)))
