"""Calls of other functions, and what goes into lists and elements.

    z, k = f(x[::2], 3)    ->    t = empty(...), filled from x; z, k = f(t, 3)      f expects an array in C order
    append(xs, x * 2.0)    ->    t = empty(...), filled; append(xs, t)              a list holds arrays in memory
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from .. import syntax
from ..analysis.integers.range_values import items_of
from ..diagnostics import InternalError
from ..types import Array
from .lowering import Lowering
from .names_of_arrays import assign_array, escaping
from .nest import flush
from .stores import store


def lower_call(low: Lowering, names: Sequence[str], call: gast.Call) -> None:
    flush(low)
    made = [n if n not in low.facts.merged else low.fresh(n) for n in names]
    low.emit(syntax.assign(made, passed(low, call)))
    for name, variable in zip(names, made):
        low.types[variable] = type_ = low.function.types[name]
        if isinstance(type_, Array):
            assign_array(low, name, low.stored(variable))
        elif variable != name:
            low.assign(name, syntax.name(variable), type_)


def passed(low: Lowering, call: gast.Call) -> gast.Call:
    """A call of another function, its arrays in memory in the layout that it expects."""
    callee = low.program.functions[str(syntax.operator_of(call))]
    arguments: list[gast.expr] = []
    for parameter, atom in zip(callee.parameters, call.args):
        wanted = callee.types[parameter]
        if isinstance(wanted, Array):
            atom = syntax.name(escaping(low, atom.id, low.node(atom), contiguous=wanted.layout == "C").name)
        arguments.append(atom)
    return syntax.call(callee.name, *arguments)


def lower_effect(low: Lowering, call: gast.Call) -> None:
    operator = syntax.operator_of(call)
    match operator, call.args:
        case "add_at", [gast.Name(id=name), gast.Tuple(elts=items), atom]:
            store(low, name, items, atom, accumulate=True)
        case "append", [gast.Name(id=name), atom]:
            low.emit(syntax.expression(syntax.call("append", name, element_of_list(low, name, atom))))
        case _ if operator in low.program.functions:
            flush(low)
            low.emit(syntax.expression(passed(low, call)))
        case _:
            raise InternalError("loops", gast.dump(call), "not an effect of the typed stage")


def element_of_list(low: Lowering, list_: str, atom: gast.expr) -> gast.expr:
    wanted = low.function.types[list_].element  # type: ignore[union-attr]
    if not isinstance(wanted, Array):
        return atom
    return syntax.name(escaping(low, list_, low.node(atom), contiguous=wanted.layout == "C").name)


def lower_store(low: Lowering, name: str, place: gast.Subscript, atom: gast.expr) -> None:
    if not low.is_list(name):
        return store(low, name, items_of(place), atom)
    flush(low)
    low.emit(syntax.store(name, items_of(place), element_of_list(low, name, atom)))
    return None
