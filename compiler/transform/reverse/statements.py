"""The backward form of one assignment.

    y = sin(x)          x_bar += y_bar * cos(x)
    y = a[items]        a_bar[items] += y_bar              (integer arrays: add_at, an element may be read twice)
    a[items] = v        v_bar += a_bar[items]; a_bar[items] = 0        (not zeroed where nothing was stored before)
    add_at(a, items, v) v_bar += a_bar[items]
    x = y               y_bar += x_bar

A cotangent that is nothing yet gives no statements at all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import gast

from ... import syntax
from ...analysis.activity import passing
from ...analysis.memory.places import Place
from ...diagnostics import InternalError
from ...dtypes import INT_WORD, is_bool
from ...ops.cotangents import as_type, cotangent, length
from ...ops.schema import OPERATORS, Operator, TypeFault
from ...ops.type_rules import dims_of, is_weak
from ...types import Array, ListOf, Scalar, Type, dtype_of
from ..compose import within
from . import lists
from .cotangents import Cotangents
from .declared import leaf_type
from .refuse import refuse
from .views import Either, Shown, roots

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
                _of_store(sweep, frame, statement)
        case gast.Assign(targets=[gast.Name(id=name)], value=value):
            _of_assignment(sweep, frame, statement, name, value)
        case gast.Expr(value=gast.Call(func=gast.Name(id="add_at"))):
            _of_add_at(sweep, frame, statement)
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
                _of_load(sweep, frame, statement, out_bar)
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
    if isinstance(out_bar, gast.Constant):
        plain = _of_constant(sweep, row, operands, active, out_bar, sweep.types[out.id])
        if plain is not None:
            for (_, name), given in zip(active, plain):
                frame.add(name, given)
            return
        out_bar = _strong(frame, out_bar, out, operands)
    for position, name in active:
        try:
            value = cotangent(frame.builder, row, position, operands, static, out, out_bar, frame.hint(name))
        except TypeFault as fault:
            raise refuse(statement, fault.code, fault.message, *fault.help) from None
        if value is not None:
            frame.add(name, value, fresh=value is not out_bar)


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


# --- loads and stores ----------------------------------------------------------------------------------------------


def is_plain_index(items: gast.Tuple, types) -> bool:
    """Whether an index has no integer or bool arrays."""
    return not any(isinstance(i, gast.Name) and isinstance(types[i.id], Array) for i in items.elts)


def is_rearrangement(items: gast.Tuple) -> bool:
    """Whether an index keeps every element and only adds axes of length 1."""
    return all(
        isinstance(i, gast.Constant) and i.value is None
        if not isinstance(i, gast.Slice)
        else (i.lower is None and i.upper is None and i.step is None)
        for i in items.elts
    )


def _without_new_axes(frame: Cotangents, items: gast.Tuple, value: gast.expr) -> tuple[gast.expr, list[gast.expr]]:
    """The cotangent of a load without the axes that its index added, and the index without them."""
    kept = [i for i in items.elts if not (isinstance(i, gast.Constant) and i.value is None)]
    if len(kept) == len(items.elts) or not isinstance(frame.builder.type_of(value), Array):
        return value, kept
    shown = [i for i in items.elts if isinstance(i, gast.Slice) or (isinstance(i, gast.Constant) and i.value is None)]
    picks = [syntax.constant(0) if isinstance(i, gast.Constant) else syntax.slice_() for i in shown]
    return frame.builder.load(value, picks, frame_hint(value)), kept


def frame_hint(value: gast.expr) -> str:
    return value.id if isinstance(value, gast.Name) else "t_bar"


def _of_load(sweep: Sweep, frame: Cotangents, statement: gast.Assign, out_bar: gast.expr) -> None:
    base, items = statement.value.value.id, sweep.atoms(statement, statement.value.slice)
    plain = is_plain_index(items, sweep.types)
    new_axes = any(isinstance(i, gast.Constant) and i.value is None for i in items.elts)
    if new_axes and not plain:
        raise refuse(statement, "G004", "an index that mixes None with integer or bool arrays has no derivative yet")
    value, kept = _without_new_axes(frame, items, out_bar)
    if is_rearrangement(items):
        frame.add(base, value)
        return
    if plain:
        sweep.views.note_natural(statement, statement.value.slice.elts)
        add_to_part(sweep, frame, sweep.views.of(base, statement), base, kept, value)
        return
    bar = frame.in_place(base)
    value = as_type(frame.builder, value, sweep.types[bar.id], frame.hint(base))
    if _is_mask(kept, sweep.types):
        _accumulate(frame, bar.id, kept, value)
    else:
        frame.builder.append(syntax.expression(syntax.call("add_at", bar, syntax.tuple_(kept), value)))


def add_to_part(
    sweep: Sweep, frame: Cotangents, shown: Shown, name: str, items: list[gast.expr], value: gast.expr
) -> None:
    """`name_bar[items] += value`, where the cotangent of a view is the view of its owner's."""
    if isinstance(shown, Either):
        _add_to_either(sweep, frame, shown, name, items, value)
        return
    is_first = frame.untouched(shown.root)
    bar = frame.in_place(shown.root)
    value = as_type(frame.builder, value, sweep.types[bar.id], frame.hint(name))
    found = within(frame.builder, replace(shown, root=bar.id), items, value, sweep.views.natural)
    if found is None:
        add_to_part(sweep, frame, Place(name), name, items, value)
    elif is_first:
        frame.builder.append(syntax.store(bar.id, *found))
    else:
        _accumulate(frame, bar.id, *found)


