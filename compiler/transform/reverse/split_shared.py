"""Differentiate a function that stands for many calls once: split, its two sweeps are the rule for its calls.

    y = block(x, w)       ->     y, h = block_vjp(x, w)        ...       x_bar, w_bar = block_pullback(h, x, w, y_bar)

What the pullback reads of the forward sweep comes as further results; what it reads of the arguments is passed in
again.  Cotangents of arrays are results of the pullback, each as long as the array.  A function that reads only
elements or parts of one has no such rule, since its calls would cost more backwards than forwards: it is passed the
cotangent and adds to it, as functions that call themselves are (`calls.py`).

Takes typed programs, before `settle`, and gives typed ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import gast

from ... import syntax
from ...analysis.activity import Activity, activity
from ...analysis.memory.alias import regions
from ...builder import Specialiser
from ...ops.slices import is_full
from ...program import Function, Program, Rule
from ...types import Array, ListOf
from ..clone_procedures import clone_procedures
from ..prune import prune
from ..simplify import simplify_once
from .forward_and_pullback import Output, split_derivative
from .residuals import trim

ROUNDS = 4


def split_shared(
    program: Program, wrt: Sequence[str], outputs: Sequence[int], specialiser: Specialiser | None
) -> Program:
    """The program with a rule for each shared function that the derivative passes through."""
    if not any(function.is_shared for function in program.functions.values()):
        return program
    program = clone_procedures(program, wrt, outputs)
    facts = activity(program, wrt, outputs)
    functions = dict(program.functions)
    for name in _callees_first(program):
        function, own = functions[name], facts[name]
        if _can_be_split(function, own):
            functions.update(_with_rule(function, functions, own, specialiser))
    return Program(program.entry, functions)


def forget_split(program: Program) -> Program:
    """The program without these rules, once the derivative is taken."""
    return program.map(lambda f: f.with_(rule=None) if f.rule is not None and f.rule.kind == "split" else f)


def _can_be_split(function: Function, facts: Activity) -> bool:
    """Whether a derivative passes through the calls of a function, and the cotangents of its arrays are results."""
    if not function.is_shared or function.rule is not None or not facts.parameters or not facts.results:
        return False
    if any(isinstance(function.types[p], ListOf) for p in function.parameters):
        return False
    classes = regions(function)
    roots = {classes.root(p) for p in facts.parameters if isinstance(function.types[p], Array)}
    for base, items in _loads(function):
        if classes.root(base) in roots and not all(is_full(item) or _is_new_axis(item) for item in items):
            return False
    return True


def _loads(function: Function) -> Iterator[tuple[str, list[gast.expr]]]:
    for statement in syntax.walk(function.body):
        for node in syntax.own_nodes(statement):
            if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Name):
                yield node.value.id, node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]


def _is_new_axis(item: gast.expr) -> bool:
    return isinstance(item, gast.Constant) and item.value is None


def _callees_first(program: Program) -> list[str]:
    found: dict[str, None] = {}

    def visit(name: str) -> None:
        if name not in found and program.functions[name].is_shared:
            for statement in program.functions[name].body:
                for call in syntax.calls_in(statement):
                    if (callee := syntax.operator_of(call) or "") in program.functions:
                        visit(callee)
            found[name] = None

    for name in program.functions:
        visit(name)
    return list(found)


def _with_rule(
    function: Function, functions: Mapping[str, Function], facts: Activity, specialiser: Specialiser | None
) -> dict[str, Function]:
    """The function with its rule, and what it calls."""
    outputs = [Output(place, function.name) for place in facts.results]
    program = Program(function.name, {**functions, function.name: function.with_(is_shared=False)})
    found = split_derivative(program, facts.parameters, outputs, specialiser, is_trusted=True)
    made = {name: f for name, f in found.program.functions.items() if name not in functions}
    first, second = made[found.program.entry], _tidied(made[found.pullback])
    first, second, handed = trim(first, second, len(function.results), function.parameters)
    made[first.name], made[second.name] = first.with_(is_shared=True), second.with_(is_shared=True)
    places = tuple(k for k, p in enumerate(function.parameters) if p in facts.parameters)
    given = tuple(map(function.parameters.index, handed))
    rule = Rule("split", (first.name, second.name), places, facts.results, given, len(function.parameters))
    return {**made, function.name: function.with_(rule=rule)}


def _tidied(function: Function) -> Function:
    """Without what nothing reads: what it read of the forward sweep need not be kept."""
    for _ in range(ROUNDS):
        before = function
        function = prune(simplify_once(function), keep_errors=False)
        if function is before:
            break
    return function
