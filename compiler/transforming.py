"""How each transformation of a function is made: one row for each class of `request.Transformation`.

    Gradient(0)    ->    the arguments of the function below are its own, and DERIVATIVE_WAY leads to its gradient
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import pipeline
from .frontend.specialise.values import Value
from .records import dataclass
from .request import Gradient, Jacobian, Pullback, Transformation, Vjp
from .steps import Way

Arguments = Mapping[str, Value]


def the_same(_: Transformation, arguments: Arguments) -> Arguments:
    return arguments


@dataclass(frozen=True, slots=True)
class Transforming:
    """How a transformation is made.

    steps      the way from the typed program of a function to that of the new one
    arguments  the arguments that the function is specialised to, given those of the new one
    """

    steps: Way
    arguments: Callable[[Any, Arguments], Arguments] = the_same


TRANSFORMATIONS: Mapping[type[Transformation], Transforming] = {
    Gradient: Transforming(pipeline.DERIVATIVE_WAY),
    Jacobian: Transforming(pipeline.JACOBIAN_WAY),
    Vjp: Transforming(pipeline.VJP_WAY),
    Pullback: Transforming(pipeline.PULLBACK_WAY, lambda pullback, _: dict(pullback.arguments)),
}
