"""Algebraic identities that hold exactly: for nan, infinities and -0.0, in dtype and in shape.

    x * 1.0    ->    x              x + -y    ->    x - y

A rule is applied only where both sides have the same type, which rules out `i64[n] * 1.0`.  What is not here is not
exact: `x + 0.0` is 0.0 for x = -0.0, `x * 0.0` may be nan, `x - x` as well.  Signs are moved among floats only: the
least int is its own negation.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterable, Mapping
from functools import cache
from typing import TypeAlias

import gast

from .. import syntax
from ..builder import COMPARISONS, INFIX, PREFIX
from ..diagnostics import InternalError
from ..dtypes import is_inexact, is_integer
from ..parsing import parse
from ..records import dataclass
from ..types import ListOf, Scalar, Type

ANY, FLOATING, INTEGER, PYTHON_INTEGER, NATURAL = "any", "floating", "integer", "python integer", "natural"

ValueOf = Callable[[str], gast.expr | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """`before -> after` for operands of a kind; names stand for any atom, constants for themselves and their type.

    `once` asks that nothing else reads the inner values of `before`, so that they go when it goes.
    """

    before: str
    after: str
    only: str = ANY
    once: bool = False


def rule(before: str, after: str, only: str = ANY, once: bool = False) -> Rule:
    return Rule(before, after, only, once)


RULES = (
    rule("x * 1.0", "x"),
    rule("1.0 * x", "x"),
    rule("x * 1", "x"),
    rule("1 * x", "x"),
    rule("x / 1.0", "x"),
    rule("x / 1", "x"),
    rule("x - 0.0", "x"),
    rule("x - 0", "x"),
    rule("x ** 1", "x"),
    rule("x ** 1.0", "x"),
    rule("+x", "x"),
    rule("-(-x)", "x"),
    rule("x * -1.0", "-x"),
    rule("-1.0 * x", "-x"),
    rule("x / -1.0", "-x"),
    rule("x + -y", "x - y", FLOATING),
    rule("-x + y", "y - x", FLOATING),
    rule("x - -y", "x + y", FLOATING),
    rule("-x * -y", "x * y", FLOATING),
    rule("-x / -y", "x / y", FLOATING),
    # a sign moves outward, where it meets another one or a sum; through sums it may not: -x + -y is 0.0 for y = -x
    rule("-x * y", "-(x * y)", FLOATING, once=True),
    rule("x * -y", "-(x * y)", FLOATING, once=True),
    rule("-x / y", "-(x / y)", FLOATING, once=True),
    rule("x / -y", "-(x / y)", FLOATING, once=True),
    rule("absolute(absolute(x))", "absolute(x)"),
    rule("absolute(-x)", "absolute(x)"),
    # a square has no kink: its second derivative is there where the size has none
    rule("absolute(x) * absolute(x)", "x * x"),
    rule("absolute(x) ** 2", "x ** 2"),
    rule("absolute(x) ** 2.0", "x ** 2.0"),
    rule("square(absolute(x))", "square(x)"),
    rule("math_fabs(x) * math_fabs(x)", "x * x"),
    rule("math_fabs(x) ** 2", "x ** 2"),
    rule("math_fabs(x) ** 2.0", "x ** 2.0"),
    rule("real(complex_of(x, y))", "x"),
    rule("imag(complex_of(x, y))", "y"),
    rule("maximum(x, x)", "x"),
    rule("minimum(x, x)", "x"),
    rule("where(c, x, x)", "x"),
    rule("where(True, x, y)", "x"),
    rule("where(False, x, y)", "y"),
    rule("where(logical_not(c), x, y)", "where(c, y, x)"),
    rule("logical_not(logical_not(x))", "x"),
    rule("logical_and(x, True)", "x"),
    rule("logical_and(True, x)", "x"),
    rule("logical_or(x, False)", "x"),
    rule("logical_or(False, x)", "x"),
    rule("x + 0", "x", INTEGER),
    rule("0 + x", "x", INTEGER),
    rule("x // 1", "x", INTEGER),
    rule("x % 1", "0", INTEGER),
    rule("0 % maximum(x, 1)", "0", INTEGER),
    rule("0 % where(1 > x, 1, x)", "0", INTEGER),  # what Python's `max(x, 1)` is
    rule("x << 0", "x", INTEGER),
    rule("x >> 0", "x", INTEGER),
    rule("x | 0", "x", INTEGER),
    rule("x * 0", "0", PYTHON_INTEGER),
    rule("0 * x", "0", PYTHON_INTEGER),
    rule("x - x", "0", PYTHON_INTEGER),
    rule("x != x", "False", INTEGER),
    rule("x == x", "True", INTEGER),
    # lengths, and sums and products of them
    rule("maximum(x, 0)", "x", NATURAL),
    rule("x < 0", "False", NATURAL),
    rule("0 > x", "False", NATURAL),
    rule("x >= 0", "True", NATURAL),
)


def pattern(text: str) -> gast.expr:
    """The source as an operator tree."""
    return patterns([text])[0]


def patterns(texts: Iterable[str]) -> list[gast.expr]:
    """The sources as operator trees, read together: that takes a tenth of the time."""
    return [_operators(line.value) for line in parse("\n".join(texts)).body if isinstance(line, ast.Expr)]


def _operators(node: ast.expr) -> gast.expr:
    match node:
        case ast.Name(id=name):
            return syntax.name(name)
        case ast.Constant(value=value):
            return syntax.constant(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return syntax.constant(-value)
        case ast.BinOp(left=left, op=op, right=right):
            return syntax.call(_named(INFIX, op), _operators(left), _operators(right))
        case ast.UnaryOp(op=op, operand=operand):
            return syntax.call(_named(PREFIX, op), _operators(operand))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return syntax.call(_named(COMPARISONS, op), _operators(left), _operators(right))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return syntax.call(name, *map(_operators, arguments))
    raise InternalError("identities", ast.dump(node), "not a pattern")


def _named(table: Mapping[type, str], sign: ast.AST) -> str:
    return table[getattr(gast, type(sign).__name__)]


# What is seen of an operand without a look inside: a number that a rule names, that it is another constant, the
# operator that made it, or nothing of these.
Shown: TypeAlias = tuple[type, object] | str | None
A_CONSTANT = "a constant"


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A rule with both sides as trees.

    `needs` says what a glance must show of which operands, `repeats` that an operand must stand twice.
    """

    before: gast.Call
    needs: tuple[tuple[int, Shown], ...]
    repeats: bool
    after: gast.expr
    only: str
    once: bool


