"""Every collective is inside the `vmap` with the name of its axis: after all transformations none may be left.

    s = psum(x, axis_name="i")     ->     AxisNameError: unbound axis name: i

Takes typed programs and returns them as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

import gast

from .. import syntax
from ..diagnostics import AxisNameError, Diagnostic, Span
from ..ops.schema import row_of
from ..program import Function, Origin, Program
from ..renaming import splice


def bound_axes(program: Program) -> Program:
    """The same program; raises AxisNameError."""
    for function in program.functions.values():
        for statement, axis_name in _collectives(function):
            _refuse(axis_name, statement, function.origin)
    return program


def inside_axes(before: Program, after: Program, axes: tuple[str, ...]) -> Program:
    """The program after the axes have been mapped, in which collectives over others carry the names of all around."""
    around = {n: getattr(s, "around", ()) for f in before.functions.values() for s, n in _collectives(f)}

    def change(statement: gast.stmt) -> list[gast.stmt] | None:
        axis_name = _axis_of(statement)
        if axis_name is None:
            return None
        return [syntax.rebuild(statement, around=(*around.get(axis_name, ()), *axes))]

    left = {name: f for name, f in after.functions.items() if any(_collectives(f))}
    changed = {name: f.with_(body=tuple(splice(f.body, change))) for name, f in left.items()}
    return Program(after.entry, {**after.functions, **changed}) if changed else after


def _collectives(function: Function) -> Iterator[tuple[gast.stmt, str]]:
    for statement in syntax.walk(function.body):
        axis_name = _axis_of(statement)
        if axis_name is not None:
            yield statement, axis_name


def _axis_of(statement: gast.stmt) -> str | None:
    """The axis of the collective that a statement calls."""
    call = getattr(statement, "value", None)
    row = row_of(syntax.operator_of(call)) if isinstance(call, gast.Call) else None
    if row is None or row.kind != "collective":
        return None
    axis_name: str = syntax.static_of(call)["axis_name"]
    return axis_name


def _refuse(axis_name: str, statement: gast.stmt, origin: Origin) -> None:
    where = getattr(statement, "span", None) or Span(origin.file, origin.line, 0, origin.line, 1)
    around = ", ".join(f"`{name}`" for name in getattr(statement, "around", ()))
    ways = [f"name an axis that is around it: {around}"] if around else []
    ways.append(f"map over the examples around it: `vmap(f, axis_name={axis_name!r})`")
    message = f"unbound axis name: {axis_name}"
    raise AxisNameError(Diagnostic("B004", message, where, "called here", help=tuple(ways)))
