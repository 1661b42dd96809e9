"""Python's builtins on abstract values: `len`, `range`, `max`, `sum`, ..."""

from __future__ import annotations

from typing import Any

import gast

from .... import types
from ....dtypes import BOOL_WORD, FLOAT_WORD, INT_WORD, is_bool, is_inexact
from ....ops.python_names import NameBinding
from ....types import Array, Scalar
from .. import protocol
from ..frame import Frame
from ..interpreter import branches, choices, comprehensions, evaluate, subscript
from ..iterables import Range
from ..joins.joined_types import are_of_one_dtype, note_start
from ..kinds import (
    arrays,
    built_strings,
    classes,
    container_methods,
    containers,
    dict_methods,
    forms,
    iterators,
    known_numbers,
    rows,
    sets,
    slices,
    strings,
    tuples,
)
from ..values import NONE, Ref, Rows, Sequence, Static, String, Value, is_none, is_number
from . import complex_calls, library, numbers
from .static_python import stop


def _len(frame: Frame, args, kwargs, node, hint) -> Value:
    (value,) = args
    by_class = classes.special_call(frame, value, "__len__", [], node)
    if by_class is not None:
        return by_class
    if sets.is_frozen(value):
        return Static(len(value.value))
    if isinstance(value, String):
        return strings.looked_up(frame, value, len, node, hint)
    record = classes.instance(frame, value)
    if iterators.as_iterator(frame, value) is not None or record is not None and not record.is_tuple:
        way_out = "make a list of it first: `list(...)`" if record is None else "define `__len__` in its class"
        frame.fault("T001", f"object of type '{frame.describe(value)}' has no len()", node, "called here", (way_out,))
    if protocol.is_unrolled(frame, value):
        return Static(len(protocol.items(frame, value, node)))
    if isinstance(frame.type_of(value), Scalar) or isinstance(t := frame.type_of(value), Array) and not t.ndim:
        frame.fault("T001", f"object of type {frame.describe(value)} has no len()", node)
    return protocol.length(frame, value, node)


def _range(frame: Frame, args, kwargs, node, hint) -> Value:
    for value in args:
        if not frame.is_integer(value):
            frame.fault("T001", f"range() takes integers, not {frame.describe(value)}", node)
    start, stop, step = {1: (Static(0), *args, Static(1)), 2: (*args, Static(1)), 3: tuple(args)}[len(args)]
    start, stop, step = (known_numbers.as_int(frame, v, node) for v in (start, stop, step))
    return Range(start, stop, step)


def _extreme(sign: str):
    def apply_(frame: Frame, args, kwargs, node, hint) -> Value:
        held = frame.held(args[0])
        is_open = len(args) == 1 and not comprehensions.is_unrolled(frame, held, node)
        if is_open and (kwargs or _has_no_vector(frame, held)):
            return best_of_list(frame, sign, args[0], kwargs, node)
        if "key" in kwargs:
            items = protocol.items(frame, args[0], node) if len(args) == 1 else args
            return best_by_key(frame, sign, items, kwargs, node, hint)
        if len(args) == 1:
            if frame.is_array(args[0]):
                name = "largest" if sign == "greater" else "smallest"
                return over_array(frame, name, [args[0]], node, hint)
            numbers = vector_of(frame, args[0], node)
            if numbers is not None:
                name = "largest" if sign == "greater" else "smallest"
                return as_weak_as(frame, over_array(frame, name, [numbers[0]], node, hint), numbers[1], node, hint)
            args = protocol.items(frame, args[0], node)
            if not args and "default" in kwargs:
                return kwargs["default"]
        if not args:
            stop(frame, "ValueError", f"{'max' if sign == 'greater' else 'min'}() arg is an empty sequence", node)
        result, *rest = args
        for position, other in enumerate(rest):
            result = better(frame, sign, result, other, node, hint if position == len(rest) - 1 else "t")
        return result

    return apply_


