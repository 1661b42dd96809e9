"""Find out which objects every expression of the user's source may be, or be a view of.

    def f(x, y):
        a = x[1:]            a: argument x
        if y > 0:
            a = x.copy()     a: made here
        a[0] = 1.0           a: argument x, or made in line 4

Flow-sensitive, by abstract interpretation: branches are joined, loops go round until nothing changes, tuples are
followed element by element, calls of functions whose source is at hand by a summary of what they return.
Takes resolved source (before desugaring), gives facts.  Leaves it to `frontend.purity` to say what is forbidden.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from typing import TypeAlias

import gast

from ... import syntax
from ...records import dataclass
from .alias_expression import expression_value, here
from .alias_value import FUNCTION, NOTHING, PointsTo, container, doubtful, element, join, outside, with_part_in

State: TypeAlias = dict[str, PointsTo]
AnyFunction: TypeAlias = gast.FunctionDef | gast.AsyncFunctionDef | gast.Lambda


@dataclass(frozen=True, slots=True)
class AliasBinding:
    """One binding of a name: the target, the expression it is bound to (None for a loop), and its value."""

    target: gast.AST
    source: gast.AST | None
    value: PointsTo


@dataclass(slots=True)
class AliasFacts:
    """What one function's expressions may be; `bindings` in program order; `returned` over all returns."""

    values: dict[gast.AST, PointsTo] = field(default_factory=dict)
    bindings: dict[str, dict[gast.AST, AliasBinding]] = field(default_factory=dict)
    returned: PointsTo | None = None

    def value(self, node: gast.AST) -> PointsTo:
        return self.values.get(node, NOTHING)

    def may_alias(self, left: gast.AST, right: gast.AST) -> bool:
        """Whether changing one of two expressions may be seen through the other."""
        return not self.value(left).everything.isdisjoint(self.value(right).everything)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the analysis asks about names that are not the function's own.

    describe    the value of a name from outside: a global or a variable of an enclosing function
    call        the value of a call, given the node, the function's value and the values of its arguments
    """

    describe: Callable[[str], PointsTo]
    call: Callable[[Flow, gast.Call, State], PointsTo]


def alias_facts(function: AnyFunction, surroundings: Surroundings, locals_: frozenset[str]) -> AliasFacts:
    """The facts of one function; functions defined inside it are left closed and are analysed on their own."""
    flow = Flow(surroundings, locals_)
    state: State = {name: outside("argument", name) for name in _parameters(function)}
    if isinstance(function, gast.Lambda):
        flow.facts.returned = flow.evaluate(function.body, state)
    else:
        flow.block(function.body, state)
    return flow.facts


def _parameters(function: AnyFunction) -> Iterable[str]:
    a = function.args
    return (p.id for p in [*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg] if p is not None)


def join_states(states: Iterable[State | None]) -> State | None:
    """The state where several paths meet; None is a path that does not arrive."""
    arriving = [state for state in states if state is not None]
    if not arriving:
        return None
    joined = dict(arriving[0])
    for state in arriving[1:]:
        for name, value in state.items():
            joined[name] = join(joined[name], value) if name in joined else value
    return joined


class Flow:
    """The interpreter of one function body.  A state maps names to values; None means that control does not arrive."""

    def __init__(self, surroundings: Surroundings, locals_: frozenset[str]) -> None:
        self.surroundings, self.locals = surroundings, locals_
        self.facts = AliasFacts()
        self.breaks: list[State | None] = []
        self.continues: list[State | None] = []
        self.heads: dict[gast.AST, State] = {}

    # --- statements ------------------------------------------------------------------------------------------------

    def block(self, body: Iterable[gast.stmt], state: State) -> State | None:
        arriving: State | None = state
        for statement in body:
            if arriving is not None:
                state = arriving
                arriving = self.statement(statement, state)
            else:  # dead code is looked at all the same: it is in the program
                self.statement(statement, dict(state))
        return arriving

    def statement(self, node: gast.stmt, state: State) -> State | None:
        match node:
            case gast.Assign(targets=targets, value=value):
                result = self.evaluate(value, state)
                for target in targets:
                    self.bind(target, result, state, value)
            case gast.AnnAssign(target=target, value=value):
                if value is not None:
                    self.bind(target, self.evaluate(value, state), state, value)
            case gast.AugAssign(target=target, value=value):
                self.augmented(target, self.evaluate(value, state), state)
            case gast.If(test=test, body=body, orelse=orelse):
                self.evaluate(test, state)
                return join_states([self.block(body, dict(state)), self.block(orelse, dict(state))])
            case gast.For() | gast.AsyncFor() | gast.While():
                return self.loop(node, state)
            case gast.Return(value=value):
                result = self.evaluate(value, state) if value is not None else NOTHING
                self.facts.returned = result if self.facts.returned is None else join(self.facts.returned, result)
                return None
            case gast.Expr(value=gast.Yield(value=value)) if value is not None:
                result = container(here(node), [], self.evaluate(value, state))
                self.facts.returned = result if self.facts.returned is None else join(self.facts.returned, result)
            case gast.Expr(value=gast.YieldFrom(value=value)):
                result = container(here(node), [], element(self.evaluate(value, state)))
                self.facts.returned = result if self.facts.returned is None else join(self.facts.returned, result)
            case gast.Break():
                self.breaks.append(state)
                return None
            case gast.Continue():
                self.continues.append(state)
                return None
            case gast.FunctionDef() | gast.AsyncFunctionDef() | gast.ClassDef():
                state[node.name] = FUNCTION
            case gast.Try():
                return self.trying(node, state)
            case gast.TryStar() | gast.With() | gast.AsyncWith() | gast.Match():
                return self.refused(node, state)
            case _:
                for child in gast.iter_child_nodes(node):
                    if isinstance(child, gast.expr):
                        self.evaluate(child, state)
                return None if isinstance(node, gast.Raise) else state
        return state

    def loop(self, node: gast.For | gast.While, state: State) -> State | None:
        """Iterate to a fixpoint of the state at the head of the loop."""
        outer = self.breaks, self.continues
        # starting from where an earlier visit ended keeps nested loops from multiplying
        head = join_states([state, self.heads.get(node)]) or {}
        while True:
            self.breaks, self.continues = [], []
            inside = dict(head)
            if isinstance(node, gast.While):
                self.evaluate(node.test, inside)
                self._note_walrus(inside, head)
            else:
                self.bind(node.target, element(self.evaluate(node.iter, inside)), inside)
            end = self.block(node.body, inside)
            again = join_states([head, end, *self.continues])
            if again == head:
                break
            head = again or {}
        self.heads[node] = head
        leaving = join_states([self.block(node.orelse, dict(head)), *self.breaks])
        self.breaks, self.continues = outer
        return leaving

    @staticmethod
    def _note_walrus(after: State, head: State) -> None:
        """What the test of a `while` binds is bound when the loop ends, too."""
        for name, value in after.items():
            head[name] = join(head[name], value) if name in head else value

    def trying(self, node: gast.Try, state: State) -> State | None:
        """A handler may see whatever a variable stood for at any point of the block."""
        after = self.block(node.body, dict(state))
        left = join_states([state, after]) or {}
        for inner in (n for s in node.body for n in syntax.nodes_of(s)):
            if isinstance(inner, gast.Name) and inner in self.facts.values and not isinstance(inner.ctx, gast.Load):
                found = self.facts.values[inner]
                left[inner.id] = join(left[inner.id], found) if inner.id in left else found
        ends = [self.block(node.orelse, dict(after)) if after is not None else None]
        ends += [self.block(handler.body, dict(left)) for handler in node.handlers]
        behind = join_states([*ends, left] if node.finalbody else ends)
        return None if behind is None else self.block(node.finalbody, behind)

    def refused(self, node: gast.stmt, state: State) -> State | None:
        """Statements outside the language, followed loosely: every block may run or not."""
        for item in getattr(node, "items", ()):
            value = self.evaluate(item.context_expr, state)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value, state)
        blocks = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
        blocks += [case.body for case in getattr(node, "cases", ())]
        blocks += [handler.body for handler in getattr(node, "handlers", ())]
        for body in blocks:
            state = join_states([state, self.block(body, dict(state))]) or state
        return state

    # --- targets ---------------------------------------------------------------------------------------------------

    def bind(self, target: gast.AST, value: PointsTo, state: State, source: gast.AST | None = None) -> None:
        match target:
            case gast.Name(id=name):
                state[name] = value
                self.record(target, value)
                known = self.facts.bindings.setdefault(name, {})
                known[target] = AliasBinding(target, source, self.facts.values[target])
            case gast.Starred(value=inner):
                self.bind(inner, container(value, [], element(value)), state, source)
            case gast.Tuple(elts=targets) | gast.List(elts=targets):
                self._unpack(targets, value, state, source)
            case gast.Subscript(value=base, slice=index):
                self.evaluate(index, state)
                self.put(self.evaluate(base, state), value, state)
            case gast.Attribute(value=base):
                self.put(self.evaluate(base, state), value, state)

    def _unpack(self, targets: list[gast.AST], value: PointsTo, state: State, source: gast.AST | None) -> None:
        known = value.elements
        if known is None or len(known) != len(targets) or any(isinstance(t, gast.Starred) for t in targets):
            for target in targets:
                self.bind(target, value if isinstance(target, gast.Starred) else element(value), state, source)
            return
        parts = source.elts if isinstance(source, gast.Tuple | gast.List) and len(source.elts) == len(known) else None
        for position, target in enumerate(targets):
            self.bind(target, known[position], state, parts[position] if parts else source)

    def augmented(self, target: gast.AST, value: PointsTo, state: State) -> None:
        match target:
            case gast.Name(id=name):
                before = self.evaluate(target, state)
                if value.form == "container":  # a list that takes over the elements of another
                    self.put(before, element(value), state)
                if name not in state and name in self.locals:
                    state[name] = before
            case _:
                before = self.evaluate(target, state)
                if value.form == "container":
                    self.put(before, element(value), state)

    def put(self, base: PointsTo, part: PointsTo, state: State) -> None:
        """Something is put into an object: every name that may be the object may now reach it."""
        if not part.everything or base.form in ("array", "made"):
            return
        if base.form != "container" and all(origin.kind != "made" for origin in base.itself):
            return  # an array copies; a list from outside may not be changed in the first place
        if base.form != "container":  # it may be an array as well
            inside = doubtful([part], ".item", NOTHING).inside
            part = PointsTo(inside, inside)
        for name, value in state.items():
            if not value.everything.isdisjoint(base.itself):
                state[name] = with_part_in(value, part, base.itself)

    # --- expressions -----------------------------------------------------------------------------------------------

    def record(self, node: gast.AST, value: PointsTo) -> PointsTo:
        seen = self.facts.values.get(node)
        self.facts.values[node] = value if seen is None else join(seen, value)
        return value

    def evaluate(self, node: gast.AST, state: State) -> PointsTo:
        """The value of an expression; what it may bind (`:=`) goes into the state."""
        return self.record(node, expression_value(self, node, state))

    def lookup(self, name: str, state: State) -> PointsTo:
        if name in state:
            return state[name]
        return NOTHING if name in self.locals else self.surroundings.describe(name)
