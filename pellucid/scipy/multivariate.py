"""Distributions of vectors, and densities of samples: `multivariate_normal dirichlet gaussian_kde` of `scipy.stats`.

    multivariate_normal.logpdf(x, mean, cov)    ->    l = cholesky(cov);  z = solve_triangular(l, x - mean)
                                                      -sum(z^2) / 2 - sum(log(diag(l))) - d log(2 pi) / 2
    k = gaussian_kde(samples);  k(points)       ->    the mean of normal densities around the samples

Sources: D. Scott, Multivariate Density Estimation (1992); B. Silverman, Density Estimation (1986).
"""

from dataclasses import dataclass
from math import log, pi

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.manipulation import as_array, diagonal, ravel, squeeze, total, transposed
from ..numpy.statistics import cov as covariance
from .distributions import DRAW, in_doubles
from .special import logsumexp, xlogy


@dataclass(frozen=True)
class MultivariateNormal:
    """`cov` is a matrix of full rank, a vector (a diagonal) or a number."""

    name = "multivariate_normal"

    def __call__(self, mean=None, cov=1.0, allow_singular=False):
        return FrozenNormal(mean, cov, allow_singular)

    def logpdf(self, x, mean=None, cov=1.0, allow_singular=False):
        if allow_singular:
            static.refuse("U012", "scipy.stats.multivariate_normal takes matrices of full rank here")
        center, factor = self.parameters(mean, cov)
        is_line = static.rank(as_array(cov)) == 0 and (mean is None or static.rank(as_array(mean)) == 0)
        return self.of_factor(x, center, factor, is_line)

    def pdf(self, x, mean=None, cov=1.0, allow_singular=False):
        return op.exp(self.logpdf(x, mean, cov, allow_singular))

    def entropy(self, mean=None, cov=1.0):
        center, factor = self.parameters(mean, cov)
        return 0.5 * center.shape[0] * (log(2.0 * pi) + 1.0) + op.sum(op.log(diagonal(factor)))

    def rvs(self, *args, **kwds):
        static.refuse("U012", "multivariate_normal.rvs draws numbers from a generator that is outside", DRAW)

    def parameters(self, mean, cov):
        """The center and the lower triangle of the covariances."""
        cov = in_doubles(as_array(cov))
        if mean is not None:
            center = ravel(in_doubles(as_array(mean)))
        elif static.rank(cov) > 0:
            center = op.zeros(shape=(cov.shape[0],), dtype="f64")
        else:
            center = op.zeros(shape=(1,), dtype="f64")
        n = center.shape[0]
        one = op.eye(shape=(n, n), dtype="f64")
        matrix = cov if static.rank(cov) == 2 else one * cov
        if matrix.shape[0] != n or matrix.shape[1] != n:
            raise ValueError(f"Array 'mean' must be a vector of length {matrix.shape[0]}.")
        return center, op.cholesky(matrix)

    def of_factor(self, x, center, factor, is_line):
        """A vector is one point, and on a line points; a single row is one point, too."""
        x = in_doubles(as_array(x))
        n = center.shape[0]
        if static.rank(x) > 1:
            points = op.reshape(x, shape=(total(x.shape[:-1]), x.shape[-1]))
        elif static.rank(x) == 0:
            points = op.reshape(x, shape=(1, 1))
        else:
            points = x[:, None] if is_line else x[None, :]
        if points.shape[1] != n:
            raise ValueError(f"points of {points.shape[1]} numbers, but the mean has {n}: give a row for each point")
        z = op.solve_triangular(factor, transposed(points - center), lower=True)
        front = 0.5 * n * log(2.0 * pi) + op.sum(op.log(diagonal(factor)))
        found = -0.5 * op.sum(z * z, axis=0) - front
        if static.rank(x) > 1:
            return squeeze(op.reshape(found, shape=x.shape[:-1]))
        return found if static.rank(x) == 1 and is_line else found[0]


@dataclass(frozen=True)
class FrozenNormal:
    mean: object
    cov: object
    allow_singular: bool

    def logpdf(self, x):
        return MultivariateNormal().logpdf(x, self.mean, self.cov, self.allow_singular)

    def pdf(self, x):
        return op.exp(self.logpdf(x))

    def entropy(self):
        return MultivariateNormal().entropy(self.mean, self.cov)


