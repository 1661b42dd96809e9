"""Python objects taken apart: containers into their leaves, instances into their attributes.

    {"w": (1.0, a)}     ->     Mapping_((("w", Sequence((convert(1.0), convert(a)))),))
"""

from __future__ import annotations

import dataclasses
import functools
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from .....runtime.foreign import is_stand_in, taken_over
from .....runtime.nature import is_bound_method
from .....runtime.structures import attributes_of, is_instance_of_own, meta_fields
from ..functional import Partial
from ..kinds.record_classes import is_namedtuple_class, record_fields
from ..values import Mapping_, Record, Sequence, Static, Value


def known_value(_: object) -> Value | None:
    """What stays static, whatever it is."""
    return None


def known_parts(value: Value) -> tuple[str, ...]:
    """The fields of a dataclass that were registered as metadata: they are known, and the same in slopes."""
    return meta_fields(value.cls) if isinstance(value, Record) else ()


def stands_for_foreign(cls: type) -> bool:
    """Whether instances stand for objects of another library, such as sparse arrays."""
    return is_stand_in(cls)


def from_python(
    value: object,
    convert: Callable[[object], Value | None],
    of_list: Callable[[list], Value | None] = lambda _: None,
    of_attribute: Callable[[object, Callable[[object], Value]], Value] | None = None,
) -> Value:
    """A Python object taken apart, in the order of its parts; for one of SciPy's, what stands for it.

    `convert` decides on what is not a container (None: keep it static), `of_list` on lists (None: take them apart too).
    Instances of ordinary classes are taken apart if there is `of_attribute`: it takes an attribute apart, and is passed
    the function that takes any part apart.
    """
    value = taken_over(value)
    inner = functools.partial(from_python, convert=convert, of_list=of_list, of_attribute=of_attribute)
    if is_namedtuple_class(type(value)) or (dataclasses.is_dataclass(value) and not isinstance(value, type)):
        known = meta_fields(type(value))
        fields = [(f, known_value if f in known else convert) for f in record_fields(type(value))]
        return Record(type(value), tuple((f, inner(getattr(value, f), convert=how)) for f, how in fields))
    if isinstance(value, functools.partial):
        function, first = inner(value.func), tuple(map(inner, value.args))  # in the order of the leaves
        return Partial(function, first, tuple((k, inner(v)) for k, v in value.keywords.items()))
    if is_bound_method(value):
        method: Any = value
        return Partial(Static(method.__func__), (inner(method.__self__),))
    if isinstance(value, list) and (made := of_list(value)) is not None:
        return made
    if isinstance(value, tuple | list):
        kind = list if isinstance(value, list) else tuple
        items = tuple(map(inner, value))
        return Sequence(items, kind, None if type(value) is kind else type(value))
    if isinstance(value, Mapping):
        pairs = tuple((k, inner(v)) for k, v in value.items())
        is_other = isinstance(value, dict) and type(value) is not dict
        made_by = value.default_factory if isinstance(value, defaultdict) else None
        return Mapping_(pairs, (type(value), made_by) if is_other else None)
    if of_attribute is not None and is_instance_of_own(value):
        attributes = attributes_of(value).items()
        return Record(type(value), tuple((name, of_attribute(part, inner)) for name, part in attributes))
    made = convert(value)
    return Static(value) if made is None else made
