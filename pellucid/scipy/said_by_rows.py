"""Functions of `scipy.special` that are said by rows: counts, losses, shifted polynomials, spherical harmonics.

    scipy.special.comb(n, k)     ->     binom(n, k), and 0 where there is no such set
"""

from math import inf, nan, pi

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy import mathematics
from ..numpy.elementary import number, operand, strong
from .special import both_of_singles, of_doubles, of_floats


def exp2(x, /):
    return op.exp2(of_doubles(x))


def cbrt(x, /):
    return op.cbrt(of_doubles(x))


def expm1(x, /):
    return op.expm1(of_doubles(x))


def log1p(x, /):
    return op.log1p(of_doubles(x))


def zeta(x, q=None):
    """Riemann's zeta function, and Hurwitz's with q: the sum of (k + q)^-x over k >= 0 (DLMF 25.11)."""
    if q is None:
        return 1.0 + op.zetac(number(strong(operand(x))))
    return op.zeta(number(operand(x)), number(operand(q)))


# --- derivatives of Bessel functions (DLMF 10.6.7, 10.29.5) ----------------------------------------------------------


def alternating(of, v, z, n, phase):
    """The sum of binomials times functions of the orders v - n, v - n + 2, ..., v + n, over 2^n."""
    if not static.is_static(n) or n < 0:
        static.refuse("U012", "how often it is differentiated is a number, 0 or more, that is written in the call")
    v, z = of_floats(v), of_floats(z)
    weight = 1.0
    total = of(v - n, z)
    for k in range(1, n + 1):
        weight = phase * weight * (n - k + 1) / k
        total = total + weight * of(v - n + 2 * k, z)
    return total / 2.0**n


def jvp(v, z, n=1):
    return alternating(op.jv, v, z, n, -1.0)


def yvp(v, z, n=1):
    return alternating(op.yv, v, z, n, -1.0)


def ivp(v, z, n=1):
    return alternating(op.iv, v, z, n, 1.0)


def kvp(v, z, n=1):
    """The same with the sign (-1)^n."""
    return alternating(op.kv, v, z, n, 1.0) * (-1.0) ** n


# --- counts ----------------------------------------------------------------------------------------------------------


def require_ints(name, *numbers):
    """What `exact=True` is asked of: single ints."""
    for value in numbers:
        if static.rank(value) != 0 or static.kind(value) != "int":
            static.refuse("U012", f"`exact=True` of {name} takes single ints here: leave it out")


def of_counts(n):
    """Arrays in float64, whatever their dtype."""
    n = of_doubles(n)
    return op.cast(n, dtype="f64") if static.is_array(n) else n


def factorial(n, exact=False, extend="zero"):
    """gamma(n + 1); 0 for negative numbers."""
    if exact:
        require_ints("factorial", n)
        return 0 if n < 0 else mathematics.factorial(n)
    if extend != "zero":
        static.refuse("U012", '`extend="complex"` of factorial is not supported: use `scipy.special.gamma(n + 1)`')
    n = of_counts(n)
    return op.where(n < 0.0, 0.0, op.gamma(op.where(n < 0.0, 0.0, n) + 1.0))


def comb(N, k, *, exact=False, repetition=False):
    """How many sets of k things there are among N; `repetition`: the same thing may be taken again."""
    if exact:
        require_ints("comb", N, k)
        total = N + k - 1 if repetition else N
        return 0 if total < 0 or k < 0 else mathematics.comb(total, k)
    N, k = both_of_singles(strong(operand(N)), strong(operand(k)))
    if repetition:
        return op.where(op.logical_and(N == 0.0, k == 0.0), 1.0, of_set(N + k - 1.0, k))
    return of_set(N, k)


def of_set(N, k):
    is_there = op.logical_and(op.logical_and(k <= N, N >= 0.0), k >= 0.0)
    return op.where(is_there, op.binom(op.where(is_there, N, 1.0), op.where(is_there, k, 0.0)), 0.0)


