"""The families of distributions that NumPy's generator draws from, with NumPy's numbers.

    rng.gamma(2.0, size=3)    ->    for each: Marsaglia and Tsang's rejection, from normal and uniform numbers

Numbers by rejection and counts have no derivatives by their parameters (G003); those that are formulas of uniform,
normal or exponential numbers have.  Sources: G. Marsaglia and W. Tsang, A simple method for generating gamma variables
(2000); W. Hoermann, The transformed rejection method for generating Poisson random variables (1993); M. Johnk (1964);
NumPy's `Generator`, whose order of draws this keeps.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .binomials import rejected_count, searched_count
from .elementary import operand
from .random_bits import count_of, lengths_of


def in_doubles(x):
    return op.cast(operand(x), dtype="f64")


def require(condition, message):
    if not np.all(condition):
        raise ValueError(message)


class Families:
    """Methods of a generator that has `next_float`, `next_normal` and `next_exponential`."""

    next_float: Callable[[], Any]
    next_normal: Callable[[], Any]
    next_exponential: Callable[[], Any]

    def each(self, one, size, word, *parameters):
        """What `one` gives for numbers of each parameter, in the order in which the elements lie."""
        if size is None:
            shape = np.broadcast_shapes(*[np.shape(p) for p in parameters])
            if all(static.rank(p) == 0 for p in parameters):
                return one(*parameters)
        else:
            shape = lengths_of(size)
        flat = [op.reshape(np.array(np.broadcast_to(p, shape)), shape=(count_of(shape),)) for p in parameters]
        out = op.empty(shape=(count_of(shape),), dtype=word)
        for i in range(out.shape[0]):
            out[i] = one(*[p[i] for p in flat])
        return op.reshape(out, shape=shape)

    # --- by rejection

    def next_positive(self):
        """Between 0 and 1, and neither."""
        u = self.next_float()
        while u == 0.0:
            u = self.next_float()
        return u

    def next_gamma(self, a):
        """One call of each kind of draw, so that it is compiled once."""
        b = max(a, 1.0) - 1.0 / 3.0
        c, found, is_over = 1.0 / np.sqrt(9.0 * b), 0.0, a == 0.0
        while not is_over:
            if a > 1.0:
                x = self.next_normal()
                v = 1.0 + c * x
                if v > 0.0:
                    v = v * v * v
                    u, square = self.next_float(), x * x
                    found = b * v
                    is_over = u < 1.0 - 0.0331 * square * square
                    if not is_over:
                        is_over = np.log(u) < 0.5 * square + b * (1.0 - v + np.log(v))
            else:
                u = self.next_float() if a < 1.0 else 0.0
                v = self.next_exponential()
                if a == 1.0:
                    found, is_over = v, True
                elif u <= 1.0 - a:
                    found = u ** (1.0 / a)
                    is_over = found <= v
                else:
                    y = -np.log((1.0 - u) / a)
                    found = (1.0 - a + a * y) ** (1.0 / a)
                    is_over = found <= v + y
        return found

    def two_gammas(self, a, b):
        found = np.zeros(2)
        for k in range(2):
            found[k] = self.next_gamma(a if k == 0 else b)
        return found[0], found[1]

    def next_beta(self, a, b):
        if a > 1.0 or b > 1.0:
            first, second = self.two_gammas(a, b)
            return first / (first + second)
        while True:
            u, v = self.next_float(), self.next_float()
            x, y = u ** (1.0 / a), v ** (1.0 / b)
            if x + y <= 1.0 and u + v > 0.0:
                if x + y > 0.0:
                    return x / (x + y)
                log_x, log_y = np.log(u) / a, np.log(v) / b
                top = max(log_x, log_y)
                return np.exp(log_x - top - np.log(np.exp(log_x - top) + np.exp(log_y - top)))

    def next_poisson(self, lam):
        if lam == 0.0:
            return 0
        if lam < 10.0:
            least, count, found = np.exp(-lam), 0, self.next_float()
            while found > least:
                count += 1
                found *= self.next_float()
            return count
        root, logarithm = np.sqrt(lam), np.log(lam)
        b = 0.931 + 2.53 * root
        a = -0.059 + 0.02483 * b
        inverse, limit = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2.0)
        while True:
            u, v = self.next_float() - 0.5, self.next_float()
            us = 0.5 - abs(u)
            k = np.floor((2.0 * a / us + b) * u + lam + 0.43)
            if us >= 0.07 and v <= limit:
                return int(k)
            if k >= 0.0 and (us >= 0.013 or v <= us):
                height = np.log(v) + np.log(inverse) - np.log(a / (us * us) + b)
                if height <= -lam + k * logarithm - op.gammaln(k + 1.0):
                    return int(k)

    def next_binomial(self, n, p):
        if n == 0 or p == 0.0:
            return 0
        less = p if p <= 0.5 else 1.0 - p
        count = searched_count(self, n, less) if less * n <= 30.0 else rejected_count(self, n, less)
        return count if p <= 0.5 else n - count

    def next_geometric(self, p):
        if p < 0.333333333333333333333333:
            return int(np.ceil(-self.next_exponential() / np.log1p(-p)))
        count, total, part, u = 1, p, p, self.next_float()
        while u > total:
            part *= 1.0 - p
            total += part
            count += 1
        return count

    def standard_gamma(self, shape, size=None, dtype=float):
        shape = op.drawn(in_doubles(shape))
        require(shape >= 0.0, "shape < 0")
        return self.each(self.next_gamma, size, "f64", shape)

    def gamma(self, shape, scale=1.0, size=None):
        shape, scale = op.drawn(in_doubles(shape)), in_doubles(scale)
        require(shape >= 0.0, "shape < 0")
        require(scale >= 0.0, "scale < 0")
        return self.each(lambda a, s: s * self.next_gamma(a), size, "f64", shape, scale)

    def chisquare(self, df, size=None):
        df = op.drawn(in_doubles(df))
        require(df > 0.0, "df <= 0")
        return self.each(lambda k: 2.0 * self.next_gamma(k / 2.0), size, "f64", df)

    def beta(self, a, b, size=None):
        a, b = op.drawn(in_doubles(a)), op.drawn(in_doubles(b))
        require(a > 0.0, "a <= 0")
        require(b > 0.0, "b <= 0")
        return self.each(self.next_beta, size, "f64", a, b)

    def standard_t(self, df, size=None):
        df = op.drawn(in_doubles(df))
        require(df > 0.0, "df <= 0")

        def one(k):
            x = self.next_normal()
            return np.sqrt(k / 2.0) * x / np.sqrt(self.next_gamma(k / 2.0))

        return self.each(one, size, "f64", df)

    def f(self, dfnum, dfden, size=None):
        dfnum, dfden = op.drawn(in_doubles(dfnum)), op.drawn(in_doubles(dfden))
        require(dfnum > 0.0, "dfnum <= 0")
        require(dfden > 0.0, "dfden <= 0")

        def one(m, n):
            above, below = self.two_gammas(m / 2.0, n / 2.0)
            return 2.0 * above * n / (2.0 * below * m)

        return self.each(one, size, "f64", dfnum, dfden)

    def dirichlet(self, alpha, size=None):
        """Shares along a last axis."""
        alpha = op.drawn(in_doubles(alpha))
        require(alpha > 0.0, "alpha < 0")
        if np.max(alpha) < 0.1:
            raise ValueError("dirichlet with all of alpha below 0.1 is not drawn here: NumPy breaks sticks there")
        lead = () if size is None else lengths_of(size)
        out = op.empty(shape=(count_of(lead), alpha.shape[0]), dtype="f64")
        for i in range(out.shape[0]):
            for j in range(alpha.shape[0]):
                out[i, j] = self.next_gamma(alpha[j])
            out[i] = out[i] / np.sum(out[i])
        return op.reshape(out, shape=(*lead, alpha.shape[0]))

    # --- counts

    def poisson(self, lam=1.0, size=None):
        lam = op.drawn(in_doubles(lam))
        require(lam >= 0.0, "lam < 0 or lam is NaN")
        return self.each(self.next_poisson, size, "i64", lam)

    def binomial(self, n, p, size=None):
        n, p = op.cast(operand(n), dtype="i64"), op.drawn(in_doubles(p))
        require(n >= 0, "n < 0")
        require(np.logical_and(p >= 0.0, p <= 1.0), "p < 0, p > 1 or p is NaN")
        return self.each(self.next_binomial, size, "i64", n, p)

    def negative_binomial(self, n, p, size=None):
        n, p = op.drawn(in_doubles(n)), op.drawn(in_doubles(p))
        require(n > 0.0, "n <= 0")
        require(np.logical_and(p > 0.0, p <= 1.0), "p <= 0, p > 1 or p is NaN")
        return self.each(
            lambda n, p: self.next_poisson((1.0 - p) / p * self.next_gamma(n)), size, "i64", n, p,
        )  # fmt: skip

    def geometric(self, p, size=None):
        p = op.drawn(in_doubles(p))
        require(np.logical_and(p > 0.0, p <= 1.0), "p <= 0, p > 1 or p contains NaNs")
        return self.each(self.next_geometric, size, "i64", p)

    def multinomial(self, n, pvals, size=None):
        """How often each of several things comes in n trials, along a last axis."""
        n, p = op.cast(operand(n), dtype="i64"), op.drawn(in_doubles(pvals))
        if static.rank(n) != 0 or static.rank(p) != 1:
            static.refuse("S002", "multinomial takes one number of trials and one vector of probabilities here")
        require(p >= 0.0, "pvals < 0, pvals > 1 or pvals contains NaNs")
        require(np.sum(p[:-1]) <= 1.0 + 1e-12, "sum(pvals[:-1]) > 1.0")
        lead, count = () if size is None else lengths_of(size), p.shape[0]
        out = op.zeros(shape=(count_of(lead), count), dtype="i64")
        for i in range(out.shape[0]):
            left, rest = n, 1.0
            for j in range(count - 1):
                if left > 0:
                    out[i, j] = self.next_binomial(left, p[j] / rest)
                    left = left - out[i, j]
                    rest = rest - p[j]
            out[i, count - 1] = left
        return op.reshape(out, shape=(*lead, count))

    # --- formulas

    def laplace(self, loc=0.0, scale=1.0, size=None):
        loc, scale = in_doubles(loc), in_doubles(scale)
        require(scale >= 0.0, "scale < 0")

        def one(m, s):
            u = self.next_positive()
            return m - s * np.log(2.0 - u - u) if u >= 0.5 else m + s * np.log(u + u)

        return self.each(one, size, "f64", loc, scale)

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        loc, scale = in_doubles(loc), in_doubles(scale)
        require(scale >= 0.0, "scale < 0")

        def one(m, s):
            u = 1.0 - self.next_positive()
            return m - s * np.log(-np.log(u))

        return self.each(one, size, "f64", loc, scale)

    def logistic(self, loc=0.0, scale=1.0, size=None):
        loc, scale = in_doubles(loc), in_doubles(scale)
        require(scale >= 0.0, "scale < 0")

        def one(m, s):
            u = self.next_positive()
            return m + s * np.log(u / (1.0 - u))

        return self.each(one, size, "f64", loc, scale)

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        mean, sigma = in_doubles(mean), in_doubles(sigma)
        require(sigma >= 0.0, "sigma < 0")
        return self.each(lambda m, s: np.exp(m + s * self.next_normal()), size, "f64", mean, sigma)

    def rayleigh(self, scale=1.0, size=None):
        scale = in_doubles(scale)
        require(scale >= 0.0, "scale < 0")
        return self.each(lambda s: s * np.sqrt(2.0 * self.next_exponential()), size, "f64", scale)

    def weibull(self, a, size=None):
        a = in_doubles(a)
        require(a > 0.0, "a < 0")
        return self.each(lambda a: self.next_exponential() ** (1.0 / a), size, "f64", a)

    def pareto(self, a, size=None):
        a = in_doubles(a)
        require(a > 0.0, "a <= 0")
        return self.each(lambda a: np.expm1(self.next_exponential() / a), size, "f64", a)

    def power(self, a, size=None):
        a = in_doubles(a)
        require(a > 0.0, "a <= 0")
        return self.each(lambda a: (-np.expm1(-self.next_exponential())) ** (1.0 / a), size, "f64", a)

    def standard_cauchy(self, size=None):
        def one(_):
            both = np.zeros(2)
            for k in range(2):
                both[k] = self.next_normal()
            return both[0] / both[1]

        return self.each(one, size, "f64", 0.0)

    def triangular(self, left, mode, right, size=None):
        left, mode, right = in_doubles(left), in_doubles(mode), in_doubles(right)
        require(left <= mode, "left > mode")
        require(mode <= right, "mode > right")
        require(left < right, "left == right")

        def one(a, c, b):
            u, whole = self.next_float(), b - a
            if u <= (c - a) / whole:
                return a + np.sqrt(u * ((c - a) * whole))
            return b - np.sqrt((1.0 - u) * ((b - c) * whole))

        return self.each(one, size, "f64", left, mode, right)
