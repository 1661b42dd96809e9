"""Match the cotangent passed for a result with the result: one container, one shape, one dtype.

    result (f64[n], {"k": float})     passed (f64[m], {"k": 1.0})    ->     f64[n] with f64[m], float with 1.0

None stands for the cotangent of anything but a float.  A Python float serves for any floating number.  The lengths of
axes are checked at run time.  The cotangent of a list that grows is a list, and becomes the array in which its items
leave the function; for arrays their lengths come with it, and are compared at run time as well.

    [float, ...]  f64[n]               passed [0.5, 1.0]           ->     f64[n] with array([0.5, 1.0])
    [(float, int), ...]  f64[n]        passed [(0.5, None)]        ->     f64[n] with array([0.5])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from ....records import dataclass
from ....types import Array, ListOf, Scalar, Type, dtype_of, is_floating, lengths_in_row, of_complex
from ..functional import Partial
from ..values import (
    NONE,
    Column,
    ListOut,
    Mapping_,
    Out,
    Record,
    Rows,
    Sequence,
    Static,
    Table,
    Typed,
    Value,
    is_none,
    leaves,
    parts,
    same_structure,
    with_parts,
)
from ..world.taking_apart import known_parts

CODE = "G007"
PULLBACK = Static("the pullback of this function")  # its placeholder in results of a `Vjp` until it is made
HELP = ("it has the same structure, shapes and dtypes, and None for what is no float",)


class Misfit(Exception):
    """A cotangent that does not match the result; the message says how."""


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """How to read cotangents that are passed, as Python's values or as values of a program.

    type_of   the type of a leaf; None for anything else
    as_list   a list of any kind as a `Sequence` of its items, or a `Table`; None for anything else
    array_of  the array of numbers or arrays of one shape: those of a `Sequence`, or of a list that grows
    packed    arrays of any shapes: their elements in one array, and an array with a row of lengths for each
    """

    type_of: Callable[[Value], Type | None]
    as_list: Callable[[Value], Any]
    array_of: Callable[[Any, str], Value]
    packed: Callable[[Any, Array], tuple[Value, Value]]


def matched(expected: Value, given: Value, by: Given, spoken: tuple[str, str]) -> Iterator[tuple[Type, Value]]:
    """The leaves that are passed, each with the type that it must have.  Raises Misfit.

    `spoken` is the word for what is passed, and the name of what it belongs to.
    """
    what, words = spoken
    if isinstance(expected, Typed):
        _require_type(expected.type, by.type_of(given), given, spoken)
        yield expected.type, given
    elif isinstance(expected, ListOut | Rows):
        if not has_floats(expected) and is_none(given):
            return
        items = _as_list(expected, given, by, spoken)
        yield from _of_list(getattr(expected, "item", expected), items, by, (what, f"{words}[i]"))
    elif isinstance(expected, Sequence | Mapping_ | Record):
        if not same_structure(expected, given):
            raise Misfit(f"`{words}` is a {_kind(expected)}, and its {what} is not one that is made alike")
        known = known_parts(expected)
        for (key, part), (_, other) in zip(parts(expected), parts(given), strict=True):
            if key in known:
                continue
            step = f".{key}" if isinstance(expected, Record) else f"[{key!r}]"
            yield from matched(part, other, by, (what, words + step))
    elif not is_none(given):
        raise Misfit(f"`{words}` is no float: its {what} is None")


# --- lists that grow -----------------------------------------------------------------------------------------------


def has_floats(expected: Value) -> bool:
    return any(isinstance(leaf, Typed) for leaf in leaves(expected))


def _of_list(expected: Value, items: Any, by: Given, spoken: tuple[str, str]) -> Iterator[tuple[Type, Value]]:
    """The arrays of one position in the items of a list: of a `Sequence` of what is passed there, or of a `Table`."""
    what, words = spoken
    match expected:
        case ListOut(data=Typed(type=Array() as data), shapes=Typed(type=Array() as shapes)):
            array = Array(data.dtype, shapes.dims[:1] * lengths_in_row(shapes))
            _require_each(array, items, by, spoken)
            yield from zip((data, shapes), by.packed(items, array), strict=True)
        case ListOut(data=Typed(type=Array() as data)) | Column(values=Typed(type=Array() as data)):
            element = Array(data.dtype, data.dims[1:]) if data.ndim > 1 else Scalar(data.dtype, expected.is_weak)
            _require_each(element, items, by, spoken)
            yield data, by.array_of(items, data.dtype)
        case Rows() if has_floats(expected):
            lists = _each_as_list(expected, items, by, spoken)
            yield from _of_lists(expected.item, lists, by, (what, f"{words}[j]"))
        case Rows() | ListOut() | Column() | Static():
            _require_nothing(items, spoken)
        case _:
            for part, column, step in _places(expected, items, spoken):
                yield from _of_list(part, column, by, (what, words + step))


def _of_lists(expected: Value, lists: Any, by: Given, spoken: tuple[str, str]) -> Iterator[tuple[Type, Value]]:
    """The same for lists in a list: what all items of one of them have at one position is an array."""
    what, words = spoken
    match expected:
        case Column(values=ListOut(data=Typed(type=type_)) as arrays) if has_floats(arrays):
            if isinstance(lists, Table):
                lists = Table(lists.item.values) if isinstance(lists.item, Column) else lists
            else:
                number = Scalar(dtype_of(type_), expected.is_weak)
                for row in lists.items:
                    _require_each(number, row, by, spoken)
                lists = Sequence(tuple(by.array_of(row, number.dtype) for row in lists.items), list)
            yield from _of_list(arrays, lists, by, spoken)
        case Column() | Static():
            for row in [lists] if isinstance(lists, Table) else lists.items:
                _require_nothing(row, spoken)
        case _ if isinstance(lists, Table):
            for part, column, step in _places(expected, lists, spoken):
                yield from _of_lists(part, column, by, (what, words + step))
        case _:
            rows = [_places(expected, row, spoken) for row in lists.items]
            for place, (key, part) in enumerate(parts(expected)):
                column = Sequence(tuple(row[place][1] for row in rows), list)
                yield from _of_lists(part, column, by, (what, f"{words}[{key!r}]"))


def _each_as_list(expected: Rows, items: Any, by: Given, spoken: tuple[str, str]) -> Any:
    if isinstance(items, Table):
        if isinstance(items.item, Rows) and items.item.kind is expected.kind:
            return Table(items.item.item)
        raise Misfit(f"`{spoken[1]}` is a {expected.kind.__name__}, and its {spoken[0]} is not one that is made alike")
    return Sequence(tuple(_as_list(expected, item, by, spoken) for item in items.items), list)


def _as_list(expected: Value, given: Value, by: Given, spoken: tuple[str, str]) -> Any:
    kind = getattr(expected, "kind", list)
    items = by.as_list(given)
    if items is None or isinstance(items, Sequence) and items.kind is not kind:
        is_container = isinstance(given, Sequence | Mapping_ | Record)
        found = "None" if is_none(given) else f"a {_kind(given)}" if is_container else "none"
        raise Misfit(f"`{spoken[1]}` is a {kind.__name__}, and its {spoken[0]} is {found}")
    return items


def _require_each(element: Type, items: Any, by: Given, spoken: tuple[str, str]) -> None:
    """Raise Misfit unless all items have this type, however long their axes are."""
    if isinstance(items, Sequence):
        for item in items.items:
            _require_type(element, by.type_of(item), item, spoken)
    else:
        held = by.type_of(items.item)
        _require_type(element, held.element if isinstance(held, ListOf) else None, items.item, spoken)


def _require_nothing(items: Any, spoken: tuple[str, str]) -> None:
    if any(not is_none(item) for item in (items.items if isinstance(items, Sequence) else [items.item])):
        raise Misfit(f"`{spoken[1]}` is no float: its {spoken[0]} is None")


def _places(expected: Value, items: Any, spoken: tuple[str, str]) -> list[tuple[Value, Value, str]]:
    """What is expected at each position of the items, what is passed there, and how that is written."""
    what, words = spoken
    rows = items.items if isinstance(items, Sequence) else (items.item,) if isinstance(items, Table) else ()
    for row in rows:
        if not same_structure(expected, row):
            raise Misfit(f"`{words}` is a {_kind(expected)}, and its {what} is not one that is made alike")
    found: list[tuple[Value, Value, str]] = []
    for place, (key, part) in enumerate(parts(expected)):
        step = f".{key}" if isinstance(expected, Record) else f"[{key!r}]"
        column = tuple(parts(row)[place][1] for row in rows)
        found.append((part, Table(column[0]) if isinstance(items, Table) else Sequence(column, list), step))
    return found

def _require_type(wanted: Type, found: Type | None, given: Value, spoken: tuple[str, str]) -> None:
    what, words = spoken
    if found is None:
        kind = "None" if is_none(given) else "a container" if parts(given) else "no number"
        raise Misfit(f"`{words}` is {_text(wanted)}, and its {what} is {kind}")
    if isinstance(wanted, Scalar) or isinstance(wanted, Array) and wanted.ndim == 0:
        is_point = isinstance(found, Array) and found.ndim == 0
        number = Scalar(found.dtype) if isinstance(found, Array) and is_point else found
        fits = isinstance(number, Scalar) and (number.dtype == wanted.dtype or number.weak and is_floating(number))
        fits = fits and (of_complex(wanted) or not of_complex(number))
    elif isinstance(wanted, Array):
        fits = isinstance(found, Array) and (found.dtype, found.ndim) == (wanted.dtype, wanted.ndim)
    else:
        fits = False
    if not fits:
        raise Misfit(f"`{words}` is {_text(wanted)}, and its {what} is {_text(found)}")



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


# --- the result of a forward sweep ---------------------------------------------------------------------------------


def cotangents_of(result: Value | None, result_types: tuple[Any, ...]) -> Value:
    """The structure of the cotangents of the results of a forward sweep."""
    assert isinstance(result, Sequence)

    return _typed(result.items[0], result_types)


def _typed(value: Value, result_types: tuple[Any, ...]) -> Value:
    if isinstance(value, ListOut):
        data = _typed(value.data, result_types)
        if value.shapes is None:
            return replace(value, data=data)
        return replace(value, data=data, shapes=NONE if is_none(data) else _shapes(value.shapes, result_types))
    if isinstance(value, Out):
        found = result_types[value.index]
        return Typed(found) if is_floating(found) else NONE
    inner = tuple(_typed(part, result_types) for _, part in parts(value))
    return with_parts(value, inner) if inner else NONE if not isinstance(value, Sequence | Mapping_ | Record) else value


def _shapes(value: Value, result_types: tuple[Any, ...]) -> Value:
    assert isinstance(value, Out)
    return Typed(result_types[value.index])


def with_function(value: Value | None, function: Value) -> Value:
    """A result with this function in place of its placeholder."""
    assert value is not None
    if isinstance(value, Partial) and value.function == PULLBACK:
        return Partial(function, value.args)
    inner = tuple(with_function(part, function) for _, part in parts(value))
    return with_parts(value, inner) if inner else value