def _has_no_vector(frame: Frame, held: Value) -> bool:
    """Whether what has a dynamic length is neither an array nor a list of numbers."""
    found = frame.type_of(held)
    is_list = isinstance(found, types.ListOf) and isinstance(found.element, Scalar)
    return not (frame.is_array(held) or is_list or rows.column_of_numbers(frame, held) is not None)


def best_of_list(frame: Frame, sign: str, values: Value, kwargs: dict, node: gast.AST) -> Value:
    """`max` and `min` of what has a dynamic length: the first item whose key no other exceeds."""
    if not isinstance(values, Ref):
        values = as_new_list(frame, values, node)
    key = kwargs.get("key", NONE)
    keys = values if is_none(key) else container_methods.in_language(frame, "keys_of", [values, key], node)
    if "default" not in kwargs:
        return container_methods.in_language(frame, "best_item", [values, keys, Static(sign == "greater")], node)
    default = kwargs["default"]
    return container_methods.in_language(
        frame, "best_item_or", [values, keys, Static(sign == "greater"), default], node
    )


def best_by_key(frame: Frame, sign: str, items: list[Value], kwargs: dict, node: gast.AST, hint: str) -> Value:
    """`max(items, key=f)`: the first item whose key no other exceeds; each key is computed once."""
    if not items:
        if "default" not in kwargs:
            function = "max" if sign == "greater" else "min"
            stop(frame, "ValueError", f"{function}() arg is an empty sequence", node)
        return kwargs["default"]
    op = gast.Gt if sign == "greater" else gast.Lt
    key = kwargs["key"]
    keys = items if is_none(key) else [protocol.call(frame, key, [item], {}, node) for item in items]
    kept, best = items[0], keys[0]
    for item, key in zip(items[1:], keys[1:], strict=True):
        test = protocol.truth(frame, choices.compare(frame, op, key, best, node), node)
        if isinstance(test, Static):
            kept, best = (item, key) if test.value else (kept, best)
            continue
        then, other = (branches.as_it_is(frame, Sequence(pair)) for pair in ((item, key), (kept, best)))
        chosen = branches.choose(frame, frame.atom(test, node), then, other, node, hint)
        kept, best = protocol.held_as(frame, chosen, Sequence).items
    return kept


def better(frame: Frame, sign: str, kept: Value, other: Value, node: gast.AST, hint: str) -> Value:
    """Python's choice: the first of equals, also where a nan is compared."""
    op = gast.Gt if sign == "greater" else gast.Lt
    test = choices.compare(frame, op, other, kept, node)
    if isinstance(test, Static):
        return other if test.value else kept
    if frame.is_array(kept) or frame.is_array(other):
        frame.fault("T001", "max() and min() of several values do not take arrays", node, "called here",
                    ("use np.maximum and np.minimum for arrays",))  # fmt: skip
    then, otherwise = branches.as_it_is(frame, other), branches.as_it_is(frame, kept)
    if not frame.is_scalar(kept) or not frame.is_scalar(other):
        return branches.choose(frame, frame.atom(protocol.truth(frame, test, node), node), then, otherwise, node, hint)
    return choices.branch_value(frame, protocol.truth(frame, test, node), then, otherwise, node, hint)


def over_array(frame: Frame, name: str, args: list[Value], node: gast.AST, hint: str) -> Value:
    """A builtin on a vector, as the library implements it."""
    require_vector(frame, args[0], {"largest": "max", "smallest": "min", "total": "sum"}[name], node)
    return library.call(frame, NameBinding(function=f"python_builtins:{name}"), args, {}, node, hint)


def vector_of(frame: Frame, value: Value, node: gast.AST) -> tuple[Value, bool] | None:
    """The numbers of a list of any length in an array, and whether they are Python's; None for anything else."""
    held = frame.held(value)
    if (column := rows.column_of_numbers(frame, held)) is not None:
        return column.values, column.is_weak
    found = frame.type_of(held)
    if isinstance(found, types.ListOf) and isinstance(found.element, Scalar):
        return arrays.as_array(frame, held, node, found.element.dtype), found.element.weak
    return None


