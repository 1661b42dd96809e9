"""`match` on numbers, texts, tuples and records; `del`; `with np.errstate`."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Ray(NamedTuple):
    x: float
    slope: float


@dataclass(frozen=True)
class Circle:
    radius: float


@dataclass(frozen=True)
class Box:
    width: float
    height: float = 1.0


def shadowed(a, b):
    """The builtins that patterns ask are those, whatever the variables are called."""
    tuple, len, list, isinstance = 2.0, 3.0, a, b
    match (a, b):
        case [first, *rest]:
            total = first * len + rest[0] * tuple
        case {"a": value}:
            total = value
    return total + list * isinstance


def area(a, b):
    """Classes with positions and names, of values that are made inside."""
    total = 0.0
    for shape in (Circle(a), Box(a, b), Box(b), (a, b, a), Ray(a, b)):
        match shape:
            case Circle(radius=r):
                total += 3.0 * r * r
            case Box(w, height=1.0):
                total += w
            case Box(w, h):
                total += w * h
            case (first, *rest, last) if len(rest) == 1:
                total += first * last + rest[0]
            case Ray(x=x) as ray:
                total += x * ray.slope
    return total


def by_number(x, k):
    """Alternatives and guards on numbers that the run decides."""
    match k:
        case 1 | 2:
            y = 2.0 * x
        case n if n > 3:
            y = x * n
        case _:
            return -x
    return y + 1.0


def by_word(x, word="half"):
    """A text chooses among branches, and so does None."""
    match word, None:
        case ("half", None):
            return 0.5 * x
        case (str(), _):
            return x
    return -x


def by_key(a, b):
    """Dicts by their keys."""
    total = 0.0
    for entry in ({"scale": a, "shift": b}, {"scale": b}):
        match entry:
            case {"scale": scale, "shift": shift}:
                total += scale * b + shift
            case {"scale": scale}:
                total -= scale
    return total


def left_behind(a, b):
    """A name that a pattern binds stays bound where its guard fails."""
    u = 0.0
    match (a, b):
        case (u, v) if u > v:
            total = u - v
        case _:
            total = b
    return total + u


def deleted(x, y):
    """`del` ends a name, which may begin again."""
    t = x + y
    u = t * 2.0
    del t
    t = u + 1.0
    return t


def without_warnings(x):
    """`errstate` says nothing about values, also around a return."""
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where(x > 0.0, np.sqrt(np.abs(x)), 0.0)
        if np.sum(y) > 2.0:
            return y
    return y + x
