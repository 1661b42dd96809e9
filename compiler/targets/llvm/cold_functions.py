"""Cold functions, which only hold a program together: LLVM translates them without optimisation.

    allocations, products, loops that are native functions of their own, sums of few parts
        ->    define internal i64 @pellucid.function.loss(...) noinline optnone nounwind

Such a function may be most of a program, and to optimise it a third of the time that compiling takes; that gains some
hundred nanoseconds in a call that works on arrays.  Short ones are optimised: there the call counts.
"""

from __future__ import annotations

import gast

from ... import syntax
from ...program import Function
from ...tuning import FEW_TURNS, LARGE_PART, SHORT_BODY
from .frame import Emission
from .text import AS_IT_STANDS, OPTIMISED


def is_glue(function: Function, recursive: frozenset[str]) -> bool:
    """Whether a function is long, and called once: its loops had better be functions of their own."""
    return len(function.body) >= SHORT_BODY and function.name not in recursive


def attributes(frame: Emission) -> str:
    """The attributes of a function that is written."""
    return AS_IT_STANDS if frame.is_glue and frame.calls_loops and not frame.holds_loops else OPTIMISED


def values_of(function: Function) -> dict[str, list[gast.AST]]:
    """Everything that a function assigns to each name; a statement where the name is not all that it assigns to."""
    found: dict[str, list[gast.AST]] = {name: [gast.Pass()] for name in function.parameters}
    for statement in syntax.walk(function.body):
        for name in syntax.names_bound(statement):
            found.setdefault(name, []).append(getattr(statement, "value", statement))
    return found


def is_short(frame: Emission, loop: gast.For) -> bool:
    """Whether a loop has few iterations: a constant number, or one for each large part of something longer."""
    bounds = [part.value for part in loop.iter.args if isinstance(part, gast.Constant)]
    if len(bounds) == len(loop.iter.args):
        return bounds[2:] != [0] and len(range(*bounds)) <= FEW_TURNS
    match loop.iter.args[:2][-1]:
        case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=array)]):
            return _has_a_place_for_each_part(frame, array)
        case gast.Name(id=number):
            return _counts_parts(frame, number)
    return False


def _has_a_place_for_each_part(frame: Emission, array: str) -> bool:
    match frame.values().get(array):
        case [gast.Call(func=gast.Name(id="empty"), keywords=keywords)]:
            shape = next(k.value for k in keywords if k.arg == "shape")
            return isinstance(shape, gast.Tuple) and all(
                isinstance(length, gast.Name) and _counts_parts(frame, length.id) for length in shape.elts
            )
    return False


def _counts_parts(frame: Emission, name: str) -> bool:
    match frame.values().get(name):
        case [gast.Call(func=gast.Name(id="floor_divide"), args=[_, gast.Constant(value=int(part))])]:
            return part >= LARGE_PART
    return False
