"""Waiting for calls that go on after they have returned.

    block_until_ready(params)    ->    the same container, once all its arrays are computed
"""

from __future__ import annotations

from typing import TypeVar

from .runtime.array import Array
from .tree import leaves

Tree = TypeVar("Tree")


def block_until_ready(tree: Tree) -> Tree:
    """The container itself, once all Arrays in it are computed.

    tree  tuples, lists, dicts, NamedTuples and dataclasses of anything

    Raises the error of a call that should have made one of them.
    """
    for leaf in leaves(tree):
        if isinstance(leaf, Array):
            leaf.block_until_ready()
    return tree
