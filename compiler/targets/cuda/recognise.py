"""Loops with dependences that kernels know: running sums (scans), and sums at indices that data names (scatters).

    for i in range(1, n): out[i] = out[i - 1] + term        a scan: blocks fold parts, one block scans what they give,
                                                            and each block scans its part after what lies before it
    for i in range(n): out[place] += term                   a scatter: a warp adds its terms, in their order, into a row
                                                            of shared memory, and the rows are added up; for more
                                                            elements, terms are sorted by them; integers are added
                                                            in any order

Sums of floats have an order that lengths and indices alone fix, so that a GPU gives the same bits each time, and every
GPU the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import gast

from ... import syntax
from ...analysis.def_use import reads_of
from ...analysis.integers.ranges import FRONT, ranges
from ...analysis.lanes import accumulated_array, carried
from ...analysis.liveness import liveness
from ...analysis.memory.storage import storage_classes
from ...dtypes import is_bool, is_integer
from ...ops.reduction import fold_by, reduction_by
from ...ops.schema import Fold, row_of
from ...optimise.independent import Marker, element_places
from ...optimise.stored_apart import loops_of, over
from ...program import Function
from ...records import dataclass
from ...types import Array, Scalar, dtype_of
from .nests import kind_of

ADDED_UP = frozenset({"f32", "f64", "i64", "c64", "c128"})  # what `runtime/kernels/scans.py` scans


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """`array[i] = operator(array[i - 1], term)` in every iteration, or a name carried and stored, in `before` what
    an iteration works out first.

    `first` is the element before; a name is stored as it is after the step, or ahead of it where it is `exclusive`.
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
    """`array[place] = operator(array[place], term)`, the statement `step` of a nest, in the iterations that run it."""

    loops: tuple[gast.For, ...]
    step: gast.Assign
    operator: str

    @property
    def loop(self) -> gast.For:
        return self.loops[0]

    @property
    def place(self) -> gast.Subscript:
        found: gast.Subscript = self.step.targets[0]
        return found

    @property
    def term(self) -> gast.expr:
        """What is added: of a difference what it takes away, the other way round."""
        term: gast.expr = self.step.value.args[1]
        row = row_of(self.operator)
        return syntax.call("negative", term) if row is not None and row.is_sum and row.sign < 0 else term

    @property
    def is_sum(self) -> bool:
        """Whether an iteration adds one term, if any."""
        return self.atomic == "add" and self.step in _below_tests(self.loops[-1].body)

    @property
    def atomic(self) -> str:
        """What `cuda.atomic` calls it; empty where it has it not."""
        row = row_of(self.operator)
        if row is None or row.is_sum:
            return "add" if row is not None else ""
        return reduction_by(self.operator) if row.taken else ""

    @property
    def is_by_data(self) -> bool:
        """Whether the index is computed from loaded elements."""
        by_data: set[str] = set()
        for node in syntax.walk(self.loops[-1].body):
            if isinstance(node, gast.Assign) and _reads_elements(node.value, by_data):
                by_data |= set(syntax.names_bound(node))
        return _reads_elements(self.place.slice, by_data)


def scan_of(function: Function, loop: gast.For) -> Scan | None:
    """The loop as a scan, where it is one."""
    nest = loops_of(loop)
    if not nest or not nest[-1].body:
        return None
    return _scan_of_elements(function, nest) or _scan_of_name(function, nest)


def row_scan_of(function: Function, rows: Sequence[gast.For]) -> Scan | None:
    """The scan along the last axis that is all there is in independent loops over the others, but for numbers ahead."""
    if not rows[-1].body:
        return None
    *ahead, last = rows[-1].body
    if not _is_plain(ahead) or kind_of(last) != "range" or len(nest := loops_of(last)) != 1 or not nest[0].body:
        return None
    counters = [loop.target.id for loop in rows]
    return _scan_of_elements(function, nest, counters) or _scan_of_name(function, nest, counters)


