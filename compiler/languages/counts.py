"""How many numbers `np.arange(start, stop, step)` gives, as an int of the typed stage.

    t = np.maximum(-(-(stop - start) // step), 0)           of ints: a name that has this value already is used again
    t = int(np.maximum(math.ceil((stop - start) / step), 0))        of others, as NumPy counts them

What is printed does not repeat the count, which stands in a line above.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import gast
import numpy as np

from .. import syntax, types
from ..builder import Builder, affine_result
from ..dtypes import INT_WORD
from ..types import Type


def count_of(builder: Builder, bounds: Sequence[gast.expr], written: Mapping[str, gast.expr]) -> gast.expr:
    """The count as an atom; `written` are the values of names that are assigned once."""
    start, stop, step = bounds
    if all(isinstance(b, gast.Constant) for b in bounds):
        return syntax.constant(len(np.arange(*(b.value for b in bounds))))
    if any(builder.type_of(b) != types.INT for b in bounds):
        quotient = builder.call("divide", builder.call("subtract", stop, start), step)
        rounded = builder.call("maximum", builder.call("math_ceil", quotient), 0)
        return builder.call("cast", rounded, dtype=INT_WORD, weak=True)
    if _is(step, 1):
        if _is(start, 0):
            return stop
        found = _with_extent(builder, start, stop)
        if found is not None:
            return found
    for formula in _formulas(start, stop, step):
        wanted = expanded(formula, written)
        for name, value in written.items():
            if builder.types.get(name) == types.INT and syntax.same(expanded(value, written), wanted):
                return syntax.name(name)
    difference = builder.call("subtract", stop, start)
    negative = builder.call("negative", difference)
    quotient = builder.call("floor_divide", negative, step)
    return builder.call("maximum", builder.call("negative", quotient), 0)


def _with_extent(builder: Builder, start: gast.expr, stop: gast.expr) -> gast.expr | None:
    """A name that is known to be the length that lies between the bounds."""
    if not isinstance(stop, gast.Name) or not isinstance(start, gast.Constant):
        return None
    extent = affine_result("subtract", builder.extents.get(stop.id), start.value)
    names = (n for n, its in builder.extents.items() if its == extent and builder.types.get(n) == types.INT)
    found = next(names, None) if extent is not None else None
    return None if found is None else syntax.name(found)


def _formulas(start: gast.expr, stop: gast.expr, step: gast.expr) -> Iterator[gast.expr]:
    span = syntax.call("subtract", stop, start)
    rounded = syntax.call("negative", syntax.call("floor_divide", syntax.call("negative", span), step))
    yield syntax.call("maximum", rounded, 0)
    if _is(step, 1):
        yield syntax.call("maximum", span, 0)
        yield span


def expanded(tree: gast.expr, written: Mapping[str, gast.expr]) -> gast.expr:
    """A value with the names in it replaced by theirs."""
    match tree:
        case gast.Name(id=id_) if isinstance(written.get(id_), gast.Call):
            return expanded(written[id_], written)
        case gast.Call(func=func, args=args, keywords=keywords):
            return gast.Call(func, [expanded(a, written) for a in args], keywords)
    return tree


def _is(tree: gast.expr, number: int) -> bool:
    return isinstance(tree, gast.Constant) and type(tree.value) is int and tree.value == number


def values_of(body: Sequence[gast.stmt], merged: set[str], table: Mapping[str, Type]) -> dict[str, gast.expr]:
    """The values of the int names that are assigned once in statements read so far."""
    found = {}
    for statement in syntax.walk(body):
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                if name not in merged and table.get(name) == types.INT:
                    found[name] = value
    return found
