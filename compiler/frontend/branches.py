"""Branches: one that is decided is taken now, of the others both sides are emitted and their variables merged.

    if c: y = a              if c: y = a_1
    else: y = 1.0    ->      else: y = 1.0          with one `y` of one type behind them
"""

from __future__ import annotations

import gast

from .. import syntax
from . import choices, evaluate, execute
from .frame import Frame, Stopped, Unresolved
from .merge import (
    assign_parallel,
    copies,
    join,
    merged_names,
    named,
    place_holders,
)
from .values import (
    UNDEFINED,
    Static,
    Undefined,
    Value,
)


def branch(frame: Frame, node: gast.If, test: gast.expr, body: list, orelse: list) -> None:
    decided = choices.condition(frame, test)
    if isinstance(decided, Static):
        return execute.execute(frame, body if decided.value else orelse)
    before = dict(frame.variables)
    sides: list[tuple[dict[str, Value] | None, list[gast.stmt]]] = []
    unresolved = 0
    for side in (body, orelse):
        frame.variables = dict(before)
        with frame.captured() as emitted:
            try:
                execute.execute(frame, side)
                sides.append((frame.variables, emitted))
            except Stopped:
                sides.append((None, emitted))
            except Unresolved:
                unresolved += 1
                frame.task.left_out = True
                sides.append((None, emitted))
    frame.at(node)
    reached = [variables for variables, _ in sides if variables is not None]
    if not reached:
        frame.builder.append(syntax.if_(frame.atom(decided, test), sides[0][1], sides[1][1]))
        raise Unresolved if unresolved else Stopped
    live = frame.live_after.get(id(node))
    if len(reached) == 1:
        frame.variables = reached[0]
    else:
        frame.variables = join_branches(frame, before, sides, live, node)
    frame.builder.append(syntax.if_(frame.atom(decided, test), sides[0][1], sides[1][1]))


def join_branches(frame: Frame, before: dict, sides: list, live: frozenset[str] | None, node: gast.AST) -> dict:
    """The variables after both branches; the copies that merge them are added to the branches."""
    first, second = sides[0][0], sides[1][0]
    joined = dict(before)
    pairs: list[list[tuple[str, gast.expr]]] = [[], []]
    for name in dict.fromkeys([*first, *second]):
        if live is not None and name.split(" ")[0] not in live:
            joined.pop(name, None)
            continue
        left, right = of_side(first, name), of_side(second, name)
        if left is right or left == right and not isinstance(left, Static):
            joined[name] = left
            continue
        if isinstance(left, Undefined) != isinstance(right, Undefined) and name not in frame.made_names:
            flag = evaluate.is_set(name)
            first.setdefault(flag, Static(not isinstance(left, Undefined)))
            second.setdefault(flag, Static(not isinstance(right, Undefined)))
    for name in dict.fromkeys([*first, *second]):
        if live is not None and name.split(" ")[0] not in live:
            continue
        left, right = of_side(first, name), of_side(second, name)
        if left is right or left == right and not isinstance(left, Static):
            continue
        joined[name] = target = named(frame, wish_for(name), join(frame, left, right))
        fresh = merged_names(target, frame)
        for value, side, into in ((left, sides[0], pairs[0]), (right, sides[1], pairs[1])):
            with frame.captured() as extra:
                place_holders(frame, target, value, fresh)
                into += copies(frame, target, value, fresh, node)
            side[1].extend(extra)
    for (_, body), into in zip(sides, pairs, strict=True):
        with frame.captured() as extra:
            assign_parallel(frame, into)
        body.extend(extra)
    return joined


def of_side(variables: dict[str, Value], name: str) -> Value:
    if name in variables:
        return variables[name]
    if name.endswith(" is set"):
        return Static(name.removesuffix(" is set") in variables)
    return UNDEFINED


def wish_for(name: str) -> str:
    return name.replace(" ", "_")
