"""The statements of a `folding` loop for what its iterations choose: around it, in each iteration, and after it.

    for i in range(n):                      best_1, place_1 = inf, -1
        if x[i] < best:                     for i in folding(n):
            best = x[i]             ->          key = x[i]
            place = i                           if key < best_1: best_1 = key; place_1 = i
                                            taken = place_1 >= 0 and best_1 < best
                                            best = best_1 if taken else best
                                            place = place_1 if taken else place

What a part chooses begins with nothing, so that parts may be compared; what the names held before the loop is compared
after it.  The values of the iteration that wins are read there: where they are too much for that, each iteration keeps
them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gast

from ... import syntax
from ...analysis.expression_types import type_of
from ...analysis.folds import before_numbers, nothing_yet
from ...analysis.lanes import carried
from ...analysis.memory.storage import storage_classes
from ...dtypes import DTYPE, INT_WORD, is_bool, is_integer
from ...names import Names
from ...ops.schema import OPERATORS
from ...program import Function
from ...renaming import placed
from ...types import INT, Scalar, Type
from .places import CHOSEN
from .trees import without_casts
from .turns import Unclear
from .updates import Contest, Update

LARGEST = 2**63 - 1
TRUTH = Scalar("bool")


class Chooser:
    """Writes what one loop chooses; `ahead` and `behind` stand around it."""

    def __init__(
        self, function: Function, types: dict[str, Type], names: Names, loop: gast.For,
        begins: Mapping[str, object],
    ) -> None:  # fmt: skip
        self.begins = begins  # the numbers that names hold ahead of the loop
        self.function, self.types, self.names, self.loop = function, types, names, loop
        self.ahead: list[gast.stmt] = []
        self.behind: list[gast.stmt] = []
        self.start = loop.iter.args[0]
        self.definitions = _definitions(loop)
        classes = storage_classes(function)
        stored = {syntax.stored_base(s) for s in syntax.walk(loop.body)}
        self.changed = {n for n, c in classes.items() if c in {classes.get(str(base)) for base in stored}}

    def written(self, update: Update) -> list[gast.stmt]:
        """The statements of an iteration.  Raises Unclear."""
        if update.contest is not None:
            made = self.contested(update, update.contest)
        elif self.is_of_truths(update):
            return placed(self.accumulated(update), self.loop)
        else:
            made = self.last(update)
        test = _all(update.guards)
        return placed(made if test is None else [syntax.if_(test, made)], self.loop)

    # --- truths and last iterations

    def is_of_truths(self, update: Update) -> bool:
        return update.contest is None and all(
            isinstance(value, gast.Constant) and _is_truth(self.types[name]) for name, value in update.becomes.items()
        )

    def accumulated(self, update: Update) -> list[gast.stmt]:
        """`ok = ok and not test`."""
        test = _all(update.guards) or syntax.constant(True)
        made: list[gast.stmt] = []
        for name, value in update.becomes.items():
            assert isinstance(value, gast.Constant)
            term = self.cast(test if value.value else _negated(test), self.types[name])
            operator = "logical_or" if value.value else "logical_and"
            made.append(syntax.assign(name, syntax.call(operator, syntax.name(name), term)))
        return made

    def last(self, update: Update) -> list[gast.stmt]:
        """The last iteration that changes the names: its number is the greatest."""
        last = self.new("last", INT)
        self.ahead.append(syntax.assign(last, syntax.constant(-1)))
        self.taken(update, syntax.call("greater_equal", last, 0), last, {})
        return [syntax.assign(last, syntax.call("maximum", last, self.number()))]

    # --- contests

    def contested(self, update: Update, contest: Contest) -> list[gast.stmt]:
        type_ = type_of(contest.key, self.types)
        stands = type_of(contest.stands, self.types)
        if not isinstance(type_, Scalar) or not isinstance(stands, Scalar) or type_.dtype != stands.dtype:
            raise Unclear
        key, made = self.key_of(contest.key, type_)
        nothing = nothing_yet(contest.operator, self.types[key].dtype)  # type: ignore[union-attr]
        if (chosen := self.as_it_stands(update, contest, key, nothing)) is not None:
            return [*made, syntax.if_(_wins(contest, syntax.name(key), contest.stands), chosen)]
        best = self.new("best", self.types[key])
        place = self.new("place", INT)
        self.ahead += [_constant(best, nothing, self.types[best]), syntax.assign(place, syntax.constant(-1))]
        chosen = [syntax.assign(best, syntax.name(key)), syntax.assign(place, self.number())]
        result: gast.expr = syntax.name(best)
        if self.types[key] != type_:
            result = syntax.call("cast", result, dtype=type_.dtype, weak=type_.weak)
        if contest.absent:
            made = [*self.first(update, contest), *made]
        kept = {name for name, value in update.becomes.items() if syntax.same(value, contest.key)}
        kept_ = dict.fromkeys(kept, result)
        for name, value in update.becomes.items():
            if name not in kept and self.at(value, place) is None:
                also = self.new(name, self.types[name])
                self.ahead.append(_constant(also, 0, self.types[name]))
                chosen.append(syntax.assign(also, self.cast(value, self.types[name])))
                kept_[name] = syntax.name(also)
        self.taken(update, self.test_of(update, contest, result, place), place, kept_)
        return [*made, syntax.if_(_wins(contest, syntax.name(key), syntax.name(best)), chosen)]

    def as_it_stands(self, update: Update, contest: Contest, key: str, nothing: object) -> list[gast.stmt] | None:
        """The assignments of a choice that begins with nothing as the user wrote it: it needs no names of its own."""
        best = contest.stands
        if not isinstance(best, gast.Name) or contest.absent or not OPERATORS[contest.operator].is_strict:
            return None
        if self.begins.get(best.id) != nothing or self.types[key] != self.types[best.id]:
            return None
        made = [syntax.assign(best.id, syntax.name(key))]
        places = [name for name in update.becomes if name != best.id]
        if not places:
            place = self.new("place", INT)
            self.ahead.append(syntax.assign(place, syntax.constant(-1)))
            return [*made, syntax.assign(place, self.number())]
        value = update.becomes[places[0]]
        variable = value.args[0] if syntax.operator_of(value) == "cast" else value
        is_number = isinstance(variable, gast.Name) and variable.id == self.loop.target.id
        if len(places) > 1 or not is_number or places[0] not in self.begins or not _is_int(self.types[places[0]]):
            return None
        return [*made, syntax.assign(places[0], self.cast(value, self.types[places[0]]))]

    def test_of(self, update: Update, contest: Contest, result: gast.expr, place: str) -> gast.expr:
        """Whether what the loop chooses wins over what stands, which is read in the first iteration if there is one."""
        tests = [syntax.call("greater_equal", place, 0), _wins(contest, result, contest.stands)]
        if not isinstance(contest.stands, gast.Name):
            if update.guards:
                raise Unclear
            tests = [syntax.call("less", *self.loop.iter.args[:2]), *reversed(tests)]
        return gast.BoolOp(gast.And(), tests)

    def key_of(self, tree: gast.expr, type_: Scalar) -> tuple[str, list[gast.stmt]]:
        """The name of the value that is compared, in a dtype of which folds over threads choose."""
        if type_.dtype not in CHOSEN:
            if not (is_bool(type_.dtype) or is_integer(type_.dtype)):
                raise Unclear
            tree, type_ = syntax.call("cast", tree, dtype=INT_WORD), Scalar(INT_WORD)
        if isinstance(tree, gast.Name):
            return tree.id, []
        key = self.new("key", type_)
        return key, [syntax.assign(key, tree)]

    def first(self, update: Update, contest: Contest) -> list[gast.stmt]:
        """The first iteration is taken as it is where nothing stands yet."""
        first = self.new("first", INT)
        self.ahead.append(syntax.assign(first, syntax.constant(LARGEST)))
        begins = gast.BoolOp(gast.And(), [syntax.name(contest.absent), syntax.call("less", first, LARGEST)])
        self.taken(update, begins, first, {})
        return [syntax.assign(first, syntax.call("minimum", first, self.number()))]

    def taken(self, update: Update, test: gast.expr, place: str, kept: Mapping[str, gast.expr]) -> None:
        """What the names become after the loop, where an iteration was taken."""
        taken = self.new("taken", TRUTH)
        made: list[gast.stmt] = [syntax.assign(taken, test)]
        for name, value in update.becomes.items():
            read = kept.get(name) or self.at(value, place)
            if read is None:
                raise Unclear
            choice = gast.IfExp(syntax.name(taken), self.cast(read, self.types[name]), syntax.name(name))
            made.append(syntax.assign(name, choice))
        self.behind += made

    # --- values of an iteration

    def number(self) -> gast.expr:
        """The number of the iteration, from 0 on."""
        i = syntax.name(self.loop.target.id)
        return i if _is_zero(self.start) else syntax.call("subtract", i, self.start)

    def at(self, tree: gast.expr, place: str) -> gast.expr | None:
        """What a tree is in the iteration of a number; None where the names in it do not tell."""
        turn: gast.expr = syntax.name(place)
        if not _is_zero(self.start):
            turn = syntax.call("add", turn, self.start)
        bound = {n for s in syntax.walk(self.loop.body) for n in syntax.names_bound(s)}

        def told(name: str) -> gast.expr | str:
            if name == self.loop.target.id:
                return turn
            if name in self.changed or name in bound and name not in self.definitions:
                raise Unclear
            if name not in bound:
                return name
            found: gast.expr = syntax.map_names(self.definitions[name], told)
            return found

        try:
            made: gast.expr = syntax.map_names(tree, told)
        except Unclear:
            return None
        return made

    def cast(self, value: gast.expr, type_: Type) -> gast.expr:
        """A value in the type of a name, which an assignment of the loops stage has exactly."""
        assert isinstance(type_, Scalar)
        has = type_of(value, self.types)
        return value if has == type_ else syntax.call("cast", value, dtype=type_.dtype, weak=type_.weak)

    def new(self, wish: str, type_: Type) -> str:
        name = self.names.fresh(wish)
        self.types[name] = type_
        return name


def _definitions(loop: gast.For) -> dict[str, gast.expr]:
    """The values of names that an iteration assigns once, from such names and from what the loop does not change."""
    inside = list(syntax.walk(loop.body))
    inner = {id(s) for node in inside if isinstance(node, gast.For | gast.While) for s in syntax.walk([node])}
    found: dict[str, list[gast.stmt]] = {}
    for node in inside:
        for name in syntax.names_bound(node):
            found.setdefault(name, []).append(node)
    handed = carried(loop.body)
    made = {
        name: nodes[0].value for name, nodes in found.items()
        if len(nodes) == 1 and id(nodes[0]) not in inner and isinstance(nodes[0], gast.Assign) and name not in handed
    }  # fmt: skip
    while True:
        others = found.keys() - made.keys()
        unclear = [name for name, value in made.items() if not others.isdisjoint(syntax.names_read(value))]
        if not unclear:
            return made
        made = {name: value for name, value in made.items() if name not in unclear}


def numbers_ahead(before: Sequence[gast.stmt]) -> dict[str, object]:
    """The names that these statements leave with a constant number."""
    found: dict[str, object] = {}
    for node in before:
        for name in {n for s in syntax.walk([node]) for n in syntax.names_bound(s)}:
            found.pop(name, None)
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                value = without_casts(value)
                if isinstance(value, gast.Constant):
                    found[name] = value.value
    return found


def _wins(contest: Contest, key: gast.expr, stands: gast.expr) -> gast.expr:
    wins = syntax.call(contest.operator, key, stands)
    if not contest.nan_wins:
        return wins
    return gast.BoolOp(gast.Or(), [wins, before_numbers(key, stands)])


def _constant(name: str, value: Any, type_: Type) -> gast.stmt:
    assert isinstance(type_, Scalar)
    if type_.weak:
        return syntax.assign(name, syntax.constant(DTYPE[type_.dtype].python_type(value)))
    number = DTYPE[type_.dtype].python_type(value)
    return syntax.assign(name, syntax.call("cast", syntax.constant(number), dtype=type_.dtype))


def _all(guards: Sequence[gast.expr]) -> gast.expr | None:
    if not guards:
        return None
    return guards[0] if len(guards) == 1 else gast.BoolOp(gast.And(), list(guards))


def _negated(test: gast.expr) -> gast.expr:
    is_negation = syntax.operator_of(test) == "logical_not"
    return test.args[0] if is_negation else syntax.call("logical_not", test)


def _is_int(type_: Type) -> bool:
    return isinstance(type_, Scalar) and type_.dtype == INT_WORD


def _is_truth(type_: Type) -> bool:
    return isinstance(type_, Scalar) and is_bool(type_.dtype)


def _is_zero(node: gast.expr) -> bool:
    return isinstance(node, gast.Constant) and node.value == 0
