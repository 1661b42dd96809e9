"""Take a request down the lists of `pipeline.py`.

    derive(request, arguments)    ->    the typed program after all transformations asked for
    settled(program)              ->    as it is printed and lowered
    loops(program)                ->    nests over elements, ready for machine code

How each transformation of a function is made stands in a row of `TRANSFORMATIONS`, for its class in `request.py`:

    Gradient(0)    ->    the arguments of the function below are its own, and DERIVATIVE_WAY leads to its gradient
    Tangent()      ->    the arguments of the function below are the primals, and TANGENT_WAY leads to (value, tangent)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

import gast

from . import pipeline
from .diagnostics import CompileError, Span
from .frontend.asked import Asked
from .frontend.source.read import header_of, read, unnumbered
from .frontend.specialise.built import Learned
from .frontend.specialise.derivatives.among import among
from .frontend.specialise.interpreter.constant_tables import may_unroll
from .frontend.specialise.specialised import Specialised
from .frontend.specialise.values import Leaf, Static, Value, leaves
from .program import Program, Unnumbered
from .records import dataclass
from .request import (
    Batch,
    Gradient,
    Jacobian,
    Jet,
    OnDevice,
    Pullback,
    Request,
    ReverseJacobian,
    Tangent,
    Transformation,
    Vjp,
)
from .stages import LOOPS
from .steps import Way, run_steps, run_way, verify_stage
from .transform.batch.axes import of_example
from .transform.derivatives import Wanted, require_arguments_without_lists
from .transform.forward.pushforward import Arguments, primals
from .transform.on_device import of_device
from .transform.reverse.gradient import returns_number


def the_same(_: Transformation, arguments: Arguments, below: inspect.Signature, where: Span) -> Arguments:
    return arguments


@dataclass(frozen=True, slots=True)
class Transforming:
    """How a transformation is made.

    steps      the way from the typed program of a function to that of the new one
    arguments  the arguments that the function is specialised to, given those of the new one, the parameters that it has
               and where it stands
    of_number  the way where the function returns one number, if that is another
    """

    steps: Way
    arguments: Callable[[Any, Arguments, inspect.Signature, Span], Arguments] = the_same
    of_number: Way = ()

    def way(self, made: Specialised, wanted: Wanted) -> Way:
        return self.of_number if self.of_number and returns_number(made, wanted) else self.steps


TRANSFORMATIONS: Mapping[type[Transformation], Transforming] = {
    Gradient: Transforming(pipeline.DERIVATIVE_WAY),
    Tangent: Transforming(pipeline.TANGENT_WAY, primals),
    Jet: Transforming(pipeline.TANGENT_WAY, primals),
    ReverseJacobian: Transforming(pipeline.ROWS_WAY, of_number=pipeline.DERIVATIVE_WAY),
    Vjp: Transforming(pipeline.VJP_WAY),
    Pullback: Transforming(pipeline.PULLBACK_WAY, lambda pullback, *_: dict(pullback.arguments)),
    Jacobian: Transforming(pipeline.JACOBIAN_WAY),
    Batch: Transforming(pipeline.BATCH_WAY, of_example),
    OnDevice: Transforming(pipeline.DEVICE_WAY, of_device),
}


def typed(
    request: Request, arguments: Mapping[str, Value], is_entry: bool = True
) -> Specialised:
    """The typed program of the undifferentiated function, for the arguments of what is made of it."""
    kept = undifferentiated(request)
    return derive(replace(request, transforms=kept), levels(request, arguments)[len(kept)], is_entry)


def undifferentiated(request: Request) -> tuple[Transformation, ...]:
    """The transformations before the first derivative, after which the typed stage shows a function."""
    return tuple(takewhile(lambda transform: not transform.differentiates, request.transforms))


def _typed(
    request: Request, arguments: Arguments, is_entry: bool, is_differentiated: bool, learned: Learned,
    along: tuple[str, ...],
) -> Specialised:  # fmt: skip
    asked = Asked(
        request, arguments, derive_inner, differentiate_inner, arguments_within, is_entry, is_differentiated, learned,
        along,
    )  # fmt: skip
    return run_way(None, pipeline.TYPED_WAY, asked)


def levels(request: Request, arguments: Arguments) -> list[Arguments]:
    """The arguments of the function, and after each transformation."""
    if not request.transforms:
        return [arguments]
    return arguments_within(request.transforms, arguments, inspect.signature(request.python), head_of(request))


def derive(
    request: Request, arguments: Mapping[str, Value], is_entry: bool = True, is_differentiated: bool = False,
    along: tuple[str, ...] = (),
) -> Specialised:  # fmt: skip
    """The typed program after all transformations asked for; `is_differentiated` says that others are to follow, and
    `along` which axes of meshes are around, whose devices share values.

    Where long lists became lists of dynamic length and a step refuses what they are used for, they are unrolled.
    """
    learned = Learned()
    transforms, along = among(request.transforms, along)
    request = replace(request, transforms=transforms)
    try:
        made = _derived(request, arguments, is_entry, is_differentiated, learned, along)
    except CompileError:
        if not may_unroll(learned.forms):
            raise
        made = _derived(request, arguments, is_entry, is_differentiated, learned, along)
    return with_donated(made, request.donate) if is_entry and request.donate else made


def _derived(
    request: Request, arguments: Mapping[str, Value], is_entry: bool, is_differentiated: bool, learned: Learned,
    along: tuple[str, ...],
) -> Specialised:  # fmt: skip
    behind = levels(request, arguments)
    made = _typed(request, behind[0], is_entry, is_differentiated, learned, along)
    if not request.transforms:
        return made
    apart = unnumbered(read(request.python).tree.args)
    return transformed(made, request.transforms, behind[1:], head_of(request), apart, is_entry)


def transformed(
    made: Specialised, transforms: Sequence[Transformation], levels: Sequence[Arguments], where: Span,
    apart: Unnumbered, is_entry: bool = False,
) -> Specialised:  # fmt: skip
    """The typed program of a function after these transformations, one after the other, each for its arguments."""
    before = None
    for transform, arguments in zip(transforms, levels, strict=True):
        is_alike = TRANSFORMATIONS[type(transform)].arguments is the_same and not isinstance(transform, Vjp)
        if is_alike and always_raises(made):
            continue
        wanted = Wanted(transform, where, apart, arguments, is_entry)
        if before is not None and before.is_pullback:
            require_arguments_without_lists(made, wanted)
        before = transform
        made = run_way(made, TRANSFORMATIONS[type(transform)].way(made, wanted), wanted)
    return made


def always_raises(made: Specialised) -> bool:
    """Whether no path of a function returns, for these types: a derivative raises what the function does."""
    return made.result == Static(None) and _ends(made.program.main.body[:-1])


def _ends(body: Sequence[gast.stmt]) -> bool:
    last = body[-1] if body else None
    if isinstance(last, gast.If):
        return _ends(last.body) and _ends(last.orelse)
    return isinstance(last, gast.Raise)


def arguments_within(
    transforms: Sequence[Transformation], arguments: Arguments, given: inspect.Signature, where: Span
) -> list[Arguments]:
    """The arguments of a function and of what each of these transformations makes of it, given those of the last."""
    signatures = [given]
    for transform in transforms[:-1]:
        signatures.append(transform.signature(signatures[-1]))
    found = [arguments]
    for transform, below in zip(transforms[::-1], signatures[::-1]):
        found.append(TRANSFORMATIONS[type(transform)].arguments(transform, found[-1], below, where))
    return found[::-1]


def with_donated(made: Specialised, names: Sequence[str]) -> Specialised:
    """The program that knows which parameters are the arrays that these arguments give away."""
    given = [leaf.name for name in names for leaf in leaves(made.arguments[name]) if isinstance(leaf, Leaf)]
    main = made.program.main
    main = main.with_(donated=tuple(k for k, name in enumerate(main.parameters) if name in given))
    return replace(made, program=Program(main.name, {**made.program.functions, main.name: main}))


def derive_inner(
    request: Request, arguments: Mapping[str, Value], is_differentiated: bool, along: tuple[str, ...]
) -> Specialised:
    """The program of a derivative that is taken inside another function, of which one may be taken in turn."""
    return derive(request, arguments, is_entry=False, is_differentiated=is_differentiated, along=along)


def differentiate_inner(
    made: Specialised, transforms: tuple[Transformation, ...], levels: Sequence[Arguments], where: Span,
    apart: Unnumbered,
) -> Specialised:  # fmt: skip
    """The derivative of a function defined inside another one, specialised to the arguments within."""
    made = replace(made, program=run_steps(made.program, pipeline.INNER_WAY))
    return transformed(made, transforms, levels, where, apart)


def head_of(request: Request) -> Span:
    return header_of(request.python)


def settled(program: Program) -> Program:
    """The typed program as it is printed and lowered."""
    return run_steps(program, pipeline.SETTLED_WAY)


def loops(program: Program) -> Program:
    """The program of the loops stage that goes to machine code."""
    return lowered(settled(program))


def lowered(program: Program) -> Program:
    """The loops of a typed program that `settled` returned."""
    made = run_steps(program, pipeline.LOOPS_WAY)
    verify_stage(made, LOOPS, pipeline.LOOPS_WAY[-1].name)  # always: nothing wrong goes to machine code
    return made


def for_llvm(program: Program) -> Program:
    """The loops as they are passed to LLVM."""
    return run_steps(program, pipeline.LLVM_WAY)


def for_cuda(program: Program) -> Program:
    """The loops as kernels are made of them."""
    return run_steps(program, pipeline.CUDA_WAY)
