"""Reassociation of accumulations of a `lanes` loop: LLVM may take their terms in any order, and so in vectors.

    for k in lanes(0, n):              ->      %new = fadd reassoc double %total, %term
        total = add(total, a[k])

Nothing else in the loop may be reordered: the flag stands on the accumulating instruction alone.  Extremes of floats
become LLVM's own, which let a nan through as NumPy's do; of 0.0 and -0.0 either may be taken.
"""

from __future__ import annotations

import gast

from ... import syntax
from ...analysis.lanes import accumulates
from ...dtypes import is_inexact
from ...ops.reduction import fold_by
from ...ops.schema import OPERATORS
from .expressions import lower_as
from .frame import Emission, ScalarPlace, ScalarValue
from .operands import SsaValue, is_pair


def accumulated(frame: Emission, name: str, value: gast.expr) -> SsaValue | None:
    """The value of `name = operator(name, term)` on floats, None for anything else."""
    place = frame.places[name]
    if not isinstance(place, ScalarPlace | ScalarValue) or not accumulates(name, value):
        return None
    dtype = place.type.dtype
    if not is_inexact(dtype) or fold_by(syntax.operator_of(value), dtype) is None:
        return None
    total, term = (lower_as(frame, a, dtype) for a in value.args)
    row = OPERATORS[str(syntax.operator_of(value))]
    if row.reorders == "zeros":
        return frame.code.intrinsic(row.name, total, term, flags="nsz ")
    flags = " ".join(dict.fromkeys(["reassoc", *frame.code.flags.split()]))

    def added(one: SsaValue, other: SsaValue) -> SsaValue:
        return frame.code.value(one.type, f"fadd {flags} {one}, {other.text}")

    if is_pair(total.type):
        return frame.code.pair(*map(added, frame.code.parts(total), frame.code.parts(term)))
    return added(total, term)
