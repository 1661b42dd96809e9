"""Loops over products of matrices, which a library takes in one call.

    for i in prange(n):                                  gemm_batched(c, a, b)
        a_part = a[i]
        c_part = c[i]                            ->
        gemm(c_part, a_part, b)

An axis that is not the first one comes to the front, `a.transpose((1, 0, 2))`, and one that an operand lacks beside
others that it has is `a[:, None]`: strides say both to the library, and nothing is copied.  Of what all iterations
share, the library is given one matrix.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import gast

from ... import syntax
from ...analysis.liveness import Liveness
from ...analysis.memory.storage import storage_classes
from ...ops.forms import ROUTINES
from ...program import Function
from ...records import dataclass
from ...types import Array, Extent
from .nests import begins_with_zero, bounds, steps_by_one

BATCHED = {name: row.batched for name, row in ROUTINES.items() if row.batched}


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """An operand of the call in a loop: `whole[i, :, j]`; `axes` are those that loops count along, by variable."""

    whole: str
    axes: Mapping[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """A nest of loops with views and one product in it; the results come first among the parts."""

    loops: tuple[gast.For, ...]
    routine: str
    parts: tuple[Part, ...]


def batch_of(function: Function, live: Liveness, loop: gast.stmt) -> Batch | None:
    """The loop as one product of many matrices; None where it is none.

    Iterations must not need each other: each writes a part of its own, and none reads what another writes.
    """
    loops, body = _nest(loop)
    calls = [s.value for s in body if isinstance(s, gast.Expr) and syntax.operator_of(s.value) in BATCHED]
    views = {s.targets[0].id: s.value for s in body if _is_view(s)}
    names = {loop.target.id for loop in loops}
    rest = [s for s in body if not isinstance(s, gast.Delete) and not _is_view(s)]
    if len(calls) != 1 or len(rest) != 1 or views.keys() & names or (views.keys() | names) & live.after(loop):
        return None
    parts = [_part(function, views.get(o.id, o), names) for o in calls[0].args]
    found = [part for part in parts if part is not None]
    if len(found) < len(parts) or any(part.whole in views for part in found):
        return None
    result, *read = found
    classes = storage_classes(function)
    if result.axes.keys() != names or classes.get(result.whole) in {classes.get(part.whole) for part in read}:
        return None
    lengths = _lengths(function, loops)
    if not all(_fits(function, part, lengths) for part in found):
        return None
    return Batch(tuple(loops), str(syntax.operator_of(calls[0])), tuple(found))


def _nest(loop: gast.stmt) -> tuple[list[gast.For], Sequence[gast.stmt]]:
    """Loops that count from zero, each of them all that there is in the one before, and what is in the last."""
    loops: list[gast.For] = []
    body: Sequence[gast.stmt] = [loop]
    while len(body) == 1 and steps_by_one(body[0]) and begins_with_zero(body[0]):
        loops.append(body[0])
        body = body[0].body
    return loops, body


def _is_view(node: gast.stmt) -> bool:
    match node:
        case gast.Assign(targets=[gast.Name()], value=gast.Subscript(value=gast.Name())):
            return True
    return False


def _part(function: Function, node: gast.expr, names: Iterable[str]) -> Part | None:
    """An operand that takes whole axes but for those that loops count along."""
    if isinstance(node, gast.Name):
        return Part(node.id, {}) if isinstance(function.types.get(node.id), Array) else None
    items = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
    axes: dict[str, int] = {}
    for axis, item in enumerate(items):
        match item:
            case gast.Slice(lower=None, upper=None, step=None):
                continue
            case gast.Name(id=name) if name in names and name not in axes:
                axes[name] = axis
            case _:
                return None
    return Part(node.value.id, axes)


def _lengths(function: Function, loops: Sequence[gast.For]) -> dict[str, Extent | None]:
    """How many iterations each loop has, as an extent of types; None where no type says it."""
    values: dict[str, list[gast.AST]] = {}
    for node in syntax.walk(function.body):
        for name in syntax.names_bound(node):
            values.setdefault(name, []).append(node.value if isinstance(node, gast.Assign) else node)
    return {loop.target.id: _extent(function, bounds(loop)[1], values) for loop in loops}


def _extent(function: Function, node: gast.AST, values: Mapping[str, Sequence[gast.AST]]) -> Extent | None:
    match node:
        case gast.Constant(value=int(value)):
            return value
        case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=name)]):
            type_ = function.types[name]
            return type_.dims[syntax.static_of(node)["axis"]] if isinstance(type_, Array) else None
        case gast.Name(id=name) if len(values.get(name, ())) == 1 and name not in function.parameters:
            return _extent(function, values[name][0], values)
    return None


def _fits(function: Function, part: Part, lengths: Mapping[str, Extent | None]) -> bool:
    """Whether the loops go to the ends of the axes that they count along."""
    dims = function.types[part.whole].dims  # type: ignore[union-attr]
    return all(lengths[name] is not None and dims[axis] == lengths[name] for name, axis in part.axes.items())


# --- as one call ------------------------------------------------------------------------------------------------------


def operand(part: Part, batch: Batch, function: Function) -> gast.expr:
    """The array whose first axes are those of the loops, in their order; first ones that it lacks are left out."""
    present = [loop.target.id for loop in batch.loops if loop.target.id in part.axes]
    order = [part.axes[name] for name in present]
    rank = len(function.types[part.whole].dims)  # type: ignore[union-attr]
    order += [axis for axis in range(rank) if axis not in order]
    whole: gast.expr = syntax.name(part.whole)
    if order != list(range(rank)):
        method = gast.Attribute(whole, "transpose", gast.Load())
        whole = gast.Call(method, [syntax.literal(tuple(order))], [])
    names = [loop.target.id for loop in batch.loops]
    first = names.index(present[0]) if present else len(names)
    items = [syntax.slice_() if name in part.axes else syntax.constant(None) for name in names[first:]]
    if all(isinstance(item, gast.Slice) for item in items):
        return whole
    return gast.Subscript(whole, syntax.tuple_(items) if len(items) > 1 else items[0], gast.Load())
