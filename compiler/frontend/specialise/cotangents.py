"""Hold the cotangent that is given for a result against the result: one container, one shape, one dtype.

    result (f64[n], {"k": float})     given (f64[m], {"k": 1.0})     ->     f64[n] with f64[m], float with 1.0

None stands for the cotangent of what is no float.  A Python float serves for any floating number.  How long the axes
are, the program asks when it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...types import Array, Scalar, Type, is_floating, of_complex
from .values import (
    NONE,
    Mapping_,
    Out,
    Partial,
    Record,
    Sequence,
    Static,
    Typed,
    Value,
    is_none,
    map_leaves,
    parts,
    same_structure,
    with_parts,
)

TypeOf = Callable[[Value], Type | None]
CODE = "G007"
PULLBACK = Static("the pullback of this function")  # in results of a `Vjp`, until the function is there
HELP = ("it has the same structure, shapes and dtypes, and None for what is no float",)


class Misfit(Exception):
    """A cotangent that is not made like the result; the message says how."""


def matched(
    expected: Value, given: Value, type_of: TypeOf, spoken: tuple[str, str]
) -> Iterator[tuple[Type, Value]]:
    """The leaves that are given, each with the type that it must have.  Raises Misfit.

    `spoken` is the word for what is given, and the name of what it belongs to.
    """
    what, words = spoken
    if isinstance(expected, Typed):
        _require_type(expected.type, type_of(given), given, spoken)
        yield expected.type, given
    elif isinstance(expected, Sequence | Mapping_ | Record):
        if not same_structure(expected, given):
            raise Misfit(f"`{words}` is a {_kind(expected)}, and its {what} is not one that is made alike")
        for (key, part), (_, other) in zip(parts(expected), parts(given), strict=True):
            step = f".{key}" if isinstance(expected, Record) else f"[{key!r}]"
            yield from matched(part, other, type_of, (what, words + step))
    elif not is_none(given):
        raise Misfit(f"`{words}` is no float: its {what} is None")


def _require_type(wanted: Type, found: Type | None, given: Value, spoken: tuple[str, str]) -> None:
    what, words = spoken
    if found is None:
        kind = "None" if is_none(given) else "a container" if parts(given) else "no number"
        raise Misfit(f"`{words}` is {_text(wanted)}, and its {what} is {kind}")
    if isinstance(wanted, Scalar):
        number = found if isinstance(found, Scalar) else Scalar(found.dtype) if _is_point(found) else None
        fits = number is not None and (number.dtype == wanted.dtype or number.weak and is_floating(number))
        fits = fits and (of_complex(wanted) or not of_complex(number))
    else:
        fits = isinstance(found, Array) and (found.dtype, found.ndim) == (wanted.dtype, wanted.ndim)
    if not fits:
        raise Misfit(f"`{words}` is {_text(wanted)}, and its {what} is {_text(found)}")


def _is_point(type_: Type) -> bool:
    return isinstance(type_, Array) and type_.ndim == 0


def _text(type_: Type) -> str:
    """A type without the names of its lengths."""
    if isinstance(type_, Array):
        return f"{Scalar(type_.dtype)}[{', '.join('_' for _ in type_.dims)}]"
    return str(type_)


def _kind(value: Value) -> str:
    match value:
        case Sequence(kind=kind, items=items):
            return f"{kind.__name__} of {len(items)}"
        case Mapping_(items=items):
            return f"dict with the keys {', '.join(repr(key) for key, _ in items)}"
        case Record(cls=cls):
            return f"`{cls.__name__}`"
    return "container"


# --- the result of a forward half ----------------------------------------------------------------------------------


def cotangents_of(result: Value | None, result_types: tuple[Any, ...]) -> Value:
    """The structure of the cotangents of what a forward half gives."""
    assert isinstance(result, Sequence)

    def typed(part: Value, _: tuple) -> Value:
        is_float = isinstance(part, Out) and is_floating(result_types[part.index])
        return Typed(result_types[part.index]) if isinstance(part, Out) and is_float else NONE

    return map_leaves(result.items[0], typed)


def with_function(value: Value | None, function: Value) -> Value:
    """A result with this function in the place that is kept for it."""
    assert value is not None
    if isinstance(value, Partial) and value.function == PULLBACK:
        return Partial(function, value.args)
    inner = tuple(with_function(part, function) for _, part in parts(value))
    return with_parts(value, inner) if inner else value
