"""A message that has a name until it is raised, which stands in the statement that raises it.

    message = f"expected {n} rows"     ->     raise ValueError(f"expected {n} rows")
    raise ValueError(message)

The string of a number that is known only at run time is made for messages alone, and the specialiser knows them by
where they stand.  A name that is read anywhere else is kept.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import TypeGuard

import gast

from ...syntax import nodes_of, rebuild

BLOCKS = ("body", "orelse", "finalbody")
SHOWING = (gast.Raise, gast.Assert)


def with_messages(tree: gast.FunctionDef) -> gast.FunctionDef:
    """The function with messages where they are raised; itself where none has a name."""
    if not [node for node in nodes_of(tree) if node.__class__ in SHOWING]:  # most functions: no call for each node
        return tree
    reads = Counter(n.id for n in nodes_of(tree) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load))
    raised = Counter(name for block in _blocks(tree) for _, _, name in _pairs(block))
    names = {name for name, count in raised.items() if reads[name] == count}
    return _rebuilt(tree, names) if names else tree


def _pairs(block: Sequence[gast.stmt]) -> list[tuple[int, gast.expr, str]]:
    """Where a message gets a name that the next statement raises: the place, the message, its name."""
    found = []
    for place, (first, second) in enumerate(itertools.pairwise(block)):
        match first:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if is_format(value):
                if any(isinstance(part, gast.Name) and part.id == name for part in _shown(second)):
                    found.append((place, value, name))
    return found


def is_format(value: gast.expr) -> bool:
    """`f"..."`, `"..." % n`, `"...".format(n)`, and what is added to such."""
    match value:
        case gast.JoinedStr():
            return True
        case gast.BinOp(op=gast.Mod(), left=gast.Constant(value=str())):
            return True
        case gast.BinOp(op=gast.Add(), left=left, right=right):
            return is_format(left) or is_format(right)
        case gast.Call(func=gast.Attribute(value=gast.Constant(value=str()), attr="format")):
            return True
    return False


def _shown(statement: gast.stmt) -> list[gast.expr]:
    """What a statement may show in a message, as it stands."""
    match statement:
        case gast.Raise(exc=gast.Call(args=args, keywords=[])):
            return list(args)
        case gast.Assert(msg=gast.expr() as message):
            return [message]
    return []


def _blocks(node: gast.AST) -> list[list[gast.stmt]]:
    fields = [getattr(inner, name, None) for inner in nodes_of(node) for name in BLOCKS]
    return [field for field in fields if _is_block(field)]


def _is_block(value: object) -> TypeGuard[list[gast.stmt]]:
    return isinstance(value, list) and bool(value) and isinstance(value[0], gast.stmt)


def _rebuilt(node: gast.AST, names: set[str]) -> gast.AST:
    """The statement with messages in place in all blocks inside it."""
    changed = {}
    for field, value in gast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], gast.stmt | gast.ExceptHandler | gast.match_case):
            parts = _placed(value, names) if field in BLOCKS else value
            changed[field] = [_rebuilt(part, names) for part in parts]
    return rebuild(node, **changed) if changed else node


def _placed(block: list[gast.stmt], names: set[str]) -> list[gast.stmt]:
    found = {place: (value, name) for place, value, name in _pairs(block) if name in names}
    made: list[gast.stmt] = []
    for place, statement in enumerate(block):
        if place in found:
            continue
        made.append(_with(statement, *found[place - 1]) if place - 1 in found else statement)
    return made


def _with(statement: gast.stmt, value: gast.expr, name: str) -> gast.stmt:
    def put(part: gast.expr) -> gast.expr:
        return value if isinstance(part, gast.Name) and part.id == name else part

    if isinstance(statement, gast.Assert):
        return rebuild(statement, msg=put(statement.msg))
    return rebuild(statement, exc=rebuild(statement.exc, args=[put(part) for part in statement.exc.args]))
