"""Line searches: a step along a direction that makes a function fall and its slope flatten enough.

    phi(0), phi'(0)     ->     the a with phi(a) <= phi(0) + c1 a phi'(0) and |phi'(a)| <= c2 |phi'(0)|

Source: J. J. More and D. J. Thuente, Line Search Algorithms with Guaranteed Sufficient Decrease (1994), ACM
Transactions on Mathematical Software 20.
"""

import numpy as np

from ..lax import stop_gradient


def trial_step(low, f_low, d_low, high, f_high, d_high, a, f, d, is_bracket, least, most):
    """The next step, and the interval of uncertainty with what is known at its ends."""
    sign = d * np.sign(d_low)
    if f > f_low:  # the minimum lies before: the cubic through both, or its mean with the quadratic
        theta = 3.0 * (f_low - f) / (a - low) + d_low + d
        s = max(abs(theta), max(abs(d_low), abs(d)))
        gamma = s * np.sqrt((theta / s) ** 2 - (d_low / s) * (d / s))
        gamma = -gamma if a < low else gamma
        r = ((gamma - d_low) + theta) / (((gamma - d_low) + gamma) + d)
        cubic = low + r * (a - low)
        quadratic = low + ((d_low / ((f_low - f) / (a - low) + d_low)) / 2.0) * (a - low)
        step = cubic if abs(cubic - low) < abs(quadratic - low) else cubic + (quadratic - cubic) / 2.0
        bracketed = True
    elif sign < 0.0:  # the slope changes its sign: the cubic, or the secant
        theta = 3.0 * (f_low - f) / (a - low) + d_low + d
        s = max(abs(theta), max(abs(d_low), abs(d)))
        gamma = s * np.sqrt((theta / s) ** 2 - (d_low / s) * (d / s))
        gamma = -gamma if a > low else gamma
        r = ((gamma - d) + theta) / (((gamma - d) + gamma) + d_low)
        cubic = a + r * (low - a)
        quadratic = a + (d / (d - d_low)) * (low - a)
        step = cubic if abs(cubic - a) > abs(quadratic - a) else quadratic
        bracketed = True
    elif abs(d) < abs(d_low):  # the slope flattens: the cubic where it rises beyond, within bounds
        theta = 3.0 * (f_low - f) / (a - low) + d_low + d
        s = max(abs(theta), max(abs(d_low), abs(d)))
        gamma = s * np.sqrt(max(0.0, (theta / s) ** 2 - (d_low / s) * (d / s)))
        gamma = -gamma if a > low else gamma
        r = ((gamma - d) + theta) / ((gamma + (d_low - d)) + gamma)
        if r < 0.0 and gamma != 0.0:
            cubic = a + r * (low - a)
        else:
            cubic = most if a > low else least
        quadratic = a + (d / (d - d_low)) * (low - a)
        if is_bracket:
            step = cubic if abs(cubic - a) < abs(quadratic - a) else quadratic
            bound = a + 0.66 * (high - a)
            step = min(bound, step) if a > low else max(bound, step)
        else:
            step = cubic if abs(cubic - a) > abs(quadratic - a) else quadratic
            step = max(least, min(most, step))
        bracketed = is_bracket
    elif is_bracket:  # the slope steepens within the bracket: the cubic with its far end
        theta = 3.0 * (f - f_high) / (high - a) + d_high + d
        s = max(abs(theta), max(abs(d_high), abs(d)))
        gamma = s * np.sqrt((theta / s) ** 2 - (d_high / s) * (d / s))
        gamma = -gamma if a > high else gamma
        r = ((gamma - d) + theta) / (((gamma - d) + gamma) + d_high)
        step = a + r * (high - a)
        bracketed = is_bracket
    else:
        step = most if a > low else least
        bracketed = is_bracket
    if f > f_low:
        high, f_high, d_high = a, f, d
    else:
        if sign < 0.0:
            high, f_high, d_high = low, f_low, d_low
        low, f_low, d_low = a, f, d
    return (low, f_low, d_low), (high, f_high, d_high), step, bracketed


def searched(at, f0, d0, gradient, first, c1, c2, xtol, least_step, most_step, most_calls):
    """`at(a)` gives phi, phi' and the gradient there: (whether such a step was found, a, phi, gradient, calls)."""
    bracketed, is_first_stage, is_found, is_over = False, True, False, False
    required = c1 * d0
    width = most_step - least_step
    width_before = 2.0 * width
    a = max(least_step, min(first, most_step))
    low, high = (0.0, f0, d0), (0.0, f0, d0)
    least, most = 0.0, a + 4.0 * a
    calls, f = 0, f0
    while not is_found and not is_over and calls < most_calls:
        f, d, gradient = at(a)
        calls += 1
        enough = f0 + a * required
        if is_first_stage and f <= enough and d >= 0.0:
            is_first_stage = False
        is_found = f <= enough and abs(d) <= c2 * (-d0)
        is_over = bracketed and (a <= least or a >= most or most - least <= xtol * most)
        is_over = is_over or a == most_step and f <= enough and d <= required
        is_over = is_over or a == least_step and (f > enough or d >= required) or not (abs(f) < np.inf)
        if not is_found and not is_over:
            tilt = required if is_first_stage and f <= low[1] and f > enough else 0.0
            low, high, a, bracketed = trial_step(
                low[0], low[1] - low[0] * tilt, low[2] - tilt, high[0], high[1] - high[0] * tilt, high[2] - tilt,
                a, f - a * tilt, d - tilt, bracketed, least, most,
            )  # fmt: skip
            low = low[0], low[1] + low[0] * tilt, low[2] + tilt
            high = high[0], high[1] + high[0] * tilt, high[2] + tilt
            if bracketed:
                if abs(high[0] - low[0]) >= 0.66 * width_before:
                    a = low[0] + 0.5 * (high[0] - low[0])
                width_before, width = width, abs(high[0] - low[0])
                least, most = min(low[0], high[0]), max(low[0], high[0])
            else:
                least, most = a + 1.1 * (a - low[0]), a + 4.0 * (a - low[0])
            a = max(least_step, min(a, most_step))
            if bracketed and (a <= least or a >= most or most - least <= xtol * most):
                a = low[0]
    return is_found, a, f, gradient, calls


def along(both, x, direction):
    """A function of one number: value, slope and gradient at x + a direction."""

    def at(a):
        value, gradient = both(x + a * direction)
        value, gradient = stop_gradient(value), stop_gradient(np.asarray(gradient))
        return value, gradient @ direction, gradient

    return at


def first_trial(value, value_before, slope):
    """The step that would lower the function as much as the last one did."""
    first = min(1.0, 1.01 * 2.0 * (value - value_before) / slope) if slope != 0.0 else 1.0
    return 1.0 if first < 0.0 else first
