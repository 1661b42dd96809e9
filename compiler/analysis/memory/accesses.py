"""Where statements read and store elements.

    for i in ...:                           loads e[i, k] inside of i and k,
        for k in ...: s = s + e[i, k]       then stores y[i] inside of i
        y[i] = s

An access has one item for every axis of its array: an index, a slice, or None where nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import gast

from ... import syntax
from ...dtypes import is_bool
from ...ops.forms import CHANGES_FIRST
from ...records import dataclass
from ...types import Array, Type
from ..def_use import expressions_of
from ..integers.nest_scope import NestScope
from ..integers.values import Integers

LoadsOf: TypeAlias = Callable[[gast.expr], Sequence[gast.Subscript]]


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """One expression of the program that reads or stores elements.

    `natural` are the axes of which the caller knows that the index is not negative.
    """

    array: str
    items: tuple[gast.expr | None, ...]
    is_store: bool
    scope: NestScope
    node: gast.AST
    natural: frozenset[int] = frozenset()


def accesses(
    statements: Iterable[gast.stmt], scope: NestScope, integers: Integers, loads_of: LoadsOf | None = None
) -> Iterator[Access]:
    """Every access in these statements, in the order of execution; `loads_of` may remember what an expression loads."""
    of_expression = loads_of or elements_in

    def loads(node: gast.AST, inside: NestScope) -> Sequence[Access]:
        if type(node) is gast.Name or type(node) is gast.Constant:
            return ()
        types = integers.types
        found = [part for part in of_expression(node) if isinstance(types.get(part.value.id), Array)]
        return [access(part, inside, types) for part in found]

    for statement in statements:
        match statement:
            case gast.For(iter=iter_, body=body):
                yield from loads(iter_, scope)
                yield from accesses(body, scope.inside(integers.loop(statement)), integers, loads_of)
            case gast.While(test=test, body=body):
                inside = scope.inside(integers.loop(statement))
                yield from loads(test, inside)
                yield from accesses(body, inside, integers, loads_of)
            case gast.If(test=test, body=body, orelse=orelse):
                yield from loads(test, scope)
                yield from accesses(body, scope, integers, loads_of)
                yield from accesses(orelse, scope, integers, loads_of)
            case gast.Assign(targets=[gast.Subscript() as place], value=value):
                yield from loads(value, scope)
                yield from loads(place.slice, scope)
                if isinstance(integers.types.get(place.value.id), Array):
                    yield access(place, scope, integers.types, is_store=True)
            case _:
                for part in expressions_of(statement):
                    yield from loads(part, scope)
                yield from _changed(statement, scope, integers)


def _changed(statement: gast.stmt, scope: NestScope, integers: Integers) -> Iterator[Access]:
    """What a call changes of its first argument: `add_at` adds to elements."""
    match statement:
        case gast.Expr(value=gast.Call(func=gast.Name(id="add_at"), args=[gast.Name(id=array), items, *_])):
            place = axes_of(items, integers.types, array)
            yield Access(array, place, False, scope, statement)
            yield Access(array, place, True, scope, statement)
        case gast.Expr(value=call) | gast.Assign(value=call) if syntax.operator_of(call) in CHANGES_FIRST:
            array = call.args[0].id
            if isinstance(type_ := integers.types.get(array), Array):
                yield Access(array, (None,) * type_.ndim, True, scope, statement)


def access(place: gast.Subscript, scope: NestScope, types: Mapping[str, Type], is_store: bool = False) -> Access:
    return Access(place.value.id, axes_of(place.slice, types, place.value.id), is_store, scope, place)


def axes_of(index: gast.expr, types: Mapping[str, Type], array: str) -> tuple[gast.expr | None, ...]:
    """The item of every axis: what arrays choose is None, and so is every axis that a mask may stand for."""
    items = index.elts if isinstance(index, gast.Tuple) else [index]
    axes: list[gast.expr | None] = []
    for item in items:
        if isinstance(item, gast.Constant) and item.value is None:
            continue
        chosen = types.get(item.id) if isinstance(item, gast.Name) else None
        if isinstance(chosen, Array) and is_bool(chosen.dtype):
            break
        axes.append(None if isinstance(chosen, Array) else item)
    rank = len(types[array].dims)
    return tuple(axes) if len(axes) == rank else (*axes, *[None] * (rank - len(axes)))


def elements_in(node: gast.AST) -> list[gast.Subscript]:
    """Every element that an expression loads."""
    found: list[gast.Subscript] = []
    _collect_elements(node, found)
    return found


def _collect_elements(node: gast.AST, found: list[gast.Subscript]) -> None:
    kind = type(node)
    if kind is gast.Name or kind is gast.Constant:
        return
    if kind is gast.Call:
        for part in node.args:
            _collect_elements(part, found)
        for keyword in node.keywords:
            _collect_elements(keyword.value, found)
        return
    if kind is gast.Subscript:
        found.append(node)
        for item in node.slice.elts if type(node.slice) is gast.Tuple else (node.slice,):
            _collect_elements(item, found)
        return
    for child in syntax.children_of(node):
        _collect_elements(child, found)
