"""Loop collapsing: a nest over whole arrays becomes one loop over their elements in the order of memory.

    for i in prange(x.shape[0]):                   size = x.shape[0] * x.shape[1]
        for j in range(x.shape[1]):                x_flat = x.reshape(size)
            y[i, j] = x[i, j] * x[i, j]      ->    y_flat = y.reshape(size)
                                                   for i in prange(size):
                                                       y_flat[i] = x_flat[i] * x_flat[i]

Holds where the arrays are in C order, have by their types the lengths that the nest runs over, and are read and stored
at its variables, which serve nothing else, in their order.  A nest of `lanes` is one such loop.  Rows that are short,
or not a whole number of vectors, then cost no more than long ones.  The reshapes compare the number of elements once
more: memory is never left to a proof.  Takes and gives functions of the loops stage; leaves nests that hold anything
but assignments of scalars and elements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import gast

from .. import syntax
from ..analysis.def_use import expressions_of
from ..analysis.lanes import is_lanes
from ..analysis.liveness import liveness
from ..builder import affine_result
from ..lower.arithmetic import product
from ..names import Names
from ..program import Function
from ..types import INT, Array, Extent, Type, symbol, symbols_of
from .in_blocks import with_blocks


def collapse(function: Function) -> Function:
    """The function with such nests as one loop each; the same object where there are none."""
    if not any(len(perfect_nest(s)) > 1 for s in syntax.walk(function.body)):
        return function
    collapser = _Collapser(function)
    body = collapser.block(function.body)
    return function if body is None else function.with_(body=tuple(body), types=collapser.types)


class _Collapser:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.types: dict[str, Type] = dict(function.types)
        self.names = Names({*function.types, *function.parameters})
        self.symbols = Names(s for type_ in function.types.values() for s in symbols_of(type_))

    def block(self, body: Sequence[gast.stmt]) -> list[gast.stmt] | None:
        """The statements with nests as one loop; None where nothing changes."""
        made = [new for statement in body for new in self.statement(statement)]
        changes = len(made) != len(body) or any(new is not old for new, old in zip(made, body))
        return made if changes else None

    def statement(self, node: gast.stmt) -> list[gast.stmt]:
        loops = perfect_nest(node)
        arrays = self._arrays(loops) if len(loops) > 1 else []
        if arrays:
            return self._as_one(loops, arrays)
        return [with_blocks(node, self.block)]

    def _arrays(self, loops: Sequence[gast.For]) -> list[str]:
        """The arrays of a nest over all of their elements; none where it is not over whole arrays."""
        variables, body = tuple(loop.target.id for loop in loops), loops[-1].body
        arrays = accessed_at(variables, body)
        types = [self._type(name) for name in arrays]
        bound = {n for s in syntax.walk(body) for n in syntax.names_bound(s)}
        if not types or not _computes(body) or bound & set(variables):
            return []
        if any(isinstance(self.function.types[n], Array) for n in bound):
            return []
        if len({t.dims for t in types}) > 1 or any(t.layout != "C" for t in types):
            return []
        whole = all(self._is_length(_bound(loop), types[0].dims[axis]) for axis, loop in enumerate(loops))
        return arrays if whole and not liveness(self.function).after(loops[0]) & set(variables) else []

    def _type(self, array: str) -> Array:
        type_ = self.function.types[array]
        assert isinstance(type_, Array)
        return type_

    def _is_length(self, bound: gast.expr, extent: Extent) -> bool:
        if isinstance(bound, gast.Constant):
            return bool(bound.value == extent)
        if syntax.operator_of(bound) != "dim":
            return False
        assert isinstance(bound, gast.Call)
        return self._type(bound.args[0].id).dims[syntax.static_of(bound)["axis"]] == extent

    def _as_one(self, loops: Sequence[gast.For], arrays: Sequence[str]) -> list[gast.stmt]:
        outer, size = loops[0], self.names.fresh("size")
        self.types[size] = INT
        made: list[gast.stmt] = [syntax.assign(size, product(_bound(loop) for loop in loops))]
        lengths = (self._number_of_elements(self._type(arrays[0]).dims),)
        rows = {}
        for array in arrays:
            rows[array] = self.names.fresh(f"{array}_flat")
            self.types[rows[array]] = Array(self._type(array).dtype, lengths)
            made.append(syntax.assign(rows[array], syntax.call("reshape", array, shape=syntax.tuple_([size]))))
        body = [_at_one_index(s, rows, tuple(loop.target.id for loop in loops)) for s in loops[-1].body]
        bounds = syntax.call(str(syntax.operator_of(outer.iter)), 0, size, 1)
        made.append(syntax.rebuild(outer, iter=bounds, body=body))
        return [syntax.at(s, outer.span, getattr(outer, "inlined", ())) for s in made]

    def _number_of_elements(self, dims: Sequence[Extent]) -> Extent:
        """The product of the lengths where it is a number or a multiple of one of them, else a length of its own."""
        number = math.prod(n for n in dims if isinstance(n, int))
        others = [n for n in dims if not isinstance(n, int)]
        if number == 0 or not others:
            return number
        found = affine_result("multiply", number, others[0]) if len(others) == 1 else None
        return symbol(self.symbols.fresh("elements")) if found is None else found


def perfect_nest(node: gast.stmt) -> list[gast.For]:
    """Loops from 0 in steps of 1, each the only statement of the one around it, down to a body without any."""
    if not isinstance(node, gast.For):
        return []
    loops = [node]
    while len(loops[-1].body) == 1 and isinstance(loops[-1].body[0], gast.For):
        loops.append(loops[-1].body[0])
    in_lanes = [is_lanes(loop) for loop in loops]
    simple = all(_counts_up(loop) for loop in loops) and any(in_lanes) == all(in_lanes)
    straight = all(isinstance(s, gast.Assign | gast.Pass) for s in syntax.walk(loops[-1].body))
    return loops if simple and straight else []


def _counts_up(loop: gast.For) -> bool:
    start, _, step = loop.iter.args
    ends = ((start, 0), (step, 1))
    return all(isinstance(part, gast.Constant) and part.value == value for part, value in ends)


def _computes(body: Sequence[gast.stmt]) -> bool:
    """Whether there is anything but copying, which is as fast in rows and reads better."""
    return any(isinstance(part, gast.Call) for s in body for e in expressions_of(s) for part in syntax.nodes_of(e))


def _bound(loop: gast.For) -> gast.expr:
    bound: gast.expr = loop.iter.args[1]
    return bound


def _names(node: gast.Subscript) -> tuple[str, ...]:
    items = node.slice.elts
    return tuple(i.id for i in items) if all(isinstance(i, gast.Name) for i in items) else ()


def accessed_at(variables: tuple[str, ...], body: Sequence[gast.stmt]) -> list[str]:
    """The arrays that the body accesses at these variables; none where the variables serve anything else."""
    arrays: dict[str, None] = {}
    uses = places = 0
    for statement in syntax.walk(body):
        for part in (p for e in expressions_of(statement) for p in syntax.nodes_of(e)):
            if isinstance(part, gast.Subscript) and _names(part) == variables:
                arrays[part.value.id] = None
                places += 1
            elif isinstance(part, gast.Name) and part.id in variables:
                uses += 1
    return list(arrays) if uses == places * len(variables) else []


def _at_one_index(statement: gast.stmt, rows: dict[str, str], variables: tuple[str, ...]) -> gast.stmt:
    """A statement of the nest with elements of the rows."""
    if not isinstance(statement, gast.Assign):
        return statement
    place, value = (_flat(part, rows, variables) for part in (statement.targets[0], statement.value))
    return syntax.rebuild(statement, targets=[place], value=value)


def _flat(node: gast.expr, rows: dict[str, str], variables: tuple[str, ...]) -> gast.expr:
    match node:
        case gast.Subscript(value=gast.Name(id=array)) if _names(node) == variables:
            at = syntax.tuple_([syntax.name(variables[0])])
            return syntax.rebuild(node, value=syntax.name(rows[array]), slice=at)
        case gast.Subscript(slice=gast.Tuple(elts=items) as index):  # an element whose index is one
            inside = syntax.rebuild(index, elts=[_flat(item, rows, variables) for item in items])
            return syntax.rebuild(node, slice=inside)
        case gast.Call(args=args):
            return syntax.rebuild(node, args=[_flat(part, rows, variables) for part in args])
        case gast.BoolOp(values=values):
            return syntax.rebuild(node, values=[_flat(part, rows, variables) for part in values])
        case gast.IfExp():
            parts = {f: _flat(getattr(node, f), rows, variables) for f in ("test", "body", "orelse")}
            return syntax.rebuild(node, **parts)
    return node