def as_weak_as(frame: Frame, value: Value, is_weak: bool, node: gast.AST, hint: str) -> Value:
    found = protocol.type_as(frame, value, Scalar)
    if not is_weak or found.weak:
        return value
    return frame.emit("cast", value, node=node, hint=hint, dtype=found.dtype, weak=True)


def reduce_array(frame: Frame, value: Value, operator: str, node: gast.AST, hint: str) -> Value:
    require_vector(frame, value, operator, node)
    return frame.emit(operator, value, node=node, hint=hint)


def require_vector(frame: Frame, value: Value, operator: str, node: gast.AST) -> None:
    found = frame.type_of(value)
    if not isinstance(found, Array) or found.ndim != 1:
        message = f"{operator}() goes over the first axis only and needs a one-dimensional array, not {found}"
        frame.fault("T001", message, node, "called here", (f"use np.{operator}(...)",))  # fmt: skip


def _abs(frame: Frame, args, kwargs, node, hint) -> Value:
    (x,) = args
    by_class = classes.special_call(frame, x, "__abs__", [], node)
    if by_class is not None:
        return by_class
    return evaluate.fold(frame, abs, node, x) if is_number(x) else frame.emit("absolute", x, node=node, hint=hint)


def _sum(frame: Frame, args, kwargs, node, hint) -> Value:
    start = kwargs.get("start", args[1] if len(args) > 1 else Static(0))
    if frame.is_array(args[0]):
        return note_start(frame, over_array(frame, "total", [args[0], start], node, hint), start)
    if not are_of_one_dtype(frame, args[0]):
        return container_methods.in_language(frame, "total_of_numbers", [args[0], start], node, hint)
    if (numbers := vector_of(frame, args[0], node)) is not None:
        array, is_weak = numbers
        return as_weak_as(frame, over_array(frame, "total", [array, start], node, hint), is_weak, node, hint)
    if not comprehensions.is_unrolled(frame, frame.held(args[0]), node):
        values = args[0] if isinstance(args[0], Ref) else as_new_list(frame, args[0], node)
        if vector_of(frame, values, node) is not None:
            return _sum(frame, [values, start], {}, node, hint)
        return container_methods.in_language(frame, "total", [values, start], node, hint)
    total = start
    for item in protocol.items(frame, args[0], node):
        total = evaluate.binary(frame, gast.Add, total, item, node, hint)
    return total


def _quantifier(stop: bool):
    def apply_(frame: Frame, args, kwargs, node, hint) -> Value:
        args = [iterators.taken_in_part(frame, args[0], node)]
        if frame.is_array(args[0]):
            return as_python_bool(frame, reduce_array(frame, args[0], "any" if stop else "all", node, hint), node, hint)
        if not comprehensions.is_unrolled(frame, frame.held(args[0]), node):
            name = "any_of" if stop else "all_of"
            return container_methods.in_language(frame, name, [args[0]], node, hint)
        result: Value = Static(not stop)
        for item in protocol.items(frame, args[0], node):
            decided = protocol.truth(frame, item, node)
            if isinstance(decided, Static):
                if decided.value == stop:
                    return Static(stop)
            elif isinstance(result, Static):
                result = decided
            else:
                result = frame.emit("logical_or" if stop else "logical_and", result, decided, node=node, hint=hint)
        return result if isinstance(result, Static) else as_python_bool(frame, result, node, hint)

    return apply_


def _any_or_all(stop: bool):
    def apply_(frame: Frame, node: gast.Call, hint: str) -> Value:
        require_arguments(frame, any if stop else all, node.args, {k.arg: k for k in node.keywords}, node)
        return comprehensions.quantified(frame, node.args[0], stop)

    return apply_


