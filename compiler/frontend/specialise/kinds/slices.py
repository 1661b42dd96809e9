"""Slices as values, and NumPy's objects that are indexed instead of called.

    rows = np.s_[n : n + k]     ->     a slice with dynamic bounds: `a[rows]` is `a[n : n + k]`
    np.r_[0.0, x, 5:8]          ->     concatenate((array([0.0]), x, arange(5, 8)))
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from ....ops.python_names import NameBinding
from ....vocabulary import INDEX_EXPRESSIONS
from ..frame import Frame
from ..interpreter import apply, displays, evaluate
from ..iterables import Slice
from ..library import library
from ..protocol import attribute, python_class
from ..values import NONE, Sequence, Static, Value, are_known, is_sequence, parts
from . import arrays

OBJECTS: dict[int, str] = {id(getattr(np, name)): name for name in INDEX_EXPRESSIONS}
OPEN_GRID = NameBinding(function="places:open_grid")
JOINS = {"r_": NameBinding(function="joining:in_a_row"), "c_": NameBinding(function="joining:as_columns")}


def made(bounds: list[Value]) -> Value:
    """`slice(...)` as Python understands its arguments."""
    start, stop, step = [NONE, *bounds, NONE] if len(bounds) == 1 else [*bounds, NONE, NONE][:3]
    bounds = [start, stop, step]
    if are_known(bounds):
        return Static(slice(*(part.value for part in bounds)))
    return Slice(start, stop, step)


def bounds_of(value: Value) -> tuple[Value, Value, Value] | None:
    """The bounds of a slice; None for any other value."""
    match value:
        case Slice(start=start, stop=stop, step=step):
            return start, stop, step
        case Static(value=slice() as found):
            return Static(found.start), Static(found.stop), Static(found.step)
    return None


def written(frame: Frame, items: gast.expr) -> Value:
    """The expression between brackets, as the argument of `__getitem__`."""
    if isinstance(items, gast.Tuple):
        found: list[Value] = []
        for part in items.elts:
            found += displays.spread(frame, [part]) if isinstance(part, gast.Starred) else [written(frame, part)]
        return Sequence(tuple(found))
    if isinstance(items, gast.Slice):
        bounds = (items.lower, items.upper, items.step)
        return made([NONE if b is None else evaluate.evaluate(frame, b) for b in bounds])
    return evaluate.evaluate(frame, items)


def is_index_expression(value: object) -> bool:
    """Whether it is one of NumPy's objects that are indexed: `np.s_`, `np.r_`, `np.mgrid`, ..."""
    return id(value) in OBJECTS


def of_index_expression(frame: Frame, base: Any, items: gast.expr, node: gast.AST, hint: str) -> Value:
    name, given = OBJECTS[id(base)], written(frame, items)
    parts = given.items if is_sequence(given, tuple) else (given,)
    if name == "s_":
        return given
    if name == "index_exp":
        return Sequence(parts)
    if name in JOINS:
        joined = [_part_in_a_row(frame, part, node) for part in parts]
        return library.call(frame, JOINS[name], joined, {}, node, hint)
    axes = [_counted(frame, part, node) for part in parts]
    if None in axes:
        frame.fault("T001", f"`np.{name}` takes slices", node, "indexed here", ("write the bounds: `0:n`",))
    return _grid(frame, name, axes, is_one=not isinstance(given, Sequence), node=node)


def _part_in_a_row(frame: Frame, part: Value, node: gast.AST) -> Value:
    counted = _counted(frame, part, node)
    if counted is None and isinstance(part, Static) and isinstance(part.value, str):
        frame.fault("U012", "directions given as strings are not supported here", node, "given here",
                    ("call `np.concatenate` or `np.stack` with the axis",))  # fmt: skip
    if counted is None and library.is_container(frame, part):
        return arrays.as_array(frame, part, node)
    return part if counted is None else counted


def _counted(frame: Frame, part: Value, node: gast.AST) -> Value | None:
    """A slice as the numbers that it counts; None for anything else."""
    bounds = bounds_of(part)
    if bounds is None:
        return None
    start, stop, step = bounds
    if stop == NONE:
        frame.fault("T001", "a slice needs an end here", node, "indexed here", ("write where it ends: `0:n`",))
    first, by = (Static(0) if start == NONE else start), (Static(1) if step == NONE else step)
    if isinstance(by, Static) and isinstance(by.value, complex):  # so many points, with the end among them
        count = Static(int(abs(by.value)))
        return apply.call_object(frame, np.linspace, [first, stop, count], {}, node, "t")
    return apply.call_object(frame, np.arange, [first, stop, by], {}, node, "t")


def _grid(frame: Frame, name: str, axes: list[Any], is_one: bool, node: gast.AST) -> Value:
    if is_one:
        return axes[0]
    if name == "ogrid":
        return library.call(frame, OPEN_GRID, axes, {}, node, "t")
    grids = apply.call_object(frame, np.meshgrid, axes, {"indexing": Static("ij")}, node, "t")
    return apply.call_object(frame, np.stack, [grids], {}, node, "t")


@python_class.of(Slice)
def _(frame: Frame, value: Slice) -> type:
    return slice


@attribute.of(Slice)
def _(frame: Frame, base: Slice, name: str, node: gast.AST, hint: str = "t") -> Value:
    return dict(parts(base)).get(name) or attribute.otherwise(frame, base, name, node, hint)
