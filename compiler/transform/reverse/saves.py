"""Bring the values that the backward sweep reads to where it reads them.

    forward                          backward
    e_saved = new_list()
    while ...:                       while length(e_saved) > 0:
        append(e_saved, e)               e_1 = pop(e_saved)
        delta = ...                      s = sin(e_1)                 computed again
        e = e_1                          ...

A kept value is saved right after its definition: in an array indexed by the iteration (`slots.py`), or on a list; a
number made in a branch of the body comes out of it by a merge.  Each backward block starts with what was kept in its
forward block and what follows from that, in program order.  Then names replace the keys.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field

import gast

from ... import syntax
from ...analysis.recorded import Recorded
from ...analysis.regions import ForwardValue, Region, ends_in_raise
from ...diagnostics import InternalError
from ...dtypes import DTYPE
from ...names import base_of
from ...records import dataclass
from ...renaming import map_statement
from ...tuning import MANY_NUMBERS
from ...types import INT, Array, ListOf, Scalar
from .cotangents import Emitter
from .declared import array_type, leaf_type
from .insertions import Insertions, arrays_sharing_stores
from .lists import end_of
from .restores import restore
from .sequences import keep_sequence, sequences
from .slots import Slots
from .sweep import Backward, Sweep
from .symbols import own_symbols


@dataclass(slots=True, eq=False)
class Saved:
    """The result of the third step: both sweeps of a function.

    `tapes` are the lists of a recursive function with their types, `kept` the names of what is kept, `restored` the
    arrays of which what stores overwrite is kept; `tape_names` says what the function calls the tapes of others
    that it passes on.
    """

    backward: Backward
    forward: tuple[gast.stmt, ...]
    statements: tuple[gast.stmt, ...]
    tapes: Mapping[str, ListOf]
    kept: tuple[str, ...]
    restored: tuple[str, ...]
    tape_names: dict[tuple[str, str], str] = field(default_factory=dict)


def save(swept: Backward) -> Saved:
    """Decide what is kept, and give both sweeps."""
    saves = Saves(swept.sweep)
    saves.decide()
    statements = (*swept.sweep.lengths.late, *swept.sweep.root.builder.body)
    kept = tuple(saves.regions.values[key].name for key in saves.kept)
    return Saved(swept, tuple(saves.inserted.forward()), statements, saves.tapes, kept, tuple(saves.restored))


class Saves:
    """The decisions for one function: `decide` puts names into its backward statements, and saves into `inserted`."""

    def __init__(self, sweep: Sweep) -> None:
        self.sweep, self.regions = sweep, sweep.regions
        self.recorded = Recorded(sweep.regions, sweep.types, sweep.lasting, sweep.mirror.keys())
        self.inserted = Insertions(sweep)
        self.prelude: dict[int, list[gast.stmt]] = {}
        self.known: dict[str, str] = {}
        self.tapes: dict[str, ListOf] = {}
        self.listed: dict[str, str] = {}
        self.kept: list[str] = []
        self.restored: dict[str, str] = {}
        self.slots = Slots(sweep, self.recorded, self.inserted.before)
        self._counters: dict[tuple[int, bool], str] = {}
        self.shared = arrays_sharing_stores(sweep)

    def decide(self) -> None:
        """Choose what is kept, put the values in place, and replace keys by names in the backward statements."""
        needed = self._needed()
        self.kept, followed = self._choose(needed)
        for key in self.kept:
            if key in followed:
                keep_sequence(self, [self.regions.values[k] for k in (key, *followed[key])])
            else:
                self.keep(self.regions.values[key])
        for base in self.recorded.restored:
            restore(self, base)
        for key in needed:
            if self.recorded.at_hand(key):
                self._insert_local(self.regions.values[key])
        self._set_while_tests()
        for key in self.recorded.computed(needed, self.known.keys()):
            self.compute_again(key)
        self._rename(self.sweep.root.builder.body)
        for region_id, statements in self.prelude.items():
            self.sweep.mirror[region_id][:0] = statements
        own_symbols(self.sweep)

    def _needed(self) -> list[str]:
        body = [*self.sweep.lengths.late, *self.sweep.root.builder.body]
        names = dict.fromkeys(name for s in body for name in syntax.names_read(s))
        return [name for name in names if name in self.regions.values]

    def _choose(self, needed: list[str]) -> tuple[list[str], dict[str, list[str]]]:
        """The values to keep, and which of them are kept in one array with those that follow them."""
        kept = self.recorded.kept(needed)
        followed = sequences(self, kept, needed)
        if followed:
            given = {key for start, rest in followed.items() for key in (start, *rest)}
            kept = [*followed, *self.recorded.kept(needed, given)]
            kept.sort(key=lambda key: self.recorded.position(self.regions.values[key]))
        return kept, followed

    def name_of(self, key: str) -> str:
        """The name under which the backward sweep has a value."""
        if key in self.known:
            return self.known[key]
        value = self.regions.values[key]
        if id(value.region) in self.sweep.index_of and value.region.index == key:
            return self.sweep.index_of[id(value.region)]
        if not self.recorded.at_hand(key):
            raise InternalError("reverse", key, "a value of the forward sweep is read that nobody kept")
        return value.name

    def _store_name(self, value: ForwardValue) -> str:
        """`e_saved`; values that the user did not name are just saved."""
        base = base_of(value.name)
        return "saved" if base in ("t", "t_bar") else f"{base}_saved"

    def _fresh(self, value: ForwardValue) -> str:
        made = self.sweep.names.fresh(value.name)
        self.sweep.types[made] = self.sweep.types[value.name]
        return made

    # --- computing again

    def compute_again(self, key: str) -> None:
        value = self.regions.values[key]
        store = self.recorded.stored_at(key)
        if store is not None:
            self._read_back(value, store)
            return
        origin = value.origin
        assert origin is not None
        made = self._fresh(value)
        self.known[key] = made
        live = self._live_base(origin)
        expression = syntax.map_names(
            origin.value, lambda name: live[name] if name in live else self._named(self.regions.key(origin, name))
        )
        statement = syntax.assign(made, expression, getattr(origin, "span", None))
        syntax.at(statement, statement.span, getattr(origin, "inlined", ()))
        self.prelude.setdefault(id(value.region), []).append(statement)

    def _read_back(self, value: ForwardValue, store: gast.stmt) -> None:
        """A value that was stored where nothing overwrote it."""
        place = store.targets[0]
        named = [syntax.map_names(i, lambda name: self._named(self.regions.key(store, name))) for i in place.slice.elts]
        self.known[value.key] = self.load(value, place.value, named)

    def _live_base(self, origin: gast.stmt) -> dict[str, str]:
        """The array that is read again where it stands, and its name in the backward sweep: its elements are what they
        were, or only its length counts.
        """
        match origin.value:
            case gast.Subscript(value=gast.Name(id=base)) if self._is_restored(origin, base):
                return {base: self.restored[base]}
            case gast.Subscript(value=gast.Name(id=base)):
                key = self.regions.key(origin, base)
                return {base: base} if not self.recorded.at_hand(key) and self.recorded.reloads(origin) else {}
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=base)]):
                return {base: base} if self.recorded.stays(base) else {}
        return {}

    def _is_restored(self, origin: gast.stmt, base: str) -> bool:
        at_hand = self.recorded.at_hand(self.regions.key(origin, base))
        return base in self.restored and not at_hand and self.recorded.is_restored(origin)

    def _named(self, name: str) -> str:
        return self.name_of(name) if name in self.regions.values else name

    # --- keeping

    def keep(self, value: ForwardValue) -> None:
        self._insert_local(value)
        type_ = leaf_type(self.sweep.types, value.name)
        if self.sweep.lasting and value.region.parent is None:
            self._keep_by_copy(value)
            return
        if self.sweep.lasting and not value.region.loops and self._is_cheap(value, type_):
            self._keep_by_merge(value, type_)
            return
        found = self.slots.of_value(value) if self.sweep.lasting else None
        if found is None:
            self._keep_on_list(value)
        else:
            self._keep_in_array(value, *found)

    def _is_cheap(self, value: ForwardValue, type_: Scalar | Array) -> bool:
        """Whether a value may be zero on the paths that do not make it: a number, or a small array."""
        if isinstance(type_, Scalar):
            return True
        elements = math.prod(n if isinstance(n, int) else math.inf for n in type_.dims)
        return value.name not in self.shared and type_.layout == "C" and elements <= MANY_NUMBERS

    def _insert_local(self, value: ForwardValue) -> None:
        """Lengths that are read for the backward sweep alone become statements of the forward sweep."""
        for (key, _), local in self.sweep.lengths.local.items():
            if local is value:
                array = self.regions.values[key]
                self.inserted.place_after(array, local.origin)
        for local, statements in self.sweep.lists_closed.values():
            if local is value:
                last = end_of(self.sweep, value.region)
                self.inserted.after.setdefault(id(last), []).extend(statements)

    def span(self, value: ForwardValue):
        mark = value.after if value.after is not None else value.region.statement
        return getattr(mark, "span", None)

    def _keep_on_list(self, value: ForwardValue) -> None:
        """Save by append, get back by pop: last in, first out, through all loops and calls."""
        type_ = leaf_type(self.sweep.types, value.name)
        element = Array(type_.dtype, type_.dims) if isinstance(type_, Array) else type_
        tape = self.sweep.names.fresh(self._store_name(value))
        self.sweep.types[tape] = self.tapes[tape] = ListOf(element)
        self.listed[tape] = value.key
        if self.sweep.lasting:
            anchor = value.region.path[0].statement
            made = syntax.assign(tape, syntax.call("new_list"), getattr(anchor, "span", None))
            self.inserted.before.setdefault(id(anchor), []).append(made)
        source: gast.expr = syntax.name(value.name)
        if isinstance(type_, Array) and (value.name in self.shared or type_.layout != "C"):
            kept = self.sweep.names.fresh(value.name)
            self.sweep.types[kept] = element
            self.inserted.place_after(value, syntax.assign(kept, syntax.call("copy", source), self.span(value)))
            source = syntax.name(kept)
        saved = syntax.expression(syntax.call("append", tape, source), self.span(value))
        if self.sweep.lasting:
            self.inserted.place_after(value, saved)
        else:
            # a call in this block may put values of its own on the list: those lie below, and are gone when it is read
            self.inserted.last.setdefault(id(value.region), []).append(saved)
        made_name = self._fresh(value)
        self.sweep.types[made_name] = element
        self.known[value.key] = made_name
        restored = syntax.assign(made_name, syntax.call("pop", tape), self.span(value))
        self.prelude.setdefault(id(value.region), []).append(restored)

    def _keep_in_array(self, value: ForwardValue, slots, lengths) -> None:
        """Save in an array with one slot per iteration."""
        store = self.allocated(value, slots, lengths)
        whole = [syntax.slice_()] * len(lengths)
        places = [self.counter(loop, slot, False) for loop, slot in zip(value.region.loops, slots)]
        self.inserted.place_after(value, syntax.store(store.id, [*places, *whole], value.name, self.span(value)))
        back = [self.counter(loop, slot, True) for loop, slot in zip(value.region.loops, slots)]
        self.known[value.key] = self.load(value, store, [*back, *whole])

    def allocated(self, value: ForwardValue, slots, lengths) -> gast.expr:
        """A new array with a slot for each iteration, before the outermost loop."""
        type_ = leaf_type(self.sweep.types, value.name)
        anchor = value.region.path[0].statement
        emitter = Emitter(self.sweep)
        emitter.body = self.inserted.before.setdefault(id(anchor), [])
        emitter.span = getattr(anchor, "span", None)
        shape = syntax.tuple_([*(slot.size for slot in slots), *lengths])
        return emitter.call("empty", shape=shape, dtype=type_.dtype, hint=self._store_name(value))

    def load(self, value: ForwardValue, store: gast.expr, items: list[gast.expr]) -> str:
        made = self._fresh(value)
        type_ = leaf_type(self.sweep.types, value.name)
        loaded: gast.expr = syntax.index(store.id, *items)
        target = self.prelude.setdefault(id(value.region), [])
        if isinstance(type_, Scalar) and type_.weak:
            strong = self.sweep.names.fresh("t")
            self.sweep.types[strong] = Scalar(type_.dtype)
            target.append(syntax.assign(strong, loaded, self.span(value)))
            loaded = syntax.call("cast", strong, dtype=type_.dtype, weak=True)
        elif isinstance(type_, Array):
            self.sweep.types[made] = Array(type_.dtype, type_.dims)
        target.append(syntax.assign(made, loaded, self.span(value)))
        return made

    def counter(self, loop: Region, slot, backward: bool) -> gast.expr:
        """The slot of the present iteration, in the forward or the backward form of a loop."""
        index = self.sweep.index_of[id(loop)] if backward else loop.index
        if slot.start is None:
            return syntax.name(index)
        if (id(loop), backward) not in self._counters:
            self._counters[id(loop), backward] = self._count(loop, slot, index, backward)
        return syntax.name(self._counters[id(loop), backward])

    def _count(self, loop: Region, slot, index: str, backward: bool) -> str:
        emitter = Emitter(self.sweep)
        emitter.span = getattr(loop.statement, "span", None)
        passed = emitter.call("subtract", index, slot.start, hint="round")
        if slot.step.value != 1:
            passed = emitter.call("floor_divide", passed, slot.step, hint="round")
        place = self.prelude if backward else self.inserted.start
        place.setdefault(id(loop), [])[:0] = emitter.body
        return passed.id

    def _keep_by_copy(self, value: ForwardValue) -> None:
        """What an array of the body holds before a store is there in a copy afterwards."""
        made = self.sweep.names.fresh(self._store_name(value))
        type_ = array_type(self.sweep.types, value.name)
        self.sweep.types[made] = Array(type_.dtype, type_.dims)
        self.inserted.place_after(value, syntax.assign(made, syntax.call("copy", value.name), self.span(value)))
        self.known[value.key] = made

    def _keep_by_merge(self, value: ForwardValue, type_: Scalar | Array) -> None:
        """A value made in a branch of the body comes out of it under a name that has a value on every path."""
        source = value.name
        for arm in reversed(value.region.path):
            made = self.sweep.names.fresh(self._store_name(value))
            self.sweep.types[made] = type_
            span = getattr(arm.statement, "span", None)
            self.inserted.end.setdefault(id(arm), []).append(syntax.assign(made, syntax.name(source), span))
            then, other = self.regions.arms[id(arm.statement)]
            sibling = other if arm is then else then
            if not ends_in_raise(sibling.block):
                self._end_with_zero(sibling, made, type_, span)
            source = made
        self.known[value.key] = source

    def _end_with_zero(self, arm: Region, made: str, type_: Scalar | Array, span) -> None:
        emitter = Emitter(self.sweep)
        emitter.span = span
        zero: gast.expr = syntax.constant(DTYPE[type_.dtype].python_type(0))
        if isinstance(type_, Array):
            zero = emitter.call("zeros", shape=type_.dims, dtype=type_.dtype)
        elif not type_.weak:
            zero = emitter.call("cast", zero, dtype=type_.dtype, weak=False, hint="zero")
        self.inserted.start.setdefault(id(arm), []).extend(emitter.body)
        self.inserted.end.setdefault(id(arm), []).append(syntax.assign(made, zero, span))

    # --- how often a while loop ran

    def _set_while_tests(self) -> None:
        for body in list(self.sweep.mirror.values()):
            for position, statement in enumerate(body):
                if id(statement) in self.sweep.mirrored:
                    body[position] = self._with_test(statement, self.sweep.mirrored[id(statement)])

    def _with_test(self, statement: gast.While, loop: Region) -> gast.stmt:
        span = getattr(statement, "span", None)
        for tape, key in self.listed.items():
            if self.sweep.lasting and self.regions.values[key].region is loop and len(loop.path) == 1:
                is_left = syntax.call("greater", syntax.call("length", tape), 0)
                made: gast.While | gast.For = syntax.while_(is_left, [], span)
                made.body = statement.body
                return made
        rounds = self._rounds(loop)
        index = self.sweep.names.fresh("k")
        self.sweep.types[index] = INT
        made = syntax.for_range(index, 0, rounds, 1, [], span)
        made.body = statement.body
        return made

    def _rounds(self, loop: Region) -> str:
        """Count the iterations of a loop; the count is a value of the block around it."""
        names = self.sweep.names
        span = getattr(loop.statement, "span", None)
        count, more = names.fresh("rounds"), names.fresh("rounds")
        self.sweep.types[count] = self.sweep.types[more] = INT
        self.inserted.before.setdefault(id(loop.statement), []).append(syntax.assign(count, syntax.constant(0), span))
        self.inserted.start.setdefault(id(loop), []).append(syntax.assign(more, syntax.call("add", count, 1), span))
        self.inserted.end.setdefault(id(loop), []).append(syntax.assign(count, syntax.name(more), span))
        assert loop.parent is not None
        value = ForwardValue(count, count, loop.parent, loop.statement, None)
        self.regions.values[count] = value
        if not self.recorded.at_hand(count):
            self.kept.append(count)
            self.keep(value)
        return self.name_of(count)

    # --- names for keys

    def _rename(self, body: list[gast.stmt]) -> None:
        """Names for the keys in a body, and in those inside it, which stay the same lists: others hold them too."""
        for position, statement in enumerate(body):
            for block in syntax.blocks_of(statement):
                self._rename(block)
            body[position] = map_statement(statement, self._named, str, stored=self._named)
