"""Guards, hidden arguments, types and the structure of results as plain data: numbers, strings and tuples of them.

    (f(x), 3)    ->    ("tuple", (("out", 0), ("constant", 3)))    and back

Classes and functions that a result needs are given by their position among the objects of the fingerprint, which are
the same wherever the key is the same, or by their name in a library.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any

from .compiler.frontend.specialise.functional import Partial
from .compiler.frontend.specialise.values import (
    Column,
    ListOut,
    Mapping_,
    OneOf,
    Optional,
    Out,
    Record,
    Rows,
    Static,
    String,
    Value,
    parts,
)
from .compiler.frontend.specialise.values import Sequence as SequenceValue
from .compiler.types import Array, Dim, ListOf, Scalar, Type
from .fingerprint import Fingerprint
from .hidden import HiddenLeaves
from .library_names import library_name
from .runtime.frozen import Frozen, Place
from .runtime.guards import Guard, Guards, same

CONSTANTS = (bool, int, float, str, bytes, type(None))
KINDS: Mapping[str, type] = {"tuple": tuple, "list": list, "set": set, "str": str}


def plain(
    result: Value, guards: Guards, hidden: HiddenLeaves, seen: Fingerprint, named: Mapping[str, Any]
) -> tuple[Any, ...] | None:
    """All of it as plain data, with objects that are known by a name; None where some of it cannot be."""
    objects = {name: plain_constant(held, seen) for name, held in named.items()}
    found = plain_structure(result, seen), plain_guards(guards, seen), plain_hidden(hidden, seen), objects
    return None if None in (*found, *objects.values()) else found


def from_plain(
    found: tuple[Any, ...], seen: Fingerprint, frozen: Frozen
) -> tuple[Value, Guards, HiddenLeaves, dict[str, Any]] | None:
    """What `plain` was given; None where it needs a library's object whose module is not imported yet."""
    structure, guards, hidden, named = found
    try:
        result = structure_from(structure, seen.objects)
        objects = {name: constant_from(held, seen.objects) for name, held in named.items()}
        known = Guards(guard_from(guard, seen) for guard in guards)
    except (KeyError, AttributeError):
        return None
    return result, known, HiddenLeaves([place_from(one, seen) for one in hidden], known, frozen), objects


def plain_type(type_: Type) -> tuple[Any, ...]:
    match type_:
        case Scalar():
            return "scalar", type_.dtype, type_.weak
        case Array():
            dims = tuple(d if isinstance(d, int) else (d.terms, d.constant) for d in type_.dims)
            return "array", type_.dtype, dims, type_.layout
        case ListOf():
            return "list", plain_type(type_.element)
    raise TypeError(f"not a type: {type_!r}")


def type_from(found: tuple[Any, ...]) -> Any:
    match found:
        case "scalar", dtype, weak:
            return Scalar(dtype, weak)
        case "array", dtype, dims, layout:
            return Array(dtype, tuple(d if isinstance(d, int) else Dim(*d) for d in dims), layout)
        case "list", element:
            return ListOf(type_from(element))
    raise TypeError(f"not a type: {found!r}")


# --- guards --------------------------------------------------------------------------------------------------------


def plain_guards(guards: Guards, seen: Fingerprint) -> tuple[tuple[str, int, str], ...] | None:
    """The guards as plain data; None unless the fingerprint knows each of these objects, by which the key changes."""
    found = []
    for guard in guards:
        number = -1 if guard.owner is None else seen.number_of(guard.owner)
        if number is None or not same(seen.saw(guard.kind, guard.owner, guard.name), guard.found):
            return None
        found.append((guard.kind, number, guard.name))
    return tuple(found)


def guard_from(found: tuple[str, int, str], seen: Fingerprint) -> Guard:
    """What was found now stands where the fingerprint saw it; it is the same as then, as the key is."""
    kind, number, name = found
    owner = None if number < 0 else seen.objects[number]
    return Guard(kind, owner, sys.intern(name), seen.saw(kind, owner, name))


def plain_hidden(hidden: HiddenLeaves, seen: Fingerprint) -> tuple[tuple[Any, ...], ...] | None:
    """Where hidden arguments are found, as plain data; None where the fingerprint has not met an owner."""
    found = []
    for place, index in hidden.places:
        number = seen.number_of(place.owner)
        if number is None:
            return None
        found.append((place.kind, number, place.name, place.item, place.is_frozen, index))
    return tuple(found)


