"""The position of an item of a list: known now, or only at run time, where the list becomes one that grows.

    counts = [0] * 5                     counts = []; counts.append(0), ...
    counts[int(v) % 5] += 1     ->       counts[t] = counts[t] + 1
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import gast

from ....dtypes import INT_WORD
from ....types import Array, Scalar, Type
from .. import protocol
from ..frame import Frame, NeedsStatic
from ..interpreter import evaluate, subscript
from ..interpreter.trial import looking_ahead
from ..library.static_python import stop
from ..objects import sites
from ..values import Conflict, Ref, Rows, Sequence, Static, String, Typed, Value, leaves
from . import containers, forms, known_numbers, rows, string_numbers, strings, tuples


def known_position(
    frame: Frame, base: Value, held: Sequence, items: gast.expr, what: str, node: gast.AST, store: bool = False
) -> int | None:
    """The position of `base[items]`; None where it is dynamic: the list has become one that grows then."""
    value = evaluate.evaluate(frame, items)
    try:
        position = protocol.known(frame, value, items, what)
    except NeedsStatic as needed:
        if not held.items and (frame.is_library or isinstance(base, Ref) and frame.is_integer(value)):
            # nothing was put into it yet: a loop that puts something into it reads that in a later iteration
            needed.place = sites.site_of(frame, node)  # used if unrolling no loop makes it known
            if frame.is_library or needed.place in frame.task.learned.positions:
                stop(frame, "IndexError", f"{held.kind.__name__} {'assignment ' * store}index out of range", node)
        if not isinstance(base, Ref) and are_alike(frame, held):
            help_ = ("make an array of the items first: `np.array(...)`", *needed.diagnostic.help)
            needed.diagnostic = replace(needed.diagnostic, help=help_)
        if not isinstance(base, Ref) and (is_of_numbers(frame, held) or is_of_strings(held)):
            needed.place = sites.site_of(frame, node)  # used if unrolling no loop makes it known
        if not isinstance(base, Ref) or not are_alike(frame, held):
            raise
        if base.number in frame.builder.before_loop:
            needed.list = base.number  # unrolling the loop may make it known
            raise
        let_numbers_grow(frame, base.number, node)
        return None
    if not isinstance(position, int):
        what = f"{held.kind.__name__} indices must be integers or slices, not {type(position).__name__}"
        frame.fault("T001", what, node, "indexed here")
    if not -len(held.items) <= position < len(held.items):
        stop(frame, "IndexError", f"{held.kind.__name__} {'assignment ' * store}index out of range", node)
    return position


def of_tuple(frame: Frame, held: Sequence, items: gast.expr, node: gast.AST, hint: str) -> Value | None:
    """`t[k]` of a tuple of numbers or strings, where `k` was found to be dynamic: its items are in an array."""
    if held.kind is not tuple or sites.site_of(frame, node) not in frame.task.learned.positions:
        return None
    position = evaluate.evaluate(frame, items)
    if isinstance(position, Static) or not (is_of_numbers(frame, held) or is_of_strings(held)):
        return None
    position = known_numbers.as_int(frame, position, node)
    rows.require_within(frame, Static(len(held.items)), position, tuple, node)
    if is_of_strings(held):
        numbers = tuple(string_numbers.as_string(frame, text).number for text in held.items)
        return String(strings.entry(frame, numbers, position, INT_WORD, node, hint))
    element = frame.type_of(held.items[0])
    assert isinstance(element, Scalar)
    table = strings.table(frame, held.items, element.dtype, node)
    found = subscript.element(frame, table, [frame.atom(position, node)], node, hint)
    return frame.emit("cast", found, node=node, hint=hint, dtype=element.dtype, weak=element.weak)


def cut_by_run(frame: Frame, base: Value, held: Sequence, items: gast.Slice, node: gast.AST) -> bool:
    """Whether a slice has dynamic bounds: for a tuple this was found out before; a list becomes one that grows."""
    written = [bound for bound in (items.lower, items.upper, items.step) if not isinstance(bound, gast.Constant | None)]
    if not written or not are_alike(frame, held):
        return False
    try:
        with looking_ahead(frame):
            containers.bounds_of(frame, items)
    except NeedsStatic as needed:
        if isinstance(base, Ref) and base.number not in frame.builder.before_loop:
            return let_numbers_grow(frame, base.number, node)
        if isinstance(base, Ref):
            needed.list = base.number  # unrolling the loop may make it known
        elif sites.site_of(frame, node) in frame.task.learned.positions:
            return True
        else:
            needed.place = sites.site_of(frame, node)  # used if unrolling no loop makes it known
        raise
    return False


def part_of_tuple(frame: Frame, held: Sequence, items: gast.Slice, node: gast.AST) -> Value:
    """`t[:k]` of a tuple with items of one kind, where `k` is dynamic: a tuple of dynamic length."""
    whole = tuples.of_run(frame, held, node)
    assert isinstance(whole, Rows)
    return rows.sliced(frame, whole, items, node)


def is_of_numbers(frame: Frame, held: Value) -> bool:
    return are_alike(frame, held) and isinstance(held, Sequence) and frame.is_scalar(held.items[0])


def is_of_strings(held: Sequence) -> bool:
    return bool(held.items) and all(string_numbers.is_string(v) and not string_numbers.is_built(v) for v in held.items)


def are_alike(frame: Frame, held: Value) -> bool:
    """Whether it is a list of items of one kind, so that it can be one that grows."""
    if not isinstance(held, Sequence):
        return False
    form = forms.form_of_items(frame, held)
    if form is None or isinstance(form, Conflict):
        return False
    kinds = {_kind(frame.type_of(item)) for item in held.items}
    return len(kinds) == 1 and any(isinstance(leaf, Typed) for leaf in leaves(forms.with_room(frame, form)))


def _kind(found: Type | None) -> Hashable:
    """What items of one kind have in common: arrays may differ in their lengths."""
    return (found.dtype, found.ndim) if isinstance(found, Array) else found


def let_numbers_grow(frame: Frame, number: int | None, node: gast.AST) -> bool:
    """Make a list of numbers one that grows from here on; whether it was one of known length."""
    held = None if number is None else frame.heap.contents.get(number)
    if number is None or not isinstance(held, Sequence) or not are_alike(frame, held):
        return False
    form = forms.form_of_items(frame, held)
    assert form is not None
    containers.let_grow(frame, Ref(number), forms.with_room(frame, form), node)
    return True
