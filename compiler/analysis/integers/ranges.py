"""Which element accesses can never be out of bounds, and which int operations never overflow.

    for i in range(1, dim(a, axis=0)):           a[i], a[i - 1] in bounds;  i - 1 does not overflow
        b[i] = a[i] - a[i - 1]                   b[i] too, if b = empty(shape=(dim(a, axis=0),))

An interpretation of a loops function on affine forms (`forms.py`, `range_values.py`).  Lengths are followed through
allocations, aliases, views and loops; only the types of parameters are trusted, because entry checks them.  On the
typed stage, where guards are part of the operators, their symbols are trusted in all types.  Names that a loop carries
are assumed to keep their lengths and not to cross their first value, until a pass over the body disagrees.  What it
does not prove is checked at run time, so it may give up anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import gast

from ... import syntax
from ...dtypes import INT_WORD, is_bool
from ...ops.forms import is_of_program
from ...program import Function, remembered
from ...records import dataclass
from ...types import Array, Extent, Scalar, Type
from ..expression_types import type_of
from .affine import Affine
from .parameter_lengths import determining_axes
from .range_state import BACK, FRONT, NATURAL, NATURALS, Journal, Pair, State
from .range_values import LENGTH_HIGH, Values, is_int, is_judged, items_of
from .view_lengths import judge_store, lengths_of

__all__ = ["BACK", "FRONT", "NATURALS", "Ranges", "ranges"]

LOOPS = "loops"

Assumption = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Ranges:
    """`axes[id(node)]` says per index of an access: FRONT for 0 <= i < n, BACK for -n <= i < 0, NATURAL for
    0 <= i, None for unproven.

    Slices and new axes, which an access of the typed stage may have besides, count as proven.
    `fits` holds the ids of int operations whose exact result lies in their dtype, `nonzero` those of divisions whose
    divisor is an int, or was made of one, and not zero.
    `alike[id(node)]` has the axes along which operands of an operator surely have equal lengths; in a store to a part
    of an array the value is the first and the part the second.
    The ids are those of the tree that was analysed, which must be kept alive.
    """

    axes: Mapping[int, tuple[str | None, ...]]
    fits: frozenset[int]
    alike: Mapping[int, frozenset[Pair]]
    nonzero: frozenset[int]

    def of(self, node: gast.expr, axis: int) -> str | None:
        found = self.axes.get(id(node), ())
        return found[axis] if axis < len(found) else None

    def proves(self, access: gast.expr) -> bool:
        """Whether an access is never out of bounds."""
        return {None, NATURAL}.isdisjoint(self.axes.get(id(access), (None,)))


@remembered
def ranges(function: Function) -> Ranges:
    if not any(map(_may_be_judged, function.types.values())):
        return Ranges({}, frozenset(), {}, frozenset())
    values = Values(function.types)
    _block(values, function.body, _entry(values, function))
    fits, nonzero = (
        frozenset(node for node, holds in found.items() if holds)
        for found in (values.journal.fits, values.journal.nonzero)
    )
    return Ranges(values.journal.axes, fits, values.journal.alike, nonzero)


def _may_be_judged(type_: Type) -> bool:
    """Whether there may be accesses or int operations because of a name of this type."""
    return not isinstance(type_, Scalar) or is_int(type_)


def _entry(values: Values, function: Function) -> State:
    state = State()
    symbols = {symbol: values.unknowns.fresh(0, LENGTH_HIGH) for symbol in determining_axes(function)}
    values.symbols, values.is_typed = symbols, function.stage != LOOPS
    opaque: dict[Extent, Affine] = {}
    for name in function.parameters:
        type_ = function.types[name]
        if isinstance(type_, Array):
            state.lengths[name] = tuple(_extent(values, e, symbols, opaque) for e in type_.dims)
    return state


def _extent(values: Values, extent: Extent, symbols: Mapping[str, Affine], opaque: dict[Extent, Affine]) -> Affine:
    """The length that a parameter's type promises."""
    found = values.length(extent, symbols)
    return opaque.setdefault(extent, values.unknowns.fresh(0, LENGTH_HIGH)) if found is None else found


# --- statements ----------------------------------------------------------------------------------------------------


def _block(values: Values, body: Sequence[gast.stmt], state: State) -> State:
    for statement in body:
        state = _statement(values, statement, state)
    return state


def _statement(values: Values, node: gast.stmt, state: State) -> State:
    match node:
        case gast.Assign(targets=[place], value=value):
            _assign(values, place, value, state)
        case gast.Expr(value=value):
            values.visit(value, state)
        case gast.If():
            return _branch(values, node, state)
        case gast.For():
            return _counted(values, node, state)
        case gast.While():
            return _conditional(values, node, state)
        case gast.Raise(exc=exc):
            for part in exc.args[1:] if isinstance(exc, gast.Call) else ():
                values.visit(part, state)
            state.reachable = False
        case gast.Delete(targets=targets):
            for place in targets:
                state.lengths.pop(place.id, None)
    return state


