"""What a statement says by itself, found once: the passes over nests ask the same of the same trees.

    for i in prange(n):           mentions   i twice, x and y once, t three times, n once
        t = sin(x[i])             binds      i, t        exposed   n, x, y
        y[i] = t * t              a plain nest; touches elements of x and y

Answers hang on the identity of a statement and hold as long as nothing changes the tree; the tree is kept with its
answer, so that its id stays its own.  A pass that changes one statement keeps the others, and what is known of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import gast

from .. import syntax
from ..analysis.expression_types import is_scalar_operator
from ..analysis.memory.accesses import elements_in
from ..ops.forms import LIST_READS
from ..program import Function, remembered
from ..records import dataclass
from ..renaming import renamed
from ..types import Array, Type


@dataclass(frozen=True, slots=True, eq=False)
class Mentions:
    """`counts` has every mention of a name; `exposed` are the names whose value from before it may read.

    `surely` are the names that it binds on every path.  Statements share these sets: nothing changes them.
    """

    counts: Mapping[str, int]
    reads: frozenset[str]
    binds: frozenset[str]
    exposed: frozenset[str]
    surely: frozenset[str]


NOTHING: frozenset[str] = frozenset()


@remembered
def has_loops(function: Function) -> bool:
    return any(isinstance(s, gast.For | gast.While) for s in syntax.walk(function.body))


@remembered
def known(function: Function) -> KnownNests:
    """What is known of the statements of a function, which are for the most part those of the function before."""
    return KnownNests()


def mentions_of(function: Function, known: KnownNests) -> Counter[str]:
    """How often every name is mentioned in a function."""
    total = Counter(function.parameters)
    for statement in function.body:
        for name, count in known.mentions(statement).counts.items():
            total[name] += count
    return total


class KnownNests:
    """Answers about the statements of one function, from one pass to the next."""

    def __init__(self) -> None:
        self._mentions: dict[int, tuple[gast.stmt, Mentions]] = {}
        self._plain: dict[int, tuple[gast.stmt, bool]] = {}
        self._elements: dict[int, tuple[gast.stmt, frozenset[str]]] = {}
        self._loads: dict[int, tuple[gast.expr, Sequence[gast.Subscript]]] = {}

    def mentions(self, statement: gast.stmt) -> Mentions:
        known = self._mentions.get(id(statement))
        if known is None:
            known = self._mentions[id(statement)] = statement, self._found(statement)
        return known[1]

    def is_plain_nest(self, statement: gast.stmt, types: Mapping[str, Type]) -> bool:
        """Whether a statement is a loop that does nothing but compute scalars and store elements."""
        return type(statement) is gast.For and self._is_plain(statement, types)

    def _is_plain(self, statement: gast.stmt, types: Mapping[str, Type]) -> bool:
        known = self._plain.get(id(statement))
        if known is None:
            answer = is_plain(statement, types, self._is_plain)
            known = self._plain[id(statement)] = statement, answer
        return known[1]

    def elements(self, statement: gast.stmt) -> frozenset[str]:
        """The names that it mentions otherwise than for a length: among them all arrays whose elements it may touch."""
        known = self._elements.get(id(statement))
        if known is None:
            known = self._elements[id(statement)] = statement, self._touched(statement)
        return known[1]

    def elements_of(self, node: gast.expr) -> set[str]:
        """The names that an expression mentions otherwise than for a length."""
        found: set[str] = set()
        _elements_in(node, found)
        return found

    def loads(self, node: gast.expr) -> Sequence[gast.Subscript]:
        """Every element that an expression loads."""
        if type(node) is not gast.Call:
            return elements_in(node)
        known = self._loads.get(id(node))
        if known is None:
            known = self._loads[id(node)] = node, elements_in(node)
        return known[1]

    def renamed(self, statement: gast.stmt, names: Mapping[str, str]) -> gast.stmt:
        """The statement with other names; what mentions none of them stays the same tree."""
        if self.mentions(statement).counts.keys().isdisjoint(names.keys()):
            return statement
        blocks = {key: getattr(statement, key) for key in ("body", "orelse") if syntax.blocks_of(statement)}
        header = syntax.rebuild(statement, **{key: [] for key in blocks})
        inside = {key: [self.renamed(s, names) for s in block] for key, block in blocks.items()}
        made = syntax.rebuild(renamed(header, names), **inside)
        if id(statement) in self._plain:  # a name is given for another one of its type
            self._plain[id(made)] = made, self._plain[id(statement)][1]
        return made

    # --- the answers

    def _found(self, statement: gast.stmt) -> Mentions:
        match statement:
            case gast.For(target=gast.Name(id=variable), iter=iter_, body=body):
                return self._compound(syntax.names_read(iter_), (body,), variable)
            case gast.If(test=test, body=body, orelse=orelse):
                return self._compound(syntax.names_read(test), (body, orelse))
            case gast.While(test=test, body=body):
                return self._compound(syntax.names_read(test), (body,))
            case gast.Assign(targets=[gast.Subscript() as place], value=value):
                return _simple([*syntax.names_read(value), *syntax.names_read(place)], ())
            case gast.Raise(exc=exc):
                return _simple(syntax.names_read(exc) if exc is not None else (), ())
        return _simple(syntax.names_read(statement), syntax.names_bound(statement))

    def _compound(self, reads: Sequence[str], blocks: Sequence[Sequence[gast.stmt]], variable: str = "") -> Mentions:
        counts: dict[str, int] = {}
        for name in reads:
            counts[name] = counts.get(name, 0) + 1
        read, exposed = set(reads), set(reads)
        bound: set[str] = set()
        sides = []
        for block in blocks:
            surely: set[str] = {variable} if variable else set()
            for statement in block:
                found = self.mentions(statement)
                for name, count in found.counts.items():
                    counts[name] = counts.get(name, 0) + count
                read |= found.reads
                bound |= found.binds
                exposed |= found.exposed - surely
                surely |= found.surely
            sides.append(surely)
        if variable:
            counts[variable] = counts.get(variable, 0) + 1
            bound.add(variable)
        both = frozenset(sides[0] & sides[1]) if len(sides) == 2 else NOTHING
        return Mentions(counts, frozenset(read), frozenset(bound), frozenset(exposed), both)

    def _touched(self, statement: gast.stmt) -> frozenset[str]:
        found: set[str] = set()
        match statement:
            case gast.For(iter=iter_, body=body):
                _elements_in(iter_, found)
                found.update(*map(self.elements, body))
            case gast.Assign(targets=targets, value=value):
                for part in (*targets, value):
                    _elements_in(part, found)
            case _:
                return frozenset(self.mentions(statement).counts)
        return frozenset(found)


def _simple(reads: Iterable[str], binds: Sequence[str]) -> Mentions:
    counts: dict[str, int] = {}
    for name in (*reads, *binds):
        counts[name] = counts.get(name, 0) + 1
    read, bound = frozenset(reads), frozenset(binds)
    return Mentions(counts, read, bound, read, bound)


def _elements_in(node: gast.AST, found: set[str]) -> None:
    kind = type(node)
    if kind is gast.Name:
        found.add(node.id)
    elif kind is gast.Call:
        if syntax.operator_of(node) != "dim":
            for part in node.args:
                _elements_in(part, found)
            for keyword in node.keywords:
                _elements_in(keyword.value, found)
    elif kind is not gast.Constant:
        for child in syntax.children_of(node):
            _elements_in(child, found)


def is_plain(
    statement: gast.stmt, types: Mapping[str, Type], ask: Callable[[gast.stmt, Mapping[str, Type]], bool]
) -> bool:
    """Whether a statement does nothing but compute scalars and store elements; `ask` tells it of those inside it."""
    match statement:
        case gast.For(body=body):
            return all(ask(s, types) for s in body)
        case gast.If(body=body, orelse=orelse):
            return all(ask(s, types) for s in (*body, *orelse))
        case gast.Assign(targets=[gast.Name(id=name)], value=value):
            return not isinstance(types.get(name), Array) and _is_scalar(value, types)
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base))], value=value):
            return isinstance(types.get(base), Array) and _is_scalar(value, types)
        case gast.Pass():
            return True
    return False


def _is_scalar(node: gast.AST, types: Mapping[str, Type]) -> bool:
    """Whether an expression is made of operators and elements of arrays alone."""
    kind = type(node)
    if kind is gast.Name or kind is gast.Constant:
        return True
    if kind is gast.Call:
        operator = str(syntax.operator_of(node))
        if not is_scalar_operator(operator) or operator in LIST_READS:
            return False
    elif kind is gast.Subscript and not isinstance(types.get(node.value.id), Array):
        return False
    for part in (*node.args, *[k.value for k in node.keywords]) if kind is gast.Call else syntax.children_of(node):
        if not _is_scalar(part, types):
            return False
    return True
