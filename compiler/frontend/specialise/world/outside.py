"""What a function reads from outside itself: numbers and strings become constants, arrays parameters of the program.

    RATE * x                     ->    multiply(0.1, x), and a guard for RATE
    WEIGHTS @ x   an `Array`     ->    matmul(WEIGHTS, x), where WEIGHTS is a parameter that is found outside
    TABLE[i]      frozen         ->    the same for a copy that was made once, without a guard

What can change is refused (P007) unless it is frozen.  Containers are taken apart as arguments are.
"""

from __future__ import annotations

import contextlib
import types as python_types
from collections.abc import Collection, Iterator
from typing import Any

import gast
import numpy as np

from .....runtime import frozen as freezing
from .....runtime.frozen import Place, Unfreezable
from .....runtime.guards import ABSENT
from .....runtime.namespace import of_numpy
from ....ops.python_names import stand_in
from ..frame import Frame
from ..kinds import classes, dict_methods, known_numbers, slices
from ..library import library
from ..objects.heap import Owner, objects
from ..values import UNDEFINED, Static, Typed, Value, leaves, map_leaves
from . import constancy
from .constants import Unsupported, constant
from .hidden import hidden_leaf


def variable(frame: Frame, name: str, node: gast.AST) -> Value:
    """A variable around the function, a global or a builtin."""
    namespace = frame.namespace
    place = freezing.variable(namespace.function, name)
    if is_frozen(frame, place, name):
        return frozen(frame, place, name, node)
    found = namespace.read(name)
    if found is ABSENT:
        frame.fault("P009", f"name `{name}` is not defined", node, "not defined")
    return read(frame, found, name, node, place)


def attribute(frame: Frame, owner: Any, name: str, node: gast.AST) -> Value:
    """An attribute of a module, a class or another object from outside."""
    place, written = freezing.attribute(owner, name), written_as(node) or name
    if is_frozen(frame, place, name):
        return frozen(frame, place, written, node)
    found = frame.namespace.attribute(owner, name)
    if found is ABSENT:
        frame.fault("P009", f"`{getattr(owner, '__name__', owner)}` has no attribute `{name}`", node)
    return read(frame, found, written, node, place)


def defaults(frame: Frame, function: Any, names: list[str], given: Collection[str], node: gast.AST) -> list[Value]:
    """The defaults of the last of these parameters; those of parameters with an argument are not read."""
    values = function.__defaults__ or ()
    last = enumerate(names[len(names) - len(values) :])
    places = {name: Place("field", function, "__defaults__", k) for k, name in last}
    pairs = zip(places.items(), values, strict=True)
    return [UNDEFINED if name in given else _default(frame, v, name, node, p) for (name, p), v in pairs]


def keyword_defaults(
    frame: Frame, function: Any, names: list[str], given: Collection[str], node: gast.AST
) -> list[Value | None]:
    """The defaults of keyword-only parameters; None where there is none."""
    values = function.__kwdefaults__ or {}
    return [
        _default(frame, values[n], n, node, Place("keyword", function, n)) if n in values and n not in given else None
        for n in names
    ]


def _default(frame: Frame, value: Any, name: str, node: gast.AST, place: Place) -> Value:
    return frozen(frame, place, name, node) if is_frozen(frame, place, name) else read(frame, value, name, node, place)


def written_as(node: gast.AST) -> str:
    """`a.b.c` as it is written; empty for anything else."""
    match node:
        case gast.Name(id=name):
            return str(name)
        case gast.Attribute(value=base, attr=name):
            before = written_as(base)
            return f"{before}.{name}" if before else ""
    return ""


# --- what is frozen ------------------------------------------------------------------------------------------------


def is_frozen(frame: Frame, place: Place, name: str) -> bool:
    """Whether `freeze=` asks for this."""
    return bool(_keepers(frame, place, name))


def _keepers(frame: Frame, place: Place, name: str) -> list[Any]:
    """The functions that ask for this to be frozen: the one that is compiled, and surrounding compiled ones."""
    found = []
    for keeper in () if frame.is_library else (frame.task, *frame.task.keepers):
        freeze = keeper.freeze
        there = place.of(freezing.look_up(place.kind, place.owner, place.name)) if freeze is True else None
        if freezing.asks_for(freeze, keeper.frozen, place, there, name):
            found.append(keeper)
    return found


