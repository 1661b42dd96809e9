"""Lists and dicts: their items, their methods, what changes them.

    xs = [a]; ys = xs; ys.append(b)     ->     both names stand for one object, which now holds [a, b]

An object whose length is known holds its items; one that grows in a loop holds the leaf of a growable list, and its
methods become statements of the language.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from ... import syntax, types
from ...dtypes import INT_WORD, python_dtype
from ...messages import escaped
from ...types import Array, ListOf, Scalar
from . import evaluate, iteration, list_positions, refusals, rows
from .frame import Frame
from .merge import can_hold, coerce, join_types, own_lengths
from .object_changes import change
from .static_python import computed, no_key, stop
from .values import NONE, Iteration, Leaf, Mapping_, Record, Ref, Rows, Sequence, Static, Value


def key_of(frame: Frame, value: Value, node: gast.AST) -> Any:
    """The key of a dict: known now, and of a kind that can be one."""
    key = evaluate.known(frame, value, node, "a dict key")
    computed(frame, hash, node, key)
    return key


def is_container(frame: Frame, value: Value) -> bool:
    """Whether a value has items of its own: a list, tuple, dict, NamedTuple, or a growable list."""
    held = frame.held(value)
    return isinstance(held, Sequence | Mapping_ | Rows | Iteration | Record) or frame.is_list(held)


def new_list(frame: Frame, items: list[Value] | tuple[Value, ...]) -> Ref:
    return frame.new(Sequence(tuple(items), list))


def new_dict(frame: Frame, items: dict[Any, Value]) -> Ref:
    return frame.new(Mapping_(tuple(items.items())), "entries")


# --- items ---------------------------------------------------------------------------------------------------------


def load(frame: Frame, base: Value, items: gast.expr, node: gast.AST, hint: str) -> Value:
    """`base[items]` of a container."""
    held = frame.held(base)
    if isinstance(held, Record) and held.is_tuple:
        held = Sequence(tuple(v for _, v in held.items))
    match held:
        case Mapping_():
            key = key_of(frame, evaluate.evaluate(frame, items), node)
            found = held.get(key)
            if found is None:
                no_key(frame, key, node)
            return found
        case Sequence() if isinstance(items, gast.Slice):
            found = computed(frame, held.items.__getitem__, node, _bounds(frame, items))
            return new_list(frame, found) if held.kind is list else Sequence(found)
        case Sequence():
            position = list_positions.known_position(frame, base, held, items, "the position in a tuple or list", node)
            if position is not None:
                return held.items[position]
            held = frame.held(base)  # a list that grows
        case Rows() if isinstance(items, gast.Slice):
            return frame.new(rows.sliced(frame, held, items, node))
        case Rows():
            return rows.item(frame, held, whole(frame, evaluate.evaluate(frame, items), node), node)
    if isinstance(items, gast.Slice):
        return sliced_list(frame, held, items, node)
    position = evaluate.evaluate(frame, items)
    element = own_lengths(frame, frame.type_of(held).element)
    return Leaf(frame.builder.bind(syntax.index(held.name, whole(frame, position, node)), element, hint).id)


def whole(frame: Frame, position: Value, node: gast.AST) -> gast.expr:
    if not frame.is_integer(position):
        what = frame.describe(position)
        frame.fault("T001", f"list indices must be integers or slices, not {what}", node, "indexed here")
    if frame.type_of(position) == types.BOOL:
        position = frame.emit("cast", position, node=node, dtype=INT_WORD, weak=True)
    return frame.atom(position, node)




def _bounds(frame: Frame, items: gast.Slice) -> slice:
    known = [None if b is None else evaluate.static(frame, b, "a slice of a tuple or list")
             for b in (items.lower, items.upper, items.step)]  # fmt: skip
    return slice(*known)


def sliced_list(frame: Frame, held: Leaf, items: gast.Slice, node: gast.AST) -> Value:
    """A slice of a list that grows: `xs[:]` copies it, other slices are not in the language."""
    if (items.lower, items.upper, items.step) != (None, None, None):
        frame.fault("U018", "a slice of a list that grows is not in the language", node, "taken here",
                    ("make it an array first: `np.array(...)`",))  # fmt: skip
    return frame.new(copy_of_leaf(frame, held, node))


def let_grow(frame: Frame, target: Ref, wanted: ListOf, node: gast.AST) -> None:
    """From here on a list of known length is one that grows."""
    held = frame.held(target)
    if isinstance(held, Sequence):
        made = coerce(frame, held, wanted, node)
        frame.heap.contents[target.number] = Leaf(made.id)


def copy_of_leaf(frame: Frame, held: Leaf, node: gast.AST, apart: bool = False) -> Leaf:
    """A growable list with the items of another; `apart`: with copies of them, where they are arrays."""
    type_ = frame.type_of(held)
    made = frame.builder.bind(syntax.call("new_list"), type_, "items")
    _append_all(frame, made.id, held, node, apart=apart)
    return Leaf(made.id)


def converted_list(frame: Frame, held: Leaf, wanted: ListOf, node: gast.AST) -> Leaf:
    """A growable list with the numbers of another in a type that holds them too."""
    made = frame.builder.bind(syntax.call("new_list"), wanted, "items")
    _append_all(frame, made.id, held, node)
    return Leaf(made.id)


def element_for(frame: Frame, target: Ref, value: Value, node: gast.AST) -> Any:
    """The type of a growable list's elements, after numbers have been converted to one that holds this number too."""
    held = frame.held(target)
    element, found = frame.type_of(held).element, frame.type_of(value)
    if isinstance(element, Scalar) and isinstance(found, Scalar) and not can_hold(frame, element, found):
        wanted = ListOf(join_types(frame, element, found))
        frame.heap.contents[target.number] = converted_list(frame, held, wanted, node)
        return wanted.element
    return element


