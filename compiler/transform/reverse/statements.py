"""The backward form of one assignment.

    y = sin(x)          x_bar += y_bar * cos(x)
    x = y               y_bar += x_bar
    g = x.T @ x         x_bar += x @ (g_bar + g_bar.T)

Loads and stores have files of their own (`loads.py`, `stores.py`).  A cotangent that is nothing yet gives no statements
at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gast

from ... import syntax
from ...analysis.activity import passing
from ...analysis.def_use import def_use
from ...analysis.memory.alias import stored_names
from ...diagnostics import InternalError
from ...ops.cotangents import as_type, cotangent, filled, masked
from ...ops.schema import OPERATORS, Operator, TypeFault
from ...ops.type_rules import dims_of, is_weak
from ...program import Function
from ...types import ListOf, Type, dtype_of
from . import lists, loads, stores
from .conditions import taken_of_result, taken_there
from .cotangents import Cotangents
from .refuse import refuse

if TYPE_CHECKING:
    from .sweep import Sweep


def backward(sweep: Sweep, frame: Cotangents, statement: gast.stmt) -> None:
    """Append the backward form of a simple statement to the frame."""
    frame.builder.span = getattr(statement, "span", None)
    frame.builder.inlined = getattr(statement, "inlined", ())
    match statement:
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base))]):
            if isinstance(sweep.types[base], ListOf):
                lists.of_store(sweep, frame, statement)
            else:
                stores.of_store(sweep, frame, statement)
        case gast.Assign(targets=[gast.Name(id=name)], value=value):
            _of_assignment(sweep, frame, statement, name, value)
        case gast.Expr(value=gast.Call(func=gast.Name(id="add_at"))):
            stores.of_add_at(sweep, frame, statement)
        case gast.Expr(value=gast.Call(func=gast.Name(id="append"))):
            lists.of_append(sweep, frame, statement)
        case gast.Assign(value=gast.Call(func=gast.Name(id=operator))) if operator in OPERATORS:
            _of_several_results(sweep, frame, statement)
        case gast.Assign(value=gast.Call()) | gast.Expr(value=gast.Call()):
            sweep.of_call(frame, statement)
        case gast.Return() | gast.Raise():
            pass
        case _:
            raise InternalError("reverse", gast.dump(statement), "not a statement of the typed stage")


def _of_assignment(sweep: Sweep, frame: Cotangents, statement: gast.Assign, name: str, value: gast.expr) -> None:
    operator = syntax.operator_of(value)
    if operator in sweep.program.functions:
        sweep.of_call(frame, statement)
        return
    if operator == "pop":
        lists.of_pop(sweep, frame, statement)
        return
    out_bar = frame.bars.get(name)
    if out_bar is None or operator == "new_list":
        frame.bars.pop(name, None)
        return
    match value:
        case gast.Name(id=source) | gast.Call(func=gast.Name(id="copy"), args=[gast.Name(id=source)]):
            if source in sweep.active:
                frame.add(source, frame.fitted(source, out_bar))
        case gast.Subscript(value=gast.Name(id=base)):
            if base in sweep.active and isinstance(sweep.types[base], ListOf):
                lists.of_load(sweep, frame, statement, out_bar)
            elif base in sweep.active:
                loads.of_load(sweep, frame, statement, out_bar)
        case gast.Call(func=gast.Name(id=operator)) if operator in OPERATORS:
            _of_operator(sweep, frame, statement, out_bar)
        case gast.Constant():
            pass
        case _:
            raise InternalError("reverse", gast.dump(statement), "no operator, load or copy")
    del frame.bars[name]


def _of_operator(sweep: Sweep, frame: Cotangents, statement: gast.Assign, out_bar: gast.expr) -> None:
    node = statement.value
    row = OPERATORS[node.func.id]
    active = [(position, name) for position, name in passing(node) if name in sweep.active]
    if not active:
        return
    (result,) = syntax.names_bound(statement)
    operands = [sweep.atom(statement, a) for a in node.args]
    static = {k.arg: syntax.value_of(sweep.atoms(statement, k.value)) for k in node.keywords}
    out = syntax.name(sweep.regions.made[id(statement)][result])
    taken = {position: taken_there(sweep, frame, statement, position) for position, _ in active}
    is_free = not any(taken.values())
    if isinstance(out_bar, gast.Constant) and is_free:
        plain = _of_constant(sweep, row, operands, active, out_bar, sweep.types[out.id])
        if plain is not None:
            for (_, name), given in zip(active, plain):
                frame.add(name, given)
            return
    if isinstance(out_bar, gast.Constant):
        out_bar = _strong(frame, out_bar, out, operands)
    out_bar = masked(frame.builder, out_bar, taken_of_result(sweep, frame, statement), frame.hint(out.id))
    if row.name == "matmul" and is_free and (matrix := gram_matrix(sweep.function, node)) is not None:
        _of_gram(frame, node, matrix, sweep.atom(statement, syntax.name(matrix)), out, out_bar)
        return
    for position, name in active:
        try:
            hint = frame.hint(name)
            value = cotangent(frame.builder, row, position, operands, static, out, out_bar, hint, taken[position])
        except TypeFault as fault:
            raise refuse(statement, fault.code, fault.message, *fault.help) from None
        if value is not None:
            frame.add(name, value, fresh=value is not out_bar)


def gram_matrix(function: Function, product: gast.Call) -> str | None:
    """The matrix that is multiplied by its own transpose; None where it may have been stored into in between."""
    facts = def_use(function)
    left, right = (operand.id for operand in product.args)
    for turned, matrix in ((left, right), (right, left)):
        match facts.value_of(turned):
            case gast.Call(func=gast.Name(id="transpose"), args=[gast.Name(id=source)]) as call if source == matrix:
                stored = {name for s in syntax.walk(function.body) for name in stored_names(s)}
                is_same = facts.is_constant(matrix) and matrix not in stored
                return matrix if is_same and syntax.static_of(call)["axes"] == (1, 0) else None
    return None


def _of_gram(
    frame: Cotangents, product: gast.Call, matrix: str, value: gast.expr, out: gast.Name, out_bar: gast.expr
) -> None:
    """g = x.T @ x:  x_bar += x @ (g_bar + g_bar.T), one product where two operands would have one each."""
    build = frame.builder
    bar = filled(build, out_bar, out)
    both = build.call("add", bar, build.call("transpose", bar, axes=(1, 0)), hint=frame.hint(out.id))
    operands = (both, value) if product.args[0].id == matrix else (value, both)
    frame.add(matrix, build.call("matmul", *operands, hint=frame.hint(matrix)), fresh=True)


def _of_several_results(sweep: Sweep, frame: Cotangents, statement: gast.Assign) -> None:
    """`w, v = operator(a)`: one rule for the cotangents of all results, of which some may be nothing."""
    node = statement.value
    row, results = OPERATORS[node.func.id], syntax.names_bound(statement)
    bars = [frame.bars.pop(name, None) for name in results]
    if all(bar is None for bar in bars):
        return
    operands = [sweep.atom(statement, a) for a in node.args]
    static = {k.arg: syntax.value_of(sweep.atoms(statement, k.value)) for k in node.keywords}
    outs = [syntax.name(sweep.regions.made[id(statement)][name]) for name in results]
    for position, name in passing(node):
        rule: Any = row.vjp[position]
        if name in sweep.active:
            value = rule(frame.builder, operands, static, outs, bars)
            frame.add(name, as_type(frame.builder, value, sweep.types[name], frame.hint(name)), fresh=True)


def _of_constant(
    sweep: Sweep,
    row: Operator,
    operands: list[gast.expr],
    active: list[tuple[int, str]],
    out_bar: gast.Constant,
    out: Type,
) -> list[gast.expr] | None:
    """The cotangents of the active operands as atoms, where a number and the partials allow it; None elsewhere."""
    if not row.is_polynomial or any(dims_of(sweep.types[name]) != dims_of(out) for _, name in active):
        return None
    found = [_scaled(sweep, out_bar.value, row, str(row.partials[position]), operands, out) for position, _ in active]
    return None if None in found else found  # type: ignore[return-value]


def _scaled(
    sweep: Sweep, number: float, row: Operator, partial: str, operands: list[gast.expr], out: Type
) -> gast.expr | None:
    """A number times a partial derivative, which of a sum is a number and of a product the other factor."""
    if partial not in row.operands:
        return syntax.constant(number * float(partial))
    factor = operands[row.operands.index(partial)]
    if isinstance(factor, gast.Constant):
        return syntax.constant(number * factor.value)
    # once the other factor: the factor itself, where all have the type that the product would have
    alike = all(isinstance(o, gast.Name) and sweep.types[o.id] == out for o in operands)
    return factor if number == 1.0 and alike else None


def _strong(frame: Cotangents, out_bar: gast.Constant, out: gast.Name, operands: list[gast.expr]) -> gast.expr:
    """A Python number beside another one would follow Python's rules (division by zero raises): give it NumPy's."""
    type_ = frame.builder.type_of(out)
    given = [frame.builder.type_of(a) for a in operands if isinstance(a, gast.Name)]
    if is_weak(type_) or not any(map(is_weak, given)):
        return out_bar
    return frame.builder.call("cast", out_bar, dtype=dtype_of(type_), weak=False, hint="t_bar")