def keeps_more(frame: Frame, compiled: Any) -> bool:
    """Whether a compiled function freezes values that are not frozen here anyway."""
    around = [keeper.frozen for keeper in (frame.task, *frame.task.keepers)]
    return bool(compiled.freeze) and all(frozen is not compiled.frozen for frozen in around)


@contextlib.contextmanager
def keeping(frame: Frame, compiled: Any) -> Iterator[None]:
    """While a compiled function is walked into: it freezes what it asks for itself."""
    frame.task.keepers.append(compiled)
    try:
        yield
    finally:
        frame.task.keepers.pop()


def frozen(frame: Frame, place: Place, name: str, node: gast.AST) -> Value:
    """The value as it was when it was first needed."""
    keepers = _keepers(frame, place, name)
    place = place._replace(is_frozen=True)
    try:
        for keeper in keepers:
            if not frame.task.frozen.shared(keeper.frozen, place):
                message = f"`{name}` was frozen at two times, by this function and by one that it calls"
                frame.fault("P007", message, node, "read here", ("let one of the two freeze it",))
        value = frame.task.frozen.value(place)
    except Unfreezable as wrong:
        frame.fault("P007", f"`{name}` cannot be frozen: it is {wrong}", node, "read here",
                    ("pass what the function needs of it as an argument",))  # fmt: skip
    if value is ABSENT:
        frame.fault("P009", f"name `{name}` is not defined", node, "not defined")
    return taken_apart(frame, value, name, node, place)


# --- values --------------------------------------------------------------------------------------------------------


def read(frame: Frame, value: Any, name: str, node: gast.AST, place: Place | None = None) -> Value:
    """A Python object from outside: constants become part of the program, what can change must be passed or frozen.

    Without a `place` that a guard can check, arrays cannot be found again and are refused.
    """
    value = of_numpy(value)
    if isinstance(value, python_types.ModuleType):
        return Static(value)
    if not isinstance(value, np.ndarray) and library.binding_of(value) is not None or slices.is_index_expression(value):
        return Static(value)
    value = stand_in(value)
    if not frame.is_library:
        constancy.require_constant(frame, value, name, node, place)
    return taken_apart(frame, value, name, node, None if frame.is_library else place)


def taken_apart(frame: Frame, value: Any, name: str, node: gast.AST, place: Place | None) -> Value:
    """A value as the program sees it; a location has the same objects wherever it is read."""
    if place is None or place.key not in frame.task.outside:
        arrays: list[Any] = []
        try:
            made = constant(value, arrays), arrays
        except Unsupported as wrong:
            frame.fault("T005", f"`{name}` is, or holds, {wrong}, which is not supported", node, "read here")
        if place is not None:
            frame.task.outside[place.key] = made
    structure, arrays = frame.task.outside[place.key] if place is not None else made
    if not arrays and type(structure) is Static:
        known_numbers.require_dtype(frame, structure, node)
        return structure
    if arrays and place is None:
        constancy.refuse(frame, name, "array", node)
    known = frame.heap.outside.get(place.key) if place is not None else None
    if known is not None and all(number in frame.heap.contents for number in known[1]):
        return known[0]
    return _objects(frame, structure, name, node, place)


def _objects(frame: Frame, structure: Value, name: str, node: gast.AST, place: Place | None) -> Value:
    count, first = 0, frame.heap.count

    def leaf(part: Value, path: tuple[object, ...]) -> Value:
        nonlocal count
        if isinstance(part, Typed) and place is not None:  # what is read anew at each call has a place
            count += 1
            return hidden_leaf(frame, place, count - 1, part.type, (name, *path))
        known_numbers.require_dtype(frame, part, node)
        note_functions(frame, part)
        return part

    value = objects(map_leaves(structure, leaf), frame.heap, name, Owner("outside", name))
    is_for_run = place is not None and dict_methods.open_given(frame, node, ("outside", place.key), first - 1)
    if place is not None and not is_for_run:  # a hash table is made where it is read
        frame.heap.outside[place.key] = value, range(first + 1, frame.heap.count + 1)
    return value


def note_functions(frame: Frame, part: Value) -> None:
    """Note a function that was met in a container, to be judged when it is called: it was not known before."""
    for one in leaves(part):
        plain = classes.inside(one.value) if isinstance(one, Static) else None
        if isinstance(plain, python_types.FunctionType):
            frame.task.unjudged[id(plain)] = plain
