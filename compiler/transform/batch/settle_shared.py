"""Take away what derivatives say of values that devices share, once it is known which are shared.

    def f(w, x):                                       x varies along "i", w does not
        m = mark_varying(w, axis_name="i")                      m = 0
        k = mark_varying(x, axis_name="i")            ->        k = 0
        v = vary_as(w, m, k, axis_name="i")                     v = w
        w_bar = sum_varied(v_bar, m, k, axis_name="i")          w_bar = psum(v_bar, axis_name="i")

Takes the typed program of one example and which of its parameters vary; gives one without such rows over the axis.
What is not shared has no sum: there `sum_varied` is its operand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import gast

from ... import syntax
from ...builder import Builder
from ...frontend.specialise.specialised import Specialised
from ...names import Names
from ...program import Function, Program
from ...renaming import splice
from ...types import Array
from ..common_results import differing
from .axes import fault, mapped_leaves
from .crossing import crossing
from .varying import Varying, varying


def settle_shared(made: Specialised, wanted: Any) -> Specialised:
    """The program without these rows over the axes that are mapped now."""
    transform = wanted.transform
    axes = getattr(transform, "axes", None)
    for axis_name in (transform.axis_name,) if axes is None else axes:
        main = made.program.main
        if not _has_any(main, axis_name):
            continue
        parameters = mapped_leaves(made, wanted) if axes is None else differing(made, wanted, axis_name)
        changed = _settled(made.program, list(parameters), axis_name, wanted.where)
        functions = {**made.program.functions, main.name: changed}
        made = replace(made, program=Program(made.program.entry, functions))
    return made


def _has_any(function: Function, axis_name: str | None) -> bool:
    return any(_row(statement, axis_name) is not None for statement in syntax.walk(function.body))


def _row(statement: gast.stmt, axis_name: str | None) -> Any:
    """The row of such a statement; None for others."""
    row = crossing(getattr(statement, "value", None), axis_name)
    return row if row is not None and (row.marks or row.is_own) else None


def _settled(program: Program, parameters: Iterable[str], axis_name: str, where: Any) -> Function:
    function, parameters = program.main, list(parameters)
    each = varying(function, parameters, axis_name, is_typed=True)
    builder = Builder(Names({*function.types, *function.parameters, *program.functions}), {**function.types})
    passed: list[tuple[gast.expr, Any]] = []  # what stays as it is and has to be shared

    def change(statement: gast.stmt) -> Sequence[gast.stmt] | None:
        row = _row(statement, axis_name)
        if row is None:
            return None
        call: gast.Call = statement.value
        builder.body = []
        value = call.args[0] if row.is_own else syntax.constant(0)
        if row.name == "vary_as" and _varies(value, each) and not _varies(call.args[1], each):
            passed.append((value, getattr(statement, "span", None)))
        if row.name == "sum_varied":
            if _is_summed(call, each):
                value = builder.call("psum", value, axis_name=axis_name)
            elif not _varies(call.args[1], each):
                passed.append((value, getattr(statement, "span", None)))
        (name,) = syntax.names_bound(statement)
        type_ = builder.types[name]
        if isinstance(type_, Array) and type_.layout == "C" and builder.type_of(value).layout != "C":
            value = builder.call("copy", value)
        span, inlined = getattr(statement, "span", None), getattr(statement, "inlined", ())
        return [syntax.at(s, span, inlined) for s in (*builder.body, syntax.assign(name, value))]

    body = tuple(splice(function.body, change))
    fresh = {*builder.types} - {*function.types}
    made = function.with_(body=body, types=builder.types, temporaries=function.temporaries | fresh)
    _require_shared(made, parameters, axis_name, passed, where)
    return made


def _varies(atom: gast.expr, each: Varying) -> bool:
    return getattr(atom, "id", "") in each.names


def _is_summed(call: gast.Call, each: Varying) -> bool:
    """Whether devices have cotangents each of a value that they share."""
    _, own, others = call.args
    return _varies(others, each) and not _varies(own, each)


def _require_shared(
    function: Function, parameters: Sequence[str], axis_name: str, passed: Sequence[tuple[gast.expr, Any]], where: Any
) -> None:
    """Raise a BatchError where the cotangent of what all devices share was given, and is one of each device."""
    found = varying(function, parameters, axis_name).names
    for value, span in passed:
        if getattr(value, "id", "") in found:
            fault(span or where, f"the cotangent differs between the devices along `{axis_name}`, and they share what "
                  "it is the cotangent of", f"add them up: `lax.psum(cotangent, {axis_name!r})`",
                  f"or let each have the value: `lax.pvary(x, {axis_name!r})`", code="B003", label="called here",
                  spoken="shard_map")  # fmt: skip
