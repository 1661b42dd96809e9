"""The tangent of one statement.

    y = op(a, b)        y_dot = the tangent that the row of the operator gives
    y = a[items]        y_dot = a_dot[items]
    a[items] = v        a_dot[items] = v_dot            (0.0 where v has none)
    append(xs, v)       append(xs_dot, v_dot)
    y = g(a, n)         y, y_dot = g_jvp(a, n, a_dot)

A name whose tangent is zero has none, and gives no statements.
"""

from __future__ import annotations

import gast

from ... import syntax
from ...analysis.activity import passing, results_of
from ...diagnostics import InternalError
from ...ops.dependence import dependence, of_all
from ...ops.schema import OPERATORS, TypeFault, row_of
from ...ops.tangents import fitted, tangent, tangents_of_results
from ...types import Array, ListOf
from ..reverse.refuse import refuse
from . import ruled
from .higher import along_curve
from .tangents import Tangents


def with_tangent(state: Tangents, statement: gast.stmt) -> None:
    """Append a simple statement and the statements of its tangent."""
    callee = syntax.operator_of(getattr(statement, "value", None) or syntax.constant(None))
    if callee in state.program.program.functions:
        _call(state, statement, callee)
        return
    state.builder.append(statement)
    if isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name):
        _note_lengths(state, statement.targets[0].id, statement.value)
    made = along_curve(state, statement) if len(state.orders) > 1 else None
    for one in state.orders:
        one.ready = None if made is None else made[one.order]
        _tangent(one, statement, callee)


def _tangent(state: Tangents, statement: gast.stmt, callee: str | None) -> None:
    """Append the statements of the tangent of a simple statement."""
    match statement:
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base), slice=items)], value=value):
            if base in state.active:
                _store(state, base, items, value)
        case gast.Assign(targets=[gast.Name(id=name)], value=value):
            _assignment(state, statement, name, value)
        case gast.Expr(value=gast.Call(func=gast.Name(id="add_at"), args=[base, items, value])):
            given = state.of(value)
            if base.id in state.active and given is not None:
                made = syntax.call("add_at", state.dots[base.id], items, given)
                state.builder.append(syntax.expression(made))
        case gast.Expr(value=gast.Call(func=gast.Name(id="append"), args=[base, value])):
            if base.id in state.active:
                element = _element(state, base.id, value)
                state.builder.append(syntax.expression(syntax.call("append", state.dots[base.id], element)))
        case gast.Assign(value=gast.Call(func=gast.Name(id=operator))) if operator in OPERATORS:
            _several_results(state, statement)
        case gast.Raise():
            pass
        case _:
            raise InternalError("forward", gast.dump(statement), "not a statement of the typed stage")


def _note_lengths(state: Tangents, name: str, value: gast.expr) -> None:
    """What ints are as lengths: the tangents of what is made with them have the same."""
    operator, extents = syntax.operator_of(value), state.builder.extents
    if operator not in OPERATORS:
        return
    fact = state.builder.extent_of_result(operator, value.args, syntax.static_of(value))
    if fact is not None and name not in state.merged:
        extents[name] = fact
    shape = syntax.static_of(value).get("shape")
    if isinstance(shape, gast.Tuple) and isinstance(type_ := state.types[name], Array):
        pairs = zip(shape.elts, type_.dims, strict=True)
        extents.update({e.id: d for e, d in pairs if isinstance(e, gast.Name) and e.id not in state.merged})


def _assignment(state: Tangents, statement: gast.Assign, name: str, value: gast.expr) -> None:
    if syntax.operator_of(value) == "pop" and value.args[0].id in state.active:
        list_ = state.dots[value.args[0].id]  # it is as long as the list, whoever asks for the item
        made = state.builder.bind(syntax.call("pop", list_), state.types[name], state.hint(name))
        if name in state.active:
            state.make(name, made)
        return
    if name not in state.active:
        return
    if isinstance(state.types[name], ListOf):
        _assign(state, name, list_of(state, statement))
        return
    tangent = _of_value(state, statement, name, value)
    if tangent is None and (name in state.merged or name in state.stored):
        tangent = _zeros(state, name, value)
    row = row_of(syntax.operator_of(value))
    _assign(state, name, tangent, is_alike=row is None or row.jvp is None)


def _zeros(state: Tangents, name: str, value: gast.expr) -> gast.expr:
    """Zeros for a name, in the shape that its value is made in where that is said."""
    shape = syntax.static_of(value).get("shape") if isinstance(value, gast.Call) else None
    if shape is None or not isinstance(type_ := state.types[name], Array):
        return state.zero(value if syntax.is_atom(value) else syntax.name(name), state.hint(name))
    maker = "empty" if syntax.operator_of(value) == "empty" else "zeros"
    made = state.builder.call(maker, hint=state.hint(name), shape=shape, dtype=type_.dtype)
    return state.declared(made, syntax.name(name))


def _assign(state: Tangents, name: str, value: gast.expr | None, is_alike: bool = True) -> None:
    """Give a name its tangent; one that is merged has it under the one name of all that assign it."""
    if name in state.merged and value is not None:
        state.builder.append(syntax.assign(state.merged_name(name), value))
    elif isinstance(state.types[name], ListOf) and value is not None:
        state.dots[name] = value
    else:
        state.make(name, value, is_alike)


