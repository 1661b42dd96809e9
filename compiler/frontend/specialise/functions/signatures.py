"""What a function that is compiled on its own depends on: one is made for each signature.

power(x, 3), x: f64[n]     ->     (identity of power, x: f64[any], n: int)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from .... import types
from ....types import Array, ListOf
from ..frame import Frame
from ..values import Lent, Static, Typed, Value, is_number, parts, with_parts
from ..world.taking_apart import known_parts


def signature(
    frame: Frame, identity: Hashable, bound: dict[str, Value], static: tuple[str, ...] = ()
) -> tuple[Any, dict[str, Value]]:
    """What a compiled instance depends on: the structure of its arguments, the types of leaves, static values.

    static  the arguments that the function knows
    """

    def general(part: Value, _: tuple) -> Value:
        found = frame.type_of(part)
        if found is None:
            return part
        if isinstance(found, Array):
            found = Array(found.dtype, tuple(1 if d == 1 else types.symbol("any") for d in found.dims), "A")
        if isinstance(found, ListOf):
            frame.fault("U018", "a list that grows cannot be an argument", frame.node)
        return Typed(found)

    abstract = {
        name: value if name in static else map_unknown(frame.tree(value), general) for name, value in bound.items()
    }
    derived = frame.task.is_differentiated, frame.task.along  # such instances keep the rules for their derivatives
    kept = tuple(map(id, frame.task.keepers))  # they freeze values of their own
    return (identity, derived, kept, tuple((k, _text(v)) for k, v in abstract.items())), abstract


def map_unknown(value: Value, change: Callable[[Value, tuple], Value]) -> Value:
    """Rebuild a value as `map_leaves` does; known fields of registered dataclasses stay what they are."""
    inner = parts(value)
    if not inner:
        return change(value, ())
    known = known_parts(value)
    stays = [key in known and _is_static(part) for key, part in inner]
    return with_parts(value, tuple(p if s else map_unknown(p, change) for (_, p), s in zip(inner, stays)))


def _is_static(value: Value) -> bool:
    """Whether a value, or all that a container holds, is known when the function is compiled."""
    inner = parts(value)
    return all(_is_static(part) for _, part in inner) if inner else isinstance(value, Static)


def _text(value: Value) -> Any:
    inner = parts(value)
    if inner:
        return (type(value).__name__, value.facts(), tuple((k, _text(v)) for k, v in inner))
    if isinstance(value, Static):
        plain = is_number(value) or isinstance(value.value, str | None)
        return ("static", repr(value.value) if plain else id(value.value))
    if isinstance(value, Lent):
        return ("lent", value.place)
    return str(value.type) if isinstance(value, Typed) else id(value)
