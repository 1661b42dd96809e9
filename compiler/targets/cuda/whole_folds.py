"""Folds over a whole loop: blocks fold parts of fixed size, one block folds what they give and does what comes next.

for i in lanes(n): total += x[i]     ->     total_1[parts(n)](x, total_parts)
                                            total_2[1, 256](total_parts, total)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.folds import Choice, choices_in, is_folding, nothing_yet
from ...analysis.lanes import arrays_handed_on
from ...names import Names
from ...ops.schema import Fold
from ...types import Type, dtype_of
from ..python.templates import numpy_dtype
from .choosing import begun, folded, kept_besides, taken, wins
from .nests import begins_with_zero, bounds, is_together
from .rows import RowWriter
from .spell import Unmappable
from .trees import expression, number_of, python
from .writing import KernelWriter, combined, first_turn, like, neutral, own_names

if TYPE_CHECKING:
    from .driving import DriverWriter

PART = 8192  # terms of a sum that one block takes: the same on every GPU, so that the sum is too
HEAVY_PART = 256  # the same where iterations have loops of their own


def whole(driver: DriverWriter, loop: gast.For, behind: Sequence[gast.stmt]) -> list[gast.stmt]:
    """Blocks fold parts of fixed size, and one block folds what they give and does what comes next."""
    if arrays_handed_on(loop, driver.types) or not driver.has_free_turns(loop):
        raise Unmappable("its iterations add to the same elements")
    if any(is_together(s) for s in syntax.walk(loop.body)):
        return whole_by_rows(driver, loop, behind)
    own = own_names([loop])
    writer = driver.writer(own)
    found, choices = folds_in(writer, loop)
    variable = loop.target.id
    made = _begun(driver, writer, loop, found, choices)
    each = HEAVY_PART if any(isinstance(s, gast.For | gast.While) for s in syntax.walk(loop.body)) else PART
    first = first_turn(loop, writer.speller, expression(f"cuda.blockIdx.x * {each} + cuda.threadIdx.x"))
    _, stop = bounds(loop)
    last = driver.local("last")
    made += python("{i} = {first}", i=variable, first=first)
    ends = first_turn(loop, writer.speller, expression(f"cuda.blockIdx.x * {each} + {each}"))
    made += python("{last} = min({ends}, {stop})", last=last, ends=ends, stop=writer.speller.as_dtype(stop, "i64"))
    body = writer.turns(loop.body) + python("{i} += cuda.blockDim.x", i=variable)
    made.append(gast.While(expression("{i} < {last}", i=variable, last=last), body, []))
    parts = stored_parts(driver, writer, made, found, choices)
    sizes = [driver.count(loop)] if each == PART else [driver.count(loop), syntax.constant(each)]
    shape = gast.Call(syntax.name(driver.need("parts")), sizes, [])
    launches_ = parts_arrays(driver, parts, expression("{shape}[0]", shape=shape), loop)
    launches_ += driver.launched(writer, [like(s, loop) for s in made], shape, loop)
    return launches_ + taken_together(driver, loop, found, choices, parts, behind)


def folds_in(writer: KernelWriter, loop: gast.For) -> tuple[dict[str, tuple[str, Fold]], list[Choice]]:
    """What a loop accumulates, and what it chooses."""
    found, choices = writer.accumulators(loop), choices_in(loop) if is_folding(loop) else []
    if not found and not choices:
        raise Unmappable("what the loop accumulates is no fold")
    return found, choices


def _begun(
    driver: DriverWriter, writer: KernelWriter, loop: gast.For, found: Mapping[str, tuple[str, Fold]],
    choices: Sequence[Choice],
) -> list[gast.stmt]:  # fmt: skip
    """What each part begins with."""
    made: list[gast.stmt] = []
    for name, (operator, fold) in found.items():
        made += python("{t} = {start}", t=name, start=part_start(driver, writer, name, operator, fold))
    for choice in choices:
        made += begun(writer, choice, {n: n for n in choice.names}, place_of_nothing(driver, choice))
    return made


def part_start(driver: DriverWriter, writer: KernelWriter, name: str, operator: str, fold: Fold) -> gast.expr:
    """What a part of an accumulation begins with: -0.0 is the float that leaves every other one as it is."""
    dtype = dtype_of(driver.types[name])
    start = driver.starts.get(name)
    if start is not None and is_identity(start, fold, dtype):
        return writer.identity(name, fold)
    return neutral(operator, dtype, fold)


def place_of_nothing(driver: DriverWriter, choice: Choice) -> int:
    """The position that a choice begins with, where it is a constant of the program."""
    start = driver.starts.get(choice.place)
    value = None if start is None else number_of(start.value)
    return value if isinstance(value, int) else -1


def whole_by_rows(driver: DriverWriter, loop: gast.For, behind: Sequence[gast.stmt]) -> list[gast.stmt]:
    """A row of threads folds each iteration into a part of its own."""
    writer = driver.writer(own_names([loop]), RowWriter)
    found, choices = folds_in(writer, loop)
    variable = loop.target.id
    body = _begun(driver, writer, loop, found, choices)
    for name, (_, fold) in found.items():
        writer.known[name] = syntax.constant(fold.start(dtype_of(driver.types[name])))
    body += writer.row(loop.body)
    start, stop = bounds(loop)
    number: gast.expr = syntax.name(variable)
    if not begins_with_zero(loop):
        number = gast.BinOp(number, gast.Sub(), writer.speller.as_dtype(start, "i64"))
    parts: dict[str, str] = {}
    stores: list[gast.stmt] = []
    for name in (*found, *(n for choice in choices for n in choice.names)):
        parts[name] = new_parts(driver, writer, name)
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
    launches_ = parts_arrays(driver, parts, driver.length(loop), loop)
    launches_ += driver.launched(writer, [like(s, loop) for s in made], shape, loop)
    return launches_ + taken_together(driver, loop, found, choices, parts, behind)


def new_parts(driver: DriverWriter, writer: KernelWriter, name: str) -> str:
    """The array that has what each part gives."""
    array: str = driver.names.fresh(f"{name}_parts")
    writer.parameters[array] = None
    driver.extra[array] = f"{dtype_of(driver.types[name])}[{array}_length]"
    return array


def stored_parts(
    driver: DriverWriter, writer: KernelWriter, made: list[gast.stmt], found: Mapping[str, tuple[str, Fold]],
    choices: Sequence[Choice],
) -> dict[str, str]:  # fmt: skip
    """The arrays that a block stores what it has folded in, by name."""
    parts: dict[str, str] = {}
    stores: list[gast.stmt] = []
    for name, (operator, _) in found.items():
        made += python("{t} = {fold}({t})", t=name, fold=writer.fold_name(name, operator))
    mine: dict[str, str] = {}
    for choice in choices:
        if choice.also:
            mine[choice.place] = driver.local("mine")
            made += python("{m} = {p}", m=mine[choice.place], p=choice.place)
        made += folded(writer, choice, {n: n for n in choice.names})
        parts |= {also: new_parts(driver, writer, also) for also in choice.also}
    made += kept_besides(choices, parts, mine)
    for name in (*found, *(n for choice in choices for n in (choice.best, choice.place))):
        parts[name] = new_parts(driver, writer, name)
        stores += python("{p}[cuda.blockIdx.x] = {t}", p=parts[name], t=name)
    made.append(gast.If(expression("cuda.threadIdx.x == 0"), stores, []))
    return parts


def parts_arrays(driver: DriverWriter, parts: dict[str, str], count: gast.expr, loop: gast.For) -> list[gast.stmt]:
    made: list[gast.stmt] = []
    for name, array in parts.items():
        dtype = numpy_dtype(dtype_of(driver.types[name]))
        made += python("{p} = cuda.device_array({n}, {d})", p=array, n=count, d=dtype)
    return [like(s, loop) for s in made]


def taken_together(
    driver: DriverWriter, loop: gast.For, found: Mapping[str, tuple[str, Fold]], choices: Sequence[Choice],
    parts: Mapping[str, str], behind: Sequence[gast.stmt],
) -> list[gast.stmt]:  # fmt: skip
    """One block folds the parts; its first thread goes on with the numbers that are made of them."""
    after = driver.live.after(behind[-1] if behind else loop)
    given = [*found, *(n for choice in choices for n in choice.names)]
    passing = {name for name in given if name not in after and name in driver.cells & driver.starts.keys()}
    writer = driver.writer(passing | passing_names(driver, behind, after))
    made: list[gast.stmt] = []
    tail: list[gast.stmt] = []
    for name, (operator, fold) in found.items():
        whole_ = new_name(driver, writer, "whole", driver.types[name])
        start = part_start(driver, writer, name, operator, fold)
        made += _parts_folded(driver, writer, operator, parts[name], whole_, start)
        made += python("{w} = {fold}({w})", w=whole_, fold=writer.fold_name(name, operator))
        tail += begun_before(driver, writer, name, operator, fold, whole_, loop)
        if name in driver.cell_of and name not in driver.cells:
            writer.renamed[name] = driver.cell_of[name]  # what comes next reads the new number
    for choice in choices:
        ahead, then = chosen_of_parts(driver, writer, choice, parts, loop)
        made += ahead
        tail += then
    tail += writer.thread(behind) if behind else []
    made.append(gast.If(expression("cuda.threadIdx.x == 0"), tail, []))
    host = [name for name in given if name not in driver.cells]
    launches_ = driver.launched(writer, [like(s, loop) for s in made], expression("1, 256"), loop)
    for name in host:
        launches_ += python("{t} = {fetch}({c})", t=name, fetch=driver.need("fetch"), c=driver.cell_of[name])
    return [*host_cells(driver, host, loop), *launches_]


def passing_names(driver: DriverWriter, behind: Sequence[gast.stmt], after: AbstractSet[str]) -> set[str]:
    """The numbers that are only on their way to others."""
    found: set[str] = set()
    read: set[str] = set()
    for node in behind:
        read |= set(syntax.names_read(node.value)) - found
        found |= set(syntax.names_bound(node)) - read
    return (found - after - read) & driver.cells


def new_name(driver: DriverWriter, writer: KernelWriter, wish: str, type_: Type) -> str:
    """A name of the kernel's own."""
    name = Names({*driver.types, *writer.own, *driver.extra}).fresh(wish)
    writer.own.add(name)
    writer.types = writer.speller.types = {**writer.types, name: type_}
    return name


