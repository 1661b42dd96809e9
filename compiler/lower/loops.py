"""Turn array operators into loop nests over elements, with explicit buffers, guards and library calls.

    y = sin(x)               ->    y = empty(shape=(dim(x, axis=0),), dtype="f64")
    z = add(y, 1.0)                for i in prange(0, dim(x, axis=0), 1):
    return (z,)                        z[i] = add(sin(x[i]), 1.0)
                                   return (z,)

Takes typed programs, gives the loops language of docs/stages.md.  Array names stay graphs of nodes until their elements
are needed; what is needed once becomes part of the nest that needs it.  Keeps errors, their order and spans.  Leaves
the reuse of buffers, threads and vector instructions to others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gast

from .. import syntax
from ..analysis.integers.range_values import items_of
from ..analysis.memory.alias import Shared
from ..analysis.memory.handed_back import handed_back
from ..diagnostics import InternalError
from ..dtypes import INT_WORD
from ..ops import schema
from ..ops.forms import FORMS
from ..program import Function, Program
from ..types import Array, Extent, ListOf, Scalar
from . import calls, contractions, loads, reductions, structure
from .by_library import by_library
from .elementwise import creation, elementwise, made_lengths, refuse_negative
from .guards import raise_if
from .hazards import names_assigned, settle
from .lowering import Lowering
from .names_of_arrays import assign, assign_array, assign_opaque, decisions
from .nest import Nest, allocate, flush, materialise, realise, table
from .nodes import Node, ScalarTree, Stored
from .operands import apply, solid
from .scalars import scalar, truth


def lower(program: Program) -> Program:
    """The program of the loops stage, with the nests as they are written."""
    calls = handed_back(program)
    return program.map(lambda function: lower_function(function, program, calls))


def lower_function(function: Function, program: Program, calls: Mapping[str, Shared]) -> Function:
    low = Lowering(function, program, calls)
    low.locals.update(function.wishes)
    for name in function.parameters:
        if isinstance(function.types[name], Array):
            low.name_node(name, low.stored(name))
    require_lengths(low)
    for statement in function.body:
        lower_statement(low, statement)
    told = (*function.decisions, *decisions(low))
    return function.with_(body=tuple(low.body), stage="loops", types=low.types, decisions=told, wishes=low.locals)


def require_lengths(low: Lowering) -> None:
    """Compare the lengths that the types of the arguments take for equal, as native code does on entry."""
    first: dict[object, tuple[str, int]] = {}
    for name in low.function.parameters:
        type_ = low.function.types[name]
        for axis, extent in enumerate(type_.dims if isinstance(type_, Array) else ()):
            other = first.setdefault(extent, (name, axis))
            reason = low.function.reasons.get((name, axis)) or low.function.reasons.get(other)
            if other == (name, axis) or reason is None:
                continue
            low.span, low.inlined = reason.span, reason.inlined
            left, right = syntax.call("dim", other[0], axis=other[1]), syntax.call("dim", name, axis=axis)
            here, there = (f"`{n}` has length {{}} along axis {k}" for n, k in (other, (name, axis)))
            message = f"{here}, but {there}: {reason.words}"
            raise_if(low, syntax.call("not_equal", left, right), "ValueError", message, [left, right])


# --- statements ----------------------------------------------------------------------------------------------------


def lower_statement(low: Lowering, statement: gast.stmt) -> None:
    low.statement = statement
    low.span, low.inlined = getattr(statement, "span", None), getattr(statement, "inlined", ())
    settle(low, statement)
    match statement:
        case gast.Assign(targets=[gast.Name(id=name)], value=value):
            lower_assignment(low, name, value)
        case gast.Assign(targets=[gast.Tuple(elts=places)], value=gast.Call() as value):
            names = [place.id for place in places]
            if (row := schema.row_of(syntax.operator_of(value))) is None:
                calls.lower_call(low, names, value)
            else:
                by_library(low, names, row, value)
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=name)) as place], value=atom):
            calls.lower_store(low, name, place, atom)
        case gast.Expr(value=gast.Call() as value):
            calls.lower_effect(low, value)
        case gast.For():
            lower_for(low, statement)
        case gast.While(test=test, body=body):
            lower_while(low, statement, test, body)
        case gast.If():
            lower_if(low, statement)
        case gast.Raise(exc=gast.Call(func=gast.Name(id=exception), args=[message, *values])):
            flush(low)
            made = syntax.raise_(exception, message.value, *[scalar(low, v).tree for v in values])
            made.base = getattr(statement, "base", None)
            low.emit(made)
        case gast.Return(value=gast.Tuple(elts=atoms)):
            lower_return(low, atoms)
        case gast.Pass() | gast.Delete():
            pass
        case _:
            raise InternalError("loops", gast.dump(statement), "not a statement of the typed stage")


def lower_assignment(low: Lowering, name: str, value: gast.expr) -> None:
    match value:
        case gast.Name() | gast.Constant():
            lower_copy(low, name, value)
        case gast.Subscript(value=gast.Name(id=base)) if low.is_list(base):
            flush(low)
            assign_opaque(low, name, syntax.index(base, *items_of(value)))
        case gast.Subscript(value=gast.Name(id=base)):
            if low.raising and low.can_fail(value) and isinstance(low.function.types[name], Scalar):
                flush(low)
            items = items_of(value)
            assign(low, name, loads.load(low, name, low.resolve(low.nodes[base]), items))
        case gast.Call():
            lower_operator(low, name, value)
        case _:
            raise InternalError("loops", gast.dump(value), "not a right-hand side of the typed stage")


def lower_copy(low: Lowering, name: str, atom: gast.expr) -> None:
    """`name = atom`"""
    type_ = low.function.types[name]
    if isinstance(type_, Array):
        node = low.node(atom)
        low.uses[node] -= 1  # to get another name is no use of the elements
        assign_array(low, name, node)
    elif isinstance(type_, ListOf):
        low.assign(name, atom, type_)
    else:
        low.know(name, atom)
        assign(low, name, low.value(atom))


def lower_operator(low: Lowering, name: str, call: gast.Call) -> None:
    operator, type_ = str(syntax.operator_of(call)), low.function.types[name]
    static = {**_defaults(operator), **syntax.static_of(call)}
    if operator in low.program.functions:
        return calls.lower_call(low, [name], call)
    if operator in FORMS:
        flush(low)
        return assign_opaque(low, name, call)
    if operator == "dim":
        length = low.node(call.args[0]).lengths[static["axis"]]
        low.know(name, call)
        return assign(low, name, ScalarTree(length.clamped, INT_WORD, weak=True))
    row = schema.OPERATORS[operator]
    kind = row.kind
    if kind == "creation":
        return lower_creation(low, name, operator, call, static)
    if type(type_) is Scalar and low.are_scalars(call.args) and kind == "elementwise":
        return lower_scalars(low, name, operator, call, static)
    operands = [low.node(a) for a in call.args]
    if row.copies:
        low.uses[operands[0]] -= 1
        return assign_array(low, name, operands[0], is_copy=True)
    if kind == "reduction":
        return assign(low, name, reductions.reduction(low, name, operator, operands[0], static))
    if kind == "structural":
        return assign(low, name, structure.structure(low, name, operator, operands, static))
    if kind == "contraction":
        return assign(low, name, contractions.contraction(low, name, operator, operands, static))
    if kind == "library":
        return by_library(low, [name], row, call)
    if isinstance(type_, Array):
        node = elementwise(low, name, operator, operands, static)
        return assign_array(low, name, node, is_copy=node in operands)
    return lower_scalar_operator(low, name, operator, call, operands, static)


def _nothing(low: Lowering) -> gast.stmt:
    return syntax.at(gast.Pass(), low.span, low.inlined)


def _defaults(operator: str) -> dict:
    row = schema.OPERATORS.get(operator)
    if row is None or row.kind == "elementwise":
        return {}
    return {key: value for key, value in row.static.items() if value is not ...}


def lower_scalars(low: Lowering, name: str, operator: str, call: gast.Call, static: dict) -> None:
    """An operator on variables and constants alone, which needs no nest to evaluate it."""
    if low.raising and low.can_fail(call):
        flush(low)
    low.know(name, call)
    type_ = low.function.types[name]
    kept = {} if operator == "cast" else static
    assign(low, name, apply(operator, [low.value(a) for a in call.args], kept, type_))  # type: ignore[arg-type]


def lower_scalar_operator(
    low: Lowering, name: str, operator: str, call: gast.Call, operands: Sequence[Node], static: dict
) -> None:
    if low.raising and low.can_fail(call):
        flush(low)
    nest = Nest(low)
    nest.prepare(*((node, []) for node in operands))
    values = [nest.value(node, []) for node in operands]
    nest.finish()
    low.know(name, call)
    type_ = low.function.types[name]
    kept = {} if operator == "cast" else static
    assign(low, name, apply(operator, values, kept, type_))  # type: ignore[arg-type]


def lower_creation(low: Lowering, name: str, operator: str, call: gast.Call, static: dict) -> None:
    type_ = low.function.types[name]
    if operator == "empty":
        lengths = made_lengths(low, static["shape"], type_)  # type: ignore[arg-type]
        made = allocate(low, name if name not in low.facts.merged else low.fresh(name), lengths, type_.dtype)  # type: ignore
        return assign_array(low, name, low.stored(made, lengths))
    if operator == "table":
        return assign_array(low, name, table(low, name, static))
    node = creation(low, name, operator, [low.value(a) for a in call.args], static)
    if name not in low.facts.overwritten and operator != "arange":
        refuse_negative(low, node.lengths)
    return assign_array(low, name, node)


# --- the end ---------------------------------------------------------------------------------


def lower_return(low: Lowering, atoms: Sequence[gast.expr]) -> None:
    """Every result is a variable."""
    flush(low)
    names = [_returned(low, atom, type_) for atom, type_ in zip(atoms, low.function.results, strict=True)]
    low.emit(syntax.return_(names))


def _returned(low: Lowering, atom: gast.expr, type_: object) -> str:
    if isinstance(atom, gast.Name) and not isinstance(low.type_of(atom), Array):
        return atom.id
    if isinstance(type_, Scalar):
        value = low.value(atom)
        return low.assign(low.fresh("result"), value.tree if type_.weak else solid(value).tree, type_)
    node = low.node(atom)
    if isinstance(node, Stored):
        name = atom.id
        if node.name == name or low.may_share(node.name, name):
            return node.name
        # a branch that is over may have used the name for a view
        return materialise(low, node, low.fresh(name) if name in low.written else name).name
    return materialise(low, node).name


# --- blocks --------------------------------------------------------------------------------------------------------


def lower_block(low: Lowering, statements: Sequence[gast.stmt], outer: gast.stmt) -> list[str]:
    """Lower a nested block; the names it makes that are read after it are in memory then."""
    for statement in statements:
        lower_statement(low, statement)
    flush(low)
    leaving = []
    for name in dict.fromkeys(n for s in statements for n in syntax.names_bound(s)):
        is_array = isinstance(low.function.types.get(name), Array)
        if is_array and name not in low.facts.merged and name in low.live.after(outer):
            source = realise(low, low.nodes[name])
            if source.name != name:
                low.assign(name, syntax.name(source.name), source.type)
            leaving.append(name)
    return leaving


def _restore(low: Lowering, statement: gast.stmt, leaving: Sequence[str]) -> None:
    """After a compound statement: the arrays it made or changed are variables."""
    merged = [n for n in dict.fromkeys(names_assigned([statement])) if n in low.facts.merged]
    for name in (*leaving, *merged):
        if isinstance(low.function.types.get(name), Array):
            low.forget_lengths(name)
            low.nodes[name] = low.stored(name)


def lower_if(low: Lowering, statement: gast.If) -> None:
    test = truth(scalar(low, statement.test))
    leaving: list[str] = []
    blocks = []
    for statements in (statement.body, statement.orelse):
        with low.block() as body:
            leaving += lower_block(low, statements, statement)
        blocks.append(body)
    _place(low, statement)
    if not blocks[0]:
        test, blocks = syntax.call("logical_not", test), [blocks[1], []]
    if blocks[0]:
        low.emit(syntax.if_(test, *blocks))
    _restore(low, statement, leaving)


def lower_for(low: Lowering, statement: gast.For) -> None:
    variable, bounds = statement.target.id, statement.iter.args
    _forget_carried(low, statement)
    with low.block() as body:
        span = range_of(low, bounds)
        low.ranges.pop(variable, None)
        if span is not None:
            low.ranges[variable] = span
        leaving = lower_block(low, statement.body, statement)
    _place(low, statement)
    counts = isinstance(bounds[2], gast.Constant) and bounds[2].value != 0
    if not body and counts and variable not in low.live.after(statement):
        return  # no statement is left of it
    start, stop, step = bounds
    low.emit(syntax.for_range(variable, start, stop, step, body or [_nothing(low)], kind=statement.iter.func.id))
    _restore(low, statement, leaving)
    return


def range_of(low: Lowering, bounds: Sequence[gast.expr]) -> tuple[int, Extent] | None:
    """(least value, bound) of a loop variable that counts up from a constant to a known length."""
    start, stop, step = bounds
    if not (isinstance(step, gast.Constant) and step.value > 0 and isinstance(start, gast.Constant)):
        return None
    extent = low.extent_of(stop)
    return None if extent is None else (start.value, extent)


def lower_while(low: Lowering, statement: gast.While, test: gast.expr, body: Sequence[gast.stmt]) -> None:
    _forget_carried(low, statement)
    for name in dict.fromkeys(syntax.names_read(test)):
        if name in low.nodes:
            low.nodes[name] = realise(low, low.nodes[name])
    with low.block() as made:
        leaving = lower_block(low, body, statement)
    _place(low, statement)
    low.emit(syntax.while_(truth(scalar(low, test)), made or [_nothing(low)]))
    _restore(low, statement, leaving)


def _place(low: Lowering, statement: gast.stmt) -> None:
    low.span, low.inlined = getattr(statement, "span", None), getattr(statement, "inlined", ())


def _forget_carried(low: Lowering, statement: gast.stmt) -> None:
    for name in names_assigned([statement]):
        if name in low.facts.merged:
            low.forget_lengths(name)
