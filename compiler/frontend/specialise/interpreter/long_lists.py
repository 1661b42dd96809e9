"""Lists of many items that are computed: a loop appends them, instead of a copy of the expression for each.

    [np.sin(x * k) for k in range(64)]     ->     items = []
                                                  for k in range(64): items.append(np.sin(x * k))

How many are too many is measured by what the first items write.  Of constants there may be some hundreds, as the items
of such a list are known.  Where an item has to be known now, where a loop would give numbers another type or compute
with ints that may not fit, and where the list is a result, whose structure the caller sees, the comprehension is
unrolled after all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gast

from .... import syntax
from ....analysis.integers.ranges import ranges
from ....diagnostics import CompileError
from ....ops.forms import FORMS
from ....ops.raising import by_zero
from ....ops.schema import OPERATORS
from ....program import Function
from ....types import INT, Array
from .. import limits
from ..frame import Anew, Frame, NeedsStatic
from ..kinds import forms
from ..objects import sites
from ..objects.heap import reachable
from ..values import Ref, Value, is_number, leaves
from . import constant_tables

TOO_MANY = 128  # statements that are written out for one list
OF_A_NUMBER = 0.25  # a number that is known writes nothing until a loop reads it from a table
OF_AN_ARRAY = 8  # a statement on arrays counts as so many, as it becomes a nest of loops


class TooLong(Exception):
    """A comprehension that is unrolled has written too much."""


class Written:
    """What a comprehension that is unrolled has written so far."""

    def __init__(self, frame: Frame) -> None:
        self.frame, self.body = frame, frame.builder.body
        self.seen, self.items, self.amount = len(self.body), 0, 0.0

    def add_item(self, item: Value) -> None:
        """Raise TooLong where this is one item too many."""
        self.items += 1
        new, self.seen = self.body[self.seen :], len(self.body)
        self.amount += sum(map(self._weight, syntax.walk(new)))
        self.amount += OF_A_NUMBER * sum(map(is_number, leaves(self.frame.tree(item))))
        if self.items >= constant_tables.FEWEST and self.amount > TOO_MANY:
            raise TooLong

    def _weight(self, statement: gast.stmt) -> int:
        types = self.frame.builder.types
        is_of_arrays = any(isinstance(types.get(name), Array) for name in syntax.names_bound(statement))
        return OF_AN_ARRAY if is_of_arrays else 1


def measured(frame: Frame, node: gast.AST) -> Written | None:
    """What measures how much a comprehension writes; None where it has to be unrolled."""
    learned = frame.task.learned.forms
    if constant_tables.UNROLLED in learned or (constant_tables.UNROLLED, sites.site_of(frame, node)) in learned:
        return None
    return Written(frame)


def by_loop(frame: Frame, node: gast.AST, write: Callable[[], Ref]) -> Ref | None:
    """The list that a loop makes; None where the comprehension is to be unrolled from the state before."""
    start = len(frame.builder.body)
    try:
        made = write()
    except (NeedsStatic, CompileError):  # an item may have to be known
        return None
    if _has_items_of_two_types(frame, made) or not _keeps_ints(frame, frame.builder.body[start:]):
        return None
    frame.task.learned.forms[constant_tables.TABLED] = ()
    return sites.note(frame, made, node)


def _has_items_of_two_types(frame: Frame, made: Ref) -> bool:
    meanings = (frame.builder.widened.get(leaf.name, ()) for leaf in forms.lists_of(frame.held(made)))
    return any(len({one.type for one in found}) > 1 for found in meanings)


def _keeps_ints(frame: Frame, written: Sequence[gast.stmt]) -> bool:
    """Whether Python's ints in these statements surely are those of CPython: written out, they may be constants."""
    types, statements = frame.builder.types, list(syntax.walk(written))
    bound = {name for statement in statements for name in syntax.names_bound(statement)}
    read = tuple(name for name in syntax.names_of((), written) if name in types and name not in bound)
    trial = Function("trial", read, tuple(written), "typed", frame.source.origin, types)
    fits = ranges(trial).fits
    for statement in statements:
        if isinstance(statement, gast.Raise) and limits.is_limit(statement):
            return False
        if isinstance(statement, gast.Assign) and types.get(next(iter(syntax.names_bound(statement)), "")) == INT:
            if isinstance(statement.value, gast.Call) and not _is_exact(statement.value, frame, fits):
                return False
    return True


def _is_exact(call: gast.Call, frame: Frame, fits: frozenset[int]) -> bool:
    """Whether an operator gives the int that Python has, or raises where Python does."""
    row = OPERATORS.get(str(syntax.operator_of(call)))
    if row is None:
        return syntax.operator_of(call) in FORMS
    if row.interval is not None:
        return id(call) in fits or row.raises is by_zero
    operands = [frame.builder.type_of(atom) for atom in call.args]
    return row.raises is by_zero or not row.raises(operands, syntax.static_of(call))


def keep_results(frame: Frame, result: Value) -> None:
    """Start again where a list that a loop made is a result: with a known length, all transforms know its structure."""
    table, places = frame.task.learned.forms, frame.heap.sites
    found = [places[number][0] for number in sorted(reachable([result], frame.heap.contents)) if number in places]
    keys = [(constant_tables.UNROLLED, site) for site in found if site not in table]
    news = [key for key in keys if key not in table]
    if constant_tables.TABLED in table and news:
        table.update(dict.fromkeys(news, ()))
        raise Anew
