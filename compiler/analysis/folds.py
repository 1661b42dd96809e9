"""What is loop-carried in a `folding` loop: accumulations and choices, in loops that a user wrote.

    for i in folding(0, n, 1):
        if greater(x[i], 0.0):
            total = add(total, x[i])           an accumulation: its terms may be taken by parts
        element = x[i]
        if less(element, best):                a choice: the least, and where it was; of equal ones the first
            best = element
            place = i

`lanes` is a sum that NumPy may take in any order as well.  `folding` is the user's own, with what belongs to it alone:
differences, products of floats, ints of Python that are known to fit, and choices.  Iterations may be taken in any
order and by parts, as long as positions are compared where values are equal: what the loop gives is that of its order,
but for the rounding of sums and products of floats.  A target that has no use for that takes the iterations in order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

import gast

from .. import syntax
from ..dtypes import DTYPE, is_bool, is_complex
from ..ops.reduction import FOLDS as BY_OPERATOR
from ..ops.schema import OPERATORS, Fold, row_of
from ..program import Function
from ..records import dataclass
from ..types import Scalar, Type
from .def_use import reads_of
from .expression_types import type_of
from .integers.ranges import ranges
from .lanes import Fault, accumulated, arrays_handed_on, carried

KIND = "folding"
LARGEST_STEP = 1024


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """`if key < best: best = key; place = i; also = ...`.

    operator   the comparison: `less` and `greater` take the first of equal values, the others the last
    nan_wins   whether the first nan is taken before all numbers, as NumPy's argmin does
    key        the value, a name
    best       the name of the value that stands
    place      the name of a number that grows with the iterations
    also       names that are kept beside them
    """

    operator: str
    nan_wins: bool
    key: str
    best: str
    place: str
    also: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return (self.best, self.place, *self.also)

    @property
    def is_first(self) -> bool:
        return OPERATORS[self.operator].is_strict

    @property
    def takes_least(self) -> bool:
        return OPERATORS[self.operator].takes_least


def nothing_yet(operator: str, dtype: str) -> object:
    """The value that every other one beats in a comparison."""
    return DTYPE[dtype].greatest if OPERATORS[operator].takes_least else DTYPE[dtype].least


def is_folding(node: gast.stmt) -> TypeGuard[gast.For]:
    return isinstance(node, gast.For) and syntax.operator_of(node.iter) == KIND


def choice_of(node: gast.stmt) -> Choice | None:
    """A branch as a choice, where it is one."""
    if not isinstance(node, gast.If) or node.orelse or len(node.body) < 2:
        return None
    if not all(isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) for s in node.body):
        return None
    (best, place, *also), nan_wins = (s.targets[0].id for s in node.body), False
    value, test = node.body[0].value, node.test
    match test:
        case gast.BoolOp(op=gast.Or(), values=[first, second]) if syntax.same(
            second, before_numbers(value, syntax.name(best))
        ):
            test, nan_wins = first, True
    match test, value:
        case gast.Call(func=gast.Name(id=operator), args=[gast.Name(id=key), gast.Name(id=stands)]), gast.Name(id=name):
            if is_order(operator) and key == name != best == stands:
                return Choice(operator, nan_wins, key, best, place, tuple(also))
    return None


def is_order(operator: str) -> bool:
    row = row_of(operator)
    return row is not None and row.is_order


def before_numbers(key: gast.expr, best: gast.expr) -> gast.expr:
    """`isnan(key) and not isnan(best)`: where NumPy takes a value before all others."""
    is_number = syntax.call("logical_not", syntax.call("isnan", best))
    return gast.BoolOp(gast.And(), [syntax.call("isnan", key), is_number])


def instead_of_nan(node: gast.AST) -> float | None:
    """The infinity of `where(isnan(x), -inf, x)`, which is an extreme of both; None for other expressions."""
    match node:
        case gast.Call(
            func=gast.Name(id="where"),
            args=[gast.Call(func=gast.Name(id="isnan"), args=[x]), gast.Constant(value=float(nothing)), y],
        ) if math.isinf(nothing) and syntax.same(x, y):
            return nothing
    return None


def choices_in(loop: gast.For) -> list[Choice]:
    """The choices of a loop itself, not those of the loops in it."""
    return [choice for node in _own(loop.body) if (choice := choice_of(node)) is not None]


def _own(body: Sequence[gast.stmt]) -> Iterator[gast.stmt]:
    for node in body:
        yield node
        if not isinstance(node, gast.For | gast.While):
            for block in syntax.blocks_of(node):
                yield from _own(block)


def combining(node: gast.stmt) -> str:
    """The operator that combines parts of an accumulation: a sum for a difference; empty for other statements."""
    operator = syntax.operator_of(node.value) if accumulated(node) else None
    row = row_of(operator)
    if row is not None and row.is_sum:
        return "add"
    known = str(operator)
    return known if known in BY_OPERATOR and not OPERATORS[known].is_comparison else ""


def fold_of_users(node: gast.stmt, types: Mapping[str, Type]) -> Fold | None:
    """How an accumulation in a user's loop combines terms."""
    type_ = types.get(accumulated(node))
    operator = combining(node)
    if not operator or not isinstance(type_, Scalar) or is_complex(type_.dtype):
        return None
    if is_bool(type_.dtype) != (OPERATORS[operator].conjoins is not None):
        return None
    return BY_OPERATOR[operator]


