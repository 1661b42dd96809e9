"""How containers are made: their structure without their leaves, and what they are taken apart into.

    {"w": (1.0, a), "b": None}    ->    leaves [1.0, a] and Structure({'b': None, 'w': (*, *)})

Containers are tuples, lists, dicts, NamedTuples, dataclasses, None, which holds nothing, instances of ordinary classes
of the user's, whose attributes are their parts, and of classes that were registered; all else is a leaf.  The items of
a dict come in the order of its sorted keys; where it is put together again its keys stand as they did.
"""

from __future__ import annotations

import dataclasses
import sys
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache
from types import SimpleNamespace
from typing import Any

from . import foreign

HEAP_TYPE = 1 << 9  # of classes that Python code made
FOREIGN = frozenset({"numpy", "scipy", "pellucid"}) | (sys.stdlib_module_names - {"__main__"})
IsLeaf = Callable[[Any], bool] | None
LEAF = "*"


@dataclass(frozen=True)
class DictKey:
    """The step to an item of a dict."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"


@dataclass(frozen=True)
class SequenceKey:
    """The step to an item of a tuple or a list."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx}]"


@dataclass(frozen=True)
class GetAttrKey:
    """The step to a field of a NamedTuple or a dataclass."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"


@dataclass(frozen=True)
class Registered:
    """How instances of a class are taken apart and put together, as the user says.

    flatten    gives the parts and what is no part: (parts, auxiliary)
    unflatten  makes an instance of (auxiliary, parts)
    data       the fields that are parts, of a dataclass; else the parts are counted
    meta       the fields that are auxiliary
    is_made_bare  whether an instance is made by giving it its fields, and not by a call of its class
    """

    flatten: Callable[[Any], tuple[Any, Any]] | None = None
    unflatten: Callable[[Any, Any], Any] | None = None
    data: tuple[str, ...] = ()
    meta: tuple[str, ...] = ()
    is_made_bare: bool = False

    def parts(self, value: Any) -> tuple[Any, list[Any], tuple[str, ...] | None]:
        """What is no part, the parts, and their names."""
        if self.flatten is None:
            aux = tuple(getattr(value, name) for name in self.meta)
            return aux, [getattr(value, name) for name in self.data], self.data
        found, aux = self.flatten(value)
        return aux, list(found), None

    def made(self, kind: type, aux: Any, parts: Sequence[Any]) -> Any:
        if self.unflatten is not None:
            return self.unflatten(aux, tuple(parts))
        fields = {**dict(zip(self.data, parts)), **dict(zip(self.meta, aux))}
        return foreign.instance(kind, fields) if self.is_made_bare else kind(**fields)


REGISTERED: dict[type, Registered] = {}


def registered(kind: Any) -> Registered | None:
    """How instances of a class are taken apart, if somebody said so: by registration, or of the fields of a dataclass.

    Fields that are no parts are told as JAX and Equinox do, by `static=True` in their metadata, or as Flax does, by
    `pytree_node=False`.
    """
    return REGISTERED.get(kind) or _told_by_fields(kind)


@cache
def _told_by_fields(kind: Any) -> Registered | None:
    fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    meta = [f.name for f in fields if f.metadata.get("static", False) or not f.metadata.get("pytree_node", True)]
    if not meta:
        return None
    return Registered(data=tuple(f.name for f in fields if f.name not in meta), meta=tuple(meta), is_made_bare=True)


def meta_fields(kind: type) -> tuple[str, ...]:
    """The fields of a class that are known values wherever an instance is."""
    own = registered(kind)
    return () if own is None else own.meta


@dataclass(frozen=True, eq=False)
class Structure:
    """A container without its leaves.

    kind      its class; None for a leaf
    keys      the keys of a dict, the names of fields; None where positions count
    children  the structures of its parts
    made_by   what a defaultdict makes its items with
    order     the keys of a dict as they stood in it, which tell no structures apart
    aux       what an instance of a registered class has beside its parts
    """

    kind: type | None = None
    keys: tuple[Any, ...] | None = None
    children: tuple[Structure, ...] = ()
    made_by: Any = None
    order: tuple[Any, ...] = ()
    aux: Any = None
    num_leaves: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        count = 1 if self.kind is None else sum(child.num_leaves for child in self.children)
        object.__setattr__(self, "num_leaves", count)

    @property
    def num_nodes(self) -> int:
        """How many containers and leaves there are."""
        return 1 + sum(child.num_nodes for child in self.children)

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The container with these leaves.  Raises ValueError for another number of them."""
        given = list(leaves)
        if len(given) != self.num_leaves:
            raise ValueError(f"this structure has {self.num_leaves} leaves, and {len(given)} were given: {self}")
        return self._filled(iter(given))

    def _filled(self, leaves: Iterator[Any]) -> Any:
        if self.kind is None:
            return next(leaves)
        return self.filled([child._filled(leaves) for child in self.children])

    def filled(self, parts: Sequence[Any]) -> Any:
        """The container of these parts; nothing is done when an instance is made again but to give it its fields."""
        kind = self.kind
        if kind is type(None):
            return None
        if (own := registered(kind)) is not None:
            return own.made(kind, self.aux, parts)  # type: ignore[arg-type]
        if foreign.is_foreign(kind):  # type: ignore[arg-type]
            return foreign.made(kind, parts, self.aux)  # type: ignore[arg-type]
        if issubclass(kind, dict):  # type: ignore[arg-type]
            found = dict(zip(self.keys or (), parts))
            return dict_like(kind, self.made_by, {key: found[key] for key in self.order})
        if issubclass(kind, tuple | list):  # type: ignore[arg-type]
            return list_like(kind, parts) if self.keys is None else kind._make(parts)  # type: ignore
        return foreign.instance(kind, dict(zip(self.keys or (), parts)))  # type: ignore[arg-type]

    def steps(self) -> list[DictKey | SequenceKey | GetAttrKey]:
        """The steps to its parts."""
        if self.keys is None:
            return [SequenceKey(place) for place in range(len(self.children))]
        is_dict = isinstance(self.kind, type) and issubclass(self.kind, dict)
        return [DictKey(key) if is_dict else GetAttrKey(key) for key in self.keys]

    def _facts(self) -> tuple[Any, ...]:
        return self.kind, self.keys, self.children, self.made_by, self.aux

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Structure) and self._facts() == other._facts()

    def __hash__(self) -> int:
        return hash((self.kind, self.keys, self.children))

    def __repr__(self) -> str:
        return f"Structure({self})"

    def __str__(self) -> str:
        parts = [str(child) for child in self.children]
        if self.kind is None:
            return LEAF
        if self.kind is type(None):
            return "None"
        if self.kind is tuple:
            return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
        if self.kind is list:
            return f"[{', '.join(parts)}]"
        if self.keys is None and issubclass(self.kind, tuple | list):
            return f"{self.kind.__name__}([{', '.join(parts)}])"
        if issubclass(self.kind, dict):
            inner = "{" + ", ".join(f"{key!r}: {part}" for key, part in zip(self.keys or (), parts)) + "}"
            return inner if self.kind is dict else f"{self.kind.__name__}({inner})"
        own = registered(self.kind)
        if own is not None and self.keys is None:
            return f"{self.kind.__name__}[{self.aux!r}]({', '.join(parts)})"
        fields = [f"{name}={part}" for name, part in zip(self.keys or (), parts)]
        if own is not None:
            fields += [f"{name}={value!r}" for name, value in zip(own.meta, self.aux)]
        return f"{self.kind.__name__}({', '.join(fields)})"


