"""Random numbers of the other families of distributions that follow from a few draws, each a function of a key.

    exponential(key, (n,))    ->    -log1p(-uniform)
    cauchy(key, (n,))         ->    tan(pi * (uniform - 1/2))

Algorithms are JAX's, so that the numbers are, to the last digits.  Parameters broadcast to the shape; where none is
asked for it is theirs.
"""

import math

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import operand
from .random_bits import lengths_of, split
from .random_draws import bernoulli, floats_word, normal, unit_floats
from .random_draws import uniform as spread
from .random_normal import erfinv


def parameters(word, *values):
    """Parameters of a distribution, in the dtype that is drawn."""
    return tuple([op.cast(operand(value), dtype=word) for value in values])


def shape_for(shape, *values):
    """The shape that is asked for, or that of the parameters."""
    return np.broadcast_shapes(*[np.shape(v) for v in values]) if shape is None else lengths_of(shape)


def constant(value, word):
    return op.cast(value, dtype=word)


def exponential(key, shape=(), dtype=float):
    """Numbers of the exponential distribution with mean 1: floats of a shape.  Source: `jax.random.exponential`."""
    return -op.log1p(-unit_floats(key, lengths_of(shape), floats_word(dtype)))


def cauchy(key, shape=(), dtype=float):
    """Numbers of the Cauchy distribution: floats of a shape.  Source: `jax.random.cauchy`."""
    word = floats_word(dtype)
    u = spread(key, shape, word, float(static.limits(word).eps), 1.0)
    return op.tan(constant(math.pi, word) * (u - constant(0.5, word)))


def laplace(key, shape=(), dtype=float):
    """Numbers of the Laplace distribution: floats of a shape.  Source: `jax.random.laplace`."""
    word = floats_word(dtype)
    u = spread(key, shape, word, float(static.limits(word).epsneg) - 1.0, 1.0)
    return np.sign(u) * op.log1p(-op.absolute(u))


def logistic(key, shape=(), dtype=float):
    """Numbers of the logistic distribution: floats of a shape.  Source: `jax.random.logistic`."""
    word = floats_word(dtype)
    u = spread(key, shape, word, float(static.limits(word).tiny), 1.0)
    return op.log(u) - op.log1p(-u)


def truncated_normal(key, lower, upper, shape=None, dtype=float):
    """Normal numbers between `lower` and `upper`: floats.  Source: `jax.random.truncated_normal`."""
    word, shape = floats_word(dtype), shape_for(shape, lower, upper)
    lower, upper = parameters(word, lower, upper)
    root = constant(math.sqrt(2.0), word)
    low, high = op.cast(op.erf(lower / root), dtype=word), op.cast(op.erf(upper / root), dtype=word)
    drawn = root * erfinv(spread(key, shape, word, low, high))
    least = op.nextafter(op.stop_gradient(lower), constant(np.inf, word))
    most = op.nextafter(op.stop_gradient(upper), constant(-np.inf, word))
    return op.minimum(op.maximum(least, drawn), most)


def pareto(key, b, shape=None, dtype=float):
    """Numbers of the Pareto distribution with the shape parameter `b`: floats.  Source: `jax.random.pareto`."""
    word, shape = floats_word(dtype), shape_for(shape, b)
    (b,) = parameters(word, b)
    return op.exp(exponential(key, shape, word) / b)


def rademacher(key, shape=(), dtype=int):
    """-1 or 1, each as likely as the other: numbers of a shape.  Source: `jax.random.rademacher`."""
    word = static.dtype_name(dtype)
    drawn = op.cast(bernoulli(key, 0.5, lengths_of(shape)), dtype=word)
    return constant(2, word) * drawn - constant(1, word)


def maxwell(key, shape=(), dtype=float):
    """Lengths of three normal numbers: floats of a shape.  Source: `jax.random.maxwell`."""
    return np.linalg.norm(normal(key, (*lengths_of(shape), 3), floats_word(dtype)), axis=-1)


def double_sided_maxwell(key, loc, scale, shape=(), dtype=float):
    """Numbers of the Maxwell distribution with either sign: floats of the shape and then that of the parameters.

    Source: `jax.random.double_sided_maxwell`.
    """
    word = floats_word(dtype)
    own = np.broadcast_shapes(np.shape(loc), np.shape(scale))
    shape = lengths_of(shape)
    shape = (*(own if len(shape) == 0 else shape), *own)
    loc, scale = parameters(word, loc, scale)
    keys = split(key)
    return rademacher(keys[1], shape, word) * maxwell(keys[0], shape, word) * scale + loc


def weibull_min(key, scale, concentration, shape=(), dtype=float):
    """Numbers of the Weibull distribution: floats of a shape.  Source: `jax.random.weibull_min`."""
    word = floats_word(dtype)
    scale, concentration = parameters(word, scale, concentration)
    return op.power(exponential(key, shape, word), constant(1.0, word) / concentration) * scale


