"""Walk through a rule of a derivative that is written in the language, where its operators are wanted.

    def prod(x, out, out_bar, axis, keepdims): ...     ->     product = ones(...); for k in range(n): ...

The backward sweep takes this as an argument, because `transform/` may not import the frontend.
"""

from __future__ import annotations

import types as python_types
from collections.abc import Mapping, Sequence
from typing import Any

import gast

from .... import syntax
from ....builder import Builder
from ..frame import Frame, Task
from ..interpreter import apply
from ..kinds import every  # noqa: F401
from ..values import Leaf, Static, Value
from ..values import Sequence as SequenceValue


def expand(
    builder: Builder,
    function: python_types.FunctionType,
    atoms: Sequence[gast.expr | Sequence[gast.expr]],
    static: Mapping[str, Any],
) -> tuple[gast.expr | None, ...]:
    """Emit the body of a library function for operands, or tuples of them; its results, None where it returns None."""
    task = Task()
    source = task.source_of(function)
    namespace = task.world.namespace(function, True)
    caller = Frame(task, builder, source, namespace)  # the backward sweep: all statements have its location
    frame = Frame(task, builder, source, namespace, is_library=True, caller=caller, call_span=builder.span)
    core, frame.live_after = apply.core_of(source.tree)
    names = [a.id for a in source.tree.args.args]
    values = list(map(_value, atoms))
    frame.variables = dict(zip(names, [*values, *(Static(static[n]) for n in names[len(values) :])], strict=True))
    made = frame.tree(apply.run(frame, core))
    results = made.items if isinstance(made, SequenceValue) else (made,)
    return tuple(None if value == Static(None) else frame.atom(value, source.tree) for value in results)


def _value(given: gast.expr | Sequence[gast.expr]) -> Value:
    match given:
        case gast.Name(id=name):
            return Leaf(name)
        case gast.Constant():
            return Static(syntax.value_of(given))
    return SequenceValue(tuple(map(_value, given)))
