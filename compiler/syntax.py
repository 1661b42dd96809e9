"""Trees: making gast nodes, walking them, rewriting them without touching the original.

Statements carry `span` (and `inlined`, the spans of the calls they were inlined through, outermost first), and what
`annotations.py` lists.
Inside the compiler an operator is always a call to its name, `Call(Name("add"), [a, b])`; only the printer turns it
into `a + b`.  An *atom* is a `Name` or a `Constant`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

import gast

from .diagnostics import Span
from .messages import Message

Block = tuple[gast.stmt, ...]
Node = TypeVar("Node", bound=gast.AST)
Statement = TypeVar("Statement", bound=gast.stmt)
COMPOUND = frozenset({gast.If, gast.For, gast.While})

Assign, Call, Constant, Name = gast.Assign, gast.Call, gast.Constant, gast.Name
WRITING = (gast.Store, gast.Del)
# A context says nothing but its class: one node of each is enough.
LOAD, STORE = gast.Load(), gast.Store()


def _node(kind: type[Node], /, **fields: object) -> Node:
    """A node with these fields, without the general constructor's work: nodes are made by the thousand."""
    made = kind.__new__(kind)
    made.__dict__ = fields
    return made


def name(id_: str) -> gast.Name:
    return _node(gast.Name, id=id_, ctx=LOAD, annotation=None, type_comment=None)


def target(id_: str) -> gast.Name:
    return _node(gast.Name, id=id_, ctx=STORE, annotation=None, type_comment=None)


def constant(value: object) -> gast.Constant:
    return _node(gast.Constant, value=value, kind=None)


def atom(value: Any) -> Any:
    """A name for a `str`, a constant for any other Python value, a node as it is."""
    if isinstance(value, str):
        return name(value)
    return value if isinstance(value, gast.AST) else constant(value)


def tuple_(elements: Iterable[object]) -> gast.Tuple:
    return _node(gast.Tuple, elts=[atom(e) for e in elements], ctx=LOAD)


def literal(value: Any) -> Any:
    """A static value as a tree: tuples become tuple nodes, everything else (strings too) a constant."""
    if isinstance(value, gast.AST):
        return value
    if isinstance(value, tuple):
        return _node(gast.Tuple, elts=[literal(v) for v in value], ctx=LOAD)
    return constant(value)


def call(operator: str, *arguments: object, **static: object) -> gast.Call:
    """`operator(arguments, static=...)`; a `str` argument is a name, a `str` static value is a constant."""
    keywords = [_node(gast.keyword, arg=key, value=literal(value)) for key, value in static.items()]
    atoms = [a if type(a) is Name else atom(a) for a in arguments]
    return _node(gast.Call, func=name(operator), args=atoms, keywords=keywords)


def index(base: str, *items: object) -> gast.Subscript:
    return _node(gast.Subscript, value=name(base), slice=tuple_(items), ctx=LOAD)


def slice_(lower: object = None, upper: object = None, step: object = None) -> gast.Slice:
    return gast.Slice(*(None if part is None else atom(part) for part in (lower, upper, step)))


def at(statement: Statement, span: Span | None, inlined: tuple[Span, ...] = ()) -> Statement:
    statement.span, statement.inlined = span, inlined
    return statement


def assign(to: str | gast.expr | Sequence[str], value: gast.expr, span: Span | None = None) -> gast.Assign:
    if isinstance(to, str):
        place: gast.expr = target(to)
    elif isinstance(to, gast.AST):
        place = to
    else:
        place = gast.Tuple([target(t) for t in to], gast.Store())
    return at(_node(gast.Assign, targets=[place], value=value, type_comment=None), span)


def store(base: str, items: Sequence[object], value: object, span: Span | None = None) -> gast.Assign:
    return assign(gast.Subscript(name(base), tuple_(items), gast.Store()), atom(value), span)


def expression(value: gast.expr, span: Span | None = None) -> gast.Expr:
    return at(gast.Expr(value), span)


def for_range(
    variable: str, start: object, stop: object, step: object, body: Sequence[gast.stmt], span=None, kind="range"
) -> gast.For:
    bounds = call(kind, start, stop, step)
    return at(gast.For(target(variable), bounds, list(body), [], None), span)


def while_(test: gast.expr, body: Sequence[gast.stmt], span: Span | None = None) -> gast.While:
    return at(gast.While(test, list(body), []), span)


def if_(test: gast.expr, body: Sequence[gast.stmt], orelse: Sequence[gast.stmt] = (), span=None) -> gast.If:
    return at(gast.If(test, list(body), list(orelse)), span)


def return_(names: Sequence[object], span: Span | None = None) -> gast.Return:
    return at(gast.Return(tuple_(names)), span)


def delete(id_: str, span: Span | None = None) -> gast.Delete:
    return at(gast.Delete([gast.Name(id_, gast.Del(), None, None)]), span)


