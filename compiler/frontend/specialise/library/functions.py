"""Functions of Python's own libraries that are known: `functools`, `operator`, `dataclasses`, and of `object`.

    functools.partial(f, 2.0)(x)     ->    f(2.0, x)
    functools.reduce(f, (a, b, c))   ->    f(f(a, b), c)
    operator.add(a, b)               ->    a + b
    operator.itemgetter(1)(row)      ->    row[1]
"""

from __future__ import annotations

import dataclasses
import functools
import heapq
import operator
from collections.abc import Callable
from typing import Any

import gast

from .....runtime import parts as of_python
from .....runtime.guards import ABSENT
from .....runtime.nature import article
from .... import syntax
from ....ops import containers as containers_of_library
from ....ops.python_names import NameBinding
from .. import protocol
from ..derivatives import checkpointing, open_functions
from ..frame import Frame
from ..functional import Partial
from ..interpreter import apply, choices, evaluate
from ..kinds import (
    attribute_dicts,
    built_strings,
    classes,
    container_methods,
    containers,
    dict_methods,
    formatted,
    keyed,
    making,
    sets,
    strings,
)
from ..objects import pools
from ..values import NONE, Mapping_, Record, Ref, Sequence, Static, Value, map_leaves
from ..world import outside
from . import iteration_tools, library, mapping_parts, numbers, trees
from .static_python import PLAIN, PYTHON_COMPARISONS, PYTHON_INFIX, PYTHON_PREFIX, stop

Known = Callable[[Frame, list[Value], dict[str, Value], gast.AST, str], Value]
STANDING = "argument (value)"  # a variable of the compiler's own, so liveness leaves it alone


def find(value: Any) -> Known | None:
    """The implementation of a function of Python's libraries."""
    if isinstance(value, GETTERS):
        return getter(value)
    if isinstance(value, type) and issubclass(value, functools.partial):
        return _partial
    if (word := getattr(value, "__pellucid_tree__", None)) is not None:
        made: Known = trees.find(word, value)
        return made
    if isinstance(value, type) and getattr(value, "__pellucid_constant__", False):
        return _constant(value)
    try:
        if value in iteration_tools.FUNCTIONS:
            return taking(*iteration_tools.FUNCTIONS[value])
        return FUNCTIONS.get(getattr(value, "__pellucid_known__", value))
    except TypeError:  # an unhashable value is none of them
        return None


def taking(least: int, most: int, known: Known) -> Known:
    """The same with a check of the number of arguments, as in Python."""

    def checked(frame: Frame, args: list, kwargs: dict, node: gast.AST, hint: str) -> Value:
        if not least <= len(args) <= most:
            frame.fault("T004", f"this function does not take {len(args)} arguments", node, "called here")
        return known(frame, args, kwargs, node, hint)

    return checked


