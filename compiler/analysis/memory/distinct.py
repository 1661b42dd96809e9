"""Which arrays surely share no memory while a loop runs, told by following the names through the function.

    v = empty(n)                      v shares with nobody
    for t in range(steps):
        for i in range(n): v[i] = u[i - 1] + u[i + 1]         here u and v are apart, whichever is whose
        u, v = v, u

`storage_classes` says of names what they may ever share; this says of two names that at this place they do not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gast

from ...ops.forms import FRESH, HANDED_ON
from ...program import Function, remembered
from ...types import Array

Pairs = frozenset[frozenset[str]]


@remembered
def distinct(function: Function) -> Mapping[int, Pairs]:
    """For each loop, by identity: the pairs of names that share no memory at the beginning of every turn."""
    arrays = {name for name, type_ in function.types.items() if isinstance(type_, Array)}
    if len(arrays) < 2:
        return {}
    walker = _Walker(frozenset(arrays))
    walker.block(function.body, frozenset())
    return walker.found


class _Walker:
    def __init__(self, arrays: frozenset[str]) -> None:
        self.arrays = arrays
        self.found: dict[int, Pairs] = {}

    def block(self, body: Sequence[gast.stmt], pairs: Pairs) -> Pairs:
        for node in body:
            pairs = self.behind(node, pairs)
        return pairs

    def behind(self, node: gast.stmt, pairs: Pairs) -> Pairs:
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if name in self.arrays:
                return self.assigned({name: value}, pairs)
            case gast.Assign(targets=[gast.Tuple(elts=places)], value=gast.Tuple(elts=values)):
                given = {p.id: v for p, v in zip(places, values) if isinstance(p, gast.Name) and p.id in self.arrays}
                return self.assigned(given, pairs)
            case gast.Assign(targets=[gast.Tuple(elts=places)]):
                return _without(pairs, {p.id for p in places if isinstance(p, gast.Name)})
            case gast.If(body=body, orelse=orelse):
                return self.block(body, pairs) & self.block(orelse, pairs)
            case gast.For() | gast.While():
                return self.turns(node, pairs)
        return pairs

    def turns(self, node: gast.For | gast.While, pairs: Pairs) -> Pairs:
        """What holds at the beginning of every turn, which is what holds behind the loop too."""
        while True:
            again = pairs & self.block(node.body, pairs)
            if again == pairs:
                break
            pairs = again
        self.found[id(node)] = pairs
        return pairs

    def assigned(self, given: Mapping[str, gast.expr], pairs: Pairs) -> Pairs:
        """Names that take the arrays of others, all at once, or new ones."""
        sources = {name: _source(value) for name, value in given.items()}
        made = set(_without(pairs, set(given)))
        for name, source in sources.items():
            if source == "":  # nobody has it yet
                made |= {frozenset((name, other)) for other in self.arrays - set(given)}
            elif source is not None:
                others = {next(iter(pair - {source})) for pair in pairs if source in pair}
                made |= {frozenset((name, other)) for other in others - set(given)}
        for name, source in sources.items():
            for other, its in sources.items():
                if name < other and None not in (source, its) and _apart(source, its, pairs):
                    made.add(frozenset((name, other)))
        return frozenset(made)


def _apart(one: str | None, other: str | None, pairs: Pairs) -> bool:
    if "" in (one, other):
        return True
    return one != other and frozenset((one, other)) in pairs


def _source(value: gast.expr) -> str | None:
    """The name whose array, or a part of it, an expression gives; empty for a new array, None for any."""
    match value:
        case gast.Name(id=name):
            return name
        case gast.Subscript(value=gast.Name(id=name)):
            return name
        case gast.Call(func=gast.Name(id=operator), args=[gast.Name(id=name), *_]) if operator in HANDED_ON:
            return name
        case gast.Call(func=gast.Name(id=operator)) if operator in FRESH:
            return ""
    return None


def _without(pairs: Pairs, names: set[str]) -> Pairs:
    return frozenset(pair for pair in pairs if not pair & names)
