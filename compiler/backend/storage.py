"""Which accesses never meet, told to LLVM as alias scopes.

    {a, v}  {b}  {inputs}      ->      a scope for each storage class, and the others to avoid
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..records import dataclass
from .text import Module


@dataclass(frozen=True, slots=True)
class Apart:
    """Accesses of one array in a loop, by the identity of their nodes: no one of `fixed` meets one of `moving`.

    The names say what they are most often; two that both move can be apart, too.
    """

    array: str
    fixed: frozenset[int]
    moving: frozenset[int]


def split_tags(module: Module, tags: Mapping[str, str], apart: Iterable[Apart]) -> tuple[dict[int, str], list[str]]:
    """Tags for the accesses of an innermost loop that are apart, by their nodes; and the scopes to declare before it.

    What is fixed gets a scope of the loop's own, and what moves avoids that.
    """
    found: dict[int, str] = {}
    scopes = []
    for group in apart:
        scope = module.add_metadata(f"distinct !{{{{self}}, {module.add_metadata('distinct !{{self}}')}}}")
        scopes.append(module.add_metadata(f"!{{{scope}}}"))
        for nodes, kind in ((group.fixed, "alias.scope"), (group.moving, "noalias")):
            known = found.get(next(iter(nodes)), tags[group.array])  # accesses of one part are in the same parts always
            found.update(dict.fromkeys(nodes, _extended(module, known, kind, scope)))
    return found, scopes


def _extended(module: Module, tags: str, kind: str, scope: str) -> str:
    """The tags with one more scope in the list of this kind."""
    lists = dict(part.split(" ") for part in tags.split(", !")[1:])
    known = module.metadata[int(lists[kind][1:])][2:-1] if kind in lists else ""
    lists[kind] = module.add_metadata(f"!{{{', '.join(filter(None, (known, scope)))}}}")
    return "".join(f", !{name} {number}" for name, number in lists.items())


def alias_tags(module: Module, classes: Mapping[str, str]) -> dict[str, str]:
    """The metadata that accesses through each name carry: its own scope, and that it avoids all others."""
    leaders = sorted(set(classes.values()))
    if len(leaders) < 2:
        return dict.fromkeys(classes, "")
    domain = module.add_metadata("distinct !{{self}}")
    scopes = {leader: module.add_metadata(f"distinct !{{{{self}}, {domain}}}") for leader in leaders}
    own = {leader: module.add_metadata(f"!{{{scope}}}") for leader, scope in scopes.items()}
    others = {
        leader: module.add_metadata(f"!{{{', '.join(s for other, s in scopes.items() if other != leader)}}}")
        for leader in leaders
    }
    return {n: f", !alias.scope {own[leader]}, !noalias {others[leader]}" for n, leader in classes.items()}
