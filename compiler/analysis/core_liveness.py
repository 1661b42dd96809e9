"""Which variables of a core function are read later: liveness on the user's own names.

    live_after(tree)[id(statement)]  ->  names that may be read once the statement is done

Functions defined inside read what they mention at any time, so those names stay live throughout.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import gast

from ..syntax import imported_as, nodes_of
from ..vocabulary import CHANGING_METHODS
from .at_places import place_of

COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def live_after(tree: gast.FunctionDef) -> dict[int, frozenset[str]]:
    table: dict[int, frozenset[str]] = {}
    captured = frozenset(n for inner in _inner_functions(tree.body) for n in reads(inner))
    _block(tree.body, captured, table, captured)
    return table


def _block(body: Sequence[gast.stmt], after: frozenset[str], table: dict, always: frozenset[str]) -> frozenset[str]:
    """Liveness before a block, given liveness after it."""
    for statement in reversed(body):
        table[id(statement)] = after
        after = _statement(statement, after, table, always)
    return after


def _statement(node: gast.stmt, after: frozenset[str], table: dict, always: frozenset[str]) -> frozenset[str]:
    match node:
        case gast.If(test=test, body=body, orelse=orelse):
            then = _block(body, after, table, always)
            other = _block(orelse, after, table, always)
            return then | other | frozenset(reads(test))
        case gast.For() | gast.While():
            return _loop(node, after, table, always)
        case gast.Try():
            return _try(node, after, table, always)
    bound = frozenset() if isinstance(node, gast.AugAssign) else frozenset(whole_targets(node))
    return (after - bound | frozenset(reads(node))) | always


def _try(node: gast.Try, after: frozenset[str], table: dict, always: frozenset[str]) -> frozenset[str]:
    """What a handler reads may be read at any point of the block; the table has what is live after both of them."""
    final = _block(node.finalbody, after, table, always)
    handlers = final
    for handler in node.handlers:
        inside = _block(handler.body, final, table, always)
        handlers |= inside | (frozenset(reads(handler.type)) if handler.type is not None else frozenset())
    behind = _block(node.orelse, final, table, always) | handlers
    table[id(node.body)], table[id(node.handlers)] = behind, final
    return _block(node.body, behind, table, always | handlers) | handlers


def _loop(node: gast.For | gast.While, after: frozenset[str], table: dict, always: frozenset[str]) -> frozenset[str]:
    header = frozenset(reads(node.test)) if isinstance(node, gast.While) else frozenset()
    bound = frozenset(targets(node.target)) if isinstance(node, gast.For) else frozenset()
    live = after | header
    while True:
        before = _block(node.body, live, table, always) - bound | header | after
        if before <= live:
            break
        live |= before
    start = live | (frozenset(reads(node.iter)) if isinstance(node, gast.For) else frozenset())
    return start


def live_in_loop(node: gast.For | gast.While, table: Mapping[int, frozenset[str]]) -> frozenset[str] | None:
    """The names whose value at the start of an iteration may be read: by the body, the test, or after the loop.

    None where the table knows nothing of the loop.
    """
    return table.get(id(node.body[-1]))


def reads(node: gast.AST) -> Iterator[str]:
    """The variables that are read; a comprehension has its own."""
    if isinstance(node, COMPREHENSIONS):
        yield from _of_comprehension(node)
        return
    nodes = list(nodes_of(node))
    for inner in nodes:
        if type(inner) in COMPREHENSIONS:
            nodes = [node]  # its parts are asked one by one
            for child in gast.iter_child_nodes(node):
                yield from reads(child)
            break
    for inner in nodes:
        if isinstance(inner, gast.Name) and not isinstance(inner.ctx, gast.Store | gast.Param):
            yield inner.id
        elif isinstance(inner, gast.AugAssign) and isinstance(inner.target, gast.Name):
            yield inner.target.id


def _of_comprehension(node: gast.expr) -> Iterator[str]:
    """What is gone over first is read outside; the rest where the comprehension's own variables are."""
    first, *others = node.generators
    own = {name for each in node.generators for name in targets(each.target)}
    yield from reads(first.iter)
    made = [getattr(node, name) for name in ("elt", "key", "value") if hasattr(node, name)]
    inside = [*made, *first.ifs, *(part for each in others for part in (each.iter, *each.ifs))]
    yield from (name for part in inside for name in reads(part) if name not in own)


def targets(node: gast.AST) -> Iterator[str]:
    """The variables an assignment target binds; `a[i]` binds none."""
    match node:
        case gast.Name(id=id_):
            yield id_
        case gast.Tuple(elts=elements) | gast.List(elts=elements):
            for element in elements:
                yield from targets(element)
        case gast.Starred(value=value):
            yield from targets(value)


def statements(body: Sequence[gast.stmt]) -> Iterator[gast.stmt]:
    """Every statement of a block, those inside others too."""
    for node in body:
        yield node
        for inner in blocks(node):
            yield from statements(inner)


def blocks(node: gast.stmt) -> list[Sequence[gast.stmt]]:
    """The blocks inside a statement; none of a function, which runs elsewhere."""
    if isinstance(node, gast.FunctionDef):
        return []
    own = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
    return [*own, *(handler.body for handler in getattr(node, "handlers", []))]


def walrus_targets(node: gast.AST) -> set[str]:
    """The variables that `:=` binds anywhere in a statement."""
    return {inner.target.id for inner in nodes_of(node) if isinstance(inner, gast.NamedExpr)}


def whole_targets(node: gast.stmt) -> Iterator[str]:
    match node:
        case gast.Assign(targets=places):
            for place in places:
                yield from targets(place)
        case gast.AugAssign(target=place) | gast.AnnAssign(target=place):
            yield from targets(place)
        case gast.FunctionDef(name=name):
            yield name


def assigned(body: Sequence[gast.stmt]) -> set[str]:
    """Every variable that a block may bind, functions inside left out."""
    found: set[str] = set()
    for node in body:
        found |= set(whole_targets(node))
        found |= walrus_targets(node)
        match node:
            case gast.For(target=target, body=inner_body):
                found |= set(targets(target)) | assigned(inner_body)
            case gast.While(body=inner_body):
                found |= assigned(inner_body)
            case gast.Import() | gast.ImportFrom():
                found |= set(map(imported_as, node.names))
            case gast.If() | gast.Try():
                found |= {name for inner in blocks(node) for name in assigned(inner)}
                found |= {h.name.id for h in getattr(node, "handlers", []) if h.name is not None}
    return found


def changed_inside(body: Sequence[gast.stmt]) -> set[str]:
    """Every variable whose elements a block may store into, or whose items it may append or pop."""
    found: set[str] = set()
    for statement in body:
        for inner in nodes_of(statement):
            if isinstance(inner, gast.Subscript) and isinstance(inner.ctx, gast.Store):
                found |= _root(inner)
            elif isinstance(inner, gast.AugAssign):
                found |= _root(inner.target)
            elif isinstance(inner, gast.Call) and isinstance(inner.func, gast.Attribute):
                if inner.func.attr in CHANGING_METHODS and place_of(inner) is None:
                    found |= _root(inner.func)
    return found


def _root(node: gast.AST) -> set[str]:
    while isinstance(node, gast.Subscript | gast.Attribute):
        node = node.value
    return {node.id} if isinstance(node, gast.Name) else set()


def _inner_functions(body: Sequence[gast.stmt]) -> Iterator[gast.AST]:
    for statement in body:
        for node in nodes_of(statement):
            if isinstance(node, gast.FunctionDef | gast.Lambda):
                yield node
