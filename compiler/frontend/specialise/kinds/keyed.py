"""Dicts whose keys are known only at run time: hash tables, instances of a class that is written in the language.

    d = {}                              names = []; entries = []; slots = [-1, ...]
    for i in range(n):        ->        for i in range(n):
        d[k[i]] = x[i]                      ...  the slot of k[i]; names.append(k[i]); entries.append(x[i])

A dict whose keys are all known now stays what it is; one that gets a dynamic key is a hash table from its allocation
site on (`sites.py`).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import gast

from .....runtime.nature import article
from .... import types
from ....diagnostics import InternalError
from ....dtypes import INT_WORD, is_bool, is_inexact
from ....ops.python_names import NameBinding
from ....types import Scalar
from .. import protocol
from ..frame import Frame, NeedsStatic
from ..iterables import DequeItems, DictView, Items, Keys, Values, Zip
from ..joins.joined_types import own_lengths
from ..library import library
from ..library.static_python import computed
from ..objects import sites
from ..values import (
    NONE,
    Conflict,
    Mapping_,
    Optional,
    Record,
    Ref,
    Rows,
    Sequence,
    Static,
    String,
    Typed,
    Value,
    leaves,
    map_leaves,
    parts,
)
from ..world.taking_apart import from_python
from . import built_strings, classes, containers, forms, library_classes, making, sets, tables, tuples
from .string_numbers import as_string, is_string

FEWEST_SLOTS = 8
KEYS = "keys that are known only when it runs are numbers, or tuples of numbers"


def library_class(name: str) -> Any:
    """`python_dicts:Dict`."""
    return NameBinding(function=name).load()


def record_of(frame: Frame, value: Value) -> Record | None:
    """The parts of a container that is written in the language; None for any other value."""
    held = frame.held(value)
    return held if type(held) is Record and library_classes.stands_for(held.cls) is not None else None


def parts_of(frame: Frame, value: Value) -> dict[str, Value]:
    """The attributes of a container that is written in the language."""
    found = record_of(frame, value)
    return {} if found is None else dict(found.items)


def dict_of(frame: Frame, value: Value) -> Record | None:
    """The parts of a dict that is a hash table."""
    return record_of(frame, value) if "entries" in parts_of(frame, value) else None


def call(frame: Frame, target: Value, method: str, args: list[Value], node: gast.AST) -> Value:
    """A method of a container that is written in the language."""
    return protocol.call(frame, classes.attribute(frame, target, method, node), args, {}, node)


def in_language(frame: Frame, name: str, args: list[Value], node: gast.AST, hint: str = "t") -> Value:
    return library.call(frame, NameBinding(function=name), args, {}, node, hint)


# --- keys ------------------------------------------------------------------------------------------------------------


def known_key(frame: Frame, target: Value, value: Value, node: gast.AST, stored: Value | None = None) -> Any:
    """The key of a dict whose keys are known now.

    Where this one is not, the dict becomes a hash table, unless unrolling the loop around it makes the key known.
    """
    try:
        key = protocol.known(frame, value, node, "a dict key")
    except NeedsStatic as needed:
        key_form(frame, value, node)  # raises for what cannot be a key
        columns = columns_with(frame, target, value, stored, node) if isinstance(target, Ref) else None
        if columns is None or not isinstance(target, Ref):
            raise
        if target.number in frame.builder.before_loop:
            needed.keys = target.number, columns
            raise
        sites.learn(frame, target.number, columns, node)
        help_ = ("look it up in a copy, which may have keys that are computed: `dict(...)`",)
        frame.fault("R001", needed.diagnostic.message, node, "only known at run time", help_)
    computed(frame, hash, node, key)
    return key


def columns_with(
    frame: Frame, target: Ref, key: Value, stored: Value | None, node: gast.AST
) -> sites.Columns | None:
    """The forms of lists that hold the items of a known dict and one under a dynamic key; None where there are none."""
    held = frame.held(target)
    assert isinstance(held, Mapping_)
    pairs = [(as_key(k), v) for k, v in held.items] + ([] if stored is None else [(key, stored)])
    if not pairs or any(isinstance(form_of_key(frame, k), Conflict) for k, _ in pairs):
        return None
    result = (key_form(frame, key, node), value_form(frame, pairs[0][1], node))
    for name, value in pairs:
        own = (form_of_key(frame, name), value_form(frame, value, node))
        both = [forms.join_forms(frame, a, b) for a, b in zip(result, own, strict=True)]
        if any(isinstance(form, Conflict) for form in both):
            if stored is None:
                return None
            return sites.joined(frame, result, own, node)  # this raises
        result = (both[0], both[1])
    return result


def form_of_key(frame: Frame, key: Value) -> Value:
    """The form of a key; a Conflict where no list holds such keys."""
    form = forms.with_room(frame, forms.form_of(frame, key))
    is_plain = any(isinstance(leaf, Typed) for leaf in leaves(form)) and not frame.is_array(key)
    return form if is_plain and not _may_be_none(form) else Conflict(frame.describe(key), "a number")


def _may_be_none(form: Value) -> bool:
    return isinstance(form, Optional) or any(_may_be_none(part) for _, part in parts(form))


def as_key(key: Any) -> Value:
    """A key that is known, taken apart as a dynamic key is."""
    return from_python(key, lambda _: None)


def columns_of(frame: Frame, pairs: list[tuple[Value, Value]], node: gast.AST) -> sites.Columns:
    """The forms of lists that hold these keys and values."""
    found = [(key_form(frame, key, node), value_form(frame, value, node)) for key, value in pairs]
    result: sites.Columns = found[0]
    for other in found[1:]:
        result = sites.joined(frame, result, other, node)
    return result


def key_form(frame: Frame, key: Value, node: gast.AST) -> Value:
    """The form of a key; refused unless it has numbers and their tuples, with strings that are the same in all keys."""
    form = forms.with_room(frame, forms.form_of(frame, key))
    if frame.is_array(key) or isinstance(key, Ref):
        kind = "numpy.ndarray" if frame.is_array(key) else frame.describe(key)
        frame.fault("T001", f"unhashable type: '{kind}'", node, "used as a key",
                    ("use a number or a tuple of numbers",))  # fmt: skip
    if isinstance(form_of_key(frame, key), Conflict) or any(isinstance(leaf, Conflict) for leaf in leaves(form)):
        frame.fault("U018", f"{KEYS}, not {frame.describe(key)}", node, "used as a key",
                    ("give each of them a number",))  # fmt: skip
    return form


def value_form(frame: Frame, value: Value, node: gast.AST) -> Value:
    form = forms.form_of(frame, value)
    if isinstance(form, Conflict) or not any(isinstance(leaf, Typed) for leaf in leaves(forms.with_room(frame, form))):
        message = f"a dict whose keys are only known at run time cannot hold {article(frame.describe(value))}"
        frame.fault("U018", message, node,
                    "put into it here", ("let its values be numbers, arrays, tuples or lists of numbers",))  # fmt: skip
    return form


def hash_of(frame: Frame, args: list[Value], node: gast.AST) -> Value:
    """The hash of a key: that of a tuple combines those of its items."""
    key = args[0]
    if len(args) > 1 and forms.grows(frame, frame.held(args[1])):
        key = built_strings.in_form(frame, key, forms.structure(frame.held(args[1])), node)
    return _hashed(frame, key, node)


def _hashed(frame: Frame, key: Value, node: gast.AST) -> Value:
    found = frame.type_of(key)
    if isinstance(found, Scalar):
        return _of_number(frame, key, found, node)
    if isinstance(key, Sequence | Record):
        result: Value = Static(len(parts(key)))
        for _, part in parts(key):
            inner = _hashed(frame, part, node)
            result = in_language(frame, "python_dicts:hash_of_both", [result, inner], node)
        return result
    if isinstance(key, Rows):
        return tuples.hash_of(frame, key, node)
    if isinstance(key, String):
        return key.number
    if isinstance(key, Static):
        return as_string(frame, key).number if is_string(key) else Static(0)
    key_form(frame, key, node)
    frame.fault("T001", f"unhashable type: '{frame.describe(key)}'", node, "used as a key")


def _of_number(frame: Frame, key: Value, found: Scalar, node: gast.AST) -> Value:
    if is_inexact(found.dtype):
        if found != types.FLOAT:
            key = frame.emit("cast", key, node=node, dtype=types.FLOAT.dtype, weak=True)
        return in_language(frame, "python_dicts:hash_of_float", [key], node)
    if is_bool(found.dtype):
        return frame.emit("cast", key, node=node, dtype=INT_WORD, weak=True)
    made = in_language(frame, "python_dicts:hash_of_int", [key], node)
    if frame.type_of(made) != types.INT and not isinstance(made, Static):
        made = frame.emit("cast", made, node=node, dtype=INT_WORD, weak=True)
    return made


# --- making ----------------------------------------------------------------------------------------------------------


def new_dict(frame: Frame, items: dict[Any, Value], node: gast.AST) -> Ref:
    """A dict with keys that are known now; it may get others later."""
    columns = sites.known_forms(frame, node)
    if columns is None:
        return sites.note(frame, frame.new(Mapping_(tuple(items.items())), "entries"), node)
    return made_dict(frame, columns, [(as_key(k), v) for k, v in items.items()], node)


def dict_of_pairs(frame: Frame, pairs: list[tuple[Value, Value]], node: gast.AST) -> Ref:
    """A dict with these items, of which a later one replaces an earlier one with an equal key."""
    if all(is_known(frame, key) for key, _ in pairs):
        return new_dict(frame, {computed_key(frame, key, node): value for key, value in pairs}, node)
    made = made_dict(frame, sites.made_with(frame, columns_of(frame, pairs, node), node), [], node)
    for key, value in pairs:
        classes.special_call(frame, made, "__setitem__", [key, value], node)
    return made


def is_known(frame: Frame, key: Value) -> bool:
    found = frame.held(key)
    if isinstance(found, Sequence | Record):
        return all(is_known(frame, part) for _, part in parts(found))
    return isinstance(found, Static)


def computed_key(frame: Frame, key: Value, node: gast.AST) -> Any:
    found = protocol.known(frame, key, node, "a dict key")
    computed(frame, hash, node, found)
    return found


def made_dict(frame: Frame, columns: sites.Columns, pairs: list[tuple[Value, Value]], node: gast.AST) -> Ref:
    """A dict for keys and values of these forms, with items whose keys differ."""
    names = new_column(frame, 0, columns[0], [key for key, _ in pairs], "keys", node)
    entries = new_column(frame, 1, columns[1], [value for _, value in pairs], "values", node)
    table = table_of(frame, names, len(pairs), node)
    return new_object(frame, "python_dicts:Dict", {"names": names, "entries": entries, **table}, "entries", node)


def new_object(frame: Frame, name: str, attributes: dict[str, Value], wish: str, node: gast.AST) -> Ref:
    """A new instance of a class of the library."""
    items = tuple((key, attributes[key]) for key in sorted(attributes))  # the order that assignments keep
    return sites.note(frame, frame.new(Record(library_class(name), items), wish), node)


def table_of(frame: Frame, names: Ref, count: int, node: gast.AST) -> dict[str, Value]:
    """The other attributes of a container with so many keys."""
    slots = new_list(frame, Typed(types.INT), [], "slots", node)
    size = FEWEST_SLOTS
    while 3 * count > 2 * size:
        size *= 4
    in_language(frame, "python_dicts:emptied", [slots, Static(size)], node)
    if count:
        in_language(frame, "python_dicts:placed", [names, slots], node)
    return {"slots": slots, "filled": Static(count), "removed": Static(0)}


def new_column(frame: Frame, place: int, form: Value, items: list[Value], wish: str, node: gast.AST) -> Ref:
    return sites.note_column(frame, new_list(frame, form, items, wish, node), place, node)


def new_list(frame: Frame, form: Value, items: list[Value], wish: str, node: gast.AST) -> Ref:
    """A list that grows, for items of a form, with some items."""

    def renewed(part: Value, _: tuple) -> Value:
        return Typed(own_lengths(frame, part.type)) if isinstance(part, Typed) else part

    made = tables.new(frame, map_leaves(forms.with_room(frame, form), renewed), node, wish)
    for item in items:
        tables.put(frame, made, item, node)
    return frame.new(made, wish)


def construct(frame: Frame, cls: type, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
    """`set(...)`, `deque(...)`, `Counter(...)`, `defaultdict(...)`."""
    if cls is set:
        return sets.made(frame, args, kwargs, node, hint)
    if cls is deque:
        return _deque(frame, node, *args, **kwargs)
    return making.construct(frame, library_class(library_classes.MADE_OTHERWISE[cls]), args, kwargs, node)


def _deque(frame: Frame, node: gast.AST, iterable: Value = Sequence(()), maxlen: Value = NONE) -> Ref:  # noqa: B008
    source = classes.iterable(frame, iterable, node)
    form = _form_of_source(frame, source, node)
    columns = sites.known_forms(frame, node) if form is None else sites.made_with(frame, (form,), node)
    if columns is None:
        ring = sites.note_column(frame, frame.new(Sequence((), list), "ring"), 0, node)
    else:
        ring = new_column(frame, 0, columns[0], [], "ring", node)
    start: dict[str, Value] = {"ring": ring, "first": Static(0), "size": Static(0), "maxlen": maxlen}
    made = new_object(frame, "python_deques:Deque", start, "queue", node)
    call(frame, made, "extend", [source], node)
    return made


def _form_of_source(frame: Frame, source: Value, node: gast.AST) -> Value | None:
    """The form of the items of an iterable; None where there are none."""
    if protocol.is_unrolled(frame, source):
        result = None
        for item in protocol.items(frame, source, node):
            form = value_form(frame, item, node)
            result = form if result is None else sites.joined(frame, (result,), (form,), node)[0]
        return result
    return value_form(frame, containers.any_item(frame, source, node), node)


# --- used by the library ---------------------------------------------------------------------------------------------


def make_room(frame: Frame, args: list[Value], node: gast.AST) -> Value:
    """Where the lists of a container cannot hold an item, start again with lists that can."""
    target, *item = args
    assert isinstance(target, Ref)
    record = parts_of(frame, target)
    columns = [record[name] for name in ("names", "entries", "ring") if name in record]
    held = [frame.held(column) for column in columns]
    makers = (value_form,) if "ring" in record else (key_form, value_form)
    wanted = tuple(make(frame, value, node) for make, value in zip(makers, item))
    now = [forms.form_of_items(frame, column) for column in held]
    known = tuple(b if a is None else a for a, b in zip(now, wanted, strict=True))
    both = sites.joined(frame, known, wanted, node)
    if None in now or not all(forms.fits(frame, a, b) for a, b in zip(known, both, strict=True)):
        sites.learn(frame, target.number, both, node)
        raise InternalError("specialise", frame.describe(target), "it is not known where a container was made")
    return Static(None)


def append_anything(frame: Frame, args: list[Value], node: gast.AST) -> Value:
    """Append a placeholder to a list that grows, for an item to come."""
    tables.put_nothing(frame, frame.held(args[0]), node)
    return NONE


VIEWS = {view.kind: view for view in (Keys, Values, Items, DequeItems)}


def seen(frame: Frame, args: list[Value], node: gast.AST) -> Value:
    """The view of a container; a deque into which nothing was put so far has no items of any kind."""
    ring = parts_of(frame, args[0]).get("ring")
    if ring is not None and isinstance(frame.held(ring), Sequence):
        return Sequence(())
    return VIEWS[protocol.known(frame, args[1], node)]((args[0],))


def is_dict(frame: Frame, args: list[Value], node: gast.AST) -> Value:
    """Whether a value has keys and values."""
    inside = table_inside(frame, args[0])
    return Static(isinstance(frame.held(inside), Mapping_) or dict_of(frame, inside) is not None)


def table_inside(frame: Frame, value: Value) -> Value:
    """The dict inside a `Counter` or a `defaultdict`; any other value as it is."""
    return parts_of(frame, value).get("table", value)


def shown_by(frame: Frame, view: Value) -> Value | None:
    """What a view of a dict iterates over: its lists; None for any other value."""
    if not isinstance(view, DictView):
        return None
    record = parts_of(frame, view.parts[0])
    if not record:
        return None
    names, entries = record["names"], record["entries"]
    if isinstance(view, Items):
        return Zip((names, entries))
    return names if isinstance(view, Keys) else entries
