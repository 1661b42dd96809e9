"""Write the function that gives the derivative, by reverse mode.

    def f(x):                          def f_grad(x):
        y = sin(x)            ->           y = sin(x)
        z = multiply(y, y)                 y_bar = multiply(2.0, y)   ...
        return (z,)                        x_bar = multiply(y_bar, cos(x))
                                           return (x_bar,)

Takes typed programs whose entry returns leaves; gives typed programs, so that it can be applied again.  Any results may
be differentiated: numbers with the cotangent 1.0, or all kinds with cotangents that are further parameters.

The forward sweep is the function itself with what the backward sweep needs saved; the backward sweep goes through its
statements from the last to the first.  Keeps spans: a backward statement has that of its forward statement.  Leaves
what is no longer needed of the forward sweep to `prune`, copies of arrays that live longer now to `copies`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import gast

from ... import syntax
from ...analysis.activity import activity
from ...builder import Specialiser
from ...program import Decision, Function, Program
from ...types import Array, Type, symbols_of
from ..reachable import reachable
from .calls import Derivative, passing_names, used_types
from .given_rules import erase, with_rules
from .plan import plan
from .ruled import Again
from .saves import Saved, save
from .settle import settle
from .sweep import Seeds, Sweep, backward

NO_OTHERS: Mapping[str, Again] = MappingProxyType({})


def reverse(
    program: Program,
    wrt: Sequence[str],
    *,
    outputs: Sequence[int] = (0,),
    seeded: bool = False,
    keep_value: bool = False,
    results: Sequence[int] | None = None,
    specialiser: Specialiser | None = None,
    being_made: Mapping[str, Again] = NO_OTHERS,
) -> Program:
    """The program whose entry returns the chosen results of `program`, then the cotangent of each parameter in `wrt`.

    `outputs` are the results that are differentiated: with `seeded` their cotangents are parameters after the others,
    in this order; else each is a number, whose cotangent is 1.0.  `results` are those that are returned as well; by
    default all of them with `keep_value`, else none.  `specialiser` walks through rules that are functions in the
    language.  `being_made` are the functions that this is made for, by those whose calls they recompute.
    """
    settled = with_rules(program, wrt, outputs, specialiser).map(settle)
    if results is None:
        results = range(len(settled.main.results)) if keep_value else ()
    seeds = lambda sweep: _seeds(sweep, outputs, seeded)  # noqa: E731
    derivative, entry = sweeps(settled, wrt, outputs, seeds, specialiser, being_made)
    made = _function(derivative, entry, wrt, tuple(results))
    functions = {made.name: made, **functions_around(settled, derivative)}
    return erase(Program(made.name, reachable(Program(made.name, functions)).functions))


def functions_around(settled: Program, derivative: Derivative) -> dict[str, Function]:
    """What the functions made of the entry may call."""
    others = {name: function for name, function in settled.functions.items() if name != settled.entry}
    return {**{f.name: f for f in derivative.functions()}, **others}


def sweeps(
    settled: Program, wrt: Sequence[str], outputs: Sequence[int], seeds: Callable[[Sweep], Seeds],
    specialiser: Specialiser | None, being_made: Mapping[str, Again] = NO_OTHERS,
) -> tuple[Derivative, Saved]:  # fmt: skip
    """Both sweeps of the entry, and the functions that it calls."""
    derivative = Derivative(settled, activity(settled, wrt, outputs), specialiser, reverse, being_made)
    planned = plan(settled, settled.main, derivative.facts[settled.entry])
    while True:  # until all functions that are called know what is passed to them
        entry = save(backward(planned, derivative, seeds, wrt))
        if derivative.write_callees():
            return derivative, entry
        derivative.saved.clear()


def _seeds(sweep: Sweep, outputs: Sequence[int], seeded: bool) -> Seeds:
    """The cotangents of the results that are differentiated: parameters, or the number one."""
    leaves = [sweep.function.body[-1].value.elts[k] for k in outputs]
    types = [sweep.function.results[k] for k in outputs]
    bars = [_cotangent_parameter(sweep, leaf, type_) for leaf, type_ in zip(leaves, types)] if seeded else []
    values: list[gast.expr] = [syntax.name(bar) for bar in bars] or [syntax.constant(1.0) for _ in outputs]
    active = [isinstance(leaf, gast.Name) and leaf.id in sweep.active for leaf in leaves]
    return Seeds(tuple(bars), tuple((leaf.id, v) for leaf, v, is_active in zip(leaves, values, active) if is_active))


def _cotangent_parameter(sweep: Sweep, leaf: gast.expr, type_: Type) -> str:
    """A parameter for the cotangent of a result; lengths that the function computes are compared when it is used."""
    name = sweep.names.fresh(sweep.root.hint(leaf.id if isinstance(leaf, gast.Name) else "result"))
    if isinstance(type_, Array):
        given = {s for p in sweep.function.parameters for s in symbols_of(sweep.types[p])}
        fresh = sweep.root.builder.fresh_symbol
        dims = (d if isinstance(d, int) or {*d.symbols()} <= given else fresh(name) for d in type_.dims)
        type_ = Array(type_.dtype, tuple(dims))
    sweep.types[name] = type_
    return name


def _function(derivative: Derivative, entry: Saved, wrt: Sequence[str], results: tuple[int, ...]) -> Function:
    """Both sweeps of the entry, one after the other."""
    sweep = entry.backward.sweep
    function, end = sweep.function, sweep.function.body[-1]
    span = getattr(end, "span", None)
    returned = syntax.return_([*(end.value.elts[k] for k in results), *entry.backward.returned], span)
    late = len(sweep.lengths.late)
    back = [syntax.rebuild(statement, part="backward") for statement in entry.statements[late:]]
    body = derivative.with_tapes(entry, [*entry.forward, *entry.statements[:late], *back, returned])
    made = [syntax.assign(tape, syntax.call("new_list"), span) for tape in entry.tape_names.values()]
    parameters = (*function.parameters, *entry.backward.seeds.parameters)
    return function.with_(
        name=derivative.names.fresh(f"{function.name}_grad"),
        parameters=parameters,
        body=(*made, *body),
        types=used_types(parameters, [*made, *body], sweep.types),
        results=(*(function.results[k] for k in results), *(sweep.primal_type(p) for p in wrt)),
        notes=(*function.notes, note(function, wrt)),
        decisions=(*function.decisions, *decisions(entry)),
        temporaries=passing_names(function, sweep.types),
    )


def note(function: Function, wrt: Sequence[str]) -> str:
    return f"Derivative of {function.spoken} with respect to {', '.join(wrt)}."


def decisions(saved: Saved) -> list[Decision]:
    kept = [f"`{name}` is saved for it" for name in saved.kept]
    kept += [f"what stores into `{array}` overwrite is saved for it" for array in saved.restored]
    return [Decision("backward sweep", text) for text in kept or ["nothing is saved for it"]]
