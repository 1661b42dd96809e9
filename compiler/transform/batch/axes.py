"""Where the examples are: `in_axes` and `out_axes` of `vmap`, held against the structure of arguments and results.

    in_axes=(None, 0)    of f(w, x)    ->    {"w": nothing is mapped, "x": axis 0}

An axis is an int, None for what all examples share, or a container of axes like the value itself.  A tuple says so for
parameter after parameter; keywords and defaults after it are mapped over axis 0, but for single numbers.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from ... import types
from ...diagnostics import BatchError, Diagnostic, Span
from ...frontend.specialise.specialised import Specialised
from ...frontend.specialise.values import (
    Column,
    Leaf,
    Mapping_,
    Record,
    Rows,
    Sequence,
    Typed,
    Value,
    leaves,
    parts,
    with_parts,
)
from ...records import dataclass
from ...request import Batch, NamedAxes

POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
Change = Callable[[Value, int | None, str], Value]


@dataclass(frozen=True, slots=True)
class Parameters:
    """What is known of the parameters of a function.

    starred   those that take any number of arguments
    optional  those that may have no axis
    required  those that every call gives something, by position
    """

    own: frozenset[str]
    starred: frozenset[str]
    optional: frozenset[str]
    required: frozenset[str] = frozenset()


def by_parameter(
    transform: Batch, arguments: Mapping[str, Value], parameters: Parameters, where: Span
) -> dict[str, tuple[Value, Any]]:
    """Each argument with what `in_axes` says of it."""
    given = transform.in_axes
    found: dict[str, tuple[Value, Any]] = {name: (value, None) for name, value in arguments.items()}
    listed = list(given) if isinstance(given, tuple) else None
    for name, value in arguments.items():
        if name not in parameters.own or name in transform.shared:
            continue
        if listed is None:
            axes = None if _is_default(name, value, parameters) else given
        elif name in parameters.starred and isinstance(value, Sequence):
            if len(listed) < len(value.items):
                _require_rest_of_all(transform, where)
            axes = (*listed, *[transform.rest] * len(value.items))[: len(value.items)]
            listed = listed[len(value.items) :]
        elif listed:
            axes = listed.pop(0)
        else:
            if name in parameters.required:
                _require_rest_of_all(transform, where)
            axes = None if _is_default(name, value, parameters) else transform.rest
        found[name] = value, axes
    if listed:
        fault(where, f"in_axes has {len(given)} entries, but there are {len(given) - len(listed)} arguments")
    return found


def _require_rest_of_all(transform: Batch, where: Span) -> None:
    """Raise a BatchError where a tuple `in_axes` has no entry for an argument."""
    if not transform.is_rest_of_all:
        count = len(transform.in_axes)
        fault(where, f"in_axes has {count} entr{'y' if count == 1 else 'ies'}, and there are more arguments",
              "give an entry for each argument, or one axis for all: `in_axes=0`")  # fmt: skip


def _is_default(name: str, value: Value, parameters: Parameters) -> bool:
    """Whether a parameter has a default and holds single numbers, which have no axis."""
    numbers = (isinstance(leaf, Typed) and isinstance(leaf.type, types.Scalar) for leaf in leaves(value))
    return name in parameters.optional and all(numbers)


def map_axes(value: Value, axes: Any, change: Change, where: Span, name: str, option: str) -> Value:
    """A value with every leaf replaced by `change(leaf, its axis, its name)`."""
    if isinstance(value, Column):  # along a list: the examples are in its items
        made = change(value.values, axes if axes is None else _inside(axes, value), name)
        return Column(made, value.is_weak)
    inner = parts(value)
    if not inner:
        if isinstance(axes, tuple | NamedAxes):
            fault(where, f"{option} has {_shown(axes)} for {name}, which is no container")
        return change(value, axes, name)
    if axes is None or isinstance(axes, int):
        own: list[Any] = [axes] * len(inner)
    else:
        own = _parted(value, axes, where, name, option)
    named = (f"{name}[{key!r}]" if not isinstance(value, Record) else f"{name}.{key}" for key, _ in inner)
    return with_parts(
        value, tuple(map_axes(p, a, change, where, n, option) for (_, p), a, n in zip(inner, own, named))
    )


def _inside(axis: int, column: Column) -> int:
    """The axis of an item is one further back in the column of all items."""
    return axis + 1 if axis >= 0 else axis


def _parted(value: Value, axes: Any, where: Span, name: str, option: str) -> list[Any]:
    """The axes of the parts of a container."""
    keys = [key for key, _ in parts(value)]
    match value:
        case Sequence() | Record() if isinstance(axes, tuple) and len(axes) == len(keys):
            return list(axes)
        case Mapping_() | Record() if isinstance(axes, NamedAxes) and {name for name, _ in axes.parts} == set(keys):
            named = dict(axes.parts)
            return [named[key] for key in keys]
        case Rows() if isinstance(axes, tuple) and len(set(map(repr, axes))) == 1:
            return [axes[0]]
    fault(where, f"{option} has {_shown(axes)} for {name}, which is not built like it")


def _shown(axes: Any) -> str:
    """Axes as they were given."""
    return repr(dict(axes.parts) if isinstance(axes, NamedAxes) else axes)


def fault(
    where: Span, message: str, *help_: str, code: str = "B001", label: str = "mapped here", spoken: str = "vmap"
) -> NoReturn:  # fmt: skip
    raise BatchError(Diagnostic(code, f"{spoken}: {message}", where, label, help=help_))


# --- types ---------------------------------------------------------------------------------------------------------


def of_example(
    transform: Batch, arguments: Mapping[str, Value], below: inspect.Signature, where: Span
) -> dict[str, Value]:
    """The arguments of one example, given those of all: one axis less."""

    def one(leaf: Value, axis: Any, name: str) -> Value:
        if axis is None or not isinstance(leaf, Typed):
            return leaf
        return Typed(_without(leaf.type, axis, name, where))

    kept = below.parameters.values()
    parameters = Parameters(
        frozenset(below.parameters),
        frozenset(p.name for p in kept if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)),
        frozenset(p.name for p in kept if p.default is not p.empty),
        frozenset(p.name for p in kept if p.default is p.empty and p.kind in POSITIONAL),
    )
    found = by_parameter(transform, arguments, parameters, where)
    return {name: map_axes(value, axes, one, where, f"`{name}`", "in_axes") for name, (value, axes) in found.items()}


def _without(type_: types.Type, axis: Any, name: str, where: Span) -> types.Type:
    rank = types.rank(type_)
    if isinstance(axis, bool) or not isinstance(axis, int):
        fault(where, f"in_axes says {axis!r} of {name}; an axis is an int, or None")
    if not isinstance(type_, types.Array) or not -rank <= axis < rank:
        fault(where, f"in_axes says axis {axis} of {name}, which has {rank or 'no'} ax{'is' if rank == 1 else 'es'}",
              "say None of what all examples share")  # fmt: skip
    place = axis % rank
    dims = (*type_.dims[:place], *type_.dims[place + 1 :])
    if not dims:
        return types.Scalar(type_.dtype)
    return types.Array(type_.dtype, dims, type_.layout if place == 0 else "A")


def mapped_leaves(made: Specialised, wanted: Any) -> dict[str, tuple[types.Array, int]]:
    """Of the parameters of the function of one example that are mapped: the type of all examples, and their axis."""
    everything = frozenset(wanted.arguments)
    parameters = Parameters(everything, wanted.apart.starred, everything)
    table = made.program.main.types
    found: dict[str, tuple[types.Array, int]] = {}
    for key, (value, axes) in by_parameter(wanted.transform, wanted.arguments, parameters, wanted.where).items():
        given: list[tuple[Value, Any]] = []

        def note(leaf: Value, axis: Any, name: str, given: list = given) -> Value:
            given.append((leaf, axis))
            return leaf

        map_axes(value, axes, note, wanted.where, f"`{key}`", "in_axes")
        for (leaf, axis), held in zip(given, leaves(made.arguments[key]), strict=True):
            if not isinstance(leaf, Typed) or not isinstance(held, Leaf) or not isinstance(leaf.type, types.Array):
                continue
            if axis is not None and leaf.type.ndim == types.rank(table[held.name]) + 1:
                found[held.name] = leaf.type, axis % leaf.type.ndim
    return found
