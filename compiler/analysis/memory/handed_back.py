"""Which results of a function may share elements with what it is given, and with one another.

    def f(x, w):                 {"f": Shared(({0}, {0}, {}), {(0, 1)})}     the first two results show the first
        y = x.T           ->                                                 parameter, and so one another;
        return (y, y[0], x @ w)                                              the third is an array of its own

Where a function reaches itself, the results of that call may show all that it is given.  Nothing is said of functions
that take or give lists: any of what they give may share with anything.
"""

from __future__ import annotations

from collections.abc import Mapping

import gast

from ... import syntax
from ...program import Function, Program
from ...types import Array, ListOf
from .alias import Shared, alias


def handed_back(program: Program) -> Mapping[str, Shared]:
    """What the results of functions that are called share, by their names."""
    found: dict[str, Shared | None] = {}

    def visit(name: str) -> None:
        function = program.functions[name]
        found[name] = None  # until it is known, and for ever where lists are passed on
        for callee in _called(function, program):
            if callee not in found:
                visit(callee)
        handed = (*(function.types[p] for p in function.parameters), *function.results)
        if not any(isinstance(type_, ListOf) for type_ in handed):
            found[name] = _of_function(function, {n: shared for n, shared in found.items() if shared is not None})

    for callee in _called(program.main, program) if len(program.functions) > 1 else ():
        if callee not in found:
            visit(callee)
    return {name: shared for name, shared in found.items() if shared is not None}


def _called(function: Function, program: Program) -> list[str]:
    found = (syntax.operator_of(call) for s in syntax.walk(function.body) for call in syntax.calls_in(s))
    return [name for name in dict.fromkeys(found) if name is not None and name in program.functions]


def _of_function(function: Function, calls: Mapping[str, Shared]) -> Shared:
    end = function.body[-1]
    names = [e.id if isinstance(e, gast.Name) else None for e in end.value.elts]
    arrays = [(k, n) for k, n in enumerate(names) if n is not None and isinstance(function.types[n], Array)]
    if not arrays:
        return Shared(tuple(frozenset() for _ in names), frozenset())
    aliases = alias(function, calls=calls)
    of_arguments = [
        frozenset(k for k, p in enumerate(function.parameters) if n is not None and aliases.may_share(end, p, n))
        for n in names
    ]
    among = frozenset((j, k) for k, n in arrays for j, m in arrays if j < k and aliases.may_share(end, m, n))
    return Shared(tuple(of_arguments), among)
