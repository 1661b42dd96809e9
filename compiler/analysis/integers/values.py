"""The ints of one function as sums of lengths and variables, and what the loops around a statement say of them.

    for i in range(0, dim(u, axis=0) - 2, 1):      u is f64[n]:    i from 0 to n - 3
        v[i + 1] = ...                             i + 1 >= 0 and n - 1 - (i + 1) >= 0: in bounds

Lengths are known by their types: equal symbols are equal lengths, wherever a symbol means one number.  An unknown
stands for a length, or for a name: a comparison of two moments must say which names have other values by then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

import gast

from ... import syntax
from ...dtypes import INT_WORD
from ...ops.forms import is_never_negative
from ...ops.schema import row_of
from ...program import Function
from ...types import Array, Dim, Extent, Scalar, is_plain, symbols_of
from ..def_use import DefUse
from .affine import HIGH, Affine, Unknowns, form_of
from .nest_scope import Loop, NestScope
from .prover import Prover

DEPTH = 8  # names that are taken for their values, one within the other


class Integers:
    """The forms of one function's ints, each found once; every unknown is a length or a variable."""

    def __init__(self, function: Function) -> None:
        self.types, self._parameters = function.types, function.parameters
        definitions: dict[str, tuple[gast.stmt, ...]] = {}
        self._bound_again: set[str] = set()
        _note(function.body, frozenset(), definitions, self._bound_again)
        self.facts = DefUse(definitions, {}, frozenset(function.parameters))
        self.numbers: dict[str, int] = {}
        self.names: list[str] = []
        self.unknowns = Unknowns()
        self.lengths: dict[int, tuple[Affine, ...]] = {}  # what each is never below, besides zero
        self._made: dict[int, set[str]] = {}  # the arrays that each is a length of, if no parameter is as long
        self._makers: dict[str, set[str]] | None = None
        self._names: dict[str, Affine | None] = {}
        self._calls: dict[int, tuple[gast.expr, Affine | None]] = {}
        self._loops: dict[int, tuple[gast.stmt, Loop]] = {}
        self._bounds: dict[int, tuple[gast.expr, tuple[tuple[Affine, ...], tuple[Affine, ...]]]] = {}
        self._bound: dict[int, tuple[gast.stmt, frozenset[str]]] = {}

    # --- unknowns

    def variable(self, name: str) -> Affine:
        return Affine(0, ((self.number_of(name), 1),))

    def number_of(self, name: str) -> int:
        number = self.numbers.get(name)
        if number is None:
            number = self.numbers[name] = len(self.names)
            self.names.append(name)
            self.unknowns.fresh()
        return number

    def fresh(self, what: str) -> int:
        """An unknown that stands for no name."""
        return self.number_of(f"{what} {len(self.names)}")

    def varies(self, unknown: int, names: AbstractSet[str]) -> bool:
        """Whether an unknown may stand for something else once these names have other values."""
        if unknown not in self.lengths:
            return self.names[unknown] in names
        return not names.isdisjoint(self._made[unknown])

    def names_in(self, form: Affine) -> frozenset[str]:
        """The names that a form depends on."""
        parts = (self._made[u] if u in self.lengths else {self.names[u]} for u, _ in form.terms)
        return frozenset(name for part in parts for name in part)

    def _lengths_of_locals(self) -> dict[str, set[str]]:
        """For every symbol that no parameter has the arrays that are that long: it means what they mean."""
        if self._makers is None:
            self._makers = {}
            given = {s for name in self._parameters for s in symbols_of(self.types[name])}
            for name, type_ in self.types.items():
                for extent in type_.dims if isinstance(type_, Array) else ():
                    for symbol, _ in extent.terms if isinstance(extent, Dim) else ():
                        if symbol not in given:
                            self._makers.setdefault(symbol, set()).add(name)
        return self._makers

    def _length(self, key: str, symbols: tuple[str, ...], least: tuple[Affine, ...] = ()) -> Affine:
        number = self.number_of(f"length {key}")
        if number not in self.lengths:
            makers = self._lengths_of_locals()
            self.lengths[number] = least
            self.unknowns.intervals[number] = 0, HIGH
            self._made[number] = {name for symbol in symbols for name in makers.get(symbol, ())}
        return Affine(0, ((number, 1),))

    def of_extent(self, extent: Extent) -> Affine:
        """A length, clamped or not: where it is zero no loop over it runs."""
        if not isinstance(extent, Dim):
            return Affine(extent)
        total = Affine(extent.constant)
        for symbol, factor in extent.terms:
            total = total + self._length(symbol, (symbol,)).times(factor)
        return total

    def exactly(self, extent: Extent) -> Affine:
        """A length as it is: where the clamp at zero may matter it is an unknown of its own."""
        unclamped = self.of_extent(extent)
        return unclamped if is_plain(extent) else self._length(f"clamped {extent}", extent.symbols(), (unclamped,))

    # --- forms

    def of(self, tree: gast.expr) -> Affine | None:
        """The form of an int expression; None for what is not a sum."""
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

    def _of(self, tree: gast.expr, depth: int) -> Affine | None:
        return form_of(tree, lambda atom: self._of_atom(atom, depth))

    def _of_atom(self, atom: gast.expr, depth: int) -> Affine | None:
        match atom:
            case gast.Name(id=name):
                return self._of_name(name, depth)
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=array)]):
                type_ = self.types.get(array)
                axis = syntax.static_of(atom)["axis"]
                return self.exactly(type_.dims[axis]) if isinstance(type_, Array) else None
        return None

    def _of_name(self, name: str, depth: int) -> Affine | None:
        type_ = self.types.get(name)
        if not (isinstance(type_, Scalar) and type_.dtype == INT_WORD):
            return None
        value = self.facts.value_of(name)
        if value is not None and depth and self._is_lasting(value):
            known = self._of(value, depth - 1)
            if known is not None:
                return known
        return self.variable(name)

    def sum_of(self, name: str) -> gast.expr | None:
        """The sum that a name stands for, if it still has the value that it had then."""
        value = self.facts.value_of(name)
        return value if value is not None and self._is_lasting(value) else None

    def _is_lasting(self, value: gast.expr) -> bool:
        """Whether a sum is still what it was when it was given a name: nothing in it has changed since."""
        row = row_of(syntax.operator_of(value))
        if row is None or not (row.is_sum or row.name == "dim"):
            return False
        scalars = (n for n in syntax.names_read(value) if isinstance(self.types.get(n), Scalar))
        return all(self.facts.is_constant(n) for n in scalars)

    def ends(self, stop: gast.expr) -> tuple[Affine, ...]:
        """Forms that the stop of a loop that counts up never exceeds wherever the loop runs at all."""
        match stop:
            case gast.Call(func=gast.Name(id="minimum"), args=[left, right]):
                return (*self.ends(left), *self.ends(right))
            case gast.Call(func=gast.Name(id="maximum"), args=[other, gast.Constant(value=0)]):
                return self.ends(other)
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=array)]):
                type_ = self.types.get(array)
                axis = syntax.static_of(stop)["axis"]
                return (self.of_extent(type_.dims[axis]),) if isinstance(type_, Array) else ()
        return self._limits(stop, "minimum")

    def _limits(self, tree: gast.expr, operator: str) -> tuple[Affine, ...]:
        """What an int is never above if it is the least of some, never below if it is the greatest; or itself."""
        if isinstance(tree, gast.Call) and syntax.operator_of(tree) == operator:
            return tuple(form for part in tree.args for form in self._limits(part, operator))
        form = self.of(tree)
        return () if form is None else (form,)

    # --- loops

    def loop(self, statement: gast.For | gast.While) -> Loop:
        """What values the variable of a loop takes."""
        if id(statement) not in self._loops:
            made = self._counted(statement) if isinstance(statement, gast.For) else Loop(statement)
            self._loops[id(statement)] = statement, made
        return self._loops[id(statement)][1]

    def _counted(self, node: gast.For) -> Loop:
        variable, step = node.target.id, node.iter.args[2]
        size = step.value if isinstance(step, gast.Constant) else 0
        if variable in self._bound_again:
            return Loop(node)
        if id(node.iter) not in self._bounds:
            self._bounds[id(node.iter)] = node.iter, self._bounds_of(node.iter.args[0], node.iter.args[1], size)
        lows, highs = self._bounds[id(node.iter)][1]
        turn = self.fresh("turn") if abs(size) > 1 else None
        return Loop(node, variable, self._lasting(lows, node), self._lasting(highs, node), size, turn)

    def _bounds_of(self, start: gast.expr, stop: gast.expr, step: int) -> tuple[tuple[Affine, ...], tuple[Affine, ...]]:
        if step > 0:
            return self._limits(start, "maximum"), tuple(form.plus(-1) for form in self.ends(stop))
        if step < 0:
            return tuple(form.plus(1) for form in self._limits(stop, "maximum")), self._limits(start, "minimum")
        return (), ()

    def _lasting(self, forms: tuple[Affine, ...], node: gast.For) -> tuple[Affine, ...]:
        """The bounds that mean in the body what they meant ahead of it."""
        doubtful = {unknown for form in forms for unknown, _ in form.terms if self._made.get(unknown) != set()}
        if not doubtful:
            return forms
        changed = self.bound_in(node)
        other = {unknown for unknown in doubtful if self.varies(unknown, changed)}
        return tuple([form for form in forms if other.isdisjoint([unknown for unknown, _ in form.terms])])

    def bound_in(self, node: gast.stmt) -> frozenset[str]:
        """The names that get values in a statement."""
        if id(node) not in self._bound:
            names: set[str] = set()
            for statement in syntax.walk([node]):
                names.update(syntax.names_bound(statement))
            self._bound[id(node)] = node, frozenset(names)
        return self._bound[id(node)][1]

    def known(self, forms: Iterable[Affine], loops: Sequence[Loop], whole: bool = False) -> Iterator[Affine]:
        """What is never negative of all that these forms speak of, directly or not: loop variables and lengths.

        `whole` asks for all loops: where one of them has no iterations nothing happens inside.
        """
        asked = set()
        for form in forms:
            asked.update([unknown for unknown, _ in form.terms])
        for loop in reversed(loops):
            number = self.numbers.get(loop.variable)
            if number in asked or (whole and loop.step):
                value = self.variable(loop.variable)
                for fact in (*[value - low for low in loop.lows], *[high - value for high in loop.highs]):
                    asked.update([unknown for unknown, _ in fact.terms])
                    yield fact
        for unknown in asked & self.lengths.keys():
            value = Affine(0, ((unknown, 1),))
            yield value
            for least in self.lengths[unknown]:
                yield value - least
                yield from (Affine(0, ((other, 1),)) for other, _ in least.terms if other not in asked)

    def strides(self, loops: Sequence[Loop]) -> Iterator[Affine]:
        """What is zero because loops go by longer steps."""
        for loop in loops:
            if loop.turn is not None and (start := loop.start()) is not None:
                yield self.variable(loop.variable) - start - Affine(0, ((loop.turn, loop.step),))

    # --- signs

    def is_natural(self, form: Affine, scope: NestScope) -> bool:
        """Whether a form is never negative where these loops are around."""
        if not form.terms:
            return form.constant >= 0
        key = form.constant, form.terms
        if key not in scope.held:
            known = self._is_natural_at_ends(form, scope.loops)
            scope.held[key] = known or Prover(self.unknowns, self._known_in(form, scope)).proves(form)
        return scope.held[key]

    def _known_in(self, form: Affine, scope: NestScope) -> Iterator[Affine]:
        yield from scope.facts
        yield from self.known([form, *scope.facts], scope.loops)

    def _is_natural_at_ends(self, form: Affine, loops: Sequence[Loop]) -> bool:
        """Whether it is enough to put in the ends of the loops, innermost first: the cheap answer to most questions."""
        for loop in reversed(loops):
            number = self.numbers.get(loop.variable)
            for unknown, factor in form.terms:
                if unknown == number:
                    ends = loop.lows if factor > 0 else loop.highs
                    if len(ends) != 1:
                        return False
                    form = form.with_value(unknown, ends[0])
        for unknown, factor in form.terms:
            if factor < 0 or unknown not in self.lengths:
                return False
        return form.constant >= 0

    def is_natural_int(self, tree: gast.expr) -> bool:
        """Whether an int is surely not negative, wherever it stands."""
        if is_natural(tree):
            return True
        form = self.of(tree)
        return form is not None and self.is_natural(form, NestScope())

    def is_inside(self, index: gast.expr, extent: Extent, scope: NestScope) -> bool:
        """Whether `0 <= index < extent` for every iteration of the loops around it."""
        if not isinstance(index, gast.Name):
            return self._is_inside(index, extent, scope)
        key = index.id, extent
        if key not in scope.held:
            scope.held[key] = self._is_inside(index, extent, scope)
        return scope.held[key]

    def _is_inside(self, index: gast.expr, extent: Extent, scope: NestScope) -> bool:
        form = self.of(index)
        if form is None or not self.is_natural(form, scope):
            return False
        return self.is_natural(self.of_extent(extent) - form.plus(1), scope)

    # --- guards

    def within(self, scope: NestScope, statement: gast.For | gast.While) -> NestScope:
        """The scope of a loop's body, in which what guards said of names that it changes may not hold."""
        return self._still(scope, statement).inside(self.loop(statement))

    def behind(self, scope: NestScope, statement: gast.stmt) -> NestScope:
        """The scope of what stands after a statement: a guard says more, and other values of its names less."""
        scope = self._still(scope, statement)
        match statement:
            case gast.If(test=test, body=[*_, gast.Raise()], orelse=[]):
                alike, facts = tuple(self._compared(test)), tuple(self._equal(test))
                if alike:
                    return NestScope(scope.loops, alike=(*scope.alike, *alike), facts=(*scope.facts, *facts))
        return scope

    def _still(self, scope: NestScope, statement: gast.stmt) -> NestScope:
        """The scope with what holds of its guards whatever a statement changes."""
        if not scope.alike and not scope.facts:
            return scope
        changed = self.bound_in(statement)
        alike = tuple(pair for pair in scope.alike if not any(self._changes(form, changed) for form in pair))
        facts = tuple(form for form in scope.facts if not self._changes(form, changed))
        if alike == scope.alike and facts == scope.facts:
            return scope
        return NestScope(scope.loops, alike=alike, facts=facts)

    def _changes(self, form: Affine, changed: AbstractSet[str]) -> bool:
        return any(self.varies(unknown, changed) for unknown, _ in form.terms)

    def _equal(self, test: gast.expr) -> Iterator[Affine]:
        """The differences of lengths that are equal where a test fails, negative or not."""
        for left, right in _apart(test):
            one, other = self.of(left), self.of(right)
            if one is not None and other is not None and one != other:
                yield from (one - other, other - one)

    def _compared(self, test: gast.expr) -> Iterator[tuple[Affine, Affine]]:
        """The lengths that are equal where a test fails."""
        for left, right in _apart(test):
            one, other = self.ends(left), self.ends(right)
            if len(one) == len(other) == 1 and one != other:
                yield one[0], other[0]


