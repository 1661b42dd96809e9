"""What to write instead where a value is not known, but must be when the function is compiled.

    def f(x, k): return np.sum(x, axis=k + 1)     ->     mark the argument: @compile(static=("k",))
    def f(x): return np.zeros((2,) * int(x[0]))   ->     nothing to mark: `x` is an array

Arguments are proposed only where they are numbers of the function that is compiled, and they alone decide the value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...types import Scalar
from .values import Leaf, Value

if TYPE_CHECKING:
    from .frame import Frame

# What to do instead, by a part of the phrase for what must be known.
WITHOUT_KNOWING = {
    "the number of items": "write a `for` loop, which may `append` to a list",
}


def ways_out(frame: Frame, value: Value, what: str) -> tuple[str, ...]:
    hints = [hint for part, hint in WITHOUT_KNOWING.items() if part in what]
    deciding = deciding_arguments(frame, value)
    if deciding:
        listed = ", ".join(f'"{name}"' for name in deciding) + ("," if len(deciding) == 1 else "")
        plural = "s" if len(deciding) > 1 else ""
        hints.append(f"mark the argument{plural}: @compile(static=({listed}))")
    return tuple(hints)


def deciding_arguments(frame: Frame, value: Value) -> list[str]:
    """The arguments of the compiled function that decide a value, in order; none where something else does, too."""
    entry = frame
    while (around := entry.caller or entry.outer) is not None:
        entry = around
    if entry.builder is not frame.builder or not isinstance(value, Leaf):
        return []
    types, made, met = frame.builder.types, _made(frame.builder.body), [value.name]
    for name in met:  # the list grows while it is walked
        if not isinstance(types.get(name), Scalar) or name not in made and name not in frame.builder.arguments:
            return []
        met += [read for read in made.get(name, ()) if read not in met]
    arguments = entry.source.tree.args
    own = [a.id for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    leaves = [name for name in frame.builder.arguments if name in met]
    return [name for name in own if name in leaves] if set(leaves) <= set(own) else []


def _made(body: list[gast.stmt]) -> dict[str, list[str]]:
    """What each name is computed from, except names that merge values, as these depend on the path as well."""
    found: dict[str, list[list[str]]] = {}
    for statement in syntax.walk(body):
        if isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name):
            found.setdefault(statement.targets[0].id, []).append(syntax.names_read(statement.value))
    return {name: reads[0] for name, reads in found.items() if len(reads) == 1}
