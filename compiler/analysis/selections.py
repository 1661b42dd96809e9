"""Under which conditions the value of a name is taken, and where its cotangent has to be held to them.

    s = sqrt(x)                    `s` is taken where c: nothing else reads it
    y = where(c, s, 0.0)           the cotangent that `s` gives to `x` is 0 where c does not hold

A cotangent of zero times an infinite slope is nan, though what was not taken has no derivative.  So a cotangent is
masked where it leaves the statements whose results are taken under the same condition, if a slope on its way there may
be no number.  A slope that is the same everywhere makes nothing of a zero but a zero, and needs no mask.

A condition is a set of alternatives, and each of these a set of selections that all take the value.  Statements that
combine elements pass on only what is one condition for all of them; a reduction passes on those of its results.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import TypeAlias

import gast

from .. import syntax
from ..builder import parse_template
from ..dtypes import is_bool
from ..ops.schema import OPERATORS, TOGETHER, Operator
from ..ops.tangents import is_spread
from ..ops.type_rules import dims_of
from ..records import dataclass
from ..types import Array, Extent, Type
from .activity import passing
from .regions import Region, Regions

MOST = 8  # alternatives of one condition: what has more of them is not followed any further


@dataclass(frozen=True, slots=True)
class Selection:
    """The elements that a statement takes of one of its operands.

    `position` is that of the operand; of a load and a store by a mask it is -1.  `dims` are those of the condition.
    `reductions` are passed one after the other on the way to what they combine.
    """

    statement: gast.stmt
    position: int
    dims: tuple[Extent, ...]
    reductions: tuple[gast.stmt, ...] = ()


Condition: TypeAlias = "frozenset[frozenset[Selection]]"
ALWAYS: Condition = frozenset({frozenset()})


def either(one: Condition, other: Condition) -> Condition:
    """The condition of a value that is taken under one of two; what another alternative implies is left out."""
    found = without_opposites(one | other)
    least = frozenset(a for a in found if not any(b < a for b in found))
    return least if len(least) <= MOST else ALWAYS


def without_opposites(condition: Condition) -> Condition:
    """The same where no two alternatives differ in the two branches of one choice alone: one of these is taken."""
    for one, other in itertools.combinations(condition, 2):
        if len(one - other) == len(other - one) == 1 and are_opposite(*(one - other), *(other - one)):
            return without_opposites(condition - {one, other} | {one & other})
    return condition


def are_opposite(one: Selection, other: Selection) -> bool:
    if one.statement is not other.statement or one.reductions != other.reductions or one.position < 0:
        return False
    row = OPERATORS[one.statement.value.func.id]
    rules = row.taken[one.position], row.taken[other.position]
    return any(right == f"logical_not({left})" for left, right in (rules, rules[::-1]))


def narrowed(condition: Condition, selection: Selection | None) -> Condition:
    """The condition and a selection both."""
    return condition if selection is None else frozenset(a | {selection} for a in condition)


@dataclass(frozen=True, slots=True)
class Use:
    """A derivative passes through an operand.

    condition   under which the use takes the operand
    result      under which the result of the statement is taken: the mask, where one is needed
    is_dirty    whether the cotangent that comes this way may be nan where the result is not taken
    """

    statement: gast.stmt
    position: int
    condition: Condition
    result: Condition
    is_dirty: bool


@dataclass(slots=True)
class Masks:
    """What the analysis finds, by the identity of statements.

    operands   of a statement and the position of an operand: under which condition its cotangent counts
    results    of a statement: under which condition the cotangent of its result counts, which is then masked ahead
    """

    operands: dict[tuple[int, int], Condition] = field(default_factory=dict)
    results: dict[int, Condition] = field(default_factory=dict)


def masks(regions: Regions, active: frozenset[str]) -> Masks:
    """The masks that the backward form of a function in SSA form needs."""
    search = _Search(regions, active)
    for statement in reversed(list(syntax.walk(regions.function.body))):
        if not syntax.blocks_of(statement):
            search.visit(statement)
    for key in list(search.uses):
        search.close(key)
    return search.found


class _Search:
    """The uses of the values seen so far, from the last statement to the first."""

    def __init__(self, regions: Regions, active: frozenset[str]) -> None:
        self.regions, self.active = regions, active
        self.types: Mapping[str, Type] = regions.function.types
        self.main = {id(s) for block in regions.main.values() for s in block}
        self.uses: dict[str, list[Use]] = {}
        self.found = Masks()

    # --- statements

    def visit(self, statement: gast.stmt) -> None:
        match statement:
            case _ if id(statement) not in self.main:
                self.always(statement, statement)
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Call(func=gast.Name(id=operator)) as call) if (
                operator in OPERATORS
            ):
                self.of_operator(statement, name, call, OPERATORS[operator])
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Subscript(value=gast.Name(id=base), slice=items)):
                self.of_load(statement, name, base, items)
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base), slice=items)], value=value):
                self.always(statement, value)
                self.of_store(statement, base, items)
            case _:
                self.always(statement, statement)

    def always(self, statement: gast.stmt, node: gast.AST) -> None:
        for name in syntax.names_read(node):
            self.use(statement, name, -1, ALWAYS, ALWAYS, False)

    def of_operator(self, statement: gast.stmt, name: str, call: gast.Call, row: Operator) -> None:
        if name not in self.active:
            return
        condition, is_dirty = self.close(self.regions.made[id(statement)][name])
        if row.kind != "elementwise":
            passed = self.passed(statement, row, condition, self.types[name])
            if is_dirty and passed != condition:
                self.found.results[id(statement)] = condition
                is_dirty = False
            condition = passed
        for position, operand in passing(call):
            mine = self.selection(statement, row, call, position, name)
            slopes_vary = mine is None and not has_even_slope(row, call, position)
            spreads = row.kind == "elementwise" and is_spread(self.types[operand], self.types[name])
            taken = ALWAYS if spreads else narrowed(condition, mine)
            self.use(statement, operand, position, taken, condition, is_dirty or slopes_vary)

    def of_load(self, statement: gast.stmt, name: str, base: str, items: gast.Tuple) -> None:
        if name in self.active:
            self.close(self.regions.made[id(statement)][name])
            mask = self.mask(statement, base, items)
            self.use(statement, base, -1, narrowed(ALWAYS, mask), ALWAYS, False)

    def of_store(self, statement: gast.stmt, base: str, items: gast.Tuple) -> None:
        mask = self.mask(statement, base, items)
        self.use(statement, base, -1, narrowed(ALWAYS, mask), ALWAYS, False)

    # --- conditions

    def selection(
        self, statement: gast.stmt, row: Operator, call: gast.Call, position: int, name: str
    ) -> Selection | None:
        rule = row.taken[position] if row.taken else None
        if rule is None:
            return None
        if callable(rule):
            return Selection(statement, position, self.dims(call.args[position]))
        named = syntax.names_read(parse_template(str(rule)))
        read = [self.dims(a) for a, word in zip(call.args, row.operands) if word in named]
        dims = read[0] if len(read) == 1 or not any(read) else dims_of(self.types[name])
        return Selection(statement, position, dims)

    def dims(self, atom: gast.expr) -> tuple[Extent, ...]:
        return dims_of(self.types[atom.id]) if isinstance(atom, gast.Name) else ()

    def mask(self, statement: gast.stmt, base: str, items: gast.Tuple) -> Selection | None:
        """Of an index that is one array of bools, in the shape of what is indexed."""
        match items.elts:
            case [gast.Name(id=mask)] if isinstance(type_ := self.types[mask], Array) and is_bool(type_.dtype):
                return None if is_spread(type_, self.types[base]) else Selection(statement, -1, type_.dims)
        return None

    def passed(self, statement: gast.stmt, row: Operator, condition: Condition, type_: Type) -> Condition:
        """What is left of the condition of a result for the operands of a statement that combines elements."""

        def on(selection: Selection) -> Selection | None:
            if selection.dims == ():
                return selection
            if row.kind != "reduction" or selection.dims != dims_of(type_):
                return None
            (operand,) = statement.value.args
            reductions = (*selection.reductions, statement)
            return replace(selection, dims=dims_of(self.types[operand.id]), reductions=reductions)

        found = frozenset(frozenset(p for s in a if (p := on(s)) is not None) for a in condition)
        return either(found, found)

    # --- uses

    def use(
        self, statement: gast.stmt, name: str, position: int, condition: Condition, result: Condition, is_dirty: bool
    ) -> None:
        key = self.regions.key(statement, name)
        waits = condition != ALWAYS and self.waits(key, self.regions.place[id(statement)])
        condition = condition if waits else ALWAYS
        self.uses.setdefault(key, []).append(Use(statement, position, condition, result, is_dirty))

    def waits(self, key: str, region: Region) -> bool:
        """Whether a value is made by an operator of the same block, which can mask what it gives to its operands."""
        value = self.regions.values.get(key)
        if value is None or value.region is not region or not isinstance(value.after, gast.Assign):
            return False
        target = value.after.targets[0]
        return isinstance(target, gast.Name) and syntax.operator_of(value.after.value) in OPERATORS

    def close(self, key: str) -> tuple[Condition, bool]:
        """The condition of a value whose uses have all been seen, and whether its cotangent may be nan elsewhere."""
        uses = self.uses.pop(key, [])
        condition = _of_all(use.condition for use in uses)
        is_dirty = False
        for use in uses:
            if use.is_dirty and use.condition == condition and condition != ALWAYS:
                is_dirty = True
            elif use.is_dirty and use.result != ALWAYS:
                self.found.operands[id(use.statement), use.position] = use.result
        return condition, is_dirty


def _of_all(conditions: Iterable[Condition]) -> Condition:
    found: Condition | None = None
    for condition in conditions:
        found = condition if found is None else either(found, condition)
    return ALWAYS if found is None else found


def has_even_slope(row: Operator, call: gast.Call, position: int) -> bool:
    """Whether the derivative by an operand is the same number everywhere, or of every element the same part of it."""
    if row.is_even or row.linear == TOGETHER:
        return True
    others = [a for k, a in enumerate(call.args) if k != position]
    if row.is_product or row.undoes and position == 0:
        return all(isinstance(a, gast.Constant) for a in others)
    rule = row.partials[position] if row.partials else None
    return isinstance(rule, str) and re.fullmatch(r"-?[0-9.]+", rule) is not None
