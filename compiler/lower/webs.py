"""Give every web a name of its own: the definitions of a name that reads have in common, and those reads.

    t = sum(x)             t = sum(x)
    y = x / t       ->     y = x / t           what is assigned once may be read later, and is known by its value
    t = sum(y)             t_1 = sum(y)
    return (t,)            return (t_1,)

Takes and gives functions of the typed stage.  Names that merge values keep merging them: where two definitions reach
one read, they are one web.  The first web of a name keeps it, and loops count with the name they had, as passes over
loops compare them; the others wish to be called so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import gast

from .. import syntax
from ..analysis.def_use import def_use, reads_of
from ..names import Names
from ..program import Function
from ..renaming import copy_statement, map_statement, with_blocks

State = dict[str, int]  # of each name, the definition that reaches, or the merge of several
Visit = tuple[State, State]  # what the names that a statement reads, and those that it binds, are the values of


def separate(function: Function) -> Function:
    """The function with a name for every web; the same object where they have one."""
    facts = def_use(function)
    several = {n for n, found in facts.definitions.items() if len(found) + (n in facts.parameters) > 1}
    if not several:
        return function
    webs = _Webs(several)
    webs.block(function.body, webs.define(function.parameters))
    webs.join()
    names = _names_of(webs, function)
    wishes = {name: wish for name, wish in zip(names, webs.named) if name != wish}
    if not wishes:
        return function
    types = {**function.types, **{name: function.types[wish] for name, wish in wishes.items()}}
    body = _renamed(function.body, iter(webs.visits), names)
    return function.with_(body=tuple(body), types=types, wishes=wishes)


def _names_of(webs: _Webs, function: Function) -> list[str]:
    """The name of each definition and merge, which is that of the first of its web."""
    fresh, named = Names({*function.types, *function.parameters}).fresh, webs.named
    roots = [webs.root(web) if web in webs.parent else web for web in range(len(named))]
    met = {roots[web]: None for reads, binds in webs.visits for web in (*reads.values(), *binds.values())}
    kept = {*{named[web]: web for web in reversed(met)}.values(), *[roots[web] for web in webs.counters]}
    names = {web: named[web] if web in kept else fresh(named[web]) for web in met}
    return [names.get(root, named[root]) for root in roots]


def _renamed(statements: Sequence[gast.stmt], visits: Iterator[Visit], names: Sequence[str]) -> list[gast.stmt]:
    made = []
    for statement in statements:
        reads, binds = next(visits)
        new = _with_names(statement, reads, binds, names) if reads or binds else statement
        if type(statement) in syntax.COMPOUND:
            new = with_blocks(new, [_renamed(block, visits, names) for block in syntax.blocks_of(statement)])
        made.append(new)
    return made


def _with_names(statement: gast.stmt, reads: State, binds: State, names: Sequence[str]) -> gast.stmt:
    now = dict(zip(reads, map(names.__getitem__, reads.values())))
    then = now | dict(zip(binds, map(names.__getitem__, binds.values())))
    if now.keys() == {*now.values()} and then.keys() == {*then.values()}:
        return statement
    change = map_statement if type(statement) in syntax.COMPOUND else copy_statement

    def read(name: str) -> str:
        return now.get(name, name)

    return change(statement, read, lambda name: then.get(name, name), read)


class _Webs:
    """One walk over a function, which visits its statements in the order of `syntax.walk`.

    Where two ways meet, their values merge in a number that stands for both, as a phi does in single assignment; they
    are one web only where somebody reads the merge.
    """

    def __init__(self, several: set[str]) -> None:
        self.several = several
        self.named: list[str] = []  # of each number, the name that it is a definition, or a merge, of
        self.parts: dict[int, list[int]] = {}  # of each merge
        self.read: set[int] = set()
        self.parent: dict[int, int] = {}
        self.visits: list[Visit] = []
        self.counters: set[int] = set()

    def define(self, names: Iterable[str]) -> State:
        """Numbers for new definitions, or merges, of these names."""
        found = [name for name in names if name in self.several]
        first = len(self.named)
        self.named += found
        return dict(zip(found, range(first, len(self.named))))

    def root(self, web: int) -> int:
        while web in self.parent:
            web = self.parent[web]
        return web

    def join(self) -> None:
        """Make one web of what reaches a read."""
        wanted = [web for web in self.read if web in self.parts]
        while wanted:
            merge = wanted.pop()
            for part in self.parts.pop(merge, ()):
                left, right = sorted((self.root(merge), self.root(part)))
                if left != right:
                    self.parent[right] = left
                if part in self.parts:
                    wanted.append(part)

    # --- the walk

    def block(self, statements: Sequence[gast.stmt], state: State | None) -> State | None:
        """What reaches the end of the statements, None where nothing does; `state` is theirs to change."""
        for statement in statements:
            state = self.statement(statement, {} if state is None else state)
        return state

    def statement(self, node: gast.stmt, state: State) -> State | None:
        match node:
            case gast.For() | gast.While():
                return self.loop(node, state)
            case gast.If(body=body, orelse=orelse):
                self.visit(node, state, {})
                return self.merged(self.block(body, {**state}), self.block(orelse, state))
            case gast.Raise():
                self.visit(node, state, {})
                return None
        binds = self.define(syntax.names_bound(node))
        self.visit(node, state, binds)
        state.update(binds)
        return state

    def loop(self, node: gast.For | gast.While, state: State) -> State:
        """What is bound inside merges at the head what was there before with what an iteration leaves."""
        binds = self.define(syntax.names_bound(node))
        if isinstance(node, gast.For):
            self.counters.update(binds.values())
            self.visit(node, state, binds)
        inside = {name for s in syntax.walk([node]) for name in syntax.names_bound(s)} & state.keys()
        head = {**state, **self.define(sorted(inside))}
        if isinstance(node, gast.While):
            self.visit(node, head, binds)
        end = self.block(node.body, {**head, **binds}) or {}
        for name in inside:
            self.parts[head[name]] = [state[name], end.get(name, state[name])]
        return {**binds, **end, **head}

    def merged(self, left: State | None, right: State | None) -> State | None:
        if left is None or right is None:
            return right if left is None else left
        merges = self.define(name for name, value in left.items() if right.get(name, value) != value)
        self.parts.update((merge, [left[name], right[name]]) for name, merge in merges.items())
        return {**left, **right, **merges}

    def visit(self, node: gast.stmt, state: State, binds: State) -> None:
        reads = {n: state[n] for n in (*reads_of(node), *getattr(node, "shows", ())) if n in state}
        self.read.update(reads.values())
        self.visits.append((reads, binds))
