"""The backward form of calls of functions with a rule for their derivative.

    y, r = forward(x)       ->    x_bar_1 = backward(r, y_bar, n)       a rule of the user's; n is the length of x
    y = f(x)                ->    x_bar_1 = f_again(x, y_bar)           made again: nothing inside f is kept

What is made again is a function of its own that stays one: beside the forward sweep, what is computed twice would be
computed once and kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.activity import results_of
from ...ops.forms import HANDED_ON
from ...ops.schema import row_of
from ...program import Function, Program, Rule
from ...types import Array, Type, rank
from ..inline import lengths_here, with_own_lengths
from ..rename_functions import rename_functions
from .cotangents import Cotangents
from .declared import array_type

if TYPE_CHECKING:
    from .sweep import Sweep


def by_rule(sweep: Sweep, frame: Cotangents, statement: gast.stmt, rule: Rule) -> None:
    """The backward form of `y, residuals = forward(x)`: what the rule of the user's says."""
    node, places = statement.value, results_of(statement)
    wanted = [places[k] for k in rule.outs]
    bars = [frame.bars.pop(name, None) for name in wanted]
    if all(bar is None for bar in bars):
        return
    backward = sweep.program.functions[rule.functions[1]]
    made = sweep.regions.made[id(statement)]
    first = len(places) - _residuals(backward, rule, node, sweep.types)
    arguments: list[gast.expr] = [syntax.name(made[name]) for name in places[first:]]
    arguments += [sweep.atom(statement, node.args[p]) for p in rule.given]
    arguments += [frame.full(name, bar) for name, bar in zip(wanted, bars)]
    arguments += [length for p in rule.wrt for length in _lengths_of(sweep, statement, node.args[p])]
    arguments += [sweep.atom(statement, a) for a in node.args[rule.arguments :]]
    _call(sweep, frame, backward, arguments, [node.args[p] for p in rule.wrt])


def _residuals(backward: Function, rule: Rule, node: gast.Call, table: Mapping[str, Type]) -> int:
    """How many residuals a backward rule takes, ahead of all else."""
    lengths = sum(rank(backward.results[k]) for k in range(len(rule.wrt)))
    return len(backward.parameters) - len(rule.given) - len(rule.outs) - lengths - (len(node.args) - rule.arguments)


def _lengths_of(sweep: Sweep, statement: gast.stmt, argument: gast.expr) -> list[gast.expr]:
    """The lengths of an argument, to which its cotangent is held."""
    if not isinstance(argument, gast.Name) or not isinstance(sweep.types[argument.id], Array):
        return []
    key = sweep.regions.key(statement, argument.id)
    return [sweep.lengths.of(key, axis) for axis in range(array_type(sweep.types, argument.id).ndim)]


def _results(sweep: Sweep, callee: Function, arguments: list[gast.expr], hints: list[str]) -> list[str]:
    """Names for the results of a call, with lengths as far as the function says them."""
    lengths = lengths_here(callee, dict(zip(callee.parameters, arguments)), sweep.types)
    made = []
    for hint, type_, atom in zip(hints, callee.results, callee.body[-1].value.elts):
        name = sweep.names.fresh(hint)
        sweep.types[name] = with_own_lengths(type_, lengths, sweep.symbols)
        if _has_own_elements(callee, atom):
            sweep.base[name] = name
        made.append(name)
    return made


def _has_own_elements(callee: Function, atom: gast.expr) -> bool:
    """Whether a result is an array that an operator has made for it alone."""
    returned = callee.body[-1].value.elts
    if not isinstance(atom, gast.Name) or sum(isinstance(e, gast.Name) and e.id == atom.id for e in returned) > 1:
        return False
    made = [s for s in syntax.walk(callee.body) if atom.id in syntax.names_bound(s)]
    row = row_of(syntax.operator_of(made[0].value)) if len(made) == 1 and isinstance(made[0], gast.Assign) else None
    return row is not None and row.name not in HANDED_ON


def _call(
    sweep: Sweep, frame: Cotangents, callee: Function, arguments: list[gast.expr], targets: list[gast.expr]
) -> None:
    """The call that gives the cotangents of these arguments of the forward sweep."""
    hints = [frame.hint(t.id) if isinstance(t, gast.Name) else "t" for t in targets]
    names = _results(sweep, callee, arguments, hints)
    call = syntax.call(callee.name, *arguments)
    target = names if len(names) > 1 else names[0] if names else None
    frame.builder.append(syntax.expression(call) if target is None else syntax.assign(target, call))
    for name, argument in zip(names, targets):
        if isinstance(argument, gast.Name) and argument.id in sweep.active:
            frame.add(argument.id, frame.full(argument.id, syntax.name(name)))


def again(sweep: Sweep, frame: Cotangents, statement: gast.stmt) -> None:
    """The backward form of a call that is made again with its backward sweep behind it."""
    node, places = statement.value, results_of(statement)
    name = node.func.id
    facts = sweep.derivative.facts[name]
    wanted = [places[k] for k in facts.results]
    bars = [frame.bars.pop(one, None) for one in wanted]
    if all(bar is None for bar in bars):
        return
    program = _made_again(sweep, name)
    parameters = sweep.program.functions[name].parameters
    arguments = [sweep.atom(statement, a) for a in node.args]
    arguments += [frame.full(one, bar) for one, bar in zip(wanted, bars)]
    targets = [a for p, a in zip(parameters, node.args) if p in facts.parameters]
    _call(sweep, frame, program.main, arguments, targets)


def _made_again(sweep: Sweep, name: str) -> Program:
    """The derivative of a function by those of its parameters that have one, as functions of their own."""
    derivative = sweep.derivative
    if name not in derivative.again:
        own = sweep.program.functions
        facts = derivative.facts[name]
        program = Program(name, {**own, name: own[name].with_(rule=None)})
        made = derivative.reverse(
            program, facts.parameters, outputs=facts.results, seeded=True, results=(),
            specialiser=derivative.specialiser,
        )  # fmt: skip
        names = {n: derivative.names.fresh(n) for n in made.functions if n not in own}
        made = rename_functions(made, {**names, made.entry: derivative.names.fresh(f"{name}_again")})
        fresh = {n: f for n, f in made.functions.items() if n not in own}
        fresh[made.entry] = fresh[made.entry].with_(is_kept=True)
        derivative.again[name] = Program(made.entry, fresh)
    return derivative.again[name]
