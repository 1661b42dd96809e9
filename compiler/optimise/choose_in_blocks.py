"""Choose by blocks: the extreme of a block in the lanes of vectors first, then its place, in the one block that has it.

    for j in range(n):                           first = n
        e = x[j]                                 for begin in range(0, n, 256):
        if e > best:                                 top = -inf
            best = e                                 for k in lanes(begin, minimum(begin + 256, n)):
            place = j                   ->               top = maximum(top, x[k])
                                                     if top > best: best = top; first = begin
                                                 if first < n:
                                                     at = n
                                                     for k in lanes(first, minimum(first + 256, n)):
                                                         at = minimum(at, k if x[k] == best else n)
                                                     j = at; e = x[j]; best = e; place = j

Every block is beaten by the first one that holds the extreme, and in that the first element is taken: of equal values
the first, as in the loop; and the first nan, where the choice is NumPy's.  Holds for values that cost little and cannot
fail, and floats of which nan comes before all numbers.  Loops of less than eight iterations stay, which is asked where
it is not known.  Takes and gives functions of the loops stage.  It is for CPUs: other targets fold pairs of
a value and a place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import gast

from .. import syntax
from ..analysis.folds import Choice, choice_of, instead_of_nan, nothing_yet
from ..analysis.liveness import liveness
from ..dtypes import INT_WORD, is_bool, is_complex, is_inexact
from ..lower.arithmetic import minus
from ..names import Names
from ..program import Function
from ..renaming import copied, copy_statement, placed, renamed, splice
from ..tuning import CHOICE_BLOCK, LEAST_CHOICE, LIGHT_WORK
from ..types import INT, Scalar, Type
from .effects import are_cheap

PLACE = Scalar(INT_WORD)


def choose_in_blocks(function: Function) -> Function:
    """The function with such loops in blocks; the same object where there are none."""
    if function.as_written or not any(choice_of(s) for s in syntax.walk(function.body)):
        return function
    chooser = _Chooser(function)
    body = splice(function.body, chooser.statement)
    is_same = all(new is old for new, old in zip(body, function.body, strict=True))
    return function if is_same else function.with_(body=tuple(body), types=chooser.types)


class _Chooser:
    def __init__(self, function: Function) -> None:
        self.function, self.types = function, dict[str, Type](function.types)
        self.names = Names({*function.types, *function.parameters})

    def statement(self, node: gast.stmt) -> list[gast.stmt] | None:
        """A loop in blocks; None for other statements."""
        if not isinstance(node, gast.For) or syntax.operator_of(node.iter) != "range" or not node.body:
            return None
        choice = choice_of(node.body[-1])
        if choice is None or not self.is_foldable(choice) or not self.is_only_chosen(node, choice):
            return None
        start, stop, step = node.iter.args
        if not isinstance(step, gast.Constant) or step.value != 1:
            return None
        if isinstance(start, gast.Constant) and isinstance(stop, gast.Constant):
            return None if stop.value - start.value < LEAST_CHOICE else placed(self.in_blocks(node, choice), node)
        again = copy_statement(node, lambda name: name, lambda name: name)
        is_short = syntax.call("less", minus(copied(stop, {}), copied(start, {})), LEAST_CHOICE)
        return placed([syntax.if_(is_short, [again], self.in_blocks(node, choice))], node)

    def is_foldable(self, choice: Choice) -> bool:
        """Whether the extreme of the values is what the choice takes, whatever their order."""
        key, best = self.types[choice.key], self.types[choice.best]
        if not isinstance(key, Scalar) or key != best or key.weak or is_bool(key.dtype) or is_complex(key.dtype):
            return False
        return choice.is_first and (choice.nan_wins or not is_inexact(key.dtype))

    def is_only_chosen(self, loop: gast.For, choice: Choice) -> bool:
        """Whether an iteration makes a value that costs little, and chooses; nothing else of it is read later."""
        *ahead, branch = loop.body
        own = {loop.target.id, *_bound(ahead)}
        chosen = set(choice.names)
        made = [s.value for s in ahead if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name)]
        kept = [s.value for s in branch.body[1:]]
        if len(made) != len(ahead) or choice.key not in own or len(chosen) != len(branch.body):
            return False
        read = {name for tree in (*made, *kept, *loop.iter.args) for name in syntax.names_read(tree)}
        is_apart = chosen.isdisjoint(read | own) and own.isdisjoint(syntax.names_read(loop.iter))
        later = liveness(self.function).after(loop)
        is_whole = is_apart and not any(name in later for name in own) and not _carried(ahead)
        is_cheap = is_whole and are_cheap(self.function, made, LIGHT_WORK)
        return is_cheap and not self.is_nothing_at_times(made, choice)

    def is_nothing_at_times(self, values: Sequence[gast.expr], choice: Choice) -> bool:
        """Whether a value may be what every other one beats, as it stands there: LLVM folds that by a branch,
        unless it is in place of nan alone.
        """
        nothing = nothing_yet(choice.operator, self.types[choice.best].dtype)  # type: ignore[union-attr]
        parts = [part for tree in values for part in syntax.nodes_of(tree)]
        numbers = [part for part in parts if isinstance(part, gast.Constant)]
        known = {id(part.args[1]) for part in parts if instead_of_nan(part) is not None}
        return any(part.value == nothing and id(part) not in known for part in numbers)

    def in_blocks(self, loop: gast.For, choice: Choice) -> list[gast.stmt]:
        call, name = syntax.call, syntax.name
        start, stop, _ = loop.iter.args
        *ahead, branch = loop.body
        type_ = self.types[choice.best]
        assert isinstance(type_, Scalar)
        first, begin = self.scalar("first", INT), self.scalar("begin", INT)
        top, at = self.scalar("top", type_), self.scalar("at", PLACE)
        nothing = nothing_yet(choice.operator, type_.dtype)

        def end() -> gast.expr:
            return copied(stop, {})

        def over(block: str, begin: gast.expr, inside: Sequence[gast.stmt], names: dict[str, str]) -> gast.stmt:
            behind = call("minimum", call("add", name(block), CHOICE_BLOCK), end())
            body = [*(renamed(s, names) for s in ahead), *inside]
            return syntax.for_range(names[loop.target.id], begin, behind, 1, body, kind="lanes")

        mine = self.own(loop)
        combine = "minimum" if choice.takes_least else "maximum"
        extreme = over(begin, name(begin), [syntax.assign(top, call(combine, top, mine[choice.key]))], mine)
        beaten = syntax.if_(
            copied(branch.test, {choice.key: top}),
            [syntax.assign(choice.best, name(top)), syntax.assign(first, name(begin))],
        )
        made = syntax.assign(top, call("cast", syntax.constant(nothing), dtype=type_.dtype))
        blocks = syntax.for_range(begin, copied(start, {}), end(), CHOICE_BLOCK, [made, extreme, beaten])

        mine = self.own(loop)
        attains: gast.expr = call("equal", mine[choice.key], choice.best)
        if choice.nan_wins:
            attains = call("logical_or", attains, call("isnan", mine[choice.key]))
        here = call("where", attains, self.number(name(mine[loop.target.id])), self.number(end()))
        within = call("maximum", name(first), copied(start, {}))  # which `first` is: no test of bounds is left
        look = over(first, within, [syntax.assign(at, call("minimum", at, here))], mine)
        there = syntax.assign(loop.target.id, call("cast", name(at), dtype=INT_WORD, weak=True))
        found = [syntax.assign(at, self.number(end())), look, there, *ahead, *branch.body]
        return [syntax.assign(first, end()), blocks, syntax.if_(call("less", name(first), end()), found)]

    def own(self, loop: gast.For) -> dict[str, str]:
        """New names for what an iteration has of its own."""
        old = dict.fromkeys([loop.target.id, *_bound(loop.body[:-1])])
        return {name: self.scalar(name, self.types[name]) for name in old}

    def number(self, tree: gast.expr) -> gast.expr:
        return syntax.call("cast", tree, dtype=INT_WORD)

    def scalar(self, wish: str, type_: Type) -> str:
        name = self.names.fresh(wish)
        self.types[name] = type_
        return name


def _bound(body: Sequence[gast.stmt]) -> Iterator[str]:
    for statement in body:
        yield from syntax.names_bound(statement)


def _carried(body: Sequence[gast.stmt]) -> bool:
    """Whether a statement reads what is made in or after it."""
    later = set(_bound(body))
    for statement in body:
        if not later.isdisjoint(syntax.names_read(statement.value)):
            return True
        later.difference_update(syntax.names_bound(statement))
    return False
