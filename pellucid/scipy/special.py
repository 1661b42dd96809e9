"""`scipy.special`: what is said in the language, arranged so that values and slopes stay finite where they are.

    scipy.special.softmax(x, axis=1)    ->    e = exp(x - max(x));  e / sum(e)
    scipy.special.xlogy(x, y)           ->    x log(y), and 0 where x is 0
"""

from math import inf, log, pi, sqrt

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.elementary import as_floating, number, operand, strong


def of_floats(x):
    """NumPy's floats; ints count as float64."""
    return number(as_floating(strong(operand(x))))


def in_doubles(x):
    return op.cast(of_floats(x), dtype="f64")


def of_doubles(x):
    """Singles as they are, all others as doubles: SciPy's functions have the loop for doubles first."""
    x = number(operand(x))
    return x if static.element(x) == "f32" and not static.is_weak(x) else op.cast(x, dtype="f64")


def both_of_doubles(x, y):
    x, y = number(operand(x)), number(operand(y))
    x_single = static.element(x) == "f32" and not static.is_weak(x)
    y_single = static.element(y) == "f32" and not static.is_weak(y)
    return (x, y) if x_single and y_single else (op.cast(x, dtype="f64"), op.cast(y, dtype="f64"))


IN_SINGLES = ("bool", "i8", "i16", "u8", "u16", "f16", "f32")


def both_of_singles(x, y):
    """As singles where singles hold both: functions that have the loop for singles first."""
    x, y = number(operand(x)), number(operand(y))
    x_fits = static.is_weak(x) or static.element(x) in IN_SINGLES
    y_fits = static.is_weak(y) or static.element(y) in IN_SINGLES
    are_pythons = static.is_weak(x) and static.is_weak(y)
    word = "f32" if x_fits and y_fits and not are_pythons else "f64"
    return op.cast(x, dtype=word), op.cast(y, dtype=word)


def expit(x, /):
    """The logistic function 1 / (1 + exp(-x))."""
    x = of_doubles(x)
    is_left = x < 0.0
    small = op.exp(op.where(is_left, x, -x))  # by one test all through: either side is the function at every order
    return op.where(is_left, small, 1.0) / (1.0 + small)


def log_expit(x, /):
    x = of_doubles(x)
    is_left = x < 0.0
    return op.where(is_left, x, 0.0) - op.log1p(op.exp(op.where(is_left, x, -x)))


def logit(x, /):
    """The inverse of `expit`; near a half by the distance from it."""
    x = of_doubles(x)
    near = op.logical_and(x >= 0.3, x <= 0.65)
    distance = op.where(near, 2.0 * (x - 0.5), 0.0)
    apart = op.where(near, 0.5, x)
    return op.where(near, op.log1p(distance) - op.log1p(-distance), op.log(apart / (1.0 - apart)))


def xlogy(x, y, /):
    """x log(y), and 0 where x is 0 and y no nan."""
    x, y = both_of_doubles(x, y)
    is_zero = op.logical_and(x == 0.0, op.logical_not(op.logical_or(is_between(y, 0.0), op.isnan(y))))
    return x * op.log(op.where(is_zero, 1.0, y))


def is_between(y, low):
    """Whether a logarithm is finite there."""
    return op.logical_and(y > low, y < inf)


def xlog1py(x, y, /):
    """x log(1 + y), and 0 where x is 0 and y no nan."""
    x, y = both_of_doubles(x, y)
    is_zero = op.logical_and(x == 0.0, op.logical_not(op.logical_or(is_between(y, -1.0), op.isnan(y))))
    return x * op.log1p(op.where(is_zero, 0.0, y))


def rel_entr(x, y, /):
    """x log(x / y): 0 where x is 0, infinite where that has no meaning."""
    x, y = both_of_singles(x, y)
    is_plain = has_ratio(x, y)
    given, other = op.where(is_plain, x, 1.0), op.where(is_plain, y, 1.0)
    ratio = given / other
    is_near = op.logical_and(ratio > 0.5, ratio < 2.0)
    is_held = op.logical_and(ratio > static.limits(static.element(ratio)).tiny, op.isfinite(ratio))
    apart = op.log(given) - op.log(other)  # of a quotient that no float holds
    near = op.log1p(op.where(is_near, (given - other) / other, 0.0))
    found = op.where(is_near, near, op.where(is_held, op.log(op.where(is_held, ratio, 1.0)), apart))
    return where_defined(x, y, given * found, op.cast(0.0, dtype=static.element(y)))


def kl_div(x, y, /):
    """x log(x / y) - x + y"""
    x, y = both_of_singles(x, y)
    return where_defined(x, y, logarithm_of_ratio(x, y) - x + y, y)


def has_ratio(x, y):
    return op.logical_or(op.logical_or(op.isnan(x), op.isnan(y)), op.logical_and(x > 0.0, y > 0.0))


