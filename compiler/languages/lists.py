"""Of what a list is a list: what is appended to it first, under any of its names, or what a function takes.

    items = []; partial = items; partial.append(x[i])    with x: f64[n]    ->    items: [f64], partial: [f64]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gast

from .. import types
from ..builder import type_of_constant
from ..types import Array, ListOf, Scalar, Type
from .files import StageFile


def lists_of(tree: gast.FunctionDef) -> dict[str, str]:
    """For every name of a list the first of its names."""
    roots: dict[str, str] = {}
    for node in gast.walk(tree):
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.List()) | gast.AnnAssign(
                target=gast.Name(id=name), value=gast.List()
            ):
                roots.setdefault(name, name)
    changed = True
    while changed:
        changed = False
        for node in gast.walk(tree):
            match node:
                case gast.Assign(targets=[gast.Name(id=name)], value=gast.Name(id=other)) if other in roots:
                    if name not in roots:
                        roots[name] = roots[other]
                        changed = True
    return roots


def list_type(tree: gast.FunctionDef, root: str, file: StageFile, wanted: dict[str, Type]) -> Type:
    """The type of a list that begins empty; a guess, which is noted as `xs[]`, until an item is read."""
    if root not in wanted:
        names = [name for name, first in lists_of(tree).items() if first == root]
        parameters = {d.name: tuple(d.parameters[a.id] for a in d.tree.args.args) for d in file.definitions}
        taken = (taken_list(tree, name, parameters) for name in names)
        found = next((type_ for type_ in taken if type_ is not None), None)
        guess = appended_constant(tree, names)
        wanted[root] = found or ListOf(guess)
        if found is None:
            wanted[f"{root}[]"] = guess
            wanted[f"{root}[?]"] = guess  # no item was read yet
    return wanted[root]


def appended_constant(tree: gast.FunctionDef, names: Sequence[str]) -> Scalar:
    """The type of the first constant that is appended: a test above may need a bool."""
    found = []
    for node in gast.walk(tree):
        match node:
            case gast.Call(func=gast.Attribute(value=gast.Name(id=base), attr="append"), args=[item]):
                if base in names and isinstance(item, gast.Constant) and isinstance(item.value, bool | int | float):
                    found.append(item)
    first = min(found, key=lambda item: (item.lineno, item.col_offset), default=None)
    return types.FLOAT if first is None else type_of_constant(first.value)


def item_type(
    wanted: dict[str, Type], root: str, held: Scalar | Array, given: Scalar | Array
) -> Scalar | Array | None:
    """What the items of a list have to be for this one to be among them; None where it fits, or nothing is guessed."""
    if f"{root}[]" not in wanted:
        return None
    if wanted.pop(f"{root}[?]", None) is not None:
        return given if given != held else None
    if isinstance(held, Scalar) and isinstance(given, Scalar):
        joined = Scalar(*types.promote(held, given))
        return joined if joined != held else None
    return None


def taken_list(tree: gast.FunctionDef, name: str, parameters: Mapping[str, tuple[Type, ...]]) -> Type | None:
    """The type that a function of the file takes a list as; `parameters` are those of each function."""
    for node in gast.walk(tree):
        match node:
            case gast.Call(func=gast.Name(id=callee), args=arguments) if callee in parameters:
                for argument, type_ in zip(arguments, parameters[callee]):
                    if isinstance(argument, gast.Name) and argument.id == name and isinstance(type_, ListOf):
                        return type_
    return None
