"""`numpy.polynomial`: the values of all polynomials up to a degree, and series that are nearest to points.

    chebvander(x, 2)         [1, x, 2 x^2 - 1] in a new last axis, by the recurrence of the family
    chebfit(x, y, deg)       lstsq(chebvander(x, deg), y), the columns scaled to length 1

Source: Abramowitz and Stegun 22.7 for the recurrences.
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .least_squares import lstsq
from .manipulation import atleast_1d, moveaxis, transposed
from .polynomials import in_floats, require_points


def by_recurrence(x, deg, first, following):
    """p_0 = 1, p_1 = first(x), and p_k = following(k, x, p_(k-1), p_(k-2))."""
    if deg < 0:
        raise ValueError("deg must be non-negative")
    x = in_floats(atleast_1d(x))
    rows = op.empty(shape=(deg + 1, *x.shape), dtype=static.element(x))
    rows[0] = x * 0 + 1
    if deg > 0:
        rows[1] = first(x)
    for k in range(2, deg + 1):
        rows[k] = following(k, x, rows[k - 1], rows[k - 2])
    return moveaxis(rows, 0, -1)


def polyvander(x, deg):
    return by_recurrence(x, deg, lambda t: t, lambda k, t, last, before: last * t)


def chebvander(x, deg):
    return by_recurrence(x, deg, lambda t: t, lambda k, t, last, before: 2 * t * last - before)


def legvander(x, deg):
    return by_recurrence(
        x, deg, lambda t: t, lambda k, t, last, before: (last * t * (2 * k - 1) - before * (k - 1)) / k
    )


def hermvander(x, deg):
    """Of the polynomials of physics."""
    return by_recurrence(x, deg, lambda t: 2 * t, lambda k, t, last, before: 2 * t * last - before * (2 * (k - 1)))


def hermevander(x, deg):
    """Of the polynomials of probability theory."""
    return by_recurrence(x, deg, lambda t: t, lambda k, t, last, before: last * t - before * (k - 1))


def lagvander(x, deg):
    return by_recurrence(
        x, deg, lambda t: 1 - t, lambda k, t, last, before: (last * (2 * k - 1 - t) - before * (k - 1)) / k
    )


def nearest(of, x, y, deg, rcond, full, w):
    """The coefficients, the lowest first: a column for each column of y."""
    if full:
        static.refuse("U012", "`full=True` is not supported here: take `np.linalg.lstsq` of the Vandermonde matrix")
    if static.is_array(deg) or static.is_sequence(deg):
        static.refuse("U012", "fits by chosen degrees are not supported: solve for them with `np.linalg.lstsq`")
    x, y = in_floats(x), in_floats(y)
    require_points(x, y, deg)
    left = of(x, deg)
    if w is not None:
        w = in_floats(w)
        if w.shape[0] != x.shape[0]:
            raise TypeError("expected x and w to have same length")
        left, y = left * w[:, None], transposed(transposed(y) * w)
    length = op.sqrt(op.sum(left * left, axis=0))
    length = op.where(length == 0, 1, length)
    least = x.shape[0] * static.limits(static.element(x)).eps if rcond is None else rcond
    c = lstsq(left / length, y, least)[0]
    return transposed(transposed(c) / length) if static.rank(y) == 2 else c / length


def polyfit(x, y, deg, rcond=None, full=False, w=None):
    """The coefficients of the polynomial of a degree that is nearest to the points, by least squares."""
    return nearest(polyvander, x, y, deg, rcond, full, w)


def chebfit(x, y, deg, rcond=None, full=False, w=None):
    return nearest(chebvander, x, y, deg, rcond, full, w)


def legfit(x, y, deg, rcond=None, full=False, w=None):
    return nearest(legvander, x, y, deg, rcond, full, w)


def hermfit(x, y, deg, rcond=None, full=False, w=None):
    return nearest(hermvander, x, y, deg, rcond, full, w)


def hermefit(x, y, deg, rcond=None, full=False, w=None):
    return nearest(hermevander, x, y, deg, rcond, full, w)


def lagfit(x, y, deg, rcond=None, full=False, w=None):
    return nearest(lagvander, x, y, deg, rcond, full, w)
