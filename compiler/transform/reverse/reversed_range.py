"""The range that goes through the numbers of another one from the last to the first.

    range(0, n, 1)       ->    range(n - 1, -1, -1)
    range(i + 1, n, 1)   ->    range(n - 1, i, -1)
    range(a, b, c)       ->    range(a + (rounds - 1) * c, a - c, -c)     with rounds = ceil((b - a) / c)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gast

from ... import syntax
from .cotangents import Cotangents

if TYPE_CHECKING:
    from .sweep import Sweep


def reversed_range(sweep: Sweep, frame: Cotangents, statement: gast.For) -> tuple[gast.expr, gast.expr, gast.expr]:
    """Start, stop and step as atoms; what they are computed from goes before the loop."""
    start, stop, step = (sweep.atom(statement, a) for a in statement.iter.args)
    build = frame.builder
    if isinstance(step, gast.Constant) and abs(step.value) == 1:
        back = -step.value
        last, before = _moved(sweep, frame, stop, back, "last"), _moved(sweep, frame, start, back, "stop")
        return last, before, syntax.constant(back)
    # ceil((stop - start) / step) rounds, of which the last starts at start + (rounds - 1) * step
    span = build.call("subtract", start, stop, hint="span")
    rounds = build.call("negative", build.call("floor_divide", span, step, hint="rounds"), hint="rounds")
    offset = build.call("multiply", build.call("subtract", rounds, 1, hint="rounds"), step, hint="offset")
    known = isinstance(step, gast.Constant)
    back = syntax.constant(-step.value) if known else build.call("negative", step, hint="back")
    return build.call("add", start, offset, hint="last"), build.call("subtract", start, step, hint="stop"), back


def _moved(sweep: Sweep, frame: Cotangents, atom: gast.expr, by: int, hint: str) -> gast.expr:
    """An int further on; from `add(i, 1)` or `subtract(n, 2)` back to `i` or `n` itself."""
    origin = sweep.regions.values[atom.id].origin if isinstance(atom, gast.Name) else None
    match getattr(origin, "value", None):
        case gast.Call(func=gast.Name(id="add"), args=[gast.Name() as start, gast.Constant(value=step)]):
            return _moved(sweep, frame, sweep.atom(origin, start), by + step, hint)
        case gast.Call(func=gast.Name(id="subtract"), args=[gast.Name() as start, gast.Constant(value=step)]):
            return _moved(sweep, frame, sweep.atom(origin, start), by - step, hint)
    if by == 0:
        return atom
    if isinstance(atom, gast.Constant):
        return syntax.constant(atom.value + by)
    return frame.builder.call("add" if by > 0 else "subtract", atom, abs(by), hint=hint)
