"""Array contraction: an array becomes a scalar where each element is used only in the iteration that stores it.

    e = empty(n)                             for i in prange(n):
    for i in prange(n):              ->          e = exp(x[i])
        e[i] = exp(x[i])                         y[i] = e * e
        y[i] = e[i] * e[i]

The array must be made here, stored in one statement of one nest and read only after it in the same iteration of all
loops that its index moves with.  Its lengths, where they are read, are taken from what it was made from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import gast

from .. import syntax
from ..analysis.expression_types import type_of
from ..analysis.integers.values import Integers
from ..analysis.memory.accesses import LoadsOf
from ..lower.arithmetic import text_of
from ..lower.remarks import not_stored
from ..program import Decision, Function
from ..records import dataclass
from ..renaming import nothing_in
from ..types import Scalar, Type
from .known import KnownNests
from .known import known as known_of


@dataclass(slots=True)
class _Uses:
    """How an array is used: its allocation, the blocks and positions of its accesses, the trees of its lengths."""

    made: list[gast.Assign]
    stores: list[tuple[Sequence[gast.stmt], int, gast.Assign]]
    loads: list[str]
    others: int = 0


def contract(function: Function) -> Function:
    """The function with such arrays contracted to scalars."""
    known = known_of(function)
    bound = Counter(function.parameters)
    for statement in syntax.walk(function.body):
        bound.update(syntax.names_bound(statement))
    chosen = {name: found for name, found in _uses(function, known).items() if _is_local(name, found, bound, known)}
    if not chosen:
        return function
    shapes = {name: shape_of(found.made[0]) for name, found in chosen.items()}
    values = {name: _forwarded(name, found, function.types, known) for name, found in chosen.items()}
    types: dict[str, Type] = dict(function.types)
    for name in chosen:
        types[name] = Scalar(function.types[name].dtype)  # type: ignore[union-attr]
    body = _block(function.body, _Change(shapes, values, function.types, known, Integers(function)))
    decisions = decided_anew(function.decisions, dict.fromkeys(chosen, "only ever one element of it is kept"))
    return function.with_(body=tuple(body), types=types, decisions=decisions)


def decided_anew(decisions: Sequence[Decision], news: Mapping[str, str]) -> tuple[Decision, ...]:
    """The decisions for `explain`, where an array that was to be stored is contracted after all."""
    return tuple(not_stored(d.place, news[d.stored]) if d.stored in news else d for d in decisions)


def _uses(function: Function, known: KnownNests) -> dict[str, _Uses]:
    """All arrays that are allocated by an `empty` and have no alias."""
    uses = {
        s.targets[0].id: _Uses([], [], [])
        for s in syntax.walk(function.body)
        if isinstance(s, gast.Assign) and syntax.operator_of(s.value) == "empty"
    }
    for statements, nested in _blocks(function.body, False, function.types, known):
        for position, statement in enumerate(statements):
            if not uses.keys().isdisjoint(known.mentions(statement).counts.keys()):
                _note(statement, statements, position, known.loads if nested else None, uses)
    return uses


def _blocks(
    body: Sequence[gast.stmt], nested: bool, types: Mapping[str, Type], known: KnownNests
) -> Iterator[tuple[Sequence[gast.stmt], bool]]:
    yield body, nested
    for statement in body:
        for block in syntax.blocks_of(statement):
            yield from _blocks(block, nested or known.is_plain_nest(statement, types), types, known)


def _note(
    statement: gast.stmt, block: Sequence[gast.stmt], position: int, loads: LoadsOf | None, uses: dict[str, _Uses]
) -> None:
    """Note how a statement uses arrays; `loads` is there in a nest, where expressions do no more than load elements."""
    match statement:
        case gast.Assign(targets=[gast.Name(id=name)], value=gast.Call(func=gast.Name(id="empty"))):
            uses[name].made.append(statement)
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=name)) as place]):
            if name in uses:
                uses[name].stores.append((block, position, statement))
                uses[name].others += loads is None
            _note_reads(place.slice, loads, uses)
        case gast.Assign(targets=[gast.Name(id=name)]) if name in uses:
            uses[name].others += 1
        case gast.Assign(targets=[gast.Tuple(elts=places)]):
            for place in places:
                if place.id in uses:
                    uses[place.id].others += 1
    match statement:
        case gast.For(iter=part) | gast.If(test=part) | gast.While(test=part) | gast.Assign(value=part):
            _note_reads(part, loads, uses)
        case _:
            _note_reads(statement, None, uses)


def _note_reads(node: Any, loads: LoadsOf | None, uses: dict[str, _Uses]) -> None:
    if loads is None:
        return _note_anything(node, uses)
    for place in loads(node):
        if place.value.id in uses:
            uses[place.value.id].loads.append(text_of(place.slice))
    return None


def _note_anything(node: gast.AST, uses: dict[str, _Uses]) -> None:
    match node:
        case gast.Subscript(value=gast.Name(id=name), slice=items):
            if name in uses:
                uses[name].loads.append(text_of(items))
            _note_anything(items, uses)
        case gast.Call(func=gast.Name(id="dim"), args=[gast.Name()]):
            pass
        case gast.Call(args=args, keywords=keywords):
            for part in (*args, *(k.value for k in keywords)):
                _note_anything(part, uses)
        case gast.Name(id=name) if name in uses:
            uses[name].others += 1
        case _:
            for child in syntax.children_of(node):
                _note_anything(child, uses)


# --- which arrays --------------------------------------------------------------------------------------------------


def _is_local(name: str, found: _Uses, bound: Mapping[str, int], known: KnownNests) -> bool:
    if bound[name] != 1 or len(found.stores) != 1 or found.others:
        return False
    block, position, store = found.stores[0]
    place = store.targets[0].slice
    wanted = text_of(place)
    if any(index != wanted for index in found.loads) or name in syntax.names_read(store.value):
        return False
    behind = block[position + 1 :]
    users = [s for s in behind if name in known.mentions(s).counts]
    lengths = {n for tree in shape_of(found.made[0]) for n in syntax.names_read(tree)}
    if _count_loads(users, name, known) != len(found.loads) or any(bound[n] != 1 for n in lengths):
        return False  # else a length could not everywhere be read off what the array was made from
    fixed = syntax.names_read(place)
    return all(known.mentions(s).binds.isdisjoint(fixed) for s in behind)


def _count_loads(statements: Sequence[gast.stmt], name: str, known: KnownNests) -> int:
    count = 0
    for statement in syntax.walk(statements):
        parts: list[gast.expr] = []
        match statement:
            case gast.For(iter=part) | gast.If(test=part) | gast.While(test=part):
                parts = [part]
            case gast.Assign(targets=[place], value=value):
                parts = [value, place.slice] if isinstance(place, gast.Subscript) else [value]
        count += sum(place.value.id == name for part in parts for place in known.loads(part))
    return count


def shape_of(made: gast.Assign) -> list[gast.expr]:
    shape = next(k.value for k in made.value.keywords if k.arg == "shape")
    return list(shape.elts) if isinstance(shape, gast.Tuple) else [shape]


def _forwarded(name: str, found: _Uses, types: Mapping[str, Type], known: KnownNests) -> str:
    """The scalar that stands for an element: the one that is stored, if it keeps its value, or a new one."""
    block, position, store = found.stores[0]
    value = store.value
    if not (isinstance(value, gast.Name) and types[value.id] == Scalar(types[name].dtype)):  # type: ignore[union-attr]
        return name
    changed = any(value.id in known.mentions(s).binds for s in block[position:])
    return name if changed else value.id


# --- the change ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Change:
    shapes: Mapping[str, list[gast.expr]]
    values: Mapping[str, str]
    types: Mapping[str, Type]
    known: KnownNests
    integers: Integers

    def refusal(self, made: gast.Assign) -> gast.stmt | None:
        """What is left of an allocation: that it refuses a length which may be negative."""
        unsure = [tree for tree in map(self.tree, shape_of(made)) if not self.integers.is_natural_int(tree)]
        if not unsure:
            return None
        refused = syntax.raise_("ValueError", "negative dimensions are not allowed")
        tests = [syntax.call("less", tree, 0) for tree in unsure]
        span = getattr(made, "span", None), getattr(made, "inlined", ())
        test = tests[0] if len(tests) == 1 else gast.BoolOp(gast.Or(), tests)
        return syntax.at(syntax.if_(test, [syntax.at(refused, *span)]), *span)

    def tree(self, node: gast.expr) -> gast.expr:
        if syntax.is_atom(node):
            return node
        match node:
            case gast.Subscript(value=gast.Name(id=name)) if name in self.values:
                return syntax.name(self.values[name])
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=name)]) if name in self.shapes:
                return self.tree(self.shapes[name][syntax.static_of(node)["axis"]])
            case gast.Call(args=args, keywords=keywords):
                kept = [k if syntax.is_atom(k.value) else syntax.rebuild(k, value=self.tree(k.value)) for k in keywords]
                return syntax.rebuild(node, args=[self.tree(a) for a in args], keywords=kept)
        changes: dict[str, object] = {}
        for part in node._fields:
            old = getattr(node, part, None)
            if isinstance(old, list):
                changes[part] = [self.tree(o) if isinstance(o, gast.expr) else o for o in old]
            elif isinstance(old, gast.expr):
                changes[part] = self.tree(old)
        return syntax.rebuild(node, **changes)

    def element(self, name: str, value: gast.expr) -> gast.expr:
        """What was stored, as a NumPy number of the array's dtype."""
        dtype = self.types[name].dtype  # type: ignore[union-attr]
        is_solid = isinstance(value, gast.Name | gast.Subscript) or syntax.operator_of(value) not in (None, "where")
        made = self.tree(value)
        if is_solid and type_of(value, self.types) == Scalar(dtype):
            return made
        return syntax.call("cast", made, dtype=dtype)


