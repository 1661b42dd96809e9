"""Which names are still read after a statement, and where next.

    a = sin(x)         after it: a, x       next use of x: the third line
    b = a * 2.0        after it: b, x
    return b + x       after it: nothing

Computed backward over structured code, loops to a fixpoint.  A store `a[i] = v` reads `a`: it needs the array to be
there.  A loop variable keeps its old value where the loop does not run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from operator import itemgetter

import gast

from .. import syntax
from ..program import Function, remembered
from ..records import dataclass
from .def_use import reads_of

Live = dict[str, gast.stmt]


@dataclass(frozen=True, slots=True, eq=False)
class Liveness:
    """Facts by statement; where one statement object occurs several times they are joined."""

    live_after: Mapping[int, Mapping[str, gast.stmt]]
    at_entry: frozenset[str]

    def after(self, statement: gast.stmt) -> AbstractSet[str]:
        return self.live_after.get(id(statement), {}).keys()

    def next_use(self, statement: gast.stmt, name: str) -> gast.stmt | None:
        """The first statement that reads the name after this one, in the order of execution."""
        return self.live_after.get(id(statement), {}).get(name)


@remembered
def liveness(function: Function) -> Liveness:
    walker = _Walker({id(s): k for k, s in enumerate(syntax.walk(function.body))})
    entry = walker.block(function.body, {})
    return Liveness(walker.live_after, frozenset(entry))


class _Walker:
    def __init__(self, order: Mapping[int, int]) -> None:
        self.order = order
        self.live_after: dict[int, Live] = {}
        self.heads: dict[int, tuple[Live, Live]] = {}  # by loop: what was live after it, and then at its start

    def join(self, *paths: Mapping[str, gast.stmt]) -> Live:
        """Live on any path; of two next uses the one that stands first."""
        first, *others = [path for path in paths if path] or [{}]
        joined: Live = dict(first)
        for path in others:
            for name, use in sorted(path.items() - joined.items(), key=itemgetter(0)):
                if name not in joined or self.order[id(use)] < self.order[id(joined[name])]:
                    joined[name] = use
        return joined

    def block(self, statements: Sequence[gast.stmt], live: Live) -> Live:
        for statement in reversed(statements):
            known = self.live_after.get(id(statement))
            is_more = known is None or known.items() <= live.items()
            self.live_after[id(statement)] = live if is_more else self.join(known, live)
            live = self.before(statement, live)
        return live

    def before(self, statement: gast.stmt, live: Live) -> Live:
        reads = dict.fromkeys(reads_of(statement), statement)
        if type(statement) is gast.Assign:
            before = dict(live)
            for name in syntax.names_bound(statement):
                before.pop(name, None)
            before.update(reads)
            return before
        match statement:
            case gast.Return() | gast.Raise():
                return reads
            case gast.If(body=body, orelse=orelse):
                return {**self.join(self.block(body, live), self.block(orelse, live)), **reads}
            case gast.For(target=gast.Name(id=variable), body=body):
                return {**self.loop(body, live, {}, variable), **reads}
            case gast.While(body=body):
                return self.loop(body, live, reads, None)
        return {**live, **reads}

    def loop(self, body: Sequence[gast.stmt], live: Live, test: Live, variable: str | None) -> Live:
        """Live at the head of a loop: read by the test, after it, or by an iteration before it is assigned."""
        head = {**live, **test}
        before, known = self.heads.get(id(body), ({}, {}))
        if before.keys() <= live.keys():  # what was live then is live now too: begin with it
            head = {**self.join(head, known), **test}
        while True:
            entry = self.block(body, head)
            again = {n: use for n, use in entry.items() if n != variable}
            grown = {**self.join(live, again), **test}
            if grown.keys() == head.keys():
                self.heads[id(body)] = live, again
                return grown
            head = {**self.join(grown, head), **test}
