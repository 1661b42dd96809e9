"""Refuse a store that would be seen through another name, where it is not known as what part of which array.

    c = a if p else b
    c[0] = 1.0           ->   error[R003]: `c` is changed while `a`, which shares its elements, is still used
    return a
"""

from __future__ import annotations

import gast

from ...analysis.memory.alias import AliasConflict, conflicts_as_numpy
from ...diagnostics import CompileError, Diagnostic, Label, PurityError, Span
from ...program import Function


def check_views(function: Function, mutates: tuple[str, ...] = ()) -> None:
    """Raise R003 or P014 for every store of a typed function that another name would show."""
    described = (describe(function, conflict, mutates) for conflict in conflicts_as_numpy(function))
    found = [diagnostic for diagnostic in described if diagnostic is not None]
    if not found:
        return
    cls = PurityError if all(d.code == "P014" for d in found) else CompileError
    raise cls(dict.fromkeys(found))


def describe(function: Function, conflict: AliasConflict, mutates: tuple[str, ...]) -> Diagnostic | None:
    here = span(conflict.store)
    if here is None:
        return None
    if conflict.other in function.parameters:
        if conflict.other in mutates:
            return None
        message = f"this function changes its argument `{conflict.other}`"
        declared = f"@compile(mutates=(\"{conflict.other}\",))"
        help_ = (f"work on a copy (`{conflict.other}.copy()`), or declare it: {declared}",)
        return Diagnostic("P014", message, here, "changed here", labels(conflict, conflict.other), help=help_)
    message = f"`{conflict.stored}` is changed while `{conflict.other}`, which shares its elements, is still used"
    help_ = ("take a copy (`.copy()`) where the one begins to show the other, or change each array by its own name",)
    return Diagnostic("R003", message, here, "changed here", labels(conflict, conflict.other), help=help_)


def labels(conflict: AliasConflict, other: str) -> tuple[Label, ...]:
    made = []
    for statement, text in ((conflict.origin, f"`{other}` starts to share here"), (conflict.use, "used again here")):
        place = span(statement)
        if place is not None:
            made.append(Label(place, text))
    return tuple(made)


def span(statement: gast.stmt | None) -> Span | None:
    return getattr(statement, "span", None)
