"""Folds along columns: blocks of rows fold parts, and a thread for each column folds these and does what comes next.

    for i in lanes(n):                          f_1[columns(n, m)](x, total_parts)
        for j in prange(m):             ->      f_2[elements(m)](total_parts, out)
            out[j] += x[i, j]

    for j in prange(m):                         the same, with what stands before and after the fold
        total = 0.0
        for i in lanes(n): total += x[i, j]
        out[j] = total

Neighbouring threads take neighbouring columns, so that a warp reads what lies together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeGuard

import gast

from ... import syntax
from ...analysis.lanes import goes_by_rows
from ...names import Names
from ...ops.reduction import fold_by
from ...ops.schema import Fold
from ...records import dataclass
from ...types import Scalar, dtype_of
from ..python.templates import numpy_dtype
from .nests import begins_with_zero, bounds, kind_of, perfect
from .spell import Unmappable
from .trees import expression, product, python
from .writing import (
    KernelWriter,
    combined,
    first_turn,
    fold_over_threads,
    like,
    neutral,
    own_names,
    shifted,
    start_value,
    taken_apart,
    turns_of_loop,
)

if TYPE_CHECKING:
    from .driving import DriverWriter

ROWS = 512  # a block folds so many, the same number on every GPU, so that sums are the same too


@dataclass(frozen=True, slots=True, eq=False)
class ColumnFold:
    """A fold over `rows` for each iteration of the nest `columns`.

    before   what is done for each column ahead of the fold, its accumulators set to what they begin with
    turn     what is done for each element: accumulations into names, and what they need
    behind   what is done for each column when its fold is known
    found    the accumulators: operator, how it folds, dtype
    """

    columns: tuple[gast.For, ...]
    rows: gast.For
    before: tuple[gast.stmt, ...]
    turn: tuple[gast.stmt, ...]
    behind: tuple[gast.stmt, ...]
    found: Mapping[str, tuple[str, Fold, str]]


def columns(driver: DriverWriter, loop: gast.For, inner: gast.For) -> list[gast.stmt]:
    """The launches for a loop over columns in which a fold stands."""
    writer = driver.writer(own_names([loop]))
    found = {name: (operator, fold, dtype_of(writer.types[name])) for name, (operator, fold) in
             writer.accumulators(inner).items()}  # fmt: skip
    position = loop.body.index(inner)
    before, behind = tuple(loop.body[:position]), tuple(loop.body[position + 1 :])
    return _launched(driver, ColumnFold((loop,), inner, before, tuple(inner.body), behind, found))


def rows_added(driver: DriverWriter, loop: gast.For) -> list[gast.stmt]:
    """The launches for rows that are added up, those for one nest after the other: `result[j] += x[i, j]`.

    Nothing else in the loop mentions what a nest adds to.
    """
    made: list[gast.stmt] = []
    for position, node in enumerate(loop.body):
        if isinstance(node, gast.For):
            ahead = [s for s in loop.body[:position] if isinstance(s, gast.Assign)]
            made += _nest_added(driver, loop, ahead, node)
    return made


def _nest_added(driver: DriverWriter, loop: gast.For, ahead: Sequence[gast.stmt], nest: gast.For) -> list[gast.stmt]:
    """The launches for one nest, after numbers of the row."""
    found: dict[str, tuple[str, Fold, str]] = {}
    before: list[gast.stmt] = []
    behind: list[gast.stmt] = []
    turn: list[gast.stmt] = list(ahead)
    names = Names({*driver.types, *driver.extra})
    columns_ = perfect(nest)
    for node in columns_[-1].body:
        match node:
            case gast.Assign(
                targets=[gast.Subscript(value=gast.Name(id=base)) as place],
                value=gast.Call(func=gast.Name(id=operator), args=[gast.Subscript() as first, term]),
            ) if syntax.same(first.slice, place.slice) and first.value.id == base:
                dtype = dtype_of(driver.types[base])
                fold = fold_by(operator, dtype)
                if fold is None:
                    raise Unmappable(f"`{operator}` is no fold")
                name = names.fresh(f"{base}_sum")
                found[name] = operator, fold, dtype
                before.append(like(syntax.assign(name, first), node))
                turn.append(like(syntax.assign(name, syntax.call(operator, syntax.name(name), term)), node))
                behind.append(like(syntax.rebuild(node, value=syntax.name(name)), node))
            case gast.Assign(targets=[gast.Name()]):
                turn.append(node)
            case _:
                raise Unmappable("rows are not only added up")
    return _launched(driver, ColumnFold(tuple(columns_), loop, tuple(before), tuple(turn), tuple(behind), found))


def adds_rows(node: gast.stmt) -> TypeGuard[gast.For]:
    """Whether a loop adds rows up: numbers of the row, and nests over columns."""
    if not goes_by_rows(node):
        return False
    numbers = [isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) for s in node.body]
    return all(is_number or kind_of(s) == "prange" for s, is_number in zip(node.body, numbers))


# --- two launches ----------------------------------------------------------------------------------------------------


def _launched(driver: DriverWriter, fold: ColumnFold) -> list[gast.stmt]:
    if not fold.found:
        raise Unmappable("what the loop accumulates is no fold")
    count, width = driver.count(fold.rows), product([driver.count(loop) for loop in fold.columns])
    parts = {name: driver.names.fresh(f"{name}_parts") for name in fold.found}
    made: list[gast.stmt] = []
    for name, array in parts.items():
        dtype = fold.found[name][2]
        driver.extra[array] = f"{dtype}[{array}_length, {array}_width]"
        shape = expression("({part_count}({n}), {m})", part_count=driver.need("part_count"), n=count, m=width)
        made += python("{p} = cuda.device_array({s}, {d})", p=array, s=shape, d=numpy_dtype(dtype))
    body, writer = _parts(driver, fold, parts)
    where = fold.columns[0]
    shape = expression("{columns}({n}, {m})", columns=driver.need("columns"), n=count, m=width)
    made += driver.launched(writer, [like(s, where) for s in body], shape, where)
    body, writer = _columns(driver, fold, parts)
    shape = expression("{elements}({m})", elements=driver.need("elements"), m=width)
    made += driver.launched(writer, [like(s, where) for s in body], shape, where)
    return [like(s, where) for s in made]


def _writer(driver: DriverWriter, fold: ColumnFold, *more: str) -> KernelWriter:
    own = own_names([*fold.columns, fold.rows, *fold.before, *fold.turn]) | {*fold.found, *more}
    writer: KernelWriter = driver.writer(own)
    types = {name: Scalar(dtype) for name, (_, _, dtype) in fold.found.items()}
    writer.types = writer.speller.types = {**writer.types, **types}
    return writer


def _place(
    driver: DriverWriter, writer: KernelWriter, fold: ColumnFold, number: str
) -> tuple[list[gast.stmt], gast.expr]:
    """The statements that divide the number of a column into counters, and how many columns there are."""
    lengths = [turns_of_loop(loop, writer.speller) for loop in fold.columns]
    if len(fold.columns) == 1 and fold.columns[0].target.id == number:
        return shifted(fold.columns[0], writer.speller, number), lengths[0]
    return taken_apart(fold.columns, lengths, number, writer.speller), product(lengths)


def _number(fold: ColumnFold, driver: DriverWriter) -> str:
    """The name of a column's number: the variable of the loop, where that begins with 0 and is the only one."""
    only = fold.columns[0]
    if len(fold.columns) == 1 and begins_with_zero(only):
        return str(only.target.id)
    return driver.local("column")


