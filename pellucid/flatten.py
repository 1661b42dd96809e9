"""Between Python values and leaves: taking arguments apart, putting results together.

    {"w": array(3, 2), "b": 1.0}   ->   leaves [array, 1.0], types f64[n, m] and float, a key for the cache of code
"""

from __future__ import annotations

import enum
import math
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .compiler import types
from .compiler.diagnostics import Diagnostic, Span, TypeMismatchError
from .compiler.dtypes import BOOL_WORD, DTYPE_OF_NUMPY, NUMPY_NAMES
from .compiler.frontend.specialise.functional import Partial
from .compiler.frontend.specialise.values import (
    Column,
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
    leaves,
    map_leaves,
    parts,
    with_parts,
)
from .compiler.frontend.specialise.world.constants import MOST_APART, Unsupported, array_type, type_of_array
from .compiler.frontend.specialise.world.taking_apart import from_python
from .compiler.records import dataclass
from .compiler.request import BackwardHalf
from .runtime.array import Array
from .runtime.devices import is_on_gpu
from .runtime.foreign import instance, instance_of, is_made_by_its_library
from .runtime.nature import article
from .runtime.structures import dict_like, list_like
from .shapes import ShapeDtypeStruct, type_of_struct

if TYPE_CHECKING:
    from .compiler.diagnostics import TypeMismatchError


@dataclass(slots=True, eq=False)
class Flattened:
    """Arguments taken apart: structure and types by parameter, run-time leaves, and a hashable key of the former."""

    arguments: Mapping[str, Value]
    leaves: list[Any]
    key: Any


def flatten(
    arguments: Mapping[str, Any],
    static: tuple[str, ...],
    function: Callable[..., Any],
    texts: Collection[str] = (),
) -> Flattened:
    """Take bound arguments apart; strings and `ShapeDtypeStruct`s in those named by `texts` may be types.

    Raises TypeMismatchError T005 for a value that has no type here.
    """
    found: list[Any] = []
    values: dict[str, Value] = {}
    for name, argument in arguments.items():
        if name in static:
            values[name] = from_python(argument, known_number)
            continue
        try:
            values[name] = abstract(argument, found, texts=name in texts)
        except Unsupported as wrong:
            raise unsupported(function, name, wrong) from None
    return Flattened(values, found, tuple((name, key_of(value)) for name, value in values.items()))


def abstract(argument: Any, found: list[Any] | None = None, texts: bool = False) -> Value:
    """The structure of one argument with types for leaves; run-time leaves are appended to `found`."""

    def convert(value: Any) -> Value | None:
        if texts and isinstance(value, str) and _is_type(value):
            if found is not None:
                found.append(value)
            return Typed(types.parse(value))
        if texts and isinstance(value, ShapeDtypeStruct):
            if found is not None:
                found.append(value)
            return Typed(type_of_struct(value))
        if (number := known_number(value)) is not None:
            value = number.value
        typed = type_of(value)
        if typed is None:
            return None
        if found is not None:
            found.append(np.asarray(value) if isinstance(typed, types.Array) and _there(value) is None else value)
        return Typed(typed)

    def of_list(items: list) -> Value | None:
        return None if len(items) <= MOST_APART else alike(items, found)

    def of_attribute(value: object, taken_apart: Callable[[object], Value]) -> Value:
        """What has no type is known as it is: a lock or a file that an instance holds is of no use to a program."""
        count = 0 if found is None else len(found)
        try:
            return taken_apart(value)
        except Unsupported:
            if isinstance(value, np.ndarray):
                raise
            del (found or [])[count:]
            return Static(value)

    try:
        return from_python(argument, convert, of_list, of_attribute)
    except RecursionError:
        raise Unsupported("a container that holds itself") from None


def _there(value: Any) -> Any:
    """The elements of an array on a GPU, which are not copied to tell its type; None for what is on the host."""
    return value._there if isinstance(value, Array) and is_on_gpu(value._device) else None


def known_number(value: Any) -> Static | None:
    """The number that an `Array` stands for, the result of a call that went on after it had returned."""
    return Static(value._plain) if isinstance(value, Array) and value._is_number else None


def alike(items: list, found: list[Any] | None) -> Rows | None:
    """A list whose items are alike, an array for each place in them; None for any other list."""
    first: list[Any] = []
    structure = abstract(items[0], first)
    if not first or not _is_one_row(structure):
        return None
    if any(isinstance(leaf, np.ndarray) and not leaf.ndim for leaf in first):
        return None  # an item of a column would be a scalar
    columns = [[leaf] for leaf in first]
    if all(type(v) is type(items[0]) and type(v) in (float, int, bool) for v in items):
        columns = [items]
    else:
        key = key_of(structure)
        for item in items[1:]:
            its: list[Any] = []
            if type(item) is not type(items[0]) or key_of(abstract(item, its)) != key:
                return None
            if any(np.shape(a) != np.shape(b) for a, b in zip(first, its, strict=True)):
                return None
            for place, leaf in zip(columns, its, strict=True):
                place.append(leaf)
    arrays = iter([np.array(place) for place in columns])

    def column(part: Value, _: tuple) -> Value:
        if not isinstance(part, Typed):
            return part
        array = next(arrays)
        if found is not None:
            found.append(array)
        return Column(Typed(array_type(array)), isinstance(part.type, types.Scalar) and part.type.weak)

    return Rows(map_leaves(structure, column))


