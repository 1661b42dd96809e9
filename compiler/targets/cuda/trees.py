"""Statements from templates: what a kernel has beside the user's own statements.

python("{i} += cuda.blockDim.x", i="j")     ->     [j += cuda.blockDim.x]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import gast

from ... import syntax
from ...analysis.def_use import reads_of
from ...parsing import parsed_module

_HOLE = re.compile(r"\{(\w+)\}")


def python(text: str, /, **holes: Any) -> list[gast.stmt]:
    """The statements of a template; a hole takes a name, as a string, or an expression."""
    trees = {f"__{name}__": syntax.atom(value) for name, value in holes.items()}
    return [_filled(statement, trees) for statement in _parsed(_HOLE.sub(r"__\1__", text))]


def expression(text: str, /, **holes: Any) -> gast.expr:
    (statement,) = python(text, **holes)
    made: gast.expr = statement.value
    return made


def product(parts: Sequence[gast.expr]) -> gast.expr:
    """`a * b * c`."""
    made = parts[0]
    for part in parts[1:]:
        made = gast.BinOp(made, gast.Mult(), part)
    return made


def with_name(node: gast.expr, name: str, value: gast.expr) -> gast.expr:
    """An expression with a name replaced by another expression."""
    made: gast.expr = syntax.map_names(node, lambda n: value if n == name else n)
    return made


@cache
def _parsed(text: str) -> tuple[gast.stmt, ...]:
    return tuple(parsed_module(text, "<kernels>").body)


def _filled(node: Any, trees: dict[str, gast.expr]) -> Any:
    if isinstance(node, gast.Name):
        found = trees.get(node.id)
        if found is None:
            return gast.Name(node.id, node.ctx, None, None)
        return gast.Name(found.id, node.ctx, None, None) if isinstance(found, gast.Name) else found
    fields: dict[str, Any] = {}
    for field in node._fields:
        old = getattr(node, field, None)
        if isinstance(old, list):
            fields[field] = [_filled(o, trees) if isinstance(o, gast.AST) else o for o in old]
        elif isinstance(old, gast.AST):
            fields[field] = _filled(old, trees)
        else:
            fields[field] = old
    made = node.__class__.__new__(node.__class__)
    made.__dict__ = fields
    return made


def mentioned(nodes: Iterable[gast.stmt]) -> list[str]:
    return [name for node in syntax.walk(nodes) for name in mentioned_itself(node)]


def mentioned_itself(node: gast.stmt) -> list[str]:
    """The names that a statement mentions, without those of the blocks in it."""
    base = syntax.stored_base(node)
    return [*reads_of(node), *syntax.names_bound(node), *([] if base is None else [base])]


def copied(node: Any) -> Any:
    """A copy of the tree, in nodes of its own."""
    changes: dict[str, Any] = {}
    for field in node._fields:
        old = getattr(node, field, None)
        if isinstance(old, list):
            changes[field] = [copied(o) if isinstance(o, gast.AST) else o for o in old]
        elif isinstance(old, gast.AST) and field != "ctx":
            changes[field] = copied(old)
    return syntax.rebuild(node, **changes)


def without_casts(node: gast.expr) -> gast.expr:
    """What is cast, once or more than once."""
    while syntax.operator_of(node) == "cast":
        node = node.args[0]
    return node


def number_of(node: gast.expr | None) -> object:
    """The number that a constant is, casts aside; None where it is none."""
    value = None if node is None else without_casts(node)
    return value.value if isinstance(value, gast.Constant) else None
