"""`scipy.integrate`: integrals to a tolerance, by Gauss-Kronrod rules on intervals that are halved where they err most.

    quad(f, 0.0, 1.0)[0]     ->     sum_k w_k f(x_k) over 21 nodes, and over halves of what errs, until they agree
    quad(f, 0.0, inf)        ->     the same of f((1 - t) / t) / t^2 from 0 to 1, with 15 nodes

Where one rule suffices, as for smooth functions, value and error are SciPy's; where intervals are halved they are as
near, without the extrapolation by which QUADPACK gets past singularities at the ends: those take more intervals, and
the error that is returned says how near the value is.  Derivatives pass through the sums, the intervals standing.

Source: R. Piessens et al., QUADPACK (1983), 3.3; the rules are those of A. S. Kronrod (1965).
"""

import numpy as np

from ..compiler.ops import static
from ..lax import stop_gradient

NODES_21 = (
    0.9956571630258081, 0.9739065285171717, 0.9301574913557082, 0.8650633666889845, 0.7808177265864169,
    0.6794095682990244, 0.5627571346686047, 0.4333953941292472, 0.2943928627014602, 0.14887433898163122,
)  # fmt: skip
WEIGHTS_21 = (
    0.011694638867371874, 0.032558162307964725, 0.054755896574351995, 0.07503967481091996, 0.0931254545836976,
    0.10938715880229764, 0.12349197626206584, 0.13470921731147334, 0.14277593857706009, 0.1477391049013385,
    0.1494455540029169,
)  # fmt: skip
NODES_15 = (
    0.9914553711208126, 0.9491079123427585, 0.8648644233597691, 0.7415311855993945, 0.5860872354676911,
    0.4058451513773972, 0.20778495500789848,
)  # fmt: skip
WEIGHTS_15 = (
    0.022935322010529224, 0.06309209262997856, 0.10479001032225019, 0.14065325971552592, 0.1690047266392679,
    0.19035057806478542, 0.20443294007529889, 0.20948214108472782,
)  # fmt: skip


