"""Connect the alias analysis with the names of the program: what globals are, and what calls return.

    y = helper(x)     y: something new, or (a view of) x, by what the returns of `helper` may be

A function whose source is available is analysed once and its result is kept as a summary in terms of its parameters;
for recursive functions this is repeated until the summary no longer changes.  A call that cannot be seen may return a
view of any of its arguments.
"""

from __future__ import annotations

from dataclasses import replace

import gast

from ...analysis.at_places import place_of
from ...analysis.memory.alias_expression import argument_values, builtin_call, here, library_call, method_call
from ...analysis.memory.alias_source import AliasFacts, Flow, State, Surroundings, alias_facts
from ...analysis.memory.alias_value import (
    FUNCTION,
    NOTHING,
    SCALAR,
    AliasOrigin,
    Origins,
    PointsTo,
    container,
    doubtful,
    join,
    join_all,
    outside,
)
from ...diagnostics import Label
from ..source.resolve import Resolve, resolve_chain
from ..source.scopes import AnyFunction, Scope, scope_of, scopes

DEEPEST_CALLS = 12
MOST_SUMMARIES = 300  # without a bound, functions that all call each other would take too long


class Summaries:
    """What functions return, in terms of their parameters; shared by all functions of one check."""

    def __init__(self) -> None:
        self.done: dict[gast.AST, PointsTo] = {}
        self.active: dict[gast.AST, PointsTo] = {}
        self.unfinished: set[gast.AST] = set()
        self.scopes: dict[gast.AST, Scope] = {}
        self.inside: dict[gast.AST, list[Scope]] = {}
        self.changing: set[gast.AST] = set()
        self.changed: dict[gast.AST, dict[str, tuple[Label, ...]]] = {}  # the parameters that are changed, and where
        self.made = 0

    def scope(self, tree: AnyFunction, parent: Scope | None) -> Scope:
        if tree not in self.scopes:
            self.scopes[tree] = scope_of(tree, parent)
        return self.scopes[tree]

    def scopes_of(self, tree: AnyFunction) -> list[Scope]:
        """The scope of a function and those inside it."""
        if tree not in self.inside:
            self.inside[tree] = list(scopes(tree))
        return self.inside[tree]

    def summary(self, scope: Scope, resolve: Resolve) -> PointsTo | None:
        """None when calls are nested too deeply to be followed."""
        tree = scope.node
        if tree in self.done:
            return self.done[tree]
        if tree in self.active:
            self.unfinished.add(tree)
            return self.active[tree]
        self.made += 1
        if len(self.active) >= DEEPEST_CALLS or self.made > MOST_SUMMARIES:
            return None
        before = PointsTo()
        while True:
            self.active[tree] = before
            after = facts_of(scope, resolve, self).returned or NOTHING
            wider = join(before, after) if before != PointsTo() else after
            if wider == before or tree not in self.unfinished:
                break
            before = wider
        del self.active[tree]
        self.unfinished.discard(tree)
        if not self.unfinished:
            self.done[tree] = after
        return after


def facts_of(scope: Scope, resolve: Resolve, summaries: Summaries) -> AliasFacts:
    """The alias facts of one function, with the names around it resolved."""

    def describe(name: str) -> PointsTo:
        owner = scope.owner(name)
        if owner is not None:
            return FUNCTION if name in owner.functions else outside("enclosing", name)
        found = resolve(name)
        if found.is_data_that_can_change:
            return outside("global", name)
        return SCALAR if found.kind == "constant" else FUNCTION

    def call(flow: Flow, node: gast.Call, state: State) -> PointsTo:
        return _call(flow, node, state, scope, resolve, summaries)

    return alias_facts(scope.node, Surroundings(describe, call), scope.names)


