"""Questions about functions that are given to library functions.

    parameter_count(lambda x, a, b: a * x + b)  ->  3        of a method: without the object it belongs to

A function defined inside the compiled one is described by its `Parameters`, any other by itself.
"""

from __future__ import annotations

import inspect

from ..records import dataclass
from .schema import TypeFault
from .static import StaticFunction


@dataclass(frozen=True, slots=True)
class Parameters:
    """How many parameters a function has that are given by place."""

    count: int


@StaticFunction
def parameter_count(function: object) -> int:
    """How many arguments a function takes by place, but for `*args`; TypeFault for what cannot be asked."""
    if isinstance(function, Parameters):
        return function.count
    if not inspect.isroutine(function):
        message = "how many parameters this takes is not known: it is no plain function"
        raise TypeFault("R001", message, "say where to begin, `p0=[1.0, 1.0]`, or write a `lambda`")
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(one.kind in places for one in inspect.signature(function).parameters.values())
