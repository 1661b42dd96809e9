"""Changed copies of arrays, as `Array.at` makes them: a store into a copy without aliases.

    y = x.at[1:3].set(0.0)    ->    y = copy(x); y[1:3] = 0.0
    y = x.at[1:3].add(v)      ->    y = copy(x); y[1:3] = y[1:3] + v
    y = x.at[i].add(v)        ->    y = copy(x); np.add.at(y, i, v)       where i is an array: it may repeat an index

The parts of the index are computed once, into variables that the user's program cannot name.
"""

from __future__ import annotations

import gast

from .....runtime.at import HINTS, UFUNCS
from .... import types
from ....analysis.at_places import place_of
from ....dtypes import is_bool
from ....ops.python_names import NameBinding
from ....syntax import rebuild
from ....types import Array
from .. import protocol
from ..frame import Frame
from ..interpreter import displays, evaluate, execute, subscript
from ..iterables import Slice
from ..kinds import classes
from ..values import Record, Static, Value, is_sequence
from . import library

BY_DEFAULT = (None, "promise_in_bounds")
MIXED = ("put the axes of the arrays first: `x.T.at[i].add(v).T`",)
OTHER_MODES = (
    "a mode takes a number or an array for each of the first axes; clip the places: `x[:, np.clip(i, 0, n - 1)]`",
)


def called(frame: Frame, node: gast.Call, hint: str) -> Value | None:
    """The value of `x.at[index].method(...)`; None for any other call."""
    place = place_of(node)
    if place is None:
        return None
    base = evaluate.evaluate(frame, place.array)
    if isinstance(frame.held(base), Record) or classes.instance(frame, base) is not None:
        return None  # the class has an `at` of its own
    if not frame.is_array(base):
        return protocol.attribute(frame, base, "at", node.func.value.value, hint)
    given = _arguments(frame, node, place.method)
    mode = given.pop("mode", None)
    names = _Hidden(frame)
    try:
        index = names.index(place.index)
        copied = names.keep(_library(frame, "copied", [base], node, hint))
        if mode not in BY_DEFAULT and names.has_numbers or place.method in UFUNCS and names.has_arrays:
            return _by_places(frame, place.method, copied, index, names.has_slices, mode, given, node, hint)
        return _by_stores(frame, place.method, copied, index, given, node, hint)
    finally:
        names.forget()


