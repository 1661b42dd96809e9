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
from ...program import Function, Program, Rule
from ...types import Array, Type, rank
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
    names = [_name_for(sweep, frame, node.args[p], type_) for p, type_ in zip(rule.wrt, backward.results)]
    call = syntax.call(backward.name, *arguments)
    _append_call(frame, names, call)
    for name, place in zip(names, rule.wrt):
        argument = node.args[place]
        if isinstance(argument, gast.Name) and argument.id in sweep.active:
            frame.add(argument.id, syntax.name(name))


def _append_call(frame: Cotangents, names: list[str], call: gast.Call) -> None:
    target = names if len(names) > 1 else names[0] if names else None
    frame.builder.append(syntax.expression(call) if target is None else syntax.assign(target, call))


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


def _name_for(sweep: Sweep, frame: Cotangents, argument: gast.expr, type_: Type) -> str:
    """A name for the cotangent of an argument, with the argument's lengths in its type."""
    name = sweep.names.fresh(frame.hint(argument.id if isinstance(argument, gast.Name) else "t"))
    if isinstance(type_, Array):
        type_ = Array(type_.dtype, array_type(sweep.types, argument.id).dims, type_.layout)
    sweep.types[name] = type_
    return name


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
    targets = [(p, a) for p, a in zip(parameters, node.args) if p in facts.parameters]
    names = [_name_for(sweep, frame, a, type_) for (_, a), type_ in zip(targets, program.main.results)]
    call = syntax.call(program.entry, *arguments)
    _append_call(frame, names, call)
    for made, (_, argument) in zip(names, targets):
        if isinstance(argument, gast.Name) and argument.id in sweep.active:
            frame.add(argument.id, syntax.name(made))


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
