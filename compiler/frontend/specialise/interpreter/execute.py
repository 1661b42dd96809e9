"""Statements: assign, choose, loop, raise.

    total += x[i]        ->       t = x[i]
                                  total_1 = total + t
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Statements

import gast
import numpy as np

from .... import own_faults, syntax, types
from ....dtypes import has_kind_of, order
from ....ops.python_names import NameBinding
from ....types import Array
from .. import protocol
from ..exceptions import raising, trying
from ..frame import Frame
from ..functional import Closure
from ..given_names import note_name
from ..joins import two_meanings
from ..kinds import (
    callables,
    classes,
    container_methods,
    containers,
    generator_expressions,
    optional,
    own_operators,
    sets,
    shapes_in_place,
    stored_parts,
)
from ..library import library
from ..objects import items_in_place, keyed_loops
from ..values import UNDEFINED, Leaf, Mapping_, OneOf, Ref, Static, Value
from ..world import imports
from . import branches, displays, evaluate, loops, refusals, subscript, unpacking

SET_FLAT = NameBinding(function="changing:set_flat")


def execute(frame: Frame, body: Statements[gast.stmt]) -> None:
    for node in body:
        frame.at(node)
        try:
            statement(frame, node)
        except own_faults.OF_PYTHON as fault:
            own_faults.tell("specialise", fault, frame.here(node))


def result_of(frame: Frame, node: gast.Return) -> Value:
    """What a function returns."""
    try:
        return evaluate.evaluate(frame, node.value, "result")
    except own_faults.OF_PYTHON as fault:
        own_faults.tell("specialise", fault, frame.here(node))


def statement(frame: Frame, node: gast.stmt) -> None:
    frame.heap.open = None
    match node:
        case gast.Assign(targets=places, value=value):
            hint = branches.wish_for(frame, places[0].id) if isinstance(places[0], gast.Name) else "t"
            is_taken = isinstance(places[0], gast.Tuple | gast.List)
            made = (generator_expressions.all_of if is_taken else evaluate.evaluate)(frame, value, hint)
            if getattr(node, "leaves_loop", False):
                made = containers.kept_apart(frame, made, node)
            for place in places:
                bind(frame, place, made, node)
        case gast.AnnAssign(target=place, value=value):
            if value is not None:
                bind(frame, place, evaluate.evaluate(frame, value, getattr(place, "id", "t")), node)
        case gast.AugAssign():
            augmented(frame, node)
        case gast.If(test=test, body=body, orelse=orelse):
            branches.branch(frame, node, test, body, orelse)
        case gast.For():
            loops.for_loop(frame, node)
        case gast.While():
            loops.while_loop(frame, node)
        case gast.Expr(value=value) if getattr(node, "is_context", False):
            errors_state(frame, value)
        case gast.Delete(targets=targets):
            for place in targets:
                delete(frame, place)
        case gast.Expr(value=value):
            if not isinstance(value, gast.Constant):
                evaluate.evaluate(frame, value)
        case gast.FunctionDef(name=name):
            bind(frame, syntax.target(name), displays.closure(frame, node), node)
        case gast.Raise():
            raising.raise_statement(frame, node)
        case gast.Try():
            trying.try_statement(frame, node)
        case gast.Assert(test=test, msg=message):
            raising.assertion(frame, node, test, message)
            frame.variables.update(optional.known_from(frame, test, True))
        case gast.Import() | gast.ImportFrom():
            for name, value in imports.bound(frame, node):
                bind(frame, syntax.target(name), value, node)
        case gast.Global():
            pass  # the names are only read
        case gast.Pass():
            if isinstance(node, loops.Doing):
                node.run(frame)
        case _:
            refusals.refuse_construct(frame, node)


def errors_state(frame: Frame, node: gast.Call) -> None:
    """The head of `with np.errstate(...)`: turning warnings off changes nothing, as compiled code gives none."""
    if evaluate.evaluate(frame, node.func) != Static(np.errstate):
        frame.fault("U002", "`with` is outside the language, but for `np.errstate`", node, "not supported",
                    ("do this outside and call the compiled function inside the `with`",))  # fmt: skip
    for keyword in node.keywords:
        if evaluate.static(frame, keyword.value, "what errstate is told") not in ("ignore", "warn", None):
            frame.fault("U002", "only warnings can be turned off by `np.errstate`", keyword.value, "not supported",
                        ('write "ignore" or "warn", and test for the case yourself',))  # fmt: skip


def delete(frame: Frame, place: gast.expr) -> None:
    """`del x`, `del a.x`, `del xs[i]`."""
    match place:
        case gast.Name(id=name):
            evaluate.read_name(frame, name, place)
            frame.variables[name] = UNDEFINED
        case gast.Attribute(value=base, attr=attribute):
            classes.assign(frame, evaluate.evaluate(frame, base), attribute, None, place)
        case gast.Tuple(elts=elements) | gast.List(elts=elements):
            for element in elements:
                delete(frame, element)
        case gast.Subscript(value=base, slice=items):
            target, put_back = items_in_place.to_change(frame, base)
            _delete_item(frame, target, items, place)
            put_back(target)


@protocol.lifted()
def _delete_item(frame: Frame, target: Value, items: gast.expr, node: gast.expr) -> None:
    if not own_operators.delete_item(frame, target, items, node):
        if not isinstance(target, Ref) or classes.class_of(frame, target) is not None:
            what = frame.describe(target)
            frame.fault("T001", f"`del` of an item takes a list or dict, not {what}", node, "deleted here")
        container_methods.delete(frame, target, items, node)


# --- binding -------------------------------------------------------------------------------------------------------


def bind(frame: Frame, place: gast.expr, value: Value, node: gast.AST) -> None:
    match place:
        case gast.Name(id=name):
            if isinstance(value, Ref) and frame.heap.names[value.number] in ("items", "entries"):
                frame.heap.names[value.number] = name
            frame.variables[name] = value
            note_name(frame, name, value)
            frame.variables.pop(evaluate.is_set(name), None)
        case gast.Tuple(elts=elements) | gast.List(elts=elements):
            unpacking.unpack(frame, value, elements, node)
        case gast.Subscript() | gast.Attribute() if stored_parts.store(frame, place, lambda _: value, node):
            pass
        case gast.Subscript(value=base, slice=items):
            target, put_back = items_in_place.to_change(frame, base)
            subscript.store(frame, target, items, value, node)
            put_back(target)
        case gast.Attribute(value=base, attr=attribute):
            target = evaluate.evaluate(frame, base)
            name = base.id if isinstance(base, gast.Name) and base.id in frame.variables else ""
            if name and isinstance(target, Closure):
                frame.variables[name] = callables.with_attribute(frame, target, attribute, value, place)
            elif name and attribute == "shape" and frame.is_array(target):
                frame.variables[name] = shapes_in_place.reshaped(frame, name, target, value, place)
            elif attribute == "flat" and frame.is_array(target):
                library.call(frame, SET_FLAT, [target, value], {}, place, "filled")
            else:
                classes.assign(frame, target, attribute, value, place)
        case _:
            refusals.refuse_construct(frame, place)


def augmented(frame: Frame, node: gast.AugAssign) -> None:
    """`x += v`: a new value for scalars and tuples, a change in place for arrays and elements."""
    place, op = node.target, type(node.op)
    if isinstance(place, gast.Name):
        old = evaluate.read_name(frame, place.id, place)
        value = evaluate.evaluate(frame, node.value)
        made = updated(frame, old, op, value, node, branches.wish_for(frame, place.id))
        if made is not old:
            bind(frame, place, made, node)
        return

    def made_of(old: Value) -> Value:
        return evaluate.binary(frame, op, old, evaluate.evaluate(frame, node.value), node)

    if stored_parts.store(frame, place, made_of, node):
        return
    base, put_back = items_in_place.to_change(frame, place.value)
    augmented_part(frame, base, put_back, node)


@protocol.lifted()
def augmented_part(frame: Frame, base: Value, put_back: Callable[[Value], None], node: gast.AugAssign) -> None:
    """`base.name += v`, `base[i] += v`."""
    place, op = node.target, type(node.op)
    if isinstance(place, gast.Attribute):
        old = protocol.attribute(frame, base, place.attr, place, "t")
        value = evaluate.evaluate(frame, node.value)
        old = items_in_place.own_array(frame, base, put_back, old, node)
        classes.assign(frame, base, place.attr, updated(frame, old, op, value, node, place.attr), place)
        return put_back(base)
    if frame.is_array(base):
        found = protocol.type_as(frame, base, Array)
        subscript.require_array(frame, found, place)
        items = subscript.normalised(frame, base, place.slice, place)
        old = subscript.element(frame, base, items, node)
        value = evaluate.binary(frame, op, old, evaluate.evaluate(frame, node.value), node)
        subscript.store_items(frame, base, items, same_kind(frame, value, found, node), node)
        return put_back(base)
    base, place = keyed_loops.as_list_item(frame, base, place)
    old, put_item_back = items_in_place.item(frame, base, put_back, place)
    # an item is still that object; a slice of a list is a new list, so it is written back
    value = updated(frame, old, op, evaluate.evaluate(frame, node.value), node)
    if value is not old or isinstance(place.slice, gast.Slice):
        subscript.store(frame, base, place.slice, value, node)
        put_back(base)
    else:
        put_item_back(value)
    return None


@protocol.lifted()
def updated(frame: Frame, old: Value, op: type, value: Value, node: gast.AST, hint: str = "t") -> Value:
    """What `old op= value` leaves: the same object if it is changed in place, else a new value."""
    if isinstance(old, Ref) and isinstance(value, OneOf):
        return protocol.of_cases(frame, value, lambda case: updated(frame, old, op, case, node), node, hint)
    if changed_in_place(frame, old, op, value, node):
        return old
    made = own_operators.in_place(frame, op, old, value, node)
    return evaluate.binary(frame, op, old, value, node, hint) if made is None else made


def changed_in_place(frame: Frame, old: Value, op: type, value: Value, node: gast.AST) -> bool:
    """Whether `old op= value` changes an object, as it does for arrays, lists and dicts; if so, the change is made."""
    if frame.is_array(old):
        in_place(frame, old, op, value, node)
        return True
    if not isinstance(old, Ref) or classes.instance(frame, old) is not None:
        return False
    if sets.known_items(frame, old) is not None:
        own_operators.refuse_in_place(frame, old, node)
    held = frame.held(old)
    if own_operators.is_asked_first(frame, op, value):
        return False
    if isinstance(held, Mapping_):
        if op is not gast.BitOr:
            return False
        container_methods.call_method(frame, old, "update", [value], {}, node)
    elif op is gast.Add:
        container_methods.extend(frame, old, node, value)
    elif op is gast.Mult and frame.is_integer(value):
        container_methods.repeat(frame, old, value, node)
    else:
        return False
    return True


def in_place(frame: Frame, old: Leaf, op: type, value: Value, node: gast.AST) -> None:
    place = protocol.type_as(frame, old, Array)
    result = evaluate.binary(frame, op, old, two_meanings.beside_its_own(frame, value, place), node)
    items: list[gast.expr] = [syntax.slice_() for _ in range(place.ndim)]
    subscript.store_items(frame, old, items, same_kind(frame, result, place, node), node)


def same_kind(frame: Frame, value: Value, place: Array, node: gast.AST) -> Value:
    """Refuse as NumPy does `ints += floats`, whose result would be truncated, and signed results in unsigned arrays.

    A single element is stored as any number is.
    """
    found = frame.type_of(value)
    fits = has_kind_of if isinstance(found, Array) else lambda source, target: order(source) <= order(target)
    if found is not None and not fits(types.dtype_of(found), place.dtype):
        message = f"an array of {place.dtype} cannot take the {types.dtype_of(found)} result of this operation in place"
        frame.fault("T001", message, node, "changed in place here", ("write `x = x + ...` for a new array",))
    return value
