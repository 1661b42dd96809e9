"""Calls of functions with a rule for their derivative, with tangents.

    y = f(x)       ->    y, y_dot = rule(x, x_dot)        a rule of tangents of the user's
                         y, y_dot, y_dot2 = rule_jet(x, x_dot, x_dot, x_dot2)      and its own derivatives along a curve

A rule that goes backwards alone is no help here: such a call is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.activity import results_of
from ...ops.dependence import of_all
from ...ops.tangents import fitted
from ...program import Function, Rule
from ..reverse.given_rules import require_given
from ..reverse.refuse import refuse

if TYPE_CHECKING:
    from .tangents import Tangents


def _of_all(state: Tangents, statement: gast.stmt, rule: Rule) -> None:
    """Whatever the rule says: every result depends on all that the function is given."""
    node, places = statement.value, results_of(statement)
    state.builder.append(statement)
    either = of_all(state.builder, [state.full(node.args[p], False) for p in rule.wrt])
    for out in rule.outs:
        if places[out] in state.active:
            state.make(places[out], fitted(state.builder, either, syntax.name(places[out])), is_alike=False)


def by_rule(state: Tangents, statement: gast.stmt, target: Function, rule: Rule) -> None:
    """Append the call of the rule in place of that of the function."""
    node, places = statement.value, results_of(statement)
    if not any(places[out] in state.active for out in rule.outs):
        state.builder.append(statement)
        return
    if state.program.is_dependence:
        _of_all(state, statement, rule)
        return
    if rule.kind == "vjp":
        raise refuse(
            statement, "G006", f"`{target.name}` has a `custom_vjp`, which is a rule for reverse mode alone, and "
            "forward mode is asked for", f"give it one, `{target.name}.defjvp(rule)`, or use reverse mode"
        )  # fmt: skip
    require_given(statement, target, rule, node.args, state.active)
    callee = state.program.program.functions[rule.functions[0]]
    dots = [[one.full(node.args[p], False) for p in rule.wrt] for one in state.orders]
    args = [*node.args[: rule.arguments], *dots[0], *node.args[rule.arguments :]]
    if len(dots) > 1:
        callee = _along_curve(state, callee, rule, len(places))
        args += [atom for order in range(len(dots) - 1) for atom in (*dots[order], *dots[order + 1])]
    made = []
    for one in state.orders:  # the rule says that it is as long as the result
        slopes = callee.results[len(places) + (one.order - 1) * len(rule.outs) :]
        made += [one.of_result(places[out], type_) for out, type_ in zip(rule.outs, slopes)]
    call = syntax.rebuild(node, func=syntax.name(callee.name), args=args)
    names = [*places, *made]
    new = syntax.assign(names[0] if len(names) == 1 else names, call)
    state.builder.append(syntax.at(new, state.builder.span, state.builder.inlined))
    for (one, out), dot in zip(((one, out) for one in state.orders for out in rule.outs), made):
        if places[out] in one.active:
            one.make(places[out], syntax.name(dot))


def _along_curve(state: Tangents, callee: Function, rule: Rule, count: int) -> Function:
    """The rule with the derivatives of its tangents, which are the higher ones of the function.

    After its parameters it takes, for each order, the derivatives of the arguments and those of their tangents.
    """
    taken = callee.parameters
    wrt = [*(taken[p] for p in rule.wrt), *taken[rule.arguments : rule.arguments + len(rule.wrt)]]
    return state.program.rule(callee.name, wrt, range(count, count + len(rule.outs))).program.main