def _apart(test: gast.expr) -> Iterator[tuple[gast.expr, gast.expr]]:
    """What is equal where a test fails."""
    match test:
        case gast.BoolOp(op=gast.Or(), values=parts):
            for part in parts:
                yield from _apart(part)
        case gast.Call(func=gast.Name(id="not_equal"), args=[left, right]):
            yield left, right


def is_natural(tree: gast.expr) -> bool:
    """Whether the operators of an int expression say that it is never negative."""
    match tree:
        case gast.Constant(value=value):
            return isinstance(value, int) and value >= 0
        case gast.Call(func=gast.Name(id=operator), args=args):
            return is_never_negative(operator, map(is_natural, args))
    return False


def _note(
    statements: Iterable[gast.stmt], active: frozenset[str], found: dict[str, tuple[gast.stmt, ...]], again: set[str]
) -> None:
    """Note where names get their values, and the loop variables that get another one while their loop runs."""
    for statement in statements:
        for name in syntax.names_bound(statement):
            found[name] = (*found.get(name, ()), statement)
            if name in active:
                again.add(name)
        if type(statement) in syntax.COMPOUND:
            inside = active | {statement.target.id} if type(statement) is gast.For else active
            for block in syntax.blocks_of(statement):
                _note(block, inside, found, again)