def _assign(values: Values, place: gast.expr, value: gast.expr, state: State) -> None:
    match place:
        case gast.Name(id=id_):
            _bind(values, id_, value, state)
        case gast.Subscript(value=gast.Name(id=base)):
            values.visit(value, state)
            if isinstance(values.types.get(base), Array):
                values.access(place, state)
                judge_store(values, place, value, state)
            else:
                for item in items_of(place):
                    values.visit(item, state)
        case gast.Tuple(elts=elements) if isinstance(value, gast.Tuple):  # arrays that are swapped
            lengths = [values.lengths_of_name(v.id, state) for v in value.elts]
            state.lengths.update(zip((e.id for e in elements), lengths, strict=True))
        case gast.Tuple(elts=elements):
            values.visit(value, state)
            for element in elements:
                _forget(element.id, state)
                if is_of_program(syntax.operator_of(value)) and isinstance(values.types.get(element.id), Array):
                    state.lengths[element.id] = values.opaque(values.types[element.id], is_checked=True)


def _forget(name: str, state: State) -> None:
    for table in (state.ints, state.lengths, state.tests):
        table.pop(name, None)


def _bind(values: Values, name: str, value: gast.expr, state: State) -> None:
    type_ = values.types.get(name)
    if isinstance(type_, Array):
        lengths = lengths_of(values, value, state)
        if lengths is None:
            lengths = values.opaque(type_, is_checked=is_of_program(syntax.operator_of(value)))
        state.lengths[name] = lengths
        return
    form = values.visit(value, state)
    is_truth = isinstance(type_, Scalar) and is_bool(type_.dtype)
    test = values.test_of(value, state) if is_truth else None
    _forget(name, state)
    if test is not None:
        state.tests[name] = test
    elif isinstance(type_, Scalar) and form is not None and _keeps_value(values, value, type_):
        state.ints[name] = form


def _keeps_value(values: Values, value: gast.expr, type_: Scalar) -> bool:
    """Whether an int is stored as it is: a narrower dtype may lose what it does not hold."""
    return type_.dtype == INT_WORD or type_of(value, values.types) == type_


def _branch(values: Values, node: gast.If, state: State) -> State:
    values.visit(node.test, state)
    sides = []
    for body, truth in ((node.body, True), (node.orelse, False)):
        inside = state.copy()
        if _only_raises(body):
            inside.reachable = False
            sides.append(inside)
            continue
        if not _asks_nothing(body):
            values.learn(inside, *values.facts_of(node.test, inside, truth))
        sides.append(_block(values, body, inside))
    return _join(values, *sides)


def _asks_nothing(body: Sequence[gast.stmt]) -> bool:
    """Whether it is tests of lengths alone, and errors: what would help to prove something is of no use there."""
    return bool(body) and all(map(_is_told, body))


def _is_told(statement: gast.stmt) -> bool:
    match statement:
        case gast.If(test=test):
            return not is_judged(test) and all(map(_asks_nothing, filter(None, syntax.blocks_of(statement))))
    return _only_raises([statement])


def _only_raises(body: Sequence[gast.stmt]) -> bool:
    """Whether a side is an error whose words need nothing proven: most tests of lengths lead to one."""
    match body:
        case [gast.Raise(exc=gast.Call(args=parts))]:
            return not any(map(is_judged, parts))
    return False


def _join(values: Values, left: State, right: State) -> State:
    """What holds whichever path control took; a side that raised does not come."""
    if not right.reachable:
        return left
    if not left.reachable:
        return right
    choose = values.unknowns.choice
    return State(
        ints={
            n: f if (g := right.ints[n]) is f else choose("either", f, g)
            for n, f in left.ints.items()
            if n in right.ints
        },
        lengths={
            n: f if (h := right.lengths[n]) is f else tuple(choose("either", a, b) for a, b in zip(f, h, strict=True))
            for n, f in left.lengths.items()
            if n in right.lengths
        },
        tests={n: t for n, t in left.tests.items() if (u := right.tests.get(n)) is t or u == t},
        facts=_facts_of_both(left.facts, right.facts),
    )


def _facts_of_both(left: tuple[Affine, ...], right: tuple[Affine, ...]) -> tuple[Affine, ...]:
    """Facts are only added, so two paths begin with the same ones."""
    common = next((k for k, (f, g) in enumerate(zip(left, right)) if f is not g), min(len(left), len(right)))
    kept = set(right[common:])
    return (*left[:common], *(f for f in left[common:] if f in kept))


