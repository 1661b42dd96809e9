"""Refuse a store that would be seen through another name: there, value semantics and NumPy's views part ways.

    row = a[0]
    a[0, 0] = 1.0        ->   error[R003]: `row` is a view of `a`, which is changed while `row` is still used
    return row[0]
"""

from __future__ import annotations

import gast

from ...analysis.memory.alias import AliasConflict, conflicts
from ...diagnostics import CompileError, Diagnostic, Label, PurityError, Span
from ...program import Function


def check_views(function: Function, mutates: tuple[str, ...] = (), outside: tuple[str, ...] = ()) -> None:
    """Raise R003, P014 or P010 for every store of a typed function that another name would show.

    `outside` are the parameters that are no arguments: arrays that the function reads from outside.
    """
    described = (describe(function, conflict, mutates, outside) for conflict in conflicts(function, as_numpy=True))
    found = [diagnostic for diagnostic in described if diagnostic is not None]
    if not found:
        return
    cls = PurityError if all(d.code[0] == "P" for d in found) else CompileError
    raise cls(dict.fromkeys(found))


def describe(
    function: Function, conflict: AliasConflict, mutates: tuple[str, ...], outside: tuple[str, ...]
) -> Diagnostic | None:  # fmt: skip
    here = span(conflict.store)
    if here is None:
        return None
    if conflict.other in outside:
        message = "this function changes an array that is defined outside it"
        found = labels(conflict, conflict.other)
        return Diagnostic("P010", message, here, "changed here", found, help=("work on a copy: `.copy()`",))
    if conflict.other in function.parameters:
        if conflict.other in mutates:
            return None
        message = f"this function changes its argument `{conflict.other}`"
        declared = f"@compile(mutates=(\"{conflict.other}\",))"
        help_ = (f"work on a copy (`{conflict.other}.copy()`), or declare it: {declared}",)
        return Diagnostic("P014", message, here, "changed here", labels(conflict, conflict.other), help=help_)
    message = f"`{conflict.stored}` is changed while `{conflict.other}`, which shares its elements, is still used"
    help_ = (f"make `{conflict.other}` a copy: `.copy()`",)
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
