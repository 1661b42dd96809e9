"""Values of several structures (`structures.py`): an operation applies to the one that is present.

    area = shape.area()     ->     if shape_is_Circle: area = 3.14 * shape_radius ** 2
                                   else: area = shape_side ** 2

A test of the structure (`isinstance`, `len`, `type`, `callable`) narrows the possible structures in what follows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import gast

from .. import protocol
from ..frame import Frame
from ..functional import Bound
from ..interpreter import apply, branches, choices, evaluate
from ..library.static_python import stop
from ..values import NONE, OneOf, Static, Value
from . import classes, optional, structures

Act = Callable[..., Value]


@protocol.of_cases.of(OneOf)
def of_cases(frame: Frame, value: OneOf, act: Callable[[Value], Value], node: gast.AST, hint: str = "t") -> Value:
    """The result of `act` for the case that is present."""
    there = [k for k, flag in enumerate(value.flags) if flag != Static(False)]
    if len(there) == 1:
        return act(value.cases[there[0]])
    flags, paths = [value.flags[k] for k in there], [_walked(frame, value, value.cases[k], act) for k in there]
    if all(choices.may_run_in_vain(frame, path) and not path.side.body for path in paths):
        made = [path.result for path in paths]
        if all(one == made[0] for one in made):
            return made[0]
        kinds = [structures.kind_of(frame, one, frame.heap.contents) for one in made]
        if all(isinstance(one, Bound) for one in made):  # methods of different objects, each to be called on its own
            kinds = [value.kinds[k] for k in there]
        if None not in kinds and len(set(kinds)) == len(kinds):
            return OneOf(tuple(flags), tuple(made), tuple(filter(None, kinds)))
    same = all(path.result is value.cases[k] for k, path in zip(there, paths) if path.side.variables is not None)
    for path in paths if same else ():  # each remains the object that it was
        path.result = NONE
    rest = paths[-1]
    for flag, path in list(zip(flags, paths))[-2:0:-1]:
        chosen = partial(choices.branch_value, frame, flag, path, rest, node, hint)
        rest = branches.walk(frame, chosen)
    made_of_all = choices.branch_value(frame, flags[0], paths[0], rest, node, hint)
    return value if same else made_of_all


def _walked(frame: Frame, value: OneOf, case: Value, act: Callable[[Value], Value]) -> branches.Walk:
    """Walk one case, with the variables that hold the value narrowed to it."""
    known = {name: case for name, held in frame.variables.items() if held == value}
    path = branches.walk(frame, optional.knowing(frame, known, partial(act, case)))
    optional.forgotten(path.side, known, frame.variables)
    return path


def distributed(frame: Frame, act: Act, values: list[Value], node: gast.AST, hint: str = "t") -> Value | None:
    """`act(*values)` for the cases of the first that has several structures; None where none has."""
    for place, value in enumerate(values):
        if isinstance(value, OneOf):
            return of_cases(frame, value, _beside(act, values[:place], values[place + 1 :]), node, hint)
    return None


@protocol.infix.of(OneOf, beside=(protocol.ANY,))
def _(frame: Frame, left: Value, right: Value, op: type, node: gast.AST, hint: str = "t") -> Value | None:
    of_case = lambda one, other: protocol.infix(frame, one, other, op, node)  # noqa: E731
    return distributed(frame, of_case, [left, right], node, hint)


def _beside(act: Act, before: list[Value], after: list[Value]) -> Act:
    return lambda case: act(*before, case, *after)


def called(
    frame: Frame, call: Act, function: Any, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str
) -> Value | None:
    """A call for the cases of an argument that has several structures; None where none has."""

    def act(*given: Value) -> Value:
        return call(frame, function, list(given[: len(args)]), dict(zip(kwargs, given[len(args) :])), node, hint)

    return distributed(frame, act, [*args, *kwargs.values()], node, hint)


@protocol.attribute.of(OneOf)
def _(frame: Frame, value: OneOf, name: str, node: gast.AST, hint: str = "t") -> Value:
    """`value.name`; a structure that lacks it raises as Python does."""

    def of_case(case: Value) -> Value:
        cls = protocol.python_class(frame, case)
        held = classes.instance(frame, case)
        has = held is not None and (held.get(name) is not None or hasattr(held.cls, name))
        if cls is not None and not has and not hasattr(cls, name):
            stop(frame, "AttributeError", f"'{cls.__name__}' object has no attribute '{name}'", node)
        return protocol.attribute(frame, case, name, node, hint)

    return of_cases(frame, value, of_case, node, hint)


def items(frame: Frame, value: OneOf, node: gast.AST) -> Value:
    """The items that are iterated over, in a list; what has no items raises as Python does."""

    def of_case(case: Value) -> Value:
        cls = protocol.python_class(frame, case)
        if cls is not None and not hasattr(cls, "__iter__"):
            stop(frame, "TypeError", f"'{cls.__name__}' object is not iterable", node)
        return apply.call_object(frame, list, [case], {}, node, "t")

    return of_cases(frame, value, of_case, node)


def is_of_classes(frame: Frame, value: OneOf, wanted: tuple[type, ...], node: gast.AST) -> Value:
    """The flags of the structures that are of these classes."""
    answers = [classes.is_of_classes(frame, case, wanted, node) for case in value.cases]
    if all(isinstance(answer, Static) for answer in answers):
        return any_of(frame, [flag for flag, answer in zip(value.flags, answers) if answer == Static(True)], node)
    return of_cases(frame, value, lambda case: classes.is_of_classes(frame, case, wanted, node), node)


def any_of(frame: Frame, flags: list[Value], node: gast.AST) -> Value:
    found: Value = Static(False)
    for flag in flags:
        is_first = found == Static(False)
        found = flag if is_first else frame.emit("logical_or", found, flag, node=node)
    return found


# --- narrowing by tests --------------------------------------------------------------------------------------------


def known_from(frame: Frame, test: gast.expr, outcome: bool) -> dict[str, Value]:
    """The structures that a variable may have after a test of its structure with this outcome."""
    name = _asked_about(test)
    found = None if name is None else frame.variables.get(name)
    if name is None or not isinstance(found, OneOf):
        return {}
    left = [k for k, case in enumerate(found.cases) if _may_come_out(frame, name, case, test, outcome)]
    if not left or len(left) == len(found.cases):
        return {}
    if len(left) == 1:
        return {name: found.cases[left[0]]}
    pairs = [(found.flags[k], found.cases[k], found.kinds[k]) for k in left]
    flags, cases, kinds = zip(*pairs)
    return {name: OneOf(flags, cases, kinds)}


def _asked_about(test: gast.expr) -> str | None:
    """The variable whose structure a test is about: `isinstance(x, C)`, `len(x) == 2`, `type(x) is C`."""
    if isinstance(test, gast.Compare):
        test = test.left
    match test:
        case gast.Call(func=gast.Name(id="isinstance" | "len" | "type" | "callable"), args=[gast.Name(id=name), *_]):
            return str(name)
    return None


def _may_come_out(frame: Frame, name: str, case: Value, test: gast.expr, outcome: bool) -> bool:
    run = optional.knowing(frame, {name: case}, lambda: protocol.truth(frame, evaluate.evaluate(frame, test), test))
    path = branches.walk(frame, run)
    return path.side.variables is not None and path.result != Static(not outcome)


@protocol.truth.of(OneOf)
def _(frame: Frame, value: OneOf, node: gast.AST) -> Value:
    return of_cases(frame, value, lambda case: protocol.truth(frame, case, node), node)


@protocol.describe.of(OneOf)
def _(frame: Frame, value: OneOf) -> str:
    return " or ".join(dict.fromkeys(protocol.describe(frame, case) for case in value.cases))
