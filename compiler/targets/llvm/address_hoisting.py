"""Addresses of rows: computed before the innermost loop that runs along them, and not followed any further by LLVM.

    for j in range(n):                row = address of x[i, 0]
        total += x[i, j]      ->      for j in range(n):
                                          total += row[j]

An address is a polynomial of the variables of all loops around it, and so is the length of a block.  LLVM follows both
to the outermost loop, in a dozen passes: a third of the time that it takes for a small nest.  Nothing is gained by it
here, as rows of different arrays are known to be apart (`storage.py`).  So values go through an empty piece of
assembly, which costs no instruction, and hides where they come from.
"""

from __future__ import annotations

import gast

from ... import syntax
from ...analysis.integers.ranges import FRONT
from ...analysis.lanes import straight
from ...ops.forms import LENGTHS
from .abi import STORED
from .checks import OpenLoop, before_loop
from .frame import ArrayPlace, Emission
from .text import Code, SsaValue, int_

SAME = 'asm "", "=r,0"({}) memory(none) nounwind willreturn'


def hidden(code: Code, value: SsaValue) -> SsaValue:
    """The same value, of unknown origin."""
    return value if value.is_int else code.value(value.type, f"call {value.type} {SAME.format(value)}")


def bounds(frame: Emission, node: gast.For, start: SsaValue, stop: SsaValue) -> tuple[SsaValue, SsaValue]:
    """Where an innermost loop starts and stops; what was calculated, or depends on loops around it, is hidden."""
    if not straight(node.body):
        return start, stop
    last = node.iter.args[:2][-1]
    is_length = isinstance(last, gast.Name) or syntax.operator_of(last) in LENGTHS
    return hidden(frame.code, start), stop if is_length else hidden(frame.code, stop)


def row_of(frame: Emission, node: gast.Subscript) -> SsaValue | None:
    """The address of the row that an element access is in; None where it is not known before the loop."""
    loop, place = frame.loops[-1] if frame.loops else None, frame.array(node.value.id)
    items = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
    if loop is None or not loop.is_innermost or len(items) < 2 or node.value.id in loop.assigned:
        return None
    leading = [_fixed(frame, loop, node, axis, item) for axis, item in enumerate(items[:-1])]
    if None in leading:
        return None
    key = (node.value.id, *leading)
    if key not in loop.rows:
        before_loop(frame, loop, lambda: loop.rows.update({key: _address(frame, place, leading)}))  # type: ignore[arg-type]
    return loop.rows[key]


def _fixed(frame: Emission, loop: OpenLoop, node: gast.Subscript, axis: int, index: gast.expr) -> str | int | None:
    """An index that is the same in every iteration, and needs no check."""
    if frame.ranges.of(node, axis) != FRONT:
        return None
    match index:
        case gast.Name(id=name) if name != loop.variable and name not in loop.assigned and frame.is_long(name):
            return name
        case gast.Constant(value=int() as value):
            return value
    return None


def _address(frame: Emission, place: ArrayPlace, leading: list[str | int]) -> SsaValue:
    """data + i * stride + ...: before the loop, which may have no iteration, so it may lie outside of the array."""
    code = frame.code
    total = int_(0)
    lengths = [code.load("i64", length) for length in (place.strides or place.dims)]
    for axis, index in enumerate(leading):
        position = int_(index) if isinstance(index, int) else frame.scalar(index)
        if place.type.layout == "C":
            total = code.binary("add", code.binary("mul", total, lengths[axis]), position) if axis else position
        else:
            total = code.binary("add", total, code.binary("mul", position, lengths[axis]))
    if place.type.layout == "C":
        total = code.binary("mul", total, lengths[-1])
    data = code.load("ptr", place.data)
    return hidden(code, code.value("ptr", f"getelementptr {STORED[place.type.dtype]}, {data}, {total}"))
