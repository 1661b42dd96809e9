"""What an optimiser is: two functions, as in Optax.

    state = optimizer.init(params)
    updates, state = optimizer.update(slopes, state, params)
    params = apply_updates(params, updates)

`chain` makes one of several, each taking what the one before returns.  Parameters are any container (`pellucid.tree`);
leaves that are no floats, and slopes that are None, are passed over.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import tree
from ..runtime.array import Array


class Optimizer(NamedTuple):
    """A pair of functions: `init(params) -> state` and `update(updates, state, params=None) -> (updates, state)`."""

    init: Callable[..., Any]
    update: Callable[..., Any]


def is_float(leaf):
    """Whether a leaf has slopes: a float, or an array of floats."""
    return isinstance(leaf, float | np.floating) or isinstance(leaf, np.ndarray | Array) and leaf.dtype.kind in "fc"


def zeros_like(params, value=0.0):
    """Containers like the parameters, with zeros, or another value, for what has slopes and None for the rest."""
    return tree.map(lambda p: filled_like(p, value) if is_float(p) else None, params)


def filled_like(leaf, value):
    return np.full(leaf.shape, value, leaf.dtype) if hasattr(leaf, "shape") else value


def with_slopes(params):
    """The parameters, with None for what has no slopes."""
    return tree.map(lambda p: p if is_float(p) else None, params)


def stateless(update):
    """An optimiser without a state, of a function of updates and parameters."""
    return Optimizer(lambda params: (), lambda updates, state, params=None: (update(updates, params), state))


def identity():
    """Updates as they are."""
    return stateless(lambda updates, params: updates)


def chain(*optimizers):
    """Optimisers one after the other; the state is a tuple of theirs."""

    def init(params):
        return tuple([one.init(params) for one in optimizers])

    def update(updates, state, params=None):
        states = []
        for one, own in zip(optimizers, state):
            updates, own = one.update(updates, own, params)
            states.append(own)
        return updates, tuple(states)

    return Optimizer(init, update)


def apply_updates(params, updates):
    """Parameters plus updates; what has None for its update stays as it is."""
    return tree.map(lambda p, u: p + u, params, updates)


def incremental_update(new, old, step_size):
    """step_size * new + (1 - step_size) * old, of two containers: a running mean of parameters."""
    return tree.map(lambda o, n: step_size * n + (1.0 - step_size) * o if is_float(o) else n, old, new)


def global_norm(updates):
    """The Euclidean length of all numbers of a container."""
    return np.sqrt(sum([np.sum(u * u) for u in tree.leaves(updates)]))


def scale(factor):
    """Updates times a number."""
    return stateless(lambda updates, params: tree.map(lambda u: factor * u, updates))


class ScaleByScheduleState(NamedTuple):
    """How many steps there were."""

    count: int  # type: ignore[assignment]


def scale_by_schedule(schedule):
    """Updates times a number for each step: `schedule(0)`, `schedule(1)` and so on."""

    def update(updates, state, params=None):
        factor = float(schedule(state.count))
        return tree.map(lambda u: factor * u, updates), ScaleByScheduleState(state.count + 1)

    return Optimizer(lambda params: ScaleByScheduleState(0), update)


def scale_by_learning_rate(learning_rate):
    """Updates times -learning_rate: a number, or a schedule (a function of how many steps there were)."""
    if callable(learning_rate):
        return scale_by_schedule(lambda count: -learning_rate(count))
    return scale(-learning_rate)


def add_decayed_weights(weight_decay=0.0, mask=None):
    """Updates plus weight_decay times the parameters.

    mask  a function of the parameters that gives a container like them, with bools: which of them decay
    """

    def decayed(updates, params):
        values = with_slopes(params)
        if mask is None:
            return tree.map(lambda u, p: u + weight_decay * p, updates, values)
        return tree.map(lambda u, p, m: u + weight_decay * p if m else u, updates, values, mask(values))

    return stateless(decayed)


def clip(max_delta):
    """Every number of the updates between -max_delta and max_delta."""
    return stateless(lambda updates, params: tree.map(lambda u: np.clip(u, -max_delta, max_delta), updates))


def clip_by_global_norm(max_norm):
    """Updates whose length, over all of them, is at most max_norm.  Source: Pascanu et al. (2012), arXiv:1211.5063."""

    def clipped(updates, params):
        norm = global_norm(updates)
        factor = np.where(norm < max_norm, 1, max_norm / norm)
        return tree.map(lambda u: u * factor, updates)

    return stateless(clipped)


class EmaState(NamedTuple):
    """How many steps there were, and the running means."""

    count: int  # type: ignore[assignment]
    ema: Any


def ema(decay, debias=True):
    """Running means of the updates: decay * mean + (1 - decay) * update.

    debias  divide by 1 - decay**steps, which makes up for the zeros that it begins with
    """

    def update(updates, state, params=None):
        count = state.count + 1
        mean = tree.map(lambda m, u: decay * m + (1 - decay) * u, state.ema, updates)
        shown = tree.map(lambda m: m / (1 - decay**count), mean) if debias else mean
        return shown, EmaState(count, mean)

    return Optimizer(lambda params: EmaState(0, zeros_like(params)), update)


class MultiStepsState(NamedTuple):
    """How many slopes are in the mean, their mean, and the state of the optimiser."""

    mini_step: int
    mean: Any
    inner: Any


def MultiSteps(optimizer, every_k):
    """A step of the optimiser for the mean of every_k slopes; the updates between are zeros."""

    def init(params):
        return MultiStepsState(0, zeros_like(params), optimizer.init(params))

    def update(updates, state, params=None):
        count = state.mini_step + 1
        mean = tree.map(lambda m, u: m + (u - m) / count, state.mean, updates)
        nothing = tree.map(lambda m: 0 * m, mean)
        if count < every_k:
            return nothing, MultiStepsState(count, mean, state.inner)
        taken, inner = optimizer.update(mean, state.inner, params)
        return taken, MultiStepsState(0, nothing, inner)

    return Optimizer(init, update)