def _is_one_row(value: Value) -> bool:
    """Whether an item is numbers and arrays, in tuples and records alone."""
    if isinstance(value, Typed):
        return True
    is_fixed = isinstance(value, Record) or isinstance(value, Sequence) and value.kind is tuple
    return is_fixed and all(_is_one_row(part) for _, part in parts(value))


def _is_type(text: str) -> bool:
    """Whether a text is a type; raises ValueError where it is nearly one."""
    try:
        types.parse(text)
    except ValueError:
        if re.match(r"(any +)?[a-z]+\d+(\[|$)", text):
            raise
        return False
    return True


def type_of(value: Any) -> types.Type | None:
    """The type of a leaf; None for what stays static.  Raises Unsupported."""
    match value:
        case enum.Enum():
            return None  # known when it is compiled, like a string
        case bool() | np.bool_():
            return types.Scalar(BOOL_WORD, weak=isinstance(value, bool))
        case Array() if (there := _there(value)) is not None:
            return type_of_array(value.dtype, value.shape, there.is_contiguous)
        case np.ndarray() | Array():
            if isinstance(value, np.ndarray) and type(value) not in (np.ndarray, np.memmap):
                kind = article(type(value).__name__)
                raise Unsupported(f"{kind}, which has its own rules (np.asarray makes it an array)")
            return array_type(np.asarray(value))
        case np.generic():
            dtype = DTYPE_OF_NUMPY.get(value.dtype)
            if dtype is None:
                raise Unsupported(f"a NumPy scalar of dtype {value.dtype}")
            return types.Scalar(dtype)
        case int():
            if not -(2**63) <= value < 2**63:
                raise Unsupported(f"an integer of more than 64 bits ({value})")
            return types.INT
        case float():
            return types.FLOAT
        case complex():
            return types.COMPLEX
        case set() | frozenset():
            raise Unsupported(f"{article(type(value).__name__)}")
    if value is None or isinstance(value, str | bytes) or callable(value):
        return None
    if hasattr(value, "__array__"):
        raise Unsupported(f"{article(type(value).__name__)}, which has its own rules (np.asarray makes it an array)")
    raise Unsupported(f"{article(type(value).__name__)}")


def unsupported(function: Callable[..., Any], name: str, wrong: Unsupported) -> TypeMismatchError:
    code = function.__code__
    span = Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 0)
    hint = f"arguments are bool, int, float, complex, arrays of {NUMPY_NAMES}, and containers of them"
    message = f"argument `{name}` of `{function.__name__}` is {wrong}, which is not supported"
    return TypeMismatchError(Diagnostic("T005", message, span, "defined here", help=(hint,)))


def key_of(value: Value) -> Any:
    """A hashable summary of structure, types and static values."""
    inner = parts(value)
    if inner:
        made_by = getattr(value, "cls", None) or getattr(value, "kind", None)
        return (type(value), made_by, tuple((k, key_of(v)) for k, v in inner))
    if isinstance(value, Typed):
        return value.type
    held = value.value if isinstance(value, Static) else value
    if isinstance(held, np.generic):
        return (type(held), held.tobytes())
    if isinstance(held, float):
        return (type(held), float(held).hex())  # 0.0 and -0.0 are equal and give different programs
    if isinstance(held, complex):
        return (type(held), held.real.hex(), held.imag.hex())
    if isinstance(held, np.ndarray):
        return (type(held), held.dtype, held.shape, held.tobytes())
    try:
        hash(held)
    except TypeError:
        return (type(held), repr(held))
    return (type(held), held)


LONGEST_SHOWN = 60  # letters of a known value


def description(value: Value) -> str:
    """The types in words, with `_` for lengths that may be any: `(f64[_, 1], float)`."""
    match value:
        case Typed(type=types.Array(dims=dims) as found):
            return str(replace(found, dims=tuple(d if isinstance(d, int) else types.symbol("_") for d in dims)))
        case Typed(type=found):
            return str(found)
        case Static(value=held):
            text = repr(held)
            return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."
        case Rows(item=item):
            return f"[{description(item)}, ...]"
        case Column(values=Typed(type=types.Array(dtype=dtype, dims=(_, *dims))), is_weak=is_weak):
            found = types.Array(dtype, tuple(dims)) if dims else types.Scalar(dtype, is_weak)
            return description(Typed(found))
        case Sequence(items=items, kind=kind):
            inner = ", ".join(map(description, items))
            return f"[{inner}]" if kind is list else f"({inner},)" if len(items) == 1 else f"({inner})"
        case Mapping_(items=items):
            return "{" + ", ".join(f"{key!r}: {description(part)}" for key, part in items) + "}"
        case Record(cls=cls, items=items):
            return f"{cls.__name__}({', '.join(description(part) for _, part in items)})"
    return str(value)