def accumulations(body: Sequence[gast.stmt], types: Mapping[str, Type]) -> dict[str, str]:
    """The names that statements accumulate and do nothing else with, and the operator that combines parts."""
    found: dict[str, set[str]] = {}
    others: set[str] = set()
    for node in syntax.walk(body):
        name = accumulated(node)
        if name and fold_of_users(node, types) is not None:
            found.setdefault(name, set()).add(combining(node))
        else:
            others.update(syntax.names_bound(node), reads_of(node))
    return {name: min(ways) for name, ways in found.items() if len(ways) == 1 and name not in others}


def does_not_wrap(function: Function, node: gast.Assign) -> bool:
    """Whether parts of an accumulation of ints of Python are known to fit: else that depends on the order.

    No loop has the iterations that it takes for steps of a known size to leave an int64.
    """
    type_ = function.types[accumulated(node)]
    exact = isinstance(type_, Scalar) and type_.weak and type_.dtype == "i64"
    if not exact or not OPERATORS[combining(node)].is_polynomial or id(node.value) in ranges(function).fits:
        return True
    term = node.value.args[1]
    small = isinstance(term, gast.Constant) and abs(term.value) <= LARGEST_STEP
    return combining(node) == "add" and (small or is_bool(_dtype_of(term, function)))


def _dtype_of(term: gast.expr, function: Function) -> str:
    type_ = type_of(term, function.types)
    return type_.dtype if isinstance(type_, Scalar) else ""


# --- the verifier's question ------------------------------------------------------------------------------------------


def folding_faults(function: Function) -> Iterator[Fault]:
    """Loop-carried names and elements, but for accumulations and choices."""
    for loop in filter(is_folding, syntax.walk(function.body)):
        sums = accumulations(loop.body, function.types)
        chosen = {name for choice in choices_in(loop) for name in choice.names}
        for name in carried(loop.body):
            if name not in sums and name not in chosen:
                yield loop, f"an iteration of `folding` takes `{name}` from the last, and does more than accumulate"
        yield from _meddling(loop, chosen)
        for array in arrays_handed_on(loop, function.types):
            yield loop, f"iterations of `folding` store the same elements of `{array}`"


def _meddling(loop: gast.For, chosen: set[str]) -> Iterator[Fault]:
    """Statements beside choices that mention what these carry."""
    inside = {id(s) for node in _own(loop.body) if choice_of(node) is not None for s in syntax.walk([node])}
    for node in syntax.walk(loop.body):
        if id(node) not in inside and not chosen.isdisjoint((*reads_of(node), *syntax.names_bound(node))):
            yield node, "an iteration of `folding` mentions what it chooses beside the choice"