def place_from(found: tuple[Any, ...], seen: Fingerprint) -> tuple[Place, int]:
    kind, number, name, item, is_frozen, index = found
    return Place(kind, seen.objects[number], sys.intern(name), item, is_frozen), index


# --- the structure of a result -------------------------------------------------------------------------------------


def plain_structure(value: Value, seen: Fingerprint) -> tuple[Any, ...] | None:
    """The structure as plain data; None where it holds an object that the fingerprint has not met."""
    match value:
        case Out(index=index):
            return ("out", index)
        case Static(value=held):
            return plain_constant(held, seen)
        case Partial(function=Static(value=str() as name), args=(residuals,)):  # a pullback
            one = plain_structure(residuals, seen)
            return None if one is None else ("partial", name, one)
        case Optional(absent=absent, inner=inside):
            both = [plain_structure(part, seen) for part in (absent, inside)]
            return None if None in both else ("optional", *both)
        case OneOf(flags=flags, cases=cases):
            both = [plain_structure(part, seen) for part in (*flags, *cases)]
            return None if None in both else ("one of", tuple(both[: len(flags)]), tuple(both[len(flags) :]))
        case String(number=number, strings=strings):
            return ("text", plain_structure(number, seen), strings)
        case Rows(item=item, kind=kind):
            one = plain_structure(item, seen)
            return None if one is None else ("rows", one, kind.__name__)
        case Column(values=values, is_weak=is_weak):
            return ("column", plain_structure(values, seen), is_weak)
        case ListOut(is_weak=is_weak):
            return ("listed", is_weak, tuple(plain_structure(part, seen) for _, part in parts(value)))
        case SequenceValue(like=like) | Mapping_(like=like) if like is not None:
            return None
        case SequenceValue(items=items, kind=kind):
            inner = [plain_structure(item, seen) for item in items]
            return None if kind.__name__ not in KINDS or None in inner else (kind.__name__, tuple(inner))
        case Mapping_(items=items) | Record(items=items):
            keys = [plain_constant(key, seen) for key, _ in items]
            inner = [plain_structure(item, seen) for _, item in items]
            owner = seen.number_of(value.cls) if isinstance(value, Record) else -1
            return None if owner is None or None in keys or None in inner else ("named", owner, tuple(zip(keys, inner)))
    return None


def plain_constant(held: Any, seen: Fingerprint) -> tuple[Any, ...] | None:
    if type(held) in CONSTANTS:
        return ("constant", held)
    if type(held) in (tuple, list):
        inner = [plain_constant(part, seen) for part in held]
        return None if None in inner else ("constants", type(held).__name__, tuple(inner))
    number = seen.number_of(held)
    if number is not None:
        return ("object", number)
    if isinstance(held, type | FunctionType) and library_name(held) is not None:
        return ("library", held.__module__, held.__qualname__)
    return None


def structure_from(found: Any, objects: Sequence[Any]) -> Value:
    match found:
        case "out", index:
            return Out(index)
        case "partial", name, inner:
            return Partial(Static(name), (structure_from(inner, objects),))
        case "optional", absent, inner:
            return Optional(structure_from(absent, objects), structure_from(inner, objects))
        case "one of", flags, cases:
            both = [tuple(structure_from(part, objects) for part in side) for side in (flags, cases)]
            return OneOf(both[0], both[1], tuple(("",) for _ in flags))
        case "text", number, strings:
            return String(structure_from(number, objects), strings)
        case "rows", inner, kind:
            return Rows(structure_from(inner, objects), KINDS[kind])
        case "column", inner, is_weak:
            return Column(structure_from(inner, objects), is_weak)
        case "listed", is_weak, inner:
            data, *shapes = (structure_from(part, objects) for part in inner)
            return ListOut(data, shapes[0] if shapes else None, is_weak)
        case "tuple" | "list" | "set", items:
            return SequenceValue(tuple(structure_from(item, objects) for item in items), KINDS[found[0]])
        case "named", owner, items:
            pairs = tuple((constant_from(key, objects), structure_from(item, objects)) for key, item in items)
            return Mapping_(pairs) if owner < 0 else Record(objects[owner], pairs)
    return Static(constant_from(found, objects))


def constant_from(found: Any, objects: Sequence[Any]) -> Any:
    match found:
        case "constant", held:
            return held
        case "constants", kind, items:
            return KINDS[kind](constant_from(item, objects) for item in items)
        case "object", number:
            return objects[number]
        case "library", module, name:
            return functools.reduce(getattr, name.split("."), sys.modules[module])
    raise TypeError(f"not a constant: {found!r}")
