"""Arrays of given numbers are stored element by element, as kernels and the code around them have no constants.

    t = table(values=(0.5, 2.0), shape=(2,))    ->    t = empty(shape=(2,)); t[0] = 0.5; t[1] = 2.0

Takes and gives functions of the loops stage.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import gast

from ... import syntax
from ...program import Function
from ...renaming import placed, with_blocks


def write_out(function: Function) -> Function:
    """The function without such arrays; the same object where there are none."""
    if not any(_is_table(statement) for statement in syntax.walk(function.body)):
        return function
    return function.with_(body=tuple(_block(function.body)))


def _is_table(statement: gast.stmt) -> bool:
    return isinstance(statement, gast.Assign) and syntax.operator_of(statement.value) == "table"


def _block(statements: Sequence[gast.stmt]) -> list[gast.stmt]:
    found: list[gast.stmt] = []
    for statement in statements:
        if _is_table(statement):
            found += _stores(statement)
        else:
            found.append(with_blocks(statement, [_block(block) for block in syntax.blocks_of(statement)]))
    return found


def _stores(statement: gast.stmt) -> list[gast.stmt]:
    static, name = syntax.static_of(statement.value), statement.targets[0].id
    places = itertools.product(*map(range, static["shape"]))
    made: list[gast.stmt] = [syntax.assign(name, syntax.call("empty", shape=static["shape"], dtype=static["dtype"]))]
    made += [
        syntax.store(name, list(map(syntax.constant, place)), syntax.constant(value))
        for place, value in zip(places, static["values"], strict=True)
    ]
    return placed(made, statement)
