"""The body of a function that the specialiser puts together: it applies a user's rule to its parameters.

    body = Body(frame, node, {"x": Typed(f64[any])})     a frame and a builder of its own
    body.finish("slope", value, "it returns")            the function `slope`, in the program
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NoReturn

import gast

from .... import syntax, types
from ....analysis.memory.alias import conflicts_as_numpy
from ....builder import Builder
from ....names import Names
from ....program import Function
from ....types import Array, Scalar, Type
from ...source.read import SourceFile
from ..frame import Frame
from ..functional import Closure, Derived, Partial
from ..functions import instances
from ..interpreter import evaluate
from ..joins import merge, merging
from ..kinds import classes
from ..objects.heap import Heap, Owner, objects
from ..specialised import Instance
from ..values import Leaf, Out, Static, Typed, Value, is_number, leaves, map_leaves, parts, same_structure


class Key:
    """The key of a parameter that is not the user's: it holds the parameter's name, which may occur twice."""

    def __init__(self, wish: str) -> None:
        self.wish = wish

    def __str__(self) -> str:
        return self.wish

    @staticmethod
    @cache
    def of(wish: str) -> Key:
        """The one key of this name."""
        return Key(wish)


class Body:
    """A function while it is put together.  Rules are called from the frame `inner`."""

    def __init__(self, frame: Frame, node: gast.AST, abstract: Mapping[Any, Value]) -> None:
        task = frame.task
        self.frame, self.node = frame, node
        builder = Builder(Names(task.function_names), {})
        builder.heap = Heap()
        builder.span = frame.here(node)
        self.inner = Frame(
            task, builder, frame.source, frame.namespace, caller=frame, call_span=frame.here(node), is_library=True
        )
        self.parameters = instances.declare(builder, dict(abstract), self.inner)
        self.inner.variables = {k: self.objects(v) for k, v in self.inner.variables.items()}

    @property
    def values(self) -> dict[Any, Value]:
        """What the parameters hold, by their names or `Key`s."""
        return self.inner.variables

    def objects(self, value: Value) -> Value:
        return objects(value, self.inner.heap, "items", Owner("argument", "an argument"))

    def same_lengths(self, name: str, other: str) -> None:
        table = self.inner.builder.types
        mine, theirs = table[name], table[other]
        if isinstance(mine, Array) and isinstance(theirs, Array):
            table[name] = Array(mine.dtype, theirs.dims, mine.layout)

    def finish(self, name: str, value: Value, role: Value) -> Instance:
        """The function that returns a value; its source location is that of the rule."""
        inner, task = self.inner, self.frame.task
        result, atoms, result_types = instances.outputs(inner, value, self.node)
        instance = Instance(name, result, result_types=result_types)
        instance.handed = instances.handed_on(inner, atoms, self.parameters, {})
        source = self.source_of(role) or self.frame.source
        builder = inner.builder
        body = (*builder.whole(), syntax.return_(atoms, self.frame.here(self.node)))
        made = Function(
            name, tuple(self.parameters), body, "typed", source.origin,
            instances.used_types(builder, self.parameters, body), result_types, given=dict(builder.names.given),
        )  # fmt: skip
        if any(conflict.other in self.parameters for conflict in conflicts_as_numpy(made)):
            self.frame.fault("G006", f"`{name}`, which has to do with a rule for a derivative, changes its argument",
                             self.node, "called here", ("work on a copy: `x = x.copy()`",))  # fmt: skip
        instance.function = task.functions[name] = made
        task.hidden_of[name] = instances.used_hidden(builder, made.body)
        return instance

    def parameter(self, type_: Type, wish: str) -> Leaf:
        """One more parameter, after the others."""
        builder = self.inner.builder
        name = builder.names.fresh(wish)
        builder.types[name] = type_
        builder.arguments.append(name)
        self.parameters.append(name)
        return Leaf(name)

    def require_lengths(self, value: Value, wanted: Sequence[Value], what: str) -> None:
        """Raise a ValueError where an array has other lengths."""
        for axis, (found, length) in enumerate(zip(evaluate.lengths_of(self.inner, value, self.node), wanted)):
            if found == length:
                continue
            differs = self.inner.emit("not_equal", found, length, node=self.node)
            text = f"{what} an array with {{}} elements along axis {axis}, where {{}} are wanted"
            values = [self.inner.atom(v, self.node) for v in (found, length)]
            error = syntax.raise_("ValueError", text, *values, span=self.frame.here(self.node))
            self.inner.builder.append(syntax.if_(self.inner.atom(differs, self.node), [error]))

    def as_long(self, value: Value, like: Value, what: str) -> Value:
        """The value, with its lengths required to be those of another one."""
        wanted, found = self.inner.type_of(like), self.inner.type_of(value)
        if not isinstance(wanted, Array) or not isinstance(found, Array) or found.dims == wanted.dims:
            return value
        lengths = list(evaluate.lengths_of(self.inner, like, self.node))
        self.require_lengths(value, lengths, what)
        shape = tuple(self.inner.atom(length, self.node) for length in lengths)
        return self.inner.emit("reshape", value, node=self.node, shape=shape)

    # --- what a rule returns

    def like(self, role: Value, value: Value, instance: Instance, what: str) -> Value:
        """A result of the same structure and types as those of the function."""
        found: dict[int, Value] = {}
        assert instance.result is not None
        matched(self, role, instance.result, value, found, what, is_whole=True)
        made = {k: self.as_like(role, v, instance.result_types[k], what) for k, v in found.items()}
        return map_leaves(instance.result, lambda part, _: made[part.index] if isinstance(part, Out) else part)

    def as_like(self, role: Value, value: Value, wanted: Type, what: str) -> Value:
        """A number or an array with the dtype and the number of axes of another value."""
        inner, found = self.inner, self.inner.type_of(value)
        if found is None or isinstance(found, types.ListOf):
            self.fault_of(role, f"{what} {inner.describe(value)}, where {_shown(wanted)} is wanted")
        if types.rank(found) != types.rank(wanted) or isinstance(found, Scalar) != isinstance(wanted, Scalar):
            self.fault_of(role, f"{what} {_shown(found)}, where {_shown(wanted)} is wanted")
        if isinstance(wanted, Array) and isinstance(found, Array) and wanted.layout == "C" != found.layout:
            value = inner.emit("copy", value, node=self.node)
        dtypes = types.dtype_of(found), types.dtype_of(wanted)
        is_weak = isinstance(wanted, Scalar) and wanted.weak
        if dtypes[0] == dtypes[1] and is_weak == (isinstance(found, Scalar) and found.weak):
            return value
        if dtypes[0] != dtypes[1] and not (types.is_floating(wanted) and not is_complex(found)):
            self.fault_of(role, f"{what} {_shown(found)}, where {_shown(wanted)} is wanted")
        if is_number(value) and is_weak:
            return Static(float(value.value))
        options: dict[str, Any] = {"weak": True} if is_weak else {}
        return inner.emit("cast", value, node=self.node, dtype=dtypes[1], **options)

    def name_of(self, role: Value, otherwise: str) -> str:
        found = _plain(role)
        name = getattr(found.node, "name", "") if isinstance(found, Closure) else getattr(found, "__name__", "")
        return name if isinstance(name, str) and name.isidentifier() else otherwise

    def source_of(self, role: Value) -> SourceFile | None:
        """The location of a rule; None for what is not a function of the user's."""
        found = _plain(role)
        if isinstance(found, Closure):
            outer = found.frame.source
            return SourceFile(found.node, outer.file, outer.text, getattr(found.node, "name", "lambda_"))
        return self.frame.task.source_of(found) if hasattr(found, "__code__") else None

    def fault_of(self, role: Value, message: str) -> NoReturn:
        """Report what is wrong with what a rule returns, at the location of the rule."""
        source, frame = self.source_of(role), self.inner
        if source is None:
            self.frame.fault("G006", message, self.node, "called here")
        place = Frame(frame.task, frame.builder, source, frame.namespace)
        place.fault("G006", message, source.tree, "this rule")


