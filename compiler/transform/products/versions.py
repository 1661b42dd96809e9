"""Keep loops beside what is made of them, where a test of the run says that their operands do not fit.

    for i in range(n):                   is_short = dim(a, axis=0) < n
        ...                      ->      if is_short:
                                             for i in range(n):
                                                 ...
                                         else:
                                             (what is made of them)
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ... import syntax
from ...analysis.def_use import DefUse
from ...analysis.integers.values import Integers
from ...builder import Builder
from ...renaming import renamed


def either(build: Builder, tests: Sequence[gast.expr], ahead: list[gast.stmt]) -> gast.expr | None:
    """Append to `ahead` whether one of the tests holds; None where there are none."""
    if not tests:
        return None
    outer, build.body = build.body, ahead
    found, *others = tests
    for test in others:
        found = build.call("logical_or", found, test, hint="is_short")
    build.body = outer
    return found


def hands_on(loop: gast.For, facts: DefUse) -> bool:
    """Whether a value goes from turn to turn of a loop, or out of it: two versions of the loop would both give it."""
    inside = {id(s) for s in syntax.walk([loop])}
    bound = {name for s in syntax.walk([loop]) for name in syntax.names_bound(s)}
    return any(id(s) not in inside for name in bound for s in facts.definitions[name])


def versions(
    build: Builder, integers: Integers, loop: gast.For, test: gast.expr | None, made: list[gast.stmt]
) -> list[gast.stmt]:
    """What is made of a loop, or where the test holds the loop; what is made has names of its own beside it."""
    if test is None:
        return made
    names = {n for s in syntax.walk(made) for n in syntax.names_bound(s)} & integers.bound_in(loop)
    fresh = {name: build.names.fresh(name) for name in sorted(names)}
    build.types.update({new: build.types[old] for old, new in fresh.items()})
    made = [renamed(statement, fresh) for statement in made]
    return [syntax.at(syntax.if_(test, [loop], made), loop.span, getattr(loop, "inlined", ()))]
