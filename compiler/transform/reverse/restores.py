"""Undo the stores into an array where the backward sweep comes back to them.

    x_saved[t, i] = x[i]                 x_1 = x                            ahead of the sweep
    x[i] = v                             x_1[i] = x_saved[t, i]             at the start of the block

What was loaded from the array is then loaded again from `x_1`.  That is another name for the array, of which `copies`
makes another array where the final elements are wanted as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.regions import ForwardValue
from .cotangents import Emitter

if TYPE_CHECKING:
    from .saves import Saves


def restore(saves: Saves, array: str) -> None:
    """Keep what each store into the array overwrites, and restore it."""
    made = saves.restored[array] = saves.sweep.names.fresh(array)
    saves.sweep.types[made] = saves.sweep.types[array]
    root = saves.prelude.setdefault(id(saves.regions.body), [])
    root.append(syntax.assign(made, syntax.name(array), getattr(saves.sweep.function.body[-1], "span", None)))
    stores = saves.recorded.restorable.undone(array)
    keys = dict.fromkeys(saves.regions.key(s, n) for s in stores for n in syntax.names_read(s.targets[0].slice))
    for key in saves.recorded.computed(keys, saves.known.keys()):
        saves.compute_again(key)
    for store in reversed(stores):  # of two in one block the later one is undone first
        _undo(saves, store, made)


def _undo(saves: Saves, store: gast.stmt, array: str) -> None:
    old = _overwritten(saves, store)
    saves.keep(old)
    items = [
        syntax.map_names(item, lambda name: saves.name_of(saves.regions.key(store, name)))
        for item in store.targets[0].slice.elts
    ]
    undone = syntax.store(array, items, saves.known[old.key], saves.span(old))
    saves.prelude.setdefault(id(old.region), []).append(undone)


def _overwritten(saves: Saves, store: gast.stmt) -> ForwardValue:
    """What a store overwrites, as a value that is made ahead of it."""
    place = store.targets[0]
    region = saves.regions.place[id(store)]
    emitter = Emitter(saves.sweep)
    emitter.body = saves.inserted.before.setdefault(id(store), [])
    emitter.span = getattr(store, "span", None)
    name = emitter.load(place.value, place.slice.elts, place.value.id).id
    made = emitter.body[-1]
    saves.shared.add(name)
    saves.regions.order[id(made)] = saves.regions.order[id(store)] - 0.5
    value = saves.regions.values[name] = ForwardValue(name, name, region, made, None)
    return value
