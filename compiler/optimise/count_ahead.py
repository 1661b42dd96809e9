"""Count ahead of a loop at which positions its iterations store or read, so that they become independent.

    for i in range(dim(mask, 0)):                places = empty(dim(mask, 0))
        if mask[i]:                              for i in range(dim(mask, 0)):
            t[position] = x[i]           ->          places[i] = position
            position = position + 1                  position = position + (1 if mask[i] else 0)
                                                 for i in prange(dim(mask, 0)):
                                                     if mask[i]:
                                                         place = places[i]
                                                         t[place] = x[i]

It is for targets that take running sums in parts: there both loops are taken by all threads, where the one was in
order.  A position goes up by one, in one statement, and what decides whether it does is known without the position and
without what the loop stores.  Every array that is stored is met by its iteration alone: at the position, where it goes
up, or at the counters of the loops.  What is counted and not used is left as a loop of its own.  Takes and gives
functions of the loops stage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import gast

from .. import syntax
from ..analysis.def_use import reads_of
from ..analysis.lanes import carried
from ..analysis.liveness import liveness
from ..analysis.memory.storage import storage_classes
from ..diagnostics import Span
from ..dtypes import INT_WORD
from ..names import Names
from ..program import Function
from ..records import dataclass
from ..renaming import copy_statement, splice
from ..types import Array, Scalar, symbol
from .independent import PARALLEL, Marker, element_places, of_kind
from .stored_apart import loops_of, over, stored_at_turns

Path = tuple[tuple[gast.If, bool], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Count:
    """`name = name + 1` at the end of a block, and the tests that lead there: each with whether it holds."""

    name: str
    path: Path
    block: list[gast.stmt]
    step: gast.stmt


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """A nest that counts: `used` are counts that are read elsewhere in it, `ahead` has what the tests of each need."""

    loops: Sequence[gast.For]
    used: Sequence[Count]
    others: Sequence[Count]
    ahead: Mapping[str, Sequence[gast.stmt]]

    @property
    def body(self) -> list[gast.stmt]:
        return self.loops[-1].body


def count_ahead(function: Function) -> Function:
    """The function with positions counted ahead; the same object where there are none."""
    writer = _Writer(function)
    body = splice(function.body, writer.apart)
    return function.with_(body=tuple(body), types=writer.types) if writer.has_changed else function


class _Writer:
    def __init__(self, function: Function) -> None:
        self.function, self.types = function, dict(function.types)
        self.names = Names({*function.types, *function.parameters})
        self.classes = storage_classes(function)
        self.has_changed = False

    def apart(self, node: gast.stmt) -> list[gast.stmt] | None:
        """Two nests in place of one that counts."""
        found = self.counted(node) if isinstance(node, gast.For) else None
        self.has_changed |= found is not None
        return None if found is None else self.rewritten(found)

    # --- finding

    def counted(self, node: gast.For) -> Counted | None:
        loops = loops_of(node)
        if not loops:
            return None
        body = loops[-1].body
        bound = [name for s in syntax.walk([node]) for name in syntax.names_bound(s)]
        counts = [c for c in _counts(body, ()) if bound.count(c.name) == 1 and self.is_int(c.name)]
        used = [c for c in counts if _is_used(c, body)]
        if not used or _only_tells(body, used) or not self.is_plain(loops, {c.name for c in counts}):
            return None
        ahead: dict[str, Sequence[gast.stmt]] = {}
        for count in counts:
            needed = _needed(body, count)
            if needed is None or not self.is_free(counts, count, needed, body):
                return None
            ahead[count.name] = needed
        others = [c for c in counts if c not in used]
        return Counted(loops, used, others, ahead) if self.are_apart(loops, used) else None

    def is_int(self, name: str) -> bool:
        type_ = self.types[name]
        return isinstance(type_, Scalar) and type_.dtype == INT_WORD

    def is_plain(self, loops: Sequence[gast.For], counts: set[str]) -> bool:
        """Whether nothing is loop-carried but the counts."""
        bound = {name for s in syntax.walk([loops[0]]) for name in syntax.names_bound(s)}
        if not Marker(self.function).is_plain(loops[0], bound) or (set(carried(loops[-1].body)) - counts):
            return False
        return not (liveness(self.function).after(loops[0]) & (bound - counts))

    def is_free(
        self, counts: Sequence[Count], count: Count, ahead: Sequence[gast.stmt], body: Sequence[gast.stmt]
    ) -> bool:
        """Whether the tests of a count, and what they need, read neither counts nor elements that the loop stores."""
        parts: list[gast.AST] = [*ahead, *(test.test for test, _ in count.path)]
        if {c.name for c in counts} & {n for part in parts for n in syntax.names_read(part)}:
            return False
        stored = {self.classes.get(base) for s in syntax.walk(body) if (base := syntax.stored_base(s)) is not None}
        read = {n.value.id for part in parts for n in syntax.nodes_of(part) if isinstance(n, gast.Subscript)}
        return stored.isdisjoint({self.classes.get(n) for n in read})

    def are_apart(self, loops: Sequence[gast.For], used: Sequence[Count]) -> bool:
        """Whether each element that the nest stores belongs to one iteration: at a position, or at the counters."""
        inside = {c.name: {id(node) for node, _ in element_places(c.block)} for c in used}
        return stored_at_turns(self.function, loops, inside)

    # --- writing

    def rewritten(self, found: Counted) -> list[gast.stmt]:
        made: list[gast.stmt] = []
        first: dict[int, list[gast.stmt]] = {}
        places: dict[str, str] = {}
        arrays = [self.names.fresh("places") for _ in found.used]
        for count, array in zip(found.used, arrays, strict=True):
            made += self.counting(found, count, array)
            places[count.name] = self.names.fresh("place")
            where = count.block if _is_used_in_its_block(count, found.body) else found.body
            first.setdefault(id(where), []).append(self.placed(found, count, array, places[count.name]))
        for count in found.others:
            made.append(over(found.loops, [*_copies(found.ahead[count.name]), *_under(count.path, count.step)]))
        body = _moved(found.body, {id(c.step) for c in (*found.used, *found.others)}, first)

        def change(name: str) -> str:
            return places.get(name, name)

        parallel = [syntax.rebuild(loop, iter=of_kind(PARALLEL, loop.iter)) for loop in found.loops]
        made.append(over(parallel, [copy_statement(s, change, change) for s in body]))
        return [*made, *(syntax.delete(array, _span(found)) for array in arrays)]

    def counting(self, found: Counted, count: Count, array: str) -> list[gast.stmt]:
        """What the count is ahead of each iteration; after the nest it is what it was."""
        stops = [loop.iter.args[1] for loop in found.loops]
        shape = tuple(stop if _is_length(stop) else syntax.call("maximum", stop, 0) for stop in stops)
        self.types[array] = Array(INT_WORD, tuple(symbol(self.names.fresh(f"{array}_length")) for _ in stops))
        taken: gast.expr = syntax.constant(1)
        for node, holds in reversed(count.path):
            ways = (taken, syntax.constant(0)) if holds else (syntax.constant(0), taken)
            taken = gast.IfExp(_copy(node.test), *ways)
        span = _span(found)
        made = syntax.assign(array, syntax.call("empty", shape=shape, dtype=INT_WORD), span)
        stored = syntax.store(array, [loop.target.id for loop in found.loops], count.name, span)
        step = syntax.assign(count.name, syntax.call("add", count.name, taken), getattr(count.step, "span", None))
        return [made, over(found.loops, [*_copies(found.ahead[count.name]), stored, step])]

    def placed(self, found: Counted, count: Count, array: str, place: str) -> gast.stmt:
        """The position of an iteration, as the number that the count was."""
        type_ = self.types[place] = self.types[count.name]
        value: gast.expr = syntax.index(array, *(loop.target.id for loop in found.loops))
        if isinstance(type_, Scalar) and type_.weak:
            value = syntax.call("cast", value, dtype=INT_WORD, weak=True)
        return syntax.assign(place, value, getattr(count.step, "span", None))


# --- counts -----------------------------------------------------------------------------------------------------------


def _counts(body: list[gast.stmt], path: Path) -> Iterator[Count]:
    """The counts that tests alone lead to, each at the end of its block."""
    for node in body:
        if isinstance(node, gast.If):
            yield from _counts(node.body, (*path, (node, True)))
            yield from _counts(node.orelse, (*path, (node, False)))
    for node in reversed(body):
        if not (name := _goes_up(node)):
            break
        yield Count(name, path, body, node)


def _goes_up(node: gast.stmt) -> str:
    """The name of `name = name + 1`, empty for other statements."""
    match node:
        case gast.Assign(
            targets=[gast.Name(id=name)],
            value=gast.Call(func=gast.Name(id="add"), args=[gast.Name(id=first), gast.Constant(value=1)]),
        ) if name == first:
            return name
    return ""


def _is_used(count: Count, body: Sequence[gast.stmt]) -> bool:
    return any(count.name in reads_of(s) for s in syntax.walk(body) if s is not count.step)


def _only_tells(body: Sequence[gast.stmt], used: Sequence[Count]) -> bool:
    """Whether a loop stores what it counts, and nothing else: a running sum as it stands."""
    names = {count.name for count in used}
    stores = [s for s in syntax.walk(body) if syntax.stored_base(s) is not None]
    return all(isinstance(s.value, gast.Name) and s.value.id in names for s in stores)


def _is_used_in_its_block(count: Count, body: Sequence[gast.stmt]) -> bool:
    """Whether the number is read nowhere but where it goes up."""
    inside = {id(s) for s in syntax.walk(count.block)}
    return all(id(s) in inside for s in syntax.walk(body) if count.name in reads_of(s))


def _needed(body: Sequence[gast.stmt], count: Count) -> list[gast.stmt] | None:
    """The assignments of the body that the tests of a count need; None where some are made in another way."""
    wanted = {name for test, _ in count.path for name in syntax.names_read(test.test)}
    first = next((k for k, node in enumerate(body) if any(node is test for test, _ in count.path)), len(body))
    kept: list[gast.stmt] = []
    for node in reversed(body[: first + 1]):
        inside = {n for s in syntax.walk([node]) for n in syntax.names_bound(s)} - {count.name}
        if not inside & wanted:
            continue
        if not isinstance(node, gast.Assign):
            return None  # what a test needs is set in a block
        kept.insert(0, node)
        wanted |= set(syntax.names_read(node.value))
    return kept


def _span(found: Counted) -> Span | None:
    return getattr(found.loops[0], "span", None)


# --- trees ------------------------------------------------------------------------------------------------------------


def _is_length(stop: gast.expr) -> bool:
    return isinstance(stop, gast.Constant) and stop.value >= 0 or syntax.operator_of(stop) == "dim"


def _copy(node: Any) -> Any:
    return syntax.map_names(node, lambda name: name)


def _copies(body: Iterable[gast.stmt]) -> list[gast.stmt]:
    """Copies of the trees: analyses know an access by its tree."""
    return [copy_statement(s, lambda name: name, lambda name: name) for s in body]


def _under(path: Path, step: gast.stmt) -> list[gast.stmt]:
    """The step below copies of the tests that lead to it."""
    made = _copies([step])
    for node, holds in reversed(path):
        body, orelse = (made, []) if holds else ([gast.Pass()], made)
        made = [syntax.rebuild(node, test=_copy(node.test), body=body, orelse=orelse)]
    return made


def _moved(
    body: list[gast.stmt], gone: AbstractSet[int], first: Mapping[int, Sequence[gast.stmt]]
) -> list[gast.stmt]:
    """The statements without some, and without tests in which nothing is left; some blocks begin with others."""
    made: list[gast.stmt] = []
    for node in body:
        if id(node) in gone:
            continue
        if isinstance(node, gast.If):
            blocks = [_moved(block, gone, first) for block in (node.body, node.orelse)]
            if not any(blocks):
                continue
            node = syntax.rebuild(node, body=blocks[0] or [gast.Pass()], orelse=blocks[1])
        made.append(node)
    return [*first.get(id(body), ()), *made]
