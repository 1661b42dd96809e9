"""Variables that a loop carries: run its body until the types at its head hold, and merge them at its end.

    acc = 0                            acc = 0.0
    for i in range(n):        ->       for i in range(0, n, 1):
        acc += x[i]                        t = x[i]
                                           acc_1 = acc + t
                                           acc = acc_1

What lists and dicts hold is carried in the same way, by the number of the object.  A variable that stands for another
object in each iteration gets a new object at the head (`objects_of_loops.py`).
"""

from __future__ import annotations

from typing import Any

import gast

from .... import syntax
from ....analysis import core_liveness
from ....dtypes import PYTHON_TYPES
from ....meanings import Meanings
from ....types import Array, Dim, ListOf, Scalar
from .. import protocol
from ..frame import Frame, Stopped, Unresolved
from ..functions.local_functions import joined_functions
from ..joins.joined_types import meanings_of, own_lengths
from ..joins.merge import leaf_names, named
from ..joins.merging import Merging
from ..objects import shared_items, sites
from ..objects.heap import reachable
from ..objects.object_changes import require_unchanged
from ..objects.objects_of_loops import Head, ObjectSlots
from ..values import (
    UNDEFINED,
    Conflict,
    Dropped,
    Joined,
    Leaf,
    Optional,
    Ref,
    Static,
    Typed,
    Undefined,
    Value,
    is_none,
    is_number,
    map_leaves,
    parts,
    same_structure,
)
from . import branches, evaluate, execute

ROUNDS = 12


def carry(
    frame: Frame, node: gast.For | gast.While, body: list, enter: Any, make: Any, test: Any = None, surely: bool = False
) -> None:
    """Run the body once with the carried variables under names of their own, until their types hold.

    `test`, if any, is a function that makes the loop's condition of the variables at the head.  `surely` says that
    there is a first iteration: a variable that every iteration assigns is not None after the loop.
    """
    entry = _entry(frame, node)
    changed = [v for name in sorted(core_liveness.changed_inside(node.body)) if (v := frame.lookup(name)) is not None]
    grown = reachable(changed, frame.heap.contents)
    widened = [key for key in entry if isinstance(key, str) or key in grown]
    heads: dict[Any, Any] = {**entry, **{key: _head(frame, entry[key]) for key in widened}}
    slots, own = ObjectSlots(frozenset(frame.heap.contents)), set[str]()
    changes, items = len(frame.heap.changes), len(frame.task.changed_items)
    older, entered, varying = frame.builder.before_loop, frame.builder.entered, set[Any]()
    frame.builder.before_loop, frame.builder.entered = slots.before, dict(entered)
    frame.builder.loops += 1
    before, meanings = frame.built, frame.builder.widened.copy()
    try:
        for count in range(ROUNDS):
            if count:
                frame.built = before
            outcome = _Round(frame, node, entry, heads, slots, own, varying, meanings).run(body, enter, test)
            meanings = outcome.meanings_after
            if outcome.changed is None:
                break
            heads = outcome.changed
        else:
            frame.fault("T002", "the types of this loop's variables do not settle", node)
    finally:
        frame.builder.before_loop = older
        frame.builder.entered = entered
        frame.builder.loops -= 1
    require_unchanged(frame, slots.before, frame.heap.changes[changes:], node)
    shared_items.note_of_turns(frame, outcome.puts, outcome.turn, outcome.slot_of)
    shared_items.require_alone_in_loop(frame, items, node)
    frame.builder.body += outcome.before
    frame.builder.put(make(outcome.variable if outcome.test is None else outcome.test, outcome.body))
    explain_types(frame, node, entry, outcome.heads)
    frame.variables, frame.heap.contents = outcome.after
    if surely:
        outcome.narrow()
        frame.variables.update(outcome.present())
    branches.go_on(frame, node)


