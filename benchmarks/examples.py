"""Functions of one example that are mapped over many, and the same in the words of JAX and Numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

SHARED_MATRIX, NETWORK, SYSTEMS, SERIES = (None, 0), (None, None, None, 0, 0), (None, None, None, 0), (*[None] * 4, 0)


def matrix_vector(w, x):
    return w @ x


def network_loss(w1, b1, w2, x, target):
    """Cross-entropy of a two-layer network at one example."""
    scores = np.tanh(x @ w1 + b1) @ w2
    top = np.max(scores)
    return np.log(np.sum(np.exp(scores - top))) + top - np.sum(target * scores)


def thomas(a, b, c, d):
    """The solution of a tridiagonal system: two recurrences."""
    n = d.shape[0]
    u = np.zeros(n)
    x = np.zeros(n)
    u[0] = c[0] / b[0]
    x[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * u[i - 1]
        u[i] = c[i] / m
        x[i] = (d[i] - a[i] * x[i - 1]) / m
    for i in range(n - 2, -1, -1):
        x[i] = x[i] - u[i] * x[i + 1]
    return x


def kalman(transition, observation, noise, spread, series):
    """The states that a Kalman filter estimates from a series of numbers."""
    n = transition.shape[0]
    state = np.zeros(n)
    covariance = np.eye(n)
    states = np.zeros((len(series), n))
    for t in range(len(series)):
        state = transition @ state
        covariance = transition @ covariance @ transition.T + noise
        gain = covariance @ observation / (observation @ covariance @ observation + spread)
        state = state + gain * (series[t] - observation @ state)
        covariance = covariance - np.outer(gain, observation @ covariance)
        states[t] = state
    return states


def newton(c):
    x = 1.0
    while abs(x * x - c) > 1e-12:
        x = 0.5 * (x + c / x)
    return x


def escape(x0, y0):
    """How many steps a point takes to leave the disc of radius 2, 200 at most."""
    x = 0.0
    y = 0.0
    count = 0
    while count < 200 and x * x + y * y <= 4.0:
        x, y = x * x - y * y + x0, 2.0 * x * y + y0
        count += 1
    return count


def oscillator(x, v):
    """Where van der Pol's oscillator is at the time 10, by Dormand and Prince's steps of the length that suits."""
    t = 0.0
    h = 0.1
    while t < 10.0:
        h = np.minimum(h, 10.0 - t)
        a = (1.0 - x * x) * v - x
        x2 = x + h * (v / 5)
        v2 = v + h * (a / 5)
        a2 = (1.0 - x2 * x2) * v2 - x2
        x3 = x + h * (3 / 40 * v + 9 / 40 * v2)
        v3 = v + h * (3 / 40 * a + 9 / 40 * a2)
        a3 = (1.0 - x3 * x3) * v3 - x3
        x4 = x + h * (44 / 45 * v - 56 / 15 * v2 + 32 / 9 * v3)
        v4 = v + h * (44 / 45 * a - 56 / 15 * a2 + 32 / 9 * a3)
        a4 = (1.0 - x4 * x4) * v4 - x4
        x5 = x + h * (19372 / 6561 * v - 25360 / 2187 * v2 + 64448 / 6561 * v3 - 212 / 729 * v4)
        v5 = v + h * (19372 / 6561 * a - 25360 / 2187 * a2 + 64448 / 6561 * a3 - 212 / 729 * a4)
        a5 = (1.0 - x5 * x5) * v5 - x5
        x6 = x + h * (9017 / 3168 * v - 355 / 33 * v2 + 46732 / 5247 * v3 + 49 / 176 * v4 - 5103 / 18656 * v5)
        v6 = v + h * (9017 / 3168 * a - 355 / 33 * a2 + 46732 / 5247 * a3 + 49 / 176 * a4 - 5103 / 18656 * a5)
        a6 = (1.0 - x6 * x6) * v6 - x6
        x7 = x + h * (35 / 384 * v + 500 / 1113 * v3 + 125 / 192 * v4 - 2187 / 6784 * v5 + 11 / 84 * v6)
        v7 = v + h * (35 / 384 * a + 500 / 1113 * a3 + 125 / 192 * a4 - 2187 / 6784 * a5 + 11 / 84 * a6)
        a7 = (1.0 - x7 * x7) * v7 - x7
        lost = 71 / 57600 * v - 71 / 16695 * v3 + 71 / 1920 * v4 - 17253 / 339200 * v5 + 22 / 525 * v6 - v7 / 40
        more = 71 / 57600 * a - 71 / 16695 * a3 + 71 / 1920 * a4 - 17253 / 339200 * a5 + 22 / 525 * a6 - a7 / 40
        error = h * np.sqrt(lost * lost + more * more) / 1e-6
        if error <= 1.0:
            t = t + h
            x = x7
            v = v7
        h = h * np.minimum(5.0, np.maximum(0.2, 0.9 * (error + 1e-12) ** -0.2))
    return x


# --- in JAX's words ------------------------------------------------------------------------------------------------


def thomas_in_jax(jax: Any) -> Callable[..., Any]:
    jnp = jax.numpy

    def down(carry: Any, row: Any) -> Any:
        (u, x), (a, b, c, d) = carry, row
        m = b - a * u
        return (c / m, (d - a * x) / m), (c / m, (d - a * x) / m)

    def up(x: Any, row: Any) -> Any:
        u, own = row
        return own - u * x, own - u * x

    def solve(a: Any, b: Any, c: Any, d: Any) -> Any:
        first = c[0] / b[0], d[0] / b[0]
        _, (us, xs) = jax.lax.scan(down, first, (a[1:], b[1:], c[1:], d[1:]))
        us, xs = jnp.concatenate([first[0][None], us]), jnp.concatenate([first[1][None], xs])
        _, solved = jax.lax.scan(up, xs[-1], (us[:-1], xs[:-1]), reverse=True)
        return jnp.concatenate([solved, xs[-1:]])

    return solve


def kalman_in_jax(jax: Any) -> Callable[..., Any]:
    jnp = jax.numpy

    def filtered(transition: Any, observation: Any, noise: Any, spread: Any, series: Any) -> Any:
        def step(carry: Any, seen: Any) -> Any:
            state, covariance = transition @ carry[0], transition @ carry[1] @ transition.T + noise
            gain = covariance @ observation / (observation @ covariance @ observation + spread)
            state = state + gain * (seen - observation @ state)
            return (state, covariance - jnp.outer(gain, observation @ covariance)), state

        n = transition.shape[0]
        return jax.lax.scan(step, (jnp.zeros(n), jnp.eye(n)), series)[1]

    return filtered


def newton_in_jax(jax: Any) -> Callable[..., Any]:
    def root(c: Any) -> Any:
        start = jax.numpy.ones_like(c)
        return jax.lax.while_loop(lambda x: abs(x * x - c) > 1e-12, lambda x: 0.5 * (x + c / x), start)

    return root


def escape_in_jax(jax: Any) -> Callable[..., Any]:
    def steps(x0: Any, y0: Any) -> Any:
        def stays(state: Any) -> Any:
            x, y, count = state
            return (count < 200) & (x * x + y * y <= 4.0)

        def step(state: Any) -> Any:
            x, y, count = state
            return x * x - y * y + x0, 2.0 * x * y + y0, count + 1

        zero = jax.numpy.zeros_like(x0)
        return jax.lax.while_loop(stays, step, (zero, zero, 0))[2]

    return steps


STAGES = np.array([  # of Dormand and Prince's step: what each takes of the slopes before it
    [0, 0, 0, 0, 0, 0], [1 / 5, 0, 0, 0, 0, 0], [3 / 40, 9 / 40, 0, 0, 0, 0], [44 / 45, -56 / 15, 32 / 9, 0, 0, 0],
    [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0],
    [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0],
    [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
])  # fmt: skip
ERRORS = np.array([71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])


def oscillator_in_jax(jax: Any) -> Callable[..., Any]:
    jnp = jax.numpy

    def slope(place: Any) -> Any:
        x, v = place
        return jnp.stack([v, (1.0 - x * x) * v - x])

    def step(state: Any) -> Any:
        t, h, place = state
        h = jnp.minimum(h, 10.0 - t)
        slopes: list[Any] = []
        for row in STAGES:
            reached = place + h * sum((part * k for part, k in zip(row, slopes) if part), jnp.zeros(2))
            slopes.append(slope(reached))
        lost = sum(part * k for part, k in zip(ERRORS, slopes) if part)
        error = h * jnp.sqrt(jnp.sum(lost * lost)) / 1e-6
        good = error <= 1.0
        longer = h * jnp.clip(0.9 * (error + 1e-12) ** -0.2, 0.2, 5.0)
        return jnp.where(good, t + h, t), longer, jnp.where(good, reached, place)

    def place(x: Any, v: Any) -> Any:
        start = jnp.zeros_like(x), jnp.full_like(x, 0.1), jnp.stack([x, v])
        return jax.lax.while_loop(lambda state: state[0] < 10.0, step, start)[2][0]

    return place


JAX_VERSIONS = {
    "thomas": thomas_in_jax, "kalman": kalman_in_jax, "newton": newton_in_jax, "escape": escape_in_jax,
    "oscillator": oscillator_in_jax,
}  # fmt: skip


# --- in Numba's: the loop over the examples ------------------------------------------------------------------------


def newton_in_numba(numba: Any) -> Callable[..., Any]:
    root = numba.njit(newton)

    def roots(c):
        out = np.empty(len(c))
        for k in range(len(c)):
            out[k] = root(c[k])
        return out

    return numba.njit(roots)


def escape_in_numba(numba: Any) -> Callable[..., Any]:
    steps = numba.njit(escape)

    def all_steps(x0, y0):
        out = np.empty(len(x0), np.int64)
        for k in range(len(x0)):
            out[k] = steps(x0[k], y0[k])
        return out

    return numba.njit(all_steps)


def oscillator_in_numba(numba: Any) -> Callable[..., Any]:
    place = numba.njit(oscillator)

    def places(x, v):
        out = np.empty(len(x))
        for k in range(len(x)):
            out[k] = place(x[k], v[k])
        return out

    return numba.njit(places)


NUMBA_VERSIONS = {"newton": newton_in_numba, "escape": escape_in_numba, "oscillator": oscillator_in_numba}


# --- arguments -----------------------------------------------------------------------------------------------------


def a_matrix_and_vectors(rng):
    return rng.standard_normal((1000, 1000)), rng.standard_normal((256, 1000))


def a_network_and_digits(rng):
    weights = rng.standard_normal((64, 32)) / 8.0, np.zeros(32), rng.standard_normal((32, 10)) / 6.0
    return *weights, rng.random((256, 64)), np.eye(10)[rng.integers(0, 10, 256)]


def systems(rng):
    a, c = rng.standard_normal((2, 200))
    return a, a + 6.0, c, rng.standard_normal((10_000, 200))


def series(rng):
    transition = np.eye(4) + 0.01 * rng.standard_normal((4, 4))
    return transition, rng.standard_normal(4), 0.1 * np.eye(4), 0.5, rng.standard_normal((64, 1000))


def numbers(rng):
    return (rng.uniform(0.5, 4.0, 10_000),)


def starts(rng):
    return tuple(rng.uniform(-2.0, 2.0, (2, 10_000)))


def points(rng):
    x, y = np.meshgrid(np.linspace(-2.0, 0.5, 400), np.linspace(-1.25, 1.25, 400))
    return x.ravel(), y.ravel()
