"""Which accesses never meet, told to LLVM as alias scopes.

    {a, v}  {b}  {inputs}      ->      a scope for each storage class, and the others to avoid
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...records import dataclass
from .text import Module, Tag, Tags


@dataclass(frozen=True, slots=True)
class Apart:
    """Accesses of one array in a loop, by the identity of their nodes: no one of `fixed` meets one of `moving`.

    The names say what they are most often; two that both move can be apart, too.
    """

    array: str
    fixed: frozenset[int]
    moving: frozenset[int]


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
