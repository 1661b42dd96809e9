"""Every collective is inside the `vmap` with the name of its axis: after all transformations none may be left.

    s = psum(x, axis_name="i")     ->     AxisNameError: unbound axis name: i

Takes typed programs and returns them as they are.
"""

from __future__ import annotations

from .. import syntax
from ..diagnostics import AxisNameError, Diagnostic, Span
from ..ops.schema import row_of
from ..program import Program


def bound_axes(program: Program) -> Program:
    """The same program; raises AxisNameError."""
    for function in program.functions.values():
        for statement in syntax.walk(function.body):
            for call in syntax.calls_in(statement):
                row = row_of(syntax.operator_of(call))
                if row is not None and row.kind == "collective":
                    _refuse(syntax.static_of(call)["axis_name"], getattr(statement, "span", None), function.origin)
    return program


def _refuse(axis_name: str, span: Span | None, origin: object) -> None:
    where = span or Span(origin.file, origin.line, 0, origin.line, 1)  # type: ignore[attr-defined]
    raise AxisNameError(Diagnostic(
        "B004", f"unbound axis name: {axis_name}", where, "called here",
        help=(f"map over the examples around it: `vmap(f, axis_name={axis_name!r})`",),
    ))  # fmt: skip
