"""Do at compile time what is known, and nothing twice.

    n = x.shape[0]                ->     n = x.shape[0]
    t = 2.0 * 3.0                        y = x * 6.0
    y = x * t                            z = sin(y)
    z = sin(x * 6.0)
    if True: ...                         ...

Takes and gives typed functions.  Propagates copies and constants, computes Python's arithmetic on constants, applies
`identities`, composes casts, transposes and reshapes, leaves out spreading that the next operator does as well, reuses
values already at hand, and takes constant branches.
Keeps values to the last bit, dtypes, shapes and errors.  Leaves the assignments that become dead to `prune`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache, partial

import gast

from .. import syntax
from ..analysis.def_use import def_use, movable
from ..analysis.failure import natural_names
from ..analysis.made_names import temporaries_of
from ..analysis.memory.alias import shown_by
from ..analysis.result_types import result_type
from ..builder import type_of_constant
from ..names import Names, base_of
from ..ops import schema
from ..ops.schema import row_of
from ..ops.type_rules import dims_of
from ..program import Function
from ..renaming import map_expression, map_statement, rename, with_blocks
from ..types import Array, Extent, ListOf, Scalar, Type, dtype_of
from .constants import evaluate, evaluate_strong, may_weaken, weaken
from .identities import A_CONSTANT, REPEATING, CompiledRule, Shown, apply, glance, may_repeat, rules_for
from .known import Known

SPREADING = frozenset(row.name for row in schema.OPERATORS.values() if row.shares == "read-only")
TRANSPARENT = SPREADING | {"multiply"}  # what `seen_in` may see through


def simplify(function: Function) -> Function:
    """The function with everything simplified that can be; the same object where nothing can."""
    while True:
        following = simplify_once(function)
        if following is function:
            return function
        function = following


def simplify_once(function: Function) -> Function:
    """One walk; the caller repeats it until nothing changes."""
    return adopt_names(_Simplifier(function).function())


def adopt_names(function: Function) -> Function:
    """Call a temporary by the user's name where the user's only assignment is a copy of it: `t = ...; y = t`."""
    facts, hidden = def_use(function), temporaries_of(function)
    names: dict[str, str] = {}
    copies: set[int] = set()
    for statement in syntax.walk(function.body):
        if type(statement) is not gast.Assign or type(statement.value) is not gast.Name:
            continue
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Name(id=source)):
                single = facts.is_single(name) and facts.is_single(source)
                is_list = isinstance(function.types[name], ListOf)  # a list has one name, or it has no derivative
                plainer = source in hidden or base_of(source) == name or is_list
                fresh = name not in hidden and plainer and source not in names
                if single and fresh and function.types[name] == function.types[source]:
                    if _is_assigned(facts.definitions[source][0]):
                        names[source] = name
                        copies.add(id(statement))
    if not names:
        return function
    for source in reversed(names):  # a copy of a copy comes after it
        names[source] = names.get(names[source], names[source])
    return rename(function.with_(body=tuple(_without(function.body, copies))), names)


def _measured(function: Function) -> set[str]:
    """The names that are read for lengths alone."""
    asked: Counter[str] = Counter()
    for statement in syntax.walk(function.body):
        value = getattr(statement, "value", None)
        if syntax.operator_of(value) == "dim":
            asked[value.args[0].id] += 1
    counts = def_use(function).count
    return {name for name, count in asked.items() if counts[name] == count}


def _is_assigned(definition: gast.stmt) -> bool:
    return isinstance(definition, gast.Assign)


def _without(statements: Sequence[gast.stmt], dropped: set[int]) -> list[gast.stmt]:
    kept = [s for s in statements if id(s) not in dropped]
    return [with_blocks(s, [_without(block, dropped) for block in syntax.blocks_of(s)]) for s in kept]


class _Simplifier:
    """One walk forward, in the light of what is known."""

    def __init__(self, source: Function) -> None:
        self.source, self.types = source, dict(source.types)
        self.hidden = temporaries_of(source)
        self.known = Known(source, self.types)
        self.names = Names({*self.types, *source.parameters})
        self.measured = _measured(source)
        self.parts: list[gast.stmt] = []

    def function(self) -> Function:
        body = self.block(self.source.body)
        same = len(body) == len(self.source.body) and all(a is b for a, b in zip(body, self.source.body))
        if same:
            return self.source
        made = self.types.keys() - self.source.types.keys()
        return self.source.with_(body=tuple(body), types=self.types, temporaries=self.source.temporaries | made)

    # --- statements

    def block(self, statements: Sequence[gast.stmt]) -> list[gast.stmt]:
        return [made for statement in statements for made in self.statement(statement)]

    def scope(self, statements: Sequence[gast.stmt]) -> list[gast.stmt]:
        """A nested block: what is learnt in it is forgotten after it."""
        with self.known.scope():
            return self.block(statements)

    def statement(self, statement: gast.stmt) -> list[gast.stmt]:
        kind = type(statement)
        if kind is gast.Assign and type(statement.targets[0]) is gast.Name:
            made = self.assignment(statement, statement.targets[0].id)
            return self.with_parts(made) if self.parts else [made]
        if kind is gast.While or kind is gast.For:
            return self.loop(statement)
        statement = self.reading(statement)
        match statement:
            case gast.If(test=gast.Constant(value=value)):
                return self.block(statement.body if value else statement.orelse)
            case gast.If(body=body, orelse=orelse):
                made = with_blocks(statement, [self.scope(body), self.scope(orelse)])
                self.known.forget([statement])
                return [made]
        self.known.forget([statement])
        return [statement]

    def with_parts(self, statement: gast.stmt) -> list[gast.stmt]:
        """The statements that a simpler value was taken apart into, and the one that puts it together."""
        parts, self.parts = self.parts, []
        span, inlined = getattr(statement, "span", None), getattr(statement, "inlined", ())
        return [*(syntax.at(part, span, inlined) for part in parts), statement]

    def reading(self, statement: gast.stmt) -> gast.stmt:
        """The statement itself with the names it reads replaced by what they are copies of."""
        if not self.known.copies:
            return statement
        return map_statement(statement, self.known.read, lambda id_: id_)

    def loop(self, statement: gast.For | gast.While) -> list[gast.stmt]:
        if isinstance(statement, gast.For):
            statement = self.reading(statement)  # type: ignore[assignment]
            if _never_runs(statement):
                return []
        self.known.forget([statement])
        if isinstance(statement, gast.While):
            statement = self.reading(statement)  # type: ignore[assignment]
            if isinstance(statement.test, gast.Constant) and not statement.test.value:
                return []
        return [with_blocks(statement, [self.scope(statement.body)])]

    def assignment(self, statement: gast.Assign, name: str) -> gast.stmt:
        before = statement.value
        value, names = before, syntax.names_read(before)
        if not self.known.copies.keys().isdisjoint(names):
            value = map_expression(before, self.known.read)
        may_move, key = movable(value), None
        if may_move and not syntax.is_atom(value):
            value, key = self.simpler(name, value)
        if value is not before:
            statement = syntax.rebuild(statement, value=value)
            names = syntax.names_read(value)
        self.known.rebind(name, statement)
        if name in names:
            return statement
        if not syntax.is_atom(value):
            if may_move:
                self.known.learn(name, value, names, None if self.is_creation(value) else key)
        elif self.may_stand_for(name, value):
            self.known.stand_for(name, value)
        return statement

    def may_stand_for(self, name: str, value: gast.expr) -> bool:
        """Whether reads of a copied name may read the original; the user's names win over temporaries."""
        if isinstance(value, gast.Constant):
            return type_of_constant(value.value) == self.types[name]
        same = _fits(self.types[value.id], self.types[name])
        named = name in self.hidden or value.id not in self.hidden
        return same and named and self.may_share(name, value)

    def may_share(self, name: str, value: gast.expr) -> bool:
        """Whether it cannot be observed if a name has elements of its own or shares them with what the value reads."""
        return all(map(self.known.is_lasting, (name, *syntax.names_read(value))))

    def is_creation(self, value: gast.expr) -> bool:
        row = schema.OPERATORS.get(syntax.operator_of(value) or "")
        return row is not None and row.kind == "creation"

    # --- values

    def simpler(self, name: str, value: gast.expr) -> tuple[gast.expr, Hashable]:
        """The simplest right-hand side of the same value and type, and its key unless it is an atom."""
        while (following := self.step(name, value)) is not None:
            value = following
        if syntax.is_atom(value):
            return value, None
        key = self.key(value)
        held = self.known.available.get(key)
        if held not in (None, name) and self.types[held] == self.types[name] and self.known.is_lasting(name):
            return syntax.name(held), None
        return value, key

    def step(self, name: str, value: gast.expr) -> gast.expr | None:
        if not isinstance(value, gast.Call):
            return None
        operator, shown = syntax.operator_of(value), glance(value, self.known.values)
        repeats = operator in REPEATING and may_repeat(value)
        if not is_promising(operator, shown, repeats):
            return self.seen_through(name, value, shown)
        constant = self.constant(name, value)
        if constant is not None:
            return constant
        for candidate in self.candidates(value, rules_for(operator, shown, repeats)):
            candidate = map_expression(candidate, self.known.read)
            if operator != "cast":
                candidate = self.as_strong(name, candidate)
            if not self.has_type(candidate, name, value):
                continue
            if not shown_by(candidate, self.types) or self.may_share(name, candidate):
                return self.flat(candidate)
            # an array that is stored into shares with no other, but may be made as that was
            made = self.known.value_of(candidate.id) if isinstance(candidate, gast.Name) else None
            if made is not None and self.known.is_read_once(candidate.id) and not shown_by(made, self.types):
                return made
        return self.seen_through(name, value, shown)

    def seen_through(self, name: str, value: gast.Call, shown: tuple[Shown, ...]) -> gast.expr | None:
        """An elementwise operator on what its operands were before they were spread, or multiplied by one."""
        if TRANSPARENT.isdisjoint(shown) or not isinstance(self.types[name], Array):
            return None
        if schema.OPERATORS[value.func.id].kind != "elementwise" or shown_by(value, self.types):
            return None
        for place, operand in enumerate(value.args):
            made = self.known.value_of(operand.id) if shown[place] in TRANSPARENT else None
            inner = None if made is None else seen_in(made)
            type_ = None if inner is None else result_type(inner, self.types)
            if type_ is not None and dtype_of(type_) == dtype_of(self.types[operand.id]):
                arguments = [*value.args[:place], inner, *value.args[place + 1 :]]
                candidate = syntax.rebuild(value, args=arguments)
                if self.has_type(candidate, name, value):
                    return candidate
        return None

    def as_strong(self, name: str, candidate: gast.expr) -> gast.expr:
        """A Python number in place of NumPy's."""
        have, want = result_type(candidate, self.types), self.types[name]
        if not syntax.is_atom(candidate) or have == want or not isinstance(have, Scalar) or not have.weak:
            return candidate
        return syntax.call("cast", candidate, dtype=have.dtype, weak=False) if want == Scalar(have.dtype) else candidate

    def flat(self, value: gast.expr) -> gast.expr:
        """The value with names for the operators inside it, which become statements of their own."""
        if not isinstance(value, gast.Call) or all(map(syntax.is_atom, value.args)):
            return value
        return syntax.rebuild(value, args=[self.part(a) for a in value.args])

    def part(self, value: gast.expr) -> gast.expr:
        if syntax.is_atom(value):
            return value
        made = self.names.fresh("t")
        self.types[made] = result_type(value, self.types)  # type: ignore[assignment]
        self.parts.append(syntax.assign(made, value))
        self.known.learn(made, value, syntax.names_read(value), None)
        return syntax.name(made)

    def candidates(self, value: gast.Call, rules: tuple[CompiledRule, ...]) -> list[gast.expr]:
        """What has the same elements, whatever its type."""
        value_of = self.known.value_of
        constants = [evaluate_strong(value, value_of), weaken(value, self.types, value_of)]
        natural = partial(natural_names, self.source)
        identical = apply(rules, value, self.types, value_of, self.known.is_read_once, natural)
        found = [*(c for c in constants if c is not None), *identical, *collapsed(value, self.types, value_of)]
        return found + self.length_of_operand(value) if syntax.operator_of(value) == "dim" else found

    def length_of_operand(self, value: gast.Call) -> list[gast.expr]:
        """A length of what is asked for nothing else, asked of what it is made of: then it need not be made."""
        asked = value.args[0].id
        made = self.known.value_of(asked) if asked in self.measured else None
        for operand in made.args if isinstance(made, gast.Call) else ():
            dims = dims_of(self.types[operand.id]) if isinstance(operand, gast.Name) else ()
            if self.length(value) in dims:
                return [syntax.call("dim", operand, axis=dims.index(self.length(value)))]
        return []

    def has_type(self, candidate: gast.expr, name: str, value: gast.Call) -> bool:
        """Whether a candidate for the value of a name has the name's type."""
        result, wanted = result_type(candidate, self.types), self.types[name]
        if result is None:
            return False
        row = row_of(syntax.operator_of(candidate))
        shaped = row is not None and row.kind == "structural" and "shape" in row.static
        if shaped and syntax.same(candidate.keywords, value.keywords):
            return dtype_of(result) == dtype_of(wanted)
        return _fits(result, wanted)

    def constant(self, name: str, value: gast.Call) -> gast.Constant | None:
        if syntax.operator_of(value) == "dim":
            length = self.length(value)
            return syntax.constant(length) if isinstance(length, int) else None
        found = evaluate(value)
        if found is None or type_of_constant(found.value) != self.types[name]:
            return None
        return found

    def length(self, value: gast.Call) -> Extent | None:
        type_ = self.types.get(value.args[0].id)
        axis = syntax.static_of(value)["axis"]
        return type_.dims[axis] if isinstance(type_, Array) and isinstance(axis, int) else None

    def key(self, value: gast.expr) -> Hashable:
        """Equal for expressions of equal value; a length is known by its dimension, whatever array it is asked of."""
        if syntax.operator_of(value) == "dim":
            return "length", self.length(value)
        return syntax.form_of(value)


