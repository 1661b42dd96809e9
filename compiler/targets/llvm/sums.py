"""How a processor takes the sums of `lanes` loops: in blocks, with compensation, and long ones in parts.

    total = 0.0                       parts = (n + 65535) // 65536; partial = empty(parts)
    for k in lanes(n):         ->     for p in prange(parts):                   a part each, on any number of threads
        total += x[k]                     part = 0.0; lost = 0.0
                                          for j in range(p * 65536, minimum(p * 65536 + 65536, n), 256):
                                              block = 0.0
                                              for k in lanes(j, minimum(j + 256, n)):
                                                  block += x[k]
                                              part, lost = part + block, and what rounding took from it
                                          partial[p] = part
                                      total, lost = total + partial[p] for all p, in the same way

Takes and gives functions of the loops stage.  A `lanes` loop of what is given runs over a block, whose terms LLVM may
take in any order (`any_order`): the error of a sum does not grow with its length.  Parts have a fixed size: the sum is
the same for any number of threads.  They are made outside of all loops of the program's entry, where a loop does
nothing but accumulate; extremes, sums of ints and the like have them as well, and no blocks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import gast

from ... import syntax
from ...analysis.integers.values import is_natural
from ...analysis.lanes import accumulated, arrays_handed_on, carried, fold_of, goes_by_rows, is_lanes
from ...dtypes import is_inexact
from ...names import Names
from ...ops.schema import Fold
from ...optimise.independent import of_kind
from ...program import Function, Program
from ...renaming import placed
from ...tuning import BLOCK, PART
from ...types import INT, Array, Scalar, Type, symbol, symbols_of


def take_sums(program: Program) -> Program:
    """The program with its sums as they are computed."""
    return program.map(lambda function: with_sums(function, function.name == program.entry))


def with_sums(function: Function, is_entry: bool = True) -> Function:
    """The function with its sums as they are computed; the same object where there is nothing to do."""
    if not any(is_lanes(s) for s in syntax.walk(function.body)):
        return function
    taker = _Taker(function)
    body = taker.block(function.body, not is_entry)
    return function.with_(body=tuple(body), types=taker.types) if taker.has_changed else function


class _Taker:
    """`lost` says of a sum, while the loop that it is taken in is written, where its lost digits are."""

    def __init__(self, function: Function) -> None:
        self.types: dict[str, Type] = dict(function.types)
        self.names = Names(function.types)
        self.symbols = Names(s for type_ in function.types.values() for s in symbols_of(type_))
        self.lost: dict[str, str] = {}
        self.has_changed = False

    def block(self, body: Sequence[gast.stmt], in_loop: bool = True) -> list[gast.stmt]:
        return [made for node in body for made in self.statement(node, in_loop)]

    def statement(self, node: gast.stmt, in_loop: bool) -> Sequence[gast.stmt]:
        if not is_lanes(node):
            return (self.around(node, in_loop or not isinstance(node, gast.If)),)
        if goes_by_rows(node) and arrays_handed_on(node, self.types):  # in the order in which memory is
            self.has_changed = True
            return (syntax.rebuild(self.around(node), iter=of_kind("range", node.iter)),)
        made = self.in_parts(node) if not in_loop and self.has_parts(node) else self.in_order(node)
        return made if made[0] is node else placed(made, node)

    def around(self, node: gast.stmt, in_loop: bool = True) -> gast.stmt:
        """A statement, those inside it as they are computed."""
        if not any(is_lanes(s) for block in syntax.blocks_of(node) for s in syntax.walk(block)):
            return node
        keys = ("body", "orelse") if isinstance(node, gast.If) else ("body",)
        return syntax.rebuild(node, **{key: self.block(getattr(node, key), in_loop) for key in keys})

    # --- in blocks

    def in_order(self, node: gast.For, end: gast.expr | None = None) -> list[gast.stmt]:
        """A loop whose sums are in blocks.  `end` is where the loop ends of which this one is a part."""
        totals = [n for n, fold in self.folds(node).items() if self.is_compensated(n, fold)]
        new = [n for n in totals if n not in self.lost]
        if not totals or not _counts_up(node) or (new == totals and _terms(node) <= BLOCK):
            return [self.around(node)]
        self.has_changed = True
        opened = {n: self.scalar("lost", self.types[n]) for n in new}
        self.lost.update(opened)
        direct = [n for n in totals if any(accumulated(s) == n for s in _own_statements(node.body))]
        if direct:
            deeper = {accumulated(t) for s in syntax.walk(node.body) if is_lanes(s) for t in syntax.walk(s.body)}
            loop = self.in_blocks(node, direct, "lanes" if deeper.isdisjoint(totals) else "range", end)
        else:
            loop = [syntax.rebuild(self.around(node), iter=syntax.call("range", *node.iter.args))]
        for name in new:
            del self.lost[name]
        return [self.number(name, 0.0) for name in opened.values()] + loop

    def in_blocks(self, node: gast.For, totals: Sequence[str], kind: str, end: gast.expr | None) -> list[gast.stmt]:
        """Every 256 terms a sum of their own, then added to the whole.  Where a loop inside takes another sum, whose
        lost digits are loop-carried, the kind of the loop is "range"."""
        blocks = {n: self.scalar("block", self.types[n]) for n in totals}
        turns = syntax.call(kind, *node.iter.args)
        loop = syntax.rebuild(node, iter=turns, body=_accumulating(self.block(node.body), blocks))
        first = [self.number(block, 0.0) for block in blocks.values()]
        last = [s for n, block in blocks.items() for s in self.added(n, syntax.name(block))]
        if _trips(node) <= BLOCK:
            return [*first, loop, *last]
        begin = self.scalar("begin", INT)
        start, stop, _ = node.iter.args
        ends = syntax.call("minimum", syntax.call("add", begin, BLOCK), _again(stop if end is None else end))
        loop = syntax.rebuild(loop, iter=syntax.call(kind, begin, ends, 1))
        return [syntax.for_range(begin, start, stop, BLOCK, [*first, loop, *last])]

    def added(self, total: str, term: gast.expr) -> list[gast.stmt]:
        """total += term in Kahan's way: `lost` is what rounding took, and nothing where the sum is infinite."""
        call, lost = syntax.call, self.lost[total]
        exact, raised = self.scalar("term", self.types[total]), self.scalar("raised", self.types[total])
        error = call("subtract", call("subtract", raised, total), exact)
        return [
            syntax.assign(exact, call("subtract", term, lost)),
            syntax.assign(raised, call("add", total, exact)),
            syntax.assign(lost, call("where", call("isfinite", raised), error, 0.0)),
            syntax.assign(total, syntax.name(raised)),
        ]

    # --- in parts

    def has_parts(self, node: gast.For) -> bool:
        """Whether a loop may be long, runs from 0, and does nothing but accumulate."""
        folds, inside = self.folds(node), list(syntax.walk(node.body))
        assigned = {name for s in inside for name in syntax.names_bound(s)}
        is_plain = all(isinstance(s, gast.If | gast.Raise | gast.Pass) or syntax.names_bound(s) for s in inside)
        is_straight = is_plain and not any(isinstance(s, gast.For) for s in inside)
        start, stop, _ = node.iter.args
        is_whole = isinstance(start, gast.Constant) and start.value == 0 and _counts_up(node) and _trips(node) > PART
        weak = [n for n in folds if self.types[n] != Scalar(self.dtype(n))]
        return bool(folds) and is_straight and is_whole and not weak and assigned.isdisjoint(syntax.names_read(stop))

    def in_parts(self, node: gast.For) -> list[gast.stmt]:
        """Every 65536 iterations results of their own, in arrays, which are then taken together."""
        self.has_changed = True
        call, stop, folds = syntax.call, node.iter.args[1], self.folds(node)
        parts, part = self.scalar("parts", INT), self.scalar("part", INT)
        whole = _again(stop) if is_natural(stop) else call("maximum", _again(stop), 0)
        mine = {n: self.scalar(n, self.types[n]) for n in folds}
        partial = {n: self.partial(n) for n in folds}
        start = call("multiply", part, PART)
        bounds = call("lanes", start, call("minimum", call("add", _again(start), PART), stop), 1)
        loop = syntax.rebuild(node, iter=bounds, body=_accumulating(node.body, mine))
        inside = [
            *(self.number(mine[n], fold.start(self.dtype(n))) for n, fold in folds.items()),
            *self.in_order(loop, stop),
            *(syntax.store(partial[n], [part], mine[n]) for n in folds),
        ]
        return [
            syntax.assign(parts, call("floor_divide", call("add", whole, PART - 1), PART)),
            *(self.empty(name, parts) for name in partial.values()),
            syntax.for_range(part, 0, parts, 1, inside, kind="prange"),
            *self.together(folds, partial),
        ]  # fmt: skip

    def together(self, folds: Mapping[str, Fold], partial: Mapping[str, str]) -> list[gast.stmt]:
        """The parts taken in one after the other; there are few."""
        part = self.scalar("part", INT)
        before: list[gast.stmt] = []
        inside: list[gast.stmt] = []
        for name, fold in folds.items():
            term = syntax.index(partial[name], part)
            if self.is_compensated(name, fold):
                self.lost[name] = self.scalar("lost", self.types[name])
                before.append(self.number(self.lost[name], 0.0))
                inside += self.added(name, term)
                del self.lost[name]
            else:
                inside.append(syntax.assign(name, syntax.call(fold.combine, name, term)))
        number = syntax.call("dim", next(iter(partial.values())), axis=0)
        return [*before, syntax.for_range(part, 0, number, 1, inside)]

    # --- names

    def folds(self, loop: gast.For) -> dict[str, Fold]:
        """What a loop accumulates, and how."""
        names = carried(loop.body)
        found = {accumulated(s): fold_of(s, self.types) for s in syntax.walk(loop.body) if accumulated(s) in names}
        return {name: fold for name, fold in found.items() if fold is not None}

    def is_compensated(self, name: str, fold: Fold) -> bool:
        return fold.compensated and is_inexact(self.dtype(name))

    def dtype(self, name: str) -> str:
        return self.types[name].dtype  # type: ignore[union-attr]

    def scalar(self, wish: str, type_: Type) -> str:
        name = self.names.fresh(wish)
        self.types[name] = type_
        return name

    def partial(self, total: str) -> str:
        name = self.names.fresh("partial")
        self.types[name] = Array(self.dtype(total), (symbol(self.symbols.fresh("parts")),))
        return name

    def empty(self, name: str, length: str) -> gast.stmt:
        return syntax.assign(name, syntax.call("empty", shape=syntax.tuple_([length]), dtype=self.dtype(name)))

    def number(self, name: str, value: object) -> gast.stmt:
        """`name` as a number of its type."""
        tree, type_ = syntax.constant(value), self.types[name]
        return syntax.assign(name, tree if type_.weak else syntax.call("cast", tree, dtype=self.dtype(name)))  # type: ignore[union-attr]


