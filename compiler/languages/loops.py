"""Read programs of the loops stage from text: what is printed, what a user made of it, the programs of the tests.

    # x: f64[n]   k: int   ->   total: f64      ->    total = cast(0.0, dtype="f64")
    def f(x, k):                                      for i in lanes(0, dim(x, axis=0), 1):
        total = np.float64(0.0)                           total = add(total, multiply(x[i], cast(k, dtype="f64")))
        for i in lanes(x.shape[0]):                   return (total,)
            total += x[i] * np.float64(k)
        return total

Expressions stay nested.  Lengths of arrays that are made here are worked out where they are sums of lengths, and else
nothing is claimed of them: what cannot be proved of an access is checked when it runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gast

from .. import syntax, types
from ..analysis.failure import NOTHING, failures
from ..analysis.integers.ranges import ranges
from ..analysis.integers.shape_extents import extent_of, trees_of
from ..analysis.integers.view_lengths import keeps_c_order
from ..analysis.lanes import accumulated, is_lanes
from ..builder import INFIX, Builder
from ..names import Names
from ..ops.forms import FORMS, LIBRARY, LOOPS, WHOLE
from ..ops.schema import row_of
from ..program import Function, Origin, Program
from ..types import Array, Extent, ListOf, Scalar, Type, symbols_of
from .expressions import Expressions
from .faults import shown, span_of
from .files import Definition, StageFile, annotation_of, read_file
from .joins import Restart, join, settled_types
from .lists import item_type, list_type, lists_of
from .messages import message_of
from .typed import merged_names, range_parts, same_but_for_lengths, text_of, unnamed

IN_LOOPS = "loops"
SIGNS = {True: gast.And, False: gast.Or}


def read_loops(text: str, path: str, *, headers: bool = True) -> Program:
    """The functions of a text, the first of them the entry.  Raises StageError."""
    file = read_file(text, path, headers=headers)
    functions: dict[str, Function] = {}
    known = {d.name: d.results for d in file.definitions}
    for definition in reversed(file.definitions):  # callees are written below their callers
        made = settled_types(definition, path, lambda wanted: LoopsReader(definition, known, file, wanted).function())  # noqa: B023
        functions[definition.name], known[definition.name] = made, made.results
    return Program(file.definitions[0].name, {d.name: functions[d.name] for d in file.definitions})


class LoopsReader:
    """Reads one function; `wanted` has the types that names with several assignments are known to need."""

    def __init__(
        self, definition: Definition, known: Mapping[str, Any], file: StageFile, wanted: dict[str, Type]
    ) -> None:
        self.definition, self.known, self.file, self.wanted, self.path = definition, known, file, wanted, file.path
        tree = definition.tree
        self.parameters = tuple(argument.id for argument in tree.args.args)
        self.table: dict[str, Type] = {name: definition.parameters[name] for name in self.parameters}
        self.written = {n.id for n in gast.walk(tree) if isinstance(n, gast.Name)}
        symbols = {s for t in self.table.values() for s in symbols_of(t)}
        self.names = Names(self.written | symbols | set(self.parameters) | set(known))
        self.builder = Builder(self.names, self.table, {})
        self.merged = merged_names(tree, self.parameters)
        self.extents: dict[str, Extent] = {}
        self.expressions = Expressions(self.builder, known, file.helpers, self.path, IN_LOOPS)
        self.atom, self.refuse = self.expressions.atom, self.expressions.refuse
        self.expressions.name_array = self.bound
        self.lists = lists_of(tree)
        self.body: list[gast.stmt] = []
        self.results: tuple[Type, ...] = ()

    def function(self) -> Function:
        body, definition = self.block(self.definition.tree.body), self.definition
        origin = Origin(self.path, definition.name, definition.tree.lineno, text_of(self.file, definition.tree))
        made_names = frozenset(self.table.keys() - self.written - {*self.parameters})
        made = Function(
            definition.name, self.parameters, tuple(body), IN_LOOPS, origin, dict(self.table), self.results,
            notes=definition.notes, temporaries=made_names, unnamed=unnamed(definition, body),
        )  # fmt: skip
        return with_lazy_choices(made)

    # --- statements

    def block(self, statements: Sequence[gast.stmt]) -> list[gast.stmt]:
        outer, self.body = self.body, []
        for node in statements:
            self.builder.span = span_of(node, self.path)
            self.statement(node)
        made, self.body = self.body, outer
        return made

    def emit(self, statement: gast.stmt) -> None:
        self.body.append(syntax.at(statement, self.builder.span))

    def statement(self, node: gast.stmt) -> None:
        span = self.builder.span
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                self.assign(node, name, value)
            case gast.AnnAssign(target=gast.Name(id=name), annotation=annotation, value=value) if value is not None:
                self.wanted[name] = self.annotation(annotation)
                self.assign(node, name, value)
            case gast.Assign(targets=[gast.Subscript() as place], value=value):
                self.store(node, place, self.atom(value))
            case gast.Assign(targets=[gast.Tuple(elts=places)], value=value):
                self.assign_several(node, places, value)
            case gast.AugAssign(target=gast.Name(id=name), op=op, value=value):
                read = gast.copy_location(gast.Name(name, gast.Load(), None, None), node)
                self.assign(node, name, gast.copy_location(gast.BinOp(read, op, value), node))
            case gast.AugAssign(target=gast.Subscript() as place, op=op, value=value):
                total, _ = self.expressions.made(node, INFIX[type(op)], [self.atom(place), self.atom(value)], {})
                self.store(node, place, total)
            case gast.For(target=gast.Name(id=name), iter=gast.Call() as iterated, body=body, orelse=[]):
                self.loop(node, name, iterated, body)
            case gast.While(test=test, body=body, orelse=[]):
                before = len(self.body)
                condition = self.expressions.condition(test)
                if len(self.body) > before:
                    raise self.refuse(test, "a view in the test of a `while`", "L001", "give the view a name first")
                self.body.append(syntax.while_(condition, self.block(body), span))
            case gast.If(test=test, body=body, orelse=orelse):
                condition = self.expressions.condition(test)
                self.body.append(syntax.if_(condition, self.block(body), self.block(orelse), span))
            case gast.Raise(exc=gast.Call(func=gast.Name(id=kind), args=arguments)):
                message, values = message_of(arguments)
                made = syntax.raise_(kind, message, *map(self.atom, values))
                made.base = self.file.exceptions.get(kind)
                self.emit(made)
            case gast.Expr(value=gast.Call() as call):
                self.effect(node, call)
            case gast.Return(value=value):
                self.leave(node, value)
            case gast.Delete(targets=[gast.Name(id=name)]):
                self.emit(syntax.delete(name))
            case gast.Pass():
                self.emit(gast.Pass())
            case gast.Expr(value=gast.Constant()):
                pass
            case _:
                raise self.refuse(node, f"`{shown(node)}` is no statement of the loops stage")

    def annotation(self, node: gast.expr) -> Type:
        return annotation_of(node, self.path)

    def place(self, node: gast.Subscript) -> gast.Subscript:
        if not isinstance(node.value, gast.Name) or node.value.id not in self.table:
            raise self.refuse(node, f"`{shown(node.value)}` is no array or list", "L003")
        base = node.value.id
        items = self.expressions.items(node, self.table[base])
        return gast.Subscript(syntax.name(base), gast.Tuple(items, gast.Load()), gast.Store())

    def store(self, node: gast.stmt, place: gast.Subscript, value: gast.expr) -> None:
        made, have = self.place(place), self.expressions.type_of(value)
        base = self.table[place.value.id]
        held = base.element if isinstance(base, ListOf) else Scalar(types.dtype_of(base))
        if not (fits(held, have) if isinstance(base, ListOf) else isinstance(have, Scalar)):
            raise self.refuse(node, f"an element of `{place.value.id}` is {held}, and this is {have}", "L003")
        self.emit(gast.Assign([made], value, None))

    def is_call(self, value: gast.expr) -> bool:
        return isinstance(value, gast.Call) and isinstance(value.func, gast.Name) and value.func.id in self.known

    def assign(self, node: gast.stmt, name: str, value: gast.expr) -> None:
        if self.is_call(value):
            return self.call_function(node, [name], value)  # type: ignore[arg-type]
        if isinstance(value, gast.List):
            return self.new_list(node, name, value)
        tree, type_ = self.expressions.value(value)
        type_ = self.array_type(name, tree, type_)
        self.declare(node, name, type_)
        if name not in self.merged and isinstance(type_, Scalar):
            extent = extent_of(tree, self.table, self.extents.get)
            if extent is not None:
                self.extents[name] = extent
        return self.emit(syntax.assign(name, tree))

    def new_list(self, node: gast.stmt, name: str, value: gast.List) -> None:
        if value.elts:
            raise self.refuse(value, "a list begins empty", "L001", f"write `{name} = []` and append to it")
        self.table.setdefault(name, list_type(self.definition.tree, self.lists[name], self.file, self.wanted))
        self.emit(syntax.assign(name, syntax.call("new_list")))

    def declare(self, node: gast.AST, name: str, type_: Type) -> None:
        """A name holds values of a type, and those that it holds already."""
        before = self.table.get(name) or self.wanted.get(name) or type_
        joined = join(before, type_, name)
        if joined is None:
            raise self.refuse(node, f"`{name}` is {before} and {type_}", "L003", "give one of them another name")
        if isinstance(joined, Scalar) and joined.dtype != getattr(type_, "dtype", joined.dtype):
            raise self.refuse(node, f"`{name}` is {joined} elsewhere, and this is {type_}", "L003",
                              f"convert it: `np.{types.Scalar(joined.dtype)}(...)`")  # fmt: skip
        if name in self.table and joined != self.table[name]:
            if name in self.parameters:
                raise self.refuse(node, f"the parameter `{name}` is {before}, and this is {type_}", "L003")
            self.wanted[name] = joined
            raise Restart
        self.table[name] = joined

    def assign_several(self, node: gast.stmt, places: Sequence[gast.expr], value: gast.expr) -> None:
        names = [p.id for p in places if isinstance(p, gast.Name)]
        if len(names) < len(places):
            raise self.refuse(node, "several results are given to names alone")
        if self.is_call(value):
            return self.call_function(node, names, value)  # type: ignore[arg-type]
        if isinstance(value, gast.Tuple) and len(value.elts) == len(names):
            values = [self.atom(v) for v in value.elts]
            for name, atom in zip(names, values):
                self.declare(node, name, self.expressions.type_of(atom))
            targets = gast.Tuple([syntax.target(n) for n in names], gast.Store())
            return self.emit(gast.Assign([targets], gast.Tuple(values, gast.Load()), None))
        raise self.refuse(node, f"`{shown(value)}` does not give {len(names)} results")

    def call_function(self, node: gast.stmt, targets: list[str], call: gast.Call) -> None:
        name = call.func.id
        results = self.known[name]
        if results is None:
            raise self.refuse(call, f"the results of `{name}` are not known where it is called", "L002",
                              f"write their types behind `->` above `{name}`")  # fmt: skip
        if len(results) != len(targets):
            raise self.refuse(node, f"`{name}` gives {len(results)} results, not {len(targets)}", "L003")
        made = syntax.call(name, *map(self.named, call.args))
        for target, type_ in zip(targets, results, strict=True):
            own = self.unknown_lengths(type_) if isinstance(type_, Array) else type_
            if target not in self.table:
                self.declare(node, target, self.wanted.get(target, own))
            if not same_but_for_lengths(self.table[target], type_):
                raise self.refuse(node, f"`{target}` is {self.table[target]}, and `{name}` gives {type_}", "L003")
        self.emit(syntax.assign(targets, made))

    def loop(self, node: gast.For, name: str, iterated: gast.Call, body: Sequence[gast.stmt]) -> None:
        kind, span = self.expressions.calls.word(iterated.func), self.builder.span
        if kind not in LOOPS or not 1 <= len(iterated.args) <= 3:
            raise self.refuse(node, f"`{shown(iterated)}` is nothing that a loop runs over", "L001",
                              "loop over `range(...)`")  # fmt: skip
        start, stop, step = range_parts([self.atom(a) for a in iterated.args])
        if self.table.setdefault(name, types.INT) != types.INT:
            raise self.refuse(node, f"`{name}` is {self.table[name]} and the variable of a loop", "L003")
        self.body.append(syntax.for_range(name, start, stop, step, self.block(body), span, kind))

    def effect(self, node: gast.stmt, call: gast.Call) -> None:
        match call:
            case gast.Call(func=gast.Attribute(value=gast.Name(id=base), attr="append"), args=[item]):
                return self.append_to(node, base, item)
            case gast.Call(func=gast.Name(id="append"), args=[gast.Name(id=base), item]):
                return self.append_to(node, base, item)
        word = self.expressions.calls.word(call.func)
        if word in LIBRARY:
            if len(call.args) != len(FORMS[word].operands):
                raise self.refuse(node, f"`{word}` takes {len(FORMS[word].operands)} arrays")
            static = self.expressions.calls.static(call)
            return self.emit(gast.Expr(syntax.call(word, *map(self.named, call.args), **static)))
        if self.is_call(call):
            return self.emit(gast.Expr(syntax.call(word, *map(self.named, call.args))))
        if word == "pop":
            return self.emit(gast.Expr(self.expressions.value(call)[0]))
        raise self.refuse(node, f"`{shown(call)}` changes nothing here, or nothing of the loops stage")

    def append_to(self, node: gast.stmt, base: str, item: gast.expr) -> None:
        list_, atom = self.table.get(base), self.named(item)
        have = self.expressions.type_of(atom)
        if not isinstance(list_, ListOf) or isinstance(have, ListOf):
            raise self.refuse(node, f"`{base}` is no list of such items", "L003")
        root = self.lists.get(base, base)
        wanted = item_type(self.wanted, root, list_.element, have)
        if wanted is not None:
            self.wanted[root] = ListOf(self.unknown_lengths(have) if isinstance(have, Array) else wanted)
            raise Restart
        if not fits(list_.element, have):
            raise self.refuse(node, f"the items of `{base}` are {list_.element}, and this is {have}", "L003")
        self.emit(gast.Expr(syntax.call("append", base, atom)))

    def leave(self, node: gast.stmt, value: gast.expr | None) -> None:
        parts = [] if value is None else value.elts if isinstance(value, gast.Tuple) else [value]
        names = [self.named(part) for part in parts]
        found = tuple(self.expressions.type_of(name) for name in names)
        declared = self.definition.results
        if declared is not None and len(declared) != len(found):
            raise self.refuse(node, f"{len(found)} values are returned, and the header names {len(declared)}", "L002")
        for part, want, have in zip(parts, declared or (), found):
            if not same_but_for_lengths(want, have):
                raise self.refuse(part, f"the header says {want}, and this is {have}", "L002",
                                  "change the header, or the value")  # fmt: skip
        self.results = declared if declared is not None else found
        self.emit(syntax.return_(names))

    def named(self, node: gast.expr) -> gast.expr:
        """An operand that has to be a name or a constant: what is written in its place gets a name."""
        tree, type_ = self.expressions.value(node)
        return tree if syntax.is_atom(tree) else self.bound(tree, type_)

    def bound(self, tree: gast.expr, type_: Type) -> gast.expr:
        """A new name of a value."""
        fresh = self.names.fresh("t")
        self.table[fresh] = self.array_type(fresh, tree, type_)
        self.emit(syntax.assign(fresh, tree))
        return syntax.name(fresh)

    # --- types of arrays

    def array_type(self, name: str, tree: gast.expr, type_: Type) -> Type:
        """The type of a buffer or a view, with the lengths that can be worked out."""
        if not isinstance(type_, Array) or isinstance(tree, gast.Name):
            return type_
        match tree:
            case gast.Call(func=gast.Name(id="transpose"), args=[gast.Name(id=base)]):
                axes = syntax.static_of(tree)["axes"]
                return Array(type_.dtype, tuple(self.table[base].dims[k] for k in axes), "A")  # type: ignore[union-attr]
            case gast.Call(func=gast.Name(id=operator)) if operator in WHOLE:
                lengths = [extent_of(t, self.table, self.extents.get) for t in trees_of(tree)]
                return Array(type_.dtype, tuple(self.fresh_length() if e is None else e for e in lengths))
            case gast.Subscript(value=gast.Name(id=base), slice=gast.Tuple(elts=items)):
                whole = self.table[base]
                is_c = isinstance(whole, Array) and whole.layout == "C" and keeps_c_order(items)
                known = [isinstance(d, int) or "?" not in d.symbols() for d in type_.dims]
                dims = tuple(d if its else self.fresh_length() for d, its in zip(type_.dims, known))
                return Array(type_.dtype, dims, "C" if is_c else "A")
        return self.unknown_lengths(type_)

    def unknown_lengths(self, type_: Array) -> Array:
        return Array(type_.dtype, tuple(self.fresh_length() for _ in type_.dims), type_.layout)

    def fresh_length(self) -> Extent:
        return types.symbol(self.names.fresh("length"))


def fits(held: Type, given: Type) -> bool:
    """Whether a value may take the place of another one as it is."""
    return same_but_for_lengths(held, given)


# --- choices -------------------------------------------------------------------------------------------------------


def with_lazy_choices(function: Function) -> Function:
    """The function whose choices evaluate one arm alone where the other one could fail, as Python's do."""
    loops = filter(is_lanes, syntax.walk(function.body))
    taken = {id(s.value) for loop in loops for s in syntax.walk(loop.body) if accumulated(s)}
    nodes = [n for s in syntax.walk(function.body) for n in syntax.own_nodes(s) if id(n) not in taken]
    choices = [n for n in nodes if (row := row_of(syntax.operator_of(n))) is not None and row.lazy]
    lazy = {id(node) for node in choices if any(_may_fail(function, arm) for arm in node.args[1:])}
    if not lazy:
        return function

    class Lazy(gast.NodeTransformer):
        def visit_Call(self, node: gast.Call) -> gast.expr:
            self.generic_visit(node)
            if id(node) not in lazy:
                return node
            conjoins = row_of(syntax.operator_of(node)).conjoins  # type: ignore[union-attr]
            return gast.IfExp(*node.args) if conjoins is None else gast.BoolOp(SIGNS[conjoins](), node.args)

    body = [Lazy().visit(statement) for statement in function.body]  # trees that nobody else has seen
    return function.with_(body=tuple(body))


def _may_fail(function: Function, arm: gast.expr) -> bool:
    if failures(function).kind(arm) == NOTHING:
        return False
    loads = [node for node in gast.walk(arm) if isinstance(node, gast.Subscript)]
    fails_otherwise = any(failures(function)._operation_fails(n) for n in gast.walk(arm) if isinstance(n, gast.Call))
    return fails_otherwise or not all(ranges(function).proves(node) for node in loads)
