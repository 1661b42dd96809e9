"""Optimisers under Optax's names, with its defaults and its numbers.

    adam(1e-3)     ->     chain(scale_by_adam(), scale_by_learning_rate(1e-3))

A learning rate is a number or a schedule.  Slopes are real.
"""

from typing import Any, NamedTuple

import numpy as np

from .. import tree
from .base import Optimizer, add_decayed_weights, chain, scale_by_learning_rate, stateless, with_slopes, zeros_like


class TraceState(NamedTuple):
    """The sum of what came, each step counting for less with the next."""

    trace: Any


def trace(decay, nesterov=False):
    """Momentum: updates + decay * trace.  Source: Polyak (1964); Nesterov (1983) by Sutskever et al. (2013)."""

    def update(updates, state, params=None):
        summed = tree.map(lambda t, u: u + decay * t, state.trace, updates)
        shown = tree.map(lambda u, t: u + decay * t, updates, summed) if nesterov else summed
        return shown, TraceState(summed)

    return Optimizer(lambda params: TraceState(zeros_like(params)), update)


class ScaleByAdamState(NamedTuple):
    """How many steps there were, and running means of the slopes and of their squares."""

    count: int  # type: ignore[assignment]
    mu: Any
    nu: Any


def scale_by_adam(b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, nesterov=False):
    """Means of slopes over roots of means of squares.  Source: Kingma and Ba (2014), arXiv:1412.6980.

    nesterov  look a step ahead: Dozat (2016), Incorporating Nesterov momentum into Adam
    """

    def update(updates, state, params=None):
        count = state.count + 1
        mu = tree.map(lambda m, u: b1 * m + (1 - b1) * u, state.mu, updates)
        nu = tree.map(lambda v, u: b2 * v + (1 - b2) * (u * u), state.nu, updates)
        first, second = 1 - b1**count, 1 - b2**count
        if nesterov:
            ahead = 1 - b1 ** (count + 1)
            mean = tree.map(lambda m, u: b1 * (m / ahead) + (1 - b1) * (u / first), mu, updates)
        else:
            mean = tree.map(lambda m: m / first, mu)
        scaled = tree.map(lambda m, v: m / (np.sqrt(v / second + eps_root) + eps), mean, nu)
        return scaled, ScaleByAdamState(count, mu, nu)

    return Optimizer(lambda params: ScaleByAdamState(0, zeros_like(params), zeros_like(params)), update)


def scale_by_adamax(b1=0.9, b2=0.999, eps=1e-8):
    """The same over the largest slope so far, which fades.  Source: Kingma and Ba (2014), arXiv:1412.6980."""

    def update(updates, state, params=None):
        count = state.count + 1
        mu = tree.map(lambda m, u: b1 * m + (1 - b1) * u, state.mu, updates)
        nu = tree.map(lambda v, u: np.maximum(np.abs(u) + eps, b2 * v), state.nu, updates)
        first = 1 - b1**count
        return tree.map(lambda m, v: m / first / v, mu, nu), ScaleByAdamState(count, mu, nu)

    return Optimizer(lambda params: ScaleByAdamState(0, zeros_like(params), zeros_like(params)), update)


class ScaleByRmsState(NamedTuple):
    """Running means of squares of slopes, or their sums."""

    nu: Any


class ScaleByStddevState(NamedTuple):
    """Running means of slopes and of their squares."""

    mu: Any
    nu: Any


def scale_by_rms(decay=0.9, eps=1e-8, initial_scale=0.0):
    """Slopes over roots of running means of their squares.  Source: Hinton (2012), lecture 6 of his course."""

    def update(updates, state, params=None):
        nu = tree.map(lambda v, u: decay * v + (1 - decay) * (u * u), state.nu, updates)
        return tree.map(lambda u, v: u / np.sqrt(v + eps), updates, nu), ScaleByRmsState(nu)

    return Optimizer(lambda params: ScaleByRmsState(zeros_like(params, initial_scale)), update)


def scale_by_stddev(decay=0.9, eps=1e-8, initial_scale=0.0):
    """Slopes over their running standard deviations.  Source: Graves (2013), arXiv:1308.0850."""

    def update(updates, state, params=None):
        mu = tree.map(lambda m, u: decay * m + (1 - decay) * u, state.mu, updates)
        nu = tree.map(lambda v, u: decay * v + (1 - decay) * (u * u), state.nu, updates)
        return tree.map(lambda u, m, v: u / np.sqrt(v - m * m + eps), updates, mu, nu), ScaleByStddevState(mu, nu)

    return Optimizer(lambda params: ScaleByStddevState(zeros_like(params), zeros_like(params, initial_scale)), update)


