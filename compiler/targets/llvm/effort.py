"""How small the arguments of a call have to be for it to be over at once, so that it may keep the GIL.

    for i in range(dim(x, axis=0)):       ->     arrays of less than 512 elements in all
        for j in range(dim(y, axis=0)):
    while error > 1e-9:                   ->     0: who knows

To release the GIL and take it again costs as much as hundreds of elements.  The answer stands in the module as a
function, so that machine code from the cache knows it too.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ... import syntax
from ...ops.forms import LIBRARY
from ...program import Program
from ...tuning import QUICK_ELEMENTS, QUICK_ITERATIONS
from .abi import QUICK_BELOW
from .lengths import is_length, lengths_of
from .native_calls import native_name
from .text import LlvmDefinition, Module

ANY = 2**62


def write_effort(module: Module, program: Program) -> None:
    attributes = module.definitions[native_name(program.main)].attributes
    answer = f"  ret i64 {quick_below(program)}"
    module.define(LlvmDefinition(QUICK_BELOW, "i64", (), (answer,), attributes=attributes, linkage=""))


def quick_below(program: Program) -> int:
    """From how many elements of array arguments on a call may take long; 0 where lengths do not bound its work."""
    if len(program.functions) > 1:  # recursion
        return 0
    function = program.main
    depth, trips = _nesting(function.body, lengths_of(function))
    if depth is None:
        return 0
    if depth == 0:
        return ANY if trips <= QUICK_ITERATIONS else 0
    return min(QUICK_ELEMENTS, int((QUICK_ITERATIONS / trips) ** (1.0 / depth)))


def _nesting(body: Sequence[gast.stmt], lengths: frozenset[str]) -> tuple[int | None, int]:
    """How deep loops over lengths are nested, and the trips of the loops over constants around them."""
    deepest, most = 0, 1
    for statement in body:
        depth, trips = _depth(statement, lengths)
        if depth is None:
            return None, 0
        deepest, most = max(deepest, depth), max(most, trips)
    return deepest, most


def _depth(statement: gast.stmt, lengths: frozenset[str]) -> tuple[int | None, int]:
    match statement:
        case gast.While():
            return None, 0
        case gast.If(body=body, orelse=orelse):
            return _nesting([*body, *orelse], lengths)
        case gast.For(iter=gast.Call(args=bounds), body=body):
            depth, trips = _nesting(body, lengths)
            if depth is None or not all(is_length(bound, lengths) for bound in bounds):
                return None, 0
            constants = [b.value for b in bounds if isinstance(b, gast.Constant)]
            if len(constants) == len(bounds):
                return depth, trips * max(len(range(*constants)), 1)
            return depth + 1, trips
    called = syntax.operator_of(statement.value) if isinstance(statement, gast.Assign | gast.Expr) else None
    return (2 if called in LIBRARY else 0), 1
