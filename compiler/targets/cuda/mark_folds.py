"""User loops whose iterations depend on each other by folds alone become `folding` loops, which kernels take by parts.

    for i in range(n):                          for i in folding(n):
        if x[i] > 0.0: total += x[i]     ->         if x[i] > 0.0: total += x[i]
    for i in range(n):                          for i in prange(n):
        if x[i] < 0.0: raise ...         ->         if x[i] < 0.0: raise ...

Takes and gives functions of the loops stage.  Sums, products and extremes stay as they are; what an iteration chooses
is written as a choice (`contests.py`).  A loop in a loop that stays in order becomes a fold where that goes on to
launch kernels: not where each of many iterations would launch one for a part of little work.  Leaves loops whose
iterations carry anything else: the order of a compensated sum matters, since what is lost reads the sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

import gast

from ... import syntax
from ...analysis.failure import ANY, NOTHING, failures
from ...analysis.folds import KIND, accumulations, choices_in, combining, does_not_wrap
from ...analysis.integers.ranges import ranges
from ...analysis.lanes import accumulated, arrays_handed_on, carried
from ...analysis.liveness import liveness
from ...dtypes import is_bool, is_complex
from ...names import Names
from ...ops.comparison import of_truths
from ...optimise.independent import Marker, of_kind
from ...program import Function
from ...records import dataclass
from ...renaming import map_body, placed, with_blocks
from ...types import Scalar
from .contests import Chooser, numbers_ahead
from .nests import goes_along, is_short, kind_of, perfect, steps_by_one
from .places import DEVICE_LOOPS
from .turns import Close, Trees, Turn, Unclear
from .updates import told, updates_of


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Where a loop stands: a row of threads could take the iterations of the loop `row`, `bound` are names that change
    in the loops in order around it.
    """

    in_kernel: bool = False
    row: gast.For | None = None
    depth: int = 0
    bound: frozenset[str] = field(default_factory=frozenset)


def mark_folds(function: Function) -> Function:
    """The function with its folds marked; the same object where there is none."""
    if not any(kind_of(s) == "range" for s in syntax.walk(function.body)):
        return function
    folder = _Folder(function)
    body = folder.block(function.body, _Place())
    if not folder.found:
        return function
    used = set(syntax.names_of(function.parameters, body))
    types = {n: t for n, t in folder.types.items() if n in used or n in function.types}
    return function.with_(body=tuple(body), types=types)


