"""The steps from a program to its derivative: ask whether it has one, write it, and choose what it returns.

    Wanted(Gradient(0, with_value=True), span)    ->    differentiable, reverse, choose_results
                                                  ->    the program of (value, slope), and its structure

The results are put together as JAX does it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, NoReturn

import gast

from . import syntax, types
from .diagnostics import Diagnostic, GradientError, Span
from .frontend.specialise.rules import expand
from .frontend.specialise.specialised import Specialised
from .frontend.specialise.values import Leaf, Out, Static, Value, leaves, map_leaves
from .frontend.specialise.values import Sequence as SequenceValue
from .program import Program
from .records import dataclass


@dataclass(frozen=True, slots=True)
class Wanted:
    """A transformation, and where the function that it is made of stands."""

    transform: Any
    where: Span
    starred: frozenset[str] = frozenset()  # the parameters `*args` and `**options`
    arguments: Mapping[str, Value] = field(default_factory=dict)  # of the new function
    is_entry: bool = False

    @property
    def numbers(self) -> tuple[int, ...]:
        argnums = self.transform.argnums
        return argnums if isinstance(argnums, tuple) else (argnums,)


def differentiable(made: Specialised, wanted: Wanted) -> Specialised:
    """Raise a GradientError where the derivative asked for does not exist."""
    names, where = list(made.arguments), wanted.where
    if made.mutated:
        help_ = ("return the new arrays instead",)
        fault(where, "G004", "a function that changes its arguments has no derivative", help_)
    if any(not -len(names) <= n < len(names) for n in wanted.numbers):
        fault(where, "T004", f"argnums={wanted.transform.argnums} names no argument: there are {len(names)}")
    for name in sorted({names[n] for n in wanted.numbers} & wanted.starred):
        fault(where, "T004", f"argnums names the parameter `{name}`, which takes any number of arguments",
              ("name the parameter that it is taken by: `def f(x, *rest)`, or pass one tuple or dict",))  # fmt: skip
    for number in wanted.numbers:
        check_differentiable(made, where, names[number], made.arguments[names[number]])
    output, _ = split_result(made, wanted)
    check_output(made, where, output)
    return made


def reverse(made: Specialised, wanted: Wanted) -> Specialised:
    """All results of the program, then the slopes by the leaves of the arguments that were chosen."""
    from .transform.reverse import reverse as writing

    wrt = leaves_of(chosen(made, wanted))
    return replace(made, program=writing.reverse(made.program, wrt, keep_value=True, specialiser=expand))


def choose_results(made: Specialised, wanted: Wanted) -> Specialised:
    """Return what was asked for, in the order in which the structure of the result mentions it."""
    values, many = chosen(made, wanted), isinstance(wanted.transform.argnums, tuple)
    first = len(made.program.main.results) - len(leaves_of(values))
    positions = iter(range(first, len(made.program.main.results)))
    slopes = [map_leaves(v, lambda part, _: Out(next(positions)) if isinstance(part, Leaf) else part) for v in values]
    gradient: Value = SequenceValue(tuple(slopes)) if many else slopes[0]
    output, auxiliary = split_result(made, wanted)
    value = output if auxiliary is None else SequenceValue((output, auxiliary))
    if wanted.transform.with_value:
        result: Value = SequenceValue((value, gradient))
    else:
        result = gradient if auxiliary is None else SequenceValue((gradient, auxiliary))
    program, result = keep_results(made.program, result)
    return replace(made, program=program, result=result)


def chosen(made: Specialised, wanted: Wanted) -> list[Value]:
    """The arguments that the derivative is taken by."""
    names = list(made.arguments)
    return [made.arguments[names[n]] for n in wanted.numbers]


def leaves_of(values: Sequence[Value]) -> list[str]:
    return [leaf.name for value in values for leaf in leaves(value) if isinstance(leaf, Leaf)]


def keep_results(program: Program, result: Value) -> tuple[Program, Value]:
    """Return only what the result structure mentions, in the order it is mentioned."""
    main = program.main
    wanted = list(dict.fromkeys(leaf.index for leaf in leaves(result) if isinstance(leaf, Out)))
    closing = main.body[-1]
    kept = syntax.rebuild(closing, value=gast.Tuple([closing.value.elts[i] for i in wanted], gast.Load()))
    body = (*main.body[:-1], kept)
    changed = main.with_(body=body, results=tuple(main.results[i] for i in wanted))
    place = {index: position for position, index in enumerate(wanted)}
    renumbered = map_leaves(result, lambda part, _: Out(place[part.index]) if isinstance(part, Out) else part)
    return Program(program.entry, {**program.functions, program.entry: changed}), renumbered


def split_result(made: Specialised, wanted: Wanted) -> tuple[Out, Value | None]:
    """The number that is differentiated, and what is returned beside it."""
    value = made.result
    auxiliary = None
    if wanted.transform.has_aux:
        if not isinstance(value, SequenceValue) or len(value.items) != 2:
            fault(wanted.where, "G002", "with has_aux=True the function returns a pair (value, auxiliary)")
        value, auxiliary = value.items
    if not isinstance(value, Out):
        fault(wanted.where, "G002", "the gradient is of a function that returns one float",
              ("for a pair (value, auxiliary) use has_aux=True",))  # fmt: skip
    return value, auxiliary


def check_output(made: Specialised, where: Span, output: Out) -> None:
    found = made.program.main.results[output.index]
    if not isinstance(found, types.Scalar) and not (isinstance(found, types.Array) and found.ndim == 0):
        fault(where, "G002", f"the gradient is of a function that returns a scalar, and this one returns {found}",
              ("sum or average the result", "or take the gradient of one element"))  # fmt: skip
    if not types.is_floating(found):
        fault(where, "G002", f"the gradient is of a function that returns a float, and this one returns {found}")


def check_differentiable(made: Specialised, where: Span, name: str, value: Value) -> None:
    for leaf in leaves(value):
        found = made.program.main.types[leaf.name] if isinstance(leaf, Leaf) else None
        if found is None or not types.is_floating(found):
            what = f"is static ({leaf.value!r})" if isinstance(leaf, Static) else f"is {found}"
            fault(where, "G001", f"argument `{name}` {what}: only floats have a derivative",
                  ("pass a float", "or choose other arguments with argnums="))  # fmt: skip


def fault(where: Span, code: str, message: str, help: tuple[str, ...] = ()) -> NoReturn:
    raise GradientError(Diagnostic(code, message, where, "differentiated here", help=help))
