"""Write a loop nest that evaluates nodes element by element.

    y = exp(x) / (1.0 + exp(x))    ->    y = empty(shape=(dim(x, axis=0),), dtype="f64")
                                         for i in prange(0, dim(x, axis=0), 1):
                                             t = exp(x[i])
                                             y[i] = divide(t, add(1.0, t))

A value used twice becomes a local, placed in the outermost loop that fixes it.  A node whose elements would be computed
again and again (wanted elsewhere too, at several positions, or broadcast along an outer loop) is put in memory first.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import gast

from .. import syntax
from ..diagnostics import InternalError
from ..records import dataclass
from ..tuning import MANY_NUMBERS, REPEATED_LOAD
from ..types import Array, Scalar
from .arithmetic import ONE, ZERO
from .lowering import Lowering
from .nodes import (
    ONE_LONG,
    TRANSCENDENTAL_WORK,
    Apply,
    Fill,
    Grid,
    Index,
    Length,
    Masked,
    Node,
    ScalarTree,
    Select,
    Stored,
    Through,
    is_heavy,
    nodes_below,
    rank,
    work_of,
)
from .operands import apply, constant, convert, solid
from .survey import Key, Survey, aligned, is_identity, key_of, source_index, survey, through_index


@dataclass(frozen=True, slots=True)
class NestLoop:
    variable: str
    start: gast.expr
    stop: gast.expr
    step: gast.expr
    kind: str


class Nest:
    """Loops opened one by one, values evaluated inside, `finish` writes it all.

    `before[k]` stands inside the outer k loops ahead of the next one, `after[k]` after it.
    """

    def __init__(self, lowering: Lowering) -> None:
        self.low = lowering
        self.loops: list[NestLoop] = []
        self.before: list[list[gast.stmt]] = [[]]
        self.after: list[list[gast.stmt]] = [[]]
        self.level: dict[str, int] = {}
        self.axes: list[str] = []
        self.values: dict[Key, ScalarTree] = {}
        self.seen = Survey()
        self.outside = list(lowering.active)

    # --- loops

    def loop(self, length: Length, kind: str = "range") -> gast.expr:
        """Open a loop along an axis and return its index; an axis of length 1 needs none."""
        if length.is_one:
            return ZERO
        index = self.count(ZERO, length.tree, ONE, kind)
        self.axes.append(index.id)
        return index

    def nest(self, lengths: Sequence[Length], kind: str = "prange") -> list[gast.expr]:
        """A loop along every axis, the outermost of the given kind."""
        index = []
        for length in lengths:
            index.append(self.loop(length, "range" if self.loops else kind))
        return index

    def count(self, start: gast.expr, stop: gast.expr, step: gast.expr, kind: str = "range") -> gast.Name:
        variable = self.low.index_name()
        self.loops.append(NestLoop(variable, start, stop, step, kind))
        self.before.append([])
        self.after.append([])
        self.level[variable] = len(self.loops)
        return syntax.name(variable)

    # --- statements

    def add(self, statement: gast.stmt, level: int | None = None) -> None:
        """Append a statement in the innermost loop, or inside the outer `level` loops."""
        self.before[len(self.loops) if level is None else level].append(self._placed(statement))

    def add_after(self, statement: gast.stmt, level: int) -> None:
        """Append a statement after the loop that stands inside the outer `level` loops."""
        self.after[level].append(self._placed(statement))

    def _placed(self, statement: gast.stmt) -> gast.stmt:
        return syntax.at(statement, self.low.span, self.low.inlined)

    def local(self, wish: str, type_: Scalar) -> str:
        """A private scalar of this nest, which can be moved and merged without regard to those of others."""
        return self.low.local(wish, type_)

    def variable(self, wish: str, dtype: str, initial: gast.expr, level: int | None = None) -> gast.Name:
        """A new scalar variable of NumPy's, set inside the outer `level` loops."""
        name = self.local(wish, Scalar(dtype))
        self.add(syntax.assign(name, solid(ScalarTree(initial, dtype, bare=True)).tree), level)
        return syntax.name(name)

    def finish(self) -> None:
        """Write the loops."""
        body: list[gast.stmt] = []
        for depth in range(len(self.loops), -1, -1):
            body = [*self.before[depth], *body, *self.after[depth]]
            if depth:
                loop = self.loops[depth - 1]
                made = syntax.for_range(loop.variable, loop.start, loop.stop, loop.step, body, kind=loop.kind)
                body = [self._placed(made)]
        for statement in body:
            self.low.emit(statement)
        self.low.active = self.outside

    # --- what must be in memory before

    def prepare(self, *roots: tuple[Node, Index], itself: Node | None = None) -> None:
        """Decide what is evaluated in this nest; everything else is put in memory ahead of it."""
        while True:
            self.seen = survey(roots, self.low.resolve)
            reasons = ((n, self._reason_to_keep(n)) for n in self.seen.order if n is not itself)
            node, reason = next(((n, reason) for n, reason in reasons if reason), (None, ""))
            if node is None:
                return
            self.low.reasons[node] = reason
            with self._ahead():
                materialise(self.low, node)

    def _reason_to_keep(self, node: Node) -> str:
        """Why a node is better put in memory; empty where it is not."""
        if isinstance(node, Masked):
            return "a mask selects it"
        if not isinstance(node, Apply | Select) or rank(node) == 0:
            return ""
        indices = list(self.seen.indices[node].values())
        if node.can_raise and not (len(indices) == 1 and is_identity(indices[0], self.axes)):
            return "all of it has to be computed, because it may raise"
        reason = self._reason_to_share(node, indices) if isinstance(node, Apply) else ""
        return reason if reason and is_heavy(node, self.low.resolve) else ""

    def _reason_to_share(self, node: Apply, indices: Sequence[Index]) -> str:
        """Why elements would be computed more than once; empty where they are not."""
        if self.low.uses[node] > self.seen.edges[node]:
            return "several loops read it"
        if len(indices) > 1:
            return "" if self._is_read_for_one(node) else "it is read at several places at once"
        if self._is_repeated(indices[0]):
            return "each element is read many times"
        return "it is computed in vectors" if self._is_outside(node, indices[0]) else ""

    def _is_read_for_one(self, node: Apply) -> bool:
        """Whether a node is read at several places only because one of the same shape is, which is kept instead."""
        consumer = self.seen.consumers.get(node)
        if self.seen.edges[node] != 1 or not isinstance(consumer, Apply) or rank(consumer) != rank(node):
            return False
        pairs = zip(consumer.lengths, node.lengths, strict=True)
        are_as_many = len(self.seen.indices[consumer]) == len(self.seen.indices[node])
        return are_as_many and all(self.low.same(mine.extent, other.extent) for mine, other in pairs)

    def _is_repeated(self, index: Index) -> bool:
        """Whether a loop outside the innermost one that moves the index does not move it."""
        names = {name for tree in index for name in syntax.names_read(tree)}
        depth = self._level_of_index(index)
        return any(self.level[axis] <= depth and axis not in names for axis in self.axes)

    def _level_of_index(self, index: Index) -> int:
        return max((self.level.get(name, 0) for tree in index for name in syntax.names_read(tree)), default=0)

    def _is_outside(self, node: Apply, index: Index) -> bool:
        """Whether a function of all elements would be computed one by one, as the innermost loop does not move it."""
        outer = [axis for axis in self.axes[:-1] if self.level[axis] <= self._level_of_index(index)]
        return bool(outer) and is_identity(index, outer) and work_of(node) >= TRANSCENDENTAL_WORK

    @contextmanager
    def _ahead(self) -> Iterator[None]:
        """What is written now stands before this nest, and may use the same loop variables."""
        mine, self.low.active = self.low.active, list(self.outside)
        yield
        self.low.active = mine

    # --- values

    def value(self, node: Node, index: Index) -> ScalarTree:
        """The element of a node as a scalar expression; `prepare` has seen it."""
        node = self.low.resolve(node)
        key = key_of(node, index)
        if key in self.values:
            return self.values[key]
        value = self._fresh_value(node, index)
        place = self._place_of_local(node, key, value)
        if place is not None:
            value = self._local(node, index, value, place)
        self.values[key] = value
        if node in self.low.raising:
            self.low.raising.remove(node)
        return value

    def _fresh_value(self, node: Node, index: Index) -> ScalarTree:
        match node:
            case Stored(name=name):
                return ScalarTree(syntax.index(name, *index), node.dtype)
            case Fill(value=value):
                return value
            case Grid(element=element):
                return element(index)
            case Apply():
                operands = [self.value(o, aligned(o, index)) for o in map(self.low.resolve, node.operands)]
                return apply(node.operator, operands, node.static, node.type)
            case Select():
                return self.value(node.source, source_index(node, index, lambda pick: self.place(pick, index)))
        raise InternalError("loops", str(node), "not a node")

    def place(self, pick: Through, index: Index) -> gast.expr:
        """The index that an element of the index array is; a counter is one as it is."""
        tree = self.value(pick.indices, through_index(pick, index)).tree
        if isinstance(pick.indices, Grid) and isinstance(tree, gast.Call) and syntax.operator_of(tree) == "cast":
            return tree.args[0]
        return tree

    def _place_of_local(self, node: Node, key: Key, value: ScalarTree) -> int | None:
        """The number of loops around the local that should hold a value; None to write it where it is used."""
        if isinstance(value.tree, gast.Name | gast.Constant) or not isinstance(node, Apply | Stored | Select):
            return None
        if isinstance(node, Stored):
            return self._level_of(value) if self.seen.counts[key] >= REPEATED_LOAD else None
        if node.can_raise and node.span != self.low.span:
            return len(self.loops)  # a statement of its own, which fails on the line that the user wrote
        if isinstance(node, Select):
            return None
        if self.seen.counts[key] > 1:
            return self._level_of(value)
        level = self._level_of(value) if work_of(node) >= TRANSCENDENTAL_WORK else len(self.loops)
        return level if level < len(self.loops) else None

    def _level_of(self, value: ScalarTree) -> int:
        """How many of the loops a value moves with: it is fixed inside of so many."""
        return max((self.level.get(name, 0) for name in syntax.names_read(value.tree)), default=0)

    def _local(self, node: Node, index: Index, value: ScalarTree, level: int) -> ScalarTree:
        value = solid(value) if value.bare else value
        name = self.local(self._wish(node, index), value.type)
        self.level[name] = level
        with self.low.at(node):
            self.add(syntax.assign(name, value.tree), level)
        return ScalarTree(syntax.name(name), value.dtype, value.weak)

    def _wish(self, node: Node, index: Index) -> str:
        if isinstance(node, Stored):
            letters = [tree.id for tree in index if isinstance(tree, gast.Name)]
            return f"{node.name}_{''.join(letters)}" if len(letters) == len(index) > 0 else "t"
        return self.low.hints.get(node, "t")


