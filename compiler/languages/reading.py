"""What reading the typed and the loops stage have in common: files, statements, the types of names.

    # x: f64[n]   ->   f64     ->   a Program, each function by a FunctionReader of the stage
    def f(x): ...

`typed.py` and `loops.py` say how values are given names, how lengths are known, and what only they have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gast

from .. import syntax, types
from ..builder import Builder
from ..names import Names
from ..ops.forms import LOOPS
from ..program import Function, Origin, Program
from ..types import Array, ListOf, Scalar, Type, symbols_of
from .expressions import Expressions
from .faults import shown, span_of
from .files import Definition, StageFile, annotation_of, read_file
from .joins import Restart, join, settled_types
from .lists import item_type, list_type, lists_of
from .messages import message_of


def read_program(text: str, path: str, reader: type[FunctionReader], headers: bool) -> Program:
    """The functions of a printed stage, the first of them the entry.  Raises StageError."""
    file = read_file(text, path, headers=headers)
    functions: dict[str, Function] = {}
    known = {d.name: d.results for d in file.definitions}
    for definition in reversed(file.definitions):  # callees are written below their callers
        made = settled_types(definition, path, lambda wanted: reader(definition, known, file, wanted).function())  # noqa: B023
        functions[definition.name], known[definition.name] = made, made.results
    return Program(file.definitions[0].name, {d.name: functions[d.name] for d in file.definitions})


class FunctionReader:
    """Reads one function; `wanted` has the types that names with several assignments are known to need."""

    stage = ""
    loops: frozenset[str] = frozenset()  # the kinds of loops of the stage

    def __init__(
        self, definition: Definition, known: Mapping[str, Any], file: StageFile, wanted: dict[str, Type]
    ) -> None:
        self.definition, self.known, self.file, self.wanted, self.path = definition, known, file, wanted, file.path
        tree = definition.tree
        self.parameters = tuple(argument.id for argument in tree.args.args)
        self.table: dict[str, Type] = {name: definition.parameters[name] for name in self.parameters}
        self.written = {n.id for n in gast.walk(tree) if isinstance(n, gast.Name)}
        self.symbols = {s for t in self.table.values() for s in symbols_of(t)}
        self.names = Names(self.written | self.symbols | set(self.parameters) | set(known))
        self.builder = Builder(self.names, self.table, {})
        self.builder.merged = merged_names(tree, self.parameters)
        self.annotated = {n.target.id for n in gast.walk(tree) if isinstance(n, gast.AnnAssign)}
        self.lists = lists_of(tree)
        self.top = self.builder.body
        self.results: tuple[Type, ...] = ()
        self.expressions = Expressions(self.builder, known, file.helpers, self.path, self.stage)
        self.atom, self.refuse = self.expressions.atom, self.expressions.refuse
        self.type_of = self.expressions.type_of

    def function(self) -> Function:
        definition, tree = self.definition, self.definition.tree
        self.statements(tree.body)
        origin = Origin(self.path, definition.name, tree.lineno, text_of(self.file, tree))
        made_names = frozenset(self.table.keys() - self.written - {*self.parameters})
        return Function(
            definition.name, self.parameters, tuple(self.top), self.stage, origin, dict(self.table), self.results,
            notes=definition.notes, temporaries=made_names, unnamed=unnamed(definition, self.top),
        )  # fmt: skip

    # --- what the stages do each in its own way

    def operand(self, node: gast.expr) -> gast.expr:
        """A name or a constant: what is written in its place gets a name."""
        raise NotImplementedError

    def bind(self, node: gast.stmt, name: str, value: gast.expr, type_: Type) -> None:
        """`name = value`, joined with what the name already holds."""
        raise NotImplementedError

    def augment(self, node: gast.stmt, place: gast.Subscript, op: gast.operator, value: gast.expr) -> None:
        """`place op= value`."""
        raise NotImplementedError

    def while_test(self, test: gast.expr) -> gast.expr:
        raise NotImplementedError

    def effect(self, node: gast.stmt, call: gast.Call) -> None:
        """A call for what it changes: of no function of the file, and no `append`."""
        raise NotImplementedError

    def item(self, node: gast.stmt, base: str, held: Type, atom: gast.expr) -> gast.expr:
        """An item as the list `base` holds it."""
        raise NotImplementedError

    def is_result(self, wanted: Type, have: Type) -> bool:
        """Whether a value may be returned as what the header says."""
        raise NotImplementedError

    def fresh_length(self, name: str) -> types.Dim:
        """The length of an array of which nothing is known; `name` is what it is called."""
        raise NotImplementedError

    # --- statements

    def emit(self, statement: gast.stmt) -> None:
        self.builder.append(statement)

    def statements(self, nodes: Sequence[gast.stmt]) -> None:
        for node in nodes:
            self.builder.span = span_of(node, self.path)
            self.statement(node)

    def block(self, nodes: Sequence[gast.stmt]) -> list[gast.stmt]:
        outer, self.builder.body = self.builder.body, []
        self.statements(nodes)
        made, self.builder.body = self.builder.body, outer
        return made

    def statement(self, node: gast.stmt) -> None:
        span = self.builder.span
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                self.assign(node, name, value)
            case gast.AnnAssign(target=gast.Name(id=name), annotation=annotation, value=value) if value is not None:
                self.wanted[name] = annotation_of(annotation, self.path)
                self.assign(node, name, value)
            case gast.Assign(targets=[gast.Subscript() as place], value=value):
                self.store(node, place, self.atom(value))
            case gast.Assign(targets=[gast.Tuple(elts=places)], value=value):
                self.assign_several(node, places, value)
            case gast.AugAssign(target=gast.Name(id=name), op=op, value=value):
                read = gast.copy_location(gast.Name(name, gast.Load(), None, None), node)
                self.assign(node, name, gast.copy_location(gast.BinOp(read, op, value), node))
            case gast.AugAssign(target=gast.Subscript() as place, op=op, value=value):
                self.augment(node, place, op, value)
            case gast.For(target=gast.Name(id=name), iter=gast.Call() as iterated, body=body, orelse=[]):
                self.loop(node, name, iterated, body)
            case gast.While(test=test, body=body, orelse=[]):
                condition = self.while_test(test)
                self.builder.body.append(syntax.while_(condition, self.block(body), span))
            case gast.If(test=test, body=body, orelse=orelse):
                condition = self.expressions.condition(test)
                self.builder.body.append(syntax.if_(condition, self.block(body), self.block(orelse), span))
            case gast.Raise(exc=gast.Call(func=gast.Name(id=kind), args=arguments)):
                message, values = message_of(arguments)
                made = syntax.raise_(kind, message, *map(self.atom, values))
                made.base = self.file.exceptions.get(kind)
                self.emit(made)
            case gast.Expr(value=gast.Call() as call):
                self.change(node, call)
            case gast.Return(value=value):
                self.leave(value, node)
            case gast.Pass() | gast.Expr(value=gast.Constant()):
                pass
            case _:
                raise self.refuse(node, f"`{shown(node)}` is no statement of the {self.stage} stage")

    def is_call(self, value: gast.expr) -> bool:
        return isinstance(value, gast.Call) and isinstance(value.func, gast.Name) and value.func.id in self.known

    def assign(self, node: gast.stmt, name: str, value: gast.expr) -> None:
        if self.is_call(value):
            return self.call_function(node, [name], value)  # type: ignore[arg-type]
        if isinstance(value, gast.List):
            return self.new_list(name, value)
        return self.bind(node, name, *self.expressions.value(value))

    def assign_several(self, node: gast.stmt, places: Sequence[gast.expr], value: gast.expr) -> None:
        names = [p.id for p in places if isinstance(p, gast.Name)]
        if len(names) < len(places):
            raise self.refuse(node, "only names take the results of a call", "L001", "store the result in a line below")
        if self.is_call(value):
            return self.call_function(node, names, value)  # type: ignore[arg-type]
        made, found = self.expressions.value(value) if isinstance(value, gast.Call) else (value, None)
        if not isinstance(found, tuple) or len(found) != len(names):
            raise self.refuse(node, f"`{shown(value)}` does not give {len(names)} results")
        self.take(node, names, made, found)

    def joined(self, node: gast.AST, name: str, type_: Type) -> Type:
        """The type of a name, of which `type_` is a value: what it holds already counts."""
        before = self.table.get(name) or self.wanted.get(name) or type_
        made = join(before, type_, name, name in self.annotated)
        if made is None:
            raise self.refuse(node, f"`{name}` is {before} and {type_}", "L003", "give one of them another name")
        if name in self.table and made != self.table[name]:
            if name in self.parameters:
                raise self.refuse(node, f"the parameter `{name}` is {before}, and this is {type_}", "L003",
                                  "give the new value another name")  # fmt: skip
            self.wanted[name] = made
            raise Restart
        return made

    def own_lengths(self, name: str, type_: Type) -> Type:
        """The type of a result in this function, whose symbols are not those of the function that is called."""
        if isinstance(type_, Array):
            dims = tuple(d if isinstance(d, int) else self.fresh_length(name) for d in type_.dims)
            return Array(type_.dtype, dims, type_.layout)
        return type_

    def call_function(self, node: gast.stmt, targets: list[str], call: gast.Call) -> None:
        name = call.func.id
        results = self.known[name]
        if results is None:
            raise self.refuse(call, f"the results of `{name}` are not known where it is called", "L002",
                              f"write their types after `->` above `{name}`")  # fmt: skip
        if len(results) != len(targets):
            raise self.refuse(node, f"`{name}` gives {len(results)} results, not {len(targets)}", "L003")
        self.take(node, targets, syntax.call(name, *map(self.operand, call.args)), results)

    def take(self, node: gast.stmt, targets: list[str], made: gast.expr, results: Sequence[Type]) -> None:
        """Several names for the results of a call, all of which are new arrays."""
        for target, type_ in zip(targets, results, strict=True):
            if target not in self.table:
                self.table[target] = self.wanted.get(target) or self.own_lengths(target, type_)
            if not same_but_for_lengths(self.table[target], type_):
                raise self.refuse(node, f"`{target}` is {self.table[target]}, and this is {type_}", "L003")
        self.emit(syntax.assign(targets, made))

    def store(self, node: gast.stmt, place: gast.Subscript, value: gast.expr) -> None:
        base, items = self.place(place)
        list_, have = self.table[base], self.type_of(value)
        if isinstance(list_, ListOf) and isinstance(have, Scalar | Array):
            self.learn_item(base, list_, have)
        self.emit(gast.Assign([gast.Subscript(syntax.name(base), syntax.tuple_(items), gast.Store())], value, None))

    def place(self, place: gast.Subscript) -> tuple[str, list[gast.expr]]:
        if not isinstance(place.value, gast.Name) or place.value.id not in self.table:
            raise self.refuse(place, f"`{shown(place.value)}` is no array or list", "L003")
        base = place.value.id
        return base, self.expressions.items(place, self.table[base])

    def loop(self, node: gast.For, name: str, iterated: gast.Call, body: Sequence[gast.stmt]) -> None:
        kind, span = self.expressions.calls.word(iterated.func), self.builder.span
        if kind not in self.loops or not 1 <= len(iterated.args) <= 3:
            help_ = "read the file as the loops stage" if kind in LOOPS - self.loops else "loop over `range(...)`"
            raise self.refuse(node, f"`{shown(iterated)}` is nothing that a loop of the {self.stage} stage runs over",
                              "L001", help_)  # fmt: skip
        start, stop, step = range_parts([self.atom(a) for a in iterated.args])
        if self.table.setdefault(name, types.INT) != types.INT:
            raise self.refuse(node, f"`{name}` is {self.table[name]} and the variable of a loop", "L003")
        self.count(name)
        self.builder.body.append(syntax.for_range(name, start, stop, step, self.block(body), span, kind))

    def count(self, name: str) -> None:
        """A name is the variable of a loop."""

    # --- lists and results

    def new_list(self, name: str, value: gast.List) -> None:
        """`xs = []`: the first item that is appended decides the type of items."""
        if value.elts:
            raise self.refuse(value, "a list begins empty", "L001", f"write `{name} = []` and append to it")
        self.table.setdefault(name, list_type(self.definition.tree, self.lists[name], self.file, self.wanted))
        self.emit(syntax.assign(name, syntax.call("new_list")))

    def change(self, node: gast.stmt, call: gast.Call) -> None:
        match call:
            case gast.Call(func=gast.Attribute(value=gast.Name(id=base), attr="append"), args=[item]):
                return self.append_to(node, base, item)
            case gast.Call(func=gast.Name(id="append"), args=[gast.Name(id=base), item]):
                return self.append_to(node, base, item)
        if self.is_call(call):
            return self.emit(syntax.expression(syntax.call(call.func.id, *map(self.operand, call.args))))
        return self.effect(node, call)

    def learn_item(self, base: str, list_: ListOf, have: Scalar | Array) -> None:
        """An item is appended to a list: it decides the type of items, where that is a guess so far."""
        root = self.lists.get(base, base)
        wanted = item_type(self.wanted, root, list_.element, have)
        if wanted is not None:
            self.wanted[root] = ListOf(self.own_lengths(base, wanted))  # type: ignore[arg-type]
            raise Restart

    def append_to(self, node: gast.stmt, base: str, item: gast.expr) -> None:
        list_, atom = self.table.get(base), self.operand(item)
        have = self.type_of(atom)
        if not isinstance(list_, ListOf) or not isinstance(have, Scalar | Array):
            raise self.refuse(node, f"`{base}` is no list of such items", "L003")
        self.learn_item(base, list_, have)
        self.emit(syntax.expression(syntax.call("append", base, self.item(node, base, list_.element, atom))))

    def leave(self, value: gast.expr | None, node: gast.stmt) -> None:
        parts = [] if value is None else value.elts if isinstance(value, gast.Tuple) else [value]
        atoms = [self.operand(part) for part in parts]
        found = tuple(map(self.type_of, atoms))
        declared = self.definition.results
        if declared is not None and len(declared) != len(found):
            raise self.refuse(node, f"{len(found)} values are returned, and the header names {len(declared)}", "L002")
        for part, want, have in zip(parts, declared or (), found):
            if not self.is_result(want, have):
                raise self.refuse(part, f"the header says {want}, and this is {have}", "L002",
                                  "change the header, or the value")  # fmt: skip
        self.results = declared if declared is not None else found
        self.emit(syntax.return_(atoms))


# --- small questions -----------------------------------------------------------------------------------------------


def same_but_for_lengths(left: Type, right: Type) -> bool:
    return type(left) is type(right) and types.dtype_of(left) == types.dtype_of(right) and (
        types.rank(left) == types.rank(right)
    )


def range_parts(bounds: Sequence[gast.expr]) -> tuple[gast.expr, gast.expr, gast.expr]:
    """Start, stop and step of a range."""
    if len(bounds) == 1:
        return syntax.constant(0), bounds[0], syntax.constant(1)
    return bounds[0], bounds[1], bounds[2] if len(bounds) == 3 else syntax.constant(1)


def merged_names(tree: gast.FunctionDef, parameters: Sequence[str]) -> set[str]:
    """The names that are assigned more than once."""
    seen = set(parameters)
    merged: set[str] = set()
    for node in gast.walk(tree):
        if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store):
            (merged if node.id in seen else seen).add(node.id)
        if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
            merged.add(node.target.id)
    return merged


def text_of(file: StageFile, tree: gast.FunctionDef) -> str:
    """The lines of a function."""
    return "\n".join(file.text.splitlines()[tree.lineno - 1 : tree.end_lineno])


def unnamed(definition: Definition, body: Sequence[gast.stmt]) -> frozenset[str]:
    """The results that the header gives a type and no name: the compiler's, and not the user's."""
    if definition.result_names is None or not body or not isinstance(body[-1], gast.Return):
        return frozenset()
    pairs = zip(body[-1].value.elts, definition.result_names)
    return frozenset(e.id for e, name in pairs if not name and isinstance(e, gast.Name)) - definition.parameters.keys()
