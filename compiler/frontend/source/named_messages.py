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

import gast

from ...syntax import rebuild

BLOCKS = ("body", "orelse", "finalbody")
SHOWING = (gast.Raise, gast.Assert)


def messages_in_place(nodes: Sequence[gast.AST]) -> dict[gast.stmt, gast.stmt | None]:
    """Of all nodes of a function, the statements with another one in their place, or with none."""
    if not [node for node in nodes if node.__class__ in SHOWING]:  # without a call for each node
        return {}
    reads = Counter(node.id for node in nodes if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Load))
    pairs = [
        (first, second)
        for node in nodes
        for block in (getattr(node, field, None) for field in BLOCKS)
        for first, second in (itertools.pairwise(block) if isinstance(block, list) else ())
        if _is_format_that_is_shown(first, second)
    ]
    shown = Counter(first.targets[0].id for first, _ in pairs)
    found: dict[gast.stmt, gast.stmt | None] = {}
    for first, second in pairs:
        name = first.targets[0].id
        if reads[name] == shown[name]:
            found |= {first: None, second: _showing(second, name, first.value)}
    return found


def _is_format_that_is_shown(first: gast.stmt, second: gast.stmt) -> bool:
    match first:
        case gast.Assign(targets=[gast.Name(id=name)], value=value) if is_format(value):
            return any(isinstance(part, gast.Name) and part.id == name for part in _shown(second))
    return False


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
    """What a statement shows as it stands."""
    match statement:
        case gast.Raise(exc=gast.Call(args=args, keywords=[])):
            return list(args)
        case gast.Assert(msg=gast.expr() as message):
            return [message]
    return []


def _showing(statement: gast.stmt, name: str, value: gast.expr) -> gast.stmt:
    """The statement with a value in place of a name that it shows."""
    shown = [value if isinstance(part, gast.Name) and part.id == name else part for part in _shown(statement)]
    if isinstance(statement, gast.Assert):
        return rebuild(statement, msg=shown[0])
    return rebuild(statement, exc=rebuild(statement.exc, args=shown))