def _entry(frame: Frame, node: gast.For | gast.While) -> dict[Any, Value]:
    """The loop-carried values before the loop: the variables that the body binds, and what all objects hold."""
    live = core_liveness.live_in_loop(node, frame.live_after)
    candidates = core_liveness.assigned(node.body) | _targets(node)
    candidates = {n for n in candidates if not _only_in_place(frame, n, node)}
    carried = sorted(n for n in candidates if live is None or n in live or n in frame.pinned)
    entry: dict[Any, Value] = {name: _of(frame.variables, name) for name in carried}
    for name in carried:
        flag = evaluate.is_set(name)
        if flag in frame.variables or isinstance(entry[name], Undefined) and name not in frame.made_names:
            entry[flag] = frame.variables.get(flag, Static(False))
    for name in candidates - set(carried):
        frame.variables.pop(name, None)
    return entry | frame.heap.contents


def _of(variables: dict[str, Value], name: str) -> Value:
    found = variables.get(name, UNDEFINED)
    return UNDEFINED if isinstance(found, Dropped) else found


def _targets(node: gast.stmt) -> set[str]:
    return set(core_liveness.targets(node.target)) if isinstance(node, gast.For) else set()


def _only_in_place(frame: Frame, name: str, node: gast.stmt) -> bool:
    """Whether only `x += v` binds an array: that changes its elements, not the variable."""
    if not frame.is_array(_of(frame.variables, name)):
        return False
    everywhere = [node, *core_liveness.statements(node.body)]
    if any(name in _targets(s) for s in everywhere) or name in core_liveness.walrus_targets(node):
        return False
    return all(isinstance(s, gast.AugAssign) for s in everywhere if name in core_liveness.whole_targets(s))


def _head(frame: Frame, value: Value) -> Any:
    """A carried variable at the head: numbers and arrays get names, everything else stays what it is.

    A list that grows keeps its name, unless the body binds another one to the variable.
    """

    def widen(part: Value, _: tuple) -> Any:
        found = frame.type_of(part)
        return part if found is None or isinstance(found, ListOf) else Typed(found)

    return map_leaves(value, widen)


