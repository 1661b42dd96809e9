"""Loops over the views of a dict whose keys the run knows, and its items changed where they stand.

    for k in d: ...        ->      for i in range(len(names)): k = names[i]; ...
    d[k].append(v)         ->      at = the place of k; row = entries[at]; row.append(v); entries[at] = row

A loop that may put keys into the dict, or take some out, asks each time whether it did, as Python does.
"""

from __future__ import annotations

import gast

from ... import syntax
from . import branches, choices, classes, keyed, loops, own_operators, tables
from .frame import Frame
from .limits import limit
from .values import Iteration, Ref, Static, Value

CHANGED = "dictionary changed size during iteration"
REMOVED = "a key was taken out of a dict during iteration, and another put in"


class Changed(Exception):
    """A loop may change the keys of the dict that it goes over."""


def for_view(frame: Frame, node: gast.For, view: Iteration, stop: gast.expr | None, body: list) -> None:
    """`for ... in d`, `d.keys()`, `d.values()`, `d.items()`."""
    saved = frame.snapshot()
    try:
        loops.counted(frame, node, view, stop, body)
    except Changed:
        frame.restore(saved)
        _asking(frame, node, view, stop, body)


def gone_over(frame: Frame, view: Iteration) -> Ref:
    """The list that a loop over a view goes along: that of the keys."""
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


# --- items where they stand ------------------------------------------------------------------------------------------


def as_list_item(frame: Frame, base: Value, node: gast.Subscript) -> tuple[Value, gast.Subscript]:
    """`base[key]` of a dict as the item of the list of its values; anything else as it is."""
    found = placed(frame, base, node.slice, node)
    if found is None:
        return base, node
    entries, place = found
    name, number = f"place{branches.VALUE}", 1
    while name in frame.variables:
        name, number = f"place {number}{branches.VALUE}", number + 1
    frame.variables[name] = place
    made = gast.Subscript(node.value, syntax.name(name), node.ctx)
    return entries, gast.copy_location(made, node)


def placed(frame: Frame, base: Value, key: gast.expr, node: gast.AST) -> tuple[Value, Value] | None:
    """The list of values, and the place in it that a key has; made by the dict where it makes what is missing."""
    record = keyed.record_of(frame, base)
    if record is None or isinstance(key, gast.Slice) or not hasattr(record.cls, "place"):
        return None
    place = classes.special_call(frame, base, "place", [own_operators.index_of(frame, key, node)], node)
    return classes.attribute(frame, base, "entries", node), place
