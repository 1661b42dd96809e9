"""Refuse a store that another name would show, where it is not known as which part of which array.

    c = a if p else b
    c[0] = 1.0           ->   error[R003]: `c` is changed while `a`, which shares its elements, is still used
    return a
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import gast

from .... import syntax
from ....analysis.memory.alias import AliasConflict, alias, conflicts_as_numpy
from ....analysis.memory.items import list_of_copy
from ....diagnostics import LONGEST_CHAIN, CompileError, Diagnostic, Label, PurityError, Span
from ....names import base_of
from ....program import Function
from ....types import ListOf


def check_views(function: Function, mutates: tuple[str, ...] = (), outside: Mapping[str, str] = {}) -> None:
    """Raise R003, P014 or P010 for every store of a typed function that another name would show.

    `outside` has the parameters that are not arguments, with the names of the variables that they are read from.
    """
    described = (describe(function, conflict, mutates, outside) for conflict in conflicts_as_numpy(function))
    found = [diagnostic for diagnostic in described if diagnostic is not None]
    found += shared_arguments(function)
    if not found:
        return
    cls = PurityError if all(d.code[0] == "P" for d in found) else CompileError
    raise cls(dict.fromkeys(found))


def shared_arguments(function: Function) -> Iterator[Diagnostic]:
    """Calls that change an argument and have another argument that may show the same elements."""
    calls = [s for s in syntax.walk(function.body) if getattr(s, "changes", ())]
    aliases = alias(function, as_numpy=True) if calls else None
    for call in calls:
        names = [a.id if isinstance(a, gast.Name) else "" for a in call.value.args]
        for place in call.changes:
            for k, other in enumerate(names):
                here = span(call)
                if k != place and aliases is not None and here and aliases.may_share(call, names[place], other):
                    message = f"`{call.value.func.id}` changes an argument that it may be passed twice"
                    help_ = ("pass a copy of one of them: `.copy()`",)
                    yield Diagnostic("R003", message, here, "called here", help=help_)


def describe(
    function: Function, conflict: AliasConflict, mutates: tuple[str, ...], outside: Mapping[str, str]
) -> Diagnostic | None:  # fmt: skip
    here = span(conflict.store)
    if here is None:
        return None
    if conflict.other in outside:
        name = outside[conflict.other]
        help_ = (f"work on a copy: `{name}.copy()`",)
        message = f"this function changes `{name}`, which is defined outside it"
        return Diagnostic("P010", message, here, "changed here", labels(conflict, name), help=help_)
    if conflict.other in function.parameters:
        if conflict.other in mutates:
            return None
        message = f"this function changes its argument `{conflict.other}`"
        declared = f"@compile(mutates=(\"{conflict.other}\",))"
        help_ = (f"work on a copy (`{conflict.other} = {conflict.other}.copy()`), or declare it: {declared}",)
        return Diagnostic("P014", message, here, "changed here", labels(conflict, conflict.other), help=help_)
    list_ = list_of_copy(function, conflict.stored)
    if list_ is not None:
        return of_item(function, conflict, users_name(function, list_), here)
    stored, other = (users_name(function, name) for name in (conflict.stored, conflict.other))
    message = f"`{stored}` is changed while `{other}`, which shares its elements, is still used"
    made = syntax.names_bound(conflict.origin) if conflict.origin is not None else ()
    is_view = conflict.stored in made
    instead = f", or assign to elements of `{other}` itself" if is_view else ""
    help_ = (f"make `{stored if is_view else other}` a copy: `.copy()`{instead}",)
    if isinstance(function.types.get(conflict.other), ListOf):
        if is_view:
            message = f"an item of `{other}` is changed where it stands, while the list is still used"
            help_ = (f"name the item by its place where it is changed: `{other}[i][...] = v`, `{other}[i] += v`",)
        else:
            help_ = (f"put copies into `{other}`: `.append(a.copy())`",)
    return Diagnostic("R003", message, here, "changed here", labels(conflict, other), help=help_)


def of_item(function: Function, conflict: AliasConflict, list_: str, here: Span) -> Diagnostic:
    """The fault of a change of a list item that may have aliases."""
    other = users_name(function, conflict.other)
    if conflict.other == conflict.stored:
        message = f"this changes an item of `{list_}`, which the list may have twice"
        help_ = (f"put copies into `{list_}`: `.append(a.copy())`",)
        return Diagnostic("R003", message, here, "changed here", labels(conflict, list_), help=help_)
    message = f"this changes an item of `{list_}` while `{other}`, which may be that item, is still used"
    help_ = (f"let `{other}` be a copy: `.copy()`",)
    if isinstance(function.types.get(conflict.other), ListOf):
        message = f"this changes an item of `{list_}`, which `{other}` may have too, while it is still used"
        help_ = (f"put copies into one of the lists: `[a.copy() for a in {list_}]`",)
    return Diagnostic("R003", message, here, "changed here", labels(conflict, other), help=help_)


def users_name(function: Function, name: str) -> str:
    """What the user calls a name of the typed stage."""
    found, _ = function.given.get(name, (base_of(name), False))
    return found


def labels(conflict: AliasConflict, other: str) -> tuple[Label, ...]:
    made = []
    for statement, text in ((conflict.origin, f"`{other}` starts to share here"), (conflict.use, "used again here")):
        place = span(statement)
        if place is not None:
            made.append(Label(place, text))
    made += [Label(place, "called from here") for place in getattr(conflict.store, "inlined", ())[:LONGEST_CHAIN]]
    return tuple(made)


def span(statement: gast.stmt | None) -> Span | None:
    return getattr(statement, "span", None)
