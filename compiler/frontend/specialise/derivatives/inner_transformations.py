"""What a transformation makes of a function, where a compiled function asks for it.

    slope = pellucid.grad(loss)     ->     Static(the gradient), or Derived(a function defined inside, (Gradient(0),))

The function is known; its arguments come later, or at once where the transformation takes them as well.
"""

from __future__ import annotations

from typing import Any

import gast

from ....parsing import parsed_expression
from ...source.located import located
from .. import protocol
from ..frame import Frame
from ..functional import Closure, Derived, Partial
from ..values import Static, Value, parts
from . import inner_derivatives


def transform(
    frame: Frame, value: Any, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str = "t"
) -> Value:
    """`grad(f)` inside a compiled function: taken now, as `f` is known now; functions defined inside are closures.

    A transformation that also takes the arguments of the new function, as `jvp(f, primals, tangents)`, calls it.
    """
    called = getattr(value, "__pellucid_called__", ())
    if called and (len(args) > 1 or not kwargs.keys().isdisjoint(called)):
        own = {name: part for name, part in kwargs.items() if name not in called}
        given = {**dict(zip(called, args[1:])), **{name: part for name, part in kwargs.items() if name in called}}
        made = transform(frame, value, [args[0], *args[1 + len(called) :]], own, node)
        return protocol.call(frame, made, [given[name] for name in called if name in given], {}, node, hint)
    options = {k: plain(protocol.known(frame, v, node, f"`{k}`")) for k, v in kwargs.items()}
    rest = [plain(protocol.known(frame, v, node, "this option")) for v in args[1:]]
    asked = _asked(frame, value, rest, options, node)
    made = args[0]
    if isinstance(made, Partial) and (held := _held_by(made)) is not None:
        made = _calling(frame, made, held)
    for one in asked if isinstance(asked, tuple) else (asked,):
        made = _of_partial(frame, value, made, one, node) if isinstance(made, Partial) else (
            _transformed(frame, value, made, one, node)
        )
    return made


def _asked(frame: Frame, value: Any, rest: list[Any], options: dict[str, Any], node: gast.AST) -> Any:
    """The transformation with these options."""
    try:
        return value.__pellucid_transform__(*rest, **options)
    except TypeError:
        words = ", ".join([*map(repr, rest), *(f"{name}={option!r}" for name, option in options.items())])
        frame.fault("T004", f"`{value.__name__}` does not take the options {words}", node, "asked here")
    except ValueError as refused:
        frame.fault("U012", str(refused), node, "asked here")


def plain(option: Any) -> Any:
    """An option that can be part of a key."""
    return tuple(option) if isinstance(option, list) else option


def _of_partial(frame: Frame, value: Any, function: Partial, asked: Any, node: gast.AST) -> Value:
    """The transformation of a function whose first arguments are bound, as those of a method are."""
    behind = asked.behind(len(function.args), tuple(name for name, _ in function.named))
    return Partial(_transformed(frame, value, function.function, behind, node), function.args, function.named)


def _held_by(function: Partial) -> Closure | None:
    """The local function whose pullback it holds, or that is one of its arguments."""
    own = function.function
    if isinstance(own, Derived) and own.transforms[-1].is_pullback:
        return own.closure
    return next((found for found in map(_local_in, function.args) if found is not None), None)


def _local_in(value: Value) -> Closure | None:
    if isinstance(value, Closure | Derived):
        return value.closure if isinstance(value, Derived) else value
    return next((found for _, part in parts(value) if (found := _local_in(part)) is not None), None)


def _calling(frame: Frame, function: Partial, around: Closure) -> Closure:
    """A local function that calls it: transforming that one takes account of the variables that it captures."""
    tree = located(parsed_expression("lambda *args: function(*args)"), around.node, anew=True)
    assert isinstance(tree, gast.Lambda)
    held: dict[str, Value] = {"function": function}
    return Closure(tree, Frame(frame.task, frame.builder, around.frame.source, around.frame.namespace, held))


def _transformed(frame: Frame, value: Any, function: Value, asked: Any, node: gast.AST) -> Value:
    if isinstance(function, Closure | Derived):
        asked = _placed(frame, function, asked, node)
    key = (value, id(getattr(function, "value", function)), asked)
    if key not in frame.task.derived:
        # the function is held, so that its id stays unique
        frame.task.derived[key] = (function, _derivative(frame, value, function, asked, node))
    return frame.task.derived[key][1]


def _placed(frame: Frame, function: Closure | Derived, asked: Any, node: gast.AST) -> Any:
    """The transformation of a function defined inside, with parameter numbers instead of names."""
    closure = function.closure if isinstance(function, Derived) else function
    behind = inner_derivatives.signature_behind(closure.node.args, getattr(function, "transforms", ()))
    try:
        return asked.placed(list(behind.parameters))
    except ValueError as unknown:
        frame.fault("T004", str(unknown), node, "asked here")


def _derivative(frame: Frame, value: Any, function: Value, asked: Any, node: gast.AST) -> Value:
    if isinstance(function, Closure | Derived):
        closure = function.closure if isinstance(function, Derived) else function
        before = function.transforms if isinstance(function, Derived) else ()
        return Derived(closure, (*before, asked))
    given = protocol.known(frame, function, node, "the function")
    return Static(value.__pellucid_inside__(given, asked))
