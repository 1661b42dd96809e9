"""Pack without branches: what a mask selects is stored always, and the position goes on where it is selected.

    t = empty(count)                             t = empty(count)
    for i in range(dim(mask, 0)):                for i in range(dim(mask, 0)):
        if mask[i]:                    ->            if 0 <= position < dim(t, 0):
            t[position] = x[i]                           t[position] = x[i]
            position = position + 1                  elif mask[i]:
                                                         t[position] = x[i]
                                                     position = position + (1 if mask[i] else 0)

What is stored where the mask is false is overwritten by the next that is selected, or stands where nothing has been
stored: the array was made just before, and nobody has looked at it.  The test that is left is one that the processor
foresees; where there is no room, the store is what it was, and may raise.  Holds for values that cost little and cannot
fail.  Takes and gives functions of the loops stage.  It is for CPUs: other targets count positions ahead
(`count_ahead`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import gast

from .. import syntax
from ..dtypes import INT_WORD
from ..program import Function
from ..renaming import copied, placed, renamed, splice
from ..types import Array, Type
from .effects import are_cheap
from .in_blocks import with_blocks

MOST_OPERATORS = 2  # in a value that is made for nothing where the mask is false.  No row


def pack(function: Function) -> Function:
    """The function with such branches as additions; the same object where there are none."""
    packer = _Packer(function)
    body = packer.block(function.body)
    return function if body is None else function.with_(body=tuple(body))


class _Packer:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.types: Mapping[str, Type] = function.types

    def block(self, body: Sequence[gast.stmt]) -> list[gast.stmt] | None:
        """The statements of a block; None where nothing changes."""
        made: list[gast.stmt] = []
        fresh: set[str] = set()  # arrays made in this block, of which nothing but the length has been looked at
        for statement in body:
            made.append(self._statement(statement, fresh))
            fresh.difference_update(_mentions(statement))
            fresh.update(_vector_made(statement, self.types))
        return made if any(new is not old for new, old in zip(made, body)) else None

    def _statement(self, node: gast.stmt, fresh: set[str]) -> gast.stmt:
        if isinstance(node, gast.For) and fresh:
            packed = self._nest(node, fresh)
            if packed is not None:
                return packed
        return with_blocks(node, self.block)

    def _nest(self, nest: gast.For, fresh: set[str]) -> gast.stmt | None:
        """A nest in which new arrays are filled one element after the other; None for others."""
        inside = syntax.walk([nest])
        chosen = {id(s): s for s in inside if isinstance(s, gast.If) and self._is_packing(s, fresh, inside)}
        if not chosen:
            return None
        (made,) = splice([nest], lambda s: _packed(chosen[id(s)]) if id(s) in chosen else None)
        return made

    def _is_packing(self, node: gast.If, fresh: set[str], inside: Sequence[gast.stmt]) -> bool:
        if node.orelse or len(node.body) != 2:
            return False
        put, count = node.body
        match put, count:
            case gast.Assign(targets=[gast.Subscript() as place]), gast.Assign(targets=[gast.Name(id=position)]):
                array, items = place.value.id, place.slice.elts
            case _:
                return False
        is_next = len(items) == 1 and getattr(items[0], "id", "") == position and _is_next(count.value, position)
        if not is_next or array not in fresh:
            return False
        mentions = sum(name == array for s in inside for name in _mentions(s, alone=True))
        changes = sum(name == position for s in inside for name in syntax.names_changed(s))
        return mentions == 1 and changes == 1 and are_cheap(self.function, [put.value], MOST_OPERATORS)


def _packed(node: gast.If) -> list[gast.stmt]:
    put = node.body[0]
    place = put.targets[0]
    position, length = place.slice.elts[0].id, syntax.call("dim", place.value.id, axis=0)
    now = syntax.name(position)
    bounds = [syntax.call("greater_equal", now, 0), syntax.call("less", now, length)]
    again = placed([syntax.if_(copied(node.test, {}), [renamed(put, {})])], node)
    hit = syntax.call("cast", node.test, dtype=INT_WORD, weak=True)
    counted = syntax.assign(position, syntax.call("add", now, hit))
    return placed([syntax.if_(gast.BoolOp(gast.And(), bounds), [put], again), counted], node)


def _is_next(value: gast.expr, position: str) -> bool:
    match value:
        case gast.Call(func=gast.Name(id="add"), args=[gast.Name(id=name), gast.Constant(value=1)]):
            return name == position
    return False


def _vector_made(statement: gast.stmt, types: Mapping[str, Type]) -> list[str]:
    """The vector with undefined elements that a statement makes."""
    match statement:
        case gast.Assign(targets=[gast.Name(id=name)], value=gast.Call(func=gast.Name(id="empty"))):
            type_ = types[name]
            return [name] if isinstance(type_, Array) and len(type_.dims) == 1 else []
    return []


def _mentions(statement: gast.stmt, alone: bool = False) -> Iterator[str]:
    """Every mention of a name but for its length, in the statement with all inside of it, or in itself alone."""
    for part in [statement] if alone else syntax.walk([statement]):
        nodes = syntax.own_nodes(part)
        measured = {id(node.args[0]) for node in nodes if syntax.operator_of(node) == "dim"}
        yield from (node.id for node in nodes if isinstance(node, gast.Name) and id(node) not in measured)