def _constant(cls: type) -> Known:
    """What makes an object that does not change, such as a `PartitionSpec`: it is made now, of known values."""

    def made(frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
        given = [protocol.known(frame, value, node, f"what `{cls.__name__}` takes") for value in args]
        by_name = {name: protocol.known(frame, value, node, f"`{name}`") for name, value in kwargs.items()}
        try:
            return Static(cls(*given, **by_name))
        except (TypeError, ValueError) as wrong:
            stop(frame, type(wrong).__name__, str(wrong), node)

    return made


# --- functools -----------------------------------------------------------------------------------------------------


def _partial(frame: Frame, args, kwargs, node, hint) -> Value:
    if not args:
        frame.fault("T004", "partial() takes a function", node, "called here")
    function, *first = args
    return Partial(function, tuple(first), tuple(kwargs.items()))


def _reduce(frame: Frame, args, kwargs, node, hint) -> Value:
    function, values, *initial = args
    source = classes.iterable(frame, values, node)
    if not protocol.has_known_length(frame, source):
        name = "reduced" if initial else "reduced_from_first"
        return container_methods.in_language(frame, name, [source, function, *initial], node, hint)
    items = [*initial, *protocol.items(frame, source, node)]
    if not items:
        stop(frame, "TypeError", "reduce() of empty iterable with no initial value", node)
    return functools.reduce(lambda total, item: protocol.call(frame, function, [total, item], {}, node), items)


# --- operator ------------------------------------------------------------------------------------------------------


def _infix(op: type) -> Known:
    return taking(2, 2, lambda frame, args, _, node, hint: evaluate.binary(frame, op, args[0], args[1], node, hint))


def _prefix(op: type) -> Known:
    return taking(1, 1, lambda frame, args, kwargs, node, hint: evaluate.unary(frame, op, args[0], node, hint))


def _comparison(op: type) -> Known:
    return taking(2, 2, lambda frame, args, _, node, hint: choices.compare(frame, op, args[0], args[1], node, hint))


def _contains(frame: Frame, args, kwargs, node, hint) -> Value:
    return choices.compare(frame, gast.In, args[1], args[0], node, hint)


def _truth(frame: Frame, args, kwargs, node, hint) -> Value:
    return apply.call_object(frame, bool, args, kwargs, node, hint)


def _item(frame: Frame, args, kwargs, node, hint) -> Value:
    return item_of(frame, args[0], args[1], node, hint)


def item_of(frame: Frame, base: Value, position: Value, node: gast.AST, hint: str) -> Value:
    """`base[position]`, for a position that is a value."""
    frame.variables[STANDING] = position
    place = gast.copy_location(syntax.name(STANDING), node)
    try:
        return protocol.load(frame, base, place, node, hint)
    finally:
        frame.variables.pop(STANDING, None)


def getter(value: Any) -> Known:
    """`operator.itemgetter(...)` and the like, from outside."""
    kind, (maker, arguments, *_) = type(value), value.__reduce__()

    def known(frame: Frame, args, kwargs, node, hint) -> Value:
        if maker is not kind:
            frame.fault("U018", "`methodcaller` with named arguments is not in the language", node, "called here",
                        ("write a lambda",))  # fmt: skip
        given = [outside.read(frame, part, "argument", node) for part in arguments]
        return taken(frame, kind, given, args[0], node, hint)

    return taking(1, 1, known)


def _getter(kind: type) -> Known:
    """`operator.itemgetter(1)`, made inside."""

    def made(frame: Frame, args, kwargs, node, hint) -> Value:
        return Static(kind(*(protocol.known(frame, a, node, f"what `{kind.__name__}` takes") for a in args)))

    return made


def taken(frame: Frame, kind: type, given: list[Value], base: Value, node: gast.AST, hint: str) -> Value:
    if kind is operator.methodcaller:
        method = protocol.attribute(frame, base, protocol.known(frame, given[0], node), node, hint)
        return protocol.call(frame, method, given[1:], {}, node, hint)
    if kind is operator.itemgetter:
        found = [item_of(frame, base, part, node, hint) for part in given]
    else:
        found = [along(frame, base, protocol.known(frame, part, node), node) for part in given]
    return found[0] if len(found) == 1 else Sequence(tuple(found))


def along(frame: Frame, base: Value, path: str, node: gast.AST) -> Value:
    """`base.a.b`."""
    for name in path.split("."):
        base = protocol.attribute(frame, base, name, node, "t")
    return base


# --- dataclasses ---------------------------------------------------------------------------------------------------


def _replace(frame: Frame, args, kwargs, node, hint) -> Value:
    return making.replaced(frame, args[0], kwargs, node)


def _parts(frame: Frame, args, kwargs, node, hint) -> dict[str, Value]:
    """The fields of an instance; records, lists and dicts in them are copied."""
    record = classes.instance(frame, args[0])
    if record is None or not dataclasses.is_dataclass(record.cls):
        frame.fault("T001", f"this takes an instance of a dataclass, not {frame.describe(args[0])}", node)
    fields = [f.name for f in dataclasses.fields(record.cls)]
    return {name: protocol.attribute(frame, args[0], name, node) for name in fields}


def _asdict(frame: Frame, args, kwargs, node, hint) -> Value:
    inner = {k: _converted(frame, v, _asdict, node) for k, v in _parts(frame, args, kwargs, node, hint).items()}
    return keyed.new_dict(frame, inner, node)


def _astuple(frame: Frame, args, kwargs, node, hint) -> Value:
    inner = _parts(frame, args, kwargs, node, hint).values()
    return Sequence(tuple(_converted(frame, v, _astuple, node) for v in inner))


def _converted(frame: Frame, value: Value, how: Known, node: gast.AST) -> Value:
    held = frame.held(value)
    if pools.is_pooled(held):
        held = pools.as_read(frame, held, node)
    match held:
        case Record() if dataclasses.is_dataclass(held.cls):
            return how(frame, [value], {}, node, "t")
        case Record(cls=cls, items=items):
            return Record(cls, tuple((k, _converted(frame, v, how, node)) for k, v in items))
        case Sequence(items=items, kind=kind):
            inner = tuple(_converted(frame, v, how, node) for v in items)
            return containers.new_list(frame, inner) if kind is list else Sequence(inner)
        case Mapping_(items=items):
            return keyed.new_dict(frame, {k: _converted(frame, v, how, node) for k, v in items}, node)
    # a deep copy is not distinguishable from the array itself, as that is not changed in place while it is shared
    copied = lambda part, _: frame.emit("copy", part, node=node) if frame.is_array(part) else part  # noqa: E731
    return map_leaves(value, copied)


# --- object --------------------------------------------------------------------------------------------------------


def _set_attribute(frame: Frame, args, kwargs, node, hint) -> Value:
    """`object.__setattr__(self, name, value)`, with which a frozen dataclass initialises itself."""
    receiver, name, value = args
    word = protocol.known(frame, name, node, "the name of an attribute")
    if not isinstance(receiver, Ref) or classes.instance(frame, receiver) is None:  # it must be under construction
        classes.refuse_to_assign(frame, receiver, word, node)
    classes.set_attribute(frame, receiver, word, value, node)
    return Static(None)


def _has_attribute(frame: Frame, args, kwargs, node, hint) -> Value:
    word = protocol.known(frame, args[1], node, "the name of an attribute")
    return Static(attribute_or_none(frame, args[0], word, node) is not None)


def _get_attribute(frame: Frame, args, kwargs, node, hint) -> Value:
    base, name, *default = args
    word = protocol.known(frame, name, node, "the name of an attribute")
    if default and attribute_or_none(frame, base, word, node) is None:
        return default[0]
    return protocol.attribute(frame, base, word, node, hint)


def attribute_or_none(frame: Frame, base: Value, name: str, node: gast.AST) -> Any:
    """Not None where a value has such an attribute in Python, whether it is compiled or not."""
    record = classes.instance(frame, base)
    if record is not None:
        found = record.get(name)
        if found is None and classes.entry(frame, record.cls, "__getattr__") is not ABSENT:
            classes.no_attribute(frame, record, name, node)
        return found if found is not None or classes.entry(frame, record.cls, name) is ABSENT else name
    held = frame.held(base)
    if isinstance(held, Static) and not isinstance(held.value, PLAIN):
        return name if frame.namespace.has_attribute(held.value, name) else None
    kind = protocol.python_class(frame, base)
    if kind is None:
        frame.fault("P012", f"it is not known which attributes {article(frame.describe(base))} has", node, "asked here")
    return name if hasattr(kind, name) or name in dict(getattr(held, "attributes", ())) else None


def _type(frame: Frame, args, kwargs, node, hint) -> Value:
    kind = protocol.python_class(frame, args[0])
    if kind is None:
        frame.fault("P012", f"the type of {article(frame.describe(args[0]))} is not known", node, "asked here")
    return Static(kind)


def _put_all(frame: Frame, args, kwargs, node, hint) -> Value:
    target, other = args
    dict_methods.put_all(frame, other, target, node)
    return Static(None)


HEAP_FUNCTIONS = (
    heapq.heappush, heapq.heappop, heapq.heapify, heapq.heappushpop, heapq.heapreplace, heapq.nsmallest, heapq.nlargest
)  # fmt: skip


def _heap(name: str) -> Known:
    """A function of `heapq`: of a list of known length, which grows from here on."""

    def known(frame: Frame, args, kwargs, node, hint) -> Value:
        if name.startswith("n"):
            return library.call(frame, NameBinding(function=f"python_heaps:{name}"), args, kwargs, node, hint)
        heap = args[0]
        held = frame.held(heap)
        if not isinstance(heap, Ref) or protocol.python_class(frame, heap) is not list:
            frame.fault("T001", f"heap argument must be a list, not {frame.describe(heap)}", node, "called here")
        if isinstance(held, Sequence) and not held.items:
            if name == "heappush":
                return container_methods.append(frame, heap, node, args[1])
            if name in ("heapify", "heappushpop"):
                return Static(None) if name == "heapify" else args[1]
            stop(frame, "IndexError", "index out of range", node)
        container_methods.let_grow(frame, heap, node)
        return library.call(frame, NameBinding(function=f"python_heaps:{name}"), args, kwargs, node, hint)

    return known


def _asked(name: str) -> Known:
    """A function of `keyed` for the library, looked up at the call, as that module may not be imported yet."""
    return lambda frame, args, kwargs, node, hint: getattr(keyed, name)(frame, args, node)


def _in_base(function: Callable[..., str]) -> Known:
    """`bin`, `oct` and `hex`."""
    return taking(1, 1, lambda frame, args, _, node, hint: formatted.by_known(frame, function, args, node))


def _nothing(frame: Frame, args, kwargs, node, hint) -> Value:
    return Static(None)


def _callable(frame: Frame, args, kwargs, node, hint) -> Value:
    return Static(classes.is_callable(frame, args[0]))


def _from_keys(frame: Frame, args, kwargs, node, hint) -> Value:
    return dict_methods.from_keys(frame, args[0], args[1] if len(args) > 1 else NONE, node)


def _compiled(frame: Frame, args, kwargs, node, hint) -> Value:
    """`compile(f, ...)`: what it is called with is compiled with the surrounding function."""
    if "mutates" in kwargs:
        frame.fault("U012", "`mutates=` is for the compiled function itself", node, "asked here",
                    ("return the arrays",))  # fmt: skip
    if not args:
        return Partial(Static(of_python.compiled_inside), (), tuple(kwargs.items()))
    return args[0]


GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)
FUNCTIONS: dict[Any, Known] = {
    **{function: _infix(op) for op, function in PYTHON_INFIX.items()},
    **{function: _prefix(op) for op, function in PYTHON_PREFIX.items()},
    **{function: _comparison(op) for op, function in PYTHON_COMPARISONS.items()},
    operator.not_: _prefix(gast.Not), operator.is_: _comparison(gast.Is), operator.is_not: _comparison(gast.IsNot),
    **{kind: _getter(kind) for kind in GETTERS},
    operator.contains: taking(2, 2, _contains), operator.getitem: taking(2, 2, _item), operator.truth: _truth,
    operator.abs: lambda frame, args, kwargs, node, hint: apply.call_object(frame, abs, args, kwargs, node, hint),
    functools.partial: _partial, functools.reduce: taking(2, 3, _reduce),
    dataclasses.replace: taking(1, 1, _replace), dataclasses.asdict: taking(1, 1, _asdict),
    dataclasses.astuple: taking(1, 1, _astuple),
    object.__setattr__: taking(3, 3, _set_attribute), object.__init__: taking(1, 1, _nothing),
    super: lambda frame, args, kwargs, node, hint: making.super_of(frame, args, node),
    hasattr: taking(2, 2, _has_attribute), getattr: taking(2, 3, _get_attribute), type: taking(1, 1, _type),
    callable: taking(1, 1, _callable),
    of_python.map_parts: lambda *call: mapping_parts.map_parts(*call),
    of_python.first_part: lambda *call: mapping_parts.first_part(*call),
    of_python.room_for: lambda *call: mapping_parts.room_for(*call),
    of_python.refuse: lambda *call: mapping_parts.refuse(*call),
    of_python.open_function: lambda *call: open_functions.open_function(*call),
    of_python.compiled_inside: _compiled,
    of_python.checkpointed: lambda *call: checkpointing.checkpointed(*call),
    of_python.call_checkpointed: lambda *call: checkpointing.call_checkpointed(*call),
    of_python.call_opened: lambda *call: open_functions.call_opened(*call),
    divmod: taking(2, 2, lambda frame, args, _, node, hint: numbers.divided(frame, args, node)),
    pow: taking(2, 3, lambda frame, args, _, node, hint: numbers.power(frame, args, node, hint)),
    ord: taking(1, 1, lambda frame, args, _, node, hint: strings.of_text(frame, ord, args, node)),
    containers_of_library.make_room: _asked("make_room"), containers_of_library.hash_of: _asked("hash_of"),
    containers_of_library.seen: _asked("seen"), containers_of_library.is_dict: _asked("is_dict"),
    containers_of_library.append_anything: _asked("append_anything"),
    **{function: _heap(function.__name__) for function in HEAP_FUNCTIONS},
    containers_of_library.dict_of_class: lambda frame, *call: attribute_dicts.by_library(frame, *call),
    containers_of_library.put_all: _put_all, dict.fromkeys: taking(1, 2, _from_keys),
    frozenset: taking(0, 1, lambda frame, args, _, node, hint: sets.frozen(frame, args, node)),
    str: taking(0, 1, lambda frame, args, _, node, hint: formatted.of_value(frame, args, node)),
    format: taking(1, 2, lambda frame, args, _, node, hint: formatted.by_builtin(frame, args, node)),
    repr: taking(1, 1, lambda frame, args, _, node, hint: formatted.formatted(frame, args[0], "r", "", node)),
    **{function: _in_base(function) for function in (bin, oct, hex)},
    containers_of_library.digit_of: lambda frame, args, _, node, hint: built_strings.digit_of(frame, args, node),
    chr: taking(1, 1, lambda frame, args, _, node, hint: strings.of_text(frame, chr, args, node)),
}  # fmt: skip