# --- loops ---------------------------------------------------------------------------------------------------------


def _counted(values: Values, node: gast.For, state: State) -> State:
    parts = node.iter.args
    arguments = parts if len(parts) > 1 else [gast.Constant(0, None), *parts]
    start, stop = (values.known(a, state) for a in arguments[:2])
    step = values.known(arguments[2], state) if len(arguments) > 2 else Affine(1)
    counter = node.target.id

    def enter(inside: State) -> State:
        _forget(counter, inside)
        inside.ints[counter] = _counter(values, inside, start, stop, step)
        return inside

    after = _loop(values, node, state, enter)
    _forget(counter, after)
    return after


def _counter(values: Values, state: State, start: Affine, stop: Affine, step: Affine) -> Affine:
    """The value of a loop's counter inside its body."""
    bounds = [values.unknowns.interval(f) for f in (start, stop)]
    if step.terms or step.constant == 0:
        return values.unknowns.fresh(min(b[0] for b in bounds), max(b[1] for b in bounds))
    if step.constant > 0:
        counter = values.unknowns.fresh(bounds[0][0], max(bounds[0][0], bounds[1][1] - 1))
        values.learn(state, counter - start, (stop - counter).plus(-1))
        _resolve_clamps(values, state, stop)
    else:
        counter = values.unknowns.fresh(min(bounds[0][1], bounds[1][0] + 1), bounds[0][1])
        values.learn(state, start - counter, (counter - stop).plus(-1))
        _resolve_clamps(values, state, start)
    return counter


def _resolve_clamps(values: Values, state: State, bound: Affine) -> None:
    """Inside `range(max(0, f))` the maximum is f, because otherwise there is no iteration."""
    for unknown, _ in bound.terms:
        choice = values.unknowns.choices.get(unknown)
        if choice is None or choice.kind != "max" or len(choice.options) != 2:
            continue
        clamped = Affine(0, ((unknown, 1),))
        for option, other in (choice.options, choice.options[::-1]):
            if values.proves(state, (clamped - option).plus(-1)):
                values.learn(state, other - clamped)


def _conditional(values: Values, node: gast.While, state: State) -> State:
    def enter(inside: State) -> State:
        values.visit(node.test, inside)
        values.learn(inside, *values.facts_of(node.test, inside, True))
        return inside

    after = _loop(values, node, state, enter)
    values.learn(after, *values.facts_of(node.test, after, False))
    return after


def _loop(values: Values, node: gast.For | gast.While, state: State, enter: Callable[[State], State]) -> State:
    """Run the body under assumptions on what it carries, dropping those that it breaks, until none is.

    What broke in an earlier pass over a loop around it is not tried again: less is known in each of them.
    """
    body = node.body
    assigned = dict.fromkeys(n for s in syntax.walk(body) for n in syntax.names_bound(s))
    deleted = {t.id for s in syntax.walk(body) if isinstance(s, gast.Delete) for t in s.targets}
    assumptions: set[Assumption] = {(n, kind) for n in assigned if n in state.ints for kind in ("above", "below")}
    assumptions |= {(n, "lengths") for n in assigned if n in state.lengths and n not in deleted}
    gone = values.broken.setdefault(id(node), set())
    assumptions -= gone
    outer = values.journal
    while True:
        head = _head(values, state, [*assigned, *deleted], assumptions)
        values.journal = Journal()
        end = _block(values, body, enter(head.copy()))
        broken = {a for a in assumptions if end.reachable and not _holds(values, a, state, end)}
        if not broken:
            break
        assumptions -= broken
        gone |= broken
    outer.merge(values.journal)
    values.journal = outer
    return head


def _head(values: Values, state: State, assigned: Sequence[str], assumptions: set[Assumption]) -> State:
    """The state at the start of any iteration."""
    head = state.copy()
    for name in assigned:
        _forget(name, head)
        if name in state.ints:
            first, now = state.ints[name], values.unknowns.fresh()
            head.ints[name] = now
            if (name, "above") in assumptions:
                values.learn(head, now - first)
            if (name, "below") in assumptions:
                values.learn(head, first - now)
        if (name, "lengths") in assumptions:
            head.lengths[name] = state.lengths[name]
    return head


def _holds(values: Values, assumption: Assumption, state: State, end: State) -> bool:
    name, kind = assumption
    if kind == "lengths":
        pairs = zip(state.lengths[name], end.lengths.get(name, ()))
        return name in end.lengths and all(
            a == b or (values.proves(end, a - b) and values.proves(end, b - a)) for a, b in pairs
        )
    if name not in end.ints:
        return False
    change = end.ints[name] - state.ints[name]
    return values.proves(end, change if kind == "above" else change.times(-1))
