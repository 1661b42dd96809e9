"""Copy what would otherwise change through an alias: CPython shares elements where the language has values.

    y = x[1:]            ->     y = x[1:].copy()
    x[0] = 5.0                  x[0] = 5.0
    return y                    return y

Takes typed functions in which a pass has let a view or an alias outlive a store into what it shares elements with, and
gives ones without a conflict (`analysis/memory/alias`).  The copy is made where the sharing begins, and nowhere else.
Results of a call are copied where the function that is called may show its arguments in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gast

from .. import syntax
from ..analysis.memory.alias import NOTHING, AliasConflict, Shared, conflicts, stored_names
from ..analysis.memory.handed_back import handed_back
from ..diagnostics import InternalError
from ..names import Names
from ..program import Function, Program
from ..renaming import rename, with_blocks
from ..types import Array, Type


def copies(program: Program) -> Program:
    """The program with copies at the root of every conflict; what is relied on then of a function stays so."""
    if len(program.functions) == 1:
        return program.map(with_copies)
    if not any(stored_names(s) for function in program.functions.values() for s in syntax.walk(function.body)):
        return program
    calls = handed_back(program)
    made = program.map(lambda function: with_copies(function, calls))
    return made.map(lambda f: f.with_(keeps_apart=True) if f.name in calls and not f.keeps_apart else f)


def with_copies(function: Function, calls: Mapping[str, Shared] = NOTHING) -> Function:
    """The function with copies at the root of every conflict; the same object where there is none."""
    for _ in range(1 + len(function.types) + sum(1 for _ in syntax.walk(function.body))):
        found = conflicts(function, calls=calls)
        if not found:
            return function
        function = resolve(function, found[0])
    raise InternalError("copies", gast.dump(found[0].store), "copies do not resolve this conflict")


def resolve(function: Function, conflict: AliasConflict) -> Function:
    """One conflict less: copy where the two names began to share."""
    types = dict(function.types)
    names = Names({*types, *function.parameters, *_symbols(types)})
    if conflict.origin is None:
        return _copy_parameter(function, conflict.stored, names)
    origin = conflict.origin
    made = _copied(conflict, types, names)
    if made is None:
        raise InternalError("copies", gast.dump(origin), "what is shared here cannot be copied")
    hidden = function.temporaries | ({*types} - {*function.types}) if function.temporaries else frozenset()
    return function.with_(body=tuple(_replace(function.body, origin, made)), types=types, temporaries=hidden)


def _copied(conflict: AliasConflict, types: dict[str, Type], names: Names) -> list[gast.stmt] | None:
    """The statements that do what the origin of a conflict does with elements of their own."""
    origin = conflict.origin
    span, inlined = getattr(origin, "span", None), getattr(origin, "inlined", ())
    match origin:
        case gast.Assign(targets=[gast.Name(id=name)], value=gast.Name() as source) if isinstance(types[name], Array):
            return [syntax.rebuild(origin, value=syntax.call("copy", source))]
        case gast.Assign(targets=[gast.Name(id=name)], value=value) if isinstance(types[name], Array):
            shared = names.fresh("t")
            types[shared] = types[name]
            view = syntax.at(syntax.assign(shared, value), span, inlined)
            return [view, syntax.rebuild(origin, value=syntax.call("copy", shared))]
        case gast.Assign(targets=[gast.Tuple(elts=places)]):
            results = [p.id for p in places]
            own = next(n for n in (conflict.stored, conflict.other, *results) if n in results)
            return _with_copied_results(origin, own, results, types, names)
        case gast.Expr(value=gast.Call(func=gast.Name(id="append"), args=[list_, gast.Name(id=item)])):
            own = names.fresh(item)
            types[own] = types[item]
            made = syntax.at(syntax.assign(own, syntax.call("copy", item)), span, inlined)
            return [made, syntax.rebuild(origin, value=syntax.call("append", list_, own))]
        case gast.Assign(targets=[gast.Subscript()], value=gast.Name(id=item)):
            own = names.fresh(item)
            types[own] = types[item]
            made = syntax.at(syntax.assign(own, syntax.call("copy", item)), span, inlined)
            return [made, syntax.rebuild(origin, value=syntax.name(own))]
    return None


def _with_copied_results(
    call: gast.Assign, name: str, results: Sequence[str], types: dict[str, Type], names: Names
) -> list[gast.stmt]:
    """`y_1, k = f(x)` and `y = copy(y_1)`: the arrays that a call gives may be its arguments."""
    span, inlined = getattr(call, "span", None), getattr(call, "inlined", ())
    given = names.fresh(name)
    types[given] = types[name]
    called = syntax.at(syntax.assign([given if n == name else n for n in results], call.value), span, inlined)
    return [called, syntax.at(syntax.assign(name, syntax.call("copy", given)), span, inlined)]


def _copy_parameter(function: Function, name: str, names: Names) -> Function:
    """Work on a copy of an argument: the caller's array is not ours."""
    own = names.fresh(name)
    renamed = rename(function, {name: own})
    first = function.body[0]
    made = syntax.assign(own, syntax.call("copy", name))
    syntax.at(made, getattr(first, "span", None), getattr(first, "inlined", ()))
    return renamed.with_(body=(made, *renamed.body), types={name: function.types[name], **renamed.types})


def _replace(statements: Sequence[gast.stmt], old: gast.stmt, made: list[gast.stmt]) -> list[gast.stmt]:
    replaced: list[gast.stmt] = []
    for statement in statements:
        if statement is old:
            replaced += made
            continue
        replaced.append(with_blocks(statement, [_replace(b, old, made) for b in syntax.blocks_of(statement)]))
    return replaced


def _symbols(types: dict[str, Type]) -> set[str]:
    dims = [d for t in types.values() if isinstance(t, Array) for d in t.dims if not isinstance(d, int)]
    return {s for d in dims for s in d.symbols()}
