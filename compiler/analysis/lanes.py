"""What is loop-carried in a `lanes` loop: accumulations, and nothing else.

    for k in lanes(0, n, 1):
        t = multiply(x[k], x[k])          t is the iteration's own
        total = add(total, t)             a sum: its terms may be taken in any order, with any number of partial sums
        best = maximum(best, t)           an extreme
        for j in range(0, m, 1):
            s[j] = add(s[j], y[k, j])     a sum in each element of an array

An accumulation is a statement `s = operator(s, term)` whose operator takes elements together in a reduction (`Fold`).
No other statement of the loop mentions `s`, so its partial sums are not observed.  What an element of an array holds is
loop-carried as well, where each iteration stores it: its index does not move with the loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeGuard

import gast

from .. import syntax
from ..ops.reduction import fold_by
from ..ops.schema import Fold
from ..program import Function
from ..types import Array, Scalar, Type, is_floating
from .def_use import reads_of

Fault = tuple[gast.stmt, str]


def is_lanes(node: gast.stmt) -> TypeGuard[gast.For]:
    return isinstance(node, gast.For) and syntax.operator_of(node.iter) == "lanes"


def goes_by_rows(node: gast.stmt) -> TypeGuard[gast.For]:
    """Whether a loop accumulates nothing but elements of arrays."""
    return is_lanes(node) and not carried(node.body)


def accumulates(name: str, value: gast.expr) -> bool:
    """Whether an assignment of this value to the name is `name = operator(name, term)`."""
    match value:
        case gast.Call(args=[gast.Name(id=first), term]) if first == name:
            return name not in syntax.names_read(term)
    return False


def accumulated(node: gast.stmt) -> str:
    """The name of `name = operator(name, term)`, empty for other statements."""
    match node:
        case gast.Assign(targets=[gast.Name(id=name)], value=value) if accumulates(name, value):
            return name
    return ""


def accumulated_array(node: gast.stmt) -> str:
    """The array of `a[place] = operator(a[place], term)`, empty for other statements."""
    match node:
        case gast.Assign(
            targets=[gast.Subscript(value=gast.Name(id=array)) as place],
            value=gast.Call(args=[gast.Subscript() as before, term]),
        ) if syntax.form_of(before) == syntax.form_of(place) and array not in syntax.names_read(term):
            return array
    return ""


def fold_of(node: gast.stmt, types: Mapping[str, Type]) -> Fold | None:
    """How an accumulation combines terms; None for other statements, and where their order matters."""
    type_ = types.get(accumulated(node))
    if not isinstance(type_, Scalar) or type_.weak and not is_floating(type_):
        return None  # of Python's ints the order tells whether one is too large
    return fold_by(syntax.operator_of(node.value), type_.dtype)


# --- the verifier's question ---------------------------------------------------------------------------------------


def lanes_faults(function: Function) -> Iterator[Fault]:
    """Loop-carried names and elements, but for accumulations."""
    for loop in syntax.walk(function.body):
        if is_lanes(loop):
            for name in carried(loop.body):
                yield from _faults(loop, name, function.types)
            for array in arrays_handed_on(loop, function.types):
                yield from _array_faults(loop, array, function.types)


def _faults(loop: gast.For, name: str, types: Mapping[str, Type]) -> Iterator[Fault]:
    operators = set()
    for statement in syntax.walk(loop.body):
        if accumulated(statement) == name and fold_of(statement, types) is not None:
            operators.add(syntax.operator_of(statement.value))
        elif name in syntax.names_bound(statement) or name in reads_of(statement):
            yield statement, f"an iteration of `lanes` takes `{name}` from the last, and does more than accumulate"
    if len(operators) > 1:
        yield loop, f"`{name}` is accumulated in several ways"


def arrays_handed_on(loop: gast.For, types: Mapping[str, Type]) -> list[str]:
    """The arrays of which every iteration of a loop stores the same element."""
    inside = list(syntax.walk(loop.body))
    bound = {name for s in inside for name in syntax.names_bound(s)}
    counters = {s.target.id for s in inside if isinstance(s, gast.For)}
    moving = {loop.target.id, *(bound - counters)}
    for inner in inside:
        if isinstance(inner, gast.For) and not moving.isdisjoint(syntax.names_read(inner.iter)):
            moving.add(inner.target.id)
    places = [s.targets[0] for s in inside if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Subscript)]
    still = [p.value.id for p in places if moving.isdisjoint(syntax.names_read(p.slice))]
    return [name for name in dict.fromkeys(still) if name not in bound and isinstance(types.get(name), Array)]


def _array_faults(loop: gast.For, array: str, types: Mapping[str, Type]) -> Iterator[Fault]:
    type_, operators = types[array], set()
    assert isinstance(type_, Array)
    for statement in syntax.walk(loop.body):
        operator = syntax.operator_of(getattr(statement, "value", None))
        if accumulated_array(statement) == array and fold_by(operator, type_.dtype) is not None:
            operators.add(operator)
        elif array in _arrays_met(statement):
            yield statement, f"iterations of `lanes` store the same elements of `{array}`, and do more than accumulate"
    if len(operators) > 1:
        yield loop, f"elements of `{array}` are accumulated in several ways"


def _arrays_met(statement: gast.stmt) -> set[str]:
    """The arrays whose elements a statement reads or stores; lengths are no elements."""
    nodes = list(syntax.own_nodes(statement))
    lengths = {id(node.args[0]) for node in nodes if syntax.operator_of(node) == "dim"}
    return {node.id for node in nodes if isinstance(node, gast.Name) and id(node) not in lengths}


def carried(body: Sequence[gast.stmt]) -> dict[str, None]:
    """The names that an iteration of a loop may read before it has given them a value."""
    assigned = {name for s in syntax.walk(body) for name in syntax.names_bound(s)}
    found: dict[str, None] = {}
    _read_first(body, set(), assigned, found)
    return found


def _read_first(body: Iterable[gast.stmt], known: set[str], assigned: set[str], found: dict[str, None]) -> set[str]:
    """The names that have a value after these statements."""
    for node in body:
        found.update(dict.fromkeys(n for n in reads_of(node) if n in assigned and n not in known))
        match node:
            case gast.If(body=first, orelse=second):
                ways = [_read_first(way, set(known), assigned, found) for way in (first, second)]
                known = ways[0] & ways[1]
            case gast.For(target=gast.Name(id=variable), body=inner):
                _read_first(inner, known | {variable}, assigned, found)
            case gast.While(body=inner):
                _read_first(inner, set(known), assigned, found)
            case gast.Raise():
                return known | assigned  # control does not go on from here
            case _:
                known = known | set(syntax.names_bound(node))
    return known


def straight(body: Sequence[gast.stmt]) -> bool:
    """Whether the body is one run of statements, which LLVM turns into vector instructions over the loop itself."""
    return not any(isinstance(s, gast.For | gast.While) for s in syntax.walk(body))
