"""Which values reach each read: what a pass that only renames, and drops copies, must leave as it is.

    x = f(a)                      x = f(a)
    y = x                 ==      if c: x = g(x)        `h` reads what `f` or `g` made, before and after
    if c: y = g(y)                return (h(x),)
    return (h(y),)

A value is known by the place of its statement among those that are no copies; a copy hands on what reaches it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import gast

from .. import syntax
from ..program import Function, remembered
from .def_use import reads_of

Values = frozenset[int]
State = dict[str, Values]
Read = tuple[gast.stmt, tuple[Values, ...]]
NOTHING: Values = frozenset()


@remembered
def reaching(function: Function) -> list[Read]:
    """For each statement that is no copy, in order, the values that reach the names it reads, each in its place."""
    return list(_Reaching(function).reads(function))


def changed_definitions(before: Function, after: Function) -> Iterator[tuple[gast.stmt, str]]:
    """The statements that read other values than they did; only the names may differ between the two functions."""
    old, new = reaching(before), reaching(after)
    if len(old) != len(new):
        yield after.body[-1], f"there were {len(old)} statements that are no copies, and now there are {len(new)}"
        return
    for (_, values), (statement, now) in zip(old, new):
        if values != now:
            names = reads_of(statement)
            places = [k for k, pair in enumerate(zip(values, now)) if pair[0] != pair[1]]
            what = f"`{names[places[0]]}`" if places else "a name"
            yield statement, f"another definition reaches {what} than did before"


def _is_copy(statement: gast.stmt) -> bool:
    if not isinstance(statement, gast.Assign) or not isinstance(statement.value, gast.Name):
        return False
    return len(statement.targets) == 1 and isinstance(statement.targets[0], gast.Name)


class _Reaching:
    def __init__(self, function: Function) -> None:
        kept = (s for s in syntax.walk(function.body) if not _is_copy(s) and not isinstance(s, gast.Delete | gast.Pass))
        self.numbers: Mapping[int, int] = {id(s): number for number, s in enumerate(kept, len(function.parameters))}
        self.found: dict[int, Read] = {}
        self.heads: dict[int, tuple[State, State]] = {}  # by loop: what reached it from before, and then its head

    def reads(self, function: Function) -> Iterator[Read]:
        self.block(function.body, {p: frozenset({k}) for k, p in enumerate(function.parameters)})
        for identity in self.numbers:
            if identity in self.found:
                yield self.found[identity]

    def block(self, statements: Sequence[gast.stmt], state: State) -> State:
        """What reaches the end of the statements; `state` is theirs to change."""
        for statement in statements:
            state = self.statement(statement, {} if state is NOWHERE else state)
        return state

    def statement(self, node: gast.stmt, state: State) -> State:
        if _is_copy(node):
            state[node.targets[0].id] = state.get(node.value.id, NOTHING)
            return state
        if id(node) not in self.numbers:
            return state
        if isinstance(node, gast.For | gast.While):
            return self.loop(node, state)
        self.note(node, state)
        if isinstance(node, gast.Raise):
            return NOWHERE
        if isinstance(node, gast.If):
            return _joined(self.block(node.body, {**state}), self.block(node.orelse, state))
        if _is_turn(node):
            pairs = zip(node.targets[0].elts, node.value.elts)
            state.update({to.id: state.get(source.id, NOTHING) for to, source in pairs})
            return state
        state.update(dict.fromkeys(syntax.names_bound(node), frozenset({self.numbers[id(node)]})))
        return state

    def loop(self, node: gast.For | gast.While, state: State) -> State:
        """Until nothing more reaches the head: values only ever join."""
        if isinstance(node, gast.For):
            self.note(node, state)
        own = {n: frozenset({self.numbers[id(node)]}) for n in syntax.names_bound(node)}
        before, (entry, head) = state, self.heads.get(id(node), (state, state))
        if entry is not before and all(values <= before.get(name, NOTHING) for name, values in entry.items()):
            state = _joined(before, head)  # what reached it then does so now too: begin with it
        while True:
            if isinstance(node, gast.While):
                self.note(node, state)
            ended = _joined(state, self.block(node.body, {**state, **own}))
            if ended == state:
                self.heads[id(node)] = before, {**state}
                return state
            state = ended

    def note(self, node: gast.stmt, state: State) -> None:
        self.found[id(node)] = node, tuple(state.get(name, NOTHING) for name in reads_of(node))


NOWHERE: State = {}  # behind a raise: what holds there reaches nothing


def _is_turn(node: gast.stmt) -> bool:
    """`a, b = b, a`"""
    return isinstance(node, gast.Assign) and isinstance(node.value, gast.Tuple)


def _joined(left: State, right: State) -> State:
    if left == right or right is NOWHERE:
        return left
    if left is NOWHERE:
        return right
    joined = {**left}
    for name, values in right.items():
        known = left.get(name)
        if known is None:
            joined[name] = values
        elif known is not values and known != values:
            joined[name] = known | values
    return joined
