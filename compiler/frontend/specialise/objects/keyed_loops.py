"""Loops over the views of a hash table, and its items changed in place.

    for k in d: ...        ->      for i in range(len(names)): k = names[i]; ...
    d[k].append(v)         ->      at = the position of k; row = entries[at]; row.append(v); entries[at] = row

A loop that may put keys into the dict, or take some out, checks in each iteration whether it did, as Python does.
"""

from __future__ import annotations

import gast

from .... import syntax
from .. import protocol
from ..frame import Frame
from ..interpreter import branches, choices, evaluate, loops
from ..interpreter.trial import attempt
from ..iterables import Iteration
from ..kinds import keyed, own_operators, sets, tables
from ..limits import limit
from ..values import Ref, Static, Value

CHANGED = "dictionary changed size during iteration"
REMOVED = "a key was taken out of a dict during iteration, and another put in"


class Changed(Exception):
    """A loop may change the keys of the dict that it iterates over."""


def for_view(frame: Frame, node: gast.For, view: Iteration, stop: gast.expr | None, body: list) -> None:
    """`for ... in d`, `d.keys()`, `d.values()`, `d.items()`."""
    if attempt(frame, lambda: loops.counted(frame, node, view, stop, body), Changed).refused is not None:
        _asking(frame, node, view, stop, body)


def gone_over(frame: Frame, view: Iteration) -> Ref:
    """The list that a loop over a view iterates over: that of the keys."""
    names = keyed.parts_of(frame, view.parts[0])["names"]
    assert isinstance(names, Ref)
    return names


def _asking(frame: Frame, node: gast.For, view: Iteration, stop: gast.expr | None, body: list) -> None:
    names = gone_over(frame, view)
    count, removed = tables.length(frame, frame.held(names)), _removed(frame, view)

    def in_range(position: str) -> gast.expr:
        now = tables.length_now(frame, frame.held(names))
        return gast.BoolOp(gast.Or(), [
            syntax.call("less", position, frame.atom(count, node)),
            syntax.call("not_equal", now, frame.atom(count, node)),
        ])  # fmt: skip

    def check() -> None:
        now = tables.length(frame, frame.held(names))
        differs = frame.emit("not_equal", now, count, node=node)
        error = syntax.raise_("RuntimeError", CHANGED, span=frame.here(node))
        frame.builder.append(syntax.if_(frame.atom(differs, node), [error]))
        gone = choices.compare(frame, gast.NotEq, _removed(frame, view), removed, node)
        if not isinstance(gone, Static):
            error = limit("RuntimeError", REMOVED, span=frame.here(node))
            frame.builder.append(syntax.if_(frame.atom(gone, node), [error]))

    loops.stepping(frame, node, view, stop, body, in_range, check)


def _removed(frame: Frame, view: Iteration) -> Value:
    return keyed.parts_of(frame, view.parts[0])["removed"]


# --- items changed in place ------------------------------------------------------------------------------------------


def as_list_item(frame: Frame, base: Value, node: gast.Subscript) -> tuple[Value, gast.Subscript]:
    """`base[key]` of a dict or deque as the item of the list inside; anything else as it is."""
    record = keyed.parts_of(frame, base)
    if not record or isinstance(node.slice, gast.Slice) or sets.is_dynamic(frame, base):
        return base, node
    key = own_operators.index_of(frame, node.slice, node)
    if "table" in record:
        keyed.call(frame, base, "ensure", [key], node)
        return as_list_item(frame, keyed.table_inside(frame, base), with_index(frame, node, key))
    place = keyed.call(frame, base, "place", [key], node)
    inside = keyed.parts_of(frame, base)
    return inside["entries"] if "entries" in inside else inside["ring"], with_index(frame, node, place)


def default_item(frame: Frame, base: Value, node: gast.Call) -> tuple[Value, gast.Subscript]:
    """`base.setdefault(key, value)` as the item of a list or dict, once it is there."""
    key, value = (evaluate.evaluate(frame, part) for part in node.args)
    protocol.call(frame, protocol.attribute(frame, base, "setdefault", node.func, "t"), [key, value], {}, node)
    made = with_index(frame, node, key)
    return as_list_item(frame, base, made)


def with_index(frame: Frame, node: gast.expr, index: Value) -> gast.Subscript:
    """A subscript with a value for its index, under a hidden name."""
    name = branches.hidden(frame, "place", index)
    return gast.copy_location(gast.Subscript(syntax.name(name), syntax.name(name), gast.Load()), node)
