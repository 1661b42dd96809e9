"""The languages between the steps, as tables, and the verifier that holds functions to them.

    verify(function, "typed")     ->     ("line 5: `y = add(x)`: `add` takes 2 operands, not 1",)

    core      plain Python with one way out                        (before types)
    typed     one operator on atoms per assignment, every name typed
    single    typed, and every name assigned once but for merges
    loops     nested scalar expressions, explicit buffers and conversions

A language is the forms of its statements and its invariants; each invariant is a function from a function to findings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import gast

from .. import syntax
from ..analysis.assignment import merge_faults, unassigned_reads
from ..analysis.folds import folding_faults
from ..analysis.lanes import lanes_faults
from ..analysis.memory.noalias import noalias_faults
from ..analysis.reaching import changed_definitions
from ..analysis.result_types import result_type
from ..annotations import unknown_annotations
from ..diagnostics import InternalError
from ..ops import schema
from ..ops.forms import FORMS
from ..program import Function, Program
from ..records import dataclass
from ..targets.python.unparse import statement_text
from ..types import Array, ListOf, Scalar, Type
from .verify_forms import core_faults, loops_faults, typed_faults
from .verify_lengths import buffer_length_faults, length_faults
from .verify_types import conversion_faults, declared_faults, type_faults

Fault = tuple[gast.stmt, str]
Check = Callable[[Function], Iterable[Fault]]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a language does not allow, at the smallest statement that shows it; None for a whole function."""

    statement: gast.stmt | None
    message: str

    def __str__(self) -> str:
        if self.statement is None:
            return self.message
        span = getattr(self.statement, "span", None)
        place = f"line {span.line}: " if span is not None else ""
        return f"{place}`{first_line(self.statement)}`: {self.message}"


@dataclass(frozen=True, slots=True)
class Stage:
    """A language: what its statements may look like, and what holds of a function as a whole.

    Later checks may take for granted what earlier ones established, and run only where those found nothing.
    """

    name: str
    checks: tuple[Check, ...]


# --- invariants that need no analysis ------------------------------------------------------------------------------


def ends_with_return(function: Function) -> Iterable[Fault]:
    """One `return`, the last statement."""
    returns = [s for s in syntax.walk(function.body) if isinstance(s, gast.Return)]
    if not function.body or not isinstance(function.body[-1], gast.Return):
        if function.body:
            yield function.body[-1], "the last statement is not `return`"
    for statement in returns:
        if statement is not function.body[-1]:
            yield statement, "a `return` that is not the last statement"


def has_spans(function: Function) -> Iterable[Fault]:
    """Every statement says where the user wrote it."""
    for statement in syntax.walk(function.body):
        if getattr(statement, "span", None) is None:
            yield statement, "no span: nobody knows which line of the user's this is"


def annotation_faults(function: Function, language: str) -> Iterable[Fault]:
    """Nodes carry nothing that this language does not have."""
    for statement in syntax.walk(function.body):
        for node in (statement, *syntax.own_nodes(statement)):
            fields = (*node._fields, *node._attributes)  # the lines of a template are not the user's
            for name in unknown_annotations(node.__dict__, fields, language):
                yield statement, f"`{name}` is said of it, which is neither printed nor known in this language"


# --- the languages -------------------------------------------------------------------------------------------------

TYPED_CHECKS = (
    typed_faults, ends_with_return, has_spans, declared_faults, unassigned_reads, type_faults, length_faults,
)

STAGES = {
    "core": Stage("core", (core_faults, ends_with_return)),
    "typed": Stage("typed", TYPED_CHECKS),
    "single": Stage("single", (*TYPED_CHECKS, merge_faults)),
    "loops": Stage(
        "loops",
        (
            loops_faults, ends_with_return, has_spans, declared_faults, unassigned_reads, lanes_faults, folding_faults,
            noalias_faults, conversion_faults, buffer_length_faults,
        ),
    ),
}


def findings(function: Function, stage: str) -> tuple[Finding, ...]:
    """Everything in which a function breaks the rules of a language, by the first check that finds anything."""
    for check in (*STAGES[stage].checks, *_annotated(stage)):
        found = tuple(Finding(statement, message) for statement, message in check(function))
        if found:
            return found
    return ()


