"""The steps, their order and their contracts.  The only file that knows the order.

    request + argument types  ->  specialise  ->  tidy  ->  [reverse  ->  tidy]*  ->  loops  ->  machine code
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import gast

from . import syntax, types
from .backend.loops import to_loops
from .backend.nests.independent import mark_independent
from .diagnostics import Diagnostic, GradientError, Span
from .frontend.frame import Specialised
from .frontend.read import read, span_of
from .frontend.specialise import specialise
from .frontend.values import Leaf, Out, Static, Value, leaves, map_leaves
from .frontend.values import Sequence as SequenceValue
from .frontend.views import check_views
from .program import Function, Program
from .records import dataclass
from .request import Gradient, Request
from .steps import done, observe, verify
from .transform.coalesce import coalesce
from .transform.copies import copies
from .transform.give_names import give_names
from .transform.inline import inline
from .transform.prune import prune
from .transform.simplify import simplify_once

SOURCE, CORE, TYPED, REVERSE, LOOPS, LLVM, ASM = "source", "core", "typed", "reverse", "loops", "llvm", "asm"
STAGES = (SOURCE, CORE, TYPED, REVERSE, LOOPS, LLVM, ASM)
SINGLE = "single"  # typed, before `coalesce`


Pass = Callable[[Function], Function]


@dataclass(frozen=True, slots=True)
class Step:
    """A pass, and the language it takes and gives."""

    run: Pass
    takes: str
    gives: str


TIDY = (
    Step(simplify_once, takes=SINGLE, gives=SINGLE),
    Step(prune, takes=SINGLE, gives=SINGLE),
)
SETTLE = (
    Step(copies, takes=SINGLE, gives=SINGLE),
    Step(coalesce, takes=SINGLE, gives=TYPED),
)
TIDY_AGAIN = tuple(Step(step.run, takes=TYPED, gives=TYPED) for step in TIDY)  # behind `coalesce`
ROUNDS = 12

def run_steps(program: Program, steps: Sequence[Step]) -> Program:
    for step in steps:
        program = done(step.run.__name__, program, program.map(step.run), step.gives)
    return program


def until_stable(program: Program, steps: Sequence[Step]) -> Program:
    for _ in range(ROUNDS):
        before = program
        program = run_steps(program, steps)
        if program is before:
            break
    return program


# --- to the typed stage --------------------------------------------------------------------------------------------


def typed(
    request: Request, arguments: Mapping[str, Value], frozen: Mapping[str, Any] | None = None, is_entry: bool = True
) -> Specialised:
    """The typed program of the undifferentiated function."""
    made = specialise(
        request.python, arguments, mutates=request.mutates, frozen=frozen, is_entry=is_entry,
        derive=derive_inner, differentiate=differentiate_inner,
    )
    done("specialise", None, made.program, SINGLE)
    made = replace(made, program=done("give_names", made.program, give_names(made.program), SINGLE))
    for function in made.program.functions.values():
        check_views(function, mutates=made.mutated)
    program = done("inline", made.program, reachable(inline(made.program)), SINGLE)
    return replace(made, program=reachable(until_stable(program, TIDY)))


def derive_inner(request: Request, arguments: Mapping[str, Value]) -> Specialised:
    """The program of a derivative that is taken inside another function."""
    return derive(request, arguments, is_entry=False)


def derive(
    request: Request, arguments: Mapping[str, Value], frozen: Mapping[str, Any] | None = None, is_entry: bool = True
) -> Specialised:
    """The typed program after all transformations asked for."""
    made = typed(request, arguments, frozen, is_entry)
    for transform in request.transforms:
        made = differentiate(made, transform, head_of(request))
    return made


def differentiate_inner(made: Specialised, transforms: tuple[Gradient, ...], where: Span) -> Specialised:
    """The derivative of a function defined inside another one."""
    named = done("give_names", made.program, give_names(made.program), SINGLE)
    program = done("inline", named, reachable(inline(named)), SINGLE)
    made = replace(made, program=until_stable(program, TIDY))
    for transform in transforms:
        made = differentiate(made, transform, where)
    return made


def differentiate(made: Specialised, transform: Gradient, where: Span) -> Specialised:
    """Replace a program by its reverse-mode derivative; the result is put together as JAX does."""
    many = isinstance(transform.argnums, tuple)
    numbers = transform.argnums if isinstance(transform.argnums, tuple) else (transform.argnums,)
    names = list(made.arguments)
    if made.mutated:
        help_ = ("return the new arrays instead",)
        fault(where, "G004", "a function that changes its arguments has no derivative", help_)
    if any(not -len(names) <= n < len(names) for n in numbers):
        fault(where, "T004", f"argnums={transform.argnums} names no argument: there are {len(names)}")
    chosen = [made.arguments[names[n]] for n in numbers]
    for number, value in zip(numbers, chosen, strict=True):
        check_differentiable(made, where, names[number], value)
    output, auxiliary = split_result(made, where, transform.has_aux)
    check_output(made, where, output)
    wrt = [leaf.name for value in chosen for leaf in leaves(value) if isinstance(leaf, Leaf)]
    from .transform.reverse import reverse

    before = made.program
    program = done("reverse", before, reverse(before, wrt, keep_value=True), SINGLE)
    count = len(before.main.results)
    positions = iter(range(count, count + len(wrt)))
    slopes = [map_leaves(v, lambda part, _: Out(next(positions)) if isinstance(part, Leaf) else part) for v in chosen]
    gradient: Value = SequenceValue(tuple(slopes)) if many else slopes[0]
    value = output if auxiliary is None else SequenceValue((output, auxiliary))
    if transform.with_value:
        result: Value = SequenceValue((value, gradient))
    else:
        result = gradient if auxiliary is None else SequenceValue((gradient, auxiliary))
    program, result = keep_results(program, result)
    program = until_stable(program, TIDY)
    return replace(made, program=reachable(program), result=result)


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


def split_result(made: Specialised, where: Span, has_aux: bool) -> tuple[Out, Value | None]:
    value = made.result
    auxiliary = None
    if has_aux:
        if not isinstance(value, SequenceValue) or len(value.items) != 2:
            fault(where, "G002", "with has_aux=True the function returns a pair (value, auxiliary)")
        value, auxiliary = value.items
    if not isinstance(value, Out):
        fault(where, "G002", "the gradient is of a function that returns one float",
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


def head_of(request: Request) -> Span:
    source = read(request.python)
    return span_of(source.tree, source.file)


def fault(where: Span, code: str, message: str, help: tuple[str, ...] = ()) -> NoReturn:
    raise GradientError(Diagnostic(code, message, where, "differentiated here", help=help))


def reachable(program: Program) -> Program:
    """Leave out functions that nothing calls."""
    if len(program.functions) == 1:
        return program
    seen: dict[str, None] = {program.entry: None}
    queue = [program.entry]
    while queue:
        for statement in program.functions[queue.pop()].body:
            for node in syntax.calls_in(statement):
                callee = syntax.operator_of(node)
                if callee is not None and callee in program.functions and callee not in seen:
                    seen[callee] = None
                    queue.append(callee)
    if len(seen) == len(program.functions):
        return program
    return Program(program.entry, {name: program.functions[name] for name in program.functions if name in seen})


# --- below the typed stage -----------------------------------------------------------------------------------------


def settled(program: Program) -> Program:
    """The typed program as it is printed and lowered: value semantics made explicit, copies at merges folded away."""
    return until_stable(run_steps(program, SETTLE), TIDY_AGAIN)


def loops(program: Program) -> Program:
    settled_program = settled(program)
    lowered = done("to_loops", settled_program, to_loops(settled_program), LOOPS)
    marked = lowered.map(mark_independent)
    observe("mark_independent", lowered, marked)
    verify("mark_independent", None, marked, LOOPS)  # always: nothing wrong goes to machine code
    return marked
