"""`numpy.polynomial`: series of powers and of orthogonal polynomials, the lowest coefficient first, and Gauss's rules.

    polynomial.polyval(x, c)    c[0] + c[1] x + ...          chebyshev.chebval(x, c)    c[0] T_0(x) + c[1] T_1(x) + ...
    legendre.leggauss(n)        places and weights of a rule on [-1, 1] that is exact up to the degree 2 n - 1

Series are summed by Clenshaw's recurrence (1955); the places of Gauss's rule are the zeros of P_n, by Newton's method.
"""

from math import pi

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import number, operand, strong
from .manipulation import as_array
from .polynomials import in_floats, polyadd, polyder, polymul, polysub
from .polynomials import poly as with_roots
from .polynomials import roots as roots_of


def coefficients(c):
    """A vector of floats or complex numbers."""
    c = in_floats(as_array(c))
    if static.rank(c) != 1:
        static.refuse("U012", "series of several variables, or several series at once, are not supported here")
    return c


def clenshaw(x, c, ahead, back):
    """The sum of c[k] p_k(x) where p_(k+1) = ahead(k, x) p_k + back(k) p_(k-1), with p_0 = 1; and p_1 last but one."""
    x, c = number(strong(operand(x))), coefficients(c)
    high, higher = c[c.shape[0] - 1] + 0.0 * x, 0.0 * x * c[0]
    for k in range(c.shape[0] - 2, -1, -1):
        high, higher = c[k] + ahead(k, x) * high + back(k + 1) * higher, high
    return high


def polyval(x, c, tensor=True):
    x, c = number(strong(operand(x))), coefficients(c)
    value = c[c.shape[0] - 1] + x * 0
    for k in range(c.shape[0] - 2, -1, -1):
        value = c[k] + value * x
    return value


def legval(x, c, tensor=True):
    return clenshaw(x, c, lambda k, t: (2 * k + 1) * t / (k + 1), lambda k: -k / (k + 1.0))


def hermval(x, c, tensor=True):
    """Of the polynomials of physics."""
    return clenshaw(x, c, lambda k, t: 2.0 * t, lambda k: -2.0 * k)


def hermeval(x, c, tensor=True):
    """Of the polynomials of probability theory."""
    return clenshaw(x, c, lambda k, t: t, lambda k: -1.0 * k)


def lagval(x, c, tensor=True):
    return clenshaw(x, c, lambda k, t: (2 * k + 1 - t) / (k + 1), lambda k: -k / (k + 1.0))


def chebval(x, c, tensor=True):
    """Of which p_1 = x p_0, and 2 x stands in the recurrence after that."""
    return clenshaw(x, c, lambda k, t: t if k == 0 else 2.0 * t, lambda k: -1.0)


# --- powers ----------------------------------------------------------------------------------------------------------


def ascending(function, *parts):
    """A function of coefficients whose highest power comes first, of those whose lowest does."""
    return function(*[as_array(part)[::-1] for part in parts])[::-1]


def add(c1, c2):
    return ascending(polyadd, in_floats(c1), in_floats(c2))


def subtract(c1, c2):
    return ascending(polysub, in_floats(c1), in_floats(c2))


def multiply(c1, c2):
    return ascending(polymul, in_floats(c1), in_floats(c2))


def derivative(c, m=1):
    if m < 0:
        raise ValueError("The order of derivation must be non-negative")
    return ascending(lambda p: polyder(p, m), in_floats(c))


def from_roots(roots):
    return with_roots(in_floats(roots))[::-1]


def polyroots(c):
    """Complex always, from the least on."""
    c = coefficients(c)
    found = roots_of(c[::-1])
    return found[argsort_pairs(found)]


def argsort_pairs(found):
    order = op.arange(0, found.shape[0], 1, shape=(found.shape[0],), dtype="i64")
    for i in range(1, found.shape[0]):
        k = i
        while k > 0 and is_before(found[order[k]], found[order[k - 1]]):
            here = order[k]
            order[k] = order[k - 1]
            order[k - 1] = here
            k -= 1
    return order


def is_before(left, right):
    a, b = op.real(left), op.real(right)
    return a < b or (a == b and op.imag(left) < op.imag(right))


# --- rules of Gauss -------------------------------------------------------------------------------------------------


def leggauss(deg):
    """Places and weights of Gauss and Legendre's rule."""
    require_degree(deg)
    k = op.arange(0, deg, 1, shape=(deg,), dtype="f64")
    x = -op.cos(pi * (k + 0.75) / (deg + 0.5))
    for _ in range(6):
        value, slope = legendre(x, deg)
        x = x - value / slope
    slope = legendre(x, deg)[1]
    w = 2.0 / ((1.0 - x) * (1.0 + x) * slope * slope)
    x, w = (x - x[::-1]) / 2.0, (w + w[::-1]) / 2.0
    return x, w * (2.0 / op.sum(w))


def legendre(x, deg):
    """P_n and its derivative inside of (-1, 1)."""
    before, value = op.ones(shape=x.shape, dtype="f64"), x
    for k in range(1, deg):
        before, value = value, ((2 * k + 1) * x * value - k * before) / (k + 1)
    return value, deg * (before - x * value) / ((1.0 - x) * (1.0 + x))


def chebgauss(deg):
    """Places and weights of the rule for the weight 1 / sqrt(1 - x**2)."""
    require_degree(deg)
    k = op.arange(1, 2 * deg, 2, shape=(deg,), dtype="f64")
    return op.cos(pi * k / (2.0 * deg)), op.ones(shape=(deg,), dtype="f64") * (pi / deg)


def require_degree(deg):
    if deg <= 0:
        raise ValueError("deg must be a positive integer")
