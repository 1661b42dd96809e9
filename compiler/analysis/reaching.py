"""Which definitions reach each read: what webs are made of, and what a pass that only renames must leave as it is.

    x = f(a)                      x = f(a)
    y = x                 ==      if c: x = g(x)        `h` reads what `f` or `g` made, before and after
    if c: y = g(y)                return (h(x),)
    return (h(y),)

One walk numbers definitions.  Where two paths meet, a merge stands for both values, as a phi does in single assignment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

import gast

from .. import syntax
from ..program import Function, remembered
from .def_use import reads_of

State = dict[str, int]  # of each name, the definition that reaches, or the merge of several
Read = tuple[gast.stmt, tuple[frozenset[int], ...]]
NOTHING: frozenset[int] = frozenset()


class Reaching:
    """The definitions of a function, and what each statement reads and binds, in the order of `syntax.walk`.

    `names` are those that are followed, all where there is None.  `through_copies` takes a copy for no definition: it
    passes on what reaches it.  `named` has the name of each definition and merge, `parts` what each merge merges.
    """

    def __init__(self, function: Function, names: AbstractSet[str] | None = None, through_copies: bool = False) -> None:
        self.names, self.through_copies = names, through_copies
        self.named: list[str] = []
        self.parts: dict[int, list[int]] = {}
        self.visits: list[tuple[gast.stmt, State, State]] = []
        self.block(function.body, self.define(function.parameters))

    def define(self, names: Iterable[str]) -> State:
        """Numbers for new definitions, or merges, of these names."""
        found = [name for name in names if name in self.names] if self.names is not None else list(names)
        first = len(self.named)
        self.named += found
        return dict(zip(found, range(first, len(self.named))))

    def visit(self, node: gast.stmt, state: State, binds: State) -> None:
        reads = {n: state[n] for n in (*reads_of(node), *getattr(node, "shows", ())) if n in state}
        self.visits.append((node, reads, binds))

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
        if self.through_copies and (copies := _copies(node)):
            self.visit(node, state, {})
            state.update({to: state[source] for to, source in copies if source in state})
            return state
        binds = self.define(syntax.names_bound(node))
        self.visit(node, state, binds)
        state.update(binds)
        return state

    def loop(self, node: gast.For | gast.While, state: State) -> State:
        """What is bound inside merges at the head what was there before with what an iteration leaves."""
        binds = self.define(syntax.names_bound(node))
        if isinstance(node, gast.For):
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


# --- the values of reads -------------------------------------------------------------------------------------------


@remembered
def reaching(function: Function) -> list[Read]:
    """For each statement that is no copy, in order, the values that reach the names it reads, each in its position.

    A value is known by the position of its definition among those that are no copies.
    """
    found = Reaching(function, through_copies=True)
    definitions = (number for number in range(len(found.named)) if number not in found.parts)
    values = {number: frozenset({place}) for place, number in enumerate(definitions)}
    return [
        (node, tuple(_values_of(reads[n], found, values) if n in reads else NOTHING for n in reads_of(node)))
        for node, reads, _ in found.visits
        if not isinstance(node, gast.Delete | gast.Pass) and not _is_copy(node)
    ]


def _values_of(number: int, found: Reaching, values: dict[int, frozenset[int]]) -> frozenset[int]:
    """The definitions that a number stands for; what is found out is added to `values`."""
    if number not in values:
        reached, waiting = {number: None}, [number]
        for merge in waiting:
            new = [part for part in found.parts.get(merge, ()) if part not in reached]
            reached.update(dict.fromkeys(new))
            waiting += [part for part in new if part not in values]
        values[number] = frozenset().union(*(values[part] for part in reached if part in values))
    return values[number]


def changed_definitions(before: Function, after: Function) -> Iterator[tuple[gast.stmt, str]]:
    """The statements that read other values than they did; only the names may differ between the two functions."""
    old, new = reaching(before), reaching(after)
    if len(old) != len(new):
        yield after.body[-1], f"there were {len(old)} statements that are no copies, and now there are {len(new)}"
        return
    for (_, values), (statement, now) in zip(old, new):
        if values != now:
            names = reads_of(statement)
            places = [k for k, pair in enumerate(zip(values, now)) if pair[0] != pair[1]]
            what = f"`{names[places[0]]}`" if places else "a name"
            yield statement, f"another definition reaches {what} than did before"


def _copies(statement: gast.stmt) -> list[tuple[str, str]]:
    """(to, from) of each name that a statement is a copy of: `x = y`, or `a, b = b, a`."""
    match statement:
        case gast.Assign(targets=[gast.Name(id=to)], value=gast.Name(id=source)):
            return [(to, source)]
        case gast.Assign(targets=[gast.Tuple(elts=places)], value=gast.Tuple(elts=sources)):
            return [(to.id, source.id) for to, source in zip(places, sources)]
    return []


def _is_copy(statement: gast.stmt) -> bool:
    return isinstance(statement, gast.Assign) and isinstance(statement.value, gast.Name) and bool(_copies(statement))
