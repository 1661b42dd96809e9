"""A launch for a nest of independent iterations: a thread for each element, or a row of threads for each iteration.

for i in prange(size): out[i] = f(x[i])     ->     f_1[elements(size)](x, out, size)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import gast

from ... import syntax
from .column_folds import columns
from .in_flight import loads_of, several, turns_of
from .nests import Columns, Elements, Rows, Tiles, bounds, is_short, is_together, perfect, shape_of, steps_by_one
from .recognise import row_scan_of
from .recognised import row_scan
from .rows import RowWriter
from .spell import Unmappable
from .trees import expression, product, python
from .writing import first_turn, like, own_names, shifted, taken_apart, turns_of_loop

if TYPE_CHECKING:
    from .driving import DriverWriter


def nest(driver: DriverWriter, loop: gast.For) -> list[gast.stmt]:
    scanned = perfect(loop) if steps_by_one(loop) else []
    if scanned and (found := row_scan_of(driver.function, scanned)) is not None and not is_short(found.loop):
        return row_scan(driver, found, scanned)
    match shape_of(loop):
        case Elements():
            return elements(driver, loop)
        case Tiles(loops=loops, along=along):
            return tiles(driver, loops, along)
        case Rows():
            return rows(driver, loop)
        case Columns(inner=inner):
            return columns(driver, loop, inner)
    raise Unmappable("the loop does not go by steps of one")


def elements(driver: DriverWriter, loop: gast.For) -> list[gast.stmt]:
    writer = driver.writer(own_names([loop]))
    writer.ends_alone = True
    variable = loop.target.id
    helper, count = driver.need("elements"), driver.count(loop)
    loads = loads_of(writer, loop)
    turns = turns_of(writer, loads)
    if turns > 1:
        made = several(writer, loop, loads, turns)
        shape = expression("{elements}({n}, {k})", elements=helper, n=count, k=syntax.constant(turns))
        return driver.launched(writer, [like(s, loop) for s in made], shape, loop)
    body = writer.thread(loop.body)
    _, stop = bounds(loop)
    test = expression("{i} < {stop}", i=variable, stop=writer.speller.as_dtype(stop, "i64"))
    first = first_turn(loop, writer.speller, expression("cuda.grid(1)"))
    made = [*python("{i} = {first}", i=variable, first=first), gast.If(test, body, [])]
    shape = expression("{elements}({n})", elements=helper, n=count)
    return driver.launched(writer, [like(s, loop) for s in made], shape, loop)


def tiles(driver: DriverWriter, loops: Sequence[gast.For], along: gast.For) -> list[gast.stmt]:
    """A thread for each iteration of a nest; of more than two loops one number is divided into the outer counters."""
    writer = driver.writer(own_names([loops[0]]))
    writer.ends_alone = True
    outer = [loop for loop in loops if loop is not along]
    body = writer.thread(loops[-1].body)
    lengths = [turns_of_loop(loop, writer.speller) for loop in outer]
    x, number = along.target.id, outer[0].target.id if len(outer) == 1 else driver.local("turn")
    if len(outer) > 1:
        writer.own.add(number)
    made = python("{x}, {y} = {tile}()", x=x, y=number, tile=driver.need("in_tile"))
    made += shifted(along, writer.speller, x)
    if len(outer) == 1:
        made += shifted(outer[0], writer.speller, number)
    inner = body if len(outer) == 1 else [*taken_apart(outer, lengths, number, writer.speller), *body]
    stops = [writer.speller.as_dtype(bounds(loop)[1], "i64") for loop in (along, outer[0])]
    rows = stops[1] if len(outer) == 1 else product(lengths)
    test = expression("{y} < {n} and {x} < {m}", x=x, y=number, m=stops[0], n=rows)
    made.append(gast.If(test, inner, []))
    counts = [driver.count(loop) for loop in outer]
    shape = expression(
        "{tiles}({n}, {m})", tiles=driver.need("tiles"), n=product(counts), m=driver.count(along)
    )  # fmt: skip
    return driver.launched(writer, [like(s, loops[0]) for s in made], shape, loops[0])


def rows(driver: DriverWriter, loop: gast.For) -> list[gast.stmt]:
    writer = driver.writer(own_names([loop]), RowWriter)
    variable = loop.target.id
    body = writer.row(loop.body)
    _, stop = bounds(loop)
    first = first_turn(loop, writer.speller, expression("cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y"))
    test = expression("{i} < {stop}", i=variable, stop=writer.speller.as_dtype(stop, "i64"))
    made = [*python("{i} = {first}", i=variable, first=first), gast.If(test, body, [])]
    inner = next(s for s in syntax.walk(loop.body) if is_together(s))
    try:
        terms = (
            driver.count(inner) if not set(syntax.names_read(inner.iter)) & own_names([loop]) else syntax.constant(256)
        )
    except Unmappable:
        terms = syntax.constant(256)
    shape = expression("{rows}({n}, {m})", rows=driver.need("rows"), n=driver.count(loop), m=terms)
    return driver.launched(writer, [like(s, loop) for s in made], shape, loop)
