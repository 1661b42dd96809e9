"""`checkpoint` inside a compiled function: of a range, whose loop is cut into segments, and of a function.

    for t in checkpoint(range(n)): ...     ->     a loop over Range(0, n, 1, segments=0)
    checkpoint(step)(x)                    ->     a call of `step` that stays one
"""

from __future__ import annotations

from dataclasses import replace

import gast

from ....runtime import parts as of_python
from ....runtime.given_rules import GivenRule, written_out
from . import apply, evaluate, ruled_calls
from .frame import Frame
from .values import Closure, Partial, Range, Static, Value


def checkpointed(frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
    """`checkpoint(range(n), segments=8)` or `checkpoint(f)`."""
    (what,) = args
    given = kwargs.get("segments", Static(None))
    segments = evaluate.known(frame, given, node, "`segments`")
    if isinstance(what, Range):
        if segments is not None and (type(segments) is not int or segments < 1):
            frame.fault("T005", f"`segments` is a number of segments, not {segments!r}", node, "called here")
        return replace(what, segments=segments or 0)
    is_function = isinstance(what, Closure) or isinstance(what, Static) and callable(what.value)
    if not is_function or segments is not None:
        message = f"`checkpoint` takes a function, or the range of a loop, not {frame.describe(what)}"
        frame.fault("T001", message, node, "called here", ("loop over a `range`",))
    return Partial(Static(of_python.call_checkpointed), (what,))


def call_checkpointed(frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
    function, *given = args
    plain = written_out(function.value) if isinstance(function, Static) else None
    tree = function.node if isinstance(function, Closure) else None
    if plain is not None and hasattr(plain, "__code__"):
        tree = frame.task.source_of(plain).tree
    if not frame.task.is_differentiated or tree is None or tree.args.defaults or tree.args.kw_defaults:
        return apply.apply(frame, function, given, kwargs, node, hint)
    name = getattr(tree, "name", "lambda_")
    bound = apply.bind_arguments(frame, tree.args, [], [], given, kwargs, node, name)
    held = function if plain is None else Static(plain)
    return ruled_calls.call(frame, name, held, GivenRule("checkpoint"), tree.args, bound, node)
