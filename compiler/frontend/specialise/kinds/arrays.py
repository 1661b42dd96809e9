"""Arrays made of containers, and lists made of arrays.

    np.array([(a, b), (c, d)])     ->     made = empty(shape=(2, 2)); made[0, 0] = a; made[0, 1] = b; ...
    np.array([(1, 2), (3, 4)])     ->     made = table(values=(1, 2, 3, 4), shape=(2, 2))
    x.tolist()                     ->     items = []; for v in x: items.append(v)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator as Iterated
from typing import Any

import gast

from .....runtime.nature import article
from .... import syntax, types
from ....dtypes import (
    BOOL_WORD,
    FLOAT_WORD,
    PYTHON_TYPE,
    has_kind_of,
    holds,
    is_bool,
    is_integer,
    promote_dtypes,
    python_word,
)
from ....meanings import Meaning, Meanings
from ....ops.static import strict_common
from ....types import Array, ListOf, Scalar, type_of_number
from .. import protocol
from ..frame import Frame
from ..interpreter import evaluate, subscript
from ..iterables import Iteration, Iterator
from ..joins import evenness, two_meanings
from ..joins.joined_types import meanings_of
from ..library import library
from ..objects import pools
from ..values import (
    Column,
    Leaf,
    Mapping_,
    Optional,
    Record,
    Rows,
    Sequence,
    Static,
    Table,
    Value,
    is_number,
    leaves,
    parts,
    with_parts,
)
from . import container_methods, containers, rows, tables
from .library_classes import stands_for


def as_array(frame: Frame, value: Value, node: gast.AST, dtype: str | None = None, hint: str = "t") -> Leaf:
    """`np.array(value)` for nested sequences of scalars or arrays, growable lists, arrays and scalars."""
    value = frame.tree(value)
    if isinstance(value, Iteration | Iterator):
        frame.fault("T001", f"NumPy makes an array of one object of a `{value.kind}`", node, "made here",
                    ("make a list of it first: `list(...)`",))  # fmt: skip
    require_numbers(frame, value, node)
    match value:
        case Table(item=Rows(item=Column(values=rows_))):  # numbers
            value = rows_
        case Table():
            value = tables.arrays_of(frame, value, node)
    if isinstance(value, Rows):
        return rows.as_array(frame, value, dtype, node, hint)
    if isinstance(value, Leaf) and not isinstance(found := frame.type_of(value), Scalar):
        if isinstance(found, ListOf):
            return library.array_from_list(frame, value, dtype, node, hint)
        return value if dtype in (None, found.dtype) else frame.emit("cast", value, node=node, hint=hint, dtype=dtype)
    value = _with_arrays(frame, value, node)
    of_parts = [] if value == Sequence((), getattr(value, "kind", tuple)) else [frame.type_of(v) for v in leaves(value)]
    kinds = [found for found in of_parts if isinstance(found, Array | Scalar)]
    if len(kinds) < len(of_parts):
        frame.fault("T001", f"an array cannot be made of {article(frame.describe(value))}", node, "made here")
    is_given = dtype is not None
    dtype = dtype or (promote_dtypes(*(types.dtype_of(k) for k in kinds)) if kinds else FLOAT_WORD)
    shape, inner = regular_shape(frame, value, node)
    if (numbers := known_numbers_in(value, dtype)) is not None:
        return frame.emit("table", node=node, hint=hint, values=syntax.constant(numbers), shape=shape, dtype=dtype)
    atoms = tuple(frame.atom(s, node) for s in (*map(Static, shape), *inner))
    made = frame.emit("empty", node=node, hint=hint, shape=atoms, dtype=dtype)
    fill(frame, made, value, [], len(inner), node)
    if frame.builder.widened and not is_given:
        two_meanings.require_one_dtype(frame, list(leaves(value)), kinds, strict_common.ask, node)
        frame.builder.widen(made.name, promoted_on_paths(frame, value))
    return made


def known_numbers_in(value: Value, dtype: str) -> tuple[Any, ...] | None:
    """The numbers that sequences of nothing else hold, row by row; None where one is no number, or does not fit."""
    found = list(leaves(value))
    numbers = [leaf.value for leaf in found if is_number(leaf)]
    if not found or len(numbers) < len(found) or not all(is_element(number, dtype) for number in numbers):
        return None
    kind: Any = PYTHON_TYPE[python_word(dtype)]
    return tuple(map(kind, numbers))


def is_element(number: object, dtype: str) -> bool:
    """Whether this is a number that an array of the dtype holds as it is, or rounded."""
    own = type_of_number(number)
    if own is None or is_integer(dtype) and not is_integer(own.dtype):
        return own is not None and is_bool(own.dtype)
    return holds(dtype, int(number)) if is_integer(dtype) else has_kind_of(own.dtype, dtype)  # type: ignore[call-overload]


def promoted_on_paths(frame: Frame, value: Value) -> Iterated[Meanings]:
    """The types on the paths of an array of these parts, of which some have another dtype on another path."""
    words = [{one.type.dtype for one in meanings_of(frame, part)} for part in leaves(value)]
    for found in itertools.product(*{frozenset(one) for one in words}):
        yield frozenset({Meaning(Scalar(promote_dtypes(*found)))} if found else ())


def require_numbers(frame: Frame, value: Value, node: gast.AST) -> None:
    """Refuse what NumPy would make an array of objects of."""
    if isinstance(value, Optional):
        frame.fault("T001", "NumPy makes an array of objects of what may be None", node, "made here",
                    ("leave out what is None: `[v for v in items if v is not None]`",))  # fmt: skip
    if isinstance(value, Record) and stands_for(value.cls) is not None:
        what = frame.describe(value)
        frame.fault("T001", f"NumPy makes an array of one object of a `{what}`", node, "made here",
                    ("make a list of it first: `sorted(...)`" if what == "set" else "make a list of it: `list(...)`",))
    if isinstance(value, Mapping_) or pools.is_pooled(value) or isinstance(value, Record) and not value.is_tuple:
        of_attributes = "make it of attributes: `[p.v for p in ps]`"
        way_out = "make it of the values: `list(d.values())`" if isinstance(value, Mapping_) else of_attributes
        frame.fault("T001", f"NumPy makes an array of objects of a `{frame.describe(value)}`", node, "made here",
                    (way_out,))  # fmt: skip
    for part in [value.item] if isinstance(value, Table) else [part for _, part in parts(value)]:
        require_numbers(frame, part, node)


def _with_arrays(frame: Frame, value: Value, node: gast.AST) -> Value:
    """Sequences with an array instead of each list of dynamic length."""
    if isinstance(value, Table | Rows) or frame.is_list(value):
        return as_array(frame, value, node)
    inner = parts(value)
    return with_parts(value, tuple(_with_arrays(frame, part, node) for _, part in inner)) if inner else value


def regular_shape(frame: Frame, value: Value, node: gast.AST) -> tuple[tuple[int, ...], list[Value]]:
    """The lengths of nested sequences, followed by the lengths of the arrays that they hold."""
    if isinstance(value, Record) and value.is_tuple:
        value = Sequence(tuple(v for _, v in value.items))
    if isinstance(value, Column):  # a list with one number for each item
        value = protocol.held_as(frame, value.values, Leaf)
        return (), [evaluate.length_of(frame, value, k, node) for k in range(1, types.rank(frame.type_of(value)))]
    if not isinstance(value, Sequence):
        return (), list(evaluate.lengths_of(frame, value, node))
    if not value.items:
        return (0,), []
    parts = [regular_shape(frame, v, node) for v in value.items]
    if any(p[0] != parts[0][0] or len(p[1]) != len(parts[0][1]) for p in parts):
        frame.fault("S003", evenness.UNEVEN, node, "made here")
    for _, lengths in parts[1:]:
        evenness.require_even(frame, parts[0][1], lengths, node)
    return (len(parts), *parts[0][0]), parts[0][1]


def fill(frame: Frame, array: Leaf, value: Value, position: list[int], rank: int, node: gast.AST) -> None:
    if isinstance(value, Record) and value.is_tuple:
        value = Sequence(tuple(v for _, v in value.items))
    if isinstance(value, Sequence):
        for i, part in enumerate(value.items):
            fill(frame, array, part, [*position, i], rank, node)
        return
    items: list[gast.expr] = [*map(syntax.constant, position), *(syntax.slice_() for _ in range(rank))]
    subscript.store_items(frame, array, items, value, node)


def to_list(frame: Frame, value: Leaf | Static, node: gast.AST) -> Value:
    """`x.tolist()`: the elements as Python numbers."""
    if frame.is_array(value):
        rank = types.rank(frame.type_of(value))
        if rank > 1:
            return container_methods.in_language(frame, "rows_of", [value], node)
        if rank == 1:
            return frame.new(containers.grown_from_array(frame, value, True, node))
    number = subscript.number_in(frame, value, node)
    dtype = protocol.type_as(frame, number, Scalar).dtype
    return frame.emit("cast", number, node=node, dtype=python_word(dtype), weak=True)


@protocol.infix.of(Array, beside=(protocol.ANY,))
def infix(frame: Frame, left: Value, right: Value, op: type, node: gast.AST, hint: str = "t") -> Value:
    """Element by element: beside a value of NumPy's, containers are arrays; a list times a number is refused."""
    repeats = op is gast.Mult and (frame.is_scalar(left) or frame.is_scalar(right))
    if repeats or not evaluate.is_strong(frame, left) and not evaluate.is_strong(frame, right):
        return protocol.infix.otherwise(frame, left, right, op, node, hint)
    sides = [as_array(frame, v, node) if protocol.is_container(frame, v) else v for v in (left, right)]
    return frame.emit(protocol.OPERATOR_OF[op], *sides, node=node, hint=hint)


def contains(frame: Frame, array: Value, item: Value, node: gast.AST, hint: str) -> Value:
    """`item in array`: whether it is equal to any element."""
    among = frame.emit("any", frame.emit("equal", array, item, node=node), node=node)
    return frame.emit("cast", among, node=node, hint=hint, dtype=BOOL_WORD, weak=True)
