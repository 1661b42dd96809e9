"""Address hoisting: addresses of rows are computed before the innermost loop, and LLVM analyses them no further.

    for j in range(n):                row = address of x[i, 0]
        total += x[i, j]      ->      for j in range(n):
                                          total += row[j]

An address is a polynomial of the variables of all loops around it, and so is the length of a block.  LLVM analyses both
to the outermost loop, in a dozen passes: a third of the time that it takes for a small nest.  Nothing is gained by it
here, as rows of different arrays are known to be apart (`storage.py`).  So values go through an empty piece of
assembly, which costs no instruction, and hides where they come from.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

import gast

from ... import syntax
from ...analysis.integers.ranges import FRONT
from ...ops.forms import LENGTHS
from ...optimise.independent import element_places
from .abi import STORED
from .frame import ArrayPlace, Emission
from .operands import SsaValue, int_
from .text import Code

SAME = 'asm "", "=r,0"({}) memory(none) nounwind willreturn'


def hidden(code: Code, value: SsaValue) -> SsaValue:
    """The same value, of unknown origin."""
    return value if value.is_int else code.value(value.type, f"call {value.type} {SAME.format(value)}")


def bounds(frame: Emission, node: gast.For, start: SsaValue, stop: SsaValue) -> tuple[SsaValue, SsaValue]:
    """Where an innermost loop starts and stops; what was calculated, or depends on loops around it, is hidden."""
    last = node.iter.args[:2][-1]
    is_length = isinstance(last, gast.Name) or syntax.operator_of(last) in LENGTHS
    return hidden(frame.code, start), stop if is_length else hidden(frame.code, stop)


def rows(frame: Emission, node: gast.For) -> Mapping[int, SsaValue]:
    """The address of the row that an element access is in, by its node, where it stays in an innermost loop."""
    places = [p for p, _ in element_places(node.body) if isinstance(p.slice, gast.Tuple) and len(p.slice.elts) > 1]
    changed = {n for s in syntax.walk([node]) for n in syntax.names_changed(s)} if places else set()
    found: dict[int, SsaValue] = {}
    known: dict[object, SsaValue] = {}
    for place in places:
        leading = _leading(frame, place, changed)
        if leading:
            key = place.value.id, *map(syntax.form_of, leading)
            if key not in known:
                known[key] = _address(frame, frame.array(place.value.id), leading)
            found[id(place)] = known[key]
    return found


def _leading(frame: Emission, node: gast.Subscript, changed: AbstractSet[str]) -> list[gast.expr]:
    """All indices but the last, if they are the same in every iteration and need no check; else none."""
    if not isinstance(frame.places[node.value.id], ArrayPlace) or node.value.id in changed:
        return []
    items: list[gast.expr] = node.slice.elts[:-1]
    stay = (frame.ranges.of(node, axis) == FRONT and _stays(frame, i, changed) for axis, i in enumerate(items))
    return items if all(stay) else []


def _stays(frame: Emission, index: gast.expr, changed: AbstractSet[str]) -> bool:
    if isinstance(index, gast.Name):
        return index.id not in changed and frame.is_long(index.id)
    return isinstance(index, gast.Constant)


def _address(frame: Emission, place: ArrayPlace, leading: list[gast.expr]) -> SsaValue:
    """data + i * stride + ...: before the loop, which may have no iteration, so it may lie outside of the array."""
    code = frame.code
    total = int_(0)
    lengths = [code.load("i64", length) for length in (place.strides or place.dims)]
    for axis, index in enumerate(leading):
        position = int_(index.value) if isinstance(index, gast.Constant) else frame.scalar(index.id)
        if place.type.layout == "C":
            total = code.binary("add", code.binary("mul", total, lengths[axis]), position) if axis else position
        else:
            total = code.binary("add", total, code.binary("mul", position, lengths[axis]))
    if place.type.layout == "C":
        total = code.binary("mul", total, lengths[-1])
    data = code.load("ptr", place.data)
    return hidden(code, code.value("ptr", f"getelementptr {STORED[place.type.dtype]}, {data}, {total}"))
