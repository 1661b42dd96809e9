"""The kernels of scatters (`recognise.py`).

histogram  hist_1: a warp adds its turns into a row of its own   hist_2: the rows, from first to last
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...dtypes import is_complex
from ...types import Array, dtype_of
from ..python.templates import numpy_dtype
from .host_parts import on_host
from .nests import bounds
from .recognise import Scatter
from .trees import expression, python
from .writing import KernelWriter, first_turn, like, own_names, start_value

if TYPE_CHECKING:
    from .driving import DriverWriter

PLACES = 1024  # of shared memory, for the places that a warp adds into
TURNS = 4096  # of a scatter, that one warp takes


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
    own = {mine, first, last, place, term_, same, is_first, lane, its, j}
    writer: KernelWriter = driver.writer(own_names([loop]) | own)
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