def raise_(exception: str, message: Message, *values: object, span: Span | None = None) -> gast.Raise:
    """`raise exception(message.format(values))`, with scalar expressions that are evaluated when it is raised.

    What a message may be is said in `messages.py`.
    """
    made = gast.Call(name(exception), [constant(message), *map(atom, values)], [])
    return at(gast.Raise(made, None), span)


def raise_own(exception: type[BaseException], message: Message, *values: object, span=None) -> gast.Raise:
    """The same for an exception class of the user's; `base` is the class of Python's own that it comes from."""
    statement = raise_(exception.__name__, message, *values, span=span)
    own = exception.__module__ != "builtins"
    statement.base = next(c.__name__ for c in exception.__mro__ if c.__module__ == "builtins") if own else None
    return statement


# --- reading -------------------------------------------------------------------------------------------------------


def is_atom(node: gast.AST) -> bool:
    return type(node) is Name or type(node) is Constant


def operator_of(node: gast.AST) -> str | None:
    """The operator or function that an expression calls, or None."""
    return node.func.id if type(node) is Call and type(node.func) is Name else None


def static_of(node: gast.Call) -> dict[str, Any]:
    """The static keywords of a call as Python values; a tuple that holds names stays a tree."""
    return {k.arg: value_of(k.value) for k in node.keywords}


def value_of(node: gast.expr) -> object:
    if isinstance(node, gast.Constant):
        return node.value
    if isinstance(node, gast.Tuple):
        values = tuple(value_of(e) for e in node.elts)
        return node if any(isinstance(v, gast.AST) for v in values) else values
    return node


def children_of(node: gast.AST) -> list[gast.AST]:
    """The nodes right below a node, contexts left out."""
    kind = type(node)
    if kind is Constant:
        return []
    if kind is Name:
        annotation = getattr(node, "annotation", None)
        return [] if annotation is None else [annotation]
    if kind is gast.BinOp:
        return [node.left, node.op, node.right]
    found: list[gast.AST] = []
    for field in node._fields:
        part = getattr(node, field, None)
        if type(part) is list:
            found.extend([p for p in part if isinstance(p, gast.AST)])
        elif field != "ctx" and isinstance(part, gast.AST):
            found.append(part)
    return found


def nodes_of(node: gast.AST) -> list[gast.AST]:
    """The node and every node inside it, contexts left out; the outer ones first."""
    found = [node]
    for inner in found:
        found.extend(children_of(inner))
    return found


def own_nodes(statement: gast.stmt) -> list[gast.AST]:
    """Every node inside a statement, but for those of the statements in its blocks."""
    return [n for part in children_of(statement) if not isinstance(part, gast.stmt) for n in nodes_of(part)]


def names_read(node: gast.AST) -> list[str]:
    """Every name an expression or statement reads, operators left out, in source order, repeats kept."""
    found: list[str] = []
    _collect_reads(node, found)
    return found


def _collect_reads(node: gast.AST, found: list[str]) -> None:
    """`names_read`, by the class of the node: this is the innermost loop of the compiler."""
    kind = type(node)
    if kind is Name:
        if not isinstance(node.ctx, WRITING):
            found.append(node.id)
    elif kind is Constant:
        return
    elif kind is Assign and type(node.targets[0]) is Name:
        _collect_reads(node.value, found)
    elif kind is Call:
        for argument in node.args:
            if type(argument) is Name:
                found.append(argument.id)
            elif type(argument) is not Constant:
                _collect_reads(argument, found)
        for keyword in node.keywords:
            if type(keyword.value) is not Constant:
                _collect_reads(keyword.value, found)
    elif kind is gast.Subscript or kind is gast.Tuple:
        for inner in (node.value, node.slice) if kind is gast.Subscript else node.elts:
            _collect_reads(inner, found)
    else:
        for part in children_of(node):
            _collect_reads(part, found)


def calls_in(node: gast.AST) -> list[gast.Call]:
    """Every call in an expression or statement, outer before inner, nested statements included."""
    found: list[gast.Call] = []
    _collect_calls(node, found)
    return found


def _collect_calls(node: Any, found: list[gast.Call]) -> None:
    kind = type(node)
    if kind is Name or kind is Constant:
        return
    if kind is Call:
        found.append(node)
        for argument in node.args:
            if type(argument) is not Name and type(argument) is not Constant:
                _collect_calls(argument, found)
        for keyword in node.keywords:
            if type(keyword.value) is not Constant:
                _collect_calls(keyword.value, found)
        if type(node.func) is not Name:
            _collect_calls(node.func, found)
        return
    for part in children_of(node):
        _collect_calls(part, found)


