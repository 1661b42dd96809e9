"""Into SSA: give every name one value, but for the names in which a branch or a loop merges values.

    s = 0.0                                    s = 0.0
    y = sin(s)                                 y = sin(s)
    for i in range(0, n, 1):          ->       s_1 = s
        t = multiply(s, x)                     for i in range(0, n, 1):
        s = add(t, y)                              t = multiply(s_1, x)
                                                   s_2 = add(t, y)
                                                   s_1 = s_2

Takes typed functions, gives typed ones in the strict form that `analysis/regions` reads: a name that a loop carries is
assigned just before the loop, not read in between, and updated by copies that end the body; a name that a branch merges
is assigned by copies that end both arms; all other names have one assignment.
Keeps meaning, types, spans, and the names where they already are in that form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any

import gast

from ... import syntax
from ...analysis.regions import ends_in_raise
from ...builder import Builder
from ...diagnostics import InternalError
from ...names import Names
from ...ops.forms import FRESH
from ...ops.placeholders import placeholder
from ...ops.schema import row_of
from ...program import Function
from ...records import dataclass
from ...renaming import renamed
from ...types import INT, Array, ListOf, Type, is_floating
from .declared import list_type
from .packed_lists import for_each, with_items

Env = dict[str, gast.expr]


def settle(function: Function) -> Function:
    settler = _Settler(function)
    block = settler.block(function.body, {p: syntax.name(p) for p in function.parameters})
    return function.with_(body=tuple(block.statements), types=settler.types)


def assigned(body: Iterable[gast.stmt]) -> dict[str, None]:
    """The names that statements assign, nested ones too, loop variables left out."""
    return dict.fromkeys(
        name for s in syntax.walk(body) if not isinstance(s, gast.For) for name in syntax.names_bound(s)
    )


def is_copy(statement: gast.stmt) -> bool:
    """Whether a statement is `x = atom`."""
    return (
        isinstance(statement, gast.Assign)
        and isinstance(statement.targets[0], gast.Name)
        and syntax.is_atom(statement.value)
    )


def _is_silent(value: gast.expr) -> bool:
    """Whether a value is made by what has no derivative, or one that reads nothing."""
    operator = syntax.operator_of(value)
    row = row_of(operator)
    return operator in FRESH or row is not None and (row.kind == "creation" or row.copies)


@dataclass(slots=True)
class _Block:
    """A block while it is written: the names it has defined, and what the names of the source mean at its end."""

    statements: list[gast.stmt] = field(default_factory=list)
    defined: set[str] = field(default_factory=set)
    env: Env = field(default_factory=dict)


class _Settler:
    def __init__(self, function: Function) -> None:
        self.declared, self.types = function.types, dict(function.types)
        self.merged_types: dict[str, Type] = {}  # the types of placeholders for merged names
        self.names = Names({*function.types, *function.parameters})
        self.used: set[str] = set(function.parameters)
        self.reads: Counter[str] = Counter()
        self.source_reads = Counter(name for s in function.body for name in syntax.names_read(s))
        self.stored = {b for s in syntax.walk(function.body) if (b := syntax.stored_base(s))}

    def new(self, name: str) -> str:
        fresh = self.names.fresh(name) if name in self.used else name
        self.types[fresh] = self.declared.get(name) or self.types[name]
        self.used.add(fresh)
        return fresh

    # --- reading under the new names

    def read(self, node: gast.expr, env: Env) -> gast.expr:
        made = syntax.map_names(node, lambda name: self._lookup(name, env))
        self.reads.update(syntax.names_read(made))
        return made

    def _lookup(self, name: str, env: Env) -> gast.expr | str:
        if name not in env:
            raise InternalError("reverse", name, "read where it is not assigned on every path")
        found = env[name]
        return found.id if isinstance(found, gast.Name) else found

    # --- statements

    def block(self, body: Sequence[gast.stmt], env: Env, closing: Iterable[str] = ()) -> _Block:
        """The body under new names; copies to `closing` at its very end become part of the environment only."""
        made = _Block(env=dict(env))
        main = len(body)
        wanted = set(closing)
        while main and is_copy(body[main - 1]) and body[main - 1].targets[0].id in wanted:
            main -= 1
        for statement in body[:main]:
            self.statement(statement, made)
        for statement in body[main:]:
            value = self.read(statement.value, made.env)
            made.env[statement.targets[0].id] = value
        return made

    def statement(self, statement: gast.stmt, block: _Block) -> None:
        match statement:
            case gast.Assign(targets=[gast.Subscript() as place], value=value):
                changes = {"targets": [self.read(place, block.env)], "value": self.read(value, block.env)}
                block.statements.append(syntax.rebuild(statement, **changes))
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                if isinstance(value, gast.Name) and isinstance(self.declared[name], ListOf):
                    block.env[name] = block.env[value.id]  # a list keeps its first name
                else:
                    self.define(statement, [name], self.read(value, block.env), block)
            case gast.Assign(targets=[gast.Tuple(elts=places)], value=value):
                made = self.read(value, block.env)
                self.define(statement, [p.id for p in places], made, block)
            case gast.If():
                self.branch(statement, block)
            case gast.For() | gast.While():
                self.loop(statement, block)
            case gast.Expr(value=value) | gast.Return(value=value):
                block.statements.append(syntax.rebuild(statement, value=self.read(value, block.env)))
            case gast.Raise(exc=gast.Call(args=args) as made):
                read = syntax.rebuild(made, args=[self.read(a, block.env) for a in args])
                block.statements.append(syntax.rebuild(statement, exc=read))
            case _:
                raise InternalError("reverse", gast.dump(statement), "not a statement of the typed stage")

    def define(self, statement: gast.Assign, names: list[str], value: gast.expr, block: _Block) -> None:
        fresh = [self.new(name) for name in names]
        self.own_lengths(fresh[0], value)
        block.defined.update(fresh)
        block.env.update((name, syntax.name(new)) for name, new in zip(names, fresh))
        target = statement.targets[0]
        if isinstance(target, gast.Tuple):
            target = syntax.rebuild(target, elts=[syntax.target(n) for n in fresh])
        else:
            target = syntax.target(fresh[0])
        block.statements.append(syntax.rebuild(statement, targets=[target], value=value))

    def own_lengths(self, name: str, value: gast.expr) -> None:
        """A placeholder for a merged name has other lengths than the name, unless it is loop-carried."""
        declared = self.types[name]
        if isinstance(declared, Array) and syntax.same(value, placeholder(declared)):
            self.merged_types[name] = declared
            dims = tuple(d if isinstance(d, int) else 0 for d in declared.dims)
            self.types[name] = Array(declared.dtype, dims, declared.layout)

    # --- branches

    def branch(self, statement: gast.If, block: _Block) -> None:
        test = self.read(statement.test, block.env)
        merged = self.lists_first(self.merged_by(statement, block.env))
        arms = [self.block(body, block.env, merged) for body in (statement.body, statement.orelse)]
        reached = [not ends_in_raise(body) for body in (statement.body, statement.orelse)]
        for name in merged:
            values = [arm.env[name] for arm, live in zip(arms, reached) if live]
            if not values or (name in block.env and all(v is block.env[name] for v in values)):
                continue
            new = self.new(name)
            if self.made_in_each(name, new, [arm for arm, live in zip(arms, reached) if live], block, statement):
                continue
            if self.is_held(new):
                self.new_list(new, block, statement)
            for arm, live in zip(arms, reached):
                if live:
                    self.reads.update(syntax.names_read(arm.env[name]))
                    arm.statements += self.handed(new, arm.env[name], statement)
            block.env[name] = syntax.name(new)
        changes = {"test": test, "body": arms[0].statements, "orelse": arms[1].statements}
        block.statements.append(syntax.rebuild(statement, **changes))

    def made_in_each(self, name: str, new: str, arms: Sequence[_Block], block: _Block, statement: gast.If) -> bool:
        """Whether a list is made in every arm; then it is made once, before the branch."""
        if not isinstance(self.types[new], ListOf):
            return False
        lists = [getattr(arm.env[name], "id", "") for arm in arms]
        makers = [_maker_of(arm, list_) for arm, list_ in zip(arms, lists)]
        if None in makers or len(set(lists)) < len(lists):
            return False
        for arm, list_, maker in zip(arms, lists, makers):
            others = [s for s in arm.statements if s is not maker]
            arm.statements = [renamed(s, {list_: new}) for s in others]
            arm.env = {n: syntax.name(new) if getattr(v, "id", "") == list_ else v for n, v in arm.env.items()}
        self.new_list(new, block, statement)
        block.defined.add(new)
        block.env[name] = syntax.name(new)
        return True

    # --- lists

    def is_held(self, name: str) -> bool:
        """Whether a name is that of a list with cotangents: it keeps its list, into which items are put."""
        type_ = self.types[name]
        return isinstance(type_, ListOf) and is_floating(type_.element)

    def lists_first(self, names: Iterable[str]) -> list[str]:
        """Items of lists are passed on in loops; the copies that end a block stand together after them."""
        return sorted(names, key=lambda name: not self.is_held(name))

    def new_list(self, name: str, block: _Block, like: gast.stmt) -> None:
        block.statements.append(syntax.at(syntax.assign(name, syntax.call("new_list")), *_place(like)))

    def handed(self, name: str, value: gast.expr, like: gast.stmt, is_empty: bool = True) -> list[gast.stmt]:
        """A copy of a value to a name; of a list its items, as no list has two names."""
        if not self.is_held(name):
            return [_copy_to(name, value, like)]
        assert isinstance(value, gast.Name)
        build = Builder(self.names, self.types)
        build.span, build.inlined = _place(like)
        if not is_empty:
            count = build.bind(syntax.call("length", name), INT, "n")
            element = list_type(self.types, name).element
            for_each(build, count, lambda _: build.bind(syntax.call("pop", name), element, "t"))
        count = build.bind(syntax.call("length", value.id), INT, "n")
        with_items(build, value.id, count, lambda _, item: build.append(_append(name, item)))
        self.used.update(self.types)
        return build.body

    def merged_by(self, statement: gast.If, env: Env) -> list[str]:
        """The names that a branch leaves with a value of their own: those had before, or given by every arm."""
        arms = [assigned(body) for body in (statement.body, statement.orelse)]
        live = [not ends_in_raise(body) for body in (statement.body, statement.orelse)]
        inside = Counter(
            name for body in (statement.body, statement.orelse) for s in body for name in syntax.names_read(s)
        )
        result = []
        for name in arms[0] | arms[1]:
            everywhere = all(name in arm for arm, reached in zip(arms, live) if reached)
            if name in env or (everywhere and self.source_reads[name] > inside[name]):
                result.append(name)
        # copies that end an arm come first and in their own order
        order = [s.targets[0].id for body in (statement.body, statement.orelse) for s in body if is_copy(s)]
        return sorted(result, key=lambda name: order.index(name) if name in order else len(order))

    # --- loops

    def loop(self, statement: gast.For | gast.While, block: _Block) -> None:
        changes: dict[str, object] = {}
        if isinstance(statement, gast.For):
            changes["iter"] = self.read(statement.iter, block.env)
        names = self.lists_first(self.carried_by(statement, block.env))
        carried = {name: self.carry(name, statement, block) for name in names}
        inner = block.env | {name: syntax.name(new) for name, new in carried.items()}
        if isinstance(statement, gast.While):
            changes["test"] = self.read(statement.test, inner)
        else:
            index = self.new(statement.target.id)
            inner[statement.target.id] = syntax.name(index)
            changes["target"] = syntax.target(index)
        body = self.block(statement.body, inner, carried)
        updates = [(new, body.env[name]) for name, new in carried.items()]
        body.statements += self.parallel(updates, statement)
        block.env.update((name, syntax.name(new)) for name, new in carried.items())
        block.statements.append(syntax.rebuild(statement, body=body.statements, **changes))

    def carried_by(self, statement: gast.For | gast.While, env: Env) -> list[str]:
        names = [name for name in assigned(statement.body) if name in env]
        order = [s.targets[0].id for s in statement.body if is_copy(s)]
        return sorted(names, key=lambda name: order.index(name) if name in order else len(order))

    def carry(self, name: str, statement: gast.stmt, block: _Block) -> str:
        """The name that holds `name` around the loop: the name itself where nothing else reads its first value."""
        now = block.env[name]
        if isinstance(now, gast.Name) and now.id in block.defined and not self.reads[now.id]:
            if sum(isinstance(v, gast.Name) and v.id == now.id for v in block.env.values()) == 1:
                block.defined.discard(now.id)
                self.types[now.id] = self.merged_types.get(now.id, self.types[now.id])
                self.name_first_value(now.id, block)
                return now.id
        new = self.new(name)
        self.reads.update(syntax.names_read(now))
        # two names for one array, one of them stored into: the value semantics of the language asks for a copy
        copies = isinstance(self.types[new], Array) and name in self.stored
        value = syntax.call("copy", now) if copies else now
        if self.is_held(new):
            self.new_list(new, block, statement)
        block.statements += self.handed(new, value, statement)
        return new

    def name_first_value(self, name: str, block: _Block) -> None:
        """Where an operator makes the first value, that value gets a name of its own: its derivative may read it."""
        place = next(k for k, s in enumerate(block.statements) if name in syntax.names_bound(s))
        made = block.statements[place]
        if is_copy(made) or _is_silent(made.value):
            return
        first = self.new(name)
        target = made.targets[0]
        if isinstance(target, gast.Tuple):
            elements = [syntax.target(first) if e.id == name else e for e in target.elts]
            target = syntax.rebuild(target, elts=elements)
        else:
            target = syntax.target(first)
        block.statements[place] = syntax.rebuild(made, targets=[target])
        block.statements.append(_copy_to(name, syntax.name(first), made))

    def parallel(self, updates: list[tuple[str, gast.expr]], statement: gast.stmt) -> list[gast.stmt]:
        """Copies that take effect as if at once, each source as it was before all of them."""
        made: list[gast.stmt] = []
        held: dict[str, gast.expr] = {}
        pairs = [(new, value) for new, value in updates if not (isinstance(value, gast.Name) and value.id == new)]
        written: set[str] = set()
        for _, value in pairs:
            self.reads.update(syntax.names_read(value))
        for new, value in pairs:
            if isinstance(value, gast.Name) and value.id in written and value.id not in held:
                kept = self.new(value.id)
                held[value.id] = syntax.name(kept)
                if self.is_held(kept):
                    made.append(syntax.at(syntax.assign(kept, syntax.call("new_list")), *_place(statement)))
                made += self.handed(kept, value, statement)
            written.add(new)
        for new, value in pairs:
            source = held.get(value.id, value) if isinstance(value, gast.Name) else value
            made += self.handed(new, source, statement, is_empty=False)
        return made


def _maker_of(block: _Block, name: str) -> gast.stmt | None:
    """The statement of a block that makes a list, empty."""
    return next((s for s in block.statements if is_new_list(s) and name in syntax.names_bound(s)), None)


def is_new_list(statement: gast.stmt) -> bool:
    return isinstance(statement, gast.Assign) and syntax.operator_of(statement.value) == "new_list"


def _copy_to(name: str, value: gast.expr, like: gast.stmt) -> gast.stmt:
    return syntax.at(syntax.assign(name, value), *_place(like))


def _append(name: str, item: gast.expr) -> gast.stmt:
    return syntax.expression(syntax.call("append", name, item))


def _place(like: gast.stmt) -> tuple[Any, Any]:
    return getattr(like, "span", None), getattr(like, "inlined", ())
