"""Activation functions under the names of `jax.nn`, with its values and its slopes at kinks.

    relu(x)     ->     np.where(x > 0, x, 0)        whose slope at 0 is 0

All take arrays of floats of any shape, elementwise where nothing else is said, and keep their dtype.
"""

import numpy as np

from .. import lax


def identity(x):
    """x itself."""
    return x


def relu(x):
    """max(x, 0), with slope 0 at 0."""
    return np.where(x > 0, x, 0)


def relu6(x):
    """min(max(x, 0), 6), with slope 0 at both ends."""
    return np.where(x > 0, np.where(x < 6, x, 6), 0)


def sigmoid(x):
    """1 / (1 + exp(-x)), by tanh, which does not overflow."""
    return 0.5 + 0.5 * np.tanh(0.5 * x)


def softplus(x):
    """log(1 + exp(x)) without overflow."""
    return np.logaddexp(x, 0)


def sparse_plus(x):
    """0 below -1, (x + 1)**2 / 4 up to 1, and x above."""
    return np.where(x <= -1, 0, np.where(x >= 1, x, (x + 1) ** 2 / 4))


def sparse_sigmoid(x):
    """(x + 1) / 2 between 0 and 1: the slope of `sparse_plus`."""
    return 0.5 * np.clip(x + 1, 0, 2)


def soft_sign(x):
    """x / (1 + |x|)."""
    return x / (np.abs(x) + 1)


def silu(x):
    """x * sigmoid(x)."""
    return x * sigmoid(x)


swish = silu


def log_sigmoid(x):
    """log(sigmoid(x)) without overflow."""
    return -softplus(-x)


def leaky_relu(x, negative_slope=0.01):
    """x where it is not negative, `negative_slope` times x elsewhere."""
    return np.where(x >= 0, x, negative_slope * x)


def hard_tanh(x):
    """x between -1 and 1, and the ends outside."""
    return np.where(x > 1, 1, np.where(x < -1, -1, x))


def hard_sigmoid(x):
    """relu6(x + 3) / 6."""
    return relu6(x + 3) / 6


def hard_silu(x):
    """x * hard_sigmoid(x)."""
    return x * hard_sigmoid(x)


hard_swish = hard_silu


def elu(x, alpha=1.0):
    """x above 0, alpha * (exp(x) - 1) below."""
    return np.where(x > 0, x, alpha * np.expm1(np.where(x > 0, 0, x)))


def celu(x, alpha=1.0):
    """x above 0, alpha * (exp(x / alpha) - 1) below.  Source: Barron (2017), arXiv:1704.07483."""
    return np.where(x > 0, x, alpha * np.expm1(np.where(x > 0, 0, x) / alpha))


def selu(x):
    """`elu` scaled so that mean 0 and variance 1 are kept.  Source: Klambauer et al. (2017), arXiv:1706.02515."""
    return 1.0507009873554805 * elu(x, 1.6732632423543772)


def gelu(x, approximate=True):
    """x times the normal distribution function at x.

    approximate  by tanh, as JAX and GPT-2 do; else by erf.  Source: Hendrycks and Gimpel (2016), arXiv:1606.08415
    """
    if approximate:
        return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))
    return 0.5 * x * (1 + lax.erf(0.7071067811865476 * x))


def glu(x, axis=-1):
    """The first half of an axis times the sigmoid of its other half."""
    first, second = np.split(x, 2, axis=axis)
    return first * sigmoid(second)


def squareplus(x, b=4):
    """(x + sqrt(x**2 + b)) / 2."""
    return (x + np.sqrt(x * x + b)) / 2


def mish(x):
    """x * tanh(softplus(x))."""
    return x * np.tanh(softplus(x))


def logsumexp(x, axis=-1, keepdims=False):
    """log(sum(exp(x))) along an axis, without overflow."""
    highest = lax.stop_gradient(np.max(x, axis=axis, keepdims=True))
    total = np.log(np.sum(np.exp(x - highest), axis=axis, keepdims=True)) + highest
    return total if keepdims else np.squeeze(total, axis=axis)


def log_softmax(x, axis=-1):
    """x - log(sum(exp(x))) along an axis."""
    shifted = x - lax.stop_gradient(np.max(x, axis=axis, keepdims=True))
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


def softmax(x, axis=-1, where=None):
    """exp(x) / sum(exp(x)) along an axis.

    where  what counts, broadcast with x; the rest gets 0, and a row in which nothing counts is 0 throughout
    """
    if where is None:
        unnormalised = np.exp(x - lax.stop_gradient(np.max(x, axis=axis, keepdims=True)))
        return unnormalised / np.sum(unnormalised, axis=axis, keepdims=True)
    kept = np.where(where, x, np.finfo(x.dtype).min)
    highest = lax.stop_gradient(np.max(kept, axis=axis, keepdims=True))
    unnormalised = np.where(where, np.exp(kept - highest), 0)
    total = np.sum(unnormalised, axis=axis, keepdims=True)
    return unnormalised / np.where(total == 0, 1, total)


def standardize(x, axis=-1, epsilon=1e-5):
    """x with mean 0 and variance 1 along an axis."""
    centred = x - np.mean(x, axis=axis, keepdims=True)
    return centred / np.sqrt(np.mean(centred * centred, axis=axis, keepdims=True) + epsilon)


def one_hot(x, num_classes, dtype=np.float32):
    """Rows of zeros with a 1 at each number of x: ints of any shape -> (..., num_classes); outside of it all are 0."""
    return (np.asarray(x)[..., None] == np.arange(num_classes)).astype(dtype)
