"""Slopes of the rows in `compiler/ops/special_functions.py` that are more than a formula of a line, in the language.

    def gammainc_by_bound(a, x, out)     the derivative of `out = gammainc(a, x)` by x

Each holds where the function is smooth, with about the digits of the function itself: where a short formula would
cancel there is a series beside it.  They are differentiated themselves for further derivatives.
Sources: NIST Digital Library of Mathematical Functions (DLMF), by section; Abramowitz and Stegun (A&S).
"""

from math import pi, sqrt

from ..compiler.ops import primitives as op
from .parameter_slopes import beta_by_first, gamma_by_order
from .parameter_slopes import kv_by_order as kv_by_order
from .parameter_slopes import kve_by_order as kve_by_order

# --- error functions and gamma functions -----------------------------------------------------------------------------


def far_series(x, sign):
    """The sum of (2k - 1)!! (sign / (2 x^2))^k from k = 1: what 2 x f(x) lacks of its limit (DLMF 7.12.1)."""
    inverse = sign * 0.5 / (x * x)
    term = inverse
    total = inverse
    for k in range(2, 19):
        term = term * ((2 * k - 1) * inverse)
        total = total + term
    return total


def erfcx(x, out):
    """2 x erfcx(x) - 2 / sqrt(pi); far to the right by the asymptotic series, where those two cancel."""
    is_far = x > 10.0
    far = 2.0 / sqrt(pi) * far_series(op.where(is_far, x, 10.0), -1.0)
    return op.where(is_far, far, 2.0 * x * out - 2.0 / sqrt(pi))


def dawsn(x, out):
    """1 - 2 x D(x); far from zero by the asymptotic series."""
    is_far = op.absolute(x) > 10.0
    return op.where(is_far, -far_series(op.where(is_far, x, 10.0), 1.0), 1.0 - 2.0 * x * out)


def wofz(z, out):
    """2 i / sqrt(pi) - 2 z w(z) (DLMF 7.10.2); far from zero by the asymptotic series."""
    is_far = op.absolute(z) > 12.0
    limit = op.complex_of(0.0, 2.0 / sqrt(pi))
    return op.where(is_far, -limit * far_series(op.where(is_far, z, 12.0 + 0.0 * z), 1.0), limit - 2.0 * z * out)


def voigt(x, sigma, gamma):
    """w and w' at (x + i gamma) / (sigma sqrt(2)), and that place."""
    z = op.complex_of(x, gamma) / (sigma * sqrt(2.0))
    w = op.wofz(z)
    return w, wofz(z, w), z


def voigt_by_place(x, sigma, gamma, out):
    """Of Re w / (sigma sqrt(2 pi)) (DLMF 7.19.1)."""
    _, slope, _ = voigt(x, sigma, gamma)
    return op.real(slope) / (2.0 * sqrt(pi) * sigma * sigma)


def voigt_by_damping(x, sigma, gamma, out):
    _, slope, _ = voigt(x, sigma, gamma)
    return -op.imag(slope) / (2.0 * sqrt(pi) * sigma * sigma)


def voigt_by_width(x, sigma, gamma, out):
    w, slope, z = voigt(x, sigma, gamma)
    return -op.real(w + slope * z) / (sigma * sigma * sqrt(2.0 * pi))


def is_pole(x):
    """Whether the gamma function has a pole there."""
    return op.logical_and(x <= 0.0, x == op.floor(x))


def rgamma(x, out):
    """-digamma(x) / gamma(x); at -n, where both are infinite, (-1)^n n! (DLMF 5.7.1)."""
    at_pole = is_pole(x)
    place = op.where(at_pole, x, 0.0)
    return op.where(at_pole, op.cos(pi * place) * op.gamma(1.0 - place), -out * op.digamma(op.where(at_pole, 1.0, x)))


def poch_by_base(z, m, out):
    """gamma(z + m) / gamma(z) by z."""
    at_pole = is_pole(z)
    plain = op.where(at_pole, 1.0, z)
    regular = out * (op.digamma(z + m) - op.digamma(plain))
    return op.where(at_pole, op.gamma(z + m) * rgamma(op.where(at_pole, z, 0.0), 0.0), regular)


