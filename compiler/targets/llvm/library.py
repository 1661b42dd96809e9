"""Calls of library routines, as their rows in `ops/routines.py` have them.

    gemm(c, a, b)     ->     check the lengths; status = call i64 @pellucid.gemm.double(c, ..., a, ..., b, ...)

Lengths are checked and named, and what is wrong is said, where the call stands; what calls the library is a function
that all calls share (`shared_routines.py`), written by following the steps of the row (`library_steps.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ... import syntax
from ...dtypes import DTYPE
from ...ops.routines import OUT_MESSAGE, ROUTINES, Operand, Routine
from .abi import STORED
from .arrays import View, load_at, read
from .frame import Emission
from .library_operands import as_column, product_by_loops
from .library_steps import follow, length_named
from .operands import SsaValue
from .shared_routines import call_routine


def call_library(frame: Emission, node: gast.Call) -> SsaValue | None:
    """Write a call; what it gives, where that is a number."""
    row = ROUTINES[str(syntax.operator_of(node))]
    views = [read(frame, argument.id) for argument in node.args]
    told = {**row.static, **syntax.static_of(node)}
    static = {key: value for key, value in told.items() if key not in row.hints}
    _check(frame, row, views)
    full = [_with_all_axes(frame, o, v) for o, v in zip(row.given, views, strict=True)]
    if row.gives_number:
        dtype = row.results[0].dtype(full[0].dtype)
        full.insert(0, View(dtype, full[0].owner, frame.code.variable(STORED[dtype], row.name), (), None))
    if row.is_product and not DTYPE[full[0].dtype].letter:
        left, right = full[1:]
        product_by_loops(frame, (full[0], left, right), tuple(o.lengths for o in row.operands))  # type: ignore[arg-type]
    else:
        words = [full[-1].dtype] if row.keeps_dtype else []  # dtypes that are stored alike are not computed with alike
        name = ".".join([row.name, *words, *(f"{key}_{value}" for key, value in static.items())])
        call_routine(frame, name, lambda inside, *views: follow(inside, row, views, static), full,
                     len(row.results), failing=row.error)  # fmt: skip
    return load_at(frame, full[0].dtype, full[0].data) if row.gives_number else None


def _with_all_axes(frame: Emission, operand: Operand, view: View) -> View:
    return as_column(frame, view) if len(view.dims) < len(operand.lengths) else view


def _check(frame: Emission, row: Routine, views: Sequence[View]) -> None:
    """Every length is the same wherever the row names it; the results have the lengths that follow."""
    code = frame.code
    known: dict[str, SsaValue] = {}
    given = list(zip(row.given, views, strict=True))
    read = given[len(given) - len(row.read) :]
    for position, (operand, view) in enumerate(read):
        before = set(known)
        for axis, (name, length) in enumerate(zip(operand.lengths, view.dims)):
            if name not in known:
                known[name] = length
            elif name not in before:
                frame.fail_if(code.compare("ne", known[name], length), *row.square)
            else:
                is_shorter = len(view.dims) < len(operand.lengths)
                told = {**dict(zip(operand.lengths, view.dims)), "known": known[name], "found": length}
                message, values = _mismatch(row, is_shorter, position, axis, told)
                frame.fail_if(code.compare("ne", known[name], length), "ValueError", message, *values)
    for operand, view in given[: len(given) - len(row.read)]:
        for name, length in zip(operand.lengths, view.dims):
            if name not in known and name not in row.computed:
                continue  # only the result has it
            wanted = length_named(frame, row, name, known)
            frame.fail_if(code.compare("ne", length, wanted), "ValueError", OUT_MESSAGE)


def _mismatch(
    row: Routine, is_shorter: bool, position: int, axis: int, lengths: dict[str, SsaValue]
) -> tuple[str, list[SsaValue]]:
    """The words of an error, with `{}` for each of the values that come with it."""
    text = row.mismatch[-1 if is_shorter else 0].replace("{operand}", str(position)).replace("{axis}", str(axis))
    values = [lengths[part.partition("}")[0]] for part in text.split("{")[1:]]
    for word in lengths:
        text = text.replace(f"{{{word}}}", "{}")
    return text, values
