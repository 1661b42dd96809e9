"""Calls of functions with a rule of their own for the derivative: they stay calls, beside the functions of the rule.

    softplus.defvjp(forward, backward)              y = softplus(x)      and in the same program
    y = softplus(x)                          ->     softplus_forward(x)            -> y, residuals
                                                    softplus_backward(residuals, y_bar)    -> x_bar

Where no derivative is taken the function is walked into like any other.  The variables that the functions see from
outside become arguments, and so does what functions among the arguments see.  Derivatives then use `program.Rule`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cache
from typing import Any

import gast

from ....runtime.given_rules import GivenRule
from ... import types
from ...program import Rule
from ...records import dataclass
from ...types import Array, Type
from . import apply, classes, instances, outside
from .frame import Frame
from .local_functions import Environment
from .rule_bodies import Body, Key, atom_of_type, float_places, leaf_at, matched, places_of, shown_path
from .specialised import Instance
from .values import Closure, Derived, ListOut, Out, Rows, Sequence, Static, Typed, Value, leaves, map_leaves

NO_RULE = {
    "vjp": "give it one: `{0}.defvjp(forward, backward)`",
    "jvp": "give it one: `{0}.defjvp(rule)`",
    "jvps": "give it one: `{0}.defjvp(rule)`",
}


class Hole:
    """Where a function stands among the arguments, which gets what it sees from further arguments."""

    def __init__(self, place: int) -> None:
        self.place = place


hole = cache(Hole)


@dataclass(slots=True, eq=False)
class Ruled:
    """One call: the function, its rule, the arguments by parameter, those among them without a derivative."""

    frame: Frame
    name: str
    function: Value
    given: GivenRule
    spec: gast.arguments
    bound: dict[str, Value]
    node: gast.AST
    environments: list[tuple[Environment, tuple[Any, ...] | None]] = field(default_factory=list)
    passed: dict[Any, Value] = field(default_factory=dict)
    abstract: dict[Any, Value] = field(default_factory=dict)

    @property
    def without(self) -> list[str]:
        """The parameters without a derivative."""
        names = [a.id for a in (*self.spec.posonlyargs, *self.spec.args)]
        return [names[k] for k in self.given.nondiff_argnums]

    @property
    def differentiated(self) -> list[str]:
        return [name for name in self.bound if name not in self.without]

    # --- what is passed

    def gather(self) -> tuple[Any, ...]:
        """Find all that the functions see; what identifies the call but for the types of its arguments."""
        everything: dict[Any, Value] = dict(self.bound)
        for role, value in enumerate([self.function, *self.rules()]):
            everything[Key.of(f"function {role}")] = value
        waiting = dict(everything)
        while waiting:
            key, value = next(iter(waiting.items()))
            del waiting[key]
            first = len(self.environments)
            self.passed[key] = self.with_holes(str(key), value)
            for environment, _ in self.environments[first:]:
                waiting.update(environment.passed)
        return tuple((environment.identity, transforms) for environment, transforms in self.environments)

    def rules(self) -> list[Value]:
        found = []
        for function in self.given.functions:
            read = outside.taken_apart(self.frame, function, self.name, self.node, None)
            plain = classes.inside(function)
            if hasattr(plain, "__code__"):
                classes.judge(self.frame, plain)
            found.append(read)
        return found

    def with_holes(self, key: str, value: Value) -> Value:
        def change(part: Value, path: tuple[object, ...]) -> Value:
            if not isinstance(part, Closure | Derived):
                return part
            closure = part.closure if isinstance(part, Derived) else part
            transforms = part.transforms if isinstance(part, Derived) else None
            prefix = f"{key} {len(self.environments)} "
            self.environments.append((Environment(closure, prefix), transforms))
            return Static(hole(len(self.environments) - 1))

        return map_leaves(self.frame.tree(value), change)

    def fill(self, inner: Frame) -> None:
        """Put functions back into their places, with what they see."""
        made: dict[int, Value] = {}

        def change(part: Value, _: tuple[object, ...]) -> Value:
            if not (isinstance(part, Static) and isinstance(part.value, Hole)):
                return part
            place = part.value.place
            if place not in made:
                environment, transforms = self.environments[place]
                for key in environment.passed:
                    inner.variables[key] = map_leaves(inner.variables[key], change)
                closure = environment.entered(inner)
                made[place] = closure if transforms is None else Derived(closure, transforms)
            return made[place]

        for number, contents in list(inner.heap.contents.items()):
            inner.heap.contents[number] = map_leaves(contents, change)
        for key in list(inner.variables):
            if key in inner.variables:
                inner.variables[key] = map_leaves(inner.variables[key], change)

    # --- the functions

    def start(self, keys: Mapping[Any, Value]) -> Body:
        body = Body(self.frame, self.node, keys)
        self.fill(body.inner)
        return body

    def role(self, body: Body, number: int) -> Value:
        return body.inner.variables[Key.of(f"function {number}")]

    def arguments(self, body: Body) -> tuple[list[Value], dict[str, Value]]:
        """What the function itself is called with."""
        values, spec = body.inner.variables, self.spec
        positional = [values[a.id] for a in (*spec.posonlyargs, *spec.args)]
        if spec.vararg is not None:
            positional += values[spec.vararg.id].items  # type: ignore[union-attr]
        return positional, {a.id: values[a.id] for a in spec.kwonlyargs}

    def itself(self) -> Instance:
        """The function on its own."""
        name = self.frame.task.function_name(self.name)
        body = self.start(self.abstract)
        value = self.plain(body)
        return body.finish(name, value, self.function)

    def plain(self, body: Body) -> Value:
        """The function called without its rule."""
        function, (args, named) = self.role(body, 0), self.arguments(body)
        if isinstance(function, Static):
            return apply.call_function(body.inner, function.value, args, named, self.node, with_rule=False)
        return apply.apply(body.inner, function, args, named, self.node)

    def fault(self, message: str, *help: str) -> None:
        self.frame.fault("G005", message, self.node, "called here", help)


def call(
    frame: Frame, name: str, function: Value, given: GivenRule, spec: gast.arguments, bound: dict[str, Value],
    node: gast.AST,
) -> Value:  # fmt: skip
    """Emit the call; the function and those of its rule are specialised once for arguments of these types."""
    ruled = Ruled(frame, name, function, given, spec, bound, node)
    if not given.functions and given.kind in NO_RULE:
        ruled.fault(f"`{name}` has no rule for its derivative", NO_RULE[given.kind].format(name))
    if spec.kwarg is not None and given.kind != "checkpoint":
        ruled.fault(f"`{name}` has a rule for its derivative and takes `**{spec.kwarg.id}`", "name its arguments")
    identity = (given, ruled.gather())
    held = function.value if isinstance(function, Static) else getattr(function, "node", function)
    key, ruled.abstract = instances.signature(frame, (id(held), identity), ruled.passed)
    task = frame.task
    if key not in task.instances:
        task.instances[key] = Instance(name)
        task.instances[key] = made = ruled.itself()
        _with_rule(ruled, made)  # which may call the function itself
    instance = task.instances[key]
    if instance.function is None:
        ruled.fault(f"`{name}` has a rule for its derivative and calls itself",
                    "put the recursion into a function of its own, which this one calls")  # fmt: skip
    return _emit(ruled, instance)


def _emit(ruled: Ruled, instance: Instance) -> Value:
    frame, function = ruled.frame, instance.function
    pairs = [
        pair
        for key, value in ruled.abstract.items()
        for pair in zip(instances._typed_leaves(value), instances._number_leaves(frame, ruled.passed[key]), strict=True)
    ]
    atoms = [atom_of_type(frame, part, wanted.type, ruled.node) for wanted, part in pairs]
    lengths = _lengths(function, atoms, frame.builder.types)
    return instances.results_of(frame, instance, atoms, ruled.node, lengths)


def _lengths(function: Any, atoms: list[gast.expr], table: Mapping[str, Type]) -> dict[str, types.Extent]:
    """What the lengths of the parameters are here."""
    found: dict[str, types.Extent] = {}
    for parameter, atom in zip(function.parameters, atoms):
        inner, outer = function.types[parameter], table.get(getattr(atom, "id", ""))
        if isinstance(inner, Array) and isinstance(outer, Array):
            for mine, theirs in zip(inner.dims, outer.dims, strict=True):
                if isinstance(mine, types.Dim) and types.is_plain(theirs):
                    found.setdefault(mine.terms[0][0], theirs)
    return found


def _with_rule(ruled: Ruled, instance: Instance) -> None:
    """Make the functions of the rule."""
    if any(isinstance(part, ListOut | Rows) for part in _all_parts(instance.result)):
        ruled.fault(f"`{ruled.name}` has a rule for its derivative and returns a list that grows",
                    "return an array: `np.array(...)`")  # fmt: skip
    makers = {"vjp": _vjp, "jvp": _jvp, "jvps": _jvp, "checkpoint": _checkpoint}
    rule = makers[ruled.given.kind](ruled, instance)
    instance.function = instance.function.with_(rule=rule)
    ruled.frame.task.functions[instance.name] = instance.function


def _all_parts(value: Value | None) -> list[Value]:
    from .values import parts

    return [] if value is None else [value, *(one for _, part in parts(value) for one in _all_parts(part))]


# --- the rules -----------------------------------------------------------------------------------------------------


def _wrt(ruled: Ruled, instance: Instance) -> list[int]:
    """The parameters with a derivative, by number: the floats among the arguments that may have one."""
    numbered = places_of(ruled.abstract)
    places = [leaf.index for key in ruled.differentiated for leaf in leaves(numbered[key]) if isinstance(leaf, Out)]
    return float_places(places, [instance.function.types[p] for p in instance.function.parameters])


def _given(instance: Instance, ruled: Ruled) -> tuple[int, ...]:
    """The parameters that the rule gets beside them: arguments without a derivative, what the functions see."""
    numbered, own = places_of(ruled.abstract), set(ruled.differentiated)
    found = [leaf.index for key in ruled.abstract if key not in own for leaf in leaves(numbered[key])
             if isinstance(leaf, Out)]  # fmt: skip
    return tuple(found)


def _checkpoint(ruled: Ruled, instance: Instance) -> Rule:
    table = [instance.function.types[p] for p in instance.function.parameters]
    wrt = float_places(range(len(table)), table)
    outs = float_places(range(len(instance.result_types)), instance.result_types)
    return Rule("checkpoint", (), tuple(wrt), tuple(outs), (), len(table))


def _vjp(ruled: Ruled, instance: Instance) -> Rule:
    forward, residuals = _forward(ruled, instance)
    backward, wrt, outs = _backward(ruled, instance, forward, residuals)
    count = len(instance.function.parameters)
    return Rule("vjp", (forward.name, backward.name), tuple(wrt), tuple(outs), _given(instance, ruled), count)


def _forward(ruled: Ruled, instance: Instance) -> tuple[Instance, Value]:
    """The function that is called in the forward sweep, and the structure of what it gives beside the results."""
    frame = ruled.frame
    body = ruled.start(ruled.abstract)
    role = ruled.role(body, 1)
    args, named = ruled.arguments(body)
    made = body.inner.held(apply.apply(body.inner, role, args, named, ruled.node))
    if not isinstance(made, Sequence) or len(made.items) != 2:
        body.fault_of(role, f"the forward rule of `{ruled.name}` returns a pair: its result, and what the backward "
                      f"rule needs; this is a {body.inner.describe(made)}")  # fmt: skip
    result = body.like(role, made.items[0], instance, f"the forward rule of `{ruled.name}` returns")
    name = frame.task.function_name(body.name_of(role, f"{ruled.name}_forward"))
    done = body.finish(name, Sequence((result, made.items[1])), role)
    assert isinstance(done.result, Sequence)
    return done, done.result.items[1]


def _backward(
    ruled: Ruled, instance: Instance, forward: Instance, residuals: Value
) -> tuple[Instance, list[int], list[int]]:
    """The function that is called in the backward sweep, and whose cotangents it gives for which results'."""
    frame, first = ruled.frame, len(instance.result_types)
    returned = forward.function.body[-1].value.elts
    saved = [
        (Key(getattr(atom, "id", "saved")), Typed(_any_lengths(type_)))
        for atom, type_ in zip(returned[first:], forward.result_types[first:])
    ]
    own = set(ruled.differentiated)
    outs = float_places(range(first), instance.result_types)
    bars = {k: (Key(f"{_result_name(instance, k)}_bar"), Typed(_any_lengths(instance.result_types[k]))) for k in outs}
    rest = {key: value for key, value in ruled.abstract.items() if key not in own}
    table = [instance.function.types[p] for p in instance.function.parameters]
    body = ruled.start({**dict(saved), **rest, **dict(bars.values())})
    values, role = body.inner.variables, ruled.role(body, 2)
    names = [""] * first + [values[key].name for key, _ in saved]  # type: ignore[union-attr]
    kept = instances.taken_over(body.inner, residuals, names, ruled.node)

    def bar(part: Value, _: tuple[object, ...]) -> Value:
        return values[bars[part.index][0]] if isinstance(part, Out) and part.index in bars else Static(None)

    result_bar = body.objects(map_leaves(instance.result, bar))
    made = body.inner.held(
        apply.apply(body.inner, role, [*(values[n] for n in ruled.without), kept, result_bar], {}, ruled.node)
    )
    what = f"the backward rule of `{ruled.name}`"
    names = ruled.differentiated
    if not isinstance(made, Sequence) or len(made.items) != len(names):
        body.fault_of(role, f"{what} returns a tuple of {len(names)}: one cotangent for each of "
                      f"{', '.join(f'`{n}`' for n in names)}; this is a {body.inner.describe(made)}")  # fmt: skip
    numbered = places_of(ruled.abstract)
    found: dict[int, Value] = {}
    for name, value in zip(names, made.items):
        matched(body, role, numbered[name], value, found, f"{what} gives for `{name}`")
    wrt = [place for place in found if place in float_places(found, table)]
    items = []
    for place in wrt:
        shown = f"{what} gives for {shown_path(instance, place)}"
        items.append(body.as_like(role, found[place], table[place], shown))
        wanted = [body.parameter(types.INT, f"n_{axis}") for axis in range(types.rank(table[place]))]
        body.require_lengths(items[-1], wanted, shown)
    name = frame.task.function_name(body.name_of(role, f"{ruled.name}_backward"))
    # `given` goes by the numbers of the parameters, which `rest` keeps
    return body.finish(name, Sequence(tuple(items)), role), wrt, outs


