"""`None` until found: variables, results and parameters that are None on some path."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Hit(NamedTuple):
    distance: float
    point: np.ndarray


@dataclass
class Record:
    best: float | None = None
    rounds: int = 0


def smallest(x):
    """A number that is None before the first item."""
    best = None
    for v in x:
        if best is None or v < best:
            best = v
    return best * 2.0


def largest_and_where(x):
    """A tuple that is None at first; None is returned where nothing was found."""
    best = None
    for i, v in enumerate(x):
        if best is None or v > best[0]:
            best = (v, float(i))
    return best


def nearest_hit(x, y):
    """A record with an array."""
    hit = None
    for i in range(len(x)):
        distance = x[i] * x[i] + 0.1
        if hit is None or distance < hit.distance:
            hit = Hit(distance, y * x[i])
    if hit is None:
        return np.zeros(3)
    return hit.point * hit.distance


def differences(x):
    """The value of the turn before, which the index says is there."""
    previous, total = None, 0.0
    for i in range(len(x)):
        if i > 0:
            total += (x[i] - previous) ** 2
        previous = x[i]
    return total


def rows_in_turn(M):
    """An array that is None in the first turn."""
    previous = None
    total = 0.0
    for row in M:
        if previous is not None:
            total += np.sum(previous * row)
        previous = np.sin(row)
    return total, previous


def _first_above(x, threshold):
    for v in x:
        if v > threshold:
            return v
    return None


def helper_that_may_find(x, a):
    """`or` and `if not` of what a helper returns."""
    found = _first_above(x, 0.5)
    missing = _first_above(x, 1e9)
    if not missing:
        return (found or a) * 2.0
    return missing


def defaults(x, weights=None, scale=None):
    """Parameters that nobody passes."""
    weights = np.ones_like(x) if weights is None else weights
    return np.sum(weights * x) * (scale or 2.0)


def until_it_settles(a):
    """A `while` whose first test knows no value before."""
    previous, current, turns = None, 1.0, 0
    while previous is None or abs(current - previous) > 1e-9:
        previous = current
        current = 0.5 * (current + (1.0 + a * a) / current)
        turns += 1
    return current * (1.0 if turns > 0 else 2.0)


def both_ends(x):
    """None among the items of a list and in conditions that join several."""
    ends = [None, None]
    for v in x:
        if v > 0.0:
            if ends[0] is None or v > ends[0]:
                ends[0] = v
        elif ends[1] is None or v < ends[1]:
            ends[1] = v
    low, high = ends[1], ends[0]
    if low is not None and high is not None:
        return high - low
    return 0.5 * high if high is not None else -low


def attribute_until_found(x):
    """An attribute of an instance that changes."""
    record = Record()
    for v in x:
        if record.best is None or v > record.best:
            record.best = v
            record.rounds += 1
    return record.best * record.rounds


def checked(x):
    """`assert` says that a value is there."""
    last = None
    for v in x:
        last = v * v
    assert last is not None, "nothing to do"
    return last + 1.0


def function_or_none(x, a):
    """A function that is used where there is one."""
    change = None
    if a > 0.0:
        change = lambda v: v * a  # noqa: E731
    return change(x) if change is not None else np.abs(x)
