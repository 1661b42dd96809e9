"""A derivative by hand: entmax, found by bisection and differentiated by the implicit function theorem
====================================================================================================

Between softmax (alpha = 1) and the projection onto the simplex (alpha = 2) lies entmax: of scores z it gives the
probabilities p_i = max((alpha - 1) z_i - t, 0) ** (1 / (alpha - 1)), where t is such that they add up to one. Bisection
finds t to the last bit, but its steps have no slope. That of the solution follows from the equation: with
s_i = p_i ** (2 - alpha) where p_i > 0, and 0 elsewhere, the Jacobian is diag(s) - s s^T / sum(s).
``custom_vjp`` takes it from there. For alpha = 1.5 the scores can be sorted instead, which is what we compare with.

Source: B. Peters, V. Niculae and A. Martins, Sparse Sequence-to-Sequence Models (ACL 2019), section 3.

``python samples/entmax.py``
"""

import functools

import numpy as np

from pellucid import compile, custom_vjp, grad


@functools.partial(custom_vjp, nondiff_argnums=(1,))
def entmax(z, alpha):
    """The probabilities of scores z, for 1 < alpha <= 2."""
    x = z * (alpha - 1.0)
    power = 1.0 / (alpha - 1.0)
    low = np.max(x) - 1.0
    width = 1.0 - len(z) ** (1.0 - alpha)
    for _ in range(60):
        width = 0.5 * width
        middle = low + width
        if np.sum(np.maximum(x - middle, 0.0) ** power) >= 1.0:
            low = middle
    p = np.maximum(x - low, 0.0) ** power
    return p / np.sum(p)


def entmax_forward(z, alpha):
    p = entmax(z, alpha)
    return p, p


def entmax_backward(alpha, p, p_bar):
    s = np.where(p > 0.0, np.where(p > 0.0, p, 1.0) ** (2.0 - alpha), 0.0)
    return (s * (p_bar - np.sum(s * p_bar) / np.sum(s)),)


entmax.defvjp(entmax_forward, entmax_backward)


@compile
def sorted_entmax(z):
    """The same for alpha = 1.5, by sorting: the largest support whose threshold leaves all of it positive."""
    x = np.sort(z / 2.0)[::-1]
    t = 0.0
    total = 0.0
    squares = 0.0
    for k in range(len(x)):
        total += x[k]
        squares += x[k] * x[k]
        count = k + 1.0
        mean = total / count
        delta = (1.0 - (squares - count * mean * mean)) / count
        if delta >= 0.0 and mean - np.sqrt(delta) <= x[k]:
            t = mean - np.sqrt(delta)
    return np.maximum(z / 2.0 - t, 0.0) ** 2


def loss(z, target, alpha):
    """How far the probabilities are from some others."""
    return np.sum((entmax(z, alpha) - target) ** 2)


def sorted_loss(z, target):
    return np.sum((sorted_entmax(z) - target) ** 2)


def differences(z, target, alpha, step=1e-6):
    """The gradient by central differences."""
    units = np.eye(len(z)) * step
    return np.array([loss(z + u, target, alpha) - loss(z - u, target, alpha) for u in units]) / (2.0 * step)


def main():
    rng = np.random.default_rng(1)
    z, target = rng.normal(size=8) * 1.5, np.full(8, 0.125)
    slope = grad(loss)
    print("alpha   support   largest error of the gradient, against differences")
    for alpha in (1.1, 1.5, 2.0):
        p = compile(entmax)(z, alpha)
        error = np.max(np.abs(slope(z, target, alpha) - differences(z, target, alpha)))
        print(f"{alpha:5.1f}   {np.count_nonzero(p):2d} of {len(p)}   {error:.1e}")
    value = np.max(np.abs(compile(entmax)(z, 1.5) - sorted_entmax(z)))
    slopes = np.max(np.abs(slope(z, target, 1.5) - grad(sorted_loss)(z, target)))
    print(f"\nalpha = 1.5 against its sorting form: values within {value:.1e}, gradients within {slopes:.1e}")
    print("\nThe derivative, as Pellucid wrote it:\n")
    print(slope.source("reverse", z, target, 1.5))


if __name__ == "__main__":
    main()
