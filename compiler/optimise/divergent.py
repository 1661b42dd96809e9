"""Loops over independent elements that iterate in a loop of their own, and may iterate together.

    for i in prange(n):
        x = 1.0                            before
        while abs(x * x - c[i]) > t:       iterations of scalars alone: nothing in them may fail, c[i] stays the same
            x = 0.5 * (x + c[i] / x)
        out[i] = x                         after

The iterations may be counted as well, `for k in range(m)`, if their number is the same for all elements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Hashable, Iterator, Sequence
from collections.abc import Set as AbstractSet

import gast

from .. import syntax
from ..analysis.expression_types import type_of
from ..analysis.failure import failures
from ..analysis.integers.nest_scope import NestScope
from ..analysis.integers.ranges import ranges
from ..analysis.integers.values import Integers
from ..analysis.lanes import straight
from ..analysis.liveness import liveness
from ..analysis.memory.accesses import elements_in
from ..dtypes import DTYPE, INT_WORD, is_bool
from ..ops.forms import LENGTHS
from ..program import Function
from ..records import dataclass
from ..tuning import LANES, LARGEST_TURN, UNROLLED
from ..types import Array, Scalar, Type
from .independent import Marker
from .lane_steps import expressions_in, is_of_names

LEAST_BYTES = 4  # of a number in a lane: smaller ones are computed with in another size


@dataclass(frozen=True, slots=True)
class Divergent:
    """A loop over elements, each of which iterates until it is done, or so many times.

    loads       elements that the iterations read and that differ from lane to lane, by their forms
    carried     the loop-carried names
    read_after  those of them that are read after the iterations
    """

    loop: gast.For
    before: Sequence[gast.stmt]
    turns: gast.While | gast.For
    after: Sequence[gast.stmt]
    loads: dict[Hashable, gast.Subscript]
    carried: tuple[str, ...]
    read_after: tuple[str, ...]

    @property
    def changed(self) -> list[str]:
        """The loop-carried names."""
        bound = names_bound_in(self.turns.body)
        return [name for name in self.carried if name in bound]


Parts = tuple[Sequence[gast.stmt], gast.While | gast.For, Sequence[gast.stmt]]


def parts_of(node: gast.stmt) -> Parts | None:
    """What stands before a loop in a loop that counts by ones, that inner one, and what stands after."""
    if not isinstance(node, gast.For) or syntax.operator_of(node.iter) not in ("range", "prange"):
        return None
    if node.target.id in syntax.names_read(node.iter):
        return None
    step, found = node.iter.args[2], [(k, s) for k, s in enumerate(node.body) if isinstance(s, gast.While | gast.For)]
    if len(found) != 1 or not (isinstance(step, gast.Constant) and step.value == 1):
        return None
    place, turns = found[0]
    before, after = node.body[:place], node.body[place + 1 :]
    is_plain = isinstance(turns, gast.While) or syntax.operator_of(turns.iter) == "range"
    return (before, turns, after) if is_plain and all(map(straight, (before, turns.body, after))) else None


class Finder:
    """Answers for the loops of one function."""

    def __init__(self, function: Function) -> None:
        self.function, self.types = function, function.types
        self.integers, self.ranges, self.failures = Integers(function), ranges(function), failures(function)
        self.marker = Marker(function)

    def type_of(self, tree: gast.expr) -> Type:
        return type_of(tree, self.types)

    def divergent(self, node: gast.stmt, scope: NestScope) -> Divergent | None:
        """The loop in its parts, where it may run in lanes; `scope` has the loops around it."""
        parts = parts_of(node)
        if not isinstance(node, gast.For) or parts is None or _is_short(node) or not self.marker.is_independent(node):
            return None
        before, turns, after = parts[0], self.as_common(node.target.id, *parts), parts[2]
        if turns is None or not self.is_of_scalars([*before, *turns.body]):
            return None
        inside, own = evaluated(turns), names_bound_in([*before, *turns.body, *after]) | {node.target.id}
        loads = self.loads(turns, inside, own, scope.inside(self.integers.loop(node)))
        if loads is None or len(inside) > LARGEST_TURN or not all(map(self.is_total, inside)):
            return None
        if not any(node.target.id in names_beside(tree, loads) for tree in inside):
            own = own - {node.target.id}
        live, read_after = sorted(self.live_at([turns, *after]) & own), self.live_at(after)
        if not all(map(self.is_held, live)) or not all(map(self.is_sure, expressions_in(before))):
            return None
        return Divergent(node, before, turns, after, loads, tuple(live), tuple(n for n in live if n in read_after))

    def as_common(
        self, variable: str, before: Sequence[gast.stmt], turns: gast.While | gast.For, after: Sequence[gast.stmt]
    ) -> gast.While | gast.For | None:
        """The iterations, counted ones with bounds in which nothing is an element's own; None where that cannot be."""
        if isinstance(turns, gast.While):
            return turns
        bound = Counter(name for s in syntax.walk([*before, turns, *after]) for name in syntax.names_bound(s))
        own, common = {*bound, variable}, dict[str, gast.expr]()
        for statement in before:
            match statement:
                case gast.Assign(targets=[gast.Name(id=name)], value=value) if bound[name] == 1:
                    if own.isdisjoint(syntax.names_read(value)) and not elements_in(value):
                        common[name] = value
        bounds = [syntax.map_names(bound, lambda name: common.get(name, name)) for bound in turns.iter.args]
        is_same = own.isdisjoint(name for bound in bounds for name in syntax.names_read(bound))
        if not is_same or turns.target.id in self.live_at(after) or _is_unrolled(bounds, evaluated(turns)):
            return None
        return syntax.rebuild(turns, iter=syntax.rebuild(turns.iter, args=bounds))

    def live_at(self, body: Sequence[gast.stmt]) -> frozenset[str]:
        return frozenset(liveness(self.function.with_(body=tuple(body))).at_entry)

    def is_of_scalars(self, body: Sequence[gast.stmt]) -> bool:
        """Whether there are only assignments of scalars, and branches around such."""
        return is_of_names(body) and all(isinstance(self.types[name], Scalar) for name in names_bound_in(body))

    def is_held(self, name: str) -> bool:
        """Whether a lane can hold the value as it is computed with."""
        type_ = self.types[name]
        return isinstance(type_, Scalar) and (is_bool(type_.dtype) or DTYPE[type_.dtype].item_bytes >= LEAST_BYTES)

    # --- elements

    def loads(
        self, turns: gast.While | gast.For, inside: Sequence[gast.expr], own: AbstractSet[str], scope: NestScope
    ) -> dict[Hashable, gast.Subscript] | None:
        """The elements read that differ from lane to lane; None where some of them differ between iterations.

        What an iteration reads that is the same in all lanes is read as it is.
        """
        changed = names_bound_in(turns.body)
        variable = {turns.target.id} if isinstance(turns, gast.For) else set()
        within = scope.inside(self.integers.loop(turns))
        found: dict[Hashable, gast.Subscript] = {}
        for place in (place for tree in inside for place in elements_in(tree)):
            read = set(syntax.names_read(place.slice))
            in_turn, in_lane = not variable.isdisjoint(read), not own.isdisjoint(read)
            if not changed.isdisjoint(read) or in_turn and in_lane:
                return None
            if not self.is_there(place, within if in_turn else scope):
                return None
            if in_lane:
                found[syntax.form_of(place)] = place
        return found

    def is_there(self, place: gast.Subscript, scope: NestScope) -> bool:
        """Whether an element is in bounds whatever is tested around it."""
        type_ = self.types[place.value.id]
        items = place.slice.elts if isinstance(place.slice, gast.Tuple) else [place.slice]
        if not isinstance(type_, Array) or len(items) != type_.ndim:
            return False
        return all(self.integers.is_inside(item, extent, scope) for item, extent in zip(items, type_.dims))

    # --- errors

    def is_total(self, tree: gast.expr) -> bool:
        """Whether no operation in an expression can fail, accesses of elements aside."""
        return all(self._fits(node) for node in syntax.nodes_of(tree) if isinstance(node, gast.Call))

    def is_sure(self, tree: gast.expr) -> bool:
        """Whether evaluating an expression where it stands cannot fail."""
        return self.is_total(tree) and all(self.ranges.proves(place) for place in elements_in(tree))

    def _fits(self, node: gast.Call) -> bool:
        operator = str(syntax.operator_of(node))
        if operator in LENGTHS:
            return True
        if self.failures._operation_fails(node) and id(node) not in self.ranges.nonzero:
            return False
        type_ = self.type_of(node)
        is_python_int = isinstance(type_, Scalar) and type_.weak and type_.dtype == INT_WORD
        return not is_python_int or operator == "cast" or id(node) in self.ranges.fits


