"""The backward form of calls of functions with a rule for their derivative.

    y, r = forward(x)       ->    x_bar_1 = backward(r, y_bar, n)       a rule of the user's; n is the length of x
    y = f(x)                ->    x_bar_1 = f_again(x, y_bar)           recomputed: nothing inside f is kept

What is recomputed is a function of its own that stays one: beside the forward sweep, what is computed twice would be
computed once and kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.activity import Activity, activity, results_of
from ...names import Names
from ...ops.forms import HANDED_ON
from ...ops.schema import row_of
from ...program import Function, Program, Rule
from ...records import dataclass
from ...types import Array, rank
from ..inline import lengths_here, with_own_lengths
from ..prune import prune
from ..rename_functions import rename_functions
from .cotangents import Cotangents
from .declared import array_type

if TYPE_CHECKING:
    from .sweep import Sweep


def by_rule(sweep: Sweep, frame: Cotangents, statement: gast.stmt, rule: Rule) -> None:
    """The backward form of `y, residuals = forward(x)`: what the user's rule says."""
    node, places = statement.value, results_of(statement)
    wanted = [places[k] for k in rule.outs]
    bars = [frame.bars.pop(name, None) for name in wanted]
    if all(bar is None for bar in bars):
        return
    backward = sweep.program.functions[rule.functions[1]]
    made = sweep.regions.made[id(statement)]
    held = () if rule.kind == "split" else rule.wrt  # lengths of arguments, to which a rule of the user's is held
    first = len(places) - _residuals(backward, rule, node, sum(rank(backward.results[k]) for k in range(len(held))))
    arguments: list[gast.expr] = [syntax.name(made[name]) for name in places[first:]]
    arguments += [sweep.atom(statement, node.args[p]) for p in rule.given]
    arguments += [frame.full(name, bar) for name, bar in zip(wanted, bars)]
    arguments += [length for p in held for length in _lengths_of(sweep, statement, node.args[p])]
    arguments += [sweep.atom(statement, a) for a in node.args[rule.arguments :]]
    _call(sweep, frame, backward, arguments, [node.args[p] for p in rule.wrt])


def _residuals(backward: Function, rule: Rule, node: gast.Call, lengths: int) -> int:
    """How many residuals a backward rule takes, ahead of all else."""
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
    """The backward form of a call that is recomputed with its backward sweep after it."""
    node, places = statement.value, results_of(statement)
    name = node.func.id
    made = _made_again(sweep, name)
    wanted = [places[k] for k in made.facts.results]
    bars = [frame.bars.pop(one, None) for one in wanted]
    if all(bar is None for bar in bars):
        return
    parameters = sweep.program.functions[name].parameters
    arguments = [sweep.atom(statement, a) for a in node.args]
    arguments += [frame.full(one, bar) for one, bar in zip(wanted, bars)]
    targets = [a for p, a in zip(parameters, node.args) if p in made.facts.parameters]
    _call(sweep, frame, made.program.main, arguments, targets)


@dataclass(frozen=True, slots=True)
class Again:
    """What recomputes a call: the function and those that it calls; by which parameters, of which results."""

    program: Program
    facts: Activity


def _made_again(sweep: Sweep, name: str) -> Again:
    """The derivative of a function by those of its parameters that have one, as functions of their own."""
    derivative = sweep.derivative
    found = derivative.again.get(name) or derivative.being_made.get(name)
    if found is None:
        found = derivative.again[name] = _making(sweep, name)
    return found


def _making(sweep: Sweep, name: str) -> Again:
    """The function that is recomputed: itself, or the one that its rule names, which may call the first one."""
    derivative, own = sweep.derivative, sweep.program.functions
    rule = own[name].rule
    source = own[rule.functions[0] if rule is not None and rule.functions else name].with_(rule=None)
    program = Program(source.name, {**own, source.name: source})
    facts = _of_all_calls(name, program, derivative.facts[name])
    entry = derivative.names.fresh(f"{name}_again")
    promised = Again(Program(entry, {entry: _promised(entry, source, facts)}), facts)
    made = derivative.reverse(
        program, facts.parameters, outputs=facts.results, seeded=True, results=(),
        specialiser=derivative.specialiser, being_made={**derivative.being_made, name: promised},
    )  # fmt: skip
    names = {n: derivative.names.fresh(n) for n in made.functions if n not in own}
    made = rename_functions(made, {**names, made.entry: entry})
    made = made.map(lambda function: prune(function, keep_errors=False))  # what fails has failed in the forward sweep
    fresh = {n: f for n, f in made.functions.items() if n not in own}
    fresh[entry] = fresh[entry].with_(is_kept=True)
    return Again(Program(entry, fresh), facts)


def _of_all_calls(name: str, program: Program, facts: Activity) -> Activity:
    """What has a cotangent in a call of a function, and in those that are made of it where that one is recomputed."""
    while True:
        inner = activity(program, facts.parameters, facts.results)[name]
        parameters = tuple(p for p in program.main.parameters if p in facts.parameters or p in inner.parameters)
        found = Activity(facts.names, parameters, tuple(sorted({*facts.results, *inner.results})))
        if name == program.entry or (found.parameters, found.results) == (facts.parameters, facts.results):
            return facts
        facts = found


def _promised(name: str, source: Function, facts: Activity) -> Function:
    """The function that is being made, as far as its calls need it: parameters, results and their types."""
    returned = source.body[-1].value.elts
    bars = Names((*source.types, *source.parameters))
    seeds = {bars.fresh(f"{returned[k].id}_bar"): source.results[k] for k in facts.results}
    slopes = tuple(p for p in source.parameters if p in facts.parameters)
    return source.with_(
        name=name, parameters=(*source.parameters, *seeds), body=(syntax.return_([syntax.name(p) for p in slopes]),),
        types={**source.types, **seeds}, results=tuple(source.types[p] for p in slopes), rule=None,
    )  # fmt: skip