def materialise(low: Lowering, node: Node, name: str | None = None) -> Stored:
    """Put a node into a new C array; it is read from there on."""
    if isinstance(node, Masked):
        low.realised[node] = node.write()
        return low.realised[node]
    with low.at(node):
        nest = Nest(low)
        index = nest.nest(node.lengths)
        nest.prepare((node, index), itself=node)
        made = low.stored(allocate(low, name or buffer_name(low, node), node.lengths, node.dtype), node.lengths)
        value = convert(nest.value(node, index), node.dtype)
        nest.add(syntax.store(made.name, index, value.tree))
        nest.finish()
    if not isinstance(node, Stored):  # a copy of a variable does not stand for it
        low.realised[node] = made
        low.kept.add(node)
    if node in low.raising:
        low.raising.remove(node)
    return made


def allocate(low: Lowering, name: str, lengths: Sequence[Length], dtype: str) -> str:
    shape = syntax.tuple_(length.clamped for length in lengths)
    type_ = Array(dtype, tuple(length.extent for length in lengths))
    return low.assign(name, syntax.call("empty", shape=shape, dtype=dtype), type_)


def table(low: Lowering, name: str, static: Mapping[str, Any]) -> Stored:
    """An array of given numbers: a few are stored one by one, so that they are seen through."""
    values, dtype = static["values"], static["dtype"]
    lengths = tuple(ONE_LONG if n == 1 else Length(n, syntax.constant(n)) for n in static["shape"])
    name = name if name not in low.facts.merged else low.fresh(name)
    if len(values) > MANY_NUMBERS:
        shape, type_ = tuple(static["shape"]), Array(dtype, tuple(static["shape"]))
        call = syntax.call("table", values=syntax.constant(values), shape=shape, dtype=dtype)
        return low.stored(low.assign(name, call, type_), lengths)
    made = allocate(low, name, lengths, dtype)
    for place, value in zip(itertools.product(*map(range, static["shape"])), values, strict=True):
        low.emit(syntax.store(made, list(map(syntax.constant, place)), constant(value, dtype)))
    return low.stored(made, lengths)