def _parts_folded(
    driver: DriverWriter, writer: KernelWriter, operator: str, parts: str, whole_: str, start: gast.expr
) -> list[gast.stmt]:
    """`while k < parts.shape[0]: whole = operator(whole, parts[k])`."""
    k = driver.local("k")
    writer.parameters[parts] = None
    made = python("{w} = {start}", w=whole_, start=start)
    made += python("{k} = cuda.threadIdx.x", k=k)
    term = gast.Subscript(syntax.name(parts), syntax.name(k), gast.Load())
    value = combined(writer, operator, writer.types[whole_], syntax.name(whole_), term)
    body = python("{w} = {v}\n{k} += cuda.blockDim.x", w=whole_, v=value, k=k)
    made.append(gast.While(expression("{k} < {p}.shape[0]", k=k, p=parts), body, []))
    return made


def chosen_of_parts(
    driver: DriverWriter, writer: KernelWriter, choice: Choice, parts: Mapping[str, str], loop: gast.For
) -> tuple[list[gast.stmt], list[gast.stmt]]:
    """What chooses between parts, and what the first thread does with that."""
    k = driver.local("k")
    writer.parameters |= {parts[name]: None for name in choice.names}
    names = {choice.best: new_name(driver, writer, "whole", driver.types[choice.best])}
    names[choice.place] = new_name(driver, writer, "part" if choice.also else "where", driver.types[choice.place])
    plain = Choice(choice.operator, choice.nan_wins, choice.key, choice.best, choice.place, ())
    made = begun(writer, plain, names, -1 if choice.also else place_of_nothing(driver, choice))
    made += python("{k} = cuda.threadIdx.x", k=k)
    elements = {n: gast.Subscript(syntax.name(parts[n]), syntax.name(k), gast.Load()) for n in choice.names}
    test = wins(writer, choice, elements[choice.best], syntax.name(names[choice.best]))
    if not choice.is_first or choice.also:  # a part that has chosen nothing has the value that all others beat
        test = gast.BoolOp(gast.And(), [expression("{p} >= 0", p=elements[choice.place]), test])
    values = {**elements, choice.place: syntax.name(k)} if choice.also else elements
    body = [taken(plain, test, values, names), *python("{k} += cuda.blockDim.x", k=k)]
    made.append(gast.While(expression("{k} < {p}.shape[0]", k=k, p=parts[choice.best]), body, []))
    made += folded(writer, plain, names)
    given: dict[str, gast.expr] = {n: syntax.name(name) for n, name in names.items()}
    for name in (choice.place, *choice.also) if choice.also else ():
        given[name] = gast.Subscript(syntax.name(parts[name]), syntax.name(names[choice.place]), gast.Load())
    return made, _chosen(driver, writer, choice, given, names)


