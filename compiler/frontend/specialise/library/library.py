"""Calls of NumPy's and `math`'s functions: operators, conversions, and library functions written in the language."""

from __future__ import annotations

import functools
import types as python_types
from typing import Any

import gast

from .....runtime.namespace import of_numpy
from .... import dtypes, syntax, types
from ....analysis.memory.alias import shown_by
from ....dtypes import INT_WORD, is_integer, promote_dtypes
from ....meanings import Meaning
from ....names import base_of
from ....ops import python_names
from ....ops.primitives import Primitive
from ....ops.python_names import NameBinding
from ....ops.schema import OPERATORS, Operator, TypeFault
from ....ops.sharing import sharing_of
from ....ops.static import LIST_OF_RECORDS, NO_ARRAYS, StaticFunction, can_cast, common, dtype_name, strict_common
from ....ops.static_dtypes import dtypes_on_paths, one_dtype
from ....ops.type_rules import is_pythons
from ....types import Array, ListOf, Scalar
from .. import protocol
from ..frame import Frame
from ..interpreter import apply, evaluate, subscript
from ..iterables import Iteration, Iterator
from ..joins import evenness, two_meanings
from ..joins.joined_types import meanings_of, own_lengths
from ..kinds import arrays, callables, known_numbers
from ..limits import limit
from ..objects.heap import objects
from ..values import Leaf, Mapping_, Record, Rows, Sequence, Static, Table, Value, leaves, map_leaves
from ..world.taking_apart import from_python
from . import into_out

MAKES_ARRAYS = ("creation:array", "creation:asarray", "creation:copy")


def binding_of(value: Any) -> NameBinding | Primitive | StaticFunction | None:
    """The compiler's binding of a Python object, if it is one of the library's."""
    if isinstance(value, Primitive | StaticFunction):
        return value
    return python_names.binding_of(of_numpy(value))


def method(name: str) -> NameBinding | None:
    return python_names.METHODS.get(name)


def is_library(function: python_types.FunctionType) -> bool:
    return python_names.is_in_library(function.__module__)


def call(frame: Frame, binding: Any, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
    match binding:
        case Primitive():
            return primitive(frame, binding, args, kwargs, node, hint)
        case StaticFunction():
            return ask(frame, binding, args, node)
        case NameBinding(kind="operator"):
            return operator(frame, binding, args, kwargs, node, hint)
        case NameBinding(kind="dtype"):
            return convert(frame, binding.dtype, args, node, hint)
    if binding.function in MAKES_ARRAYS and args and is_container(frame, args[0]):
        dtype = kwargs.get("dtype", args[1] if len(args) > 1 else Static(None))
        made = arrays.as_array(frame, args[0], node, dtype_word(frame, dtype, node), hint)
        if kwargs.keys() <= {"dtype"}:
            return made
        args, kwargs = [made, *args[1:]], {"copy": Static(None), **kwargs}
    if binding.owner:
        args = [Static(python_names.object_of(binding.owner)), *args]
    if not frame.is_library:
        args, kwargs = _by_name(binding, args, kwargs)
    if "out" in kwargs or "where" in kwargs and not python_names.takes_where(binding):
        return into_out.call(frame, binding, args, kwargs, node, hint)
    if not frame.is_library:
        _require_keywords(frame, binding, kwargs, node)
    if not frame.is_library and not binding.takes_complex:
        _require_real(frame, binding, [*args, *kwargs.values()], node)
    before = frame.builder.mark()
    result = apply.call_function(frame, binding.load(), args, kwargs, node)
    if binding.shares == "copy" and _is_shared(frame, result, before):
        return frame.emit("copy", result, node=node, hint=hint)
    return renamed(frame, result, hint) if frame.builder.since(before) else result


@functools.cache
def _names_by_place(binding: NameBinding) -> tuple[str, ...] | None:
    """The parameters that a library function takes by their places; None where it takes any number of them."""
    parameters = binding.signature().parameters.values()
    if binding.owner or any(p.kind == p.VAR_POSITIONAL for p in parameters):
        return None
    return tuple(p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))


def _by_name(
    binding: NameBinding, args: list[Value], kwargs: dict[str, Value]
) -> tuple[list[Value], dict[str, Value]]:
    """Arguments by their names where NumPy takes more of them by their places than the library's function does."""
    own = _names_by_place(binding)
    if own is None or len(args) <= len(own):
        return args, kwargs
    order = python_names.order_of_numpys(binding)
    if len(args) > len(order) or tuple(order[: len(own)]) != own or kwargs.keys() & set(order[len(own) : len(args)]):
        return args, kwargs
    named = dict(zip(order[len(own) :], args[len(own) :]))
    return args[: len(own)], {**{name: v for name, v in named.items() if v != Static(None)}, **kwargs}


