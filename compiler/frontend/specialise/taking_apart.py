"""Objects of Python taken apart: containers to their leaves, instances to their attributes.

    {"w": (1.0, a)}     ->     Mapping_((("w", Sequence((convert(1.0), convert(a)))),))
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any

from ....runtime.nature import is_bound_method
from ....runtime.structures import meta_fields
from .record_classes import is_namedtuple_class, record_fields
from .values import Mapping_, Partial, Record, Sequence, Static, Value


def known_value(_: object) -> Value | None:
    """What stays static, whatever it is."""
    return None


def known_parts(value: Value) -> tuple[str, ...]:
    """The fields of a dataclass that were registered as no parts: they are known, and the same in slopes."""
    return meta_fields(value.cls) if isinstance(value, Record) else ()


def from_python(
    value: object,
    convert: Callable[[object], Value | None],
    of_list: Callable[[list], Value | None] = lambda _: None,
) -> Value:
    """A Python object taken apart, in the order of its parts.

    `convert` decides on what is no container (None: keep it static), `of_list` on lists (None: take them apart too).
    """
    if is_namedtuple_class(type(value)) or (dataclasses.is_dataclass(value) and not isinstance(value, type)):
        known = meta_fields(type(value))
        fields = [(f, known_value if f in known else convert) for f in record_fields(type(value))]
        return Record(type(value), tuple((f, from_python(getattr(value, f), how, of_list)) for f, how in fields))
    if isinstance(value, functools.partial):
        function = from_python(value.func, convert, of_list)
        first = tuple(from_python(v, convert, of_list) for v in value.args)
        named = tuple((k, from_python(v, convert, of_list)) for k, v in value.keywords.items())
        return Partial(function, first, named)
    if is_bound_method(value):
        method: Any = value
        return Partial(Static(method.__func__), (from_python(method.__self__, convert, of_list),))
    if isinstance(value, list) and (made := of_list(value)) is not None:
        return made
    if isinstance(value, tuple | list):
        kind = list if isinstance(value, list) else tuple
        items = tuple(from_python(v, convert, of_list) for v in value)
        return Sequence(items, kind, None if type(value) is kind else type(value))
    if isinstance(value, Mapping):
        pairs = tuple((k, from_python(v, convert, of_list)) for k, v in value.items())
        is_other = isinstance(value, dict) and type(value) is not dict
        return Mapping_(pairs, (type(value), getattr(value, "default_factory", None)) if is_other else None)
    made = convert(value)
    return Static(value) if made is None else made
