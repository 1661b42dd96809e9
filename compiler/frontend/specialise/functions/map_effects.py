"""Whether a function that is mapped over items has side effects, so that its calls must run one after the other.

    def counted(v):
        nonlocal calls
        calls += 1
        return v * calls
    list(map(counted, x))        ->      a loop that carries `calls`
"""

from __future__ import annotations

import gast

from .... import types
from .. import protocol
from ..frame import Frame, Stopped
from ..functional import Closure
from ..interpreter import any_order
from ..interpreter.trial import looking_ahead
from ..iterables import Iteration, Map
from ..values import Leaf, Static, Value


def are_in_turn(frame: Frame, value: Value, node: gast.AST) -> bool:
    """Whether items, whose number is known only at run time, have to be taken one after the other."""
    return not _is_static(frame, value) and has_effects(frame, value, node)


def _is_static(frame: Frame, value: Value) -> bool:
    return protocol.has_known_length(frame, value) or protocol.is_unrolled(frame, value)


def has_effects(frame: Frame, value: Value, node: gast.AST) -> bool:
    """Whether taking an item changes an object or array that existed before."""
    if frame.is_library or not isinstance(value, Iteration) or not _may_have(value):
        return False
    is_static = _is_static(frame, value)
    if is_static and protocol.count(frame, value, node) == 0:
        return False
    with looking_ahead(frame):
        variable = frame.builder.names.fresh("i")
        frame.builder.types[variable] = types.INT
        position = Static(0) if is_static else Leaf(variable)
        try:
            with frame.captured():
                has_changed = any_order.changes_from_here(frame)
                protocol.item(frame, value, position, node)
                return has_changed()
        except Stopped:
            return True


def _may_have(value: Value) -> bool:
    if not isinstance(value, Iteration):
        return False
    if isinstance(value, Map) and not isinstance(value.parts[0], Static):
        function = value.parts[0]
        if not isinstance(function, Closure) or any(map(_may_change, gast.walk(function.node))):
            return True
    return any(map(_may_have, value.parts))


def _may_change(node: gast.AST) -> bool:
    """Whether a node may change something: calls may, and stores do."""
    is_store = isinstance(getattr(node, "ctx", None), gast.Store)
    return isinstance(node, gast.Call | gast.Nonlocal | gast.NamedExpr) or is_store and not isinstance(node, gast.Name)
