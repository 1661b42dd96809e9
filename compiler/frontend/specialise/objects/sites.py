"""Allocation sites of dicts, sets and deques, and what is known of their items from there on.

    d = {}                 1st walk: a dict that is empty         2nd walk: a dict for ints and floats
    for i in range(n):
        d[k[i]] = x[i]     a dynamic key: walk again        ->    d has room for it

What a dynamic container holds is decided at its allocation site, but a walk finds it out only later.  Then it starts
again with what it has learned; each time the known forms hold more, so this terminates.
"""

from __future__ import annotations

from typing import Any

import gast

from ...source.read import span_of
from ..frame import Anew, Frame
from ..kinds import forms
from ..values import Conflict, Ref, Value

Site = tuple[Any, ...]
Columns = tuple[Value, ...]
WHOLE = -1  # instead of a column: the container itself


def site_of(frame: Frame, node: gast.AST) -> Site:
    """The location of a display or a call, with the calls around it."""
    found: list[Any] = [span_of(node, frame.source.file) if hasattr(node, "lineno") else None]
    walker: Frame | None = frame
    while walker is not None:
        found.append(walker.call_span)
        walker = walker.caller
    return tuple(found)


def note(frame: Frame, made: Ref, node: gast.AST) -> Ref:
    """Remember where an object was made."""
    frame.heap.sites[made.number] = site_of(frame, node), WHOLE
    return made


def note_column(frame: Frame, made: Ref, place: int, node: gast.AST) -> Ref:
    """Remember that a list is the column at this position of the container that is made here."""
    frame.heap.sites[made.number] = site_of(frame, node), place
    return made


def known_forms(frame: Frame, node: gast.AST) -> Columns | None:
    """What a container that is made here will hold, if an earlier walk found it out."""
    return frame.task.learned.forms.get(site_of(frame, node))


def made_with(frame: Frame, columns: Columns, node: gast.AST) -> Columns:
    """The same for one that is known here to hold items of these forms, at least."""
    table, site = frame.task.learned.forms, site_of(frame, node)
    table[site] = columns if site not in table else joined(frame, columns, table[site], node)
    return table[site]


def learn(frame: Frame, number: int, columns: Columns, node: gast.AST) -> None:
    """Start again, with room for items of these forms in a container; returns where it was not made here."""
    table, places = frame.task.learned.forms, _places(frame, number)
    columns = tuple(forms.with_room_for_tuples(frame, form) for form in columns)
    for site, _ in places:
        table[site] = columns if site not in table else joined(frame, table[site], columns, node)
    if places:
        raise Anew


def require_room(frame: Frame, target: Ref, form: Value, node: gast.AST) -> None:
    """Start again where a list that is a column of a container cannot hold an item of this form."""
    for site, place in _places(frame, target.number):
        if place == WHOLE:
            continue
        now = forms.form_of_items(frame, frame.held(target))
        if now is None:
            continue
        both = joined(frame, (now,), (form,), node)[0]
        if not forms.fits(frame, now, both):
            known = frame.task.learned.forms[site]
            frame.task.learned.forms[site] = tuple(both if k == place else other for k, other in enumerate(known))
            raise Anew


def _places(frame: Frame, number: int) -> list[tuple[Site, int]]:
    """The allocation sites of the objects that a number may stand for."""
    sites = frame.heap.sites
    return list(dict.fromkeys(sites[n] for n in sorted(frame.heap.made_of(number)) if n in sites))


def joined(frame: Frame, left: Columns, right: Columns, node: gast.AST) -> Columns:
    """The forms that hold items of both, column by column."""
    both = [forms.join_forms(frame, a, b) for a, b in zip(left, right, strict=True)]
    for form in both:
        if isinstance(form, Conflict):
            frame.fault("T002", f"{form.left} cannot take an item of {form.right}", node, "added here",
                        ("let all keys be alike, and all values",))  # fmt: skip
    return tuple(both)


def forms_of(frame: Frame, number: int) -> Columns | None:
    """The forms that a container was made for."""
    known = [frame.task.learned.forms[site] for site, _ in _places(frame, number) if site in frame.task.learned.forms]
    return known[0] if known else None
