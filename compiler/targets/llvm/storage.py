"""Which accesses never alias, passed to LLVM as alias scopes.

    {a, v}  {b}  {inputs}      ->      a scope for each storage class, and the others to avoid
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .text import Module, Tag, Tags


def split_tags(module: Module, tags: Tags, groups: Sequence[Sequence[int]]) -> tuple[dict[int, Tags], list[int]]:
    """Tags for accesses of one array, by their nodes, and the scopes to declare.

    None of a group meets one of another: every group gets a scope of its own, which all others avoid.
    """
    if len(groups) < 2:
        return {}, []
    domain = _domain(module)
    scopes = [_scope(module, domain) for _ in groups]
    found: dict[int, Tags] = {}
    for nodes, own in zip(groups, scopes, strict=True):
        with_own = _extended(module, tags, "alias.scope", [own])
        found |= dict.fromkeys(nodes, _extended(module, with_own, "noalias", [s for s in scopes if s != own]))
    return found, [_list(module, [scope]) for scope in scopes]


def _extended(module: Module, tags: Tags, kind: str, scopes: Sequence[int]) -> Tags:
    """The tags with more scopes in the list of this kind."""
    lists = {tag.kind: tag.node for tag in tags}
    known = module.metadata[lists[kind]].parts if kind in lists else ()
    lists[kind] = _list(module, [*known, *scopes])
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
