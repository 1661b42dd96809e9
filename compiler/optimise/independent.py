"""Mark the loops whose iterations are independent, as far as the index tells.

    for i in range(side):                     for i in prange(side):
        for j in range(side):                     for j in prange(side):
            count = 0                   ->            count = 0
            while ...: count += 1                     while ...: count += 1
            counts[i, j] = count                      counts[i, j] = count

Takes and gives functions of the loops stage.  An iteration is independent when it carries nothing in names, and
when no element that one iteration stores is read or stored by another: on some axis both indices move with the loop
by the same step, or the one that does not move lies outside the range of the loop.  Errors are no obstacle: whoever
runs the iterations at once reports that of the first.  Every such loop is marked, whatever stands around it: which of
them threads or blocks take is the target's business.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

import gast

from .. import syntax
from ..analysis.def_use import reads_of
from ..analysis.expression_types import is_scalar_operator
from ..analysis.integers.nest_scope import NestScope
from ..analysis.integers.ranges import NATURALS, Ranges, ranges
from ..analysis.integers.values import Integers
from ..analysis.liveness import liveness
from ..analysis.memory.accesses import Access, accesses, elements_in
from ..analysis.memory.meeting import Meeting
from ..analysis.memory.noalias import is_noalias
from ..analysis.memory.storage import classes_at_once, storage_classes
from ..program import Decision, Function, hand_on
from ..types import Array, ListOf
from .in_blocks import with_blocks
from .known import KnownNests

PARALLEL = "prange"


def mark_independent(function: Function) -> Function:
    """The function with `prange` for `range` where it holds; the same object where nothing was marked."""
    if not any(_is_candidate(s) for s in syntax.walk(function.body)):
        return function
    body = Marker(function).block(function.body)
    if body is None:
        return function
    made = function.with_(body=tuple(body))
    for analysis in (ranges, storage_classes):  # the kind of a loop is nothing to them, and indices are the same trees
        hand_on(analysis, function, made)
    return made


def _is_candidate(node: gast.stmt) -> bool:
    """A loop by steps of one, with a store below it whose index mentions its variable."""
    if not isinstance(node, gast.For) or syntax.operator_of(node.iter) != "range" or not _steps_by_one(node.iter):
        return False
    places = (p for s in syntax.walk(node.body) if isinstance(s, gast.Assign) for p in s.targets)
    return any(isinstance(p, gast.Subscript) and node.target.id in syntax.names_read(p.slice) for p in places)


def _steps_by_one(call: gast.Call) -> bool:
    return isinstance(call.args[2], gast.Constant) and call.args[2].value == 1


def without_promises(function: Function) -> Function:
    """The function with `range` for every `prange` whose iterations are not known to be independent, and `noalias`."""
    loops = [s for s in syntax.walk(function.body) if isinstance(s, gast.For)]
    marker = Marker(function)
    parallel = [loop for loop in loops if syntax.operator_of(loop.iter) == PARALLEL]
    dependent = {id(loop) for loop in parallel if not marker.is_independent(loop)}
    in_order = dependent | {id(loop) for loop in loops if is_noalias(loop)}  # found again where it holds
    if not in_order:
        return function

    def block(body: Sequence[gast.stmt]) -> list[gast.stmt]:
        return [statement(s) for s in body]

    def statement(node: gast.stmt) -> gast.stmt:
        changes: dict[str, object] = {k: block(getattr(node, k)) for k in ("body", "orelse") if syntax.blocks_of(node)}
        if id(node) in in_order:
            changes["iter"] = of_kind("range", node.iter)
        return syntax.rebuild(node, **changes) if changes else node

    why = "its iterations are not known to be independent"
    lines = [_line(loop) for loop in parallel if id(loop) in dependent]
    told = tuple(Decision("loops", f"the loop at line {line} runs in order: {why}") for line in lines)
    return function.with_(body=tuple(block(function.body)), decisions=(*function.decisions, *told))


def of_kind(kind: str, bounds: gast.Call) -> gast.Call:
    """The range of a loop, as another kind of loop."""
    return syntax.rebuild(bounds, func=gast.Name(kind, gast.Load()))


def _line(loop: gast.For) -> int:
    span = getattr(loop, "span", None)
    return 0 if span is None else span.line


class Marker:
    def __init__(self, function: Function) -> None:
        self.function, self.types = function, function.types
        self.meeting = Meeting(Integers(function))
        self.classes = classes_at_once(function)
        self.known = KnownNests()

    def block(self, body: Sequence[gast.stmt]) -> list[gast.stmt] | None:
        """The statements with independent loops marked; None where there is none."""
        changed = [self.statement(s) for s in body]
        return changed if any(new is not old for new, old in zip(changed, body)) else None

    def statement(self, node: gast.stmt) -> gast.stmt:
        changes: dict[str, object] = {}
        if _is_candidate(node) and self.is_independent(node):  # type: ignore[arg-type]
            changes["iter"] = of_kind(PARALLEL, node.iter)
        return with_blocks(node, self.block, **changes)

    # --- names

    def is_independent(self, loop: gast.For) -> bool:
        assigned = {n for s in syntax.walk([loop]) for n in syntax.names_bound(s)}
        return self._is_independent(loop, assigned, assigned)

    def is_independent_but_for(self, loop: gast.For, sums: AbstractSet[str]) -> bool:
        """Whether the iterations of a loop do not need each other, but that they add to these names."""
        assigned = {n for s in syntax.walk([loop]) for n in syntax.names_bound(s)}
        return self._is_independent(loop, assigned, assigned - sums)

    def hands_on_only(self, loop: gast.For, names: AbstractSet[str]) -> bool:
        """The same of a loop that need not store anything: these names are loop-carried, and nothing else."""
        assigned = {n for s in syntax.walk([loop]) for n in syntax.names_bound(s)}
        stores = any(syntax.stored_base(s) is not None for s in syntax.walk(loop.body))
        if not self.is_plain(loop, assigned) or not self._is_private(loop, assigned - names):
            return False
        return not stores or self._is_apart(loop, assigned)

    def _is_independent(self, loop: gast.For, assigned: set[str], own: set[str]) -> bool:
        return self.is_plain(loop, assigned) and self._is_private(loop, own) and self._is_apart(loop, assigned)

    def is_plain(self, loop: gast.For, assigned: AbstractSet[str]) -> bool:
        """Whether there is nothing below it but scalars, elements, and buffers of its own."""
        mentioned = {n for s in syntax.walk(loop.body) for n in reads_of(s)} | assigned
        if any(isinstance(self.types.get(n), ListOf) for n in mentioned):
            return False
        for node in syntax.walk(loop.body):
            if isinstance(node, gast.Return | gast.Expr):
                return False
            if isinstance(node, gast.Assign) and not self._is_plain_assignment(node):
                return False
        return True

    def _is_plain_assignment(self, node: gast.Assign) -> bool:
        target = node.targets[0]
        if isinstance(target, gast.Tuple):
            return False
        if isinstance(target, gast.Name) and isinstance(self.types[target.id], Array):
            return syntax.operator_of(node.value) == "empty"
        operators = {syntax.operator_of(part) for part in syntax.nodes_of(node.value)} - {None}
        return all(is_scalar_operator(str(o)) for o in operators)

    def _is_private(self, loop: gast.For, assigned: set[str]) -> bool:
        """Whether no name takes a value from one iteration to the next, or out of the loop."""
        if liveness(self.function).after(loop) & assigned:
            return False
        if self.known.mentions(loop).exposed.isdisjoint(assigned):
            return True  # else it may still be that it is only read where the iteration ends in an error
        return not (liveness(self.function.with_(body=tuple(loop.body))).at_entry - {loop.target.id}) & assigned

    # --- elements

    def _is_apart(self, loop: gast.For, assigned: AbstractSet[str]) -> bool:
        """Whether no element that one iteration stores is touched by another; what it makes itself is its own."""
        carrier = self.meeting.integers.loop(loop)
        found = [self._placed(a) for a in accesses(loop.body, NestScope((carrier,)), self.meeting.integers)]
        outer = [access for access in found if access.array not in assigned]
        stores = [access for access in outer if access.is_store]
        for store in stores:
            for other in outer:
                if self.classes[other.array] == self.classes[store.array]:
                    if self.meeting.meet_in_turns(store, other, carrier, assigned):
                        return False
        return bool(stores)

    def _placed(self, access: Access) -> Access:
        return replace(access, natural=natural_axes(access, ranges(self.function)))


def natural_axes(access: Access, known: Ranges) -> frozenset[int]:
    """The axes of which ranges say that the index is not negative."""
    signs = known.axes.get(id(access.node), ())
    return frozenset([axis for axis, sign in enumerate(signs) if sign in NATURALS])


def element_places(body: Sequence[gast.stmt]) -> Iterator[tuple[gast.Subscript, bool]]:
    """Every element access below these statements, and whether it is a store."""
    for node in syntax.walk(body):
        targets = node.targets if isinstance(node, gast.Assign) else []
        for place in targets:
            if isinstance(place, gast.Subscript):
                yield place, True
        for part in _expressions(node):
            for inner in elements_in(part):
                yield inner, False


def _expressions(node: gast.stmt) -> Iterator[gast.AST]:
    """What a statement evaluates itself, without the statements inside it."""
    match node:
        case gast.Assign(targets=[place], value=value):
            yield value
            if isinstance(place, gast.Subscript):
                yield place.slice
        case gast.If(test=test) | gast.While(test=test):
            yield test
        case gast.For(iter=iter_):
            yield iter_
        case gast.Raise(exc=exc) if exc is not None:
            yield exc
