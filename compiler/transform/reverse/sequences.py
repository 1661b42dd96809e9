"""Keep the values of a carried name and what each iteration makes of it in one array: the one is the other, shifted.

    h_saved = empty(shape=(count, n))        count = rounds + 1
    h_saved[0] = h
    for t in range(0, rounds, 1):            for t_1 in range(rounds - 1, -1, -1):
        h_1 = tanh(...)                          h_2 = h_saved[t_1]
        h_saved[t + 1] = h_1                     h_3 = h_saved[t_1 + 1]
        h = h_1

The value at the start of an iteration has to be kept anyway; then the one at its end costs a single slot more, instead
of a second array or of computing it again.  Where that one is carried on under another name (`g = h`, `h = h_1`) the
array goes on: `g`, `h` and `h_1` are the slots `t`, `t + 1` and `t + 2`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.regions import ForwardValue, Region
from ...types import INT, Array, ListOf, Type

if TYPE_CHECKING:
    from ...diagnostics import Span
    from .saves import Saves
    from .slots import Slot


def sequences(saves: Saves, kept: Sequence[str], needed: Sequence[str]) -> dict[str, list[str]]:
    """For kept values at the start of an iteration, those that follow one after the other, up to the last one used."""
    if not saves.sweep.lasting:
        return {}
    used = {*kept, *saves.recorded.computed(needed, frozenset(kept))}
    following = _following(saves)
    chains = [_chain(start, following, used) for start in following if start in kept]
    found: dict[str, list[str]] = {}
    taken: set[str] = set()
    for start, *rest in sorted(chains, key=len, reverse=True):
        if not rest or not taken.isdisjoint((start, *rest)):
            continue
        if saves.slots.of_value(saves.regions.values[start], len(rest)) is not None:
            found[start] = rest
            taken.update((start, *rest))
    return found


def _following(saves: Saves) -> dict[str, str]:
    """What follows the values at the start of an iteration: those with which the next one starts."""
    regions, table = saves.regions, saves.sweep.types
    found: dict[str, str] = {}
    for name, loop in regions.carried.items():
        for statement in loop.block[len(regions.main[id(loop)]) :]:
            if list(syntax.names_bound(statement)) != [name] or not isinstance(statement.value, gast.Name):
                continue
            if isinstance(table[name], ListOf):
                continue  # a list of ints has no derivative, and is not kept
            then = regions.values[regions.key(statement, statement.value.id)]
            if then.region is loop and _kind(table[name]) == _kind(table[then.name]):
                found[regions.starts[name]] = then.key
    return found


def _kind(type_: Type) -> object:
    """What values have in common that fit into one array."""
    return (type_.dtype, type_.dims) if isinstance(type_, Array) else type_


def _chain(start: str, following: Mapping[str, str], used: set[str]) -> list[str]:
    chain = [start]
    while chain[-1] in following and following[chain[-1]] not in chain:
        chain.append(following[chain[-1]])
    while chain[-1] not in used:
        chain.pop()
    return chain


def keep_sequence(saves: Saves, values: Sequence[ForwardValue]) -> None:
    """Save the values before the loop, and the last of those that each iteration has."""
    first, *_, last = values
    found = saves.slots.of_value(first, len(values) - 1)
    assert found is not None
    slots, lengths = found
    loop, span = first.region, saves.span(first)
    store = saves.allocated(first, slots, lengths)
    whole = [syntax.slice_()] * len(lengths)
    outer, here = _places(saves, loop, slots, backward=False)
    before = saves.inserted.before.setdefault(id(loop.statement), [])
    for number, value in enumerate(values[:-1]):
        before.append(syntax.store(store.id, [*outer, syntax.constant(number), *whole], value.name, span))
    place = _moved(saves, here, len(values) - 1, saves.span(last))
    saves.inserted.place_after(last, place)
    item: gast.expr = syntax.name(place.targets[0].id)
    saves.inserted.place_after(last, syntax.store(store.id, [*outer, item, *whole], last.name, saves.span(last)))
    outer, here = _places(saves, loop, slots, backward=True)
    for number, value in enumerate(values):
        item = here
        if number:
            place = _moved(saves, here, number, saves.span(value))
            saves.prelude[id(loop)].append(place)
            item = syntax.name(place.targets[0].id)
        saves.known[value.key] = saves.load(value, store, [*outer, item, *whole])


def _places(saves: Saves, loop: Region, slots: Sequence[Slot], backward: bool) -> tuple[list[gast.expr], gast.expr]:
    """Where the present iteration is kept: the numbers of the loops around, and of this one."""
    places = [saves.counter(region, slot, backward) for region, slot in zip(loop.loops, slots)]
    return places[:-1], places[-1]


def _moved(saves: Saves, here: gast.expr, by: int, span: Span | None) -> gast.Assign:
    """The slot of a later iteration, under a name."""
    name = saves.sweep.names.fresh("t")
    saves.sweep.types[name] = INT
    made: gast.Assign = syntax.assign(name, syntax.call("add", here, by), span)
    return made
