"""Several elements for each thread of an elementwise kernel: what it loads is on its way before it stores anything.

    first = cuda.blockIdx.x * 1024 + cuda.threadIdx.x
    if first + 768 < size:
        x_ahead = cuda.local.array(4, np.float32)
        for k in range(4): i = first + 256 * k; x_ahead[k] = x[i]
        for k in range(4): i = first + 256 * k; y[i] = f(x_ahead[k])
    else: ...one after the other

A GPU needs some 16 bytes of each thread on their way to keep its memory busy, and no compiler may move a load ahead of
a store that could be to the same location.  The short arrays become registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gast

from ... import syntax
from ...dtypes import DTYPE
from ...names import Names
from ...records import dataclass
from ...types import dtype_of
from ..python.templates import numpy_dtype
from .nests import bounds
from .trees import expression, python
from .writing import KernelWriter, first_turn

WANTED = 16  # bytes of a thread's loads that are in flight
MOST = 4  # iterations of a thread, and different elements that an iteration loads
THREADS = 256


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """An element that an iteration loads, the name of the array that keeps it, and the nodes that stand for it."""

    node: gast.Subscript
    name: str
    nodes: tuple[int, ...]


def loads_of(writer: KernelWriter, loop: gast.For) -> list[Load]:
    """What an iteration loads, where all of it can be loaded ahead of what it stores; empty where that does not pay."""
    if not all(isinstance(s, gast.Assign) for s in loop.body):
        return []
    classes = writer.classes
    made = {loop.target.id}
    stored: set[str] = set()
    found: dict[Any, list[gast.Subscript]] = {}
    for node in loop.body:
        base = syntax.stored_base(node)
        if base is None and any(_elements(node.targets[0])):
            return []
        for part in (*_elements(node.value), *(_elements(node.targets[0].slice) if base is not None else ())):
            if classes.get(part.value.id) in stored or not _is_of_turn(writer, part, made):
                return []
            found.setdefault(syntax.form_of(part), []).append(part)
        if base is not None:
            stored.add(classes.get(base, base))
    if not stored or not 0 < len(found) <= MOST:
        return []
    names = Names({*writer.types, *writer.own})
    inner_first = sorted(found.values(), key=lambda nodes: len(_elements(nodes[0])))
    return [Load(nodes[0], names.fresh(f"{nodes[0].value.id}_ahead"), tuple(map(id, nodes))) for nodes in inner_first]


def _elements(node: gast.AST) -> list[gast.Subscript]:
    """Every element that an expression reads, those that stand in an index too."""
    return [part for part in syntax.nodes_of(node) if isinstance(part, gast.Subscript)]


def _is_of_turn(writer: KernelWriter, node: gast.Subscript, made: set[str]) -> bool:
    """Whether an index is made of the number of the iteration and of what is known before."""
    return all(name in made or name not in writer.own for name in syntax.names_read(node.slice))


def turns_of(writer: KernelWriter, loads: Sequence[Load]) -> int:
    """How many iterations each thread takes."""
    if not loads:
        return 1
    widest = max(DTYPE[dtype_of(writer.types[load.node.value.id])].numpy.itemsize for load in loads)
    return min(MOST, max(1, WANTED // widest))


def several(writer: KernelWriter, loop: gast.For, loads: Sequence[Load], turns: int) -> list[gast.stmt]:
    """The statements of a kernel whose threads take `turns` iterations each."""
    i, (_, stop) = loop.target.id, bounds(loop)
    names = Names({*writer.types, *writer.own})
    first, k = names.fresh("first"), names.fresh("k")
    writer.own |= {first, k}
    end = writer.speller.as_dtype(stop, "i64")
    each = syntax.constant(THREADS)
    ahead: list[gast.stmt] = []
    begin = python("{i} = {f} + {n} * {k}", i=i, f=first, n=each, k=k)
    gathered = list(begin)
    for load in loads:
        dtype = numpy_dtype(dtype_of(writer.types[load.node.value.id]))
        ahead += python("{a} = cuda.local.array({n}, {d})", a=load.name, n=syntax.constant(turns), d=dtype)
        gathered += python("{a}[{k}] = {v}", a=load.name, k=k, v=writer.speller.element(load.node))
        kept = gast.Subscript(syntax.name(load.name), syntax.name(k), gast.Load())
        writer.speller.loaded.update(dict.fromkeys(load.nodes, kept))
    body = [*begin, *writer.thread(loop.body)]
    writer.speller.loaded.clear()
    count = expression("range({n})", n=syntax.constant(turns))
    ahead += [gast.For(syntax.target(k), count, gathered, [], None), gast.For(syntax.target(k), count, body, [], None)]
    one_by_one = python("{i} = {f}", i=i, f=first)
    rest = [*writer.thread(loop.body), *python("{i} += {n}", i=i, n=each)]
    one_by_one.append(gast.While(expression("{i} < {s}", i=i, s=end), rest, []))
    start = expression("cuda.blockIdx.x * {n} + cuda.threadIdx.x", n=syntax.constant(turns * THREADS))
    made = python("{f} = {v}", f=first, v=first_turn(loop, writer.speller, start))
    last = syntax.constant((turns - 1) * THREADS)
    made.append(gast.If(expression("{f} + {l} < {s}", f=first, l=last, s=end), ahead, one_by_one))
    return made
