"""Rows: values through which no derivative passes, or another one.

`stop_gradient` is the user's.  The others stand in a program while one derivative of it is taken, in the place of a
function whose slope the user gives by a rule of tangents (`transform/reverse/rules_of_tangents.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..types import Array, Scalar, Type, is_floating
from .kinds import elementwise
from .schema import TypeFault


def as_it_is(name: str, types: Sequence[Type]) -> tuple[str, bool]:
    """The dtype of the last operand that has one of its own."""
    first = types[0]
    if not isinstance(first, Scalar | Array):
        raise TypeFault("T001", f"`{name}` takes numbers and arrays, not {first}")
    return first.dtype, isinstance(first, Scalar) and first.weak


def of_floats(name: str, types: Sequence[Type]) -> tuple[str, bool]:
    if not all(map(is_floating, types)):
        raise TypeFault("T001", f"`{name}` takes floats")
    return as_it_is(name, types)


def kept(x: object, *_: object) -> object:
    return x


elementwise("stop_gradient", "x", type=as_it_is, meaning=kept, partials=[None], samples="stopped", work="free",
            spelling="pellucid.support.stop_gradient({x})", python=("pellucid.lax.stop_gradient",))  # fmt: skip

# `given` has no slope, `tangent_of` is where the slope of the operand begins, `with_tangent` where it goes on.
elementwise("given", "x", type=of_floats, meaning=kept, partials=[None], samples="stopped", work="free",
            spelling="pellucid.support.given({x})", python=())  # fmt: skip
elementwise("tangent_of", "x", type=of_floats, meaning=kept, partials=["1.0"], samples="stopped", work="free",
            spelling="pellucid.support.tangent_of({x})", python=())  # fmt: skip
elementwise("with_tangent", "x, x_dot", type=of_floats, meaning=kept, partials=[None, "1.0"], samples="stopped_pairs",
            work="free", spelling="pellucid.support.with_tangent({x}, {x_dot})", python=())  # fmt: skip
