"""Say which names belong to which function of the source.

    def f(x):              Scope f: x, y, g
        y = x + 1
        def g(z):          Scope g, inside f: z;  `y` belongs to f, `np` to nobody here
            return np.sin(y * z)

Variables of comprehensions count as names of the function around them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import gast

from ...diagnostics import InternalError, Span
from ...records import dataclass
from ...syntax import children_of, imported_as
from .resolve_static import parameter_names

AnyFunction: TypeAlias = gast.FunctionDef | gast.AsyncFunctionDef | gast.Lambda
FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)
# Nodes with children that are not evaluated where the node is.
CLOSED = frozenset({*FUNCTIONS, gast.ClassDef, gast.AnnAssign})
# Nodes without children.
LEAVES = frozenset({gast.Constant, *gast.operator.__subclasses__()})
# Nodes that may bind a name.
BINDING = frozenset({
    gast.Name, gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Import, gast.ImportFrom, gast.Global,
    gast.Nonlocal, gast.ExceptHandler, gast.MatchAs, gast.MatchStar,
})  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """One function: its parameters, the names it binds, those of them bound to a single function, and its own nodes.

    What it imports is known from the import statement, and so is not a variable of its own.
    """

    node: AnyFunction
    parent: Scope | None
    parameters: tuple[str, ...]
    names: frozenset[str]
    functions: dict[str, AnyFunction]
    imported: frozenset[str]
    declared: dict[str, gast.stmt]  # name -> its `global` or `nonlocal` statement
    nodes: tuple[gast.AST, ...]

    @property
    def name(self) -> str:
        return getattr(self.node, "name", "lambda")

    def owner(self, name: str) -> Scope | None:
        """The innermost scope that binds a name, this one or one around it."""
        if name in self.names:
            return self
        if isinstance(self.declared.get(name), gast.Global):
            return None
        return self.parent.owner(name) if self.parent else None

    def is_local(self, name: str) -> bool:
        return self.owner(name) is not None


def parameters(function: AnyFunction) -> list[gast.Name]:
    """Every parameter as its node, in order, star parameters included."""
    a = function.args
    return [p for p in [*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg] if p is not None]


def name_span(parameter: gast.Name, file: str) -> Span:
    """The name of a parameter without its annotation."""
    end = parameter.col_offset + len(parameter.id.encode())
    return Span(file, parameter.lineno, parameter.col_offset, parameter.lineno, end)


def scope_of(node: AnyFunction, parent: Scope | None) -> Scope:
    names: dict[str, list[gast.AST | None]] = {name: [None] for name in parameter_names(node)}
    imported: set[str] = set()
    declared: dict[str, gast.stmt] = {}
    nodes = own_nodes(node)
    for child in nodes:
        if type(child) not in BINDING:
            continue
        match child:
            case gast.Name(id=name, ctx=gast.Store() | gast.Del()):
                names.setdefault(name, []).append(None)
            case gast.FunctionDef(name=name) | gast.AsyncFunctionDef(name=name) | gast.ClassDef(name=name):
                names.setdefault(name, []).append(child)
            case gast.Import(names=aliases) | gast.ImportFrom(names=aliases):
                imported |= set(map(imported_as, aliases))
            case gast.Global(names=listed) | gast.Nonlocal(names=listed):
                declared |= dict.fromkeys(listed, child)
            case gast.ExceptHandler(name=name) if name is not None:
                names.setdefault(name.id if isinstance(name, gast.AST) else name, []).append(None)
            case gast.MatchAs(name=name) | gast.MatchStar(name=name) if name is not None:
                names.setdefault(name, []).append(None)
    for name, function in _lambdas(nodes):
        names[name] = [function if found is None and len(names[name]) == 1 else found for found in names[name]]
    functions = {name: found[0] for name, found in names.items() if len(found) == 1 and isinstance(found[0], FUNCTIONS)}
    bound = frozenset(names) - frozenset(declared)
    return Scope(node, parent, parameter_names(node), bound, functions, frozenset(imported), declared, nodes)


def _lambdas(nodes: Iterable[gast.AST]) -> Iterator[tuple[str, gast.Lambda]]:
    """The names that are assigned a lambda."""
    for child in nodes:
        if type(child) is gast.Assign and type(child.value) is gast.Lambda:
            match child.targets:
                case [gast.Name(id=name)]:
                    yield name, child.value


def own_nodes(function: AnyFunction) -> tuple[gast.AST, ...]:
    """The nodes of a function's body, outer before inner; functions and classes inside are nodes, without theirs."""
    found: list[gast.AST] = []
    for node in [function.body] if isinstance(function, gast.Lambda) else function.body:
        _open(node, found)
    return tuple(found)


def _open(node: gast.AST, found: list[gast.AST]) -> None:
    found.append(node)
    if type(node) not in LEAVES:
        for child in evaluated_here(node):
            _open(child, found)


def evaluated_here(node: gast.AST) -> list[gast.AST]:
    """The children that are evaluated where the node is: for a function its defaults and decorators, not its body."""
    if type(node) not in CLOSED:
        return children_of(node)
    match node:
        case gast.FunctionDef() | gast.AsyncFunctionDef() | gast.Lambda():
            defaults = [default for default in node.args.kw_defaults if default is not None]
            return [*getattr(node, "decorator_list", ()), *node.args.defaults, *defaults]
        case gast.ClassDef():
            return list(node.decorator_list)
        case gast.AnnAssign():
            return [node.target] if node.value is None else [node.target, node.value]
    raise InternalError("scopes", gast.dump(node), "no case for this node")


def scopes(node: AnyFunction, parent: Scope | None = None) -> Iterator[Scope]:
    """The scope of a function and of every function and lambda inside it."""
    scope = scope_of(node, parent)
    yield scope
    for child in scope.nodes:
        if isinstance(child, FUNCTIONS):
            yield from scopes(child, scope)