def _any_lengths(type_: Type) -> Type:
    if not isinstance(type_, Array):
        return type_
    return Array(type_.dtype, tuple(1 if d == 1 else types.symbol("any") for d in type_.dims), "A")


def _result_name(instance: Instance, place: int) -> str:
    atom = instance.function.body[-1].value.elts[place]
    return getattr(atom, "id", "result")


def _jvp(ruled: Ruled, instance: Instance) -> Rule:
    """The function of primals and tangents that gives results and their tangents."""
    frame, function = ruled.frame, instance.function
    wrt, numbered = _wrt(ruled, instance), places_of(ruled.abstract)
    dots = {p: (Key(f"{function.parameters[p]}_dot"), Typed(_any_lengths(function.types[function.parameters[p]])))
            for p in wrt}  # fmt: skip
    body = ruled.start({**ruled.abstract, **dict(dots.values())})
    values, role = body.inner.variables, ruled.role(body, 1)
    for place, (key, _) in dots.items():  # as long as what they belong to
        body.same_lengths(values[key].name, body.parameters[place])  # type: ignore[union-attr]

    def dot(part: Value, _: tuple[object, ...]) -> Value:
        return values[dots[part.index][0]] if isinstance(part, Out) and part.index in dots else Static(None)

    tangents = [body.objects(map_leaves(numbered[name], dot)) for name in ruled.differentiated]
    primals = [values[name] for name in ruled.differentiated]
    if ruled.given.kind == "jvps":
        result, tangent = _summed(ruled, body, primals, tangents)
    else:
        arguments = [*(values[n] for n in ruled.without), Sequence(tuple(primals)), Sequence(tuple(tangents))]
        made = body.inner.held(apply.apply(body.inner, role, arguments, {}, ruled.node))
        if not isinstance(made, Sequence) or len(made.items) != 2:
            body.fault_of(role, f"the rule of `{ruled.name}` returns a pair: the result and its tangent; this is a "
                          f"{body.inner.describe(made)}")  # fmt: skip
        result, tangent = made.items
    result = body.like(role, result, instance, f"the rule of `{ruled.name}` returns")
    found: dict[int, Value] = {}
    what = f"the rule of `{ruled.name}` gives as tangent"
    matched(body, role, instance.result, tangent, found, what)
    outs = [place for place in found if place in float_places(found, instance.result_types)]
    slopes = [body.as_like(role, found[p], instance.result_types[p], what) for p in outs]
    for place, slope in zip(outs, slopes):
        body.require_same_lengths(slope, leaf_at(instance.result, result, place), what)
    name = frame.task.function_name(body.name_of(role, f"{ruled.name}_jvp"))
    done = body.finish(name, Sequence((result, Sequence(tuple(slopes)))), role)
    return Rule("jvp", (done.name,), tuple(wrt), tuple(outs), _given(instance, ruled), len(function.parameters))


def _summed(ruled: Ruled, body: Body, primals: list[Value], tangents: list[Value]) -> tuple[Value, Value]:
    """The rule that `defjvps` gives: the sum of one tangent for each argument."""
    from . import evaluate

    result = ruled.plain(body)
    total: Value = Static(None)
    if len(ruled.given.functions) != len(primals):
        ruled.fault(f"`{ruled.name}` takes {len(primals)} arguments, and `defjvps` gave {len(ruled.given.functions)} "
                    "rules", "give one for each, or None")  # fmt: skip
    for number, tangent in enumerate(tangents):
        rule = ruled.role(body, number + 1)
        if rule == Static(None) or tangent == Static(None):
            continue
        term = apply.apply(body.inner, rule, [tangent, result, *primals], {}, ruled.node)
        total = term if total == Static(None) else evaluate.binary(
            body.inner, gast.Add, total, term, ruled.node)  # fmt: skip
    return result, total
