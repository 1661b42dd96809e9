"""Branches: a decided one is taken now; of any other both sides are emitted and their variables merged.

    if c: y = a              if c: y = a_1
    else: y = 1.0    ->      else: y = 1.0          with one `y` of one type after them

What lists and dicts hold is merged as variables are, by the number of the object.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import gast

from .... import syntax
from ....records import dataclass
from ..describing import FUNCTIONS
from ..frame import Frame, Stopped, Unresolved
from ..joins.merge import Join, leaf_names, named
from ..joins.merging import Merging
from ..kinds import optional
from ..objects import sites
from ..objects.heap import reachable
from ..values import DROPPED, UNDEFINED, Conflict, Ref, Static, Undefined, Value
from . import choices, evaluate, execute

WALKED = "walked (value)"
VALUE = " (value)"  # suffix of the variable for a conditional expression's value: not a valid name in Python


def hidden(frame: Frame, wish: str, value: Value | None = None) -> str:
    """A variable of the compiler's own, with this value where there is one yet."""
    name, number = f"{wish}{VALUE}", 1
    while name in frame.variables:
        name, number = f"{wish} {number}{VALUE}", number + 1
    if value is not None:
        frame.variables[name] = value
    return name


@dataclass(slots=True, eq=False)
class Side:
    """One path: the variables and what the objects hold at its end, and the statements that lead there.

    `variables` is None where control does not reach the end.
    """

    variables: dict[str, Value] | None
    contents: dict[int, Value]
    body: list[gast.stmt]
    absorbed: frozenset[int] = frozenset()

    def state(self) -> dict[Any, Value]:
        """Variables by name, and what objects hold by number."""
        return {**(self.variables or {}), **self.contents}


@dataclass(slots=True, eq=False)
class Walk:
    """A path that was walked: its side, the result of the walk, and whether it waits for a recursive call's result."""

    side: Side
    result: Any
    waits: bool


def walk(frame: Frame, run: Callable[[], Any], live: frozenset[str] | None = None) -> Walk:
    """Walk one path from here, and go back; `live` has the variables that are read after it."""
    variables, contents, absorbed = frame.variables, frame.heap.contents, frame.heap.absorbed
    frame.variables, frame.heap.contents = dict(variables), dict(contents)
    reached, waits, result, protection = False, False, None, frame.builder.protection
    with frame.captured(is_users=True) as emitted, frame.block() as block:
        try:
            result = run()
            reached = True
        except Stopped:
            reached, result = protection is not None and protection.has_left, UNDEFINED
        except Unresolved:
            waits = True
        if block is not None and block.nests:
            result = UNDEFINED if result is None and not reached else result
            frame.variables[WALKED] = result if isinstance(result, Value) else UNDEFINED
            reached, waits = protection.close(block, reached, live, frame.node), False
            found = frame.variables.pop(WALKED, UNDEFINED)
            result = found if isinstance(result, Value) else result
    side = Side(frame.variables if reached else None, frame.heap.contents, emitted, frame.heap.absorbed)
    frame.variables, frame.heap.contents, frame.heap.absorbed = variables, contents, absorbed
    return Walk(side, result, waits)


def as_it_is(frame: Frame, value: Value) -> Walk:
    """The path that does nothing and has this value."""
    return walk(frame, lambda: value)


def branch(frame: Frame, node: gast.If, test: gast.expr, body: list, orelse: list) -> None:
    decided = choices.condition(frame, test)
    if isinstance(decided, Static):
        return execute.execute(frame, body if decided.value else orelse)
    paths = []
    for outcome, block in ((True, body), (False, orelse)):
        known = optional.known_from(frame, test, outcome)
        run = optional.knowing(frame, known, partial(execute.execute, frame, block))
        path = walk(frame, run, frame.live_after.get(id(node)))
        paths.append((path, known))
    (first, _), (second, _) = paths
    if first.side.variables is not None and second.side.variables is not None:
        for path, known in paths:
            optional.forgotten(path.side, known, frame.variables)
    frame.at(node)
    meet(frame, frame.atom(decided, test), first, second, frame.live_after.get(id(node)), node)
    go_on(frame, node)


def meet(frame: Frame, test: gast.expr, first: Walk, second: Walk, live: frozenset[str] | None, node: gast.AST) -> None:
    """Emit both sides and continue with what they have in common; raises Stopped where neither reaches its end."""
    reached = [path.side for path in (first, second) if path.side.variables is not None]
    if len(reached) == 1:
        frame.variables, frame.heap.contents = dict(reached[0].variables or {}), dict(reached[0].contents)
        frame.heap.absorbed = reached[0].absorbed
    elif reached:
        with frame.emitting():
            join_sides(frame, first.side, second.side, live, node)
    frame.builder.put(syntax.if_(test, first.side.body, second.side.body))
    if not reached:
        raise Unresolved if first.waits or second.waits else Stopped


def go_on(frame: Frame, node: gast.AST) -> None:
    """Continue after a branch or a loop inside a `try`."""
    protection = frame.builder.protection
    if protection is not None and not protection.suspended:
        protection.go_on(node)