def first_alone(function: Function, node: gast.stmt, behind: gast.stmt) -> gast.stmt:
    """A loop that fills an array which the scan after it stores again, but for the first element: that element alone.

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
    """Whether a scan stores the elements of an array after its first."""
    return scan.first is not None and scan.place.value.id == base and _is_next(scan.place.slice, scan.loop.target.id, 0)


def _scan_of_elements(function: Function, nest: Sequence[gast.For], rows: Sequence[str] = ()) -> Scan | None:
    """`out[i] = out[i - 1] + term`, or `out[i + 1] = out[i] + term`; after the counters of rows, if there are any."""
    *before, last = nest[-1].body
    match last:
        case gast.Assign(
            targets=[gast.Subscript(value=gast.Name(id=base)) as place],
            value=gast.Call(func=gast.Name(id=operator), args=[gast.Subscript() as first, term]),
        ) if first.value.id == base and len(nest) == 1:
            pass
        case _:
            return None
    fold, counter = _fold(operator, function.types[base], 1 + len(rows)), nest[0].target.id
    by = next((by for by in (0, 1) if _is_next(place.slice, counter, by, rows)), None)
    if fold is None or by is None or not _is_next(first.slice, counter, by - 1, rows):
        return None
    if ranges(function).of(first, len(rows)) != FRONT:
        return None  # the element before may be the last one, as `out[-1]`
    if not _is_plain(before) or _touches(function, [*before, term], base):
        return None
    return Scan(tuple(nest), operator, fold, tuple(before), term, place, first)


def _scan_of_name(function: Function, nest: Sequence[gast.For], rows: Sequence[str] = ()) -> Scan | None:
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
    if not isinstance(scalar, Scalar) or scalar.dtype != dtype_of(type_) or not _is_at(place, nest, rows):
        return None
    fold, parts = _fold(operator, type_, len(rows) + len(nest)), [*before, term]
    if fold is None or name in {n for part in parts for n in syntax.names_read(part)}:
        return None
    if _touches(function, parts, base) or scalar.weak and is_integer(scalar.dtype) and not _is_small(operator, term):
        return None  # of Python's ints the order tells whether one is too large
    exclusive = nest[-1].body.index(stores[0]) < nest[-1].body.index(step)
    return Scan(tuple(nest), operator, fold, tuple(before), term, place, None, name, exclusive)


def _is_at(place: gast.Subscript, nest: Sequence[gast.For], rows: Sequence[str]) -> bool:
    """Whether an element is that of the counters of a nest, after those of rows."""
    items = place.slice.elts if isinstance(place.slice, gast.Tuple) else [place.slice]
    counters = [*rows, *(loop.target.id for loop in nest)]
    return [getattr(item, "id", None) for item in items] == counters


def _is_small(operator: str, term: gast.expr) -> bool:
    """Whether sums of as many terms as there may be are below what an int64 holds."""
    match term:
        case gast.Constant(value=value):
            return operator == "add" and abs(value) <= 1
        case gast.IfExp(body=body, orelse=orelse) | gast.Call(func=gast.Name(id="where"), args=[_, body, orelse]):
            return _is_small(operator, body) and _is_small(operator, orelse)
    return False


def scatters_of(function: Function, loop: gast.For) -> list[Scatter]:
    """The steps of a loop that does nothing but sums, or extremes, at indices that data may name; empty for others."""
    nest = loops_of(loop, inner=("range", "prange"))
    if nest:
        nest = loops_of(over(nest, _direct(nest[-1].body)), inner=("range", "prange"))
    steps = [s for s in syntax.walk(nest[-1].body) if syntax.stored_base(s) is not None] if nest else []
    found = [
        Scatter(tuple(nest), s, str(syntax.operator_of(s.value)))
        for s in steps
        if isinstance(s, gast.Assign) and accumulated_array(s)
    ]
    if not found or len(found) < len(steps) or not all(_is_taken(function, scatter) for scatter in found):
        return []
    if any(kind_of(loop) == "prange" for loop in nest) and not all(scatter.is_by_data for scatter in found):
        return []  # the inner loop is a launch as it stands, and needs no memory for its iterations
    return found if _are_alone(function, found) and _are_free(function, loop, nest) else []


def _direct(body: Sequence[gast.stmt]) -> list[gast.stmt]:
    """Statements in which an element is stored as it is worked out: `t = a[p] + x; a[p] = t` with `a[p] = a[p] + x`."""
    made: list[gast.stmt] = []
    reads = Counter(n for s in syntax.walk(body) for n in reads_of(s))
    for node in body:
        if isinstance(node, gast.If):
            node = syntax.rebuild(node, body=_direct(node.body), orelse=_direct(node.orelse))
        match made[-1] if made else None, node:
            case (
                gast.Assign(targets=[gast.Name(id=name)], value=value),
                gast.Assign(targets=[gast.Subscript() as place], value=gast.Name(id=kept)),
            ) if name == kept and reads[name] == 1 and name not in syntax.names_read(place.slice):
                made[-1] = syntax.rebuild(node, value=value)
            case _:
                made.append(node)
    return made


def _reads_elements(node: gast.AST, names: set[str]) -> bool:
    """Whether an expression reads an element, or one of these names."""
    return bool(names & set(syntax.names_read(node))) or any(
        isinstance(n, gast.Subscript) for n in syntax.nodes_of(node)
    )


def _is_taken(function: Function, found: Scatter) -> bool:
    """Whether there are kernels for it: integers in any order, floats in theirs, where an iteration runs it once."""
    type_ = function.types[found.place.value.id]
    if not isinstance(type_, Array) or type_.layout != "C":
        return False
    if type_.dtype in ("i32", "i64"):
        return bool(found.atomic)
    return type_.dtype in ADDED_UP and found.is_sum


def _below_tests(body: Sequence[gast.stmt]) -> list[gast.stmt]:
    """The statements to which tests alone lead."""
    inside = [node for node in body if isinstance(node, gast.If)]
    return [*body, *(s for node in inside for block in (node.body, node.orelse) for s in _below_tests(block))]


def _are_alone(function: Function, found: Sequence[Scatter]) -> bool:
    """Whether nothing else touches what is added to, and what is added to one array is added in one way."""
    classes = storage_classes(function)
    of = {scatter.place.value.id: classes[scatter.place.value.id] for scatter in found}
    ways = {(s.place.value.id, s.atomic) for s in found}
    if len(set(of.values())) < len(of) or len(ways) > len(of):
        return False
    places = list(element_places(found[0].loops[-1].body))
    touched = [place for place, _ in places if classes.get(place.value.id) in of.values()]
    return len(touched) == 2 * len(found)


def _are_free(function: Function, loop: gast.For, nest: Sequence[gast.For]) -> bool:
    """Whether iterations pass nothing to each other, nor to what comes after them, but elements."""
    bound = {name for s in syntax.walk([loop]) for name in syntax.names_bound(s)}
    return (
        Marker(function).is_plain(loop, bound) and not carried(nest[-1].body)
        and not liveness(function).after(loop) & bound
    )  # fmt: skip


def _fold(operator: str, type_: object, ndim: int) -> Fold | None:
    if not isinstance(type_, Array) or not reduction_by(operator) or is_bool(type_.dtype) or type_.ndim != ndim:
        return None
    return fold_by(operator, type_.dtype) if type_.dtype in ADDED_UP else None


def _is_next(items: gast.expr, variable: str, by: int, rows: Sequence[str] = ()) -> bool:
    """Whether an index is the iteration of the loop, or the one before, after the counters of rows."""
    listed = items.elts if isinstance(items, gast.Tuple) else [items]
    if [getattr(item, "id", None) for item in listed[:-1]] != list(rows):
        return False
    match listed[-1:]:
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