def _require_keywords(frame: Frame, binding: NameBinding, kwargs: dict[str, Value], node: gast.AST) -> None:
    """Refuse a keyword that NumPy's function has and this one lacks."""
    for name in kwargs:
        if python_names.is_lacking(binding, name):
            what = f"`{_written_name(binding, node)}`"
            frame.fault("U012", f"the argument `{name}=` of {what} is not supported", node, "called here")


def _written_name(binding: NameBinding, node: gast.AST) -> str:
    written = node.func if isinstance(node, gast.Call) else None
    return written.id if isinstance(written, gast.Name) else binding.function.partition(":")[2]


def _require_real(frame: Frame, binding: NameBinding, values: list[Value], node: gast.AST) -> None:
    """Refuse complex numbers in a function that is not written for them."""
    found = [frame.type_of(leaf) for value in values for leaf in leaves(frame.held(value))]
    given = next((t for t in found if t is not None and types.of_complex(t)), None)
    if given is not None:
        message = f"`{_written_name(binding, node)}` does not take complex numbers here: {given}"
        help_ = ("take a part of it: `z.real`, `z.imag` or `abs(z)`",)
        frame.fault("U017", message, node, "called here", help_)


def common_dtype(frame: Frame, columns: list[Leaf]) -> str:
    return promote_dtypes(*(types.dtype_of(frame.type_of(column)) for column in columns))


def _is_shared(frame: Frame, result: Value, before: Any) -> bool:
    """Whether the array may be (a view of) one that existed before the statements from `before` on."""
    if not isinstance(result, Leaf) or not frame.is_array(result):
        return False
    made: dict[str, list[gast.expr]] = {}
    for statement in syntax.walk(frame.builder.since(before)):
        if isinstance(statement, gast.Assign):
            for name in syntax.names_bound(statement):
                made.setdefault(name, []).append(statement.value)
    waiting, seen = [result.name], set()
    while waiting:
        name = waiting.pop()
        if name not in made:
            return True
        if name not in seen:
            seen.add(name)
            waiting += [source for value in made[name] for source in shown_by(value, frame.builder.types)]
    return False


def note_sharing(frame: Frame, function: object, args: list[Value], result: Value, before: Any) -> None:
    """Note where NumPy returns a view and this a copy: the alias check refuses stores that show the difference."""
    sharing = sharing_of(function)
    if sharing not in ("view", "read-only") or not isinstance(result, Leaf) or not frame.is_array(result):
        return
    sources = tuple(a.name for a in args if isinstance(a, Leaf) and frame.is_array(a))
    for statement in syntax.walk(frame.builder.since(before)):
        if isinstance(statement, gast.Assign) and result.name in syntax.names_bound(statement):
            statement.shows, statement.locked = sources, sharing == "read-only"


def is_container(frame: Frame, value: Value) -> bool:
    value = frame.held(value)
    return isinstance(value, Sequence | Record | Rows | Table) or frame.is_list(value)


def renamed(frame: Frame, result: Value, hint: str) -> Value:
    """Give the last value that a library function emitted the name that the user gives it."""
    body = frame.builder.body
    if hint == "t" or not isinstance(result, Leaf) or not body or base_of(result.name) == base_of(hint):
        return result
    last = body[-1]
    own = isinstance(last, gast.Assign) and isinstance(last.targets[0], gast.Name) and last.targets[0].id == result.name
    if not own or result.name in frame.builder.merged:
        return result
    fresh = frame.builder.names.fresh(hint)
    frame.builder.types[fresh] = frame.builder.types.pop(result.name)
    if result.name in frame.builder.widened:
        frame.builder.widened[fresh] = frame.builder.widened.pop(result.name)
    if result.name in frame.builder.extents:
        frame.builder.extents[fresh] = frame.builder.extents[result.name]
    body[-1] = syntax.rebuild(last, targets=[syntax.target(fresh)])
    return Leaf(fresh)