def rule(nodes, weights):
    """All nodes from -1 to 1, with the weights of the rule and of the Gauss rule inside, which has every other node."""
    points = np.array([*(-x for x in nodes), 0.0, *nodes[::-1]])
    heavy = np.array([*weights, *weights[-2::-1]])
    inner = np.zeros(len(points))
    inner[1::2] = np.polynomial.legendre.leggauss(len(points) // 2)[1]
    return tuple(map(float, points)), tuple(map(float, heavy)), tuple(map(float, inner))


RULE_21, RULE_15 = rule(NODES_21, WEIGHTS_21), rule(NODES_15, WEIGHTS_15)
EPS, TINY = 2.220446049250313e-16, 2.2250738585072014e-308


def quad(func, a, b, args=(), full_output=0, epsabs=1.49e-8, epsrel=1.49e-8, limit=50):
    """The integral of func(x, *args) from `a` to `b`, which may be infinite, and how near it is: (value, error).

    func            gives a float for a float
    epsabs, epsrel  the error that is aimed at: the larger of epsabs and epsrel |value|
    limit           into how many intervals the whole may be divided at most
    """
    if full_output:
        static.refuse("U012", "`quad` does not give full_output here: call it without")
    further = args if isinstance(args, tuple) else (args,)
    f = lambda x: func(x, *further) * 1.0  # noqa: E731
    ends = [end for end in (a, b) if static.is_static(end)]
    if any(abs(end) == np.inf for end in ends):
        return infinite(f, a, b, epsabs, epsrel, limit)
    if abs(a) == np.inf or abs(b) == np.inf:
        raise ValueError("`quad` takes an infinite end where it is written in the call: `np.inf`")
    return halved(f, a * 1.0, b * 1.0, epsabs, epsrel, limit, RULE_21, 0.0)


def infinite(f, a, b, epsabs, epsrel, limit):
    """By x = a + (1 - t) / t, which takes 0 to infinity and 1 to the finite end."""
    is_both = static.is_static(a) and static.is_static(b)
    if is_both and a == b:
        return 0.0, 0.0
    if is_both and abs(a) == np.inf and abs(b) == np.inf:
        both = lambda t: (f((1.0 - t) / t) + f(-(1.0 - t) / t)) / t / t  # noqa: E731
        value, error = halved(both, 0.0, 1.0, epsabs, epsrel, limit, RULE_15, 0.0)
        sign = 1.0 if b > a else -1.0
    elif static.is_static(b) and abs(b) == np.inf:
        sign = 1.0 if b > 0 else -1.0
        from_a = lambda t: f(a + sign * (1.0 - t) / t) / t / t  # noqa: E731
        value, error = halved(from_a, 0.0, 1.0, epsabs, epsrel, limit, RULE_15, 0.0)
    else:
        sign = 1.0 if a < 0 else -1.0
        from_b = lambda t: f(b - sign * (1.0 - t) / t) / t / t  # noqa: E731
        value, error = halved(from_b, 0.0, 1.0, epsabs, epsrel, limit, RULE_15, 0.0)
    return sign * value, error


def size_of(value):
    return abs(value) if np.ndim(value) == 0 else np.sqrt(np.sum(value * value))


def applied(f, a, b, of_nodes, zero):
    """A rule on one interval: its value, its error, and the sum of the sizes."""
    points, weights, inner = np.array(of_nodes[0]), np.array(of_nodes[1]), np.array(of_nodes[2])
    middle, half = 0.5 * (a + b), 0.5 * (b - a)
    count = len(points)
    values = np.zeros((count, *np.shape(zero)))
    for k in range(count):
        values[k] = f(middle + half * points[k])
    total = weights @ values
    found = stop_gradient(values)
    plain = weights @ found
    width = abs(stop_gradient(half))
    sizes = weights @ np.abs(found) * width
    spread = size_of(weights @ np.abs(found - 0.5 * plain) * width)
    error = size_of((plain - inner @ found) * width)
    if spread != 0.0 and error != 0.0:
        error = spread * min(1.0, (200.0 * error / spread) ** 1.5)
    size = size_of(sizes)
    if size > TINY / (50.0 * EPS):
        error = max(50.0 * EPS * size, error)
    return total * half, error, size


def halved(f, a, b, epsabs, epsrel, limit, of_nodes, zero):
    """The value and its error, of as many intervals as it takes; the one that errs most is halved next."""
    starts, ends, errors = np.zeros(limit), np.zeros(limit), np.zeros(limit)
    values = np.zeros((limit, *np.shape(zero)))
    starts[0], ends[0] = a, b
    value, error, size, allowed = values[0] * 1.0, np.inf, 0.0, 0.0
    count, worst = 0, 0
    while count == 0 or error > allowed and error > 100.0 * EPS * size and count < limit:
        if count > 0:
            worst = np.argmax(errors)
            starts[count], ends[count] = 0.5 * (starts[worst] + ends[worst]), ends[worst]
            ends[worst] = starts[count]
        for side in range(1 if count == 0 else 2):
            k = worst if side == 0 else count
            part, error_of_part, size_of_part = applied(f, starts[k], ends[k], of_nodes, zero)
            values[k], errors[k] = part, error_of_part
            size = size_of_part if count == 0 else size
        count += 1
        value, error = np.sum(values, axis=0), np.sum(errors)
        allowed = max(epsabs, epsrel * size_of(stop_gradient(value)))
    return value, error


def dblquad(func, a, b, gfun, hfun, args=(), epsabs=1.49e-8, epsrel=1.49e-8):
    """The integral of func(y, x, *args) over y from gfun(x) to hfun(x) and x from `a` to `b`: (value, error).

    gfun, hfun   functions of x, or numbers
    """
    low = gfun if callable(gfun) else lambda x: gfun
    high = hfun if callable(hfun) else lambda x: hfun
    inside = lambda x: quad(lambda y: func(y, x, *args), low(x), high(x), (), 0, epsabs, epsrel)[0]  # noqa: E731
    return quad(inside, a, b, (), 0, epsabs, epsrel)


def quad_vec(f, a, b, epsabs=1e-200, epsrel=1e-8, norm="2", limit=10000, args=()):
    """The integral of a function that gives an array, and how near it is in the norm: (value, error).

    Of two finite ends; at most 1000 intervals.
    """
    if norm != "2":
        static.refuse("U012", '`quad_vec` measures errors by norm="2" here')
    if abs(a) == np.inf or abs(b) == np.inf:
        raise ValueError("`quad_vec` takes finite ends here: use `quad` for each component")
    of_all = lambda x: np.asarray(f(x, *args), np.float64)  # noqa: E731
    zero = np.zeros(np.shape(of_all(0.5 * (a + b))))
    return halved(of_all, a * 1.0, b * 1.0, epsabs, epsrel, min(limit, 1000), RULE_21, zero)
