"""The functions that a function reaches: they are compiled with it, and are judged with it.

    def f(x): return g(x)          f reaches g, called in line 1, and h, called in line 2
    def g(x): return h(x) + 1      ->

Every function that is mentioned counts, as it may be passed on and called; each is visited once, by the first path
that leads to it.
"""

from __future__ import annotations

import types
from collections.abc import Iterator

import gast

from ....runtime.frozen import Freeze, together
from ...diagnostics import LONGEST_CHAIN, Label, Span
from ...records import dataclass
from ..source.resolve import NameSource, resolve_chain
from ..source.scopes import Scope
from .aliasing import Summaries

MOST_HELPERS = 1000  # functions reached from one; the faults of any further ones are found when they are compiled


@dataclass(frozen=True, slots=True, eq=False)
class Helper:
    """A function that is reached, and the calls that lead to it, the nearest first; `freeze` is what those ask for."""

    source: NameSource
    chain: tuple[Label, ...] = ()
    freeze: Freeze = ()

    @property
    def identity(self) -> types.FunctionType | types.MethodType | gast.FunctionDef | gast.Lambda:
        """Functions made by one function have one tree and worlds of their own."""
        return self.source.function or self.source.tree


def reached(
    root: NameSource, summaries: Summaries, is_live: bool, chain: tuple[Label, ...] = ()
) -> Iterator[Helper]:
    """The helpers of a function, nearest first; with `is_live` those that do not exist yet are skipped."""
    start = Helper(root, chain)
    queue, met = [start], {start.identity}
    for caller in queue:  # the queue grows while it is walked
        for scope, node, source in mentioned(caller.source, summaries):
            place = Label(Span.of(node, caller.source.file), f"`{scope.name}` calls `{name_of(source)}` here")
            freeze = together(caller.freeze, source.freeze)
            helper = Helper(source, (place, *caller.chain)[:LONGEST_CHAIN], freeze)
            if helper.identity in met or len(met) >= MOST_HELPERS:
                continue
            met.add(helper.identity)
            if not is_live or source.function is not None:
                queue.append(helper)
            yield helper


def mentioned(source: NameSource, summaries: Summaries) -> Iterator[tuple[Scope, gast.AST, NameSource]]:
    """The functions that the names of a function, and of those inside it, stand for, and where."""
    for scope in summaries.scopes_of(source.tree):
        for node in scope.nodes:
            if not isinstance(node, gast.Name | gast.Attribute):
                continue
            found = resolve_chain(node, source.resolve, scope.is_local)
            inner = found.source() if found is not None and found.source is not None else None
            if inner is not None:
                yield scope, node, inner


def name_of(source: NameSource) -> str:
    return getattr(source.tree, "name", "lambda")
