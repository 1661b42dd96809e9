"""The kernels of scans and scatters (`recognise.py`).

cumsum     scan_1: a block adds up its part   scan_2: one block, what lies before each part   scan_3: the elements
histogram  hist_1: a warp adds its turns into a row of its own   hist_2: the rows, from first to last
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...dtypes import is_complex
from ...ops.reduction import reduction_by
from ...types import Array, Scalar, dtype_of
from ..python.templates import numpy_dtype
from .host_parts import on_host
from .nests import bounds
from .recognise import Scan, Scatter
from .trees import expression, python
from .writing import KernelWriter, combined, first_turn, like, own_names, start_value

if TYPE_CHECKING:
    from .driving import DriverWriter

SCANNED = 8192  # terms of a scan that one block takes
THREADS, EACH = 256, 8
TILE = THREADS * EACH
PLACES = 1024  # of shared memory, for the places that a warp adds into
TURNS = 4096  # of a scatter, that one warp takes


def scan(driver: DriverWriter, found: Scan) -> list[gast.stmt]:
    """Three launches for a running sum; what it begins with is taken in by the first part."""
    loop, dtype = found.loop, dtype_of(driver.types[found.place.value.id])
    count = driver.count(loop)
    sums = driver.names.fresh("sums")
    driver.extra[sums] = f"{dtype}[{sums}_length]"
    number = expression("scan_parts({n})", n=count)
    driver.need("scan_parts")
    made = [like(python("{s} = cuda.device_array({k}[0], {d})", s=sums, k=number, d=numpy_dtype(dtype))[0], loop)]
    made += _sums_of_parts(driver, found, sums, dtype, number)
    made += _before_parts(driver, found, sums, dtype)
    made += _elements(driver, found, sums, dtype, number)
    return made


def _combined(writer: KernelWriter, found: Scan, dtype: str, left: str | gast.expr, right: gast.expr) -> gast.expr:
    """`left + right` as the loop combines."""
    return combined(writer, found.operator, Scalar(dtype), syntax.atom(left), right)


def _term(driver: DriverWriter, found: Scan, writer: KernelWriter, dtype: str) -> tuple[list[gast.stmt], gast.expr]:
    return writer.thread(found.before) if found.before else [], writer.speller.as_dtype(found.term, dtype)


def _writer(driver: DriverWriter, found: Scan | Scatter, *more: str) -> KernelWriter:
    writer = driver.writer(own_names([found.loop]) | set(more))
    return writer


def _sums_of_parts(driver: DriverWriter, found: Scan, sums: str, dtype: str, number: gast.expr) -> list[gast.stmt]:
    total, last = (driver.local(n) for n in ("total", "last"))
    writer = _writer(driver, found, total, last)
    loop = found.loop
    i = loop.target.id
    identity = start_value(found.fold.start(dtype), dtype)
    made = python("{t} = {z}", t=total, z=identity)
    made += python(
        "{i} = {f}",
        i=i,
        f=first_turn(loop, writer.speller, expression(f"cuda.blockIdx.x * {SCANNED} + cuda.threadIdx.x")),
    )
    ends = first_turn(loop, writer.speller, expression(f"cuda.blockIdx.x * {SCANNED} + {SCANNED}"))
    made += python("{l} = min({e}, {s})", l=last, e=ends, s=writer.speller.as_dtype(bounds(loop)[1], "i64"))
    before, term = _term(driver, found, writer, dtype)
    body = [*before, *python("{t} = {v}", t=total, v=_combined(writer, found, dtype, total, term))]
    body += python("{i} += cuda.blockDim.x", i=i)
    made.append(gast.While(expression("{i} < {l}", i=i, l=last), body, []))
    fold = driver.need(f"row_{reduction_by(found.operator)}_{dtype}")
    made += python("{t} = {fold}({t})", t=total, fold=fold)
    writer.parameters[sums] = None
    made.append(gast.If(expression("cuda.threadIdx.x == 0"), python("{s}[cuda.blockIdx.x] = {t}", s=sums, t=total), []))
    return driver.launched(writer, [like(s, loop) for s in made], number, loop)


def _before_parts(driver: DriverWriter, found: Scan, sums: str, dtype: str) -> list[gast.stmt]:
    """One block puts into each place of the sums what lies before its part."""
    first, k, own = (driver.local(n) for n in ("first", "k", "own"))
    before, total, carry = (driver.local(n) for n in ("before", "total", "carry"))
    writer = driver.writer({first, k, own, before, total, carry})
    writer.parameters[sums] = None
    scan_ = driver.need(f"block_scan_{reduction_by(found.operator)}_{dtype}")
    identity = start_value(found.fold.start(dtype), dtype)
    made = python("{c} = {z}\n{f} = 0", c=carry, z=identity, f=first)
    body = python("{k} = {f} + cuda.threadIdx.x\n{o} = {z}", k=k, f=first, o=own, z=identity)
    body.append(
        gast.If(expression("{k} < {s}.shape[0]", k=k, s=sums), python("{o} = {s}[{k}]", o=own, s=sums, k=k), [])
    )
    body += python("{b}, {t} = {scan}({o})", b=before, t=total, scan=scan_, o=own)
    placed = _combined(writer, found, dtype, carry, syntax.name(before))
    body.append(
        gast.If(expression("{k} < {s}.shape[0]", k=k, s=sums), python("{s}[{k}] = {v}", s=sums, k=k, v=placed), [])
    )
    body += python("{c} = {v}", c=carry, v=_combined(writer, found, dtype, carry, syntax.name(total)))
    body += python("{f} += cuda.blockDim.x", f=first)
    made.append(gast.While(expression("{f} < {s}.shape[0]", f=first, s=sums), body, []))
    return driver.launched(writer, [like(s, found.loop) for s in made], expression(f"1, {THREADS}"), found.loop)


def _elements(driver: DriverWriter, found: Scan, sums: str, dtype: str, number: gast.expr) -> list[gast.stmt]:
    """A block goes over its part by tiles, which pass through shared memory so that a warp moves what lies together."""
    names = ("tile", "carry", "first", "last", "k", "own", "before", "total", "term", "e")
    tile, carry, first, last, k, own, before, total, term_, e = (driver.local(n) for n in names)
    loop = found.loop
    i = loop.target.id
    writer = _writer(driver, found, tile, carry, first, last, k, own, before, total, term_, e)
    scan_ = driver.need(f"block_scan_{reduction_by(found.operator)}_{dtype}")
    identity = start_value(found.fold.start(dtype), dtype)
    start, stop = (writer.speller.as_dtype(b, "i64") for b in bounds(loop))
    base = writer.read(found.place.value.id)
    made = python(
        "{tile} = cuda.shared.array({room}, {d})",
        tile=tile,
        room=syntax.constant(TILE + TILE // 32),
        d=numpy_dtype(dtype),
    )
    writer.parameters[sums] = None
    made += python("{c} = {s}[cuda.blockIdx.x]", c=carry, s=sums)
    begins = _beginning(writer, found, base, start)
    from_start = first_turn(loop, writer.speller, expression(f"cuda.blockIdx.x * {SCANNED}"))
    made += python("{f} = {v}", f=first, v=from_start)
    made += python("{l} = min({f} + {n}, {s})", l=last, f=first, n=syntax.constant(SCANNED), s=stop)
    onwards = python("{c} = {v}", c=carry, v=_combined(writer, found, dtype, begins, syntax.name(carry)))
    made.append(gast.If(expression("{f} < {l}", f=first, l=last), onwards, []))
    work, value = _term(driver, found, writer, dtype)
    load = [*work, *python("{t} = {v}", t=term_, v=value)]
    body = python("{k} = cuda.threadIdx.x", k=k)
    inner = python("{i} = {f} + {k}\n{t} = {z}", i=i, f=first, k=k, t=term_, z=identity)
    inner.append(gast.If(expression("{i} < {l}", i=i, l=last), load, []))
    inner += python("{tile}[{k} + {k} // 32] = {t}\n{k} += cuda.blockDim.x", tile=tile, k=k, t=term_)
    body.append(gast.While(expression("{k} < {n}", k=k, n=syntax.constant(TILE)), inner, []))
    body += python("cuda.syncthreads()\n{o} = {z}", o=own, z=identity)
    place = expression(
        "{tile}[cuda.threadIdx.x * {n} + {e} + (cuda.threadIdx.x * {n} + {e}) // 32]",
        tile=tile,
        n=syntax.constant(EACH),
        e=e,
    )
    step = python("{o} = {v}", o=own, v=_combined(writer, found, dtype, own, place))
    body.append(gast.For(syntax.target(e), expression("range({n})", n=syntax.constant(EACH)), step, [], None))
    body += python("{b}, {t} = {scan}({o})", b=before, t=total, scan=scan_, o=own)
    body += python("{b} = {v}", b=before, v=_combined(writer, found, dtype, carry, syntax.name(before)))
    running = python("{b} = {v}\n{p} = {b}", b=before, v=_combined(writer, found, dtype, before, place), p=place)
    running[1].targets[0].ctx = gast.Store()
    body.append(gast.For(syntax.target(e), expression("range({n})", n=syntax.constant(EACH)), running, [], None))
    body += python("cuda.syncthreads()\n{k} = cuda.threadIdx.x", k=k)
    stored = gast.Subscript(base, expression("{f} + {k}", f=first, k=k), gast.Store())
    out = gast.Assign([stored], expression("{tile}[{k} + {k} // 32]", tile=tile, k=k), None)
    inside = expression("{k} < {n} and {f} + {k} < {l}", k=k, n=syntax.constant(TILE), f=first, l=last)
    body.append(gast.While(inside, [out, *python("{k} += cuda.blockDim.x", k=k)], []))
    body += python("{c} = {v}", c=carry, v=_combined(writer, found, dtype, carry, syntax.name(total)))
    body += python("{f} += {n}\ncuda.syncthreads()", f=first, n=syntax.constant(TILE))
    made.append(gast.While(expression("{f} < {l}", f=first, l=last), body, []))
    return driver.launched(writer, [like(s, loop) for s in made], number, loop)


def _beginning(writer: KernelWriter, found: Scan, base: gast.expr, start: gast.expr) -> gast.expr:
    """What lies before the first term: the element before, or what the name holds."""
    if not found.carried:
        match start:
            case gast.Constant(value=int() as number) if number > 0:
                return gast.Subscript(base, syntax.constant(number - 1), gast.Load())
        return gast.Subscript(base, gast.BinOp(start, gast.Sub(), syntax.constant(1)), gast.Load())
    writer.own.discard(found.carried)
    return writer.read(found.carried)


# --- scatters ---------------------------------------------------------------------------------------------------------


def scatter(driver: DriverWriter, found: Scatter) -> list[gast.stmt]:
    """Where there are few places, a warp adds its turns into shared memory; else the host does it."""
    loop, base = found.loop, found.place.value.id
    dtype = dtype_of(driver.types[base])
    parts_ = driver.names.fresh(f"{base}_parts")
    driver.extra[parts_] = f"{dtype}[{parts_}_rows, {parts_}_length]"
    count = driver.count(loop)
    driver.need("scatter_parts")
    rows = expression("scatter_parts({n})", n=count)
    few = python("{p} = cuda.device_array(({r}[0], {b}.shape[0]), {d})", p=parts_, r=rows, b=base, d=numpy_dtype(dtype))
    few += _terms_of_warps(driver, found, parts_, dtype, rows)
    few += _rows_added(driver, found, parts_, dtype)
    type_ = driver.types[base]
    length = type_.dims[0] if isinstance(type_, Array) else None
    if isinstance(length, int) and length <= PLACES:
        return [like(s, loop) for s in few]
    many = on_host(driver, [loop], "there may be more places than shared memory holds")
    test = expression("{b}.shape[0] <= {n}", b=base, n=syntax.constant(PLACES))
    return [like(gast.If(test, [like(s, loop) for s in few], many), loop)]


def _terms_of_warps(driver: DriverWriter, found: Scatter, parts_: str, dtype: str, rows: gast.expr) -> list[gast.stmt]:
    names = ("mine", "first", "last", "place", "term", "same", "is_first", "lane", "its", "j")
    mine, first, last, place, term_, same, is_first, lane, its, j = (driver.local(n) for n in names)
    loop = found.loop
    i = loop.target.id
    writer = _writer(driver, found, mine, first, last, place, term_, same, is_first, lane, its, j)
    driver.need("ALL")
    zero = start_value(0, dtype)
    writer.parameters[parts_] = None
    made = python("{m} = cuda.shared.array({n}, {d})", m=mine, n=syntax.constant(PLACES), d=numpy_dtype(dtype))
    made += python("{j} = cuda.threadIdx.x", j=j)
    clear = python("{m}[{j}] = {z}\n{j} += 32", m=mine, j=j, z=zero)
    made.append(gast.While(expression("{j} < {p}.shape[1]", j=j, p=parts_), clear, []))
    made += python("cuda.syncwarp(ALL)")
    made += python("{f} = {v}", f=first, v=first_turn(loop, writer.speller, expression(f"cuda.blockIdx.x * {TURNS}")))
    stop = writer.speller.as_dtype(bounds(loop)[1], "i64")
    made += python("{l} = min({f} + {n}, {s})", l=last, f=first, n=syntax.constant(TURNS), s=stop)
    body = python("{i} = {f} + cuda.threadIdx.x\n{p} = np.int64(-1)\n{t} = {z}", i=i, f=first, p=place, t=term_, z=zero)
    work = writer.thread(found.before) if found.before else []
    element = writer.speller.element(found.place)
    where = syntax.map_names(element.slice, lambda n: n)
    at = _with_length(where, found.place.value.id, parts_)
    writer.parameters.pop(found.place.value.id, None)
    work += python(
        "{p} = np.int64({w})\n{t} = {v}", p=place, w=at, t=term_, v=writer.speller.as_dtype(found.term, dtype)
    )
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
    return driver.launched(writer, [like(s, loop) for s in made], rows, loop)


def _with_length(node: gast.expr, base: str, parts_: str) -> gast.expr:
    """The index, with the number of places asked of the rows."""

    class Swap(gast.NodeTransformer):
        def visit_Subscript(self, node: gast.Subscript) -> gast.expr:
            match node.value:
                case gast.Attribute(value=gast.Name(id=name), attr="shape") if name == base:
                    return expression("{p}.shape[1]", p=parts_)
            return node

    made: gast.expr = Swap().visit(node)
    return made


def _rows_added(driver: DriverWriter, found: Scatter, parts_: str, dtype: str) -> list[gast.stmt]:
    base = found.place.value.id
    j, part, total = (driver.local(n) for n in ("j", "part", "total"))
    writer = driver.writer({j, part, total})
    writer.parameters[parts_] = None
    writer.parameters[base] = None
    made = python("{j} = cuda.grid(1)", j=j)
    body = python("{t} = {b}[{j}]", t=total, b=base, j=j)
    step = python("{t} += {p}[{k}, {j}]", t=total, p=parts_, k=part, j=j)
    body.append(gast.For(syntax.target(part), expression("range({p}.shape[0])", p=parts_), step, [], None))
    body += python("{b}[{j}] = {t}", b=base, j=j, t=total)
    made.append(gast.If(expression("{j} < {b}.shape[0]", j=j, b=base), body, []))
    shape = expression("{elements}({b}.shape[0])", elements=driver.need("elements"), b=base)
    return driver.launched(writer, [like(s, found.loop) for s in made], shape, found.loop)
