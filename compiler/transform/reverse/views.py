"""Whose elements a name shows, so that its cotangent can be collected in the owner's.

    c = a[:, i]                                  a_bar[j, i] += c_j_bar
    c_j = c[j]                      ->

    if t:                                        if t:
        z = x                                        x_bar[i] += z_i_bar
    else:                           ->           else:
        z = a[0, :]                                  a_bar[0, i] += z_i_bar
    z_i = z[i]

The cotangent of a view is the view of the owner's cotangent.  That holds for elements that are read while nothing has
been stored into the owner since the view was made: a store ends what was the same element in both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

import gast

from ... import syntax
from ...analysis.failure import natural_names
from ...analysis.integers.nest_scope import NestScope
from ...analysis.integers.values import Integers
from ...analysis.memory.places import Place, ViewStep, items_of
from ...analysis.regions import Region, Regions
from ...ops.schema import OPERATORS
from ...program import Function
from ...records import dataclass
from ...types import Array, Scalar, Type


@dataclass(frozen=True, slots=True, eq=False)
class Either:
    """What a branch made the same name show: one of two parts, by its test."""

    branch: gast.If
    then: Shown
    other: Shown


Shown = Place | Either


def sources_of(value: gast.expr | None, types) -> tuple[str, ...]:
    """The array that an expression is a view of, if it is one whose items are items of that array."""
    match value:
        case gast.Name(id=source):
            pass
        case gast.Subscript(value=gast.Name(id=source)):
            if not all(_is_basic(item, types) for item in items_of(value)):
                return ()
        case gast.Call(func=gast.Name(id=operator), args=[gast.Name(id=source), *_]) if operator in OPERATORS:
            if OPERATORS[operator].shares not in ("view", "either"):
                return ()
        case _:
            return ()
    return (source,) if isinstance(types.get(source), Array) else ()


def _is_basic(item: gast.expr, types) -> bool:
    if isinstance(item, gast.Slice | gast.Constant):
        return True
    return isinstance(item, gast.Name) and isinstance(types.get(item.id), Scalar)


def with_owners(names: Iterable[str], function: Function) -> set[str]:
    """The names, and all whose elements they may show."""
    shows: dict[str, set[str]] = {}
    for statement in syntax.walk(function.body):
        if isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name):
            name = statement.targets[0].id
            if isinstance(function.types[name], Array):
                shows.setdefault(name, set()).update(sources_of(statement.value, function.types))
    found, waiting = set(names), list(names)
    while waiting:
        for source in shows.get(waiting.pop(), ()):
            if source not in found:
                found.add(source)
                waiting.append(source)
    return found


class Views:
    """The views of one function, as a statement that reads an element of one finds them."""

    def __init__(self, regions: Regions, types: dict[str, Type]) -> None:
        self.regions, self.types = regions, types
        self.natural: set[str] = set()
        self.sections: dict[str, Place] = {}  # parameters that are sections of longer arrays
        self._branches = {
            name: (statement, ends)
            for region in regions.main.values()
            for statement in region
            if isinstance(statement, gast.If)
            for name, ends in regions.merges[id(statement)]
        }

    @cached_property
    def _integers(self) -> Integers:
        return Integers(self.regions.function)

    def note_natural(self, statement: gast.stmt, items: Iterable[gast.expr]) -> None:
        """Remember which ints in an index are never negative where a statement reads it."""
        names = {n for item in items for n in syntax.names_read(item) if isinstance(self.types[n], Scalar)}
        scope = NestScope()
        for region in self.regions.place[id(statement)].loops if names else ():
            scope = scope.inside(self._integers.loop(region.statement))
        for name in names:
            form = self._integers.of(syntax.name(name))
            known = form is not None and self._integers.is_natural(form, scope)
            if known or name in natural_names(self.regions.function):
                self.natural.add(self.regions.key(statement, name))

    def of(self, name: str, reader: gast.stmt) -> Shown:
        """What a name shows, where a statement reads it; keys stand for the values that its indices are counted by."""
        if name in self.regions.stores or name in self.regions.carried:
            return Place(name)
        if name in self._branches:
            return self._of_branch(name, reader)
        value = self.regions.values.get(name)
        made = None if value is None else value.origin
        source = sources_of(getattr(made, "value", None), self.types)
        if made is None or not source or not self._stays(source[0], made, reader) or not self._reach(made, reader):
            return self.sections.get(name, Place(name))
        shown = self.of(source[0], reader)
        if isinstance(made.value, gast.Name):
            return shown
        if isinstance(made.value, gast.Subscript):
            self.note_natural(made, items_of(made.value))
        node = syntax.map_names(made.value, lambda n: self.regions.key(made, n))
        operand = self.regions.key(made, source[0])
        return _with_step(shown, ViewStep(node, operand, self.types[name]))

    def _of_branch(self, name: str, reader: gast.stmt) -> Shown:
        branch, ends = self._branches[name]
        arms: list[Shown] = []
        for end in ends:
            if not isinstance(end, gast.Name) or not self._stays(end.id, branch, reader):
                return Place(name)
        if isinstance(branch.test, gast.Name) and not self._reaches(self.regions.key(branch, branch.test.id), reader):
            return Place(name)
        for end in ends:
            arms.append(self.of(end.id, reader))
        if any(isinstance(arm, Place) and arm.root not in self.regions.home for arm in arms):
            return Place(name)
        if not all(self._outlives(root, branch) for arm in arms for root in roots(arm)):
            return Place(name)
        return Either(branch, arms[0], arms[1])

    def _reach(self, made: gast.stmt, reader: gast.stmt) -> bool:
        """Whether what a view is counted by is known in the block of the reader."""
        keys = (self.regions.key(made, name) for name in syntax.names_read(made.value))
        return all(self._reaches(key, reader) for key in keys if isinstance(self.types[key], Scalar))

    def _reaches(self, key: str, reader: gast.stmt) -> bool:
        return self.regions.values[key].region.contains(self.regions.place[id(reader)])

    def _outlives(self, root: str, branch: gast.If) -> bool:
        """Whether an array is there before a branch, so that its cotangent is there after it."""
        return self.regions.home[root].contains(self.regions.place[id(branch)]) and root not in self._made_in(branch)

    def _made_in(self, branch: gast.If) -> set[str]:
        return {name for statement in syntax.walk([branch]) for name in syntax.names_bound(statement)}

    def _stays(self, array: str, made: gast.stmt, reader: gast.stmt) -> bool:
        """Whether nothing is stored into an array from one statement on until another reads it."""
        stores = self.regions.stores.get(array, ())
        if not stores:
            return True
        order, home = self.regions.order, self.regions.place[id(made)]
        if not home.contains(self.regions.place[id(reader)]):
            return False
        last = max(order[id(s)] for s in syntax.walk([self._in_block(home, reader)]))
        return not any(order[id(made)] < order[id(store)] <= last for store in stores)

    def _in_block(self, home: Region, reader: gast.stmt) -> gast.stmt:
        """The statement of a block that is or contains another one."""
        statement, region = reader, self.regions.place[id(reader)]
        while region is not home:
            assert region.statement is not None and region.parent is not None
            statement, region = region.statement, region.parent
        return statement


def roots(shown: Shown) -> Iterable[str]:
    """The arrays that a name may show parts of."""
    if isinstance(shown, Place):
        return (shown.root,)
    return (*roots(shown.then), *roots(shown.other))


def _with_step(shown: Shown, step: ViewStep) -> Shown:
    if isinstance(shown, Place):
        return Place(shown.root, (*shown.steps, step))
    return replace(shown, then=_with_step(shown.then, step), other=_with_step(shown.other, step))
