"""Polynomials by their coefficients, the highest power first.

    np.polyfit(x, y, 2)    ->    lstsq(vander(x, 3), y), the columns scaled to one length
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import as_evaluated, in_dtype, number, operand, strong
from .interpolation import convolve
from .least_squares import lstsq
from .linear_algebra import eigvals, inv
from .manipulation import as_array, atleast_1d, transposed
from .places import flatnonzero


def polyval(p, x):
    """The polynomial with coefficients `p`, by Horner's rule."""
    p, x = operand(p), strong(operand(x))
    if p.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    word = static.common(p, x)
    if word != static.element(x) and p.shape[0] == 0:
        raise ValueError("np.polyval needs a coefficient where they are of another dtype than the points")
    value = number(x) * op.cast(0, dtype=word)
    for k in range(p.shape[0]):
        value = value * x + p[k]
    return value


def roots(p):
    """The eigenvalues of the companion matrix; zeros at the end are roots at zero, zeros in front are left out.

    Complex always, where NumPy gives real numbers if no imaginary part is left.
    """
    p = as_array(p)
    if static.rank(p) != 1:
        raise ValueError("Input must be a rank-1 array.")
    places = flatnonzero(p)
    if len(places) == 0:
        return op.zeros(shape=(0,), dtype="c128")
    first, last = places[0], places[len(places) - 1]
    zeros = len(p) - last - 1
    degree = last - first
    found = op.zeros(shape=(degree + zeros,), dtype="c128")
    if degree > 0:
        companion = op.zeros(shape=(degree, degree), dtype="c128" if static.is_complex(p) else "f64")
        for k in range(degree):
            companion[0, k] = -p[first + 1 + k] / p[first]
            if k > 0:
                companion[k, k - 1] = 1.0
        found[:degree] = eigvals(companion)
    return found