def _next(frame: Frame, node: gast.Call, hint: str) -> Value:
    require_arguments(frame, next, node.args, {k.arg: k for k in node.keywords}, node)
    default = evaluate.evaluate(frame, node.args[1]) if len(node.args) > 1 else None
    return comprehensions.first_of(frame, node.args[0], default, hint)


def as_python_bool(frame: Frame, value: Value, node: gast.AST, hint: str) -> Value:
    if frame.type_of(value) == types.BOOL:
        return value
    return frame.emit("cast", value, node=node, hint=hint, dtype=BOOL_WORD, weak=True)


def _convert(python: type, dtype: str):
    def apply_(frame: Frame, args, kwargs, node, hint) -> Value:
        if not args:
            return Static(python())
        value = args[0]
        if all(isinstance(a, Static) for a in args):
            return evaluate.fold(frame, python, node, *args)
        if len(args) > 1 and python is int and strings.is_string(value):
            return built_strings.number_in(frame, value, args[1], node)
        if strings.is_built(value) and python is int:
            return built_strings.number_in(frame, value, Static(10), node)
        if len(args) > 1:
            frame.needs_static(value, "a number that is read from a string", node)
        if is_bool(dtype):
            truth = protocol.truth(frame, value, node)
            if isinstance(truth, Static):
                return truth
            return frame.emit("cast", truth, node=node, hint=hint, dtype=BOOL_WORD, weak=True)
        if isinstance(value, String):
            return strings.looked_up(frame, value, python, node, hint)
        value = as_scalar(frame, value, python.__name__, node)
        if frame.type_of(value) == Scalar(dtype, weak=True):
            return value
        return frame.emit("cast", value, node=node, hint=hint, dtype=dtype, weak=True)

    return apply_


def as_scalar(frame: Frame, value: Value, what: str, node: gast.AST) -> Value:
    value = subscript.number_in(frame, value, node)
    if not frame.is_scalar(value):
        help_ = ("take an element first: `x[0]`",) if frame.is_array(value) else ()
        frame.fault("T001", f"{what}() takes a single number, not {frame.describe(value)}", node, "called here", help_)
    return value


def _round(frame: Frame, args, kwargs, node, hint) -> Value:
    value = args[0]
    digits = kwargs.get("ndigits", args[1] if len(args) > 1 else Static(None))
    places = protocol.known(frame, digits, node, "the number of digits")
    if is_number(value):
        return evaluate.fold(frame, lambda v: round(v, places), node, value)
    found = frame.type_of(value)
    if not isinstance(found, Scalar) or found == Scalar(BOOL_WORD):
        frame.fault("T001", f"type {frame.describe(value)} has no __round__ method", node, "called here",
                    ("use np.round",))  # fmt: skip
    if places is None:
        if not is_inexact(found.dtype):
            return frame.emit("cast", value, node=node, hint=hint, dtype=INT_WORD, weak=True)
        whole = frame.emit("rint", value, node=node)
        return frame.emit("cast", whole, node=node, hint=hint, dtype=INT_WORD, weak=True)
    return numbers.rounded(frame, value, found, places, node, hint)


def _container(kind: type):
    def apply_(frame: Frame, args, kwargs, node, hint) -> Value:
        if kind is tuple:
            return tuples.made(frame, args[0], node) if args else Sequence(())
        return as_new_list(frame, args[0], node) if args else containers.new_list(frame, ())

    return apply_


def as_new_list(frame: Frame, value: Value, node: gast.AST) -> Ref:
    """`list(value)`: the items in a list of their own."""
    if forms.grows(frame, frame.held(value)) or isinstance(frame.held(value), Rows):
        return container_methods.copy(frame, value, node)
    made = containers.new_list(frame, ())
    container_methods.extend(frame, made, node, value)
    return made


