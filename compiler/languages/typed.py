"""Read typed functions and programs from text: what is printed, what a user made of it, the cases of the tests.

    # x: f64[n]   k: int   ->   f64[n]   ->   parameters ("x", "k"), types {"x": f64[n], "k": int, "t": f64[n], ...}
    def f(x, k):                              t = sin(x)
        y = np.sin(x) * k + 1.0               t_1 = multiply(t, k)
        return y                              y = add(t_1, 1.0)
                                              return (y,)

Expressions may nest; the parts get the names `t`, `t_1`, ...  Operators are infix, called as NumPy calls them or by
their typed name; static parts are keywords or, after the operands, positional.  An assignment to a name that exists
merges into it: the types of the two are joined, and casts are put where a value has another dtype.  `x: "f64" = 0.0`
fixes the type of a name, `xs: "[f64]" = []` makes a list.  Tests of `while` stay nested.  Every statement has its span.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gast

from .. import syntax, types
from ..analysis.failure import failures
from ..builder import INFIX, Builder
from ..names import Names
from ..ops.forms import FORMS, LOOPS_OF_TYPED
from ..program import Function, Origin, Program
from ..types import Array, ListOf, Type, symbols_of
from .counts import values_of
from .expressions import Expressions
from .faults import shown, span_of
from .files import Definition, StageFile, annotation_of, read_file
from .joins import Restart, dtype_key, is_weak, join, settled_types
from .lists import item_type, list_type, lists_of
from .messages import message_of


def read_typed(text: str, path: str, *, headers: bool = True) -> Program:
    """The functions of a text, the first of them the entry.  Raises StageError."""
    file = read_file(text, path, headers=headers)
    functions: dict[str, Function] = {}
    known = {d.name: d.results for d in file.definitions}
    for definition in reversed(file.definitions):  # callees are written below their callers
        made = settled_types(
            definition, file.path, lambda wanted: TypedReader(definition, known, file, wanted).function()  # noqa: B023
        )
        functions[definition.name], known[definition.name] = made, made.results
    return Program(file.definitions[0].name, {d.name: functions[d.name] for d in file.definitions})


class TypedReader:
    """Reads one function; `wanted` has the types that merged names are known to need."""

    def __init__(
        self, definition: Definition, known: Mapping[str, Any], file: StageFile, wanted: dict[str, Type]
    ) -> None:
        self.definition, self.known, self.file, self.wanted = definition, known, file, wanted
        self.path = file.path
        tree = definition.tree
        self.parameters = tuple(argument.id for argument in tree.args.args)
        self.table: dict[str, Type] = {name: definition.parameters[name] for name in self.parameters}
        self.written = {n.id for n in gast.walk(tree) if isinstance(n, gast.Name)}
        self.symbols = {s for t in self.table.values() for s in symbols_of(t)}
        self.names = Names(self.written | self.symbols | set(self.parameters) | set(known))
        self.builder = Builder(self.names, self.table, {})
        self.builder.merged = merged_names(tree, self.parameters)
        self.lists = lists_of(tree)
        self.annotated = {n.target.id for n in gast.walk(tree) if isinstance(n, gast.AnnAssign)}
        self.expressions = Expressions(self.builder, known, file.helpers, self.path, "typed")
        self.expressions.written = lambda: values_of([*self.top, *self.builder.body], self.builder.merged, self.table)
        self.atom, self.value, self.refuse = self.expressions.atom, self.expressions.value, self.expressions.refuse
        for name in self.parameters:
            self._keep_apart(name)

    def function(self) -> Function:
        body: list[gast.stmt] = []
        self.builder.body = self.top = body
        self.results: tuple[Type, ...] = ()
        self.block(self.definition.tree.body, body)
        definition, tree = self.definition, self.definition.tree
        origin = Origin(self.path, definition.name, tree.lineno, text_of(self.file, tree))
        made_names = frozenset(self.table.keys() - self.written - {*self.parameters})
        made = Function(
            definition.name, self.parameters, tuple(body), "typed", origin, dict(self.table), self.results,
            notes=definition.notes, temporaries=made_names, unnamed=unnamed(definition, body),
        )  # fmt: skip
        refuse_lazy_failures(made, self.expressions)
        return made

    def _keep_apart(self, name: str) -> None:
        """An int that happens to be called like a length is another number than the length."""
        if name in self.symbols and name not in self.builder.extents:
            self.builder.extents[name] = types.symbol(self.names.fresh(name))

    # --- statements

    def block(self, statements: Sequence[gast.stmt], body: list[gast.stmt]) -> None:
        outer, self.builder.body = self.builder.body, body
        for statement in statements:
            self.builder.span = span_of(statement, self.path)
            self.statement(statement)
        self.builder.body = outer

    def nested(self, statements: Sequence[gast.stmt]) -> list[gast.stmt]:
        body: list[gast.stmt] = []
        self.block(statements, body)
        return body

    def statement(self, node: gast.stmt) -> None:
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                self.assign(node, name, value)
            case gast.Assign(targets=[gast.Subscript() as place], value=value):
                self.store(place, self.atom(value))
            case gast.Assign(targets=[gast.Tuple(elts=places)], value=gast.Call() as call) if self.is_call(call):
                self.call_function(node, [self.target(p) for p in places], call)
            case gast.AnnAssign(target=gast.Name(id=name), annotation=annotation, value=value) if value is not None:
                self.wanted[name] = self.annotation(annotation)
                self.assign(node, name, value)
            case gast.AugAssign(target=gast.Name(id=name), op=op, value=value):
                read = gast.copy_location(gast.Name(name, gast.Load(), None, None), node)
                self.assign(node, name, gast.copy_location(gast.BinOp(read, op, value), node))
            case gast.AugAssign(target=gast.Subscript() as place, op=op, value=value):
                self.augment(node, place, op, value)
            case gast.For(target=gast.Name(id=name), iter=gast.Call() as iterated, body=body, orelse=[]):
                self.loop(node, name, iterated, body)
            case gast.While(test=test, body=body, orelse=[]):
                span = self.builder.span
                with self.expressions.nested():
                    condition = self.expressions.condition(test)
                self.builder.body.append(syntax.while_(condition, self.nested(body), span))
            case gast.If(test=test, body=body, orelse=orelse):
                span, condition = self.builder.span, self.expressions.condition(test)
                self.builder.body.append(syntax.if_(condition, self.nested(body), self.nested(orelse), span))
            case gast.Raise(exc=gast.Call(func=gast.Name(id=kind), args=arguments)):
                message, values = message_of(arguments)
                made = syntax.raise_(kind, message, *map(self.atom, values))
                made.base = self.file.exceptions.get(kind)
                self.builder.append(made)
            case gast.Expr(value=gast.Call() as call):
                self.effect(node, call)
            case gast.Return(value=value):
                self.leave(node, value)
            case gast.Pass() | gast.Expr(value=gast.Constant()):
                pass
            case _:
                raise self.refuse(node, f"`{shown(node)}` is no statement of the typed stage")

    def target(self, node: gast.expr) -> str:
        if not isinstance(node, gast.Name):
            raise self.refuse(node, "only names take the results of a call", "L001", "store the result in a line below")
        return str(node.id)

    def annotation(self, node: gast.expr) -> Type:
        return annotation_of(node, self.path)

    def is_call(self, call: gast.expr) -> bool:
        return isinstance(call, gast.Call) and isinstance(call.func, gast.Name) and call.func.id in self.known

    def assign(self, node: gast.stmt, name: str, value: gast.expr) -> None:
        if self.is_call(value):
            return self.call_function(node, [name], value)  # type: ignore[arg-type]
        if isinstance(value, gast.List):
            return self.new_list(node, name, value)
        tree, type_ = self.value(value)
        return self.bind(node, name, tree, type_)

    def new_list(self, node: gast.stmt, name: str, value: gast.List) -> None:
        """`xs = []`: of what, the first item says that is appended to it."""
        if value.elts:
            raise self.refuse(value, "a list begins empty", "L001", f"write `{name} = []` and append to it")
        self.table.setdefault(name, list_type(self.definition.tree, self.lists[name], self.file, self.wanted))
        self.builder.append(syntax.assign(name, syntax.call("new_list")))

    def bind(self, node: gast.stmt, name: str, value: gast.expr, type_: Type) -> None:
        """`name = value`, joined with what the name already holds."""
        before = self.table.get(name) or self.wanted.get(name) or type_
        joined = self.joined(node, name, before, type_)
        if name in self.table and joined != self.table[name]:
            if name in self.parameters:
                raise self.refuse(node, f"the parameter `{name}` is {before}, and this is {type_}", "L003",
                                  "give the new value another name")  # fmt: skip
            self.wanted[name] = joined
            raise Restart
        as_it_is = name not in self.annotated and _is_held_weak(joined, type_)
        if dtype_key(joined) != dtype_key(type_) and not as_it_is:
            source = value if syntax.is_atom(value) else self.builder.bind(value, type_)
            value = syntax.call("cast", source, dtype=joined.dtype, weak=is_weak(joined))  # type: ignore[union-attr]
        if name not in self.table:
            self.table[name] = joined
        if name not in self.builder.merged:
            self._know_extent(name, value)
        self._keep_apart(name)
        self.builder.append(syntax.assign(name, value))

    def joined(self, node: gast.AST, name: str, before: Type, type_: Type) -> Type:
        made = join(before, type_, name, name in self.annotated)
        if made is None:
            raise self.refuse(node, f"`{name}` is {before} and {type_}", "L003", "give one of them another name")
        return made

    def _know_extent(self, name: str, value: gast.expr) -> None:
        """What is known of an int as a length goes with it."""
        match value:
            case gast.Constant(value=int(number)) if not isinstance(number, bool):
                self.builder.extents[name] = number
            case gast.Name(id=id_) if id_ in self.builder.extents and id_ not in self.builder.merged:
                self.builder.extents[name] = self.builder.extents[id_]
            case gast.Call(func=gast.Name(id=operator), args=atoms) if all(map(syntax.is_atom, atoms)):
                fact = self.builder.extent_of_result(operator, atoms, syntax.static_of(value))
                if fact is not None:
                    self.builder.extents[name] = fact

    def call_function(self, node: gast.stmt, targets: list[str], call: gast.Call) -> None:
        name = call.func.id
        results = self.known[name]
        if results is None:
            raise self.refuse(call, f"the results of `{name}` are not known where it is called", "L002",
                              f"write their types behind `->` above `{name}`")  # fmt: skip
        if len(results) != len(targets):
            raise self.refuse(node, f"`{name}` gives {len(results)} results, not {len(targets)}", "L003")
        made = syntax.call(name, *map(self.atom, call.args))
        for target, type_ in zip(targets, results, strict=True):
            own = self.wanted.get(target) or self.own_lengths(target, type_)
            if not same_but_for_lengths(self.table.setdefault(target, own), type_):
                raise self.refuse(node, f"`{target}` is {self.table[target]}, and `{name}` gives {type_}", "L003")
        self.builder.append(syntax.assign(targets, made))

    def own_lengths(self, name: str, type_: Type) -> Type:
        """The type of a result in this function, whose symbols are not those of the function that is called."""
        if isinstance(type_, Array):
            dims = tuple(d if isinstance(d, int) else self.builder.fresh_symbol(name) for d in type_.dims)
            return Array(type_.dtype, dims, type_.layout)
        return type_

    def store(self, place: gast.Subscript, atom: gast.expr) -> None:
        base, items = self.place(place)
        self.builder.append(syntax.store(base, items, atom))

    def place(self, place: gast.Subscript) -> tuple[str, list[gast.expr]]:
        if not isinstance(place.value, gast.Name) or place.value.id not in self.table:
            raise self.refuse(place, f"`{shown(place.value)}` is no array or list", "L003")
        base = place.value.id
        return base, self.expressions.items(place, self.table[base])

    def augment(self, node: gast.stmt, place: gast.Subscript, op: gast.operator, value: gast.expr) -> None:
        base, items = self.place(place)
        loaded = self.expressions.checked(place, lambda: self.builder.load(base, items))
        total = self.expressions.checked(node, lambda: self.builder.call(INFIX[type(op)], loaded, self.atom(value)))
        self.builder.append(syntax.store(base, items, total))

    def loop(self, node: gast.For, name: str, iterated: gast.Call, body: Sequence[gast.stmt]) -> None:
        kind = self.expressions.calls.word(iterated.func)
        if kind not in LOOPS_OF_TYPED or not 1 <= len(iterated.args) <= 3:
            help_ = "read the file as the loops stage" if kind in FORMS else "loop over `range(...)`"
            raise self.refuse(node, f"`{shown(iterated)}` is nothing that a loop of the typed stage runs over", "L001",
                              help_)  # fmt: skip
        span = self.builder.span
        start, stop, step = range_parts([self.atom(a) for a in iterated.args])
        if self.table.setdefault(name, types.INT) != types.INT:
            raise self.refuse(node, f"`{name}` is {self.table[name]} and the variable of a loop", "L003")
        self._keep_apart(name)
        self.builder.body.append(syntax.for_range(name, start, stop, step, self.nested(body), span, kind))

    def effect(self, node: gast.stmt, call: gast.Call) -> None:
        match call:
            case gast.Call(func=gast.Attribute(value=gast.Name(id=base), attr="append"), args=[item]):
                return self.append_to(node, base, item)
            case gast.Call(func=gast.Name(id="append"), args=[gast.Name(id=base), item]):
                return self.append_to(node, base, item)
            case gast.Call(args=[gast.Name(id=base), items, value]) if self.is_add_at(call):
                if isinstance(items, gast.Subscript):  # `np.s_[i, :]`
                    items = items.slice
                place = gast.copy_location(gast.Subscript(syntax.name(base), items, gast.Load()), call)
                made = syntax.call("add_at", base, syntax.tuple_(self.place(place)[1]), self.atom(value))
                return self.builder.append(syntax.expression(made))
        if self.is_call(call):
            return self.builder.append(syntax.expression(syntax.call(call.func.id, *map(self.atom, call.args))))
        raise self.refuse(node, f"`{shown(call)}` changes nothing here, or nothing of the typed stage")

    def is_add_at(self, call: gast.Call) -> bool:
        return shown(call.func) in ("np.add.at", "add_at", "add.at")

    def append_to(self, node: gast.stmt, base: str, item: gast.expr) -> None:
        list_, atom = self.table.get(base), self.atom(item)
        have = self.builder.type_of(atom)
        if not isinstance(list_, ListOf) or isinstance(have, ListOf):
            raise self.refuse(node, f"`{base}` is no list of such items", "L003")
        root = self.lists.get(base, base)
        wanted = item_type(self.wanted, root, list_.element, have)
        if wanted is not None:
            known = self.own_lengths(base, have) if isinstance(wanted, Array) else wanted
            self.wanted[root] = ListOf(known)  # type: ignore[arg-type]
            raise Restart
        if dtype_key(list_.element) != dtype_key(have) and not _is_held_weak(list_.element, have):
            atom = self.builder.call("cast", atom, dtype=list_.element.dtype, weak=is_weak(list_.element))
        self.builder.append(syntax.expression(syntax.call("append", base, atom)))

    def leave(self, node: gast.stmt, value: gast.expr | None) -> None:
        elements = [] if value is None else value.elts if isinstance(value, gast.Tuple) else [value]
        atoms = [self.atom(e) for e in elements]
        declared = self.definition.results
        if declared is not None and len(declared) != len(atoms):
            raise self.refuse(node, f"{len(atoms)} values are returned, and the header names {len(declared)}", "L002")
        for position, want in enumerate(declared or ()):
            have = self.builder.type_of(atoms[position])
            if dtype_key(want) == dtype_key(have) or _is_held_weak(want, have):
                continue
            raise self.refuse(elements[position], f"the header says {want}, and this is {have}", "L002",
                              "change the header, or the value")  # fmt: skip
        self.results = declared if declared is not None else tuple(map(self.builder.type_of, atoms))
        self.builder.append(syntax.return_(atoms))


# --- small questions -----------------------------------------------------------------------------------------------


def _is_held_weak(held: Type, type_: Type) -> bool:
    """Whether a Python number is held by a name that is NumPy's scalar of the same dtype elsewhere."""
    return is_weak(type_) and not is_weak(held) and isinstance(held, types.Scalar) and held.dtype == type_.dtype  # type: ignore


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


def refuse_lazy_failures(function: Function, expressions: Expressions) -> None:
    """Raise a fault where something could fail that Python may not come to."""
    found = failures(function)
    for node, statements in expressions.lazy:
        if any(found.statement_can_fail(s) for s in statements):
            raise expressions.refuse(node, f"`{shown(node)}` may raise where Python does not evaluate it", "L004",
                                     "write an `if` statement: here both sides are evaluated")  # fmt: skip
