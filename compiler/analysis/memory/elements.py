"""Which elements of one axis an access touches, counted from the front.

    a[i]        i, if it is not negative       a[-1]      n - 1       a[j], of either sign      j, or j + n
    a[lo:hi:2]  lo + 2*t with t >= 0, below hi
    a[:-1]      some e with 0 <= e <= n - 2

Facts that hold of an element go with it.  Those about indices out of bounds are never needed: such an access raises.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ...records import dataclass
from ...types import Array
from ..integers.affine import Affine
from ..integers.nest_scope import NestScope
from ..integers.values import Integers
from .accesses import Access


@dataclass(frozen=True, slots=True)
class Element:
    """Any element of an axis: its position, what is never negative of it, and the unknowns that are its own."""

    place: Affine
    facts: tuple[Affine, ...]
    own: tuple[int, ...] = ()


def elements_of(access: Access, integers: Integers) -> list[Sequence[Element]]:
    """For every axis the kinds of elements that may be meant; none where nothing is known."""
    type_ = integers.types[access.array]
    assert isinstance(type_, Array)
    found: list[Sequence[Element]] = []
    for axis, (item, extent) in enumerate(zip(access.items, type_.dims)):
        length = integers.exactly(extent)
        if item is None:
            found.append(())
        elif isinstance(item, gast.Slice):
            found.append((_slice(item, length, access.scope, integers),))
        else:
            form = integers.of(item)
            is_natural = axis in access.natural
            found.append(() if form is None else _index(form, length, is_natural, access.scope, integers))
    return found


def _index(form: Affine, length: Affine, is_natural: bool, scope: NestScope, integers: Integers) -> Sequence[Element]:
    front = Element(form, (form, (length - form).plus(-1)))
    if is_natural or integers.is_natural(form, scope):
        return (front,)
    back = Element(form + length, (form + length, form.times(-1).plus(-1)))
    return (back,) if integers.is_natural(form.times(-1).plus(-1), scope) else (front, back)


def _slice(item: gast.Slice, length: Affine, scope: NestScope, integers: Integers) -> Element:
    step = 1 if item.step is None else item.step.value if isinstance(item.step, gast.Constant) else 0
    starts, ends = (_bounds(part, length, scope, integers) for part in (item.lower, item.upper))
    number = integers.fresh("element")
    place, anchor = Affine(0, ((number, 1),)), None
    facts: list[Affine] = []
    if step > 0:
        facts = [*(place - start for start in starts[:1]), *((end - place).plus(-1) for end in ends[-1:])]
        if item.lower is None:
            anchor = Affine(0)
        elif len(starts) == 1 and integers.is_natural(starts[0], scope):
            anchor = starts[0]
    elif step < 0:  # a slice that goes down and starts beyond the end starts at the end
        facts = [*(start - place for start in starts[-1:]), *((place - end).plus(-1) for end in ends[:1])]
        anchor = length.plus(-1) if item.lower is None else None
    if abs(step) > 1 and anchor is not None:
        spread = anchor + place.times(step)
        facts = [place, *(fact.with_value(number, spread) for fact in facts)]
        place = spread
    return Element(place, (*facts, place, (length - place).plus(-1)), (number,))


def _bounds(part: gast.expr | None, length: Affine, scope: NestScope, integers: Integers) -> tuple[Affine, ...]:
    """What a bound of a slice may be, counted from the front: the lesser first where its sign is not known."""
    form = None if part is None else integers.of(part)
    if form is None:
        return ()
    if integers.is_natural(form, scope):
        return (form,)
    return (form + length,) if integers.is_natural(form.times(-1).plus(-1), scope) else (form, form + length)
