"""Constants by Python's convention: names in capitals that their module binds once and nowhere changes.

    SOBEL_X = np.array(...)         is one: an array, which is read at each call
    LINKS = [(0, 1), (1, 2)]        is one: a container of numbers, which is guarded by its value
    CACHE = {}; CACHE[k] = v        is none: something changes it, so what a function returns would depend on when

The source of the module decides; the guards, not this, keep compiled code from becoming stale.
"""

from __future__ import annotations

import functools
import sys
import types
from typing import Any

import gast

from ....runtime.values import is_number_data
from ...diagnostics import source_lines
from ...parsing import parsed_module
from ...syntax import imported_as
from ...vocabulary import CHANGING_FUNCTIONS, CHANGING_METHODS, CONTAINER_CHANGES

MOST_MODULES = 8  # modules through which one name may be imported


def is_constant(namespace: dict[str, Any], file: str, name: str) -> bool:
    """Whether a variable of a module is a constant, and holds what can be one: an array or a container of numbers."""
    is_data = is_capital(name) and is_number_data(namespace.get(name))
    return is_data and _is_bound_once(namespace, file, name, MOST_MODULES)


def is_constant_at(kind: str, owner: Any, name: str) -> bool:
    """The same for a location as guards record it: a variable as a function sees it, or an attribute of a module."""
    if kind == "global":
        return is_constant(owner.__globals__, owner.__code__.co_filename, name)
    is_module = kind == "attribute" and isinstance(owner, types.ModuleType)
    return is_module and is_constant(vars(owner), file_of(owner), name)


def file_of(module: types.ModuleType) -> str:
    return str(getattr(module, "__file__", ""))


def is_constant_in(text: str, name: str, what: str) -> bool:
    """The same, as far as the source of its module tells."""
    is_data = what in ("array", "list", "dict", "set")
    return is_data and is_capital(name) and bindings(text).get(name, MANY) is not MANY


def is_capital(name: str) -> bool:
    """Whether a name is written as constants are; a single letter is the usual name of a matrix."""
    return name.isupper() and len(name) > 1


def _is_bound_once(namespace: dict[str, Any], file: str, name: str, left: int) -> bool:
    text = "\n".join(source_lines(file)) if file else ""
    binding = bindings(text).get(name, MANY) if text else MANY
    if not isinstance(binding, gast.ImportFrom):
        return isinstance(binding, gast.Assign | gast.AnnAssign)
    module = _module(namespace, binding)
    original = next(alias.name for alias in binding.names if imported_as(alias) == name)
    if left == 0 or module is None or not is_capital(original):
        return False
    return _is_bound_once(vars(module), file_of(module), original, left - 1)


def _module(namespace: dict[str, Any], statement: gast.ImportFrom) -> types.ModuleType | None:
    package = str(namespace.get("__package__") or "").split(".")
    base = package[: len(package) - (statement.level or 0) + 1] if statement.level else []
    return sys.modules.get(".".join([*base, *([statement.module] if statement.module else [])]))


MANY = gast.Pass()


@functools.lru_cache(maxsize=64)
def bindings(text: str) -> dict[str, gast.stmt]:
    """The statements that bind the capital names of a module, by name; MANY for one that is bound again or changed."""
    try:
        tree = parsed_module(text)
    except SyntaxError:
        return {}
    found: dict[str, gast.stmt] = {}
    for statement in tree.body:
        for name in _bound_by(statement):
            found[name] = MANY if name in found else statement
    for name in _changed(tree):
        found[name] = MANY
    return found


def _bound_by(statement: gast.stmt) -> list[str]:
    match statement:
        case gast.Assign(targets=targets):
            names = [n.id for target in targets for n in gast.walk(target) if isinstance(n, gast.Name)]
        case gast.AnnAssign(target=gast.Name(id=name)):
            names = [name]
        case gast.ImportFrom(names=aliases):
            names = [imported_as(alias) for alias in aliases]
        case _:  # under a condition or in a loop it may be bound to one thing or another
            names = [n.id for n in gast.walk(statement) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)]
            return [name for name in names if is_capital(name) and _is_of_module(statement)] * 2
    return [name for name in names if is_capital(name)]


def _is_of_module(statement: gast.stmt) -> bool:
    return not isinstance(statement, gast.FunctionDef | gast.ClassDef | gast.AsyncFunctionDef)


def _changed(tree: gast.Module) -> set[str]:
    """The capital names that any statement of a module changes, or a function declares to be global."""
    found: set[str] = set()
    for node in gast.walk(tree):
        match node:
            case gast.Global(names=names):
                found.update(names)
            case gast.AugAssign(target=target):
                found.add(_root(target))
            case gast.Subscript(ctx=gast.Store() | gast.Del()) | gast.Attribute(ctx=gast.Store() | gast.Del()):
                found.add(_root(node))
            case gast.Delete(targets=targets):
                found.update(map(_root, targets))
            case gast.Call(func=gast.Attribute(value=base, attr=method)) if method in CHANGING:
                found.add(_root(base))
                found.update(_root(argument) for argument in node.args[:1])
            case gast.keyword(arg="out", value=value):
                found.add(_root(value))
    return {name for name in found if is_capital(name)}


CHANGING = CHANGING_METHODS | CONTAINER_CHANGES | {name.rpartition(".")[2] for name in CHANGING_FUNCTIONS} | {"at"}


def _root(node: gast.AST) -> str:
    while isinstance(node, gast.Subscript | gast.Attribute):
        node = node.value
    return node.id if isinstance(node, gast.Name) else ""
