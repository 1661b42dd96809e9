"""The forward sweep: the statements of the function with the saves inserted.

before a statement      arrays and lists for what is saved in it; what a store overwrites
after a statement       the value that it makes is saved
at a block's start      values that a loop carries; numbers of iterations
after its statements   saves of a recursive function, which come after those of the calls in the block
at its very end         merges: counts, numbers that come out of a branch
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import gast

from ... import syntax
from ...analysis.regions import ForwardValue, Region
from ...ops.forms import HANDED_ON
from ...types import ListOf, Scalar
from .sweep import Sweep

Places = dict[int, list[gast.stmt]]


class Insertions:
    """What is inserted, by the identity of a statement or of a region."""

    def __init__(self, sweep: Sweep) -> None:
        self.sweep, self.regions = sweep, sweep.regions
        self.before: Places = {}
        self.after: Places = {}
        self.start: Places = {}
        self.last: Places = {}
        self.end: Places = {}

    def place_after(self, value: ForwardValue, statement: gast.stmt) -> None:
        """Put a statement where a value has just been made."""
        if value.after is None:
            self.start.setdefault(id(value.region), []).append(statement)
        else:
            self.after.setdefault(id(value.after), []).append(statement)

    def forward(self) -> list[gast.stmt]:
        """The statements of the function with the saves inserted, without its return."""
        body = [s for s in self.regions.body.block if not isinstance(s, gast.Return)]
        return [*self.sweep.lengths.early, *self._block(self.regions.body, body)]

    def _block(self, region: Region, body: Iterable[gast.stmt]) -> list[gast.stmt]:
        made: list[gast.stmt] = []
        for statement in self.start.get(id(region), ()):
            self._emit(statement, made)
        closing = {id(s) for s in region.block[len(self.regions.main[id(region)]) :]}
        copies: list[gast.stmt] = []
        for statement in body:
            for preceding in self.before.get(id(statement), ()):
                self._emit(preceding, made)
            self._emit(statement, copies if id(statement) in closing else made)
        return [*made, *self.last.get(id(region), ()), *copies, *self.end.get(id(region), ())]

    def _emit(self, statement: gast.stmt, made: list[gast.stmt]) -> None:
        made.append(self._rebuilt(statement))
        for following in self.after.get(id(statement), ()):
            self._emit(following, made)

    def _rebuilt(self, statement: gast.stmt) -> gast.stmt:
        if isinstance(statement, gast.If):
            then, other = self.regions.arms[id(statement)]
            return syntax.rebuild(
                statement, body=self._block(then, statement.body), orelse=self._block(other, statement.orelse)
            )
        if id(statement) in self.regions.loops:
            return syntax.rebuild(statement, body=self._block(self.regions.loops[id(statement)], statement.body))
        return self.sweep.forward_calls.get(id(statement), statement)


def arrays_sharing_stores(sweep: Sweep) -> set[str]:
    """Arrays that may share elements with one that is stored into."""
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        while leader.get(name, name) != name:
            name = leader[name]
        return name

    for statement in syntax.walk(sweep.function.body):
        for name, source in _sharing(statement, sweep):
            if not isinstance(sweep.types[name], Scalar) and not isinstance(sweep.types[source], Scalar):
                leader[find(name)] = find(source)
    stored = {find(name) for name in sweep.regions.stores}
    return {name for name in sweep.function.types if find(name) in stored}


def _sharing(statement: gast.stmt, sweep: Sweep) -> Iterator[tuple[str, str]]:
    """The pairs of names that one statement may make share elements."""
    sources: list[str] = []
    match statement:
        case gast.Expr(value=gast.Call(func=gast.Name(id="append"), args=[gast.Name(id=base), gast.Name(id=source)])):
            yield base, source
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base))], value=gast.Name(id=source)):
            if isinstance(sweep.types[base], ListOf):
                yield base, source
        case gast.Assign(value=gast.Name(id=source)) | gast.Assign(value=gast.Subscript(value=gast.Name(id=source))):
            sources = [source]
        case gast.Assign(value=gast.Call(func=gast.Name(id=operator), args=args)):
            if operator in HANDED_ON or operator in sweep.program.functions:
                sources = [a.id for a in args if isinstance(a, gast.Name)]
    for name in syntax.names_bound(statement):
        for source in sources:
            yield name, source
