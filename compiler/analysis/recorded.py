"""What the forward sweep records for the backward sweep.

    while ...:                                         needed    residual, slope, sin(e), cos(e)
        residual = e - eccentricity * sin(e) - m       at hand   eccentricity, m: assigned once, outside of any loop
        slope = 1.0 - eccentricity * cos(e)            kept      e, from which the others follow
        e = e - residual / slope

A value of the function's body is still there in the backward sweep, and so is one that was stored into an array where
nothing overwrote it.  Of the other values inside loops and branches the cheapest set is kept from which the needed ones
follow by elementwise operations and loads (a minimum vertex cut).  What all stores into an array overwrite is one more
thing that may be kept: all that was loaded from the array follows from it (`restorable.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import field

import gast

from .. import syntax
from ..ops.schema import OPERATORS, row_of
from ..records import dataclass
from ..types import Array, Extent, ListOf, Type
from .memory.overwriting import Overwriting
from .mincut import minimum_cut
from .regions import ForwardValue, Regions
from .restorable import Restorable

LENGTH = 1000
OVERWRITTEN = " overwritten"  # marks what stores into an array overwrite; no name of a program ends so


@dataclass(slots=True)
class Recorded:
    """Which values are at hand, can be computed again, or have to be kept.

    `types` also has the types of values that the backward sweep asked for.  `lasting` says whether the names of the
    body are still there in the backward sweep: not so in a recursive function.  `mirrored` are the blocks that it goes
    back over, `restored` the arrays whose stores it undoes, as `kept` has found.
    """

    regions: Regions
    types: Mapping[str, Type]
    lasting: bool = True
    mirrored: Collection[int] = ()
    restored: tuple[str, ...] = ()
    overwriting: Overwriting = field(init=False)
    restorable: Restorable = field(init=False)
    _uses: dict[str, tuple[str, ...] | None] = field(default_factory=dict)
    _stored: dict[str, gast.stmt] | None = None

    def __post_init__(self) -> None:
        self.overwriting = Overwriting(self.regions)
        self.restorable = Restorable(self, self.mirrored)

    def kept(self, needed: Iterable[str], given: Set[str] = frozenset()) -> list[str]:
        """The values to keep, in program order, where the `given` ones are available anyway."""
        needed = [key for key in dict.fromkeys(needed) if not self.at_hand(key) and key not in given]
        origins, uses, waiting = set(), {}, list(needed)
        while waiting:
            key = waiting.pop()
            if key in origins or key in uses:
                continue
            sources = None if key.endswith(OVERWRITTEN) else self.sources(key)
            if sources is None:
                origins.add(key)
            else:
                uses[key] = tuple(source for source in sources if source not in given)
                waiting.extend(uses[key])
        arrays = {_overwritten(base): base for base in self.regions.stores}
        cost = {
            key: self._cost_to_restore(arrays[key]) if key in arrays else self.cost(self.regions.values[key])
            for key in (*origins, *uses)
        }
        kept = minimum_cut(needed, uses, origins, cost)
        self.restored = tuple(base for key, base in arrays.items() if key in kept)
        values = [key for key in kept if key not in arrays]
        return sorted(values, key=lambda key: self.position(self.regions.values[key]))

    def computed(self, needed: Iterable[str], given: Set[str]) -> list[str]:
        """The values to compute again, for themselves or for others, from those that are given and at hand."""
        found: dict[str, None] = {}
        waiting = list(needed)
        while waiting:
            key = waiting.pop()
            if key not in found and key not in given and not key.endswith(OVERWRITTEN) and not self.at_hand(key):
                found[key] = None
                waiting.extend(self.sources(key) or ())
        return sorted(found, key=lambda key: self.position(self.regions.values[key]))

    def position(self, value: ForwardValue) -> tuple[float, str]:
        mark = value.after if value.after is not None else value.region.statement
        return (-1 if mark is None else self.regions.order[id(mark)], value.key)

    def at_hand(self, key: str) -> bool:
        """Whether the backward sweep simply reads the name."""
        value = self.regions.values[key]
        region = value.region
        if region.index == key:
            return True
        if region.parent is not None:
            return False
        if not self.lasting and not (value.after is None and key == value.name):
            return False
        return value.name not in self.regions.stores or self.regions.last[value.name] == key

    def sources(self, key: str) -> tuple[str, ...] | None:
        """The values, not at hand, from which a value is cheaply computed again; None where that cannot be done."""
        if key not in self._uses:
            self._uses[key] = self._sources(key)
        return self._uses[key]

    def _sources(self, key: str) -> tuple[str, ...] | None:
        store = self.stored_at(key)
        if store is not None:
            return tuple(k for k in self._index_keys(store) if not self.at_hand(k))
        origin = self.regions.values[key].origin
        names = None if origin is None else self._names(origin)
        if names is None or origin is None:
            return None
        if names and self._is_read_again(origin):
            return (*self._open_keys(origin, names[1:]), _overwritten(names[0]))
        return self._open_keys(origin, names)

    def _open_keys(self, origin: gast.stmt, names: Iterable[str]) -> tuple[str, ...]:
        keys = dict.fromkeys(self.regions.key(origin, name) for name in names)
        return tuple(k for k in keys if k in self.regions.values and not self.at_hand(k))

    def is_restored(self, load: gast.stmt) -> bool:
        """Whether a load of an array that is restored is repeated in its place."""
        return self.reloads(load) or self._is_read_again(load)

    def _is_read_again(self, origin: gast.stmt) -> bool:
        """Whether to repeat a load where the stores into its array are undone, rather than from a copy of the array."""
        match origin.value:
            case gast.Subscript(value=gast.Name(id=base)) if isinstance(self.types[base], Array):
                if self.reloads(origin) or not self.restorable.is_read_again(origin):
                    return False
                copied = self.regions.values[self.regions.key(origin, base)]
                return self.cost(copied) > self._cost_to_restore(base)
        return False

    def _cost_to_restore(self, array: str) -> int:
        """What is overwritten by the stores into an array, each counted for as long as the array."""
        extents = self.types[array].dims
        total = 0
        for store in self.restorable.undone(array):
            size = LENGTH ** len(self.regions.place[id(store)].loops)
            for item, extent in zip(store.targets[0].slice.elts, extents):
                size *= _size(extent) if isinstance(item, gast.Slice) else 1
            total += size
        return total

    def _names(self, origin: gast.stmt) -> tuple[str, ...] | None:
        node = origin.value
        names = tuple(syntax.names_read(node))
        match node:
            case gast.Name() | gast.Constant():
                return names
            case gast.Subscript(value=gast.Name(id=base)):
                if not isinstance(self.types[base], Array):
                    return None
                return names[1:] if self.reloads(origin) else names
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=base)]) if self.stays(base):
                return ()
            case gast.Call(func=gast.Name(id=operator)) if operator in OPERATORS:
                return names if OPERATORS[operator].is_light else None
        return None

    def reloads(self, load: gast.stmt) -> bool:
        """Whether the elements that a load read are still in place when everything has run."""
        base = load.value.value.id
        if base not in self.regions.stores or not self.stays(base):
            return False
        return not any(self.overwriting.may_overwrite(load, store) for store in self.regions.stores[base])

    def stored_at(self, key: str) -> gast.stmt | None:
        """A store that put this value where it still is in the end: the array is the record."""
        if self._stored is None:
            self._stored = self._find_stored()
        return self._stored.get(key)

    def is_record(self, store: gast.stmt) -> bool:
        """Whether what a store leaves in its array is read from there in the backward sweep."""
        source = getattr(store.value, "id", None)
        key = None if source is None else self.regions.key(store, source)
        return key is not None and not self.at_hand(key) and self.stored_at(key) is store

    def follows_from_ints(self, key: str) -> bool:
        """Whether a value follows from what is at hand by sums and products alone."""
        value = self.regions.values[key]
        origin = value.origin
        if self.at_hand(key):
            return True
        row = None if origin is None else row_of(syntax.operator_of(origin.value))
        if origin is None or row is None or not row.is_polynomial:
            return False
        return all(self.follows_from_ints(self.regions.key(origin, name)) for name in syntax.names_read(origin.value))

    def _find_stored(self) -> dict[str, gast.stmt]:
        found: dict[str, gast.stmt] = {}
        for base, stores in self.regions.stores.items():
            for store in stores if self.stays(base) else ():
                source = store.value if isinstance(store, gast.Assign) else None
                if not isinstance(source, gast.Name) or not self._keeps_whole(store, base, source.id):
                    continue
                key = self.regions.key(store, source.id)
                value = self.regions.values[key]
                if key in found or value.region is not self.regions.place[id(store)]:
                    continue
                free = all(self._is_free_before(k, value) for k in self._index_keys(store))
                if free and not any(self.overwriting.may_overwrite(store, other) for other in stores):
                    found[key] = store
        return found

    def _index_keys(self, store: gast.stmt) -> list[str]:
        return [self.regions.key(store, name) for name in syntax.names_read(store.targets[0].slice)]

    def _is_free_before(self, key: str, value: ForwardValue) -> bool:
        """Whether an index follows from what is at hand, and is made before `value` is."""
        index = self.regions.values[key]
        if self.at_hand(key):
            return True
        origin = index.origin
        if origin is None or self.position(index) >= self.position(value):
            return False
        node = origin.value
        row = row_of(syntax.operator_of(node))
        if not syntax.is_atom(node) and (row is None or not row.is_polynomial):
            return False
        return all(self._is_free_before(self.regions.key(origin, name), value) for name in syntax.names_read(node))

    def _keeps_whole(self, store: gast.stmt, base: str, source: str) -> bool:
        """Whether loading the elements again gives the stored value, in the same type."""
        array, value = self.types[base], self.types[source]
        items = store.targets[0].slice.elts
        if not isinstance(array, Array) or isinstance(value, ListOf) or value.dtype != array.dtype:
            return False
        if len(items) != array.ndim:
            return False
        dims = []
        for item, extent in zip(items, array.dims):
            if isinstance(item, gast.Slice):
                if not (item.lower is None and item.upper is None and item.step is None):
                    return False
                dims.append(extent)
            elif dims or (isinstance(item, gast.Name) and isinstance(self.types[item.id], Array)):
                return False  # a number after a slice leaves gaps between the elements
        return tuple(dims) == (value.dims if isinstance(value, Array) else ())

    def stays(self, array: str) -> bool:
        """Whether a name means one and the same array throughout, and does so still in the backward sweep."""
        return self.lasting and self.regions.home[array].parent is None and array not in self.regions.carried

    def cost(self, value: ForwardValue) -> int:
        type_ = self.types[value.name]
        dims = type_.dims if isinstance(type_, Array) else ()
        result = LENGTH ** len(value.region.loops)
        for extent in dims:
            result *= _size(extent)
        return max(1, result)


def _overwritten(array: str) -> str:
    return array + OVERWRITTEN


def _size(extent: Extent) -> int:
    return extent if isinstance(extent, int) else LENGTH