def evaluated(turns: gast.While | gast.For) -> list[gast.expr]:
    """What an iteration evaluates."""
    return [*([turns.test] if isinstance(turns, gast.While) else []), *expressions_in(turns.body)]


def names_bound_in(body: Sequence[gast.stmt]) -> frozenset[str]:
    """The names that get values in these statements."""
    return frozenset(name for s in syntax.walk(body) for name in syntax.names_bound(s))


def names_beside(tree: gast.AST, loads: Container[Hashable]) -> Iterator[str]:
    """The names that an expression reads, those in these elements left out."""
    if isinstance(tree, gast.Name):
        yield tree.id
    elif not (isinstance(tree, gast.Subscript) and syntax.form_of(tree) in loads):
        for part in syntax.children_of(tree):
            yield from names_beside(part, loads)


def _is_unrolled(bounds: Sequence[gast.expr], inside: Sequence[gast.expr]) -> bool:
    """Whether counted iterations are so few that they are written out one after the other, all elements in vectors."""
    numbers = [bound.value for bound in bounds if isinstance(bound, gast.Constant)]
    if len(numbers) < 3 or not numbers[2]:
        return False
    return len(range(*numbers)) * sum(len(syntax.calls_in(tree)) for tree in inside) <= UNROLLED


def _is_short(loop: gast.For) -> bool:
    """Whether a loop is known to have no more iterations than there are lanes."""
    bounds = [part.value for part in loop.iter.args if isinstance(part, gast.Constant)]
    return len(bounds) == 3 and len(range(*bounds)) <= LANES
