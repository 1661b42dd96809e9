"""Which names of a function may share memory, told to LLVM as alias scopes.

    a = empty(...); b = empty(...); v = a[1:]      ->      {a, v}  {b}  {inputs}

Names are joined where one may hold the buffer of another: aliases, views, lists and their elements, results of calls
and the arrays passed to them.  All parameters are one class: callers may pass the same array twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import gast

from .. import syntax
from ..analysis.expression_types import is_scalar_operator
from ..ops.forms import FRESH, LIBRARY
from ..program import Function
from ..records import dataclass
from ..types import Array, ListOf
from .text import Module, Tag, Tags

INPUTS = ""


@dataclass(frozen=True, slots=True)
class Apart:
    """Accesses of one array in a loop, by the identity of their nodes: no one of `fixed` meets one of `moving`.

    The names say what they are most often; two that both move can be apart, too.
    """

    array: str
    fixed: frozenset[int]
    moving: frozenset[int]


def storage_classes(function: Function) -> dict[str, str]:
    """For every array and list name the representative of the names it may share memory with."""
    leaders: dict[str, str] = {}

    def find(name: str) -> str:
        while leaders.setdefault(name, name) != name:
            name = leaders[name]
        return name

    def join(*names: str) -> None:
        roots = sorted({find(n) for n in names})
        for other in roots[1:]:
            leaders[other] = roots[0]

    holders = {n for n, t in function.types.items() if isinstance(t, Array | ListOf)}
    if not holders:
        return {}
    for name in function.parameters:
        if name in holders:
            join(INPUTS, name)
    for statement in syntax.walk(function.body):
        together = _shared(statement, holders)
        if together:
            join(*together)
    return {name: find(name) for name in sorted(holders)}


def _shared(statement: gast.stmt, holders: set[str]) -> list[str]:
    """The names that one statement makes share memory."""
    match statement:
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base))], value=gast.Name(id=item)):
            return [n for n in (base, item) if n in holders]
        case gast.Assign(value=value) | gast.Expr(value=value):
            bound = [n for n in syntax.names_bound(statement) if n in holders]
            if syntax.operator_of(value) in FRESH or not (bound or _may_mix(value)):
                return []
            return [*bound, *(n for n in syntax.names_read(value) if n in holders)]
    return []


def _may_mix(value: gast.expr) -> bool:
    """Whether it is a call that may put one argument into another: of a function of the program, or an append."""
    operator = syntax.operator_of(value)
    return operator is not None and operator not in LIBRARY and not is_scalar_operator(operator)


def split_tags(module: Module, tags: Mapping[str, Tags], apart: Iterable[Apart]) -> tuple[dict[int, Tags], list[int]]:
    """Tags for the accesses of an innermost loop that are apart, by their nodes; and the scopes to declare before it.

    What is fixed gets a scope of the loop's own, and what moves avoids that.
    """
    found: dict[int, Tags] = {}
    scopes = []
    for group in apart:
        scope = _scope(module, _domain(module))
        scopes.append(_list(module, [scope]))
        for nodes, kind in ((group.fixed, "alias.scope"), (group.moving, "noalias")):
            known = found.get(next(iter(nodes)), tags[group.array])  # accesses of one part are in the same parts always
            found.update(dict.fromkeys(nodes, _extended(module, known, kind, scope)))
    return found, scopes


def _extended(module: Module, tags: Tags, kind: str, scope: int) -> Tags:
    """The tags with one more scope in the list of this kind."""
    lists = {tag.kind: tag.node for tag in tags}
    known = module.metadata[lists[kind]].parts if kind in lists else ()
    lists[kind] = _list(module, [*known, scope])
    return tuple(Tag(*item) for item in lists.items())


def alias_tags(module: Module, classes: Mapping[str, str]) -> dict[str, Tags]:
    """The metadata that accesses through each name carry: its own scope, and that it avoids all others."""
    leaders = sorted(set(classes.values()))
    if len(leaders) < 2:
        return dict.fromkeys(classes, ())
    domain = _domain(module)
    scopes = {leader: _scope(module, domain) for leader in leaders}
    own = {leader: _list(module, [scope]) for leader, scope in scopes.items()}
    others = {leader: _list(module, [s for other, s in scopes.items() if other != leader]) for leader in leaders}
    return {n: (Tag("alias.scope", own[leader]), Tag("noalias", others[leader])) for n, leader in classes.items()}


def _domain(module: Module) -> int:
    return module.add_metadata("distinct !{{{self}}}")


def _scope(module: Module, domain: int) -> int:
    return module.add_metadata("distinct !{{{self}, {}}}", domain)


def _list(module: Module, scopes: Sequence[int]) -> int:
    return module.add_metadata(f"!{{{{{', '.join(['{}'] * len(scopes))}}}}}", *scopes)
