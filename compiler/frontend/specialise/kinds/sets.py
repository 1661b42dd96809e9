"""Sets: of what is known now, and dynamic ones, which are written in the language (`python_sets.py`).

    set("XO.") - {"."}        ->     a set known now
    seen = {start}            ->     names = [start], and a hash table as a dict has
    a & b                     ->     computed now if both are known, else a loop over one that looks up in the other
    for v in seen: ...        ->     U007: its order is not specified; `sorted(seen)` has one

A set of what is known now is a `Sequence` of its own kind, in insertion order, which a program cannot observe.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NoReturn

import gast

from ....types import Array, Scalar
from .. import protocol
from ..frame import Frame
from ..library.static_python import PYTHON_COMPARISONS, PYTHON_INFIX, computed, no_key
from ..objects import sites
from ..objects.object_changes import change
from ..values import NONE, Ref, Sequence, Static, Typed, Value
from . import classes, containers, equality, forms, keyed

NO_ORDER = "the order in which a set is gone over is not said anywhere"
SORT = "put its items in an order: `sorted(...)`"
WAY_OUT = "use `a | b`, `a & b`, `a - b`, `==`, `in` and `len`; a copy is `set(a)`"


def known_items(frame: Frame, value: Value) -> tuple[Value, ...] | None:
    """The items of a set that is known now; None for anything else."""
    held = frame.held(value)
    if isinstance(held, Sequence):
        return held.items if held.kind is set else None
    if isinstance(held, Static) and isinstance(held.value, set | frozenset):
        return tuple(keyed.as_key(item) for item in sorted(held.value, key=repr))
    return None


def is_dynamic(frame: Frame, value: Value) -> bool:
    return "names" in (parts := keyed.parts_of(frame, value)) and "entries" not in parts


def is_set(frame: Frame, value: Value) -> bool:
    return known_items(frame, value) is not None or is_dynamic(frame, value)


# --- making ----------------------------------------------------------------------------------------------------------


def new_set(frame: Frame, values: list[Value], node: gast.AST) -> Ref:
    """`{a, b}`; known now if its items are, and no dynamic item is put into it later."""
    columns = sites.known_forms(frame, node)
    if columns is None and all(keyed.is_known(frame, value) for value in values):
        keys = dict.fromkeys(keyed.computed_key(frame, value, node) for value in values)
        return _known_set(frame, tuple(map(keyed.as_key, keys)), node)
    made = _empty(frame, _forms_of(frame, values, node), node)
    for value in values:
        classes.special_call(frame, made, "add", [value], node)
    return made


def _known_set(frame: Frame, items: tuple[Value, ...], node: gast.AST) -> Ref:
    return sites.note(frame, frame.new(Sequence(items, set), "items"), node)


def _forms_of(frame: Frame, values: list[Value], node: gast.AST) -> Value | None:
    """The form of all these values as keys; None where there are none."""
    result: Value | None = None
    for value in values:
        form = keyed.key_form(frame, value, node)
        result = form if result is None else sites.joined(frame, (result,), (form,), node)[0]
    return result


def _empty(frame: Frame, form: Value | None, node: gast.AST) -> Ref:
    """A new set for items of a form, and of the forms that are known to be put into it."""
    columns = sites.known_forms(frame, node) if form is None else sites.made_with(frame, (form,), node)
    if columns is None:
        return _known_set(frame, (), node)
    names = keyed.new_column(frame, 0, columns[0], [], "items", node)
    return keyed.new_object(
        frame, "python_sets:Set", {"names": names, **keyed.table_of(frame, names, 0, node)}, "items", node
    )


def _form_of_items(frame: Frame, source: Value, node: gast.AST) -> Value | None:
    """The form of the items of a set; None where it is known to have none."""
    items = known_items(frame, source)
    if items is not None:
        return _forms_of(frame, list(items), node)
    return forms.form_of_items(frame, frame.held(keyed.parts_of(frame, source)["names"]))


def made(frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
    """`set(...)`."""
    if not args:
        return new_set(frame, [], node)
    if is_set(frame, args[0]):
        return _copy(frame, args[0], node)
    source = classes.iterable(frame, args[0], node)
    found = frame.type_of(source)
    is_short = not isinstance(found, Array) and protocol.is_unrolled(frame, source)
    if is_short:
        return new_set(frame, protocol.items(frame, source, node), node)
    target = new_set(frame, [], node)
    keyed.in_language(frame, "python_sets:add_all", [target, source], node)
    return target


def frozen(frame: Frame, args: list[Value], node: gast.AST) -> Value:
    """`frozenset(...)` of what is known now."""
    if not args:
        return Static(frozenset())
    items = known_items(frame, args[0])
    if items is None:
        source = classes.iterable(frame, args[0], node)
        is_short = not frame.is_array(source) and protocol.is_unrolled(frame, source)
        items = tuple(protocol.items(frame, source, node)) if is_short else None
    if items is None or not all(keyed.is_known(frame, item) for item in items):
        _refuse_frozen(frame, node)
    return Static(frozenset(keyed.computed_key(frame, item, node) for item in items))


def _refuse_frozen(frame: Frame, node: gast.AST) -> NoReturn:
    message = "a frozenset of items that are only known at run time is not in the language"
    frame.fault("U018", message, node, "made here",
                ("use a set: `set(...)`",))  # fmt: skip


def is_frozen(value: Value) -> bool:
    return isinstance(value, Static) and isinstance(value.value, frozenset)


def _copy(frame: Frame, source: Value, node: gast.AST) -> Ref:
    items = known_items(frame, source)
    if items is not None and sites.known_forms(frame, node) is None:
        return _known_set(frame, items, node)
    target = _empty(frame, _form_of_items(frame, source, node), node)
    _put_all(frame, "add_all", target, [source], node)
    return target


def _put_all(frame: Frame, name: str, target: Ref, given: list[Value], node: gast.AST) -> None:
    """Put the items of a set, or those that it does or does not share with another, into a new one."""
    first, *others = given
    keyed.in_language(frame, f"python_sets:{name}", [target, items_of(frame, first, node), *others], node)


# --- uses in any order -----------------------------------------------------------------------------------------------


def items_of(frame: Frame, source: Value, node: gast.AST) -> Value:
    """The items in some order, for a result that is the same in every order."""
    items = known_items(frame, source)
    if items is not None:
        return Sequence(items)
    if is_dynamic(frame, source):
        return keyed.parts_of(frame, source)["names"]
    return classes.iterable(frame, source, node)


def refuse_order(frame: Frame, node: gast.AST) -> None:
    frame.fault("U007", NO_ORDER, node, "gone over here", (SORT,))


def given_to(frame: Frame, function: Any, value: Value, kwargs: dict[str, Value], node: gast.AST) -> Value:
    """The items of a set, for a builtin whose result is the same in every order."""
    items = items_of(frame, value, node)
    if function is sum:
        require_exact_sum(frame, items, node)
    if function in (min, max) and "key" in kwargs:
        key = kwargs["key"]
        keyed.in_language(frame, "python_sets:require_one_best", [items, key, Static(function is max)], node)
    if function is sorted and "key" in kwargs:
        frame.fault("U007", f"items with one key stay in the order of the set, and {NO_ORDER}", node, "sorted here",
                    ("put them in an order first: `sorted(sorted(...), key=...)`",))  # fmt: skip
    return items


def require_exact_sum(frame: Frame, items: Value, node: gast.AST) -> None:
    """Refuse a sum of floats, as it depends on their order."""
    form = forms.form_of_items(frame, frame.held(items)) if isinstance(items, Ref) else None
    if isinstance(form, Typed) and isinstance(form.type, Scalar) and form.type.dtype.startswith("f"):
        refuse_sum(frame, node)


def refuse_sum(frame: Frame, node: gast.AST) -> None:
    frame.fault("U007", f"a sum of floats depends on their order, and {NO_ORDER}", node, "added here", (SORT,))


# --- sets that are known now -----------------------------------------------------------------------------------------


def _let_hold(frame: Frame, target: Ref, item: Value, node: gast.AST) -> None:
    """Start again with a set that has room for a dynamic item."""
    items = known_items(frame, target) or ()
    form = _forms_of(frame, [*items, item], node)
    assert form is not None
    sites.learn(frame, target.number, (form,), node)
    message = "a set from outside cannot be searched for an item that is only known at run time"
    frame.fault("U007", message, node, "asked here")


def _values(frame: Frame, value: Value, node: gast.AST) -> dict[Any, None]:
    return dict.fromkeys(protocol.known(frame, item, node) for item in known_items(frame, value) or ())


def _put(frame: Frame, target: Ref, values: Any, node: gast.AST) -> Value:
    change(frame, target, Sequence(tuple(map(keyed.as_key, values)), set), node)
    return NONE


def _add(frame: Frame, target: Ref, node: gast.AST, item: Value) -> Value:
    if not keyed.is_known(frame, item):
        _let_hold(frame, target, item, node)
    return _put(frame, target, {**_values(frame, target, node), keyed.computed_key(frame, item, node): None}, node)


def _discard(frame: Frame, target: Ref, node: gast.AST, item: Value, is_required: bool = False) -> Value:
    values = _values(frame, target, node)
    if not keyed.is_known(frame, item):
        if values:
            _let_hold(frame, target, item, node)
        elif is_required:
            containers.no_such_key(frame, item, node)
    key = keyed.computed_key(frame, item, node) if keyed.is_known(frame, item) else None
    if values and key in values:
        del values[key]
        return _put(frame, target, values, node)
    if is_required:
        no_key(frame, key, node)
    return NONE


def _remove(frame: Frame, target: Ref, node: gast.AST, item: Value) -> Value:
    return _discard(frame, target, node, item, is_required=True)


def refuse_method(frame: Frame, method: str, node: gast.AST) -> NoReturn:
    if method == "pop":
        frame.fault("U007", "which item `pop` takes out of a set is not said anywhere", node, "called here",
                    ("take a certain one: `least = min(s); s.remove(least)`",))  # fmt: skip
    frame.fault("U013", f"a set has no method `{method}` here", node, "called here", (WAY_OUT,))


METHODS: dict[str, Callable[..., Value]] = {"add": _add, "discard": _discard, "remove": _remove}


# --- operators -------------------------------------------------------------------------------------------------------


def infix(frame: Frame, op: type, left: Value, right: Value, node: gast.AST) -> Value | None:
    """`left op right` of two sets; None for anything else."""
    if not is_set(frame, left) or not is_set(frame, right) or op not in OPERATIONS and op not in PYTHON_COMPARISONS:
        return None
    sides = [known_items(frame, side) for side in (left, right)]
    if op in PYTHON_COMPARISONS:
        if None in sides:
            _refuse_operator(frame, node)
        return Static(PYTHON_COMPARISONS[op](*(set(_values(frame, side, node)) for side in (left, right))))
    if None not in sides:
        values = [_values(frame, side, node) for side in (left, right)]
        found = PYTHON_INFIX[op](*map(set, values))
        return Static(frozenset(found)) if is_frozen(left) else _known_set(frame, _in_order(found, *values), node)
    name = OPERATIONS[op]
    if name is None:
        _refuse_operator(frame, node)
    if is_frozen(left):
        _refuse_frozen(frame, node)
    form = _form_of_items(frame, left, node)
    if op is gast.BitOr and (other := _form_of_items(frame, right, node)) is not None:
        form = other if form is None else sites.joined(frame, (form,), (other,), node)[0]
    made = _empty(frame, form, node)
    _put_all(frame, name, made, [left] if op is gast.BitOr else [left, right], node)
    if op is gast.BitOr:
        _put_all(frame, name, made, [right], node)
    return made


def _in_order(found: set, *sources: Any) -> tuple[Value, ...]:
    """The items in the order of the sources, which is the same in every process."""
    return tuple(keyed.as_key(item) for item in dict.fromkeys(v for source in sources for v in source) if item in found)


def _refuse_operator(frame: Frame, node: gast.AST) -> NoReturn:
    message = "this operator of sets that are only known at run time is not in the language"
    frame.fault("U018", message, node, "used here", (WAY_OUT,))


def contains(frame: Frame, item: Value, container: Value, node: gast.AST, hint: str) -> Value | None:
    """`item in container` of a set that is known now."""
    items = known_items(frame, container)
    if items is None:
        return None
    if keyed.is_known(frame, item):
        return Static(computed(frame, operator.contains, node, _values(frame, container, node),
                               protocol.known(frame, item, node)))  # fmt: skip
    return equality.decided(frame, [(other, item) for other in items], True, node, hint)


# The library's functions for the operators on dynamic sets.
OPERATIONS: dict[type, str | None] = {
    gast.BitOr: "add_all", gast.BitAnd: "add_shared", gast.Sub: "add_others", gast.BitXor: None,
}  # fmt: skip