def _block(statements: Sequence[gast.stmt], change: _Change) -> list[gast.stmt]:
    return [made for statement in statements if (made := _statement(statement, change)) is not None]


def _statement(node: gast.stmt, change: _Change) -> gast.stmt | None:
    if change.known.mentions(node).counts.keys().isdisjoint(change.values.keys()):
        return node
    match node:
        case gast.Assign(targets=[gast.Name(id=name)]) if name in change.values:
            return change.refusal(node)
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=name))], value=value) if name in change.values:
            scalar = change.values[name]
            if isinstance(value, gast.Name) and value.id == scalar:
                return None
            return syntax.rebuild(node, targets=[syntax.target(name)], value=change.element(name, value))
        case gast.Assign(targets=[place], value=value):
            return syntax.rebuild(node, targets=[change.tree(place)], value=change.tree(value))
        case gast.For(iter=iter_, body=body):
            return syntax.rebuild(node, iter=change.tree(iter_), body=_block(body, change) or [nothing_in(node)])
        case gast.While(test=test, body=body):
            return syntax.rebuild(node, test=change.tree(test), body=_block(body, change))
        case gast.If(test=test, body=body, orelse=orelse):
            blocks = _block(body, change) or [nothing_in(node)], _block(orelse, change)
            return syntax.rebuild(node, test=change.tree(test), body=blocks[0], orelse=blocks[1])
        case gast.Raise(exc=exc) if exc is not None:
            return syntax.rebuild(node, exc=change.tree(exc))
        case gast.Expr(value=value):
            return syntax.rebuild(node, value=change.tree(value))
        case gast.Return(value=value) if value is not None:
            return syntax.rebuild(node, value=change.tree(value))
    return node
