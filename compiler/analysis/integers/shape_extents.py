"""The length that an int expression of the loops stage is, where it is a sum of lengths.

    maximum(subtract(dim(x, axis=0), 1), 0)   with x: f64[n]    ->    n - 1
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import gast

from ... import syntax
from ...builder import affine_result
from ...types import Array, Extent, Type


def extent_of(tree: gast.expr, types: Mapping[str, Type], of_name: Callable[[str], Extent | None]) -> Extent | None:
    """The extent, or None; `of_name` says what is known of a variable."""
    match tree:
        case gast.Constant(value=int() as value) if value >= 0:
            return value
        case gast.Name(id=name):
            return of_name(name)
        case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=array)]):
            type_ = types.get(array)
            return type_.dims[syntax.static_of(tree)["axis"]] if isinstance(type_, Array) else None
        case gast.Call(func=gast.Name(id="maximum"), args=[other, gast.Constant(value=0)]):
            return extent_of(other, types, of_name)
        case gast.Call(func=gast.Name(id=operator), args=[left, right]):
            return affine_result(operator, *(extent_of(part, types, of_name) for part in (left, right)))
    return None


def trees_of(made: gast.Call) -> list[gast.expr]:
    """The lengths that `empty(shape=...)` and the like are given."""
    shape = next(k.value for k in made.keywords if k.arg == "shape")
    return list(shape.elts) if isinstance(shape, gast.Tuple) else [shape]
