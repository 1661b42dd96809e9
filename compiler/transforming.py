"""How each transformation of a function is made: one row for each class of `request.Transformation`.

    Gradient(0)    ->    the arguments of the function below are its own, and DERIVATIVE_WAY leads to its gradient
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from . import axes, pipeline
from .differentiate import Wanted
from .frontend.specialise.values import Value
from .records import dataclass
from .request import Batch, Gradient, Transformation
from .steps import Way

Arguments = Mapping[str, Value]


def the_same(wanted: Wanted) -> Arguments:
    return wanted.arguments


@dataclass(frozen=True, slots=True)
class Transforming:
    """How a transformation is made.

    steps      the way from the typed program of a function to that of the new one
    arguments  the arguments that the function is specialised to, given what is asked of those of the new one
    """

    steps: Way
    arguments: Callable[[Wanted], Arguments] = the_same


TRANSFORMATIONS: Mapping[type[Transformation], Transforming] = {
    Gradient: Transforming(pipeline.DERIVATIVE_WAY),
    Batch: Transforming(pipeline.BATCH_WAY, axes.of_example),
}
