"""A function that sums the results of a program to one float, so that the program has a gradient.

returns t, (3, u)     ->     def loss(x, s):
                                 r = program(x, s)
                                 return np.sum(r[0]) + 0.5 * np.sum(r[1][1] * r[1][1])
"""

import copy
import dataclasses

import numpy as np

from ..stages import attempt
from .limits import TooSlow, time_limit


def loss_of(source, names, args) -> str:
    """The text of `loss`, or nothing if the program has no float results on these arguments."""
    space = {"__name__": "losses"}
    exec(compile(source, "<loss>", "exec"), space)
    try:
        with time_limit(1.0):
            outcome = attempt(space["program"], *copy.deepcopy(tuple(args)))
    except TooSlow:
        return ""
    if outcome.error is not None:
        return ""
    terms = [_term(place, number) for number, place in enumerate(float_places(outcome.value, "r"))]
    if not terms:
        return ""
    call = f"program({', '.join(names)})"
    return f"\n\ndef loss({', '.join(names)}):\n    r = {call}\n    return {' + '.join(terms)}\n"


def _term(place, number):
    return f"np.sum({place})" if number % 2 == 0 else f"0.5 * np.sum({place} * {place})"


def float_places(value, place):
    """Expressions for the float leaves of a result."""
    match value:
        case dict():
            return [p for key, part in value.items() for p in float_places(part, f"{place}[{key!r}]")]
        case tuple() | list():
            return [p for number, part in enumerate(value) for p in float_places(part, f"{place}[{number}]")]
        case _ if dataclasses.is_dataclass(value):
            return [
                p for f in dataclasses.fields(value) for p in float_places(getattr(value, f.name), f"{place}.{f.name}")
            ]
    is_leaf = isinstance(value, float | np.floating) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")
    return [place] if is_leaf else []
