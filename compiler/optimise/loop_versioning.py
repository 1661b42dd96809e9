"""Loop versioning: an innermost loop for where runtime checks ahead of it hold, and the loop as it stands.

    for k in range(n):                              for k in range(n):
        for i in range(n):                              for i in range(n):
            for j in range(n):                              if n <= d.shape[1] and i != k:
                d[i, j] = d[i, k] + d[k, j]    ->               for j in noalias(0, k): ...
                                                                for j in range(k, k + 1): ...
                                                                for j in noalias(k + 1, n): ...
                                                            else:
                                                                for j in range(n): ...

What is checked is found by `runtime_checks`: that indices are in bounds in all iterations, which `ranges` then proves
of the first version, and that what is stored by one index is reached by no other, which `noalias` promises of it.
Where two indices meet in a single iteration, that iteration has a loop of its own.  A loop that keeps the promise
without a test is only marked.  Takes and gives functions of the loops stage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import takewhile

import gast

from .. import syntax
from ..analysis.def_use import def_use, reads_of
from ..analysis.integers.nest_scope import NestScope
from ..analysis.integers.ranges import ranges
from ..analysis.integers.values import Integers
from ..analysis.lanes import straight
from ..analysis.memory.noalias import NOALIAS
from ..analysis.memory.storage import storage_classes
from ..lower.arithmetic import plus
from ..names import Names, base_of
from ..program import Function
from ..renaming import copied, placed, renamed
from ..tuning import LARGEST_BODY, LEAST_TURNS
from ..types import Scalar, Type
from .in_blocks import in_blocks
from .runtime_checks import Finder


def version_loops(function: Function) -> Function:
    """The function with such loops versioned; the same object where there are none."""
    if not any(_is_innermost(s) for s in syntax.walk(function.body)):
        return function
    versioner = _Versioner(function)
    body = versioner.block(function.body, NestScope())
    return function if body is None else function.with_(body=tuple(body), types=versioner.types)


def _is_innermost(node: gast.stmt) -> bool:
    return isinstance(node, gast.For) and straight(node.body) and not _is_short(node)


def _is_short(loop: gast.For) -> bool:
    """Whether a loop is known to have so few iterations that they cost less than a test."""
    bounds = [part.value for part in loop.iter.args if isinstance(part, gast.Constant)]
    return len(bounds) == 3 and (not bounds[2] or len(range(*bounds)) < LEAST_TURNS)


class _Versioner:
    def __init__(self, function: Function) -> None:
        self.types: dict[str, Type] = dict(function.types)
        self.names = Names({*function.types, *function.parameters})
        self.uses = def_use(function)
        self.finder = Finder(Integers(function), ranges(function), storage_classes(function))

    def block(self, body: Sequence[gast.stmt], scope: NestScope) -> list[gast.stmt] | None:
        """The statements with loops in versions; None where nothing changes."""
        made: list[gast.stmt] = []
        for position, statement in enumerate(body):
            if _is_innermost(statement):
                made += self.versions(statement, scope, self.sums_before(body[:position]))  # type: ignore[arg-type]
            else:
                made.append(in_blocks(statement, scope, self.finder.integers, self.block))
        changes = len(made) != len(body) or any(new is not old for new, old in zip(made, body))
        return made if changes else None

    def sums_before(self, statements: Sequence[gast.stmt]) -> dict[str, gast.expr]:
        """The sums that names stand for right after these statements, given in an unbroken row of assignments."""
        found: dict[str, gast.expr] = {}
        for statement in [*takewhile(_names_a_value, reversed(statements))][::-1]:
            name, value = statement.targets[0].id, statement.value
            # in normal form, since twenty names that each occur twice would expand to a million terms
            made = plus(_without_names(value, found), 0) if self.finder.is_sum(value) else None
            for other in [n for n, v in found.items() if n == name or name in syntax.names_read(v)]:
                del found[other]
            if made is not None and name not in syntax.names_read(made):
                found[name] = made
        return found

    def versions(self, node: gast.For, scope: NestScope, sums: Mapping[str, gast.expr]) -> list[gast.stmt]:
        if not self.is_simple(node.body):
            return [node]
        checks = self.finder.of(_written_out(node, sums), scope)
        if not checks.conditions and not checks.meet:
            return [_marked(node)] if checks.is_noalias else [node]
        made = self.in_pieces(node, *checks.meet) if checks.meet else [self.copy(node, checks.is_noalias)]
        if checks.conditions:
            made = [syntax.if_(_all(checks.conditions), made, [node])]
        return placed(made, node)

    def is_simple(self, body: Sequence[gast.stmt]) -> bool:
        """Whether a body is short, and nothing but branches and assignments of scalars and elements."""
        statements = list(syntax.walk(body))
        bound = (self.types[name] for s in statements for name in syntax.names_bound(s))
        simple = all(isinstance(s, gast.Assign | gast.If | gast.Raise | gast.Pass) for s in statements)
        return simple and all(isinstance(type_, Scalar) for type_ in bound) and len(statements) <= LARGEST_BODY

    def in_pieces(self, loop: gast.For, first: gast.expr, behind: gast.expr) -> list[gast.stmt]:
        """The loop around the iterations in which elements may meet, which are left as they are."""
        start, stop, _ = loop.iter.args
        pieces = ((start, first, True), (first, behind, False), (behind, stop, True))
        return [self.copy(loop, apart, copied(low, {}), copied(high, {})) for low, high, apart in pieces]

    def copy(self, loop: gast.For, is_noalias: bool, *bounds: gast.expr) -> gast.stmt:
        """The loop in trees of its own, perhaps between other bounds."""
        copy = renamed(loop, self.passing(loop))
        assert isinstance(copy, gast.For)
        copy = syntax.rebuild(copy, iter=syntax.rebuild(copy.iter, args=[*bounds, *copy.iter.args[len(bounds) :]]))
        return _marked(copy) if is_noalias else copy

    def passing(self, loop: gast.For) -> dict[str, str]:
        """New names for temporaries of the loop: what has one assignment can be printed where it is read."""
        reads = Counter(name for s in syntax.walk(loop.body) for name in reads_of(s))
        bound = (name for s in syntax.walk(loop.body) for name in syntax.names_bound(s))
        own = [n for n in bound if base_of(n) == "t" and self.uses.is_single(n) and self.uses.count[n] == reads[n]]
        made = {name: self.names.fresh("t") for name in own}
        self.types |= {new: self.types[old] for old, new in made.items()}
        return made


def _written_out(loop: gast.For, sums: Mapping[str, gast.expr]) -> gast.For:
    """The loop, its bounds without names of sums."""
    return syntax.rebuild(loop, iter=syntax.rebuild(loop.iter, args=[_without_names(b, sums) for b in loop.iter.args]))


def _without_names(tree: gast.expr, named: Mapping[str, gast.expr]) -> gast.expr:
    return syntax.map_names(tree, lambda name: named.get(name, name))


def _names_a_value(node: gast.stmt) -> bool:
    return isinstance(node, gast.Assign) and isinstance(node.targets[0], gast.Name)


def _marked(loop: gast.For) -> gast.For:
    return syntax.rebuild(loop, iter=syntax.rebuild(loop.iter, func=syntax.name(NOALIAS)))


def _all(tests: Sequence[gast.expr]) -> gast.expr:
    return tests[0] if len(tests) == 1 else gast.BoolOp(gast.And(), list(tests))
