"""The promise of a `noalias` loop, as metadata of LLVM's: what is stored by one index is reached by no other.

    for j in noalias(i + 1, n):          a[i, k], a[i, j] and a[k, j] get a scope each, which the others avoid:
        a[i, j] -= a[i, k] * a[k, j]     a[i, k] may live in a register, and a row be read ahead of the other
"""

from __future__ import annotations

from collections.abc import Mapping

import gast

from ... import syntax
from ...analysis.memory.noalias import is_noalias
from ...optimise.independent import element_places
from .frame import Emission
from .storage import split_tags
from .text import Tag, Tags

DECLARATION = "llvm.experimental.noalias.scope.decl"


def declared(frame: Emission, node: gast.For) -> Mapping[int, Tags]:
    """The tags of the accesses of the loop that comes next, by their nodes, besides those of their arrays."""
    if not is_noalias(node):
        return {}
    places = list(element_places(node.body))
    found: dict[int, Tags] = {}
    for array in dict.fromkeys(place.value.id for place, is_store in places if is_store):
        groups: dict[object, list[int]] = {}
        for place, _ in places:
            if place.value.id == array:
                groups.setdefault(syntax.form_of(place.slice), []).append(id(place))
        tags, scopes = split_tags(frame.module, frame.array(array).tags, list(groups.values()))
        found |= tags
        for scope in scopes:  # one by one, as LLVM demands
            frame.module.declare(DECLARATION, f"declare void @{DECLARATION}(metadata)")
            start = f"call void {frame.code.mention(DECLARATION).text}(metadata "
            frame.code.effect(start, (Tag("scope", scope),), end=")")
    return found
