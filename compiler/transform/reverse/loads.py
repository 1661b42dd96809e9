"""The backward form of a load: what an element gives goes to the cotangent of the array that it is an element of.

    y = a[items]        a_bar[items] += y_bar              (integer arrays: add_at, an element may be read twice)
    r = arange(n)
    y = a[r, k]         a_bar[r, k] = y_bar                in a_bar of zeros: no element is read twice
    b = a[:, i]
    y = b[j]            a_bar[j, i] += y_bar               the cotangent of a view is the view of the owner's
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.def_use import def_use
from ...analysis.memory.alias import regions, stored_names
from ...analysis.memory.places import Place
from ...dtypes import is_bool
from ...ops.cotangents import as_type
from ...program import Function
from ...types import Array
from ..compose import within
from .accumulating import accumulate, is_untouched
from .cotangents import Cotangents
from .declared import leaf_type
from .refuse import refuse
from .views import Either, Shown, roots

if TYPE_CHECKING:
    from .sweep import Sweep


def is_plain_index(items: gast.Tuple, types) -> bool:
    """Whether an index has no integer or bool arrays."""
    return not any(isinstance(i, gast.Name) and isinstance(types[i.id], Array) for i in items.elts)


def is_rearrangement(items: gast.Tuple) -> bool:
    """Whether an index keeps every element: it adds axes of length 1, and goes through others from their ends."""
    return all(
        isinstance(i, gast.Constant) and i.value is None
        if not isinstance(i, gast.Slice)
        else (i.lower is None and i.upper is None and (i.step is None or _is_reversed(i)))
        for i in items.elts
    )


def _is_reversed(item: gast.expr) -> bool:
    return isinstance(item, gast.Slice) and isinstance(item.step, gast.Constant) and item.step.value == -1


def _without_new_axes(frame: Cotangents, items: gast.Tuple, value: gast.expr) -> tuple[gast.expr, list[gast.expr]]:
    """The cotangent of a load without the axes that its index added, and the index without them."""
    kept = [i for i in items.elts if not (isinstance(i, gast.Constant) and i.value is None)]
    if len(kept) == len(items.elts) or not isinstance(frame.builder.type_of(value), Array):
        return value, kept
    shown = [i for i in items.elts if isinstance(i, gast.Slice) or (isinstance(i, gast.Constant) and i.value is None)]
    picks = [syntax.constant(0) if isinstance(i, gast.Constant) else syntax.slice_() for i in shown]
    return frame.builder.load(value, picks, frame_hint(value)), kept


def frame_hint(value: gast.expr) -> str:
    return value.id if isinstance(value, gast.Name) else "t_bar"


def of_load(sweep: Sweep, frame: Cotangents, statement: gast.Assign, out_bar: gast.expr) -> None:
    base, items = statement.value.value.id, sweep.atoms(statement, statement.value.slice)
    plain = is_plain_index(items, sweep.types)
    new_axes = any(isinstance(i, gast.Constant) and i.value is None for i in items.elts)
    if new_axes and not plain:
        raise refuse(statement, "G004", "an index that mixes None with integer or bool arrays has no derivative yet")
    value, kept = _without_new_axes(frame, items, out_bar)
    if is_rearrangement(items):
        if any(map(_is_reversed, kept)) and isinstance(frame.builder.type_of(value), Array):
            value = frame.builder.load(value, kept, "t_bar")
        frame.add(base, value)
        return
    if plain:
        sweep.views.note_natural(statement, statement.value.slice.elts)
        add_to_part(sweep, frame, sweep.views.of(base, statement), base, kept, value)
        return
    bar = frame.in_place(base)
    value = as_type(frame.builder, value, sweep.types[bar.id], frame.hint(base))
    if is_mask(kept, sweep.types):
        accumulate(frame, bar.id, kept, value)
    elif is_untouched(frame.builder.body, bar.id, kept) and are_places_distinct(sweep.function, statement.value.slice):
        frame.builder.append(syntax.store(bar.id, kept, value))
    else:
        frame.builder.append(syntax.expression(syntax.call("add_at", bar, syntax.tuple_(kept), value)))


def add_to_part(
    sweep: Sweep, frame: Cotangents, shown: Shown, name: str, items: list[gast.expr], value: gast.expr
) -> None:
    """`name_bar[items] += value`, where the cotangent of a view is the view of its owner's."""
    if not _is_added(sweep, frame, shown, name, items, value):
        _is_added(sweep, frame, Place(name), name, items, value)


def _is_added(
    sweep: Sweep, frame: Cotangents, shown: Shown, name: str, items: list[gast.expr], value: gast.expr
) -> bool:
    """Add it, unless there are no items that say which elements of the owner they are."""
    if isinstance(shown, Either):
        return _is_added_to_either(sweep, frame, shown, name, items, value)
    is_first = frame.untouched(shown.root)
    bar = frame.in_place(shown.root)
    value = as_type(frame.builder, value, sweep.types[bar.id], frame.hint(name))
    found = within(frame.builder, replace(shown, root=bar.id), items, value, sweep.views.natural)
    if found is None:
        return False
    if is_first:
        frame.builder.append(syntax.store(bar.id, *found))
    else:
        accumulate(frame, bar.id, *found)
    return True


def add_section(sweep: Sweep, frame: Cotangents, name: str) -> None:
    """Add what was collected for a parameter alone to its section of the array that was passed in."""
    value = frame.bars.pop(name, None)
    if value is not None:
        everything: list[gast.expr] = [syntax.slice_()] * leaf_type(sweep.types, name).ndim
        add_to_part(sweep, frame, sweep.views.sections[name], name, everything, frame.full(name, value))


def _is_added_to_either(
    sweep: Sweep, frame: Cotangents, shown: Either, name: str, items: list[gast.expr], value: gast.expr
) -> bool:
    """The branch that chose what the name shows, once more; none where that does for one arm only."""
    for root in roots(shown):  # arrays that are made on the way stand before the branch
        frame.in_place(root)
    builder, before = frame.builder, frame.builder.body
    made = syntax.if_(sweep.atom(shown.branch, shown.branch.test), [], [], builder.span)
    is_added = True
    for part, block in ((shown.then, made.body), (shown.other, made.orelse)):
        builder.body = block
        is_added = is_added and _is_added(sweep, frame, part, name, items, value)
    builder.body = before
    if is_added:
        builder.append(made)
    return is_added


def is_mask(items: list[gast.expr], types) -> bool:
    """Whether the only array in an index is one bool array: it reads no element twice."""
    arrays = [types[i.id] for i in items if isinstance(i, gast.Name) and isinstance(types[i.id], Array)]
    return len(arrays) == 1 and is_bool(arrays[0].dtype)


def are_places_distinct(function: Function, items: gast.Tuple) -> bool:
    """Whether an index takes no element twice: one of its arrays counts up from zero, and none is longer."""
    arrays = [i.id for i in items.elts if isinstance(i, gast.Name) and isinstance(function.types[i.id], Array)]
    counts = [name for name in arrays if _is_count(function, name)]
    if not counts or any(function.types[a].dims != function.types[counts[0]].dims for a in arrays):
        return False
    classes = regions(function)
    stored = {classes.root(name) for s in syntax.walk(function.body) for name in stored_names(s)}
    return classes.root(counts[0]) not in stored


def _is_count(function: Function, name: str) -> bool:
    match def_use(function).value_of(name):
        case gast.Call(func=gast.Name(id="arange"), args=[gast.Constant(value=0), _, gast.Constant(value=step)]):
            return isinstance(step, int) and step > 0
    return False