def binom_by_set(n, k, out):
    """gamma(n + 1) / gamma(k + 1) / gamma(n - k + 1) by n."""
    rest = n - k + 1.0
    at_pole = is_pole(rest)
    regular = out * (op.digamma(n + 1.0) - op.digamma(op.where(at_pole, 1.0, rest)))
    at_zero = op.gamma(n + 1.0) * op.rgamma(k + 1.0) * rgamma(op.where(at_pole, rest, 0.0), 0.0)
    return op.where(at_pole, at_zero, regular)


def binom_by_subset(n, k, out):
    first, rest = k + 1.0, n - k + 1.0
    at_pole = op.logical_or(is_pole(first), is_pole(rest))
    regular = out * (op.digamma(op.where(at_pole, 1.0, rest)) - op.digamma(op.where(at_pole, 1.0, first)))
    whole = op.where(at_pole, first, 1.0), op.where(at_pole, rest, 1.0)
    product = rgamma(whole[0], op.rgamma(whole[0])) * op.rgamma(whole[1])
    product = product - op.rgamma(whole[0]) * rgamma(whole[1], op.rgamma(whole[1]))
    return op.where(at_pole, op.gamma(n + 1.0) * product, regular)


def gammainc_by_bound(a, x, out):
    """The density x^(a - 1) exp(-x) / gamma(a) (DLMF 8.8.13)."""
    return op.exp((a - 1.0) * op.log(x) - x - op.gammaln(a))


def gammaincc_by_bound(a, x, out):
    return -gammainc_by_bound(a, x, out)


def gammainc_by_order(a, x, out):
    return gamma_by_order(a, x)


def gammaincc_by_order(a, x, out):
    return -gamma_by_order(a, x)


def gammaincinv_by_share(a, p, out):
    return 1.0 / gammainc_by_bound(a, out, p)


def gammainccinv_by_share(a, p, out):
    return -1.0 / gammainc_by_bound(a, out, p)


def gammaincinv_by_order(a, p, out):
    """By the implicit function theorem."""
    return -gammainc_by_order(a, out, p) / gammainc_by_bound(a, out, p)


def gammainccinv_by_order(a, p, out):
    return -gammainc_by_order(a, out, p) / gammainc_by_bound(a, out, p)


def betainc_by_bound(a, b, x, out):
    """The density x^(a - 1) (1 - x)^(b - 1) / B(a, b) (DLMF 8.17.1)."""
    return op.exp((a - 1.0) * op.log(x) + (b - 1.0) * op.log1p(-x) - op.betaln(a, b))


def betainc_by_first(a, b, x, out):
    return beta_by_first(a, b, x, 1.0 - x)


def betainc_by_second(a, b, x, out):
    """By the reflection I(a, b, x) = 1 - I(b, a, 1 - x) (DLMF 8.17.4)."""
    return -beta_by_first(b, a, 1.0 - x, x)


def betaincc_by_bound(a, b, x, out):
    return -betainc_by_bound(a, b, x, out)


def betaincc_by_first(a, b, x, out):
    return -betainc_by_first(a, b, x, out)


def betaincc_by_second(a, b, x, out):
    return -betainc_by_second(a, b, x, out)


def betaincinv_by_share(a, b, p, out):
    return 1.0 / betainc_by_bound(a, b, out, p)


def betaincinv_by_first(a, b, p, out):
    return -betainc_by_first(a, b, out, p) / betainc_by_bound(a, b, out, p)


def betaincinv_by_second(a, b, p, out):
    return -betainc_by_second(a, b, out, p) / betainc_by_bound(a, b, out, p)


def betainccinv_by_share(a, b, p, out):
    return -1.0 / betainc_by_bound(a, b, out, p)


def betainccinv_by_first(a, b, p, out):
    return -betainc_by_first(a, b, out, p) / betainc_by_bound(a, b, out, p)


def betainccinv_by_second(a, b, p, out):
    return -betainc_by_second(a, b, out, p) / betainc_by_bound(a, b, out, p)


# --- integrals -------------------------------------------------------------------------------------------------------


def expn(n, x, out):
    """-E(n - 1, x) (DLMF 8.19.13), of which the one of order -1 is elementary."""
    lower = op.expn(op.where(n > 0, n - 1, 0), x)
    return op.where(n > 0, -lower, -op.exp(-x) * (1.0 + x) / (x * x))


def spence(x, out):
    """log(x) / (1 - x), around 1 by the series of the logarithm."""
    is_near = op.absolute(x - 1.0) < 0.25
    distance, apart = op.where(is_near, x - 1.0, 0.0), op.where(is_near, 2.0, x)
    series = 0.0 * distance
    for k in range(28, 0, -1):
        series = 1.0 / k - distance * series
    return op.where(is_near, -series, op.log(apart) / (1.0 - apart))


