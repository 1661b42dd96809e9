"""Which names of a function of the loops stage may share memory.

    a = empty(...); b = empty(...); v = a[1:]      ->      {a, v}  {b}  {inputs}

Names are joined where one may hold the buffer of another: aliases, views, lists and their elements, results of calls
and the arrays passed to them.  All parameters are one class: callers may pass the same array twice,
except for what is changed in place or given away.

Arrays that are swapped hold each other's buffers in turn, and never the same one at a time: `u, v = v, u` leaves them
apart for questions about one moment (`classes_at_once`), unless another name holds one of the buffers meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

import gast

from ... import syntax
from ...ops.forms import FRESH, LIBRARY
from ...program import Function, remembered
from ...types import Array, ListOf
from ..expression_types import is_scalar_operator
from ..liveness import liveness

INPUTS = ""


@remembered
def storage_classes(function: Function) -> Mapping[str, str]:
    """For every array and list name the representative of the names it may share memory with, then or later."""
    return _joined(function, syntax.walk(function.body))


@remembered
def classes_at_once(function: Function) -> Mapping[str, str]:
    """For every array and list name the representative of those it may share memory with while both are in use."""
    swaps = [s for s in syntax.walk(function.body) if _changes_places(s)]
    if not swaps:
        return storage_classes(function)
    moved = {id(s) for s in swaps}
    apart = _joined(function, [s for s in syntax.walk(function.body) if id(s) not in moved])
    whole = all(_are_alone(s, apart, liveness(function).after(s)) for s in swaps)
    return apart if whole else storage_classes(function)


def _changes_places(node: gast.stmt) -> bool:
    """Whether arrays get each other's names, and nothing else."""
    match node:
        case gast.Assign(targets=[gast.Tuple(elts=places)], value=gast.Tuple(elts=values)):
            return sorted(p.id for p in places) == sorted(v.id for v in values)
    return False


def _are_alone(swap: gast.stmt, classes: Mapping[str, str], live: AbstractSet[str]) -> bool:
    """Whether the arrays that are swapped are apart, and no other name that may hold one of their buffers is live."""
    names = syntax.names_bound(swap)
    groups = [classes[name] for name in names]
    others = {classes[n] for n in live if n in classes and n not in names}
    return len({*groups}) == len(names) and others.isdisjoint(groups)


def _joined(function: Function, statements: Iterable[gast.stmt]) -> Mapping[str, str]:
    """The classes that these statements make."""
    leaders: dict[str, str] = {}

    def find(name: str) -> str:
        while leaders.setdefault(name, name) != name:
            name = leaders[name]
        return name

    def join(*names: str) -> None:
        roots = sorted({find(n) for n in names})
        for other in roots[1:]:
            leaders[other] = roots[0]

    holders = {n for n, t in function.types.items() if isinstance(t, Array | ListOf)}
    if not holders:
        return {}
    for number, name in enumerate(function.parameters):
        if name in holders and number not in function.in_place and number not in function.donated:
            join(INPUTS, name)
    for statement in statements:
        together = _shared(statement, holders)
        if together:
            join(*together)
    return {name: find(name) for name in sorted(holders)}


def _shared(statement: gast.stmt, holders: set[str]) -> list[str]:
    """The names that one statement makes share memory."""
    match statement:
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base))], value=gast.Name(id=item)):
            return [n for n in (base, item) if n in holders]
        case gast.Assign(value=value) | gast.Expr(value=value):
            bound = [n for n in syntax.names_bound(statement) if n in holders]
            if syntax.operator_of(value) in FRESH or not (bound or _may_mix(value)):
                return []
            return [*bound, *(n for n in syntax.names_read(value) if n in holders)]
    return []


def _may_mix(value: gast.expr) -> bool:
    """Whether it is a call that may put one argument into another: of a function of the program, or an append."""
    operator = syntax.operator_of(value)
    return operator is not None and operator not in LIBRARY and not is_scalar_operator(operator)
