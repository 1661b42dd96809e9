"""Lists as arrays, so that a function can return them and another one take them.

    x_saved: [float]        ->    x_packed = array of its items                      ->    x_saved, item by item
    r_saved: [f64[n]]       ->    r_packed: all elements, r_shapes: lengths by rows  ->    r_saved, array by array
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import gast

from ... import syntax
from ...builder import Builder
from ...dtypes import INT_WORD
from ...records import dataclass
from ...types import INT, Array, Scalar, Type, rank
from .declared import list_type

if TYPE_CHECKING:
    from .sweep import Sweep


@dataclass(frozen=True, slots=True)
class Packed:
    """The arrays that stand for a list, and the statements that make them."""

    parts: tuple[str, ...]
    statements: tuple[gast.stmt, ...]


def pack(sweep: Sweep, name: str, span: Any) -> Packed:
    """The items of a list in one array; of arrays all elements, and the lengths of each."""
    element = list_type(sweep.types, name).element
    build = builder_of(sweep, span)
    count = build.bind(syntax.call("length", name), INT, "count")
    if isinstance(element, Scalar):
        data = build.call("empty", shape=syntax.tuple_([count]), dtype=element.dtype, hint=f"{name}_packed")
        with_items(build, name, count, lambda place, item: _store(build, data.id, [syntax.name(place)], item))
        return Packed((data.id,), tuple(build.body))
    total = _counter(build, "total")
    shapes = shapes_of(build, name, count, lambda lengths: _advance(build, total, _product(build, lengths)))
    data = build.call("empty", shape=syntax.tuple_([syntax.name(total)]), dtype=element.dtype, hint=f"{name}_packed")
    start = _counter(build, "start")

    def fill(_: str, item: gast.Name) -> None:
        size = _product(build, _lengths(build, item, element))
        flat = build.call("reshape", item, shape=syntax.tuple_([size]), hint="flat")
        end = build.call("add", syntax.name(start), size, hint="end")
        _store(build, data.id, [syntax.slice_(syntax.name(start), end)], flat)
        build.append(syntax.assign(start, end))

    with_items(build, name, count, fill)
    return Packed((data.id, shapes.id), tuple(build.body))


def shapes_of(build: Builder, name: str, count: gast.expr, each: Callable[[list[gast.expr]], None]) -> gast.Name:
    """The lengths of the arrays in a list, in a row for each; `each` is called with those of one."""
    element = list_type(build.types, name).element
    shape = syntax.tuple_([count, syntax.constant(rank(element))])
    shapes = build.call("empty", shape=shape, dtype=INT_WORD, hint=f"{name}_shapes")
    assert isinstance(shapes, gast.Name)

    def measure(place: str, item: gast.Name) -> None:
        lengths = _lengths(build, item, element)
        for axis, length in enumerate(lengths):
            _store(build, shapes.id, [syntax.name(place), syntax.constant(axis)], length)
        each(lengths)

    with_items(build, name, count, measure)
    return shapes


def shape_at(build: Builder, shapes: str, place: str, axes: int) -> list[gast.expr]:
    """The lengths that stand in one row of `shapes`."""
    lengths = []
    for axis in range(axes):
        strong = build.load(shapes, [syntax.name(place), syntax.constant(axis)], hint="n")
        lengths.append(build.call("cast", strong, dtype=INT_WORD, weak=True, hint="n"))
    return lengths


def unpack(sweep: Sweep, name: str, packed: Packed, span: Any) -> list[gast.stmt]:
    """The list again."""
    element = list_type(sweep.types, name).element
    build = builder_of(sweep, span)
    build.append(syntax.assign(name, syntax.call("new_list")))
    data = syntax.name(packed.parts[0])
    count = build.call("dim", syntax.name(packed.parts[-1]), axis=0, hint="count")
    if isinstance(element, Scalar):
        for_each(build, count, lambda place: _append(build, name, _item(build, data, place, element)))
        return build.body
    start = _counter(build, "start")

    def item(place: str) -> None:
        lengths = shape_at(build, packed.parts[1], place, element.ndim)
        end = build.call("add", syntax.name(start), _product(build, lengths), hint="end")
        flat = build.load(data, [syntax.slice_(syntax.name(start), end)], hint="flat")
        whole = build.call("reshape", flat, shape=syntax.tuple_(lengths), hint="item")
        _append(build, name, build.call("copy", whole, hint="item"))  # its lengths are those that it went in with
        build.append(syntax.assign(start, end))

    for_each(build, count, item)
    return build.body


def builder_of(sweep: Sweep, span: Any) -> Builder:
    build = Builder(sweep.names, sweep.types)
    build.symbols, build.span = sweep.symbols, span
    return build


def with_items(build: Builder, name: str, count: gast.expr, visit: Any) -> None:
    """A loop over the items of a list, each of which has lengths of its own."""
    element = list_type(build.types, name).element

    def each(place: str) -> None:
        own = with_own_lengths(element, build) if isinstance(element, Array) else element
        visit(place, build.bind(syntax.index(name, syntax.name(place)), own, "item"))

    for_each(build, count, each)


def with_own_lengths(element: Array, build: Builder) -> Array:
    """The type of an array out of a list, in lengths that no other has."""
    dims = tuple(d if isinstance(d, int) else build.fresh_symbol("length") for d in element.dims)
    return Array(element.dtype, dims, element.layout)


def for_each(build: Builder, count: gast.expr, visit: Any) -> None:
    place = build.names.fresh("k")
    build.types[place] = INT
    outer, build.body = build.body, []
    visit(place)
    inner, build.body = build.body, outer
    build.append(syntax.for_range(place, 0, count, 1, inner, build.span))


def _item(build: Builder, data: gast.expr, place: str, element: Scalar) -> gast.expr:
    item: gast.expr = build.load(data, [syntax.name(place)], hint="item")
    return build.call("cast", item, dtype=element.dtype, weak=True, hint="item") if element.weak else item


def _counter(build: Builder, wish: str) -> str:
    """A number that a loop carries, zero at first."""
    made = build.names.fresh(wish)
    build.types[made] = INT
    build.merged.add(made)
    build.append(syntax.assign(made, syntax.constant(0)))
    return made


def _advance(build: Builder, counter: str, by: gast.expr) -> None:
    build.append(syntax.assign(counter, build.call("add", syntax.name(counter), by, hint=counter)))


def _lengths(build: Builder, item: gast.Name, element: Type) -> list[gast.expr]:
    return [build.call("dim", item, axis=axis, hint="n") for axis in range(rank(element))]


def _product(build: Builder, lengths: list[gast.expr]) -> gast.expr:
    size: gast.expr = syntax.constant(1)
    for length in lengths:
        size = length if isinstance(size, gast.Constant) else build.call("multiply", size, length, hint="size")
    return size


def _store(build: Builder, base: str, items: list[Any], value: gast.expr) -> None:
    build.append(syntax.store(base, items, value))


def _append(build: Builder, name: str, value: gast.expr) -> None:
    build.append(syntax.expression(syntax.call("append", name, value)))
