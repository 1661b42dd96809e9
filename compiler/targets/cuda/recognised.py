"""The kernels of scans (`recognise.py`).

cumsum     scan_1: a block adds up its part   scan_2: one block, what lies before each part   scan_3: the elements
of rows    a block for each row, which goes over it by tiles
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...dtypes import is_integer
from ...ops.reduction import reduction_by
from ...types import Scalar, dtype_of
from ..python.templates import numpy_dtype
from .nests import bounds
from .numbered_turns import Turns
from .recognise import Scan
from .trees import expression, python
from .whole_folds import host_cells
from .writing import KernelWriter, combined, like, own_names, start_value

if TYPE_CHECKING:
    from .driving import DriverWriter

SCANNED = 8192  # terms of a scan that one block takes
THREADS, EACH = 256, 8
TILE = THREADS * EACH


def scan(driver: DriverWriter, found: Scan) -> list[gast.stmt]:
    """Three launches for a running sum; what it begins with is taken in by the first part."""
    loop, dtype = found.loop, dtype_of(driver.types[found.place.value.id])
    count = Turns.count_of(driver, found.loops)
    sums = driver.names.fresh("sums")
    driver.extra[sums] = f"{dtype}[{sums}_length]"
    number = expression("scan_parts({n})", n=count)
    driver.need("scan_parts")
    made = python("{s} = cuda.device_array({k}[0], {d})", s=sums, k=number, d=numpy_dtype(dtype))
    is_kept = found.carried in driver.live.after(loop)
    made += host_cells(driver, [found.carried], loop) if is_kept and _celled(driver, found.carried) else []
    made += _sums_of_parts(driver, found, sums, dtype, number)
    made += _before_parts(driver, found, sums, dtype, driver.cell_of[found.carried] if is_kept else "")
    made += _elements(driver, found, sums, dtype, number)
    made += _kept(driver, found.carried) if is_kept else []
    return [like(s, loop) for s in made]


def _celled(driver: DriverWriter, name: str) -> str:
    """The location on the device from which the host takes what a name is after a scan."""
    cell = driver.cell_of[name] = driver.names.fresh(f"{name}_cell")
    driver.extra[cell] = f"{dtype_of(driver.types[name])}[]"
    return cell


def _kept(driver: DriverWriter, name: str) -> list[gast.stmt]:
    type_ = driver.types[name]
    value = expression("{fetch}({c})", fetch=driver.need("fetch"), c=driver.cell_of[name])
    if isinstance(type_, Scalar) and type_.weak:
        value = gast.Call(syntax.name("int" if is_integer(type_.dtype) else "float"), [value], [])
    return python("{t} = {v}", t=name, v=value)


def _combined(writer: KernelWriter, found: Scan, dtype: str, left: str | gast.expr, right: gast.expr) -> gast.expr:
    """`left + right` as the loop combines."""
    return combined(writer, found.operator, Scalar(dtype), syntax.atom(left), right)


def _term(driver: DriverWriter, found: Scan, writer: KernelWriter, dtype: str) -> tuple[list[gast.stmt], gast.expr]:
    return writer.thread(found.before) if found.before else [], writer.speller.as_dtype(found.term, dtype)


def _writer(driver: DriverWriter, found: Scan, *more: str) -> KernelWriter:
    writer: KernelWriter = driver.writer(own_names([found.loop]) | set(more))
    return writer


def _sums_of_parts(driver: DriverWriter, found: Scan, sums: str, dtype: str, number: gast.expr) -> list[gast.stmt]:
    total, last = (driver.local(n) for n in ("total", "last"))
    writer = _writer(driver, found, total, last)
    turns = Turns.of(driver, found.loops, writer)
    i = turns.number
    identity = start_value(found.fold.start(dtype), dtype)
    made = python("{t} = {z}", t=total, z=identity)
    made += python("{i} = {f}", i=i, f=turns.first(expression(f"cuda.blockIdx.x * {SCANNED} + cuda.threadIdx.x")))
    ends = turns.first(expression(f"cuda.blockIdx.x * {SCANNED} + {SCANNED}"))
    made += python("{l} = min({e}, {s})", l=last, e=ends, s=turns.stop())
    before, term = _term(driver, found, writer, dtype)
    body = [*turns.apart(), *before, *python("{t} = {v}", t=total, v=_combined(writer, found, dtype, total, term))]
    body += python("{i} += cuda.blockDim.x", i=i)
    made.append(gast.While(expression("{i} < {l}", i=i, l=last), body, []))
    fold = driver.need(f"row_{reduction_by(found.operator)}_{dtype}")
    made += python("{t} = {fold}({t})", t=total, fold=fold)
    writer.parameters[sums] = None
    made.append(gast.If(expression("cuda.threadIdx.x == 0"), python("{s}[cuda.blockIdx.x] = {t}", s=sums, t=total), []))
    return driver.launched(writer, [like(s, found.loop) for s in made], number, found.loop)


def _before_parts(driver: DriverWriter, found: Scan, sums: str, dtype: str, kept: str) -> list[gast.stmt]:
    """One block puts into each element of the sums what lies before its part, and into `kept` the total."""
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
    if kept:
        writer.parameters[kept] = None
        whole = _combined(writer, found, dtype, writer.read(found.carried), syntax.name(carry))
        stored = python("{k}[()] = {v}", k=kept, v=whole)
        made.append(gast.If(expression("cuda.threadIdx.x == 0"), stored, []))
    return driver.launched(writer, [like(s, found.loop) for s in made], expression(f"1, {THREADS}"), found.loop)


def _elements(driver: DriverWriter, found: Scan, sums: str, dtype: str, number: gast.expr) -> list[gast.stmt]:
    """A block goes over its part by tiles."""
    locals_ = _locals(driver)
    tile, carry, first, last = locals_[:4]
    writer = _writer(driver, found, *locals_)
    turns = Turns.of(driver, found.loops, writer)
    made = _tile(dtype, tile)
    writer.parameters[sums] = None
    made += python("{c} = {s}[cuda.blockIdx.x]", c=carry, s=sums)
    begins = _beginning(writer, found)
    made += python("{f} = {v}", f=first, v=turns.first(expression(f"cuda.blockIdx.x * {SCANNED}")))
    made += python("{l} = min({f} + {n}, {s})", l=last, f=first, n=syntax.constant(SCANNED), s=turns.stop())
    onwards = python("{c} = {v}", c=carry, v=_combined(writer, found, dtype, begins, syntax.name(carry)))
    made.append(gast.If(expression("{f} < {l}", f=first, l=last), onwards, []))
    made.append(_tiles(driver, writer, found, turns, dtype))
    return driver.launched(writer, [like(s, found.loop) for s in made], number, found.loop)


def row_scan(driver: DriverWriter, found: Scan, rows: Sequence[gast.For]) -> list[gast.stmt]:
    """A block for each row."""
    dtype, locals_ = dtype_of(driver.types[found.place.value.id]), _locals(driver)
    tile, carry, first, last = locals_[:4]
    writer = driver.writer(own_names([rows[0]]) | set(locals_))
    turns = Turns.of(driver, found.loops, writer)
    of_rows = Turns.of(driver, rows, writer)
    ahead = rows[-1].body[:-1]
    work = [*of_rows.apart(), *(writer.thread(ahead) if ahead else [])]
    work += python("{c} = {z}", c=carry, z=start_value(found.fold.start(dtype), dtype))
    start = writer.speller.as_dtype(bounds(found.loop)[0], "i64")
    work += python("{f} = {v}\n{l} = {s}", f=first, v=start, l=last, s=turns.stop())
    begins = syntax.name(found.carried) if found.carried else _beginning(writer, found)
    work.append(gast.If(expression("{f} < {l}", f=first, l=last), python("{c} = {v}", c=carry, v=begins), []))
    work.append(_tiles(driver, writer, found, turns, dtype))
    made = _tile(dtype, tile)
    made += python("{r} = {b}", r=of_rows.number, b=of_rows.first(expression("cuda.blockIdx.x")))
    made.append(gast.If(expression("{r} < {n}", r=of_rows.number, n=of_rows.stop()), work, []))
    shape = expression("max({n}, 1), {t}", n=of_rows.count(driver), t=syntax.constant(THREADS))
    return driver.launched(writer, [like(s, rows[0]) for s in made], shape, rows[0])


def _locals(driver: DriverWriter) -> list[str]:
    """The names of a kernel that goes over tiles; they are the same in each."""
    names = ("tile", "carry", "first", "last", "k", "own", "before", "total", "term", "e")
    return [driver.local(name) for name in names]


def _tile(dtype: str, tile: str) -> list[gast.stmt]:
    room = syntax.constant(TILE + TILE // 32)
    return python("{tile} = cuda.shared.array({room}, {d})", tile=tile, room=room, d=numpy_dtype(dtype))


def _tiles(driver: DriverWriter, writer: KernelWriter, found: Scan, turns: Turns, dtype: str) -> gast.While:
    """From `first` to `last` by tiles, which pass through shared memory so that a warp moves what lies together."""
    tile, carry, first, last, k, own, before, total, term_, e = _locals(driver)
    i = turns.number
    scan_ = driver.need(f"block_scan_{reduction_by(found.operator)}_{dtype}")
    identity = start_value(found.fold.start(dtype), dtype)
    work, value = _term(driver, found, writer, dtype)
    load = [*turns.apart(), *work, *python("{t} = {v}", t=term_, v=value)]
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
    running = _running(writer, found, dtype, before, own, place)
    body.append(gast.For(syntax.target(e), expression("range({n})", n=syntax.constant(EACH)), running, [], None))
    body += python("cuda.syncthreads()\n{k} = cuda.threadIdx.x", k=k)
    out = python("{i} = {f} + {k}", i=i, f=first, k=k)
    out += turns.apart()
    stored = syntax.rebuild(writer.speller.element(found.place), ctx=gast.Store())
    out.append(gast.Assign([stored], expression("{tile}[{k} + {k} // 32]", tile=tile, k=k), None))
    inside = expression("{k} < {n} and {f} + {k} < {l}", k=k, n=syntax.constant(TILE), f=first, l=last)
    body.append(gast.While(inside, [*out, *python("{k} += cuda.blockDim.x", k=k)], []))
    body += python("{c} = {v}", c=carry, v=_combined(writer, found, dtype, carry, syntax.name(total)))
    body += python("{f} += {n}\ncuda.syncthreads()", f=first, n=syntax.constant(TILE))
    return gast.While(expression("{f} < {l}", f=first, l=last), body, [])


def _running(
    writer: KernelWriter, found: Scan, dtype: str, before: str, own: str, place: gast.expr
) -> list[gast.stmt]:
    """What a thread does with each of its terms: the sum with it, or what lies before it, takes its place."""
    if found.exclusive:
        made = python("{o} = {p}\n{p} = {b}\n", o=own, p=place, b=before)
        made[1].targets[0].ctx = gast.Store()
        return [*made, *python("{b} = {v}", b=before, v=_combined(writer, found, dtype, before, syntax.name(own)))]
    made = python("{b} = {v}\n{p} = {b}", b=before, v=_combined(writer, found, dtype, before, place), p=place)
    made[1].targets[0].ctx = gast.Store()
    return made


def _beginning(writer: KernelWriter, found: Scan) -> gast.expr:
    """What lies before the first term: the element before, or what the name holds."""
    if found.first is None:
        writer.own.discard(found.carried)
        return writer.read(found.carried)
    base, start = writer.read(found.place.value.id), bounds(found.loop)[0]
    *rows, item = found.first.slice.elts if isinstance(found.first.slice, gast.Tuple) else [found.first.slice]
    by = 0 if isinstance(item, gast.Name) else 1
    if isinstance(start, gast.Constant):
        place: gast.expr = syntax.constant(start.value - by)
    else:
        place = writer.speller.as_dtype(start, "i64")
        place = gast.BinOp(place, gast.Sub(), syntax.constant(by)) if by else place
    items = gast.Tuple([*map(writer.speller.expression, rows), place], gast.Load()) if rows else place
    return gast.Subscript(base, items, gast.Load())
