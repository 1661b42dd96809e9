"""The promise of a `noalias` loop: no element that is stored by one index in it is reached by another.

    for j in noalias(k + 1, n):          a[i, j], a[i, k] and a[k, j] are three different elements, in all iterations
        a[i, j] -= a[i, k] * a[k, j]

Indices are the same where they are spelled the same.  So that spelling alone distinguishes elements, an array that is
stored to has one name in the loop, and that name is always the same array.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

import gast

from ... import syntax
from ...program import Function
from ...types import Array, Type
from ..def_use import reads_of
from .storage import storage_classes

NOALIAS = "noalias"


def is_noalias(node: gast.stmt) -> TypeGuard[gast.For]:
    return isinstance(node, gast.For) and syntax.operator_of(node.iter) == NOALIAS


def is_plain(body: Sequence[gast.stmt], types: Mapping[str, Type], classes: Mapping[str, str]) -> bool:
    """Whether there are only assignments and branches, and what is stored to has one name and is one array."""
    statements = list(syntax.walk(body))
    if not all(isinstance(s, gast.Assign | gast.If | gast.Pass) for s in statements):
        return False
    stored = {base for s in statements if (base := syntax.stored_base(s)) is not None}
    bound = {name for s in statements for name in syntax.names_bound(s)}
    mentioned = bound.union(stored, *(reads_of(s) for s in statements))
    alike = [name for name in mentioned if classes.get(name) in {classes[base] for base in stored}]
    if not all(isinstance(types[base], Array) for base in stored):
        return False
    return stored.isdisjoint(bound) and len(alike) == len(stored) == len({classes[base] for base in stored})


def noalias_faults(function: Function) -> Iterator[tuple[gast.stmt, str]]:
    """Loops whose body alone does not show which elements the promise is about."""
    for loop in filter(is_noalias, syntax.walk(function.body)):
        if not is_plain(loop.body, function.types, storage_classes(function)):
            yield loop, "`noalias` is no promise where an array that is stored to has another name, or a loop is inside"
