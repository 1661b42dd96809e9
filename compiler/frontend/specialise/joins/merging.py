"""Assign, at the end of each path, the names that a join made: the values of the path, in the joined types.

    acc: float  at the end of  `acc = 0`     ->     acc = 0.0
    best: float or None        `best = None` ->     best_is_None = True; best = 0.0
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gast

from .... import syntax
from ....dtypes import PYTHON_TYPE, is_python
from ....ops.placeholders import placeholder
from ....records import dataclass
from ....types import Array, ListOf, Scalar, Type
from ..frame import Frame
from ..interpreter.parallel import assign_parallel
from ..kinds import string_numbers, structures
from ..values import (
    Leaf,
    OneOf,
    Optional,
    Ref,
    Rows,
    Sequence,
    String,
    Table,
    Undefined,
    Value,
    as_optional,
    is_number,
    parts,
)
from .exactness import loses_digits, require_exact
from .joined_types import meanings_of
from .merge import leaf_names


@dataclass(frozen=True, slots=True, eq=False)
class Merging:
    """The names that a join made, to be assigned at the end of a path.

    fresh      the names
    into       what the objects hold that the join made, under these names
    contents   what the objects of the path hold at its end
    fills      whether they are assigned once, so that a list may be made under its name
    """

    frame: Frame
    fresh: set[str]
    into: Mapping[int, Value]
    contents: Mapping[int, Value]
    node: gast.AST
    fills: bool = False

    def copies(self, target: Value, source: Value) -> dict[str, gast.expr]:
        """The assignments that bring `source` into the merged names of `target`; conversions are emitted now."""
        if isinstance(source, Undefined):
            return {}
        if isinstance(target, Optional):
            source = as_optional(source)
        if isinstance(target, OneOf):
            source = structures.spread(self.frame, source, target, self.contents)
        if isinstance(target, String):
            source = string_numbers.as_string(self.frame, source)
        if isinstance(target, Ref):
            if target.number not in self.into or not isinstance(source, Ref):
                return {}
            return self.copies(self.into[target.number], self.contents[source.number])
        if isinstance(target, Leaf):
            if target.name not in self.fresh or source == target:
                return {}
            if self.fills and isinstance(source, Sequence) and self.frame.is_list(target):
                self.fill(target, source)
                return {}
            self.note_meanings(target.name, source)
            return {target.name: coerce(self.frame, source, self.frame.builder.types[target.name], self.node)}
        if isinstance(target, Table) and not self.is_like(target, source):
            if self.fills and isinstance(source, Sequence):
                self.fill(target, source)
                return {}
            source = self.as_table(target, source)
        if isinstance(target, Rows) and not isinstance(source, Rows):
            from ..kinds import tables  # a local import, as that module depends on this one

            source = tables.rows_of(self.frame, source, target, self.node, self.contents)
        result: dict[str, gast.expr] = {}
        for (_, into), (_, value) in zip(parts(target), parts(source), strict=False):
            result |= self.copies(into, value)
        return result

    def note_meanings(self, name: str, source: Value) -> None:
        """Note that Python has the type of this path for a name, where it differs from the joined type."""
        builder, found = self.frame.builder, self.frame.type_of(source)
        wanted = builder.types[name]
        are_numbers = isinstance(found, Scalar) and isinstance(wanted, Scalar)
        if are_numbers and (builder.widened or found != wanted):
            builder.widen(name, [builder.meanings_of(name), meanings_of(self.frame, source)])

    def is_like(self, target: Table, source: Value) -> bool:
        """Whether a list has the form of a table, or the same form under another label."""
        from ..kinds import forms  # a local import, as that module depends on this one

        form = forms.form_of_items(self.frame, target)
        return form is not None and forms.relabelled(self.frame, source, form) is not None

    def fill(self, target: Table | Leaf, source: Sequence) -> None:
        """Make lists that grow, under their names, of the items of a list of known length."""
        from ..kinds import forms, tables  # local imports, as those modules depend on this one

        for leaf in forms.lists_of(target):
            self.frame.builder.append(syntax.assign(leaf.name, syntax.call("new_list")))
        for item in source.items:
            tables.put(self.frame, target, item, self.node, self.contents)

    def as_table(self, target: Table, source: Value) -> Value:
        """A list in the form of the table that it becomes."""
        from ..kinds import forms, tables  # local imports, as those modules depend on this one

        form = forms.form_of_items(self.frame, target)
        assert form is not None
        return tables.converted(self.frame, source, form, self.node, self.contents)

    def place_holders(self, target: Value, source: Value) -> dict[str, gast.expr]:
        """The assignments of the names of `target` that `source`, undefined on this path, gives no value."""
        if isinstance(target, Optional):
            source = as_optional(source)
        if isinstance(target, OneOf):
            source = structures.spread(self.frame, source, target, self.contents)
        if isinstance(target, Ref) and isinstance(source, Ref) and target.number in self.into:
            return self.place_holders(self.into[target.number], self.contents[source.number])
        if isinstance(target, Table | Rows) and not isinstance(source, Undefined):
            return {}  # a list is defined, whatever its items are
        if not isinstance(source, Undefined):
            found: dict[str, gast.expr] = {}
            for (_, into), (_, value) in zip(parts(target), parts(source), strict=False):
                found |= self.place_holders(into, value)
            return found
        names = [name for name in leaf_names(target, self.into) if name in self.fresh]
        return {name: placeholder(self.frame.builder.types[name]) for name in names}

    def assign(self, targets: Mapping[Any, Value], sources: Mapping[Any, Value], holders: bool = True) -> None:
        """Bring values into the merged names; with `holders` also placeholders into those that have no value."""
        pairs: dict[str, gast.expr] = {}
        # the same value holds the same names; but where the join made objects, these may stand for others
        differing = [(t, source) for k, t in targets.items() if (source := sources[k]) is not t or self.into]
        for target, source in differing if holders else ():
            pairs |= self.place_holders(target, source)
        for target, source in differing:
            pairs |= self.copies(target, source)
        assign_parallel(self.frame, list(pairs.items()))


def coerce(frame: Frame, value: Value, wanted: Type, node: gast.AST) -> gast.expr:
    """An atom of the wanted type."""
    from ..kinds import containers, rows  # local imports, as those modules depend on this one

    if isinstance(value, Rows):
        value = rows.growable(frame, value, node)
    found = frame.type_of(value)
    if isinstance(wanted, ListOf) and isinstance(value, Sequence):
        return as_list(frame, value, wanted, node)
    if isinstance(wanted, ListOf) and frame.is_list(value) and found != wanted and isinstance(wanted.element, Scalar):
        return syntax.name(containers.converted_list(frame, value, wanted, node).name)
    if isinstance(wanted, Array) and isinstance(found, Array) and wanted.layout == "C" != found.layout:
        return frame.atom(frame.emit("copy", value, node=node), node)  # the items of this list are in C order
    if isinstance(wanted, Array) and isinstance(found, Scalar):
        return frame.atom(frame.emit("full", value, node=node, shape=(), dtype=wanted.dtype), node)
    if not isinstance(wanted, Scalar) or not isinstance(found, Scalar):
        return frame.atom(value, node)
    if is_number(value) and is_python(wanted.dtype):
        if loses_digits(value, found, wanted):
            require_exact(frame, value, node)
        return syntax.constant(PYTHON_TYPE[wanted.dtype](value.value))
    if found.dtype == wanted.dtype and (found.weak or not wanted.weak):
        return frame.atom(value, node)
    if loses_digits(value, found, wanted):
        require_exact(frame, value, node)
    return frame.atom(frame.emit("cast", value, node=node, dtype=wanted.dtype, weak=wanted.weak), node)


def as_list(frame: Frame, value: Sequence, wanted: ListOf, node: gast.AST) -> gast.expr:
    """A growable list with these items."""
    made = frame.builder.bind(syntax.call("new_list"), wanted, "items")
    for item in value.items if isinstance(wanted.element, Scalar) else ():
        frame.builder.widen(made.id, [frame.builder.meanings_of(made), meanings_of(frame, item)])
    for item in value.items:
        frame.builder.append(syntax.expression(syntax.call("append", made, coerce(frame, item, wanted.element, node))))
    return made