def taken_apart(value: Any) -> tuple[Structure, list[Any]] | None:
    """The structure of one level, with leaves for its parts, and the parts; None for what is a leaf."""
    kind, parts = type(value), None
    keys: tuple[Any, ...] | None = None
    aux: Any = None
    if (own := registered(kind)) is not None:
        aux, parts, keys = own.parts(value)
    elif foreign.is_foreign(kind):
        keys, parts, aux = foreign.parts_of(value)
    elif value is None:
        parts = []
    elif isinstance(value, tuple | list) and not hasattr(kind, "_fields"):
        parts = list(value)
    elif isinstance(value, dict):
        keys = tuple(value) if kind is OrderedDict else sorted_keys(value)
        parts = [value[key] for key in keys]
    elif isinstance(value, tuple) and hasattr(kind, "_fields"):
        keys, parts = tuple(kind._fields), list(value)
    elif dataclasses.is_dataclass(kind):
        keys = tuple(one.name for one in dataclasses.fields(kind))
        parts = [getattr(value, name) for name in keys]
    elif is_instance_of_own(value):
        attributes = attributes_of(value)
        keys, parts = tuple(attributes), [*attributes.values()]
    if parts is None:
        return None
    made_by = value.default_factory if isinstance(value, defaultdict) else None
    order = tuple(value) if isinstance(value, dict) else ()
    return Structure(kind, keys, (Structure(),) * len(parts), made_by, order, aux), parts


