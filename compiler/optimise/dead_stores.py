"""Take away stores into arrays that nothing reads, and what is computed for them alone.

    t = empty(n)                                       t = empty(n)
    for k in range(steps):                             for k in range(steps):
        if n != m:                                         if n != m:
            raise ValueError(...)            ->                raise ValueError(...)
        for i in prange(n):
            t[i] = 0.5 * t[i] + x[i]
    return total                                       return total

The typed stage keeps a store whose lengths may not fit, for its error; here the guard is a statement of its own, and so
is that of a product (`gemm(t, a, b)`), which is a store as well.  An array is read where anything is made of its
elements but elements of arrays that are not read; a branch after which nothing mentions it is asked on its own.  Takes
and gives functions of the loops stage; leaves what can fail, arrays that others may see, and allocations that are asked
for their lengths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeGuard

import gast

from .. import syntax
from ..analysis.def_use import reads_of
from ..analysis.integers.nest_scope import NestScope
from ..analysis.integers.values import Integers
from ..analysis.liveness import liveness
from ..analysis.memory.storage import INPUTS, storage_classes
from ..ops.forms import BUFFERS, WHOLE
from ..ops.routines import ROUTINES
from ..program import Function
from ..renaming import nothing_in, with_blocks
from ..types import Array, Scalar
from .contract import shape_of
from .effects import ReadCollector
from .known import KnownNests
from .known import known as known_of


def drop_dead_stores(function: Function) -> Function:
    """The function without stores that nothing reads; the same object where there are none."""
    known, classes = known_of(function), storage_classes(function)
    ways = _Ways(function)
    made = {classes[s.targets[0].id] for s in syntax.walk(function.body) if _is_allocation(s)} | ways.before.keys()
    if made <= _wanted(function, known, frozenset(), ways):
        return function
    reader = ReadCollector(function, known, in_place=True)
    lasting = _lasting(function.body, reader, NestScope())
    wanted = _wanted(function, known, lasting, ways)
    if made <= wanted:
        return function
    body = _Dropping(function, ways, wanted, lasting).block(function.body)
    if sum(1 for _ in syntax.walk(body)) == sum(1 for _ in syntax.walk(function.body)):
        return function  # all of them can fail
    idle = _idle_allocations(body, reader.integers)
    return function.with_(body=tuple(_without(body, idle) if idle else body))


def _is_allocation(statement: gast.stmt) -> TypeGuard[gast.Assign]:
    return isinstance(statement, gast.Assign) and syntax.operator_of(statement.value) in BUFFERS


# --- what is wanted ------------------------------------------------------------------------------------------------


def _lasting(statements: Iterable[gast.stmt], reader: ReadCollector, scope: NestScope) -> frozenset[int]:
    """The ids of the statements that can fail or whose effect is unknown: they stay."""
    found: set[int] = set()
    for statement in statements:
        effects = reader.of(statement, scope)
        if (effects.fails or effects.opaque) and product_in(statement) is None:
            found.add(id(statement))
        is_loop = isinstance(statement, gast.For | gast.While)
        inside = reader.integers.within(scope, statement) if is_loop else scope  # type: ignore[arg-type]
        for block in syntax.blocks_of(statement):
            found |= _lasting(block, reader, inside)
        scope = reader.integers.behind(scope, statement)
    return frozenset(found)


class _Ways:
    """What an array is called, by its class: in a branch after which nothing mentions it, what is stored is its own."""

    def __init__(self, function: Function) -> None:
        self.classes, self.live = storage_classes(function), liveness(function)
        self.keys: dict[int, Mapping[str, str]] = {}
        self.before: dict[str, str] = {}
        self._block(function.body, {})

    def _block(self, statements: Iterable[gast.stmt], keys: Mapping[str, str]) -> None:
        for statement in statements:
            if keys:
                self.keys[id(statement)] = keys
            for place, block in enumerate(syntax.blocks_of(statement)):
                own = self._own(statement, block, place, keys) if isinstance(statement, gast.If) else {}
                self._block(block, {**keys, **own})

    def _own(
        self, branch: gast.If, block: Sequence[gast.stmt], place: int, keys: Mapping[str, str]
    ) -> dict[str, str]:
        behind = {self.classes.get(name, name) for name in self.live.after(branch)} | {INPUTS}
        bases = {syntax.stored_base(s) or product_in(s) for s in syntax.walk(block)}
        stored = {key for base, key in self.classes.items() if base in bases}
        made = {self.classes[s.targets[0].id] for s in syntax.walk(block) if _is_allocation(s)}
        own = {key: f"{key} on way {place} of {id(branch)}" for key in stored - behind - made}
        self.before.update({new: keys.get(key, key) for key, new in own.items()})
        return own

    def key(self, statement: gast.stmt, name: str) -> str:
        found = self.classes.get(name, name)
        return self.keys.get(id(statement), {}).get(found, found)


def _wanted(function: Function, known: KnownNests, lasting: AbstractSet[int], ways: _Ways) -> set[str]:
    """The scalars, and the classes of the arrays, whose values are needed; `lasting` are statements that stay."""
    needs: dict[str, set[str]] = {new: {old} for new, old in ways.before.items()}
    open_: list[str] = [INPUTS]
    for statement in syntax.walk(function.body):
        to, read = _flow(statement, function, known)
        keys = {ways.key(statement, name) for name in read}
        if to is None or id(statement) in lasting:
            open_ += keys
        else:
            needs.setdefault(ways.key(statement, to), set()).update(keys)
    wanted: set[str] = set()
    while open_:
        key = open_.pop()
        if key not in wanted:
            wanted.add(key)
            open_ += needs.get(key, ())
    return wanted


def product_in(statement: gast.stmt) -> str | None:
    """The array that a statement puts a product of matrices into, whose lengths have been compared ahead of it."""
    match statement:
        case gast.Expr(value=gast.Call(func=gast.Name(id=routine), args=[gast.Name(id=array), *_])) if (
            routine in ROUTINES and ROUTINES[routine].is_product
        ):
            return str(array)
    return None


def _flow(statement: gast.stmt, function: Function, known: KnownNests) -> tuple[str | None, Iterable[str]]:
    """The name that a statement gives a value or an element, if it does no more, and the names that it reads for it."""
    if (product := product_in(statement)) is not None:
        return product, known.elements_of(gast.Tuple(statement.value.args[1:], gast.Load()))
    match statement:
        case gast.For(iter=part) | gast.While(test=part) | gast.If(test=part):
            return None, known.elements_of(part)
        case gast.Raise(exc=gast.Call() as error):
            return None, known.elements_of(error)
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base)) as place], value=value) if isinstance(
            function.types.get(base), Array
        ):
            return base, known.elements_of(place.slice) | known.elements_of(value)
        case gast.Assign(targets=[gast.Name(id=name)], value=value):
            read = known.elements_of(value)
            if isinstance(function.types.get(name), Scalar):
                return name, read
            if syntax.operator_of(value) in WHOLE or isinstance(value, gast.Name | gast.Subscript):
                return None, {n for n in read if not isinstance(function.types.get(n), Array)}
    return None, known.elements(statement)


# --- the change ----------------------------------------------------------------------------------------------------


class _Dropping:
    def __init__(self, function: Function, ways: _Ways, wanted: AbstractSet[str], lasting: AbstractSet[int]) -> None:
        self.types, self.live = function.types, liveness(function)
        self.ways, self.wanted, self.lasting = ways, wanted, lasting

    def block(self, statements: Sequence[gast.stmt]) -> list[gast.stmt]:
        return [kept for statement in statements if (kept := self.statement(statement)) is not None]

    def statement(self, node: gast.stmt) -> gast.stmt | None:
        if (product := product_in(node)) is not None:
            return node if self.ways.key(node, product) in self.wanted else None
        match node:
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=name)) | gast.Name(id=name) as place]):
                is_whole = isinstance(place, gast.Name) and not isinstance(self.types.get(name), Scalar)
                stays = is_whole or id(node) in self.lasting or self.ways.key(node, name) in self.wanted
                return node if stays else None
            case gast.If(body=body, orelse=orelse):
                blocks = self.block(body), self.block(orelse)
                if not any(blocks) and id(node) not in self.lasting:
                    return None
                return syntax.rebuild(node, body=blocks[0] or [nothing_in(node)], orelse=blocks[1])
            case gast.For(target=gast.Name(id=variable), body=body):
                kept = self.block(body)
                if not kept and id(node) not in self.lasting and variable not in self.live.after(node):
                    return None
                return syntax.rebuild(node, body=kept or [nothing_in(node)])
            case gast.While(body=body):
                return syntax.rebuild(node, body=self.block(body) or [nothing_in(node)])
        return node


def _idle_allocations(body: Sequence[gast.stmt], integers: Integers) -> set[str]:
    """The arrays that nothing mentions but what makes them, of lengths that are surely none that it refuses."""
    counts = Counter(name for s in syntax.walk(body) for name in (*syntax.names_bound(s), *reads_of(s)))
    made = [s for s in syntax.walk(body) if _is_allocation(s) and counts[s.targets[0].id] == 1]
    return {s.targets[0].id for s in made if all(map(integers.is_natural_int, shape_of(s)))}


def _without(body: Sequence[gast.stmt], idle: AbstractSet[str]) -> list[gast.stmt]:
    kept = [s for s in body if not (_is_allocation(s) and s.targets[0].id in idle)]
    return [with_blocks(s, [_without(block, idle) for block in syntax.blocks_of(s)]) for s in kept]
