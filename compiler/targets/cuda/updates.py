"""Which iterations of a loop change its loop-carried names, and to what, read from trees (`iterations.py`).

    best     v if greater(v, best) else best                 Update: taken where greater(v, best), the first of equals,
    place    i if greater(v, best) else place         ->     best becomes v, place becomes i

An iteration is taken for its own sake (the last one that is counts), or for a value that is compared with what stands:
what was the value of the iteration that was taken before.  That may be kept in a name, or be read again: `a[i] >
a[place]`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

import gast

from ... import syntax
from ...analysis.expression_types import type_of
from ...analysis.folds import before_numbers, is_order
from ...dtypes import is_integer
from ...ops.comparison import turned_round
from ...ops.schema import OPERATORS, row_of
from ...records import dataclass
from ...types import Scalar, Type
from .trees import number_of, without_casts
from .turns import Unclear


@dataclass(frozen=True, slots=True, eq=False)
class Contest:
    """What an iteration is taken for: `operator(key, stands)`.

    absent     the name that says that nothing stands yet; empty where something always does
    nan_wins   whether the first nan is taken before all numbers
    """

    operator: str
    key: gast.expr
    stands: gast.expr
    absent: str
    nan_wins: bool


@dataclass(frozen=True, slots=True, eq=False)
class Update:
    """Names that change together: under `guards`, which the iteration alone decides, to the trees of `becomes`."""

    guards: tuple[gast.expr, ...]
    contest: Contest | None
    becomes: Mapping[str, gast.expr]

    @property
    def moved(self) -> list[gast.expr]:
        """The trees that are evaluated in other iterations than in the program: none of them may fail."""
        key = None if self.contest is None else self.contest.key
        return [*self.guards, *(value for value in self.becomes.values() if not syntax.same(value, key))]


def updates_of(
    changed: Mapping[str, gast.expr], states: AbstractSet[str], definitions: Mapping[str, gast.expr],
    types: Mapping[str, Type],
) -> list[Update]:  # fmt: skip
    """The updates that the trees of changed names are; `definitions` are of the loop body.  Raises Unclear."""
    groups: dict[object, tuple[list[gast.expr], dict[str, gast.expr]]] = {}
    made: list[Update] = []
    for name, tree in changed.items():
        truth = _truth(name, tree)
        if truth is not None and states.isdisjoint(syntax.names_read(truth[1])):
            holds, test = truth
            guard = test if holds else plain(syntax.call("logical_not", test))
            made.append(Update((guard,), None, {name: syntax.constant(holds)}))
            continue
        tests, value = _only_change(name, tree)
        tests = [_positive(test, types) for test in tests]
        if not states.isdisjoint(syntax.names_read(value)):
            raise Unclear
        groups.setdefault(tuple(map(syntax.form_of, tests)), (tests, {}))[1][name] = value
    return made + [_update(tests, becomes, states, definitions) for tests, becomes in groups.values()]


def _update(
    tests: Sequence[gast.expr], becomes: Mapping[str, gast.expr], states: AbstractSet[str],
    definitions: Mapping[str, gast.expr],
) -> Update:  # fmt: skip
    guards = tuple(t for t in tests if states.isdisjoint(syntax.names_read(t)))
    decided = [t for t in tests if not states.isdisjoint(syntax.names_read(t))]
    if len(decided) > 1:
        raise Unclear
    contest = _contest(decided[0], becomes, states, definitions) if decided else None
    return Update(guards, contest, becomes)


def _truth(name: str, tree: gast.expr) -> tuple[bool, gast.expr] | None:
    """`name or test` as (True, test), and `name and test` as (False, test)."""
    match plain(tree):
        case gast.BoolOp(op=op, values=[gast.Name(id=first), test]) if first == name:
            return isinstance(op, gast.Or), test
    return None


def _only_change(name: str, tree: gast.expr) -> tuple[list[gast.expr], gast.expr]:
    """The tests under which a name gets its one new value, and that."""
    found: list[tuple[list[gast.expr], gast.expr]] = []

    def visit(node: gast.expr, tests: list[gast.expr]) -> None:
        match node:
            case gast.IfExp(test=test, body=body, orelse=orelse):
                pass
            case gast.Call(func=gast.Name(id="where"), args=[test, body, orelse]):
                pass
            case gast.Name(id=known) if known == name:
                return
            case _:
                found.append((tests, node))
                return
        visit(body, [*tests, *_all_of(plain(test))])
        visit(orelse, [*tests, plain(syntax.call("logical_not", test))])

    visit(tree, [])
    if len(found) != 1:
        raise Unclear
    return found[0]


def _positive(test: gast.expr, types: Mapping[str, Type]) -> gast.expr:
    """The comparison that holds of ints where another one does not."""
    match test:
        case gast.Call(func=gast.Name(id="logical_not"), args=[gast.Call(func=gast.Name(id=operator)) as call]):
            if is_order(operator) and all(is_integer(_dtype(argument, types)) for argument in call.args):
                return syntax.call(OPERATORS[operator].negation, *call.args)
    return test


def _dtype(tree: gast.expr, types: Mapping[str, Type]) -> str:
    type_ = type_of(tree, types)
    return type_.dtype if isinstance(type_, Scalar) else ""


def _all_of(test: gast.expr) -> list[gast.expr]:
    """The tests that a conjunction is made of."""
    if isinstance(test, gast.BoolOp) and isinstance(test.op, gast.And):
        return [part for value in test.values for part in _all_of(value)]
    return [test]


# --- contests ---------------------------------------------------------------------------------------------------------


def _contest(
    test: gast.expr, becomes: Mapping[str, gast.expr], states: AbstractSet[str], definitions: Mapping[str, gast.expr]
) -> Contest:
    absent, nan_wins = "", False
    match test:
        case gast.BoolOp(op=gast.Or(), values=[gast.Name(id=name), second]) if _is_false(becomes.get(name)):
            absent, test = name, second
        case gast.BoolOp(op=gast.Or(), values=[first, gast.Name(id=name)]) if _is_false(becomes.get(name)):
            absent, test = name, first
        case gast.BoolOp(op=gast.Or(), values=[first, second]):
            nan_wins, test, rest = True, first, second
    match test:
        case gast.Call(func=gast.Name(id=operator), args=[first, second]) if is_order(operator):
            pass
        case _:
            raise Unclear
    if not states.isdisjoint(syntax.names_read(first)):
        operator, first, second = turned_round(operator), second, first
    was = syntax.map_names(second, lambda name: becomes.get(name, name))
    if not states.isdisjoint([*syntax.names_read(first), *syntax.names_read(was)]):
        raise Unclear
    if not syntax.same(*(told(without_casts(tree), definitions) for tree in (first, plain(was)))):
        raise Unclear
    if nan_wins and not (OPERATORS[operator].is_strict and syntax.same(rest, before_numbers(first, second))):
        raise Unclear
    return Contest(operator, first, second, absent, nan_wins)


def told(tree: gast.expr, definitions: Mapping[str, gast.expr]) -> gast.expr:
    """A tree with names replaced by their values."""

    def value(name: str) -> gast.expr | str:
        return told(definitions[name], definitions) if name in definitions else name

    made: gast.expr = syntax.map_names(tree, value)
    return made


def _is_false(tree: gast.expr | None) -> bool:
    return number_of(tree) is False


# --- trees ------------------------------------------------------------------------------------------------------------


def plain(tree: gast.expr) -> gast.expr:
    """A tree with choices and truths in one spelling: `a if c else b`, `a and b`, `a or b`."""
    match tree:
        case gast.Call(func=gast.Name(id="where"), args=[test, first, second]):
            return plain(gast.IfExp(test, first, second))
        case gast.Call(func=gast.Name(id=operator), args=[first, second]) if _conjoins(operator) is not None:
            op = gast.And() if _conjoins(operator) else gast.Or()
            return gast.BoolOp(op, [plain(first), plain(second)])
        case gast.Call(func=gast.Name(id="cast"), args=[operand]) if _is_to_truth(tree):
            return plain(operand)
        case gast.Call(func=gast.Name(id="logical_not"), args=[operand]):
            inner = plain(operand)
            is_twice = syntax.operator_of(inner) == "logical_not"
            return inner.args[0] if is_twice else syntax.call("logical_not", inner)
        case gast.BoolOp(op=op, values=values):
            return gast.BoolOp(op, [plain(v) for v in values])
        case gast.IfExp(test=test, body=body, orelse=orelse):
            return _plain_choice(plain(test), plain(body), plain(orelse))
    return tree


def _conjoins(operator: str) -> bool | None:
    row = row_of(operator)
    return None if row is None else row.conjoins


def _plain_choice(test: gast.expr, body: gast.expr, orelse: gast.expr) -> gast.expr:
    if syntax.operator_of(test) == "logical_not":
        test, body, orelse = test.args[0], orelse, body
    if syntax.same(test, body) or isinstance(body, gast.Constant) and body.value is True:
        return gast.BoolOp(gast.Or(), [test, orelse])
    if syntax.same(test, orelse) or isinstance(orelse, gast.Constant) and orelse.value is False:
        if not isinstance(body, gast.Constant):
            return gast.BoolOp(gast.And(), [test, body])
    return gast.IfExp(test, body, orelse)


def _is_to_truth(call: gast.Call) -> bool:
    return str(syntax.static_of(call).get("dtype")) == "bool" and syntax.operator_of(call.args[0]) != "cast"