def logarithm_of_ratio(x, y):
    is_plain = has_ratio(x, y)
    given = op.where(is_plain, x, 1.0)
    return given * op.log(given / op.where(is_plain, y, 1.0))


def where_defined(x, y, found, at_zero):
    return op.where(has_ratio(x, y), found, op.where(op.logical_and(x == 0.0, y >= 0.0), at_zero, inf))


def ndtr(x, /):
    """The distribution function of the normal distribution."""
    x = of_doubles(x)
    return 0.5 * op.erfc(-x * sqrt(0.5))


def log_ndtr(x, /):
    """Its logarithm; far to the left by the asymptotic series of erfc (Abramowitz and Stegun 7.1.23)."""
    x = of_doubles(x)
    is_far, is_right = x < -20.0, x > -1.0
    far = op.where(is_far, x, -20.0)
    inverse = 1.0 / (far * far)
    term = 0.0 * inverse + 1.0
    series = term
    for k in range(1, 18, 2):
        term = term * (-k * inverse)
        series = series + term
    left = -0.5 * far * far - op.log(-far) - 0.5 * log(2.0 * pi) + op.log(series)
    middle = op.log(0.5 * op.erfc(-op.where(op.logical_or(is_far, is_right), -1.0, x) * sqrt(0.5)))
    right = op.log1p(-0.5 * op.erfc(op.where(is_right, x, 0.0) * sqrt(0.5)))
    found = op.where(is_right, right, op.where(is_far, left, middle))
    return op.where(op.isnan(x), x, found)


def polygamma(n, x):
    """The n-th derivative of `digamma`: (-1)^(n + 1) n! zeta(n + 1, x)."""
    n, x = of_floats(n), op.cast(of_floats(x), dtype="f64")
    order = op.cast(op.where(n == 0.0, 1.0, n), dtype="f64")
    sign = op.where(op.cast(order, dtype="i64") % 2 == 0, -1.0, 1.0)
    return op.where(n == 0.0, op.digamma(x), sign * op.gamma(order + 1.0) * op.zeta(order + 1.0, x))


def multigammaln(a, d):
    """The logarithm of the gamma function of matrices of d rows."""
    a = op.cast(of_floats(a), dtype="f64")
    if not op.all(a > 0.5 * (d - 1)):
        raise ValueError(f"condition a ({a}) > 0.5 * (d-1) ({0.5 * (d - 1)}) not met")
    found = d * (d - 1) * 0.25 * log(pi) + 0.0 * a
    for j in range(d):
        found = found + op.gammaln(a - 0.5 * j)
    return found


def exprel(x, /):
    """(exp(x) - 1) / x, and 1 at zero."""
    x = of_doubles(x)
    is_small = op.absolute(x) < 0.5
    near, apart = op.where(is_small, x, 0.0), op.where(is_small, 1.0, x)
    series = 1.0 + 0.0 * near
    for k in range(18, 1, -1):  # sum of x^k / (k + 1)!, for slopes as well: those of the quotient cancel here
        series = 1.0 + series * near / k
    return op.where(is_small, series, op.where(apart == inf, inf, op.expm1(apart) / apart))


# --- along axes ------------------------------------------------------------------------------------------------------


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    """The logarithm of the sum of exponentials, each times a weight of `b`; with `return_sign` that of its size."""
    a = of_floats(a)
    if b is not None:
        b = of_floats(b)
        a = op.where(b == 0.0, -inf, a)
    axes = static.reduced(axis, static.rank(a))
    top = op.max(a, axis=axes, keepdims=True)
    top = op.stop_gradient(op.where(op.isfinite(top), top, 0.0))
    terms = op.exp(a - top)
    total = op.sum(terms if b is None else terms * b, axis=axes, keepdims=keepdims)
    sign = op.sign(total)
    size = op.log(sign * total if return_sign else total)
    found = size + (top if keepdims else op.sum(top, axis=axes, keepdims=False))
    return (found, sign) if return_sign else found


def of_numbers(x):
    if static.kind(operand(x)) == "bool":
        static.refuse("T001", "bools have no differences: convert them, `.astype(float)`")
    return of_floats(x)


def softmax(x, axis=None):
    x = of_numbers(x)
    axes = static.reduced(axis, static.rank(x))
    terms = op.exp(x - op.stop_gradient(op.max(x, axis=axes, keepdims=True)))
    return terms / op.sum(terms, axis=axes, keepdims=True)


def log_softmax(x, axis=None):
    x = of_numbers(x)
    axes = static.reduced(axis, static.rank(x))
    top = op.max(x, axis=axes, keepdims=True)
    moved = x - op.stop_gradient(op.where(op.isfinite(top), top, 0.0))
    return moved - op.log(op.sum(op.exp(moved), axis=axes, keepdims=True))