def _sorted(frame: Frame, args, kwargs, node, hint) -> Value:
    grows = isinstance(args[0], Ref) and forms.grows(frame, frame.held(args[0]))
    values = args[0] if grows else as_new_list(frame, args[0], node)
    key, reverse = kwargs.get("key", NONE), kwargs.get("reverse", Static(False))
    return container_methods.in_order(frame, values, key, reverse, node)


def _dict(frame: Frame, args, kwargs, node, hint) -> Value:
    return dict_methods.made(frame, args, kwargs, node)


def _isinstance(frame: Frame, args, kwargs, node, hint) -> Value:
    wanted = classes.as_classes(protocol.known(frame, args[1], node, "a class"))
    return classes.is_of_classes(frame, args[0], wanted, node)


def _slice(frame: Frame, args, kwargs, node, hint) -> Value:
    return slices.made(args)


def require_arguments(frame: Frame, function: Any, args: list, kwargs: dict, node: gast.AST) -> None:
    """T004 where Python would not accept so many arguments, or an argument of such a name."""
    least, most, names = ARGUMENTS[function]
    unknown = sorted(set(kwargs) - set(names.split())) if function is not dict else ()
    if unknown:
        message = f"{function.__name__}() got an unexpected keyword argument '{unknown[0]}'"
        frame.fault("T004", message, node, "called here")
    if not least <= len(args) <= most:
        frame.fault("T004", f"{function.__name__}() does not take {len(args)} arguments", node, "called here")




def _by(name: str) -> Any:
    """A function of `iterators`, looked up at the call, as that module may not be imported yet."""
    return lambda *given: getattr(iterators, name)(*given)


# The other builtins take the items of an instance or an iterator.
TAKES_INSTANCES = (dict, len, isinstance, bool, slice, next)
ITERATORS_THEMSELVES = (zip, enumerate, reversed, map, filter, iter, any, all)
IN_ANY_ORDER = (sorted, sum, min, max, any, all)
MANY = 10**9
# The least and the greatest number of positional arguments of a builtin, and the names of keyword arguments.
ARGUMENTS: dict[Any, tuple[int, int, str]] = {
    len: (1, 1, ""), range: (1, 3, ""), zip: (0, MANY, "strict"), enumerate: (1, 2, "start"), reversed: (1, 1, ""),
    map: (2, MANY, ""), filter: (2, 2, ""), iter: (1, 1, ""),
    abs: (1, 1, ""), max: (1, MANY, "key default"), min: (1, MANY, "key default"), sum: (1, 2, "start"),
    any: (1, 1, ""), all: (1, 1, ""), int: (0, 2, ""), float: (0, 1, ""), bool: (0, 1, ""), round: (1, 2, "ndigits"),
    complex: (0, 2, "real imag"),
    sorted: (1, 1, "key reverse"), next: (1, 2, ""), list: (0, 1, ""), tuple: (0, 1, ""), dict: (0, 1, ""),
    isinstance: (2, 2, ""), slice: (1, 3, ""),
}  # fmt: skip
BUILTINS = {
    len: _len, range: _range, zip: _by("of_zip"), enumerate: _by("of_enumerate"), reversed: _by("of_reversed"),
    map: _by("of_map"), filter: _by("of_filter"), iter: _by("of_iter"), next: _by("of_next"),
    max: _extreme("greater"), min: _extreme("less"), abs: _abs, sum: _sum,
    any: _quantifier(True), all: _quantifier(False),
    int: _convert(int, INT_WORD), float: _convert(float, FLOAT_WORD), bool: _convert(bool, BOOL_WORD), round: _round,
    list: _container(list), tuple: _container(tuple), dict: _dict, isinstance: _isinstance, slice: _slice,
    sorted: _sorted, complex: lambda *given: complex_calls.made(*given),
}  # fmt: skip
# Builtins that need not consume all items of a generator expression; they take its tree.
LAZY = {any: _any_or_all(True), all: _any_or_all(False), next: _next}
