"""Read typed functions and programs from text, so that tests can be written as programs.

    def f(x: "f64[n]", k: "int"):        ->   parameters ("x", "k"), types {"x": f64[n], "k": int, "t": f64[n], ...}
        y = sin(x) * k + 1.0                  t = sin(x)
        return y                              t_1 = multiply(t, k)
                                              y = add(t_1, 1.0)
                                              return (y,)

Expressions may nest; the parts get the names `t`, `t_1`, ...  Operators are infix or called by their typed name, with
or without `np.`; static parts are keywords or, after the operands, positional; what `print_function` writes can be read
back.  An assignment to a name that exists merges into it: the types of the two are joined, and casts are put where a
value has another dtype.  `x: "f64" = 0.0` fixes the type of a name, `xs: "[f64]" = []` makes a list, `-> "f64"` or
`-> ("f64", "i64")` the results that a recursive function is called for.  Of several functions the first is the entry.
Lists: `xs.append(v)`, `xs.pop()`, `len(xs)`, or the operators by name.  Tests of `while` stay nested.  Every statement
has a span in the file `path`.
"""

import linecache
import math

import gast

from pellucid.compiler import builder as building
from pellucid.compiler import syntax, types
from pellucid.compiler.builder import COMPARISONS, INFIX, PREFIX, Builder, infer
from pellucid.compiler.diagnostics import Span
from pellucid.compiler.dtypes import promote_dtypes
from pellucid.compiler.names import Names, base_of
from pellucid.compiler.ops import schema
from pellucid.compiler.ops.indexing import index_type
from pellucid.compiler.program import Function, Origin, Program
from pellucid.compiler.types import Array, ListOf, Scalar

SHORT = {"abs": "absolute", "pow": "power", "max": "max", "min": "min", "asin": "arcsin", "acos": "arccos"}
CASTS = {
    "float": ("f64", True), "int": ("i64", True), "bool": ("bool", True),
    "float64": ("f64", False), "float32": ("f32", False), "int64": ("i64", False), "int32": ("i32", False),
    "bool_": ("bool", False), "f64": ("f64", False), "f32": ("f32", False), "i64": ("i64", False),
    "i32": ("i32", False),
}  # fmt: skip


class Restart(Exception):
    """The type of a merged name turned out wider than its first assignment: read again, knowing that."""


def read_function(text: str, path: str = "example.py") -> Function:
    return read_program(text, path).main


def read_program(text: str, path: str = "example.py") -> Program:
    """The functions of `text`, the first of them the entry."""
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    definitions = [node for node in gast.parse(text).body if isinstance(node, gast.FunctionDef)]
    declared = {d.name: _annotated(d.returns) for d in definitions}
    functions: dict[str, Function] = {}
    for definition in reversed(definitions):  # callees are written below their callers
        known = {name: declared[name] or (functions[name].results if name in functions else None) for name in declared}
        functions[definition.name] = _read(definition, known, path)
    return Program(definitions[0].name, {d.name: functions[d.name] for d in definitions})


def _annotated(node):
    if node is None:
        return None
    value = syntax.value_of(node)
    return tuple(map(types.parse, value if isinstance(value, tuple) else (value,)))


def _read(definition, known, path):
    wanted: dict[str, types.Type] = {}
    for _ in range(20):
        try:
            return Reader(definition, known, path, wanted).function()
        except Restart:
            continue
    raise ValueError(f"{definition.name}: the types of the merged names do not settle: {wanted}")