def buffer_name(low: Lowering, node: Node) -> str:
    """The user's name for the node, if a variable of that name cannot mean anything else."""
    hint = low.hints.get(node, "t")
    is_free = hint not in low.facts.merged and hint not in low.written
    is_its_own = low.nodes.get(hint) is node and is_free and not isinstance(node, Stored)
    return hint if is_its_own else low.fresh(hint)


def realise(low: Lowering, node: Node, contiguous: bool = False) -> Stored:
    """A variable that holds the node: the one there is, a view of it, or a new array."""
    node = low.resolve(node)
    if isinstance(node, Stored):
        return node if node.type.layout == "C" or not contiguous else materialise(low, node)
    if isinstance(node, Select) and node.recipe is not None and not contiguous:
        # what is transposed may as well be stored as it is
        if node.recipe.axes or isinstance(bottom_of(low, node), Stored):
            return _view(low, node)
    return materialise(low, node)


def bottom_of(low: Lowering, node: Node) -> Node:
    """What a chain of views is a view of."""
    node = low.resolve(node)
    while isinstance(node, Select) and node.recipe is not None:
        node = low.resolve(node.source)
    return node


def _view(low: Lowering, node: Select) -> Stored:
    source = realise(low, node.source)
    recipe = node.recipe
    if recipe is None:
        raise InternalError("loops", source.name, "not a view")
    if recipe.items is None:
        tree: gast.expr = syntax.call("transpose", source.name, axes=recipe.axes)
    else:
        tree = syntax.index(source.name, *recipe.items)
    with low.at(node):
        name = low.assign(buffer_name(low, node), tree, Array(node.dtype, tuple(n.extent for n in node.lengths), "A"))
    low.origin[name] = source.name
    made = low.stored(name, node.lengths)
    low.realised[node] = made
    return made


def flush(low: Lowering, below: Node | None = None) -> None:
    """Evaluate what is pending and may raise, so that errors come in the order of the program.

    What `below` is made of stays pending, if that node is evaluated next.
    """
    kept = set() if below is None else set(nodes_below(below, low.resolve))
    for node in [n for n in low.raising if n not in kept]:
        if node in low.raising:
            materialise(low, node)