def join_sides(frame: Frame, first: Side, second: Side, live: frozenset[str] | None, node: gast.AST) -> None:
    """Continue after both sides; the copies that merge variables and objects are added to the sides."""
    left, right = first.state(), second.state()
    _flag_unset(frame, left, right, live)
    site = sites.site_of(frame, node)
    apart = {*first.contents, *second.contents} if site in frame.task.learned.kept_apart else ()
    meeting = Join(frame, first.contents, second.contents, apart=apart)
    joined, differing = _join_states(frame, meeting, left, right, live)
    frame.variables = {key: value for key, value in joined.items() if isinstance(key, str)}
    frame.heap.contents = {key: value for key, value in joined.items() if isinstance(key, int)}
    made: dict[Any, Ref] = {}
    table: dict[type, dict[Any, Value]] = {str: frame.variables, int: frame.heap.contents}
    for key in differing:
        table[type(key)][key] = named(frame, wish_for(frame, key), joined[key], made)
    frame.heap.joins.update({ref.number: frozenset((site,)) for ref in made.values()})
    targets = {key: table[type(key)][key] for key in differing}
    into = {ref.number: frame.heap.contents[ref.number] for ref in made.values()}
    fresh = {n for t in targets.values() for n in leaf_names(t, into)} & frame.builder.merged
    for side, state in ((first, left), (second, right)):
        merging = Merging(frame, fresh, into, side.contents, node)
        joined_contents, frame.heap.contents, frame.heap.absorbed = frame.heap.contents, side.contents, side.absorbed
        with frame.captured() as extra:
            merging.assign(targets, {key: of_side(state, key) for key in targets})
        side.body.extend(extra)
        frame.heap.contents, side.absorbed = joined_contents, frame.heap.absorbed
    either = {ref.number for (a, b), ref in made.items() if a in first.absorbed or b in second.absorbed}
    frame.heap.absorbed = first.absorbed | second.absorbed | either


def _join_states(
    frame: Frame, meeting: Join, left: dict, right: dict, live: frozenset[str] | None
) -> tuple[dict[Any, Value], list[Any]]:
    """Variables and contents after two paths, and the keys of those that differ between the paths."""
    own = set(meeting.left) ^ set(meeting.right)  # objects made on one side only matter where a variable leads to them
    joined: dict[Any, Value] = {}
    differing: list[Any] = []

    def join(key: Any) -> None:
        a, b = of_side(left, key), of_side(right, key)
        is_object = isinstance(key, int) and key in meeting.left and key in meeting.right
        joined[key] = a if a is b else meeting.join_contents(key, key) if is_object else meeting.join(a, b)
        if joined[key] is not a or joined[key] is not b:
            differing.append(key)

    for key in dict.fromkeys([*left, *right]):
        if isinstance(key, str) and not is_live(frame, key, live):
            # a path that leaves a `try` needs fewer variables than the one it meets
            joined[key] = DROPPED if frame.builder.protection is None else UNDEFINED
        elif key not in own:
            join(key)
    while own:
        missing = [n for n in reachable(joined.values(), joined) if n in own and n not in joined]
        if not missing:
            break
        for number in missing:
            join(number)
    return joined, differing


def _flag_unset(frame: Frame, left: dict, right: dict, live: frozenset[str] | None) -> None:
    """Add a flag where a variable has a value on one side only: it says at run time which side it was."""
    for name in [key for key in dict.fromkeys([*left, *right]) if isinstance(key, str)]:
        if not is_live(frame, name, live) or name in frame.made_names or name.endswith(VALUE):
            continue
        unset = [isinstance(of_side(state, name), Undefined) for state in (left, right)]
        if unset[0] != unset[1]:
            flag = evaluate.is_set(name)
            for state, missing in zip((left, right), unset, strict=True):
                state.setdefault(flag, Static(not missing))


def is_live(frame: Frame, name: str, live: frozenset[str] | None) -> bool:
    """Whether a variable, or what a flag refers to, may be read again; the compiler's own variables always may."""
    return live is None or name.split(" ")[0] in live or name in frame.pinned or name.endswith(VALUE)


def of_side(state: dict[Any, Value], key: Any) -> Value:
    if key in state:
        return state[key]
    if isinstance(key, str) and key.endswith(" is set"):
        return Static(not isinstance(state.get(key.removesuffix(" is set"), UNDEFINED), Undefined))
    return UNDEFINED


def wish_for(frame: Frame, key: str | int) -> str:
    """A name for what a variable or an object holds."""
    if isinstance(key, int):
        return frame.heap.names[key]
    return key.removesuffix(VALUE).replace(" ", "_")


def choose(frame: Frame, test: gast.expr, first: Walk, second: Walk, node: gast.AST, hint: str) -> Value:
    """The value of `a if c else b`, whose sides were walked: what either changed is merged as after an `if`."""
    key = hidden(frame, hint)
    for path in (first, second):
        if path.side.variables is not None:
            path.side.variables[key] = path.result
    meet(frame, test, first, second, None, node)
    value = frame.variables.pop(key)
    go_on(frame, node)
    if isinstance(value, Conflict):
        message, help_ = f"one side is {value.left}, the other {value.right}", "make both sides the same type"
        if {value.left, value.right} <= FUNCTIONS:
            message = "which of two functions it is, is only known at run time"
            help_ = "choose between what they give: `f(x) if condition else g(x)`"
        frame.fault("T002", message, node, "these are joined here", (help_,))
    return value
