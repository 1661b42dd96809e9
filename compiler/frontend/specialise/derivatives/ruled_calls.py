"""Calls of functions with a rule of their own for the derivative: they stay calls, beside the functions of the rule.

    softplus.defvjp(forward, backward)              y = softplus(x)      and in the same program
    y = softplus(x)                          ->     softplus_forward(x)            -> y, residuals
                                                    softplus_backward(residuals, y_bar)    -> x_bar

Where no derivative is taken the function is walked into like any other.  The variables that the functions capture
become arguments, and so do those of functions among the arguments.  Derivatives then use `program.Rule`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cache
from typing import Any

import gast

from .....runtime.given_rules import GivenRule
from .... import syntax, types
from ....program import Function
from ....records import dataclass
from ....types import Array, Type
from .. import protocol
from ..frame import Frame
from ..functions import instances, signatures
from ..functions.environments import Environment
from ..interpreter import apply
from ..kinds import classes
from ..specialised import Instance
from ..values import ListOut, Rows, Static, Value, is_number, map_leaves, parts
from ..world import outside
from . import made_rules, rule_bodies

NO_RULE = {
    "vjp": "give it one: `{0}.defvjp(forward, backward)`",
    "jvp": "give it one: `{0}.defjvp(rule)`",
    "jvps": "give it one: `{0}.defjvp(rule)`",
}


class Number:
    """A number that stays known inside because it has no derivative, such as an axis."""

    def __init__(self, value: Any) -> None:
        self.value = value


@cache
def number(kind: type, text: str, value: Any) -> Number:
    """The one object for a number, which its `repr` identifies: -0.0 is not 0.0, True is not 1."""
    return Number(value)


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
    environment: Environment = field(init=False)
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

    # --- the arguments

    def gather(self) -> tuple[Any, ...]:
        """Find all that the functions capture; what identifies the call, apart from the types of its arguments."""
        everything: dict[Any, Value] = dict(self.bound)
        for role, value in enumerate([self.function, *self.rules()]):
            everything[rule_bodies.Key.of(f"function {role}")] = value
        self.environment = Environment(self.frame, given=everything)
        everything.update(self.environment.passed)
        self.passed = {key: self.with_holes(key, value) for key, value in everything.items()}
        return self.environment.identity

    def rules(self) -> list[Value]:
        found = []
        for function in self.given.functions:
            read = outside.taken_apart(self.frame, function, self.name, self.node, None)
            plain = classes.inside(function)
            if hasattr(plain, "__code__"):
                classes.judge(self.frame, plain)
            found.append(read)
        return found

    def with_holes(self, key: Any, value: Value) -> Value:
        """A value with holes for functions and, where it has no derivative, for the numbers that are known."""
        holed = self.environment.with_holes(self.frame.tree(value))
        if key in self.differentiated:
            return holed

        def change(part: Value, path: tuple[object, ...]) -> Value:
            if not is_number(part):
                return part
            return Static(number(part.value.__class__, repr(part.value), part.value))

        return map_leaves(holed, change)

    def fill(self, inner: Frame) -> None:
        """Put functions back into their positions, with what they capture."""

        def change(part: Value, _: tuple[object, ...]) -> Value:
            return Static(part.value.value) if isinstance(part, Static) and isinstance(part.value, Number) else part

        contents = inner.heap.contents
        contents.update({number: map_leaves(held, change) for number, held in contents.items()})
        inner.variables = {key: map_leaves(value, change) for key, value in inner.variables.items()}
        self.environment.enter(inner, is_around=False)

    # --- the functions

    def start(self, keys: Mapping[Any, Value]) -> rule_bodies.Body:
        body = rule_bodies.Body(self.frame, self.node, keys)
        self.fill(body.inner)
        return body

    def role(self, body: rule_bodies.Body, number: int) -> Value:
        return body.values[rule_bodies.Key.of(f"function {number}")]

    def arguments(self, body: rule_bodies.Body) -> tuple[list[Value], dict[str, Value]]:
        """The arguments of the function itself."""
        values, spec = body.inner.variables, self.spec
        positional = [values[a.id] for a in (*spec.posonlyargs, *spec.args)]
        if spec.vararg is not None:
            positional += [part for _, part in parts(values[spec.vararg.id])]
        return positional, {a.id: values[a.id] for a in spec.kwonlyargs}

    def itself(self) -> Instance:
        """The function on its own."""
        name = self.frame.task.function_name(self.name)
        body = self.start(self.abstract)
        value = self.plain(body)
        return body.finish(name, value, self.function)

    def plain(self, body: rule_bodies.Body) -> Value:
        """The function called without its rule."""
        function, (args, named) = self.role(body, 0), self.arguments(body)
        if isinstance(function, Static):
            return apply.call_function(body.inner, function.value, args, named, self.node, with_rule=False)
        return protocol.call(body.inner, function, args, named, self.node)

    def fault(self, message: str, *help: str) -> None:
        self.frame.fault("G006", message, self.node, "called here", help)


def call(
    frame: Frame, name: str, function: Value, given: GivenRule, spec: gast.arguments, bound: dict[str, Value],
    node: gast.AST,
) -> Value:  # fmt: skip
    """Emit the call; the function and those of its rule are specialised once for arguments of these types."""
    ruled = Ruled(frame, name, function, given, spec, _in_order(spec, bound), node)
    if not given.functions and given.kind in NO_RULE:
        ruled.fault(f"`{name}` has no rule for its derivative", NO_RULE[given.kind].format(name))
    if spec.kwarg is not None and given.kind != "checkpoint":
        ruled.fault(f"`{name}` has a rule for its derivative and takes `**{spec.kwarg.id}`", "name its arguments")
    identity = (given, ruled.gather())
    held = function.value if isinstance(function, Static) else getattr(function, "node", function)
    key, ruled.abstract = signatures.signature(frame, (id(held), identity), ruled.passed)
    task = frame.task
    if key not in task.instances:
        task.instances[key] = Instance(name)
        task.instances[key] = made = ruled.itself()
        made.arguments = ruled.abstract  # they are held because the key has their identities
        # a result that is a parameter has a slope of its own, because the call returns it
        made.shown, made.handed = tuple(made.handed.values()), {}
        _with_rule(ruled, made)  # the rule may call the function itself
    instance = task.instances[key]
    if instance.function is None:
        ruled.fault(f"`{name}` has a rule for its derivative and calls itself",
                    "put the recursion into a function of its own, which this one calls")  # fmt: skip
    return _emit(ruled, instance)


def _in_order(spec: gast.arguments, bound: Mapping[str, Value]) -> dict[str, Value]:
    """The arguments in parameter order, however the call names them: a rule returns their slopes in that order."""
    names = [p.id for p in (*spec.posonlyargs, *spec.args, spec.vararg, *spec.kwonlyargs, spec.kwarg) if p is not None]
    return {name: bound[name] for name in names}


def _emit(ruled: Ruled, instance: Instance) -> Value:
    frame, function = ruled.frame, instance.finished
    pairs = [
        pair for key, value in ruled.abstract.items() for pair in instances.passed(frame, value, ruled.passed[key])
    ]
    atoms = [rule_bodies.atom_of_type(frame, part, wanted.type, ruled.node) for wanted, part in pairs]
    made = instances.results_of(frame, instance, atoms, ruled.node, instances.lengths_here(frame, function, atoms))
    values = ((s, getattr(s, "value", s)) for s in reversed(frame.builder.body))
    call = next(s for s, value in values if syntax.operator_of(value) == instance.name)
    shown = (atoms[place] for place in instance.shown)
    call.shows, call.locked = tuple(a.id for a in shown if isinstance(a, gast.Name)), False
    return made


def _with_rule(ruled: Ruled, instance: Instance) -> None:
    """Make the functions of the rule."""
    if any(isinstance(part, ListOut | Rows) for part in _all_parts(instance.result)):
        ruled.fault(f"`{ruled.name}` has a rule for its derivative and returns a list that grows",
                    "return an array: `np.array(...)`")  # fmt: skip
    makers = {"vjp": made_rules.vjp, "jvp": made_rules.jvp, "jvps": made_rules.jvp, "checkpoint": made_rules.checkpoint}
    rule = makers[ruled.given.kind](ruled, instance)
    task = ruled.frame.task
    own = instance.finished.with_(rule=rule)
    instance.function = task.functions[instance.name] = own
    if rule.functions:
        other = task.functions[rule.functions[0]]
        instance.result_types = tuple(
            one if _agree(one, two, own, other) else _any(one) for one, two in zip(own.results, other.results)
        )


def _agree(one: Type, two: Type, function: Function, other: Function) -> bool:
    """Whether two functions of the same parameters agree on the lengths of a result."""
    names = {
        mine.terms[0][0]: theirs
        for p, q in zip(function.parameters, other.parameters)
        for mine, theirs in zip(_dims(function.types[p]), _dims(other.types[q]))
        if isinstance(mine, types.Dim)
    }
    return _dims(types.with_lengths(one, names)) == _dims(two)


def _dims(type_: Type) -> tuple[types.Extent, ...]:
    return type_.dims if isinstance(type_, Array) else ()


def _any(type_: Type) -> Type:
    """The type with its symbolic lengths replaced by `any`."""
    if not isinstance(type_, Array):
        return type_
    return Array(type_.dtype, tuple(d if isinstance(d, int) else types.symbol("any") for d in type_.dims), type_.layout)


def _all_parts(value: Value | None) -> list[Value]:
    return [] if value is None else [value, *(one for _, part in parts(value) for one in _all_parts(part))]
