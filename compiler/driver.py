"""Take a request down the lists of `pipeline.py`.

    derive(request, arguments)    ->    the typed program after all transformations asked for
    settled(program)              ->    as it is printed and lowered
    loops(program)                ->    nests over elements, ready for machine code
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from . import pipeline
from .asked import Asked
from .diagnostics import Span
from .differentiate import Wanted, require_arguments_without_lists
from .frontend.source.read import read, span_of, unnumbered
from .frontend.specialise.specialised import Specialised
from .frontend.specialise.values import Value
from .program import Program, Unnumbered
from .request import Request, Transformation
from .stages import LOOPS
from .steps import run_steps, run_way, verify_stage
from .transforming import TRANSFORMATIONS, Arguments, arguments_within


def typed(
    request: Request, arguments: Mapping[str, Value], is_entry: bool = True
) -> Specialised:
    """The typed program of the undifferentiated function, for the arguments of what is made of it."""
    kept = undifferentiated(request)
    return derive(replace(request, transforms=kept), levels(request, arguments)[len(kept)], is_entry)


def undifferentiated(request: Request) -> tuple[Transformation, ...]:
    """The transformations before the first derivative, behind which the typed stage shows a function."""
    return tuple(takewhile(lambda transform: not transform.differentiates, request.transforms))


def _typed(request: Request, arguments: Arguments, is_entry: bool, is_differentiated: bool) -> Specialised:
    asked = Asked(
        request, arguments, derive_inner, differentiate_inner, arguments_within, is_entry, is_differentiated
    )  # fmt: skip
    return run_way(None, pipeline.TYPED_WAY, asked)


def levels(request: Request, arguments: Arguments) -> list[Arguments]:
    """The arguments of the function, and behind each transformation."""
    if not request.transforms:
        return [arguments]
    return arguments_within(request.transforms, arguments, inspect.signature(request.python), head_of(request))


def derive(
    request: Request, arguments: Mapping[str, Value], is_entry: bool = True, is_differentiated: bool = False
) -> Specialised:
    """The typed program after all transformations asked for; `is_differentiated` says that others are to follow."""
    behind = levels(request, arguments)
    made = _typed(request, behind[0], is_entry, is_differentiated)
    if not request.transforms:
        return made
    apart = unnumbered(read(request.python).tree.args)
    return transformed(made, request.transforms, behind[1:], head_of(request), apart, is_entry)


def transformed(
    made: Specialised, transforms: Sequence[Transformation], levels: Sequence[Arguments], where: Span,
    apart: Unnumbered, is_entry: bool = False,
) -> Specialised:  # fmt: skip
    """The typed program of a function behind these transformations, one after the other, each for its arguments."""
    before = None
    for transform, arguments in zip(transforms, levels, strict=True):
        wanted = Wanted(transform, where, apart, arguments, is_entry)
        if before is not None and before.is_pullback:
            require_arguments_without_lists(made, wanted)
        before = transform
        made = run_way(made, TRANSFORMATIONS[type(transform)].way(made, wanted), wanted)
    return made


def derive_inner(request: Request, arguments: Mapping[str, Value], is_differentiated: bool) -> Specialised:
    """The program of a derivative that is taken inside another function, of which one may be taken in turn."""
    return derive(request, arguments, is_entry=False, is_differentiated=is_differentiated)


def differentiate_inner(
    made: Specialised, transforms: tuple[Transformation, ...], levels: Sequence[Arguments], where: Span,
    apart: Unnumbered,
) -> Specialised:  # fmt: skip
    """The derivative of a function defined inside another one, specialised to the arguments within."""
    made = replace(made, program=run_steps(made.program, pipeline.INNER_WAY))
    return transformed(made, transforms, levels, where, apart)


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
    verify_stage(made, LOOPS, pipeline.LOOPS_WAY[-1].name)  # always: nothing wrong goes to machine code
    return made


def for_llvm(program: Program) -> Program:
    """The loops as LLVM is told them."""
    return run_steps(program, pipeline.LLVM_WAY)


def for_cuda(program: Program) -> Program:
    """The loops as kernels are made of them."""
    return run_steps(program, pipeline.CUDA_WAY)
