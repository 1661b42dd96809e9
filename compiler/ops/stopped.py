"""Rows: values through which no derivative passes, or another one.

`stop_gradient` is the user's; `drawn` stands around parameters of random numbers that are drawn by rejection, so that
no derivative is taken by them.  The others stand in a program while one derivative of it is taken, in place of a
function whose slope the user gives by a rule of tangents (`transform/reverse/given_rules.py`).  `determinant` is
the determinant of a matrix that is singular, or nearly so: its value comes from triangles, which have no derivative
there; `log_determinant` the logarithm of its size, whose slope is the inverse, which is less work than that of the
triangles; `matrix_logarithm` one whose value comes from a loop of square roots.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..types import Array, Scalar, Type
from .batching import pairwise
from .cotangents import Atom, Atoms, Static
from .in_kernels import InKernels
from .kinds import elementwise, structural
from .rules import in_language, tangent_in_language
from .schema import TypeFault

if TYPE_CHECKING:
    from ..builder import Builder


def as_it_is(name: str, types: Sequence[Type]) -> tuple[str, bool]:
    """The dtype of the first operand."""
    first = types[0]
    if not isinstance(first, Scalar | Array):
        raise TypeFault("T001", f"`{name}` takes numbers and arrays, not {first}")
    return first.dtype, isinstance(first, Scalar) and first.weak


def kept(x: object) -> object:
    return x


def spread(x: object, x_dot: object) -> object:
    whole = isinstance(x_dot, np.ndarray) and not isinstance(x, np.ndarray)
    return np.full(x_dot.shape, x) if whole else x  # type: ignore[attr-defined]


def of_rejection(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom | None:
    """The numbers that were kept depend on a parameter by which were not: refused rather than wrong."""
    raise TypeFault("G003", "numbers that are drawn until one fits have no derivative here by their parameters")


elementwise("stop_gradient", "x", type=as_it_is, meaning=kept, partials=[None], samples="stopped", work="free",
            of_complex="own", of_parts=True, spelling="pellucid.support.stop_gradient({x})", is_for_derivatives=True,
            cuda=InKernels("{x}", truths="{x}"), python=("pellucid.lax.stop_gradient",))  # fmt: skip

elementwise("drawn", "x", type=as_it_is, meaning=kept, partials=[of_rejection], samples="stopped", work="free",
            is_for_derivatives=True, spelling="pellucid.support.drawn({x})", python=())  # fmt: skip

for _place, _samples in (
    ("determinant", "determinants"), ("matrix_slopes:log_determinant", "determinants"),
    ("matrix_slopes:matrix_logarithm", "logarithms"),
):  # fmt: skip
    _name = _place.rpartition(":")[2]
    structural(_name, "value, a", is_for_derivatives=True, type=lambda types: types[0], work="free",
               meaning=lambda value, a: value, vjp=[None, in_language(_place)], jvp=tangent_in_language(_name),
               samples=_samples, spelling=f"pellucid.support.{_name}({{value}}, {{a}})")  # fmt: skip

# `given` has no slope, `tangent_of` is where the slope of the operand begins, `with_tangent` where it goes on.
GIVEN = elementwise("given", "x", type=as_it_is, meaning=kept, partials=[None], samples="stopped", work="free",
                    of_complex="own", spelling="pellucid.support.given({x})", python=())  # fmt: skip
TANGENT_OF = elementwise("tangent_of", "x", type=as_it_is, meaning=kept, partials=["1.0"], samples="stopped",
                         work="free", of_complex="own", python=(),
                         spelling="pellucid.support.tangent_of({x})")  # fmt: skip
WITH_TANGENT = elementwise("with_tangent", "x, x_dot", type=as_it_is, meaning=spread, partials=[None, "1.0"],
                           samples="stopped_pairs", work="free", of_complex="own", python=(), batch=pairwise,
                           spelling="pellucid.support.with_tangent({x}, {x_dot})")  # fmt: skip
