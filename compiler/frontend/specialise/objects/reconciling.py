"""Dicts and sets that differ where paths meet: the walk starts again and makes one that holds the contents of both.

    d = {}                                      d = {} for ints and floats, from where it is made
    for i in range(n): d[0] = x[i]     ->

A dict with keys that are known now has the same keys on all paths, or else it is a hash table.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..frame import Frame
from ..joins.merge import Join
from ..kinds import forms, keyed
from ..values import Conflict, Mapping_, Sequence, Typed, Value, is_sequence, leaves
from . import sites


def learn_from(join: Join, numbers: tuple[int, int], sides: tuple[Value, Value]) -> None:
    """Start again where both sides can be one hash table; return where they cannot."""
    frame = join.frame
    found = [_columns(frame, number, side, contents)
             for number, side, contents in zip(numbers, sides, (join.left, join.right), strict=True)]  # fmt: skip
    if None in found:
        return
    known = [columns for columns in found if columns]
    if not known or len({len(columns) for columns in known}) > 1:
        return
    result = known[0]
    for other in known[1:]:
        both = [forms.join_forms(frame, a, b) for a, b in zip(result, other, strict=True)]
        if any(isinstance(form, Conflict) for form in both):
            return
        result = tuple(both)
    for number, side in zip(numbers, sides, strict=True):
        if isinstance(side, Mapping_ | Sequence):
            sites.learn(frame, number, result, frame.node or frame.source.tree)


def _columns(frame: Frame, number: int, side: Value, contents: Mapping[int, Value]) -> sites.Columns | None:
    """What a dict or set holds; nothing for an empty one, None for anything else."""
    if isinstance(side, Mapping_):
        pairs: list[tuple[Value, ...]] = [(keyed.as_key(key), value) for key, value in side.items]
    elif is_sequence(side, set):
        pairs = [(item,) for item in side.items]
    else:
        return sites.forms_of(frame, number) if keyed.record_of(frame, side) is not None else None
    result: sites.Columns = ()
    for pair in pairs:
        own = tuple(forms.form_of(frame, part, contents) for part in pair)
        if not any(isinstance(leaf, Typed) for leaf in leaves(own[0])):
            return None
        both = [forms.join_forms(frame, a, b) for a, b in zip(result, own, strict=True)] if result else list(own)
        if any(isinstance(form, Conflict) for form in both):
            return None
        result = tuple(both)
    return result
