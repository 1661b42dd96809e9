"""The kernels of scatters (`recognise.py`).

few targets        hist_1: a warp adds its iterations into a row of its own   hist_2: the rows, from first to last
more, of floats    hist_1: target and term of each iteration   hist_2 ... hist_4: sorted by target (`sorts.py`)
                   hist_5, hist_6: the run of iterations of each target   hist_7: a warp adds up the run of a target
more, of integers  hist_1: each iteration on its own, since their order does not show
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...dtypes import is_complex, is_inexact
from ...types import Array, dtype_of
from ..python.templates import numpy_dtype
from .numbered_turns import Turns
from .recognise import Scatter
from .sorts import Sorted, marked_runs, sorted_by
from .spell import Unmappable, length
from .trees import expression, product, python
from .writing import KernelWriter, like, own_names, start_value

if TYPE_CHECKING:
    from .driving import DriverWriter

PLACES = 1024  # targets in shared memory that a warp adds into
TURNS = 4096  # iterations of a scatter that one warp takes


def scatters(driver: DriverWriter, found: Sequence[Scatter]) -> list[gast.stmt]:
    """The launches for one statement after the other, by how many targets there are."""
    made: list[gast.stmt] = []
    for scatter in found:
        many = _sorted if is_inexact(_dtype(driver, scatter.place.value.id)) else _in_any_order
        if not scatter.is_sum:
            made += many(driver, scatter)
            continue
        size = _known_size(driver, scatter.place.value.id)
        if size is not None:
            made += _few(driver, scatter) if size <= PLACES else many(driver, scatter)
            continue
        test = expression("{size} <= {n}", size=_size(driver, scatter.place.value.id), n=syntax.constant(PLACES))
        made.append(like(gast.If(test, _few(driver, scatter), many(driver, scatter)), scatter.loop))
    return made


def _known_size(driver: DriverWriter, base: str) -> int | None:
    type_ = driver.types[base]
    assert isinstance(type_, Array)
    size = 1
    for dim in type_.dims:
        if not isinstance(dim, int):
            return None
        size *= dim
    return size


class _Terms(KernelWriter):
    """Writes a nest with what one statement adds, and where, as numbers; `number` is that of the iteration."""

    def of(self, found: Scatter, place: str, term: str) -> _Terms:
        self.found, self.place, self.term = found, place, term
        return self

    def statement(self, node: gast.stmt) -> list[gast.stmt]:
        if node is not self.found.step:
            return [] if syntax.stored_base(node) is not None else super().statement(node)
        dtype = dtype_of(self.types[self.found.place.value.id])
        value = self.speller.as_dtype(self.found.term, dtype)
        made = python("{p} = np.int64({w})", p=self.place, w=_flat(self, self.found.place))
        return [like(s, node) for s in (*made, *python("{t} = {v}", t=self.term, v=value))]


class _Atomic(KernelWriter):
    """Writes the iterations of a nest with an atomic operation for what one statement does to an element."""

    def of(self, found: Scatter) -> _Atomic:
        self.found = found
        return self

    def statement(self, node: gast.stmt) -> list[gast.stmt]:
        if node is not self.found.step:
            return [] if syntax.stored_base(node) is not None else super().statement(node)
        element = self.speller.element(self.found.place)
        value = self.speller.as_dtype(self.found.term, dtype_of(self.types[self.found.place.value.id]))
        call = f"cuda.atomic.{self.found.atomic}({{a}}, {{i}}, {{v}})"
        return [like(s, node) for s in python(call, a=element.value, i=element.slice, v=value)]


# --- integers ---------------------------------------------------------------------------------------------------------


def _in_any_order(driver: DriverWriter, found: Scatter) -> list[gast.stmt]:
    loop = found.loop
    writer = driver.writer(own_names([loop]), _Atomic).of(found)
    turns = Turns.of(driver, found.loops, writer)
    body = [*turns.apart(), *writer.thread(found.loops[-1].body)]
    made = python("{i} = {f}", i=turns.number, f=turns.first(expression("cuda.grid(1)")))
    made.append(gast.If(expression("{i} < {s}", i=turns.number, s=turns.stop()), body, []))
    shape = expression("{elements}({n})", elements=driver.need("elements"), n=turns.count(driver))
    launch: list[gast.stmt] = driver.launched(writer, [like(s, loop) for s in made], shape, loop)
    return launch


# --- few targets ------------------------------------------------------------------------------------------------------


def _few(driver: DriverWriter, found: Scatter) -> list[gast.stmt]:
    """A warp adds its iterations into shared memory, and the rows are added up."""
    base, loop = found.place.value.id, found.loop
    dtype = dtype_of(driver.types[base])
    rows_ = driver.names.fresh(f"{base}_parts")
    driver.extra[rows_] = f"{dtype}[{rows_}_rows, {rows_}_length]"
    driver.need("scatter_parts")
    shape = expression("scatter_parts({n})", n=Turns.count_of(driver, found.loops))
    text = "{p} = cuda.device_array(({r}[0], {b}), {d})"
    made = python(text, p=rows_, r=shape, b=_size(driver, base), d=numpy_dtype(dtype))
    made += _terms_of_warps(driver, found, rows_, dtype, shape)
    made += _rows_added(driver, found, rows_)
    return [like(s, loop) for s in made]


def _terms_of_warps(driver: DriverWriter, found: Scatter, parts_: str, dtype: str, rows: gast.expr) -> list[gast.stmt]:
    names = ("mine", "first", "last", "place", "term", "same", "is_first", "lane", "its", "j")
    mine, first, last, place, term_, same, is_first, lane, its, j = (driver.local(n) for n in names)
    loop = found.loop
    own = {mine, first, last, place, term_, same, is_first, lane, its, j}
    writer = driver.writer(own_names([loop]) | own, _Terms).of(found, place, term_)
    turns = Turns.of(driver, found.loops, writer)
    i = turns.number
    driver.need("ALL")
    nothing = _nothing(dtype)
    writer.parameters[parts_] = None
    made = python("{m} = cuda.shared.array({n}, {d})", m=mine, n=syntax.constant(PLACES), d=numpy_dtype(dtype))
    made += python("{j} = cuda.threadIdx.x", j=j)
    clear = python("{m}[{j}] = {z}\n{j} += 32", m=mine, j=j, z=nothing)
    made.append(gast.While(expression("{j} < {p}.shape[1]", j=j, p=parts_), clear, []))
    made += python("cuda.syncwarp(ALL)")
    made += python("{f} = {v}", f=first, v=turns.first(expression(f"cuda.blockIdx.x * {TURNS}")))
    made += python("{l} = min({f} + {n}, {s})", l=last, f=first, n=syntax.constant(TURNS), s=turns.stop())
    start = "{i} = {f} + cuda.threadIdx.x\n{p} = np.int64(-1)\n{t} = {z}"
    body = python(start, i=i, f=first, p=place, t=term_, z=nothing)
    work = [*turns.apart(), *writer.thread(found.loops[-1].body)]
    body.append(gast.If(expression("{i} < {l}", i=i, l=last), work, []))
    body += python("{s} = cuda.match_any_sync(ALL, {p})", s=same, p=place)
    body += python("{q} = {s} & ((1 << cuda.threadIdx.x) - 1) == 0", q=is_first, s=same)
    add = python("{m}[{p}] += {its}", m=mine, p=place, its=its)
    carry = "cuda.shfl_sync(ALL, {t}, {lane})"
    if is_complex(dtype):
        carry = f"{driver.need('complex_shuffle')}({{t}}, {{lane}})"
    turn = python(f"{{its}} = {carry}", its=its, t=term_, lane=lane)
    test = expression("{q} and {p} >= 0 and {s} >> {lane} & 1 == 1", q=is_first, p=place, s=same, lane=lane)
    turn.append(gast.If(test, add, []))
    body.append(gast.For(syntax.target(lane), expression("range(32)"), turn, [], None))
    body += python("cuda.syncwarp(ALL)\n{f} += 32", f=first)
    made.append(gast.While(expression("{f} < {l}", f=first, l=last), body, []))
    made += python("{j} = cuda.threadIdx.x", j=j)
    out = python("{p}[cuda.blockIdx.x, {j}] = {m}[{j}]\n{j} += 32", p=parts_, j=j, m=mine)
    made.append(gast.While(expression("{j} < {p}.shape[1]", j=j, p=parts_), out, []))
    return list(driver.launched(writer, [like(s, loop) for s in made], rows, loop))


def _rows_added(driver: DriverWriter, found: Scatter, parts_: str) -> list[gast.stmt]:
    base = found.place.value.id
    j, part, total = (driver.local(n) for n in ("j", "part", "total"))
    writer = driver.writer({j, part, total})
    writer.parameters[parts_] = None
    element = _element_at(driver, writer, base, syntax.name(j))
    made = python("{j} = cuda.grid(1)", j=j)
    body = python("{t} = {e}", t=total, e=element)
    step = python("{t} += {p}[{k}, {j}]", t=total, p=parts_, k=part, j=j)
    body.append(gast.For(syntax.target(part), expression("range({p}.shape[0])", p=parts_), step, [], None))
    body.append(gast.Assign([syntax.rebuild(element, ctx=gast.Store())], syntax.name(total), None))
    made.append(gast.If(expression("{j} < {p}.shape[1]", j=j, p=parts_), body, []))
    shape = expression("{elements}({n})", elements=driver.need("elements"), n=_size(driver, base))
    return list(driver.launched(writer, [like(s, found.loop) for s in made], shape, found.loop))


# --- many targets -----------------------------------------------------------------------------------------------------


def _sorted(driver: DriverWriter, found: Scatter) -> list[gast.stmt]:
    """Iterations are sorted by target, and a warp adds up those of each target; iterations without one come last."""
    if len(found.loops) > 1 and not found.is_by_data:
        raise Unmappable("there are more iterations than elements, and perhaps more places than shared memory holds")
    base, loop = found.place.value.id, found.loop
    dtype = dtype_of(driver.types[base])
    terms = driver.names.fresh(f"{base}_terms")
    driver.extra[terms] = f"{dtype}[{terms}_length]"
    by = Sorted.named(driver)
    count = Turns.count_of(driver, found.loops)
    made = python("{t} = cuda.device_array({n}, {d})", t=terms, n=count, d=numpy_dtype(dtype))
    made += by.allocated(count)
    made += _terms_of_turns(driver, found, terms, by)
    made += sorted_by(driver, by, count, _size(driver, base), loop)
    made += marked_runs(driver, by, count, _size(driver, base), loop)
    made += _runs_added(driver, found, terms, by)
    return [like(s, loop) for s in made]


def _terms_of_turns(driver: DriverWriter, found: Scatter, terms: str, by: Sorted) -> list[gast.stmt]:
    """The target of each iteration, its number, and its term."""
    place, term, loop = driver.local("place"), driver.local("term"), found.loop
    writer = driver.writer(own_names([loop]) | {place, term}, _Terms).of(found, place, term)
    turns = Turns.of(driver, found.loops, writer)
    i = turns.number
    for name in (terms, by.keys, by.order):
        writer.parameters[name] = None
    base = found.place.value.id
    writer.parameters[base] = None
    nowhere = product([length(syntax.name(base), k) for k in range(_rank(driver, base))])
    nothing = _nothing(_dtype(driver, base))
    body = python("{p} = np.int64({n})\n{t} = {z}", p=place, n=nowhere, t=term, z=nothing)
    body += [*turns.apart(), *writer.thread(found.loops[-1].body)]
    number = turns.from_zero()
    stores = "{keys}[{k}] = {p}\n{order}[{k}] = np.int64({k})\n{terms}[{k}] = {t}"
    body += python(stores, keys=by.keys, order=by.order, terms=terms, k=number, p=place, t=term)
    made = python("{i} = {f}", i=i, f=turns.first(expression("cuda.grid(1)")))
    made.append(gast.If(expression("{i} < {s}", i=i, s=turns.stop()), body, []))
    shape = expression("{elements}({n})", elements=driver.need("elements"), n=turns.count(driver))
    return list(driver.launched(writer, [like(s, loop) for s in made], shape, loop))


def _runs_added(driver: DriverWriter, found: Scatter, terms: str, by: Sorted) -> list[gast.stmt]:
    """A warp adds up the terms of a target, each lane every 32nd of them."""
    base, loop = found.place.value.id, found.loop
    dtype = _dtype(driver, base)
    i, k, total = (driver.local(n) for n in ("i", "k", "total"))
    writer = driver.writer({i, k, total})
    for name in (by.firsts, by.ends, by.order, terms):
        writer.parameters[name] = None
    element = _element_at(driver, writer, base, syntax.name(i))
    fold = driver.need(f"row_sum_{dtype}")
    body = python("{t} = {z}", t=total, z=_nothing(dtype))
    body += python("{k} = {firsts}[{i}] + cuda.threadIdx.x", k=k, firsts=by.firsts, i=i)
    step = python("{t} += {terms}[{order}[{k}]]\n{k} += cuda.blockDim.x", t=total, terms=terms, order=by.order, k=k)
    body.append(gast.While(expression("{k} < {ends}[{i}]", k=k, ends=by.ends, i=i), step, []))
    body += python("{t} = {fold}({t})", t=total, fold=fold)
    stored = [gast.AugAssign(syntax.rebuild(element, ctx=gast.Store()), gast.Add(), syntax.name(total))]
    body.append(gast.If(expression("cuda.threadIdx.x == 0"), stored, []))
    made = python("{i} = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y", i=i)
    test = expression("{i} < {f}.shape[0] and {f}[{i}] < {e}[{i}]", i=i, f=by.firsts, e=by.ends)
    made.append(gast.If(test, body, []))
    shape = expression("{rows}({n}, 32)", rows=driver.need("rows"), n=_size(driver, base))
    return list(driver.launched(writer, [like(s, loop) for s in made], shape, loop))


# --- targets ----------------------------------------------------------------------------------------------------------


def _nothing(dtype: str) -> gast.expr:
    """What changes no number that it is added to: of floats -0.0, since 0.0 would change -0.0."""
    return start_value(-0.0 if is_inexact(dtype) and not is_complex(dtype) else 0, dtype)


def _dtype(driver: DriverWriter, base: str) -> str:
    return dtype_of(driver.types[base])


def _rank(driver: DriverWriter, base: str) -> int:
    type_ = driver.types[base]
    assert isinstance(type_, Array)
    return type_.ndim


def _size(driver: DriverWriter, base: str) -> gast.expr:
    """How many targets there are, as the driver knows it."""
    return product([length(syntax.name(base), k) for k in range(_rank(driver, base))])


def _flat(writer: KernelWriter, place: gast.Subscript) -> gast.expr:
    """The position of an element in a row of all."""
    element = writer.speller.element(place)
    items = element.slice.elts if isinstance(element.slice, gast.Tuple) else [element.slice]
    made = items[0]
    for axis, item in enumerate(items[1:], 1):
        made = gast.BinOp(gast.BinOp(made, gast.Mult(), length(element.value, axis)), gast.Add(), item)
    return made


def _element_at(driver: DriverWriter, writer: KernelWriter, base: str, place: gast.expr) -> gast.Subscript:
    """The element at a position in a row of all."""
    array, rank = writer.read(base), _rank(driver, base)
    items: list[gast.expr] = []
    for axis in range(rank):
        behind = [length(array, k) for k in range(axis + 1, rank)]
        item: gast.expr = gast.BinOp(place, gast.FloorDiv(), product(behind)) if behind else place
        items.append(gast.BinOp(item, gast.Mod(), length(array, axis)) if axis else item)
    return gast.Subscript(array, items[0] if rank == 1 else gast.Tuple(items, gast.Load()), gast.Load())
