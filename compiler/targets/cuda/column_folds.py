"""Folds along columns: blocks of rows fold parts, and a thread for each column folds these and does what comes next.

    for j in prange(m):                         f_1[columns(n, m)](x, total_parts)
        total = 0.0                     ->      f_2[elements(m)](total_parts, out)
        for i in lanes(n): total += x[i, j]
        out[j] = total

Neighbouring threads take neighbouring columns, so that a warp reads what lies together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...names import Names
from ..python.templates import numpy_dtype
from .nests import bounds
from .spell import Unmappable
from .trees import expression, python
from .writing import FOLDS, KernelWriter, combining, first_turn, like, own_names

if TYPE_CHECKING:
    from .driving import DriverWriter

ROWS = 512  # that a block folds: the same on every GPU, so that sums are too


def columns(driver: DriverWriter, loop: gast.For, inner: gast.For) -> list[gast.stmt]:
    """Two launches; numbers that are worked out ahead of the fold are worked out in both."""
    writer = driver.writer(own_names([loop]))
    found = writer.accumulators(inner)
    if not found or any(writer.types[name].dtype not in ("f32", "f64", "i64") for name in found):
        raise Unmappable("what the loop accumulates is no fold")
    count, width = driver.count(inner), driver.count(loop)
    parts = {name: driver.names.fresh(f"{name}_parts") for name in found}
    made: list[gast.stmt] = []
    for name, array in parts.items():
        driver.extra[array] = f"{writer.types[name].dtype}[{array}_length, {array}_width]"
        shape = expression("(part_count({n}), {m})", n=count, m=width)
        dtype = numpy_dtype(writer.types[name].dtype)
        made += python("{p} = cuda.device_array({s}, {d})", p=array, s=shape, d=dtype)
    driver.need("part_count")
    body = _parts(driver, writer, loop, inner, parts)
    shape = expression("{columns}({n}, {m})", columns=driver.need("columns"), n=count, m=width)
    made += driver.launched(writer, [like(s, loop) for s in body], shape, loop)
    writer = driver.writer(own_names([loop]))
    body = _columns(writer, loop, inner, parts)
    shape = expression("{elements}({m})", elements=driver.need("elements"), m=width)
    return [like(s, loop) for s in made] + driver.launched(writer, [like(s, loop) for s in body], shape, loop)


def _parts(
    driver: DriverWriter, writer: KernelWriter, loop: gast.For, inner: gast.For, parts: dict[str, str]
) -> list[gast.stmt]:
    """The kernel that folds parts: all threads come to the barriers of the folds, also those beside the columns."""
    found = writer.accumulators(inner)
    j, i = loop.target.id, inner.target.id
    names = Names({*writer.types, *writer.own, *parts.values()})
    part, last = names.fresh("part"), names.fresh("last")
    writer.own |= {part, last}
    place = expression("cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x")
    made = python("{j} = {v}", j=j, v=first_turn(loop, writer.speller, place))
    made += python("{p} = cuda.blockIdx.z * cuda.gridDim.y + cuda.blockIdx.y", p=part)
    for name, (_, fold) in found.items():
        made += python("{t} = {z}", t=name, z=writer.identity(name, fold))
    before = [s for s in loop.body[: loop.body.index(inner)] if not set(syntax.names_bound(s)) & set(found)]
    work = writer.thread(before) if before else []
    number = expression("{p} * {r} + cuda.threadIdx.y", p=part, r=syntax.constant(ROWS))
    work += python("{i} = {v}", i=i, v=first_turn(inner, writer.speller, number))
    end = first_turn(inner, writer.speller, expression("({p} + 1) * {r}", p=part, r=syntax.constant(ROWS)))
    stop = writer.speller.as_dtype(bounds(inner)[1], "i64")
    work += python("{l} = min({e}, {s})", l=last, e=end, s=stop)
    turn = [*writer.thread(inner.body), *python("{i} += cuda.blockDim.y", i=i)]
    work.append(gast.While(expression("{i} < {l}", i=i, l=last), turn, []))
    inside = expression("{j} < {m}", j=j, m=writer.speller.as_dtype(bounds(loop)[1], "i64"))
    made.append(gast.If(inside, work, []))
    stores: list[gast.stmt] = []
    for name, (operator, _) in found.items():
        fold_ = driver.need(f"column_{FOLDS[operator]}_{writer.types[name].dtype}")
        made += python("{t} = {fold}({t})", t=name, fold=fold_)
        column = _number(loop, writer, j)
        stores += python("{a}[{p}, {j}] = {t}", a=parts[name], p=part, j=column, t=name)
        writer.parameters[parts[name]] = None
    test = expression("{inside} and cuda.threadIdx.y == 0 and {p} < {a}.shape[0]", inside=inside, p=part,
                      a=parts[next(iter(parts))])  # fmt: skip
    made.append(gast.If(test, stores, []))
    return made


def _columns(writer: KernelWriter, loop: gast.For, inner: gast.For, parts: dict[str, str]) -> list[gast.stmt]:
    """The kernel that folds what the parts give, each column by itself."""
    found = writer.accumulators(inner)
    j = loop.target.id
    part = Names({*writer.types, *writer.own, *parts.values()}).fresh("part")
    position = loop.body.index(inner)
    body = writer.thread(loop.body[:position])
    length = expression("range({a}.shape[0])", a=parts[next(iter(parts))])
    turn: list[gast.stmt] = []
    for name, (operator, _) in found.items():
        writer.parameters[parts[name]] = None
        term = expression("{a}[{k}, {j}]", a=parts[name], k=part, j=_number(loop, writer, j))
        turn += python("{t} = {v}", t=name, v=combining(writer, operator, name, term))
    body.append(gast.For(syntax.target(part), length, turn, [], None))
    body += writer.thread(loop.body[position + 1 :])
    made = python("{j} = {v}", j=j, v=first_turn(loop, writer.speller, expression("cuda.grid(1)")))
    stop = writer.speller.as_dtype(bounds(loop)[1], "i64")
    made.append(gast.If(expression("{j} < {m}", j=j, m=stop), body, []))
    return made


def _number(loop: gast.For, writer: KernelWriter, variable: str) -> gast.expr:
    """How many turns lie before a turn."""
    start, _ = bounds(loop)
    if isinstance(start, gast.Constant) and start.value == 0:
        return syntax.name(variable)
    return gast.BinOp(syntax.name(variable), gast.Sub(), writer.speller.as_dtype(start, "i64"))
