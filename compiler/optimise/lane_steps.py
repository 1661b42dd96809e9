"""One iteration of an element's `while` in all lanes at once: values without branches, stored where a lane goes on.

    while abs(x * x - c) > 1e-12:            going = abs(x_1[lane] * x_1[lane] - c_1[lane]) > 1e-12
        x = 0.5 * (x + c / x)          ->    x_2 = 0.5 * (x_1[lane] + c_1[lane] / x_1[lane])
                                             x_1[lane] = where(going, x_2, x_1[lane])

Both arms of a branch are evaluated, in all lanes, so that nothing here may fail.  A lane that is done is masked: it
keeps its values, of which the test says again that it is done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

import gast

from .. import syntax
from ..analysis.def_use import reads_of
from ..analysis.expression_types import type_of
from ..names import Names
from ..renaming import copied, placed
from ..types import Scalar, Type

STRICT = {gast.And: "logical_and", gast.Or: "logical_or"}


class LaneSteps:
    """The statements of an iteration, written one by one.

    held    by name the array that has its value in each lane
    values  what the names stand for by now
    given   the statement that gave each its value
    """

    def __init__(self, lane: str, held: Mapping[str, str], names: Names, types: dict[str, Type]) -> None:
        self.lane, self.held, self.names, self.types = lane, held, names, types
        self.values: dict[str, gast.expr] = {}
        self.given: dict[str, gast.stmt] = {}
        self.made: list[gast.stmt] = []
        self.reads: Counter[str] = Counter()

    def turn(self, loop: gast.While | gast.For, changed: Sequence[str]) -> tuple[str, list[gast.stmt]]:
        """The name of the mask of lanes that go on, if that is asked, and the statements of the next iteration."""
        self.reads = Counter(name for s in syntax.walk(loop.body) for name in reads_of(s))
        going = self._named("going", self.tree(loop.test)) if isinstance(loop, gast.While) else ""
        self._block(loop.body)
        for name in changed:
            if not self._may_be_stored_now(name, changed):
                self.values[name] = syntax.name(self._named(name, self.values[name]))
        for name in changed:
            value = copied(self.values[name], {})
            chosen = syntax.call("where", going, value, self._element(self.held[name])) if going else value
            self.made += placed([syntax.store(self.held[name], [self.lane], chosen)], self.given.get(name, loop))
        return going, self.made

    def _may_be_stored_now(self, name: str, changed: Sequence[str]) -> bool:
        """Whether a value reads nothing that is stored before it."""
        others = {self.held[other] for other in changed if other != name}
        return others.isdisjoint(syntax.names_read(self.values[name]))

    # --- statements

    def _block(self, body: Sequence[gast.stmt]) -> None:
        for node in body:
            before = len(self.made)
            match node:
                case gast.Assign(targets=[gast.Name(id=name)], value=value):
                    self._give(name, self.tree(value))
                case gast.If():
                    self._branch(node)
            self.given |= dict.fromkeys(syntax.names_bound(node), node)
            placed(self.made[before:], node)

    def _give(self, name: str, value: gast.expr) -> None:
        """Let a name stand for a value, which gets a name of its own where it is read more than once."""
        is_short = syntax.is_atom(value) or self.reads[name] < 2
        self.values[name] = value if is_short else syntax.name(self._named(name, value))

    def _branch(self, node: gast.If) -> None:
        test = self._named("chosen", self.tree(node.test))
        before = dict(self.values)
        arms = []
        for block in (node.body, node.orelse):
            self.values = dict(before)
            self._block(block)
            arms.append(self.values)
        self.values = before
        for name in dict.fromkeys(n for arm in arms for n in arm if arm[n] is not before.get(n)):
            ways = [self._value(name, arm) for arm in arms]
            known = [way for way in ways if way is not None]  # a name of one arm alone is not read after it
            self._give(name, known[0] if len(known) == 1 else syntax.call("where", test, *known))

    def _named(self, wish: str, value: gast.expr) -> str:
        name = self.names.fresh(wish)
        self.types[name] = strong(type_of(value, self.types))
        self.made.append(syntax.assign(name, value))
        return name

    # --- expressions

    def _value(self, name: str, values: Mapping[str, gast.expr]) -> gast.expr | None:
        if name in values:
            return copied(values[name], {})
        return self._element(self.held[name]) if name in self.held else None

    def _element(self, array: str) -> gast.expr:
        return syntax.index(array, self.lane)

    def tree(self, node: gast.expr) -> gast.expr:
        """An expression of the loop as it is in a lane, without anything lazy."""
        match node:
            case gast.Name(id=name):
                return self._value(name, self.values) or syntax.name(name)
            case gast.BoolOp(op=op, values=values):
                return reduce(lambda x, y: syntax.call(STRICT[type(op)], x, y), map(self.tree, values))
            case gast.IfExp(test=test, body=body, orelse=orelse):
                return syntax.call("where", self.tree(test), self.tree(body), self.tree(orelse))
            case gast.Call(args=args) if syntax.operator_of(node) != "dim":
                return syntax.rebuild(node, args=[self.tree(part) for part in args])
        return copied(node, {})


def strong(type_: Type) -> Scalar:
    """A number as an array holds it."""
    assert isinstance(type_, Scalar)
    return Scalar(type_.dtype)


def is_of_names(body: Sequence[gast.stmt]) -> bool:
    """Whether there are only assignments of names, and branches around such."""
    return all(_is_of_names(node) for node in syntax.walk(body))


def _is_of_names(node: gast.stmt) -> bool:
    match node:
        case gast.Assign(targets=[gast.Name()]) | gast.If() | gast.Pass():
            return True
    return False


def expressions_in(body: Sequence[gast.stmt]) -> Iterator[gast.expr]:
    """What these statements evaluate."""
    for node in syntax.walk(body):
        match node:
            case gast.Assign(value=value):
                yield value
            case gast.If(test=test):
                yield test