def _add_to_either(
    sweep: Sweep, frame: Cotangents, shown: Either, name: str, items: list[gast.expr], value: gast.expr
) -> None:
    """The branch that chose what the name shows, once more."""
    for root in roots(shown):  # arrays that are made on the way stand before the branch
        frame.in_place(root)
    builder, before = frame.builder, frame.builder.body
    made = syntax.if_(sweep.atom(shown.branch, shown.branch.test), [], [], builder.span)
    for part, block in ((shown.then, made.body), (shown.other, made.orelse)):
        builder.body = block
        add_to_part(sweep, frame, part, name, items, value)
    builder.body = before
    builder.append(made)


def _accumulate(frame: Cotangents, array: str, items: list[gast.expr], value: gast.expr) -> None:
    total = frame.builder.call("add", frame.builder.load(syntax.name(array), items, "t_bar"), value, hint="t_bar")
    frame.builder.append(syntax.store(array, items, total))


def _is_mask(items: list[gast.expr], types) -> bool:
    """Whether the only array in an index is one bool array: it reads no element twice."""
    arrays = [types[i.id] for i in items if isinstance(i, gast.Name) and isinstance(types[i.id], Array)]
    return len(arrays) == 1 and is_bool(arrays[0].dtype)


def _of_store(sweep: Sweep, frame: Cotangents, statement: gast.Assign) -> None:
    base, source = statement.targets[0].value.id, statement.value
    if base not in sweep.active or frame.untouched(base):
        return
    items = list(sweep.atoms(statement, statement.targets[0].slice).elts)
    if id(statement) in sweep.plan.accumulations:
        _of_accumulation(sweep, frame, statement, base, items)
        return
    is_first = id(statement) in sweep.plan.firsts
    is_active = isinstance(source, gast.Name) and source.id in sweep.active
    if is_first and not is_active:
        return
    bar = frame.in_place(base)
    value = _taken(sweep, frame, bar, items, is_zeroed=not is_first) if is_active else None
    if not is_first:
        frame.builder.append(syntax.store(bar.id, items, 0.0))
    if value is not None:
        _give(sweep, frame, source.id, value)


def _of_accumulation(
    sweep: Sweep, frame: Cotangents, statement: gast.Assign, base: str, items: list[gast.expr]
) -> None:
    """`a[items] += v`: the elements keep their cotangents, and the added value gets them too."""
    found = sweep.plan.accumulations[id(statement)]
    if not isinstance(found.added, gast.Name) or found.added.id not in sweep.active:
        return
    value: gast.expr = frame.builder.load(frame.in_place(base), items, "t_bar")
    if found.sign < 0:
        value = frame.builder.call("negative", value, hint=frame.hint(found.added.id))
    _give(sweep, frame, found.added.id, value)