class _Round:
    """One run of a loop body: names at the head, statements, values at its end.

    `known` has the meanings of names that the round before found: those of the same head are as many again.
    """

    def __init__(
        self, frame: Frame, node: gast.stmt, entry: dict, heads: dict, slots: ObjectSlots, own: set[str],
        varying: set[Any], known: dict[str, Meanings],
    ) -> None:
        self.frame, self.node, self.entry, self.slots, self.own = frame, node, entry, slots, own
        self.varying = varying
        self.given = heads
        self.changed: dict[Any, Any] | None = None
        self.variable = ""
        self.test: gast.expr | None = None
        self.turn = self.puts = 0
        self.ends: dict[Any, Any] = {}
        self.meanings: dict[str, Meanings] = {}
        self.before: list[gast.stmt] = []
        self.body: list[gast.stmt] = []
        made: dict[Any, Ref] = {}
        self.contents_before = dict(frame.heap.contents)
        older = frozenset(frame.builder.merged)
        self.heads = {
            key: head if head is entry[key] else named(frame, branches.wish_for(frame, key), head, made)
            for key, head in heads.items()
        }
        frame.heap.contents.update({key: value for key, value in self.heads.items() if isinstance(key, int)})
        self.slot_of = {ref.number: slot for slot, ref in made.items()}
        self.site = sites.site_of(frame, node)
        frame.heap.joins.update({number: slots.joins[slot] | {self.site} for number, slot in self.slot_of.items()})
        frame.heap.origins.update({number: slots.origins[slot] for number, slot in self.slot_of.items()})
        frame.heap.absorbed |= {number for number, slot in self.slot_of.items() if slot in slots.absorbed}
        frame.heap.owners.update({n: slots.items[slot] for n, slot in self.slot_of.items() if slot in slots.items})
        self.into = {number: frame.heap.contents[number] for number in self.slot_of}
        differing = [head for key, head in self.heads.items() if head is not entry[key]]
        self.fresh = {n for head in differing for n in leaf_names(head, self.into)} & frame.builder.merged
        if not self.fresh.isdisjoint(older):
            self.fresh -= {n for v in entry.values() for n in leaf_names(v, {})}
        frame.builder.widened = frame.builder.widened | {n: known[n] for n in self.fresh if n in known}

    def run(self, body: list, enter: Any, test: Any) -> _Round:
        frame = self.frame
        with frame.captured() as self.before:
            self._assign(self.entry, self.contents_before, holders=True)
        self.meanings = self._meanings()
        self._note_numbers()
        for name, value in self.heads.items():
            if isinstance(value, Undefined):
                frame.variables.pop(name, None)
            elif isinstance(name, str):
                frame.variables[name] = value
        self.after = dict(frame.variables), dict(frame.heap.contents)
        if test is not None:
            self.test = self._test(test)
        self.turn, self.puts = frame.heap.count, len(frame.builder.puts)
        with frame.captured(is_users=True) as self.body:
            self._walk(body, enter)
        frame.variables, frame.heap.contents = dict(self.after[0]), dict(self.after[1])
        self.meanings_after = dict(frame.builder.widened)
        return self

    def _test(self, test: Any) -> gast.expr:
        """The condition; inside a `try` also that nothing was raised in an iteration before."""
        contents, protection = self.frame.heap.contents, self.frame.builder.protection
        held = None if protection is None else contents.get(protection.fault)
        if not isinstance(held, Leaf):
            return test()
        contents[protection.fault] = Static(0)
        return gast.BoolOp(gast.And(), [syntax.call("equal", held.name, 0), test()])

    def _walk(self, body: list, enter: Any) -> None:
        frame, protection = self.frame, self.frame.builder.protection
        with frame.block() as block:
            try:
                branches.go_on(frame, self.node)
                self.variable = enter()
                execute.execute(frame, body)
                reached = True
            except Stopped:
                reached = protection is not None and protection.has_left
            except Unresolved:
                reached = False  # the path without an iteration has a result
            if block is not None:
                live = frame.live_after.get(id(self.node.body[-1]))
                reached = protection.close(block, reached, live, self.node)
        if reached:
            state: dict[Any, Value] = dict(frame.variables)
            state.update(frame.heap.contents)
            ends = {key: branches.of_side(state, key) for key in self.heads}
        else:
            ends = dict(self.heads)
            frame.heap.contents = dict(self.after[1])
        frame.at(self.node)
        self.ends = ends
        is_apart = self.site in frame.task.learned.kept_apart
        head = Head(frame, self.after[1], frame.heap.contents, self.slot_of, self.slots, is_apart)
        self.changed = self._settle(head, ends)
        if self.changed is None:
            self._assign(ends, frame.heap.contents)
            self.changed = None if self._meanings() == self.meanings and not self._vary() else self.given

    def _meanings(self) -> dict[str, Meanings]:
        """The meanings in Python of the names at the head that have several."""
        widened = self.frame.builder.widened
        return {name: widened[name] for name in self.fresh if name in widened}

    def _note_numbers(self) -> None:
        """Note the Python numbers with which the loop begins."""
        entered = self.frame.builder.entered
        for key, head in self.heads.items():
            entry = self.entry.get(key)
            if key in self.varying or not isinstance(head, Leaf) or head.name not in self.fresh:
                continue
            if is_number(entry) and type(entry.value) in PYTHON_TYPES:
                entered[head.name] = entry.value, frozenset({head.name})
            elif isinstance(entry, Leaf) and entry.name in entered:
                number, names = entered[entry.name]
                entered[head.name] = number, names | {head.name}

    def _vary(self) -> bool:
        """Whether a type was decided by a number that is not the only Python number at the head."""
        builder = self.frame.builder
        varying = {
            key: head.name for key, head in self.heads.items()
            if isinstance(head, Leaf) and head.name in builder.entered and self.ends[key] != head
            and protocol.type_as(self.frame, head, Scalar).weak
        }  # fmt: skip
        found = {key for key, name in varying.items() if name in builder.relied} - self.varying
        self.varying |= found
        return bool(found)

    def narrow(self) -> None:
        """Forget what holds of the names at the head in the first iteration only."""
        builder = self.frame.builder
        for key, head in self.heads.items():
            if isinstance(head, Leaf) and head.name in builder.widened and self.frame.type_of(self.ends[key]):
                builder.widen(head.name, [meanings_of(self.frame, self.ends[key])])

    def present(self) -> dict[str, Value]:
        """The variables that may be None at the head and are not at the end of an iteration."""
        ended = {key: end for key, end in self.ends.items() if isinstance(key, str)}
        return {
            key: head.inner for key, head in self.heads.items()
            if isinstance(head, Optional) and key in ended and not isinstance(ended[key], Optional)
            and not is_none(ended[key]) and not isinstance(ended[key], Undefined)
        }  # fmt: skip

    def _assign(self, values: dict[Any, Value], contents: dict[int, Value], holders: bool = False) -> None:
        """Assign values to the names at the head; `holders` also to those that have no value yet."""
        merging = Merging(self.frame, self.fresh, self.into, contents, self.node, fills=holders)
        with self.frame.emitting():
            merging.assign(self.heads, values, holders)

    def _settle(self, head: Head, ends: dict[Any, Value]) -> dict | None:
        """The heads widened by what the body made of them; None when they hold already.

        `own` collects the lengths that are made here: each stands for one axis of one variable at this head.
        """
        result = {}
        before = frozenset(self.frame.builder.symbols)
        for key, now in self.heads.items():
            if now is self.given[key] is ends[key] and not isinstance(now, Conflict):
                result[key] = now  # it had no value at the head, and the body left it so
                continue
            is_object = isinstance(key, int) and key in head.meeting.left and key in head.meeting.right
            joined = head.meeting.join_contents(key, key) if is_object else head.meeting.join(now, ends[key])
            wanted = _merged_again(self.frame, joined, self.fresh)
            if isinstance(now, Undefined):
                wanted = _own_lengths(self.frame, wanted)
            result[key] = wanted
        related = head.relate()
        same = all(_same_heads(result[key], given, self.own) for key, given in self.given.items())
        self.own |= self.frame.builder.symbols - before
        return None if same and not related else result