def _chosen(
    driver: DriverWriter, writer: KernelWriter, choice: Choice, given: Mapping[str, gast.expr],
    names: Mapping[str, str],
) -> list[gast.stmt]:  # fmt: skip
    """The names of a choice become what is chosen of the parts, where that wins over what they held before."""
    starts = {name: driver.starts.pop(name, None) for name in choice.names}
    best = starts[choice.best]
    nothing = nothing_yet(choice.operator, dtype_of(driver.types[choice.best]))
    begins = best is not None and number_of(best.value) == nothing
    made: list[gast.stmt] = []
    for name in choice.names:
        start = starts[name]
        if (not begins or choice.also) and not (start is None and name in driver.cells):
            value = syntax.name(name) if start is None else start.value
            made += _kept(driver, writer, name, writer.speller.as_dtype(value, dtype_of(driver.types[name])))
    stores = [s for name in choice.names for s in _kept(driver, writer, name, given[name])]
    if begins and not choice.also:
        return stores
    wins_ = expression("{p} >= 0", p=names[choice.place])
    if not begins:
        held = writer.speller.as_dtype(syntax.name(choice.best) if best is None else best.value,
                                       dtype_of(driver.types[choice.best]))  # fmt: skip
        over = wins(writer, choice, syntax.name(names[choice.best]), held)
        wins_ = gast.BoolOp(gast.And(), [wins_, over])
    return [*made, gast.If(wins_, stores, [])]


