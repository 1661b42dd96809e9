"""Variables that a loop carries: run its body until the types at its head hold, and merge them at its end.

    acc = 0                            acc = 0.0
    for i in range(n):        ->       for i in range(0, n, 1):
        acc += x[i]                        t = x[i]
                                           acc_1 = acc + t
                                           acc = acc_1
"""

from __future__ import annotations

from typing import Any

import gast

from ..analysis import core_liveness
from ..types import Array, Dim, Scalar
from . import branches, evaluate, execute
from .frame import Frame, Stopped
from .merge import (
    assign_parallel,
    copies,
    join,
    merged_names,
    named,
    own_lengths,
    place_holders,
)
from .values import (
    UNDEFINED,
    Conflict,
    Leaf,
    Static,
    Typed,
    Undefined,
    Value,
    map_leaves,
    parts,
    same_structure,
)


def carry(frame: Frame, node: gast.stmt, body: list, enter: Any, make: Any, test: Any = None) -> None:
    """Run the body once with the carried variables under names of their own, until their types hold.

    `test`, if any, is a function that gives the loop's condition from the variables at the head.
    """
    live = core_liveness.live_in_loop(node, frame.live_after) if id(node.body[-1]) in frame.live_after else None
    candidates = core_liveness.assigned(node.body)
    if isinstance(node, gast.For):
        candidates |= set(core_liveness.targets(node.target))
    # a store into an array leaves its name alone; a container that is known now is rebuilt by one
    candidates |= {n for n in core_liveness.changed_inside(node.body) if not isinstance(frame.lookup(n), Leaf)}
    candidates &= set(frame.variables) | core_liveness.assigned(node.body) | _targets(node)
    candidates = {n for n in candidates if not _only_in_place(frame, n, node)}
    carried = sorted(n for n in candidates if live is None or n in live)
    entry = {name: frame.variables.get(name, UNDEFINED) for name in carried}
    for name in carried:
        flag = evaluate.is_set(name)
        if flag in frame.variables or isinstance(entry[name], Undefined) and name not in frame.made_names:
            entry[flag] = frame.variables.get(flag, Static(False))
    for name in candidates - set(carried):
        frame.variables.pop(name, None)
    heads: dict[str, Any] = {name: _head(frame, value) for name, value in entry.items()}
    own: set[str] = set()
    saved = frame.snapshot()
    for _ in range(8):
        frame.restore(saved)
        outcome = _try_body(frame, node, body, enter, entry, heads, own, test)
        if outcome.changed is None:
            break
        heads = outcome.changed
    else:
        frame.fault("T002", "the types of this loop's variables do not settle", node)
    _finish(frame, node, entry, outcome, make)


def _targets(node: gast.stmt) -> set[str]:
    return set(core_liveness.targets(node.target)) if isinstance(node, gast.For) else set()


def _only_in_place(frame: Frame, name: str, node: gast.stmt) -> bool:
    """Whether `x += v` is all that binds an array: that changes its elements, not the variable."""
    if not frame.is_array(frame.variables.get(name, UNDEFINED)):
        return False
    binding = [s for s in core_liveness.statements(node.body) if name in core_liveness.whole_targets(s)]
    return all(isinstance(s, gast.AugAssign) for s in binding) and name not in _targets(node)


class _Outcome:
    """One trial of a loop body: names at the head, statements, values at its end."""

    def __init__(self) -> None:
        self.changed: dict[str, Any] | None = None
        self.variable = ""
        self.heads: dict[str, Value] = {}
        self.body: list[gast.stmt] = []
        self.before: list[gast.stmt] = []
        self.test: gast.expr | None = None
        self.after: dict[str, Value] = {}


def _head(frame: Frame, value: Value) -> Any:
    """A carried variable at the head: numbers become names, everything else stays what it is."""

    def widen(part: Value, _: tuple) -> Any:
        found = frame.type_of(part)
        return part if found is None else Typed(found)

    return map_leaves(value, widen)


