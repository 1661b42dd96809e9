"""Variables that an inner function rebinds, as lists of one item, which both functions change.

    total = 0.0                              total = [0.0]
    def add(value):                          def add(value):
        nonlocal total             ->            total[0] += value
        total += value
    add(x)                                   add(x)
    return total                             return total[0]

A variable can be such a list if the function that owns it binds it first of all, as a parameter or by an assignment
among its outermost statements, and binds it by nothing but assignments, loops and `:=`.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator

import gast

from ...syntax import constant, name, nodes_of, rebuild, target
from .located import located
from .scopes import FUNCTIONS, AnyFunction, Scope, scope_of

COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
OTHER_BINDINGS = (gast.Import, gast.ImportFrom, gast.ExceptHandler, gast.MatchAs, gast.MatchStar, gast.ClassDef)


def with_cells(tree: gast.FunctionDef) -> gast.FunctionDef:
    """The function with a list for each of its own variables that a function inside it rebinds; the tree is kept."""
    found = rebound_inside(tree)
    if not found:
        return tree
    parameters = scope_of(tree, None).parameters
    changed = _Cells(found).inside(copy.deepcopy(tree))
    body: list[gast.stmt] = []
    starts = {cell: _first(tree, cell) for cell in sorted(found - set(parameters))}
    for cell in sorted(found & set(parameters)):
        body.append(located(gast.Assign([target(cell)], gast.List([name(cell)], gast.Load()), None), tree.body[0]))
    for original, statement in zip(tree.body, changed.body, strict=True):
        for cell in [c for c, first in starts.items() if first is original]:
            empty = gast.List([constant(None)], gast.Load())
            body.append(located(gast.Assign([target(cell)], empty, None), original))
        body.append(statement)
    return rebuild(tree, body=body)


def rebound_inside(tree: gast.FunctionDef) -> frozenset[str]:
    """The variables of a function that functions inside it rebind."""
    if not [n for n in nodes_of(tree) if n.__class__ is gast.Nonlocal]:
        return frozenset()
    scope = scope_of(tree, None)
    return frozenset(n for inner in _inside(scope) for n, s in inner.declared.items()
                     if isinstance(s, gast.Nonlocal) and inner.parent and inner.parent.owner(n) is scope)  # fmt: skip


def can_be_cell(owner: AnyFunction, variable: str) -> bool:
    """Whether a variable of this function can be a list of one item."""
    if isinstance(owner, gast.Lambda):
        return False
    scope = scope_of(owner, None)
    for one in [scope, *_inside(scope)]:
        if one is not scope and variable in one.names:
            continue
        for node in one.nodes:
            bound = getattr(node, "name", None) if isinstance(node, OTHER_BINDINGS + FUNCTIONS) else None
            is_deleted = isinstance(node, gast.Name) and node.id == variable and isinstance(node.ctx, gast.Del)
            if is_deleted or bound == variable or variable in one.imported or _is_comprehensions(node, variable):
                return False
    return variable in scope.parameters or _first(owner, variable) is not None


def is_cell_stored(statement: gast.AST | None) -> bool:
    """Whether a statement rebinds a variable of a function around it."""
    found = [] if statement is None else nodes_of(statement)
    return any(getattr(n, "is_cell", False) and isinstance(n.ctx, gast.Store) for n in found)


def _inside(scope: Scope) -> Iterator[Scope]:
    for node in scope.nodes:
        if isinstance(node, gast.FunctionDef | gast.Lambda):
            inner = scope_of(node, scope)
            yield inner
            yield from _inside(inner)


def _is_comprehensions(node: gast.AST, variable: str) -> bool:
    return isinstance(node, COMPREHENSIONS) and any(
        isinstance(n, gast.Name) and n.id == variable for g in node.generators for n in nodes_of(g.target)
    )


def _first(tree: gast.FunctionDef | gast.AsyncFunctionDef, variable: str) -> gast.stmt | None:
    """The outermost statement that mentions a variable first, if it is an assignment which binds it."""
    for statement in tree.body:
        mentions = [n for n in nodes_of(statement) if isinstance(n, gast.Name) and n.id == variable]
        if mentions:
            is_bound = isinstance(statement, gast.Assign | gast.AnnAssign) and statement.value is not None
            return statement if is_bound and all(isinstance(n.ctx, gast.Store) for n in mentions) else None
        if any(isinstance(n, gast.Nonlocal) and variable in n.names for n in nodes_of(statement)):
            return None
    return None


class _Cells(gast.NodeTransformer):
    """Replaces the variable by the first item of the list, in the function and in those inside it."""

    def __init__(self, cells: frozenset[str]) -> None:
        self.cells = cells

    def inside(self, function: AnyFunction) -> AnyFunction:
        if isinstance(function, gast.Lambda):
            function.body = self.visit(function.body)
        else:
            function.body = [self.visit(statement) for statement in function.body]
        return function

    def visit_Name(self, node: gast.Name) -> gast.expr:
        if node.id not in self.cells:
            return node
        item = located(gast.Subscript(name(node.id), constant(0), node.ctx), node)
        item.is_cell = True
        return item

    def visit_AugAssign(self, node: gast.AugAssign) -> gast.stmt:
        node.value = self.visit(node.value)
        node.target = self.visit(node.target)
        return node

    def visit_AnnAssign(self, node: gast.AnnAssign) -> gast.stmt:
        if isinstance(node.target, gast.Name) and node.target.id in self.cells and node.value is not None:
            return located(gast.Assign([self.visit(node.target)], self.visit(node.value), None), node)
        return self.generic_visit(node)

    def visit_Nonlocal(self, node: gast.Nonlocal) -> gast.stmt:
        left = [n for n in node.names if n not in self.cells]
        return located(gast.Nonlocal(left) if left else gast.Pass(), node)

    def visit_FunctionDef(self, node: gast.FunctionDef) -> gast.AST:
        return self._function(node)

    def visit_Lambda(self, node: gast.Lambda) -> gast.AST:
        return self._function(node)

    def _function(self, node: AnyFunction) -> AnyFunction:
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [d if d is None else self.visit(d) for d in node.args.kw_defaults]
        left = self.cells - scope_of(node, None).names
        return _Cells(left).inside(node) if left else node
