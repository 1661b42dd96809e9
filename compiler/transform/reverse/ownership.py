"""Pass the ownership of cotangent arrays to calls, which add to them in place: a block with an open box has it.

                                        x_bars.append(x_bar)
    y = g(x, n)            ->           g_backward(x, n, y_bar, x_bars)
                                        x_bar_1 = x_bars.pop()

In textbooks a callee gets cotangents by reference.  The language has values only; here ownership goes to the callee and
back.  A box is a list of one array: taking the array out gives its only reference, which is stored into in place, so
that a call costs what it does, however long the array is.  A box is passed on from call to call as it is; within a
block in which something is added to the cotangent, it is open from the first time on until a statement calls again, or
the block ends.

Source: L. Hascoet and V. Pascual, The Tapenade Automatic Differentiation Tool (2013), on adjoints of calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.activity import calls_of
from ...analysis.memory.places import Place
from ...types import Array, ListOf
from .declared import array_type
from .sections import Starts, starts_of
from .views import Shown

if TYPE_CHECKING:
    from .cotangents import Cotangents
    from .sweep import Sweep


class Ownership:
    """Which cotangents of one function are in boxes, at each point of its backward sweep.

    of_call    for each call the array of this function after each parameter, where its cotangent is passed in, and
               where the part that is the argument begins in it
    handing    for each statement the arrays whose cotangents calls inside of it add to
    alone      the boxes that a call takes for single arguments, of which the cotangents are added after it
    closed     the boxes of the arrays whose cotangents are in them at this point of the backward sweep
    """

    def __init__(self, sweep: Sweep) -> None:
        self.sweep = sweep
        self.of_call: dict[int, dict[str, tuple[str, Starts]]] = {}
        self.handing: dict[int, set[str]] = {}
        self.closed: dict[str, str] = {}
        self.alone: list[tuple[str, str]] = []
        self._made: dict[tuple[int, str], str] = {}
        for statement, callee in calls_of(sweep.function, sweep.program):
            if not sweep.derivative.is_ruled(callee):  # what a rule gives is had as results
                self._note(statement, callee)

    def _note(self, statement: gast.stmt, callee: str) -> None:
        sweep = self.sweep
        facts, target = sweep.derivative.facts[callee], sweep.program.functions[callee]
        found: dict[str, tuple[str, Starts]] = {}
        for parameter, argument in zip(target.parameters, statement.value.args):
            is_array = isinstance(target.types[parameter], Array) and parameter in facts.parameters
            if is_array and isinstance(argument, gast.Name) and argument.id in sweep.active:
                behind = self._behind(sweep.views.of(argument.id, statement))
                if behind is not None and behind[0] not in [root for root, _ in found.values()]:
                    found[parameter] = behind
                    axes = sweep.derivative.sections.setdefault((callee, parameter), set())
                    axes.update(axis for axis, starts in enumerate(behind[1]) if starts is not None)
        self.of_call[id(statement)] = found
        for root, _ in found.values():
            for around in self._around(statement, root):
                self.handing.setdefault(id(around), set()).add(root)

    def _around(self, statement: gast.stmt, root: str) -> Iterator[gast.stmt]:
        """A statement and those around it, as far as the block that begins with the cotangent of an array."""
        regions = self.sweep.regions
        region, carrier = regions.place[id(statement)], regions.carried.get(root)
        home = carrier if carrier is not None and carrier.contains(region) else regions.home[root]
        yield statement
        while region is not home and region.statement is not None and region.parent is not None:
            yield region.statement
            region = region.parent

    def roots(self) -> set[str]:
        """The arrays whose cotangents are passed to calls."""
        return {root for found in self.of_call.values() for root, _ in found.values()}

    def _behind(self, shown: Shown) -> tuple[str, Starts] | None:
        """The array that a name shows all of, or a part of slices, and where the part begins."""
        if not isinstance(shown, Place):
            return None
        starts = starts_of(shown, array_type(self.sweep.types, shown.root).ndim, self.sweep.views.natural)
        return None if starts is None else (shown.root, starts)

    def box_type(self, name: str) -> ListOf:
        element = self.sweep.primal_type(name)
        return ListOf(element, is_box=True)

    # --- in the order of the backward sweep

    def hand_over(self, frame: Cotangents, statement: gast.stmt) -> None:
        """Put into its box what the statement's calls add to."""
        for root in sorted(self.handing.get(id(statement), ())):
            if frame.owns(root):
                self._close(frame, root)
            elif root in frame.opened:
                self._put(frame, self.closed[root], frame.opened.pop(root))

    def take_back(self, frame: Cotangents, statement: gast.stmt) -> None:
        """Take it out again in its own block; and what is in boxes for single arguments, which is added."""
        added = [(name, self._take(frame, box, name)) for box, name in self.alone]
        self.alone.clear()  # also where nothing is added: all boxes end empty, which second derivatives go by
        for root in sorted(self.handing.get(id(statement), ())):
            if frame.owns(root) and root in self.closed:
                frame.bars[root] = self._take(frame, self.closed.pop(root), root)
        for name, bar in added:
            if name in self.sweep.active:
                frame.add(name, bar)

    def close(self, frame: Cotangents) -> None:
        """Put back into its box what a block has taken out."""
        for root in sorted(frame.opened):
            self._put(frame, self.closed[root], frame.opened.pop(root))

    def opened(self, frame: Cotangents, root: str) -> gast.expr:
        """The array with the cotangent of a root whose box is closed, taken out as far outside as no call needs it."""
        while not (frame.parent is None or frame.parent.owns(root)):
            statement = frame.region.statement
            if statement is None or root in self.handing.get(id(statement), ()):
                break
            frame = frame.parent
        if root not in frame.opened:
            frame.opened[root] = self._take(frame, self.closed[root], root)
        return frame.opened[root]

    def own(self, frame: Cotangents, name: str) -> str:
        """A box with zeros, for the cotangent of one argument alone."""
        box = self._new(frame, name)
        self._put(frame, box, frame.zero(name))
        self.alone.append((box, name))
        return box

    # --- parameters

    def enter(self, frame: Cotangents, root: str, box: str) -> None:
        """Begin with a cotangent that was passed in."""
        self._made[id(frame), root] = box
        frame.bars[root] = self._take(frame, box, root)

    def leave(self, frame: Cotangents, root: str, box: str) -> None:
        """End with all that was added in the array of the box."""
        self._put(frame, box, frame.full(root, frame.bars.pop(root)))

    # --- statements

    def _close(self, frame: Cotangents, root: str) -> None:
        array = frame.in_place(root)
        key = id(frame), root
        if key not in self._made:
            self._made[key] = self._new(frame, root)
        self._put(frame, self._made[key], array)
        self.closed[root] = self._made[key]
        del frame.bars[root]

    def _new(self, frame: Cotangents, root: str) -> str:
        return frame.builder.bind(syntax.call("new_list"), self.box_type(root), f"{frame.hint(root)}s").id

    def _put(self, frame: Cotangents, box: str, array: gast.expr) -> None:
        body = frame.builder.body
        for place in reversed(range(len(body))):
            if _takes(body[place], box, array):
                del body[place]  # there was nothing to be done with it
                return
            if not _moves(body[place]):
                break
        frame.builder.append(syntax.expression(syntax.call("append", box, array)))

    def _take(self, frame: Cotangents, box: str, root: str) -> gast.expr:
        return frame.builder.bind(syntax.call("pop", box), self.sweep.primal_type(root), frame.hint(root))


def _moves(statement: gast.stmt) -> bool:
    """Whether a statement takes an array out of a list, or puts it into one."""
    return syntax.operator_of(getattr(statement, "value", None) or syntax.constant(None)) in ("append", "pop")


def _takes(statement: gast.stmt, box: str, array: gast.expr) -> bool:
    """Whether a statement is `array = pop(box)`."""
    match statement:
        case gast.Assign(
            targets=[gast.Name(id=name)], value=gast.Call(func=gast.Name(id="pop"), args=[gast.Name(id=base)])
        ):
            return base == box and isinstance(array, gast.Name) and array.id == name
    return False
