"""Make an instance of a class, as its `__init__` and `__post_init__` say.

    Spring(2.0)         ->    Record(Spring, stiffness=2.0, rest_length=1.0)
    Solver(items, 3)    ->    a new object of the heap, whose attributes `Solver.__init__` assigns

While an instance is made its attributes can be assigned, also those of a frozen dataclass, by `object.__setattr__`.
"""

from __future__ import annotations

import dataclasses
import inspect
import types as python_types
from typing import Any

import gast

from .. import protocol
from ..frame import Frame
from ..functional import Super
from ..library.static_python import stop
from ..objects import pools
from ..values import NONE, Record, Ref, Value
from ..world import outside
from . import classes, library_classes
from .record_classes import can_change, is_namedtuple_class, record_fields

METACLASSES = ("builtins.type", "abc.ABCMeta", "typing._ProtocolMeta", "typing.NamedTupleMeta")


def construct(frame: Frame, cls: type, args: list[Value], kwargs: dict[str, Value], node: gast.AST) -> Value:
    """`cls(...)`."""
    if library_classes.stands_for(cls) is None:
        require_usual(frame, cls, node)
        frame.task.world.record(cls)
    if is_namedtuple_class(cls):
        return named_tuple(frame, cls, args, kwargs, node)
    pools.note_made(frame, cls)
    made = frame.new(Record(cls, ()), pools.word(cls))
    initialise(frame, made, classes.entry(frame, cls, "__init__"), args, kwargs, node)
    if cls in frame.task.learned.pools:
        return pools.put(frame, made, node)
    return made if can_change(cls) else frame.held(made)


def require_usual(frame: Frame, cls: type, node: gast.AST) -> None:
    """Refuse classes that make instances, or find and assign attributes, in ways of their own."""
    metaclass = type(cls)
    own = [f"`{name}`" for name in classes.OWN_WAYS if _is_own(frame, cls, name)]
    if f"{metaclass.__module__}.{metaclass.__qualname__}" not in METACLASSES:
        own.append(f"the metaclass `{metaclass.__name__}`")
    if own:
        message = f"`{cls.__name__}` has {own[0]} of its own, which is not compiled"
        frame.fault("U018", message, node, "made here", ("write a plain class with `__init__`, or a dataclass",))
    bases = [base for base in cls.__mro__[:-1] if base.__module__ == "builtins"]
    if bases and not is_namedtuple_class(cls):
        message = f"`{cls.__name__}` is a kind of `{bases[0].__name__}`"
        frame.fault("U018", message, node, "made here", (f"keep the {bases[0].__name__} in an attribute",))


def _is_own(frame: Frame, cls: type, name: str) -> bool:
    found = classes.entry(frame, cls, name)
    found = found.__func__ if isinstance(found, staticmethod) else found
    if not isinstance(found, python_types.FunctionType):
        return False
    is_generated = found.__code__.co_filename == classes.GENERATED or found.__module__ in ("typing", "collections")
    return not is_generated and found.__qualname__.rpartition(".")[0].split(".")[-1] != "_record"


def initialise(
    frame: Frame, made: Ref, init: Any, args: list[Value], kwargs: dict[str, Value], node: gast.AST
) -> None:
    """Run `__init__` on an object."""
    if isinstance(init, python_types.WrapperDescriptorType):
        if args or kwargs:
            name = protocol.held_as(frame, made, Record).cls.__name__
            frame.fault("T004", f"{name}() takes no arguments", node, "made here")
    elif isinstance(init, python_types.FunctionType) and init.__code__.co_filename == classes.GENERATED:
        generated(frame, made, init, args, kwargs, node)
    elif protocol.call(frame, classes.method(frame, init, node), [made, *args], kwargs, node) != NONE:
        frame.fault("T001", "__init__() should return None", node, "made here")


def generated(
    frame: Frame, made: Ref, init: Any, args: list[Value], kwargs: dict[str, Value], node: gast.AST
) -> None:
    """The `__init__` that `dataclasses` wrote: the fields, then `__post_init__`."""
    cls = protocol.held_as(frame, made, Record).cls
    owner = next(base for base in cls.__mro__ if vars(base).get("__init__") is init)
    given = bound_fields(frame, owner, init, args, kwargs, node)
    for_later: list[Value] = []
    for name, field in all_fields(owner).items():
        kind = field._field_type.name
        if kind == "_FIELD_CLASSVAR":
            continue
        value = given.get(name)
        if value is None:
            value = default_of(frame, field, node)
        if value is None:
            continue
        if kind == "_FIELD_INITVAR":
            for_later.append(value)
        else:
            classes.set_attribute(frame, made, name, value, node)
    more = classes.entry(frame, cls, "__post_init__")
    if isinstance(more, python_types.FunctionType):
        classes.called(frame, more, [made, *for_later], node)