def grown_from_array(frame: Frame, array: Leaf, is_weak: bool, node: gast.AST) -> Leaf:
    """A growable list of the numbers in an array, or of its rows."""
    found = frame.type_of(array)
    dtype = python_dtype(found.dtype) if is_weak else found.dtype
    element = Scalar(dtype, is_weak) if found.ndim == 1 else Array(found.dtype, found.dims[1:], "C")
    made = frame.builder.bind(syntax.call("new_list"), ListOf(element), "items")
    _append_all(frame, made.id, array, node, is_weak)
    return Leaf(made.id)


def grow(frame: Frame, target: Ref, node: gast.AST) -> Value:
    """What a list holds, before it is changed."""
    held = frame.held(target)
    if isinstance(held, Rows):
        change(frame, target, None, node)  # refused where somebody else would see it
        held = frame.heap.contents[target.number] = rows.growable(frame, held, node)
    return held


def _append_all(
    frame: Frame, target: str, source: Value, node: gast.AST, weaken: bool = False, apart: bool = False
) -> None:
    """Append the items of an array or a growable list, in a loop; `weaken` makes Python's numbers of them."""
    count = frame.atom(iteration.length_of_iterable(frame, source, node), node)
    variable = frame.builder.names.fresh("i")
    frame.builder.types[variable] = types.INT
    element = frame.builder.types[target].element
    with frame.captured() as body:
        item = iteration.item_at(frame, source, Leaf(variable), node)
        if weaken:
            item = frame.emit("cast", item, node=node, dtype=element.dtype, weak=True)
        if apart and frame.is_array(item):
            item = frame.emit("copy", item, node=node)
        value = item_atom(frame, element, item, node)
        frame.builder.append(syntax.expression(syntax.call("append", target, value), frame.here(node)))
    frame.builder.append(syntax.for_range(variable, 0, count, 1, body, span=frame.here(node)))


