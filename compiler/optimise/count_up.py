"""Count up where the order of the iterations does not matter.

    for i in range(n - 1, -1, -1):               for i in range(n):
        x_bar[i] = y_bar[i] * cos(x[i])    ->        x_bar[i] = y_bar[i] * cos(x[i])

The backward sweep of a loop goes through its iterations from the last to the first.  Where they are independent the
loop is written as it would be forward: then it merges with others, runs on threads and takes whole vectors.  A
cotangent that all iterations add to is a sum in any order (`lanes`); sums of the user's keep theirs.  Takes and gives
functions of the loops stage; leaves loops that carry anything else, and those that can fail, of whose errors the
first is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

import gast

from .. import syntax
from ..analysis.def_use import reads_of
from ..analysis.integers.nest_scope import NestScope
from ..analysis.lanes import accumulated, carried, fold_of
from ..analysis.made_names import is_cotangent, user_words
from ..lower.arithmetic import ONE, plus
from ..program import Function
from ..renaming import with_blocks
from .effects import ReadCollector
from .independent import Marker
from .known import known as known_of


def count_up(function: Function) -> Function:
    """The function with independent loops counting up; the same object where none is reversed."""
    return _turned(function, tells_errors=True)


def count_up_freely(function: Function) -> Function:
    """The same for targets whose errors are reported by another program: a loop that can fail is reversed too."""
    return _turned(function, tells_errors=False)


def _turned(function: Function, tells_errors: bool) -> Function:
    if not any(map(_counts_down, syntax.walk(function.body))):
        return function
    turner = _Turner(function, tells_errors)
    body = turner.block(function.body, NestScope())
    return function.with_(body=tuple(body)) if turner.turned else function


def _counts_down(node: gast.stmt) -> TypeGuard[gast.For]:
    if not isinstance(node, gast.For) or syntax.operator_of(node.iter) != "range":
        return False
    step = node.iter.args[2]
    return isinstance(step, gast.Constant) and step.value == -1


class _Turner:
    def __init__(self, function: Function, tells_errors: bool) -> None:
        self.tells_errors = tells_errors
        self.marker = Marker(function)
        self.reader = ReadCollector(function, known_of(function), in_place=True)
        self.types, self.words = function.types, user_words(function)
        self.turned = 0

    def block(self, statements: Sequence[gast.stmt], scope: NestScope) -> list[gast.stmt]:
        made = []
        for statement in statements:
            made.append(self.statement(statement, scope))
            scope = self.reader.integers.behind(scope, statement)
        return made

    def statement(self, node: gast.stmt, scope: NestScope) -> gast.stmt:
        blocks = syntax.blocks_of(node)
        if not any(map(_counts_down, syntax.walk([node]))):
            return node
        inside = self.reader.integers.within(scope, node) if isinstance(node, gast.For | gast.While) else scope
        made = with_blocks(node, [self.block(block, inside) for block in blocks])
        kind = self._kind(node, scope) if _counts_down(node) else None
        if kind is None:
            return made
        self.turned += 1
        stop, start = (plus(self._told(bound), 1) for bound in node.iter.args[:2])
        return syntax.rebuild(made, iter=syntax.call(kind, start, stop, ONE))

    def _told(self, bound: gast.expr) -> gast.expr:
        """A bound, or the sum that it is a name of."""
        told = self.reader.integers.sum_of(bound.id) if isinstance(bound, gast.Name) else None
        return bound if told is None else told

    def _kind(self, loop: gast.For, scope: NestScope) -> str | None:
        """What kind of loop may count up; None where the order of the iterations matters."""
        effects = self.reader.of(loop, scope)
        if effects.fails and self.tells_errors or effects.opaque:
            return None
        if self.marker.is_independent(loop):
            return "range"
        sums = self._sums(loop)
        return "lanes" if sums and self.marker.is_independent_but_for(loop, sums) else None

    def _sums(self, loop: gast.For) -> set[str]:
        """The cotangents that all iterations add to, where they carry nothing else; none where they do."""
        sums = {accumulated(s) for s in loop.body if fold_of(s, self.types) is not None}
        found = set(carried(loop.body))
        adding = [s for s in loop.body if not found.isdisjoint((*syntax.names_bound(s), *reads_of(s)))]
        is_plain = found <= sums and len(adding) == len(found) and all(isinstance(s, gast.Assign) for s in loop.body)
        return found if is_plain and all(is_cotangent(name, self.words) for name in found) else set()
