"""Learning rates as functions of how many steps there were, under Optax's names.

    rate = warmup_cosine_decay_schedule(0.0, 1e-3, warmup_steps=100, decay_steps=1000)
    optimizer = adam(rate)

They are made of Python's numbers, so that float32 parameters stay float32.
"""

import math


def constant_schedule(value):
    """The same for all steps."""
    return lambda count: value


def polynomial_schedule(init_value, end_value, power, transition_steps, transition_begin=0):
    """From init_value to end_value in so many steps, as (1 - t)**power."""

    def schedule(count):
        passed = min(max(count - transition_begin, 0), transition_steps)
        return (init_value - end_value) * (1 - passed / transition_steps) ** power + end_value

    return schedule


def linear_schedule(init_value, end_value, transition_steps, transition_begin=0):
    """From init_value to end_value in so many steps, along a line."""
    return polynomial_schedule(init_value, end_value, 1, transition_steps, transition_begin)


def exponential_decay(
    init_value, transition_steps, decay_rate, transition_begin=0, staircase=False, end_value=None
):  # fmt: skip
    """init_value * decay_rate**(count / transition_steps).

    staircase  whole powers only
    end_value  where it stops; below it for a rate that decays, above it for one that grows
    """

    def schedule(count):
        passed = max(count - transition_begin, 0) / transition_steps
        value = init_value * decay_rate ** (math.floor(passed) if staircase else passed)
        if end_value is None:
            return value
        return max(value, end_value) if decay_rate < 1.0 else min(value, end_value)

    return schedule


def cosine_decay_schedule(init_value, decay_steps, alpha=0.0, exponent=1.0):
    """Half a cosine from init_value to alpha * init_value.  Source: Loshchilov and Hutter (2016), arXiv:1608.03983."""

    def schedule(count):
        wave = 0.5 * (1.0 + math.cos(math.pi * min(count, decay_steps) / decay_steps))
        return init_value * ((1.0 - alpha) * wave**exponent + alpha)

    return schedule


def join_schedules(schedules, boundaries):
    """One schedule after the other, each counting from its own beginning.

    boundaries  the steps at which the second, the third and so on begin
    """
    first, later = schedules[0], tuple(zip(schedules[1:], boundaries))

    def schedule(count):
        value = float(first(count))
        for one, begin in later:
            if count >= begin:
                value = float(one(count - begin))
        return value

    return schedule


def warmup_constant_schedule(init_value, peak_value, warmup_steps):
    """Along a line to peak_value, and there it stays."""
    return linear_schedule(init_value, peak_value, warmup_steps)


def warmup_cosine_decay_schedule(init_value, peak_value, warmup_steps, decay_steps, end_value=0.0, exponent=1.0):
    """Along a line to peak_value, then half a cosine to end_value; decay_steps counts both."""
    alpha = 0.0 if peak_value == 0.0 else end_value / peak_value
    parts = [
        linear_schedule(init_value, peak_value, warmup_steps),
        cosine_decay_schedule(peak_value, decay_steps - warmup_steps, alpha, exponent),
    ]
    return join_schedules(parts, [warmup_steps])


def piecewise_constant_schedule(init_value, boundaries_and_scales):
    """init_value times all the scales whose boundaries are reached, a dict."""
    steps = tuple(boundaries_and_scales.items())

    def schedule(count):
        value = init_value
        for boundary, factor in steps:
            value = value * (factor if count >= boundary else 1.0)
        return value

    return schedule
