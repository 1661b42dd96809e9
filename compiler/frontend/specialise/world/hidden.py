"""Arrays from outside are parameters of the program, after the arguments; functions that need them pass them on.

    def f(x): return W @ x               def f(x, W): ...
    def g(x, n): ... g(W @ x, n - 1)     def g(x, n, W): ... t = g(t_1, t_2, W)

A function gets such a parameter where it first reads the array.  What recursive functions need from each other is known
only when all are made, and is added then.
"""

from __future__ import annotations

from collections.abc import Mapping

import gast

from .....runtime.frozen import Place
from .... import syntax, types
from ....builder import Builder
from ....names import Names, from_path
from ....program import Function, Program
from ....types import Array, Type
from ..frame import Frame
from ..specialised import Hidden, HiddenKey
from ..values import Leaf


def hidden_leaf(frame: Frame, place: Place, index: int, type_: Type, path: tuple[object, ...]) -> Leaf:
    """The parameter for an array from outside."""
    wish = from_path(*path)
    wish = f"{wish}_frozen" if place.is_frozen else wish
    hidden = Hidden(place, index, type_, wish)
    frame.task.hidden.setdefault(hidden.key, hidden)
    return leaf_of(frame.builder, hidden, set(frame.variables))


def leaf_of(builder: Builder, hidden: Hidden, avoid: set[str]) -> Leaf:
    """The parameter in one function that stands for an array from outside."""
    name = builder.hidden.get(hidden.key)
    if name is None:
        name = builder.hidden[hidden.key] = builder.names.fresh(hidden.wish)
        builder.types[name] = type_ = fresh_lengths(builder, hidden.type, avoid)
        for axis, extent in enumerate(type_.dims if isinstance(type_, Array) else ()):
            builder.lengths.setdefault(extent, (name, axis))
        builder.arguments.append(name)
    return Leaf(name)


def fresh_lengths(builder: Builder, type_: Type, avoid: set[str]) -> Type:
    """Lengths written `any` become symbols of their own: n, m, k, ..."""
    if not isinstance(type_, Array):
        return type_
    dims: list[types.Extent] = []
    for extent in type_.dims:
        free = next((w for w in "nmklpqrsuvw" if w not in builder.symbols and w not in avoid), "n")
        dims.append(builder.fresh_symbol(free) if extent == types.symbol("any") else extent)
    return Array(type_.dtype, tuple(dims), type_.layout)


# --- when all functions are made -----------------------------------------------------------------------------------


def with_hidden(
    program: Program, own: Mapping[str, Mapping[HiddenKey, str]], known: Mapping[HiddenKey, Hidden]
) -> tuple[Program, tuple[Hidden, ...]]:
    """The program with its parameters from outside, and the arrays that those of the entry stand for.

    `own` has the names by which each function itself reads them.
    """
    calls = {name: called_by(function, program) for name, function in program.functions.items()}
    for name, function in program.functions.items():  # a function and those of its rule have the same hidden parameters
        together = {name, *function.rule.everything} if function.rule is not None else set()
        for one in together:
            calls[one] |= together - {one}
    needs = {name: set(own.get(name, ())) for name in program.functions}
    before = -1
    while before != (before := sum(map(len, needs.values()))):
        for name, called in calls.items():
            needs[name] |= {key for other in called for key in needs[other]}
    order = {name: [key for key in known if key in found] for name, found in needs.items()}
    if not any(order.values()):
        return program, ()
    functions = {
        name: _passing_on(function, own.get(name, {}), order, known) for name, function in program.functions.items()
    }
    return Program(program.entry, functions), tuple(known[key] for key in order[program.entry])


def called_by(function: Function, program: Program) -> set[str]:
    """The functions of the program that a function calls."""
    values = [s.value for s in syntax.walk(function.body) if isinstance(s, gast.Assign | gast.Expr)]
    names = {v.func.id for v in values if isinstance(v, gast.Call) and isinstance(v.func, gast.Name)}
    return names & program.functions.keys()


def _passing_on(
    function: Function, own: Mapping[HiddenKey, str], order: Mapping[str, list[HiddenKey]],
    known: Mapping[HiddenKey, Hidden],
) -> Function:  # fmt: skip
    wanted = order[function.name]
    if not wanted:
        return function
    taken = {*function.types, *function.parameters, *syntax.names_of(list(function.parameters), list(function.body))}
    builder = Builder(Names(taken), dict(function.types))
    builder.hidden = dict(own)
    names = {key: leaf_of(builder, known[key], set()).name for key in wanted}
    more = {name: [syntax.name(names[key]) for key in keys] for name, keys in order.items()
            if set(keys) <= names.keys()}  # fmt: skip

    def expression(node: gast.expr) -> gast.expr:
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and more.get(node.func.id):
            return syntax.rebuild(node, args=[*node.args, *more[node.func.id]])
        return node

    body = tuple(statement_with(statement, expression) for statement in function.body)
    return function.with_(parameters=(*function.parameters, *names.values()), body=body, types=builder.types)


def statement_with(node: gast.stmt, expression) -> gast.stmt:
    """A typed statement with its calls changed by `expression`."""
    if isinstance(node, gast.Assign | gast.Expr):
        return syntax.rebuild(node, value=expression(node.value))
    parts = {name: getattr(node, name) for name in ("body", "orelse") if getattr(node, name, None)}
    if not parts:
        return node
    return syntax.rebuild(node, **{k: [statement_with(one, expression) for one in body] for k, body in parts.items()})
