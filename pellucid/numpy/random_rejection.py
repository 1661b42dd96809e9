"""Random numbers that are drawn until one fits: gamma and Poisson ones, and what is made of them.

    gamma(key, a)     ->    for each number a key of its own:  d v**3  of a normal number, drawn again until it fits
    poisson(key, lam) ->    products of uniform numbers for small rates, transformed rejection for others

Algorithms and keys are JAX's, so that the numbers are, to the last digits, unless rounding decides otherwise about one.
"""

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import number, operand
from .random_bits import count_of, lengths_of, one_key, split, words_at
from .random_draws import floats_word, normal, quantile
from .random_families import constant, exponential, parameters, rademacher, shape_for

# --- gamma ---------------------------------------------------------------------------------------------------------


def gamma(key, a, shape=None, dtype=float):
    """Numbers of the gamma distribution with the shape parameter `a` and the scale 1: floats.

    Source: `jax.random.gamma`; G. Marsaglia and W. Tsang, A simple method for generating gamma variables (2000).
    """
    return gammas(key, a, shape, floats_word(dtype), False)


def loggamma(key, a, shape=None, dtype=float):
    """Logarithms of numbers of the gamma distribution, exact where those are too small for a float.

    Source: `jax.random.loggamma`.
    """
    return gammas(key, a, shape, floats_word(dtype), True)


def gammas(key, a, shape, word, is_logarithm):
    shape = shape_for(shape, a)
    (a,) = parameters(word, op.drawn(operand(a)))
    alphas = op.reshape(np.array(np.broadcast_to(a, shape)), shape=(count_of(shape),))
    k0, k1 = one_key(key)
    out = op.empty(shape=(len(alphas),), dtype=word)
    for i in range(len(alphas)):
        first, second = words_at(k0, k1, np.int64(i))
        out[i] = one_gamma(first, second, alphas[i], word, is_logarithm)
    return number(op.reshape(out, shape=shape))


def new_key(key, place):
    """The key at a place among those that a key is split into."""
    return words_at(key[0], key[1], np.int64(place))


def one_uniform(key, word):
    """A float in [0, 1) by a key, as two words."""
    high, low = new_key(key, 0)
    if word == "f64":
        bits = op.cast(high, dtype="u64") << np.uint64(32) | op.cast(low, dtype="u64")
        return op.cast(bits >> np.uint64(12), dtype="f64") * 2.0**-52
    return op.cast((high ^ low) >> np.uint32(9), dtype="f32") * np.float32(2.0**-23)


def one_normal(key, word):
    return quantile(one_uniform(key, word), word)


def one_gamma(k0, k1, alpha, word, is_logarithm):
    """A number by a key of its own; for `a` below 1 that of a + 1, made smaller by a power of a uniform number."""
    one, third = constant(1.0, word), constant(1.0 / 3.0, word)
    key, last = new_key((k0, k1), 0), new_key((k0, k1), 1)
    is_large = alpha >= one
    d = op.where(is_large, alpha, alpha + one) - third
    c = third / op.sqrt(d)
    square, cube, u = constant(0.0, word), one, constant(2.0, word)
    while is_rejected(square, cube, u, d, word):
        x_key, u_key = new_key(key, 1), new_key(key, 2)
        key = new_key(key, 0)
        x, v = constant(0.0, word), -one
        while v <= constant(0.0, word):
            x = one_normal(new_key(x_key, 1), word)
            x_key = new_key(x_key, 0)
            v = one + x * c
        square, cube = x * x, v * v * v
        u = one_uniform(u_key, word)
    kept = one - one_uniform(last, word)
    if is_logarithm:
        less = op.log1p(-one_uniform(last, word))
        is_none = op.logical_or(is_large, less == constant(0.0, word))
        return op.log(d) + op.log(cube) + op.where(is_none, constant(0.0, word), less * (one / alpha))
    return d * cube * op.where(is_large, one, op.power(kept, one / alpha))


def is_rejected(square, cube, u, d, word):
    one = constant(1.0, word)
    if u < one - constant(0.0331, word) * (square * square):
        return False
    return op.log(u) >= square * constant(0.5, word) + d * (one - cube + op.log(cube))


def beta(key, a, b, shape=None, dtype=float):
    """Numbers of the beta distribution: floats.  Source: `jax.random.beta`."""
    word, shape = floats_word(dtype), shape_for(shape, a, b)
    keys = split(key)
    first, second = loggamma(keys[0], a, shape, word), loggamma(keys[1], b, shape, word)
    top = op.maximum(first, second)
    first, second = op.exp(first - top), op.exp(second - top)
    return first / (first + second)


def dirichlet(key, alpha, shape=None, dtype=float):
    """Vectors of the Dirichlet distribution: floats of shape (*shape, n).

    alpha  of shape (..., n)

    Source: `jax.random.dirichlet`.
    """
    word, alpha = floats_word(dtype), operand(alpha)
    if not static.is_array(alpha) or static.rank(alpha) == 0:
        static.refuse("S002", "alpha has at least one axis")
    lengths = tuple(alpha.shape)
    front = lengths[:-1] if shape is None else lengths_of(shape)
    drawn = loggamma(key, alpha, (*front, lengths[-1]), word)
    parts = op.exp(drawn - np.max(drawn, axis=-1, keepdims=True))
    return parts / np.sum(parts, axis=-1, keepdims=True)


