"""Put operands into the spelling of an operator's row.

    "np.sum({x}, axis={axis}, keepdims={keepdims})"   with x = a, axis = 0     ->     np.sum(a, axis=0)
    "np.zeros({shape}, {dtype})"                      with shape = (n,)        ->     np.zeros(n)

A spelling is parsed once; operands replace names in its tree, so that parentheses are a matter of `unparse` alone.
Static parts that NumPy would assume anyway are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from string import Formatter
from typing import Any

import gast

from ... import syntax
from ...diagnostics import InternalError
from ...dtypes import FLOAT_WORD, NUMPY_DTYPE, WEAK_WORD, is_bool, order
from ...ops.schema import Operator
from ...ops.type_rules import is_weak
from ...parsing import parsed_expression
from ...types import Type, rank, type_of_number

HOLE = "__{}__"


def attribute(dotted: str) -> gast.expr:
    """`np.add.at` as a tree."""
    first, *rest = dotted.split(".")
    node: gast.expr = syntax.name(first)
    for part in rest:
        node = gast.Attribute(node, part, gast.Load())
    return node


def numpy_dtype(dtype: str, weak: bool = False) -> gast.expr:
    """`np.float32`; Python's own type for a weak one."""
    if weak:
        return syntax.name(WEAK_WORD[dtype])
    return attribute("np.bool_" if is_bool(dtype) else f"np.{NUMPY_DTYPE[dtype].name}")


@cache
def parse_spelling(spelling: str, several: str = "") -> gast.expr:
    """The tree of a spelling, its fields `{x}` as names `__x__`; the field that stands for several is in a tuple."""
    text = ""
    for before, field, _, _ in Formatter().parse(spelling):
        text += before
        if field is not None:
            text += HOLE.format(field) + ("," if field == several else "")
    return parsed_expression(text)


def fill(
    row: Operator,
    spelling: str,
    operands: Sequence[gast.expr],
    static: Mapping[str, gast.expr],
    types: Sequence[Type | None],
    values: Mapping[str, object],
) -> gast.expr:
    """The spelling with its operands and static parts; `values` are the static parts as Python values."""
    special = _special_form(row, operands, static, types, values)
    if special is not None:
        return special
    holes: dict[str, object] = {HOLE.format(name): tree for name, tree in static.items()}
    several = ""
    if row.operands and row.operands[-1].startswith("*"):
        fixed, several = len(row.operands) - 1, row.operands[-1][1:]
        holes[HOLE.format(several)] = list(operands[fixed:])
        operands = operands[:fixed]
    holes.update((HOLE.format(name), tree) for name, tree in zip(row.operands, operands))
    assumed = {HOLE.format(name) for name in static if _is_assumed(row, name, values, types)}
    return _substitute(parse_spelling(spelling, several), holes, assumed)


def _is_assumed(row: Operator, name: str, values: Mapping[str, object], types: Sequence[Type | None]) -> bool:
    """Whether NumPy takes this value by default."""
    if name == "dtype" and row.kind == "creation" and types:
        natural = max((t.dtype for t in types if t is not None), key=order, default=None)  # type: ignore
        return natural == values[name] and all(t is not None for t in types)
    return name in row.static and row.static[name] == values[name]


def _special_form(
    row: Operator,
    operands: Sequence[gast.expr],
    static: Mapping[str, gast.expr],
    types: Sequence[Type | None],
    values: Mapping[str, object],
) -> gast.expr | None:
    """The shorter forms that some operators have for common static parts."""
    match row.name:
        case "transpose" if types[0] is not None and values["axes"] == tuple(reversed(range(rank(types[0])))):
            return gast.Attribute(operands[0], "T", gast.Load())
        case "arange" if _is_assumed(row, "dtype", values, types) and _is_number(operands[2], 1):
            short = operands[1:2] if _is_number(operands[0], 0) else operands[:2]
            return gast.Call(attribute("np.arange"), list(short), [])
        case "eye":
            return _eye(static, values)
        case "table":
            return _table(static, values)
        case "complex_of" if all(t is not None and is_weak(t) for t in types):
            return gast.Call(attribute("complex"), list(operands), [])
    return None


def _eye(static: Mapping[str, gast.expr], values: Mapping[str, object]) -> gast.expr:
    """`np.eye(n, m)`, or `np.eye(n)` of a square."""
    lengths = list(static["shape"].elts)
    if syntax.same(lengths[0], lengths[1]):
        lengths.pop()
    keywords = [gast.keyword("k", static["offset"])] if values["offset"] != 0 else []
    keywords += [gast.keyword("dtype", static["dtype"])] if values["dtype"] != FLOAT_WORD else []
    return gast.Call(attribute("np.eye"), lengths, keywords)


def _table(static: Mapping[str, gast.expr], values: Mapping[str, Any]) -> gast.expr:
    """`np.array([[1.0, 2.0], [3.0, 4.0]])`, with its dtype where the numbers do not say it."""
    numbers, dtype = values["values"], str(values["dtype"])
    rows: list[gast.expr] = [syntax.constant(number) for number in numbers]
    for length in values["shape"][:0:-1]:
        rows = [gast.List(rows[k : k + length], gast.Load()) for k in range(0, len(rows), length)]
    types = [found for number in numbers if (found := type_of_number(number)) is not None]
    natural = max((found.dtype for found in types), key=order)
    return gast.Call(
        attribute("np.array"), [gast.List(rows, gast.Load()), *([] if natural == dtype else [static["dtype"]])], []
    )


def _is_number(node: gast.expr, number: int) -> bool:
    return isinstance(node, gast.Constant) and type(node.value) is int and node.value == number


def _substitute(node: gast.expr, holes: Mapping[str, object], assumed: set[str]) -> gast.expr:
    match node:
        case gast.Name(id=id_):
            made = holes.get(id_, node)
            if isinstance(made, list):
                raise InternalError("printer", id_, "any number of operands stand only in a call or a tuple")
            return made  # type: ignore[return-value]
        case gast.Constant():
            return node
        case gast.Call(func=func, args=arguments, keywords=keywords):
            arguments = list(arguments)
            while arguments and isinstance(arguments[-1], gast.Name) and arguments[-1].id in assumed:
                arguments.pop()
            kept = [k for k in keywords if not (isinstance(k.value, gast.Name) and k.value.id in assumed)]
            made = [gast.keyword(k.arg, _substitute(k.value, holes, assumed)) for k in kept]
            return gast.Call(_substitute(func, holes, assumed), _spread(arguments, holes, assumed), made)
        case gast.Tuple(elts=elements) | gast.List(elts=elements):
            return syntax.rebuild(node, elts=_spread(elements, holes, assumed))
    changes: dict[str, object] = {}
    for field in node._fields:
        old = getattr(node, field, None)
        if isinstance(old, gast.expr):
            changes[field] = _substitute(old, holes, assumed)
        elif isinstance(old, list):
            changes[field] = [_substitute(o, holes, assumed) if isinstance(o, gast.expr) else o for o in old]
    return syntax.rebuild(node, **changes)


def _spread(nodes: Sequence[gast.expr], holes: Mapping[str, object], assumed: set[str]) -> list[gast.expr]:
    """Substitute in a list of arguments, where one name may stand for several."""
    made: list[gast.expr] = []
    for node in nodes:
        several = holes.get(node.id) if isinstance(node, gast.Name) else None
        if isinstance(several, list):
            made += several
        else:
            made.append(_substitute(node, holes, assumed))
    return made