def rayleigh(key, scale, shape=None, dtype=float):
    """Numbers of the Rayleigh distribution: floats.  Source: `jax.random.rayleigh`."""
    word, shape = floats_word(dtype), shape_for(shape, scale)
    (scale,) = parameters(word, scale)
    return scale * op.sqrt(op.log(unit_floats(key, shape, word)) * constant(-2.0, word))


def wald(key, mean, shape=None, dtype=float):
    """Numbers of the inverse Gaussian distribution with a mean and the scale 1: floats.

    Source: `jax.random.wald`; J. Michael, W. Schucany and R. Haas, Generating random variates using transformations
    with multiple roots (1976).
    """
    word, shape = floats_word(dtype), shape_for(shape, mean)
    (mean,) = parameters(word, mean)
    keys = split(key)
    z = unit_floats(keys[1], shape, word)
    y = op.square(normal(keys[0], shape, word))
    root = op.sqrt(constant(4.0, word) * mean * y + op.square(mean) * op.square(y))
    half = constant(2.0, word)
    x = mean + op.square(mean) * y / half - mean / half * root
    return op.where(z <= mean / (mean + x), x, op.square(mean) / x)


def geometric(key, p, shape=None, dtype=int):
    """How many trials there are up to the first success: ints of 1, 2, ...  Source: `jax.random.geometric`."""
    p = operand(p)
    word = static.element(p) if static.kind(p) == "float" and not static.is_weak(p) else "f64"
    shape = shape_for(shape, p)
    (p,) = parameters(word, p)
    u = unit_floats(key, shape, word)
    one = constant(1.0, word)
    u = op.where(u == constant(0.0, word), one, u)
    return op.cast(op.floor(op.log(u) / op.log1p(-p)) + one, dtype=static.dtype_name(dtype))


def triangular(key, left, mode, right, shape=None, dtype=float):
    """Numbers of the triangular distribution: floats.  Source: `jax.random.triangular`."""
    word, shape = floats_word(dtype), shape_for(shape, left, mode, right)
    left, mode, right = parameters(word, left, mode, right)
    u = unit_floats(key, shape, word)
    low = left + op.sqrt(u * (right - left) * (mode - left))
    high = right - op.sqrt((constant(1.0, word) - u) * (right - left) * (right - mode))
    return op.where(u < (mode - left) / (right - left), low, high)


def lognormal(key, sigma=1.0, shape=None, dtype=float):
    """Exponentials of normal numbers with the deviation `sigma`: floats.  Source: `jax.random.lognormal`."""
    word, shape = floats_word(dtype), shape_for(shape, sigma)
    (sigma,) = parameters(word, sigma)
    return op.exp(normal(key, shape, word) * sigma)


def multivariate_normal(key, mean, cov, shape=None, dtype=float, method="cholesky"):
    """Vectors of the normal distribution with a mean and a covariance: floats of shape (*shape, n).

    mean    of shape (..., n)
    cov     a matrix of shape (n, n)
    method  how the covariance is taken apart: "cholesky", "svd" or "eigh"

    Source: `jax.random.multivariate_normal`.
    """
    if method not in ("cholesky", "svd", "eigh"):
        raise ValueError("the method is 'cholesky', 'svd' or 'eigh'")
    word = floats_word(dtype)
    mean, cov = parameters(word, mean, cov)
    if static.rank(mean) < 1 or static.rank(cov) != 2:
        static.refuse("S002", "the mean is a vector and the covariance a matrix")
    n = mean.shape[-1]
    if cov.shape[0] != n or cov.shape[1] != n:
        raise ValueError("the covariance has as many rows and columns as the mean has elements")
    shape = tuple(mean.shape[:-1]) if shape is None else lengths_of(shape)
    drawn = normal(key, (*shape, n), word)
    return mean + np.einsum("ij,...j->...i", factor_of(cov, method), drawn)


def factor_of(cov, method):
    if method == "cholesky":
        return np.linalg.cholesky(cov)
    if method == "svd":
        u, s, _ = np.linalg.svd(cov)
        return u * op.sqrt(s)[None, :]
    values, vectors = np.linalg.eigh(cov)
    return vectors * op.sqrt(values)[None, :]


def orthogonal(key, n, shape=(), dtype=float, m=None):
    """A matrix with orthonormal rows or columns, each as likely as every other: floats of shape (n, m or n).

    Source: `jax.random.orthogonal`; F. Mezzadri, How to generate random matrices from the classical compact groups
    (2007).
    """
    if len(lengths_of(shape)) > 0:
        static.refuse("S002", "one matrix is drawn at a time", "use `vmap` over keys of `split`")
    columns = n if m is None else m
    q, r = np.linalg.qr(normal(key, (max(n, columns), min(n, columns)), floats_word(dtype)))
    q = q * np.sign(np.diagonal(r))[None, :]
    return q.T.copy() if n < columns else q
