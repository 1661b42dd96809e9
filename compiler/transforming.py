"""How each transformation of a function is made: one row for each class of `request.Transformation`.

    Gradient(0)    ->    the arguments of the function below are its own, and DERIVATIVE_WAY leads to its gradient
    Tangent()      ->    the arguments of the function below are the primals, and TANGENT_WAY leads to (value, tangent)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import axes, pipeline
from .diagnostics import Span
from .differentiate import Wanted, returns_number
from .frontend.specialise.specialised import Specialised
from .frontend.specialise.values import Value
from .pushforward import primals
from .records import dataclass
from .request import Batch, Gradient, Jacobian, Jet, Pullback, ReverseJacobian, Tangent, Transformation, Vjp
from .steps import Way

Arguments = Mapping[str, Value]


def the_same(_: Transformation, arguments: Arguments, below: inspect.Signature, where: Span) -> Arguments:
    return arguments


@dataclass(frozen=True, slots=True)
class Transforming:
    """How a transformation is made.

    steps      the way from the typed program of a function to that of the new one
    arguments  the arguments that the function is specialised to, given those of the new one, the parameters that it has
               and where it stands
    of_number  the way where the function returns one number, if that is another
    """

    steps: Way
    arguments: Callable[[Any, Arguments, inspect.Signature, Span], Arguments] = the_same
    of_number: Way = ()

    def way(self, made: Specialised, wanted: Wanted) -> Way:
        return self.of_number if self.of_number and returns_number(made, wanted) else self.steps


TRANSFORMATIONS: Mapping[type[Transformation], Transforming] = {
    Gradient: Transforming(pipeline.DERIVATIVE_WAY),
    Tangent: Transforming(pipeline.TANGENT_WAY, primals),
    Jet: Transforming(pipeline.TANGENT_WAY, primals),
    ReverseJacobian: Transforming(pipeline.ROWS_WAY, of_number=pipeline.DERIVATIVE_WAY),
    Vjp: Transforming(pipeline.VJP_WAY),
    Pullback: Transforming(pipeline.PULLBACK_WAY, lambda pullback, *_: dict(pullback.arguments)),
    Jacobian: Transforming(pipeline.JACOBIAN_WAY),
    Batch: Transforming(pipeline.BATCH_WAY, axes.of_example),
}


def arguments_within(
    transforms: Sequence[Transformation], arguments: Arguments, given: inspect.Signature, where: Span
) -> list[Arguments]:
    """The arguments of a function and of what each of these transformations makes of it, given those of the last."""
    signatures = [given]
    for transform in transforms[:-1]:
        signatures.append(transform.signature(signatures[-1]))
    found = [arguments]
    for transform, below in zip(transforms[::-1], signatures[::-1]):
        found.append(TRANSFORMATIONS[type(transform)].arguments(transform, found[-1], below, where))
    return found[::-1]
