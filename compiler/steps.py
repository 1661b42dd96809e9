"""A step of the way down, and what is done when it is done: verify the result, and tell whoever listens.

    way = (Step(prune, SINGLE, SINGLE), Repeat(Step(simplify_once, SINGLE, SINGLE)), ...)
    made = run_steps(program, way)

Verifying is on in tests and under PELLUCID_VERIFY=1: what goes into the first step, and what comes out of each.
What a pass raises only by a fault of its own reaches the user as an InternalError, with the line it was at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from .languages.verifier import require, require_calls, require_same_definitions
from .own_faults import is_verifying, named
from .program import Function, Program, hand_on
from .records import dataclass

Listener = Callable[[str, object, object], None]
FUNCTION, PROGRAM, MADE = "function", "program", "made"
ROUNDS = 12

observers: list[Listener] = []


@dataclass(frozen=True, slots=True)
class Step:
    """A pass, and the language it takes and gives.

    run      the pass: a function from a function, from a program, or from all that is made of a request
    of       which of them: each FUNCTION of the program, the whole PROGRAM, or what is MADE, with what was asked for
    when     the functions that it has anything to do with
    renames  whether names are all that it changes, so that the definitions that reach a read stay the same
    keeps    the remembered analyses whose answers hold for what it gives as well
    """

    run: Callable[..., Any]
    takes: str
    gives: str
    of: str = FUNCTION
    when: Callable[[Function], bool] | None = None
    renames: bool = False
    keeps: tuple[Callable[[Function], Any], ...] = ()

    @property
    def name(self) -> str:
        return getattr(self.run, "func", self.run).__name__  # of a partial function, its own

    def on(self, function: Function) -> Function:
        """The function after this step."""
        if self.when is not None and not self.when(function):
            return function
        with named(self.name, function):
            made: Function = self.run(function)
        if made is not function:
            for analysis in self.keeps:
                hand_on(analysis, function, made)
        return made


@dataclass(frozen=True, slots=True)
class Repeat:
    """Steps that are taken again until they change nothing."""

    steps: tuple[Step, ...]


Way = Iterable[Step | Repeat]
Made = TypeVar("Made")  # `frontend.frame.Specialised`, which this file need not know


def steps_of(way: Way) -> list[Step]:
    """The steps of a way, those that are repeated among them."""
    return [each for step in way for each in (step.steps if isinstance(step, Repeat) else (step,))]


def run_steps(program: Program, way: Way) -> Program:
    """The program at the end of a way whose steps take functions or programs."""
    for step in way:
        program = _repeated(program, step.steps) if isinstance(step, Repeat) else _run(program, step)
    return program


def run_way(made: Made | None, way: Way, asked: object) -> Made:
    """What is made of a request at the end of a way; steps of what is MADE are told what was asked for."""
    for step in way:
        if isinstance(step, Step) and step.of == MADE:
            before = None if made is None else made.program  # type: ignore[attr-defined]
            with named(step.name, None if before is None else before.main):
                made = step.run(made, asked)
            done(step, before, made.program)  # type: ignore[union-attr]
        else:
            program = run_steps(made.program, (step,))  # type: ignore[union-attr]
            made = replace(made, program=program)  # type: ignore[type-var]
    return made  # type: ignore[return-value]


def _run(program: Program, step: Step) -> Program:
    if step.of == FUNCTION:
        return done(step, program, program.map(step.on))
    with named(step.name, program.main):
        made = step.run(program)
    return done(step, program, made)


def _repeated(program: Program, steps: tuple[Step, ...]) -> Program:
    for _ in range(ROUNDS):
        before = program
        for step in steps:
            program = _run(program, step)
        if program is before:
            break
    return program


def observe(step: str, before: object, after: object) -> None:
    """Tell whoever listens (printing, timing, explain) that a step is done."""
    for listener in observers:
        listener(step, before, after)


def done(step: Step, before: Program | None, after: Program) -> Program:
    """What a step made, which others may look at and the verifier looks at, if it is on."""
    observe(step.name, before, after)
    if after is not before and is_verifying():
        verify(step, before, after)
    return after


def verify(step: Step, before: Program | None, after: Program) -> None:
    """Raise InternalError unless what a step made is of its language and, if it renames, means the same."""
    verify_stage(after, step.gives, step.name)
    for name, function in after.functions.items():
        if step.renames and before is not None and name in before.functions:
            require_same_definitions(before.functions[name], function, step.name)


def verify_stage(program: Program, stage: str, step: str) -> None:
    """Raise InternalError, naming the step that made it, unless a program is of a language."""
    for function in program.functions.values():
        require(function, stage, step)
    require_calls(program, step)