def _parts(
    driver: DriverWriter, fold: ColumnFold, parts: Mapping[str, str]
) -> tuple[list[gast.stmt], KernelWriter]:
    """The kernel that folds parts: all threads come to the barriers of the folds, also those beside the columns."""
    number = _number(fold, driver)
    part, last = driver.local("part"), driver.local("last")
    writer = _writer(driver, fold, number, part, last)
    i = fold.rows.target.id
    made = python("{c} = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x", c=number)
    made += python("{p} = cuda.blockIdx.z * cuda.gridDim.y + cuda.blockIdx.y", p=part)
    for name, (operator, how, dtype) in fold.found.items():
        known = any(name in syntax.names_bound(s) and _is_zero(s.value) for s in fold.before)
        start = start_value(how.start(dtype), dtype) if known else neutral(operator, dtype, how)
        made += python("{t} = {z}", t=name, z=start)
    work, width = _place(driver, writer, fold, number)
    ahead = [s for s in fold.before if not set(syntax.names_bound(s)) & set(fold.found)]
    work += writer.thread(ahead) if ahead else []
    row = expression("{p} * {r} + cuda.threadIdx.y", p=part, r=syntax.constant(ROWS))
    work += python("{i} = {v}", i=i, v=first_turn(fold.rows, writer.speller, row))
    end = first_turn(fold.rows, writer.speller, expression("({p} + 1) * {r}", p=part, r=syntax.constant(ROWS)))
    stop = writer.speller.as_dtype(bounds(fold.rows)[1], "i64")
    work += python("{l} = min({e}, {s})", l=last, e=end, s=stop)
    turn = [*writer.turns(fold.turn), *python("{i} += cuda.blockDim.y", i=i)]
    work.append(gast.While(expression("{i} < {l}", i=i, l=last), turn, []))
    inside = expression("{c} < {m}", c=number, m=width)
    made.append(gast.If(inside, work, []))
    stores: list[gast.stmt] = []
    for name, (operator, _, dtype) in fold.found.items():
        folded = driver.need(fold_over_threads("column", operator, dtype))
        made += python("{t} = {fold}({t})", t=name, fold=folded)
        stores += python("{a}[{p}, {c}] = {t}", a=parts[name], p=part, c=number, t=name)
        writer.parameters[parts[name]] = None
    first = parts[next(iter(parts))]
    test = expression(
        "{inside} and cuda.threadIdx.y == 0 and {p} < {a}.shape[0]", inside=inside, p=part, a=first
    )  # fmt: skip
    made.append(gast.If(test, stores, []))
    return made, writer


def _is_zero(value: gast.expr) -> bool:
    while syntax.operator_of(value) == "cast":
        value = value.args[0]
    return isinstance(value, gast.Constant) and str(value.value) in ("0", "0.0")


def _columns(
    driver: DriverWriter, fold: ColumnFold, parts: Mapping[str, str]
) -> tuple[list[gast.stmt], KernelWriter]:
    """The kernel that folds what the parts give, each column by itself."""
    number, part = _number(fold, driver), driver.local("part")
    writer = _writer(driver, fold, number, part)
    body, width = _place(driver, writer, fold, number)
    body += writer.thread(fold.before) if fold.before else []
    turn: list[gast.stmt] = []
    for name, (operator, _, _) in fold.found.items():
        writer.parameters[parts[name]] = None
        term = expression("{a}[{k}, {c}]", a=parts[name], k=part, c=number)
        turn += python("{t} = {v}", t=name, v=combined(writer, operator, writer.types[name], syntax.name(name), term))
    length = expression("range({a}.shape[0])", a=parts[next(iter(parts))])
    body.append(gast.For(syntax.target(part), length, turn, [], None))
    body += writer.thread(fold.behind)
    made = python("{c} = cuda.grid(1)", c=number)
    made.append(gast.If(expression("{c} < {m}", c=number, m=width), body, []))
    return made, writer