def form_of(node: Any, named: Callable[[str], Hashable] | None = None) -> Hashable:
    """A value that is equal for equal trees, and for no others; `named` says what names are equal to in it."""
    kind: Any = type(node)
    if kind is Name:
        return node.id if named is None else named(node.id)
    if kind is Constant:
        return kind, repr(node.value)
    if kind is Call and type(node.func) is Name:
        operands = [a.id if named is None and type(a) is Name else form_of(a, named) for a in node.args]
        return (kind, node.func.id, *operands, *[(k.arg, form_of(k.value, named)) for k in node.keywords])
    if isinstance(node, gast.AST):
        return (kind, *(form_of(getattr(node, field, None), named) for field in node._fields if field != "ctx"))
    if isinstance(node, list | tuple):
        return (list, *[form_of(part, named) for part in node])
    return (repr(node),)


def imported_as(alias: gast.alias) -> str:
    """The name that an import binds: `a` by `import a.b`."""
    name: str = alias.asname or alias.name.partition(".")[0]
    return name


def names_bound(statement: gast.stmt) -> tuple[str, ...]:
    """The names one statement binds itself, bodies of compound statements left out; an element store binds none."""
    kind = type(statement)
    if kind is Assign:
        targets = statement.targets
        if len(targets) == 1 and type(targets[0]) is Name:
            return (targets[0].id,)
        return tuple(name for place in targets for name in _names_of_place(place))
    return (statement.target.id,) if kind is gast.For else ()


def _names_of_place(place: gast.expr) -> tuple[str, ...]:
    if isinstance(place, gast.Name):
        return (place.id,)
    return tuple(e.id for e in place.elts) if isinstance(place, gast.Tuple) else ()


def stored_base(statement: gast.stmt) -> str | None:
    """The array whose elements a statement overwrites: `a` in `a[i] = v`."""
    if type(statement) is Assign and type(statement.targets[0]) is gast.Subscript:
        return statement.targets[0].value.id
    return None


def blocks_of(statement: gast.stmt) -> tuple[list[gast.stmt], ...]:
    """The nested bodies of a compound statement."""
    kind = type(statement)
    if kind is gast.If:
        return (statement.body, statement.orelse)
    return (statement.body,) if kind is gast.For or kind is gast.While else ()


def names_changed(statement: gast.stmt) -> list[str]:
    """The names that a statement itself gives a value, or takes it from."""
    if isinstance(statement, gast.Delete):
        return [target.id for target in statement.targets]
    return list(names_bound(statement))


def walk(body: Iterable[gast.stmt]) -> list[gast.stmt]:
    """Every statement, outer before inner, in order."""
    found: list[gast.stmt] = []
    for statement in body:
        found.append(statement)
        if type(statement) in COMPOUND:
            for block in blocks_of(statement):
                found += walk(block)
    return found


def names_of(parameters: Sequence[str], body: Iterable[gast.stmt]) -> dict[str, None]:
    """Every name a function mentions, in order; operators and functions are not among them."""
    found = dict.fromkeys(parameters)
    for statement in walk(body):
        for mentioned in (*names_bound(statement), *names_read(statement)):
            found[mentioned] = None
    return found


# --- rewriting -----------------------------------------------------------------------------------------------------


def rebuild(node: Node, **changes: object) -> Node:
    """A shallow copy with some fields replaced; span and all else are kept."""
    kind = node.__class__
    fresh = kind.__new__(kind)
    fresh.__dict__ = {**node.__dict__, **changes}
    return fresh


def map_names(node: Any, change: Callable[[str], Any]) -> Any:
    """Replace every name that is read by `change(id)` (a `str` renames, a node substitutes); operators are kept."""
    kind = type(node)
    if kind is Name:
        new = change(node.id)
        if new is node.id or new == node.id:
            return node
        return rebuild(node, id=new) if isinstance(new, str) else new
    if kind is Constant or node is None:
        return node
    if kind is Call:
        keywords = [
            k if type(k.value) is Constant else rebuild(k, value=map_names(k.value, change)) for k in node.keywords
        ]
        return rebuild(node, args=[map_names(a, change) for a in node.args], keywords=keywords)
    changes: dict[str, object] = {}
    for field_ in node._fields:
        old = getattr(node, field_, None)
        if isinstance(old, list):
            changes[field_] = [map_names(o, change) if isinstance(o, gast.AST) else o for o in old]
        elif isinstance(old, gast.expr):
            changes[field_] = map_names(old, change)
    return rebuild(node, **changes)


def same(left: object, right: object) -> bool:
    """Whether two trees are equal but for spans."""
    if left is right:
        return True
    if type(left) is not type(right):
        return isinstance(left, list | tuple) and isinstance(right, list | tuple) and _all_same(left, right)
    if isinstance(left, gast.AST):
        parts, others = left.__dict__, right.__dict__
        return all(same(parts.get(f), others.get(f)) for f in left._fields)
    if isinstance(left, list | tuple):
        return _all_same(left, right)  # type: ignore[arg-type]
    return (left == right or (left != left and right != right)) and repr(left) == repr(right)


def _all_same(left: Sequence[object], right: Sequence[object]) -> bool:
    return len(left) == len(right) and all(map(same, left, right))