def _merged_again(frame: Frame, joined: Any, fresh: set[str]) -> Any:
    def again(part: Any, _: tuple) -> Any:
        if isinstance(part, Leaf) and part.name in fresh:
            return Typed(frame.builder.types[part.name])
        if isinstance(part, Joined):
            return Joined(part.key, map_leaves(part.contents, again), part.origins)
        return part

    return map_leaves(joined, again)


def _same_heads(wanted: Any, head: Any, own: set[str]) -> bool:
    """Equal up to lengths that belong to this head: those of other variables may not change with this one."""
    if isinstance(wanted, Joined) and isinstance(head, Joined):
        return wanted.key == head.key and _same_heads(wanted.contents, head.contents, own)
    if isinstance(wanted, Typed) and isinstance(head, Typed):
        a, b = wanted.type, head.type
        if isinstance(a, Array) and isinstance(b, Array):
            alike = a.dtype == b.dtype and a.ndim == b.ndim and a.layout == b.layout
            pairs = zip(a.dims, b.dims)
            return alike and all(x == y or isinstance(y, Dim) and own.issuperset(y.symbols()) for x, y in pairs)
        if isinstance(a, ListOf) and isinstance(b, ListOf):
            return _same_heads(Typed(a.element), Typed(b.element), own)
        return a == b
    if wanted is head or wanted == head or joined_functions(wanted, head) is not None:
        return True
    if same_structure(wanted, head):
        return all(_same_heads(a, b, own) for (_, a), (_, b) in zip(parts(wanted), parts(head), strict=True))
    return isinstance(wanted, Conflict) and isinstance(head, Conflict)


def _own_lengths(frame: Frame, head: Any) -> Any:
    """A value first made in the loop keeps no length from one iteration to the next."""

    def own(part: Any, _: tuple) -> Any:
        if isinstance(part, Joined):
            return Joined(part.key, map_leaves(part.contents, own), part.origins)
        return Typed(own_lengths(frame, part.type)) if isinstance(part, Typed) else part

    return map_leaves(head, own)


def explain_types(frame: Frame, node: gast.stmt, entry: dict, heads: dict) -> None:
    for name, value in heads.items():
        before, now = frame.type_of(entry[name]), frame.type_of(value)
        if before is not None and now is not None and before != now and isinstance(now, Scalar):
            change = f"`{name}` starts as {before} and becomes {now} in the loop at line {node.lineno}"
            text = f"{change}: it is {now} from the start"
            frame.task.decide("types", text)