@dataclass(frozen=True)
class Dirichlet:
    """Of shares that are one together; the last may be left out."""

    name = "dirichlet"

    def logpdf(self, x, alpha):
        x, alpha = as_array(in_doubles(x)), as_array(in_doubles(alpha))
        if x.shape[0] == alpha.shape[0] - 1:
            x = np.append(x, 1.0 - op.sum(x))
        if x.shape[0] != alpha.shape[0]:
            raise ValueError("Vector 'x' must have either the same number of entries as, or one entry fewer than, 'a'")
        if op.any(alpha <= 0.0):
            raise ValueError("All parameters must be greater than 0")
        if op.any(x < 0.0) or op.any(x > 1.0):
            raise ValueError("Each entry in 'x' must be between zero and one.")
        if op.absolute(op.sum(x) - 1.0) > 1e-9:
            raise ValueError("The input vector 'x' must lie within the normal simplex.")
        return op.sum(xlogy(alpha - 1.0, x)) - (op.sum(op.gammaln(alpha)) - op.gammaln(op.sum(alpha)))

    def pdf(self, x, alpha):
        return op.exp(self.logpdf(x, alpha))

    def mean(self, alpha):
        alpha = as_array(in_doubles(alpha))
        return alpha / op.sum(alpha)

    def var(self, alpha):
        alpha = as_array(in_doubles(alpha))
        whole = op.sum(alpha)
        return alpha * (whole - alpha) / (whole * whole * (whole + 1.0))

    def __call__(self, alpha):
        return FrozenDirichlet(alpha)


@dataclass(frozen=True)
class FrozenDirichlet:
    alpha: object

    def logpdf(self, x):
        return Dirichlet().logpdf(x, self.alpha)

    def pdf(self, x):
        return op.exp(self.logpdf(x))

    def mean(self):
        return Dirichlet().mean(self.alpha)

    def var(self):
        return Dirichlet().var(self.alpha)


multivariate_normal, dirichlet = MultivariateNormal(), Dirichlet()


# --- densities of samples --------------------------------------------------------------------------------------------


@dataclass
class Kernels:
    """Normal densities around samples, a column each."""

    dataset: np.ndarray
    weights: np.ndarray
    neff: float
    factor: float
    covariance: np.ndarray

    def evaluate(self, points):
        return op.exp(self.logpdf(points))

    def __call__(self, points):
        return self.evaluate(points)

    def pdf(self, x):
        return self.evaluate(x)

    def logpdf(self, x):
        points = columns_of(x)
        d = self.dataset.shape[0]
        if points.shape[0] != d:
            raise ValueError(f"points have dimension {points.shape[0]}, dataset has dimension {d}")
        factor = op.cholesky(self.covariance)
        samples = op.solve_triangular(factor, self.dataset, lower=True)
        places = op.solve_triangular(factor, points, lower=True)
        front = op.log(self.weights) - 0.5 * d * log(2.0 * pi) - op.sum(op.log(diagonal(factor)))
        out = op.empty(shape=(points.shape[1],), dtype="f64")
        for k in range(points.shape[1]):
            apart = samples - places[:, k][:, None]
            out[k] = logsumexp(front - 0.5 * op.sum(apart * apart, axis=0))
        return out


def columns_of(x):
    x = in_doubles(as_array(x))
    if static.rank(x) == 0:
        return op.reshape(x, shape=(1, 1))
    return x[None, :] if static.rank(x) == 1 else x


def gaussian_kde(dataset, bw_method=None, weights=None):
    """`bw_method`: "scott", "silverman", or the factor of the standard deviation."""
    samples = columns_of(dataset)
    d, n = samples.shape
    if n < 2:
        raise ValueError("`dataset` input should have multiple elements.")
    if weights is None:
        shares = np.full(n, 1.0 / n)
        neff = op.cast(n, dtype="f64")
    else:
        shares = in_doubles(weights)
        shares = shares / op.sum(shares)
        neff = 1.0 / op.sum(shares * shares)
    if bw_method is None or bw_method == "scott":
        factor = neff ** (-1.0 / (d + 4.0))
    elif bw_method == "silverman":
        factor = (neff * (d + 2.0) / 4.0) ** (-1.0 / (d + 4.0))
    elif static.is_text(bw_method):
        raise ValueError("`bw_method` should be 'scott', 'silverman', a scalar or a callable.")
    else:
        factor = in_doubles(bw_method)
    spread = np.reshape(covariance(samples, rowvar=True, bias=False, aweights=shares), (d, d))
    return Kernels(samples, shares, neff, factor, spread * factor * factor)
