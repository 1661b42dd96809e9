"""Make the functions of a rule that the user defined, beside the function itself.

    forward(x)      returns y, residuals            forward(x) -> y, leaves of the residuals
    backward(residuals, y_bar)             ->       backward(leaves, variables seen, leaves of y_bar, lengths) -> x_bar
    rule((x,), (x_dot,))                            rule(x, variables seen, x_dot) -> y, y_dot

Structures, dtypes and lengths of what a rule returns must be those of what it is a rule for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gast

from .....runtime.nature import article
from .... import types
from ....program import Function, Rule
from ....types import Array, Type
from .. import protocol
from ..functions import results
from ..interpreter import evaluate
from ..specialised import Instance
from ..values import Leaf, Out, Sequence, Static, Typed, Value, leaves, map_leaves
from . import rule_bodies

if TYPE_CHECKING:
    from .ruled_calls import Ruled


IN_FORWARD = 3  # the role of the rule for forward mode, beside the two for reverse mode


def _wrt(ruled: Ruled, instance: Instance) -> list[int]:
    """The parameters with a derivative, by number: the floats among the arguments that may have one."""
    numbered = rule_bodies.places_of(ruled.abstract)
    places = [leaf.index for key in ruled.differentiated for leaf in leaves(numbered[key]) if isinstance(leaf, Out)]
    return rule_bodies.float_places(places, _types(instance.finished))


def _types(function: Function) -> list[Type]:
    """The types of its parameters."""
    return [function.types[p] for p in function.parameters]


def _given(instance: Instance, ruled: Ruled) -> tuple[int, ...]:
    """The parameters that the rule gets beside them: arguments without a derivative, and captured variables."""
    numbered, own = rule_bodies.places_of(ruled.abstract), set(ruled.differentiated)
    found = [leaf.index for key in ruled.abstract if key not in own for leaf in leaves(numbered[key])
             if isinstance(leaf, Out)]  # fmt: skip
    return tuple(found)


def checkpoint(ruled: Ruled, instance: Instance) -> Rule:
    table = _types(instance.finished)
    wrt = rule_bodies.float_places(range(len(table)), table)
    outs = rule_bodies.float_places(range(len(instance.result_types)), instance.result_types)
    return Rule("checkpoint", (), tuple(wrt), tuple(outs), (), len(table))


def vjp(ruled: Ruled, instance: Instance) -> Rule:
    forward, residuals = _forward(ruled, instance)
    backward, wrt, outs = _backward(ruled, instance, forward, residuals)
    count = len(instance.finished.parameters)
    given = _given(instance, ruled)
    other = jvp(ruled, instance, IN_FORWARD) if len(ruled.given.functions) == IN_FORWARD else None
    return Rule("vjp", (forward.name, backward.name), tuple(wrt), tuple(outs), given, count, other)


def _forward(ruled: Ruled, instance: Instance) -> tuple[Instance, Value]:
    """The function that is called in the forward sweep, and the structure of what it returns beside the results."""
    frame = ruled.frame
    body = ruled.start(ruled.abstract)
    role = ruled.role(body, 1)
    args, named = ruled.arguments(body)
    made = body.inner.held(protocol.call(body.inner, role, args, named, ruled.node))
    if not isinstance(made, Sequence) or len(made.items) != 2:
        body.fault_of(role, f"the forward rule of `{ruled.name}` returns a pair: its result, and what the backward "
                      f"rule needs; this is {article(body.inner.describe(made))}")  # fmt: skip
    result = body.like(role, made.items[0], instance, f"the forward rule of `{ruled.name}` returns")
    name = frame.task.function_name(body.name_of(role, f"{ruled.name}_forward"))
    done = body.finish(name, Sequence((result, made.items[1])), role)
    assert isinstance(done.result, Sequence)
    return done, done.result.items[1]


def _backward(
    ruled: Ruled, instance: Instance, forward: Instance, residuals: Value
) -> tuple[Instance, list[int], list[int]]:
    """The function that is called in the backward sweep, which cotangents it takes and which it returns."""
    frame, first = ruled.frame, len(instance.result_types)
    returned = forward.finished.body[-1].value.elts
    saved = [
        (rule_bodies.Key(getattr(atom, "id", "saved")), Typed(_any_lengths(type_)))
        for atom, type_ in zip(returned[first:], forward.result_types[first:])
    ]
    own = set(ruled.differentiated)
    outs = rule_bodies.float_places(range(first), instance.result_types)
    bars = {k: _like(_result_name(instance, k), "bar", instance.result_types[k]) for k in outs}
    rest = {key: value for key, value in ruled.abstract.items() if key not in own}
    table = _types(instance.finished)
    body = ruled.start({**dict(saved), **rest, **dict(bars.values())})
    values, role = body.values, ruled.role(body, 2)
    names = [""] * first + [protocol.held_as(frame, values[key], Leaf).name for key, _ in saved]
    kept = results.taken_over(body.inner, residuals, names, ruled.node)

    def bar(part: Value, _: tuple[object, ...]) -> Value:
        return values[bars[part.index][0]] if isinstance(part, Out) and part.index in bars else Static(None)

    result_bar = body.objects(map_leaves(instance.result, bar))
    made = body.inner.held(
        protocol.call(body.inner, role, [*(values[n] for n in ruled.without), kept, result_bar], {}, ruled.node)
    )
    what = f"the backward rule of `{ruled.name}`"
    names = ruled.differentiated
    if not isinstance(made, Sequence) or len(made.items) != len(names):
        told = article(body.inner.describe(made))
        body.fault_of(role, f"{what} returns a tuple of {len(names)}: one cotangent for each of "
                      f"{', '.join(f'`{n}`' for n in names)}; this is {told}")  # fmt: skip
    numbered = rule_bodies.places_of(ruled.abstract)
    found: dict[int, Value] = {}
    for name, value in zip(names, made.items):
        rule_bodies.matched(body, role, numbered[name], value, found, f"{what} gives for `{name}`")
    wrt = [place for place in found if place in rule_bodies.float_places(found, table)]
    items = []
    for place in wrt:
        shown = f"{what} gives for {rule_bodies.shown_path(instance, place)}"
        items.append(body.as_like(role, found[place], table[place], shown))
        wanted = [body.parameter(types.INT, f"n_{axis}") for axis in range(types.rank(table[place]))]
        body.require_lengths(items[-1], wanted, shown)
    name = frame.task.function_name(body.name_of(role, f"{ruled.name}_backward"))
    # `given` has the numbers of the parameters, and `rest` keeps these
    return body.finish(name, Sequence(tuple(items)), role), wrt, outs


def _like(name: str, suffix: str, type_: Type) -> tuple[rule_bodies.Key, Typed]:
    """A parameter for the tangent or the cotangent of something."""
    return rule_bodies.Key(f"{name}_{suffix}"), Typed(_any_lengths(type_))


def _any_lengths(type_: Type) -> Type:
    if not isinstance(type_, Array):
        return type_
    return Array(type_.dtype, tuple(1 if d == 1 else types.symbol("any") for d in type_.dims), "A")


def _result_name(instance: Instance, place: int) -> str:
    atom = instance.finished.body[-1].value.elts[place]
    return getattr(atom, "id", "result")


def jvp(ruled: Ruled, instance: Instance, number: int = 1) -> Rule:
    """The function of primals and tangents that returns results and their tangents; `number`: which role has it."""
    frame, function = ruled.frame, instance.finished
    wrt, numbered = _wrt(ruled, instance), rule_bodies.places_of(ruled.abstract)
    own = function.parameters
    dots = {p: _like(own[p], "dot", function.types[own[p]]) for p in wrt}
    body = ruled.start({**ruled.abstract, **dict(dots.values())})
    values, role = body.values, ruled.role(body, number)
    for place, (key, _) in dots.items():  # each is as long as what it belongs to
        body.same_lengths(protocol.held_as(frame, values[key], Leaf).name, body.parameters[place])

    def dot(part: Value, _: tuple[object, ...]) -> Value:
        return values[dots[part.index][0]] if isinstance(part, Out) and part.index in dots else Static(None)

    tangents = [body.objects(map_leaves(numbered[name], dot)) for name in ruled.differentiated]
    primals = [values[name] for name in ruled.differentiated]
    if ruled.given.kind == "jvps":
        result, tangent = _summed(ruled, body, primals, tangents)
    else:
        arguments = [*(values[n] for n in ruled.without), Sequence(tuple(primals)), Sequence(tuple(tangents))]
        made = body.inner.held(protocol.call(body.inner, role, arguments, {}, ruled.node))
        if not isinstance(made, Sequence) or len(made.items) != 2:
            body.fault_of(role, f"the rule of `{ruled.name}` returns a pair: the result and its tangent; this is a "
                          f"{body.inner.describe(made)}")  # fmt: skip
        result, tangent = made.items
    result = body.like(role, result, instance, f"the rule of `{ruled.name}` returns")
    found: dict[int, Value] = {}
    what = f"the rule of `{ruled.name}` gives as tangent"
    rule_bodies.matched(body, role, instance.result, tangent, found, what)
    outs = [place for place in found if place in rule_bodies.float_places(found, instance.result_types)]
    slopes = [body.as_like(role, found[p], instance.result_types[p], what) for p in outs]
    likes = [rule_bodies.leaf_at(instance.result, result, place) for place in outs]
    slopes = [body.as_long(slope, like, what) for slope, like in zip(slopes, likes)]
    name = frame.task.function_name(body.name_of(role, f"{ruled.name}_jvp"))
    done = body.finish(name, Sequence((result, Sequence(tuple(slopes)))), role)
    return Rule("jvp", (done.name,), tuple(wrt), tuple(outs), _given(instance, ruled), len(function.parameters))


def _summed(ruled: Ruled, body: rule_bodies.Body, primals: list[Value], tangents: list[Value]) -> tuple[Value, Value]:
    """The rule that `defjvps` defines: the sum of one tangent for each argument."""
    result = ruled.plain(body)
    total: Value = Static(None)
    if len(ruled.given.functions) != len(primals):
        ruled.fault(f"`{ruled.name}` takes {len(primals)} arguments, and `defjvps` gave {len(ruled.given.functions)} "
                    "rules", "give one for each, or None")  # fmt: skip
    for number, tangent in enumerate(tangents):
        rule = ruled.role(body, number + 1)
        if rule == Static(None) or tangent == Static(None):
            continue
        term = protocol.call(body.inner, rule, [tangent, result, *primals], {}, ruled.node)
        total = term if total == Static(None) else evaluate.binary(
            body.inner, gast.Add, total, term, ruled.node)  # fmt: skip
    return result, total
