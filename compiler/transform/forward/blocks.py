"""Blocks with tangents: every statement, and after it that of its tangent.

    if c:                        if c:
        y_1 = sin(x)                 y_1 = sin(x); y_1_dot = x_dot * cos(x)
        y = y_1          ->          y = y_1; y_dot = y_1_dot
    else:                        else:
        y = 0.0                      y = 0.0; y_dot = 0.0

What merges at the end of a block is made ready before the first of these copies, so that they stay the end.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ... import syntax
from ...types import ListOf
from ..reverse.settle import is_copy
from . import statements
from .tangents import Tangents


def interleaved(state: Tangents, body: Sequence[gast.stmt]) -> list[gast.stmt]:
    """The statements of a block with those of their tangents."""
    outer, state.builder.body = state.builder.body, []
    count = len(body)
    while count and is_copy(body[count - 1]):
        count -= 1
    for statement in body[:count]:
        _statement(state, statement)
    _closing(state, body[count:])
    made, state.builder.body = state.builder.body, outer
    return made


def _statement(state: Tangents, statement: gast.stmt) -> None:
    state.at(statement)
    blocks = syntax.blocks_of(statement)
    if not blocks:
        statements.with_tangent(state, statement)
        return
    made = [interleaved(state, block) for block in blocks]
    state.at(statement)
    changes = dict(zip(("body", "orelse"), made))
    state.builder.append(syntax.rebuild(statement, **changes))


def _closing(state: Tangents, copies: Sequence[gast.stmt]) -> None:
    """Copies that may end a block, the last of them into names that it merges."""
    ready: list[gast.stmt] = []
    for statement in copies:
        state.at(statement)
        if statement.targets[0].id in state.merged:
            ready += [statement, *_merged(state, statement.targets[0].id, statement)]
        else:
            state.builder.body += ready
            ready.clear()
            statements.with_tangent(state, statement)
    state.builder.body += ready


def _merged(state: Tangents, name: str, statement: gast.stmt) -> list[gast.stmt]:
    """The copies of tangents into those of a name that paths merge."""
    if name not in state.active:
        return []
    made: list[gast.stmt] = []
    for one in state.orders:
        if isinstance(one.types[name], ListOf):
            value = statements.list_of(one, statement)
        else:
            value = one.full(statement.value, one.is_ordered(name), one.hint(name))
        copied = syntax.assign(one.merged_name(name), value)
        made.append(syntax.at(copied, state.builder.span, state.builder.inlined))
    return made
