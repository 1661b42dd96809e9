"""What the turns of a `lanes` loop hand on to each other: accumulations, and nothing else.

    for k in lanes(0, n, 1):
        t = multiply(x[k], x[k])          t is the turn's own
        total = add(total, t)             a sum: its terms may be taken in any order, with any number of partial sums
        best = maximum(best, t)           an extreme

An accumulation is a statement `s = operator(s, term)` whose operator takes elements together in a reduction (`Fold`).
No other statement of the loop mentions `s`, so nobody sees what it is on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeGuard

import gast

from .. import syntax
from ..ops.reduction import fold_by
from ..ops.schema import Fold
from ..program import Function
from ..types import Scalar, Type, is_floating
from .def_use import reads_of

Fault = tuple[gast.stmt, str]


def is_lanes(node: gast.stmt) -> TypeGuard[gast.For]:
    return isinstance(node, gast.For) and syntax.operator_of(node.iter) == "lanes"


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


def fold_of(node: gast.stmt, types: Mapping[str, Type]) -> Fold | None:
    """How an accumulation takes terms together; None for other statements, and where their order is told."""
    type_ = types.get(accumulated(node))
    if not isinstance(type_, Scalar) or type_.weak and not is_floating(type_):
        return None  # of Python's ints the order tells whether one is too large
    return fold_by(syntax.operator_of(node.value), type_.dtype)


# --- the verifier's question ---------------------------------------------------------------------------------------


def lanes_faults(function: Function) -> Iterator[Fault]:
    """Names that a turn takes from the one before otherwise than to accumulate."""
    for loop in syntax.walk(function.body):
        if is_lanes(loop):
            for name in carried(loop.body):
                yield from _faults(loop, name, function.types)


def _faults(loop: gast.For, name: str, types: Mapping[str, Type]) -> Iterator[Fault]:
    operators = set()
    for statement in syntax.walk(loop.body):
        if accumulated(statement) == name and fold_of(statement, types) is not None:
            operators.add(syntax.operator_of(statement.value))
        elif name in syntax.names_bound(statement) or name in reads_of(statement):
            yield statement, f"a turn of `lanes` takes `{name}` from the one before, and does more than accumulate"
    if len(operators) > 1:
        yield loop, f"`{name}` is accumulated in several ways"


def carried(body: Sequence[gast.stmt]) -> dict[str, None]:
    """The names that a turn of a loop may read before it has given them a value."""
    assigned = {name for s in syntax.walk(body) for name in syntax.names_bound(s)}
    found: dict[str, None] = {}
    _read_first(body, set(), assigned, found)
    return found


def _read_first(body: Iterable[gast.stmt], known: set[str], assigned: set[str], found: dict[str, None]) -> set[str]:
    """The names that have a value behind these statements."""
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
                return known | assigned  # nobody comes from here
            case _:
                known = known | set(syntax.names_bound(node))
    return known


def straight(body: Sequence[gast.stmt]) -> bool:
    """Whether the body is one run of statements, which LLVM turns into vector instructions over the loop itself."""
    return not any(isinstance(s, gast.For | gast.While) for s in syntax.walk(body))
