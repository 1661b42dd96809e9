"""Accumulations of a `lanes` loop: LLVM may take their terms in any order, and so in vectors.

    for k in lanes(0, n):              ->      %new = fadd reassoc double %total, %term
        total = add(total, a[k])

Nothing else in the loop may be reordered: the flag stands on the accumulating instruction alone.  Extremes of floats
become LLVM's own, which let a nan through as NumPy's do; of 0.0 and -0.0 either may be taken.
"""

from __future__ import annotations

import gast

from .. import syntax
from ..dtypes import is_inexact
from ..ops.schema import OPERATORS, row_of
from .expressions import lower_as
from .frame import Frame, ScalarPlace, ScalarValue
from .text import Value


def accumulated(frame: Frame, name: str, value: gast.expr) -> Value | None:
    """The value of `name = operator(name, term)` on floats, None for anything else."""
    place = frame.places[name]
    if not isinstance(place, ScalarPlace | ScalarValue) or not accumulates(name, value):
        return None
    dtype = place.type.dtype
    if not is_inexact(dtype):
        return None
    total, term = (lower_as(frame, a, dtype) for a in value.args)
    row = OPERATORS[str(syntax.operator_of(value))]
    if row.reorders == "zeros":
        return frame.code.intrinsic(row.name, total, term, flags="nsz ")
    flags = " ".join(dict.fromkeys(["reassoc", *frame.code.flags.split()]))
    return frame.code.value(total.type, f"fadd {flags} {total}, {term.text}")


def accumulates(name: str, value: gast.expr) -> bool:
    """Whether an assignment of this value to the name adds a term to it, or takes the larger or smaller of the two."""
    match value:
        case gast.Call(args=[gast.Name(id=first), term]) if first == name:
            row = row_of(syntax.operator_of(value))
            return row is not None and bool(row.reorders) and name not in syntax.names_read(term)
    return False