def _try_body(frame: Frame, node, body, enter, entry, heads, own, test) -> _Outcome:
    outcome = _Outcome()
    for name, head in heads.items():
        outcome.heads[name] = named(frame, branches.wish_for(name), head)
    fresh = {n for v in outcome.heads.values() for n in merged_names(v, frame)}
    with frame.captured() as before:
        pairs = []
        for name, target in outcome.heads.items():
            place_holders(frame, target, entry[name], merged_names(target, frame) & fresh)
            pairs += copies(frame, target, entry[name], fresh, node)
        assign_parallel(frame, pairs)
    outcome.before = before
    for name, value in outcome.heads.items():
        if isinstance(value, Undefined):
            frame.variables.pop(name, None)
        else:
            frame.variables[name] = value
    at_head = dict(frame.variables)
    outcome.after = at_head
    if test is not None:
        outcome.test = test()
    with frame.captured() as inner:
        try:
            outcome.variable = enter()
            execute.execute(frame, body)
            ended = True
        except Stopped:
            ended = False
        frame.at(node)
        ends = {name: branches.of_side(frame.variables, name) for name in entry} if ended else dict(outcome.heads)
        outcome.changed = _settle(frame, heads, outcome.heads, ends, fresh, own)
        if outcome.changed is None:
            pairs = []
            for name, target in outcome.heads.items():
                pairs += copies(frame, target, ends[name], fresh, node)
            assign_parallel(frame, pairs)
    outcome.body = inner
    frame.variables = dict(at_head)
    return outcome


def _settle(
    frame: Frame, heads: dict, named_heads: dict, ends: dict, fresh: set[str], own: set[str]
) -> dict | None:
    """The heads widened by what the body made of them; None when they hold already.

    `own` collects the lengths that are made here: each stands for one axis of one variable at this head.
    """
    changed = False
    result = {}
    before = frozenset(frame.builder.symbols)
    for name, head in heads.items():
        now, end = named_heads[name], ends[name]
        wanted = _merged_again(frame, join(frame, now, end), now, fresh)
        if isinstance(now, Undefined):
            wanted = _own_lengths(frame, wanted)
        if wanted != head and not _same_heads(frame, wanted, head, own):
            changed = True
        result[name] = wanted
    own |= frame.builder.symbols - before
    return result if changed else None


def _merged_again(frame: Frame, joined: Any, now: Value, fresh: set[str]) -> Any:
    def again(part: Any, _: tuple) -> Any:
        if isinstance(part, Leaf) and part.name in fresh:
            return Typed(frame.builder.types[part.name])
        return part

    return map_leaves(joined, again)


def _same_heads(frame: Frame, wanted: Any, head: Any, own: set[str]) -> bool:
    """Equal up to lengths that belong to this head: what another variable has may not change with this one."""
    if isinstance(wanted, Typed) and isinstance(head, Typed):
        a, b = wanted.type, head.type
        alike = isinstance(a, Array) and isinstance(b, Array) and a.dtype == b.dtype and a.ndim == b.ndim
        if alike and a.layout == b.layout:
            return all(x == y or isinstance(y, Dim) and own.issuperset(y.symbols()) for x, y in zip(a.dims, b.dims))
        return a == b
    if same_structure(wanted, head):
        return all(_same_heads(frame, a, b, own) for (_, a), (_, b) in zip(parts(wanted), parts(head), strict=True))
    return isinstance(wanted, Conflict) and isinstance(head, Conflict)


def _own_lengths(frame: Frame, head: Any) -> Any:
    """A value first made in the loop keeps no length from one iteration to the next."""

    def own(part: Any, _: tuple) -> Any:
        return Typed(own_lengths(frame, part.type)) if isinstance(part, Typed) else part

    return map_leaves(head, own)


def _finish(frame: Frame, node: gast.stmt, entry: dict, outcome: _Outcome, make: Any) -> None:
    frame.builder.body += outcome.before
    if outcome.test is not None:
        frame.builder.append(make(outcome.test, outcome.body))
    else:
        frame.builder.append(make(outcome.variable, outcome.body))
    explain_types(frame, node, entry, outcome.heads)
    frame.variables = outcome.after


def explain_types(frame: Frame, node: gast.stmt, entry: dict, heads: dict) -> None:
    for name, value in heads.items():
        before, now = frame.type_of(entry[name]), frame.type_of(value)
        if before is not None and now is not None and before != now and isinstance(now, Scalar):
            change = f"`{name}` starts as {before} and becomes {now} in the loop at line {node.lineno}"
            text = f"{change}: it is {now} from the start"
            frame.task.decide("types", text)
