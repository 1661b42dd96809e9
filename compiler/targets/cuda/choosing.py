"""What kernels do for a choice: a pair of a value and a position is folded over threads, and over parts.

    if x[i] < best:                      best, place = row_argmin_f64(best, place)
        best = x[i]                ->    if cuda.threadIdx.x == 0:
        place = i                            best_parts[cuda.blockIdx.x] = best ...

Threads take their iterations in order, so that each keeps the first of equal values as the program says; between
threads, of equal values the one of the lower position wins.  What is kept besides is stored by the thread that had it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gast

from ... import syntax
from ...analysis.folds import Choice, nothing_yet
from ...types import dtype_of
from .places import CHOSEN
from .spell import Unmappable
from .trees import expression, python
from .writing import KernelWriter, spelled, start_value


def fold_of_pairs(writer: KernelWriter, choice: Choice) -> str:
    """The device function that folds the pairs of a row of threads."""
    dtype = dtype_of(writer.types[choice.best])
    if dtype not in CHOSEN:
        raise Unmappable(f"places of {dtype} have no fold over threads")
    word = "argmin" if choice.takes_least else "argmax"
    return writer.need(f"row_{word}_{dtype}" if choice.is_first else f"row_last_{word}_{dtype}")


def begun(writer: KernelWriter, choice: Choice, names: Mapping[str, str], place: int) -> list[gast.stmt]:
    """The initial value of a part: nothing, at a position that no iteration has."""
    dtype = dtype_of(writer.types[choice.best])
    made = python("{b} = {v}", b=names[choice.best], v=start_value(nothing_yet(choice.operator, dtype), dtype))
    made += python("{p} = {v}", p=names[choice.place], v=start_value(place, "i64"))
    for also in choice.also:
        dtype = dtype_of(writer.types[also])
        made += python("{a} = {v}", a=names[also], v=start_value(0, dtype))
    return made


def folded(writer: KernelWriter, choice: Choice, names: Mapping[str, str]) -> list[gast.stmt]:
    fold = fold_of_pairs(writer, choice)
    return python("{b}, {p} = {fold}({b}, {p})", b=names[choice.best], p=names[choice.place], fold=fold)


def wins(writer: KernelWriter, choice: Choice, key: gast.expr, stands: gast.expr) -> gast.expr:
    """Whether a value is taken in place of another, both written already."""
    type_, given = writer.types[choice.best], {"__key__": key, "__best__": stands}
    made = spelled(writer, syntax.call(choice.operator, "__key__", "__best__"), type_, given)
    if not choice.nan_wins:
        return made
    nan = spelled(writer, syntax.call("isnan", "__key__"), type_, given)
    no_nan = spelled(writer, syntax.call("logical_not", syntax.call("isnan", "__best__")), type_, given)
    return gast.BoolOp(gast.Or(), [made, gast.BoolOp(gast.And(), [nan, no_nan])])


def taken(choice: Choice, test: gast.expr, values: Mapping[str, gast.expr], names: Mapping[str, str]) -> gast.stmt:
    """`if test: best = ...; place = ...`."""
    made: list[gast.stmt] = []
    for name in choice.names:
        made += python("{n} = {v}", n=names[name], v=values[name])
    return gast.If(test, made, [])


def kept_besides(
    choices: Sequence[Choice], parts: Mapping[str, str], mine: Mapping[str, str]
) -> list[gast.stmt]:
    """What each choice keeps besides, stored by the thread that has it; by the first one where none has."""
    made: list[gast.stmt] = []
    for choice in choices:
        stores: list[gast.stmt] = []
        for also in choice.also:
            stores += python("{p}[cuda.blockIdx.x] = {a}", p=parts[also], a=also)
        if stores:
            test = expression(
                "{m} == {p} and ({p} >= 0 or cuda.threadIdx.x == 0)", m=mine[choice.place], p=choice.place
            )  # fmt: skip
            made.append(gast.If(test, stores, []))
    return made
