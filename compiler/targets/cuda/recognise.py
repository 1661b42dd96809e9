"""Loops whose turns need each other in a way that kernels know: running sums, and sums into places that data names.

    for i in range(1, n): out[i] = out[i - 1] + term        a scan: blocks fold parts, one block scans what they give,
                                                            and each block scans its part behind what lies before it
    for i in range(n): out[place] += term                   a scatter: a warp adds its turns, in their order, into a row
                                                            of shared memory, and the rows are added up

Both have an order that lengths alone fix, so that a GPU gives the same bits each time, and every GPU the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ... import syntax
from ...analysis.integers.ranges import FRONT, ranges
from ...analysis.memory.storage import storage_classes
from ...dtypes import is_bool, is_integer
from ...ops.reduction import fold_by, reduction_by
from ...ops.schema import Fold, row_of
from ...optimise.stored_apart import loops_of
from ...program import Function
from ...records import dataclass
from ...types import Array, Scalar, dtype_of
from .nests import steps_by_one

ADDED_UP = frozenset({"f32", "f64", "i64", "c64", "c128"})  # what `runtime/kernels/scans.py` scans


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """`array[i] = operator(array[i - 1], term)` for each turn, or a name that is carried and stored, in `before` what
    a turn works out first.

    `first` is the element before; a name is stored as it is behind the step, or ahead of it where it is `exclusive`.
    """

    loops: tuple[gast.For, ...]
    operator: str
    fold: Fold
    before: tuple[gast.stmt, ...]
    term: gast.expr
    place: gast.Subscript
    first: gast.Subscript | None = None
    carried: str = ""
    exclusive: bool = False

    @property
    def loop(self) -> gast.For:
        return self.loops[0]


@dataclass(frozen=True, slots=True, eq=False)
class Scatter:
    """`array[place] = array[place] + term` for each turn."""

    loop: gast.For
    before: tuple[gast.stmt, ...]
    place: gast.Subscript
    term: gast.expr


def scan_of(function: Function, loop: gast.For) -> Scan | None:
    """The loop as a scan, where it is one."""
    nest = loops_of(loop)
    if not nest or not nest[-1].body:
        return None
    return _scan_of_elements(function, nest) or _scan_of_name(function, nest)


def first_alone(function: Function, node: gast.stmt, behind: gast.stmt) -> gast.stmt:
    """A loop that fills an array which the scan behind it stores again, but for the first element: that element alone.

    for j in prange(n): out[j] = x[j]                          for j in prange(minimum(1, n)): out[j] = x[j]
    for i in range(1, n): out[i] = out[i - 1] + x[i]
    """
    scan = scan_of(function, behind) if isinstance(behind, gast.For) else None
    match node:
        case gast.For(
            target=gast.Name(id=variable), iter=gast.Call(args=[gast.Constant(value=0), stop, gast.Constant(value=1)]),
            body=[gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base), slice=items)])],
        ) if scan is not None and _is_after(scan, base) and _is_next(items, variable, 0):
            start, end = scan.loop.iter.args[:2]
            if isinstance(start, gast.Constant) and start.value == 1 and syntax.same(stop, end):
                first = syntax.call("minimum", 1, stop)
                iter_ = syntax.rebuild(node.iter, args=[syntax.constant(0), first, syntax.constant(1)])
                return syntax.rebuild(node, iter=iter_)
    return node


def _is_after(scan: Scan, base: str) -> bool:
    """Whether a scan stores the elements of an array behind its first."""
    return scan.first is not None and scan.place.value.id == base and _is_next(scan.place.slice, scan.loop.target.id, 0)


def _scan_of_elements(function: Function, nest: Sequence[gast.For]) -> Scan | None:
    """`out[i] = out[i - 1] + term`, or `out[i + 1] = out[i] + term`."""
    *before, last = nest[-1].body
    match last:
        case gast.Assign(
            targets=[gast.Subscript(value=gast.Name(id=base)) as place],
            value=gast.Call(func=gast.Name(id=operator), args=[gast.Subscript() as first, term]),
        ) if first.value.id == base and len(nest) == 1:
            pass
        case _:
            return None
    fold, counter = _fold(operator, function.types[base], 1), nest[0].target.id
    by = next((by for by in (0, 1) if _is_next(place.slice, counter, by)), None)
    if fold is None or by is None or not _is_next(first.slice, counter, by - 1):
        return None
    if ranges(function).of(first, 0) != FRONT or not _is_plain(before) or _touches(function, [*before, term], base):
        return None  # the element before may be the last one, as `out[-1]`
    return Scan(tuple(nest), operator, fold, tuple(before), term, place, first)


def _scan_of_name(function: Function, nest: Sequence[gast.For]) -> Scan | None:
    """`total += term; out[i] = total`, or the other way round."""
    stores = [s for s in nest[-1].body if syntax.stored_base(s) is not None]
    others = [s for s in nest[-1].body if syntax.stored_base(s) is None]
    if len(stores) != 1 or not others or not _is_plain(others):
        return None
    *before, step = others
    match step, stores[0]:
        case (
            gast.Assign(targets=[gast.Name(id=name)], value=gast.Call(func=gast.Name(id=operator), args=[first, term])),
            gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base)) as place], value=gast.Name(id=kept)),
        ) if isinstance(first, gast.Name) and first.id == name == kept:
            pass
        case _:
            return None
    scalar, type_ = function.types[name], function.types[base]
    if not isinstance(scalar, Scalar) or scalar.dtype != dtype_of(type_) or not _is_at(place, nest):
        return None
    fold, parts = _fold(operator, type_, len(nest)), [*before, term]
    if fold is None or name in {n for part in parts for n in syntax.names_read(part)}:
        return None
    if _touches(function, parts, base) or scalar.weak and is_integer(scalar.dtype) and not _is_small(operator, term):
        return None  # of Python's ints the order tells whether one is too large
    exclusive = nest[-1].body.index(stores[0]) < nest[-1].body.index(step)
    return Scan(tuple(nest), operator, fold, tuple(before), term, place, None, name, exclusive)


def _is_at(place: gast.Subscript, nest: Sequence[gast.For]) -> bool:
    """Whether an element is that of the counters of a nest."""
    items = place.slice.elts if isinstance(place.slice, gast.Tuple) else [place.slice]
    counters = [loop.target.id for loop in nest]
    return [getattr(item, "id", None) for item in items] == counters


def _is_small(operator: str, term: gast.expr) -> bool:
    """Whether sums of as many terms as there may be are below what an int64 holds."""
    match term:
        case gast.Constant(value=value):
            return operator == "add" and abs(value) <= 1
        case gast.IfExp(body=body, orelse=orelse):
            return _is_small(operator, body) and _is_small(operator, orelse)
    return False


def scatter_of(function: Function, loop: gast.For) -> Scatter | None:
    """The loop as sums into places, where it is that."""
    if not loop.body or not steps_by_one(loop):
        return None
    *before, last = loop.body
    match last:
        case gast.Assign(
            targets=[gast.Subscript(value=gast.Name(id=base)) as place],
            value=gast.Call(func=gast.Name(id="add"), args=[gast.Subscript() as first, term]),
        ) if first.value.id == base and syntax.same(first.slice, place.slice):
            pass
        case _:
            return None
    type_ = function.types[base]
    if (
        not isinstance(type_, Array)
        or type_.ndim != 1
        or type_.dtype not in ADDED_UP
        or not _is_plain(before)
    ):
        return None
    if _touches(function, [*before, term, place.slice], base):
        return None
    return Scatter(loop, tuple(before), place, term)


def _fold(operator: str, type_: object, ndim: int) -> Fold | None:
    if not isinstance(type_, Array) or not reduction_by(operator) or is_bool(type_.dtype) or type_.ndim != ndim:
        return None
    return fold_by(operator, type_.dtype) if type_.dtype in ADDED_UP else None


def _is_next(items: gast.expr, variable: str, by: int) -> bool:
    """Whether an index is the turn of the loop, or the one before."""
    listed = items.elts if isinstance(items, gast.Tuple) else [items]
    match listed:
        case [gast.Name(id=name)]:
            return name == variable and by == 0
        case [gast.Call(func=gast.Name(id=operator), args=[gast.Name(id=name), gast.Constant(value=number)])]:
            row = row_of(operator)
            return name == variable and row is not None and row.is_sum and row.sign * number == by
    return False


def _is_plain(body: Sequence[gast.stmt]) -> bool:
    """Whether these statements work out numbers, and that is all."""
    return all(isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) for s in body)


def _touches(function: Function, parts: Sequence[gast.AST], base: str) -> bool:
    """Whether elements that may be those of an array are read."""
    classes = storage_classes(function)
    found = [n for part in parts for n in syntax.nodes_of(part) if isinstance(n, gast.Subscript)]
    return any(classes.get(n.value.id) == classes[base] for n in found)
