"""All numbers of a container in one vector, and the way back: `pellucid.tree.ravel` inside a program.

    ravel({"w": f64[n, m], "b": float})    ->    concatenate([ravel(w), ravel(asarray(b))]), partial(unravel, ...)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from .....runtime.nature import article
from .... import syntax
from ....dtypes import NUMPY_DTYPE
from ....types import Array
from .. import protocol
from ..frame import Frame
from ..functional import Partial
from ..interpreter import choices, evaluate
from ..values import NONE, Leaf, Sequence, Static, Value
from . import library, trees


def ravel_with(way_back: Any) -> Callable:
    def ravel(frame: Frame, args, kwargs, node, hint) -> Value:
        found: list[Value] = []
        structure = trees.flattened(frame, args[0], NONE, found, node)
        made = [_array(frame, leaf, node) for leaf in found]
        shapes = Sequence(tuple(Sequence(tuple(_lengths(frame, one, node))) for one in made))
        dtypes = Sequence(tuple(Static(NUMPY_DTYPE[_type(frame, one).dtype]) for one in made))
        flat = [protocol.call(frame, Static(np.ravel), [one], {}, node, hint) for one in made]
        joined = Static(np.concatenate) if flat else Static(np.zeros)
        given: Value = Sequence(tuple(flat)) if flat else Static(0)
        vector = protocol.call(frame, joined, [given], {}, node, hint)
        return Sequence((vector, Partial(Static(way_back), (Static(structure), shapes, dtypes))))

    return ravel


def _array(frame: Frame, leaf: Value, node: gast.AST) -> Value:
    if frame.type_of(leaf) is None:
        frame.fault("T001", f"{article(frame.describe(leaf))} has no place in a vector", node, "taken apart here")
    return leaf if frame.is_array(leaf) else protocol.call(frame, Static(np.asarray), [leaf], {}, node)


def _type(frame: Frame, value: Value) -> Array:
    found = frame.type_of(value)
    assert isinstance(found, Array)
    return found


def _lengths(frame: Frame, value: Value, node: gast.AST) -> list[Value]:
    assert isinstance(value, Leaf)
    return [evaluate.length_of(frame, value, axis, node) for axis in range(_type(frame, value).ndim)]


def _items(frame: Frame, value: Value) -> tuple[Value, ...]:
    return protocol.held_as(frame, value, Sequence).items


def unravel(frame: Frame, args, kwargs, node, hint) -> Value:
    known, shapes, dtypes, flat = args
    structure = protocol.known(frame, known, node, "the structure")
    if not frame.is_array(flat) or _type(frame, flat).ndim != 1:
        frame.fault("T001", f"this takes a vector, not {article(frame.describe(flat))}", node, "given here")
    lengths = [_items(frame, shape) for shape in _items(frame, shapes)]
    sizes = [_product(frame, list(shape), node) for shape in lengths]
    ends: list[Value] = [Static(0)]
    for size in sizes:
        ends.append(evaluate.binary(frame, gast.Add, ends[-1], size, node))
    _require_length(frame, flat, ends[-1], node)
    leaves = []
    for start, stop, shape, dtype in zip(ends, ends[1:], lengths, _items(frame, dtypes), strict=False):
        leaves.append(_piece(frame, flat, (start, stop), list(shape), dtype, node))
    return trees.unflattened(frame, structure, iter(leaves))


def _product(frame: Frame, lengths: list[Value], node: gast.AST) -> Value:
    size: Value = Static(1)
    for length in lengths:
        size = evaluate.binary(frame, gast.Mult, size, length, node)
    return size


def _require_length(frame: Frame, flat: Value, total: Value, node: gast.AST) -> None:
    (given,) = _lengths(frame, flat, node)
    differs = choices.compare(frame, gast.NotEq, given, total, node, "differs")
    words = "this takes a vector of {} numbers, not an array of the shape ({},)"
    if isinstance(differs, Static) and not differs.value:
        return
    error = syntax.raise_("ValueError", words, frame.atom(total, node), frame.atom(given, node), span=frame.here(node))
    frame.builder.append(syntax.if_(frame.atom(differs, node), [error]))


def _piece(
    frame: Frame, flat: Value, ends: tuple[Value, Value], shape: list[Value], dtype: Value, node: gast.AST
) -> Value:
    assert isinstance(flat, Leaf)
    start, stop = (frame.atom(end, node) for end in ends)
    word = library.dtype_word(frame, dtype, node)
    if not shape:
        number = frame.builder.load(flat.name, [start], hint="t")
        return frame.emit("cast", Leaf(number.id), node=node, dtype=word)
    part = frame.builder.load(flat.name, [syntax.slice_(start, stop)], hint="t")
    whole = frame.emit("reshape", Leaf(part.id), node=node, shape=tuple(frame.atom(n, node) for n in shape))
    if _type(frame, whole).dtype == word:
        return whole
    return frame.emit("cast", whole, node=node, dtype=word)
