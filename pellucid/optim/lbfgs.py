"""L-BFGS: steps by an approximate inverse of the Hessian, made of the last steps and differences of slopes.

    updates, state = optimizer.update(slopes, state, params, value=value, value_fn=loss)

With `value_fn` the step is shortened until the value falls enough; without, it is a learning rate times the direction.
Source: J. Nocedal and S. Wright, Numerical Optimization (2006), algorithms 7.4, 7.5 and 3.1.
"""

from typing import Any, NamedTuple

import numpy as np

from .. import tree
from .base import Optimizer, apply_updates, with_slopes


class LbfgsState(NamedTuple):
    """How many steps there were, the last parameters and slopes, and the last differences of both.

    steps, changes  (memory_size, n): rows by count, modulo the number of rows
    weights         (memory_size,): 1 / (step @ change), or 0 where there is none
    """

    count: int  # type: ignore[assignment]
    params: Any
    slopes: Any
    steps: Any
    changes: Any
    weights: Any


def flat(params):
    """All numbers that have slopes in one vector, and the function that puts them back."""
    return tree.ravel(with_slopes(params))


def two_loops(slope, state, identity_scale):
    """The slope times the approximate inverse of the Hessian, which begins with `identity_scale` times the identity."""
    size = len(state.weights)
    alphas = np.zeros(size, slope.dtype)
    direction = slope
    for back in range(1, size + 1):
        k = (state.count - back) % size
        alphas[k] = state.weights[k] * (state.steps[k] @ direction)
        direction = direction - alphas[k] * state.changes[k]
    direction = identity_scale * direction
    for back in range(size, 0, -1):
        k = (state.count - back) % size
        beta = state.weights[k] * (state.changes[k] @ direction)
        direction = direction + (alphas[k] - beta) * state.steps[k]
    return direction


def lbfgs(learning_rate=1.0, memory_size=10, scale_init_precond=True, max_halvings=30):
    """L-BFGS with a learning rate, or with steps that are halved until the value falls enough (Armijo, 1e-4).

    memory_size         how many of the last steps count
    scale_init_precond  begin with the identity scaled to the last curvature, in the first step to a slope of length 1
    max_halvings        after so many the step is taken as it is

    A step along which the slope does not grow is not remembered: the approximation stays positive definite.
    """

    def init(params):
        start, _ = flat(params)
        memory = np.zeros((memory_size, len(start)), start.dtype)
        return LbfgsState(0, start, np.zeros_like(start), memory, memory, np.zeros(memory_size, start.dtype))

    def update(updates, state, params, value=None, value_fn=None):
        slope, back = tree.ravel(updates)
        here, _ = flat(params)
        steps, changes, weights = state.steps.copy(), state.changes.copy(), state.weights.copy()
        identity_scale = 1.0
        if state.count > 0:
            k = (state.count - 1) % memory_size
            step, change = here - state.params, slope - state.slopes
            curvature = step @ change
            steps[k], changes[k] = step, change
            weights[k] = 1.0 / curvature if curvature > 0.0 else 0.0
            if scale_init_precond and curvature > 0.0:
                identity_scale = float(curvature / (change @ change))
        elif scale_init_precond:
            identity_scale = float(1.0 / np.maximum(np.sqrt(slope @ slope), 1.0))
        state = LbfgsState(state.count, here, slope, steps, changes, weights)
        direction = -two_loops(slope, state, identity_scale)
        size = learning_rate
        if value_fn is not None:
            start = value_fn(params) if value is None else value
            expected = 1e-4 * (slope @ direction)
            for _ in range(max_halvings):
                if value_fn(apply_updates(params, back(size * direction))) <= start + size * expected:
                    break
                size = 0.5 * size
        return back(size * direction), LbfgsState(state.count + 1, here, slope, steps, changes, weights)

    return Optimizer(init, update)
