"""The backward form of a store: the stored value gets the cotangents of the elements, which were others before.

    a[items] = v        v_bar += a_bar[items]; a_bar[items] = 0        (not zeroed where nothing was stored before)
    a[items] += v       v_bar += a_bar[items]
    add_at(a, items, v) v_bar += a_bar[items]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...dtypes import INT_WORD
from ...ops.cotangents import as_type, length
from ...ops.type_rules import dims_of
from ...types import Array, Scalar
from .cotangents import Cotangents
from .declared import leaf_type
from .loads import is_mask, is_plain_index

if TYPE_CHECKING:
    from .sweep import Sweep


def of_store(sweep: Sweep, frame: Cotangents, statement: gast.Assign) -> None:
    base, source = statement.targets[0].value.id, statement.value
    if base not in sweep.active or frame.untouched(base):
        return
    items = list(sweep.atoms(statement, statement.targets[0].slice).elts)
    if id(statement) in sweep.plan.accumulations:
        _of_accumulation(sweep, frame, statement, base, items)
        return
    is_first = id(statement) in sweep.plan.firsts
    is_active = isinstance(source, gast.Name) and source.id in sweep.active
    if is_first and not is_active:
        return
    bar = frame.in_place(base)
    value = _taken(sweep, frame, bar, items, is_zeroed=not is_first) if is_active else None
    if not is_first:
        frame.builder.append(syntax.store(bar.id, items, 0.0))
    if value is not None:
        _give(sweep, frame, source.id, value)


def _of_accumulation(
    sweep: Sweep, frame: Cotangents, statement: gast.Assign, base: str, items: list[gast.expr]
) -> None:
    """`a[items] += v`: the elements keep their cotangents, and the added value gets them too."""
    found = sweep.plan.accumulations[id(statement)]
    if not isinstance(found.added, gast.Name) or found.added.id not in sweep.active:
        return
    value: gast.expr = frame.builder.load(frame.in_place(base), items, "t_bar")
    if found.sign < 0:
        value = frame.builder.call("negative", value, hint=frame.hint(found.added.id))
    _give(sweep, frame, found.added.id, value)


def _taken(sweep: Sweep, frame: Cotangents, bar: gast.Name, items: list[gast.expr], is_zeroed: bool) -> gast.expr:
    """The cotangents of the stored elements, apart from an array that is about to be zeroed."""
    value = frame.builder.load(bar, items, "t_bar")
    whole = syntax.tuple_(items)
    if is_plain_index(whole, sweep.types):
        if is_zeroed and isinstance(sweep.types[value.id], Array):
            return frame.builder.call("copy", value, hint="t_bar")
        return value
    if is_mask(items, sweep.types):
        return value
    return _of_last_writers(sweep, frame, bar, items, value)


def _of_last_writers(
    sweep: Sweep, frame: Cotangents, bar: gast.Name, items: list[gast.expr], value: gast.expr
) -> gast.expr:
    """Where an index names an element more than once the last value stays, and alone has a cotangent."""
    build = frame.builder
    order = _numbered(sweep, frame, [i for i in items if isinstance(i, gast.Name)], value)
    lengths = [sweep.length(bar, k) or build.call("dim", bar, axis=k) for k in range(sweep.types[bar.id].ndim)]
    writer = build.call("zeros", shape=syntax.tuple_(lengths), dtype=INT_WORD, hint="writer")
    build.append(syntax.store(writer.id, items, order))
    last = build.call("equal", build.load(writer, items, "last"), order, hint="stays")
    return build.call("where", last, value, 0.0, hint="t_bar")


def _numbered(sweep: Sweep, frame: Cotangents, names: list[gast.Name], value: gast.expr) -> gast.expr:
    """The numbers 0, 1, ... in the shape of the value, in the order in which a store goes through it."""
    build = frame.builder
    like = next((n for n in names if dims_of(sweep.types[n.id]) == dims_of(sweep.types[value.id])), None)
    # the lengths of an index array may be known without reading it
    lengths = [(like and sweep.length(like, k)) or length(build, value, k) for k in range(sweep.types[value.id].ndim)]
    size = lengths[0]
    for one in lengths[1:]:
        size = build.call("multiply", size, one, hint="size")
    order = build.call("arange", 0, size, 1, shape=syntax.tuple_([size]), dtype=INT_WORD, hint="order")
    return order if len(lengths) == 1 else build.call("reshape", order, shape=syntax.tuple_(lengths), hint="order")


def of_add_at(sweep: Sweep, frame: Cotangents, statement: gast.Expr) -> None:
    place, items, source = statement.value.args
    if place.id not in sweep.active or not isinstance(source, gast.Name) or source.id not in sweep.active:
        return
    if frame.untouched(place.id):
        return
    bar = frame.in_place(place.id)
    kept = list(sweep.atoms(statement, items).elts)
    _give(sweep, frame, source.id, frame.builder.load(bar, kept, "t_bar"))


def _give(sweep: Sweep, frame: Cotangents, source: str, value: gast.expr) -> None:
    """Add the cotangent of stored elements to that of the stored value, which may have been spread over them."""
    wanted, given = leaf_type(sweep.types, source), frame.builder.type_of(value)
    if isinstance(given, Array):
        value = _summed(frame, value, given, wanted)
    frame.add(source, as_type(frame.builder, value, wanted, frame.hint(source)), fresh=True)


def _summed(frame: Cotangents, value: gast.expr, given: Array, wanted: Array | Scalar) -> gast.expr:
    dims = wanted.dims if isinstance(wanted, Array) else ()
    lead = given.ndim - len(dims)
    if lead == given.ndim:
        return frame.builder.call("sum", value, axis=None, keepdims=False, hint="t_bar")
    spread = [k for k in range(len(dims)) if dims[k] == 1 and given.dims[lead + k] != 1]
    if spread:
        axes = tuple(lead + k for k in spread)
        value = frame.builder.call("sum", value, axis=axes if len(axes) > 1 else axes[0], keepdims=True, hint="t_bar")
    if lead > 0:
        axes = tuple(range(lead))
        value = frame.builder.call("sum", value, axis=axes if len(axes) > 1 else 0, keepdims=False, hint="t_bar")
    return value