def _kept(driver: DriverWriter, writer: KernelWriter, name: str, value: gast.expr) -> list[gast.stmt]:
    """`name = value`, where the name lies."""
    if name in writer.own:
        return python("{n} = {v}", n=name, v=value)
    target = cell_for(driver, writer, name)
    writer.parameters[target] = None
    return [gast.Assign([gast.Subscript(syntax.name(target), gast.Tuple([], gast.Load()), gast.Store())], value, None)]


def host_cells(driver: DriverWriter, names: Sequence[str], loop: gast.For) -> list[gast.stmt]:
    made: list[gast.stmt] = []
    for name in names:
        dtype = numpy_dtype(dtype_of(driver.types[name]))
        made += python("{c} = cuda.device_array((), {d})", c=driver.cell_of[name], d=dtype)
    return made


def begun_before(
    driver: DriverWriter, writer: KernelWriter, name: str, operator: str, fold: Fold, whole_: str, loop: gast.For
) -> list[gast.stmt]:
    """`total = start + whole`, where the start is not what the fold begins with anyway."""
    start = driver.starts.pop(name, None)
    value: gast.expr = syntax.name(whole_)
    if start is None or not is_identity(start, fold, dtype_of(driver.types[name])):
        first = start.value if start is not None else syntax.name(name)
        value = syntax.call(operator, first, value)
    target = cell_for(driver, writer, name)
    node = like(syntax.assign(target, value), loop)
    return [writer.assigned(node, target, value, dtype_of(driver.types[name]))]


def cell_for(driver: DriverWriter, writer: KernelWriter, name: str) -> str:
    """The cell in which a kernel leaves a number: one of its own for a number that the host goes on with."""
    if name in driver.cells:
        return name
    if name not in driver.cell_of or driver.cell_of[name] not in writer.cells:
        target = driver.names.fresh(f"{name}_cell")
        driver.cell_of[name] = target
        driver.extra[target] = f"{dtype_of(driver.types[name])}[]"
        writer.cells = writer.cells | {target}
        writer.types = writer.speller.types = {**writer.types, target: driver.types[name]}
    return driver.cell_of[name]


def is_identity(start: gast.Assign, fold: Fold, dtype: str) -> bool:
    """Whether a name begins with what a fold begins with."""
    value = number_of(start.value)
    return value is not None and bool(value == fold.start(dtype)) and str(value) != "-0.0"
