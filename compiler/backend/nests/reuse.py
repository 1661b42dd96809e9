"""Let an array take the place of one that is read for the last time where the new one is stored.

    e = empty(n); y = empty(n)               y = empty(n)
    for i in prange(n): e[i] = exp(x[i])     for i in prange(n): y[i] = exp(x[i])
    s = ...e...                        ->    s = ...y...
    for i in prange(n): y[i] = e[i] / s      for i in prange(n): y[i] = y[i] / s

Every element of the old array must have been read when the new one's element of that place is stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import gast

from ... import syntax
from ...program import Function
from ..loop_rules.release import renamed
from ..storage import storage_classes
from .contract import restated
from .places import Access, access, is_apart, is_plain_nest
from .sizes import Scope, Sizes, Span

Path = tuple[gast.For, ...]
Seen = tuple[Access, Path]


def reuse(function: Function) -> Function:
    reuser = _Reuser(function)
    body = tuple(reuser.block(function.body))
    if not reuser.places:
        return function
    return function.with_(body=body, decisions=restated(function.decisions, reuser.places))


class _Reuser:
    def __init__(self, function: Function) -> None:
        self.function, self.types, self.sizes = function, function.types, Sizes(function)
        self.bound = Counter(function.parameters)
        for statement in syntax.walk(function.body):
            self.bound.update(syntax.names_bound(statement))
        classes = storage_classes(function)
        members = Counter(classes.values())
        self.places: dict[str, str] = {}
        self._mentioned: dict[int, tuple[gast.stmt, set[str]]] = {}
        self._elements: dict[int, tuple[gast.stmt, set[str]]] = {}
        self.alone = {n for n, leader in classes.items() if members[leader] == 1}

    def block(self, statements: Sequence[gast.stmt]) -> list[gast.stmt]:
        result = [self._inside(s) for s in statements]
        for name in [s.targets[0].id for s in result if makes(s)]:
            old = self._replaceable(result, name)
            if old is not None:
                result = self._replaced(result, old, name)
                self.places[old] = "the array that is made from it takes its place, element by element"
        return result

    def _inside(self, statement: gast.stmt) -> gast.stmt:
        if is_plain_nest(statement, self.types) or not syntax.blocks_of(statement):
            return statement
        parts = {"body": self.block(statement.body)}
        if isinstance(statement, gast.If):
            parts["orelse"] = self.block(statement.orelse)
        return syntax.rebuild(statement, **parts)

    def _replaceable(self, block: Sequence[gast.stmt], name: str) -> str | None:
        """The array of this block whose last use is where `name` is first stored."""
        makers = {s.targets[0].id: k for k, s in reversed(list(enumerate(block))) if makes(s)}
        if name not in makers or self.bound[name] != 1:
            return None
        later = range(makers[name] + 1, len(block))
        first = next((k for k in later if name in self._asked(self._elements, elements_of, block[k])), None)
        if first is None or not is_plain_nest(block[first], self.types):
            return None
        here = self._asked(self._elements, elements_of, block[first])
        for old in sorted((n for n in here if makers.get(n, first) < first), key=makers.__getitem__):
            if old != name and self._fits(old, name) and not self._is_needed(old, block[first + 1 :]):
                if may_take_place(block[first], old, name, self.sizes):
                    return old
        return None

    def _replaced(self, block: Sequence[gast.stmt], old: str, name: str) -> list[gast.stmt]:
        kept = [s for s in block if not (makes(s) and s.targets[0].id == name)]
        return [self._renamed(s, old, name) for s in kept]

    def _renamed(self, statement: gast.stmt, old: str, name: str) -> gast.stmt:
        """The statement with another name; what does not mention the old one stays the same tree."""
        if not self._is_needed(old, [statement]):
            return statement
        blocks = {key: getattr(statement, key) for key in ("body", "orelse") if syntax.blocks_of(statement)}
        header = syntax.rebuild(statement, **{key: [] for key in blocks})
        inside = {key: [self._renamed(s, old, name) for s in block] for key, block in blocks.items()}
        made = syntax.rebuild(renamed(header, {old: name}), **inside)
        for known in (self._mentioned, self._elements):
            if id(statement) in known:
                known[id(made)] = made, {name if n == old else n for n in known[id(statement)][1]}
        return made

    def _is_needed(self, name: str, statements: Sequence[gast.stmt]) -> bool:
        return any(name in self._asked(self._mentioned, mentioned, s) for s in statements)

    def _asked(
        self, known: dict[int, tuple[gast.stmt, set[str]]], question: Callable[[gast.stmt], set[str]], about: gast.stmt
    ) -> set[str]:
        """The answer to a question about a statement, found once; with the statement, so that its id stays its own."""
        if id(about) not in known:
            known[id(about)] = about, question(about)
        return known[id(about)][1]

    def _fits(self, old: str, name: str) -> bool:
        return self.bound[old] == 1 and old in self.alone and self.types[old] == self.types[name]


def makes(statement: gast.stmt) -> bool:
    return isinstance(statement, gast.Assign) and syntax.operator_of(statement.value) == "empty"


def mentioned(statement: gast.stmt) -> set[str]:
    found = set(syntax.names_read(statement))  # what is nested in it included
    return found.union(*map(syntax.names_bound, syntax.walk([statement])))


def elements_of(statement: gast.stmt) -> set[str]:
    """The arrays whose elements a statement may touch: all that it mentions otherwise than for a length."""
    if isinstance(statement, gast.For):
        inner = {n for s in statement.body for n in elements_of(s)}
        return inner | set(_not_for_lengths(statement.iter))
    if isinstance(statement, gast.Assign):
        return {n for part in (*statement.targets, statement.value) for n in _not_for_lengths(part)}
    return mentioned(statement)


def _not_for_lengths(node: gast.AST) -> Iterator[str]:
    if syntax.operator_of(node) == "dim":
        return
    if isinstance(node, gast.Name):
        yield node.id
    for child in gast.iter_child_nodes(node):
        if not (isinstance(node, gast.Call) and child is node.func):
            yield from _not_for_lengths(child)


# --- in one nest ---------------------------------------------------------------------------------------------------


def may_take_place(nest: gast.stmt, old: str, new: str, sizes: Sizes) -> bool:
    """Whether no element of `old` is touched in a nest once the element of `new` at its place has been stored."""
    seen = [(a, path) for a, path in _walk([nest], Scope(), (), sizes) if a.name in (old, new)]
    for position, (store, path) in enumerate(seen):
        for later, (other, its_path) in enumerate(seen) if store.name == new and store.is_store else ():
            if other.name == old:
                if later > position or not _only_in_step((store, path), (other, its_path), sizes):
                    return False
    return True


def _only_in_step(store: Seen, other: Seen, sizes: Sizes) -> bool:
    """Whether the two meet only in the same turn of all loops that both are in."""
    common = [a for a, b in zip(store[1], other[1]) if a is b]
    return all(is_apart(store[0], other[0], loop.target.id, sizes) for loop in common)


def _walk(
    statements: Iterable[gast.stmt], scope: Scope, path: Path, sizes: Sizes
) -> Iterator[Seen]:
    """Every access in the order of the text, what a statement reads before what it stores."""
    for statement in statements:
        match statement:
            case gast.For(target=gast.Name(id=variable), iter=iter_, body=body):
                yield from _loads(iter_, scope, path, sizes)
                span = sizes.span(statement, scope) or Span(sizes.variable(variable), ())
                yield from _walk(body, scope.inside(variable, span), (*path, statement), sizes)
            case gast.If(test=test, body=body, orelse=orelse):
                yield from _loads(test, scope, path, sizes)
                yield from _walk([*body, *orelse], scope, path, sizes)
            case gast.Assign(targets=[gast.Subscript() as place], value=value):
                yield from _loads(value, scope, path, sizes)
                yield from _loads(place.slice, scope, path, sizes)
                yield access(place, scope, sizes, is_store=True), path
            case gast.Assign(value=value):
                yield from _loads(value, scope, path, sizes)


def _loads(node: gast.expr, scope: Scope, path: Path, sizes: Sizes) -> Iterator[Seen]:
    for part in syntax.nodes_of(node):
        if isinstance(part, gast.Subscript):
            yield access(part, scope, sizes), path
