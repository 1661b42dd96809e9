"""Of which array a name shows a part, and which part.

    row = a[i, :]            row     the part [i, :] of a
    head = row[:2]           head    the part [:2] of that
    if c: r = a[0, :]
    else: r = a[j, :]        r       the part [k, :] of a, where k is 0 or j by the path that was taken

A name that merges values has a place where all of them show the same part of one array, but for ints: those get a name
(`Choice`) that merges with it.  What is made anew, and what is not known, is a root: a place of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import gast

from ... import syntax
from ...ops import schema
from ...ops.forms import VIEWS
from ...program import Function
from ...records import dataclass
from ...types import Array, Scalar, Type
from .alias import shown_by


@dataclass(frozen=True, slots=True, eq=False)
class ViewStep:
    """One operator that gives a view: its expression, where `operand` stands for what it is a view of.

    Where slices have no end, the view is as long as the array `lengths_of`, if there is one.
    """

    value: gast.expr
    operand: str
    type: Array
    lengths_of: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A part of `root`: what these operators, one after the other, show of it."""

    root: str
    steps: tuple[ViewStep, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """An int that the merged name `of` is shown at: item `item` of step `step` of its place."""

    of: str
    step: int
    item: int


@dataclass(frozen=True, slots=True, eq=False)
class _Merge:
    """The assignments of a merged name, and the names that the statement where they meet binds."""

    sources: tuple[str, ...]
    bound: frozenset[str]


class Places:
    """The places of the arrays of one typed function with single assignment but for merges."""

    def __init__(self, function: Function) -> None:
        self.types = function.types
        self.merges, self.merged = _merges(function)
        self.choices: dict[str, Choice] = {}
        self._values = _single_values(function, self.merged)
        self._shows = {
            name: statement.shows
            for statement in syntax.walk(function.body)
            if getattr(statement, "shows", ())
            for name in syntax.names_bound(statement)
        }
        self._names: dict[tuple[str, int, int], str] = {}
        self._own: set[str] = set()
        self._merged_places: dict[str, Place] = {}
        self._settle()

    def of(self, name: str) -> Place:
        """Where the elements of a name stand."""
        return self._find(name) or Place(name)

    def _settle(self) -> None:
        """Merged names look for one place together: a place may only become less known."""
        for _ in range(2 + 8 * len(self.merges)):
            before = dict(self._merged_places)
            for name, merge in self.merges.items():
                if name not in self._own:
                    self._meet(name, merge)
            if before.keys() == self._merged_places.keys() and all(
                _same(before[n], self._merged_places[n]) for n in before
            ):
                break
        else:
            self._own, self._merged_places = {*self.merges}, {}
        self.choices = {made: Choice(*key) for key, made in self._names.items() if key[0] not in self._own}

    def _meet(self, name: str, merge: _Merge) -> None:
        found = [place for place in map(self._find, merge.sources) if place is not None]
        met: Place | None = found[0] if found else None
        for other in found:
            met = None if met is None else self._merged(name, met, other, merge.bound)
        if met is not None and met.root not in merge.bound:
            self._merged_places[name] = met
        elif found:
            self._own.add(name)
            self._merged_places.pop(name, None)

    def _find(self, name: str) -> Place | None:
        """The place of a name; None for a merged name of which nothing is known yet."""
        steps: list[ViewStep] = []
        while True:
            if name in self.merges and name not in self._own:
                place = self._merged_places.get(name)
                return None if place is None else replace(place, steps=(*place.steps, *reversed(steps)))
            found = self._source(name)
            if found is None:
                return Place(name, tuple(reversed(steps)))
            value, source = found
            if not isinstance(value, gast.Name):
                steps.append(ViewStep(value, source, self.types[name]))
            name = source

    def _source(self, name: str) -> tuple[gast.expr, str] | None:
        """The view that a name is given, and of what; None where it has elements of its own."""
        value = self._values.get(name)
        if value is None or not isinstance(self.types.get(name), Array):
            return None
        match value:
            case gast.Name(id=source) | gast.Subscript(value=gast.Name(id=source)):
                pass
            case gast.Call(func=gast.Name(id=operator), args=[gast.Name(id=source), *_]) if operator in VIEWS:
                if schema.OPERATORS[operator].shares == "either" and not self._is_in_order(source):
                    return None
            case _:
                return None
        is_array = isinstance(self.types.get(source), Array)
        if is_array and isinstance(value, gast.Subscript) and not _is_basic(value, self.types):
            is_array = source in self._shows.get(name, ()) and self._stay(value)
        return (value, source) if is_array else None

    def _stay(self, value: gast.Subscript) -> bool:
        """Whether the index arrays of an element load have no alias, so that they are the same later on."""
        arrays = [n for n in syntax.names_read(value.slice) if isinstance(self.types[n], Array)]
        return all((made := self._values.get(n)) is not None and not shown_by(made, self.types) for n in arrays)

    # --- memory

    def _is_in_order(self, name: str) -> bool:
        """Whether NumPy, too, has the elements of an array in C order, so that another shape of it is a view."""
        type_ = self.types[name]
        if not isinstance(type_, Array) or type_.layout != "C":
            return False
        place = self._find(name)
        return place is not None and self._is_made_in_order(place.root, set())

    def _is_made_in_order(self, root: str, met: set[str]) -> bool:
        """NumPy gives results the order of the operands; so those made of C order have it."""
        type_, value = self.types.get(root), self._values.get(root)
        if not isinstance(type_, Array) or root in met:
            return isinstance(type_, Scalar) or root in met
        row = schema.OPERATORS.get(syntax.operator_of(value) or "") if value is not None else None
        if row is None:
            return root not in self._values and root not in self.merged and type_.layout == "C"
        if row.kind == "creation" or type_.ndim == 1 and row.shares == "copy":
            return True
        if row.kind != "elementwise" and row.name != "copy":
            return False
        met.add(root)
        operands = [a.id for a in value.args if isinstance(a, gast.Name)]
        arrays = [self._find(n) for n in operands if isinstance(t := self.types[n], Array) and t.ndim]
        layouts = [getattr(self.types[n], "layout", "C") for n in operands]
        return all(at == "C" for at in layouts) and all(
            place is not None and self._is_made_in_order(place.root, met) for place in arrays
        )

    # --- merging

    def _merged(self, name: str, left: Place, right: Place, bound: frozenset[str]) -> Place | None:
        """The place that is the one or the other, with names for ints that differ or do not outlive the merge."""
        if left.root != right.root or len(left.steps) != len(right.steps):
            return None
        steps = []
        for number, (mine, theirs) in enumerate(zip(left.steps, right.steps)):
            step = self._merged_step((name, number), mine, theirs, bound)
            if step is None:
                return None
            steps.append(step)
        return Place(left.root, tuple(steps))

    def _merged_step(
        self, key: tuple[str, int], left: ViewStep, right: ViewStep, bound: frozenset[str]
    ) -> ViewStep | None:
        if not isinstance(left.value, gast.Subscript) or not isinstance(right.value, gast.Subscript):
            same = _form(left) == _form(right) and bound.isdisjoint(_atoms(left))
            return left if same else None
        mine, theirs = items_of(left.value), items_of(right.value)
        if len(mine) != len(theirs) or left.type != right.type:
            return None
        items: list[gast.expr] = []
        for number, (a, b) in enumerate(zip(mine, theirs)):
            place = (*key, number)
            if place not in self._names and _same_tree(a, b) and bound.isdisjoint(syntax.names_read(a)):
                items.append(a)
            elif is_int(a, self.types) and is_int(b, self.types):
                items.append(syntax.name(self._names.setdefault(place, f"{key[0]}.{key[1]}.{number}")))
            else:
                return None
        return replace(left, value=syntax.rebuild(left.value, slice=syntax.tuple_(items)))


def items_of(node: gast.Subscript) -> list[gast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, gast.Tuple) else [node.slice]


def is_int(item: gast.expr, types: Mapping[str, Type]) -> bool:
    """Whether an item is one int: a constant, a name, or a choice between ints that has no name in the table yet."""
    if isinstance(item, gast.Constant):
        return item.value is not None
    return isinstance(item, gast.Name) and (item.id not in types or isinstance(types[item.id], Scalar))


def _is_basic(value: gast.Subscript, types: Mapping[str, Type]) -> bool:
    plain = (gast.Slice, gast.Constant)
    return all(isinstance(item, plain) or is_int(item, types) for item in items_of(value))


def _form(step: ViewStep) -> object:
    return syntax.form_of(syntax.map_names(step.value, lambda n: "_" if n == step.operand else n))


def _same(left: Place, right: Place) -> bool:
    return left.root == right.root and list(map(_form, left.steps)) == list(map(_form, right.steps))


def _same_tree(left: gast.expr, right: gast.expr) -> bool:
    return syntax.form_of(left) == syntax.form_of(right)


def _atoms(step: ViewStep) -> set[str]:
    return {*syntax.names_read(step.value)} - {step.operand}


def _single_values(function: Function, merged: frozenset[str]) -> dict[str, gast.expr | None]:
    """What each name with one assignment is given; None for the results of a call."""
    found: dict[str, gast.expr | None] = {}
    for statement in syntax.walk(function.body):
        for name in syntax.names_bound(statement):
            if name not in merged:
                is_plain = isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name)
                found[name] = statement.value if is_plain else None
    return found


