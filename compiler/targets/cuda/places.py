"""Where the numbers of a driver lie: on the host, or in cells, arrays without axes on the device.

    total = 0.0                                      total is a cell: it is made on the device and
    for i in lanes(n): total += x[i]                 read by kernels alone, so that nothing waits for it
    if total > 0.0: ...                              needed on the host: it is fetched, and that waits

A number is made on the device if a loop over elements or an element makes it; a test, the bound of a loop and a shape
need theirs on the host.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import gast

from ... import syntax
from ...analysis.def_use import reads_of
from ...analysis.folds import choices_in, is_folding
from ...analysis.lanes import carried
from ...ops.forms import LIBRARY
from ...program import Function
from ...types import Array, Scalar
from .lists import is_of_lists
from .nests import kind_of
from .trees import mentioned_itself

CHOSEN = frozenset({"f64", "f32", "i64", "i32", "u64", "u8"})  # `runtime/kernels/folds.py` finds an extreme of these
FOLDED = CHOSEN - {"u8"} | {"c64", "c128"}  # it adds up and multiplies these
FOLDING = frozenset({"lanes", "folding"})
DEVICE_LOOPS = frozenset({"prange", "lanes", "folding"})


def launches(body: Iterable[gast.stmt]) -> bool:
    """Whether there is a loop below these statements whose iterations are taken together, or a routine of a library."""
    return any(kind_of(s) in DEVICE_LOOPS or _is_routine(s) for s in syntax.walk(body))


def calls_routine(body: Iterable[gast.stmt]) -> bool:
    """Whether a statement, or one in it, calls a routine of a library."""
    return any(_is_routine(s) for s in syntax.walk(body))


def _is_routine(node: gast.stmt) -> bool:
    value = getattr(node, "value", None)
    return isinstance(value, gast.AST) and any(syntax.operator_of(c) in LIBRARY for c in syntax.calls_in(value))


def cells_of(function: Function) -> frozenset[str]:
    """The names of numbers that lie on the device."""
    made: set[str] = set()
    while True:
        before = len(made)
        made |= set(_made_on_device(function, function.body, made))
        if len(made) == before:
            break
    return frozenset(
        name for name in made - set(_needed_on_host(function, function.body)) if _is_of_kernels(function, name)
    )


def _is_of_kernels(function: Function, name: str) -> bool:
    """Whether kernels have numbers of this dtype."""
    type_ = function.types[name]
    return isinstance(type_, Scalar)


def _made_on_device(function: Function, body: Sequence[gast.stmt], known: set[str]) -> Iterator[str]:
    for node in body:
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                is_scalar = isinstance(function.types.get(name), Scalar)
                if (
                    is_scalar
                    and not _is_routine(node)
                    and (loads(function, value) or known & set(syntax.names_read(value)))
                ):
                    yield name
            case gast.For() if kind_of(node) in FOLDING:
                yield from handed_on(node)
            case gast.For() if kind_of(node) in DEVICE_LOOPS:
                pass
            case gast.For() | gast.While() if not launches([node]):
                pass  # all of it is on the host
            case _:
                for block in syntax.blocks_of(node):
                    yield from _made_on_device(function, block, known)


def handed_on(loop: gast.stmt) -> list[str]:
    """The names that the iterations of a loop accumulate, and what they choose."""
    chosen = [name for choice in choices_in(loop) for name in choice.names] if is_folding(loop) else []
    return list(dict.fromkeys([*carried(loop.body), *chosen]))


def _needed_on_host(function: Function, body: Sequence[gast.stmt]) -> Iterator[str]:
    for node in body:
        if is_of_lists(node, function.types):
            yield from mentioned_itself(node)
        match node:
            case gast.For(iter=iter_) if kind_of(node) in DEVICE_LOOPS:
                yield from syntax.names_read(iter_)
                yield from _inner_bounds(node)
            case gast.For() | gast.While() if not launches([node]):
                for statement in syntax.walk([node]):
                    yield from reads_of(statement)
                    yield from syntax.names_bound(statement)
            case gast.For(iter=iter_, body=inner):
                yield from syntax.names_read(iter_)
                yield node.target.id
                yield from _needed_on_host(function, inner)
            case gast.If(test=test) | gast.While(test=test):
                yield from syntax.names_read(test)
                for block in syntax.blocks_of(node):
                    yield from _needed_on_host(function, block)
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if isinstance(function.types.get(name), Array):
                yield from syntax.names_read(value)
            case gast.Raise() | gast.Expr():
                yield from reads_of(node)


def _inner_bounds(loop: gast.For) -> Iterator[str]:
    """What bounds of the loops of a perfect nest need: its launch depends on them."""
    for node in syntax.walk(loop.body):
        if kind_of(node) == "prange":
            yield from syntax.names_read(node.iter)


def loads(function: Function, value: gast.AST) -> bool:
    """Whether an expression reads an element."""
    return any(
        isinstance(node, gast.Subscript) and isinstance(function.types.get(node.value.id), Array)
        for node in syntax.nodes_of(value)
    )
