"""Blocks with tangents: every statement, and behind it that of its tangent.

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
from ...types import Array, ListOf
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
            tangent = _merged(state, statement.targets[0].id, statement)
            ready += [statement] if tangent is None else [statement, tangent]
        else:
            state.builder.body += ready
            ready.clear()
            statements.with_tangent(state, statement)
    state.builder.body += ready


def _merged(state: Tangents, name: str, statement: gast.stmt) -> gast.stmt | None:
    """The copy of a tangent into that of a name that paths merge."""
    if name not in state.active:
        return None
    type_ = state.types[name]
    if isinstance(type_, ListOf):
        value = statements.list_of(state, statement)
    else:
        value = state.full(statement.value, isinstance(type_, Array) and type_.layout == "C", state.hint(name))
    return syntax.at(syntax.assign(state.merged_name(name), value), state.builder.span, state.builder.inlined)