class _Hidden:
    """Hidden variables of a frame for what is computed once, and the kinds of the parts of the index."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.names: list[str] = []
        self.has_arrays = self.has_numbers = self.has_slices = False

    def keep(self, value: Value) -> gast.Name:
        name = f" {len(self.frame.variables)}"
        self.names.append(name)
        self.frame.variables[name] = value
        return gast.Name(name, gast.Load(), None, None)

    def index(self, node: gast.expr) -> gast.expr:
        """The same index over variables; a tuple in a variable is its parts, as a tuple display is."""
        if isinstance(node, gast.Tuple):
            return rebuild(node, elts=[one for part in node.elts for one in self._parts(part)])
        if isinstance(node, gast.Slice):
            return self._part(node)
        value = evaluate.evaluate(self.frame, node)
        items = _items_of(self.frame.held(value))
        return self._noted(value) if items is None else gast.Tuple([self._noted(one) for one in items], gast.Load())

    def _parts(self, node: gast.expr) -> list[gast.expr]:
        if isinstance(node, gast.Starred):
            return [self._noted(value) for value in displays.spread(self.frame, [node])]
        return [self._part(node)]

    def _part(self, node: gast.expr) -> gast.expr:
        if isinstance(node, gast.Slice):
            self.has_slices = True
            bounds = [None if b is None else self.keep(evaluate.evaluate(self.frame, b)) for b in
                      (node.lower, node.upper, node.step)]  # fmt: skip
            return rebuild(node, lower=bounds[0], upper=bounds[1], step=bounds[2])
        return self._noted(evaluate.evaluate(self.frame, node))

    def _noted(self, value: Value) -> gast.Name:
        found = self.frame.type_of(value)
        is_mask = isinstance(found, types.Array) and is_bool(found.dtype)
        is_other = isinstance(value, Slice) or isinstance(value, Static) and not isinstance(value.value, int)
        self.has_slices |= is_mask or is_other
        self.has_numbers |= not is_mask and not is_other
        self.has_arrays |= not is_mask and not is_other and not isinstance(found, types.Scalar)
        return self.keep(value)

    def forget(self) -> None:
        for name in self.names:
            del self.frame.variables[name]


def _items_of(held: Value) -> list[Value] | None:
    """The parts of a tuple; None for anything else."""
    if is_sequence(held, tuple):
        return list(held.items)
    return [*map(Static, held.value)] if isinstance(held, Static) and isinstance(held.value, tuple) else None


def _arguments(frame: Frame, node: gast.Call, method: str) -> dict[str, object]:
    """The expression of the value or the function, and what the keywords say."""
    known: dict[str, object] = {}
    for keyword in node.keywords:
        if keyword.arg in HINTS:
            continue
        if keyword.arg == "mode":
            known["mode"] = evaluate.static(frame, keyword.value, "the mode")
        elif keyword.arg == "fill_value" and method == "get" or keyword.arg in ("values", "value", "func"):
            known["value"] = keyword.value
        else:
            frame.fault("T004", f"`.at[...].{method}` has no argument `{keyword.arg}`", keyword.value)
    if len(node.args) + ("value" in known and method != "get") != (method != "get"):
        wanted = "no value" if method == "get" else "one value"
        frame.fault("T004", f"`.at[...].{method}` takes {wanted}", node, "called here")
    return {**known, **({"value": node.args[0]} if node.args else {})}


def _by_places(
    frame: Frame, method: str, copied: gast.Name, written: gast.expr, has_slices: bool, mode: object, given: dict,
    node: gast.Call, hint: str,
) -> Value:  # fmt: skip
    """By a function of the library that updates the indexed elements one after the other."""
    if has_slices:
        frame.fault("U012", f"`.at[...].{method}` of arrays and slices together", node, "called here",
                    OTHER_MODES if mode not in BY_DEFAULT else MIXED)  # fmt: skip
    array = frame.variables[copied.id]
    value = evaluate.evaluate(frame, given["value"]) if "value" in given else Static(None)
    parts = written if isinstance(written, gast.Tuple) else gast.Tuple([written], gast.Load())
    index = evaluate.evaluate(frame, parts)
    if mode not in BY_DEFAULT:
        ufunc = Static(UFUNCS[method]) if method in UFUNCS else Static(method)
        found = _library(frame, "in_mode", [ufunc, array, index, value, Static(mode)], node, hint)
        return found if method == "get" else array
    _library(frame, "combined", [Static(UFUNCS[method]), array, index, value], node, hint)
    return array


def _by_stores(
    frame: Frame, method: str, copied: gast.Name, index: gast.expr, given: dict, node: gast.Call, hint: str
) -> Value:
    """By a store of the new elements."""
    array = frame.variables[copied.id]
    if method == "get":
        made = protocol.load(frame, array, index, node, hint)
        return _library(frame, "copied", [made], node, hint) if frame.is_array(made) else made
    value = evaluate.evaluate(frame, given["value"])
    if method != "set":
        old = protocol.load(frame, array, index, node)
        function = value if method == "apply" else Static(UFUNCS[method])
        value = protocol.call(frame, function, [old] if method == "apply" else [old, value], {}, node)
        if method != "apply":
            execute.same_kind(frame, value, protocol.type_as(frame, array, Array), node)
    subscript.store(frame, array, index, value, node)
    return array


def _library(frame: Frame, name: str, args: list[Value], node: gast.Call, hint: str) -> Value:
    return library.call(frame, NameBinding(function=f"changed_copies:{name}"), args, {}, node, hint)
