"""Take a part of a complex number from what the number is made of.

    z[i] = complex_of(real(complex_of(x[i], imag(z[i]))), y[i])    ->    z[i] = complex_of(x[i], y[i])

That is what is left of `z.real = x; z.imag = y`.  The element that is read there may never have been stored, and need
not be moved.  What is left out must be an element that is surely there, or parts of one: nothing that may raise.
"""

from __future__ import annotations

from typing import Any

import gast

from ... import syntax
from ...analysis.expression_types import type_of
from ...analysis.integers.ranges import Ranges, ranges
from ...ops.complex_numbers import PARTS
from ...program import Function
from ...types import Scalar


def take_parts(function: Function) -> Function:
    """The function without numbers of which one part alone is used; the same object where there are none."""
    known = ranges(function)

    def taken(node: Any) -> Any:
        changes: dict[str, Any] = {}
        for field in node._fields:
            old = getattr(node, field, None)
            if isinstance(old, gast.AST) and (new := taken(old)) is not old:
                changes[field] = new
            if isinstance(old, list):
                news = [taken(o) if isinstance(o, gast.AST) else o for o in old]
                if any(a is not b for a, b in zip(old, news)):
                    changes[field] = news
        part = _part(node, function, known)
        return taken(part) if part is not None else syntax.rebuild(node, **changes) if changes else node

    body = tuple(taken(statement) for statement in function.body)
    return function if all(a is b for a, b in zip(body, function.body)) else function.with_(body=body)


def _part(node: Any, function: Function, known: Ranges) -> gast.expr | None:
    """The operand that is the part which is asked for, in its dtype, if the other one can be left out."""
    operator = syntax.operator_of(node)
    if operator not in PARTS or syntax.operator_of(node.args[0]) != "complex_of":
        return None
    kept = PARTS.index(operator)
    own, other = node.args[0].args[kept], node.args[0].args[1 - kept]
    if not _is_surely_there(other, known):
        return None
    wanted = type_of(node, function.types)
    if type_of(own, function.types) == wanted or not isinstance(wanted, Scalar):
        return own
    return syntax.call("cast", own, dtype=wanted.dtype, weak=wanted.weak)


def _is_surely_there(node: gast.expr, known: Ranges) -> bool:
    while syntax.operator_of(node) in PARTS:
        node = node.args[0]
    return syntax.is_atom(node) or isinstance(node, gast.Subscript) and known.proves(node)