def all_fields(cls: Any) -> dict[str, Any]:
    """The fields of a dataclass, with its `InitVar`s and `ClassVar`s."""
    found: dict[str, Any] = cls.__dataclass_fields__
    return found


def bound_fields(
    frame: Frame, owner: type, init: Any, args: list[Value], kwargs: dict[str, Value], node: gast.AST
) -> dict[str, Value]:
    """The fields that were passed, by name."""
    try:
        bound = inspect.signature(init).bind(None, *args, **kwargs)
    except TypeError as wrong:
        listed = ", ".join(name for name, field in all_fields(owner).items() if field.init)
        frame.fault("T004", f"{owner.__name__}() {wrong}", node, "made here", (f"its fields: {listed}",))
    bound.arguments.pop(next(iter(inspect.signature(init).parameters)))
    return bound.arguments


def default_of(frame: Frame, field: Any, node: gast.AST) -> Value | None:
    if field.default_factory is not dataclasses.MISSING:
        factory = outside.read(frame, field.default_factory, field.name, node)
        return protocol.call(frame, factory, [], {}, node)
    if field.default is not dataclasses.MISSING:
        return outside.read(frame, field.default, field.name, node)
    return None


def named_tuple(frame: Frame, cls: type, args: list[Value], kwargs: dict[str, Value], node: gast.AST) -> Record:
    """A NamedTuple from its fields."""
    fields = record_fields(cls)
    given = dict(zip(fields, args, strict=False)) | kwargs
    usual = outside.defaults(frame, cls.__new__, [*fields], given, node)  # CPython's for fields that are left out
    given = {**dict(zip(fields[len(fields) - len(usual) :], usual)), **given}
    if set(given) != set(fields) or len(args) > len(fields) or set(fields[: len(args)]) & set(kwargs):
        frame.fault("T004", f"`{cls.__name__}` takes the fields {', '.join(fields)}", node, "made here")
    return Record(cls, tuple((f, given[f]) for f in fields))


def replaced(frame: Frame, value: Value, changes: dict[str, Value], node: gast.AST) -> Value:
    """`dataclasses.replace(value, ...)`: made anew, so that `__post_init__` runs again."""
    record = classes.instance(frame, value)
    if record is None or not dataclasses.is_dataclass(record.cls):
        frame.fault("T001", f"replace() takes an instance of a dataclass, not {frame.describe(value)}", node)
    given = dict(changes)
    for name, field in all_fields(record.cls).items():
        if field._field_type.name == "_FIELD_CLASSVAR":
            continue
        if not field.init and name in changes:
            message = f"field {name} is declared with init=False, it cannot be specified with replace()"
            stop(frame, "ValueError", message, node)
        if field.init and name not in given:
            if field._field_type.name == "_FIELD_INITVAR":
                if field.default is dataclasses.MISSING:
                    stop(frame, "ValueError", f"InitVar {name!r} must be specified with replace()", node)
                continue
            given[name] = protocol.attribute(frame, value, name, node)
    return construct(frame, record.cls, [], given, node)


def renewed(frame: Frame, record: Record, changes: dict[str, Value], node: gast.AST) -> Record:
    """`record._replace(...)`."""
    unknown = [name for name in changes if record.get(name) is None]
    if unknown:
        stop(frame, "ValueError", f"Got unexpected field names: {unknown!r}", node)
    return Record(record.cls, tuple((k, changes.get(k, v)) for k, v in record.items))


def super_of(frame: Frame, args: list[Value], node: gast.AST) -> Super:
    """`super()`, in a method."""
    walker = frame
    cls = frame.namespace.read("__class__")
    names = frame.source.tree.args
    first = next(iter([*names.posonlyargs, *names.args]), None)
    receiver = walker.lookup(first.id) if first is not None else None
    if args or not isinstance(cls, type) or receiver is None:
        frame.fault("P012", "`super(...)` stands for a class only in its methods, without arguments", node, "used here")
    return Super(cls, receiver)


