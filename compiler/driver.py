"""Take a request down the lists of `pipeline.py`.

    derive(request, arguments)    ->    the typed program after all transformations asked for
    settled(program)              ->    as it is printed and lowered
    loops(program)                ->    nests over elements, ready for machine code
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from . import pipeline
from .asked import Asked
from .diagnostics import Span
from .differentiate import Wanted
from .frontend.source.read import read, span_of, starred
from .frontend.specialise.specialised import Specialised
from .frontend.specialise.values import Value
from .program import Program
from .request import Gradient, Request
from .steps import run_steps, run_way, verify_stage


def typed(
    request: Request, arguments: Mapping[str, Value], is_entry: bool = True
) -> Specialised:
    """The typed program of the undifferentiated function."""
    asked = Asked(request, arguments, derive_inner, differentiate_inner, is_entry)
    return run_way(None, pipeline.TYPED_WAY, asked)


def derive(
    request: Request, arguments: Mapping[str, Value], is_entry: bool = True
) -> Specialised:
    """The typed program after all transformations asked for."""
    made = typed(request, arguments, is_entry)
    for transform in request.transforms:
        stars = starred(read(request.python).tree.args)
        made = run_way(made, pipeline.DERIVATIVE_WAY, Wanted(transform, head_of(request), stars))
    return made


def derive_inner(request: Request, arguments: Mapping[str, Value]) -> Specialised:
    """The program of a derivative that is taken inside another function."""
    return derive(request, arguments, is_entry=False)


def differentiate_inner(
    made: Specialised, transforms: tuple[Gradient, ...], where: Span, stars: frozenset[str]
) -> Specialised:
    """The derivative of a function defined inside another one."""
    made = replace(made, program=run_steps(made.program, pipeline.INNER_WAY))
    for transform in transforms:
        made = run_way(made, pipeline.DERIVATIVE_WAY, Wanted(transform, where, stars))
    return made


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