def runtime_leaves(arguments: Mapping[str, Value]) -> Iterator[Leaf]:
    """The leaves of the arguments in the order of the program's parameters."""
    for value in arguments.values():
        for leaf in leaves(value):
            if isinstance(leaf, Leaf):
                yield leaf


def rebuild(structure: Value, results: list[Any]) -> Any:
    """Put result leaves back into Python containers; arrays become `Array`."""
    match structure:
        case Out(index=index):
            return Array(results[index]) if isinstance(results[index], np.ndarray) else results[index]
        case Static(value=value):
            return value
        case Partial(function=Static(value=BackwardHalf() as half), args=(residuals,)):
            return pullback(half, rebuild(residuals, results))
        case Optional(absent=absent, inner=inner):
            return None if rebuild(absent, results) else rebuild(inner, results)
        case OneOf(flags=flags, cases=cases):
            return rebuild(next(case for flag, case in zip(flags, cases) if rebuild(flag, results)), results)
        case String(number=number, strings=strings):
            return strings[rebuild(number, results)]
        case Rows():
            return listed_rows(structure, results)
        case ListOut(is_weak=is_weak):
            return listed(is_weak, *(results[part.index] for part in leaves(structure) if isinstance(part, Out)))
        case Sequence(items=items, kind=kind, like=like):
            return list_like(like or kind, [rebuild(v, results) for v in items])
        case Mapping_(items=items, like=like):
            made = {k: rebuild(v, results) for k, v in items}
            return made if like is None else dict_like(*like, made)
        case Record(cls=cls, items=items):
            return record(cls, {k: rebuild(v, results) for k, v in items})
    raise TypeError(f"no result structure: {structure!r}")


def pullback(half: BackwardHalf, residuals: Any) -> Any:
    """What pulls cotangents back, with these residuals."""
    from .pullback import pullback_of

    return pullback_of(half, residuals)


def listed(is_weak: bool, data: Any, shapes: Any = None) -> list[Any]:
    """A list that grew: numbers from an array, or arrays from all their elements and a row of lengths for each."""
    data = np.asarray(data)
    if shapes is None:
        return data.tolist() if is_weak else list(data)
    rows = np.asarray(shapes).tolist()
    ends = np.cumsum([math.prod(row) for row in rows], dtype=int)
    return [Array(part.reshape(row)) for part, row in zip(np.split(data, ends[:-1]) if rows else [], rows)]


def listed_rows(rows: Rows, results: list[Any]) -> Any:
    """A list, tuple or text whose items are alike, from an array for each place in them."""
    columns: list[list[Any]] = []

    def taken(value: Value) -> Value:
        if isinstance(value, Rows):
            columns.append(_lists_of(value, results))
            return Out(len(columns) - 1)
        if isinstance(value, ListOut):
            columns.append(rebuild(value, results))
            return Out(len(columns) - 1)
        if isinstance(value, Column):
            assert isinstance(value.values, Out)
            array = np.asarray(results[value.values.index])
            columns.append(array.tolist() if value.is_weak else list(array))
            return Out(len(columns) - 1)
        inner = tuple(taken(part) for _, part in parts(value))
        return with_parts(value, inner) if inner else value

    structure = taken(rows.item)
    items = (rebuild(structure, list(leaves_)) for leaves_ in zip(*columns, strict=True))
    return "".join(items) if rows.kind is str else rows.kind(items)


def _lists_of(rows: Rows, results: list[Any]) -> list[Any]:
    """The lists in one place of the items of a list, from the arrays that hold their items."""
    columns: list[list[Any]] = []

    def taken(value: Value) -> Value:
        if isinstance(value, Column):
            columns.append(rebuild(value.values, results))
            return Column(Out(len(columns) - 1), value.is_weak)
        inner = tuple(taken(part) for _, part in parts(value))
        return with_parts(value, inner) if inner else value

    one = Rows(taken(rows.item), rows.kind)
    return [listed_rows(one, list(arrays)) for arrays in zip(*columns, strict=True)]


# What a function returns whose keys or items the run made, from the lists of them.
OF_THE_RUN: dict[type, Callable[..., Any]] = {
    dict: lambda keys, values: dict(zip(keys, values, strict=True)), set: set, deque: deque, Counter: Counter,
    defaultdict: defaultdict,
}


def record(cls: Any, fields: dict[str, Any]) -> Any:
    """A NamedTuple or dataclass with these fields; `__post_init__` had its turn when the fields were made."""
    if cls in OF_THE_RUN:
        return OF_THE_RUN[cls](*fields.values())
    if issubclass(cls, tuple):
        return cls._make(fields.values())
    return instance_of(cls, fields) if is_made_by_its_library(cls) else instance(cls, fields)


__all__ = ["Flattened", "abstract", "description", "flatten", "map_leaves", "rebuild", "record", "runtime_leaves"]
