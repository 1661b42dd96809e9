"""What has to be in memory before a statement runs, because the statement overwrites its operands.

    y = x * 2.0              y = x * 2.0
    x[0] = 1.0        ->     y is written out here: what is read of x afterwards would be another value
    s = sum(y)               x[0] = 1.0

Loops and branches count as one statement that may change all that is changed inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import gast

from .. import syntax
from ..analysis.def_use import reads_of
from ..types import Array
from .facts import arrays_stored
from .lowering import Lowering
from .nest import flush, materialise, realise
from .nodes import Node, Stored, arrays_read, is_heavy, is_plain_access, names_read


def settle(low: Lowering, statement: gast.stmt) -> None:
    """Put in memory what is still needed during or after a statement and would not be the same then."""
    is_compound = type(statement) in syntax.COMPOUND
    if is_compound:
        flush(low)
    elif not low.nodes or _only_names(low, statement):
        return
    parts = list(syntax.walk([statement]))
    changes = _Changes(low, parts)
    _forget_views(low, changes.assigned)
    if not (is_compound or changes.stores or changes.assigned):
        return
    inside = {name for part in parts for name in reads_of(part)} if is_compound else set()
    after = low.live.after(statement)
    for name, node in list(low.nodes.items()):
        is_its_own = isinstance(node, Stored) and node.name == name
        if not is_its_own and (name in inside or name in after):
            _settle_name(low, name, statement, changes, inside, after)


def _forget_views(low: Lowering, assigned: set[str]) -> None:
    """Forget views at indices that get another value."""
    low.views = {key: (view, names) for key, (view, names) in low.views.items() if assigned.isdisjoint(names)}


def _only_names(low: Lowering, statement: gast.stmt) -> bool:
    """Whether a statement only assigns a name that has no other assignment."""
    if type(statement) is not gast.Assign or type(statement.targets[0]) is not gast.Name:
        return False
    return statement.targets[0].id not in low.facts.merged


def _settle_name(
    low: Lowering, name: str, statement: gast.stmt, changes: _Changes, inside: set[str], after: Iterable[str]
) -> None:
    node = low.resolve(low.nodes[name])
    if changes.overwrite(name, node):
        low.nodes[name] = materialise(low, node, name if isinstance(node, Stored) else None)
    elif changes.rebind(name, node):
        low.nodes[name] = _alias(low, name, node) if isinstance(node, Stored) else realise(low, node)
    elif isinstance(node, Stored) or name not in inside:
        return
    elif isinstance(statement, gast.If):
        if name in after and is_heavy(node, low.resolve):
            realise(low, node)
    elif not is_plain_access(node, low.resolve):
        realise(low, node)


def _alias(low: Lowering, name: str, node: Stored) -> Stored:
    """A second variable for an array whose own is about to be reassigned."""
    made = name if isinstance(low.function.types.get(name), Array) else low.fresh(name)
    low.assign(made, syntax.name(node.name), node.type)
    low.origin[made] = node.name
    return low.stored(made)


class _Changes:
    """The stores and the assignments to merged names in some statements."""

    def __init__(self, low: Lowering, statements: Iterable[gast.stmt]) -> None:
        self.low = low
        self.stores: list[tuple[gast.stmt, str]] = []
        self.assigned: set[str] = set()
        for statement in statements:
            self.stores += [(statement, name) for name in arrays_stored(statement, low.function)]
            self.assigned.update(n for n in syntax.names_bound(statement) if n in low.facts.merged)

    def overwrite(self, name: str, node: Node) -> bool:
        """Whether a store may change what the name is made of, and the name does not share it in the language."""
        leaves = arrays_read(node, self.low.resolve)
        return any(self._clashes(statement, stored, name, node, leaves) for statement, stored in self.stores)

    def _clashes(self, statement: gast.stmt, stored: str, name: str, node: Node, leaves: set[str]) -> bool:
        if not any(self.low.may_share(stored, leaf, statement) for leaf in leaves):
            return False
        return not (isinstance(node, Stored) and (node.name == name or self.low.may_share(stored, name, statement)))

    def rebind(self, name: str, node: Node) -> bool:
        """Whether a variable that the name is read from is reassigned."""
        if isinstance(node, Stored) and node.name == name:
            return False
        return not self.assigned.isdisjoint(names_read(node, self.low.resolve))


def names_assigned(statements: Iterable[gast.stmt]) -> Iterator[str]:
    for statement in syntax.walk(statements):
        yield from syntax.names_bound(statement)
