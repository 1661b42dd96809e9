"""Results whose lengths only the examples tell: a list of them, and one array after the loop.

    ys = [...]                ->     ys_1 = []; n = 0
    y = array(ys)                    for b in range(0, batch, 1):
                                         ys = [...]; y_1 = array(ys)
                                         n = where(b == 0, dim(y_1), n); raise if dim(y_1) != n
                                         append(ys_1, y_1)
                                     y = empty((batch, n));  y[b] = ys_1[b]

The lengths have to be equal, which is checked at run time: then `n` is what the symbol of the length means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gast

from ... import syntax
from ...ops.batching import emit, stacked
from ...types import INT, Array, ListOf

if TYPE_CHECKING:
    from .looping import ExampleLoop

MISFIT = "vmap: an example has {} elements along an axis of a result where others have {}: all need one shape"


class Collected:
    """One such result of a loop over the examples."""

    def __init__(self, loop: ExampleLoop, name: str) -> None:
        self.loop, self.name, self.builder = loop, name, loop.builder
        type_ = loop.varying.types[name]
        assert isinstance(type_, Array)
        self.type = Array(type_.dtype, type_.dims)
        self.list = self.builder.names.fresh(f"{name}_of_all")
        self.builder.types[self.list] = ListOf(self.type)
        self.lengths: list[int | str] = [d if isinstance(d, int) else self._counter() for d in type_.dims]
        self.updates: list[gast.stmt] = []

    def _counter(self) -> str:
        made = self.builder.names.fresh("n")
        self.builder.types[made] = INT
        self.builder.merged.add(made)
        return made

    def start(self) -> None:
        """Ahead of the loop."""
        self.builder.append(syntax.assign(self.list, syntax.call("new_list")))
        for length in self.lengths:
            if isinstance(length, str):
                self.builder.append(syntax.assign(length, syntax.constant(0)))

    def take(self) -> None:
        """At the end of an example; `updates` are to be the last statements of the loop."""
        builder, own = self.builder, self.loop.inner[self.name]
        for axis, kept in enumerate(self.lengths):
            if isinstance(kept, str):
                n = builder.call("dim", own, axis=axis, hint="n")
                common = builder.call("where", builder.call("equal", self.loop.index, 0), n, kept, hint="n")
                fault = syntax.raise_("ValueError", MISFIT, n, common, span=builder.span)
                builder.append(syntax.if_(builder.call("not_equal", n, common), [fault]))
                self.updates.append(syntax.assign(kept, common))
        row: Any = own
        if builder.types[own] != self.type:  # rows of a list lie in memory one after the other, a transpose does not
            row = builder.call("copy", own)
        builder.append(syntax.expression(syntax.call("append", self.list, row)))

    def finish(self) -> None:
        """After the loop: the array of all examples."""
        builder, examples, taken = self.builder, self.loop.taken.examples, self.loop.taken
        type_ = stacked(self.type, examples.extent, "C")
        shape = syntax.tuple_([examples.count, *map(syntax.atom, self.lengths)])
        atom = emit(builder, "empty", [], type_, shape=shape, dtype=self.type.dtype)
        taken.bind(self.name, atom, is_merged=False)
        taken.collected.add(self.name)
        index = builder.names.fresh(self.loop.index)
        builder.types[index] = INT
        outer, builder.body = builder.body, []
        row = builder.bind(syntax.index(self.list, syntax.name(index)), self.type, self.name)
        whole = [syntax.slice_() for _ in self.lengths]
        builder.append(syntax.store(self.name, [syntax.name(index), *whole], row))
        inner, builder.body = builder.body, outer
        builder.append(syntax.for_range(index, 0, examples.count, 1, inner, builder.span))