def collapsed(value: gast.Call, types: Mapping[str, Type], value_of: Callable[[str], gast.expr | None]) -> Sequence:
    """What an operator that rearranges or converts may be replaced by, if that has the type."""
    row = row_of(syntax.operator_of(value))
    if row is None or row.collapses is None or not isinstance(value.args[0], gast.Name):
        return ()
    inner = value_of(value.args[0].id)
    of_the_like = inner if inner is not None and syntax.operator_of(inner) == row.name else None
    return row.collapses(value, value.args[0], of_the_like, types)


def may_collapse(operator: str | None) -> bool:
    row = row_of(operator)
    return row is not None and row.collapses is not None


@cache
def is_promising(operator: str | None, shown: tuple[Shown, ...], repeats: bool) -> bool:
    """Whether a glance at the operands leaves it open that there is something simpler: mostly it does not."""
    if operator == "dim" or may_collapse(operator) or rules_for(operator, shown, repeats):
        return True
    numbers = [part == "cast" or part == A_CONSTANT or isinstance(part, tuple) for part in shown]
    return all(numbers) or "cast" in shown and may_weaken(operator)


def seen_in(value: gast.expr) -> gast.expr | None:
    """The operand whose elements an operator spreads or leaves as they are."""
    match value:
        case gast.Call(func=gast.Name(id=operator), args=[inner]) if operator in SPREADING:
            return inner
        case gast.Call(func=gast.Name(id="multiply"), args=[gast.Constant(value=one), gast.Name() as inner]):
            return inner if one == 1 else None
        case gast.Call(func=gast.Name(id="multiply"), args=[gast.Name() as inner, gast.Constant(value=one)]):
            return inner if one == 1 else None
    return None


def _fits(have: Type, want: Type) -> bool:
    """Whether a value of one type may stand where another is declared: strides may be known better."""
    if isinstance(have, Array) and isinstance(want, Array):
        return (have.dtype, have.dims) == (want.dtype, want.dims) and (have.layout == "C" or want.layout == "A")
    return have == want and not isinstance(have, ListOf)


def _never_runs(statement: gast.For) -> bool:
    bounds = [b.value for b in statement.iter.args if isinstance(b, gast.Constant)]
    return len(bounds) == 3 and bounds[2] != 0 and len(range(*bounds)) == 0
