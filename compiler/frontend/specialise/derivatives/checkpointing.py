"""`checkpoint` inside a compiled function: of a range, whose loop is cut into segments, of a test, and of a function.

    for t in checkpoint(range(n)): ...     ->     a loop over Range(0, n, 1, segments=0)
    while checkpoint(s > x): ...           ->     the loop, with a mark
    checkpoint(step)(x)                    ->     a call of `step` that stays one
"""

from __future__ import annotations

from dataclasses import replace

import gast

from .....runtime import parts as of_python
from .....runtime.amounts import memory
from .....runtime.given_rules import GivenRule, written_out
from .. import protocol
from ..frame import Frame
from ..functional import Closure, Partial
from ..interpreter import apply, evaluate
from ..iterables import Range
from ..values import Static, Value
from . import ruled_calls

MARK = of_python.checkpointed  # what `pellucid.checkpoint` is to the compiler


def checkpointed(frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
    """`checkpoint(range(n), segments=8)`, `checkpoint(range(n), memory="64 MB")` or `checkpoint(f)`."""
    (what,) = args
    segments = protocol.known(frame, kwargs.get("segments", Static(None)), node, "`segments`")
    budget = protocol.known(frame, kwargs.get("memory", Static(None)), node, "`memory`")
    if segments is not None and (type(segments) is not int or segments < 1):
        frame.fault("T005", f"`segments` is a number of segments, not {segments!r}", node, "called here")
    numbers = protocol.known(frame, kwargs.get("static_argnums", Static(())), node, "`static_argnums`")
    if isinstance(what, Range):
        if budget is not None and (segments is not None or memory(budget) is None):
            message = f'`memory` is an amount such as "64 MB", in the place of `segments`, not {budget!r}'
            frame.fault("T005", message, node, "called here")
        return replace(what, segments=segments or 0, budget=memory(budget))
    is_function = isinstance(what, Closure) or isinstance(what, Static) and callable(what.value)
    if not is_function:  # a loop's options do not change a value, as in Python
        message = f"`checkpoint` takes a function, or the range of a loop, not {frame.describe(what)}"
        helps = ("loop over a `range`", "write it around the whole test of a `while`")
        frame.fault("T001", message, node, "called here", helps)
    places = (numbers,) if isinstance(numbers, int) else tuple(numbers)
    return Partial(Static(of_python.call_checkpointed), (what, Static(places)))


def test_inside(frame: Frame, test: gast.expr) -> gast.expr | None:
    """The test of a loop without the `checkpoint` around it; None where there is none."""
    match test:
        case gast.Call(func=gast.Name() | gast.Attribute() as called, args=[inside], keywords=[]):
            value = evaluate.evaluate(frame, called)
            is_it = isinstance(value, Static) and getattr(value.value, "__pellucid_known__", None) is MARK
            return inside if is_it else None
    return None


def call_checkpointed(frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
    function, numbers, *given = args
    plain = written_out(function.value) if isinstance(function, Static) else None
    tree = function.node if isinstance(function, Closure) else None
    if plain is not None and hasattr(plain, "__code__"):
        tree = frame.task.source_of(plain).tree
    if not frame.task.is_differentiated or tree is None or tree.args.defaults or tree.args.kw_defaults:
        return protocol.call(frame, function, given, kwargs, node, hint)
    name = getattr(tree, "name", "lambda_")
    bound = apply.bind_arguments(frame, tree.args, [], [], given, kwargs, node, name)
    held = function if plain is None else Static(plain)
    count = len(tree.args.posonlyargs) + len(tree.args.args)
    known = tuple(number % count for number in numbers.value) if isinstance(numbers, Static) and count else ()
    return ruled_calls.call(frame, name, held, GivenRule("checkpoint", (), known), tree.args, bound, node)
