"""Replace names by other names, or by values, in statements as in expressions, at every stage below core.

    rename:  x_1 = sin(x)  ->  y = sin(x)         replace:  y = add(t, 1.0)  ->  y = add(2.0, 1.0)

Names change where they are read, where they are bound and, of arrays, where elements are stored, each in its own way.
`map_...` gives the same object where nothing changes, so that a pass can tell whether it did anything.  `copy_...`
gives new trees, but for names that stay and constants: where a statement comes to stand twice, analyses that
know an access or an operation by its tree distinguish them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import gast

from . import syntax
from .diagnostics import InternalError
from .program import Function

Change = Callable[[str], Any]  # of a name: to a name, or to a tree
Tree = Callable[[gast.expr], gast.expr]


def replace_reads(statement: gast.stmt, values: Mapping[str, gast.expr]) -> gast.stmt:
    """The statement itself (bodies untouched) with values for the names it reads; the array of a store stays a name."""
    return map_statement(statement, lambda id_: values.get(id_, id_), lambda id_: id_)


def rename(function: Function, names: Mapping[str, str]) -> Function:
    """The function with names changed everywhere; two names of one type may become one."""
    if not names:
        return function

    def change(id_: str) -> str:
        return names.get(id_, id_)

    body = map_body(function.body, lambda s: map_statement(s, change, change))
    types = {n: t for n, t in function.types.items() if n not in names}
    for old, new in names.items():
        if old in function.types:
            types[new] = function.types[old]
    order = dict.fromkeys(change(n) for n in function.types)
    hidden = frozenset(change(n) for n in function.temporaries if n not in names or change(n) in function.temporaries)
    return function.with_(body=tuple(body), types={n: types[n] for n in order if n in types}, temporaries=hidden)


def map_body(statements: Iterable[gast.stmt], change: Callable[[gast.stmt], gast.stmt]) -> list[gast.stmt]:
    """Apply `change` to every statement, outer before inner."""
    changed = []
    for statement in statements:
        made = change(statement)
        if type(made) in syntax.COMPOUND:
            made = with_blocks(made, [map_body(block, change) for block in syntax.blocks_of(made)])
        changed.append(made)
    return changed


def splice(
    statements: Iterable[gast.stmt], change: Callable[[gast.stmt], Sequence[gast.stmt] | None]
) -> list[gast.stmt]:
    """The statements with what `change` gives in place of some, outer before inner; None leaves one as it is."""
    made: list[gast.stmt] = []
    for statement in statements:
        new = change(statement)
        if new is not None:
            made += new
        else:
            made.append(with_blocks(statement, [splice(block, change) for block in syntax.blocks_of(statement)]))
    return made


def nothing_in(statement: gast.stmt) -> gast.Pass:
    """What stands in a block of a statement in which nothing is left."""
    return syntax.at(gast.Pass(), getattr(statement, "span", None), getattr(statement, "inlined", ()))


def with_blocks(statement: gast.stmt, blocks: Sequence[list[gast.stmt]]) -> gast.stmt:
    """A compound statement with other bodies; the same object where they hold the same statements."""
    old = syntax.blocks_of(statement)
    if all(len(a) == len(b) and all(x is y for x, y in zip(a, b)) for a, b in zip(old, blocks)):
        return statement
    return syntax.rebuild(statement, **dict(zip(("body", "orelse"), blocks)))


def map_statement(statement: gast.stmt, read: Change, bound: Change, stored: Change | None = None) -> gast.stmt:
    """One statement with its names changed; bodies stay as they are.  Elements are `stored` as names are bound."""
    return _changed(statement, lambda node: map_expression(node, read), bound, stored or bound)


def copy_statement(statement: gast.stmt, read: Change, bound: Change, stored: Change | None = None) -> gast.stmt:
    """A statement and all in it with names changed, in trees of its own."""
    made = _changed(statement, lambda node: syntax.map_names(node, read), bound, stored or bound)
    blocks = syntax.blocks_of(statement)
    inside = ([copy_statement(s, read, bound, stored) for s in block] for block in blocks)
    return syntax.rebuild(made, **dict(zip(("body", "orelse"), inside)))


def renamed(statement: gast.stmt, names: Mapping[str, str]) -> gast.stmt:
    """A copy of a statement with other names."""

    def change(name: str) -> str:
        return names.get(name, name)

    return copy_statement(statement, change, change)


def copied(node: gast.expr, names: Mapping[str, str]) -> gast.expr:
    """A copy of an expression, or of a target, with other names; operators are kept."""
    return syntax.map_names(node, lambda name: names.get(name, name))


def placed(made: list[gast.stmt], like: gast.stmt) -> list[gast.stmt]:
    """The statements, new ones as of the line that another is of."""
    for statement in syntax.walk(made):
        if statement.span is None:
            syntax.at(statement, like.span, getattr(like, "inlined", ()))
            statement.number = getattr(like, "number", 0)  # type: ignore[attr-defined]
    return made


def _changed(statement: gast.stmt, tree: Tree, bound: Change, stored: Change) -> gast.stmt:
    """The statement with what `tree` makes of its expressions; the same object where nothing changes."""
    made = _with_names(statement, tree, bound, stored)
    shows = getattr(statement, "shows", ())  # names for `analysis/memory/alias.py`, whose elements it shows
    named = tuple(map(bound, shows)) if shows else ()
    return made if named == shows else syntax.rebuild(made, shows=named)


def _with_names(statement: gast.stmt, tree: Tree, bound: Change, stored: Change) -> gast.stmt:
    if type(statement) is gast.Assign and type(statement.targets[0]) is gast.Name:  # most statements
        old, value = statement.targets[0], tree(statement.value)
        place = _place(old, tree, bound, stored)
        if place is old and value is statement.value:
            return statement
        return syntax.rebuild(statement, targets=[place], value=value)
    match statement:
        case gast.Assign(targets=[place], value=value):
            made: dict[str, Any] = {"targets": [_place(place, tree, bound, stored)], "value": tree(value)}
            if made["targets"][0] is place and made["value"] is value:
                return statement
        case gast.Expr(value=value) | gast.Return(value=value):
            made = {"value": tree(value)}
        case gast.For(target=target, iter=iter_):
            made = {"target": _place(target, tree, bound, stored), "iter": tree(iter_)}
        case gast.While(test=test) | gast.If(test=test):
            made = {"test": tree(test)}
        case gast.Raise(exc=gast.Call(args=values) as error):
            arguments = [tree(v) for v in values]
            same = all(a is b for a, b in zip(arguments, values))
            made = {"exc": error if same else syntax.rebuild(error, args=arguments)}
        case gast.Delete(targets=[gast.Name() as place]):
            made = {"targets": [_place(place, tree, bound, stored)]}
            if made["targets"][0] is place:
                return statement
        case gast.Pass():
            return statement
        case _:
            raise InternalError("rename", gast.dump(statement), "not a statement below the core stage")
    if all(getattr(statement, field) is new for field, new in made.items()):
        return statement
    return syntax.rebuild(statement, **made)


def map_expression(node: gast.expr, read: Change) -> gast.expr:
    """`syntax.map_names`, which gives the same object where no name changes; arrays of loads are only renamed."""
    for name in () if node is None else syntax.names_read(node):
        if read(name) != name:
            return _put(node, read)
    return node


def _put(node: gast.expr, read: Change) -> gast.expr:
    kind = type(node)
    if kind is gast.Name:
        return syntax.map_names(node, read)
    if kind is gast.Call:
        arguments = [a if type(a) is gast.Constant else map_expression(a, read) for a in node.args]
        keywords = [
            k if type(k.value) is gast.Constant else syntax.rebuild(k, value=map_expression(k.value, read))
            for k in node.keywords
        ]
        return syntax.rebuild(node, args=arguments, keywords=keywords)
    match node:
        case gast.Subscript(value=gast.Name(id=base) as array, slice=items):
            new = read(base)
            held = new if isinstance(new, str) else getattr(new, "id", base)
            made = syntax.rebuild(array, id=held) if held != base else array
            return syntax.rebuild(node, value=made, slice=map_expression(items, read))
        case gast.Tuple(elts=elements):
            return syntax.rebuild(node, elts=[map_expression(e, read) for e in elements])
        case gast.BoolOp(values=values):
            return syntax.rebuild(node, values=[map_expression(v, read) for v in values])
    return syntax.map_names(node, read)


def _place(place: gast.expr, tree: Tree, bound: Change, stored: Change) -> gast.expr:
    if type(place) is gast.Name:
        id_ = bound(place.id)
        return place if id_ == place.id else syntax.rebuild(place, id=id_)
    match place:
        case gast.Tuple(elts=elements):
            made = [_place(e, tree, bound, stored) for e in elements]
            return place if all(a is b for a, b in zip(made, elements)) else syntax.rebuild(place, elts=made)
        case gast.Subscript(value=gast.Name(id=base), slice=items):
            name, index = stored(base), tree(items)
            if name == base and index is items:
                return place
            return syntax.rebuild(place, value=syntax.name(name), slice=index)
    raise InternalError("rename", gast.dump(place), "not a target")
