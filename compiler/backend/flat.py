"""A nest over whole arrays as one loop over their memory.

    for i in prange(dim(x, axis=0)):               for k in prange(dim(x, axis=0) * dim(x, axis=1)):
        for j in range(dim(x, axis=1)):      ->        y[k] = x[k] * x[k]          both as they lie in memory
            y[i, j] = x[i, j] * x[i, j]

Holds where the arrays are in C order, have by their types the same lengths, and are read and stored at the variables
of the nest alone, in their order and proven to be in bounds.  Rows that are short, or not a whole number of vectors,
then cost no more than long ones.  The lengths are compared once more before the loop: memory is never left to a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gast

from .. import syntax
from ..analysis.def_use import expressions_of
from ..analysis.ranges import FRONT
from ..records import dataclass
from ..types import Array
from .frame import INTERNAL_ERROR, Frame
from .text import Value, int_


@dataclass(frozen=True, slots=True)
class Flat:
    """`loop` is the one loop, which counts with the variable of the outermost; `stop` is the number of elements."""

    variables: tuple[str, ...]
    loop: gast.For
    stop: Value


def flattened(frame: Frame, node: gast.For, lower_int: Callable[[Frame, gast.expr], Value]) -> Flat | None:
    """The nest as one loop; None, and nothing written, where it is not over whole arrays."""
    loops = _perfect_nest(node)
    if len(loops) < 2:
        return None
    variables, body = tuple(loop.target.id for loop in loops), loops[-1].body
    arrays = _accessed(frame, body, variables)
    if arrays is None or frame.live().after(node) & set(variables) or not _same_lengths(frame, loops, arrays):
        return None
    lengths = [_not_negative(frame, lower_int(frame, _bound(loop))) for loop in loops]
    _compare(frame, arrays, lengths)
    total = lengths[0]
    for length in lengths[1:]:
        total = frame.code.binary("mul", total, length)
    return Flat(variables, syntax.rebuild(node, body=body), total)


def is_flat_access(frame: Frame, node: gast.Subscript) -> bool:
    """Whether an element is that at the position of the flat loop that is being written."""
    return bool(frame.flat) and _names(node) == frame.flat


def _perfect_nest(node: gast.For) -> list[gast.For]:
    """Loops from 0 in steps of 1, each the only statement of the one around it, down to a body without any."""
    loops = [node]
    while len(loops[-1].body) == 1 and isinstance(loops[-1].body[0], gast.For):
        loops.append(loops[-1].body[0])
    simple = all(_counts_up(loop) for loop in loops)
    straight = all(isinstance(s, gast.Assign | gast.Pass) for s in syntax.walk(loops[-1].body))
    return loops if simple and straight else []


def _counts_up(loop: gast.For) -> bool:
    parts = loop.iter.args
    ends = [(0, 0), (2, 1)] if len(parts) > 1 else []
    fixed = all(isinstance(parts[k], gast.Constant) and parts[k].value == v for k, v in ends if k < len(parts))
    return fixed and syntax.operator_of(loop.iter) in ("range", "prange")


def _bound(loop: gast.For) -> gast.expr:
    parts = loop.iter.args
    return parts[1] if len(parts) > 1 else parts[0]


def _names(node: gast.Subscript) -> tuple[str, ...]:
    items = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
    return tuple(i.id for i in items) if all(isinstance(i, gast.Name) for i in items) else ()


def _accessed(frame: Frame, body: Sequence[gast.stmt], variables: tuple[str, ...]) -> list[str] | None:
    """The arrays of the body; None where one is not met at the variables of the nest, or these serve anything else."""
    arrays: dict[str, None] = {}
    uses = places = 0
    for statement in syntax.walk(body):
        for part in (p for e in expressions_of(statement) for p in syntax.nodes_of(e)):
            if isinstance(part, gast.Subscript):
                proven = all(frame.ranges.of(part, axis) == FRONT for axis in range(len(variables)))
                if _names(part) != variables or not proven:
                    return None
                arrays[part.value.id] = None
                places += 1
            elif isinstance(part, gast.Name) and part.id in variables:
                uses += 1
        if any(n in variables or isinstance(frame.function.types[n], Array) for n in syntax.names_bound(statement)):
            return None
    return list(arrays) if places and uses == places * len(variables) else None


def _same_lengths(frame: Frame, loops: Sequence[gast.For], arrays: Sequence[str]) -> bool:
    """Whether by their types all arrays are in C order and the inner loops run over whole axes of all of them."""
    types = [frame.function.types[name] for name in arrays]
    if not all(isinstance(t, Array) and t.layout == "C" for t in types):
        return False
    if len({t.dims[1:] for t in types}) > 1:  # type: ignore[union-attr]
        return False
    return all(_is_length(frame, _bound(loop), types[0].dims[axis]) for axis, loop in enumerate(loops) if axis)  # type: ignore[union-attr]


def _is_length(frame: Frame, bound: Any, extent: object) -> bool:
    if isinstance(bound, gast.Constant):
        return bound.value == extent
    if syntax.operator_of(bound) != "dim":
        return False
    type_ = frame.function.types[bound.args[0].id]
    return isinstance(type_, Array) and type_.dims[syntax.static_of(bound)["axis"]] == extent


def _not_negative(frame: Frame, stop: Value) -> Value:
    return frame.code.select(frame.code.compare("slt", stop, int_(0)), int_(0), stop)


def _compare(frame: Frame, arrays: Sequence[str], lengths: Sequence[Value]) -> None:
    code = frame.code
    for name in arrays:
        dims = [code.load("i64", d) for d in frame.array(name).dims]
        for axis, (dim, length) in enumerate(zip(dims, lengths, strict=True)):
            wrong = code.compare("ne" if axis else "slt", dim, length)
            frame.fail_if(wrong, INTERNAL_ERROR, "Pellucid: the lengths of a nest are not those of its arrays")
