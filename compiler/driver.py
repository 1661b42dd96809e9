"""Take a request down the lists of `pipeline.py`.

    derive(request, arguments)    ->    the typed program after all transformations asked for
    settled(program)              ->    as it is printed and lowered
    loops(program)                ->    nests over elements, ready for machine code
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from . import pipeline
from .asked import Asked
from .diagnostics import Span
from .differentiate import Wanted
from .frontend.source.read import Parameters, parameters_of, read, span_of
from .frontend.specialise.specialised import Specialised
from .frontend.specialise.values import Value
from .program import Program
from .request import Request, Transformation
from .steps import run_steps, run_way, verify_stage
from .transforming import TRANSFORMATIONS


def typed(request: Request, arguments: Mapping[str, Value]) -> Specialised:
    """The typed program of the undifferentiated function."""
    kept = tuple(transform for transform in request.transforms if not transform.is_derivative)
    return derive(replace(request, transforms=kept), arguments)


def derive(
    request: Request, arguments: Mapping[str, Value], is_entry: bool = True
) -> Specialised:
    """The typed program after all transformations asked for."""
    def made_of(given: Mapping[str, Value]) -> Specialised:
        asked = Asked(request, given, derive_inner, differentiate_inner, is_entry)
        return run_way(None, pipeline.TYPED_WAY, asked)

    if not request.transforms:
        return made_of(arguments)
    parameters = parameters_of(read(request.python).tree.args)
    return transformed(made_of, arguments, request.transforms, head_of(request), parameters)


def transformed(
    made_of: Callable[[Mapping[str, Value]], Specialised], arguments: Mapping[str, Value],
    transforms: Sequence[Transformation], where: Span, parameters: Parameters,
) -> Specialised:  # fmt: skip
    """The typed program of a function behind these transformations, one after the other.

    `made_of` gives that of the function itself, given its arguments; `arguments` are those of what is asked for.
    """
    asked: list[Wanted] = []
    for transform in reversed(transforms):
        asked.append(Wanted(transform, where, parameters, arguments))
        arguments = TRANSFORMATIONS[type(transform)].arguments(asked[-1])
    made = made_of(arguments)
    for wanted in reversed(asked):
        made = run_way(made, TRANSFORMATIONS[type(wanted.transform)].steps, wanted)
    return made


def derive_inner(request: Request, arguments: Mapping[str, Value]) -> Specialised:
    """The program of a derivative that is taken inside another function."""
    return derive(request, arguments, is_entry=False)


def differentiate_inner(
    made_of: Callable[[Mapping[str, Value]], Specialised], arguments: Mapping[str, Value],
    transforms: tuple[Transformation, ...], where: Span, parameters: Parameters,
) -> Specialised:  # fmt: skip
    """The derivative of a function defined inside another one; `made_of` specialises it to the arguments within."""

    def tidied(given: Mapping[str, Value]) -> Specialised:
        made = made_of(given)
        return replace(made, program=run_steps(made.program, pipeline.INNER_WAY))

    return transformed(tidied, arguments, transforms, where, parameters)


def head_of(request: Request) -> Span:
    source = read(request.python)
    return span_of(source.tree, source.file)


def settled(program: Program) -> Program:
    """The typed program as it is printed and lowered."""
    return run_steps(program, pipeline.SETTLED_WAY)


def loops(program: Program) -> Program:
    """The program of the loops stage that goes to machine code."""
    return lowered(settled(program))


def lowered(program: Program) -> Program:
    """The loops of a typed program that is settled."""
    made = run_steps(program, pipeline.LOOPS_WAY)
    verify_stage(made, pipeline.LOOPS, pipeline.LOOPS_WAY[-1].name)  # always: nothing wrong goes to machine code
    return made


def for_llvm(program: Program) -> Program:
    """The loops as LLVM is told them."""
    return run_steps(program, pipeline.LLVM_WAY)
