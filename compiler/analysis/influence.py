"""What the inputs of a program may change: values, lengths, and which statements run; and what of it by jumps.

    y = floor(x)                  x changes y by jumps: nothing of its derivative passes
    y = x % 2.0                   the same, although its slope is one
    k = argmax(x); z = w[k]       x changes k and z by jumps
    if k > 0: s = a               x changes s by jumps
    n = dim(x, axis=0)            x changes n only where its length follows from values, as that of `x[x > 0]` does

Names are followed without regard to the order of statements, and functions that call each other are solved together.
A length has a node of its own, `x#`, as has the length of a list; `xs@` is that of the arrays in a list.  What changes
by jumps has one more, `!x`, and all that it changes has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import gast

from .. import syntax
from ..diagnostics import Span
from ..ops.schema import row_of
from ..program import Function, Program
from ..types import ListOf, Type, is_floating
from .activity import closure, result_names, results_of

Edge = tuple[str, str]
Ways = Mapping[str, set[Edge]]
JUMPED = "!"


def influenced(program: Program, parameters: Iterable[str]) -> set[str]:
    """The names of the entry, and lengths as `x#`, that change where these parameters do."""
    return {node.removeprefix(JUMPED) for node in _reached(program, parameters)}


def jumped(program: Program, parameters: Iterable[str]) -> set[str]:
    """The names of the entry, and lengths as `x#`, that change by jumps where these parameters change.

    A function with a rule for its derivative does where its rule says nothing of a result.
    """
    return {node.removeprefix(JUMPED) for node in _reached(program, parameters) if node.startswith(JUMPED)}


def first_jump(program: Program, parameters: Iterable[str]) -> Span | None:
    """Where the entry first takes a float that these parameters change to something that jumps."""
    found, function = influenced(program, parameters), program.main
    for statement in syntax.walk(function.body):
        match statement:
            case gast.If(test=test) | gast.While(test=test):
                jumps = set(syntax.names_read(test))
            case gast.Assign(targets=[gast.Name() | gast.Tuple()]):
                jumps = jumping(statement, function.types)
            case _:
                continue
        if jumps & found and (span := getattr(statement, "span", None)) is not None:
            return span
    return None


def _reached(program: Program, parameters: Iterable[str]) -> set[str]:
    ways: dict[str, set[Edge]] = {name: set() for name in program.functions}
    ruled = {name: _ways_of_rule(function) for name, function in program.functions.items()}
    changed = True
    while changed:
        changed = False
        for name, function in program.functions.items():
            found = _ways(function, list(_edges(function.body, (), function, program, ways)))
            told = {(parameter, JUMPED + node) for parameter, out in ruled[name] for node in _nodes(out)}
            found = found - told | ruled[name]
            changed |= found != ways[name]
            ways[name] = found
    return closure(parameters, _edges(program.main.body, (), program.main, program, ways))


def _ways_of_rule(function: Function) -> set[Edge]:
    """What the user gives a slope of, whatever is in the function."""
    rule = function.rule
    if rule is None or rule.kind not in ("vjp", "jvp"):
        return set()
    return {(function.parameters[k], str(out)) for k in rule.wrt for out in rule.outs}


def _ways(function: Function, edges: Sequence[Edge]) -> set[Edge]:
    """From which parameters and lengths a change gets to which results, by number, and lists that are handed in."""
    outs: dict[str, list[str]] = {}
    for k, name in enumerate(result_names(function)):
        for node in _nodes(name) if name else ():
            outs.setdefault(node, []).append(f"{k}{node[len(name) :]}")
    lists = {node for p in function.parameters if isinstance(function.types[p], ListOf) for node in _nodes(p)}
    found: set[Edge] = set()
    for parameter in function.parameters:
        for node in _nodes(parameter):
            for reached in closure({node}, edges):
                mark, name = _marked(reached)
                found |= {(node, mark + out) for out in outs.get(name, ())}
                if name in lists and reached != node:
                    found.add((node, reached))
    return found


def _marked(node: str) -> tuple[str, str]:
    return (JUMPED, node[1:]) if node.startswith(JUMPED) else ("", node)


def _nodes(name: str) -> tuple[str, str, str]:
    return name, f"{name}#", f"{name}@"


def _edges(
    body: Sequence[gast.stmt], control: tuple[str, ...], function: Function, program: Program, ways: Ways
) -> Iterator[Edge]:
    """`control` are the nodes that decide whether the statements run."""
    for source, target in _changes(body, control, function, program, ways):
        yield source, target
        if not source.startswith(JUMPED):
            yield JUMPED + source, JUMPED + target.removeprefix(JUMPED)


def _changes(
    body: Sequence[gast.stmt], control: tuple[str, ...], function: Function, program: Program, ways: Ways
) -> Iterator[Edge]:
    for statement in body:
        match statement:
            case gast.If(test=test) | gast.While(test=test) | gast.For(iter=test):
                inner = (*control, *_read(test))
                yield from ((s, JUMPED + name) for s in inner for name in syntax.names_bound(statement))
                for block in syntax.blocks_of(statement):
                    yield from _changes(block, inner, function, program, ways)
            case gast.Assign(value=value) | gast.Expr(value=value):
                made = list(_of_simple(statement, value, function, program, ways))
                changed = dict.fromkeys([*_changed(statement, function), *(_marked(target)[1] for _, target in made)])
                yield from made
                yield from ((source, JUMPED + target) for source in control for target in changed)


def _changed(statement: gast.stmt, function: Function) -> Iterator[str]:
    """What a statement gives a value, or changes in place: of a list its length as well."""
    for name in syntax.names_bound(statement):
        yield from _nodes(name)
    if (base := syntax.stored_base(statement)) is not None:
        yield base
    for call in syntax.calls_in(statement):
        yield from (n for a in call.args if isinstance(a, gast.Name) and isinstance(function.types.get(a.id), ListOf)
                    for n in _nodes(a.id) if syntax.operator_of(call) != "length")  # fmt: skip


def _of_simple(
    statement: gast.stmt, value: gast.expr, function: Function, program: Program, ways: Ways
) -> Iterator[Edge]:
    operator = syntax.operator_of(value) or ""
    if operator in program.functions:
        yield from _of_call(statement, value, program.functions[operator], ways[operator])
        return
    read = _read(value)
    lengths = [f"{name}#" for name in syntax.names_read(value)]
    match statement:
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base), slice=items)]):
            yield from ((source, base) for source in (*read, *_read(items)))
            yield from ((length, f"{base}@") for length in lengths)
        case gast.Expr(value=gast.Call(args=[gast.Name(id=base), *given])):
            yield from ((source, base) for one in given for source in _read(one))
            yield from ((f"{name}#", f"{base}@") for one in given for name in syntax.names_read(one))
        case _:
            shapes = [*lengths, *_read_for_shape(value), *(f"{n}@" for n in syntax.names_read(value))]
            jumps = jumping(statement, function.types)
            for name in syntax.names_bound(statement):
                yield from ((source, JUMPED + name if source in jumps else name) for source in read)
                yield from ((source, f"{name}#") for source in shapes)
                yield from ((f"{n}@", f"{name}@") for n in syntax.names_read(value))


def _of_call(statement: gast.stmt, call: gast.Call, callee: Function, ways: set[Edge]) -> Iterator[Edge]:
    argument_of = {p: a.id for p, a in zip(callee.parameters, call.args) if isinstance(a, gast.Name)}
    places = results_of(statement)
    for source, out in ways:
        name, mark = _split(source)
        target, end = _split(out)
        jump, target = _marked(target)
        place = places[int(target)] if target.isdigit() else argument_of[target]
        if name in argument_of:
            yield argument_of[name] + mark, jump + place + end


def _split(node: str) -> tuple[str, str]:
    return (node[:-1], node[-1]) if node[-1] in "#@" else (node, "")


def _read(node: gast.AST) -> list[str]:
    """The nodes that an expression reads: of an array or a list that is asked for a length only that."""
    asked = [call.args[0] for call in syntax.calls_in(node) if syntax.operator_of(call) in ("dim", "length")]
    names = syntax.names_read(node)
    for array in asked:
        if isinstance(array, gast.Name):
            names.remove(array.id)
    return [*names, *(f"{array.id}#" for array in asked if isinstance(array, gast.Name))]


def _read_for_shape(value: gast.expr) -> list[str]:
    """The names whose values decide on the lengths of a result: bounds of slices, masks, and static shapes."""
    if isinstance(value, gast.Subscript):
        return _read(value.slice)
    return [name for keyword in getattr(value, "keywords", ()) for name in _read(keyword.value)]


def jumping(statement: gast.stmt, types: Mapping[str, Type]) -> set[str]:
    """The floats that change the result of an assignment by jumps: where it is no float, and where its row says so."""
    value = statement.value
    floats = {name for name in syntax.names_read(value) if is_floating(types[name])}
    if not all(is_floating(types[name]) for name in syntax.names_bound(statement)):
        return floats
    row = row_of(syntax.operator_of(value))
    if row is None:
        return set()
    slopes = row.partials or row.vjp
    if len(slopes) < len(value.args):  # any number of operands
        slopes = slopes[:1] * len(value.args)
    flat = {a.id for a, slope in zip(value.args, slopes) if isinstance(a, gast.Name) and (slope is None or row.jumps)}
    return floats & flat
