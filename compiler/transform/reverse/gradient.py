"""The steps from a program to its gradient: ask whether it has one, write it, and choose what it returns.

    Wanted(Gradient(0, with_value=True), span)    ->    differentiable, reverse, choose_results
                                                  ->    the program of (value, slope), and its structure
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import gast

from ... import syntax, types
from ...diagnostics import Span
from ...frontend.specialise.derivatives.rules import expand
from ...frontend.specialise.specialised import Specialised
from ...frontend.specialise.values import NONE, Leaf, Out, Record, Value, parts, with_parts
from ...frontend.specialise.values import Sequence as SequenceValue
from ...frontend.specialise.world.taking_apart import stands_for_foreign
from ...program import Program
from ..derivatives import (
    Wanted,
    chosen,
    fault,
    floats_of,
    keep_results,
    require_arguments,
    require_real_results,
    slopes_of,
    split,
    with_value,
)


def differentiable(made: Specialised, wanted: Wanted) -> Specialised:
    """Raise a GradientError where the gradient asked for does not exist."""
    require_arguments(made, wanted)
    output, _ = split_result(made, wanted)
    check_output(made, wanted.where, output)
    require_real_results(made, wanted, [made.program.main.results[output.index]])
    return made


def reverse(made: Specialised, wanted: Wanted) -> Specialised:
    """All results of the program, then the slopes by the leaves of the arguments that were chosen."""
    from . import reverse as writing
    from . import split_shared

    wrt = floats_of(made, chosen(made, wanted))
    program = split_shared.split_shared(made.program, wrt, (0,), expand)
    program = writing.reverse(program, wrt, keep_value=True, specialiser=expand)
    return replace(made, program=split_shared.forget_split(program))


def choose_results(made: Specialised, wanted: Wanted) -> Specialised:
    """Return what was asked for, in the order in which the structure of the result mentions it."""
    values, many = chosen(made, wanted), isinstance(wanted.transform.argnums, tuple)
    first = len(made.program.main.results) - len(floats_of(made, values))
    program, slopes = with_positions(made.program, values, slopes_of(made, values, first))
    gradient: Value = SequenceValue(slopes) if many else slopes[0]
    output, auxiliary = split_result(made, wanted)
    program, result = keep_results(program, with_value(wanted, output, auxiliary, gradient))
    return replace(made, program=program, result=result)


def with_positions(
    program: Program, values: Sequence[Value], slopes: Sequence[Value]
) -> tuple[Program, tuple[Value, ...]]:
    """Slopes by sparse arrays have elements at the positions of these: the program returns them as well."""
    main = program.main
    names: list[str] = []

    def slope(value: Value, found: Value, is_sparse: bool) -> Value:
        if isinstance(value, Leaf) and is_sparse and found == NONE:
            names.append(value.name)
            return Out(len(main.results) + len(names) - 1)
        if not parts(value) or not parts(found):
            return value if is_sparse and found == NONE else found
        inside = is_sparse or isinstance(value, Record) and stands_for_foreign(value.cls)
        pairs = zip(parts(value), parts(found), strict=True)
        return with_parts(found, tuple(slope(part, other, inside) for (_, part), (_, other) in pairs))

    made = tuple(slope(value, found, False) for value, found in zip(values, slopes, strict=True))
    if not names:
        return program, made
    closing = main.body[-1]
    kept = syntax.rebuild(closing, value=gast.Tuple([*closing.value.elts, *map(syntax.name, names)], gast.Load()))
    results = (*main.results, *(main.types[name] for name in names))
    changed = main.with_(body=(*main.body[:-1], kept), results=results)
    return Program(program.entry, {**program.functions, program.entry: changed}), made


def returns_number(made: Specialised, wanted: Wanted) -> bool:
    """Whether what is differentiated is one float, whose gradient is its Jacobian."""
    value, _ = split(made, wanted)
    found = made.program.main.results[value.index] if isinstance(value, Out) else None
    return found is not None and types.rank(found) == 0 and types.is_floating(found)


def split_result(made: Specialised, wanted: Wanted) -> tuple[Out, Value | None]:
    """The result that is differentiated, which has to be one number, and what is returned beside it."""
    value, auxiliary = split(made, wanted)
    if not isinstance(value, Out):
        fault(wanted.where, "G002", "the gradient is of a function that returns one float",
              ("for a pair (value, auxiliary) use has_aux=True",))  # fmt: skip
    return value, auxiliary


def check_output(made: Specialised, where: Span, output: Out) -> None:
    """Raise a GradientError for a result that is no float."""
    found = made.program.main.results[output.index]
    if not isinstance(found, types.Scalar) and not (isinstance(found, types.Array) and found.ndim == 0):
        fault(where, "G002", f"the gradient is of a function that returns a scalar, and this one returns {found}",
              ("sum or average the result", "or take the gradient of one element"))  # fmt: skip
    if not types.is_floating(found):
        fault(where, "G002", f"the gradient is of a function that returns a float, and this one returns {found}")