def store(frame: Frame, base: Ref, items: gast.expr, value: Value, node: gast.AST) -> None:
    """`base[items] = value` for a list or dict."""
    held = grow(frame, base, node)
    match held:
        case Mapping_(items=old):
            key = key_of(frame, evaluate.evaluate(frame, items), node)
            return change(frame, base, Mapping_(tuple({**dict(old), key: value}.items())), node)
        case Sequence(items=old) if isinstance(items, gast.Slice):
            changed = list(old)
            given = iteration.static_items(frame, value, node)
            computed(frame, changed.__setitem__, node, _bounds(frame, items), given)
            return change(frame, base, Sequence(tuple(changed), list), node)
        case Sequence(items=old):
            at = list_positions.known_position(frame, base, held, items, "the position in a list", node, store=True)
            if at is not None:
                changed = [value if k == at % len(old) else item for k, item in enumerate(old)]
                return change(frame, base, Sequence(tuple(changed), list), node)
    if isinstance(items, gast.Slice):
        frame.fault("U018", "assigning to a slice of a list that grows is not in the language", node)
    position = whole(frame, evaluate.evaluate(frame, items), node)
    atom = item_atom(frame, element_for(frame, base, value, node), value, node)
    held = frame.held(base)
    change(frame, base, None, node)
    frame.builder.append(syntax.store(held.name, [position], atom, frame.here(node)))
    return None


def item_atom(frame: Frame, element: Any, value: Value, node: gast.AST) -> gast.expr:
    """A value as an item of a growable list of this type."""
    found = frame.type_of(value)
    if not can_hold(frame, element, found):
        message = f"a list of {element} cannot take a {frame.describe(value)}"
        frame.fault("T002", message, node, "added here", ("start the list with a value of that type",))
    return coerce(frame, value, element, node)


# --- methods -------------------------------------------------------------------------------------------------------


def call_method(frame: Frame, receiver: Value, method: str, args: list, kwargs: dict, node: gast.AST) -> Value:
    """A method of a list, tuple or dict."""
    held = grow(frame, receiver, node) if isinstance(receiver, Ref) and method in CHANGING else frame.held(receiver)
    kind = "dict" if isinstance(held, Mapping_) else "list" if isinstance(receiver, Ref) else "tuple"
    tables: dict[str, dict[str, Callable[..., Value]]] = {
        "dict": DICT_METHODS, "list": LIST_METHODS | COMMON_METHODS, "tuple": COMMON_METHODS
    }  # fmt: skip
    found = tables[kind].get(method)
    if found is None:
        refusals.refuse_method(frame, f"a {kind} has", method, node)
    if isinstance(held, Leaf) and method not in ("append", "extend", "pop", "copy"):
        frame.fault("U013", f"a list that grows has no method `{method}` here", node, "called here",
                    ("make it an array first: `np.array(...)`",))  # fmt: skip
    return found(frame, receiver, node, *args, **kwargs)


def append(frame: Frame, target: Ref, node: gast.AST, value: Value) -> Value:
    held = frame.held(target)
    if isinstance(held, Sequence):
        change(frame, target, Sequence((*held.items, value), list), node)
        return Static(None)
    atom = item_atom(frame, element_for(frame, target, value, node), value, node)
    held = frame.held(target)
    change(frame, target, None, node)
    frame.builder.append(syntax.expression(syntax.call("append", held.name, atom), frame.here(node)))
    return Static(None)


def extend(frame: Frame, target: Ref, node: gast.AST, values: Value) -> Value:
    """`xs.extend(values)`, and what `xs += values` does."""
    held = grow(frame, target, node)
    if isinstance(held, Leaf) and not iteration.is_static_iterable(frame, values):
        change(frame, target, None, node)
        if frame.held(values) == held:
            frame.fault("R003", "a list cannot be extended by itself while it grows", node, "extended here",
                        ("extend it by a copy: `list(...)`",))  # fmt: skip
        _append_all(frame, held.name, frame.held(values), node)
        return Static(None)
    for item in iteration.static_items(frame, values, node):
        append(frame, target, node, item)
    return Static(None)


def pop(frame: Frame, target: Ref, node: gast.AST, position: Value | None = None) -> Value:
    held = frame.held(target)
    if isinstance(held, Leaf):
        if position not in (None, Static(-1)):
            frame.fault("U013", "from a list that grows only the last item can be popped", node, "called here")
        change(frame, target, None, node)
        element = own_lengths(frame, frame.type_of(held).element)
        return Leaf(frame.builder.bind(syntax.call("pop", held.name), element, "t").id)
    items = list(held.items)
    at = -1 if position is None else evaluate.known(frame, position, node, "the position")
    if not items:
        stop(frame, "IndexError", "pop from empty list", node)
    if not -len(items) <= at < len(items):
        stop(frame, "IndexError", "pop index out of range", node)
    found = items.pop(at)
    change(frame, target, Sequence(tuple(items), list), node)
    return found