# --- loops ---------------------------------------------------------------------------------------------------------


def _counts_up(loop: gast.For) -> bool:
    step = loop.iter.args[2]
    return isinstance(step, gast.Constant) and step.value == 1


def _trips(loop: gast.For) -> float:
    """How many iterations a loop has at most; infinity where it does not say."""
    start, stop, step = loop.iter.args
    if all(isinstance(bound, gast.Constant) for bound in loop.iter.args) and step.value:
        return len(range(start.value, stop.value, step.value))
    match stop:
        case gast.Call(func=gast.Name(id="minimum"), args=[gast.Call(args=[first, width]) as end, _]):
            is_start = syntax.operator_of(end) == "add" and syntax.same(first, start)
            return width.value if is_start and isinstance(width, gast.Constant) else math.inf
    return math.inf


def _terms(loop: gast.For) -> float:
    """How many iterations a loop has at most, those of the loops in it counted."""
    return _trips(loop) * max([_terms(s) for s in syntax.walk(loop.body) if isinstance(s, gast.For)], default=1)


def _again(tree: gast.expr) -> gast.expr:
    """A copy of the expression for another statement: analyses know expressions by identity."""
    return syntax.map_names(tree, lambda name: name)


def _own_statements(body: Iterable[gast.stmt]) -> list[gast.stmt]:
    """Every statement of a loop, those of `lanes` loops in it left out."""
    own = [s for s in body if not is_lanes(s)]
    return [*own, *(t for s in own for block in syntax.blocks_of(s) for t in _own_statements(block))]


def _accumulating(body: Iterable[gast.stmt], names: Mapping[str, str]) -> list[gast.stmt]:
    """The statements of a loop, accumulating in other names; those of `lanes` loops in it stay."""
    made = []
    for node in body:
        name = names.get(accumulated(node))
        if name is not None:
            value = syntax.rebuild(node.value, args=[syntax.name(name), node.value.args[1]])
            node = syntax.rebuild(node, targets=[syntax.target(name)], value=value)
        elif syntax.blocks_of(node) and not is_lanes(node):
            keys = ("body", "orelse") if isinstance(node, gast.If) else ("body",)
            node = syntax.rebuild(node, **{key: _accumulating(getattr(node, key), names) for key in keys})
        made.append(node)
    return made