def leaf_at(structure: Value | None, value: Value, place: int) -> Value:
    """The part of a value at the position where a structure has a number."""
    assert structure is not None
    found = [
        other
        for (one, other) in zip(leaves(structure), leaves(value), strict=True)
        if isinstance(one, Out) and one.index == place
    ]
    return found[0]


def is_complex(type_: Type) -> bool:
    return types.dtype_of(type_).startswith("c")


def _plain(role: Value) -> Any:
    """The function that a rule is: a Python function or a closure."""
    match role:
        case Partial(function=inner):
            return _plain(inner)
        case Derived(closure=closure):
            return closure
        case Static(value=value):
            return classes.inside(value)
    return role


def _shown(type_: Type) -> str:
    return "a number" if isinstance(type_, Scalar) else f"an array of {types.rank(type_)} axes"


def matched(
    body: Body, role: Value, wanted: Value, value: Value, found: dict[int, Value], what: str, is_whole: bool = False
) -> None:
    """Collect the leaves of a value by the numbers in a structure; None is skipped unless it is the whole."""
    inner = body.inner
    if value == Static(None) and not is_whole:
        return
    if isinstance(wanted, Out):
        found[wanted.index] = value
        return
    held = inner.tree(value)
    mine = parts(wanted)
    if not mine:
        if is_whole and not merge.identical(wanted, held):
            body.fault_of(role, f"{what} {inner.describe(value)}, where the function returns {inner.describe(wanted)}")
        return
    if not same_structure(wanted, held):
        body.fault_of(role, f"{what} {inner.describe(held)}, where {inner.describe(wanted)} is wanted")
    for (_, one), (_, other) in zip(mine, parts(held), strict=True):
        matched(body, role, one, other, found, what, is_whole)


def places_of(abstract: Mapping[Any, Value]) -> dict[Any, Value]:
    """The structure of arguments with the numbers of parameters as leaves."""
    count = -1

    def number(part: Value, _: tuple[object, ...]) -> Value:
        nonlocal count
        if not isinstance(part, Typed):
            return part
        count += 1
        return Out(count)

    return {key: map_leaves(value, number) for key, value in abstract.items()}


def float_places(places: Iterable[int], table: Sequence[Type]) -> list[int]:
    return [place for place in places if types.is_floating(table[place])]


def shown_path(instance: Instance, place: int) -> str:
    assert instance.function is not None
    return f"`{instance.function.parameters[place]}`"


def atom_of_type(frame: Frame, part: Value, wanted: Type, node: gast.AST) -> gast.expr:
    return merging.coerce(frame, part, wanted, node)