def operator(frame: Frame, binding: NameBinding, args, kwargs, node: gast.AST, hint: str) -> Value:
    row = binding.row
    if python_names.has_place_for_out(binding, len(args)) and "out" not in kwargs:
        args, kwargs = args[:-1], {**kwargs, "out": args[-1]}
    if "out" in kwargs or "where" in kwargs:
        return into_out.call(frame, binding, args, kwargs, node, hint)
    for name in kwargs:
        if not python_names.is_lacking(binding, name):
            frame.fault("T004", f"{row.name}() got an unexpected keyword argument '{name}'", node, "called here")
        if name != "dtype":
            frame.fault("U012", f"the argument `{name}=` of `{row.name}` is not supported", node, "called here")
    if len(args) != len(row.operands):
        count = f"{len(row.operands)} argument{'s' if len(row.operands) != 1 else ''}"
        frame.fault("T004", f"`{row.name}` takes {count} but {len(args)} were given", node, "called here")
    if row.of_parts:
        return _of_parts(frame, binding, args[0], node, hint)
    operands = [arrays.as_array(frame, a, node) if is_container(frame, a) else a for a in args]
    found = [type_ for a in operands if (type_ := frame.type_of(a)) is not None]
    if binding.strong and (all(_is_weak(frame, a) for a in operands) or is_pythons(found)):
        operands = [strong(frame, a, node) for a in operands]
    word = dtype_word(frame, kwargs.get("dtype", Static(None)), node)
    with frame.reporting(node):
        is_own = word is None or types.dtype_of(row.type_rule([frame.type_of(a) for a in operands])) == word
    if word is not None and not is_own:
        operands = [_taken_in(frame, row, operand, word, node) for operand in operands]
    return frame.emit(row.name, *operands, node=node, hint=hint)


def _taken_in(frame: Frame, row: Operator, operand: Value, word: str, node: gast.AST) -> Value:
    """An operand in the dtype that a call asks its function to work in, and to give."""
    found = frame.type_of(operand)
    given = row.type_rule([types.Scalar(word)] * len(row.operands)) if row.kind == "elementwise" else None
    if given != types.Scalar(word):
        frame.fault("U012", f"`{row.name}` works in no dtype that it is told here", node, "called here",
                    ("convert the result: `.astype(...)`",))  # fmt: skip
    if not can_cast.ask(found, word, "same_kind"):
        message = f"`{row.name}` does not take {frame.describe(operand)} in {dtypes.NUMPY_DTYPE[word].name}"
        frame.fault("T001", message, node, "called here", ("convert it first: `x.astype(...)`",))
    return frame.emit("cast", operand, node=node, dtype=word)


def _of_parts(frame: Frame, binding: NameBinding, value: Value, node: gast.AST, hint: str) -> Value:
    """The same container with the operator taken of each number and array in it."""

    def part(value: Value, _: tuple[object, ...]) -> Value:
        if not isinstance(value, Leaf):
            return value
        if frame.is_list(value):
            frame.fault("U018", f"`{binding.row.name}` of a list that grows is not in the language", node,
                        "called here", ("make an array of it: `np.array(...)`",))  # fmt: skip
        return frame.emit(binding.row.name, value, node=node, hint=hint)

    return objects(map_leaves(frame.tree(value), part), frame.heap)


def _is_weak(frame: Frame, value: Value) -> bool:
    found = frame.type_of(value)
    return isinstance(found, Scalar) and found.weak


def strong(frame: Frame, value: Value, node: gast.AST) -> Value:
    made = frame.emit("cast", value, node=node, dtype=protocol.type_as(frame, value, Scalar).dtype, weak=False)
    if frame.builder.widened:  # on each path it has the dtype of that path
        found = meanings_of(frame, value)
        frame.builder.widen(made.name, [[Meaning(Scalar(one.type.dtype)) for one in found]])
    return made


def convert(frame: Frame, dtype: str, args: list[Value], node: gast.AST, hint: str) -> Value:
    """`np.float32(x)`."""
    value = args[0] if args else Static(0)
    if is_container(frame, value):
        return arrays.as_array(frame, value, node, dtype, hint)
    found = frame.type_of(value)
    if isinstance(found, Array) and found.ndim and found.dtype == dtype:
        return value
    number = subscript.number_in(frame, value, node)
    return frame.emit("cast", number, node=node, hint=hint, dtype=dtype, weak=False)


def primitive(frame: Frame, primitive_: Primitive, args, kwargs, node: gast.AST, hint: str) -> Value:
    static = {name: static_value(frame, name, value, node) for name, value in kwargs.items()}
    row = OPERATORS[primitive_.name]
    if row.results > 1:
        return _all_results(frame, row, args, node, hint, **static)
    return frame.emit(primitive_.name, *args, node=node, hint=hint, **static)


def _all_results(
    frame: Frame, row: Operator, args: list[Value], node: gast.AST, hint: str, **static: Any
) -> Sequence:  # fmt: skip
    """The tuple of the results of an operator that has several."""
    atoms = [frame.atom(value, node) for value in args]
    with frame.reporting(node):
        made = [one.id for one in frame.builder.call_all(row.name, *atoms, hints=[hint] * row.results, **static)]
    if frame.builder.widened:
        two_meanings.require_one(frame, row.name, atoms, made, static, node)
    return Sequence(tuple(map(Leaf, made)))