def _call(flow: Flow, node: gast.Call, state: State, scope: Scope, resolve: Resolve, summaries: Summaries) -> PointsTo:
    match node.func:
        case gast.Name(id=name) if (owner := scope.owner(name)) is not None:
            function = owner.functions.get(name)
            if function is None:
                return doubtful(argument_values(flow, node), name, here(node))
            return _apply(flow, node, state, summaries.scope(function, owner), resolve, summaries)
        case gast.Lambda() as function:
            return _apply(flow, node, state, summaries.scope(function, scope), resolve, summaries)
    if place_of(node) is not None:
        return here(node, "array")
    found = resolve_chain(node.func, resolve, scope.is_local)
    if found is None:
        if isinstance(node.func, gast.Attribute):
            return method_call(flow, node, node.func.attr, state)
        maker = resolve_chain(node.func.func, resolve, scope.is_local) if isinstance(node.func, gast.Call) else None
        if maker is not None and maker.name.startswith("pellucid."):  # grad(f)(x) always returns something new
            return here(node)
        return doubtful(argument_values(flow, node), "this call", here(node))
    match found.kind:
        case "builtin":
            return builtin_call(flow, node, found.name)
        case "library" | "module":
            return library_call(flow, node, found.name)
        case "class":
            return container(here(node), argument_values(flow, node))
        case "function" if found.source is not None and (source := found.source()) is not None:
            return _apply(flow, node, state, summaries.scope(source.tree, None), source.resolve, summaries)
        case "callable":
            return doubtful(argument_values(flow, node), f".{found.name}", here(node))
        case _:
            return doubtful(argument_values(flow, node), found.name, here(node))


def _apply(
    flow: Flow, node: gast.Call, state: State, callee: Scope, resolve: Resolve, summaries: Summaries
) -> PointsTo:
    """The summary of a function, with the arguments of this call substituted for its parameters."""
    returned = summaries.summary(callee, resolve)
    if returned is None:
        return doubtful(argument_values(flow, node), callee.name, here(node))
    actual = arguments_by_name(flow, node, callee.node)

    def reached(origin: AliasOrigin) -> Origins:
        match origin.kind:
            case "argument":
                given = actual.get(origin.name, NOTHING)
                parts = given.inside - given.itself  # the result may be one of these, but need not be
                found = given.itself | {replace(o, through=o.through or callee.name) for o in parts}
            case "enclosing":
                found = flow.lookup(origin.name, state).everything
            case "made":
                return here(node).itself
            case _:
                return frozenset({origin})
        return frozenset(replace(o, through=o.through or origin.through) if o.kind != "made" else o for o in found)

    def substituted(value: PointsTo) -> PointsTo:
        alone = next((name for name in actual if value == outside("argument", name)), None)
        if alone is not None:
            return actual[alone]
        itself = frozenset[AliasOrigin]().union(*map(reached, value.itself))
        inside = frozenset[AliasOrigin]().union(*map(reached, value.inside))
        elements = None if value.elements is None else tuple(map(substituted, value.elements))
        each = None if value.each is None else substituted(value.each)
        return replace(value, itself=itself, inside=inside, elements=elements, each=each)

    return substituted(returned)


def arguments_by_name(flow: Flow, node: gast.Call, function: AnyFunction) -> dict[str, PointsTo]:
    """The values of a call's arguments by the parameters they go to; with stars, any may go anywhere."""
    a = function.args
    positional = [p.id for p in (*a.posonlyargs, *a.args)]
    everyone = [*positional, *(p.id for p in (a.vararg, *a.kwonlyargs, a.kwarg) if p is not None)]
    if any(isinstance(argument, gast.Starred) for argument in node.args) or any(k.arg is None for k in node.keywords):
        return dict.fromkeys(everyone, join_all([NOTHING, *argument_values(flow, node)]))
    values = [flow.facts.value(argument) for argument in node.args]
    found = dict(zip(positional, values))
    if a.vararg is not None:
        found[a.vararg.id] = container(here(node), values[len(positional) :])
    extra = []
    for keyword in node.keywords:
        value = flow.facts.value(keyword.value)
        if keyword.arg in everyone:
            found[keyword.arg] = value
        else:
            extra.append(value)
    if a.kwarg is not None:
        found[a.kwarg.id] = container(here(node), [], join_all(extra))
    return found
