"""Items of dicts that are taken out, changed and stored back under the same key: they stay in the dict meanwhile.

    row = d[k]; row.append(v); d[k] = row               the store changes nothing
    row = d.get(k, []); row.append(v); d[k] = row       as with `d.setdefault(k, [])`: nothing reads `d` in between

The statements in between may neither reach the dict by any name nor leave the block, and nothing may catch an exception
that is raised there.
"""

from __future__ import annotations

from collections.abc import Sequence as Statements
from dataclasses import replace

import gast

from .... import syntax
from ..frame import Frame
from ..interpreter import evaluate
from ..kinds import keyed, own_operators
from ..values import Mapping_, Ref, Value
from . import items_read
from .heap import reachable

MAKERS = ("list", "dict", "set")
LEAVES = (gast.Return, gast.Break, gast.Continue, gast.Raise, gast.Assert, gast.Yield, gast.YieldFrom)


def note_key(frame: Frame, base: Value, items: gast.expr, found: Value, node: gast.AST) -> Value:
    """Note that an item was read as `base[items]`."""
    if isinstance(base, Ref) and _is_plain(items) and (place := items_read.place_of(frame, found)) is not None:
        asked = replace(place, asked=(base.number, own_operators.index_of(frame, items, node)))
        heap = frame.heap
        heap.items.update({number: asked for number, other in heap.items.items() if other is place})
    return found


def is_there(frame: Frame, base: Value, items: gast.expr, value: Value, node: gast.AST) -> bool:
    """Whether `base[items] = value` stores an item where it already is."""
    if not isinstance(base, Ref) or not _is_plain(items):
        return False
    place = items_read.place_of(frame, value)
    if place is None or place.item != value:
        return False
    return place.asked == (base.number, own_operators.index_of(frame, items, node))


def method_of(frame: Frame, node: gast.Call) -> gast.expr:
    """The function that is called: `d.setdefault` for a `d.get` whose result is stored back under the key."""
    between = _between(frame.source.tree.body, frame.node, node) if _is_get(node) else None
    if between is None:
        return node.func
    base = evaluate.evaluate(frame, node.func.value)
    known = [frame.variables[name] for name in sorted(between) if name in frame.variables]
    is_dict = isinstance(frame.held(base), Mapping_) or keyed.dict_of(frame, base) is not None
    if not is_dict or not isinstance(base, Ref) or base.number in reachable(known, frame.heap.contents):
        return node.func
    if frame.builder.protection is not None:
        return node.func
    return gast.copy_location(gast.Attribute(node.func.value, "setdefault", gast.Load()), node.func)


def _is_get(node: gast.Call) -> bool:
    if not isinstance(node.func, gast.Attribute) or node.func.attr != "get" or len(node.args) != 2 or node.keywords:
        return False
    key, default = node.args
    is_call = isinstance(default, gast.Call) and isinstance(default.func, gast.Name) and default.func.id in MAKERS
    is_new = isinstance(default, gast.List | gast.Dict) or is_call and not default.args
    return isinstance(node.func.value, gast.Name) and _is_plain(key) and is_new


def _between(body: object, statement: gast.AST | None, node: gast.Call) -> frozenset[str] | None:
    """The names between `row = d.get(key, [])` and `d[key] = row` after it; None if there is no such pair."""
    if not isinstance(statement, gast.Assign) or statement.value is not node:
        return None
    block = _block_of(body, statement)
    if not block or not isinstance(statement.targets[0], gast.Name):
        return None
    row, table = statement.targets[0].id, node.func.value.id
    kept = {row, table, *syntax.names_read(node.args[0])}
    names: set[str] = set()
    for other in block[[s is statement for s in block].index(True) + 1 :]:
        if _is_store(other, row, table, gast.dump(node.args[0])):
            return frozenset(names - {row})
        if any(isinstance(inner, LEAVES) for inner in gast.walk(other)):
            return None
        inside = [inner for inner in gast.walk(other) if isinstance(inner, gast.Name)]
        names |= {inner.id for inner in inside}
        if table in names or any(inner.id in kept and not isinstance(inner.ctx, gast.Load) for inner in inside):
            return None
    return None


def _is_store(node: gast.stmt, row: str, table: str, key: str) -> bool:
    match node:
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base), slice=items)], value=gast.Name(id=name)):
            return base == table and name == row and gast.dump(items) == key
    return False


def _block_of(body: object, statement: gast.AST) -> Statements[gast.stmt]:
    """The block that a statement is in."""
    if not isinstance(body, list):
        return ()
    if any(other is statement for other in body):
        return body
    inner = (getattr(other, name, ()) for other in body for name in ("body", "orelse"))
    return next((found for block in inner if (found := _block_of(block, statement))), ())


def _is_plain(node: gast.expr) -> bool:
    """A name, a constant, or a tuple of those: evaluating it has no effect."""
    is_tuple = isinstance(node, gast.Tuple)
    return isinstance(node, gast.Name | gast.Constant) or is_tuple and all(map(_is_plain, node.elts))
