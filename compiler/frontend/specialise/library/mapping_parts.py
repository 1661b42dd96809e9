"""The parts of a container, as `runtime/parts.py` has them in Python: the function called for each is walked into.

    map_parts(f, {"a": x, "b": (y, None)})     ->     {"a": f(x), "b": (f(y), None)}
    room_for(n, step, carry, item)             ->     empty(shape=(n, 3), dtype="f64"), for a `step` that returns f64[3]
"""

from __future__ import annotations

import gast

from .....runtime.nature import article
from .... import syntax, types
from ....types import Array
from .. import protocol
from ..frame import Frame
from ..interpreter.trial import looking_ahead
from ..objects.heap import object_of
from ..values import NONE, Leaf, Mapping_, Record, Sequence, Value, leaves, parts, same_structure, with_parts
from . import library

CONTAINERS = (Sequence, Mapping_, Record)


def map_parts(frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
    function, *trees = args
    return _mapped(frame, function, trees, node)


def _mapped(frame: Frame, function: Value, trees: list[Value], node: gast.AST) -> Value:
    held = [frame.held(tree) for tree in trees]
    first = held[0]
    if first == NONE:
        return NONE
    if not isinstance(first, CONTAINERS):
        return protocol.call(frame, function, trees, {}, node)
    for other in held[1:]:
        if not same_structure(first, other):
            message = f"these containers differ: {frame.describe(first)} and {frame.describe(other)}"
            frame.fault("T003", message, node, "called here")
    columns = zip(*([part for _, part in parts(one)] for one in held), strict=True)
    made = tuple(_mapped(frame, function, list(column), node) for column in columns)
    return object_of(with_parts(first, made) if made else first, frame.heap)


def first_part(frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
    return next((leaf for leaf in leaves(frame.tree(args[0])) if leaf != NONE), NONE)


def room_for(frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
    """Empty arrays for a function's results; it is walked twice, as a carry may begin as an int and become a float."""
    count, function, carry, item = args
    known = {leaf.name for value in args for leaf in leaves(frame.tree(value)) if isinstance(leaf, Leaf)}
    with looking_ahead(frame):
        for _ in range(2):
            made = frame.held(protocol.call(frame, function, [carry, item], {}, node))
            if not isinstance(made, Sequence) or len(made.items) != 2:
                frame.fault("T003", f"the function of a scan gives a pair (carry, y), not {frame.describe(made)}", node,
                            "called here")  # fmt: skip
            carry, found = made.items
        found = frame.tree(found)
        found_types = {leaf: type_ for leaf in leaves(found) if (type_ := frame.type_of(leaf)) is not None}
    lengths = _Lengths(frame, frame.builder.types, known, node)
    return _rooms(frame, found, found_types, count, lengths)


class _Lengths:
    """Lengths that are known before the loop: those of arguments, of the carry and of the iterable."""

    def __init__(self, frame: Frame, table: dict[str, types.Type], known: set[str], node: gast.AST) -> None:
        self.frame, self.node = frame, node
        self.places: dict[types.Extent, tuple[str, int]] = {}
        for name in known:
            type_ = table[name]
            for axis, extent in enumerate(type_.dims if isinstance(type_, Array) else ()):
                self.places.setdefault(extent, (name, axis))

    def of(self, extent: types.Extent) -> gast.expr:
        frame = self.frame
        if isinstance(extent, int):
            return syntax.constant(extent)
        place = frame.builder.lengths.get(extent) or self.places.get(extent)
        if place is None:
            frame.fault(
                "U018", "how long the arrays are that a scan collects is not known before it", self.node, "called here",
                ("append them to a list in a loop, and stack that: `np.stack(ys)`",),
            )  # fmt: skip
        name, axis = place
        return frame.atom(frame.emit("dim", Leaf(name), node=self.node, axis=axis), self.node)


def _rooms(frame: Frame, value: Value, table: dict[Value, types.Type], count: Value, lengths: _Lengths) -> Value:
    node = lengths.node
    if value == NONE:
        return NONE
    type_ = table.get(value)
    if isinstance(type_, types.Scalar | Array):
        dims = type_.dims if isinstance(type_, Array) else ()
        first = frame.atom(library.whole_number(frame, count, node), node)
        shape = (first, *(lengths.of(extent) for extent in dims))
        return frame.emit("empty", node=node, hint="ys", shape=shape, dtype=type_.dtype)
    if not isinstance(value, CONTAINERS):
        frame.fault("T003", f"a scan cannot collect {article(frame.describe(value))}", node, "called here")
    made = tuple(_rooms(frame, part, table, count, lengths) for _, part in parts(value))
    return object_of(with_parts(value, made) if made else value, frame.heap)


def refuse(frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
    frame.fault("G003", protocol.known(frame, args[0], node), node, "called here")
