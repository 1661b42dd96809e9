"""Take a stage that a user may have edited the rest of the way down.

    read_stage(text, "loss.py", "typed")    ->    a program that is held to its language, or all its faults at once
    lowered(program)                        ->    its loops, ready for machine code

Nothing of the text is believed but the types of parameters, which every call is held to.  Lengths of arrays that are
made inside are worked out again, indices that are not proved to be in bounds are checked when they are used, and a
`prange` whose iterations are not known to be independent runs in order, as it does in CPython.  What `noalias` promises
is found out again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import gast

from . import pipeline, syntax
from .analysis.memory.alias import CALLER, Shared, conflicts, shared_with_caller, stored_names
from .analysis.memory.boxes import with_boxes
from .analysis.memory.handed_back import handed_back
from .diagnostics import Diagnostic, Span, StageError
from .languages.loops import read_loops
from .languages.typed import read_typed
from .languages.verifier import call_findings, findings
from .optimise.independent import without_promises
from .program import Function, Program
from .stages import IN_TYPED, LOOPS, TYPED
from .steps import run_steps, verify_stage
from .types import Array, ListOf

READERS = {**dict.fromkeys(IN_TYPED, read_typed), LOOPS: read_loops}


def read_stage(text: str, path: str, stage: str) -> Program:
    """The program of a printed stage.  Raises StageError with file, line and what would be right."""
    program = READERS[stage](text, path) if stage == LOOPS else with_boxes(READERS[stage](text, path))
    calls = handed_back(program) if stage != LOOPS else {}
    found = [d for function in program.functions.values() for d in _faults(function, program, calls)]
    found = found or [_diagnostic(f.statement, f.message, program.main) for f in call_findings(program)]
    if found:
        raise StageError(dict.fromkeys(found))
    return program.map(without_promises) if stage == LOOPS else program


def lowered(program: Program) -> Program:
    """The loops of a program that was read."""
    if program.main.stage == LOOPS:
        return program
    made = run_steps(program, pipeline.EDITED_WAY).map(with_stage_in_notes)
    verify_stage(made, LOOPS, pipeline.EDITED_WAY[-1].name)
    return made


def with_stage_in_notes(function: Function, before: str = TYPED, now: str = LOOPS) -> Function:
    """The function, whose head says which stage it is at by now."""
    old, new = f", {before} stage", f", {now} stage"
    return function.with_(notes=tuple(f"{n.removesuffix(old)}{new}" if n.endswith(old) else n for n in function.notes))


def _faults(function: Function, program: Program, calls: Mapping[str, Shared]) -> Iterator[Diagnostic]:
    """What breaks the rules of the language, or else what would change something of the caller's."""
    found = findings(function, function.stage)
    if found:
        yield from (_diagnostic(f.statement, f.message, function) for f in found)
    elif function.stage == LOOPS:
        yield from _changed_arguments(function, is_entry=function is program.main)
    else:
        yield from _seen_otherwise(function, calls)


def _seen_otherwise(function: Function, calls: Mapping[str, Shared]) -> Iterator[Diagnostic]:
    """Stores of a typed function that another name would show: of a parameter, of what a view is a view of.

    `calls` say what the results of functions share with what they are given.
    """
    for conflict in conflicts(function, as_numpy=True, calls=calls):
        if conflict.other in function.parameters:
            message = f"the argument `{conflict.other}` is changed"
        else:
            shared = f"`{conflict.other}`, which shares its elements,"
            message = f"`{conflict.stored}` is changed while {shared} is still used"
        name = conflict.other
        yield _diagnostic(conflict.store, message, function, "L004", f"work on a copy: `{name}.copy()`")


def _changed_arguments(function: Function, is_entry: bool) -> Iterator[Diagnostic]:
    """Stores of a loops function into what its caller holds; a list of another function's is there to be added to."""
    kinds = Array | ListOf if is_entry else Array
    held = [name for name in function.parameters if isinstance(function.types[name], kinds)]
    aliases = shared_with_caller(function, held)
    for statement in syntax.walk(function.body):
        for name in stored_names(statement):
            link, is_list = aliases.before(statement).between(name, CALLER), isinstance(function.types[name], ListOf)
            if link is None or not isinstance(function.types[name], kinds) or is_list and link.by_items:
                continue  # a list that is made here and holds arrays of the caller's may get another item
            message = f"`{name}` is, or may share elements with, an argument, and is changed"
            help_ = "store into an array made here: `np.empty(...)`"
            yield _diagnostic(statement, message, function, "L004", help_)



def _diagnostic(
    statement: gast.stmt | None, message: str, function: Function, code: str = "L003", *help: str
) -> Diagnostic:
    span = getattr(statement, "span", None)
    line = function.origin.line
    return Diagnostic(code, message, span or Span(function.origin.file, line, 0, line, 1), help=help)