def dict_like(kind: Any, made_by: Any, items: dict[Any, Any]) -> Any:
    """A dict of this class with these items, in their order; `made_by` is what makes those that are missing."""
    if kind is dict:
        return items
    made = kind.__new__(kind)
    if made_by is not None:
        made.default_factory = made_by
    made.update(items)
    return made


def list_like(kind: Any, items: Iterable[Any]) -> Any:
    """A list or a tuple of this class with these items."""
    if kind in (list, tuple, set):
        return kind(items)
    if issubclass(kind, tuple):
        return tuple.__new__(kind, items)
    made = kind.__new__(kind)
    list.extend(made, items)
    return made


@cache
def slots_of(cls: type) -> tuple[str, ...]:
    """The names of the attributes that a class and those it derives from keep in slots, but for Python's own."""
    found: dict[str, None] = {}
    for base in reversed(cls.__mro__):
        names = base.__dict__.get("__slots__", ())
        for name in (names,) if isinstance(names, str) else tuple(names):
            is_private = name.startswith("__") and not name.endswith("__")
            found[f"_{base.__name__.lstrip('_')}{name}" if is_private else name] = None
    return tuple(name for name in found if not (name.startswith("__") and name.endswith("__")))


def attributes_of(value: Any) -> dict[str, Any]:
    """The attributes of an instance, those in slots first."""
    cls: Any = type(value)
    found = {name: getattr(value, name) for name in slots_of(cls) if hasattr(value, name)}
    return {**found, **getattr(value, "__dict__", {})}


NO_CONTAINERS = ("__array__", "__float__", "__pellucid__", "__wrapped__", "__next__")


def is_instance_of_own(value: Any) -> bool:
    """Whether it is an instance of an ordinary class of the user's, whose attributes are its parts.

    What stands for a number or an array, functions, iterators and what the library of Python has are none.
    """
    cls: Any = type(value)
    if cls is SimpleNamespace:
        return True
    if not cls.__flags__ & HEAP_TYPE or not (hasattr(value, "__dict__") or slots_of(cls)):
        return False
    is_other = isinstance(value, type | BaseException | Enum) or cls.__module__.split(".")[0] in FOREIGN
    return not is_other and not any(hasattr(cls, name) for name in NO_CONTAINERS)


def sorted_keys(keys: Iterable[Any]) -> tuple[Any, ...]:
    """The keys of a dict in their order.  Raises ValueError where they have none."""
    try:
        return tuple(sorted(keys))
    except TypeError:
        told = ", ".join(map(repr, keys))
        raise ValueError(f"the keys of a dict have no order: {told}; use keys of one type") from None


def flattened(value: Any, is_leaf: IsLeaf, leaves: list[Any]) -> Structure:
    """The structure of a value; its leaves are appended."""
    found = None if is_leaf is not None and is_leaf(value) else taken_apart(value)
    if found is None:
        leaves.append(value)
        return Structure()
    one, parts = found
    children = tuple(flattened(part, is_leaf, leaves) for part in parts)
    return replace(one, children=children)
