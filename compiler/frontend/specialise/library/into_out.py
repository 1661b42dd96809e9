"""Results that go into an existing array: `out=`, and `where=` of elementwise functions.

    np.multiply(a, b, out=c)                       ->    c[...] = multiply(a, b); c
    np.divide(a, b, out=c, where=b > 0)            ->    c[...] = where(b > 0, divide(a, b), c); c

The whole result is computed before the first element is stored, so `out` may be an operand, as in NumPy.
"""

from __future__ import annotations

from typing import Any

import gast

from .....runtime.nature import article
from .... import syntax, types
from ....dtypes import NUMPY_DTYPE, has_kind_of, is_bool
from ....ops.python_names import NameBinding, is_lacking, takes_out
from ....types import Array, Scalar
from .. import protocol
from ..frame import Frame
from ..interpreter import choices, evaluate, subscript
from ..kinds import arrays
from ..values import NONE, Leaf, Static, Value, is_none, is_sequence
from . import library
from .static_python import stop

EVERYWHERE = Static(True)


def call(
    frame: Frame, binding: NameBinding, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str
) -> Value:
    """A call with `out=` or `where=`."""
    others = {name: value for name, value in kwargs.items() if name not in ("out", "where")}
    mask = kwargs.get("where", EVERYWHERE)
    if not _is_elementwise(binding):
        if mask != EVERYWHERE:
            if not is_lacking(binding, "where"):
                message = f"`{_name(binding)}` got an unexpected keyword argument 'where'"
                frame.fault("T004", message, node, "called here", ("select the elements first: `x[mask]`",))
            frame.fault("U012", f"the argument `where=` of `{_name(binding)}` is not supported", node, "called here")
        if is_none(kwargs.get("out", NONE)):
            return library.call(frame, binding, args, others, node, hint)
    out = _place(frame, kwargs.get("out", NONE), node)
    if out is None:
        if mask == EVERYWHERE:
            return library.call(frame, binding, args, others, node, hint)
        frame.fault("U012", "`where=` without `out=` leaves elements without a value", node, "called here",
                    ("say what they are: `np.where(mask, ..., other)`, or pass `out=`",))  # fmt: skip
    if not takes_out(binding):
        frame.fault("T004", f"`{_name(binding)}` got an unexpected keyword argument 'out'", node, "called here")
    result = library.call(frame, binding, args, others, node, hint)
    found, place = frame.type_of(result), protocol.type_as(frame, out, Array)
    if not isinstance(found, Array | Scalar):
        frame.fault("T001", f"an array cannot take {article(frame.describe(result))}", node, "stored here")
    _require_dtype(frame, binding, found, place, node)
    if _is_elementwise(binding):
        _require_rank(frame, found, place, node)
        result = _masked(frame, result, mask, out, node)
    else:
        _require_shape(frame, result, found, out, place, node)
    every: list[gast.expr] = [syntax.slice_() for _ in range(place.ndim)]
    subscript.store_items(frame, out, every, result, node)
    return out


def _is_elementwise(binding: NameBinding) -> bool:
    return bool(binding.operator) and binding.row.kind == "elementwise"


def _name(binding: NameBinding) -> str:
    return binding.operator or binding.function.partition(":")[2]


def _place(frame: Frame, out: Value, node: gast.AST) -> Leaf | None:
    held = frame.held(out)
    if is_sequence(held, tuple) and len(held.items) == 1:
        out = held.items[0]
    if is_none(out):
        return None
    if not frame.is_array(out):
        frame.fault("T001", f"`out=` takes an array, not {frame.describe(out)}", node, "called here")
    assert isinstance(out, Leaf)
    return out


def _require_dtype(frame: Frame, binding: NameBinding, found: Array | Scalar, place: Array, node: gast.AST) -> None:
    """The result of an elementwise function may be rounded, but no more; others need the dtype of their result."""
    source, target = types.dtype_of(found), place.dtype
    fits = has_kind_of(source, target) if _is_elementwise(binding) else source == target
    if not fits:
        message = f"an array of {place.dtype} cannot take the {types.dtype_of(found)} result of `{_name(binding)}`"
        frame.fault("T001", message, node, "stored here", (f"make the array with dtype=np.{NUMPY_DTYPE[source].name}",))


def _require_rank(frame: Frame, found: Array | Scalar, place: Array, node: gast.AST) -> None:
    if types.rank(found) > place.ndim:
        message = f"an array of {place.ndim} dimensions is too small for this result, which has {types.rank(found)}"
        frame.fault("S003", message, node, "stored here")


def _require_shape(
    frame: Frame, result: Value, found: Array | Scalar, out: Leaf, place: Array, node: gast.AST
) -> None:  # fmt: skip
    """The result of a function that is not elementwise must have the shape of its target."""
    if types.rank(found) != place.ndim:
        message = f"`out=` has {place.ndim} dimensions where the result has {types.rank(found)}"
        frame.fault("S003", message, node, "stored here")
    for own, wanted in zip(evaluate.lengths_of(frame, result, node), evaluate.lengths_of(frame, out, node)):
        differs = choices.compare(frame, gast.NotEq, own, wanted, node)
        text = "the array that `out=` names has another shape than the result"
        if differs == Static(True):
            stop(frame, "ValueError", text, node)
        if differs != Static(False):
            error = syntax.raise_("ValueError", text, span=frame.here(node))
            frame.builder.append(syntax.if_(frame.atom(differs, node), [error]))


def _masked(frame: Frame, result: Value, mask: Value, out: Leaf, node: gast.AST) -> Value:
    """The result where the mask is true, and the old elements where it is not."""
    if mask == EVERYWHERE:
        return result
    if library.is_container(frame, mask):
        mask = arrays.as_array(frame, mask, node)
    found: Any = frame.type_of(mask)
    if found is None or not is_bool(types.dtype_of(found)):
        frame.fault("T001", "`where=` takes a mask of bools", node, "called here", ("compare: `x > 0`",))
    place = protocol.type_as(frame, out, Array)
    _require_rank(frame, found, place, node)
    new = frame.emit("cast", result, node=node, dtype=place.dtype, weak=False)
    return frame.emit("where", mask, new, out, node=node)
