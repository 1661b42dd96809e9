"""Read a program of the loops stage from text, so that tests can be written as Python.

    def f(x: "f64[n]", k: "int") -> "f64":                  parameters are annotated with types
        total: "f64" = 0.0                                   locals too, where the value does not say enough
        for i in range(dim(x, 0)):
            total += x[i] * k                                 infix operators become calls
        return total

`len(xs)` is the length of a list, `xs.append(v)`, `xs.pop()`, `x.shape[0]` and `math.sqrt(x)` mean what they say;
`and`, `or` and conditional expressions stay lazy.  The last function is the entry unless one is called `main`.
"""

from __future__ import annotations

import gast

from pellucid.compiler import syntax, types
from pellucid.compiler.analysis.expression_types import type_of
from pellucid.compiler.backend.views import keeps_c_order
from pellucid.compiler.builder import COMPARISONS, INFIX, PREFIX
from pellucid.compiler.diagnostics import Span
from pellucid.compiler.ops.forms import ROUTINES
from pellucid.compiler.program import Function, Origin, Program
from pellucid.compiler.types import Array, ListOf, Scalar, Type

from .typed_text import message_of

RENAMED = {"min": "minimum", "max": "maximum", "abs": "absolute", "len": "length"}
STATIC = {"dim": ("axis",), "cast": ("dtype", "weak"), "transpose": ("axes",), "reshape": ("shape",)}


def read_loops(text: str, file: str = "loops.py") -> Program:
    module = gast.parse(text)
    functions: dict[str, Function] = {}
    results = {f.name: _annotated_results(f) for f in module.body}
    for node in module.body:
        functions[node.name] = Reader(node, file, results).function()
        results[node.name] = functions[node.name].results
    entry = "main" if "main" in functions else list(functions)[-1]
    return Program(entry, functions)


def _annotated_results(node: gast.FunctionDef) -> tuple[Type, ...] | None:
    if node.returns is None:
        return None
    parts = node.returns.elts if isinstance(node.returns, gast.Tuple) else [node.returns]
    return tuple(types.parse(p.value) for p in parts)


