"""Find random keys that are used twice: the same numbers would be drawn again.

    a = random.normal(key, (3,))
    b = random.uniform(key, (3,))     ->     K001: the key `key` is used twice, with the location of the first use

Takes one scope, gives findings; follows the statements of the function along its paths.  A key is used by every
function of `pellucid.random` that draws from it or splits it; `fold_in` derives another key and leaves it as it is.
Two uses that are each under a condition of their own are left alone, as nothing says whether both conditions hold in
one call.  What called functions do with a key is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

import gast

from ...diagnostics import Diagnostic, Label, Span
from ...records import dataclass
from ..source.resolve import Resolve, resolve_chain
from ..source.scopes import FUNCTIONS, Scope, evaluated_here

MODULE = "pellucid.random."
NOT_USING = frozenset("PRNGKey key key_data wrap_key_data key_impl clone fold_in".split())
Guard = tuple[object, bool]  # a condition, at an iteration of the loops around it, and whether it holds
Guards = tuple[Guard, ...]
Key = tuple[object, ...]  # the value of a name, and what is taken from it: `keys[0]`
PLAIN_INDEX = (gast.Name, gast.Constant, gast.BinOp, gast.UnaryOp, gast.Tuple, gast.operator, gast.unaryop)


@dataclass(frozen=True, slots=True)
class KeyUse:
    """One use of a key: the call, and the conditions that it is under."""

    call: gast.Call
    written: str
    guards: Guards


@dataclass(slots=True)
class KeyState:
    """Which value every name has, and which keys are used, at one point of the function."""

    values: dict[str, object] = field(default_factory=dict)
    used: dict[Key, KeyUse] = field(default_factory=dict)

    def copy(self) -> KeyState:
        return KeyState(dict(self.values), dict(self.used))


@dataclass(slots=True, eq=False)
class KeyWalk:
    """A walk through one function; `found` has the faults by the later use."""

    scope: Scope
    file: str
    resolve: Resolve
    found: dict[gast.Call, Diagnostic] = field(default_factory=dict)
    made: int = 0  # how many values there are so far
    guards: Guards = ()
    turns: tuple[int, ...] = ()  # the current iterations of the loops around
    leaving: list[tuple[list[KeyState], list[KeyState]]] = field(default_factory=list)  # break, continue

    # --- statements ------------------------------------------------------------------------------------------------

    def block(self, body: list[gast.stmt], state: KeyState | None) -> KeyState | None:
        """The state after statements; None where control does not reach their end."""
        for statement in body:
            if state is None:
                return None
            state = self.statement(statement, state)
        return state

    def statement(self, node: gast.stmt, state: KeyState) -> KeyState | None:
        match node:
            case gast.If(test=test, body=body, orelse=orelse):
                self.visit(test, state)
                return self.branches(test, body, orelse, state)
            case gast.For() | gast.While():
                return self.loop(node, state)
            case gast.Break() | gast.Continue():
                self.leaving[-1][isinstance(node, gast.Continue)].append(state)
                return None
            case gast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
                ends = [self.block([*body, *orelse], state.copy())]
                ends += [self.block(handler.body, state.copy()) for handler in handlers]
                return self.block(final, self.joined(ends))
            case gast.With(items=items, body=body):
                for item in items:
                    self.visit(item.context_expr, state)
                return self.block(body, state)
            case gast.Match(subject=subject, cases=cases):
                self.visit(subject, state)
                return self.joined([state, *(self.case(one, k, node, state.copy()) for k, one in enumerate(cases))])
            case gast.FunctionDef(name=name) | gast.ClassDef(name=name):
                self.bind(name, state)
                return state
        for child in evaluated_here(node):
            self.visit(child, state)
        self.assign(node, state)
        return None if isinstance(node, gast.Return | gast.Raise) else state

    def case(self, one: gast.match_case, place: int, node: gast.Match, state: KeyState) -> KeyState | None:
        for part in gast.walk(one.pattern):
            if isinstance(name := getattr(part, "name", None), str):
                self.bind(name, state)
        return self.under(((node, place, self.turns), True), one.body, state)

    def branches(
        self, test: gast.expr, body: list[gast.stmt], orelse: list[gast.stmt], state: KeyState
    ) -> KeyState | None:
        """Both sides of a condition, each with its own copy."""
        asked, holds = condition(test, state)
        guard = asked, self.turns
        ends = [self.under((guard, holds), body, state.copy()), self.under((guard, not holds), orelse, state.copy())]
        return self.joined(ends)

    def under(self, guard: Guard, body: list[gast.stmt], state: KeyState) -> KeyState | None:
        outer, self.guards = self.guards, (*self.guards, guard)
        end = self.block(body, state)
        self.guards = outer
        return end

    def loop(self, node: gast.For | gast.While, state: KeyState) -> KeyState | None:
        """Walk the body twice: a key used in one iteration is used again in the next, unless it is made anew."""
        if isinstance(node, gast.For):
            self.visit(node.iter, state)
        after: list[KeyState | None] = []
        entered: KeyState | None = state
        for turn in range(2):
            if entered is None:
                break
            self.turns = (*self.turns, turn)
            if isinstance(node, gast.While):
                self.visit(node.test, entered)
            after.append(entered.copy())
            if isinstance(node, gast.For):
                self.unbind(node.target, entered)
            breaks: list[KeyState] = []
            continues: list[KeyState] = []
            self.leaving.append((breaks, continues))
            entered = self.joined([self.block(node.body, entered), *continues])
            self.leaving.pop()
            self.turns = self.turns[:-1]
            after += breaks
        return self.block(node.orelse, self.joined([*after, entered]))

    def joined(self, ends: list[KeyState | None]) -> KeyState | None:
        """The state where paths meet: a name with two values has a new one, used where one of them is."""
        states = [end for end in ends if end is not None]
        if not states:
            return None
        first = states[0].copy()
        for other in states[1:]:
            for name in {*first.values, *other.values}:
                one, two = (value_of(name, state) for state in (first, other))
                if one == two:
                    continue
                first.values[name] = made = self.value()
                use = first.used.get(as_key(one)) or other.used.get(as_key(two))
                if use is not None:
                    first.used[(made,)] = use
            for key, use in other.used.items():
                first.used.setdefault(key, use)
        return first

    # --- expressions -----------------------------------------------------------------------------------------------

    def visit(self, node: gast.AST, state: KeyState) -> None:
        """The uses in an expression, in the order in which Python evaluates it."""
        match node:
            case gast.IfExp(test=test, body=body, orelse=orelse):
                self.visit(test, state)
                end = self.branches(test, [gast.Expr(body)], [gast.Expr(orelse)], state)
                if end is not None:
                    state.values, state.used = end.values, end.used
                return
            case gast.ListComp() | gast.SetComp() | gast.DictComp() | gast.GeneratorExp():
                self.comprehension(node, state)
                return
            case gast.NamedExpr(target=target, value=value):
                self.visit(value, state)
                self.bind(target.id, state)
                return
        if isinstance(node, FUNCTIONS):
            return
        for child in evaluated_here(node):
            self.visit(child, state)
        if isinstance(node, gast.Call):
            self.call(node, state)

    def comprehension(self, node: gast.AST, state: KeyState) -> None:
        """Walk the element twice, as the body of a loop."""
        kept, outer = dict(state.values), self.guards
        elements = [node.key, node.value] if isinstance(node, gast.DictComp) else [node.elt]
        for generator in node.generators:
            self.visit(generator.iter, state)
        for turn in range(2):
            self.turns = (*self.turns, turn)
            for generator in node.generators:
                self.unbind(generator.target, state)
                for test in generator.ifs:
                    self.visit(test, state)
                    self.guards = (*self.guards, ((gast.unparse(test), self.turns), True))
            for part in elements:
                self.visit(part, state)
            self.turns, self.guards = self.turns[:-1], outer
        state.values = kept

    def call(self, node: gast.Call, state: KeyState) -> None:
        """A call of a function that uses a key."""
        found = resolve_chain(node.func, self.resolve, self.scope.is_local)
        if found is None or not found.name.startswith(MODULE) or found.name.removeprefix(MODULE) in NOT_USING:
            return
        given = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg == "key"), None)
        if given is None or (key := key_of(given, state)) is None:
            return
        use = KeyUse(node, gast.unparse(given).strip(), self.guards)
        earlier = state.used.get(key)
        if earlier is not None and node not in self.found and earlier.call not in self.found:
            if are_on_one_path(earlier.guards, use.guards):
                self.found[node] = self.fault(earlier, use)
        state.used[key] = use

    def fault(self, earlier: KeyUse, later: KeyUse) -> Diagnostic:
        here = Span.of(later.call, self.file)
        name = later.written
        if earlier.call is later.call:
            text = f"the key `{name}` is used again in the next iteration"
            help_ = f"make a key of each iteration, `random.fold_in({name}, i)`, or split as many as there are before"
            return Diagnostic("K001", text, here, "draws the same in each iteration", help=(help_,))
        text = f"the key `{name}` is used twice"
        first = Label(Span.of(earlier.call, self.file), "used first here")
        help_ = f"make two keys of it before: `one, other = random.split({name})`"
        return Diagnostic("K001", text, here, "used again here", (first,), (help_,))

    # --- names -----------------------------------------------------------------------------------------------------

    def value(self) -> object:
        self.made += 1
        return self.made

    def bind(self, name: str, state: KeyState) -> None:
        state.values[name] = self.value()

    def unbind(self, target: gast.AST, state: KeyState) -> None:
        """Give every name in a target a new value, and so whatever an element is written into."""
        for node in gast.walk(target):
            if isinstance(node, gast.Name) and (isinstance(node.ctx, gast.Store | gast.Del) or node is root_of(target)):
                self.bind(node.id, state)

    def assign(self, node: gast.stmt, state: KeyState) -> None:
        """What an assignment binds: `b = a` gives a key a second name."""
        match node:
            case gast.Assign(targets=[target], value=value):
                self.store(target, value, state)
            case gast.Assign(targets=targets) | gast.Delete(targets=targets):
                for target in targets:
                    self.unbind(target, state)
            case gast.AugAssign(target=target) | gast.AnnAssign(target=target):
                self.unbind(target, state)

    def store(self, target: gast.expr, value: gast.expr, state: KeyState) -> None:
        match target, value:
            case gast.Tuple(elts=targets), gast.Tuple(elts=values) if len(targets) == len(values):
                before = state.copy()
                for one, given in zip(targets, values):
                    self.store_one(one, given, before, state)
            case _:
                self.store_one(target, value, state, state)

    def store_one(self, target: gast.expr, value: gast.expr, before: KeyState, state: KeyState) -> None:
        key = key_of(value, before) if isinstance(target, gast.Name) else None
        if key is None:
            self.unbind(target, state)
        else:
            state.values[target.id] = key[0] if len(key) == 1 else key


def value_of(name: str, state: KeyState) -> object:
    return state.values.get(name, name)


def as_key(value: object) -> Key:
    """The key that a name of this value is: what is taken from another key is a tuple by itself."""
    return value if isinstance(value, tuple) else (value,)


def key_of(node: gast.AST, state: KeyState) -> Key | None:
    """The key that an expression is: a name, or an attribute or element of one; None for anything else."""
    match node:
        case gast.Name(id=name):
            return as_key(value_of(name, state))
        case gast.Attribute(value=base, attr=attribute):
            below = key_of(base, state)
            return None if below is None else (*below, attribute)
        case gast.Subscript(value=base, slice=index):
            below = key_of(base, state)
            names = [part for part in gast.walk(index) if not isinstance(part, gast.expr_context)]
            if below is None or not all(isinstance(part, PLAIN_INDEX) for part in names):
                return None
            known = tuple(value_of(part.id, state) for part in names if isinstance(part, gast.Name))
            return (*below, gast.unparse(index), known)
    return None


def root_of(target: gast.AST) -> gast.AST:
    """The name whose element or attribute is written."""
    while isinstance(target, gast.Attribute | gast.Subscript):
        target = target.value
    return target


def condition(test: gast.expr, state: KeyState) -> tuple[object, bool]:
    """A condition, by its source and the values of its names, and whether it is meant as it stands or negated."""
    holds = True
    while isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        test, holds = test.operand, not holds
    names = sorted({node.id for node in gast.walk(test) if isinstance(node, gast.Name)})
    return (gast.unparse(test).strip(), *(value_of(name, state) for name in names)), holds


def are_on_one_path(earlier: Guards, later: Guards) -> bool:
    """Whether there is a path through both for sure: one of them is under no condition that the other is not under."""
    shared = 0
    for one, other in zip(earlier, later):
        if one != other:
            break
        shared += 1
    return shared in (len(earlier), len(later))


def reused_keys(scope: Scope, file: str, resolve: Resolve) -> Iterator[Diagnostic]:
    """Every use of a key that was used before."""
    found = (resolve_chain(n.func, resolve, scope.is_local) for n in scope.nodes if isinstance(n, gast.Call))
    if not any(one is not None and one.name.startswith(MODULE) for one in found):
        return
    walk = KeyWalk(scope, file, resolve)
    if isinstance(scope.node, gast.Lambda):
        walk.visit(scope.node.body, KeyState())
    else:
        walk.block(scope.node.body, KeyState())
    yield from walk.found.values()