def chisquare(key, df, shape=None, dtype=float):
    """Numbers of the chi-square distribution with `df` degrees of freedom: floats.  Source: `jax.random.chisquare`."""
    word = floats_word(dtype)
    (df,) = parameters(word, df)
    two = constant(2.0, word)
    return op.exp(loggamma(key, df / two, shape, word)) * two


def t(key, df, shape=None, dtype=float):
    """Numbers of Student's distribution with `df` degrees of freedom: floats.  Source: `jax.random.t`."""
    word, shape = floats_word(dtype), shape_for(shape, df)
    (df,) = parameters(word, df)
    keys, half = split(key), df / constant(2.0, word)
    return normal(keys[0], shape, word) * op.sqrt(half / gamma(keys[1], half, shape, word))


def f(key, dfnum, dfden, shape=None, dtype=float):
    """Numbers of Fisher's distribution: floats.  Source: `jax.random.f`."""
    word, shape = floats_word(dtype), shape_for(shape, dfnum, dfden)
    dfnum, dfden = parameters(word, dfnum, dfden)
    keys = split(key)
    return chisquare(keys[1], dfnum, shape, word) / dfnum / (chisquare(keys[0], dfden, shape, word) / dfden)


def generalized_normal(key, p, shape=(), dtype=float):
    """Numbers with the density exp(-abs(x)**p), up to a factor: floats of a shape.

    Source: `jax.random.generalized_normal`.
    """
    word = floats_word(dtype)
    (p,) = parameters(word, p)
    keys, one = split(key), constant(1.0, word)
    size = gamma(keys[0], one / p, lengths_of(shape), word)
    return rademacher(keys[1], shape, word) * op.power(size, one / p)


def ball(key, d, p=2, shape=(), dtype=float):
    """Points that are spread evenly over the unit ball of the norm `p`: floats of shape (*shape, d).

    Source: `jax.random.ball`; F. Barthe and others, A probabilistic approach to the geometry of the l_p^n ball (2005).
    """
    word, shape = floats_word(dtype), lengths_of(shape)
    (power,) = parameters(word, p)
    keys, one = split(key), constant(1.0, word)
    g = generalized_normal(keys[0], power, (*shape, d), word)
    size = np.sum(op.power(op.absolute(g), power), axis=-1) + exponential(keys[1], shape, word)
    radius = op.power(size, one / power)
    return g / (radius if len(shape) == 0 else np.expand_dims(radius, -1))


# --- Poisson -------------------------------------------------------------------------------------------------------


def poisson(key, lam, shape=None, dtype=int):
    """Numbers of the Poisson distribution with the rate `lam`: ints; -1 where the rate is nan.

    Source: `jax.random.poisson`; D. Knuth, The art of computer programming, volume 2; W. Hoermann, The transformed
    rejection method for generating Poisson random variables (1993).
    """
    word, shape = static.dtype_name(dtype), shape_for(shape, lam)
    rates = op.cast(np.array(np.broadcast_to(operand(lam), shape)), dtype="f32")
    rates = op.reshape(rates, shape=(count_of(shape),))
    out = op.zeros(shape=(len(rates),), dtype=word)
    small, large = one_key(key), one_key(key)
    for i in range(len(rates)):
        rate = rates[i]
        if rate != rate:
            out[i] = op.cast(-1, dtype=word)
        elif rate < np.float32(10.0):
            out[i] = op.cast(product_count(small, i, rate), dtype=word)
        else:
            out[i] = op.cast(transformed_count(large, i, rate), dtype=word)
    return number(op.reshape(out, shape=shape))


def single_at(key, i):
    """The float32 in [0, 1) that a key has at a place."""
    high, low = new_key(key, i)
    return op.cast((high ^ low) >> np.uint32(9), dtype="f32") * np.float32(2.0**-23)


def product_count(key, i, rate):
    """How many uniform numbers can be multiplied before the product is below exp(-rate)."""
    if rate == np.float32(0.0):
        return 0
    count, logarithm = -1, np.float32(0.0)
    while logarithm > -rate:
        part = new_key(key, 1)
        key = new_key(key, 0)
        count += 1
        logarithm = logarithm + op.log(single_at(part, i))
    return count


def transformed_count(key, i, rate):
    """A number under a hat that is fitted to the distribution."""
    half = np.float32(0.5)
    b = np.float32(0.931) + np.float32(2.53) * op.sqrt(rate)
    a = np.float32(-0.059) + np.float32(0.02483) * b
    inverse = np.float32(1.1239) + np.float32(1.1328) / (b - np.float32(3.4))
    most = np.float32(0.9277) - np.float32(3.6224) / (b - np.float32(2.0))
    while True:
        u_key, v_key = new_key(key, 1), new_key(key, 2)
        key = new_key(key, 0)
        u, v = single_at(u_key, i) - half, single_at(v_key, i)
        shifted = half - op.absolute(u)
        k = op.floor((np.float32(2.0) * a / shifted + b) * u + rate + np.float32(0.43))
        if shifted >= np.float32(0.07) and v <= most:
            return int(k)
        if k < np.float32(0.0) or shifted < np.float32(0.013) and v > shifted:
            continue
        s = op.log(v * inverse / (a / (shifted * shifted) + b))
        if s <= -rate + k * op.log(rate) - op.gammaln(k + np.float32(1.0)):
            return int(k)