def _merges(function: Function) -> tuple[dict[str, _Merge], frozenset[str]]:
    """The arrays that merge values of other names, and every name that is assigned more than once."""
    assigned: dict[str, list[tuple[gast.stmt, tuple[gast.stmt, ...]]]] = {}
    for statement, around in _with_surroundings(function.body, ()):
        for name in syntax.names_bound(statement):
            assigned.setdefault(name, []).append((statement, around))
    several = {name: found for name, found in assigned.items() if len(found) > 1}
    merges = {}
    for name, found in several.items():
        sources = [s.value.id for s, _ in found if isinstance(s, gast.Assign) and isinstance(s.value, gast.Name)]
        if isinstance(function.types.get(name), Array) and len(sources) == len(found):
            merges[name] = _Merge(tuple(sources), _bound_where([around for _, around in found]))
    return merges, frozenset(several)


def _bound_where(places: Sequence[tuple[gast.stmt, ...]]) -> frozenset[str]:
    """The names bound in the statement that makes assignments meet: the outermost around one of them but not all."""
    shared = 0
    while all(len(p) > shared and p[shared] is places[0][shared] for p in places):
        shared += 1
    last = {id(p[shared - 1]): p[shared - 1] for p in places if shared} if not any(p[shared:] for p in places) else {}
    meeting = [*(p[shared] for p in places if len(p) > shared), *last.values()]
    return frozenset(n for s in syntax.walk(meeting) for n in syntax.names_bound(s))


def _with_surroundings(
    body: Iterable[gast.stmt], around: tuple[gast.stmt, ...]
) -> Iterable[tuple[gast.stmt, tuple[gast.stmt, ...]]]:
    for statement in body:
        yield statement, around
        for block in syntax.blocks_of(statement):
            yield from _with_surroundings(block, (*around, statement))
