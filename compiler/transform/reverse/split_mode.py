"""The steps from a program to its derivative in split mode: a forward sweep, and a pullback of cotangents.

    Wanted(Vjp((0,)), span)    ->    differentiable_results, split_sweeps, trim_residuals    ->    both functions
             return_pullback   ->    f_vjp(x): the value, and the function of a pullback with its residuals
               take_pullback   ->    f_pullback(residuals, out_bar): the cotangents of the arguments

Results that are no floats have no cotangent: None stands for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ... import types
from ...analysis.activity import result_names
from ...analysis.influence import first_jump, influence
from ...diagnostics import Label
from ...frontend.specialise.derivatives.cotangents import PULLBACK
from ...frontend.specialise.derivatives.rules import expand
from ...frontend.specialise.functional import Partial
from ...frontend.specialise.specialised import Cut, Specialised
from ...frontend.specialise.values import (
    NONE,
    Column,
    Leaf,
    ListOut,
    OneOf,
    Optional,
    Out,
    Record,
    Rows,
    String,
    Value,
    leaves,
    map_leaves,
    parts,
)
from ...frontend.specialise.values import Sequence as SequenceValue
from ...program import Function, Program
from ...request import COTANGENT, RESIDUALS
from ..derivatives import Wanted, chosen, fault, floats_of, keep_results, require_arguments, slopes_of, split
from .residuals import trim

if TYPE_CHECKING:
    from .forward_and_pullback import Output


def differentiable_results(made: Specialised, wanted: Wanted) -> Specialised:
    """Raise a GradientError where there are no cotangents of the results, or of the arguments."""
    require_arguments(made, wanted)
    out, _ = split(made, wanted)
    _require_fixed(out, wanted)
    if getattr(wanted.transform, "is_linear", False):
        _require_continuous(made, wanted, out)
    return made


def _require_continuous(made: Specialised, wanted: Wanted, out: Value) -> None:
    """Raise a GradientError where the result jumps: it is not linear, even if its slope is the same everywhere."""
    main, wrt = made.program.main, floats_of(made, chosen(made, wanted))
    if influence(made.program, wrt, expand).jumped.isdisjoint(_nodes_of(out, main)):
        return
    span = first_jump(made.program, wrt)
    labels = () if span is None else (Label(span, "by a jump"),)
    message = f"`{main.origin.name}` is not linear: where its arguments change, its result may jump"
    fault(wanted.where, "G004", message, ("take `vjp` of it, or `linearize`",), labels)


def _nodes_of(out: Value, main: Function) -> set[str]:
    """The names of results and of their lengths."""
    names = result_names(main)
    places = [leaf.index for leaf in leaves(out) if isinstance(leaf, Out)]
    return {node for k in places for node in (f"{names[k]}", f"{names[k]}#")}


def _require_fixed(out: Value, wanted: Wanted) -> None:
    what = _without_cotangent(out)
    if what:
        fault(wanted.where, "G002", f"the result of this function, or a part of it, {what}: it has no cotangent",
              ("return arrays, numbers, and containers of them",))  # fmt: skip
    for _, part in parts(out):
        _require_fixed(part, wanted)


def _without_cotangent(out: Value) -> str:
    match out:
        case Optional():
            return "may be None"
        case OneOf():
            return "has one of several structures"
        case String():
            return "is a string that is only known at run time"
        case Rows(kind=kind) if kind is str:
            return "is a string that is only known at run time"
        case Record(cls=cls) if issubclass(cls, dict | set | frozenset | deque):
            return f"is a {cls.__name__} of what is only known at run time"
    return ""


def split_sweeps(made: Specialised, wanted: Wanted) -> Specialised:
    """The program of both sweeps; the entry is the forward one, which returns the residuals as well."""
    from . import split_shared
    from .forward_and_pullback import split_derivative

    what, name = getattr(wanted.transform, "spoken", ("cotangent", "out"))
    values, (out, _), results = chosen(made, wanted), split(made, wanted), made.program.main.results
    outputs = _outputs(out, name, what, results)
    asks = wanted.transform.gives_pullback or wanted.transform.is_pullback
    wrt = floats_of(made, values)
    program = split_shared.split_shared(made.program, wrt, [output.place for output in outputs], expand)
    found = split_derivative(program, wrt, outputs, expand, is_trusted=not asks)
    bars = found.program.functions[found.pullback].parameters
    bars = bars[len(bars) - len(outputs) :]
    named = {output.place: Leaf(bar) for output, bar in zip(outputs, bars, strict=True)}
    cotangents = map_leaves(out, lambda part, _: named.get(getattr(part, "index", -1), NONE))
    slopes = SequenceValue(slopes_of(made, values, 0))
    both = Cut(found.pullback, len(results), cotangents, slopes)
    return replace(made, program=split_shared.forget_split(found.program), cut=both)


def _outputs(value: Value, words: str, what: str, results: Sequence[types.Type]) -> list[Output]:
    """The leaves of a structure that have cotangents, each as the user would write it; of arrays in a list, their
    lengths as well."""
    from .forward_and_pullback import Output

    match value:
        case Out(index=index):
            return [Output(index, words, what)] if types.is_floating(results[index]) else []
        case ListOut(data=Out(index=index)) if not types.is_floating(results[index]):
            return []
        case ListOut(data=Out(index=index), shapes=None):
            return [Output(index, words, what, "items")]
        case ListOut(data=Out(index=index), shapes=Out(index=lengths)):
            return [Output(index, words, what, "elements"), Output(lengths, words, what, "shapes")]
    found: list[Output] = []
    for key, part in parts(value):
        step = f".{key}" if isinstance(value, Record) else f"[{key!r}]"
        found += _outputs(part, words + step, what, results)
    return [replace(output, words=words) for output in found] if isinstance(value, Rows | Column) else found


# --- residuals -----------------------------------------------------------------------------------------------------


def trim_residuals(made: Specialised, _: Wanted) -> Specialised:
    """Return as residuals what the pullback reads and cannot have from other residuals."""
    assert made.cut is not None
    main, other = made.program.main, made.program.functions[made.cut.pullback]
    forward, back, _kept = trim(main, other, made.cut.first)
    if forward is main:
        return made
    functions = {**made.program.functions, forward.name: forward, back.name: back}
    return replace(made, program=Program(made.program.entry, functions))


# --- what is asked for ---------------------------------------------------------------------------------------------


def require_linear(made: Specialised, wanted: Wanted) -> None:
    """Raise a GradientError where the result is not linear, and the pullback depends on the values of the arguments."""
    assert made.cut is not None
    main = made.program.main
    found = influence(made.program, floats_of(made, chosen(made, wanted)), expand)
    if found.bent.isdisjoint(_nodes_of(split(made, wanted)[0], main)):
        return
    for atom in main.body[-1].value.elts[made.cut.first :]:
        name = getattr(atom, "id", "")
        if name in found.changed or f"{name}#" in found.changed:
            message = f"`{main.origin.name}` is not linear: its derivative depends on the value of `{name}`"
            fault(wanted.where, "G004", message, ("take `vjp` of it, or `linearize`",))


def return_pullback(made: Specialised, wanted: Wanted) -> Specialised:
    """The forward sweep, which returns the residuals together with the function that takes them."""
    assert made.cut is not None
    if wanted.transform.is_linear:
        require_linear(made, wanted)
    out, auxiliary = split(made, wanted)
    residuals = SequenceValue(tuple(Out(k) for k in range(made.cut.first, len(made.program.main.results))))
    given = (out, Partial(PULLBACK, (residuals,)))
    program, result = keep_results(made.program, SequenceValue(given if auxiliary is None else (*given, auxiliary)))
    return replace(made, program=program, result=result, cut=None)


def take_pullback(made: Specialised, _: Wanted) -> Specialised:
    """The pullback."""
    assert made.cut is not None
    program = Program(made.cut.pullback, made.program.functions)
    bars = _names_of(made.cut.cotangents)
    residuals = program.main.parameters[: len(program.main.parameters) - len(bars)]
    arguments = {RESIDUALS: SequenceValue(tuple(map(Leaf, residuals))), COTANGENT: made.cut.cotangents}
    return replace(made, program=program, arguments=arguments, result=made.cut.slopes, hidden=(), cut=None)


def _names_of(value: Value) -> Sequence[str]:
    return [leaf.name for leaf in leaves(value) if isinstance(leaf, Leaf)]
