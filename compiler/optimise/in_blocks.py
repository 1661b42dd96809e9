"""A statement whose blocks a pass has changed, each for itself or in the light of the loops around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gast

from .. import syntax
from ..analysis.integers.nest_scope import NestScope
from ..analysis.integers.values import Integers

BlockChange = Callable[[Sequence[gast.stmt]], list[gast.stmt] | None]
Change = Callable[[Sequence[gast.stmt], NestScope], list[gast.stmt] | None]


def with_blocks(node: gast.stmt, change: BlockChange, **changes: object) -> gast.stmt:
    """The statement with what `change` makes of its blocks, and with other fields; the same object where nothing is."""
    for field in ("body", "orelse"):
        block = getattr(node, field, None)
        new = change(block) if isinstance(block, list | tuple) else None
        if new is not None:
            changes[field] = new
    return syntax.rebuild(node, **changes) if changes else node


def in_blocks(node: gast.stmt, scope: NestScope, integers: Integers, change: Change) -> gast.stmt:
    """The statement with what `change` makes of its blocks; the same object where that is None for all of them."""
    if isinstance(node, gast.For | gast.While):
        scope = scope.inside(integers.loop(node))
    return with_blocks(node, lambda block: change(block, scope))
