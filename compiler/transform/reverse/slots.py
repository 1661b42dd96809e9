"""Where the values of counted loops are kept: one array for all iterations, allocated before the outermost loop.

    for i in range(1, n, 1):        e_saved = empty(shape=(n,)); ... e_saved[i] = e ...        e_1 = e_saved[i_1]

The array is indexed by the loop variables themselves where these count from about zero, else by the number of the
iteration.  A sequence (`sequences.py`) has more slots: for the values with which the first iteration starts.  All that
needs the trip counts and the shape of the value before the outermost loop; where they are not known there, the answer
is None and the value goes to a list.  Of a triangle (`for j in range(i)`) the array has as many slots in each row as
the longest one has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gast

from ... import syntax, types
from ...analysis.recorded import Recorded
from ...analysis.regions import ForwardValue, Region
from ...ops.schema import OPERATORS, row_of
from ...records import dataclass
from ...types import INT, Array, Extent
from .declared import array_type

if TYPE_CHECKING:
    from .sweep import Sweep

NEAR = 2
LEAST, GREATEST = -1, 1


@dataclass(frozen=True, slots=True)
class Slot:
    """How one loop indexes the arrays of its values: how many slots, and the first number and step it counts from."""

    size: gast.expr
    start: gast.expr | None
    step: gast.expr


class Slots:
    """Finds sizes before a statement of the function's body; the statements that compute them go to `before`."""

    def __init__(self, sweep: Sweep, recorded: Recorded, before: dict[int, list[gast.stmt]]) -> None:
        self.sweep, self.recorded, self.before = sweep, recorded, before
        self.regions = sweep.regions
        self._slots: dict[tuple[int, int], Slot | None] = {}
        self._hoisted: dict[tuple[int, str], gast.expr | None] = {}

    def of_value(self, value: ForwardValue, more: int = 0) -> tuple[list[Slot], list[gast.expr]] | None:
        """The slots of the loops around a value, and its own lengths."""
        anchor = value.region.path[0].statement
        assert anchor is not None
        loops = value.region.loops
        slots = [self.of_loop(loop, anchor, more if loop is loops[-1] else 0) for loop in loops]
        if not slots or any(slot is None for slot in slots):
            return None
        type_ = self.sweep.types[value.name]
        lengths = [self._length(d, anchor) for d in (type_.dims if isinstance(type_, Array) else ())]
        if any(length is None for length in lengths):
            return None
        return slots, lengths  # type: ignore[return-value]

    def _length(self, extent: Extent, anchor: gast.stmt) -> gast.expr | None:
        found = self.sweep.lengths.fixed(extent, before=self.regions.order[id(anchor)])
        if isinstance(found, gast.Name) and found.id in self.sweep.lengths.opaque:
            return self._clamped(found, anchor)
        return found

    def of_loop(self, loop: Region, anchor: gast.stmt, more: int) -> Slot | None:
        key = (id(loop), more)
        if key not in self._slots:
            bounds = self._bounds(loop, anchor)
            found = None if bounds is None else self._find(*bounds, anchor, more)
            self._slots[key] = self._of_triangle(loop, anchor, more) if bounds is None else found
        return self._slots[key]

    def _bounds(self, loop: Region, anchor: gast.stmt) -> tuple[gast.expr, gast.expr, gast.Constant] | None:
        """The start and the stop of a counted loop as atoms that are there before `anchor`, and its constant step."""
        if not isinstance(loop.statement, gast.For):
            return None
        start, stop, step = loop.bounds
        if not isinstance(step, gast.Constant):
            return None
        first, last = self._hoist(loop.statement, start, anchor), self._hoist(loop.statement, stop, anchor)
        return None if first is None or last is None else (first, last, step)

    def _find(self, first: gast.expr, last: gast.expr, step: gast.Constant, anchor: gast.stmt, more: int) -> Slot:
        near = 0 if more else NEAR
        if step.value == 1 and isinstance(first, gast.Constant) and 0 <= first.value <= near:
            size, start = self._clamped(last, anchor), None
        elif step.value == -1 and isinstance(last, gast.Constant) and -1 <= last.value < NEAR and not more:
            size, start = self._clamped(self._int(anchor, "add", first, 1), anchor), None
        else:
            size, start = self._clamped(self._rounds(first, last, step.value, anchor), anchor), first
        return Slot(self._int(anchor, "add", size, more) if more else size, start, step)

    def _of_triangle(self, loop: Region, anchor: gast.stmt, more: int) -> Slot | None:
        """A slot for each value of a variable of which one bound moves with the loops around: `j` up to `i`.

        Where both move (`for j in range(i, i + 3)`) the rows may be short, and an array would be mostly empty.
        """
        statement = loop.statement
        if not isinstance(statement, gast.For):
            return None
        start, stop, step = loop.bounds
        size = step.value if isinstance(step, gast.Constant) else 0
        moving = [self._hoist(statement, bound, anchor) is None for bound in (start, stop)]
        if size not in (1, -1) or all(moving) or (more and (size < 0 or moving[0])):
            return None
        low, high = (start, stop) if size > 0 else (stop, start)
        least = self._extreme(statement, low, anchor, LEAST)
        greatest = self._extreme(statement, high, anchor, GREATEST)
        first = least.value + (size < 0) if isinstance(least, gast.Constant) else -1
        if greatest is None or not 0 <= first <= (0 if more else NEAR):
            return None
        places = self._clamped(greatest if size > 0 else self._int(anchor, "add", greatest, 1), anchor)
        return Slot(self._int(anchor, "add", places, more) if more else places, None, step)

    def _extreme(self, reader: gast.stmt, atom: gast.expr, anchor: gast.stmt, side: int) -> gast.expr | None:
        """The least or the greatest value of an int of a loop's header, in all iterations of the loops around it."""
        fixed = self._hoist(reader, atom, anchor)
        if fixed is not None:
            return fixed
        value = self.regions.values.get(self.regions.key(reader, atom.id))
        if value is None:
            return None
        if value.region.index == value.key:
            return self._end_of_variable(value.region, anchor, side)
        node = None if value.origin is None else value.origin.value
        row = None if node is None else row_of(syntax.operator_of(node))
        if row is None or not row.is_sum or len(node.args) != 2:
            return None
        ways = (side, side * row.sign)  # the least of a difference has the most taken away
        parts = [self._extreme(value.origin, a, anchor, way) for a, way in zip(node.args, ways)]
        return None if None in parts else self._int(anchor, row.name, *parts)

    def _end_of_variable(self, loop: Region, anchor: gast.stmt, side: int) -> gast.expr | None:
        start, stop, step = loop.bounds
        if not isinstance(step, gast.Constant) or not step.value:
            return None
        if (step.value > 0) == (side == LEAST):
            return self._extreme(loop.statement, start, anchor, side)
        end = self._extreme(loop.statement, stop, anchor, side)
        return None if end is None else self._int(anchor, "subtract" if step.value > 0 else "add", end, 1)

    def _rounds(self, first: gast.expr, last: gast.expr, step: int, anchor: gast.stmt) -> gast.expr:
        if step == 1:
            return self._int(anchor, "subtract", last, first)
        span = self._int(anchor, "subtract", first, last)
        return self._int(anchor, "negative", self._int(anchor, "floor_divide", span, step))

    # --- ints before the loop

    def _hoist(self, reader: gast.stmt, atom: gast.expr, anchor: gast.stmt) -> gast.expr | None:
        """An int of a loop's header as an atom that is there before `anchor`."""
        if isinstance(atom, gast.Constant):
            return atom
        key = self.regions.key(reader, atom.id)
        if (id(anchor), key) not in self._hoisted:
            self._hoisted[id(anchor), key] = self._hoist_value(key, anchor)
        return self._hoisted[id(anchor), key]

    def _hoist_value(self, key: str, anchor: gast.stmt) -> gast.expr | None:
        value = self.regions.values.get(key)
        if value is None or self.sweep.types[value.name] != INT:
            return None
        made_before = value.after is None or self.regions.order[id(value.after)] < self.regions.order[id(anchor)]
        if value.region.parent is None and made_before:
            return syntax.name(value.name)
        if value.origin is None:
            return None
        node = value.origin.value
        operator = syntax.operator_of(node)
        if operator == "dim":
            base = node.args[0].id
            extent = array_type(self.sweep.types, base).dims[int(str(syntax.static_of(node)["axis"]))]
            return self.sweep.lengths.fixed(extent, before=self.regions.order[id(anchor)])
        row = row_of(operator)
        if row is None or not row.is_polynomial:
            return None
        parts = [self._hoist(value.origin, a, anchor) for a in node.args]
        if any(p is None for p in parts):
            return None
        return self._int(anchor, operator, *parts)

    def _int(self, anchor: gast.stmt, operator: str, *operands: object) -> gast.expr:
        atoms = [syntax.atom(o) for o in operands]
        if all(isinstance(a, gast.Constant) for a in atoms):
            return syntax.constant(OPERATORS[operator].meaning(*(a.value for a in atoms)))
        name = self.sweep.names.fresh("count")
        self.sweep.types[name] = INT
        made = syntax.assign(name, syntax.call(operator, *atoms), getattr(anchor, "span", None))
        self.before.setdefault(id(anchor), []).append(made)
        return syntax.name(name)

    def _clamped(self, number: gast.expr, anchor: gast.stmt) -> gast.expr:
        """`number`, or zero where it is negative."""
        if isinstance(number, gast.Constant):
            return syntax.constant(max(0, number.value))
        extent = self.sweep.lengths.extents.get(number.id)
        if extent is not None and types.is_plain(extent) and number.id not in self.sweep.lengths.opaque:
            return number
        key = (id(anchor), f"{number.id} or 0")
        if key not in self._hoisted:
            target = self.before.setdefault(id(anchor), [])
            self._hoisted[key] = self.sweep.lengths.clamped(target, number, getattr(anchor, "span", None))
        return self._hoisted[key]  # type: ignore[return-value]