def perm(N, k, exact=False):
    """How many sequences of k different things there are among N."""
    if exact:
        require_ints("perm", N, k)
        return 0 if N < 0 or k < 0 else mathematics.perm(N, k)
    N, k = both_of_singles(strong(operand(N)), strong(operand(k)))
    is_there = op.logical_and(op.logical_and(k <= N, N >= 0.0), k >= 0.0)
    return op.where(is_there, op.poch(op.where(is_there, N - k, 0.0) + 1.0, op.where(is_there, k, 0.0)), 0.0)


# --- losses and means ------------------------------------------------------------------------------------------------


def huber(delta, r, /):
    """r^2 / 2 near zero, and linear beyond delta; infinite for a negative delta."""
    delta, r = both_of_singles(delta, r)
    size = op.absolute(r)
    found = op.where(size <= delta, 0.5 * r * r, delta * (size - 0.5 * delta))
    return op.where(delta < 0.0, inf, found)


def pseudo_huber(delta, r, /):
    """delta^2 (sqrt(1 + (r / delta)^2) - 1) without a difference; 0 where one of the two is 0."""
    delta, r = both_of_singles(delta, r)
    is_plain = delta > 0.0
    some = op.where(is_plain, delta, 1.0)
    found = r * r / (1.0 + op.hypot(1.0, r / some))
    return op.where(delta < 0.0, inf, op.where(is_plain, found, 0.0 * r))


def agm(a, b, /):
    """The arithmetic-geometric mean, by a complete elliptic integral (DLMF 19.8.5)."""
    a, b = both_of_singles(a, b)
    whole = a + b
    is_plain = op.logical_and(a * b > 0.0, op.isfinite(whole))
    first, second = op.where(is_plain, a, 1.0), op.where(is_plain, b, 1.0)
    lead = 0.25 * pi * (first + second)
    found = lead / op.ellipkm1(4.0 * (first / (first + second)) * (second / (first + second)))
    at_zero = op.logical_and(a * b == 0.0, op.isfinite(whole))
    at_infinity = op.logical_and(a * b > 0.0, op.isinf(whole))
    return op.where(is_plain, found, op.where(at_zero, 0.0, op.where(at_infinity, whole, nan)))


# --- polynomials and harmonics ---------------------------------------------------------------------------------------


def eval_sh_legendre(n, x, /):
    """The Legendre polynomial on [0, 1] (DLMF 18.7)."""
    return op.eval_legendre(n, 2.0 * of_floats(x) - 1.0)


def eval_sh_chebyt(n, x, /):
    return op.eval_chebyt(n, 2.0 * of_floats(x) - 1.0)


def eval_sh_chebyu(n, x, /):
    return op.eval_chebyu(n, 2.0 * of_floats(x) - 1.0)


def sph_harm_y(n, m, theta, phi, /, *, diff_n=0):
    """The spherical harmonic of degree n and order m at the polar angle theta and the azimuth phi (DLMF 14.30.1)."""
    if diff_n != 0:
        static.refuse("U012", "`diff_n=` of sph_harm_y is not supported: take derivatives of the function by `grad`")
    n, m = op.cast(of_floats(n), dtype="f64"), op.cast(of_floats(m), dtype="f64")
    theta, phi = op.cast(of_floats(theta), dtype="f64"), op.cast(of_floats(phi), dtype="f64")
    order = op.absolute(m)
    is_there = order <= n
    degree = op.where(is_there, n, order)
    weight = op.exp(0.5 * (op.gammaln(degree - order + 1.0) - op.gammaln(degree + order + 1.0)))
    size = op.sqrt((2.0 * degree + 1.0) / (4.0 * pi)) * weight * op.lpmv(order, degree, op.cos(theta))
    sign = op.where(op.logical_and(m < 0.0, op.remainder(order, 2.0) == 1.0), -1.0, 1.0)
    size = op.where(is_there, sign * size, 0.0)
    return op.complex_of(size * op.cos(m * phi), size * op.sin(m * phi))
