"""Optimisers, learning rates and what goes with them, under Optax's names, as plain functions in NumPy.

optimizer = optim.chain(optim.clip_by_global_norm(1.0), optim.adamw(1e-3))
state = optimizer.init(model)

@compile
def step(model, state, x, y):
    value, slopes = value_and_grad(loss)(model, x, y)
    updates, state = optimizer.update(slopes, state, model)
    return optim.apply_updates(model, updates), state, value
"""

from .base import (
    EmaState,
    MultiSteps,
    MultiStepsState,
    Optimizer,
    ScaleByScheduleState,
    add_decayed_weights,
    apply_updates,
    chain,
    clip,
    clip_by_global_norm,
    ema,
    global_norm,
    identity,
    incremental_update,
    scale,
    scale_by_learning_rate,
    scale_by_schedule,
)  # fmt: skip
from .lbfgs import LbfgsState, lbfgs
from .optimizers import (
    ScaleByAdamState,
    ScaleByRmsState,
    ScaleByStddevState,
    TraceState,
    adagrad,
    adam,
    adamax,
    adamw,
    lamb,
    lion,
    momentum,
    nadam,
    rmsprop,
    scale_by_adam,
    scale_by_adamax,
    scale_by_lion,
    scale_by_rms,
    scale_by_rss,
    scale_by_stddev,
    scale_by_trust_ratio,
    sgd,
    trace,
)  # fmt: skip
from .schedules import (
    constant_schedule,
    cosine_decay_schedule,
    exponential_decay,
    join_schedules,
    linear_schedule,
    piecewise_constant_schedule,
    polynomial_schedule,
    warmup_constant_schedule,
    warmup_cosine_decay_schedule,
)  # fmt: skip

__all__ = [
    "EmaState", "LbfgsState", "MultiSteps", "MultiStepsState", "Optimizer", "ScaleByAdamState", "ScaleByRmsState",
    "ScaleByScheduleState", "ScaleByStddevState", "TraceState", "adagrad", "adam", "adamax", "adamw",
    "add_decayed_weights", "apply_updates", "chain", "clip", "clip_by_global_norm", "constant_schedule",
    "cosine_decay_schedule", "ema", "exponential_decay", "global_norm", "identity", "incremental_update",
    "join_schedules", "lamb", "lbfgs", "linear_schedule", "lion", "momentum", "nadam", "piecewise_constant_schedule",
    "polynomial_schedule", "rmsprop", "scale", "scale_by_adam", "scale_by_adamax", "scale_by_learning_rate",
    "scale_by_lion", "scale_by_rms", "scale_by_rss", "scale_by_schedule", "scale_by_stddev", "scale_by_trust_ratio",
    "sgd", "trace", "warmup_constant_schedule", "warmup_cosine_decay_schedule",
]  # fmt: skip