class Reader:
    """Reads one function; `wanted` has the types that merged names are known to need."""

    def __init__(self, definition, known, path, wanted) -> None:
        self.definition, self.known, self.path, self.wanted = definition, known, path, wanted
        self.parameters = tuple(argument.id for argument in definition.args.args)
        self.table = {a.id: types.parse(a.annotation.value) for a in definition.args.args}
        written = {n.id for n in gast.walk(definition) if isinstance(n, gast.Name)}
        symbols = {s for t in self.table.values() for s in _symbols(t)}
        self.symbols = symbols
        self.names = Names(written | symbols | set(self.parameters))
        self.builder = Builder(self.names, self.table, {})
        self.builder.merged = _merged(definition, self.parameters)
        self.annotated = {n.target.id for n in gast.walk(definition) if isinstance(n, gast.AnnAssign)}
        for name in self.parameters:
            self._keep_apart(name)

    def function(self) -> Function:
        self.builder.body = body = []
        self.results: tuple[types.Type, ...] = ()
        self.block(self.definition.body, body)
        origin = Origin(self.path, self.definition.name, self.definition.lineno)
        hidden = frozenset(name for name in self.table if base_of(name) == "t" and name not in self.parameters)
        return Function(
            self.definition.name, self.parameters, tuple(body), "typed", origin, dict(self.table), self.results,
            temporaries=hidden,
        )  # fmt: skip

    def _keep_apart(self, name):
        """An int that happens to be called like a length is another number than the length."""
        if name in self.symbols and name not in self.builder.extents:
            self.builder.extents[name] = types.symbol(self.names.fresh(name))

    # --- statements

    def block(self, statements, body):
        outer, self.builder.body = self.builder.body, body
        for statement in statements:
            self.builder.span = Span.of(statement, self.path)
            self.statement(statement)
        self.builder.body = outer

    def nested(self, statements):
        body = []
        self.block(statements, body)
        return body

    def statement(self, node):
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                self.assign(name, value)
            case gast.Assign(targets=[gast.Subscript() as place], value=value):
                self.store(place, self.atom(value))
            case gast.Assign(targets=[gast.Tuple(elts=places)], value=gast.Call() as call):
                self.call_function([p.id for p in places], call)
            case gast.AnnAssign(target=gast.Name(id=name), annotation=annotation, value=value):
                self.wanted[name] = types.parse(annotation.value)
                self.assign(name, value)
            case gast.AugAssign(target=gast.Name(id=name), op=op, value=value):
                self.assign(name, gast.BinOp(syntax.name(name), op, value))
            case gast.AugAssign(target=gast.Subscript() as place, op=op, value=value):
                self.augment(place, op, value)
            case gast.For(target=gast.Name(id=name), iter=iterated, body=body):
                self.loop(name, iterated, body)
            case gast.While(test=test, body=body):
                span = self.builder.span
                made = syntax.while_(self.truth(test), self.nested(body), span)
                self.builder.body.append(made)
            case gast.If(test=test, body=body, orelse=orelse):
                span, condition = self.builder.span, self.atom(test)
                self.builder.body.append(syntax.if_(condition, self.nested(body), self.nested(orelse), span))
            case gast.Raise(exc=gast.Call(func=gast.Name(id=kind), args=arguments)):
                message, values = message_of(arguments)
                self.builder.append(syntax.raise_(kind, message, *map(self.atom, values)))
            case gast.Expr(value=gast.Call() as call):
                self.effect(call)
            case gast.Return(value=value):
                self.leave(value)
            case gast.Pass() | gast.Expr(value=gast.Constant()):
                pass
            case _:
                raise ValueError(f"not in the language: {gast.dump(node)}")

    def assign(self, name, node):
        if isinstance(node, gast.List) and not node.elts:
            value, type_ = syntax.call("new_list"), self.wanted[name]
        elif isinstance(node, gast.Call) and _word(node.func) in self.known:
            return self.call_function([name], node)
        else:
            value, type_ = self.value(node)
        self.bind(name, value, type_)

    def bind(self, name, value, type_):
        """`name = value`, joined with what the name already holds."""
        before = self.table.get(name) or self.wanted.get(name) or type_
        joined = _join(before, type_, name in self.annotated)
        if name in self.table and joined != self.table[name]:
            self.wanted[name] = joined
            raise Restart
        if name in self.wanted:
            joined = _join(self.wanted[name], joined, name in self.annotated)
        if _dtype_key(joined) != _dtype_key(type_):
            source = value if syntax.is_atom(value) else self.builder.bind(value, type_)
            value = syntax.call("cast", source, dtype=joined.dtype, weak=_is_weak(joined))
        if name not in self.table:
            self.table[name] = joined
        if name not in self.builder.merged:
            self._know_extent(name, value)
        self._keep_apart(name)
        self.builder.append(syntax.assign(name, value))

    def _know_extent(self, name, value):
        """What is known of an int as a length goes with it."""
        match value:
            case gast.Constant(value=int(number)) if not isinstance(number, bool):
                self.builder.extents[name] = number
            case gast.Name(id=id_) if id_ in self.builder.extents and id_ not in self.builder.merged:
                self.builder.extents[name] = self.builder.extents[id_]
            case gast.Call(func=gast.Name(id="dim" | "add" | "subtract" | "multiply" as operator), args=atoms):
                fact = self.builder.extent_of_result(operator, atoms, syntax.static_of(value))
                if fact is not None:
                    self.builder.extents[name] = fact

    def call_function(self, targets, node):
        name = _word(node.func)
        results = self.known[name]
        if results is None:
            raise ValueError(f"annotate the results of `{name}`: it is called before they are known")
        made = syntax.call(name, *map(self.atom, node.args))
        for target, type_ in zip(targets, results, strict=True):
            if self.table.setdefault(target, type_) != type_:
                raise ValueError(f"`{target}` has two types: {self.table[target]} and {type_}")
        self.builder.append(syntax.assign(targets, made))

    def store(self, place, atom):
        base = place.value.id
        self.builder.append(syntax.store(base, self.items(place), atom))

    def augment(self, place, op, value):
        items = self.items(place)
        loaded = self.builder.load(place.value.id, items) if isinstance(self.table[place.value.id], Array) else None
        total = self.builder.call(INFIX[type(op)], loaded, self.atom(value))
        self.builder.append(syntax.store(place.value.id, items, total))

    def loop(self, name, iterated, body):
        kind, bounds = iterated.func.id, [self.atom(a) for a in iterated.args]
        start, stop, step = {
            1: lambda: (syntax.constant(0), bounds[0], syntax.constant(1)),
            2: lambda: (*bounds, syntax.constant(1)),
            3: lambda: tuple(bounds),
        }[len(bounds)]()
        self.table[name] = types.INT
        self._keep_apart(name)
        span = self.builder.span
        self.builder.body.append(syntax.for_range(name, start, stop, step, self.nested(body), span, kind))

    def effect(self, call):
        match call:
            case gast.Call(func=gast.Attribute(value=gast.Name(id=base), attr="append"), args=[item]):
                self.append_to(base, item)
            case gast.Call(func=gast.Name(id="append"), args=[gast.Name(id=base), item]):
                self.append_to(base, item)
            case gast.Call(args=[gast.Name(id=base), items, value]) if _word(call.func) in ("add_at", "at"):
                place = gast.Subscript(syntax.name(base), items, gast.Load())
                made = syntax.call("add_at", base, syntax.tuple_(self.items(place)), self.atom(value))
                self.builder.append(syntax.expression(made))
            case gast.Call(func=gast.Name(id=name)) if name in self.known:
                self.builder.append(syntax.expression(syntax.call(name, *map(self.atom, call.args))))
            case _:
                raise ValueError(f"no such effect: {gast.dump(call)}")

    def append_to(self, base, item):
        element, atom = self.table[base].element, self.atom(item)
        have = self.builder.type_of(atom)
        if _dtype_key(element) != _dtype_key(have):
            atom = self.builder.call("cast", atom, dtype=element.dtype, weak=_is_weak(element))
        self.builder.append(syntax.expression(syntax.call("append", base, atom)))

    def leave(self, value):
        elements = [] if value is None else value.elts if isinstance(value, gast.Tuple) else [value]
        atoms = [self.atom(e) for e in elements]
        declared = self.known.get(self.definition.name)
        for position, want in enumerate(declared or ()):
            if _dtype_key(want) != _dtype_key(self.builder.type_of(atoms[position])):
                atoms[position] = self.builder.call("cast", atoms[position], dtype=want.dtype, weak=_is_weak(want))
        self.results = declared or tuple(self.builder.type_of(a) for a in atoms)
        self.builder.append(syntax.return_(atoms))

    # --- expressions

    def atom(self, node):
        """The atom of an expression; its parts become statements."""
        value, type_ = self.value(node)
        return value if syntax.is_atom(value) else self.builder.bind(value, type_)

    def value(self, node):
        """(right-hand side, type) of an expression."""
        match node:
            case gast.Constant(value=value):
                return syntax.constant(value), building.type_of_constant(value)
            case gast.UnaryOp(op=gast.USub(), operand=gast.Constant(value=value)) if not isinstance(value, bool):
                return syntax.constant(-value), building.type_of_constant(value)
            case gast.Name(id=name):
                if name not in self.table:
                    raise ValueError(f"`{name}` is not assigned")
                return syntax.name(name), self.table[name]
            case gast.BinOp(left=left, op=op, right=right):
                return self.operator(INFIX[type(op)], [left, right], {})
            case gast.UnaryOp(op=op, operand=operand):
                return self.operator(PREFIX[type(op)], [operand], {})
            case gast.Compare(left=left, ops=[op], comparators=[right]):
                return self.operator(COMPARISONS[type(op)], [left, right], {})
            case gast.Subscript(value=gast.Attribute(value=base, attr="shape"), slice=axis):
                return self.operator("dim", [base], {"axis": syntax.value_of(self.value(axis)[0])})
            case gast.Subscript(value=base):
                node = gast.Subscript(self.atom(base), node.slice, gast.Load())
                items = self.items(node)
                loaded = index_type(self.builder, self.table[node.value.id], items)
                return syntax.index(node.value.id, *items), loaded
            case gast.Attribute(value=base, attr="T"):
                base = self.atom(base)
                return self.operator("transpose", [base], {"axes": tuple(reversed(range(self.table[base.id].ndim)))})
            case gast.Attribute(value=gast.Name(id="math"), attr=attr):
                return syntax.constant(getattr(math, attr)), types.FLOAT
            case gast.UnaryOp(op=gast.USub(), operand=gast.Attribute()):
                return syntax.constant(-self.value(node.operand)[0].value), types.FLOAT
            case gast.BoolOp(op=op, values=[left, right]):
                return self.operator("logical_and" if isinstance(op, gast.And) else "logical_or", [left, right], {})
            case gast.IfExp(test=test, body=body, orelse=orelse):
                return self.operator("where", [test, body, orelse], {})
            case gast.Call():
                return self.call(node)
        raise ValueError(f"not an expression of the language: {gast.dump(node)}")

    def call(self, node):
        match node:
            case gast.Call(func=gast.Attribute(value=gast.Name(id=base), attr="pop"), args=[]):
                return syntax.call("pop", base), self.table[base].element
            case gast.Call(func=gast.Attribute(value=base, attr=method), args=args) if not _is_module(base):
                return self.method(base, method, args, self.static(node))
        word = _word(node.func)
        if word in ("pop", "length", "len") and isinstance(list_ := self.table.get(node.args[0].id), ListOf):
            if word == "pop":
                return syntax.call("pop", node.args[0].id), list_.element
            return syntax.call("length", node.args[0].id), types.INT
        if word == "len":
            return self.operator("dim", node.args, {"axis": 0})
        if word in CASTS and not node.keywords:
            dtype, weak = CASTS[word]
            return self.operator("cast", node.args, {"dtype": dtype, "weak": weak} if weak else {"dtype": dtype})
        return self.function_call(word, node.args, self.static(node))

    def method(self, base, name, args, static):
        match name, args:
            case "astype", [dtype]:
                return self.operator("cast", [base], {"dtype": self.static_value(dtype)})
            case "reshape" | "transpose", [gast.Constant(value=int(length))]:
                return self.operator(name, [base], {"shape" if name == "reshape" else "axes": (length,)})
        return self.operator(name, [base, *args], static)

    def function_call(self, word, args, static):
        """Some functions of NumPy take their arguments in another order than the operators."""
        match word, args:
            case "full", [gast.Tuple() | gast.Attribute() as shape, value, *dtype]:
                made = self.static_value(dtype[0]) if dtype else self.builder.type_of(value := self.atom(value)).dtype
                return self.operator("full", [value], {"shape": self.static_value(shape), "dtype": made})
            case "arange", [stop] if "shape" not in static:
                shape = syntax.value_of(syntax.tuple_([self.atom(stop)]))
                return self.operator("arange", [syntax.constant(0), stop, syntax.constant(1)], {"shape": shape})
            case "eye", [gast.Tuple(), *_]:
                pass
            case "eye", [rows, *columns]:
                shape = syntax.value_of(syntax.tuple_([self.atom(rows), self.atom(columns[0] if columns else rows)]))
                renamed = {"offset" if k == "k" else k: v for k, v in static.items()}
                return self.operator("eye", [], {"shape": shape, **renamed})
            case "concatenate", [gast.Tuple(elts=parts)]:
                args = parts
            case "einsum", [gast.Constant(value=subscripts), *operands]:
                return self.operator("einsum", operands, {"subscripts": subscripts})
        return self.operator(SHORT.get(word, word), args, static)

    def static(self, node):
        return {k.arg: self.static_value(k.value) for k in node.keywords}

    def static_value(self, node):
        """A static part: a Python value, or a shape whose lengths are atoms."""
        match node:
            case gast.Attribute(value=gast.Name(id="np"), attr=word):
                return CASTS[word][0]
            case gast.Attribute(value=gast.Name(id=base), attr="shape"):
                rank = types.rank(self.table[base])
                return gast.Tuple([self.builder.call("dim", base, axis=k) for k in range(rank)], gast.Load())
            case gast.Tuple(elts=elements):
                parts = [syntax.literal(self.static_value(e)) for e in elements]
                return syntax.value_of(gast.Tuple(parts, gast.Load()))
            case gast.Constant(value=value):
                return value
            case gast.Name(id=word) if word in ("f64", "f32", "i64", "i32", "bool") and word not in self.table:
                return word
            case _:
                return syntax.value_of(self.atom(node))

    def operator(self, name, parts, static):
        if name not in schema.OPERATORS:
            raise ValueError(f"there is no operator `{name}`")
        row = schema.OPERATORS[name]
        count = len(parts) if row.operands and row.operands[-1].startswith("*") else len(row.operands)
        atoms = [self.atom(p) for p in parts[:count]]
        extra = dict(zip([k for k in row.static if k not in static], parts[count:], strict=False))
        if row.operands and row.operands[-1].startswith("*"):
            extra = {}
        given = {k: self.static_value(v) for k, v in extra.items()} | static
        if isinstance(given.get("shape"), int) or syntax.is_atom(given.get("shape")):
            given["shape"] = (given["shape"],) if isinstance(given["shape"], int) else syntax.tuple_([given["shape"]])
        full = {**{k: v for k, v in row.static.items() if v is not ...}, **given}
        return syntax.call(name, *atoms, **full), infer(self.builder, row, atoms, full)

    def items(self, node):
        """The items of an index, atoms throughout and missing axes written out."""
        listed = list(node.slice.elts) if isinstance(node.slice, gast.Tuple) else [node.slice]
        base = self.table[node.value.id]
        made = [self.item(i) for i in listed]
        if isinstance(base, ListOf):
            return made
        used = sum(self.axes_of(i) for i in made)
        full = [syntax.slice_() for _ in range(base.ndim - used)]
        for position, item in enumerate(made):
            if isinstance(item, gast.Constant) and item.value is ...:
                return made[:position] + full + made[position + 1 :]
        return made + full

    def axes_of(self, item):
        if isinstance(item, gast.Constant) and (item.value is None or item.value is ...):
            return 0
        if isinstance(item, gast.Name) and isinstance(mask := self.table[item.id], Array) and mask.dtype == "bool":
            return mask.ndim
        return 1

    def item(self, node):
        match node:
            case gast.Slice(lower=lower, upper=upper, step=step):
                return gast.Slice(*(None if part is None else self.atom(part) for part in (lower, upper, step)))
            case gast.Constant(value=value) if value is None or value is ...:
                return syntax.constant(value)
            case _:
                return self.atom(node)

    def truth(self, node):
        """A test of which only the truth matters: a list is true where it is not empty."""
        if isinstance(node, gast.Name) and isinstance(self.table[node.id], ListOf):
            return syntax.call("greater", syntax.call("length", node.id), 0)
        return self.test(node)

    def test(self, node):
        """The test of a `while`, nested and lazy, its operators as calls."""
        match node:
            case gast.BoolOp(op=op, values=values):
                return gast.BoolOp(op, [self.truth(v) for v in values])
            case gast.Compare(left=left, ops=ops, comparators=comparators) if len(ops) > 1:
                sides = [left, *comparators]
                pairs = [gast.Compare(a, [op], [b]) for a, op, b in zip(sides, ops, sides[1:])]
                return gast.BoolOp(gast.And(), [self.test(p) for p in pairs])
            case gast.Compare(left=left, ops=[op], comparators=[right]):
                return syntax.call(COMPARISONS[type(op)], self.test(left), self.test(right))
            case gast.UnaryOp(op=gast.USub(), operand=gast.Constant(value=value)):
                return syntax.constant(-value)
            case gast.BinOp(left=left, op=op, right=right):
                return syntax.call(INFIX[type(op)], self.test(left), self.test(right))
            case gast.UnaryOp(op=op, operand=operand):
                return syntax.call(PREFIX[type(op)], self.truth(operand))
            case gast.Subscript(value=gast.Attribute(value=base, attr="shape"), slice=gast.Constant(value=axis)):
                return syntax.call("dim", self.test(base), axis=axis)
            case gast.Subscript(value=gast.Name(id=base), slice=slice_):
                listed = slice_.elts if isinstance(slice_, gast.Tuple) else [slice_]
                return syntax.index(base, *map(self.test, listed))
            case gast.Call(func=func, args=args):
                word = SHORT.get(_word(func), _word(func))
                if word == "len":
                    word = "length"
                row = schema.OPERATORS.get(word)
                defaults = {} if row is None else {k: v for k, v in row.static.items() if v is not ...}
                return syntax.call(word, *map(self.test, args), **{**defaults, **self.static(node)})
            case gast.Name() | gast.Constant():
                return node
        raise ValueError(f"not a test of the language: {gast.dump(node)}")