def _annotated(stage: str) -> tuple[Check, ...]:
    """The check of what nodes carry, which core trees take from the source as they are."""
    return () if stage == "core" else (lambda function: annotation_faults(function, stage),)


def verify(function: Function, stage: str) -> tuple[str, ...]:
    """The findings as strings; empty for a function of the language."""
    return tuple(map(str, findings(function, stage)))


def call_findings(program: Program) -> tuple[Finding, ...]:
    """Calls between the functions of a program that do not fit: unknown, or with other arguments or results."""
    found = []
    for function in program.functions.values():
        for statement in syntax.walk(function.body):
            found += [Finding(statement, message) for message in _call_faults(statement, function, program)]
    return tuple(found)


def _call_faults(statement: gast.stmt, function: Function, program: Program) -> Iterable[str]:
    value = getattr(statement, "value", None)
    name = syntax.operator_of(value) if isinstance(value, gast.Call) else None
    if value is None or name is None or name in schema.OPERATORS or name in FORMS:
        return
    callee = program.functions.get(name)
    if callee is None:
        yield f"there is no function or operator `{name}`"
        return
    if len(value.args) != len(callee.parameters):
        yield f"`{name}` takes {len(callee.parameters)} arguments, not {len(value.args)}"
    for argument, parameter in zip(value.args, callee.parameters):
        given, wanted = result_type(argument, function.types), callee.types.get(parameter)
        if given is not None and wanted is not None and not _fits(given, wanted):
            yield f"`{parameter}` of `{name}` is {wanted}, and gets {given}"
    names = list(syntax.names_bound(statement))
    if names and len(names) != len(callee.results):
        yield f"`{name}` gives {len(callee.results)} results, not {len(names)}"
    for bound, result in zip(names, callee.results):
        if bound in function.types and not _fits(result, function.types[bound]):
            yield f"`{name}` gives {result} for `{bound}`, which is {function.types[bound]}"


def _fits(given: Type, wanted: Type) -> bool:
    """Equal but for lengths, which are symbols of one function each, and for strides that are known better."""
    if isinstance(given, ListOf) and isinstance(wanted, ListOf):
        return _fits(given.element, wanted.element)
    if isinstance(given, Array) and isinstance(wanted, Array):
        strides = given.layout == "C" or wanted.layout == "A"
        return given.dtype == wanted.dtype and given.ndim == wanted.ndim and strides
    if isinstance(given, Scalar) and isinstance(wanted, Scalar):
        return given.dtype == wanted.dtype and (given.weak or not wanted.weak)
    return False


def require(function: Function, stage: str, step: str | None = None) -> None:
    """Raise InternalError, naming the step and the smallest statement, unless the function is of the language.

    A record never changes: what a step has left as it was is not looked at again.
    """
    sound = function.held.setdefault(require, set())
    if stage in sound:
        return
    found = findings(function, stage)
    if not found:
        sound.add(stage)
        return
    smallest = min(found, key=lambda f: len(text_of(f.statement)))
    reason = f"function `{function.name}` is not of the {stage} stage: {smallest.message}"
    raise InternalError(step or stage, text_of(smallest.statement), reason)


def require_same_definitions(before: Function, after: Function, step: str) -> None:
    """Raise InternalError where a pass that renames lets another definition reach a read."""
    for statement, message in changed_definitions(before, after):
        raise InternalError(step, text_of(statement), f"function `{after.name}`: {message}")


def require_calls(program: Program, step: str) -> None:
    """Raise InternalError where a function calls an unknown one, or with other arguments or results."""
    for finding in call_findings(program):
        raise InternalError(step, text_of(finding.statement), finding.message)


def first_line(statement: gast.stmt) -> str:
    return text_of(statement).split("\n", 1)[0]


def text_of(statement: gast.stmt | None) -> str:
    """A statement as the compiler holds it, operators as calls."""
    if statement is None:
        return ""
    try:
        return statement_text(statement)
    except Exception:  # a node that is no Python at all is shown as it is
        return gast.dump(statement)