class Reader:
    def __init__(self, node: gast.FunctionDef, file: str, results: dict[str, tuple[Type, ...] | None]) -> None:
        self.node, self.file, self.results = node, file, results
        self.types: dict[str, Type] = {a.id: types.parse(a.annotation.value) for a in node.args.args}
        self.fresh = 0
        self.given: tuple[Type, ...] = ()

    def function(self) -> Function:
        parameters = tuple(self.types)
        body = self.block(self.node.body)
        origin = Origin(self.file, self.node.name, self.node.lineno)
        declared = self.results[self.node.name]
        return Function(
            self.node.name, parameters, tuple(body), "loops", origin, self.types, declared if declared else self.given
        )

    def block(self, body: list[gast.stmt]) -> list[gast.stmt]:
        made: list[gast.stmt] = []
        for node in body:
            span = Span.of(node, self.file)
            for statement in self.statement(node):
                made.append(syntax.at(statement, span))
        return made

    def statement(self, node: gast.stmt) -> list[gast.stmt]:
        match node:
            case gast.Assign(targets=[place], value=value):
                return [self.assign(place, self.expr(value))]
            case gast.AnnAssign(target=gast.Name(id=id_), annotation=annotation, value=value):
                self.types[id_] = types.parse(annotation.value)
                return [syntax.assign(id_, self.expr(value))]
            case gast.AugAssign(target=place, op=op, value=value):
                old = gast.Name(place.id, gast.Load(), None, None) if isinstance(place, gast.Name) else place
                total = syntax.call(INFIX[type(op)], self.expr(old), self.expr(value))
                return [self.assign(place, total)]
            case gast.For(target=target, iter=iter_, body=body):
                self.types.setdefault(target.id, types.INT)
                return [gast.For(target, self.expr(iter_), self.block(body), [], None)]
            case gast.While(test=test, body=body):
                return [gast.While(self.expr(test), self.block(body), [])]
            case gast.If(test=test, body=body, orelse=orelse):
                return [gast.If(self.expr(test), self.block(body), self.block(orelse))]
            case gast.Expr(value=value):
                return [gast.Expr(self.expr(value))]
            case gast.Raise(exc=exc):
                if isinstance(exc, gast.Call):
                    message, values = message_of(exc.args)
                    exc = gast.Call(exc.func, [syntax.constant(message), *map(self.expr, values)], [])
                return [gast.Raise(exc, None)]
            case gast.Return(value=value):
                return self.returned(value)
            case gast.Delete() | gast.Pass():
                return [node]
        raise AssertionError(gast.dump(node))

    def assign(self, place: gast.expr, value: gast.expr) -> gast.stmt:
        match place:
            case gast.Name(id=id_):
                if id_ not in self.types:
                    self.types[id_] = self.type_of(value)
            case gast.Tuple(elts=elements):
                for element, type_ in zip(elements, self.results[value.func.id] or ()):
                    self.types.setdefault(element.id, type_)
            case gast.Subscript():
                place = gast.Subscript(place.value, self.items(place.slice), gast.Store())
        return gast.Assign([place], value, None)

    def returned(self, value: gast.expr | None) -> list[gast.stmt]:
        parts = [] if value is None else value.elts if isinstance(value, gast.Tuple) else [value]
        made: list[gast.stmt] = []
        names: list[object] = []
        for part in map(self.expr, parts):
            if not syntax.is_atom(part):
                self.fresh += 1
                made.append(self.assign(syntax.target(f"result_{self.fresh}"), part))
                part = syntax.name(f"result_{self.fresh}")
            names.append(part)
        self.given = tuple(self.type_of(n) for n in names)
        return [*made, syntax.return_(names)]

    # --- types -----------------------------------------------------------------------------------------------------

    def type_of(self, value: gast.expr) -> Type:
        match value:
            case gast.Call(func=gast.Name(id="empty")):
                shape, dtype = (k.value for k in value.keywords)
                return self.array(dtype.value, len(shape.elts))
            case gast.Call(func=gast.Name(id="transpose"), args=[gast.Name(id=base)]):
                return self.array(self.types[base].dtype, self.types[base].ndim, "A")
            case gast.Call(func=gast.Name(id="reshape"), args=[gast.Name(id=base)]):
                return self.array(self.types[base].dtype, len(value.keywords[0].value.elts))
            case gast.Call(func=gast.Name(id="pop"), args=[gast.Name(id=base)]):
                return self.types[base].element
            case gast.Call(func=gast.Name(id=id_), args=[gast.Name(id=base), *_]) if id_ in ROUTINES:
                return Scalar(self.types[base].dtype)
            case gast.Call(func=gast.Name(id=id_)) if id_ in self.results:
                return self.results[id_][0]
            case gast.Subscript(value=gast.Name(id=base), slice=gast.Tuple(elts=items)):
                return self.type_of_view(self.types[base], items)
            case gast.Name(id=id_):
                return self.types[id_]
        return type_of(value, self.types)

    def type_of_view(self, base: Type, items: list[gast.expr]) -> Type:
        if isinstance(base, ListOf):
            return base.element
        new = [i for i in items if isinstance(i, gast.Constant) and i.value is None]
        slices = [i for i in items if isinstance(i, gast.Slice)]
        rank = base.ndim - (len(items) - len(new)) + len(slices) + len(new)
        if not rank:
            return Scalar(base.dtype)
        return self.array(base.dtype, rank, "C" if base.layout == "C" and keeps_c_order(items) else "A")

    def array(self, dtype: str, rank: int, layout: str = "C") -> Array:
        self.fresh += rank
        return Array(dtype, tuple(types.symbol(f"d{self.fresh}_{k}") for k in range(rank)), layout)

    # --- expressions -----------------------------------------------------------------------------------------------

    def items(self, node: gast.expr) -> gast.Tuple:
        parts = node.elts if isinstance(node, gast.Tuple) else [node]
        return gast.Tuple([self.item(p) for p in parts], gast.Load())

    def item(self, node: gast.expr) -> gast.expr:
        if isinstance(node, gast.Slice):
            return gast.Slice(*(None if p is None else self.expr(p) for p in (node.lower, node.upper, node.step)))
        return self.expr(node)

    def expr(self, node: gast.expr) -> gast.expr:
        match node:
            case gast.Name() | gast.Constant():
                return node
            case gast.UnaryOp(op=gast.USub(), operand=gast.Constant(value=value)):
                return syntax.constant(-value)
            case gast.UnaryOp(op=op, operand=operand):
                return syntax.call(PREFIX[type(op)], self.expr(operand))
            case gast.BinOp(left=left, op=op, right=right):
                return syntax.call(INFIX[type(op)], self.expr(left), self.expr(right))
            case gast.Compare(left=left, ops=[op], comparators=[right]):
                return syntax.call(COMPARISONS[type(op)], self.expr(left), self.expr(right))
            case gast.BoolOp(op=op, values=values):
                return gast.BoolOp(op, [self.expr(v) for v in values])
            case gast.IfExp(test=test, body=body, orelse=orelse):
                return gast.IfExp(self.expr(test), self.expr(body), self.expr(orelse))
            case gast.Subscript(value=gast.Attribute(value=gast.Name(id=base), attr="shape"), slice=axis):
                return syntax.call("dim", base, axis=axis.value)
            case gast.Subscript(value=base, slice=slice_):
                return gast.Subscript(base, self.items(slice_), gast.Load())
            case gast.Call():
                return self.call(node)
        raise AssertionError(gast.dump(node))

    def call(self, node: gast.Call) -> gast.Call:
        arguments = list(node.args)
        match node.func:
            case gast.Attribute(value=gast.Name(id="math"), attr=attr):
                operator = f"math_{attr}"
            case gast.Attribute(value=base, attr="append" | "pop" as attr):
                operator, arguments = attr, [base, *arguments]
            case gast.Name(id=id_):
                operator = RENAMED.get(id_, id_)
        if operator == "empty":
            shape = arguments[0] if isinstance(arguments[0], gast.Tuple) else gast.Tuple([arguments[0]], gast.Load())
            shape = gast.Tuple([self.expr(e) for e in shape.elts], gast.Load())
            dtype = arguments[1] if len(arguments) > 1 else syntax.constant("f64")
            return syntax.call("empty", shape=shape, dtype=dtype)
        if operator == "reshape":
            lengths = gast.Tuple([self.expr(e) for e in arguments[1].elts], gast.Load())
            return syntax.call("reshape", arguments[0], shape=lengths)
        keywords = list(node.keywords)
        for name in STATIC.get(operator, ()):
            if len(arguments) > 1:
                keywords.append(gast.keyword(name, arguments.pop(1)))
        return gast.Call(gast.Name(operator, gast.Load(), None, None), [self.expr(a) for a in arguments], keywords)
