"""Slopes of the families of powers and of their distribution, by the power: functions in the language.

    def boxcox_by_power(x, lmbda, out)     the derivative of `out = (x^lmbda - 1) / lmbda` by lmbda, at 0 as well
"""

from ..compiler.ops import primitives as op


def exprel_slope(u):
    """The derivative of (exp(u) - 1) / u."""
    is_small = op.absolute(u) < 0.5
    near, apart = op.where(is_small, u, 0.0), op.where(is_small, 1.0, u)
    series = 1.0 + 0.0 * near
    for k in range(18, 0, -1):  # twice the sum of k u^(k - 1) / (k + 1)!
        series = 1.0 + series * near * ((k + 1) / (k * (k + 2)))
    return op.where(is_small, 0.5 * series, (apart * op.exp(apart) - op.expm1(apart)) / (apart * apart))


def boxcox_by_power(x, lmbda, out):
    logarithm = op.log(x)
    return logarithm * logarithm * exprel_slope(lmbda * logarithm)


def boxcox1p_by_power(x, lmbda, out):
    logarithm = op.log1p(x)
    return logarithm * logarithm * exprel_slope(lmbda * logarithm)


def inv_boxcox_by_power(x, lmbda, out):
    """By the implicit function theorem: boxcox(out, lmbda) = x."""
    return -boxcox_by_power(out, lmbda, x) * op.power(out, 1.0 - lmbda)


def inv_boxcox1p_by_power(x, lmbda, out):
    return -boxcox1p_by_power(out, lmbda, x) * op.power(1.0 + out, 1.0 - lmbda)


def tklmbda_by_bound(x, lmbda, out):
    """The density, by the quantile function (p^lmbda - (1 - p)^lmbda) / lmbda."""
    is_inside = op.logical_and(out > 0.0, out < 1.0)
    share = op.where(is_inside, out, 0.5)
    density = 1.0 / (op.power(share, lmbda - 1.0) + op.power(1.0 - share, lmbda - 1.0))
    return op.where(is_inside, density, 0.0)


def tklmbda_by_shape(x, lmbda, out):
    is_inside = op.logical_and(out > 0.0, out < 1.0)
    share = op.where(is_inside, out, 0.5)
    change = boxcox_by_power(share, lmbda, x) - boxcox_by_power(1.0 - share, lmbda, x)
    return -tklmbda_by_bound(x, lmbda, out) * change
