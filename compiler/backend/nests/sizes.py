"""Ints of the loops stage as sums of lengths and loop variables, and what is known of their signs.

    for i in range(0, dim(u, axis=0) - 2, 1):      u is f64[n]:    i from 0 to n - 3
        v[i + 1] = ...                             i + 1 >= 0 and n - 1 - (i + 1) >= 0: in bounds

Lengths are known by their types: equal symbols are equal lengths, wherever a symbol means one number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

import gast

from ... import syntax
from ...analysis.def_use import DefUse
from ...analysis.forms import Form, form_of
from ...dtypes import INT_WORD
from ...ops.schema import row_of
from ...program import Function
from ...records import dataclass
from ...types import Array, Dim, Extent, Scalar, is_plain
from .lengths import is_natural

DEPTH = 8  # names that are taken for their values, one within the other


def _definitions(function: Function) -> dict[str, tuple[gast.stmt, ...]]:
    found: dict[str, tuple[gast.stmt, ...]] = {}
    for statement in syntax.walk(function.body):
        for name in syntax.names_bound(statement):
            found[name] = (*found.get(name, ()), statement)
    return found


@dataclass(frozen=True, slots=True)
class Span:
    """The values of a loop variable: the least, and forms that it never exceeds.

    `refines` names the variable of a loop over blocks, and the width of a block, if this loop runs through one block.
    """

    low: Form
    highs: tuple[Form, ...]
    step: int = 1
    refines: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """The loops around a statement, outermost first.  `held` has answers of `Sizes.is_inside`."""

    spans: Mapping[str, Span] = field(default_factory=dict)
    held: dict[tuple[str, Extent], bool] = field(default_factory=dict, compare=False)

    def inside(self, variable: str, span: Span) -> Scope:
        kept = {name: known for name, known in self.spans.items() if name != variable}
        return Scope({**kept, variable: span})


class Sizes:
    """The forms of one function's ints; every unknown is a length (`is_length`) or a variable."""

    def __init__(self, function: Function) -> None:
        self.types = function.types
        self.facts = DefUse(_definitions(function), {}, frozenset(function.parameters))
        self.numbers: dict[str, int] = {}
        self.lengths: set[int] = set()
        self._names: dict[str, Form | None] = {}
        self._calls: dict[int, tuple[gast.expr, Form | None]] = {}
        self._ends: dict[int, tuple[gast.expr, tuple[Form | None, tuple[Form, ...]]]] = {}

    def variable(self, name: str) -> Form:
        return self._unknown(f"variable {name}")

    def number_of(self, name: str) -> int:
        return self.variable(name).terms[0][0]

    def _unknown(self, key: str, is_length: bool = False) -> Form:
        number = self.numbers.setdefault(key, len(self.numbers))
        if is_length:
            self.lengths.add(number)
        return Form(0, ((number, 1),))

    def of_extent(self, extent: Extent) -> Form:
        """A length, clamped or not: where it is zero no loop over it runs."""
        if not isinstance(extent, Dim):
            return Form(extent)
        total = Form(extent.constant)
        for symbol, factor in extent.terms:
            total = total + self._unknown(f"length {symbol}", is_length=True).times(factor)
        return total

    def _exactly(self, extent: Extent) -> Form:
        """A length as it is: where the clamp at zero may matter it is an unknown of its own."""
        return self.of_extent(extent) if is_plain(extent) else self._unknown(f"clamped {extent}", is_length=True)

    def of(self, tree: gast.expr) -> Form | None:
        """The form of an int expression, found once; None for what is not a sum."""
        kind = type(tree)
        if kind is gast.Name:
            if tree.id not in self._names:
                self._names[tree.id] = self._of_name(tree.id, DEPTH)
            return self._names[tree.id]
        if kind is not gast.Call:
            return self._of(tree, DEPTH)
        if id(tree) not in self._calls:
            self._calls[id(tree)] = tree, self._of(tree, DEPTH)
        return self._calls[id(tree)][1]

    def _of(self, tree: gast.expr, depth: int) -> Form | None:
        return form_of(tree, lambda atom: self._of_atom(atom, depth))

    def _of_atom(self, atom: gast.expr, depth: int) -> Form | None:
        match atom:
            case gast.Name(id=name):
                return self._of_name(name, depth)
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=array)]):
                type_ = self.types.get(array)
                axis = syntax.static_of(atom)["axis"]
                return self._exactly(type_.dims[axis]) if isinstance(type_, Array) else None
        return None

    def _of_name(self, name: str, depth: int) -> Form | None:
        type_ = self.types.get(name)
        if not (isinstance(type_, Scalar) and type_.dtype == INT_WORD):
            return None
        value = self.facts.value_of(name)
        if value is not None and depth and self._is_lasting(value):
            known = self._of(value, depth - 1)
            if known is not None:
                return known
        return self.variable(name)

    def _is_lasting(self, value: gast.expr) -> bool:
        """Whether a sum is still what it was when it was given a name: nothing in it has changed since."""
        row = row_of(syntax.operator_of(value))
        if row is None or not (row.is_sum or row.name == "dim"):
            return False
        scalars = (n for n in syntax.names_read(value) if isinstance(self.types.get(n), Scalar))
        return all(self.facts.is_constant(n) for n in scalars)

    def bounds(self, tree: gast.expr) -> tuple[Form, ...]:
        """Forms that an int expression never exceeds, or never does in a loop that it ends."""
        match tree:
            case gast.Call(func=gast.Name(id="minimum"), args=[left, right]):
                return (*self.bounds(left), *self.bounds(right))
            case gast.Call(func=gast.Name(id="maximum"), args=[other, gast.Constant(value=0)]):
                return self.bounds(other)
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=array)]):
                type_ = self.types.get(array)
                axis = syntax.static_of(tree)["axis"]
                return (self.of_extent(type_.dims[axis]),) if isinstance(type_, Array) else ()
        form = self.of(tree)
        return () if form is None else (form,)

    def span(self, loop: gast.For, scope: Scope) -> Span | None:
        """What values the variable of a loop that counts up takes."""
        start, stop, step = loop.iter.args
        if not (isinstance(step, gast.Constant) and step.value > 0):
            return None
        if id(loop.iter) not in self._ends:
            highs = tuple(form.plus(-1) for form in self.bounds(stop))
            self._ends[id(loop.iter)] = loop.iter, (self.of(start), highs)
        low, highs = self._ends[id(loop.iter)][1]
        if low is None:
            return None
        return Span(low, highs, step.value, self._refined(start, stop, step, scope))

    def _refined(
        self, start: gast.expr, stop: gast.expr, step: gast.Constant, scope: Scope
    ) -> tuple[str, int] | None:
        """`for k in range(j, min(j + 256, n))` inside of `for j in range(0, n, 256)`"""
        match start, stop:
            case gast.Name(id=outer), gast.Call(func=gast.Name(id="minimum"), args=[first, _]) if outer in scope.spans:
                form = self.of(first)
                width = None if form is None else form - self.variable(outer)
                if step.value == 1 and width is not None and not width.terms:
                    return outer, width.constant
        return None

    # --- signs

    def is_natural(self, form: Form, scope: Scope) -> bool:
        """Whether a form is never negative: loop variables give way to their bounds, innermost first."""
        for name in reversed(list(scope.spans)):
            number = self.numbers.get(f"variable {name}")
            factor = 0 if number is None else form.factor_of(number)
            if not factor:
                continue
            span, rest = scope.spans[name], form - self.variable(name).times(factor)
            ends = (span.low,) if factor > 0 else span.highs
            outer = Scope({n: s for n, s in scope.spans.items() if n != name})
            return any(self.is_natural(rest + end.times(factor), outer) for end in ends)
        return form.constant >= 0 and all(f > 0 and unknown in self.lengths for unknown, f in form.terms)

    def is_natural_int(self, tree: gast.expr) -> bool:
        """Whether an int is surely not negative, wherever it stands."""
        if is_natural(tree):
            return True
        form = self.of(tree)
        return form is not None and self.is_natural(form, Scope())

    def is_inside(self, index: gast.expr, extent: Extent, scope: Scope) -> bool:
        """Whether `0 <= index < extent` for every turn of the loops around it."""
        if not isinstance(index, gast.Name):
            return self._is_inside(index, extent, scope)
        key = index.id, extent
        if key not in scope.held:
            scope.held[key] = self._is_inside(index, extent, scope)
        return scope.held[key]

    def _is_inside(self, index: gast.expr, extent: Extent, scope: Scope) -> bool:
        form = self.of(index)
        if form is None:
            return False
        return self.is_natural(form, scope) and self.is_natural((self.of_extent(extent) - form).plus(-1), scope)
