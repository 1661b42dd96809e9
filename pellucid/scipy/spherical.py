"""Spherical Bessel functions, and Bernoulli's numbers.

spherical_jn(n, z)     ->     sqrt(pi / (2 z)) jv(n + 1/2, z)       (DLMF 10.47)
spherical_jn(n, z, derivative=True)     ->     j_(n-1) - (n + 1) / z j_n       (DLMF 10.51)
"""

from math import inf, nan, pi

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .special import of_floats


def of_real(n, z, name):
    n, z = of_floats(n), of_floats(z)
    if static.is_complex(z):
        static.refuse("U012", f"`scipy.special.{name}` takes real numbers here")
    return n, z


def spherical(of, n, z, sign, at_zero):
    """The function of a half order at |z|, with its sign for negative arguments, and its value at 0."""
    size = op.absolute(z)
    is_zero = size == 0.0
    safe = op.where(is_zero, 1.0, size)
    found = op.sqrt(pi / 2.0 / safe) * of(n + 0.5, safe)
    odd = n - 2.0 * op.floor(n / 2.0)
    found = op.where(z < 0.0, found * sign * (1.0 - 2.0 * odd), found)
    return op.where(n < 0.0, nan, op.where(is_zero, at_zero, found))


def j(n, z):
    return spherical(op.jv, n, z, 1.0, op.where(n == 0.0, 1.0, 0.0))


def y(n, z):
    return spherical(op.yv, n, z, -1.0, -inf)


def i(n, z):
    return spherical(op.iv, n, z, 1.0, op.where(n == 0.0, 1.0, 0.0))


def k(n, z):
    """Of negative arguments by the two functions of the first kind (DLMF 10.47.16)."""
    above = spherical(op.kv, n, z, 1.0, inf)
    size = op.where(z < 0.0, -z, 1.0)
    both = op.iv(n + 0.5, size) + op.iv(-n - 0.5, size)
    return op.where(z < 0.0, -pi / 2.0 * op.sqrt(pi / 2.0 / size) * both, above)


def slope(of, n, z, first, before, at_zero):
    """first * f_1 where n is 0, and before * f_(n-1) - (n + 1) f_n / z else."""
    is_zero = z == 0.0
    safe = op.where(is_zero, 1.0, z)
    above = before * of(op.maximum(n - 1.0, 0.0), safe) - (n + 1.0) * of(n, safe) / safe
    return op.where(n == 0.0, first * of(n * 0.0 + 1.0, z), op.where(is_zero, at_zero, above))


def spherical_jn(n, z, derivative=False):
    n, z = of_real(n, z, "spherical_jn")
    return slope(j, n, z, -1.0, 1.0, op.where(n == 1.0, 1.0 / 3.0, 0.0)) if derivative else j(n, z)


def spherical_yn(n, z, derivative=False):
    n, z = of_real(n, z, "spherical_yn")
    return slope(y, n, z, -1.0, 1.0, op.where(n == 0.0, inf, nan)) if derivative else y(n, z)


def spherical_in(n, z, derivative=False):
    n, z = of_real(n, z, "spherical_in")
    return slope(i, n, z, 1.0, 1.0, op.where(n == 1.0, 1.0 / 3.0, 0.0)) if derivative else i(n, z)


def spherical_kn(n, z, derivative=False):
    n, z = of_real(n, z, "spherical_kn")
    return slope(k, n, z, -1.0, -1.0, -inf) if derivative else k(n, z)


def bernoulli(n):
    """B_0, ..., B_n, by (-1)^(k + 1) 2 (2 k)! zeta(2 k) / (2 pi)^(2 k) (DLMF 25.6.2)."""
    if n < 0:
        raise ValueError("n must be a non-negative integer.")
    found = op.zeros(shape=(n + 1,), dtype="f64")
    found[0] = 1.0
    if n > 0:
        found[1] = -0.5
    size, sign = 2.0 / (2.0 * pi) ** 2 * 2.0, 1.0
    for m in range(2, n + 1, 2):
        found[m] = sign * size * (1.0 + op.zetac(1.0 * m))
        size, sign = size * (m + 1.0) * (m + 2.0) / (2.0 * pi) ** 2, -sign
    return found