def static_value(frame: Frame, name: str, value: Value, node: gast.AST) -> Any:
    """A static keyword: lengths of a shape may be dynamic, everything else is known now."""
    if name != "shape":
        return protocol.known(frame, value, node, f"`{name}`")
    held = frame.held(value)
    items = held.items if isinstance(held, Sequence) else tuple(map(Static, protocol.known(frame, held, node)))
    return tuple(frame.atom(whole_number(frame, item, node), node) for item in items)


def whole_number(frame: Frame, value: Value, node: gast.AST) -> Value:
    value = subscript.number_in(frame, value, node)
    found = frame.type_of(value)
    if not isinstance(found, Scalar) or not is_integer(found.dtype):
        frame.fault("T001", f"a length must be an integer, not {frame.describe(value)}", node, "used as a length")
    value = known_numbers.plain(value)
    if frame.type_of(value) != types.INT:
        value = frame.emit("cast", value, node=node, dtype=INT_WORD, weak=True)
    return value


OF_DTYPES = (common, one_dtype, strict_common)  # these decide the dtype of a result from its arguments


def ask(frame: Frame, function: StaticFunction, args: list[Value], node: gast.AST) -> Value:
    if function is dtypes_on_paths and isinstance(args[0], Leaf):
        words = {one.type.dtype for one in meanings_of(frame, args[0])}
        words.add(types.dtype_of(frame.builder.types[args[0].name]))
        return Sequence(tuple(map(Static, sorted(words))))
    try:
        described = [description(frame, a) for a in args]
        answer = function.ask(*described)
        if function in OF_DTYPES and frame.builder.widened:
            two_meanings.require_one_dtype(frame, args, described, function.ask, node)
    except TypeFault as refused:
        unknown = next((a for a in args if isinstance(a, Leaf) and frame.is_scalar(a)), None)
        if refused.code == "R001" and unknown is not None:
            frame.needs_static(unknown, "this argument", node)
        frame.fault(refused.code, refused.message, node, "found here", refused.help)
    return objects(from_python(answer, lambda _: None), frame.heap)


def description(frame: Frame, value: Value) -> Any:
    value = frame.held(value)
    match value:
        case Leaf(name=name):
            return frame.builder.types[name]
        case Static(value=held):
            return held
        case Sequence(items=items):
            return tuple(description(frame, v) for v in items)
        case Record(items=items) if value.is_tuple:
            return tuple(description(frame, v) for _, v in items)
        case Mapping_(items=items):
            return {k: description(frame, v) for k, v in items}
        case Rows() | Table():
            return LIST_OF_RECORDS
        case Iteration() | Iterator():
            raise TypeFault("T001", f"a `{value.kind}` is no array: make a list of it first, `list(...)`")
    return callables.described(value)


def dtype_word(frame: Frame, value: Value, node: gast.AST) -> str | None:
    held = protocol.known(frame, value, node, "a dtype")
    if held is None:
        return None
    with frame.reporting(node):
        return str(dtype_name.ask(held))


def array_from_list(frame: Frame, value: Leaf, dtype: str | None, node: gast.AST, hint: str) -> Leaf:
    """An array with the items of a growable list, filled by a loop."""
    element = protocol.type_as(frame, value, ListOf).element
    if dtype is None:
        two_meanings.require_items(frame, value.name, node)
    count = frame.builder.bind(syntax.call("length", value.name), types.INT, "count")
    lengths: list[Value] = [Leaf(count.id)]
    if isinstance(element, Array):
        is_empty = frame.emit("equal", Leaf(count.id), Static(0), node=node)
        error = limit("ValueError", NO_ARRAYS, span=frame.here(node))
        frame.builder.append(syntax.if_(frame.atom(is_empty, node), [error]))
        first = frame.builder.bind(syntax.index(value.name, 0), own_lengths(frame, element), "first")
        lengths += [evaluate.length_of(frame, Leaf(first.id), axis, node) for axis in range(element.ndim)]
    shape = tuple(frame.atom(n, node) for n in lengths)
    made = frame.emit("empty", node=node, hint=hint, shape=shape, dtype=dtype or element.dtype)
    variable = frame.builder.names.fresh("i")
    frame.builder.types[variable] = types.INT
    with frame.captured() as body:
        item = frame.builder.bind(syntax.index(value.name, variable), own_lengths(frame, element), "item")
        here = [evaluate.length_of(frame, Leaf(item.id), axis, node) for axis in range(len(lengths) - 1)]
        evenness.require_even(frame, lengths[1:], here, node)
        slices = [syntax.slice_() for _ in lengths[1:]]
        frame.builder.append(syntax.store(made.name, [syntax.name(variable), *slices], item))
    frame.builder.append(syntax.for_range(variable, 0, count, 1, body))
    return made