def _rebuilt(edit: Callable[..., None]) -> Callable[..., Value]:
    """A method that changes a list of known length and gives nothing."""

    def method(frame: Frame, target: Ref, node: gast.AST, *values: Value) -> Value:
        items = list(frame.held(target).items)
        edit(frame, node, items, *values)
        change(frame, target, Sequence(tuple(items), list), node)
        return Static(None)

    return method


def _insert(frame: Frame, node: gast.AST, items: list, position: Value, value: Value) -> None:
    items.insert(evaluate.known(frame, position, node, "the position"), value)


def copy(frame: Frame, target: Value, node: gast.AST) -> Value:
    held = frame.held(target)
    return frame.new(copy_of_leaf(frame, held, node) if isinstance(held, Leaf) else held)


def _index(frame: Frame, target: Value, node: gast.AST, value: Value) -> Value:
    items = evaluate.known(frame, target, node, "this list")
    wanted = evaluate.known(frame, value, node)
    if wanted not in items:
        what = f"{wanted!r} is not in list" if isinstance(items, list) else "tuple.index(x): x not in tuple"
        stop(frame, "ValueError", escaped(what), node)
    return Static(items.index(wanted))


def _count(frame: Frame, target: Value, node: gast.AST, value: Value) -> Value:
    return Static(evaluate.known(frame, target, node, "this list").count(evaluate.known(frame, value, node)))


def _get(frame: Frame, target: Ref, node: gast.AST, key: Value, default: Value = NONE) -> Value:
    found = frame.held(target).get(key_of(frame, key, node))
    return default if found is None else found


def _pop_key(frame: Frame, target: Ref, node: gast.AST, key: Value, default: Value | None = None) -> Value:
    held, name = frame.held(target), key_of(frame, key, node)
    items: dict[Any, Value] = dict(held.items)
    if name not in items:
        if default is None:
            no_key(frame, name, node)
        return default
    found = items.pop(name)
    change(frame, target, Mapping_(tuple(items.items())), node)
    return found


def _set_default(frame: Frame, target: Ref, node: gast.AST, key: Value, default: Value = NONE) -> Value:
    held, name = frame.held(target), key_of(frame, key, node)
    found = held.get(name)
    if found is None:
        change(frame, target, Mapping_((*held.items, (name, default))), node)
    return default if found is None else found


def _update(frame: Frame, target: Ref, node: gast.AST, *others: Value, **named: Value) -> Value:
    items = dict(frame.held(target).items)
    for other in others:
        items.update(pairs_of(frame, other, node))
    change(frame, target, Mapping_(tuple({**items, **named}.items())), node)
    return Static(None)


def pairs_of(frame: Frame, value: Value, node: gast.AST) -> dict[Any, Value]:
    """What `dict(value)` takes from a dict or a sequence of pairs."""
    held = frame.held(value)
    if isinstance(held, Mapping_):
        return dict(held.items)
    found: dict[Any, Value] = {}
    for pair in iteration.static_items(frame, value, node):
        both = iteration.static_items(frame, pair, node)
        if len(both) != 2:
            frame.fault("T001", f"dict() takes pairs, not {len(both)} items", node, "called here")
        found[key_of(frame, both[0], node)] = both[1]
    return found


def _view(kind: str) -> Callable[..., Value]:
    return lambda frame, target, node: Iteration(kind, (target,))


CHANGING = frozenset("append extend pop insert reverse clear".split())
COMMON_METHODS: dict[str, Callable[..., Value]] = {"index": _index, "count": _count}
LIST_METHODS: dict[str, Callable[..., Value]] = {
    "append": append, "extend": extend, "pop": pop, "copy": copy, "insert": _rebuilt(_insert),
    "reverse": _rebuilt(lambda frame, node, items: items.reverse()),
    "clear": _rebuilt(lambda frame, node, items: items.clear()),
}  # fmt: skip
DICT_METHODS: dict[str, Callable[..., Value]] = {
    "items": _view("items"), "values": _view("values"), "keys": _view("keys"), "get": _get, "copy": copy,
    "pop": _pop_key, "setdefault": _set_default, "update": _update,
}  # fmt: skip