class _Folder:
    def __init__(self, function: Function) -> None:
        self.function, self.types = function, dict(function.types)
        self.names = Names({*function.types, *function.parameters})
        self.marker = Marker(function)
        self.found = False

    def block(self, body: Sequence[gast.stmt], place: _Place) -> list[gast.stmt]:
        return [made for k, node in enumerate(body) for made in self.statement(node, place, body[:k])]

    def statement(self, node: gast.stmt, place: _Place, before: Sequence[gast.stmt]) -> list[gast.stmt]:
        blocks = syntax.blocks_of(node)
        if not any(kind_of(s) == "range" for s in syntax.walk([node])):
            return [node]
        kind = kind_of(node)
        if kind == "range" and self.may_be_fold(node, place):
            found = self.found
            made = self.folded(node, place, before)  # type: ignore[arg-type]
            self.found = found or made is not None
            if made is not None:
                return made
        if kind in DEVICE_LOOPS:
            assert isinstance(node, gast.For)
            row = node if not place.in_kernel and len(perfect(node)) == 1 else place.row
            return [with_blocks(node, [self.block(b, _Place(True, row)) for b in blocks])]
        if isinstance(node, gast.For | gast.While):
            return [self.in_order(node, place)]
        return [with_blocks(node, [self.block(b, place) for b in blocks])]

    def in_order(self, node: gast.stmt, place: _Place) -> gast.stmt:
        """A loop that stays in order: folds in it stay too, where it would not be for kernels alone."""
        bound = _moving(node)
        launched = any(kind_of(s) in DEVICE_LOOPS for s in syntax.walk([node]))
        depth = place.depth if launched else place.depth + 1
        inside = _Place(place.in_kernel, place.row, depth, place.bound if launched else place.bound | bound)
        found = self.found
        made = with_blocks(node, [self.block(b, inside) for b in syntax.blocks_of(node)])
        if place.in_kernel or launched or not any(map(_stays, syntax.walk(syntax.blocks_of(made)[0]))):
            return made
        self.found = found
        return node

    def may_be_fold(self, node: gast.stmt, place: _Place) -> bool:
        if not steps_by_one(node) or place.in_kernel and place.row is None:
            return False
        if place.in_kernel:
            return not is_short(node)
        return place.depth == 0 or place.depth == 1 and place.bound.isdisjoint(syntax.names_read(node.iter))

    # --- one loop

    def folded(self, loop: gast.For, place: _Place, before: Sequence[gast.stmt]) -> list[gast.stmt] | None:
        """The loop as a fold, and what stands around it; None where it is none."""
        assigned = {n for s in syntax.walk(loop.body) for n in syntax.names_bound(s)}
        handed = assigned & (carried(loop.body).keys() | liveness(self.function).after(loop))
        if loop.target.id in liveness(self.function).after(loop) or loop.target.id in assigned:
            return None
        if not self.marker.hands_on_only(loop, handed) or arrays_handed_on(loop, self.types):
            return None
        if any(not self.is_number(name) for name in handed):
            return None
        if not handed:
            return self.checks(loop)
        body = map_body(loop.body, self.spelled)
        sums = self.sums_of(body) & handed
        row = loop if not place.in_kernel else None
        inner = self.block(body, _Place(True, row))
        walked = syntax.rebuild(loop, body=inner)
        chooser = Chooser(self.function, self.types, self.names, walked, numbers_ahead(before))
        try:
            made = Turn(handed - sums, sums, self.types, self.closing(chooser, handed - sums)).walked(inner)
        except Unclear:
            return None
        folding = syntax.rebuild(loop, iter=of_kind(KIND, loop.iter), body=made)
        if choices_in(folding) and not self.is_for_rows(loop, place.row):
            return None  # a thread takes it as it stands
        return [*placed(chooser.ahead, loop), folding, *placed(chooser.behind, loop)]

    def is_for_rows(self, loop: gast.For, around: gast.For | None) -> bool:
        """Whether a row of threads would take a loop together, as far as what stands around it says."""
        return around is None or kind_of(around) not in DEVICE_LOOPS or goes_along(around, [loop])

    def closing(self, chooser: Chooser, states: set[str]) -> Close:
        """What writes the statements of states that have changed."""

        def close(changed: Trees, must: bool) -> tuple[list[gast.stmt], set[str]]:
            made: list[gast.stmt] = []
            known: set[str] = set()
            try:
                updates = updates_of(changed, states, chooser.definitions, self.types)
            except Unclear:
                return [], set()
            for update in updates:
                if any(self.may_fail(tree, chooser) for tree in update.moved):
                    raise Unclear
                if must or not chooser.is_of_truths(update):
                    made += chooser.written(update)
                    known |= update.becomes.keys()
            return made, known

        return close

    def checks(self, loop: gast.For) -> list[gast.stmt] | None:
        """A loop that may raise and does nothing else: its iterations are independent."""
        stores = any(syntax.stored_base(s) is not None for s in syntax.walk(loop.body))
        if stores or not any(isinstance(s, gast.Raise) for s in syntax.walk(loop.body)):
            return None
        return [syntax.rebuild(loop, iter=of_kind("prange", loop.iter))]

    def sums_of(self, body: Sequence[gast.stmt]) -> set[str]:
        """The names that a loop accumulates, those of ints left out whose partial sums may not fit."""
        found = accumulations(body, self.types)
        steps = [s for s in syntax.walk(body) if isinstance(s, gast.Assign) and accumulated(s) in found]
        exact = {accumulated(s) for s in steps if not does_not_wrap(self.function, s)}
        return found.keys() - exact

    def is_number(self, name: str) -> bool:
        type_ = self.types[name]
        return isinstance(type_, Scalar) and not is_complex(type_.dtype) and type_.dtype != "f16"

    def may_fail(self, tree: gast.expr, chooser: Chooser) -> bool:
        """Whether an expression of an iteration may raise where the program has it after a test."""
        kind = replace(failures(self.function), types=self.types).kind(tree)
        known = ranges(self.function)
        inside = [n for s in syntax.walk(chooser.loop.body) for n in syntax.own_nodes(s)]
        loads = [n for n in inside if isinstance(n, gast.Subscript)]
        forms = [(syntax.form_of(told(n, chooser.definitions)), known.proves(n)) for n in loads]
        proven = {form for form, is_proven in forms if is_proven} - {form for form, is_proven in forms if not is_proven}
        whole = syntax.nodes_of(told(tree, chooser.definitions))
        needed = {syntax.form_of(n) for n in whole if isinstance(n, gast.Subscript)}
        return kind != NOTHING and (kind == ANY or not needed <= proven)

    def spelled(self, node: gast.stmt) -> gast.stmt:
        """`s = s + e` for `s = e + s`, and `found = found or c` for `found |= c`."""
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Call(func=gast.Name(id=operator), args=[a, b])):
                type_ = self.types[name]
                is_truth = isinstance(type_, Scalar) and is_bool(type_.dtype)
                if is_truth and of_truths(operator):
                    operator = of_truths(operator)
                    node = syntax.rebuild(node, value=syntax.call(operator, a, b))
                is_last = isinstance(b, gast.Name) and b.id == name and name not in syntax.names_read(a)
                turned = syntax.assign(name, syntax.call(operator, b, a))
                if is_last and operator != "subtract" and combining(turned):
                    node = syntax.rebuild(node, value=turned.value)
        return node


def _moving(loop: gast.stmt) -> frozenset[str]:
    """The names that a loop gives other values than they have from its first iteration on, by what lengths show."""
    made: dict[str, list[gast.stmt]] = {}
    for node in syntax.walk([loop]):
        for name in syntax.names_bound(node):
            made.setdefault(name, []).append(node)
    moving = set(made)
    for name, nodes in made.items():
        match nodes:
            case [gast.Assign(value=gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=array)]))]:
                moving -= {name} if array not in made else set()
    return frozenset(moving)


def _stays(node: gast.stmt) -> bool:
    """Whether a loop is for no kernel."""
    return isinstance(node, gast.While) or kind_of(node) not in ("", *DEVICE_LOOPS)