# --- small questions -----------------------------------------------------------------------------------------------


def _word(func):
    """The operator that a callee names: `sin` for `np.sin`, `math_sin` for `math.sin`, `add_at` for `np.add.at`."""
    match func:
        case gast.Name(id=id_):
            return id_
        case gast.Attribute(value=gast.Name(id="math"), attr=attr):
            return f"math_{attr}"
        case gast.Attribute(value=gast.Attribute(attr=first), attr=second):
            return f"{first}_{second}"
        case gast.Attribute(attr=attr):
            return attr
    raise ValueError(f"not a callee: {gast.dump(func)}")


def _is_module(node):
    return isinstance(node, gast.Name) and node.id in ("np", "math") or (
        isinstance(node, gast.Attribute) and _is_module(node.value)
    )


def _merged(definition, parameters):
    """The names that are assigned more than once."""
    seen, merged = set(parameters), set()
    for node in gast.walk(definition):
        if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store):
            (merged if node.id in seen else seen).add(node.id)
        if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
            merged.add(node.target.id)
    return merged


def _symbols(type_):
    if isinstance(type_, ListOf):
        return _symbols(type_.element)
    dims = type_.dims if isinstance(type_, Array) else ()
    return [s for d in dims if isinstance(d, types.Dim) for s in d.symbols()]


