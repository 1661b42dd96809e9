"""A nest of `lanes` loops over whole arrays as one loop over their memory.

    for i in lanes(dim(x, axis=0)):                size = dim(x, axis=0) * dim(x, axis=1)
        for j in lanes(dim(x, axis=1)):            x_row = reshape(x, (size,))
            total = total + x[i, j]         ->     for i in lanes(size):
                                                       total = total + x_row[i]

Takes and gives functions of the loops stage.  Holds where the arrays are in C order, have by their types the lengths
that the loops run over, and are met at the variables of the nest alone, in their order: rows that are short need not be
taken one by one.  Leaves blocks and parts of the one loop to `sums`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import gast

from .. import syntax
from ..analysis.def_use import expressions_of
from ..analysis.lanes import is_lanes
from ..analysis.liveness import liveness
from ..builder import affine_result
from ..names import Names
from ..program import Function
from ..types import INT, Array, Extent, Type, symbol, symbols_of
from .loop_rules.arithmetic import product
from .nests.own_names import rebuilt


def lay_in_one_row(function: Function) -> Function:
    """The function with nests over whole arrays as single loops; the same object where there are none."""
    if not any(is_lanes(s) and is_lanes(s.body[0]) for s in syntax.walk(function.body)):
        return function
    layer = _Layer(function)
    body = layer.block(function.body)
    return function if body is function.body else function.with_(body=tuple(body), types=layer.types)


class _Layer:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.types: dict[str, Type] = dict(function.types)
        self.names = Names(function.types)
        self.symbols = Names(s for type_ in function.types.values() for s in symbols_of(type_))

    def block(self, statements: Sequence[gast.stmt]) -> Sequence[gast.stmt]:
        made = [new for node in statements for new in self.statement(node)]
        is_same = len(made) == len(statements) and all(new is old for new, old in zip(made, statements))
        return statements if is_same else made

    def statement(self, node: gast.stmt) -> Sequence[gast.stmt]:
        if is_lanes(node):
            loops = _perfect_nest(node)
            names = _met(loops, self.types)
            arrays = {name: type_ for name in names if isinstance(type_ := self.types[name], Array)}
            if arrays and self.are_whole(loops, arrays.values()):
                return self.in_one(loops, arrays)
        return (rebuilt(node, self.block),)

    def are_whole(self, loops: Sequence[gast.For], types: Iterable[Array]) -> bool:
        """Whether the loops run over all of every array, and nobody asks for their variables afterwards."""
        dims = tuple(self.extent(loop.iter.args[1]) for loop in loops)
        is_whole = None not in dims and all(t.dims == dims and t.layout == "C" for t in types)
        return is_whole and liveness(self.function).after(loops[0]).isdisjoint(loop.target.id for loop in loops)

    def extent(self, bound: gast.expr) -> Extent | None:
        """The length that a bound is known as."""
        match bound:
            case gast.Constant(value=int() as value):
                return value
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=name)]):
                type_ = self.types[name]
                return type_.dims[syntax.static_of(bound)["axis"]] if isinstance(type_, Array) else None
        return None

    def in_one(self, loops: Sequence[gast.For], arrays: Mapping[str, Array]) -> list[gast.stmt]:
        outer = loops[0]
        size = self.names.fresh("size")
        self.types[size] = INT
        count = self.number_of_elements(next(iter(arrays.values())).dims)
        rows = {name: self.names.fresh(f"{name}_row") for name in arrays}
        self.types |= {rows[name]: Array(type_.dtype, (count,)) for name, type_ in arrays.items()}
        whole = product(syntax.map_names(loop.iter.args[1], lambda name: name) for loop in loops)
        made = [syntax.assign(size, whole), *(_view(row, name, size) for name, row in rows.items())]
        variables = [loop.target.id for loop in loops]
        body = [_moved(s, rows, variables) for s in loops[-1].body]
        loop = syntax.rebuild(outer, iter=syntax.call("lanes", 0, size, 1), body=body)
        own = [row for name, row in rows.items() if name not in self.function.parameters]
        ends = [syntax.delete(row) for row in own]  # or they would keep what they are views of
        for statement in (*made, *ends):
            _place(statement, outer)
        return [*made, loop, *ends]

    def number_of_elements(self, dims: Sequence[Extent]) -> Extent:
        """The product of the lengths where it is a number or a multiple of one of them, else a length of its own."""
        number = math.prod(extent for extent in dims if isinstance(extent, int))
        others = [extent for extent in dims if not isinstance(extent, int)]
        if number == 0 or not others:
            return number
        found = affine_result("multiply", number, others[0]) if len(others) == 1 else None
        return symbol(self.symbols.fresh("elements")) if found is None else found


def _perfect_nest(node: gast.For) -> list[gast.For]:
    """Loops from 0 in steps of 1, each the only statement of the one around it."""
    loops = [node]
    while len(loops[-1].body) == 1 and is_lanes(loops[-1].body[0]):
        loops.append(loops[-1].body[0])
    return loops if all(_counts_up(loop) for loop in loops) else []


def _counts_up(loop: gast.For) -> bool:
    start, _, step = loop.iter.args
    return all(isinstance(part, gast.Constant) for part in (start, step)) and (start.value, step.value) == (0, 1)


def _met(loops: Sequence[gast.For], types: Mapping[str, Type]) -> list[str]:
    """The arrays that a nest meets at its variables; none where these serve anything else."""
    if len(loops) < 2 or not all(isinstance(s, gast.Assign | gast.Pass) for s in loops[-1].body):
        return []
    variables = [loop.target.id for loop in loops]
    arrays: dict[str, None] = {}
    uses = 0
    for statement in loops[-1].body:
        for part in (p for e in expressions_of(statement) for p in syntax.nodes_of(e)):
            if isinstance(part, gast.Subscript) and _is_at(part, variables):
                arrays[part.value.id] = None
                uses -= len(variables)
            uses += isinstance(part, gast.Name) and part.id in variables
        if any(name in variables or isinstance(types[name], Array) for name in syntax.names_bound(statement)):
            return []
    return list(arrays) if uses == 0 else []


def _is_at(node: gast.Subscript, variables: Sequence[str]) -> bool:
    return [getattr(item, "id", "") for item in node.slice.elts] == list(variables)


def _moved(node: gast.stmt, rows: Mapping[str, str], variables: Sequence[str]) -> gast.stmt:
    """A statement of the nest in the one loop."""
    if not isinstance(node, gast.Assign):
        return node
    targets = [_at(place, rows, variables) for place in node.targets]
    return syntax.rebuild(node, targets=targets, value=_at(node.value, rows, variables))


def _at(node: gast.expr, rows: Mapping[str, str], variables: Sequence[str]) -> gast.expr:
    """The expression with elements `x[i, j]` read from one row."""
    if syntax.is_atom(node):
        return node
    if isinstance(node, gast.Subscript) and _is_at(node, variables):
        return gast.Subscript(syntax.name(rows[node.value.id]), syntax.tuple_(variables[:1]), node.ctx)
    changes: dict[str, object] = {}
    for field in node._fields:
        part = getattr(node, field, None)
        if isinstance(part, list):
            changes[field] = [_at(p, rows, variables) if isinstance(p, gast.expr) else p for p in part]
        elif isinstance(part, gast.expr) and field != "func":
            changes[field] = _at(part, rows, variables)
    return syntax.rebuild(node, **changes)


def _view(row: str, name: str, size: str) -> gast.stmt:
    return syntax.assign(row, syntax.call("reshape", name, shape=syntax.tuple_([size])))


def _place(statement: gast.stmt, like: gast.stmt) -> None:
    syntax.at(statement, like.span, getattr(like, "inlined", ()))
    statement.number = getattr(like, "number", 0)  # type: ignore[attr-defined]
