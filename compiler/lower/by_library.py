"""Operators that a library computes: buffers for the results, and the call of the routine.

    w, v = eigh(a)     ->     w = empty(shape=(n,), dtype="f64"); v = empty(shape=(n, n), dtype="f64"); syevd(w, v, a)

The routine checks the lengths and says what is wrong.  It is called on doubles always, or on pairs of them, as NumPy
calls it: a matrix of singles may be singular only as one of singles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gast

from .. import syntax, types
from ..dtypes import COMPLEX_WORD, FLOAT_WORD, INT_WORD, is_complex
from ..ops.routines import ROUTINES, formula
from ..ops.schema import Operator
from .contractions import in_dtype
from .elementwise import lengths_of_shape
from .lowering import Lowering
from .names_of_arrays import assign
from .nest import allocate, realise
from .nodes import Length, ScalarTree


def by_library(low: Lowering, names: Sequence[str], row: Operator, call: gast.Call) -> None:
    routine = ROUTINES[row.routine]
    given = [low.node(a) for a in call.args]
    is_real = "float" in routine.kinds and not any(is_complex(node.dtype) for node in given)
    wide = FLOAT_WORD if is_real else COMPLEX_WORD
    if routine.keeps_dtype:
        wide = given[-1].dtype
    dtypes = [INT_WORD if operand.kind == "int" else wide for operand in routine.read]
    stored = [realise(low, in_dtype(low, node, dtype)) for node, dtype in zip(given, dtypes, strict=True)]
    if routine.gives_number:
        tree = syntax.call(routine.name, *(a.name for a in stored), **syntax.static_of(call))
        return assign(low, names[0], ScalarTree(tree, routine.results[0].dtype(wide)))
    lengths: dict[str, Length] = {}
    for operand, array in zip(routine.read, stored):
        for name, length in zip(operand.lengths, array.lengths):
            lengths.setdefault(name, length)  # the first, as in the types of the results
    lengths |= {name: _computed(formula(rule), lengths) for name, rule in routine.computed.items()}
    static = syntax.static_of(call)
    if "shape" in static:
        shape = lengths_of_shape(low, static.pop("shape"), low.function.types[names[0]])  # type: ignore[arg-type]
        lengths |= zip(routine.results[0].lengths, shape, strict=True)
    made = []
    for name, result in zip(names, routine.results, strict=True):
        wanted = low.function.types[name]
        dtype = result.dtype(wide)
        is_other = dtype != types.dtype_of(wanted) or name in low.facts.merged
        shape = tuple(lengths[length] for length in result.lengths[: types.rank(wanted)])
        made.append((allocate(low, low.fresh(name) if is_other else name, shape, dtype), shape))
    operands = [*(out for out, _ in made), *(array.name for array in stored)]
    low.emit(syntax.expression(syntax.call(routine.name, *operands, **static)))
    for name, (out, shape) in zip(names, made):
        assign(low, name, in_dtype(low, low.stored(out, shape), types.dtype_of(low.function.types[name])))
    return None


def _computed(rule: gast.expr, lengths: Mapping[str, Length]) -> Length:
    """`min(m, n)`"""
    left, right = (lengths[argument.id] for argument in rule.args)
    if left.extent == right.extent:
        return left
    return Length(types.least_of(left.extent, right.extent), syntax.call("minimum", left.clamped, right.clamped))
