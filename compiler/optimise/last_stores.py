"""Find ahead of a loop which iteration is the last to store each element, so that they need each other no more.

    for i in range(dim(p, 0)):               last = empty(dim(out, 0))
        out[p[i]] = x[i]            ->       for k in prange(dim(out, 0)):
                                                 last[k] = -1
                                             for i in range(dim(p, 0)):
                                                 last[p[i]] = maximum(last[p[i]], i)
                                             for i in prange(dim(p, 0)):
                                                 if last[p[i]] == i:
                                                     out[p[i]] = x[i]

It is for targets that take a greatest number of each element in any order: both loops are taken by all threads, where
the one was in order.  The array is stored by one statement and read nowhere in the loop, and nothing else is
loop-carried.  Takes and gives functions of the loops stage; leaves nests whose first loop does not begin with a known
number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gast

from .. import syntax
from ..analysis.lanes import carried
from ..analysis.liveness import liveness
from ..analysis.memory.storage import storage_classes
from ..diagnostics import Span
from ..dtypes import INT_WORD
from ..names import Names
from ..program import Function
from ..renaming import copy_statement, splice
from ..types import Array, Scalar
from .independent import PARALLEL, Marker, element_places, of_kind
from .stored_apart import loops_of, over, stored_at_turns


def find_last_stores(function: Function) -> Function:
    """The function with the last stores found ahead; the same object where there are none to be found."""
    writer = _Writer(function)
    body = splice(function.body, writer.apart)
    return function.with_(body=tuple(body), types=writer.types) if writer.has_changed else function


class _Writer:
    def __init__(self, function: Function) -> None:
        self.function, self.types = function, dict(function.types)
        self.names = Names({*function.types, *function.parameters})
        self.has_changed = False

    def apart(self, node: gast.stmt) -> list[gast.stmt] | None:
        """Two loops in place of one that stores so."""
        loops = loops_of(node)
        step = self.stored(loops) if loops else None
        self.has_changed |= step is not None
        return None if step is None else self.rewritten(loops, step)

    def stored(self, loops: Sequence[gast.For]) -> gast.Assign | None:
        """The one store of a nest that does nothing else; None for others, and where iterations store apart anyway."""
        body = loops[-1].body
        steps = [s for s in syntax.walk(body) if isinstance(s, gast.Assign) and syntax.stored_base(s) is not None]
        if len(steps) != 1 or any(isinstance(s, gast.For | gast.While) for s in syntax.walk(body)):
            return None
        (step,) = steps
        array, classes = step.targets[0].value.id, storage_classes(self.function)
        met = [place for place, _ in element_places(body) if classes.get(place.value.id) == classes[array]]
        bound = {name for s in syntax.walk([loops[0]]) for name in syntax.names_bound(s)}
        if len(met) > 1 or not _begin_known(loops) or stored_at_turns(self.function, loops, {}):
            return None
        if carried(body) or liveness(self.function).after(loops[0]) & bound:
            return None
        return step if Marker(self.function).is_plain(loops[0], bound) else None

    # --- writing

    def rewritten(self, loops: Sequence[gast.For], step: gast.Assign) -> list[gast.stmt]:
        span = getattr(step, "span", None)
        last, turn = self.names.fresh("last"), self.names.fresh("turn")
        type_ = self.types[step.targets[0].value.id]
        assert isinstance(type_, Array)
        self.types[last], self.types[turn] = Array(INT_WORD, type_.dims), Scalar(INT_WORD)
        number = syntax.assign(turn, _number(loops), span)
        place = step.targets[0]

        def marked(node: gast.stmt) -> list[gast.stmt]:
            """`last[place] = maximum(last[place], iteration)`"""
            store, load = (_at(last, place, context) for context in (gast.Store(), gast.Load()))
            return [number, syntax.assign(store, syntax.call("maximum", load, turn), span)]

        def kept(node: gast.stmt) -> list[gast.stmt]:
            """The store, where the iteration is the last one."""
            test = syntax.call("equal", _at(last, place, gast.Load()), turn)
            return [number, syntax.if_(test, [node], (), span)]

        parallel = [syntax.rebuild(loop, iter=of_kind(PARALLEL, loop.iter)) for loop in loops]
        return [
            *self.cleared(last, place.value.id, type_.ndim, span),
            over(loops, _with(loops[-1].body, step, marked)),
            over(parallel, _with(loops[-1].body, step, kept)),
            syntax.delete(last, span),
        ]

    def cleared(self, last: str, array: str, ndim: int, span: Span | None) -> list[gast.stmt]:
        """The array of iterations, before the first of them."""
        lengths = [syntax.call("dim", array, axis=axis) for axis in range(ndim)]
        made: gast.stmt = syntax.assign(last, syntax.call("empty", shape=tuple(lengths), dtype=INT_WORD), span)
        counters = [self.names.fresh("k") for _ in lengths]
        self.types |= dict.fromkeys(counters, Scalar(INT_WORD, weak=True))
        body: list[gast.stmt] = [syntax.store(last, counters, syntax.constant(-1), span)]
        for counter, length in zip(reversed(counters), reversed(lengths), strict=True):
            body = [syntax.for_range(counter, 0, length, 1, body, span, PARALLEL)]
        return [made, *body]


def _begin_known(loops: Sequence[gast.For]) -> bool:
    """Whether iterations are counted from 0 on: a single loop may begin later."""
    starts = [loop.iter.args[0] for loop in loops]
    known = all(isinstance(start, gast.Constant) for start in starts)
    return known and (starts[0].value >= 0 if len(loops) == 1 else all(start.value == 0 for start in starts))


def _number(loops: Sequence[gast.For]) -> gast.expr:
    """The number of an iteration in the order of iterations, as an int64 of NumPy's, which no length lets overflow."""
    made: gast.expr = syntax.call("cast", loops[0].target.id, dtype=INT_WORD)
    for loop in loops[1:]:
        made = syntax.call("add", syntax.call("multiply", made, loop.iter.args[1]), loop.target.id)
    return made


def _at(array: str, place: gast.Subscript, context: gast.expr_context) -> gast.Subscript:
    """The same element of another array."""
    items = place.slice.elts if isinstance(place.slice, gast.Tuple) else [place.slice]
    return gast.Subscript(syntax.name(array), syntax.tuple_([syntax.map_names(i, lambda n: n) for i in items]), context)


def _with(
    body: Sequence[gast.stmt], step: gast.stmt, made: Callable[[gast.stmt], list[gast.stmt]]
) -> list[gast.stmt]:
    """Copies of statements, with others in place of one."""
    found: list[gast.stmt] = []
    for node in body:
        if node is step:
            found += [copy_statement(s, lambda n: n, lambda n: n) for s in made(node)]
        elif isinstance(node, gast.If):
            blocks = {f: _with(getattr(node, f), step, made) for f in ("body", "orelse")}
            test = syntax.map_names(node.test, lambda n: n)
            found.append(syntax.rebuild(node, test=test, **blocks))
        else:
            found.append(copy_statement(node, lambda n: n, lambda n: n))
    return found
