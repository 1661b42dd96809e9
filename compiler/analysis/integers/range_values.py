"""The affine forms of int expressions at one point of a function, and proofs about them.

    add(i, 1)              ->  i + 1
    minimum(k, dim(a, 0))  ->  an unknown that is the lesser of the two
    x[i]                   ->  an unknown of the element's dtype; the access is judged, and known good afterwards
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gast

from ... import syntax
from ...dtypes import DTYPE, LARGEST_EXACT, is_integer
from ...ops.forms import LENGTHS
from ...ops.raising import by_zero
from ...ops.schema import OPERATORS, Operator, row_of
from ...types import Array, Dim, Extent, ListOf, Scalar, Type
from ..expression_types import Held, is_scalar_operator, type_of
from .affine import Affine, Unknowns
from .prover import Prover
from .range_state import BACK, FRONT, NATURAL, NOTHING, Comparison, Journal, State, Test

LENGTH_HIGH = 2**52  # the longest axis that compiled code lets through
INTERVALS = {word: (int(row.least), int(row.greatest)) for word, row in DTYPE.items() if row.kind in ("bool", "int")}


class Values:
    """Evaluates expressions to forms; `journal` receives the judgements."""

    def __init__(self, types: Mapping[str, Type]) -> None:
        self.types = types
        self.unknowns = Unknowns()
        self.journal = Journal()
        self.held: Held = {}
        self.made_floats: dict[int, Affine | None] = {}  # the ints that casts make floats of, by the casts
        self.symbols: Mapping[str, Affine] = {}  # the lengths that the parameters tell
        self.broken: dict[int, set[tuple[str, str]]] = {}  # by loop, assumptions on carried names that it breaks
        self.is_typed = False  # whether it is the typed stage, where symbols of all types are trusted
        self._prover: tuple[tuple[Affine, ...], Prover] | None = None

    # --- proofs ----------------------------------------------------------------------------------------------------

    def proves(self, state: State, goal: Affine) -> bool:
        return self.unknowns.interval(goal)[0] >= 0 or self._prover_of(state).proves(goal)

    def _prover_of(self, state: State) -> Prover:
        """A prover from the facts of a state: that of the last question, if these are the same facts."""
        if self._prover is None or self._prover[0] is not state.facts:
            self._prover = (state.facts, Prover(self.unknowns, state.facts))
        return self._prover[1]

    def within(self, state: State, form: Affine, low: int, high: int) -> bool:
        return self.proves(state, form.plus(-low)) and self.proves(state, form.times(-1).plus(high))

    def learn(self, state: State, *facts: Affine) -> None:
        unproven = [f for f in facts if f.terms and self.unknowns.interval(f)[0] < 0]
        if not unproven:
            return
        prover = self._prover_of(state)
        new = [f for f in unproven if not prover.has(f)]
        if new:
            state.facts = (*state.facts, *new)
            prover.add(new)
            self._prover = (state.facts, prover)

    # --- expressions -----------------------------------------------------------------------------------------------

    def visit(self, node: gast.expr, state: State) -> Affine | None:
        """The form of an int expression, None for others; judges every access and int operation inside."""
        kind = type(node)
        if kind is gast.Name:
            return self._name(node.id, state)
        if kind is gast.Constant:
            return Affine(node.value) if type(node.value) is int else None
        if kind is gast.Call:
            return self._call(node, state)
        match node:
            case gast.Subscript():
                return self._load(node, state)
            case gast.IfExp():
                return self._lazy_choice(node, state)
            case gast.BoolOp(op=op, values=values):
                inside = state.copy()
                for place, value in enumerate(values):
                    self.visit(value, inside)
                    if any(map(is_judged, values[place + 1 :])):
                        self.learn(inside, *self.facts_of(value, inside, isinstance(op, gast.And)))
                return None
        return None

    def known(self, node: gast.expr, state: State) -> Affine:
        """The same, an unknown where there is no form."""
        form = self.visit(node, state)
        return self.unknowns.fresh() if form is None else form

    def _fresh_of(self, node: gast.expr) -> Affine | None:
        if self._is_of_arrays(node):
            return None
        type_ = type_of(node, self.types, self.held)
        return self.unknowns.fresh(*INTERVALS[type_.dtype]) if is_int(type_) else None

    def _is_of_arrays(self, node: gast.expr) -> bool:
        """Whether an operator works on whole arrays, on the typed stage: those without axes too are no ints."""
        operands = node.args if isinstance(node, gast.Call) and syntax.operator_of(node) not in LENGTHS else ()
        return any(isinstance(self.types.get(a.id), Array) for a in operands if isinstance(a, gast.Name))

    def _name(self, id_: str, state: State) -> Affine | None:
        type_ = self.types.get(id_)
        if not is_int(type_):
            return None
        if id_ not in state.ints:
            state.ints[id_] = self.unknowns.fresh(*INTERVALS[type_.dtype])
        return state.ints[id_]

    def _load(self, node: gast.Subscript, state: State) -> Affine | None:
        container = self.types.get(node.value.id)
        if isinstance(container, ListOf) or container is None:
            for item in items_of(node):
                self.visit(item, state)
            return self._fresh_of(node) if isinstance(getattr(container, "element", None), Scalar) else None
        self.access(node, state)
        return self._fresh_of(node)

    def access(self, node: gast.Subscript, state: State) -> None:
        """Judge every index of an access; past it, the indices are known to be in bounds."""
        if self.is_chosen(node):
            return
        lengths = iter(self.lengths_of_name(node.value.id, state))
        found: list[str | None] = []
        for item in items_of(node):
            if isinstance(item, gast.Constant) and item.value is None:
                found.append(FRONT)
                continue
            length = next(lengths)
            is_part = isinstance(item, gast.Slice)
            found.append(FRONT if is_part else self._judged(self.known(item, state), length, state))
        self.journal.add_axes(id(node), tuple(found))

    def is_chosen(self, node: gast.Subscript) -> bool:
        """Whether elements are chosen by an array of indices or a mask."""
        return any(isinstance(self.types.get(getattr(item, "id", "")), Array) for item in items_of(node))

    def _judged(self, index: Affine, length: Affine, state: State) -> str | None:
        beyond = (length - index).plus(-1)
        verdict: str | None
        if self.proves(state, index):
            verdict = FRONT if self.proves(state, beyond) else NATURAL
            self.learn(state, beyond)
        elif self.proves(state, index.times(-1).plus(-1)):
            verdict = BACK if self.proves(state, index + length) else None
            self.learn(state, index + length)
        else:
            verdict = None
            self.learn(state, beyond, index + length)
        return verdict

    def lengths_of_name(self, name: str, state: State) -> tuple[Affine, ...]:
        if name not in state.lengths:
            state.lengths[name] = self.opaque(self.types[name])
        return state.lengths[name]

    def opaque(self, type_: Type, is_checked: bool = False) -> tuple[Affine, ...]:
        """Lengths of which nothing is known but what the type may be trusted to say.

        What a function of the program gives `is_checked`, after the call.
        """
        dims = type_.dims if isinstance(type_, Array) else ()
        known = [self.length(extent, self.symbols) if self.is_typed or is_checked else None for extent in dims]
        return tuple(self.unknowns.fresh(0, LENGTH_HIGH) if form is None else form for form in known)

    def length(self, extent: Extent, symbols: Mapping[str, Affine]) -> Affine | None:
        """`max(0, affine)` as a form, where all of its symbols are known."""
        if not isinstance(extent, Dim):
            return Affine(extent)
        if not all(symbol in symbols for symbol in extent.symbols()):
            return None
        total = Affine(extent.constant)
        for symbol, factor in extent.terms:
            total = total + symbols[symbol].times(factor)
        return total if self.unknowns.interval(total)[0] >= 0 else self.unknowns.choice("max", Affine(0), total)

    def _lazy_choice(self, node: gast.IfExp, state: State) -> Affine | None:
        self.visit(node.test, state)
        sides = []
        for part, truth in ((node.body, True), (node.orelse, False)):
            inside = state.copy()
            self.learn(inside, *self.facts_of(node.test, inside, truth))
            sides.append(self.visit(part, inside))
        return None if None in sides else self.either(node.test, sides[0], sides[1], state)

    def either(self, test: gast.expr, left: Affine, right: Affine, state: State) -> Affine:
        """One of two ints: the greater or the lesser of them where that is what the test asks."""
        return self.unknowns.choice(self._kind(left - right, test, state), left, right)

    def _kind(self, gap: Affine, test: gast.expr, state: State) -> str:
        if gap.terms:
            so, not_so = self.facts_of(test, state, True), self.facts_of(test, state, False)
            if _follows(gap, so) and _follows(-gap, not_so):
                return "max"
            if _follows(-gap, so) and _follows(gap, not_so):
                return "min"
        return "either"

    # --- calls -----------------------------------------------------------------------------------------------------

    def _call(self, node: gast.Call, state: State) -> Affine | None:
        operator = syntax.operator_of(node)
        if operator == "dim":
            return self.lengths_of_name(node.args[0].id, state)[int(syntax.static_of(node)["axis"])]
        if operator == "length":
            return self.unknowns.fresh(0, LENGTH_HIGH)
        row = row_of(operator)
        if row is None or row.interval is None or row.is_comparison:
            found = [
                self.visit(argument, state)
                for argument in node.args
                if not isinstance(self.types.get(getattr(argument, "id", "")), Array | ListOf)
            ]
            if row is not None and row.is_comparison:
                self._judge_exact(node, found, state)
            if row is not None and row.raises is by_zero:
                self._judge_divisor(node, found[-1], state)
            return self._unknown_result(node)
        forms = [self.visit(argument, state) for argument in node.args]
        if row.raises is by_zero:
            self._judge_divisor(node, forms[-1], state)
        if None in ([forms[position] for position in row.lazy] or forms):  # a condition has no form: it is what it is
            return self._unknown_result(node)
        type_ = type_of(node, self.types, self.held)
        if not is_int(type_):
            self.made_floats[id(node)] = forms[0]
            return None
        exact = row.interval(self, state, *(node.args[k] if form is None else form for k, form in enumerate(forms)))
        return self._fitted(node, state, exact, type_)

    def _judge_exact(self, node: gast.Call, forms: list[Affine | None], state: State) -> None:
        """Of the comparison of an int with a float: whether the int is a float without loss."""
        ints = [form for form in forms if form is not None]
        if len(ints) == 1:
            self.journal.add_fits(id(node), self.within(state, ints[0], -LARGEST_EXACT, LARGEST_EXACT))

    def _judge_divisor(self, node: gast.Call, form: Affine | None, state: State) -> None:
        """Of a division: whether the divisor, or the int that is made a float, is surely not zero."""
        divisor = node.args[-1]
        if isinstance(divisor, gast.Constant):
            self.journal.add_nonzero(id(node), divisor.value != 0)
            return
        form = self.made_floats.get(id(divisor)) if form is None else form
        if form is not None:  # by its type it always is, or never
            nonzero = self.proves(state, form.plus(-1)) or self.proves(state, form.times(-1).plus(-1))
            self.journal.add_nonzero(id(node), nonzero)

    def _unknown_result(self, node: gast.Call) -> Affine | None:
        operator = str(syntax.operator_of(node))
        if operator == "pop" and isinstance(self.types[node.args[0].id].element, Array):
            return None
        return self._fresh_of(node) if is_scalar_operator(operator) else None

    def _fitted(self, node: gast.Call, state: State, exact: Affine | None, type_: Scalar) -> Affine:
        """The exact form where it fits the dtype, or where Python's overflow check makes it so."""
        low, high = INTERVALS[type_.dtype]
        if exact is None:
            self.journal.add_fits(id(node), False)
            return self.unknowns.fresh(low, high)
        fits = self.within(state, exact, low, high)
        self.journal.add_fits(id(node), fits)
        return exact if fits or type_.weak else self.unknowns.fresh(low, high)

    # --- tests -----------------------------------------------------------------------------------------------------

    def facts_of(self, test: gast.expr, state: State, truth: bool) -> tuple[Affine, ...]:
        """What is never negative where a test comes out so."""
        found = self.test_of(test, state)[0 if truth else 1]
        return tuple(f for c in found for f in c.row.interval(self, state, c.left, c.right))  # type: ignore[misc]

    def test_of(self, test: gast.expr, state: State) -> Test:
        """The comparisons of ints that hold where a test is true, and where it is false."""
        match test:
            case gast.Name(id=id_):
                return state.tests.get(id_, NOTHING)
            case gast.BoolOp(op=op, values=values):
                return self._joined(values, state, isinstance(op, gast.And))
            case gast.Call(func=gast.Name(id="logical_not"), args=[inner]):
                so, not_so = self.test_of(inner, state)
                return not_so, so
            case gast.Call(args=parts) if (row := row_of(syntax.operator_of(test))) is not None:
                if row.is_comparison:
                    return self._comparison(row, parts[0], parts[1], state)
                if row.conjoins is not None:
                    return self._joined(parts, state, row.conjoins)
        return NOTHING

    def _joined(self, parts: Sequence[gast.expr], state: State, truth: bool) -> Test:
        """Of several tests that all have this value where the whole has it."""
        found = tuple(c for part in parts for c in self.test_of(part, state)[0 if truth else 1])
        return (found, ()) if truth else ((), found)

    def _comparison(self, row: Operator, left: gast.expr, right: gast.expr, state: State) -> Test:
        if not (is_int(type_of(left, self.types, self.held)) and is_int(type_of(right, self.types, self.held))):
            return NOTHING
        journal, self.journal = self.journal, Journal()  # both were judged when the test was visited
        x, y = self.visit(left, state), self.visit(right, state)
        self.journal = journal
        if x is None or y is None:
            return NOTHING
        return (Comparison(row, x, y),), (Comparison(OPERATORS[row.negation], x, y),)


def _follows(form: Affine, facts: tuple[Affine, ...]) -> bool:
    """Whether one of the facts is that a form, or less than it, is not negative."""
    return any(fact.terms == form.terms and fact.constant <= form.constant for fact in facts)


def is_judged(node: gast.expr) -> bool:
    """Whether there is anything to prove of an expression: not of names and lengths, nor of comparisons of them."""
    if isinstance(node, gast.BoolOp):
        return any(map(is_judged, node.values))
    row = row_of(syntax.operator_of(node))
    if row is not None and (row.is_comparison or row.conjoins is not None or row.name == "logical_not"):
        return any(map(is_judged, node.args))
    return not (syntax.is_atom(node) or syntax.operator_of(node) in LENGTHS)


def is_int(type_: Type | None) -> bool:
    return isinstance(type_, Scalar) and is_integer(type_.dtype)


def items_of(node: gast.Subscript) -> list[gast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, gast.Tuple) else [node.slice]
