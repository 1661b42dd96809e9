"""The step from a program to that which carries tangents along, and its arguments.

    f(x, k) of ((x, k), (x_dot, None))     ->     f_jvp(x, k, x_dot) and the structure of (value, tangent)

Tangents have the structure, the dtypes and the shapes of the primals.  None is the tangent of what does not change, be
it a leaf or a whole container: so it is of integers, booleans and all else that has no derivative.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ... import types
from ...diagnostics import Span
from ...frontend.specialise.derivatives.rules import expand
from ...frontend.specialise.specialised import Specialised
from ...frontend.specialise.values import (
    NONE,
    Leaf,
    ListOut,
    Mapping_,
    OneOf,
    Optional,
    Out,
    Record,
    Rows,
    Sequence,
    Static,
    String,
    Typed,
    Value,
    is_none,
    leaves,
    map_leaves,
    parts,
    same_structure,
    with_parts,
)
from ...frontend.specialise.world.taking_apart import from_python, known_parts
from ...program import Program
from ...request import Tangent
from ...types import Array, Scalar, Type
from ..derivatives import Wanted, fault, keep_results, split
from .series import as_given, lists_of, orders_of

Arguments = Mapping[str, Value]

# --- the arguments of the function below ---------------------------------------------------------------------------


def primals(transform: Tangent, arguments: Arguments, below: inspect.Signature, where: Span) -> Arguments:
    """What the function itself is called with: `primals`, and what stays beside them."""
    own = list(transform.signature(below).parameters)
    first, second = own[transform.kept], own[transform.kept + 1]
    held = [name for name in own if name not in (first, second)]
    given = {**{name: arguments[name] for name in held}}
    rest = [p for p in below.parameters.values() if p.name not in held]
    found = {**given, **_bound(rest, _items(arguments[first], "primals", where), where)}
    ordered = {name: found[name] for name in below.parameters}
    return {**ordered, **{name: value for name, value in arguments.items() if name not in own}}


def _items(value: Value, what: str, where: Span) -> list[Value]:
    if not isinstance(value, Sequence):
        fault(where, "G005", f"{what} are a tuple of the arguments, also where there is only one",
              ("write `jvp(f, (x,), (x_dot,))`",))  # fmt: skip
    return list(value.items)


def _bound(parameters: list[inspect.Parameter], values: list[Value], where: Span) -> dict[str, Value]:
    """The parameters with the primals in their order, and defaults for those after them."""
    found: dict[str, Value] = {}
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            found[parameter.name], values = Sequence(tuple(values)), []
        elif parameter.kind is parameter.VAR_KEYWORD:
            found[parameter.name] = Mapping_(())
        elif values and parameter.kind is not parameter.KEYWORD_ONLY:
            found[parameter.name], values = values[0], values[1:]
        else:
            found[parameter.name] = _default(parameter, where)
    if values:
        more = f"{len(values)} primals more"
        fault(where, "T004", f"the function takes {len(parameters)} arguments, and there are {more}")
    return found


def _default(parameter: inspect.Parameter, where: Span) -> Value:
    value = parameter.default
    if value is parameter.empty:
        fault(where, "T004", f"the primals have no value for the parameter `{parameter.name}`")
    if not _is_plain(value):
        fault(where, "T004", f"the primals leave out `{parameter.name}`, whose default value is no number or string",
              ("pass it among the primals, with the tangent None",))  # fmt: skip
    return from_python(value, lambda _: None)


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | complex | str)


# --- the step ------------------------------------------------------------------------------------------------------


def push_forward(made: Specialised, wanted: Wanted) -> Specialised:
    """The program of the value and its tangent, with what is asked for of them."""
    from ..clone_procedures import clone_procedures
    from . import forward as writing

    if made.mutated:
        fault(wanted.where, "G004", "a function that changes its arguments has no derivative",
              ("return the new arrays instead",))  # fmt: skip
    given, second, orders, wrt = _paired(made, wanted)
    value, auxiliary = split(made, wanted)
    outputs = list(dict.fromkeys(_places_of_floats(made, value)))
    program = clone_procedures(made.program, tuple(wrt), outputs)
    pushed = writing.forward(program, wrt, outputs, expand, wanted.transform.is_dependence)
    slopes = [_named(one, pushed.tangents, order) for order, one in enumerate(orders, 1)]
    arguments = {**given, second: as_given(wanted.arguments[second], slopes) if wanted.transform.is_jet else slopes[0]}
    found = [tangent_of(value, places) for places in _places_of_slopes(made, outputs, len(orders))]
    slope = lists_of(found) if wanted.transform.is_jet else found[0]
    chosen = [value, slope] if wanted.transform.with_value else [slope]
    chosen += [] if auxiliary is None else [auxiliary]
    program, result = keep_results(
        _in_order(pushed.program, arguments, made), chosen[0] if len(chosen) == 1 else Sequence(tuple(chosen))
    )
    return replace(made, program=program, arguments=arguments, result=result)


def _named(slopes: Value, tangents: Mapping[tuple[str, int], str], order: int) -> Value:
    """Derivatives of one order under the names of their own, instead of those of the primals."""
    return map_leaves(slopes, lambda part, _: Leaf(tangents[part.name, order]) if isinstance(part, Leaf) else part)


def _places_of_slopes(made: Specialised, outputs: list[int], order: int) -> list[dict[int, int]]:
    """Where the derivatives of each order stand among the results, by the positions of what they are derivatives of."""
    first = len(made.program.main.results)
    return [{index: first + k * len(outputs) + j for j, index in enumerate(outputs)} for k in range(order)]


def _in_order(program: Program, arguments: Arguments, made: Specialised) -> Program:
    """The program with its parameters in the order of the arguments, those from outside last."""
    main, before = program.main, made.program.main.parameters
    own = [leaf.name for value in arguments.values() for leaf in leaves(value) if isinstance(leaf, Leaf)]
    hidden = before[len(before) - len(made.hidden) :]
    changed = main.with_(parameters=(*own, *hidden))
    return Program(program.entry, {**program.functions, program.entry: changed})


# --- primals and tangents side by side -----------------------------------------------------------------------------


def _paired(
    made: Specialised, wanted: Wanted
) -> tuple[dict[str, Value], str, list[Value], dict[str, list[Type | None]]]:
    """The arguments of the new function; which of them are tangents; these, for each order, with leaves under the names
    of the primals; and the types of these."""
    names, kept = list(wanted.arguments), wanted.transform.kept
    first, second = names[kept], names[kept + 1]
    held = {*names} - {first, second}
    own = (leaf for name, value in made.arguments.items() if name not in held for leaf in leaves(value))
    places = (leaf for leaf in own if isinstance(leaf, Leaf))
    before = map_leaves(wanted.arguments[first], lambda p, _: next(places) if isinstance(p, Typed) else p)
    orders, wrt = [], []
    for given in _tangents_of(wanted, wanted.arguments[second], len(parts(before))):
        types_: dict[str, Type] = {}
        held_ = Sequence(tuple(v for _, v in parts(before)), given.kind)
        orders.append(_marked(made, wanted, held_, given, (), types_))
        wrt.append(types_)
    changed = {first: before}
    arguments = {name: changed[name] if name in changed else made.arguments.get(name, NONE) for name in names}
    every = dict.fromkeys(name for types_ in wrt for name in types_)
    return arguments, second, orders, {name: [types_.get(name) for types_ in wrt] for name in every}


def _tangents_of(wanted: Wanted, given: Value, count: int) -> list[Sequence]:
    """The tuple of tangents, of each order."""
    if wanted.transform.is_jet:
        return orders_of(wanted, given, count)
    if is_none(given) or not isinstance(given, Sequence) or len(given.items) != count:
        fault(wanted.where, "G005", f"tangents are a tuple with one for each of the {count} primals",
              ("None is the tangent of an argument that does not change",))  # fmt: skip
    return [given]


def _marked(
    made: Specialised, wanted: Wanted, primal: Value, tangent: Value, path: tuple[object, ...], wrt: dict[str, Type]
) -> Value:
    """The tangent of one primal, its leaves under the names of those of the primal."""
    if is_none(tangent):
        return NONE
    if not parts(primal):
        return _marked_leaf(made, wanted, primal, tangent, path, wrt)
    if not same_structure(primal, tangent):
        fault(wanted.where, "G005", f"the tangent of {_spoken(path)} is no container with the same keys",
              ("give it the structure of the primal, and None for what does not change",))  # fmt: skip
    pairs = zip(parts(primal), parts(tangent), strict=True)
    known = known_parts(primal)
    return with_parts(tangent, tuple(
        NONE if key in known else _marked(made, wanted, p, t, (*path, key), wrt) for (key, p), (_, t) in pairs
    ))  # fmt: skip


def _marked_leaf(
    made: Specialised, wanted: Wanted, primal: Value, tangent: Value, path: tuple[object, ...], wrt: dict[str, Type]
) -> Value:
    types_ = made.program.main.types
    found = types_[primal.name] if isinstance(primal, Leaf) else None
    if found is None or not types.is_floating(found):
        what = f"static ({primal.value!r})" if isinstance(primal, Static) else str(found)
        fault(wanted.where, "G001", f"{_spoken(path)} is {what}: only floats have a tangent",
              ("pass None as its tangent", "or pass a float"))  # fmt: skip
    given = tangent.type if isinstance(tangent, Typed) else None
    if not isinstance(given, Array | Scalar) or _kind(given) != _kind(found):
        what = repr(tangent.value) if isinstance(tangent, Static) else _shown(given)
        fault(wanted.where, "G005", f"{_spoken(path)} is {_shown(found)}, and its tangent {what}",
              ("a tangent has the dtype and the shape of its primal",))  # fmt: skip
    wrt[primal.name] = _in_lengths(given, found, wanted.is_entry)
    return primal


def _shown(type_: Type | None) -> str:
    """The type in words, with `_` for lengths that may be any."""
    if isinstance(type_, Array):
        dims = (d if isinstance(d, int) else types.symbol("_") for d in type_.dims)
        type_ = Array(type_.dtype, tuple(dims))
    return "a container" if type_ is None else str(type_)


def _kind(type_: Type) -> tuple[str, tuple[bool, ...]]:
    """What a tangent has in common with its primal as far as types tell: the dtype, and which lengths are one."""
    return types.dtype_of(type_), tuple(d == 1 for d in getattr(type_, "dims", ()))


def _in_lengths(given: Type, primal: Type, is_entry: bool) -> Type:
    """The type of a tangent; the lengths of what is called from Python are compared on entry."""
    if not isinstance(given, Array):
        return given
    if not isinstance(primal, Array):
        return given
    dims = primal.dims if is_entry else tuple(d if d == 1 else types.symbol("any") for d in given.dims)
    return Array(given.dtype, dims, given.layout)


def _spoken(path: tuple[object, ...]) -> str:
    if not path:
        return "the tuple of primals"
    return f"primal {path[0]}" + "".join(f"[{key!r}]" for key in path[1:])


# --- the result ----------------------------------------------------------------------------------------------------


def _places_of_floats(made: Specialised, value: Value) -> list[int]:
    results = made.program.main.results
    return [leaf.index for leaf in leaves(value) if isinstance(leaf, Out) and types.is_floating(results[leaf.index])]


def tangent_of(value: Value, places: Mapping[int, int]) -> Value:
    """The structure of the tangent of a result; None where that has no floats."""
    match value:
        case Out(index=index):
            return Out(places[index]) if index in places else NONE
        case Optional(absent=absent, inner=inner):
            return Optional(absent, tangent_of(inner, places))
        case OneOf(flags=flags, cases=cases, kinds=kinds):
            return OneOf(flags, tuple(tangent_of(case, places) for case in cases), kinds)
        case String():
            return NONE
        case ListOut(data=data, shapes=shapes, is_weak=is_weak):
            slope = tangent_of(data, places)
            return NONE if is_none(slope) else ListOut(slope, shapes, is_weak)
        case Rows() if not any(isinstance(leaf, Out) and leaf.index in places for leaf in leaves(value)):
            return NONE
    inside = parts(value)
    if not inside:
        return value if isinstance(value, Sequence | Mapping_ | Record) else NONE
    known = known_parts(value)
    return with_parts(value, tuple(part if key in known else tangent_of(part, places) for key, part in inside))