def scale_by_rss(initial_accumulator_value=0.1, eps=1e-7):
    """Slopes over roots of sums of their squares.  Source: Duchi et al. (2011), JMLR 12."""

    def update(updates, state, params=None):
        nu = tree.map(lambda v, u: v + u * u, state.nu, updates)
        scaled = tree.map(lambda u, v: np.where(v > 0, u / np.sqrt(v + eps), 0), updates, nu)
        return scaled, ScaleByRmsState(nu)

    return Optimizer(lambda params: ScaleByRmsState(zeros_like(params, initial_accumulator_value)), update)


def scale_by_lion(b1=0.9, b2=0.99):
    """Signs of means of slopes.  Source: Chen et al. (2023), arXiv:2302.06675."""

    def update(updates, state, params=None):
        signs = tree.map(lambda m, u: np.sign((1 - b1) * u + b1 * m), state.trace, updates)
        return signs, TraceState(tree.map(lambda m, u: (1 - b2) * u + b2 * m, state.trace, updates))

    return Optimizer(lambda params: TraceState(zeros_like(params)), update)


def scale_by_trust_ratio(trust_coefficient=1.0, eps=0.0):
    """Each array of updates with the length of its parameters.  Source: You et al. (2019), arXiv:1904.00962."""

    def scaled(u, p):
        of_p, of_u = np.sqrt(np.sum(p * p)), np.sqrt(np.sum(u * u))
        return u * np.where((of_p == 0) | (of_u == 0), 1, trust_coefficient * of_p / (of_u + eps))

    return stateless(lambda updates, params: tree.map(scaled, updates, with_slopes(params)))


# --- what is used -----------------------------------------------------------------------------------------------------


def sgd(learning_rate, momentum=None, nesterov=False):
    """Steps along the slopes, with momentum if there is any."""
    step = scale_by_learning_rate(learning_rate)
    return step if momentum is None else chain(trace(momentum, nesterov), step)


def momentum(learning_rate, decay=0.9, nesterov=False):
    """`sgd` with momentum."""
    return sgd(learning_rate, decay, nesterov)


def adam(learning_rate, b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, *, nesterov=False):
    """`scale_by_adam` and a learning rate."""
    return chain(scale_by_adam(b1, b2, eps, eps_root, nesterov), scale_by_learning_rate(learning_rate))


def nadam(learning_rate, b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0):
    """`adam` that looks a step ahead."""
    return adam(learning_rate, b1, b2, eps, eps_root, nesterov=True)


def adamw(
    learning_rate, b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, weight_decay=1e-4, mask=None, *, nesterov=False
):  # fmt: skip
    """Adam with decay of the weights beside it.  Source: Loshchilov and Hutter (2017), arXiv:1711.05101.

    mask  as in `add_decayed_weights`
    """
    return chain(
        scale_by_adam(b1, b2, eps, eps_root, nesterov),
        add_decayed_weights(weight_decay, mask),
        scale_by_learning_rate(learning_rate),
    )


def adamax(learning_rate, b1=0.9, b2=0.999, eps=1e-8):
    """`scale_by_adamax` and a learning rate."""
    return chain(scale_by_adamax(b1, b2, eps), scale_by_learning_rate(learning_rate))


def lamb(learning_rate, b1=0.9, b2=0.999, eps=1e-6, eps_root=0.0, weight_decay=0.0, mask=None):
    """Adam with steps as long as the parameters, for large batches.  Source: You et al. (2019), arXiv:1904.00962."""
    return chain(
        scale_by_adam(b1, b2, eps, eps_root),
        add_decayed_weights(weight_decay, mask),
        scale_by_trust_ratio(),
        scale_by_learning_rate(learning_rate),
    )


def rmsprop(
    learning_rate, decay=0.9, eps=1e-8, initial_scale=0.0, centered=False, momentum=None, nesterov=False
):  # fmt: skip
    """`scale_by_rms`, or `scale_by_stddev` where it is centered, a learning rate, and momentum if there is any."""
    first = scale_by_stddev if centered else scale_by_rms
    steps = [first(decay, eps, initial_scale), scale_by_learning_rate(learning_rate)]
    return chain(*steps) if momentum is None else chain(*steps, trace(momentum, nesterov))


def adagrad(learning_rate, initial_accumulator_value=0.1, eps=1e-7):
    """`scale_by_rss` and a learning rate."""
    return chain(scale_by_rss(initial_accumulator_value, eps), scale_by_learning_rate(learning_rate))


def lion(learning_rate, b1=0.9, b2=0.99, weight_decay=1e-3, mask=None):
    """`scale_by_lion` with decay of the weights."""
    return chain(scale_by_lion(b1, b2), add_decayed_weights(weight_decay, mask), scale_by_learning_rate(learning_rate))
