"""If-conversion: branches around stores of an innermost loop become stores of one value or the other.

    if through < d[i, j]:                       d[i, j] = through if through < d[i, j] else d[i, j]
        d[i, j] = through              ->

The element has been reached in the same iteration, so that it is there; no other thread sees it, so that storing what
it holds changes nothing; and the value costs little and cannot fail.  Takes and gives functions of the loops stage;
leaves branches whose values cost more, or may fail, as they are.  Machine code of such a loop has no branch to predict,
and can be in vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import gast

from .. import syntax
from ..analysis.expression_types import type_of
from ..analysis.lanes import straight
from ..dtypes import BOOL_WORD, is_inexact
from ..names import Names
from ..ops.raising import never
from ..ops.schema import row_of
from ..ops.works_in import as_result
from ..program import Function
from ..renaming import copied, placed
from ..types import Array, Scalar, Type
from .in_blocks import with_blocks

Reached = dict[object, gast.Subscript]


def if_convert(function: Function) -> Function:
    """The function with such branches as stores; the same object where there are none."""
    if not any(isinstance(s, gast.If) for s in syntax.walk(function.body)):
        return function
    converter = _Converter(function)
    body = converter.outside(function.body)
    return function if body is None else function.with_(body=tuple(body), types=converter.types)


class _Converter:
    def __init__(self, function: Function) -> None:
        self.types: dict[str, Type] = dict(function.types)
        self.names = Names({*function.types, *function.parameters})

    def outside(self, body: Sequence[gast.stmt]) -> list[gast.stmt] | None:
        """Statements around innermost loops; None where nothing changes."""
        changed = [self._around(s) for s in body]
        return changed if any(new is not old for new, old in zip(changed, body)) else None

    def _around(self, node: gast.stmt) -> gast.stmt:
        if isinstance(node, gast.For) and straight(node.body):
            inside = self.turn(node.body, {})
            return node if inside is None else syntax.rebuild(node, body=inside)
        return with_blocks(node, self.outside)

    def turn(self, body: Sequence[gast.stmt], reached: Reached) -> list[gast.stmt] | None:
        """The statements of a loop; `reached` are elements that this iteration has accessed on every path."""
        made: list[gast.stmt] = []
        for statement in body:
            new = [statement]
            match statement:
                case gast.Assign(targets=[place], value=value):
                    _reach(value, reached)
                    if isinstance(place, gast.Subscript):
                        _reach(place, reached)
                case gast.If(test=test):
                    _reach(test, reached)
                    new = self._branch(statement, reached)
            made += new
            for one in new:
                _forget(one, reached)
        return made if len(made) != len(body) or any(new is not old for new, old in zip(made, body)) else None

    def _branch(self, node: gast.If, reached: Reached) -> list[gast.stmt]:
        stores = [] if node.orelse else [self._store(s, reached) for s in node.body]
        if stores and None not in stores and _dtype(node.test, self.types) == BOOL_WORD:
            return self._chosen(node, [store for store in stores if store is not None])
        blocks = [self.turn(block, dict(reached)) for block in (node.body, node.orelse)]
        if blocks == [None, None]:
            return [node]
        then, otherwise = (new or old for new, old in zip(blocks, (node.body, node.orelse)))
        return [syntax.rebuild(node, body=then, orelse=otherwise)]

    def _chosen(self, node: gast.If, stores: Sequence[tuple[gast.Assign, gast.expr]]) -> list[gast.stmt]:
        """Every element gets its new value or the one that it has."""
        test, made = node.test, list[gast.stmt]()
        if len(stores) > 1:  # the first may change what the test reads
            name = self.names.fresh("chosen")
            self.types[name] = Scalar(BOOL_WORD)
            made += placed([syntax.assign(name, test)], node)
            test = syntax.name(name)
        for store, value in stores:
            place = store.targets[0]
            chosen = syntax.call("where", copied(test, {}) if made else test, value, _loaded(place))
            made.append(syntax.rebuild(store, value=chosen))
        return made

    def _store(self, statement: gast.stmt, reached: Reached) -> tuple[gast.Assign, gast.expr] | None:
        match statement:
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base)) as place], value=value):
                type_ = self.types.get(base)
                is_there = syntax.form_of(place) in reached and isinstance(type_, Array) and is_inexact(type_.dtype)
                if not is_there or not _is_cheap(value, reached, self.types):
                    return None
                dtype = _dtype(place, self.types)
                differs = _dtype(value, self.types) != dtype
                return statement, syntax.call("cast", value, dtype=dtype) if differs else value
        return None


def _loaded(place: gast.Subscript) -> gast.expr:
    """The element that is stored, as it is read."""
    return gast.Subscript(copied(place.value, {}), copied(place.slice, {}), gast.Load())


def _reach(node: gast.expr, reached: Reached) -> None:
    for place in _elements(node):
        if not any(isinstance(part, gast.Subscript) for part in syntax.nodes_of(place.slice)):
            reached.setdefault(syntax.form_of(place), place)


def _elements(node: gast.AST) -> Iterator[gast.Subscript]:
    """The elements that evaluating an expression touches in any case."""
    match node:
        case gast.BoolOp(values=values):
            yield from _elements(values[0])
        case gast.IfExp(test=test):
            yield from _elements(test)
        case _:
            if isinstance(node, gast.Subscript):
                yield node
            for part in syntax.children_of(node):
                yield from _elements(part)


def _forget(statement: gast.stmt, reached: Reached) -> None:
    """Names that have changed mean other elements."""
    changed = {n for s in syntax.walk([statement]) for n in syntax.names_changed(s)}
    for form, place in list(reached.items()):
        if not changed.isdisjoint(syntax.names_read(place)):
            del reached[form]


def _is_cheap(node: gast.expr, reached: Reached, types: Mapping[str, Type]) -> bool:
    """Whether a value costs next to nothing, and cannot fail: its elements have been reached before."""
    match node:
        case gast.Constant(value=value):
            return isinstance(value, float)
        case gast.Name(id=name):
            return _is_float(types.get(name))
        case gast.Subscript():
            return syntax.form_of(node) in reached and _is_float(type_of(node, types))
        case gast.Call(func=gast.Name(id=operator), args=args, keywords=[]) if _costs_nothing(operator):
            return all(_is_cheap(part, reached, types) for part in args)
    return False


def _costs_nothing(operator: str) -> bool:
    """Whether an operator gives a float from floats for next to nothing, and cannot fail."""
    row = row_of(operator)
    if row is None or row.kind != "elementwise" or row.works_in is not as_result:
        return False
    return row.work in ("free", "light") and row.raises is never


def _dtype(node: gast.expr, types: Mapping[str, Type]) -> str:
    type_ = type_of(node, types)
    return type_.dtype if isinstance(type_, Scalar) else ""


def _is_float(type_: Type | None) -> bool:
    return isinstance(type_, Scalar) and is_inexact(type_.dtype)
