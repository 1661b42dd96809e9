"""Add to elements of a cotangent; to those that were just set to zero or are zero still, by storing what is added.

    t = a_bar[i, i]                      t = a_bar[i, i]
    a_bar[i, i] = 0.0            ->      u = t * c
    u = t * c                            a_bar[i, i] = u
    a_bar[j, i] += t * d                 a_bar[j, i] += t * d
    a_bar[i, i] += u

What is added in between is added after, since the order of sums is free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import gast

from ... import syntax
from ...analysis.regions import stored_array
from ...ops.schema import OPERATORS, row_of
from .cotangents import Cotangents


def accumulate(frame: Cotangents, array: str, items: list[gast.expr], value: gast.expr) -> None:
    """`array[items] += value`."""
    body = frame.builder.body
    zeroed = _zeroed(body, array, items)
    if zeroed is not None and (split := _split(body[zeroed + 1 :], array, value)) is not None:
        needed, rest = split
        _share(frame, body[:zeroed])
        span = getattr(body[zeroed], "span", None)
        store = syntax.at(syntax.store(array, items, value), span, getattr(body[zeroed], "inlined", ()))
        body[zeroed:] = [*needed, store, *rest]
        return
    if is_untouched(body, array, items):
        frame.builder.append(syntax.store(array, items, value))
        return
    total = frame.builder.call("add", frame.builder.load(syntax.name(array), items, "t_bar"), value, hint="t_bar")
    frame.builder.append(syntax.store(array, items, total))


def _zeroed(body: Sequence[gast.stmt], array: str, items: list[gast.expr]) -> int | None:
    """Where exactly these elements were set to zero in this block, and nowhere else since."""
    place = syntax.store(array, items, 0.0)
    for position in reversed(range(len(body))):
        statement = body[position]
        if type(statement) in syntax.COMPOUND:
            return None
        is_store = isinstance(statement, gast.Assign) and stored_array(statement) == array
        if is_store and syntax.same(statement.targets, place.targets):
            return position if syntax.same(statement.value, place.value) else None
    return None


def is_untouched(body: Sequence[gast.stmt], array: str, items: Sequence[gast.expr]) -> bool:
    """Whether the array was made of zeros in this block, and since then stored into at other numbers alone."""
    for statement in reversed(body):
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if name == array:
                return syntax.operator_of(value) == "zeros"
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=name), slice=gast.Tuple(elts=others))]):
                if name == array and not _are_apart(items, others):
                    return False
            case gast.Assign(value=gast.Subscript(value=gast.Name(id=name), slice=gast.Tuple(elts=others))):
                if name == array and not all(isinstance(item, gast.Constant) for item in others):
                    return False  # a view, through which more may be stored
            case _ if array in syntax.names_read(statement):
                return False
    return False


def _are_apart(items: Sequence[gast.expr], others: Sequence[gast.expr]) -> bool:
    """Whether two targets differ in a number of one axis, both counted from the same end."""
    pairs = zip(items, others)
    numbers = [(a.value, b.value) for a, b in pairs if isinstance(a, gast.Constant) and isinstance(b, gast.Constant)]
    return any(a is not None and b is not None and a != b and (a < 0) == (b < 0) for a, b in numbers)


def _split(
    statements: Sequence[gast.stmt], array: str, value: gast.expr
) -> tuple[list[gast.stmt], list[gast.stmt]] | None:
    """The statements that a value is computed by, and the others; None where the former cannot come first."""
    wanted = {*syntax.names_read(value)}
    needed: list[gast.stmt] = []
    rest: list[gast.stmt] = []
    for statement in reversed(statements):
        names = {*syntax.names_bound(statement)}
        if names.isdisjoint(wanted):
            rest.insert(0, statement)
            continue
        if not _is_pure(statement):
            return None
        wanted.update(syntax.names_read(statement.value))
        needed.insert(0, statement)
    # elements of the value itself may be set on the way, as those of a copy are that is stored back into
    if not wanted.isdisjoint({array, *_changed(rest)}) or not _only_adds(rest, array):
        return None
    return needed, rest


def _changed(statements: Sequence[gast.stmt]) -> Iterator[str]:
    """The names whose elements statements may change."""
    for statement in statements:
        base = stored_array(statement)
        if base is not None:
            yield base
        elif not _is_pure(statement):
            yield from syntax.names_read(statement)


def _only_adds(statements: Sequence[gast.stmt], array: str) -> bool:
    """Whether statements do nothing with an array but add to elements of it: `t = a[i]; u = t + v; a[i] = u`."""
    reads = Counter(name for s in statements for name in syntax.names_read(s))
    loads: dict[str, gast.expr] = {}  # the elements as they are, or with something added
    for statement in statements:
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Subscript(value=gast.Name(id=base), slice=items)):
                if base == array:
                    loads[name] = items
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Call(args=[gast.Name(id=first), _]) as value) if (
                first in loads and reads[first] == 1 and getattr(row_of(syntax.operator_of(value)), "is_sum", False)
            ):
                loads[name] = loads.pop(first)
            case gast.Assign(
                targets=[gast.Subscript(value=gast.Name(id=base), slice=items)], value=gast.Name(id=total)
            ) if base == array:
                if total not in loads or reads[total] != 1 or not syntax.same(loads.pop(total), items):
                    return False
            case _ if array in syntax.names_read(statement) or stored_array(statement) == array:
                return False
    return not loads


def _is_pure(statement: gast.stmt) -> bool:
    match statement:
        case gast.Assign(targets=[gast.Name()], value=gast.Subscript() | gast.Name()):
            return True
        case gast.Assign(targets=[gast.Name()], value=gast.Call(func=gast.Name(id=operator))):
            return operator in OPERATORS
    return False


def _share(frame: Cotangents, before: Sequence[gast.stmt]) -> None:
    """What was copied because the elements were to be zeroed at once need not be: `copies` sees to the rest."""
    if len(before) < 2:
        return
    sweep, last = frame.sweep, before[-1]
    match last:
        case gast.Assign(
            targets=[gast.Name(id=own)], value=gast.Call(func=gast.Name(id="copy"), args=[gast.Name(id=view)])
        ) if view in sweep.parts:
            frame.builder.body[len(before) - 1] = syntax.rebuild(last, value=syntax.name(view))
            sweep.types[own] = sweep.types[view]
            sweep.base[own] = sweep.base[view]
            sweep.parts.add(own)
