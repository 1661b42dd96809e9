"""`vjp` inside a function: its forward sweep and its pullback are derived on their own, and called where they are used.

    out, pullback = vjp(f, x)     ->     out, r, r_1 = f_vjp(x)              pullback is the pair (f_pullback, (r, r_1))
    x_bar, = pullback(v)          ->     x_bar = f_pullback(r, r_1, v)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gast

from .....runtime.guards import Guards
from ....types import Array, Scalar
from .. import protocol
from ..frame import Frame
from ..functional import Derived
from ..functions import instances, results
from ..functions.environments import Environment
from ..interpreter import subscript
from ..joins.merging import coerce
from ..kinds import arrays, rows, tables
from ..specialised import Instance, Specialised
from ..values import NONE, Leaf, Rows, Sequence, Static, Table, Typed, Value, leaves, map_leaves
from . import inner_derivatives, inner_transformations
from .cotangents import CODE, HELP, Given, Misfit, cotangents_of, matched, with_function

OPTIONS = ("has_aux", "argnums")


def vjp(frame: Frame, carrier: Any, args: list[Value], kwargs: dict[str, Value], node: gast.AST) -> Value:
    """`vjp(f, *primals, has_aux=..., argnums=...)`; `carrier` is the transformation that makes both functions."""
    unknown = [name for name in kwargs if name not in OPTIONS]
    if not args or unknown:
        what = f"an unexpected keyword argument '{unknown[0]}'" if unknown else "no function"
        frame.fault("T004", f"vjp() got {what}", node, "called here")
    function, *primals = args
    given = protocol.known(frame, kwargs.get("argnums", NONE), node, "`argnums`")
    chosen = range(len(primals)) if given is None else given if isinstance(given, tuple | list) else (given,)
    options = {**kwargs, "argnums": Static(tuple(chosen))}
    derivative = inner_transformations.transform(frame, carrier, [function], options, node)
    return protocol.call(frame, derivative, primals, {}, node)


# --- what the forward sweep returns --------------------------------------------------------------------------------


def complete(instance: Instance, request: Any, arguments: Mapping[str, Value], world: Guards) -> None:
    """Put the pullback into the result, where there is one."""
    transform = request.transforms[-1]
    if transform.gives_pullback:
        cotangents = cotangents_of(instance.result, instance.result_types)
        half = transform.half(request, arguments, cotangents, world)
        instance.result = with_function(instance.result, Static(half))


def complete_local(
    instance: Instance, derived: Derived, arguments: Mapping[str, Value], environment: Environment
) -> None:
    """The same for the derivative of a local function."""
    transform = derived.transforms[-1]
    if transform.gives_pullback:
        asked = transform.pullback(arguments, cotangents_of(instance.result, instance.result_types))
        half = Derived(derived.closure, (*derived.transforms[:-1], asked), environment)
        instance.result = with_function(instance.result, half)


# --- calls of the pullback -----------------------------------------------------------------------------------------


def call(frame: Frame, half: Any, args: list[Value], kwargs: dict[str, Value], node: gast.AST) -> Value:
    """A call of the pullback of a function from outside."""
    request = half.__pellucid__
    if half.world is not None and not half.world.hold():
        message = f"what `{request.python.__name__}` reads from outside has changed since its `vjp` was taken"
        frame.fault("G004", message, node, "called here", ("take the `vjp` again",))
    key = ("pullback", id(half))
    if key not in frame.task.derived:  # `derived` holds it, so that its id stays unique
        task = frame.task
        derived = task.derive(request, {}, is_differentiated=task.is_differentiated, along=task.along)
        frame.task.derived[key] = (half, derived, inner_derivatives.adopt(frame, derived))
    _, derived, instance = frame.task.derived[key]
    return _called(frame, derived, instance, request.transforms[-1], args, kwargs, node)


def call_local(frame: Frame, derived: Derived, args: list[Value], kwargs: dict[str, Value], node: gast.AST) -> Value:
    """The same for a local function, and for what it captured when its value was computed."""
    key = ("pullback", id(derived))
    if key not in frame.task.derived:
        arguments = dict(derived.transforms[-1].arguments)
        slopes = inner_derivatives.derived_of(frame, derived, arguments, derived.environment, node)
        frame.task.derived[key] = (derived, slopes, inner_derivatives.adopt(frame, slopes))
    _, slopes, instance = frame.task.derived[key]
    return _called(frame, slopes, instance, derived.transforms[-1], args, kwargs, node)


def _called(
    frame: Frame, derived: Specialised, instance: Instance, pullback: Any, args: list[Value], kwargs: dict[str, Value],
    node: gast.AST,
) -> Value:  # fmt: skip
    names = list(derived.arguments)
    bound = {**dict(zip(names, args)), **kwargs}
    if len(args) + len(kwargs) != len(names) or set(bound) != set(names):
        frame.fault("T004", "a pullback takes one argument, the cotangent of the result", node, "called here")
    residuals, given = (frame.tree(bound[name]) for name in names)
    expected = map_leaves(derived.arguments[names[1]], lambda part, _: _typed(derived, part))
    atoms = [frame.atom(leaf, node) for leaf in leaves(residuals) if isinstance(leaf, Leaf)]
    try:
        pairs = list(matched(expected, given, _of_program(frame, node), pullback.spoken))
    except Misfit as wrong:
        frame.fault(CODE, str(wrong), node, "given here", HELP)
    for wanted, value in pairs:
        if isinstance(wanted, Scalar):
            value = subscript.number_in(frame, value, node)
        atoms.append(coerce(frame, value, wanted, node))
    return instances.results_of(frame, instance, atoms, node)


def _of_program(frame: Frame, node: gast.AST) -> Given:
    """How to read lists of this program that are passed as cotangents."""

    def as_list(value: Value) -> Value | None:
        if isinstance(value, Rows):
            value = rows.growable(frame, value, node)
        if isinstance(value, Leaf):
            return Table(value) if frame.is_list(value) else None
        return value if isinstance(value, Sequence | Table) else None

    def array_of(items: Any, dtype: str) -> Value:
        return arrays.as_array(frame, items.item if isinstance(items, Table) else items, node, dtype)

    def packed(items: Any, element: Array) -> tuple[Value, Value]:
        if isinstance(items, Sequence):
            items = Table(tables.converted(frame, items, Typed(element), node))
        return results.flat_from_list(frame, items.item, node)

    return Given(frame.type_of, as_list, array_of, packed)


def _typed(derived: Specialised, part: Value) -> Value:
    return Typed(derived.program.main.types[part.name]) if isinstance(part, Leaf) else part