def _compiled() -> dict[str, tuple[CompiledRule, ...]]:
    by_operator: dict[str, list[CompiledRule]] = {}
    sides = zip(patterns(row.before for row in RULES), patterns(row.after for row in RULES))
    for row, (before, after) in zip(RULES, sides):
        needs = tuple((k, _need(a)) for k, a in enumerate(before.args) if not isinstance(a, gast.Name))
        plain = [a.id for a in before.args if isinstance(a, gast.Name)]
        made = CompiledRule(before, needs, len(plain) > len({*plain}), after, row.only, row.once)
        by_operator.setdefault(before.func.id, []).append(made)
    return {operator: tuple(rules) for operator, rules in by_operator.items()}


def _need(operand: gast.expr) -> Shown:
    if isinstance(operand, gast.Constant):
        return type(operand.value), operand.value
    return syntax.operator_of(operand)


BY_OPERATOR: Mapping[str, tuple[CompiledRule, ...]] = _compiled()
REPEATING = frozenset(operator for operator, rules in BY_OPERATOR.items() if any(row.repeats for row in rules))
NUMBERS = frozenset(need for rules in BY_OPERATOR.values() for row in rules for _, need in row.needs)


def glance(value: gast.Call, values: Mapping[str, gast.expr]) -> tuple[Shown, ...]:
    """What is seen of the operands of a value; `values` has the right-hand sides of names."""
    shown: list[Shown] = []
    for operand in value.args:
        kind = type(operand)
        if kind is gast.Constant:
            number = type(operand.value), operand.value
            shown.append(number if number in NUMBERS else A_CONSTANT)
        else:
            made = values.get(operand.id) if kind is gast.Name else operand
            shown.append(made.func.id if type(made) is gast.Call and type(made.func) is gast.Name else None)
    return tuple(shown)


def may_repeat(value: gast.Call) -> bool:
    """Whether an operand may stand twice; two constants are not compared here."""
    names = [a.id for a in value.args if type(a) is gast.Name]
    return len(names) < len(value.args) - 1 or len(names) > len({*names})


@cache
def rules_for(operator: str | None, shown: tuple[Shown, ...], repeats: bool) -> tuple[CompiledRule, ...]:
    """The rules that a glance leaves open; most values are done with here."""
    return tuple(
        row
        for row in BY_OPERATOR.get(operator or "", ())
        if all(shown[position] == need for position, need in row.needs) and (repeats or not row.repeats)
    )


def apply(
    rules: tuple[CompiledRule, ...],
    value: gast.Call,
    types: Mapping[str, Type],
    value_of: ValueOf,
    is_read_once: Callable[[str], bool],
    natural: Callable[[], Container[str]],
) -> tuple[gast.expr, ...]:
    """What the value may be replaced by as far as its form goes, nested; types are for the caller to compare."""
    found = []
    for row in rules:
        bound: dict[str, gast.expr] = {}
        through: list[str] = []
        if not _matches(row.before, value, bound, value_of, through):
            continue
        kinds = _are_natural(bound, natural()) if row.only == NATURAL else all(
            _is(row.only, a, types) for a in bound.values()
        )
        if kinds and (not row.once or all(map(is_read_once, through))):
            found.append(_instance(row.after, bound))
    return tuple(found)


def _matches(
    form: gast.expr, node: gast.expr, bound: dict[str, gast.expr], value_of: ValueOf, through: list[str]
) -> bool:
    """Whether a tree has this form; names of the tree stand for the operators that made them, and go to `through`."""
    match form:
        case gast.Name(id=variable):
            return syntax.is_atom(node) and syntax.same(bound.setdefault(variable, node), node)
        case gast.Constant():
            return syntax.same(form, node)
    if isinstance(node, gast.Name):
        made = value_of(node.id)
        through.append(node.id)
        return made is not None and _matches(form, made, bound, value_of, through)
    if syntax.operator_of(node) != syntax.operator_of(form) or node.keywords:
        return False
    return len(form.args) == len(node.args) and all(
        _matches(f, n, bound, value_of, through) for f, n in zip(form.args, node.args)
    )


def _instance(form: gast.expr, bound: Mapping[str, gast.expr]) -> gast.expr:
    return syntax.map_names(form, lambda id_: bound.get(id_, id_))


def _are_natural(bound: Mapping[str, gast.expr], natural: Container[str]) -> bool:
    return all(isinstance(atom, gast.Name) and atom.id in natural for atom in bound.values())


def _is(only: str, atom: gast.expr, types: Mapping[str, Type]) -> bool:
    if only == ANY:
        return True
    if isinstance(atom, gast.Constant):
        return type(atom.value) is int or (only == FLOATING and type(atom.value) is float)
    type_ = types[atom.id]
    if isinstance(type_, ListOf):
        return False
    if only == FLOATING:
        return is_inexact(type_.dtype)
    if not is_integer(type_.dtype):
        return False
    return only == INTEGER or (isinstance(type_, Scalar) and type_.weak)
