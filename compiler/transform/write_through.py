"""Make a store through a view a store into the array that it is a view of, and read views again after it.

    row = a[i, :]                 row = a[i, :]
    row[0] = 1.0          ->      a[i, 0] = 1.0
    s = sum(row)                  row_1 = a[i, :]
                                  s = sum(row_1)

Takes typed functions as the specialiser makes them, where names of one array see each other's stores as in NumPy; gives
ones where every name is a value, for all names of which it is known what part of an array they show
(`analysis/memory/places`).  What is left is refused by the step that follows.  Two names for one whole array become one
name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import gast

from .. import syntax
from ..analysis.memory.alias import conflicts_as_numpy
from ..analysis.memory.places import Choice, Place, Places, items_of
from ..builder import Builder
from ..names import Names
from ..program import Function
from ..renaming import with_blocks
from ..types import INT, symbols_of
from .compose import compose_load, is_composable, replay, write

ROUNDS = 4  # what is read again may itself outlive a store


def write_through(function: Function) -> Function:
    """The function with stores into owners; the same object where no store is seen through another name.

    In a derivative that was taken inside, one that is judged already, every name is a value.
    """
    if function.is_judged:
        return function
    for _ in range(ROUNDS):
        found = conflicts_as_numpy(function)
        if not found:
            break
        places = Places(function)
        names = {n for c in found for n in _resolvable((c.stored, c.other), places, function)}
        names -= {c.stored for c in found if c.stored == c.other}  # NumPy's read-only views
        names -= _bare_in_tests(function, places)
        if not names:
            break
        function = _Rewriter(function, places, frozenset(names)).run()
    return function


def _resolvable(pair: tuple[str, str], places: Places, function: Function) -> Iterable[str]:
    """Those of two names that are parts of the one array which both show, where it is made here."""
    roots = {places.of(name).root for name in pair}
    if len(roots) > 1 or not roots.isdisjoint(function.parameters):
        return ()
    return (name for name in pair if name not in roots)


def _bare_in_tests(function: Function, places: Places) -> set[str]:
    """The names of which the test of a `while` needs more than an element that can be named by what is there."""
    refused: set[str] = set()
    for statement in syntax.walk(function.body):
        if isinstance(statement, gast.While):
            nodes = syntax.nodes_of(statement.test)
            loads = [n for n in nodes if isinstance(n, gast.Subscript) and isinstance(n.value, gast.Name)]
            good = [n for n in loads if is_composable(places.of(n.value.id), items_of(n))]
            bare = [n.id for n in nodes if isinstance(n, gast.Name)]
            for load in good:
                bare.remove(load.value.id)
            refused.update(bare)
    return refused


class _Rewriter:
    """One function, in which these names are read and written by way of the arrays that they are parts of."""

    def __init__(self, function: Function, places: Places, names: frozenset[str]) -> None:
        self.function, self.places, self.names = function, places, names
        types = dict(function.types)
        taken = {*types, *function.parameters, *(s for t in types.values() for s in symbols_of(t))}
        self.builder = Builder(Names(taken), types, {})
        self.builder.merged.update(places.merged)
        self.choices = self._choices_needed()

    def run(self) -> Function:
        body = self.block(self.function.body)
        temporaries = self.function.temporaries
        if temporaries:
            temporaries |= {*self.builder.types} - {*self.function.types}
        return self.function.with_(body=tuple(body), types=self.builder.types, temporaries=temporaries)

    def _choices_needed(self) -> dict[str, str]:
        """A name of its own for every int that merges with a view, by what stands for it in places."""
        wanted: dict[str, str] = {}
        waiting = [*self.names]
        while waiting:
            for step in self.places.of(waiting.pop()).steps:
                for read in syntax.names_read(step.value):
                    if read in self.places.choices and read not in wanted:
                        choice = self.places.choices[read]
                        wanted[read] = self.builder.names.fresh(f"{choice.of}_at")
                        self.builder.types[wanted[read]] = INT
                        waiting += self.places.merges[choice.of].sources
        return wanted

    def place(self, name: str) -> Place:
        """The place of a name, in which choices have their names."""
        found = self.places.of(name)
        steps = tuple(
            replace(s, value=syntax.map_names(s.value, lambda n: self.choices.get(n, n))) for s in found.steps
        )
        return Place(found.root, steps)

    # --- statements

    def block(self, statements: Iterable[gast.stmt]) -> list[gast.stmt]:
        """The statements of a block; what merges come last, and all that they need stands before them."""
        statements = list(statements)
        first = len(statements)
        while first and self._is_merge(statements[first - 1]):
            first -= 1
        made = self.builder.body = []
        for statement in statements[:first]:
            self._statement(statement, made)
        closing: list[gast.stmt] = []
        for statement in statements[first:]:
            self._at(statement, made)
            closing += self._merge(statement, is_last=True)
        return made + closing

    def _is_merge(self, statement: gast.stmt) -> bool:
        return isinstance(statement, gast.Assign) and all(
            n in self.places.merged for n in syntax.names_bound(statement) or ("",)
        )

    def _at(self, statement: gast.stmt, made: list[gast.stmt]) -> None:
        builder = self.builder
        builder.body = made
        builder.span, builder.inlined = getattr(statement, "span", None), getattr(statement, "inlined", ())

    def _statement(self, statement: gast.stmt, made: list[gast.stmt]) -> None:
        self._at(statement, made)
        if self._is_merge(statement):
            made += self._merge(statement, is_last=False)
            return None
        if isinstance(statement, gast.While):
            statement = syntax.rebuild(statement, test=self._test(statement.test))
        if type(statement) in syntax.COMPOUND:
            blocks = [self.block(block) for block in syntax.blocks_of(statement)]
            made.append(with_blocks(statement, blocks))
            return None
        match statement:
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=name)) as target], value=value):
                value = self._read(value)
                if name in self.names:
                    return write(self.builder, self.place(name), items_of(target), value)
                made.append(syntax.rebuild(statement, value=value))
            case gast.Expr(value=gast.Call(func=gast.Name(id="add_at"), args=[gast.Name(id=name), items, value])):
                value = self._read(value)
                if name in self.names:
                    return write(self.builder, self.place(name), list(items.elts), value, adds=True)
                made.append(syntax.rebuild(statement, value=syntax.call("add_at", name, items, value)))
            case gast.Return(value=value):
                made.append(syntax.rebuild(statement, value=self._read(value, is_named=True)))
            case gast.Assign(value=value) | gast.Expr(value=value):
                made.append(syntax.rebuild(statement, value=self._read(value)))
            case _:
                made.append(statement)
        return None

    def _merge(self, statement: gast.Assign, is_last: bool) -> list[gast.stmt]:
        """The assignment of a name that merges, and of the ints that merge with it."""
        (name,) = syntax.names_bound(statement)
        made: list[gast.stmt] = []
        wanted = [mark for mark in self.choices if self.places.choices[mark].of == name]
        if wanted:
            place = self.place(statement.value.id)
            made = [self._choose(mark, self.places.choices[mark], place, is_last) for mark in wanted]
        if name not in self.names:  # the others are nowhere read
            made.append(syntax.rebuild(statement, value=self._read(statement.value)))
        return made

    def _choose(self, mark: str, choice: Choice, place: Place, is_last: bool) -> gast.stmt:
        value = place.steps[choice.step].value
        assert isinstance(value, gast.Subscript)
        item = items_of(value)[choice.item]
        if self.builder.type_of(item) != INT:
            item = self.builder.call("cast", item, dtype=INT.dtype, weak=True)
        elif is_last and isinstance(item, gast.Name):  # others of the last statements may give it another value
            item = self.builder.bind(item, INT, item.id)
        return syntax.at(syntax.assign(self.choices[mark], item), self.builder.span, self.builder.inlined)

    # --- expressions

    def _read(self, node: gast.expr, is_named: bool = False) -> gast.expr:
        """The expression, with what it reads of parts read again, under the names that they have if that is wanted."""
        again: dict[str, str] = {}
        for name in syntax.names_read(node):
            if name in self.names and name not in again:
                again[name] = replay(self.builder, self.place(name), name if is_named else "t")
        return syntax.map_names(node, lambda n: again.get(n, n)) if again else node

    def _test(self, node: gast.expr) -> gast.expr:
        """The test of a `while`, in which elements of parts are elements of the arrays."""

        def changed(part: gast.expr) -> gast.expr:
            match part:
                case gast.Subscript(value=gast.Name(id=name)) if name in self.names:
                    return compose_load(self.place(name), items_of(part))
                case gast.Call(args=arguments):
                    return syntax.rebuild(part, args=[changed(a) for a in arguments])
                case gast.BoolOp(values=values):
                    return syntax.rebuild(part, values=[changed(v) for v in values])
                case gast.IfExp(test=test, body=body, orelse=orelse):
                    return syntax.rebuild(part, test=changed(test), body=changed(body), orelse=changed(orelse))
            return part

        return changed(node)