def _is_weak(type_):
    return isinstance(type_, Scalar) and type_.weak


def _dtype_key(type_):
    return None if isinstance(type_, ListOf) else (type_.dtype, _is_weak(type_))


def _join(left, right, annotated):
    """The least type that holds both; an annotation is believed about lengths."""
    if left == right:
        return left
    if isinstance(left, ListOf) or isinstance(right, ListOf) or types.rank(left) != types.rank(right):
        raise ValueError(f"no type holds both {left} and {right}")
    if isinstance(left, Scalar):
        return Scalar(*types.promote(left, right))
    if left.dims != right.dims and not annotated:
        raise ValueError(f"the lengths of {left} and {right} differ: annotate the name")
    layout = left.layout if left.layout == right.layout else "A"
    return Array(promote_dtypes(left.dtype, right.dtype), left.dims, layout)


def message_of(arguments):
    """The printed arguments of an exception as `syntax.raise_` takes them: formats, constants and values."""
    message, values = [], []
    for argument in arguments:
        match argument:
            case gast.Constant(value=str() as text):
                message.append(text.replace("{", "{{").replace("}", "}}"))
            case gast.Constant(value=value):
                message.append((value,))
            case gast.JoinedStr(values=pieces):
                message.append("".join(map(_format_of, pieces)))
                values += [piece.value for piece in pieces if not isinstance(piece, gast.Constant)]
            case _:
                message.append(None)
                values.append(argument)
    return tuple(message), values


def _format_of(piece):
    if isinstance(piece, gast.Constant):
        return piece.value.replace("{", "{{").replace("}", "}}")
    conversion = "" if piece.conversion < 0 else f"!{chr(piece.conversion)}"
    form = "" if piece.format_spec is None else ":" + "".join(p.value for p in piece.format_spec.values)
    return "{" + conversion + form + "}"