def _taken(sweep: Sweep, frame: Cotangents, bar: gast.Name, items: list[gast.expr], is_zeroed: bool) -> gast.expr:
    """The cotangents of the stored elements, apart from an array that is about to be zeroed."""
    value = frame.builder.load(bar, items, "t_bar")
    whole = syntax.tuple_(items)
    if is_plain_index(whole, sweep.types):
        if is_zeroed and isinstance(sweep.types[value.id], Array):
            return frame.builder.call("copy", value, hint="t_bar")
        return value
    if _is_mask(items, sweep.types):
        return value
    return _of_last_writers(sweep, frame, bar, items, value)


def _of_last_writers(
    sweep: Sweep, frame: Cotangents, bar: gast.Name, items: list[gast.expr], value: gast.expr
) -> gast.expr:
    """Where an index names an element more than once the last value stays, and alone has a cotangent."""
    build = frame.builder
    order = _numbered(sweep, frame, [i for i in items if isinstance(i, gast.Name)], value)
    lengths = [sweep.length(bar, k) or build.call("dim", bar, axis=k) for k in range(sweep.types[bar.id].ndim)]
    writer = build.call("zeros", shape=syntax.tuple_(lengths), dtype=INT_WORD, hint="writer")
    build.append(syntax.store(writer.id, items, order))
    last = build.call("equal", build.load(writer, items, "last"), order, hint="stays")
    return build.call("where", last, value, 0.0, hint="t_bar")


def _numbered(sweep: Sweep, frame: Cotangents, names: list[gast.Name], value: gast.expr) -> gast.expr:
    """The numbers 0, 1, ... in the shape of the value, in the order in which a store goes through it."""
    build = frame.builder
    like = next((n for n in names if dims_of(sweep.types[n.id]) == dims_of(sweep.types[value.id])), None)
    # the lengths of an index array may be known without reading it
    lengths = [(like and sweep.length(like, k)) or length(build, value, k) for k in range(sweep.types[value.id].ndim)]
    size = lengths[0]
    for one in lengths[1:]:
        size = build.call("multiply", size, one, hint="size")
    order = build.call("arange", 0, size, 1, shape=syntax.tuple_([size]), dtype=INT_WORD, hint="order")
    return order if len(lengths) == 1 else build.call("reshape", order, shape=syntax.tuple_(lengths), hint="order")


def _of_add_at(sweep: Sweep, frame: Cotangents, statement: gast.Expr) -> None:
    place, items, source = statement.value.args
    if place.id not in sweep.active or not isinstance(source, gast.Name) or source.id not in sweep.active:
        return
    if frame.untouched(place.id):
        return
    bar = frame.in_place(place.id)
    kept = list(sweep.atoms(statement, items).elts)
    _give(sweep, frame, source.id, frame.builder.load(bar, kept, "t_bar"))


def _give(sweep: Sweep, frame: Cotangents, source: str, value: gast.expr) -> None:
    """Add the cotangent of stored elements to that of the stored value, which may have been spread over them."""
    wanted, given = leaf_type(sweep.types, source), frame.builder.type_of(value)
    if isinstance(given, Array):
        value = _summed(frame, value, given, wanted)
    frame.add(source, as_type(frame.builder, value, wanted, frame.hint(source)), fresh=True)


def _summed(frame: Cotangents, value: gast.expr, given: Array, wanted: Array | Scalar) -> gast.expr:
    dims = wanted.dims if isinstance(wanted, Array) else ()
    lead = given.ndim - len(dims)
    if lead == given.ndim:
        return frame.builder.call("sum", value, axis=None, keepdims=False, hint="t_bar")
    spread = [k for k in range(len(dims)) if dims[k] == 1 and given.dims[lead + k] != 1]
    if spread:
        axes = tuple(lead + k for k in spread)
        value = frame.builder.call("sum", value, axis=axes if len(axes) > 1 else axes[0], keepdims=True, hint="t_bar")
    if lead > 0:
        axes = tuple(range(lead))
        value = frame.builder.call("sum", value, axis=axes if len(axes) > 1 else 0, keepdims=False, hint="t_bar")
    return value
