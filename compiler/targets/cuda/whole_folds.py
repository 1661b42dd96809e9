"""Folds over a whole loop: blocks fold parts of fixed size, one block folds what they give and does what comes next.

for i in lanes(n): total += x[i]     ->     total_1[parts(n)](x, total_parts)
                                            total_2[1, 256](total_parts, total)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.lanes import arrays_handed_on
from ...names import Names
from ...ops.schema import Fold
from ...types import dtype_of
from ..python.templates import numpy_dtype
from .nests import begins_with_zero, bounds, is_together
from .rows import RowWriter
from .spell import Unmappable
from .trees import expression, python, with_name
from .writing import KernelWriter, first_turn, like, own_names

if TYPE_CHECKING:
    from .driving import DriverWriter

PART = 8192  # terms of a sum that one block takes: the same on every GPU, so that the sum is too


def whole(driver: DriverWriter, loop: gast.For, behind: Sequence[gast.stmt]) -> list[gast.stmt]:
    """Blocks fold parts of fixed size, and one block folds what they give and does what comes next."""
    if arrays_handed_on(loop, driver.types) or not driver.has_free_turns(loop):
        raise Unmappable("its turns add to the same elements")
    if any(is_together(s) for s in syntax.walk(loop.body)):
        return whole_by_rows(driver, loop, behind)
    own = own_names([loop])
    writer = driver.writer(own)
    found = writer.accumulators(loop)
    if not found:
        raise Unmappable("what the loop accumulates is no fold")
    variable = loop.target.id
    made: list[gast.stmt] = []
    for name, (_, fold) in found.items():
        made += python("{t} = {start}", t=name, start=writer.identity(name, fold))
    first = first_turn(loop, writer.speller, expression(f"cuda.blockIdx.x * {PART} + cuda.threadIdx.x"))
    _, stop = bounds(loop)
    last = driver.local("last")
    made += python("{i} = {first}", i=variable, first=first)
    ends = first_turn(loop, writer.speller, expression(f"cuda.blockIdx.x * {PART} + {PART}"))
    made += python("{last} = min({ends}, {stop})", last=last, ends=ends, stop=writer.speller.as_dtype(stop, "i64"))
    body = writer.thread(loop.body) + python("{i} += cuda.blockDim.x", i=variable)
    made.append(gast.While(expression("{i} < {last}", i=variable, last=last), body, []))
    parts = stored_parts(driver, writer, made, found)
    count = driver.count(loop)
    launches_ = parts_arrays(driver, parts, expression("{parts}({n})[0]", parts=driver.need("parts"), n=count), loop)
    shape = expression("{parts}({n})", parts=driver.need("parts"), n=count)
    launches_ += driver.launched(writer, [like(s, loop) for s in made], shape, loop)
    return launches_ + taken_together(driver, loop, found, parts, behind)


def whole_by_rows(driver: DriverWriter, loop: gast.For, behind: Sequence[gast.stmt]) -> list[gast.stmt]:
    """A row of threads folds each turn into a part of its own."""
    writer = driver.writer(own_names([loop]), RowWriter)
    found = writer.accumulators(loop)
    if not found:
        raise Unmappable("what the loop accumulates is no fold")
    variable = loop.target.id
    body: list[gast.stmt] = []
    for name, (_, fold) in found.items():
        body += python("{t} = {start}", t=name, start=writer.identity(name, fold))
        writer.known[name] = syntax.constant(fold.start(dtype_of(driver.types[name])))
    body += writer.row(loop.body)
    parts: dict[str, str] = {}
    stores: list[gast.stmt] = []
    start, stop = bounds(loop)
    for name in found:
        parts[name] = driver.names.fresh(f"{name}_parts")
        writer.parameters[parts[name]] = None
        driver.extra[parts[name]] = f"{dtype_of(driver.types[name])}[{parts[name]}_length]"
        number: gast.expr = syntax.name(variable)
        if not begins_with_zero(loop):
            number = gast.BinOp(number, gast.Sub(), writer.speller.as_dtype(start, "i64"))
        place = gast.Subscript(syntax.name(parts[name]), number, gast.Store())
        stores.append(gast.Assign([place], syntax.name(name), None))
    body.append(gast.If(expression("cuda.threadIdx.x == 0"), stores, []))
    first = first_turn(loop, writer.speller, expression("cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y"))
    test = expression("{i} < {stop}", i=variable, stop=writer.speller.as_dtype(stop, "i64"))
    made = [*python("{i} = {first}", i=variable, first=first), gast.If(test, body, [])]
    inner = next(s for s in syntax.walk(loop.body) if is_together(s))
    free = not set(syntax.names_read(inner.iter)) & own_names([loop])
    terms = driver.count(inner) if free else syntax.constant(256)
    shape = expression("{rows}({n}, {m})", rows=driver.need("rows"), n=driver.count(loop), m=terms)
    launches_ = parts_arrays(driver, parts, driver.count(loop), loop)
    launches_ += driver.launched(writer, [like(s, loop) for s in made], shape, loop)
    return launches_ + taken_together(driver, loop, found, parts, behind)


def stored_parts(
    driver: DriverWriter, writer: KernelWriter, made: list[gast.stmt], found: dict[str, tuple[str, Fold]]
) -> dict[str, str]:
    parts: dict[str, str] = {}
    stores: list[gast.stmt] = []
    for name, (operator, _) in found.items():
        made += python("{t} = {fold}({t})", t=name, fold=writer.fold_name(name, operator))
        parts[name] = driver.names.fresh(f"{name}_parts")
        writer.parameters[parts[name]] = None
        stores += python("{p}[cuda.blockIdx.x] = {t}", p=parts[name], t=name)
        driver.extra[parts[name]] = f"{dtype_of(driver.types[name])}[{parts[name]}_length]"
    made.append(gast.If(expression("cuda.threadIdx.x == 0"), stores, []))
    return parts


def parts_arrays(driver: DriverWriter, parts: dict[str, str], count: gast.expr, loop: gast.For) -> list[gast.stmt]:
    made: list[gast.stmt] = []
    for name, array in parts.items():
        dtype = numpy_dtype(dtype_of(driver.types[name]))
        made += python("{p} = cuda.device_array({n}, {d})", p=array, n=count, d=dtype)
    return [like(s, loop) for s in made]


def taken_together(
    driver: DriverWriter,
    loop: gast.For,
    found: dict[str, tuple[str, Fold]],
    parts: dict[str, str],
    behind: Sequence[gast.stmt],
) -> list[gast.stmt]:
    """One block folds the parts; its first thread goes on with the numbers that are made of them."""
    after = driver.live.after(behind[-1] if behind else loop)
    passing = {name for name in found if name not in after and name in driver.cells & driver.starts.keys()}
    writer = driver.writer(set(passing))
    made: list[gast.stmt] = []
    tail: list[gast.stmt] = []
    k = driver.local("k")
    for name, (operator, fold) in found.items():
        whole = Names({*driver.types, *writer.own, *driver.extra}).fresh("whole")
        writer.own.add(whole)
        writer.parameters[parts[name]] = None
        writer.types = writer.speller.types = {**writer.types, whole: driver.types[name]}
        made += python("{w} = {start}", w=whole, start=writer.identity(name, fold))
        made += python("{k} = cuda.threadIdx.x", k=k)
        term = gast.Subscript(syntax.name(parts[name]), syntax.name(k), gast.Load())
        row = syntax.call(operator, syntax.name(whole), syntax.name("__term__"))
        writer.types = writer.speller.types = {**writer.types, "__term__": driver.types[name]}
        writer.own.add("__term__")
        value = with_name(writer.speller.expression(row), "__term__", term)
        body = python("{w} = {v}\n{k} += cuda.blockDim.x", w=whole, v=value, k=k)
        made.append(gast.While(expression("{k} < {p}.shape[0]", k=k, p=parts[name]), body, []))
        made += python("{w} = {fold}({w})", w=whole, fold=writer.fold_name(name, operator))
        tail += begun(driver, writer, name, operator, fold, whole, loop)
        if name in driver.cell_of and name not in driver.cells:
            writer.renamed[name] = driver.cell_of[name]  # what comes next reads the new number
    tail += writer.thread(behind) if behind else []
    made.append(gast.If(expression("cuda.threadIdx.x == 0"), tail, []))
    host = [name for name in found if name not in driver.cells]
    launches_ = driver.launched(writer, [like(s, loop) for s in made], expression("1, 256"), loop)
    for name in host:
        launches_ += python("{t} = {fetch}({c})", t=name, fetch=driver.need("fetch"), c=driver.cell_of[name])
    return [*host_cells(driver, host, loop), *launches_]


def host_cells(driver: DriverWriter, names: Sequence[str], loop: gast.For) -> list[gast.stmt]:
    made: list[gast.stmt] = []
    for name in names:
        dtype = numpy_dtype(dtype_of(driver.types[name]))
        made += python("{c} = cuda.device_array((), {d})", c=driver.cell_of[name], d=dtype)
    return made


def begun(
    driver: DriverWriter, writer: KernelWriter, name: str, operator: str, fold: Fold, whole: str, loop: gast.For
) -> list[gast.stmt]:
    """`total = start + whole`, where the start is not what the fold begins with anyway."""
    start = driver.starts.pop(name, None)
    value: gast.expr = syntax.name(whole)
    if start is None or not _is_identity(start.value, fold, dtype_of(driver.types[name])):
        first = start.value if start is not None else syntax.name(name)
        value = syntax.call(operator, first, value)
    target = name
    if name not in driver.cells:
        target = driver.names.fresh(f"{name}_cell")
        driver.cell_of[name] = target
        driver.extra[target] = f"{dtype_of(driver.types[name])}[]"
        writer.cells = writer.cells | {target}
        writer.types = writer.speller.types = {**writer.types, target: driver.types[name]}
    node = like(syntax.assign(target, value), loop)
    return [writer.assigned(node, target, value, dtype_of(driver.types[name]))]


def _is_identity(value: gast.expr, fold: Fold, dtype: str) -> bool:
    while syntax.operator_of(value) == "cast":
        value = value.args[0]
    return isinstance(value, gast.Constant) and bool(value.value == fold.start(dtype))