def vander(x, N=None, increasing=False):
    """The powers of each element in a row, the highest first."""
    x = as_array(x)
    if static.rank(x) != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = x.shape[0] if N is None else N
    word = static.strict_common(x, op.cast(1, dtype="i64"))
    rows = op.empty(shape=(x.shape[0], count), dtype=word)
    for i in range(x.shape[0]):
        power = op.cast(1, dtype=word)
        for k in range(count):
            rows[i, k if increasing else count - 1 - k] = power
            power = power * x[i]
    return rows


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The coefficients of the polynomial of a degree that is nearest to the points, by least squares."""
    if static.is_array(deg) or static.is_sequence(deg):
        static.refuse("U012", "np.polyfit of chosen powers is not supported: solve for them with np.linalg.lstsq")
    x, y = in_floats(x), in_floats(y)
    require_points(x, y, deg)
    lhs, rhs = vander(x, deg + 1), y
    if w is not None:
        weights = in_floats(w)
        if static.rank(weights) != 1:
            raise TypeError("expected a 1-d array for weights")
        if weights.shape[0] != y.shape[0]:
            raise TypeError("expected w and y to have the same length")
        lhs = lhs * weights[:, None]
        rhs = rhs * weights[:, None] if static.rank(y) == 2 else rhs * weights
    tolerance = x.shape[0] * static.limits(static.element(x)).eps if rcond is None else rcond
    scale = op.sqrt(op.sum(lhs * lhs, axis=0))
    c, resids, rank, s = lstsq(lhs / scale, rhs, tolerance)
    c = transposed(transposed(c) / scale) if static.rank(y) == 2 else c / scale
    if full:
        return c, resids, rank, s, tolerance
    if not cov:
        return c
    scaled = lhs / scale
    base = inv(op.matmul(scaled.T, scaled)) / (scale[:, None] * scale[None, :])
    if cov != "unscaled":
        if x.shape[0] <= deg + 1:
            raise ValueError("the number of data points must exceed order to scale the covariance matrix")
        variance = resids / (x.shape[0] - deg - 1)
        return c, base[:, :, None] * variance if static.rank(y) == 2 else base * variance[0]
    return c, base[:, :, None] if static.rank(y) == 2 else base


def in_floats(values):
    values = as_array(values)
    return in_dtype(values, static.common(values, 0.0))


def require_points(x, y, deg):
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if static.rank(x) != 1:
        raise TypeError("expected 1D vector for x")
    if x.shape[0] == 0:
        raise TypeError("expected non-empty vector for x")
    if static.rank(y) < 1 or static.rank(y) > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")


def polyder(p, m=1):
    """The coefficients of the m-th derivative."""
    p = as_array(p)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    for _ in range(m):
        n = max(p.shape[0] - 1, 0)
        powers = op.arange(n, 0, -1, shape=(n,))
        p = p[:n] * powers
    return p


def polyadd(a1, a2):
    return together(a1, a2, 1)


def polysub(a1, a2):
    return together(a1, a2, -1)


def together(a1, a2, sign):
    """The sum or difference of two polynomials: the shorter one has zeros in front."""
    left, right = atleast_1d(a1), atleast_1d(a2)
    n, m = left.shape[0], right.shape[0]
    out = op.zeros(shape=(max(n, m),), dtype=static.strict_common(left, right))
    out[max(n, m) - n :] = left
    tail = out[max(n, m) - m :]
    out[max(n, m) - m :] = tail + right if sign == 1 else tail - right
    return out


def polymul(a1, a2):
    """The product of two polynomials, of which zeros in front do not count."""
    return convolve(without_zeros(a1), without_zeros(a2))


def without_zeros(p):
    p = atleast_1d(p)
    found = flatnonzero(p)
    start = found[0] if found.shape[0] > 0 else max(p.shape[0] - 1, 0)
    return p[start:]


def polyint(p, m=1, k=None):
    """The coefficients of the m-th integral; `k` are the constants, the first one that of the first integral."""
    p = as_array(p)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    if static.is_static(m) and m == 0:
        return p
    p = in_dtype(p, static.strict_common(as_evaluated(p), 0))
    given = 0.0 if k is None else operand(k)
    constants = atleast_1d(given)
    if constants.shape[0] < m and constants.shape[0] > 1:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    for number_of in range(m):
        powers = op.arange(p.shape[0], 0, -1, shape=(p.shape[0],))
        constant = constants[min(number_of, constants.shape[0] - 1)]
        p = op.concatenate(p / powers, op.full(constant, shape=(1,), dtype=static.element(constants)), axis=0)
    return p


def poly(seq_of_zeros):
    """The polynomial with these roots, or the characteristic one of a matrix.

    Complex for complex roots, where NumPy gives real numbers if the roots are pairs of conjugates.
    """
    seq = atleast_1d(seq_of_zeros)
    if static.rank(seq) == 2:
        if seq.shape[0] != seq.shape[1]:
            raise ValueError("input must be 1d or non-empty square 2d array.")
        static.refuse("U012", "np.poly of a matrix is not supported: pass its eigenvalues")
    if static.rank(seq) != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    zeros = in_dtype(seq, static.common(seq, 0.0)) if static.kind(seq) != "complex" else seq
    out = op.zeros(shape=(zeros.shape[0] + 1,), dtype=static.element(zeros))
    out[0] = 1.0
    for k in range(zeros.shape[0]):
        for j in range(k + 1, 0, -1):
            out[j] = out[j] - zeros[k] * out[j - 1]
    return out


def polydiv(u, v):
    """The quotient of two polynomials and what is left, which loses its zeros in front."""
    u, v = in_floats(atleast_1d(u)), in_floats(atleast_1d(v))
    word = static.common(u, v)
    u, v = in_dtype(u, word), in_dtype(v, word)
    m, n = u.shape[0] - 1, v.shape[0] - 1
    scale = 1.0 / v[0]
    q = op.zeros(shape=(max(m - n + 1, 1),), dtype=word)
    r = op.copy(u)
    for k in range(m - n + 1):
        q[k] = scale * r[k]
        for j in range(n + 1):
            r[k + j] = r[k + j] - q[k] * v[j]
    first = 0
    while first < r.shape[0] - 1 and op.absolute(r[first]) <= 1e-8:
        first += 1
    return q, op.copy(r[first:])
