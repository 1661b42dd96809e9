"""Whether a view of a part of an array shows elements that a store overwrites while the view is there.

    v = a[:k]                  v = a[0]
    a[k:] = w     never        a[-1] = w     if `a` has one row

Both are seen at the moment of the store: what the view counts from must not have changed since it was made.
"""

from __future__ import annotations

from collections.abc import Iterable

import gast

from ... import syntax
from ...program import Function
from ...records import dataclass
from ..integers.nest_scope import NestScope
from ..integers.values import Integers
from .accesses import access, axes_of
from .meeting import Meeting


@dataclass(frozen=True, slots=True, eq=False)
class ShownPart:
    """What a view shows, and the names that it counts from."""

    node: gast.Subscript
    names: frozenset[str]


class Parts:
    """Questions about the views of one function."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.integers = Integers(function)
        self.meeting = Meeting(self.integers)
        self._parts: dict[int, ShownPart] = {}
        self._scopes: dict[int, NestScope] = {}

    def of(self, node: gast.Subscript) -> ShownPart:
        if id(node) not in self._parts:
            items = axes_of(node.slice, self.integers.types, node.value.id)
            names = {name for item in items if item is not None for name in syntax.names_read(item)}
            self._parts[id(node)] = ShownPart(node, frozenset(base for name in names for base in self.bases(name)))
        return self._parts[id(node)]

    def bases(self, name: str) -> frozenset[str]:
        """The names whose values make that of an int."""
        form = self.integers.of(syntax.name(name))
        return frozenset() if form is None else self.integers.names_in(form)

    def are_apart(self, part: ShownPart, store: gast.stmt) -> bool:
        """Whether a store into an array misses all elements that a view of it shows."""
        if not (isinstance(store, gast.Assign) and isinstance(store.targets[0], gast.Subscript)):
            return False
        if not self._scopes:
            self._note(self.function.body, NestScope())
        scope, types = self._scopes[id(store)], self.integers.types
        shown, written = (access(node, scope, types) for node in (part.node, store.targets[0]))
        return not self.meeting.may_meet(shown, written, None, frozenset())

    def _note(self, body: Iterable[gast.stmt], scope: NestScope) -> None:
        for statement in body:
            self._scopes[id(statement)] = scope
            is_loop = isinstance(statement, gast.For | gast.While)
            for block in syntax.blocks_of(statement):
                self._note(block, scope.inside(self.integers.loop(statement)) if is_loop else scope)