def _of_value(state: Tangents, statement: gast.Assign, name: str, value: gast.expr) -> gast.expr | None:
    match value:
        case gast.Name() | gast.Constant():
            return state.of(value) if name not in state.merged else state.full(value, state.is_ordered(name))
        case gast.Subscript(value=gast.Name(id=base) as array, slice=items):
            given = state.of(array)
            if given is None:
                return None
            if isinstance(state.types[base], ListOf):  # the tangent of an item is as long as that
                return state.builder.bind(syntax.index(given.id, *items.elts), state.types[name], state.hint(name))
            return state.builder.load(given, items.elts, state.hint(name))
        case gast.Call(func=gast.Name(id=operator)) if operator in OPERATORS:
            return _of_operator(state, statement, name, value)
    raise InternalError("forward", gast.dump(statement), "no operator, load or copy")


def _tangents(state: Tangents, node: gast.Call) -> list[gast.expr | None]:
    """The tangents of the operands, None for those in which the operator is locally constant."""
    smooth = {position for position, _ in passing(node)}
    return [state.of(atom) if position in smooth else None for position, atom in enumerate(node.args)]


def _of_operator(state: Tangents, statement: gast.stmt, name: str, node: gast.Call) -> gast.expr | None:
    if state.ready is not None:
        return state.ready[name]
    tangents = _tangents(state, node)
    if all(given is None for given in tangents):
        return None
    row, static, out = OPERATORS[node.func.id], syntax.static_of(node), syntax.name(name)
    rule = dependence if state.program.is_dependence else tangent
    try:
        return rule(state.builder, row, node.args, tangents, static, out, state.hint(name))
    except TypeFault as fault:
        raise refuse(statement, fault.code, fault.message, *fault.help) from None


def _several_results(state: Tangents, statement: gast.Assign) -> None:
    """`w, v = operator(a)`: one rule for the tangents of all results."""
    names, node = syntax.names_bound(statement), statement.value
    tangents = _tangents(state, node)
    if state.active.isdisjoint(names):
        return
    values: list[gast.expr | None] = [None for _ in names]
    if state.ready is not None:
        values = [state.ready[name] for name in names]
    elif any(given is not None for given in tangents):
        outs = [syntax.name(name) for name in names]
        row, static = OPERATORS[node.func.id], syntax.static_of(node)
        if state.program.is_dependence:
            either = of_all(state.builder, tangents)
            values = [fitted(state.builder, either, out) for out in outs]
        else:
            values = tangents_of_results(state.builder, row, node.args, tangents, static, outs)
    for name, value in zip(names, values, strict=True):
        if name in state.active:
            state.make(name, value, is_alike=False)


def _store(state: Tangents, base: str, items: gast.expr, value: gast.expr) -> None:
    dots = state.dots[base].id
    if isinstance(state.types[base], ListOf):
        state.builder.append(syntax.store(dots, items.elts, _element(state, base, value)))
        return
    given = state.of(value)
    state.builder.append(syntax.store(dots, items.elts, 0.0 if given is None else given))


# --- lists and calls -----------------------------------------------------------------------------------------------


def _element(state: Tangents, base: str, value: gast.expr) -> gast.expr:
    """The tangent of what is put into a list, in the type of its elements."""
    element = state.types[base].element
    return state.full(value, isinstance(element, Array) and element.layout == "C")


def list_of(state: Tangents, statement: gast.Assign) -> gast.expr:
    """The list of tangents of a list that is made here, or has another name."""
    (name,) = syntax.names_bound(statement)
    if syntax.operator_of(statement.value) == "new_list":
        return state.builder.bind(syntax.call("new_list"), state.types[name], state.hint(name))
    given = state.of(statement.value)
    if given is None:
        raise refuse(statement, "G004", "a list that depends on what is differentiated on some paths only has no "
                     "derivative here", "make the list on every path by the same statements")  # fmt: skip
    return given


def _call(state: Tangents, statement: gast.stmt, callee: str) -> None:
    """A call of a function of the program; where it has tangents, of the one with tangents."""
    target, facts, node = state.program.program.functions[callee], state.program.facts[callee], statement.value
    if target.rule is not None and target.rule.kind != "checkpoint":
        ruled.by_rule(state, statement, target, target.rule.in_forward or target.rule)
        return
    places = results_of(statement)
    lists = [p for p in facts.parameters if isinstance(target.types[p], ListOf)]
    if not facts.parameters or not facts.results and not lists:
        state.builder.append(statement)
        return
    given = dict(zip(target.parameters, node.args))
    handed = [_handed(one, statement, given[p]) for one in state.orders for p in facts.parameters]
    made = [one.of_result(places[k], target.results[k]) for one in state.orders for k in facts.results]
    call = gast.Call(syntax.name(state.program.callee(callee)), [*node.args, *handed], [])
    names = [*places, *made]
    new = syntax.assign(names[0] if len(names) == 1 else names, call) if names else syntax.expression(call)
    state.builder.append(syntax.at(new, state.builder.span, state.builder.inlined))
    for (one, position), dot in zip(((one, k) for one in state.orders for k in facts.results), made):
        if places[position] in one.active:
            one.make(places[position], syntax.name(dot))


def _handed(state: Tangents, statement: gast.stmt, argument: gast.expr) -> gast.expr:
    if isinstance(state.builder.type_of(argument), ListOf) and state.of(argument) is None:
        raise refuse(statement, "G004", "a list that depends on what is differentiated in some calls only has no "
                     "derivative here", "make an array of it: `np.array(...)`")  # fmt: skip
    return state.full(argument, False)