def even_series(x, sign):
    """1 + s x^2 / 3! + s^2 x^4 / 5! + ..., for slopes as well."""
    square = sign * x * x
    total = 1.0 + 0.0 * square
    for k in range(12, 0, -1):
        total = 1.0 + total * square / (2 * k * (2 * k + 1))
    return total


def sinc(x, out):
    """sin(x) / x"""
    is_near = op.absolute(x) < 1.0
    apart = op.where(is_near, 1.0, x)
    return op.where(is_near, even_series(op.where(is_near, x, 0.0), -1.0), op.sin(apart) / apart)


def sinhc(x, out):
    """sinh(x) / x"""
    is_near = op.absolute(x) < 1.0
    apart = op.where(is_near, 1.0, x)
    return op.where(is_near, even_series(op.where(is_near, x, 0.0), 1.0), op.sinh(apart) / apart)


def ellipk_by(m, rest):
    """(E - (1 - m) K) / (2 m (1 - m)) (DLMF 19.4.1), away from m near 1 as a hypergeometric function (19.5.1)."""
    is_far = m < 0.5
    near, left = op.where(is_far, 0.75, m), op.where(is_far, 0.25, rest)
    apart = (op.ellipe(near) - left * op.ellipkm1(left)) / (2.0 * near * left)
    return op.where(is_far, pi / 8.0 * op.hyp2f1(1.5, 1.5, 2.0, op.where(is_far, m, 0.0)), apart)


def ellipk(m, out):
    return ellipk_by(m, 1.0 - m)


def ellipkm1(p, out):
    return -ellipk_by(1.0 - p, p)


def ellipe(m, out):
    """(E - K) / (2 m) (DLMF 19.4.2), away from m near 1 as a hypergeometric function (19.5.2)."""
    is_far = m < 0.5
    near = op.where(is_far, 0.75, m)
    apart = (op.ellipe(near) - op.ellipk(near)) / (2.0 * near)
    return op.where(is_far, -pi / 8.0 * op.hyp2f1(0.5, 1.5, 2.0, op.where(is_far, m, 0.0)), apart)


def ellipkinc(phi, m, out):
    """Of one period by Carlson's integral (DLMF 19.25.5, 19.18.1), and of the others by that of the complete one."""
    periods = op.rint(phi / pi)
    s, c = op.sin(phi - periods * pi), op.cos(phi - periods * pi)
    part = s * s * s / 6.0 * op.elliprd(c * c, 1.0 + 0.0 * m, 1.0 - m * s * s)
    whole = 2.0 * periods * ellipk(op.where(periods == 0.0, 0.0, m), out)
    return part + op.where(periods == 0.0, 0.0, whole)


def ellipeinc(phi, m, out):
    periods = op.rint(phi / pi)
    s, c = op.sin(phi - periods * pi), op.cos(phi - periods * pi)
    part = s * s * s / 6.0 * op.elliprd(c * c, 1.0 - m * s * s, 1.0 + 0.0 * m)
    whole = 2.0 * periods * ellipe(op.where(periods == 0.0, 0.0, m), out)
    return op.where(periods == 0.0, 0.0, whole) - part


def ellipj_ph(u, m, out):
    """Of the amplitude, by the implicit function theorem: F(ph, m) = u."""
    ph = op.ellipj_ph(u, m)
    return -ellipkinc(ph, m, u) * op.ellipj_dn(u, m)


def ellipj_sn(u, m, out):
    return op.ellipj_cn(u, m) * ellipj_ph(u, m, out)


def ellipj_cn(u, m, out):
    return -op.ellipj_sn(u, m) * ellipj_ph(u, m, out)


def ellipj_dn(u, m, out):
    """Of sqrt(1 - m sn^2)."""
    sn = op.ellipj_sn(u, m)
    return -0.5 * sn * (sn + 2.0 * m * op.ellipj_cn(u, m) * ellipj_ph(u, m, out)) / op.ellipj_dn(u, m)


def owens_t_by_height(h, a, out):
    return -op.exp(-0.5 * h * h) * op.erf(a * h / sqrt(2.0)) / (2.0 * sqrt(2.0 * pi))


def owens_t_by_slope(h, a, out):
    whole = 1.0 + a * a
    return op.exp(-0.5 * h * h * whole) / (2.0 * pi * whole)
